// Bodies that meet, and what a run of an impact shows: for tests of methods with contact.
#pragma once

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <livens/livens.hpp>

#include "contact/contact_barrier.hpp"
#include "contact/crossing.hpp"
#include "support/table_file.hpp"

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

// A row of contact_runs.csv.
inline void table_run(const std::string& what, const Followed& run) {
  table_row("contact_runs", what,
            {{"energy", run.energy},
             {"linear", run.linear},
             {"angular", run.angular},
             {"constraint", run.constraint},
             {"lost", run.lost},
             {"booked", run.booked},
             {"crossings", run.crossings},
             {"Newton steps", static_cast<double>(run.iterations) / run.steps}});
}

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

// keys: of the method, without its step.
inline std::unique_ptr<Integrator> stepping(const std::string& keys, double h, const Model& model) {
  char text[64];
  std::snprintf(text, sizeof text, ", step = %.17g", h);
  return make_integrator(keys + text, model);
}

inline std::unique_ptr<Integrator> energy_momentum(double h, const Model& model) {
  return stepping("kind = 'energy_momentum'", h, model);
}

// A ball of 1 kg and 1 cm that flies towards a plane, from a height above its range.
struct Ball {
  Ball(double range, double height, double speed) {
    Assembly assembly;
    Particles ball;
    ball.layout.dimension = 2;
    ball.layout.positions = {0.3, 0.01 + height};
    ball.mass = {1.0};
    ball.initial.velocity = [speed](const Vec3&) { return Vec3{0.5, -speed, 0}; };
    add(assembly, ball, "ball");
    ContactPlane floor;
    floor.normal = {0, 1, 0};
    floor.barrier = BarrierRule{range, 1e6, 0.01};
    add(assembly, floor, "floor");
    model = std::make_unique<Model>(assembly.model());
    state = assembly.start(*model);
  }
  std::unique_ptr<Model> model;
  State state;
};

struct Impact {
  std::unique_ptr<Model> model;
  State state;
  const ContactBarrier* barrier = nullptr;
};

inline Assembly with_rubber() {
  Assembly assembly;
  add(assembly, neo_hookean({.young = 1e5, .poisson = 0.3, .density = 1000}), "rubber");
  return assembly;
}

inline Impact finished(const Assembly& assembly) {
  Impact impact;
  impact.model = std::make_unique<Model>(assembly.model());
  impact.state = assembly.start(*impact.model);
  for (const auto& term : impact.model->parts().terms)
    if (term->barrier() != nullptr) impact.barrier = term->barrier();
  return impact;
}

inline Impact two_blocks(double offset, double speed) {
  Assembly assembly = with_rubber();
  const auto block = [&](double x, double y, double velocity, int cells, const char* name) {
    Solid solid;
    solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .corner = {x, y}, .cells = {cells, cells}});
    solid.material = "rubber";
    solid.initial.velocity = [velocity](const Vec3&) { return Vec3{velocity, 0, 0}; };
    add(assembly, solid, name);
  };
  block(0, 0, speed, 4, "left");
  block(0.105, offset, -speed, 3, "right");
  add(assembly, ContactBodies{}, "contact");
  return finished(assembly);
}

struct Course {
  double energy = 0, linear = 0, angular = 0;  // largest changes
  int crossings = 0, steps = 0, contacts = 0;
  bool converged = true;
  std::string message;
  Counters counters;
};

inline Course follow(Impact& impact, double h, double end, const std::string& keys = "kind = 'energy_momentum'") {
  Course course;
  const Momenta before = momenta(*impact.model, impact.state.q, impact.state.p);
  const double start = energy(*impact.model, impact.state).total;
  auto integrator = stepping(keys, h, *impact.model);
  const auto report = integrator->advance(*impact.model, impact.state, end, [&](const State& state, const StepReport&) {
    ++course.steps;
    course.energy = std::max(course.energy, std::abs(energy(*impact.model, state).total / start - 1));
    const Momenta now = momenta(*impact.model, state.q, state.p);
    for (int k = 0; k < 3; ++k) {
      course.linear = std::max(course.linear, std::abs(now.linear[k] - before.linear[k]));
      course.angular = std::max(course.angular, std::abs(now.angular[k] - before.angular[k]));
    }
    course.crossings += crossings(*impact.barrier, state.q);
    course.contacts += impact.barrier->energy(state.q) > 0 ? 1 : 0;
    return true;
  });
  course.converged = report.converged;
  course.message = report.message;
  course.counters = integrator->counters();
  return course;
}

// Face on face, corner on face, crossed edges.
inline Impact two_cubes(int kind, double speed, int cells) {
  Assembly assembly = with_rubber();
  const auto cube = [&](const Vec3& place, double turned, double tilted, double velocity, const char* name) {
    Solid solid;
    solid.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = {-0.05, -0.05, -0.05}, .cells = {cells, cells, cells}});
    solid.material = "rubber";
    const double c = std::cos(turned), s = std::sin(turned), d = std::cos(tilted), e = std::sin(tilted);
    solid.initial.position = [=](const Vec3& X) {
      const Vec3 Y{c * X[0] - s * X[1], s * X[0] + c * X[1], X[2]};
      return Vec3{place[0] + Y[0], place[1] + d * Y[1] - e * Y[2], place[2] + e * Y[1] + d * Y[2]};
    };
    solid.initial.velocity = [velocity](const Vec3&) { return Vec3{0, 0, velocity}; };
    add(assembly, solid, name);
  };
  const double quarter = std::atan(1.0), diagonal = std::atan(std::sqrt(2.0));
  cube({0, 0, 0}, 0, kind == 2 ? quarter : 0, speed, "lower");
  if (kind == 0) cube({0.013, 0.007, 0.104}, 0, 0, -speed, "upper");
  if (kind == 1) cube({0.003, 0.007, 0.14}, quarter, diagonal, -speed, "upper");
  if (kind == 2) cube({0.013, 0.007, 0.146}, 2 * quarter, 0, -speed, "upper");
  add(assembly, ContactBodies{}, "contact");
  return finished(assembly);
}

}  // namespace livens::testing
