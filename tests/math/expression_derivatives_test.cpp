// Derivatives as programs of their own against sweeps over numbers.
#include "math/expression_derivatives.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "math/expressions.hpp"

namespace livens {
namespace {

using namespace expressions;

const std::vector<std::size_t> all_slots = {0, 1, 2, 3, 4, 5};

std::vector<double> results(const DerivativeProgram& program, const std::array<double, 6>& x, bool finite = true) {
  std::vector<double> values(program.size(), 99);
  EXPECT_EQ(program.run([&](std::size_t slot) { return x[slot]; }, values.data()), finite);
  return values;
}

class ExpressionPrograms : public testing::TestWithParam<const char*> {};

TEST_P(ExpressionPrograms, HaveTheDerivativesOfSweeps) {
  const Expression e = parse(GetParam());
  std::array<double, 6> g{};
  std::array<double, 36> h{};
  Workspace<Dual> workspace;
  const double value = e.hessian(point, g, h, workspace);
  double scale = 1 + std::abs(value);
  for (const double second : h) scale += std::abs(second);

  const SignedExpression sum[] = {{1, e}};
  const auto first = gradient(sum, all_slots), with_value = value_and_gradient(sum, all_slots),
             second = second_derivatives(sum, all_slots);
  ASSERT_TRUE(first && with_value && second);
  const auto a = results(*first, point), b = results(*with_value, point), c = results(*second, point);
  ASSERT_EQ(a.size(), 6);
  ASSERT_EQ(b.size(), 7);
  ASSERT_EQ(c.size(), 21);
  EXPECT_NEAR(b[0], value, 1e-15 * scale);
  for (std::size_t i = 0, k = 0; i < 6; ++i) {
    EXPECT_NEAR(a[i], g[i], 1e-13 * scale) << i;
    EXPECT_EQ(b[i + 1], a[i]) << i;
    for (std::size_t j = 0; j <= i; ++j, ++k) EXPECT_NEAR(c[k], h[i * 6 + j], 1e-12 * scale) << i << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Smooth, ExpressionPrograms, testing::ValuesIn(smooth_expressions));

TEST(ExpressionProgram, SumsHaveTheirSigns) {
  const SignedExpression sum[] = {{1, parse("x^2*y")}, {-1, parse("sin(y)")}, {1, Expression(3)}};
  const auto program = value_and_gradient(sum, std::vector<std::size_t>{1, 0});
  ASSERT_TRUE(program);
  const double x = point[0], y = point[1];
  const auto values = results(*program, point);
  EXPECT_NEAR(values[0], x * x * y - std::sin(y) + 3, 1e-15);
  EXPECT_NEAR(values[1], x * x - std::cos(y), 1e-15);
  EXPECT_NEAR(values[2], 2 * x * y, 1e-15);
}

TEST(ExpressionProgram, VariablesThatDoNotOccurHaveNoSlope) {
  const SignedExpression constant[] = {{1, Expression(2)}}, linear[] = {{1, parse("3*x")}};
  EXPECT_EQ(results(*value_and_gradient(constant, all_slots), point), (std::vector<double>{2, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(results(*gradient(linear, all_slots), point), (std::vector<double>{3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(results(*second_derivatives(linear, all_slots), point), std::vector<double>(21, 0.0));
}

// Who asks turns to sweeps there.
TEST(ExpressionProgram, SaysWhereItIsNotFinite) {
  const std::array<double, 6> origin{};
  for (const char* text : {"sqrt(x)", "sqrt(x^2 + y^2)", "log(x)*y", "x/y", "x^0.5*y"}) {
    const SignedExpression sum[] = {{1, parse(text)}};
    results(*second_derivatives(sum, all_slots), origin, false);
    results(*second_derivatives(sum, all_slots), {0.1, 0.2}, true);
  }
}

TEST(ExpressionProgram, TakesBranches) {
  const SignedExpression sum[] = {{1, parse("if(x < 0, x^2*y, x*y) + abs(x) + max(x, 0)^2 + min(1, y)")}};
  const auto program = gradient(sum, all_slots);
  EXPECT_EQ(results(*program, {2, 3}), (std::vector<double>{3 + 1 + 4, 2, 0, 0, 0, 0}));
  EXPECT_EQ(results(*program, {-2, 0.5}), (std::vector<double>{-4 * 0.5 - 1, 4 + 1, 0, 0, 0, 0}));
  EXPECT_EQ(results(*program, {0, 3})[0], 3);
}

TEST(ExpressionProgram, LongOnesAreLeftToSweeps) {
  std::string text = "x";
  for (int i = 0; i < 450; ++i) text += "+x/(y+" + std::to_string(i + 2) + ")^3";
  const SignedExpression sum[] = {{1, parse(text)}};
  EXPECT_FALSE(second_derivatives(sum, all_slots));
}

}  // namespace
}  // namespace livens
