// What every constraint promises, measured on the example of its record: derivatives, exactness of the middle for
// quadratic ones, momenta that it keeps, and velocities that steps keep on it.
#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include <livens/assembly.hpp>
#include <livens/scene.hpp>

#include "model/projection.hpp"
#include "support/bodies.hpp"
#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::DenseSink;
using testing::difference_step;
using testing::difference_tolerance;
using testing::random_vector;
using Numbers = std::vector<double>;

// Sums of some ten products of numbers of order 1 to 10: a hundred roundings.
constexpr double rounding = 1e-13;
// What is not zero at all in these configurations is of order 0.01 to 1.
constexpr double plainly = 1e-4;

std::string scene_text(const std::string& constraint, const std::string& integrator = "rattle") {
  return "time = { end = 1 }\nsolver = { project_start = true }\nintegrator = { kind = '" + integrator +
         "', step = 0.01 }\n" + constraint + testing::moving_bodies;
}

struct Subject {
  explicit Subject(const std::string& constraint, const std::string& integrator = "rattle")
      : scene(parse_scene(scene_text(constraint, integrator))),
        model(make_model(scene)),
        state(initial_state(scene, model)) {}
  const Constraint& named(const std::string& name) const {
    for (const auto& constraint : model.parts().constraints)
      if (constraint->name() == name) return *constraint;
    throw std::out_of_range(name);
  }
  // The last of the scene: its shapes come with the bodies.
  const Constraint& last() const { return *model.parts().constraints.back(); }
  Numbers somewhere(unsigned seed, double size = 0.3) const {
    Numbers q = state.q;
    const Numbers noise = random_vector(q.size(), size, seed);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += noise[i];
    return q;
  }
  // A configuration that keeps all constraints: that of a motion.
  Numbers kept(double t) const {
    State moved = state;
    EXPECT_TRUE(make_integrator(scene, model)->advance(model, moved, t).converged);
    return moved.q;
  }

  Scene scene;
  Model model;
  State state;
};

Numbers value(const Constraint& constraint, double t, const Numbers& q) {
  Numbers g(constraint.count());
  constraint.value(t, q, g);
  return g;
}

Numbers force(const Constraint& constraint, double t, const Numbers& q, const Numbers& lambda) {
  Numbers f(q.size(), 0.0);
  constraint.add_force(t, q, lambda, 1, f);
  return f;
}

Numbers multipliers(const Constraint& constraint, unsigned seed) { return random_vector(constraint.count(), 1, seed); }

double largest(const Numbers& x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

// --- derivatives -----------------------------------------------------------------------------------------------------

// Jacobian, force and curvature against each other and against differences; nothing outside its coordinates.
void expect_derivatives(const Constraint& constraint, double t, Numbers q) {
  const std::size_t n = q.size(), m = static_cast<std::size_t>(constraint.count());
  ASSERT_LE(m, n);
  const Numbers lambda = multipliers(constraint, 5), f = force(constraint, t, q, lambda);
  DenseSink jacobian(n), doubled(n), curvature(n);
  constraint.add_jacobian(t, q, 1, jacobian);
  constraint.add_jacobian(t, q, 2, doubled);
  constraint.add_curvature(t, q, lambda, 1, curvature);
  const std::vector<int> own = constraint.coordinates();
  EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
  double seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = q[i];
    q[i] = x + difference_step;
    const Numbers above = value(constraint, t, q), f_above = force(constraint, t, q, lambda);
    q[i] = x - difference_step;
    const Numbers below = value(constraint, t, q), f_below = force(constraint, t, q, lambda);
    q[i] = x;
    double sum = 0, column = 0;
    for (std::size_t k = 0; k < m; ++k) {
      EXPECT_NEAR(jacobian(k, i), (above[k] - below[k]) / (2 * difference_step), difference_tolerance) << k << " " << i;
      EXPECT_DOUBLE_EQ(doubled(k, i), 2 * jacobian(k, i));
      sum += jacobian(k, i) * lambda[k];
      column += std::abs(jacobian(k, i));
    }
    EXPECT_NEAR(f[i], sum, rounding) << "force " << i;
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(curvature(j, i), (f_above[j] - f_below[j]) / (2 * difference_step), difference_tolerance)
          << "curvature " << j << " " << i;
    if (!std::binary_search(own.begin(), own.end(), static_cast<int>(i))) {
      EXPECT_EQ(column, 0) << i;
    }
    seen = std::max(seen, column);
  }
  EXPECT_GT(seen, 0.1) << "there is a derivative to check";
}

