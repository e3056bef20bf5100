// clang-format would change nothing. Versions differ in what they do: only the one of .clang-format counts.
#include <array>
#include <cstdio>

#include <gtest/gtest.h>

#include "house/sources.hpp"

namespace livens::house {
namespace {

// What a command prints to both streams.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  ::pclose(pipe);
  return text;
}

TEST(Format, ClangFormatChangesNothing) {
  const std::string version = output_of("clang-format --version");
  if (version.find("version 14.") == std::string::npos)
    GTEST_SKIP() << "clang-format 14 is missing (Debian: apt-get install clang-format): " << version;
  std::string files;
  for (const std::string& file : sources({"include", "src", "app", "examples", "bench", "tests"})) files += " " + file;
  EXPECT_EQ(output_of("cd '" + source_dir() + "' && clang-format --dry-run -Werror --ferror-limit=1" + files), "");
}

}  // namespace
}  // namespace livens::house
