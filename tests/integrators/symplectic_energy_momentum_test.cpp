// Time adaption [L04 6.1]: the energy equation and its roots, what happens where there is none, and what that costs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <livens/livens.hpp>

#include "files/memory.hpp"
#include "support/scratch.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

// Energies are sums of a few terms, each evaluated to some 1e-16.
constexpr double exact = 1e-12;

std::string table(const std::string& keys) { return "kind = 'symplectic_energy_momentum', " + keys; }

struct Moving {
  std::string name;
  Model model;
  State start;
};

Moving oscillator(double q = 0.3, double v = 1) {
  Model model = mechanical_model<1>({"q"}, {1}, [](auto, const auto& x) { return x[0] * x[0] / 2.0; });
  State start = make_state(model, 0, {q}, {v});
  return {"oscillator", std::move(model), std::move(start)};
}

Moving pendulum() {
  Model model = mechanical_model<1>({"q"}, {1}, [](auto, const auto& x) {
    using std::cos;
    return 1.0 - cos(x[0]);
  });
  State start = make_state(model, 0, {0.4}, {1.2});
  return {"pendulum", std::move(model), std::move(start)};
}

Moving kepler() {
  Model model = mechanical_model<2>({"x", "y"}, {1, 1}, [](auto, const auto& x) {
    using std::sqrt;
    return -1.0 / sqrt(x[0] * x[0] + x[1] * x[1]);
  });
  State start = make_state(model, 0, {1, 0}, {0.3, 1});
  return {"kepler", std::move(model), std::move(start)};
}

// Four masses between walls.
Moving chain() {
  Model model = mechanical_model<4>({"a", "b", "c", "d"}, {1, 1.5, 0.7, 1}, [](auto, const auto& x) {
    const auto spring = [](const auto& e) { return e * e / 2.0 + e * e * e * e / 4.0; };
    auto sum = spring(x[0]);
    for (std::size_t i = 1; i < 4; ++i) sum = sum + spring(x[i] - x[i - 1]);
    return sum + spring(x[3]);
  });
  State start = make_state(model, 0, {0.3, 0.5, 0.1, -0.2}, {0.8, 0.6, 0.1, -0.4});
  return {"chain", std::move(model), std::move(start)};
}

// energy_root comes first.
std::map<std::string, long> events(const Integrator& integrator) {
  std::map<std::string, long> result;
  for (const auto& [name, count] : integrator.events()) result[name] = count;
  return result;
}

struct Met {
  long roots = 0, others = 0;
  double first = 0, worst_root = 0, worst = 0;  // discrete energy: of the first step; largest deviations over it
};

Met met_along(const Moving& moving, const std::string& keys, long steps) {
  const auto integrator = make_integrator(table(keys), moving.model);
  State state = moving.start;
  Met met;
  long roots = 0;
  integrator->advance(moving.model, state, 1e9, [&](const State& now, const StepReport&) {
    const double e = *integrator->discrete_energy(moving.model, now);
    const long count = integrator->counters().steps;
    if (count == 1) met.first = e;
    const double off = std::abs(e / met.first - 1);
    if (const long now_roots = integrator->events().front().second; now_roots > roots) {
      roots = now_roots;
      met.worst_root = std::max(met.worst_root, off);
    }
    met.worst = std::max(met.worst, off);
    return count < steps;
  });
  met.roots = roots;
  met.others = events(*integrator)["no_root"];
  return met;
}

TEST(SymplecticEnergyMomentum, KeepsTheDiscreteEnergyWhereAStepSolvesForIt) {
  for (const Moving& moving : {oscillator(), pendulum(), kepler(), chain()}) {
    const Met met = met_along(moving, "step = 0.05", 2000);
    EXPECT_GT(met.roots, 50) << moving.name;
    EXPECT_EQ(met.roots + met.others, 1999) << moving.name;
    EXPECT_LE(met.worst_root, exact) << moving.name;
    // Negative control: with a fixed step the same energy varies.
    const Met fixed = met_along(moving, "step = 0.05, shortest_step = 0.05, longest_step = 0.05", 2000);
    EXPECT_GT(fixed.worst, 1e-3) << moving.name;
  }
}

