// Where the sources stand, for tests that read scenes and docs: LIVENS_SOURCE_DIR of the environment, which ctest sets,
// or the current folder if it has them. Not a macro, so that a second checkout finds the tests of the first in the
// compiler cache.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace livens {

inline std::string source_dir() {
  if (const char* folder = std::getenv("LIVENS_SOURCE_DIR"); folder != nullptr && *folder != '\0') return folder;
  if (std::filesystem::exists("scenes") && std::filesystem::exists("docs/keys.md")) return ".";
  std::fputs("LIVENS_SOURCE_DIR is not set, and this is not the folder of the sources: tests read scenes there\n",
             stderr);
  std::exit(2);
}

}  // namespace livens
