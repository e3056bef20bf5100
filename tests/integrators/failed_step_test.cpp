// A step that fails has not happened: state and ledger are those of the last good step, for every method.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "laws/method.hpp"
#include "math/finite.hpp"

namespace livens {
namespace {

// Towards x = 1, beyond which nothing is defined.
const char* const flights[] = {
    // a load, and no force: steps that are fused
    R"(time = { end = 2 }
integrator = { kind = 'stormer_verlet', step = 0.15 }
force = [{ kind = 'gravity', acceleration = [2, -1, 0.5] },
         { kind = 'expression', body = 'dust', potential = 'sqrt(1 - x)' }]
[[body]]
name = 'dust'
kind = 'particles'
mass = 2
layout = { kind = 'points', points = [[0, 0, 0]] }
initial.velocity = [0.7, 0, 0]
)",
    // a force that takes energy
    R"(time = { end = 2 }
integrator = { kind = 'stormer_verlet', step = 0.15 }
[system]
kind = 'lagrangian'
coordinates = ['x', 'y']
kinetic = '(x_dot^2 + y_dot^2)/2'
potential = 'sqrt(1 - x) - 2*x*(1 + t/3)'
dissipation = '0.3*x_dot^2/2'
initial = { x = 0, x_dot = 0.7, y = 0, y_dot = 1 }
)",
    // velocities that exist nowhere beyond
    R"(time = { end = 2 }
integrator = { kind = 'implicit_midpoint', step = 0.15 }
[system]
kind = 'lagrangian'
coordinates = ['x']
kinetic = 'x_dot^2/2*sqrt(1 - x)'
potential = '-2*x*(1 + t/3)'
dissipation = '0.3*x_dot^2/2'
initial = { x = 0, x_dot = 0.7 }
)",
};

std::vector<double> numbers(const Ledger& ledger) {
  std::vector<double> all = ledger.energy_out;
  all.push_back(ledger.time_work);
  for (int k = 0; k < 3; ++k) {
    all.push_back(ledger.linear_impulse[k]);
    all.push_back(ledger.angular_impulse[k]);
  }
  all.insert(all.end(), ledger.symmetry_impulse.begin(), ledger.symmetry_impulse.end());
  return all;
}

// Whether the flight ended with a failed step.
bool fails_cleanly(const laws::Method& method, const Model& model, const State& start, double h) {
  const auto integrator = method.make(model, h);
  State state = start, last = start;
  std::vector<double> booked = numbers(integrator->ledger());
  const StepReport report = integrator->advance(model, state, 2, [&](const State& now, const StepReport&) {
    last = now;
    booked = numbers(integrator->ledger());
    EXPECT_TRUE(all_finite(now.q) && all_finite(now.p) && all_finite(now.v)) << "t = " << now.t;
    return true;
  });
  if (report.converged) return false;
  EXPECT_EQ(state.t, last.t);
  EXPECT_EQ(state.q, last.q);
  EXPECT_EQ(state.p, last.p);
  EXPECT_TRUE(all_finite(booked));
  EXPECT_EQ(numbers(integrator->ledger()), booked) << report.message;
  return true;
}

TEST(FailedSteps, LeaveStateAndLedgerOfEveryMethod) {
  int failed = 0;
  for (const char* const text : flights) {
    const livens::Setup setup = make_setup(parse_scene(text));
    for (const IntegratorRecord& record : integrator_records())
      for (const std::string& variant : record.law_variants) {
        const laws::Method method(record, variant);
        if (record.name == "static" || method.refuses(*setup.model)) continue;
        for (const double h : {0.15, 0.25, 0.4, 0.7}) {
          SCOPED_TRACE(record.name + " " + variant + ", h = " + std::to_string(h) + "\n" + text);
          failed += fails_cleanly(method, *setup.model, setup.start, h);
        }
      }
  }
  EXPECT_GT(failed, 100);
}

}  // namespace
}  // namespace livens
