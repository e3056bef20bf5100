// The steps themselves: equivalences between methods, published errata, forcing, ledgers, failure, looking.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

namespace livens {
namespace {

const auto pendulum_potential = [](auto, const auto& q) {
  using std::cos;
  return 1.0 - cos(q[0]);
};

State advanced(const Model& model, const std::string& integrator, State state, double t) {
  const auto report = make_integrator(integrator, model)->advance(model, state, t);
  EXPECT_TRUE(report.converged) << report.message;
  return state;
}

Model henon_heiles() {
  return mechanical_model<2>({"x", "y"}, {1, 1.5}, [](auto, const auto& q) {
    return (q[0] * q[0] + q[1] * q[1]) / 2.0 + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3.0;
  });
}

Model magnetic() {
  return lagrangian_model<2>({"x", "y"}, [](auto, const auto& q, const auto& v) {
    return (v[0] * v[0] + v[1] * v[1]) / 2.0 + (q[0] + 0.05 * q[0] * q[0]) * v[1];
  });
}

void expect_near(const State& a, const State& b, double tolerance) {
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    EXPECT_NEAR(a.q[i], b.q[i], tolerance);
    EXPECT_NEAR(a.p[i], b.p[i], tolerance);
  }
}

// 100 steps of order-one numbers: rounding grows to some 1e-14; 1e-12 is safe and far below any method difference.
constexpr double rounding_tolerance = 1e-12;

TEST(Integrators, FamiliesMeetInTheirCommonMembers) {
  const Model model = henon_heiles();
  const State start = make_state(model, 0, {0.3, -0.2}, {0.2, 0.4});
  const auto run = [&](const std::string& kind) {
    return advanced(model, "kind = " + kind + ", step = 0.1", start, 10);
  };
  const State verlet = run("'stormer_verlet'"), midpoint = run("'implicit_midpoint'");
  expect_near(run("'newmark', beta = 0"), verlet, rounding_tolerance);
  expect_near(run("'generalized_trapezoid'"), verlet, rounding_tolerance);
  expect_near(run("'galerkin', degree = 1, quadrature = 'lobatto'"), verlet, rounding_tolerance);
  expect_near(run("'symplectic_euler_a', start = 'second_order'"), verlet, rounding_tolerance);
  expect_near(run("'symplectic_euler_b', start = 'second_order'"), verlet, rounding_tolerance);
  expect_near(run("'hamilton_pontryagin', alpha = 0.5"), midpoint, rounding_tolerance);
  expect_near(run("'galerkin', degree = 1"), midpoint, rounding_tolerance);
  expect_near(run("'hamilton_pontryagin', alpha = 0"), run("'symplectic_euler_b'"), rounding_tolerance);
  expect_near(run("'generalized_midpoint', alpha = 1"), run("'symplectic_euler_a'"), rounding_tolerance);
  EXPECT_GT(std::abs(verlet.q[0] - midpoint.q[0]), 1e-4);  // and they differ from each other
}

// [docs/errata.md]: alpha = 0 and 1 are explicit for separable L; only in between there is a system to solve.
TEST(Integrators, EndsOfTheMidpointFamilyAreExplicit) {
  const Model model = henon_heiles();
  for (const auto& [alpha, iterations] : {std::pair{"0", false}, std::pair{"1", false}, std::pair{"0.5", true}}) {
    State state = make_state(model, 0, {0.3, -0.2}, {0.2, 0.4});
    auto integrator =
        make_integrator(std::string("kind = 'hamilton_pontryagin', alpha = ") + alpha + ", step = 0.1", model);
    integrator->advance(model, state, 1);
    EXPECT_EQ(integrator->counters().newton > 0, iterations) << alpha;
  }
}

TEST(Integrators, MinimumAndRootAgree) {
  const Model model = henon_heiles();
  const State start = make_state(model, 0, {0.3, -0.2}, {0.2, 0.4});
  const Settings settings = integrator_settings("kind = 'hamilton_pontryagin', alpha = 0.3, step = 0.2");
  State by_minimum = start, by_root = start;
  SolverOptions options;
  options.kind = SolverOptions::Kind::minimise;
  integrator_records().at("hamilton_pontryagin").make(settings, options, model)->advance(model, by_minimum, 20);
  options.kind = SolverOptions::Kind::root;
  integrator_records().at("hamilton_pontryagin").make(settings, options, model)->advance(model, by_root, 20);
  expect_near(by_minimum, by_root, rounding_tolerance);
}

// [docs/errata.md]: on linear systems HP(alpha) has the positions of Newmark(beta = alpha (1 - alpha), gamma = 1/2)
// when the starts match: the Newmark velocity belongs to p - h (1/2 - alpha) dW, and is stable iff h w <= 2 / |1 - 2
// alpha|.
TEST(Integrators, LinearStabilityLimitOfHamiltonPontryagin) {
  const Model model = mechanical_model<1>({"x"}, {1}, [](auto, const auto& q) { return q[0] * q[0] / 2.0; });
  const double alpha = 0.3, limit = 2 / std::abs(1 - 2 * alpha);
  for (const double factor : {0.98, 1.02}) {
    State state = make_state(model, 0, {1}, {0});
    const double h = factor * limit;
    auto integrator = make_integrator("kind = 'hamilton_pontryagin', alpha = 0.3, step = " + std::to_string(h), model);
    integrator->advance(model, state, 300 * h);
    EXPECT_EQ(std::abs(state.q[0]) < 100, factor < 1) << factor << ": " << state.q[0];
  }
}

// [docs/errata.md]: the symmetric forcing of symplectic Euler B is v1 = (v0 (1 - c h/2) - h sin q0) / (1 + c h/2) for
// the velocities of the steps.
TEST(Integrators, ForcedSymplecticEulerIsTheSymmetricOne) {
  const double c = 0.6, h = 0.1;
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'symplectic_euler_b', step = 0.1 }\n[system]\nkind = "
      "'lagrangian'\ncoordinates = ['x']\n"
      "kinetic = 'x_dot^2/2'\npotential = '1 - cos(x)'\ndissipation = '0.6*x_dot^2/2'\ninitial = { x = 0.7, x_dot = "
      "0.4 }\n");
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  auto integrator = make_integrator(scene, model);
  double q = 0.7, p = 0.4;  // p holds F+ of the step before
  for (int k = 0; k < 20; ++k) {
    integrator->advance(model, state, (k + 1) * h);
    const double v = (p - h * std::sin(q)) / (1 + c * h / 2);
    q += h * v;
    p = v - c * h / 2 * v;
    EXPECT_NEAR(state.q[0], q, 1e-14);
    EXPECT_NEAR(state.p[0], p, 1e-14);
  }
}

