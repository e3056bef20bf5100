// A directory that appears complete or not at all: it is filled beside its place, and moved there by commit().
#pragma once

#include <filesystem>

namespace livens {

class FreshDirectory {
 public:
  explicit FreshDirectory(std::filesystem::path path);  // throws RunError if there is something already
  FreshDirectory(const FreshDirectory&) = delete;
  FreshDirectory& operator=(const FreshDirectory&) = delete;
  ~FreshDirectory();

  std::filesystem::path file(const std::string& name) const { return temporary_ / name; }
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  bool open_ = true;
};

}  // namespace livens
