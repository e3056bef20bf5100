// Which expression was not finite, and which of its operations.
#include "math/expression_watch.hpp"

#include <gtest/gtest.h>

#include "math/expression.hpp"

namespace livens {
namespace {

const std::vector<std::string> variables = {"x", "t"};

std::string met(const std::string& text, double x, double t, bool derivatives = false) {
  const Expression f = Expression::parse(text, variables, {});
  const double at[2] = {x, t};
  const ExpressionWatch watch;
  if (derivatives) {
    double g[2];
    Workspace<double> workspace;
    f.gradient(std::span<const double>(at, 2), g, workspace);
  } else {
    f.evaluate(at);
  }
  return watch.found() ? watch.found()->to_string() : "";
}

TEST(ExpressionWatch, NamesTheOperationThatBeganIt) {
  EXPECT_EQ(met("1000*sqrt(0.1 - t)", 1, 0.11), "'1000*sqrt(0.1 - t)' is not finite at t = 0.11: sqrt(-0.01)");
  EXPECT_EQ(met("x + log(x*t)", -2, 3), "'x + log(x*t)' is not finite at x = -2, t = 3: log(-6)");
  EXPECT_EQ(met("1/(x - t)", 2, 2), "'1/(x - t)' is not finite at x = 2, t = 2: 1/0");
  EXPECT_EQ(met("x^1.5", -4, 0), "'x^1.5' is not finite at x = -4: (-4)^1.5");
  EXPECT_EQ(met("x^t", -4, 0.5), "'x^t' is not finite at x = -4, t = 0.5: (-4)^0.5");
  EXPECT_EQ(met("x/t", 0, 0), "'x/t' is not finite at x = 0, t = 0: 0/0");
  EXPECT_EQ(met("exp(x)*t", 1000, 1), "") << "too large to be represented, but it has a value";
}

TEST(ExpressionWatch, LooksAtTheBranchThatIsTaken) {
  EXPECT_EQ(met("if(x < 0, 0, sqrt(x))", -1, 0), "");
  EXPECT_EQ(met("if(x < 0, log(x), sqrt(x))", -1, 0), "'if(x < 0, log(x), sqrt(x))' is not finite at x = -1: log(-1)");
}

TEST(ExpressionWatch, DerivativesCountWhereTheyAreAskedFor) {
  EXPECT_EQ(met("sqrt(x)", 0, 0), "");
  EXPECT_EQ(met("sqrt(x)", 0, 0, true), "'sqrt(x)' is not finite at x = 0: a derivative of it is infinite there");
  EXPECT_EQ(met("x^2", 3, 0, true), "");
}

TEST(ExpressionWatch, SeesNothingOnceItIsGone) {
  const Expression f = Expression::parse("sqrt(x)", variables, {});
  const double at[2] = {-1, 0};
  const ExpressionWatch outer;
  {
    const ExpressionWatch inner;
    f.evaluate(at);
    EXPECT_TRUE(inner.found());
  }
  EXPECT_FALSE(outer.found());
  EXPECT_EQ(ExpressionWatch::active(), &outer);
}

}  // namespace
}  // namespace livens
