// Friction of a contact in a step: of the velocity v1 = 2 z/h - v0 at its end, with the pressure of the same step.
//
//   V = (1 - n n')(C v - w x r) = G v,   r = C qm,   w = I^-1 sum y_i x v_i,   I = sum (|y_i|^2 - y_i y_i'),   y_i =
//   x_i - mean F = -mu N f(|V|) G'V/|V|,   f = (2 - |V|/e)|V|/e below the stick speed e, 1 above
//
// C are the closest points at q1, qm is the middle of the step, and the sums run over the points of the facet that is
// touched (of two edges: all four). w is the spin of that facet: without it the gap between the surfaces would be an
// arm. G vanishes on rigid motions, so that G'V has neither force nor moment about qm. With the velocity of the middle,
// z/h, bodies that stick would not come to rest. F takes -F.z from the energy of the step, exactly.
#pragma once

#include <array>

#include "contact/contact.hpp"
#include "contact/surface.hpp"

namespace livens {

struct FrictionLaw {
  double coefficient = 0, stick_speed = 0;  // -, m/s
};

using Matrix3 = std::array<double, 9>;  // in rows

class Rubbing {
 public:
  // Of a contact that pushes; false if it does not.
  bool begin(const Contact& contact, const FrictionLaw& law, const ContactSurface& surface,
             const std::vector<Point3>& x0, const std::vector<Point3>& x1, const std::vector<Point3>& v1);

  // forces += scale * F
  void add_forces(double scale, Point3* forces) const;

  int count() const { return count_; }
  int point(int i) const { return point_[i]; }
  // -dF/dv1 between points i and j, positive semi-definite: mu N G'( f/|V| (1 - t t') + f' t t' ) G, t = V/|V|.
  Matrix3 resistance(int i, int j) const;
  // -dF/dq1 by the pressure, point i by place j of the contact: mu f G't (dN/dq1)'.
  Matrix3 by_pressure(int i, int j) const;

 private:
  static constexpr int most_points = 4;
  int count_ = 0;
  std::array<int, most_points> point_{};
  std::array<Matrix3, most_points> G_{};
  Point3 V_;
  double speed_ = 0, slip_ = 0, slip_slope_ = 0;  // |V|, f/|V|, f'
  double push_ = 0;                               // mu N
  Coefficients c_{}, c1_{};
  Point3 normal_, r1_;
  double by_gap_ = 0, by_mean_ = 0;  // dN/dq1 = by_gap C1'r1 + by_mean C'n, times mu
};

}  // namespace livens
