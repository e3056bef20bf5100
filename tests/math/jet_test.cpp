// Jets and duals against central differences, and at the points where a careless chain rule fails.
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <livens/jet.hpp>

namespace livens {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(std::is_trivially_copyable_v<Dual>);
static_assert(std::is_trivially_copyable_v<Jet2<3>>);
static_assert(sizeof(Jet2<3>) == (1 + 3 + 6) * sizeof(double));

using Point = std::array<double, 2>;

/// Compares the derivatives of a generic lambda of two variables with central differences.
template <class F>
void expect_derivatives_match_differences(const F& f, Point p) {
  constexpr double h = 1e-4;
  const auto value = [&](double dx, double dy) { return f(p[0] + dx, p[1] + dy); };
  const auto jet = f(Jet2<2>::variable(p[0], 0), Jet2<2>::variable(p[1], 1));
  EXPECT_NEAR(jet.value, value(0, 0), 1e-14 * (1 + std::abs(jet.value)));

  const double scale = 1 + std::abs(jet.value) + std::abs(jet.hessian(0, 0)) + std::abs(jet.hessian(1, 1));
  EXPECT_NEAR(jet.gradient[0], (value(h, 0) - value(-h, 0)) / (2 * h), 1e-6 * scale);
  EXPECT_NEAR(jet.gradient[1], (value(0, h) - value(0, -h)) / (2 * h), 1e-6 * scale);
  EXPECT_NEAR(jet.hessian(0, 0), (value(h, 0) - 2 * value(0, 0) + value(-h, 0)) / (h * h), 1e-5 * scale);
  EXPECT_NEAR(jet.hessian(1, 1), (value(0, h) - 2 * value(0, 0) + value(0, -h)) / (h * h), 1e-5 * scale);
  EXPECT_NEAR(jet.hessian(0, 1), (value(h, h) - value(h, -h) - value(-h, h) + value(-h, -h)) / (4 * h * h),
              1e-5 * scale);
  EXPECT_EQ(jet.hessian(0, 1), jet.hessian(1, 0));

  const auto first = f(Jet1<2>::variable(p[0], 0), Jet1<2>::variable(p[1], 1));
  EXPECT_EQ(first.value, jet.value);
  EXPECT_EQ(first.gradient, jet.gradient);

  const Dual by_x = f(Dual::variable(p[0]), Dual(p[1])), by_y = f(Dual(p[0]), Dual::variable(p[1]));
  EXPECT_NEAR(by_x.derivative, jet.gradient[0], 1e-13 * scale);
  EXPECT_NEAR(by_y.derivative, jet.gradient[1], 1e-13 * scale);
}

TEST(Jet, ArithmeticMatchesDifferences) {
  const Point p = {0.7, -1.3};
  expect_derivatives_match_differences([](auto x, auto y) { return x + y * x - y; }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return x / y; }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return 2.0 / (x * y) + x / 3.0 - 1.0; }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return -(3.0 - x) * (2.0 + y) * 0.5; }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return +x * (y - 2.0) + (1.0 + x) * (4.0 * y); }, p);
}

TEST(Jet, CompoundAssignmentIsTheSameArithmetic) {
  const auto x = Jet2<2>::variable(0.7, 0), y = Jet2<2>::variable(-1.3, 1);
  Jet2<2> a = x;
  a += y;
  a *= x;
  a -= y;
  a /= y;
  a += 1.0;
  a *= 2.0;
  a -= 0.5;
  a /= 3.0;
  const Jet2<2> b = (((x + y) * x - y) / y + 1.0) * 2.0 - 0.5;
  EXPECT_DOUBLE_EQ(a.value, b.value / 3.0);
  EXPECT_DOUBLE_EQ(a.gradient[0], b.gradient[0] / 3.0);
  EXPECT_DOUBLE_EQ(a.hessian(0, 1), b.hessian(0, 1) / 3.0);

  Dual d = Dual::variable(2.0);
  d *= d;
  d += Dual(1.0, 1.0);
  d /= 2.0;
  EXPECT_EQ(d.value, 2.5);
  EXPECT_EQ(d.derivative, 2.5);
}