void expect_rates(const Constraint& constraint, double t, const Numbers& q, const Numbers& v) {
  const std::size_t m = static_cast<std::size_t>(constraint.count());
  Numbers rate(m), second(m);
  constraint.rates(t, q, v, rate, second);
  const auto moved = [&](double s) {
    Numbers x = q;
    for (std::size_t i = 0; i < q.size(); ++i) x[i] += s * v[i];
    return value(constraint, t + s, x);
  };
  // Second differences of step 1e-3 are good to rounding / 1e-6 = 1e-9, and to 1e-6 of fourth derivatives.
  constexpr double wide = 1e-3, wide_tolerance = 1e-5;
  const Numbers above = moved(difference_step), below = moved(-difference_step), far = moved(wide), near = moved(-wide),
                here = moved(0);
  for (std::size_t k = 0; k < m; ++k) {
    EXPECT_NEAR(rate[k], (above[k] - below[k]) / (2 * difference_step), difference_tolerance) << k;
    EXPECT_NEAR(second[k], (far[k] - 2 * here[k] + near[k]) / (wide * wide), wide_tolerance) << k;
  }
}

// g(y) - g(x) - G((x + y) / 2) (y - x), the largest.
double midpoint_defect(const Constraint& constraint, const Numbers& x, const Numbers& y) {
  Numbers middle(x.size()), rate(constraint.count()), second(rate.size()), d(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    middle[i] = 0.5 * (x[i] + y[i]);
    d[i] = y[i] - x[i];
  }
  Numbers by_time(rate.size());
  constraint.rates(0, middle, d, rate, second);  // G d + dg/dt
  constraint.rates(0, middle, Numbers(x.size(), 0.0), by_time, second);
  const Numbers at_x = value(constraint, 0, x), at_y = value(constraint, 0, y);
  for (std::size_t k = 0; k < rate.size(); ++k) rate[k] -= by_time[k] + (at_y[k] - at_x[k]);
  return largest(rate);
}

// --- momenta ---------------------------------------------------------------------------------------------------------

struct Resultant {
  double force = 0, moment = 0;  // largest components, about the origin
};
Resultant resultant(const Constraint& constraint, const Numbers& q) {
  const Numbers f = force(constraint, 0, q, multipliers(constraint, 11));
  Numbers sum(3, 0.0), moment(3, 0.0);
  for (std::size_t a = 0; a < q.size(); a += 3)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
      sum[c] += f[a + c];
      moment[c] += q[a + i] * f[a + j] - q[a + j] * f[a + i];
    }
  EXPECT_GT(largest(f), plainly);
  return {largest(sum), largest(moment)};
}

Numbers middle_of(const Numbers& x, const Numbers& y) {
  Numbers middle(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) middle[i] = 0.5 * (x[i] + y[i]);
  return middle;
}

// --- every record ----------------------------------------------------------------------------------------------------

std::vector<std::string> names_with_examples() {
  std::vector<std::string> names;
  for (const ConstraintRecord& record : constraint_records())
    if (!record.example.empty()) names.push_back(record.name);
  return names;
}

class ConstraintLaws : public ::testing::TestWithParam<std::string> {
 protected:
  const ConstraintRecord& record() const {
    for (const ConstraintRecord& r : constraint_records())
      if (r.name == GetParam()) return r;
    throw std::out_of_range(GetParam());
  }
  Subject subject_{record().example};
};

