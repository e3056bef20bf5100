// What the kernels of elements ask of a material: the derivatives of w by the invariants, for packs of points.
#pragma once

#include "math/pack.hpp"

namespace livens {

// Of one pack of points. The kernels fill i1, i2, j; the material the rest, as far as the order asks:
// 0: w, 1: and first derivatives, 2: and second ones.
struct EnergyPoint {
  Pack i1, i2, j;
  Pack w;
  Pack w1, w2, wj;
  Pack w11, w12, w1j, w22, w2j, wjj;
};

inline constexpr int most_coefficients = 8;

class StrainEnergy {
 public:
  virtual ~StrainEnergy() = default;
  // coefficients: for each pack of points, the numbers that vary with position; null if there are none.
  virtual void evaluate(EnergyPoint* points, int count, int order, const Pack* coefficients) const = 0;
  // How many such numbers a point has, and their values at the reference position X.
  virtual int coefficients() const { return 0; }
  virtual void coefficients_at(const double* /*X*/, double* /*values*/) const {}
  // Whether w depends on I2; if not, w2 and its derivatives are neither read nor written.
  virtual bool uses_i2() const = 0;
  virtual bool survives_inversion() const = 0;
};

}  // namespace livens
