// What makes a start unusable though every number in the scene is fine: elements inside out, and statics of bodies that
// loads push away.
#pragma once

#include <vector>

#include <livens/assembly.hpp>

#include "scene/schema.hpp"

namespace livens {

// Elements with J = det F <= 0.
void refuse_inverted_start(const ValidatedScene& scene, const Model& model, const State& start,
                           std::vector<SceneFault>& faults);

// Whether the integrator of the scene looks for equilibria: t is then a load factor that ends at 1.
bool is_static(const ValidatedScene& scene);
void refuse_no_equilibrium(const ValidatedScene& scene, const Model& model, const State& start,
                           std::vector<SceneFault>& faults);

// In statics, displacements that are there from the start grow with the load factor, as loads do:
//   x(t) - (1 - s) (x(t_begin) - x_start),   s = (t - t_begin) / (1 - t_begin)
// Those that begin at 0, being written as functions of t, are not changed.
void let_supports_grow(Assembly& assembly);

}  // namespace livens
