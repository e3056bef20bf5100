#include "diagnostics/solver_note.hpp"

#include <vector>

namespace livens {
namespace {

// A force that keeps explicit steps explicit: it lags, does not ask for v, or is a constant diagonal drag.
bool stays_explicit(const Force& force, const Model& model) {
  std::vector<double> drag(model.size());
  return force.placement(true) == Placement::lagged || !force.depends_on_velocity() ||
         (model.diagonal_mass() && force.add_constant_drag(drag));
}

// Runge-Kutta methods evaluate forces wherever they are; the variational ones need them at the new velocity.
bool is_explicit(const Claims& claims, const Model& model) {
  if (!claims.explicit_steps || !model.separable()) return false;
  if (claims.symplectic == Symplectic::no) return true;
  for (const auto& force : model.parts().forces)
    if (!stays_explicit(*force, model)) return false;
  return true;
}

// Whether a force can enter the incremental potential; straight-line variational methods take those that are linear in
// v.
std::string obstacle(const Force& force, bool straight_line) {
  if (!force.depends_on_velocity() && straight_line) return "";
  if (!straight_line) return "force '" + force.name() + "' acts, and this method minimises only without forces";
  if (force.placement(false) == Placement::published) return "force '" + force.name() + "' is placed as published";
  if (!force.linear_in_velocity()) return "force '" + force.name() + "' is not minus a symmetric matrix times v";
  return "";
}

}  // namespace

std::string solver_note(const Settings& integrator, const Settings& solver, const Claims& claims, const Model& model) {
  if (is_explicit(claims, model)) return "explicit: no equations are solved";
  if (solver.given("kind") && solver.text("kind") == "root") return "finds a root, as solver.kind asks";
  const std::string kind = integrator.text("kind");
  if (model.constraint_count() > 0)
    return "finds a root: multipliers hold the constraints, motion and multipliers are solved for together";
  if (kind == "energy_momentum") return "finds a root: discrete derivatives are not gradients of a potential";
  if (kind == "galerkin")
    return "finds a root: the inner points of a step make an action that is stationary, not least";
  if (!model.separable())
    return "finds a root: this Lagrangian is not 1/2 v'Mv - W(q), so that there is no incremental potential";
  const bool straight_line = kind != "implicit_euler" && kind != "newmark";
  for (const auto& force : model.parts().forces) {
    const std::string reason = obstacle(*force, straight_line);
    if (!reason.empty()) return "finds a root: " + reason;
  }
  return straight_line ? "minimises the incremental potential (K06's Lilyan)" : "minimises its incremental potential";
}

}  // namespace livens