TEST(SymplecticEnergyMomentum, AToleranceIsWhatTheEnergyIsKeptTo) {
  const Met met = met_along(pendulum(), "step = 0.05, tolerance = 1e-4", 200);
  EXPECT_LE(met.worst_root, 2e-4);
  EXPECT_GT(met.worst_root, 1e-9);
}

// Roots of (p^2 + (q + h p)^2) / 2 = E.
std::vector<double> positive_roots(double q, double p, double E) {
  std::vector<double> roots;
  const double square = 2 * E - p * p;
  if (square < 0 || p == 0) return roots;
  for (const double end : {-std::sqrt(square), std::sqrt(square)})
    if (const double h = (end - q) / p; h > 0) roots.push_back(h);
  std::sort(roots.begin(), roots.end());
  return roots;
}

// Downhill both intersections of the line and the circle of L04 Fig. 17 lie ahead: on this side of the valley, and
// beyond it.
TEST(SymplecticEnergyMomentum, TakesTheSmallestOfTwoPositiveRoots) {
  const Moving moving = oscillator(-0.8, 0.3);
  const auto integrator = make_integrator(table("step = 0.1, shortest_step = 0.01, longest_step = 20"), moving.model);
  State state = moving.start;
  double E = 0;
  int twice = 0;
  State before = state;
  integrator->advance(moving.model, state, 1e9, [&](const State& now, const StepReport& report) {
    if (E == 0) {
      E = *integrator->discrete_energy(moving.model, now);
    } else if (const auto roots = positive_roots(before.q[0], before.p[0], E); roots.size() == 2 && roots[0] > 0.01) {
      ++twice;
      EXPECT_LT(roots[1], 20);  // both within the bounds
      EXPECT_NEAR(report.h, roots[0], 1e-10);
    }
    before = now;
    return integrator->counters().steps < 5;
  });
  EXPECT_GE(twice, 3);
}

// The minimising step, against all steps on a fine grid; and what is counted.
TEST(SymplecticEnergyMomentum, WithoutRootMinimisesTheImbalance) {
  const Moving moving = oscillator();
  const double shortest = 0.02, longest = 0.5;
  const auto integrator = make_integrator(table("step = 0.1, shortest_step = 0.02, longest_step = 0.5"), moving.model);
  State state = moving.start, before = state;
  double E = 0;
  std::map<std::string, long> last = events(*integrator);
  integrator->advance(moving.model, state, 1e9, [&](const State& now, const StepReport& report) {
    const auto imbalance = [&](double h) {
      return std::abs((before.p[0] * before.p[0] + std::pow(before.q[0] + h * before.p[0], 2)) / 2 - E);
    };
    auto met = events(*integrator);
    double least = 1e300;
    if (E == 0) E = *integrator->discrete_energy(moving.model, now);
    for (int k = 0; k <= 1000; ++k) least = std::min(least, imbalance(shortest + k * (longest - shortest) / 1000));
    const bool kept = met["no_root_step_kept"] > last["no_root_step_kept"];
    if (met["no_root"] > last["no_root"]) {
      EXPECT_TRUE(kept || imbalance(report.h) <= least + 1e-12);
      for (const double root : positive_roots(before.q[0], before.p[0], E))
        EXPECT_FALSE(root > shortest && root < longest) << "a root was there";
    }
    EXPECT_GE(report.h, integrator->counters().steps == 1 ? 0 : shortest);
    EXPECT_LE(report.h, longest);
    last = met;
    before = now;
    return integrator->counters().steps < 3000;
  });
  EXPECT_EQ(last["energy_root"] + last["no_root"], 2999);
  EXPECT_EQ(last["no_root"], last["no_root_shortest_step"] + last["no_root_longest_step"] + last["no_root_minimum"] +
                                 last["no_root_step_kept"]);
  for (const auto& [name, count] : last) EXPECT_GT(count, 0) << name;
}

