// Steps with constraints: what SHAKE, RATTLE, constrained Hamilton-Pontryagin, Galerkin and energy-momentum steps keep,
// their orders, the ways a constraint can be held, reactions, and runs that go on.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "diagnostics/make_probes.hpp"
#include "integrators/constrained.hpp"
#include "model/projection.hpp"
#include "support/scratch.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;

bool full_length() { return std::getenv("LIVENS_LONG") != nullptr; }
#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

Scene scene_of(const std::string& file) { return load_scene(source_dir() + "/scenes/" + file); }
Scene pendulum() { return scene_of("multibody_spherical_pendulum.toml"); }

struct Motion {
  explicit Motion(const Scene& the_scene, const std::string& integrator = "")
      : scene(the_scene),
        model(make_model(scene)),
        state(initial_state(scene, model)),
        stepper(integrator.empty() ? make_integrator(scene, model) : make_integrator(integrator, model)) {}
  const State& advance(double t, const Integrator::OnStep& on_step = {}) {
    const StepReport report = stepper->advance(model, state, t, on_step);
    EXPECT_TRUE(report.converged) << report.message;
    return state;
  }
  double violation() const {
    Numbers g(model.constraint_count());
    model.constraint_values(state.t, state.q, g);
    double worst = 0;
    for (const double value : g) worst = std::max(worst, std::abs(value));
    return worst;
  }

  Scene scene;
  Model model;
  State state;
  std::unique_ptr<Integrator> stepper;
};

