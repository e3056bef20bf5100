// livens check: everything that can be known of a scene without running it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/global_control.h>

#include <livens/asynchronous.hpp>
#include <livens/run.hpp>
#include <livens/setup.hpp>

#include "diagnostics/stiffness.hpp"
#include "model/projection.hpp"
#include "run/contact_advice.hpp"
#include "run/envelope.hpp"
#include "run/plan.hpp"
#include "scene/schema.hpp"
#include "scene_arguments.hpp"

namespace livens::app {
namespace {

std::string count(long n, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string model_line(const Model& model) {
  std::string text = count(model.size(), "unknown", "unknowns");
  if (model.supported_count() > 0) text += fmt::format(" ({} held)", model.supported_count());
  for (const Body& body : model.bodies())
    if (body.dimension == 0 && model.dimension() > 0)
      text += ", " + count(body.nodes, "generalised coordinate", "generalised coordinates");
    else if (body.dimension > 0)
      text += fmt::format(", body '{}' of {} in {}D", body.name, count(body.nodes, "node", "nodes"), body.dimension);
  text += model.separable() ? ", separable" : ", general Lagrangian";
  if (model.model_class().forced) text += ", forced by";
  std::string last;
  for (const auto& force : model.parts().forces)
    if (force->name() != last) text += " " + (last = force->name());
  if (!model.parts().symmetries.empty()) text += ", symmetries";
  for (const Symmetry& symmetry : model.parts().symmetries) text += " " + symmetry.name;
  return text;
}

// "5 bodies, 60 coordinates, 65 constraints (6 redundant), 1 degree of freedom; the start is consistent."
std::string mechanism_line(const Model& model, const ConstraintRank& rank) {
  std::string text =
      fmt::format("{}, {} coordinates, {}", count(static_cast<long>(model.bodies().size()), "body", "bodies"),
                  model.size(), count(rank.equations, "constraint", "constraints"));
  if (rank.rank < rank.equations) text += fmt::format(" ({} redundant)", rank.equations - rank.rank);
  if (model.supported_count() > 0) text += fmt::format(", {} held", model.supported_count());
  text += ", " + count(rank.degrees_of_freedom, "degree of freedom", "degrees of freedom");
  return text + fmt::format("; the start is consistent (to {:.1e} m and {:.1e} m/s).", rank.largest_position,
                            rank.largest_velocity);
}

bool has_solids(const Model& model) {
  const auto& bodies = model.bodies();
  return std::any_of(bodies.begin(), bodies.end(), [](const Body& body) { return body.mesh != nullptr; });
}

std::string claims_line(const RunPlan& plan) {
  const Claims& c = plan.claims;
  return fmt::format("{}: order {}, symplectic: {}, {}, momenta: linear {}, angular {}, energy: {}{}",
                     plan.integrator_name(), c.order, to_string(c.symplectic),
                     c.symmetric ? "symmetric" : "not symmetric", to_string(c.linear_momentum),
                     to_string(c.angular_momentum), to_string(c.energy), c.note.empty() ? "" : " (" + c.note + ")");
}

// Rule 7: steps are never bent.
std::string time_line(const RunPlan& plan) {
  if (!plan.constant_step()) return fmt::format("{:.6g} s to {:.6g} s, in variable steps", plan.t_begin, plan.t_end);
  const double h = *plan.step(plan.t_begin), steps = (plan.t_end - plan.t_begin) / h;
  const double whole = std::ceil(steps - 1e-9 * std::max(1.0, std::abs(steps) * 1e-3));
  if (std::abs(steps - std::round(steps)) <= 1e-9 * std::max(1.0, steps))
    return fmt::format("{:.6g} s to {:.6g} s in {:.0f} steps of {:.6g} s", plan.t_begin, plan.t_end, std::round(steps),
                       h);
  return fmt::format("end = {:.6g} s is not a whole number of steps of {:.6g} s: the run ends at {:.6g} s", plan.t_end,
                     h, plan.t_begin + whole * h);
}

std::string extent_text(const Body& body) {
  std::string text;
  for (int c = 0; c < body.dimension; ++c) {
    double least = body.reference[c], most = least;
    for (int a = 0; a < body.nodes; ++a) {
      const double x = body.reference[a * body.dimension + c];
      least = std::min(least, x);
      most = std::max(most, x);
    }
    text += fmt::format("{}{:.4g}", c == 0 ? "" : " x ", most - least);
  }
  return text + " m";
}

// What a solid is made of, and how large it is.
std::string solid_line(const Body& body) {
  return fmt::format("'{}': {}, {} {}, {:.6g} kg, {}", body.name, count(body.nodes, "node", "nodes"),
                     body.mesh->elements(), to_string(body.mesh->kind), body.mass, extent_text(body));
}

// Of quadratic elements with a lumped mass: what that costs.
std::string mass_hint(const Model& model, const Body& body) {
  const auto inside = [&](const MassEntry& entry) {
    return entry.row >= body.first && entry.row < body.first + body.size();
  };
  const auto& coupled = model.parts().mass.off_diagonal;
  if (body.mesh == nullptr || !quadratic(body.mesh->kind) || std::any_of(coupled.begin(), coupled.end(), inside))
    return "";
  return fmt::format(
      "'{}' has quadratic elements and a lumped mass, which lowers frequencies (the first mode of a free "
      "cube of tet10 by 2.2 %); mass_matrix = \"consistent\" raises them less (0.5 %)",
      body.name);
}

// Bytes that an element takes in a run with the default outputs, with its share of the nodes; measured, in
// docs/solids.md. 0 where nobody has.
double bytes_per_element(ElementKind kind, const Integrator& integrator) {
  const bool steps_explicitly = integrator.solve_path().kind == SolvePath::Kind::explicit_step;
  if (kind == ElementKind::tet4) return integrator.asynchronous() != nullptr ? 850 : steps_explicitly ? 440 : 970;
  if (kind == ElementKind::tet10 && integrator.asynchronous() == nullptr) return steps_explicitly ? 2500 : 11200;
  return 0;
}

// What solids take; empty where it is not known.
std::string memory_line(const Model& model, const Integrator& integrator) {
  constexpr double program = 40e6;
  double bytes = program;
  for (const Body& body : model.bodies()) {
    if (body.mesh == nullptr) continue;
    const double each = bytes_per_element(body.mesh->kind, integrator);
    if (each == 0) return "";
    bytes += each * body.mesh->elements();
  }
  if (bytes == program) return "";
  const bool factorises = integrator.solve_path().kind != SolvePath::Kind::explicit_step;
  return fmt::format("about {:.2g} GB{}", 1e-9 * bytes, factorises ? ", more where a matrix is factorised" : "");
}

std::string limit_line(const RunPlan& plan, double omega, double damping_time) {
  const double limit = explicit_step_limit(omega, damping_time);
  std::string text = fmt::format("explicit steps up to {:.4g} s at the start (omega_max {:.4g} rad/s)",
                                 explicit_step_limit(omega), omega);
  if (damping_time > 0) text += fmt::format(", but damping_time {:.4g} s lowers that to {:.4g} s", damping_time, limit);
  const auto h = plan.step(plan.t_begin);
  if (h && plan.claims.explicit_steps && *h > limit) text += fmt::format("; the step {:.4g} s is BEYOND it", *h);
  return text;
}

// An implicit step assembles and solves a few times; about this many explicit ones cost as much.
constexpr double implicit_cost = 50;

// `exact`: the method to be taken in place of the midpoint rule; empty where that will do.
std::string advice_line(const RunPlan& plan, double omega, double damping_time, const std::string& exact) {
  const double limit = explicit_step_limit(omega, damping_time), duration = plan.t_end - plan.t_begin;
  const double h = *plan.step(plan.t_begin), short_step = 0.9 * limit;
  const std::string as_explicit =
      fmt::format("stormer_verlet at {:.2g} s ({:.0f} steps)", short_step, std::ceil(duration / short_step));
  const std::string as_implicit =
      fmt::format("{} at {:.4g} s ({:.0f} steps, h*omega_max {:.2g})",
                  exact.empty() ? "hamilton_pontryagin, alpha 0.5," : exact, h, std::ceil(duration / h), h * omega);
  if (h > implicit_cost * short_step)
    return "use " + as_implicit + ": explicit steps would be " +
           fmt::format("{:.0f}", std::ceil(duration / short_step));
  if (h <= limit) return "use stormer_verlet: the step is within the explicit limit";
  return "use " + as_explicit + ", or where only slow motion matters " + as_implicit;
}

// For solids that touch something at steps beyond what their method takes; empty for others.
std::string envelope_note(const RunPlan& plan, const std::string& exact, double h, double omega) {
  return fmt::format(
      "h*omega_max {:.2g} is beyond the envelope of {} for bodies that hit something (docs/solids.md): its energy may "
      "grow until a step fails. --set integrator.kind={} keeps the energy at this step; shorter steps do as well",
      h * omega, plan.integrator_name(), exact);
}

// Of the processor: what else the machine does would count for the longer work and not for the shorter one.
double seconds_of(const std::function<void()>& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::clock_t began = std::clock();
    work();
    least = std::min(least, static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC);
  }
  return least;
}

// Of one of many steps: looking at the end of them costs as well.
double seconds_of_steps(const std::function<void(int)>& make_steps) {
  constexpr double enough = 0.02;  // s
  constexpr int fewest = 8, most = 512;
  for (int steps = fewest;; steps *= 4) {
    const double seconds = seconds_of([&] { make_steps(steps); });
    if (seconds >= enough || steps >= most) return seconds / steps;
  }
}

// What equal steps of the whole would take, at the same fraction of their limit: in updates, and in seconds by the time
// of one gradient of the model, which is most of a step of Verlet.
std::string against_verlet(double updates, double seconds, double clocks, double duration, double step,
                           double step_seconds) {
  const double steps = std::ceil(duration / step), all = steps * clocks, verlet_seconds = steps * step_seconds;
  std::string text = fmt::format("stormer_verlet at {:.3g} s takes {:.2g} updates", step, all);
  text += all > updates ? fmt::format(", {:.3g} times as many", all / updates)
                        : fmt::format(", {:.3g} times fewer", updates / all);
  text += fmt::format("; predicted on one core: {:.2g} s against {:.2g} s", verlet_seconds, seconds);
  if (verlet_seconds < seconds)
    text +=
        fmt::format(", so that asynchronous steps, {:.3g} times slower, are not worth it", seconds / verlet_seconds);
  else
    text += fmt::format(": asynchronous steps are {:.3g} times faster", verlet_seconds / seconds);
  return text;
}

constexpr double fraction = 0.85;  // of the limit, for both

// Of asynchronous methods: how many clocks, how far apart, and what a run will take.
void print_clocks(Integrator& integrator, const Model& model, const State& start, const RunPlan& plan,
                  std::optional<double> omega, bool own_steps) {
  if (!integrator.continuous()) return;
  State state = start;
  integrator.advance(model, state, state.t);
  if (integrator.asynchronous() == nullptr) return;
  const AsynchronousFacts facts = integrator.asynchronous()->facts();
  const double duration = plan.t_end - plan.t_begin, of_wholes = facts.whole_updates_per_second * duration;
  const double updates = facts.updates_per_second * duration + of_wholes;
  const double longest = integrator.counters().step_max;
  std::string clocks = count(facts.stencils, "stencil", "stencils"), among;
  if (facts.wholes > 0) {
    clocks += " and " + count(facts.wholes, "term as a whole", "terms as a whole");
    among = fmt::format(", {:.2g} of them of terms as a whole", of_wholes);
  }
  fmt::print("  clocks      {}, steps of {:.3g} s to {:.3g} s, about {:.2g} updates{}\n", clocks,
             integrator.counters().step_min, longest, updates, among);
  // Steps that the scene gives are no rule's to judge.
  if (omega && *omega > 0 && longest > 0 && facts.stencils + facts.wholes > 0 && !own_steps) {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);  // others would wait at its expense
    std::vector<double> g(state.q.size());
    const double gradient = seconds_of([&] { model.gradient(start.t, start.q, g); });
    const double step =
        seconds_of_steps([&](int steps) { integrator.advance(model, state, state.t + steps * longest); });
    fmt::print("  compare     {}\n",
               against_verlet(updates, step * duration / longest, static_cast<double>(facts.stencils + facts.wholes),
                              duration, fraction * explicit_step_limit(*omega, plan.damping_time), gradient));
  }
  for (const std::string& text : integrator.warnings()) fmt::print("  warning     {}\n", text);
}

// How often an asynchronous run updates its elements, on the average; 0 of others.
double sweeps_of(const Integrator& integrator, double duration) {
  if (integrator.asynchronous() == nullptr) return 0;
  const AsynchronousFacts facts = integrator.asynchronous()->facts();
  return facts.stencils > 0 ? facts.updates_per_second * duration / static_cast<double>(facts.stencils) : 0;
}

// Whether the scene gives terms steps by name.
bool gives_steps(const Scene& scene) {
  const Node* table = scene.root.find("integrator");
  return table != nullptr && table->find("steps") != nullptr;
}

// Such scenes have advice of their own, that of contact.
bool keeps_apart(const Model& model) {
  const auto& terms = model.parts().terms;
  return std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term->barrier() != nullptr; });
}

