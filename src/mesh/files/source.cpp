#include "mesh/files/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <livens/mesh.hpp>

#include "math/memory_budget.hpp"
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

namespace {

constexpr std::size_t head_size = 4096;

class File {
 public:
  explicit File(const std::filesystem::path& path) : name_(path.string()) {
    // Without O_NONBLOCK a pipe would wait for its writer.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) refuse(std::strerror(errno));
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) refuse(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) refuse("it is a directory");
    if (S_ISFIFO(status.st_mode)) refuse("it is a pipe, not a file. Write what comes out of it into a file first");
    if (!S_ISREG(status.st_mode)) refuse("it is a device or a socket, not a file");
    return static_cast<std::size_t>(status.st_size);
  }

  // Appends up to this many bytes.
  void read(std::string& bytes, std::size_t count) const {
    std::size_t filled = bytes.size();
    const std::size_t end = filled + count;
    bytes.resize(end);
    while (filled < end) {
      const ssize_t got = ::read(descriptor_, bytes.data() + filled, end - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse(std::strerror(errno));
      if (got == 0) break;  // shortened meanwhile
      filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
  }

  [[noreturn]] void refuse(const std::string& why) const { throw MeshError("cannot read '" + name_ + "': " + why); }

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace

MeshSource load_source(const std::filesystem::path& path, HeadCheck check) {
  constexpr double memory_of_a_byte = 2.5;  // the text and the numbers in it
  const File file(path);
  MeshSource source{path.string(), {}};
  const std::size_t size = file.size();
  file.read(source.bytes, std::min(size, head_size));
  if (source.bytes.starts_with("version https://git-lfs.github.com/"))
    file.refuse("it is a pointer of Git LFS, not the file itself. Fetch that with: git lfs pull");
  check(source.name, source.bytes, size);
  if (const std::string why = memory_refusal(memory_of_a_byte * static_cast<double>(size)); !why.empty())
    file.refuse("its " + grouped(static_cast<long>(size >> 20)) + " MiB: reading them " + why +
                ". --force continues anyway");
  file.read(source.bytes, size - source.bytes.size());
  return source;
}

}  // namespace livens
