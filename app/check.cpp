// livens check: everything that can be known of a scene without running it.
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <livens/run.hpp>

#include "diagnostics/solver_note.hpp"
#include "diagnostics/stiffness.hpp"
#include "outputs/run_plan.hpp"
#include "scene_arguments.hpp"

namespace livens::app {
namespace {

std::string count(long n, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string model_line(const Model& model) {
  std::string text = count(model.size(), "unknown", "unknowns");
  for (const Body& body : model.bodies())
    if (body.dimension > 0)
      text += fmt::format(", body '{}' of {} in {}D", body.name, count(body.nodes, "node", "nodes"), body.dimension);
  text += model.separable() ? ", separable" : ", general Lagrangian";
  if (model.model_class().forced) text += ", forced by";
  for (const auto& force : model.parts().forces) text += " " + force->name();
  if (!model.parts().symmetries.empty()) text += ", symmetries";
  for (const Symmetry& symmetry : model.parts().symmetries) text += " " + symmetry.name;
  return text;
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
  if (!plan.constant_step()) return fmt::format("{:.6g} s to {:.6g} s, in steps that vary", plan.t_begin, plan.t_end);
  const double h = *plan.step(plan.t_begin), steps = (plan.t_end - plan.t_begin) / h;
  const double whole = std::ceil(steps - 1e-9 * std::max(1.0, std::abs(steps) * 1e-3));
  if (std::abs(steps - std::round(steps)) <= 1e-9 * std::max(1.0, steps))
    return fmt::format("{:.6g} s to {:.6g} s in {:.0f} steps of {:.6g} s", plan.t_begin, plan.t_end, std::round(steps),
                       h);
  return fmt::format("end = {:.6g} s is not a whole number of steps of {:.6g} s: the run ends at {:.6g} s", plan.t_end,
                     h, plan.t_begin + whole * h);
}

std::string limit_line(const RunPlan& plan, double omega) {
  const double limit = explicit_step_limit(omega);
  std::string text =
      fmt::format("explicit steps up to {:.4g} s at the start (omega_max {:.4g} rad/s, without damping)", limit, omega);
  const auto h = plan.step(plan.t_begin);
  if (h && plan.claims.explicit_steps && *h > limit) text += fmt::format("; the step {:.4g} s is BEYOND it", *h);
  return text;
}

int check(const Arguments& arguments) {
  const Scene scene = load_with_changes(arguments.text("SCENE"), arguments);
  check_scene(scene);
  if (is_study(scene)) {
    fmt::print("OK        {}: a study\n", arguments.text("SCENE"));
    return done;
  }
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);
  const RunPlan plan = make_plan(scene, model);
  fmt::print("OK        {}: {}\n", arguments.text("SCENE"), scene.title());
  fmt::print("  model       {}\n", model_line(model));
  fmt::print("  integrator  {}\n", claims_line(plan));
  fmt::print("  solver      {}\n", solver_note(plan.integrator, plan.solver, plan.claims, model));
  fmt::print("  time        {}\n", time_line(plan));
  if (const auto omega = omega_max(model, state)) fmt::print("  limit       {}\n", limit_line(plan, *omega));
  for (const std::string& note : scene.notes) fmt::print("  note        {}\n", note);
  return done;
}

}  // namespace

Command check_command() {
  return {
      "check",
      "Validate a scene without running it",
      "Examples:\n  livens check pendulum.toml\n  livens check pendulum.toml --set integrator.kind=implicit_midpoint\n"
      "All faults are listed in one pass, one a line, as file:line:column: key: message; the exit code is then 2.",
      {{"SCENE", "", "scene file", true, false}, set_option()},
      check};
}

}  // namespace livens::app
