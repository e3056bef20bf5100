// The tree of sources as text, for tests of its shape.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/source_dir.hpp"

namespace livens::house {

namespace fs = std::filesystem;

// Files below some folders of the tree, as paths relative to it; without more said, C++.
inline std::vector<std::string> sources(const std::vector<std::string>& folders,
                                        const std::set<std::string>& extensions = {".cpp", ".hpp"}) {
  const fs::path root = source_dir();
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (extensions.count(entry.path().extension().string()) != 0)
        files.push_back(fs::relative(entry.path(), root).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string content(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(fs::path(source_dir()) / file, std::ios::binary).rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace livens::house
