// Files that appear complete or not at all, and the directories of runs. Faults are RunErrors that name the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <livens/run.hpp>

namespace livens {

// An open file descriptor; writes everything or throws.
class File {
 public:
  enum class Mode { create, append, update, read, directory };
  File(const std::filesystem::path& path, Mode mode);
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  void write(std::string_view bytes);
  // By place: for create and update. Reading gives less at the end of the file.
  void write_at(long offset, std::string_view bytes);
  std::string read_at(long offset, std::size_t bytes) const;
  void truncate(long bytes);
  void sync();  // and under its name: throws as require_name does
  // Throws RunError if the file was removed, moved or replaced since it was opened: what is written is lost then.
  void require_name() const;
  long size() const;
  bool lock();  // false if another process has it
  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* verb) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

// Written beside its place, and moved there as a whole by commit().
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  std::optional<File> file_;
};

void write_file(const std::filesystem::path& path, std::string_view content);
std::string file_content(const std::filesystem::path& path);
bool is_checkpoint_name(const std::string& name);  // step-000000000012
// Files of these names in a directory; links and folders stay.
void remove_files(const std::filesystem::path& directory, const std::vector<std::string>& names);
// The files of a run, and its directory if nothing else is in it. Nothing if it holds no run.
void remove_run(const std::filesystem::path& directory);
// A folder in a run directory, which must be there; not through a link.
void make_folder(const std::filesystem::path& path);

// A directory in which one run writes. It is locked while the object lives.
class RunDirectory {
 public:
  // runs/NAME, or the first of runs/NAME-2, runs/NAME-3, ... that does not exist.
  static RunDirectory create(const std::string& name);
  // A directory that the user asked for: made if it is not there, emptied of our own files if it holds a run. Only what
  // has the name of a file that runs write, and stands in it without a link, is ever removed.
  // is_ours: what else it holds is known to be ours, such as a study.
  static RunDirectory create_at(const std::filesystem::path& path, bool is_ours = false);
  static RunDirectory reopen(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const std::string& name) const { return path_ / name; }
  bool replaced() const { return replaced_; }  // an earlier run was there

 private:
  explicit RunDirectory(std::filesystem::path path);

  std::filesystem::path path_;
  File lock_;
  bool replaced_ = false;
};

// The newest of runs/NAME, runs/NAME-2, ...; nothing if there is none.
std::optional<std::filesystem::path> newest_run(const std::string& name);

bool is_run_directory(const std::filesystem::path& path);

}  // namespace livens
