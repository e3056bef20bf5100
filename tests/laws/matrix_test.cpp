// Methods against features: docs/matrix.md is what 20 steps of each pair say now.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "laws/matrix_scenes.hpp"
#include "support/judged.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

using namespace testing;

constexpr int steps = 20;

struct Method {
  std::string label, keys;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> list = {{"EE", "kind = 'explicit_euler'"},
                                           {"IE", "kind = 'implicit_euler'"},
                                           {"SA", "kind = 'symplectic_euler_a'"},
                                           {"SB", "kind = 'symplectic_euler_b'"},
                                           {"SV", "kind = 'stormer_verlet'"},
                                           {"RA", "kind = 'rattle'"},
                                           {"SH", "kind = 'shake'"},
                                           {"MP", "kind = 'implicit_midpoint'"},
                                           {"GT", "kind = 'generalized_trapezoid', alpha = 0.3"},
                                           {"HP", "kind = 'hamilton_pontryagin', alpha = 0.3"},
                                           {"NM", "kind = 'newmark'"},
                                           {"GG", "kind = 'galerkin', degree = 2"},
                                           {"GL", "kind = 'galerkin', degree = 2, quadrature = 'lobatto'"},
                                           {"CO", "kind = 'composition', order = 4"},
                                           {"RK", "kind = 'rk4'"},
                                           {"DP", "kind = 'dormand_prince'"},
                                           {"SEM", "kind = 'symplectic_energy_momentum'"},
                                           {"EM", "kind = 'energy_momentum'"},
                                           {"AVI", "kind = 'asynchronous'"},
                                           {"SP", "kind = 'splitting'"},
                                           {"ST", "kind = 'static'"}};
  return list;
}

std::string scene_text(const Feature& feature, const Method& method) {
  const bool varies = feature.step < 0;
  const double h = varies ? 0.02 : feature.step;
  const std::string step = varies ? "'0.02 + 0.005*sin(t)'" : fmt::format("{}", h);
  const std::string keys = method.label == "AVI"  ? method.keys + ", longest_step = " + step
                           : method.label == "ST" ? method.keys + ", load_steps = 4"
                           : method.label == "DP" ? method.keys + (varies ? ", step = " + step : "")
                                                  : method.keys + ", step = " + step;
  return fmt::format("time = {{ end = {} }}\nintegrator = {{ {} }}\n{}", steps * h, keys, feature.text);
}

// + ran, ! ran and is broken by its own verdict, F failed, R refused, and why; . does not apply.
struct Cell {
  char sign = '+';
  std::string why;
};

std::string first_line(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::size_t at = line.find("integrator.kind: ");
  return at == std::string::npos ? line : line.substr(at + 17);
}

Cell cell_of(const Feature& feature, const Method& method) {
  if (feature.step < 0 && (method.label == "DP" || method.label == "SEM" || method.label == "AVI")) return {'.', ""};
  try {
    const Scene scene = parse_scene(scene_text(feature, method), "scene");
    check_scene(scene);
    const JudgedRun run = judged_run(scene);
    if (!run.failure.empty()) return {'F', run.failure};
    if (run.broken()) return {'!', run.judgement.broken.front()};
    return {};
  } catch (const SceneError& error) {
    return {'R', first_line(error.what())};
  }
}

std::string table() {
  std::string head = "| feature |", rule = "|---|", body;
  for (const Method& method : methods()) head += " " + method.label + " |", rule += "---|";
  std::map<std::string, std::vector<std::string>> reasons;
  for (const Feature& feature : features()) {
    body += "| " + feature.name + " |";
    for (const Method& method : methods()) {
      const Cell cell = cell_of(feature, method);
      body += fmt::format(" {} |", cell.sign);
      if (!cell.why.empty())
        reasons[fmt::format("{}: {}", cell.sign, cell.why)].push_back(method.label + " " + feature.name);
    }
    body += "\n";
  }
  std::string text = head + "\n" + rule + "\n" + body + "\n## Why not\n\n| what is said | where |\n|---|---|\n";
  for (const auto& [why, where] : reasons) {
    std::string escaped;
    for (const char c : why) escaped += c == '|' ? "\\|" : std::string(1, c);
    text += "| " + escaped + " | " + fmt::format("{}", fmt::join(where, "; ")) + " |\n";
  }
  return text;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Matrix, OfMethodsAndFeaturesIsUpToDate) {
  const std::string path = source_dir() + "/docs/matrix.md", old = file_text(path);
  const std::string begin = "<!-- measured -->\n";
  const std::size_t at = old.find(begin);
  ASSERT_NE(at, std::string::npos) << path;
  const std::string measured = table();
  EXPECT_EQ(measured.find("| F |"), std::string::npos) << "a step failed";
  EXPECT_EQ(measured.find("| ! |"), std::string::npos) << "a method breaks its claims";
  const std::string now = old.substr(0, at + begin.size()) + measured;
  if (std::getenv("LIVENS_WRITE_DOCS") != nullptr) std::ofstream(path) << now;
  EXPECT_EQ(file_text(path), now) << "with LIVENS_WRITE_DOCS=1 this test writes the table";
}

}  // namespace
}  // namespace livens