double distance(const Numbers& a, const Numbers& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// --- orders ----------------------------------------------------------------------------------------------------------

constexpr double order_tolerance = 0.1;  // of orders between two steps; the next term is below a tenth at these

// Error of the end at about t = 1.2 of the pendulum, against steps of order 10 that end at the same time.
double error_at(const std::string& integrator, double& reached) {
  Motion motion(pendulum(), integrator);
  motion.advance(1.2);
  reached = motion.state.t;
  char step[64];
  std::snprintf(step, sizeof step, ", step = %.17g", reached / 24);
  Motion reference(pendulum(), "kind = 'galerkin', degree = 5, quadrature = 'lobatto'" + std::string(step));
  reference.advance(reached);
  EXPECT_NEAR(reference.state.t, reached, 1e-14 * 24);
  return std::max(distance(motion.state.q, reference.state.q), distance(motion.state.v, reference.state.v));
}

double order_of(const std::string& method, const std::string& coarse, const std::string& fine) {
  double t_coarse = 0, t_fine = 0;
  const double large = error_at(method + ", step = " + coarse, t_coarse);
  const double small = error_at(method + ", step = " + fine, t_fine);
  EXPECT_GT(small, 1e-12) << method << ": rounding";
  std::printf("%-60s errors %.3e %.3e order %.3f\n", method.c_str(), large, small, std::log2(large / small));
  return std::log2(large / small);
}

TEST(ConstrainedOrders, OfThePendulum) {
  for (const char* method : {"kind = 'rattle'", "kind = 'hamilton_pontryagin', alpha = 0.5",
                             "kind = 'implicit_midpoint'", "kind = 'energy_momentum'"})
    EXPECT_NEAR(order_of(method, "0.01", "0.005"), 2, order_tolerance) << method;
  EXPECT_NEAR(order_of("kind = 'hamilton_pontryagin', alpha = 0.3", "0.001", "0.0005"), 1, order_tolerance);
  EXPECT_NEAR(order_of("kind = 'galerkin', degree = 2, quadrature = 'lobatto'", "0.04", "0.02"), 4, order_tolerance);
  EXPECT_NEAR(order_of("kind = 'galerkin', degree = 3, quadrature = 'lobatto'", "0.08", "0.04"), 6, order_tolerance);
}

TEST(ConstrainedOrders, WithStepsThatVary) {
  for (const char* method : {"kind = 'rattle'", "kind = 'hamilton_pontryagin', alpha = 0.5"})
    EXPECT_NEAR(order_of(method, "'0.01*(1 + 0.5*sin(5*t))'", "'0.005*(1 + 0.5*sin(5*t))'"), 2, order_tolerance);
}

// --- what is kept ----------------------------------------------------------------------------------------------------

TEST(ConstrainedSteps, ShakeAndRattleHaveTheSamePositions) {
  Motion shake(pendulum(), "kind = 'shake', step = 0.01"), rattle(pendulum(), "kind = 'rattle', step = 0.01");
  const Numbers start = shake.state.q;
  shake.advance(5);
  rattle.advance(5);
  // 500 steps of a regular motion: roundings add up, and grow by their age at most.
  EXPECT_LT(distance(shake.state.q, rattle.state.q), 1e-10);
  EXPECT_GT(distance(shake.state.v, rattle.state.v), 1e-4);
  EXPECT_GT(distance(shake.state.q, start), 0.1) << "it moves";
}

TEST(ConstrainedSteps, VerletIsRattle) {
  Motion verlet(pendulum(), "kind = 'stormer_verlet', step = 0.01"), rattle(pendulum(), "kind = 'rattle', step = 0.01");
  EXPECT_EQ(verlet.advance(2).q, rattle.advance(2).q);
  EXPECT_EQ(verlet.state.p, rattle.state.p);
}

TEST(ConstrainedSteps, TheRodKeepsItsLength) {
  const double end = full_length() ? 10000 : sanitized ? 100 : 1000;  // 10^6 or 10^5 steps
  Motion motion(pendulum());
  double worst = 0, angular = 0, band = 0;
  const double before = energy(motion.model, motion.state).total;
  motion.advance(end, [&](const State& state, const StepReport&) {
    worst = std::max(worst, std::abs(std::hypot(state.q[0], state.q[1], state.q[2]) - 1));
    angular = std::max(angular, std::abs(state.q[0] * state.p[1] - state.q[1] * state.p[0] - 1));
    band = std::max(band, std::abs(energy(motion.model, state).total - before));
    return true;
  });
  std::printf("%ld steps: |g| %.2e, vertical angular momentum %.2e, energy band %.2e\n",
              motion.stepper->counters().steps, worst, angular, band);
  EXPECT_LT(worst, 1e-12);
  EXPECT_LT(angular, full_length() ? 1e-10 : 1e-11);  // roundings of 10^5 steps
  EXPECT_LT(band, 5e-3);                              // of 10 J that go to and fro, at h^2 omega^2 = 1e-3
}

// About the vertical, for all that hold constraints; and a guard: gravity changes the others.
TEST(ConstrainedSteps, AngularMomentumAboutTheVertical) {
  for (const char* method : {"kind = 'rattle'", "kind = 'shake'", "kind = 'hamilton_pontryagin', alpha = 0.3",
                             "kind = 'galerkin', degree = 2, quadrature = 'lobatto'", "kind = 'energy_momentum'",
                             "kind = 'symplectic_euler_a'", "kind = 'generalized_trapezoid', alpha = 0.2"}) {
    Motion motion(pendulum(), method + std::string(", step = 0.02"));
    motion.advance(10);
    const Momenta after = momenta(motion.model, motion.state.q, motion.state.p);
    EXPECT_NEAR(after.angular[2], 1, 1e-12) << method;
    EXPECT_GT(std::hypot(after.angular[0], after.angular[1]), 1e-2) << method;
    EXPECT_LT(motion.violation(), 1e-14) << method;
  }
}

TEST(ConstrainedSteps, EnergyOfTheFourBarMechanism) {
  Motion motion(scene_of("multibody_four_bar.toml"));
  const double before = energy(motion.model, motion.state).total;
  double drift = 0, kinetic_most = 0, kinetic_least = before, worst = 0;
  motion.advance(full_length() ? 1000 : 8, [&](const State& state, const StepReport&) {
    const Energy now = energy(motion.model, state);
    drift = std::max(drift, std::abs(now.total - before));
    kinetic_most = std::max(kinetic_most, now.kinetic);
    kinetic_least = std::min(kinetic_least, now.kinetic);
    worst = std::max(worst, motion.violation());
    return true;
  });
  std::printf("%ld steps: energy %.2e of %.2f J, |g| %.2e\n", motion.stepper->counters().steps, drift, before, worst);
  EXPECT_LT(drift, 1e-10 * before);
  EXPECT_LT(worst, 1e-12);
  EXPECT_GT(kinetic_most, 5 * kinetic_least) << "energy goes to and fro";
}

TEST(ConstrainedSteps, TheBandOfRattleIsNoExactEnergy) {
  Motion motion(scene_of("multibody_four_bar.toml"), "kind = 'rattle', step = 0.01");
  const double before = energy(motion.model, motion.state).total;
  double drift = 0;
  motion.advance(1, [&](const State& state, const StepReport&) {
    drift = std::max(drift, std::abs(energy(motion.model, state).total - before));
    return true;
  });
  EXPECT_GT(drift, 1e-5 * before);
}

// --- redundant constraints -------------------------------------------------------------------------------------------

TEST(RedundantConstraints, AreToldAndRun) {
  for (const auto& [file, redundant, freedoms] :
       {std::tuple{"e04_alignment/multiplier.toml", 1, 7}, {"multibody_four_bar.toml", 6, 1}}) {
    const Scene scene = scene_of(file);
    const Model model = make_model(scene);
    const ConstraintRank rank = constraint_rank(model, initial_state(scene, model));
    EXPECT_EQ(rank.equations - rank.rank, redundant) << file;
    EXPECT_EQ(rank.degrees_of_freedom, freedoms) << file;
    EXPECT_FALSE(rank.redundant.empty()) << file;
    for (const char* method : {"kind = 'rattle'", "kind = 'hamilton_pontryagin', alpha = 0.5",
                               "kind = 'galerkin', degree = 2, quadrature = 'lobatto'", "kind = 'energy_momentum'"}) {
      Motion motion(scene, method + std::string(", step = 0.01"));
      motion.advance(0.2);
      EXPECT_LT(motion.violation(), 1e-13) << file << " " << method;
    }
  }
}

// --- penalties and augmented Lagrangians -----------------------------------------------------------------------------

Scene held_by(const std::string& enforcement, double stiffness, double step) {
  Scene scene = pendulum();
  scene.set("integrator.kind", "energy_momentum");
  scene.set("integrator.step", step);
  if (enforcement != "multiplier") {
    // The reaction is asked of multipliers.
    scene.set("probe", "[{ name = 'bob', body = 'bob', record = ['position'] }]");
    scene.set("constraint.rod.enforcement", enforcement);
    scene.set("constraint.rod.penalty_stiffness", stiffness);
  }
  return scene;
}

TEST(Enforcement, PenaltiesTendToMultipliersWithTheStiffness) {
  constexpr double step = 0.001;
  std::vector<Numbers> path;
  Motion exact(held_by("multiplier", 0, step));
  exact.advance(1, [&](const State& state, const StepReport&) { return path.push_back(state.q), true; });
  Numbers differences;
  for (const double k : {1e3, 1e4, 1e5}) {
    Motion soft(held_by("penalty", k, step));
    EXPECT_EQ(soft.model.constraint_count(), 0);
    double worst = 0;
    std::size_t n = 0;
    soft.advance(1, [&](const State& state, const StepReport&) {
      return worst = std::max(worst, distance(state.q, path[n++])), true;
    });
    differences.push_back(worst);
  }
  std::printf("penalties 1e3, 1e4, 1e5 N/m: off by %.3e %.3e %.3e m\n", differences[0], differences[1], differences[2]);
  // 1/k: a rod that yields by its force of some ten N over k, and swings about that.
  EXPECT_NEAR(std::log10(differences[0] / differences[1]), 1, 0.1);
  EXPECT_NEAR(std::log10(differences[1] / differences[2]), 1, 0.1);
}

// The same motion as with multipliers; returns the rounds that it took.
long expect_augmented(const std::string& kind, double stiffness) {
  constexpr double step = 0.01;
  Scene scene = held_by("augmented", stiffness, step), by_multiplier = held_by("multiplier", 0, step);
  scene.set("integrator.kind", kind);
  by_multiplier.set("integrator.kind", kind);
  Motion exact(by_multiplier), augmented(scene);
  exact.advance(1);
  augmented.advance(1);
  // |g| is asked to be below 1e-11 in each step; a hundred steps, each with its error in the multiplier.
  EXPECT_LT(augmented.violation(), 1e-10) << kind;
  EXPECT_LT(distance(exact.state.q, augmented.state.q), 1e-8) << kind;
  EXPECT_NEAR(augmented.state.lambda.at(0) / exact.state.lambda.at(0), 1, 1e-6) << kind;
  const long rounds = augmented.stepper->events().back().second;
  std::printf("augmented, %s, %g N/m: |g| %.2e, positions %.2e, multiplier %.2e, rounds %ld\n", kind.c_str(), stiffness,
              augmented.violation(), distance(exact.state.q, augmented.state.q),
              std::abs(augmented.state.lambda[0] / exact.state.lambda[0] - 1), rounds);
  return rounds;
}

TEST(Enforcement, AugmentedLagrangiansAreMultipliers) {
  for (const char* kind : {"energy_momentum", "rattle"}) {
    const long rounds = expect_augmented(kind, 1e7);
    EXPECT_GT(rounds, 100) << "more than one a step";
    EXPECT_LT(rounds, 2500) << kind;
  }
}

// A round shrinks the error of the multiplier by 1 + k h^2 / (2 m) = 6.
TEST(Enforcement, AugmentedLagrangiansAreMultipliersAtModestStiffness) {
  for (const char* kind : {"energy_momentum", "rattle"}) EXPECT_LT(expect_augmented(kind, 1e5), 2500) << kind;
}

// k h^2 / m from 1e-3 to 1e6 with every method that holds constraints: soft penalties grow stiffer from round to round.
TEST(Enforcement, AugmentedLagrangiansConvergeAtAnyStiffness) {
  constexpr double step = 0.01;
  for (const char* method : {"rattle", "shake", "stormer_verlet", "symplectic_euler_a", "symplectic_euler_b",
                             "implicit_midpoint", "generalized_midpoint", "generalized_trapezoid",
                             "hamilton_pontryagin", "energy_momentum", "composition", "implicit_euler", "newmark"}) {
    const std::string text = "kind = '" + std::string(method) + "', step = 0.01";
    Motion exact(held_by("multiplier", 0, step), text);
    exact.advance(0.3);
    long most = 0;
    for (double ratio = 1e-3; ratio < 2e6; ratio *= 10) {
      Motion augmented(held_by("augmented", ratio / (step * step), step), text);
      augmented.advance(0.3);
      EXPECT_LT(augmented.violation(), 1e-10) << method << " " << ratio;
      EXPECT_LT(distance(exact.state.q, augmented.state.q), 1e-8) << method << " " << ratio;
      for (const auto& [name, count] : augmented.stepper->events())
        if (name == "rounds of augmented Lagrangians") most = std::max(most, count);
    }
    std::printf("%-24s at most %.1f rounds a step\n", method, static_cast<double>(most) / 30);
    EXPECT_LE(most, 30 * 15L * (std::string(method) == "composition" ? 5 : 1)) << method;
  }
}

TEST(Enforcement, AugmentedLagrangiansThatFailAdviseAStifferPenalty) {
  const Motion motion(held_by("augmented", 1e3, 0.01));
  const StepReport report = Augmentation(motion.model, 1, 0).failed(0, 0.01);
  ASSERT_EQ(report.advice.size(), 1u);
  EXPECT_EQ(report.advice[0].key, "constraint.rod.penalty_stiffness");
  EXPECT_GT(std::stod(report.advice[0].value), 1e3);
}

// --- reactions -------------------------------------------------------------------------------------------------------

// Reaction on the bob against m a - m g: by the exact radial acceleration -v^2 / l, and by differences of velocities.
TEST(Reactions, OfThePendulum) {
  constexpr double solved = 1e-9;  // of their size: reactions are figures to look at, solved to 1e-10
  double off[2] = {0, 0};
  for (const std::size_t refined : {0u, 1u}) {
    const double h = refined == 0 ? 0.01 : 0.005;
    Motion motion(pendulum(), "kind = 'rattle', step = " + std::to_string(h));
    ProbeTarget target;
    target.constraint = 0;
    target.projection = std::make_shared<Projection>(motion.model);
    std::vector<Numbers> velocity, reaction;
    motion.advance(1, [&](const State& state, const StepReport& report) {
      const JointReaction now = joint_reaction(target, {motion.model, state, report, *motion.stepper});
      velocity.push_back(state.v);
      reaction.push_back({now.force[0], now.force[1], now.force[2]});
      const double square = state.v[0] * state.v[0] + state.v[1] * state.v[1] + state.v[2] * state.v[2];
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(now.force[c], (9.81 * state.q[2] - square) * state.q[c], solved * (square + 9.81));
      return true;
    });
    for (std::size_t n = 1; n + 1 < reaction.size(); ++n)
      for (std::size_t c = 0; c < 3; ++c) {
        const double acceleration = (velocity[n + 1][c] - velocity[n - 1][c]) / (2 * h);
        off[refined] = std::max(off[refined], std::abs(reaction[n][c] - (acceleration + (c == 2 ? 9.81 : 0))));
      }
  }
  std::printf("reaction against differences of velocities: %.3e %.3e N\n", off[0], off[1]);
  EXPECT_NEAR(std::log2(off[0] / off[1]), 2, 0.1);  // differences of order 2
  EXPECT_LT(off[1], 0.01);
}

// --- refusals --------------------------------------------------------------------------------------------------------

TEST(Refusals, NameAMethodThatHoldsConstraints) {
  for (const char* kind : {"symplectic_energy_momentum"}) {
    Scene scene = pendulum();
    scene.set("integrator", "{ kind = '" + std::string(kind) + "', step = 0.01 }");
    try {
      check_scene(scene);
      ADD_FAILURE() << kind << " was not refused";
    } catch (const SceneError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("rattle"), std::string::npos) << text;
      EXPECT_NE(text.find("rod"), std::string::npos) << text;
      EXPECT_NE(text.find("penalty"), std::string::npos) << text;
    }
  }
  EXPECT_NO_THROW(check_scene(pendulum()));
}

