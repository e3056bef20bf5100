// Random expressions against values computed while they are written, and noise.
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "math/expression_derivatives.hpp"
#include "math/expressions.hpp"

namespace livens {
namespace {

using namespace expressions;

/// A text and its value at `point`.
struct Sample {
  std::string text;
  double value;
};

/// Random texts of the grammar, evaluated while they are written, without the parser.
class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  Sample expression(int depth) {
    if (depth == 0) return leaf();
    const Sample a = expression(depth - 1);
    switch (below(12)) {
      case 0: return {"(-" + a.text + ")", -a.value};
      case 1: {
        const double p = std::array{2.0, 3.0, -1.0, 0.5, 1.0, 0.0, 7.0, -2.0}[below(8)];
        return {"((" + a.text + ")^" + number(p) + ")", std::pow(a.value, p)};
      }
      case 2:
      case 3: return function(a);
      case 4: return function(a, expression(depth - 1));
      case 5: return condition(a, expression(depth - 1), expression(depth - 1), expression(depth - 1));
      default: return operation(a, expression(depth - 1));
    }
  }

  std::string noise(std::size_t length) {
    constexpr std::string_view alphabet = "xy0123.e+-*/^()<>=, \tsincoifpmt_$\xC3\x97";
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += alphabet[below(alphabet.size())];
    return text;
  }

  void mutate(std::string& text) {
    if (text.empty()) return;
    text[below(text.size())] = noise(1)[0];
  }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_()) % n; }

 private:
  static std::string number(double value) { return Expression(value).text(); }

  Sample leaf() {
    const std::array<Sample, 9> leaves = {{{"x", point[0]},
                                           {"y", point[1]},
                                           {"theta", point[2]},
                                           {"x_dot", point[3]},
                                           {"2", 2.0},
                                           {"0.5", 0.5},
                                           {"m", 0.5},
                                           {"pi", std::numbers::pi},
                                           {"3", 3.0}}};
    return leaves[below(leaves.size())];
  }

  Sample function(const Sample& a) {
    using Function = double (*)(double);
    const std::array<std::pair<const char*, Function>, 13> functions = {{{"sin", std::sin},
                                                                         {"cos", std::cos},
                                                                         {"tan", std::tan},
                                                                         {"asin", std::asin},
                                                                         {"acos", std::acos},
                                                                         {"atan", std::atan},
                                                                         {"sinh", std::sinh},
                                                                         {"cosh", std::cosh},
                                                                         {"tanh", std::tanh},
                                                                         {"exp", std::exp},
                                                                         {"log", std::log},
                                                                         {"sqrt", std::sqrt},
                                                                         {"abs", std::abs}}};
    const auto& [name, f] = functions[below(functions.size())];
    return {std::string(name) + "(" + a.text + ")", f(a.value)};
  }

  Sample function(const Sample& a, const Sample& b) {
    const std::string arguments = "(" + a.text + ", " + b.text + ")";
    switch (below(3)) {
      case 0: return {"min" + arguments, std::min(a.value, b.value)};
      case 1: return {"max" + arguments, std::max(a.value, b.value)};
      default: return {"atan2" + arguments, std::atan2(a.value, b.value)};
    }
  }

  Sample condition(const Sample& a, const Sample& b, const Sample& x, const Sample& y) {
    const std::size_t kind = below(4);
    const std::array<bool, 4> holds = {a.value<b.value, a.value <= b.value, a.value> b.value, a.value >= b.value};
    const std::string comparison = std::array{" < ", " <= ", " > ", " >= "}[kind];
    return {"if(" + a.text + comparison + b.text + ", " + x.text + ", " + y.text + ")",
            holds[kind] ? x.value : y.value};
  }

  Sample operation(const Sample& a, const Sample& b) {
    const std::size_t kind = below(7);
    const std::array<double, 5> values = {a.value + b.value, a.value - b.value, a.value * b.value, a.value / b.value,
                                          std::pow(a.value, b.value)};
    const std::string symbol = std::array{" + ", " - ", "*", "/", "^", " + ", "*"}[kind];
    return {"(" + a.text + symbol + b.text + ")", values[kind < 5 ? kind : (kind == 5 ? 0 : 2)]};
  }

  std::mt19937 random_;
};

