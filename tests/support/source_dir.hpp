// Where the sources stand, for tests that read scenes and docs: LIVENS_SOURCE_DIR of the environment, which ctest sets.
// Not a macro, so that a second checkout finds the tests of the first in the compiler cache.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace livens {

inline std::string source_dir() {
  if (const char* folder = std::getenv("LIVENS_SOURCE_DIR"); folder != nullptr && *folder != '\0') return folder;
  std::fputs("LIVENS_SOURCE_DIR is not set: the folder of the sources, for tests that read scenes\n", stderr);
  std::exit(2);
}

}  // namespace livens
