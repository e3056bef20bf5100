// Bodies that meet, with contact in layers for explicit methods, and what a run of them shows.
#pragma once

#include "forces/contact_in_layers.hpp"
#include "integrators/impacts.hpp"

namespace livens::testing {

// The blocks or cubes of impacts.hpp, in layers.
struct ExplicitImpact {
  explicit ExplicitImpact(const Assembly& assembly) : state(assembly.start(assembly.model())) { take(assembly.parts); }
  explicit ExplicitImpact(const Impact& impact) : state(impact.state) { take(impact.model->parts()); }
  void take(const ModelParts& parts) {
    Assembly assembly;
    assembly.parts = parts;
    put_contact_in_layers(assembly);
    model = std::make_unique<Model>(assembly.model());
    for (const auto& term : model->parts().terms)
      if (term->barrier() != nullptr) barriers.push_back(term->barrier());
  }
  std::unique_ptr<Model> model;
  State state;
  std::vector<const ContactBarrier*> barriers;
};

struct ExplicitCourse {
  double energy = 0;               // largest change of energy and what the ledger has, over the kinetic energy at first
  double linear = 0, angular = 0;  // largest changes less those of the ledger
  double lost = 0, work = 0;       // at the end
  double least_gap = 1e300;        // m
  int crossings = 0, looks = 0, touching = 0;
  bool converged = true;
  std::string message;
};

// Looked at every `every` seconds.
inline ExplicitCourse play(ExplicitImpact& impact, Integrator& integrator, double end, double every) {
  ExplicitCourse course;
  const Model& model = *impact.model;
  const Momenta before = momenta(model, impact.state.q, impact.state.p);
  const double start = livens::energy(model, impact.state).total;
  double largest = model.kinetic(impact.state.v);
  while (course.converged && impact.state.t < end - 0.5 * every) {
    const StepReport report = integrator.advance(model, impact.state, impact.state.t + every);
    course.converged = report.converged;
    course.message = report.message;
    const State& state = impact.state;
    const Ledger& ledger = integrator.ledger();
    ++course.looks;
    course.lost = 0;
    for (const double out : ledger.energy_out) course.lost += out;
    course.work = ledger.time_work;
    largest = std::max(largest, model.kinetic(state.v));
    course.energy =
        std::max(course.energy, std::abs(livens::energy(model, state).total + course.lost - course.work - start));
    const Momenta now = momenta(model, state.q, state.p);
    for (int k = 0; k < 3; ++k) {
      course.linear = std::max(course.linear, std::abs(now.linear[k] - before.linear[k] - ledger.linear_impulse[k]));
      course.angular =
          std::max(course.angular, std::abs(now.angular[k] - before.angular[k] - ledger.angular_impulse[k]));
    }
    bool touches = false;
    for (const ContactBarrier* barrier : impact.barriers) {
      course.crossings += crossings(*barrier, state.q);
      course.least_gap = std::min(course.least_gap, barrier->smallest_gap(state.q).gap);
      touches = touches || barrier->energy(state.q) > 0;
    }
    course.touching += touches ? 1 : 0;
  }
  course.energy /= largest;
  return course;
}

inline ExplicitCourse play(ExplicitImpact& impact, const std::string& keys, double end, double every) {
  return play(impact, *make_integrator(keys, *impact.model), end, every);
}

}  // namespace livens::testing
