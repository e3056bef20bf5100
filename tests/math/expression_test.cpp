// The expression language: what it accepts, what it says about faults, and its derivatives against forward jets and
// central differences.
#include "math/expression.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "math/expressions.hpp"

namespace livens {
namespace {

using namespace expressions;

/// The fault of a text that must not parse.
struct Fault {
  std::string message;
  std::size_t offset;
};

Fault fault(std::string_view text) {
  try {
    parse(text);
  } catch (const ExpressionError& error) {
    return {error.what(), error.offset};
  }
  return {"(none)", 0};
}

void expect_fault(std::string_view text, std::string_view message, std::size_t offset) {
  SCOPED_TRACE(std::string(text));
  const Fault found = fault(text);
  EXPECT_NE(found.message.find(message), std::string::npos) << found.message;
  EXPECT_EQ(found.offset, offset) << found.message;
}

// --- Values

TEST(Expression, PrecedenceAndAssociativity) {
  EXPECT_EQ(parse("1 + 2*3").value(), 7.0);
  EXPECT_EQ(parse("(1 + 2)*3").value(), 9.0);
  EXPECT_EQ(parse("8 - 3 - 2").value(), 3.0);
  EXPECT_EQ(parse("16/4/2").value(), 2.0);
  EXPECT_EQ(parse("2^3^2").value(), 512.0);
  EXPECT_EQ(parse("-2^2").value(), -4.0);
  EXPECT_EQ(parse("(-2)^2").value(), 4.0);
  EXPECT_EQ(parse("2^-6").value(), 0.015625);
  EXPECT_EQ(parse("2^-2^2").value(), 0.0625);
  EXPECT_EQ(parse("2*-3").value(), -6.0);
  EXPECT_EQ(parse("2^-1*8").value(), 4.0);
  EXPECT_EQ(parse("--3").value(), 3.0);
  EXPECT_EQ(parse("+3 - +1").value(), 2.0);
  EXPECT_EQ(parse(" \t1\n+ 1 ").value(), 2.0);
  const double x = point[0], y = point[1];
  EXPECT_EQ(at_point("-x^2"), -(x * x));
  EXPECT_EQ(at_point("x - y - x"), x - y - x);
  EXPECT_EQ(at_point("x/y/x"), x / y / x);
  EXPECT_EQ(at_point("x^y^x"), std::pow(x, std::pow(y, x)));
}

TEST(Expression, Numbers) {
  EXPECT_EQ(parse("1e3").value(), 1000.0);
  EXPECT_EQ(parse("1.5E-3").value(), 1.5e-3);
  EXPECT_EQ(parse("2.e+1").value(), 20.0);
  EXPECT_EQ(parse(".25").value(), 0.25);
  EXPECT_EQ(parse("pi/4").value(), std::numbers::pi / 4);
  EXPECT_EQ(parse("m*g*l").value(), 0.5 * 9.81 * 2.0);
  EXPECT_EQ(parse("5e-324").value(), 5e-324);
}

TEST(Expression, FunctionsAgreeWithTheStandardLibrary) {
  const double x = point[0], y = point[1];
  EXPECT_EQ(at_point("sin(x)"), std::sin(x));
  EXPECT_EQ(at_point("cos(x)"), std::cos(x));
  EXPECT_EQ(at_point("tan(x)"), std::tan(x));
  EXPECT_EQ(at_point("asin(x)"), std::asin(x));
  EXPECT_EQ(at_point("acos(x)"), std::acos(x));
  EXPECT_EQ(at_point("atan(x)"), std::atan(x));
  EXPECT_EQ(at_point("atan2(x, -y)"), std::atan2(x, -y));
  EXPECT_EQ(at_point("sinh(x)"), std::sinh(x));
  EXPECT_EQ(at_point("cosh(x)"), std::cosh(x));
  EXPECT_EQ(at_point("tanh(x)"), std::tanh(x));
  EXPECT_EQ(at_point("exp(x)"), std::exp(x));
  EXPECT_EQ(at_point("log(x)"), std::log(x));
  EXPECT_EQ(at_point("sqrt(x)"), std::sqrt(x));
  EXPECT_EQ(at_point("abs(-x)"), x);
  EXPECT_EQ(at_point("min(x, y)"), x);
  EXPECT_EQ(at_point("max(x, y)"), y);
  EXPECT_EQ(at_point("x^1.5"), std::pow(x, 1.5));
  EXPECT_EQ(at_point("2^x"), std::pow(2.0, x));
  EXPECT_EQ(at_point("x^0.5"), std::sqrt(x));
  EXPECT_EQ(at_point("x/3"), x / 3.0);
}

TEST(Expression, ConditionsChooseABranch) {
  EXPECT_EQ(parse("if(1 < 2, 3, 4)").value(), 3.0);
  EXPECT_EQ(parse("if(2 < 2, 3, 4)").value(), 4.0);
  EXPECT_EQ(parse("if(2 <= 2, 3, 4)").value(), 3.0);
  EXPECT_EQ(parse("if(1 > 2, 3, 4)").value(), 4.0);
  EXPECT_EQ(parse("if(2 >= 2, 3, 4)").value(), 3.0);
  const double x = point[0], y = point[1];
  EXPECT_EQ(at_point("if(x < y, x, y)"), x);
  EXPECT_EQ(at_point("if(x > y, x, y)"), y);
  EXPECT_EQ(at_point("if(x <= x, x, y)"), x);
  EXPECT_EQ(at_point("if(x + 1 >= y*2, if(x > 1, 1, 2), 3)"), 2.0);
  EXPECT_EQ(at_point("if(x < y, log(x), log(x - y))"), std::log(x));
}

TEST(Expression, ABranchThatAConstantConditionDiscardsMayBeSingular) {
  EXPECT_EQ(parse("if(zero > 0, 1/zero, 7)").value(), 7.0);
  EXPECT_EQ(parse("if(zero <= 0, 7, log(zero))").value(), 7.0);
  EXPECT_FALSE(parse("if(zero > 0, x, y)").uses(0));
  expect_fault("if(zero >= 0, 1/zero, 7)", "division by zero", 15);
}

TEST(Expression, VariablesUsed) {
  const Expression e = parse("y_dot*cos(theta) + m*y_dot");
  EXPECT_FALSE(e.constant());
  EXPECT_EQ(e.text(), "y_dot*cos(theta) + m*y_dot");
  EXPECT_EQ(e.variable_count(), 6U);
  EXPECT_TRUE(e.uses(2) && e.uses(4));
  EXPECT_FALSE(e.uses(0) || e.uses(1) || e.uses(3) || e.uses(5) || e.uses(99));
  EXPECT_EQ(std::vector<std::size_t>(e.used_variables().begin(), e.used_variables().end()),
            (std::vector<std::size_t>{2, 4}));
  EXPECT_TRUE(parse("x^0").constant());
  EXPECT_EQ(parse("x^0").value(), 1.0);
}

TEST(Expression, ConstantsStandAlone) {
  EXPECT_EQ(Expression().value(), 0.0);
  const Expression e(2.5);
  EXPECT_EQ(e.text(), "2.5");
  EXPECT_EQ(e.evaluate(std::span<const double>()), 2.5);
  std::array<double, 6> g{};
  g.fill(7.0);
  Workspace<double> workspace;
  EXPECT_EQ(e.gradient(point, g, workspace), 2.5);
  EXPECT_EQ(g, (std::array<double, 6>{}));
}

TEST(Expression, AVariableHidesAConstant) {
  const std::vector<std::string> names = {"m", "pi"};
  const Expression e = Expression::parse("m + pi", names, constants);
  EXPECT_EQ(e.evaluate(std::array{3.0, 4.0}), 7.0);
}

TEST(Expression, IntegerPowersAreExact) {
  const std::vector<std::string> names = {"x"};
  Workspace<Dual> workspace;
  struct Case {
    const char* text;
    double x, f, d, dd;
  };
  for (const Case& c :
       {Case{"x^2", 0, 0, 0, 2}, Case{"x^2", -3, 9, -6, 2}, Case{"x*x", -3, 9, -6, 2}, Case{"x^1", 0, 0, 1, 0},
        Case{"x^3", 0, 0, 0, 0}, Case{"x^3", -2, -8, 12, -12}, Case{"x^4", 0, 0, 0, 0},
        Case{"x^-1", -2, -0.5, -0.25, -0.25}, Case{"x^-2", 2, 0.25, -0.25, 0.375}, Case{"x^64", -1, 1, -64, 4032},
        Case{"x^65", -1, -1, 65, -4160}, Case{"x^7", -1, -1, 7, -42}}) {
    SCOPED_TRACE(c.text);
    const Expression e = Expression::parse(c.text, names, constants);
    std::array<double, 1> g{}, h{};
    EXPECT_EQ(e.hessian(std::array{c.x}, g, h, workspace), c.f);
    EXPECT_EQ(e.evaluate(std::array{c.x}), c.f);
    EXPECT_EQ(g[0], c.d);
    EXPECT_EQ(h[0], c.dd);
  }
}

// --- Faults

TEST(ExpressionError, UnknownNamesAreSuggested) {
  expect_fault("1 + thetta", "unknown name 'thetta'; did you mean 'theta'?", 4);
  expect_fault("x_dto", "did you mean 'x_dot'?", 0);
  expect_fault("2*sni(x)", "unknown function 'sni'; did you mean 'sin'?", 2);
  expect_fault("ln(x)", "did you mean 'log'?", 0);
  expect_fault("pow(x, 2)", "did you mean '^'?", 0);
  expect_fault("Sqrt(x)", "did you mean 'sqrt'?", 0);
  expect_fault("quaternion", "unknown name 'quaternion'", 0);
  EXPECT_EQ(fault("quaternion").message.find("did you mean"), std::string::npos);
}

TEST(ExpressionError, Syntax) {
  expect_fault("", "unexpected end", 0);
  expect_fault("   ", "unexpected end", 3);
  expect_fault("1 +", "unexpected end: expected a number, a name or '('", 3);
  expect_fault("(1 + x", "expected ')'", 6);
  expect_fault("(1 + x y", "expected ')' to close the '(' at offset 0, found 'y'", 7);
  expect_fault("sin(x", "expected ')'", 5);
  expect_fault("1 + x)", "unexpected ')'", 5);
  expect_fault("2 x", "to multiply, write '*'", 2);
  expect_fault("2(x)", "to multiply, write '*'", 1);
  expect_fault("x(1 + y)", "'x' is not a function", 0);
  expect_fault("x ** 2", "for a power, write '^'", 2);
  expect_fault("x * / y", "unexpected '/'", 4);
  expect_fault("x $ y", "unexpected '$'", 2);
  expect_fault("x \xC3\x97 y", "unexpected '\xC3\x97'", 2);
  expect_fault(std::string_view("x\0y", 3), "unexpected byte 0x00", 1);
  expect_fault("sin", "needs its arguments", 3);
  expect_fault("sin + 1", "needs its arguments", 3);
  expect_fault(".", "unexpected '.'", 0);
  expect_fault("1.2.3", "unexpected '.'", 3);
  expect_fault("x = 3", "unexpected '='", 2);
  expect_fault("2e", "unexpected 'e'", 1);
  expect_fault("0x10", "unexpected 'x10'", 1);
}

TEST(ExpressionError, Arguments) {
  expect_fault("1 + sin(x, y)", "function 'sin' takes 1 argument, got 2", 4);
  expect_fault("sin()", "function 'sin' takes 1 argument, got 0", 0);
  expect_fault("atan2(x)", "function 'atan2' takes 2 arguments, got 1", 0);
  expect_fault("max(x, y, 1)", "function 'max' takes 2 arguments, got 3", 0);
  expect_fault("if(x < y, 1)", "function 'if' takes 3 arguments, got 2", 0);
  expect_fault("if(x < y)", "function 'if' takes 3 arguments, got 1", 0);
  expect_fault("if()", "function 'if' takes 3 arguments, got 0", 0);
  expect_fault("if(x, 1, 2)", "expected a comparison", 4);
  expect_fault("if(x == y, 1, 2)", "expected a comparison", 5);
  expect_fault("x < y", "first argument of 'if'", 2);
  expect_fault("sin(x,)", "unexpected ')'", 6);
}

TEST(ExpressionError, ConstantsThatAreNotFinite) {
  expect_fault("x/0", "division by zero", 1);
  expect_fault("x + 1/(m - 0.5)", "division by zero", 5);
  expect_fault("1/zero", "division by zero", 1);
  expect_fault("log(0)*x", "log(0) is not finite: it gives -inf", 0);
  expect_fault("1 + sqrt(-1)", "sqrt(-1) is not finite", 4);
  expect_fault("1e300*1e300", "not finite", 5);
  expect_fault("0^-1", "not finite", 1);
  expect_fault("(-8)^(1/3)", "not finite", 4);
  expect_fault("1e999", "out of range", 0);
  const std::map<std::string, double, std::less<>> broken = {{"k", std::nan("")}};
  EXPECT_THROW(Expression::parse("k*x", variables, broken), ExpressionError);
  // Negative controls: the same forms with harmless numbers.
  EXPECT_NO_THROW(parse("x/0.001 + log(1)*x + sqrt(0) + 0^1 + (-8)^3 + 0/1"));
  EXPECT_NO_THROW(parse("1/x"));
}

TEST(ExpressionError, CaretPointsAtTheFault) {
  EXPECT_EQ(caret("1 + thetta", 4), "1 + thetta\n    ^");
  EXPECT_EQ(caret("(1 + x", 6), "(1 + x\n      ^");
  EXPECT_EQ(caret("", 0), "\n^");
  EXPECT_EQ(caret("x", 99), "x\n ^");
  EXPECT_EQ(caret("a\tb", 2), "a b\n  ^");
  EXPECT_EQ(caret("\xC3\x97x", 2), "\xC3\x97x\n ^");
  const std::string picture = caret(std::string(5000, 'x') + "?" + std::string(5000, 'y'), 5000);
  EXPECT_LT(picture.size(), 250U);
  const std::size_t line = picture.find('\n');
  EXPECT_EQ(picture[picture.size() - line - 2], picture[picture.find('?')]);
  EXPECT_EQ(picture.size() - line - 2, picture.find('?'));
}

TEST(ExpressionError, HostileInput) {
  const auto repeated = [](std::string_view part, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += part;
    return text;
  };
  expect_fault(repeated("(", 100'000), "longer than 10000 bytes", 10'000);
  expect_fault(std::string(10'000'000, '1'), "longer than 10000 bytes", 10'000);
  for (const char* opening : {"(", "-", "+", "sin(", "2^", "x^", "if(", "if(x<", "if(x<1,", "atan2(x,", "1*(", "-("}) {
    SCOPED_TRACE(opening);
    const Fault found = fault(repeated(opening, 1'000));
    EXPECT_NE(found.message.find("nested deeper than 200"), std::string::npos) << found.message;
  }
  EXPECT_NE(fault(std::string(10'000, '(')).message.find("nested deeper"), std::string::npos);
  expect_fault(std::string(10'000, 'x'), "unknown name 'xxxx", 0);
  EXPECT_LT(fault(std::string(10'000, 'x')).message.size(), 100U);
  expect_fault(std::string(10'000, '9'), "out of range", 0);
  expect_fault("sin(" + repeated("x,", 4'000) + "x)", "takes 1 argument, got 4001", 0);

  const auto deepest = repeated("(", 200) + "x" + repeated(")", 200);
  EXPECT_EQ(parse(deepest).evaluate(point), point[0]);
  expect_fault("(" + deepest + ")", "nested deeper", 200);
}

TEST(Expression, LongExpressionsWork) {
  std::string sum = "x", distinct = "x";
  for (int i = 0; i < 1'000; ++i) sum += "+y*x", distinct += "+x*" + std::to_string(i + 2);
  const Expression a = parse(sum), b = parse(distinct);
  EXPECT_NEAR(a.evaluate(point), point[0] + 1000 * point[0] * point[1], 1e-9);
  EXPECT_NEAR(b.evaluate(point), point[0] * (1 + 1000 * 1003 / 2.0), 1e-6);
  std::array<double, 6> g{};
  Workspace<double> workspace;
  b.gradient(point, g, workspace);
  EXPECT_NEAR(g[0], 1 + 1000 * 1003 / 2.0, 1e-6);
  const std::array<Dual, 6> duals = {Dual::variable(point[0]), Dual(point[1])};
  EXPECT_NEAR(b.evaluate<Dual>(duals).derivative, g[0], 1e-9);
}

// --- Derivatives

class ExpressionDerivatives : public testing::TestWithParam<const char*> {};

TEST_P(ExpressionDerivatives, AgreeWithJetsAndDifferences) {
  constexpr std::size_t n = 6;
  const Expression e = parse(GetParam());

  std::array<Jet2<n>, n> jets;
  for (std::size_t i = 0; i < n; ++i) jets[i] = Jet2<n>::variable(point[i], i);
  const Jet2<n> jet = e.evaluate<Jet2<n>>(jets);

  std::array<double, n> g{}, g_of_hessian{};
  std::array<double, n * n> h{};
  g.fill(99.0), g_of_hessian.fill(99.0), h.fill(99.0);
  Workspace<double> workspace;
  Workspace<Dual> dual_workspace;
  const double value = e.evaluate(point);
  EXPECT_EQ(e.gradient(point, g, workspace), value);
  EXPECT_EQ(e.hessian(point, g_of_hessian, h, dual_workspace), value);
  EXPECT_NEAR(jet.value, value, 1e-14 * (1 + std::abs(value)));

  double scale = 1 + std::abs(value);
  for (const double second : h) scale += std::abs(second);
  const auto value_at = [&](std::size_t i, double di, std::size_t j, double dj) {
    std::array<double, n> x = point;
    x[i] += di;
    x[j] += dj;
    return e.evaluate(x);
  };
  constexpr double step = 1e-4;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(g[i], jet.gradient[i], 1e-13 * scale) << i;
    EXPECT_NEAR(g_of_hessian[i], g[i], 1e-14 * scale) << i;
    EXPECT_NEAR(g[i], (value_at(i, step, i, 0) - value_at(i, -step, i, 0)) / (2 * step), 2e-6 * scale) << i;
    if (!e.uses(i)) {
      EXPECT_EQ(g[i], 0.0);
    }
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_NEAR(h[i * n + j], jet.hessian(i, j), 1e-12 * scale) << i << j;
      EXPECT_EQ(h[i * n + j], h[j * n + i]);
      const double differences = (value_at(i, step, j, step) - value_at(i, step, j, -step) -
                                  value_at(i, -step, j, step) + value_at(i, -step, j, -step)) /
                                 (4 * step * step);
      EXPECT_NEAR(h[i * n + j], differences, 2e-5 * scale) << i << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Smooth, ExpressionDerivatives, testing::ValuesIn(smooth_expressions));

TEST(Expression, GradientInOtherArithmetics) {
  // The gradient of duals along x is a row of the Hessian.
  const Expression e = parse("x^2*y + sin(x)*theta");
  std::array<Dual, 6> x{}, g{};
  for (std::size_t i = 0; i < 6; ++i) x[i] = Dual(point[i], i == 0 ? 1.0 : 0.0);
  Workspace<Dual> workspace;
  e.gradient<Dual>(x, g, workspace);
  EXPECT_NEAR(g[0].derivative, 2 * point[1] - std::sin(point[0]) * point[2], 1e-15);
  EXPECT_NEAR(g[1].derivative, 2 * point[0], 1e-15);
  EXPECT_NEAR(g[2].derivative, std::cos(point[0]), 1e-15);
  EXPECT_EQ(g[3].derivative, 0.0);
}

TEST(Expression, OneWorkspaceServesManyExpressions) {
  Workspace<double> shared;
  for (const char* text : smooth_expressions) {
    Workspace<double> fresh;
    std::array<double, 6> a{}, b{};
    parse(text).gradient(point, a, shared);
    parse(text).gradient(point, b, fresh);
    EXPECT_EQ(a, b) << text;
  }
}

TEST(Expression, SingularPoints) {
  const std::array<double, 6> origin = {0, 0, 0, 2, 3, 4};
  std::array<double, 6> g{};
  std::array<double, 36> h{};
  Workspace<double> workspace;
  Workspace<Dual> dual_workspace;
  const auto derivatives = [&](const char* text) {
    const Expression e = parse(text);
    e.gradient(origin, g, workspace);
    std::array<double, 6> again{};
    e.hessian(origin, again, h, dual_workspace);
    EXPECT_EQ(g, again) << text;
  };

  derivatives("sqrt(x) + y^2 + y*x_dot");
  EXPECT_EQ(g[0], infinity);
  EXPECT_EQ(g[1], 2.0);
  EXPECT_EQ(h[0], -infinity);
  EXPECT_EQ(h[1 * 6 + 1], 2.0);
  EXPECT_EQ(h[0 * 6 + 1], 0.0);
  EXPECT_EQ(h[1 * 6 + 3], 1.0);

  derivatives("sqrt(-x)");
  EXPECT_EQ(g[0], -infinity);

  derivatives("sqrt(x^2 + y^2)*x_dot");
  EXPECT_EQ(g[0], 0.0);
  EXPECT_EQ(g[1], 0.0);
  EXPECT_EQ(g[3], 0.0);

  derivatives("if(x > 0, sqrt(x)*log(x), x_dot^3)");
  EXPECT_EQ(g[0], 0.0);
  EXPECT_EQ(g[3], 12.0);
  EXPECT_EQ(h[3 * 6 + 3], 12.0);

  derivatives("abs(x) + x_dot");
  EXPECT_EQ(g[0], 0.0);

  derivatives("x^1.5*y_dot");
  EXPECT_EQ(g[0], 0.0);

  // Negative control: where the value itself is undefined, nothing is made up.
  EXPECT_TRUE(std::isnan(parse("log(x - 1)").gradient(origin, g, workspace)));
}

}  // namespace
}  // namespace livens
