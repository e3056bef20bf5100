// Friction of a contact in a step: of the velocity v1 = 2 z/h - v0 at its end, with the pressure of the same step.
//
//   V = (1 - n n')(C v - w x r) = G v,   r = C qm
//   w = I^-1 sum y_i x v_i,   I = sum (|y_i|^2 - y_i y_i'),   y_i = x_i - mean
//   F = -mu N f(|V|) G'V/|V|,   f = (2 - |V|/e)|V|/e below the stick speed e, 1 above
//
// C are the closest points at q1, and qm is the middle of the step. w is the spin of the body that is touched, over the
// points of its surface at qm: without it the gap between the surfaces would be an arm, and the angular momentum would
// change. G vanishes on rigid motions of all, so that G'V has neither force nor moment about qm: the couple r x V goes
// to the body as a whole. (The spin of the facet alone would do the same, but it jumps from facet to facet.) With the
// velocity of the middle, z/h, bodies that stick would not come to rest. F takes -F.z from the energy of the step,
// exactly.
#pragma once

#include <array>
#include <span>

#include "contact/contact.hpp"

namespace livens {

struct FrictionLaw {
  double coefficient = 0, stick_speed = 0;  // -, m/s
};

using Matrix3 = std::array<double, 9>;  // in rows

// How points turn about their mean.
class BodySpin {
 public:
  // x: of the middle of the step; in the plane there is one spin, about z.
  void begin(std::span<const Point3> x, std::span<const Point3> v, int dimension);
  const Point3& rate() const { return rate_; }  // rad/s
  // forces of the points -= those of the moment, as a rigid body would share it among equal masses.
  void take_moment(const Point3& moment, std::span<const Point3> x, std::span<Point3> forces) const;

 private:
  Point3 mean_, rate_;
  Matrix3 inverse_{};  // I^-1
};

class Rubbing {
 public:
  // Of a contact that pushes; false if it does not. spin: of the body that is touched.
  bool begin(const Contact& contact, const FrictionLaw& law, const Point3& spin, const Point3* x0, const Point3* x1,
             const Point3* v1);

  // forces += F without the share of the spin; returns the moment that it has.
  Point3 add_forces(Point3* forces) const;

  // -dF/dv1 between places i and j of the contact, the spin left as it is: positive semi-definite,
  // mu N c_i c_j ( f/|V| (1 - n n' - t t') + f' t t' ), t = V/|V|.
  Matrix3 resistance(int i, int j) const;
  // -dF/dq1 by the pressure: mu f c_i t (dN/dq1)'.
  Matrix3 by_pressure(int i, int j) const;
  // Size of what these leave out: how the direction of the contact changes with the positions, while it closes with the
  // speed u, mu N f/|V| u/|r|. Rounding of positions comes through it.
  double left_out() const { return push_ * slip_ * closing_ / length(r_); }

 private:
  const Contact* contact_ = nullptr;
  Point3 V_, r_, normal_;
  double slip_ = 0, slip_slope_ = 0;  // f/|V|, f'
  double push_ = 0, closing_ = 0;     // mu N; |u|
  double by_gap_ = 0, by_mean_ = 0;   // mu dN/dq1 = by_gap C1'r1 + by_mean C'n
};

}  // namespace livens