// --- runs that go on -------------------------------------------------------------------------------------------------

TEST(ConstrainedResume, BitForBitWithMultipliers) {
  using namespace testing;
  const std::filesystem::path folder = scratch();
  for (const auto& [file, end, stop] : {std::tuple{"four_bar", 0.4, 13}, {"chain", 0.2, 17}}) {
    for (const char* method : {"energy_momentum", "rattle"}) {
      Scene scene = scene_of(std::string("multibody_") + file + ".toml");
      scene.set("time.end", end);
      scene.set("integrator.kind", method);
      const std::string text = scene.to_toml(), name = std::string(file) + "_" + method;
      const auto whole = folder / (name + "_whole"), parts = folder / (name + "_parts");
      EXPECT_EQ(run_text(text, whole).exit_code, 0) << name;
      EXPECT_EQ(run_interrupted(text, parts, stop).exit_code, 130) << name;
      EXPECT_NE(file_content(whole / "state.json"), file_content(parts / "state.json")) << name << ": guard";
      EXPECT_EQ(run_text(text, parts, true).exit_code, 0) << name;
      expect_equal_runs(whole, parts, name);
      EXPECT_NE(file_content(whole / "state.json").find("lambda"), std::string::npos) << name;
    }
  }
}

// Supports that move do work: the ledger has it exactly, at a step that is long against the oscillation of the springs.
TEST(EnergyMomentum, BooksTheWorkOfSupportsThatMove) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'energy_momentum', step = 0.05 }\n"
      "force = [{ kind = 'spring', body = 'row', stiffness = 300, cubic = 100 }]\n"
      "selection = [{ name = 'first', body = 'row', kind = 'nearest', point = [0, 0, 0] }]\n"
      "constraint = [{ kind = 'prescribed', selection = 'first', displacement = ['0.1*sin(5*t)', '0.2*sin(3*t)', '0'] "
      "}]\n"
      "body = [{ name = 'row', kind = 'particles', mass = 0.02, layout = { kind = 'chain', count = 5, spacing = 1, "
      "dimension = 3 } }]\n");
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const double before = energy(model, state).total;
  const auto integrator = make_integrator(scene, model);
  const StepReport report = integrator->advance(model, state, 5);
  ASSERT_TRUE(report.converged) << report.message;
  const double work = integrator->ledger().time_work, after = energy(model, state).total;
  EXPECT_GT(std::abs(work), 1e-2);  // it did work
  EXPECT_NEAR(after - before, work, 1e-11 * (std::abs(work) + after));
}

}  // namespace
}  // namespace livens