INSTANTIATE_TEST_SUITE_P(Records, ConstraintLaws, ::testing::ValuesIn(names_with_examples()),
                         [](const auto& record) { return record.param; });

TEST(ConstraintRecords, HaveExamples) { EXPECT_EQ(names_with_examples().size(), constraint_records().size()); }

TEST_P(ConstraintLaws, DerivativesAreThoseOfTheValue) {
  for (const unsigned seed : {1u, 2u}) expect_derivatives(subject_.last(), 0.3, subject_.somewhere(seed));
}

TEST_P(ConstraintLaws, RatesAreThoseOfTheMotion) {
  for (const unsigned seed : {3u, 4u})
    expect_rates(subject_.last(), 0.3, subject_.somewhere(seed), random_vector(subject_.state.q.size(), 1, seed + 20));
}

TEST_P(ConstraintLaws, RoundingRefersToTheSummands) {
  const Numbers q = subject_.somewhere(6), g = value(subject_.last(), 0, q);
  Numbers size(g.size());
  subject_.last().magnitude(0, q, size);
  for (std::size_t k = 0; k < g.size(); ++k) {
    EXPECT_GE(size[k] * (1 + rounding), subject_.last().quadratic() ? std::abs(g[k]) : 0) << k;
    EXPECT_LT(size[k], 100) << k;
  }
}

TEST_P(ConstraintLaws, TheMiddleIsExactWhereClaimed) {
  EXPECT_EQ(subject_.last().quadratic(), record().quadratic);
  const double defect = midpoint_defect(subject_.last(), subject_.somewhere(7), subject_.somewhere(8));
  if (record().quadratic) {
    EXPECT_LT(defect, rounding);
  } else {
    EXPECT_GT(defect, plainly);
  }
}

// Between steps, too: in the middle of two configurations that keep the constraint.
TEST_P(ConstraintLaws, MomentaAreKeptWhereClaimed) {
  const Numbers x = subject_.kept(0.1), y = subject_.kept(0.6);
  EXPECT_LT(largest(value(subject_.last(), 0.1, x)), rounding);
  const Resultant at_end = resultant(subject_.last(), x), between = resultant(subject_.last(), middle_of(x, y));
  const Invariance keeps = subject_.last().invariance();
  EXPECT_EQ(keeps.translations, keeps.rotations);
  if (record().frame_indifferent) {
    EXPECT_TRUE(keeps.rotations);
    EXPECT_LT(between.moment, rounding);
  } else if (record().quadratic) {  // alignment, and what moves points as given; of expressions nothing is known
    EXPECT_GT(between.moment, plainly) << "claims less than it keeps";
  }
  const bool torque_free = subject_.model.model_class().torque_free_constraints;
  EXPECT_EQ(torque_free, !keeps.rotations || record().frame_indifferent) << "what energy_momentum claims";
  if (keeps.rotations) {
    EXPECT_LT(at_end.force, rounding);
    EXPECT_LT(at_end.moment, rounding);
    EXPECT_LT(between.force, rounding);
  } else if (record().quadratic) {
    EXPECT_GT(at_end.force, plainly);
  }
}

Numbers rates_after_steps(const std::string& constraint, const std::string& integrator) {
  Subject subject(constraint, integrator);
  const auto stepper = make_integrator(subject.scene, subject.model);
  EXPECT_TRUE(stepper->advance(subject.model, subject.state, 0.2).converged);
  EXPECT_EQ(stepper->counters().steps, 20);
  Numbers rate(subject.model.constraint_count()), second(rate.size()), g(rate.size());
  subject.model.constraint_values(subject.state.t, subject.state.q, g);
  EXPECT_LT(largest(g), rounding) << integrator;
  subject.model.constraint_rates(subject.state.t, subject.state.q, subject.state.v, rate, second);
  return rate;
}

