// L04 4.5: the rotor blades of Tables I and II, Figs 9 to 13, by asynchronous steps. Periods against the paper's and
// against a rod that turns at rest with the angular momentum of the start; fractions of a revolution here, twenty
// revolutions and the transient of the soft blade behind LIVENS_LONG. And one sliver in a mesh of triangles.
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/source_dir.hpp"

namespace livens {
namespace {

constexpr double half_span = 7.2, half_chord = 0.2665, spin = 40;  // m, m, rad/s
constexpr double joint_end = 0.6545;                               // m from the axis, as in scenes/l04_blade

// --- the rod ---------------------------------------------------------------------------------------------------------

struct RodMaterial {
  double density, lambda, mu;
};
using RodMaterials = std::function<RodMaterial(double X)>;

// Neo-Hookean under tension along its axis: the lateral stretch b is that of no lateral stress,
// lambda ln(s b^2) + mu (b^2 - 1) = 0.
double lateral_square(double s, const RodMaterial& m) {
  double b2 = 1;
  for (int k = 0; k < 6; ++k) b2 -= (m.lambda * std::log(s * b2) + m.mu * (b2 - 1)) / (m.lambda / b2 + m.mu);
  return b2;
}

// First Piola stress along the axis, P = lambda ln J / s + mu (s - 1/s).
double stress(double s, const RodMaterial& m) {
  return m.lambda * std::log(s * lateral_square(s, m)) / s + m.mu * (s - 1 / s);
}

double stretch(double P, const RodMaterial& m) {
  constexpr double eps = 1e-5;
  double s = 1;
  for (int k = 0; k < 6; ++k) s -= (stress(s, m) - P) * 2 * eps / (stress(s + eps, m) - stress(s - eps, m));
  return s;
}

struct Rod {
  double period = 0, tip = 0;
};

// dP/dX = -rho omega^2 x, dx/dX = s(P), x(0) = 0, P(tip) = 0, and omega I = spin I_reference with
// I = int rho (x^2 + b^2 r^2) dX; r^2 = 0.2364 half_chord^2 is the chord's radius of inertia of the lens
// t = 1 - 0.8 (Y / half_chord)^2. Midpoint rule from the tip inwards, secant steps for the tip's place.
Rod rod_at_rest(const RodMaterials& material) {
  constexpr int cells = 440;
  const double h = half_span / cells, chord = (1.0 / 3 - 0.8 / 5) / (1 - 0.8 / 3) * half_chord * half_chord;
  double reference = 0;
  for (int i = 0; i < cells; ++i) {
    const double X = (i + 0.5) * h;
    reference += material(X).density * (X * X + chord) * h;
  }
  double omega = spin, inertia = 0;
  const auto centre_for = [&](double tip) {
    double x = tip, P = 0;
    inertia = 0;
    for (int i = cells; i-- > 0;) {
      const RodMaterial m = material((i + 0.5) * h);
      const double x_middle = x - stretch(P, m) * h / 2;
      const double s = stretch(P + m.density * omega * omega * x * h / 2, m);
      P += m.density * omega * omega * x_middle * h;
      inertia += m.density * (x_middle * x_middle + lateral_square(s, m) * chord) * h;
      x -= s * h;
    }
    return x;
  };
  Rod rod;
  for (int k = 0; k < 30; ++k) {
    double before = half_span, tip = 1.05 * half_span, f_before = centre_for(before), f = centre_for(tip);
    for (int i = 0; i < 20 && std::abs(f) > 1e-10; ++i) {
      const double next = tip - f * (tip - before) / (f - f_before);
      before = tip, f_before = f;
      tip = next, f = centre_for(tip);
    }
    const double wanted = spin * reference / inertia;
    rod = {2 * std::numbers::pi / wanted, tip};
    if (std::abs(wanted - omega) < 1e-9) break;
    omega = k < 2 ? wanted : (wanted + omega) / 2;
  }
  return rod;
}

const std::array<RodMaterials, 3> rods = {
    [](double) {
      return RodMaterial{250, 0.98e9, 0.98e9};
    },
    [](double) {
      return RodMaterial{2500, 4e9, 4e9};
    },
    [](double X) {
      return X < joint_end ? RodMaterial{4500, 3e9, 0.75e9} : RodMaterial{250, 0.1e9, 0.025e9};
    }};
constexpr std::array<double, 3> paper = {0.1575, 0.1595, 0.1845};  // s, Table I
constexpr double agreement = 0.005;

// The radial equilibrium has the periods of Table I; a blade of half the span has not (case 3: 0.163 s).
TEST(L04Blade, TheRodAtRestTurnsWithThePeriodsOfTableI) {
  const std::array<double, 3> computed = {0.15814, 0.15964, 0.18449};
  for (std::size_t k = 0; k < 3; ++k) {
    const double period = rod_at_rest(rods[k]).period;
    EXPECT_NEAR(period, computed[k], 2e-5) << k + 1;
    EXPECT_NEAR(period, paper[k], agreement * paper[k]) << k + 1;
  }
  const double soft_throughout = rod_at_rest([](double) { return RodMaterial{250, 0.1e9, 0.025e9}; }).period;
  EXPECT_GT(std::abs(soft_throughout - paper[2]), agreement * paper[2]);
  // Small stretch: dI/I = 2 (8/15) rho omega^2 L^2 / (E ...) is first order in rho omega^2 / E: ten times the density
  // over 4.08 times the modulus.
  const double rigid = 2 * std::numbers::pi / spin;
  const double first = rod_at_rest(rods[0]).period / rigid - 1, second = rod_at_rest(rods[1]).period / rigid - 1;
  EXPECT_NEAR(second / first, 10 / 4.0816, 0.05);
}

// --- the blades ------------------------------------------------------------------------------------------------------

struct Blade {
  Scene scene;
  Model model;
  State state;
  std::unique_ptr<Integrator> integrator;
  std::vector<double> start;
  Momenta momenta_start;
  double energy_start, turned = 0, last_angle = 0, largest_energy_error = 0, largest_momentum_error = 0;

