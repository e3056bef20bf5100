#include "export/fresh_directory.hpp"

#include "export/export.hpp"
#include "files/files.hpp"

namespace livens {

namespace fs = std::filesystem;

FreshDirectory::FreshDirectory(fs::path path) : path_(std::move(path)) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // "there/"
  require_free(path_);
  temporary_ = path_;
  temporary_ += ".part";
  std::error_code error;
  if (fs::exists(temporary_))
    throw RunError("'" + temporary_.string() + "' is left from an export that was killed, or is being written by " +
                   "another one: remove it, or use another --out");
  fs::create_directories(temporary_, error);
  if (error) throw RunError("cannot make the directory '" + temporary_.string() + "': " + error.message());
}

FreshDirectory::~FreshDirectory() {
  if (!open_) return;
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void FreshDirectory::commit() {
  File(temporary_, File::Mode::directory).sync();
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) throw RunError("cannot write '" + path_.string() + "': " + error.message());
  open_ = false;
}

}  // namespace livens
