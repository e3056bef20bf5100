#include "files/files.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace livens {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& verb, const fs::path& path, int error) {
  throw RunError("cannot " + verb + " '" + path.string() + "': " + std::strerror(error));
}

int flags_of(File::Mode mode) {
  switch (mode) {
    case File::Mode::create: return O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    case File::Mode::append: return O_WRONLY | O_APPEND | O_CLOEXEC;
    case File::Mode::update: return O_RDWR | O_CLOEXEC;
    case File::Mode::read: return O_RDONLY | O_CLOEXEC;
    case File::Mode::directory: return O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  }
  return O_RDONLY;
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Everything that a run writes; what else stands in its directory belongs to the user.
constexpr const char* own_files[] = {"history.csv", "extremes.csv", "state.json",  "report.html",
                                     "scene.toml",  "failure.json", "failure.vtu", "summary.json"};

// A folder of frames: its files of the kinds that outputs write, and itself if nothing else is in it.
void remove_frames(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> frames;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".vtu" || extension == ".obj" || extension == ".ply") frames.push_back(entry.path());
  }
  for (const fs::path& path : frames)
    if (!error) fs::remove(path, error);
  if (!error && fs::is_empty(folder, error)) fs::remove(folder, error);
}

// What the outputs of the earlier run wrote, by the list in its summary.
void remove_outputs(const fs::path& directory, std::error_code& error) {
  const std::string summary = file_content(directory / "summary.json");
  const std::size_t begin = summary.find("\"files\": ["), end = summary.find(']', begin);
  if (begin == std::string::npos || end == std::string::npos) return;
  for (std::size_t open = summary.find('"', begin + 8); open < end;) {
    const std::size_t close = summary.find('"', open + 1);
    const std::string name = summary.substr(open + 1, close - open - 1);
    const fs::path path = directory / name;
    const bool is_inside = name.find("..") == std::string::npos && name.find('\\') == std::string::npos;
    if (is_inside && !name.empty() && name.back() == '/' && fs::is_directory(path.parent_path()))
      remove_frames(path.parent_path(), error);
    else if (is_inside && (path.extension() == ".h5" || path.extension() == ".pvd") && !error)
      fs::remove(path, error);
    open = summary.find('"', close + 1);
  }
}

void remove_own_files(const fs::path& directory) {
  std::error_code error;
  remove_outputs(directory, error);
  fs::remove_all(directory / "checkpoints", error);
  for (const char* name : own_files)
    if (!error) fs::remove(directory / name, error);
  if (error) fail("empty", directory, error.value());
}

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail("make the directory", path, error.value());
}

// The number of a run directory of that name: 1 for NAME, k for NAME-k; 0 if it is none.
long run_number(const std::string& directory, const std::string& name) {
  if (directory == name) return 1;
  if (directory.size() <= name.size() + 1 || directory.compare(0, name.size() + 1, name + "-") != 0) return 0;
  const char* first = directory.data() + name.size() + 1;
  const char* last = directory.data() + directory.size();
  long number = 0;
  const auto parsed = std::from_chars(first, last, number);
  return parsed.ec == std::errc() && parsed.ptr == last ? number : 0;
}

}  // namespace

File::File(const fs::path& path, Mode mode) : path_(path), descriptor_(::open(path.c_str(), flags_of(mode), 0644)) {
  if (descriptor_ < 0) fail(mode == Mode::read || mode == Mode::directory ? "read" : "write");
}

File::File(File&& other) noexcept : path_(other.path_), descriptor_(std::exchange(other.descriptor_, -1)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void File::fail(const char* verb) const { livens::fail(verb, path_, errno); }

void File::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes.remove_prefix(written);
  }
}

void File::write_at(long offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes.remove_prefix(written);
    offset += written;
  }
}

std::string File::read_at(long offset, std::size_t bytes) const {
  std::string result(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = ::pread(descriptor_, result.data() + done, bytes - done, offset + static_cast<long>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read");
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  result.resize(done);
  return result;
}

void File::truncate(long bytes) {
  if (::ftruncate(descriptor_, bytes) != 0) fail("shorten");
}

void File::sync() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail("write");
}

long File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("read");
  return status.st_size;
}

bool File::lock() { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(path_) {
  temporary_ += ".part";
  file_.emplace(temporary_, File::Mode::create);
}

AtomicFile::~AtomicFile() {
  if (!file_) return;
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void AtomicFile::write(std::string_view bytes) { file_->write(bytes); }

void AtomicFile::commit() {
  file_->sync();
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) fail("write", path_, error.value());
  file_.reset();
  // The new name is on the disk only when its folder is.
  File(folder_of(path_), File::Mode::directory).sync();
}

void write_file(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

std::string file_content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail("read", path, errno);
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (stream.bad()) fail("read", path, EIO);
  return content;
}

RunDirectory::RunDirectory(fs::path path) : path_(std::move(path)), lock_(path_, File::Mode::directory) {
  if (!lock_.lock()) throw RunError("refused   " + path_.string() + " is being written by another run");
}

RunDirectory RunDirectory::create(const std::string& name) {
  make_directories("runs");
  for (int number = 1;; ++number) {
    const fs::path path = fs::path("runs") / (number == 1 ? name : name + "-" + std::to_string(number));
    std::error_code error;
    if (fs::create_directory(path, error)) return RunDirectory(path);
    if (error && !fs::exists(path)) fail("make the directory", path, error.value());
  }
}

RunDirectory RunDirectory::create_at(const fs::path& path) {
  const bool existed = fs::exists(path);
  if (existed && !fs::is_directory(path))
    throw RunError("refused   '" + path.string() + "' is a file, not a directory");
  if (existed && !fs::is_empty(path) && !is_run_directory(path))
    throw RunError("refused   '" + path.string() + "' is not empty and holds no run of livens. Use another --out");
  make_directories(path);
  RunDirectory directory(path);
  directory.replaced_ = existed && is_run_directory(path);
  if (directory.replaced_) remove_own_files(path);
  return directory;
}

RunDirectory RunDirectory::reopen(const fs::path& path) {
  if (!is_run_directory(path)) throw RunError("refused   '" + path.string() + "' holds no run of livens");
  return RunDirectory(path);
}

std::optional<fs::path> newest_run(const std::string& name) {
  std::optional<fs::path> newest;
  long highest = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("runs", error)) {
    const long number = run_number(entry.path().filename().string(), name);
    if (number > highest && is_run_directory(entry.path())) {
      highest = number;
      newest = entry.path();
    }
  }
  return newest;
}

// The schema is the first key of every summary.
bool is_run_directory(const fs::path& path) {
  std::ifstream stream(path / "summary.json", std::ios::binary);
  char head[64] = {};
  stream.read(head, sizeof head - 1);
  return std::string_view(head).find("\"livens.summary/") != std::string_view::npos;
}

}  // namespace livens
