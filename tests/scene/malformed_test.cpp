// Every malformed scene has its text. After a wanted change of texts, LIVENS_UPDATE_GOLDEN=1 writes the new ones.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <livens/scene.hpp>

#include "support/source_dir.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(livens::source_dir()) / "tests/scene/malformed";

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string without_folder(std::string text) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) text.erase(at, prefix.size());
  return text;
}

std::string message_of(const fs::path& scene) try {
  livens::check_scene(livens::load_scene(scene.string()));
  return "accepted\n";
} catch (const livens::SceneError& error) {
  return without_folder(error.what()) + "\n";
}

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class Malformed : public testing::TestWithParam<std::string> {};

TEST_P(Malformed, IsRefusedWithItsText) {
  const fs::path scene = folder / (GetParam() + ".toml"), expected = folder / (GetParam() + ".expected");
  const std::string message = message_of(scene);
  if (std::getenv("LIVENS_UPDATE_GOLDEN") != nullptr) std::ofstream(expected, std::ios::binary) << message;
  EXPECT_NE(message, "accepted\n");
  EXPECT_EQ(message, content(expected));
}

std::string case_name(const testing::TestParamInfo<std::string>& parameter) { return parameter.param; }

INSTANTIATE_TEST_SUITE_P(Scenes, Malformed, testing::ValuesIn(cases()), case_name);

TEST(MalformedScenes, AreMany) { EXPECT_GE(cases().size(), 40u); }

}  // namespace
