// Impacts that are followed step by step: what is kept, and whether surfaces cross.
#pragma once

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include <livens/livens.hpp>

#include "contact/crossing.hpp"

namespace livens::testing {

inline std::unique_ptr<Integrator> stepped(double h, const Model& model) {
  char text[64];
  std::snprintf(text, sizeof text, "kind = 'energy_momentum', step = %.17g", h);
  return make_integrator(text, model);
}

struct Collision {
  explicit Collision(const Assembly& assembly)
      : model(std::make_unique<Model>(assembly.model())), state(assembly.start(*model)) {
    for (const auto& term : model->parts().terms)
      if (term->barrier() != nullptr) barriers.push_back(term->barrier());
  }
  std::unique_ptr<Model> model;
  State state;
  std::vector<const ContactBarrier*> barriers;
};

struct Followed {
  double energy = 0;               // largest change, of energy and what the ledger has, over the largest kinetic energy
  double linear = 0, angular = 0;  // largest changes less those of the ledger, absolute
  double constraint = 0;           // largest violation
  double booked = 0;               // work that entered with time, at the end
  double lost = 0;                 // to forces, at the end
  double stored = 0;               // most that contact stored
  int crossings = 0, steps = 0, touching = 0;
  long iterations = 0;
  bool converged = true;
  std::string message;
};

inline Followed follow(Collision& c, double h, double end) {
  Followed result;
  auto integrator = stepped(h, *c.model);
  const Momenta before = momenta(*c.model, c.state.q, c.state.p);
  const double start = livens::energy(*c.model, c.state).total;
  double largest = c.model->kinetic(c.state.v);
  std::vector<double> g(static_cast<std::size_t>(c.model->constraint_count()));
  const auto observe = [&](const State& state, const StepReport& report) {
    ++result.steps;
    result.iterations += report.iterations;
    const Ledger& ledger = integrator->ledger();
    double lost = 0, stored = 0;
    for (const double out : ledger.energy_out) lost += out;
    for (const ContactBarrier* barrier : c.barriers) {
      stored += barrier->energy(state.q);
      result.crossings += crossings(*barrier, state.q);
    }
    result.lost = lost;
    result.booked = ledger.time_work;
    result.stored = std::max(result.stored, stored);
    result.touching += stored > 0 ? 1 : 0;
    const double now = livens::energy(*c.model, state).total;
    largest = std::max(largest, c.model->kinetic(state.v));
    result.energy = std::max(result.energy, std::abs(now + lost - ledger.time_work - start));
    const Momenta after = momenta(*c.model, state.q, state.p);
    for (int k = 0; k < 3; ++k) {
      result.linear = std::max(result.linear, std::abs(after.linear[k] - before.linear[k] - ledger.linear_impulse[k]));
      result.angular =
          std::max(result.angular, std::abs(after.angular[k] - before.angular[k] - ledger.angular_impulse[k]));
    }
    c.model->constraint_values(state.t, state.q, g);
    for (const double value : g) result.constraint = std::max(result.constraint, std::abs(value));
    return true;
  };
  const StepReport report = integrator->advance(*c.model, c.state, end, observe);
  result.converged = report.converged && std::isfinite(result.booked) && std::isfinite(result.lost);
  result.message = report.message;
  result.energy /= largest;
  return result;
}

}  // namespace livens::testing
