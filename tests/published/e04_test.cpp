// E04 section 5: three points of unequal mass kept in line, by the penalty k/2 |a x b|^2 and by the multipliers of
// a x b = 0, with the discrete derivatives A to E. Which of energy, linear and angular momentum does each keep? And the
// discrete derivatives themselves: directionality (9) down to the last digits, symmetry, momenta (11), tangents.
#include <array>
#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "model/discrete_derivative.hpp"
#include "model/linearisation.hpp"
#include "model/partition.hpp"
#include "support/source_dir.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;

struct Form {
  const char* letter;
  const char* name;
};
constexpr Form forms[] = {{"A", "scaled_midpoint"},
                          {"B", "collocation"},
                          {"C", "corrected_midpoint"},
                          {"D", "partitioned"},
                          {"E", "equivariant"}};

// --- the three points ------------------------------------------------------------------------------------------------

struct Drifts {
  double energy = 0, linear = 0, angular = 0;  // largest, over their size
  long fallbacks = 0;                          // midpoint gradients in place of discrete ones
  Numbers end;
};

Scene published(const char* file) { return load_scene(source_dir() + "/scenes/e04_alignment/" + file); }

Drifts run(Scene scene, const char* form, double step, double end = 10) {
  scene.set("integrator.derivative", form);
  scene.set("integrator.step", step);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  const double before = energy(model, state).total;
  const Momenta start = momenta(model, state.q, state.p);
  Drifts drifts;
  const double linear = std::hypot(start.linear[0], start.linear[1], start.linear[2]),
               angular = std::hypot(start.angular[0], start.angular[1], start.angular[2]);
  const StepReport report = integrator->advance(model, state, end, [&](const State& s, const StepReport&) {
    const Momenta now = momenta(model, s.q, s.p);
    drifts.energy = std::max(drifts.energy, std::abs(energy(model, s).total / before - 1));
    for (int c = 0; c < 3; ++c) {
      drifts.linear = std::max(drifts.linear, std::abs(now.linear[c] - start.linear[c]) / linear);
      drifts.angular = std::max(drifts.angular, std::abs(now.angular[c] - start.angular[c]) / angular);
    }
    return true;
  });
  EXPECT_TRUE(report.converged) << form << ": " << report.message;
  EXPECT_EQ(integrator->counters().steps, std::lround(end / step));
  for (const auto& [name, count] : integrator->events())
    if (name.starts_with("midpoint")) drifts.fallbacks = count;
  drifts.end = state.q;
  return drifts;
}

void print(const char* what, const Form& form, double step, const Drifts& d) {
  std::printf("%-10s %s h = %-5g energy %.1e  linear %.1e  angular %.1e  fallbacks %ld\n", what, form.letter, step,
              d.energy, d.linear, d.angular, d.fallbacks);
  const std::string key = std::string(what) + "_" + form.letter;
  ::testing::Test::RecordProperty(key + "_energy", std::to_string(d.energy));
  ::testing::Test::RecordProperty(key + "_linear", std::to_string(d.linear));
  ::testing::Test::RecordProperty(key + "_angular", std::to_string(d.angular));
}

constexpr double kept = 1e-11;   // relative, of 500 steps that are solved to rounding
constexpr double broken = 1e-6;  // what a form breaks, it breaks by more

TEST(E04, WhatThePenaltyKeeps) {
  for (const Form& form : forms) {
    const Drifts drifts = run(published("penalty.toml"), form.name, 0.02);
    print("penalty", form, 0.02, drifts);
    const std::string letter = form.letter;
    EXPECT_LT(drifts.energy, kept) << letter;
    if (letter == "A" || letter == "B" || letter == "E") {
      EXPECT_LT(drifts.linear, kept) << letter;
    } else {
      EXPECT_GT(drifts.linear, broken) << letter;
    }
    if (letter == "A" || letter == "E") {
      EXPECT_LT(drifts.angular, kept) << letter;
    } else {
      EXPECT_GT(drifts.angular, broken) << letter;
    }
    EXPECT_EQ(drifts.fallbacks, 0) << letter << ": steps that are not of the form";
  }
}

