// How the steps of a run will be solved, and why.
#pragma once

#include <string>

#include <livens/scene.hpp>

namespace livens {

// "explicit: ...", "minimises the incremental potential (K06's Lilyan)", or "finds a root: ..." with the reason why
// nothing is minimised.
std::string solver_note(const Settings& integrator, const Settings& solver, const Claims& claims, const Model& model);

}  // namespace livens
