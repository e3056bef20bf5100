// Time adaption [L04 6.1] beyond symplectic Euler A: Lagrangians that depend on time, masses that are not diagonal,
// general Lagrangians, and the point of a step anywhere between its ends.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "files/memory.hpp"

namespace livens {
namespace {

// Energies are sums of a few terms, each evaluated to some 1e-16, and v = (q1 - q0)/h to some 1e-15.
constexpr double exact = 1e-12;

std::string table(const std::string& keys) { return "kind = 'symplectic_energy_momentum', " + keys; }

long event(const Integrator& integrator, const std::string& name) {
  for (const auto& [key, count] : integrator.events())
    if (key == name) return count;
  return -1;
}

// An oscillator under 0.4 sin(1.7 t).
constexpr double force = 0.4, omega = 1.7;
Model driven() {
  return mechanical_model<1>({"q"}, {1}, [](auto t, const auto& x) {
    using std::sin;
    return x[0] * x[0] / 2.0 - force * x[0] * sin(omega * t);
  });
}

Model pendulum() {
  return mechanical_model<1>({"q"}, {1}, [](auto, const auto& x) {
    using std::cos;
    return 1.0 - cos(x[0]);
  });
}

// Two rods of length 1 with masses 1 at their ends, g = 1: L depends on q in its mass.
double double_pendulum_energy(const std::vector<double>& q, const std::vector<double>& v) {
  return v[0] * v[0] + v[1] * v[1] / 2 + v[0] * v[1] * std::cos(q[0] - q[1]) - 2 * std::cos(q[0]) - std::cos(q[1]);
}
Model double_pendulum() {
  return lagrangian_model<2>({"a", "b"}, [](auto, const auto& q, const auto& v) {
    using std::cos;
    return v[0] * v[0] + v[1] * v[1] / 2.0 + v[0] * v[1] * cos(q[0] - q[1]) + 2.0 * cos(q[0]) + cos(q[1]);
  });
}

// What a run met: energies of (85), made here from the positions at the ends of its steps alone.
struct Met {
  long roots = 0, steps = 0;
  double worst_root = 0, worst = 0;  // E_start - E, over E of the first step
  double work = 0;                   // sum of h P
  double largest_work = 0;           // of its sizes on the way: it comes and goes
  std::vector<double> h;
};

// E(t, q, v) and P(t, q, v) = -dL/dt at the point a of each step.
template <class Energy, class Power>
Met met_along(const Model& model, State state, const std::string& keys, double a, long steps, const Energy& energy_of,
              const Power& power_of) {
  const auto integrator = make_integrator(table(keys), model);
  Met met;
  double E = 0, scale = 0;
  State before = state;
  const StepReport report = integrator->advance(model, state, 1e9, [&](const State& now, const StepReport& step) {
    const double h = step.h;
    std::vector<double> v(now.q.size()), point(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = (now.q[i] - before.q[i]) / h;
      point[i] = (1 - a) * before.q[i] + a * now.q[i];
    }
    const double t = before.t + a * h, power = power_of(t, point, v);
    const double start = energy_of(t, point, v) - (1 - a) * h * power;
    if (met.steps++ == 0) scale = std::abs(E = start);
    const double off = std::abs(start - E) / scale;
    met.worst = std::max(met.worst, off);
    if (const long roots = event(*integrator, "energy_root"); roots > met.roots) {
      met.roots = roots;
      met.worst_root = std::max(met.worst_root, off);
    }
    E += h * power;
    met.work += h * power;
    met.largest_work = std::max(met.largest_work, std::abs(met.work));
    met.h.push_back(h);
    before = now;
    return met.steps < steps;
  });
  EXPECT_TRUE(report.converged) << report.message;
  EXPECT_NEAR(integrator->ledger().time_work, met.work, exact * static_cast<double>(steps));
  return met;
}

Met driven_met(const std::string& keys, double a, long steps) {
  const Model model = driven();
  return met_along(
      model, make_state(model, 0, {0.3}, {1}), keys, a, steps,
      [](double t, const auto& q, const auto& v) {
        return v[0] * v[0] / 2 + q[0] * q[0] / 2 - force * q[0] * std::sin(omega * t);
      },
      [](double t, const auto& q, const auto&) { return -force * omega * q[0] * std::cos(omega * t); });
}

TEST(VariedTimes, EnergyOfADrivenSystemGoesOnByItsWork) {
  for (const double a : {1.0, 0.5, 0.0, 0.3}) {
    const std::string alpha = ", alpha = " + std::to_string(a);
    const Met met = driven_met("step = 0.05" + alpha, a, 2000);
    std::printf("alpha %.1f: %ld roots of %ld, off %.1e at roots, %.1e at all; work %.3f\n", a, met.roots, met.steps,
                met.worst_root, met.worst, met.work);
    EXPECT_GT(met.roots, 50) << a;
    EXPECT_LE(met.worst_root, exact) << a;
    EXPECT_GT(met.largest_work, 0.1) << a;
    const Met fixed = driven_met("step = 0.05, shortest_step = 0.05, longest_step = 0.05" + alpha, a, 2000);
    EXPECT_GT(fixed.worst, 1e-4) << a;  // the negative control
    EXPECT_EQ(fixed.roots, 0);
  }
}

TEST(VariedTimes, GeneralLagrangianKeepsItsEnergyAtRoots) {
  const Model model = double_pendulum();
  const auto energy_of = [](double, const auto& q, const auto& v) { return double_pendulum_energy(q, v); };
  const auto none = [](double, const auto&, const auto&) { return 0.0; };
  for (const double a : {1.0, 0.5, 0.0}) {
    const Met met = met_along(model, make_state(model, 0, {1.0, 0.4}, {0.3, 0.9}),
                              "step = 0.02, alpha = " + std::to_string(a), a, 1000, energy_of, none);
    std::printf("double pendulum, alpha %.1f: %ld roots of %ld, off %.1e at roots, %.1e at all\n", a, met.roots,
                met.steps, met.worst_root, met.worst);
    EXPECT_GT(met.roots, 50) << a;
    EXPECT_LE(met.worst_root, 10 * exact) << a;
  }
}

// At a = 1/2, E_start = H - h^2/8 S with S = v'W''v + dW'M^-1 dW, and (85) is d(log h)/dt = -1/3 d(log S)/dt.
TEST(VariedTimes, MidpointStepsFollowTheCubeRoot) {
  const Model model = pendulum();
  for (const double h : {0.05, 0.025}) {
    const auto integrator = make_integrator(table("alpha = 0.5, step = " + std::to_string(h)), model);
    State state = make_state(model, 0, {0.4}, {1.2}), before = state;
    std::vector<double> product;
    std::vector<double> steps;
    integrator->advance(model, state, 20, [&](const State& now, const StepReport& step) {
      const double q = (before.q[0] + now.q[0]) / 2, v = (now.q[0] - before.q[0]) / step.h;
      product.push_back(step.h * std::cbrt(v * v * std::cos(q) + std::sin(q) * std::sin(q)));
      steps.push_back(step.h);
      before = now;
      return true;
    });
    const auto [least, most] = std::minmax_element(product.begin(), product.end());
    const auto [shortest, longest] = std::minmax_element(steps.begin(), steps.end());
    std::printf("h0 %.3f: h S^(1/3) within %.2e, h within %.3f; %ld roots of %zu\n", h, *most / *least - 1,
                *longest / *shortest, event(*integrator, "energy_root"), steps.size());
    EXPECT_LT(*most / *least - 1, 10 * h * h);
    EXPECT_GT(*longest / *shortest, 1.1);
    EXPECT_EQ(event(*integrator, "energy_root"), static_cast<long>(steps.size()) - 1);
  }
}

double order_of(const Model& model, const State& start, double a, double end) {
  std::vector<double> errors;
  for (const double h : {0.04, 0.02, 0.01, 0.005}) {
    State state = start, reference = start;
    make_integrator(table("alpha = " + std::to_string(a) + ", step = " + std::to_string(h)), model)
        ->advance(model, state, end);
    char text[96];
    std::snprintf(text, sizeof text, "kind = 'galerkin', degree = 4, step = %.17g", state.t / 100);
    make_integrator(text, model)->advance(model, reference, state.t);
    EXPECT_NEAR(reference.t, state.t, 1e-9);
    double sum = 0;
    for (std::size_t i = 0; i < state.q.size(); ++i)
      sum += std::pow(state.q[i] - reference.q[i], 2) + std::pow(state.p[i] - reference.p[i], 2);
    errors.push_back(std::sqrt(sum));
  }
  std::printf("alpha %.1f: errors %.2e %.2e %.2e %.2e\n", a, errors[0], errors[1], errors[2], errors[3]);
  return std::log2(errors.front() / errors.back()) / static_cast<double>(errors.size() - 1);
}

TEST(VariedTimes, OrderIsTwoAtTheMiddle) {
  const Model plain = pendulum(), forced = driven(), general = double_pendulum();
  const State start = make_state(plain, 0, {0.4}, {1.2});
  EXPECT_NEAR(order_of(plain, start, 0.5, 5), 2, 0.15);
  EXPECT_NEAR(order_of(plain, start, 1, 5), 1, 0.15);
  EXPECT_NEAR(order_of(plain, start, 0, 5), 1, 0.15);
  EXPECT_NEAR(order_of(forced, make_state(forced, 0, {0.3}, {1}), 0.5, 5), 2, 0.2);
  EXPECT_NEAR(order_of(forced, make_state(forced, 0, {0.3}, {1}), 1, 5), 1, 0.2);
  EXPECT_NEAR(order_of(general, make_state(general, 0, {0.5, 0.2}, {0.3, 0.4}), 0.5, 3), 2, 0.2);
}

std::vector<double> steps_of(const Model& model, State& state, const std::string& keys, double end) {
  std::vector<double> steps;
  const auto integrator = make_integrator(table(keys), model);
  EXPECT_TRUE(integrator
                  ->advance(model, state, end,
                            [&](const State&, const StepReport& step) {
                              steps.push_back(step.h);
                              return true;
                            })
                  .converged);
  EXPECT_GT(event(*integrator, "energy_root"), 20);
  return steps;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance);
}

// Roots are found to the rounding of the energy, and h from it with the inverse of its slope.
constexpr double same_step = 1e-8;

// v_x^2 + v_x v_y + v_y^2 = 3/4 u_dot^2 + 1/4 w_dot^2 in u = x + y, w = x - y.
TEST(VariedTimes, AMassThatIsNotDiagonalIsTheSameMotion) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'symplectic_energy_momentum', step = 0.05 }\n[system]\n"
      "kind = 'lagrangian'\ncoordinates = ['x', 'y']\nkinetic = 'x_dot^2 + x_dot*y_dot + y_dot^2'\n"
      "potential = '1 - cos(x + y) + (x - y)^2/2 + (x - y)^4/4'\n"
      "initial = { x = 0.3, y = -0.1, x_dot = 0.5, y_dot = 0.2 }\n");
  const Model coupled = make_model(scene);
  ASSERT_FALSE(coupled.diagonal_mass());
  const Model diagonal = mechanical_model<2>({"u", "w"}, {1.5, 0.5}, [](auto, const auto& q) {
    using std::cos;
    return 1.0 - cos(q[0]) + q[1] * q[1] / 2.0 + q[1] * q[1] * q[1] * q[1] / 4.0;
  });
  for (const char* keys : {"step = 0.05", "step = 0.05, alpha = 0.5"}) {
    State a = initial_state(scene, coupled), b = make_state(diagonal, 0, {0.2, 0.4}, {0.7, 0.3});
    expect_same(steps_of(coupled, a, keys, 4), steps_of(diagonal, b, keys, 4), same_step);
    EXPECT_NEAR(a.q[0] + a.q[1], b.q[0], same_step);
    EXPECT_NEAR(a.q[0] - a.q[1], b.q[1], same_step);
  }
}