// Only E is always solvable: A and B meet turning points of the penalty's swinging where they have no solution.
TEST(E04, EquivariantStepsOfAnySize) {
  for (const double step : {0.01, 0.05, 0.1}) {
    const Drifts drifts = run(published("penalty.toml"), "equivariant", step, 50);
    print("penalty", forms[4], step, drifts);
    EXPECT_LT(drifts.energy, kept);
    EXPECT_LT(drifts.linear, kept);
    EXPECT_LT(drifts.angular, kept);
  }
}

// A at turning points: its root is followed from the gradient in the middle, as far as there is one.
TEST(E04, TheScaledMidpointFindsItsRoots) {
  for (const double step : {0.05, 0.02, 0.005, 0.002}) {
    const Drifts drifts = run(published("penalty.toml"), "scaled_midpoint", step, 10);
    print("penalty", forms[0], step, drifts);
    EXPECT_EQ(drifts.fallbacks, 0) << step;
    EXPECT_LT(drifts.energy, kept) << step;
  }
}

// With a = W'(m).d of the middle's step, b = h^2/2 W' M^-1 W' and the remainder R, the root has (W'.d)^2 - a W'.d + b R
// = 0 to leading order: none where a^2 < 4 b R, as at t = 7.93 s of this run.
TEST(E04, FallbacksOfTheScaledMidpointAreCounted) {
  const Drifts drifts = run(published("penalty.toml"), "scaled_midpoint", 0.01, 10);
  print("penalty", forms[0], 0.01, drifts);
  EXPECT_EQ(drifts.fallbacks, 1);
  EXPECT_GT(drifts.energy, 1e-7) << "a step without a discrete derivative loses the energy";
  EXPECT_LT(drifts.linear, kept);
  EXPECT_LT(drifts.angular, kept);
}

// a x b is quadratic: every form is the middle, and the steps are the same to the last bit.
TEST(E04, WithMultipliersAllFormsAreOne) {
  const Drifts reference = run(published("multiplier.toml"), "equivariant", 0.02);
  for (const Form& form : forms) {
    const Drifts drifts = run(published("multiplier.toml"), form.name, 0.02);
    print("multiplier", form, 0.02, drifts);
    EXPECT_EQ(drifts.end, reference.end) << form.letter;
    EXPECT_LT(drifts.energy, kept) << form.letter;
    EXPECT_LT(drifts.linear, kept) << form.letter;
    EXPECT_LT(drifts.angular, 1e-6) << form.letter;  // multipliers of rank two: second order in the step
  }
}

// The free line stays in a plane, where its angular momentum is kept. With a fourth point on two springs it does not.
Scene pulled(const std::string& constraint) {
  return parse_scene(R"toml(
time       = { end = 1 }
solver     = { project_start = true }
integrator = { kind = "energy_momentum", step = 0.02 }
force = [
  { name = "near", kind = "spring", bodies = ["points", "mote"], ends = [[0, 0, 0], [0.5, 0.7, 0.6]], stiffness = 5, rest_length = 0.5 },
  { name = "far", kind = "spring", bodies = ["points", "mote"], ends = [[2, 0, 0], [0.5, 0.7, 0.6]], stiffness = 3, rest_length = 1 },
]
body = [
  { name = "points", kind = "particles", mass = [1, 2, 3], layout = { kind = "points", points = [[0, 0, 0], [1, 0, 0], [2, 0, 0]] }, initial = { velocities = [[0.2, 0.5, -0.3], [0.5, -0.2, 0.7], [-0.1, 0.8, 0.2]] } },
  { name = "mote", kind = "particles", mass = 1, layout = { kind = "points", points = [[0.5, 0.7, 0.6]] }, initial = { velocities = [[0.1, -0.3, 0.4]] } },
]
constraint = [{ name = "line", bodies = ["points", "points", "points"], ends = [[0, 0, 0], [1, 0, 0], [2, 0, 0]], )toml" +
                     constraint + " }]\n");
}

// Redundant multipliers have a part that no equation fixes; what is left of it adds to the drift, of higher order.
void expect_second_order_angular(const std::string& constraint, double most, double order_within) {
  double before = 0;
  for (const double step : {0.02, 0.01, 0.005}) {
    const Drifts drifts = run(pulled(constraint), "equivariant", step, 1);
    print("pulled", forms[4], step, drifts);
    EXPECT_LT(drifts.energy, kept);
    EXPECT_LT(drifts.linear, kept);
    EXPECT_LT(drifts.angular, most);
    EXPECT_GT(drifts.angular, 1e-10) << "something is broken";
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / drifts.angular), 2 + order_within, 0.05 + order_within);
    }
    before = drifts.angular;
  }
}