TEST_P(ConstraintLaws, VelocitiesKeepIt) {
  constexpr double velocity_rounding = 1e-12;  // velocities of order 1 after a saddle solve
  const Numbers rattle = rates_after_steps(record().example, "rattle");
  EXPECT_LT(largest(rattle), velocity_rounding);
  // Without the projection the shapes drift at least; what is linear keeps its velocities by itself.
  EXPECT_GT(largest(rates_after_steps(record().example, "shake")), 1e-6);
}

// --- rigid bodies, the ground, time ----------------------------------------------------------------------------------

TEST(RigidShapeLaws, SixEquations) {
  const Subject subject("");
  const Constraint& shape = subject.named("a.shape");
  EXPECT_EQ(shape.count(), 6);
  expect_derivatives(shape, 0, subject.somewhere(1));
  expect_rates(shape, 0, subject.somewhere(2), random_vector(subject.state.q.size(), 1, 3));
  EXPECT_LT(midpoint_defect(shape, subject.somewhere(4), subject.somewhere(5)), rounding);
  const Resultant anywhere = resultant(shape, subject.somewhere(6));  // off the constraint, too
  EXPECT_LT(anywhere.force, rounding);
  EXPECT_LT(anywhere.moment, rounding);
  EXPECT_LT(largest(value(shape, 0, subject.state.q)), rounding);
  EXPECT_GT(largest(value(shape, 0, subject.somewhere(6))), plainly);
}

// Between its four points a rigid body has 12 - 6 freedoms, whatever moves it.
TEST(RigidShapeLaws, RigidMotionsKeepIt) {
  const Subject subject("");
  const Constraint& shape = subject.named("b.shape");
  const double c = std::cos(0.7), s = std::sin(0.7);
  Numbers q = subject.state.q;
  for (std::size_t a = 0; a < q.size(); a += 3) {
    const double x = q[a], y = q[a + 1];
    q[a] = c * x - s * y + 0.3;
    q[a + 1] = s * x + c * y - 0.4;
    q[a + 2] += 0.9;
  }
  EXPECT_LT(largest(value(shape, 0, q)), rounding);
  const ConstraintRank rank = constraint_rank(subject.model, subject.state);
  EXPECT_EQ(rank.equations, 12);
  EXPECT_EQ(rank.rank, 12);
  EXPECT_EQ(rank.degrees_of_freedom, 6 + 6 + 9);
}

// The law of momenta can fail: what holds a body to the ground keeps none.
TEST(GroundLaws, MomentaAreNotKept) {
  for (const std::string text :
       {"constraint = [{ kind = 'spherical', bodies = ['ground', 'b'], point = [0.5, 0.1, 0.2] }]",
        "constraint = [{ kind = 'distance', bodies = ['ground', 'a'], ends = [[0.2, 0, 0.9], [0.8, 0.3, 0.2]] }]"}) {
    const Subject subject(text);
    const Constraint& ground = subject.last();
    EXPECT_FALSE(ground.invariance().translations);
    EXPECT_FALSE(ground.invariance().rotations);
    const Resultant at = resultant(ground, subject.kept(0.3));
    EXPECT_GT(at.force, plainly);
    EXPECT_GT(at.moment, plainly);
    expect_derivatives(ground, 0, subject.somewhere(13));
    EXPECT_LT(midpoint_defect(ground, subject.somewhere(14), subject.somewhere(15)), rounding);
  }
}