TEST(Jet, FunctionsMatchDifferences) {
  using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2, std::sinh, std::cosh, std::tanh,
      std::exp, std::log, std::sqrt, std::abs, std::min, std::max, std::pow;
  const Point p = {0.37, 0.62};
  expect_derivatives_match_differences([](auto x, auto y) { return sin(x * y) + cos(x - y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return tan(x * y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return asin(x * y) + acos(x * x * y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return atan(x / y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return sinh(x * y) * cosh(x + y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return tanh(x * y - 2.0 * x); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return exp(x * y) * log(x + y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return sqrt(x * x + y * y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return abs(x - 2.0 * y) * y; }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return min(x, y) * max(x, y * y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return min(x, 0.1) + max(0.1, y) * x; }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return pow(x, 3) * pow(y, -2); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return pow(x + y, 1.5); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return pow(x, y) + pow(2.0, x * y); }, p);
  expect_derivatives_match_differences([](auto x, auto y) { return atan2(x, 2.0) + atan2(1.0, x * y); }, p);
}

TEST(Jet, Atan2MatchesDifferencesInAllQuadrants) {
  for (const double x : {-1.3, 0.4})
    for (const double y : {-0.7, 0.9})
      expect_derivatives_match_differences(
          [](auto a, auto b) {
            using std::atan2;
            return atan2(a, b);
          },
          {y, x});
}

TEST(Jet, ComparisonsLookAtTheValue) {
  const auto x = Jet2<1>::variable(2.0, 0);
  EXPECT_TRUE(x == 2.0 && 2.0 == x && x == Jet2<1>(2.0));
  EXPECT_TRUE(x < 3.0 && 1.0 < x && x >= 2.0 && x <= Jet2<1>(2.0) && x != 1.0);
  EXPECT_FALSE(x > 2.0 || x < Jet2<1>(2.0));
  EXPECT_TRUE(Dual(1.0, 5.0) < Dual(2.0, -5.0));
  const Dual nan(std::nan(""));
  EXPECT_FALSE(nan < 1.0 || nan > 1.0 || nan == 1.0);
}

TEST(Jet, IntegerPowersAreExactAtZeroAndBelow) {
  struct Case {
    int n;
    double x, f, d, dd;
  };
  for (const Case& c : {Case{0, 0, 1, 0, 0}, Case{0, -3, 1, 0, 0}, Case{1, 0, 0, 1, 0}, Case{1, -3, -3, 1, 0},
                        Case{2, 0, 0, 0, 2}, Case{2, -3, 9, -6, 2}, Case{3, 0, 0, 0, 0}, Case{3, -2, -8, 12, -12},
                        Case{-1, -2, -0.5, -0.25, -0.25}, Case{-2, 2, 0.25, -0.25, 0.375}}) {
    SCOPED_TRACE(c.n);
    const auto x = Jet2<1>::variable(c.x, 0);
    for (const Jet2<1>& y : {pow(x, c.n), pow(x, static_cast<double>(c.n)), pow(x, Jet2<1>(c.n))}) {
      EXPECT_EQ(y.value, c.f);
      EXPECT_EQ(y.gradient[0], c.d);
      EXPECT_EQ(y.hessian(0, 0), c.dd);
    }
    EXPECT_EQ(pow(Dual::variable(c.x), c.n).derivative, c.d);
  }
  const auto huge = pow(Jet2<1>::variable(1.0, 0), std::numeric_limits<int>::min());
  EXPECT_EQ(huge.value, 1.0);
  EXPECT_EQ(huge.gradient[0], -2147483648.0);
  EXPECT_NEAR(pow(Jet2<1>::variable(1.001, 0), 1000).value, std::pow(1.001, 1000.0), 1e-15);
}

TEST(Jet, FractionalPowersAtZero) {
  const auto x = Jet2<1>::variable(0.0, 0);
  EXPECT_EQ(pow(x, 2.5).gradient[0], 0.0);
  EXPECT_EQ(pow(x, 2.5).hessian(0, 0), 0.0);
  EXPECT_EQ(pow(x, 1.5).gradient[0], 0.0);
  EXPECT_EQ(pow(x, 1.5).hessian(0, 0), infinity);
  EXPECT_TRUE(std::isnan(pow(Jet2<1>::variable(-1.0, 0), 1.5).value));
  // 0^y for y > 0 does not move with y.
  const auto zero_to_y = pow(Jet2<1>(0.0), Jet2<1>::variable(2.0, 0));
  EXPECT_EQ(zero_to_y.value, 0.0);
  EXPECT_EQ(zero_to_y.gradient[0], 0.0);
  EXPECT_EQ(zero_to_y.hessian(0, 0), 0.0);
}

TEST(Jet, SquareRootAtZero) {
  const auto x = Jet2<2>::variable(0.0, 0);
  const auto root = sqrt(x);
  EXPECT_EQ(root.value, 0.0);
  EXPECT_EQ(root.gradient[0], infinity);
  EXPECT_EQ(root.gradient[1], 0.0);
  EXPECT_EQ(root.hessian(0, 0), -infinity);
  EXPECT_EQ(root.hessian(0, 1), 0.0);
  EXPECT_EQ(root.hessian(1, 1), 0.0);
  EXPECT_EQ(sqrt(x + x * x).hessian(0, 0), -infinity);
  EXPECT_EQ(sqrt(-x).gradient[0], -infinity);
  EXPECT_EQ(sqrt(Dual::variable(0.0)).derivative, infinity);
  EXPECT_EQ(sqrt(Dual(0.0)).derivative, 0.0);
  EXPECT_EQ(sqrt(x * x).gradient[0], 0.0);
}

TEST(Jet, AbsoluteValueAtZeroHasNoSlope) {
  const auto y = abs(Jet2<1>::variable(0.0, 0));
  EXPECT_EQ(y.value, 0.0);
  EXPECT_EQ(y.gradient[0], 0.0);
  EXPECT_EQ(y.hessian(0, 0), 0.0);
  EXPECT_EQ(abs(Jet2<1>::variable(-2.0, 0)).gradient[0], -1.0);
}

TEST(Jet, HessianAccessIsSymmetric) {
  Jet2<3> x;
  x.hessian(0, 2) = 5.0;
  x.hessian(2, 1) = 6.0;
  EXPECT_EQ(x.hessian(2, 0), 5.0);
  EXPECT_EQ(x.hessian(1, 2), 6.0);
  EXPECT_EQ(x.hessian(1, 1), 0.0);
}

// Negative control: the comparison with differences sees a wrong derivative.
TEST(Jet, DifferencesExposeAWrongDerivative) {
  constexpr double h = 1e-4, x = 0.7;
  const double differences = (std::sin(x + h) - std::sin(x - h)) / (2 * h);
  const Jet2<1> wrong = detail::chain(Jet2<1>::variable(x, 0), detail::cos_at(x));
  EXPECT_GT(std::abs(wrong.gradient[0] - differences), 0.1);
}

}  // namespace
}  // namespace livens