// A spring to a support that moves is a potential that depends on time.
TEST(VariedTimes, MovingSupportsAreADependenceOnTime) {
  const auto place = [](double t) { return 0.3 * std::sin(1.1 * t); };
  ModelParts parts = mechanical_model<2>({"s", "q"}, {1, 1}, [](auto, const auto& x) {
                       const auto e = x[1] - x[0];
                       return e * e / 2.0 + e * e * e * e / 4.0;
                     }).parts();
  parts.supports.push_back({"shaker", {0}, [place](double t, Vector x, Vector v) {
                              x[0] = place(t);
                              v[0] = 0.33 * std::cos(1.1 * t);
                            }});
  const Model shaken(std::move(parts));
  const Model driven_by_time = mechanical_model<1>({"q"}, {1}, [](auto t, const auto& x) {
    using std::sin;
    const auto e = x[0] - 0.3 * sin(1.1 * t);
    return e * e / 2.0 + e * e * e * e / 4.0;
  });
  // At alpha = 1 the explicit way and the solved one take what a longer step adds from other differences.
  for (const char* keys : {"step = 0.05, alpha = 0.5", "step = 0.05, alpha = 0", "step = 0.05, alpha = 0.3"}) {
    SCOPED_TRACE(keys);
    State a = make_state(shaken, 0, {0, 0.6}, {0, 0.8}), b = make_state(driven_by_time, 0, {0.6}, {0.8});
    shaken.place_supports(0, a);
    expect_same(steps_of(shaken, a, keys, 5), steps_of(driven_by_time, b, keys, 5), same_step);
    EXPECT_NEAR(a.q[1], b.q[0], same_step);
    EXPECT_NEAR(a.q[0], place(a.t), exact);
  }
  State state = make_state(shaken, 0, {0, 0.6}, {0, 0.8});
  shaken.place_supports(0, state);
  const auto integrator = make_integrator(table("step = 0.05"), shaken);
  double first = 0, work = 0;
  long roots = 0;
  integrator->advance(shaken, state, 20, [&](const State& now, const StepReport&) {
    const double E = *integrator->discrete_energy(shaken, now) - work;
    work = integrator->ledger().time_work;
    if (integrator->counters().steps == 1) first = E;
    if (event(*integrator, "energy_root") > roots) {
      EXPECT_NEAR(E, first, exact);
    }
    roots = event(*integrator, "energy_root");
    return true;
  });
  EXPECT_GT(roots, 50);
}

