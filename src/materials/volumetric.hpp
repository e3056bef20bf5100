// Volumetric energies over the scalar type.
#pragma once

#include "materials/invariant_jet.hpp"
#include "materials/material.hpp"

namespace livens {

template <class S>
S volumetric_energy(Volumetric kind, double bulk, const S& j) {
  if (kind == Volumetric::square) return 0.5 * bulk * (j - 1.0) * (j - 1.0);
  const S l = log(j);
  if (kind == Volumetric::log) return 0.5 * bulk * l * l;
  return 0.25 * bulk * (j * j - 1.0 - 2.0 * l);
}

}  // namespace livens