TEST(Integrators, LedgerClosesWithTheStepForEveryMethod) {
  for (const auto& record : integrator_records()) {
    if (record.law_variants.empty() || record.name == "splitting") continue;  // no motion; no forces
    double before = 0;
    for (const double h : {0.05, 0.025}) {
      Scene scene = parse_scene(
          "time = { end = 4 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[system]\nkind = "
          "'lagrangian'\ncoordinates = ['x', 'y']\n"
          "kinetic = '(x_dot^2 + y_dot^2)/2'\npotential = '(x^2 + 2*y^2)/2 + x^2*y + 0.1*sin(t)*x'\ndissipation = "
          "'0.3*(x_dot - y_dot)^2/2'\n"
          "forces = { y = '0.2*cos(2*t)' }\ninitial = { x = 0.3, y = 0.1, x_dot = 0.2, y_dot = -0.5 }\n");
      scene.set("integrator.kind", record.name);
      scene.set("integrator.step", h);
      if (record.name == "dormand_prince") {
        scene.set("integrator.shortest_step", h);
        scene.set("integrator.longest_step", h);
      }
      const Model model = make_model(scene);
      State state = initial_state(scene, model);
      const double start = energy(model, state).total;
      auto integrator = make_integrator(scene, model);
      ASSERT_TRUE(integrator->advance(model, state, 4).converged) << record.name;
      double balance = energy(model, state).total - start - integrator->ledger().time_work;
      double through = 0;
      for (const double out : integrator->ledger().energy_out) {
        balance += out;
        through += std::abs(out);
      }
      EXPECT_GT(through, 0.05) << record.name;  // the forces did something
      const double error = std::abs(balance);
      if (before > 0) {
        EXPECT_LT(error, 0.62 * before + 1e-13) << record.name << ": " << before << " -> " << error;
      }
      // First-order methods gain or lose by themselves; what is left must still vanish with the step.
      const int order =
          record.claims(integrator_settings("kind = '" + record.name + "', step = 0.1"), model.model_class()).order;
      if (order > 1) {
        EXPECT_LT(error, 0.01 * through) << record.name;
      }
      before = error;
    }
  }
}