int check(const Arguments& arguments) {
  const Scene scene = load_with_changes(arguments.text("SCENE"), arguments);
  if (is_study(scene)) {
    check_scene(scene);
    fmt::print("OK        {}: a study\n", arguments.text("SCENE"));
    return done;
  }
  const Setup setup = make_setup(scene);
  const Model& model = *setup.model;
  const State& state = setup.start;
  const RunPlan& plan = setup.plan;
  const auto& integrator = setup.integrator;
  fmt::print("OK        {}: {}\n", arguments.text("SCENE"), scene.title());
  fmt::print("  model       {}\n", model_line(model));
  if (model.constraint_count() > 0) {
    const ConstraintRank rank = constraint_rank(model, state);
    fmt::print("  mechanism   {}\n", mechanism_line(model, rank));
    if (!rank.redundant.empty())
      fmt::print("  redundant   equations of {} are redundant: reactions there are not unique\n",
                 fmt::join(rank.redundant, ", "));
  }
  for (const Body& body : model.bodies())
    if (body.mesh != nullptr) fmt::print("  solid       {}\n", solid_line(body));
  fmt::print("  integrator  {}\n", claims_line(plan));
  fmt::print("  solver      {}\n", to_string(integrator->solve_path()));
  if (const std::string text = memory_line(model, *integrator); !text.empty()) fmt::print("  memory      {}\n", text);
  fmt::print("  time        {}\n", time_line(plan));
  const auto omega = omega_max(model, state);
  print_clocks(*integrator, model, state, plan, omega, gives_steps(scene));
  if (omega) {
    fmt::print("  limit       {}\n", limit_line(plan, *omega, plan.damping_time));
    if (const auto h = plan.step(plan.t_begin))
      if (const std::string text = halved_damping_warning(plan, *h, *omega); !text.empty())
        fmt::print("  warning     {}\n", text);
    if (const auto h = plan.step(plan.t_begin); h && has_solids(model) && !keeps_apart(model)) {
      const std::string exact = beyond_envelope(plan, model, *h, *omega) ? exact_energy_method(model) : "";
      fmt::print("  advice      {}\n", advice_line(plan, *omega, plan.damping_time, exact));
      if (!exact.empty()) fmt::print("  note        {}\n", envelope_note(plan, exact, *h, *omega));
    }
  }
  const ContactAdvice contact =
      contact_advice(plan, model, state, omega.value_or(0), sweeps_of(*integrator, plan.t_end - plan.t_begin));
  for (const std::string& text : contact.facts) fmt::print("  contact     {}\n", text);
  for (const std::string& text : contact.advice) fmt::print("  advice      {}\n", text);
  for (const Body& body : model.bodies())
    if (const std::string hint = mass_hint(model, body); !hint.empty()) fmt::print("  note        {}\n", hint);
  for (const auto* notes : {&scene.notes, &model.parts().notes})
    for (const std::string& note : *notes) fmt::print("  note        {}\n", note);
  return done;
}

}  // namespace

Command check_command() {
  return {
      "check",
      "Validate a scene without running it",
      "Examples:\n  livens check pendulum.toml\n  livens check pendulum.toml --set integrator.kind=implicit_midpoint\n"
      "All faults are listed in one pass, one per line, as file:line:column: key: message; the exit code is then 2.",
      {{"SCENE", "", "scene file", true, false}, set_option(), force_option()},
      check};
}

}  // namespace livens::app