TEST(VariedTimes, StaysBoundedForThousandsOfSteps) {
  for (const double a : {0.5, 0.0, 1.0}) {
    const Model model = double_pendulum();
    const Met met = met_along(
        model, make_state(model, 0, {0.5, 0.2}, {0.3, 0.4}), "step = 0.05, alpha = " + std::to_string(a), a, 2000,
        [](double, const auto& q, const auto& v) { return double_pendulum_energy(q, v); },
        [](double, const auto&, const auto&) { return 0.0; });
    std::printf("2000 steps, alpha %.1f: %ld roots, worst %.2e\n", a, met.roots, met.worst);
    EXPECT_LT(met.worst, 0.1) << a;
  }
}

TEST(VariedTimes, ResumesBitForBit) {
  const Model model = double_pendulum();
  const State start = make_state(model, 0, {1.0, 0.4}, {0.3, 0.9});
  const std::string keys = table("step = 0.02, alpha = 0.5");
  const auto whole = make_integrator(keys, model), first = make_integrator(keys, model),
             second = make_integrator(keys, model);
  State straight = start, state = start;
  whole->advance(model, straight, 4);
  first->advance(model, state, 1.7);
  MemoryWriter memory;
  first->visit_memory(memory);
  MemoryReader reader(memory.bytes());
  second->visit_memory(reader);
  second->advance(model, state, 4);
  EXPECT_EQ(state.t, straight.t);
  EXPECT_EQ(state.q, straight.q);
  EXPECT_EQ(state.p, straight.p);
  EXPECT_EQ(second->events(), whole->events());
}

}  // namespace
}  // namespace livens