// A forced oscillation, q = A sin(omega t): the load does no work in the mean, and what rules book for it must not
// grow.
TEST(Integrators, WorkOfALoadHasNoDriftWhateverTheWeightsOfTheEnds) {
  const double force = 0.4, omega = 1.7, A = force / (1 - omega * omega), h = 0.05;
  const Model model = mechanical_model<1>({"q"}, {1}, [=](auto t, const auto& q) {
    using std::sin;
    return q[0] * q[0] / 2.0 - force * q[0] * sin(omega * t);
  });
  for (const char* kind : {"'symplectic_euler_a'", "'symplectic_euler_b'", "'generalized_trapezoid', alpha = 0.3",
                           "'straight_line', points = [0, '2/3'], weights = [0.25, 0.75]", "'stormer_verlet'"}) {
    const auto integrator = make_integrator("kind = " + std::string(kind) + ", step = 0.05", model);
    State state = make_state(model, 0, {0}, {A * omega});
    const double start = energy(model, state).total;
    double early = 0, late = 0;
    integrator->advance(model, state, 400, [&](const State& now, const StepReport&) {
      const double off = std::abs(energy(model, now).total - start - integrator->ledger().time_work);
      (now.t < 40 ? early : late) = std::max(now.t < 40 ? early : late, off);
      return true;
    });
    EXPECT_LT(late, 1.2 * early) << kind;
    EXPECT_LT(early, h * force * std::abs(A) * omega) << kind;  // h/2 dW/dt, for rules of first order
    EXPECT_GT(early, 1e-6) << kind;
  }
}

// P and J minus the impulses of external terms and forces are constant to round-off.
TEST(Integrators, MomentumLedgerCloses) {
  const std::string text =
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.05 }\n[[body]]\nname = 'cluster'\nkind = "
      "'particles'\nmass = [1.0, 2.0, 0.5]\n"
      "layout = { kind = 'points', points = [[0, 0, 0], [1, 0.2, 0], [0.3, 1.1, 0.4]] }\ninitial = { velocities = "
      "[[0.1, 0, 0.2], [0, -0.3, 0], [0.2, 0.2, -0.1]] }\n"
      "[[force]]\nkind = 'spring'\npairs = [[0, 1], [1, 2], [2, 0]]\nstiffness = 5.0\nquartic = 10.0\nrest_length = "
      "0.9\n"
      "[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n[[force]]\nkind = 'drag'\ndrag_coefficient = 0.3\n"
      "[[force]]\nkind = 'strain_damping'\ndamping_time = 0.02\n";
  for (const auto& record : integrator_records()) {
    if (record.law_variants.empty() || record.name == "splitting") continue;  // no motion; no forces
    Scene scene = parse_scene(text);
    scene.set("integrator.kind", record.name);
    const Model model = make_model(scene);
    const Settings settings = integrator_settings("kind = '" + record.name + "', step = 0.05");
    const Claims claims = record.claims(settings, model.model_class());
    State state = initial_state(scene, model);
    const Momenta start = momenta(model, state.q, state.p);
    auto integrator = make_integrator(scene, model);
    ASSERT_TRUE(integrator->advance(model, state, 2).converged) << record.name;
    const Momenta end = momenta(model, state.q, state.p);
    const Ledger& ledger = integrator->ledger();
    EXPECT_GT(std::abs(end.linear[2] - start.linear[2]), 1) << record.name;  // gravity acted
    for (int k = 0; k < 3; ++k) {
      // Momenta of order 100: rounding is some 1e-12.
      EXPECT_NEAR(end.linear[k] - ledger.linear_impulse[k], start.linear[k], 1e-10) << record.name;
      if (claims.angular_momentum == Keeps::exact) {
        EXPECT_NEAR(end.angular[k] - ledger.angular_impulse[k], start.angular[k], 1e-10) << record.name;
      }
    }
  }
}

