// A static page with every published scene: a picture that moves, what it shows, its command and its key numbers.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace livens {

struct GalleryOptions {
  std::string out = "gallery";    // directory; what is there is replaced
  std::vector<std::string> only;  // names of entries; all if empty
  bool pages = false;             // also a page with animation and plots for every run, some megabytes each
  int threads = 0;
  std::function<void(const std::string& name, std::size_t done, std::size_t total)> progress;
  std::function<bool()> interrupted;
};

struct GalleryResult {
  int exit_code = 0;
  std::vector<std::string> lines;  // what to tell the user
};

// list: a TOML file with [[entry]] tables; paths in it are relative to its directory. Throws SceneError, RunError.
GalleryResult make_gallery(const std::string& list, const GalleryOptions& options);

}  // namespace livens