// Two of the three components, which are independent while the line does not turn across x.
TEST(E04, AngularMomentumWithMultipliersIsOfSecondOrder) {
  expect_second_order_angular(
      "kind = 'expression', g = ['(x2-x1)*(y3-y1) - (y2-y1)*(x3-x1)', '(z2-z1)*(x3-x1) - (x2-x1)*(z3-z1)']", 1e-5, 0);
}

TEST(E04, AngularMomentumWithRedundantMultipliersIsAtLeastOfSecondOrder) {
  expect_second_order_angular("kind = 'alignment'", 1e-4, 0.5);
}

// --- the discrete derivatives ----------------------------------------------------------------------------------------

Numbers random_numbers(std::size_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Numbers x(n);
  for (double& value : x) value = uniform(engine);
  return x;
}

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
Numbers combined(const Numbers& x, double c, const Numbers& y) {
  Numbers sum = x;
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += c * y[i];
  return sum;
}
double largest_difference(const Numbers& a, const Numbers& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

class Term final : public ScalarFunction {
 public:
  explicit Term(const EnergyTerm& term) : term_(term) {}
  double value(ConstVector x) override { return term_.energy(0, x); }
  void gradient(ConstVector x, Vector g) override { term_.write_gradient(0, x, g); }

 private:
  const EnergyTerm& term_;
};

// (11): the sum of the derivative over the points, and its moment about the middle, over their size.
TEST(E04, ConditionsOfMomenta) {
  const Model model = make_model(published("penalty.toml"));
  const EnergyTerm& penalty = *model.parts().terms.front();
  const Numbers x = random_numbers(9, 3), y = combined(x, 0.3, random_numbers(9, 4)),
                m = combined(x, 0.5, combined(y, -1, x));
  for (const Form& form : forms) {
    Term f(penalty);
    Numbers d(9, 0.0);
    if (derivative_form(form.name) == DerivativeForm::equivariant)
      ASSERT_TRUE(penalty.add_discrete_gradient(0, x, y, 1, d));
    else
      ASSERT_TRUE(DiscreteDerivative(derivative_form(form.name)).evaluate(f, x, y, d)) << form.letter;
    double sum = 0, moment = 0, size = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
      double part = 0, turn = 0;
      for (std::size_t a = 0; a < 9; a += 3) {
        part += d[a + c];
        turn += m[a + i] * d[a + j] - m[a + j] * d[a + i];
        size = std::max(size, std::abs(d[a + c]));
      }
      sum = std::max(sum, std::abs(part));
      moment = std::max(moment, std::abs(turn));
    }
    const double change = penalty.energy(0, y) - penalty.energy(0, x),
                 defect = std::abs(dot(d, combined(y, -1, x)) - change);
    std::printf("(11) %s: sum %.1e, moment %.1e of %.1e N; directionality %.1e of %.1e J\n", form.letter, sum, moment,
                size, defect, change);
    table_row("e04_residuals", form.letter,
              {{"sum (N)", sum}, {"moment (N m)", moment}, {"directionality (J)", defect}});
    constexpr double rounding = 1e-13;
    const std::string letter = form.letter;
    EXPECT_LT(defect, rounding * size) << letter;
    if (letter == "C" || letter == "D") {
      EXPECT_GT(sum, broken * size) << letter;
    } else {
      EXPECT_LT(sum, rounding * size) << letter;
    }
    if (letter == "A" || letter == "E") {
      EXPECT_LT(moment, rounding * size) << letter;
    } else {
      EXPECT_GT(moment, broken * size) << letter;
    }
  }
}