  explicit Blade(const std::string& file, const std::vector<std::pair<std::string, std::string>>& changes = {})
      : scene(changed(file, changes)),
        model(make_model(scene)),
        state(initial_state(scene, model)),
        integrator(make_integrator(scene, model)),
        start(state.q),
        momenta_start(momenta(model, state.q, state.p)),
        energy_start(energy(model, state).total) {}

  static Scene changed(const std::string& file, const std::vector<std::pair<std::string, std::string>>& changes) {
    Scene scene = load_scene(source_dir() + "/scenes/" + file);
    for (const auto& [key, value] : changes) scene.set(key, value);
    return scene;
  }

  // The rotation about z that fits all nodes best, with whole turns.
  void look() {
    double sine = 0, cosine = 0;
    for (std::size_t i = 0; i < start.size(); i += 3) {
      sine += start[i] * state.q[i + 1] - start[i + 1] * state.q[i];
      cosine += start[i] * state.q[i] + start[i + 1] * state.q[i + 1];
    }
    const double angle = std::atan2(sine, cosine);
    turned += std::remainder(angle - last_angle, 2 * std::numbers::pi);
    last_angle = angle;
    largest_energy_error = std::max(largest_energy_error, std::abs(energy(model, state).total / energy_start - 1));
    const Momenta now = momenta(model, state.q, state.p);
    for (int c = 0; c < 3; ++c) {
      const double angular = std::abs(now.angular[c] - momenta_start.angular[c]) / std::abs(momenta_start.angular[2]);
      const double linear =
          std::abs(now.linear[c] - momenta_start.linear[c]) * half_span / std::abs(momenta_start.angular[2]);
      largest_momentum_error = std::max({largest_momentum_error, angular, linear});
    }
  }
  bool advance(double t, int looks) {
    const double from = state.t;
    for (int k = 1; k <= looks; ++k) {
      if (!integrator->advance(model, state, from + (t - from) * k / looks).converged) return false;
      look();
    }
    return true;
  }
  double inertia_ratio() const {
    double now = 0, before = 0;
    for (std::size_t i = 0; i < start.size(); i += 3) {
      now += state.q[i] * state.q[i] + state.q[i + 1] * state.q[i + 1];
      before += start[i] * start[i] + start[i + 1] * start[i + 1];
    }
    return now / before;
  }
};

constexpr double exact = 1e-12;
// Energy error of O(h^2) of the oscillation that the start sets off; measured 1e-7 to 4e-6.
constexpr double energy_band = 1e-5;
// Over twenty revolutions it grows slowly, by resonance between elements that share nodes; measured 1.3e-5 for case 1.
constexpr double energy_after_twenty = 2e-5;

// Table II: the mesh is of the paper's size, and asynchronous steps save as much.
TEST(L04Blade, SavesAsManyUpdatesAsInThePaper) {
  const std::array<std::array<double, 2>, 3> range = {{{5.8, 6.4}, {5.8, 6.4}, {4.8, 6.4}}};
  for (std::size_t k = 0; k < 3; ++k) {
    Blade blade("l04_blade/case_" + std::to_string(k + 1) + ".toml");
    EXPECT_EQ(blade.model.bodies()[0].mesh->elements(), 2112);
    ASSERT_TRUE(blade.advance(k == 2 ? 4e-4 : 2e-4, 2));
    ASSERT_NE(blade.integrator->asynchronous(), nullptr);
    const AsynchronousFacts facts = blade.integrator->asynchronous()->facts();
    EXPECT_EQ(facts.stencils, 2112);
    EXPECT_GT(facts.ideal_speedup, range[k][0]) << k + 1;
    EXPECT_LT(facts.ideal_speedup, range[k][1]) << k + 1;
    const double spread = static_cast<double>(facts.most_updates) / static_cast<double>(facts.least_updates);
    EXPECT_GT(spread, 10) << k + 1;
    EXPECT_LT(spread, 20) << k + 1;
  }
}

// Table II at the paper's final times: updates grow with time, and so follow from a short run. The smallest inradius
// here is 1.3 mm, in the paper 1.0 mm. The total that it prints for case 2, 42.6e10, is not its own maximum times 2089
// elements over its speed-up, 10.7e10; those of the others are.
TEST(L04Blade, UpdatesAtTheFinalTimesAreThoseOfTableII) {
  const struct {
    double end, most, least, total;
  } table[] = {{7.849, 266e6, 14e6, 8.7e10}, {15.015, 325e6, 17e6, 10.7e10}, {27.439, 234e6, 12e6, 8.4e10}};
  for (std::size_t k = 0; k < 3; ++k) {
    Blade blade("l04_blade/case_" + std::to_string(k + 1) + ".toml");
    const double end = k == 2 ? 4e-4 : 2e-4;
    ASSERT_TRUE(blade.advance(end, 1));
    const AsynchronousFacts facts = blade.integrator->asynchronous()->facts();
    const double times = table[k].end / end;
    EXPECT_NEAR(times * static_cast<double>(facts.most_updates) / table[k].most, 0.77, 0.1) << k + 1;
    EXPECT_NEAR(times * static_cast<double>(facts.least_updates) / table[k].least, 1.2, 0.2) << k + 1;
    EXPECT_NEAR(times * static_cast<double>(facts.updates) / table[k].total, 0.83, 0.12) << k + 1;
  }
}

TEST(L04Blade, AMeshCloserToThatOfThePaper) {
  Blade blade("l04_blade/case_1_closer_mesh.toml");
  EXPECT_EQ(blade.model.bodies()[0].mesh->elements(), 2088);  // paper: 2089
  EXPECT_EQ(blade.model.bodies()[0].mesh->nodes(), 4425);     // paper: 4420
  blade.integrator->advance(blade.model, blade.state, 0);     // clocks are set, nothing has gone: from the steps alone
  EXPECT_NEAR(blade.integrator->asynchronous()->facts().ideal_speedup, 6.05, 0.02);  // paper: 6.37
  const double wave_speed = std::sqrt(3 * 0.98e9 / 250), fraction = 0.1;
  EXPECT_NEAR(blade.integrator->counters().step_min * wave_speed / fraction, 1.05e-3,
              2e-5);  // m, inradius; paper 1.0e-3
  EXPECT_NEAR(blade.integrator->counters().step_max * wave_speed / fraction, 15.7e-3, 2e-4);  // paper 19.2e-3
}

// The scenes of full length begin as the exact clocks do: the same motion to second order in the step.
TEST(L04Blade, LevelsBeginAsTheQueueDoes) {
  for (const int k : {1, 3}) {
    const std::string name = "l04_blade/case_" + std::to_string(k);
    Blade queue(name + ".toml"), levels(name + "_long.toml");
    const double end = k == 3 ? 1e-3 : 2e-4;
    ASSERT_TRUE(queue.advance(end, 4) && levels.advance(end, 4));
    double apart = 0, moved = 0;
    for (std::size_t i = 0; i < queue.start.size(); ++i) {
      apart = std::max(apart, std::abs(queue.state.q[i] - levels.state.q[i]));
      moved = std::max(moved, std::abs(queue.state.q[i] - queue.start[i]));
    }
    EXPECT_LT(apart, 1e-6 * moved) << k;
    EXPECT_LT(levels.largest_momentum_error, exact) << k;
    EXPECT_LT(levels.largest_energy_error, 1e-7) << k;
    EXPECT_LT(levels.integrator->counters().evaluations, queue.integrator->counters().evaluations) << k;
  }
}

// On a grid without jitter, which allows longer steps. The start sets off an oscillation of the span; over one of its
// periods the mean rotation is that of the rod at rest.
TEST(L04Blade, KeepsItsMomentaAndTurnsLikeTheRod) {
  Blade blade(
      "l04_blade/case_1.toml",
      {{"body.blade.mesh.jitter", "0"}, {"body.blade.mesh.cells", "[36, 4, 1]"}, {"integrator.courant", "0.3"}});
  // The lowest spanwise mode of a free rod of that length, 2 L / sqrt(E / rho), E of lambda = mu.
  const double oscillation = 4 * half_span / std::sqrt(2.5 * 0.98e9 / 250);
  ASSERT_TRUE(blade.advance(oscillation / 2, 10));
  EXPECT_GT(blade.inertia_ratio(), 1.01);  // it did stretch
  ASSERT_TRUE(blade.advance(oscillation, 10));
  EXPECT_LT(blade.largest_momentum_error, exact);
  EXPECT_LT(blade.largest_energy_error, energy_band);
  const double period = blade.state.t * 2 * std::numbers::pi / blade.turned;
  EXPECT_NEAR(period, rod_at_rest(rods[0]).period, 0.002 * period);
  EXPECT_NEAR(period, paper[0], agreement * period);
  EXPECT_GT(period, 2 * std::numbers::pi / spin * 1.002);  // a rigid blade would be faster
}

// Period over the revolutions after `skipped`.
void expect_period(std::size_t k, double skipped, double revolutions, double tolerance, double energy) {
  Blade blade("l04_blade/case_" + std::to_string(k + 1) + ".toml");
  const double from = skipped * paper[k], to = revolutions * paper[k];
  if (from > 0) {
    ASSERT_TRUE(blade.advance(from, static_cast<int>(50 * skipped)));
  }
  const double before = blade.turned;
  ASSERT_TRUE(blade.advance(to, static_cast<int>(50 * (revolutions - skipped))));
  const double period = (to - from) * 2 * std::numbers::pi / (blade.turned - before);
  testing::Test::RecordProperty("period", std::to_string(period));
  EXPECT_NEAR(period, paper[k], tolerance * paper[k]);
  EXPECT_NEAR(period, rod_at_rest(rods[k]).period, tolerance * period);
  EXPECT_LT(blade.largest_momentum_error, exact);
  EXPECT_LT(blade.largest_energy_error, energy);
}

bool full_length() { return std::getenv("LIVENS_LONG") != nullptr; }

TEST(L04Blade, TwentyRevolutionsOfCase1) {
  if (!full_length()) GTEST_SKIP() << "hours: LIVENS_LONG=1";
  expect_period(0, 0, 20, agreement, energy_after_twenty);
}

TEST(L04Blade, TwentyRevolutionsOfCase2) {
  if (!full_length()) GTEST_SKIP() << "hours: LIVENS_LONG=1";
  expect_period(1, 0, 20, agreement, energy_after_twenty);
}

// The span still swings about its equilibrium, and the mean of 1/I is above 1/I of the mean: the period is 1 to 2 %
// short of what it comes to in the end.
TEST(L04Blade, TransientOfCase3) {
  if (!full_length()) GTEST_SKIP() << "half an hour: LIVENS_LONG=1";
  expect_period(2, 4, 12, 0.02, energy_band);
}

// The paper's final times, with the period over the last half, momenta and energy at all looks.
void expect_full_length(std::size_t k, double end, double tolerance, double energy) {
  Blade blade("l04_blade/case_" + std::to_string(k + 1) + "_long.toml");
  ASSERT_TRUE(blade.advance(end / 2, 1000));
  const double before = blade.turned;
  ASSERT_TRUE(blade.advance(end, 1000));
  const double period = end / 2 * 2 * std::numbers::pi / (blade.turned - before);
  testing::Test::RecordProperty("period", std::to_string(period));
  testing::Test::RecordProperty("energy_error", std::to_string(blade.largest_energy_error));
  EXPECT_NEAR(period, paper[k], tolerance * paper[k]);
  EXPECT_LT(blade.largest_momentum_error, 1e-11);
  EXPECT_LT(blade.largest_energy_error, energy);
}

TEST(L04Blade, FullLengthOfCase1) {
  if (!full_length()) GTEST_SKIP() << "half an hour: LIVENS_LONG=1";
  expect_full_length(0, 7.849, agreement, 2e-6);  // 1.1e-6, without a rise
}

// The energy rises slowly, to 1.4e-5.
TEST(L04Blade, FullLengthOfCase2) {
  if (!full_length()) GTEST_SKIP() << "half an hour: LIVENS_LONG=1";
  expect_full_length(1, 15.015, agreement, 2e-5);
}

// The energy of the motion goes over into short waves, and with it the error of second order in the step: it levels off
// at 7.2e-5. The period is still 0.6 % short of the paper's.
TEST(L04Blade, FullLengthOfCase3) {
  if (!full_length()) GTEST_SKIP() << "more than an hour: LIVENS_LONG=1";
  expect_full_length(2, 27.439, 0.01, 1e-4);
}

// --- the sliver ------------------------------------------------------------------------------------------------------

TEST(L04Sliver, OnlyTheSliverPays) {
  std::array<AsynchronousFacts, 2> facts;
  for (const int push : {0, 1}) {
    const std::string file = source_dir() + "/scenes/l04_sliver/sliver.toml";
    Scene scene = load_scene(file);
    scene.set("parameters.push", static_cast<double>(push));
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    const auto integrator = make_integrator(scene, model);
    const double before = energy(model, state).total;
    ASSERT_TRUE(integrator->advance(model, state, 1).converged);
    EXPECT_NEAR(energy(model, state).total, before, 1e-3 * before);
    facts[push] = integrator->asynchronous()->facts();
  }
  EXPECT_NEAR(facts[0].ideal_speedup, 1, 1e-9);
  EXPECT_GT(facts[1].ideal_speedup, 40);
  // All updates together less than twice those without the sliver; synchronously they would be 80 times as many.
  EXPECT_LT(facts[1].updates, 2 * facts[0].updates);
  EXPECT_GT(facts[1].most_updates * facts[1].stencils, 80 * facts[0].updates);
}

}  // namespace
}  // namespace livens
