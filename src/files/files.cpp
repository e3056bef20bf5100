#include "files/files.hpp"

#include <algorithm>
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
  throw RunError("cannot " + verb + " '" + path.string() + "': " +
                 (error == ELOOP ? "it is a link, and files are not written through links" : std::strerror(error)));
}

int flags_of(File::Mode mode) {
  switch (mode) {
    case File::Mode::create: return O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
    case File::Mode::append: return O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
    case File::Mode::update: return O_RDWR | O_CLOEXEC | O_NOFOLLOW;
    case File::Mode::read: return O_RDONLY | O_CLOEXEC;
    case File::Mode::directory: return O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  }
  return O_RDONLY;
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

bool is_link(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(path, ignored));
}

// A file itself, not a link to one.
bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(path, ignored));
}

bool is_plain_directory(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// ---- what a run writes, by its names; anything else in its directory belongs to the user
// --------------------------

constexpr const char* own_files[] = {"history.csv", "extremes.csv", "state.json",  "report.html",
                                     "scene.toml",  "failure.json", "failure.vtu", "summary.json"};
constexpr const char* checkpoint_folder = "checkpoints";
constexpr const char* unfinished = ".part";  // of files that are not complete yet

std::string without_part(const std::string& name) {
  return name.ends_with(unfinished) ? name.substr(0, name.size() - std::strlen(unfinished)) : name;
}

// BODY_000012.vtu
bool is_frame(const std::string& name) {
  const fs::path path(without_part(name));
  const std::string stem = path.stem().string();
  const std::size_t underscore = stem.rfind('_');
  return (path.extension() == ".vtu" || path.extension() == ".obj" || path.extension() == ".ply") &&
         underscore != std::string::npos && is_digits(std::string_view(stem).substr(underscore + 1));
}

bool is_checkpoint(const std::string& name) { return is_checkpoint_name(without_part(name)); }

// What outputs of the earlier run wrote, by the list in its summary: names of files, folders with a slash behind. Names
// that lead out of the directory do not belong to it.
std::vector<std::string> listed_outputs(const fs::path& directory) {
  std::vector<std::string> names;
  const std::string summary = is_plain_file(directory / "summary.json") ? file_content(directory / "summary.json") : "";
  constexpr std::string_view key = "\"files\":";
  const std::size_t at = summary.find(key),
                    begin = summary.find_first_not_of(" \n", std::min(at, summary.size()) + key.size());
  const std::size_t end = summary.find(']', std::min(begin, summary.size()));
  if (at == std::string::npos || begin == std::string::npos || end == std::string::npos || summary[begin] != '[')
    return names;
  for (std::size_t open = summary.find('"', begin); open < end;) {
    const std::size_t close = std::min(summary.find('"', open + 1), end);
    const std::string name = summary.substr(open + 1, close - open - 1);
    const std::string plain = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
    const bool is_inside = !plain.empty() && plain != "." && plain != ".." &&
                           plain.find_first_of("/\\") == std::string::npos && plain.find('\0') == std::string::npos;
    if (is_inside) names.push_back(name);
    open = summary.find('"', close + 1);
  }
  return names;
}

// The files of a folder that `is_own` knows, and the folder itself if nothing else is in it.
template <class IsOwn>
void remove_from_folder(const fs::path& folder, const IsOwn& is_own, std::error_code& error) {
  if (!is_plain_directory(folder)) return;
  std::vector<fs::path> own;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_own(entry.path().filename().string()) && is_plain_file(entry.path())) own.push_back(entry.path());
  for (const fs::path& path : own)
    if (!error) fs::remove(path, error);
  if (!error && fs::is_empty(folder, error)) fs::remove(folder, error);
}