Scene twelve_tetrahedra(const std::string& step) {
  return parse_scene("time = { end = 0.2 }\nintegrator = { kind = 'energy_momentum', derivative = 'partitioned', " +
                     step +
                     " }\n[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
                     "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\n"
                     "mesh = { kind = 'box', size = [0.2, 0.1, 0.1], cells = [2, 1, 1] }\n"
                     "initial.velocity = ['3*Y', '-2*X', '4*X*X']\n");
}

// x0^4 + x0 x1^3 x2 - 2 x1^2 x2^3 + x3^5 - x0 x3 + 3 x2
class Polynomial final : public ScalarFunction {
 public:
  double value(ConstVector x) override {
    return std::pow(x[0], 4) + x[0] * std::pow(x[1], 3) * x[2] - 2 * x[1] * x[1] * std::pow(x[2], 3) +
           std::pow(x[3], 5) - x[0] * x[3] + 3 * x[2];
  }
  void gradient(ConstVector x, Vector g) override {
    g[0] = 4 * std::pow(x[0], 3) + std::pow(x[1], 3) * x[2] - x[3];
    g[1] = 3 * x[0] * x[1] * x[1] * x[2] - 4 * x[1] * std::pow(x[2], 3);
    g[2] = x[0] * std::pow(x[1], 3) - 6 * x[1] * x[1] * x[2] * x[2] + 3;
    g[3] = 5 * std::pow(x[3], 4) - x[0];
  }
  // H d by differences in the direction d, exact to 1e-10 of its size.
  Numbers curvature(const Numbers& at, const Numbers& d) {
    constexpr double eps = 1e-4;
    Numbers near(4), far(4), above(4), below(4), result(4);
    gradient(combined(at, eps, d), above);
    gradient(combined(at, -eps, d), below);
    gradient(combined(at, 2 * eps, d), far);
    gradient(combined(at, -2 * eps, d), near);
    for (std::size_t i = 0; i < 4; ++i) result[i] = (8 * (above[i] - below[i]) - (far[i] - near[i])) / (12 * eps);
    return result;
  }
  // f(y) - f(x) by three Gauss points, which are exact here: nothing cancels.
  double change(const Numbers& x, const Numbers& y) {
    const double c = std::sqrt(0.15);
    const Numbers d = combined(y, -1, x);
    double sum = 0;
    for (const auto& [place, weight] : {std::pair{0.5 - c, 5.0 / 18}, {0.5, 8.0 / 18}, {0.5 + c, 5.0 / 18}}) {
      Numbers g(4);
      gradient(combined(x, place, d), g);
      sum += weight * dot(g, d);
    }
    return sum;
  }
};

// Where all forms have a solution; y - x is the increment to the last bit.
const Numbers place = {0.7, -0.9, 0.6, 0.8}, direction = {0.6, 0.5, -0.4, 0.7};

