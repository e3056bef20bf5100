// What a violated constraint is compared with. Its summands alone will not do: those of a plane through the origin, or
// of a point pinned there, are as small as the violation itself. What a step could move it by does not depend on where
// the origin is,
//
//   size_k = max( sum of the absolute summands of g_k,  travel * sum_i |dg_k/dq_i| ),
//
// travel being the largest displacement that the step has to do with, of any coordinate.
#pragma once

#include <vector>

#include "model/saddle_system.hpp"

namespace livens {

class ConstraintSize {
 public:
  explicit ConstraintSize(const Model& model);

  // Derivatives of the constraints, and masses, where a step begins.
  void begin(const Model& model, const SaddleSystem& system, double t, ConstVector q, ConstVector v);
  // How far an impulse moves any coordinate in the time h.
  double travel(double h, ConstVector impulse) const;
  // Largest |g_k| / size_k at q.
  double violation(const Model& model, double t, ConstVector q, ConstVector g, double travel);
  ConstVector row_sums() const { return row_sums_; }

 private:
  std::vector<double> row_sums_;  // sum_i |dg_k/dq_i| where the step began
  std::vector<double> summands_;
  std::vector<double> mass_;     // diagonal of d2L/dv2
  std::vector<double> kinetic_;  // d2L/dv2, of general Lagrangians
};

// The sum of the absolute summands of each constraint: what its rounding refers to.
void constraint_summands(const Model& model, double t, ConstVector q, Vector size);

// Largest difference of two coordinates of nodes along one direction, and at least a millimetre: a length that does not
// depend on where the origin is.
double extent_of(const Model& model, ConstVector q);

}  // namespace livens