TEST(ExpressionFuzz, ValuesAndDerivativesOfRandomExpressions) {
  RandomText random(2024);
  Workspace<double> workspace;
  Workspace<Dual> dual_workspace;
  int compared = 0, programs = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Sample sample = random.expression(1 + static_cast<int>(random.below(4)));
    const std::string& text = sample.text;
    std::optional<Expression> e;
    try {
      e = parse(text);
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.offset, text.size());
      continue;
    }
    std::array<Jet2<4>, 6> jets;
    for (std::size_t i = 0; i < 6; ++i) jets[i] = i < 4 ? Jet2<4>::variable(point[i], i) : Jet2<4>(point[i]);
    const Jet2<4> jet = e->evaluate<Jet2<4>>(jets);
    std::array<double, 6> g{}, g_of_hessian{};
    std::array<double, 36> h{};
    const double value = e->gradient(point, g, workspace);
    e->hessian(point, g_of_hessian, h, dual_workspace);
    e->structure(velocities);

    double scale = 1 + std::abs(value);
    for (std::size_t i = 0; i < 4; ++i) scale += std::abs(jet.gradient[i]);
    for (const double second : jet.packed_hessian) scale += std::abs(second);
    if (!(scale < 1e6)) continue;
    ++compared;
    ASSERT_NEAR(value, sample.value, 1e-11 * scale) << text;
    for (std::size_t i = 0; i < 4; ++i) {
      ASSERT_NEAR(g[i], jet.gradient[i], 1e-9 * scale) << text;
      for (std::size_t j = 0; j < 4; ++j) ASSERT_NEAR(h[i * 6 + j], jet.hessian(i, j), 1e-7 * scale) << text;
    }
    const SignedExpression sum[] = {{1, *e}};
    const auto program = second_derivatives(sum, std::vector<std::size_t>{0, 1, 2, 3});
    ASSERT_TRUE(program) << text;
    std::array<double, 10> lower{};
    if (!program->run([&](std::size_t slot) { return point[slot]; }, lower.data())) continue;
    ++programs;
    for (std::size_t i = 0, k = 0; i < 4; ++i)
      for (std::size_t j = 0; j <= i; ++j, ++k) ASSERT_NEAR(lower[k], jet.hessian(i, j), 1e-7 * scale) << text;
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(programs, 1000);
}

TEST(ExpressionFuzz, NoiseGivesAnErrorOrAnExpression) {
  RandomText random(99);
  Workspace<Dual> workspace;
  int parsed = 0, refused = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string text = trial % 2 == 0 ? random.noise(random.below(40)) : random.expression(3).text;
    if (trial % 2 != 0) random.mutate(text);
    try {
      const Expression e = parse(text);
      std::array<double, 6> g{};
      std::array<double, 36> h{};
      e.hessian(point, g, h, workspace);
      ++parsed;
    } catch (const ExpressionError& error) {
      ++refused;
      ASSERT_LE(error.offset, text.size()) << text;
      ASSERT_FALSE(std::string(error.what()).empty());
      ASSERT_FALSE(caret(text, error.offset).empty());
    }
  }
  EXPECT_GT(parsed, 500);
  EXPECT_GT(refused, 1000);
}

// Negative control: the comparison of the fuzz test can fail.
TEST(ExpressionFuzz, DifferentExpressionsDiffer) {
  std::array<double, 6> a{}, b{};
  Workspace<double> workspace;
  parse("sin(x)*y").gradient(point, a, workspace);
  parse("cos(x)*y").gradient(point, b, workspace);
  EXPECT_GT(std::abs(a[0] - b[0]), 0.1);
}

}  // namespace
}  // namespace livens
