// How a step is solved: reasons that several methods share.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <livens/integrator.hpp>

namespace livens {

inline constexpr const char* no_potential_form =
    "this Lagrangian of several coordinates is not 1/2 v'Mv - W(q); an incremental potential needs d2L/dv dq symmetric";

// A root where nothing can be minimised; where the solver is asked for a root anyway, that is the reason.
inline SolvePath root_path(const SolverOptions& solver, std::string reason) {
  if (solver.kind == SolverOptions::Kind::root) reason.clear();
  return {SolvePath::Kind::root, std::move(reason)};
}

// Of methods that minimise an incremental potential of their own where no force acts but drag -D v with a constant D:
// other forces at the end of the step, f(q1, v1), are no gradient there.
inline SolvePath path_without_forces(const SolverOptions& solver, const Model& model) {
  if (solver.kind == SolverOptions::Kind::root) return {SolvePath::Kind::root, ""};
  if (!model.separable())
    return {SolvePath::Kind::root,
            "this Lagrangian is not 1/2 v'Mv - W(q), and this method minimises for such ones only"};
  std::vector<double> drag(model.size(), 0.0);
  for (const auto& force : model.parts().forces)
    if (!force->add_constant_drag(drag))
      return {SolvePath::Kind::root,
              "force '" + force->name() + "' acts, and this method minimises with no forces but constant drag"};
  return {SolvePath::Kind::minimise, "its incremental potential"};
}

// drag = D of the forces, of models for which that is all they do.
inline void constant_drag(const Model& model, Vector drag) {
  std::fill(drag.begin(), drag.end(), 0.0);
  for (const auto& force : model.parts().forces) force->add_constant_drag(drag);
}

}  // namespace livens
