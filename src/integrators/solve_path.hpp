// How a step is solved: reasons that several methods share.
#pragma once

#include <livens/integrator.hpp>

namespace livens {

inline constexpr const char* no_potential_form =
    "this Lagrangian of several coordinates is not 1/2 v'Mv - W(q); an incremental potential needs d2L/dv dq symmetric";

// A root where nothing can be minimised; where the solver is asked for a root anyway, that is the reason.
inline SolvePath root_path(const SolverOptions& solver, std::string reason) {
  if (solver.kind == SolverOptions::Kind::root) reason.clear();
  return {SolvePath::Kind::root, std::move(reason)};
}

// Of methods that minimise an incremental potential of their own where no force acts.
inline SolvePath path_without_forces(const SolverOptions& solver, const Model& model) {
  if (solver.kind == SolverOptions::Kind::root) return {SolvePath::Kind::root, ""};
  if (!model.separable())
    return {SolvePath::Kind::root,
            "this Lagrangian is not 1/2 v'Mv - W(q), and this method minimises for such ones only"};
  const auto& forces = model.parts().forces;
  if (!forces.empty())
    return {SolvePath::Kind::root,
            "force '" + forces.front()->name() + "' acts, and this method minimises without forces only"};
  return {SolvePath::Kind::minimise, "its incremental potential"};
}

}  // namespace livens