TEST(DiscreteDerivativeForms, AreDirectionalForIncrementsOfEverySize) {
  Polynomial f;
  for (const Form& form : forms) {
    DiscreteDerivative derivative(derivative_form(form.name));
    double worst = 0, off = 0;
    for (double size = 1; size > 0.5e-12; size /= 10) {
      const Numbers y = combined(place, size, direction), d = combined(y, -1, place);
      Numbers g(4), back(4), middle(4);
      ASSERT_TRUE(derivative.evaluate(f, place, y, g)) << form.letter << " " << size;
      const double scale = std::sqrt(dot(g, g) * dot(d, d));
      worst = std::max(worst, std::abs(dot(g, d) - f.change(place, y)) / scale);
      ASSERT_TRUE(derivative.evaluate(f, y, place, back));
      EXPECT_LT(largest_difference(g, back), 1e-13) << form.letter << " " << size << ": symmetric in x and y";
      f.gradient(combined(place, 0.5, d), middle);
      if (size < 0.2 && size > 5e-4) off = std::max(off, largest_difference(g, middle) / (size * size));
    }
    std::printf("directionality %s: %.1e; off the middle by %.2f |y - x|^2\n", form.letter, worst, off);
    // The rounding of f over increments of 1e-3, below which values of f are not used any more.
    EXPECT_LT(worst, 1e-13) << form.letter;
    EXPECT_LT(off, 20) << form.letter << ": second order";
  }
}

// A guard: the gradient in the middle is not directional, and the measure sees it.
TEST(DiscreteDerivativeForms, TheMiddleAloneIsNotDirectional) {
  Polynomial f;
  const Numbers y = combined(place, 0.1, direction), d = combined(y, -1, place);
  Numbers g(4);
  f.gradient(combined(place, 0.5, d), g);
  EXPECT_GT(std::abs(dot(g, d) - f.change(place, y)) / std::sqrt(dot(g, g) * dot(d, d)), 1e-5);
}

// Across the gradient in the middle f still changes, by R: no multiple of the gradient is a discrete derivative.
TEST(DiscreteDerivativeForms, TheScaledMidpointFallsBackOnTheLevelSet) {
  Polynomial f;
  for (const double size : {0.3, 1e-2, 1e-4}) {
    Numbers g(4), tangent = direction;
    f.gradient(place, g);
    tangent = combined(direction, -dot(g, direction) / dot(g, g), g);
    const Numbers x = combined(place, -0.5 * size, tangent), y = combined(place, 0.5 * size, tangent);
    Numbers d(4), middle(4);
    EXPECT_FALSE(DiscreteDerivative(DerivativeForm::scaled_midpoint).evaluate(f, x, y, d)) << size;
    f.gradient(combined(x, 0.5, combined(y, -1, x)), middle);
    EXPECT_LT(largest_difference(d, middle), 1e-15) << size;
    EXPECT_TRUE(DiscreteDerivative(DerivativeForm::corrected_midpoint).evaluate(f, x, y, d)) << size;
    EXPECT_LT(std::abs(dot(d, combined(y, -1, x)) - f.change(x, y)), 1e-14 * size) << size;
  }
}

// (15) as printed: f_xy^i(u) = f(x_1 ... x_i-1, u, y_i+1 ... y_n), and with x and y exchanged.
TEST(DiscreteDerivativeForms, ThePartitionedOneGoesByCoordinates) {
  Polynomial f;
  const Numbers y = combined(place, 0.4, direction);
  Numbers d(4);
  ASSERT_TRUE(DiscreteDerivative(DerivativeForm::partitioned).evaluate(f, place, y, d));
  for (std::size_t i = 0; i < 4; ++i) {
    const auto quotient = [&](const Numbers& before, const Numbers& after) {
      Numbers point = before;
      std::copy(after.begin() + static_cast<std::ptrdiff_t>(i), after.end(),
                point.begin() + static_cast<std::ptrdiff_t>(i));
      const auto at = [&](double u) {
        point[i] = u;
        return f.value(point);
      };
      return (at(y[i]) - at(place[i])) / (y[i] - place[i]);
    };
    EXPECT_NEAR(d[i], 0.5 * (quotient(place, y) + quotient(y, place)), 1e-13) << i;
  }
}