// K06's placing of implicit damping breaks angular momentum, ours does not [docs/errata.md].
TEST(Integrators, PublishedDampingBreaksAngularMomentum) {
  const auto drift = [](const std::string& form) {
    const Scene scene = parse_scene(
        "time = { end = 1 }\nintegrator = { kind = 'hamilton_pontryagin', step = 0.1 }\n[[body]]\nname = 'pair'\nkind "
        "= 'particles'\nmass = [1.0, 2.0]\n"
        "layout = { kind = 'points', points = [[0, 0], [1, 0.2]] }\ninitial = { velocities = [[0.1, 0.9], [0.4, -0.3]] "
        "}\n"
        "[[force]]\nkind = 'spring'\npairs = [[0, 1]]\nstiffness = 5.0\n[[force]]\nkind = "
        "'strain_damping'\ndamping_time = 0.1\ndamping_form = '" +
        form + "'\n");
    const Model model = make_model(scene);
    const Settings settings = integrator_settings("kind = 'hamilton_pontryagin', step = 0.1");
    const Claims claims = integrator_records().at("hamilton_pontryagin").claims(settings, model.model_class());
    EXPECT_EQ(claims.angular_momentum, form == "published" ? Keeps::no : Keeps::exact);
    EXPECT_EQ(claims.order, form == "second_order" ? 2 : 1);
    State state = initial_state(scene, model);
    const double start = momenta(model, state.q, state.p).angular[2];
    make_integrator(scene, model)->advance(model, state, 5);
    return std::abs(momenta(model, state.q, state.p).angular[2] - start) / std::abs(start);
  };
  EXPECT_LT(drift("exact"), 1e-12);
  EXPECT_LT(drift("second_order"), 1e-12);
  EXPECT_GT(drift("published"), 1e-4);
}

TEST(Integrators, GeneralLagrangianKeepsItsCyclicMomentum) {
  const Model model = magnetic();
  for (const char* kind : {"'implicit_midpoint'", "'stormer_verlet'", "'symplectic_euler_a'", "'galerkin', degree = 3",
                           "'composition', order = 6"}) {
    const State start = make_state(model, 0, {0.2, 0}, {1, 0.3});
    const State end = advanced(model, std::string("kind = ") + kind + ", step = 0.2", start, 100);
    EXPECT_NEAR(end.p[1], start.p[1], 1e-11) << kind;
    EXPECT_GT(std::abs(end.v[1] - start.v[1]), 1e-3) << kind;
  }
}

TEST(Integrators, StepsThatVaryKeepMomentaAndTime) {
  const Model model = magnetic();
  State state = make_state(model, 0, {0.2, 0}, {1, 0.3});
  auto integrator = make_integrator("kind = 'implicit_midpoint', step = '0.1*(1 + 0.5*sin(t))'", model);
  integrator->advance(model, state, 20);
  EXPECT_NEAR(state.p[1], make_state(model, 0, {0.2, 0}, {1, 0.3}).p[1], 1e-12);
  EXPECT_GE(state.t, 20);
  EXPECT_LT(integrator->counters().step_min, 0.06);
  EXPECT_GT(integrator->counters().step_max, 0.14);
}