// Controls: the oscillator with the smallest root, and another way out where there is none. Largest energy over that of
// the first step, up to 1000.
enum class WayOut { last_step, minimum };
double largest_energy(WayOut way_out, double h, double shortest, double longest, long steps) {
  double q = 0.3, p = 1;
  const double first = (p * p + std::pow(q + h * p, 2)) / 2;
  double E = first, largest = 0;
  for (long k = 0; k < steps && largest < 1e3; ++k) {
    const auto roots = positive_roots(q, p, E);
    const auto root = std::find_if(roots.begin(), roots.end(), [&](double r) { return r >= shortest && r <= longest; });
    const auto energy = [&](double step) { return (p * p + std::pow(q + step * p, 2)) / 2; };
    if (k > 0 && root != roots.end()) {
      h = *root;
    } else if (k > 0 && way_out == WayOut::minimum) {
      h = std::clamp(-q / p, shortest, longest);  // least energy
      for (const double end : {shortest, longest})
        if (std::abs(energy(end) - E) < std::abs(energy(h) - E)) h = end;
    }
    largest = std::max(largest, energy(h) / first);
    if (way_out == WayOut::last_step) E = energy(h);  // (85) as printed: the energy of the step before
    q += h * p;
    p -= h * q;
  }
  return largest;
}

