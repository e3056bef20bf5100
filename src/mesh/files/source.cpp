#include "mesh/files/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <livens/mesh.hpp>

#include "mesh/core/words.hpp"

namespace livens {

std::size_t memory_limit() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0) return std::size_t{1} << 30;
  return static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(size);
}

std::string MeshSource::line(std::size_t offset) const {
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(std::min(offset, bytes.size()));
  return std::to_string(1 + std::count(bytes.begin(), end, '\n'));
}

std::string MeshSource::byte(std::size_t offset) const { return " byte " + std::to_string(offset); }

void MeshSource::fail_line(std::size_t offset, const std::string& text) const {
  throw MeshError(name + ":" + line(offset) + ": " + text);
}

void MeshSource::fail_byte(std::size_t offset, const std::string& text) const {
  throw MeshError(name + ":" + byte(offset) + ": " + text);
}

MeshSource load_source(const std::filesystem::path& file) {
  struct Closing {
    int descriptor;
    ~Closing() {
      if (descriptor >= 0) ::close(descriptor);
    }
  };
  MeshSource source{file.string(), {}};
  const auto refuse = [&](const std::string& why) { throw MeshError("cannot read '" + source.name + "': " + why); };
  // Without O_NONBLOCK a pipe would wait for its writer.
  const Closing open{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (open.descriptor < 0) refuse(std::strerror(errno));
  struct stat status {};
  if (::fstat(open.descriptor, &status) != 0) refuse(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse("it is a directory");
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > memory_limit())
    refuse("its " + grouped(static_cast<long>(size >> 20)) + " MiB are more than half of this machine's memory");
  source.bytes.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(open.descriptor, source.bytes.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(std::strerror(errno));
    if (got == 0) break;  // shortened meanwhile
    filled += static_cast<std::size_t>(got);
  }
  source.bytes.resize(filled);
  return source;
}

}  // namespace livens