TEST(Integrators, ConstantStepsDoNotDriftInTime) {
  const Model model = mechanical_model<1>({"x"}, {1}, pendulum_potential);
  State state = make_state(model, 0, {0.1}, {0});
  make_integrator("kind = 'stormer_verlet', step = 0.1", model)->advance(model, state, 10000);
  EXPECT_DOUBLE_EQ(state.t, 10000);
}

// Where one stops to look makes no bit of difference.
TEST(Integrators, LookingChangesNothing) {
  const Model model = henon_heiles();
  for (const auto& record : integrator_records())
    for (const auto& variant : record.law_variants) {
      const std::string text =
          "kind = '" + record.name + "'" + (variant.empty() ? "" : ", " + variant) + ", step = 0.1";
      State once = make_state(model, 0, {0.3, -0.2}, {0.2, 0.4}), often = once;
      make_integrator(text, model)->advance(model, once, 7);
      auto integrator = make_integrator(text, model);
      for (int k = 1; often.t < once.t; ++k) integrator->advance(model, often, 0.05 * k);
      EXPECT_EQ(once.t, often.t) << text;
      EXPECT_EQ(once.q, often.q) << text;
      EXPECT_EQ(once.p, often.p) << text;
    }
}

TEST(Integrators, AStepThatCannotConvergeIsAValueAndLeavesTheState) {
  const Model model = mechanical_model<1>({"x"}, {1}, [](auto, const auto& q) {
    using std::sqrt;
    return sqrt(1.0 - q[0]) * 0.0 + 1.0 / sqrt(1.0 - q[0]);  // nothing beyond x = 1
  });
  State state = make_state(model, 0, {0.5}, {10});
  const State before = state;
  auto integrator = make_integrator("kind = 'stormer_verlet', step = 0.5", model);
  const StepReport report = integrator->advance(model, state, 5);
  EXPECT_FALSE(report.converged);
  EXPECT_FALSE(report.message.empty());
  EXPECT_FALSE(report.advice.empty());
  EXPECT_EQ(state.q, before.q);
  EXPECT_EQ(state.p, before.p);
}

TEST(Integrators, RetriesHalveOnlyTheFailedStep) {
  const Model model =
      mechanical_model<1>({"x"}, {1}, [](auto, const auto& q) { return 1.0 / (q[0] * q[0] * q[0] * q[0]) + q[0]; });
  const Settings settings = integrator_settings("kind = 'hamilton_pontryagin', step = 0.6");
  SolverOptions options;
  options.max_iterations = 4;
  State state = make_state(model, 0, {3}, {-1});
  const auto failing = integrator_records().at("hamilton_pontryagin").make(settings, options, model);
  ASSERT_FALSE(failing->advance(model, state, 12).converged);
  state = make_state(model, 0, {3}, {-1});
  options.retry_halvings = 6;
  const auto retrying = integrator_records().at("hamilton_pontryagin").make(settings, options, model);
  const StepReport report = retrying->advance(model, state, 12);
  EXPECT_TRUE(report.converged) << report.message;
  EXPECT_GT(retrying->counters().retries, 0);
  EXPECT_NEAR(state.t, 12, 1e-12);
}

// [docs/errata.md]: at h = 2^-3 the pendulum is far inside the stability limit of symplectic Euler.
TEST(Integrators, SymplecticEulerIsStableAtOneEighth) {
  const Model model = mechanical_model<1>({"x"}, {1}, pendulum_potential);
  State state = make_state(model, 0, {0.78539816339744828}, {0});
  double largest = 0;
  make_integrator("kind = 'symplectic_euler_b', step = 0.125", model)
      ->advance(model, state, 1000, [&](const State& s, const StepReport&) {
        largest = std::max(largest, std::abs(s.q[0]));
        return true;
      });
  EXPECT_LT(largest, 0.85);
}

}  // namespace
}  // namespace livens