// Twelve tetrahedra, by their stencils and as one function of all coordinates; and the derivative of that by y.
TEST(DiscreteDerivativeForms, ThePartitionedOneOfASolidIsTheSumOverItsElements) {
  const Model model = make_model(twelve_tetrahedra("step = 0.002"));
  const EnergyTerm& solid = *model.parts().terms.front();
  const auto n = static_cast<std::size_t>(model.size());
  const Numbers rest = initial_state(twelve_tetrahedra("step = 0.002"), model).q;
  const Numbers x = combined(rest, 0.01, random_numbers(n, 5)), y = combined(x, 0.01, random_numbers(n, 6));
  Term whole(solid);
  Numbers d(n), sum(n, 0.0);
  ASSERT_TRUE(DiscreteDerivative(DerivativeForm::partitioned).evaluate(whole, x, y, d));
  PartitionedStencils stencils(solid.stencils(), 3);
  stencils.add_gradient(x, y, sum);
  const double size = *std::max_element(d.begin(), d.end());
  EXPECT_LT(largest_difference(d, sum), 1e-11 * size);
  const Linearisation& lin = linearisation(model);
  Numbers tangent(lin.pattern().nonzeros(), 0.0), column(n), above(n), below(n);
  stencils.add_tangent(x, y, 1, lin, tangent);
  for (const std::size_t j : {0u, 7u, 20u}) {
    constexpr double eps = 1e-6;
    Numbers unit(n, 0.0);
    unit[j] = 1;
    std::fill(above.begin(), above.end(), 0.0);
    std::fill(below.begin(), below.end(), 0.0);
    stencils.add_gradient(x, combined(y, eps, unit), above);
    stencils.add_gradient(x, combined(y, -eps, unit), below);
    lin.pattern().multiply(tangent, unit, column);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR((above[i] - below[i]) / (2 * eps), column[i], 1e-5 * size / 0.01) << i << " " << j;
  }
}

TEST(E04, ThePartitionedFormStepsASolid) {
  for (const char* step : {"step = 0.001", "step = 0.004"}) {
    const Scene scene = twelve_tetrahedra(step);
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    const double before = energy(model, state).total;
    const auto integrator = make_integrator(scene, model);
    const StepReport report = integrator->advance(model, state, 0.2);
    ASSERT_TRUE(report.converged) << step << ": " << report.message;
    EXPECT_LT(std::abs(energy(model, state).total / before - 1), 1e-11) << step;
    std::printf("partitioned, %s: energy %.1e, %.1f iterations a step\n", step, energy(model, state).total / before - 1,
                static_cast<double>(integrator->counters().newton) / static_cast<double>(integrator->counters().steps));
  }
}

TEST(DiscreteDerivativeForms, TangentsAreThoseOfTheForms) {
  Polynomial f;
  for (const char* name : {"scaled_midpoint", "collocation", "corrected_midpoint"}) {
    const Numbers y = combined(place, 0.4, direction), d = combined(y, -1, place);
    DiscreteDerivative derivative(derivative_form(name));
    Numbers g(4), u(4), c(4);
    ASSERT_TRUE(derivative.evaluate(f, place, y, g)) << name;
    const Numbers at = combined(place, derivative.hessian_place(), d);
    const auto tangent = derivative.tangent(f, place, y, f.curvature(at, d), u, c);
    EXPECT_TRUE(tangent.rank_one) << name;
    double rank_one = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      constexpr double eps = 1e-4;  // differences good to 1e-8, and B solves for its place to 1e-15 / eps
      Numbers unit(4, 0.0), above(4), below(4);
      unit[i] = 1;
      DiscreteDerivative other(derivative_form(name));
      ASSERT_TRUE(other.evaluate(f, place, combined(y, eps, unit), above));
      ASSERT_TRUE(other.evaluate(f, place, combined(y, -eps, unit), below));
      const Numbers column = f.curvature(at, unit);
      for (std::size_t j = 0; j < 4; ++j) {
        const double expected = tangent.factor * column[j] + (i == j ? tangent.shift : 0) + u[j] * c[i];
        EXPECT_NEAR((above[j] - below[j]) / (2 * eps), expected, 1e-6) << name << " " << j << " " << i;
        rank_one = std::max(rank_one, std::abs(u[j] * c[i]));
      }
    }
    EXPECT_GT(rank_one, 1e-2) << name << ": there is a second part to check";
  }
}

}  // namespace
}  // namespace livens