// The rank against that of the dense Jacobian; a constraint that repeats itself is named.
TEST_P(ConstraintLaws, RedundantEquationsAreFound) {
  const auto& constraints = subject_.model.parts().constraints;
  const auto n = static_cast<long>(subject_.state.q.size());
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(subject_.model.constraint_count(), n);
  long row = 0;
  for (const auto& constraint : constraints) {
    DenseSink jacobian(subject_.state.q.size());
    constraint->add_jacobian(0, subject_.state.q, 1, jacobian);
    for (int k = 0; k < constraint->count(); ++k, ++row)
      for (long i = 0; i < n; ++i) all(row, i) = jacobian(static_cast<std::size_t>(k), static_cast<std::size_t>(i));
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(all);
  factors.setThreshold(1e-9);  // plain numbers of order 1 on one side, rounding on the other
  const ConstraintRank rank = constraint_rank(subject_.model, subject_.state);
  EXPECT_EQ(rank.equations, row);
  EXPECT_EQ(rank.rank, factors.rank());
  EXPECT_EQ(rank.degrees_of_freedom, n - factors.rank());
  const std::vector<std::string> repeating(rank.rank < rank.equations ? 1 : 0, subject_.last().name());
  EXPECT_EQ(rank.redundant, repeating);
}

// The freedoms that joints take from two free bodies, as in any textbook; three points in a line have one equation too
// many.
TEST(JointLaws, TakeTheirFreedoms) {
  const std::pair<const char*, int> joints[] = {{"distance", 1},  {"spherical", 3}, {"revolute", 5},
                                                {"prismatic", 5}, {"universal", 4}, {"cylindrical", 4},
                                                {"fixed", 6},     {"alignment", 2}, {"point_on_surface", 1}};
  const int free = 6 + 6 + 9;
  for (const auto& [name, taken] : joints) {
    const auto& records = constraint_records();
    const auto record = std::find_if(records.begin(), records.end(), [&](const auto& r) { return r.name == name; });
    ASSERT_NE(record, records.end()) << name;
    const Subject subject(record->example);
    const ConstraintRank rank = constraint_rank(subject.model, subject.state);
    EXPECT_EQ(rank.degrees_of_freedom, free - taken) << name;
    EXPECT_EQ(rank.redundant.empty(), record->name != "alignment") << name;
  }
}

TEST(SurfaceLaws, SpheresAndCylinders) {
  for (const std::string text :
       {"constraint = [{ kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'sphere', center = [0.2, 0.1, 0], "
        "radius = 0.9, point = [1, 0.3, 0.2] }]",
        "constraint = [{ kind = 'point_on_surface', bodies = ['ground', 'b'], surface = 'cylinder', center = [0, 0, "
        "0], "
        "axis = [1, 2, 2], radius = 0.7, point = [1, 0.3, 0.2] }]"}) {
    const Subject subject(text);
    expect_derivatives(subject.last(), 0, subject.somewhere(16));
    expect_rates(subject.last(), 0, subject.somewhere(17), random_vector(subject.state.q.size(), 1, 18));
    EXPECT_LT(midpoint_defect(subject.last(), subject.somewhere(18), subject.somewhere(19)), rounding);
    EXPECT_LT(largest(rates_after_steps(text, "rattle")), 1e-12);
  }
}

TEST(ExpressionLaws, ThatDependOnTime) {
  const Subject subject(
      "constraint = [{ kind = 'expression', bodies = ['a', 'b'], ends = [[0.2, 0, 0], [0.8, 0, 0]], "
      "g = ['x1*y2 - x2^3*sin(3*t)', 'z1 - exp(-t)*cos(z2 - x1) + 1'] }]");
  EXPECT_TRUE(subject.last().depends_on_time());
  EXPECT_EQ(subject.last().count(), 2);
  for (const double t : {0.0, 0.7}) {
    expect_derivatives(subject.last(), t, subject.somewhere(21));
    expect_rates(subject.last(), t, subject.somewhere(22), random_vector(subject.state.q.size(), 1, 23));
  }
  const Resultant at = resultant(subject.last(), subject.somewhere(24));
  EXPECT_GT(at.force, plainly);
  EXPECT_FALSE(subject.last().invariance().translations);
}

// A motion that is given in time: velocities keep G v + dg/dt = 0, not G v = 0.
TEST(ExpressionLaws, VelocitiesFollowTime) {
  const std::string text =
      "constraint = [{ kind = 'expression', bodies = ['a'], ends = [[0, 0, 0]], g = 'x - 0.2*sin(2*t)' }]";
  EXPECT_LT(largest(rates_after_steps(text, "rattle")), 1e-12);
  EXPECT_GT(largest(rates_after_steps(text, "shake")), 1e-6);
}

}  // namespace
}  // namespace livens
