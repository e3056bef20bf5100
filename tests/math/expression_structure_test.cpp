// What is known of an expression without its values: degrees in the velocities, constant coefficients.
#include <random>

#include <gtest/gtest.h>

#include "math/expressions.hpp"

namespace livens {
namespace {

using namespace expressions;

TEST(ExpressionStructure, QuadraticWithConstantCoefficients) {
  for (const char* text :
       {"m*l^2*theta_dot^2/2", "x_dot^2 + x_dot*y_dot + 3*y_dot^2", "(x_dot + y_dot)*(x_dot - y_dot)",
        "(x_dot + 2*y_dot)^2/3", "m/2*x_dot^2 - g*cos(theta) + x*y", "-(x_dot^2)", "5 - x_dot^2",
        "if(1 < 2, x_dot^2, x*x_dot)", "x_dot^2 + 0*x*y_dot", "x_dot^3*zero + y_dot^2"})
    EXPECT_TRUE(parse(text).structure(velocities).quadratic_with_constant_coefficients()) << text;
}

TEST(ExpressionStructure, NotQuadraticWithConstantCoefficients) {
  for (const char* text : {"(x_dot + y)^2",
                           "x_dot^2*(1 + y^2)",
                           "x_dot^2/y",
                           "x_dot^2 + y_dot",
                           "x_dot^2*y_dot",
                           "x_dot^4",
                           "sqrt(x_dot^2)",
                           "x_dot*abs(x_dot)",
                           "cos(x_dot)",
                           "1/x_dot",
                           "x_dot^-2",
                           "x_dot^2.5",
                           "2^x_dot",
                           "x_dot^x",
                           "min(x_dot^2, y_dot^2)",
                           "if(x < y, x_dot^2, 2*x_dot^2)",
                           "if(x_dot < 0, x_dot^2, 2*x_dot^2)",
                           "atan2(x_dot, 1)",
                           "x",
                           "3",
                           "x_dot*y",
                           "x^2",
                           "x_dot^100*y_dot",
                           "(x_dot^9)^9"})
    EXPECT_FALSE(parse(text).structure(velocities).quadratic_with_constant_coefficients()) << text;
}

TEST(ExpressionStructure, Degrees) {
  const auto expect = [](const char* text, int min_degree, int max_degree, bool coefficients_constant) {
    SCOPED_TRACE(text);
    const Structure s = parse(text).structure(velocities);
    EXPECT_EQ(s.min_degree, min_degree);
    EXPECT_EQ(s.max_degree, max_degree);
    EXPECT_EQ(s.coefficients_constant, coefficients_constant);
  };
  expect("x_dot*y", 1, 1, false);
  expect("(x_dot + y)^2", 1, 2, false);
  expect("(x_dot + 1)^2", 1, 2, true);
  expect("x_dot^2*(1 + y^2)", 2, 2, false);
  expect("x_dot^3 + y_dot", 1, 3, true);
  expect("m/2*x_dot^2 + (x + x^2)*y_dot", 1, 2, false);
  expect("cos(x)*y", 0, 0, true);
  expect("7", 0, 0, true);
  expect("sin(x_dot)", 0, Structure::not_polynomial, false);
  expect("x_dot^16", 16, 16, true);
  expect("x_dot^17", 0, Structure::not_polynomial, false);
  expect("x_dot + sin(y_dot)", 0, Structure::not_polynomial, false);
}

TEST(ExpressionStructure, VelocitiesAreWhatTheCallerSays) {
  const std::vector<std::size_t> only_x = {0};
  EXPECT_TRUE(parse("x^2").structure(only_x).quadratic_with_constant_coefficients());
  EXPECT_FALSE(parse("x_dot^2").structure(only_x).quadratic_with_constant_coefficients());
  EXPECT_FALSE(parse("x^2*x_dot").structure(only_x).coefficients_constant);
  EXPECT_EQ(parse("x^2").structure({}).max_degree, 0);
}

// What is called quadratic with constant coefficients has a Hessian by the velocities that is the same everywhere.
TEST(ExpressionStructure, ConstantMassMatrixIsConstant) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> coordinate(-2.0, 2.0);
  int checked = 0;
  for (const char* text : smooth_expressions) {
    const Expression e = parse(text);
    if (!e.structure(velocities).quadratic_with_constant_coefficients()) continue;
    ++checked;
    std::array<double, 6> g{};
    std::array<double, 36> first{}, h{};
    Workspace<Dual> workspace;
    e.hessian(point, g, first, workspace);
    for (int trial = 0; trial < 20; ++trial) {
      std::array<double, 6> x{};
      for (double& xi : x) xi = coordinate(random);
      e.hessian(x, g, h, workspace);
      for (const std::size_t i : velocities)
        for (const std::size_t j : velocities) EXPECT_NEAR(h[i * 6 + j], first[i * 6 + j], 1e-12) << text;
    }
  }
  EXPECT_GE(checked, 2);
}

}  // namespace
}  // namespace livens