TEST(SymplecticEnergyMomentum, StaysBoundedForHundredThousandSteps) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& [h, steps] : {std::pair{0.05, 20'000L}, {0.1, 100'000L}, {0.2, 20'000L}}) {
    const Met met = met_along(oscillator(), "step = " + std::to_string(h), steps);
    EXPECT_GT(met.others, 1000);
    EXPECT_LE(met.worst_root, exact) << h;
    EXPECT_LT(met.worst, 0.7 * h) << h;  // measured: 0.61 h at most
    // Without bounds a root from one side of the valley to the other ends it within some ten steps; with the same
    // bounds the energy grows all the same.
    EXPECT_GT(largest_energy(WayOut::last_step, h, 0, inf, 100'000), 1e3) << h;
    EXPECT_GT(largest_energy(WayOut::last_step, h, h / 2, 2 * h, 100'000), 5) << h;
  }
}

// With wider bounds the deviation is larger. The chain, which is chaotic, gets to 0.22 within 10^5 steps and has not
// gone further within 4 10^5.
TEST(SymplecticEnergyMomentum, StaysBoundedWithinWiderBounds) {
  for (const Moving& moving : {oscillator(), pendulum(), kepler(), chain()}) {
    const Met met = met_along(moving, "step = 0.05, shortest_step = 0.0125, longest_step = 0.2", 20'000);
    EXPECT_GT(met.roots, 500) << moving.name;
    EXPECT_LE(met.worst_root, exact) << moving.name;
    EXPECT_LT(met.worst, 0.1) << moving.name;  // measured: 0.06 at most
  }
}

// A change of the step from h- to h+ adds (h+ - h-)/2 dW/dt. Taking the minimum wherever it is pumps energy in this
// way.
TEST(SymplecticEnergyMomentum, MinimisingAlonePumpsEnergy) {
  const Met met = met_along(oscillator(), "step = 0.2, shortest_step = 0.05, longest_step = 0.8", 20'000);
  EXPECT_LT(met.worst, 0.8);  // measured: 0.63
  EXPECT_GE(largest_energy(WayOut::minimum, 0.2, 0.05, 0.8, 20'000), 1e3);
}

TEST(SymplecticEnergyMomentum, FixedStepsAreSymplecticEuler) {
  for (const Moving& moving : {pendulum(), chain()}) {
    State a = moving.start, b = moving.start;
    make_integrator(table("step = 0.1, shortest_step = 0.1, longest_step = 0.1"), moving.model)
        ->advance(moving.model, a, 10);
    make_integrator("kind = 'symplectic_euler_a', step = 0.1", moving.model)->advance(moving.model, b, 10);
    for (std::size_t i = 0; i < a.q.size(); ++i) {
      EXPECT_NEAR(a.q[i], b.q[i], exact);
      EXPECT_NEAR(a.p[i], b.p[i], exact);
    }
  }
}

TEST(SymplecticEnergyMomentum, KeepsMomenta) {
  const Moving moving = kepler();
  const auto integrator = make_integrator(table("step = 0.05"), moving.model);
  State state = moving.start;
  ASSERT_TRUE(integrator->advance(moving.model, state, 100).converged);
  EXPECT_GT(integrator->counters().step_max, 1.5 * integrator->counters().step_min);
  EXPECT_NEAR(state.q[0] * state.p[1] - state.q[1] * state.p[0], 1, exact);

  const Model pair = mechanical_model<2>({"a", "b"}, {1, 2}, [](auto, const auto& x) {
    const auto e = x[1] - x[0] - 1.0;
    return e * e / 2.0 + e * e * e * e / 4.0;
  });
  State flying = make_state(pair, 0, {0, 1.4}, {0.7, -0.1});
  const double before = flying.p[0] + flying.p[1];
  ASSERT_TRUE(make_integrator(table("step = 0.05"), pair)->advance(pair, flying, 100).converged);
  EXPECT_NEAR(flying.p[0] + flying.p[1], before, exact);
}

TEST(SymplecticEnergyMomentum, ConvergesWithFirstOrder) {
  const Moving moving = pendulum();
  std::vector<double> errors;
  for (const double h : {0.02, 0.01, 0.005, 0.0025, 0.00125}) {
    State state = moving.start, reference = moving.start;
    make_integrator(table("step = " + std::to_string(h)), moving.model)->advance(moving.model, state, 5);
    char text[96];
    std::snprintf(text, sizeof text, "kind = 'galerkin', degree = 4, step = %.17g", state.t / 100);
    make_integrator(text, moving.model)->advance(moving.model, reference, state.t);
    ASSERT_NEAR(reference.t, state.t, 1e-9);
    errors.push_back(std::hypot(state.q[0] - reference.q[0], state.p[0] - reference.p[0]));
  }
  const double order = std::log2(errors.front() / errors.back()) / static_cast<double>(errors.size() - 1);
  EXPECT_NEAR(order, 1, 0.15);
  EXPECT_GT(errors.back(), 1e-6);
}

TEST(SymplecticEnergyMomentum, ResumesBitForBit) {
  const Moving moving = chain();
  const auto whole = make_integrator(table("step = 0.05"), moving.model);
  State straight = moving.start, state = moving.start;
  whole->advance(moving.model, straight, 40);
  auto first = make_integrator(table("step = 0.05"), moving.model);
  first->advance(moving.model, state, 17);
  MemoryWriter memory;
  first->visit_memory(memory);
  const auto second = make_integrator(table("step = 0.05"), moving.model);
  MemoryReader reader(memory.bytes());
  second->visit_memory(reader);
  second->advance(moving.model, state, 40);
  EXPECT_EQ(state.t, straight.t);
  EXPECT_EQ(state.q, straight.q);
  EXPECT_EQ(state.p, straight.p);
  EXPECT_EQ(second->events(), whole->events());
  EXPECT_EQ(second->discrete_energy(moving.model, state), whole->discrete_energy(moving.model, straight));
  EXPECT_GT(events(*whole)["energy_root"], 0);
}

// A state from elsewhere is a new start: its energy is the one to keep.
TEST(SymplecticEnergyMomentum, AnEditedStateBeginsAnew) {
  const Moving moving = oscillator();
  const auto integrator = make_integrator(table("step = 0.05"), moving.model);
  State state = moving.start;
  integrator->advance(moving.model, state, 3);
  state = moving.start;
  state.q[0] *= 2;
  state.p[0] = state.v[0] *= 2;
  integrator->advance(moving.model, state, 0.01);
  const double E = *integrator->discrete_energy(moving.model, state);
  EXPECT_GT(E, 1.5);
  const long roots = events(*integrator)["energy_root"];
  integrator->advance(moving.model, state, state.t + 0.3);
  EXPECT_GT(events(*integrator)["energy_root"], roots);
  EXPECT_NEAR(*integrator->discrete_energy(moving.model, state) / E, 1, exact);
}

// The scene of L04 Fig. 17: up to the turning point every (q^i+1, p^i+1/2) is on the unit circle. Events of the method
// is in the summary and in the report; for methods without events there is nothing to see.
TEST(SymplecticEnergyMomentum, PublishedSceneSaysWhatItMet) {
  const std::string scene = file_content(source_dir() + "/scenes/l04_time_adaption/oscillator.toml");
  const auto out = testing::scratch() / "run";
  const RunResult result = testing::run_text(scene, out);
  EXPECT_EQ(result.status, "done");
  const auto summary = nlohmann::json::parse(result.summary);
  EXPECT_EQ(summary["verdict"], "kept");
  EXPECT_GT(summary["events"]["energy_root"].get<long>(), 50);
  EXPECT_GT(summary["events"]["no_root"].get<long>(), 100);
  EXPECT_NE(file_content(out / "report.html").find("no root shortest step"), std::string::npos);
  const auto other = testing::run_text(testing::pendulum_text("kind = 'rk4', step = 0.05", "5"), out / "rk4");
  EXPECT_TRUE(nlohmann::json::parse(other.summary)["events"].empty());

  const double h = 0.1;
  const Moving moving = oscillator(0.28 - 0.96 * h, 0.96);
  const auto integrator = make_integrator(table("step = 0.1, shortest_step = 0.025, longest_step = 0.4"), moving.model);
  State state = moving.start, before = state;
  integrator->advance(moving.model, state, 1e9, [&](const State& now, const StepReport&) {
    EXPECT_NEAR(std::hypot(now.q[0], before.p[0]), 1, exact);
    before = now;
    return integrator->counters().steps < 16;
  });
  EXPECT_EQ(events(*integrator)["energy_root"], 15);
}

TEST(SymplecticEnergyMomentum, ClaimsDependOnWhetherStepsVary) {
  const IntegratorRecord& record = integrator_records().at("symplectic_energy_momentum");
  const auto symplectic = [&](const Settings& settings) { return record.claims(settings, {}).symplectic; };
  EXPECT_EQ(symplectic({}), Symplectic::no);
  EXPECT_EQ(symplectic(integrator_settings(table("step = 0.1"))), Symplectic::no);
  EXPECT_EQ(symplectic(integrator_settings(table("step = 0.1, shortest_step = 0.1, longest_step = 0.1"))),
            Symplectic::canonical);
}

void expect_refused(const Model& model, const std::string& keys, const std::string& reason) {
  try {
    make_integrator(table(keys), model);
    ADD_FAILURE() << "not refused: " << reason;
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(SymplecticEnergyMomentum, RefusesForcesAndBoundsThatExcludeTheStep) {
  const Model damped = make_model(
      parse_scene("time = { end = 1 }\nintegrator = { kind = 'rk4', step = 0.1 }\n[system]\nkind = 'lagrangian'\n"
                  "coordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = 'x^2/2'\ndissipation = '0.1*x_dot^2'\n"
                  "initial = { x = 1, x_dot = 0 }\n"));
  expect_refused(damped, "step = 0.1", "force 'dissipation' removes or adds energy");
  expect_refused(oscillator().model, "step = 0.1, shortest_step = 0.2", "between shortest_step and longest_step");
  expect_refused(oscillator().model, "step = 0.1, longest_step = 0.05", "between shortest_step and longest_step");
  EXPECT_NO_THROW(make_integrator(table("step = 0.1"), oscillator().model));
}

}  // namespace
}  // namespace livens