void remove_own_files(const fs::path& directory) {
  std::error_code error;
  const auto remove = [&](const fs::path& path) {
    if (!error && is_plain_file(path)) fs::remove(path, error);
  };
  for (const std::string& name : listed_outputs(directory)) {
    const fs::path path = directory / name;
    if (name.ends_with('/'))
      remove_from_folder(path.parent_path(), is_frame, error);
    else if (path.extension() == ".h5" || path.extension() == ".pvd")
      remove(path);
  }
  remove_from_folder(directory / checkpoint_folder, is_checkpoint, error);
  for (const char* name : own_files) {  // the summary last: while it is there, the rest can be removed another time
    remove(directory / (name + std::string(unfinished)));
    remove(directory / name);
  }
  if (error) fail("empty", directory, error.value());
}

// Where a link has taken the place of a file of ours, writing would reach what it points to.
void refuse_links(const fs::path& directory) {
  std::vector<std::string> names(std::begin(own_files), std::end(own_files));
  names.emplace_back(checkpoint_folder);
  for (const std::string& name : listed_outputs(directory))
    names.push_back(name.ends_with('/') ? name.substr(0, name.size() - 1) : name);
  for (const std::string& name : names)
    if (is_link(directory / name))
      throw RunError("refused   '" + (directory / name).string() +
                     "' is a link, and runs write and remove nothing through links. Remove it, or use another --out");
}

// Nothing in it, or what is left of a run that was killed while it wrote its first file.
bool is_empty_or_begun(const fs::path& path) {
  std::error_code error;
  bool result = true;
  for (const auto& entry : fs::directory_iterator(path, error))
    result = result && entry.path().filename() == std::string("summary.json") + unfinished;
  if (error) fail("read", path, error.value());
  return result;
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

bool is_checkpoint_name(const std::string& name) {
  constexpr std::string_view prefix = "step-";
  return name.starts_with(prefix) && is_digits(std::string_view(name).substr(prefix.size()));
}

File::File(const fs::path& path, Mode mode) : path_(path) {
  // A new file is a new one: whoever has the old one open, or another name for it, keeps it.
  if (mode == Mode::create && is_plain_file(path)) ::unlink(path.c_str());
  descriptor_ = ::open(path.c_str(), flags_of(mode), 0644);
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
  require_name();
}

void File::require_name() const {
  struct stat opened {
  }, named{};
  if (::fstat(descriptor_, &opened) != 0) fail("read");
  if (::stat(path_.c_str(), &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
    throw RunError("cannot write '" + path_.string() + "': it was removed or replaced meanwhile");
}

long File::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("read");
  return status.st_size;
}

bool File::lock() { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(path_) {
  temporary_ += unfinished;
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

void remove_files(const fs::path& directory, const std::vector<std::string>& names) {
  std::error_code error;
  for (const std::string& name : names)
    if (is_plain_file(directory / name)) fs::remove(directory / name, error);
  if (error) fail("empty", directory, error.value());
}

void remove_run(const fs::path& directory) {
  if (!is_plain_directory(directory) || !is_run_directory(directory)) return;
  remove_own_files(directory);
  std::error_code ignored;
  if (fs::is_empty(directory, ignored)) fs::remove(directory, ignored);
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directory(path, error);
  if (is_link(path)) fail("write", path, ELOOP);
  if (error) fail("make the directory", path, error.value());
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

RunDirectory RunDirectory::create_at(const fs::path& path, bool is_ours) {
  std::error_code ignored;
  const bool existed = fs::exists(path, ignored);
  if (existed && !fs::is_directory(path, ignored))
    throw RunError("refused   '" + path.string() + "' is a file, not a directory");
  if (existed && !is_ours && !is_run_directory(path) && !is_empty_or_begun(path))
    throw RunError("refused   '" + path.string() + "' is not empty and holds no run of livens. Use another --out");
  make_directories(path);
  RunDirectory directory(path);
  directory.replaced_ = existed && is_run_directory(path);
  refuse_links(path);
  if (directory.replaced_) remove_own_files(path);
  return directory;
}

RunDirectory RunDirectory::reopen(const fs::path& path) {
  if (!is_run_directory(path)) throw RunError("refused   '" + path.string() + "' holds no run of livens");
  RunDirectory directory(path);
  refuse_links(path);
  return directory;
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
