// Friction of a contact in a step: of the velocity v1 = 2 z/h - v0 at its end, with the pressure of the same step.
//
//   V = (1 - n n')(C v1 - w x r) = G v1,   r = C qm
//   w = I^-1 sum y_i x v_i,   I = sum (|y_i|^2 - y_i y_i'),   y_i = x_i - mean
//   F = -mu N f(s) G't,   t = V/|V|,   s = min(|V|, max(0, 2 t.G z/h))
//   f = (2 - s/e) s/e below the stick speed e, 1 above
//
// C are the closest points at q1, and qm is the middle of the step. w is the spin of the body that is touched, over the
// points of its surface at qm: without it the gap between the surfaces would be an arm, and the angular momentum would
// change. G vanishes on rigid motions of all, so that G'V has neither force nor moment about qm: the couple r x V goes
// to the body as a whole. (The spin of the facet alone would do the same, but it jumps from facet to facet.) With the
// velocity of the middle, z/h, bodies that stick would not come to rest. F takes -F.z = mu N f(s) t.G z from the energy
// of the step, exactly, and that is never negative: where what slides turns round in the step and goes back by less
// than it came, t.G z < 0, there is no friction. Otherwise s = |V| but for a speed of e after which there is all of it.
//
// A ball touches at its surface: of the arm r its own radius, along n, turns with its own spin w_a, so that it rolls:
// w x r becomes w_b x (r - xi n) + w_a x xi n. Particles have no spin; then the other side has all of the arm. Of two
// edges, and of two balls beside their radii, each side has half of the gap: which one is called the first has no say.
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
  // That of other velocities of the same points.
  Point3 rate_of(std::span<const Point3> x, std::span<const Point3> v) const;
  // d rate / dv of a point at x times dv, crossed with an arm: what the velocity of a point a lever away changes by.
  Matrix3 lever(const Point3& x, const Point3& arm) const;
  // forces of the points -= those of the moment, as a rigid body would share it among equal masses.
  void take_moment(const Point3& moment, std::span<const Point3> x, std::span<Point3> forces) const;

 private:
  Point3 mean_, rate_;
  Matrix3 inverse_{};  // I^-1
};

class Rubbing {
 public:
  // Of a contact that pushes; false if it does not. spins: of all bodies, for v1.
  bool begin(const Contact& contact, const FrictionLaw& law, std::span<const BodySpin> spins, const Point3* x0,
             const Point3* x1, const Point3* v1) {
    return begin_at_end(contact, law, spins, x0, x1, v1);
  }
  // The same, and by the mean velocities z/h with their spins: friction takes from the energy in every step.
  bool begin(const Contact& contact, const FrictionLaw& law, std::span<const BodySpin> spins, const Point3* x0,
             const Point3* x1, const Point3* v1, const Point3* mean, std::span<const Point3> mean_rates);

  // forces += F without the shares of the spins; moments of bodies += theirs.
  void add_forces(Point3* forces, std::span<Point3> moments) const;

  // Points that F depends on besides those of the contact: what shows the rotation of a ball, at x in the middle of the
  // step. Other spins are left as they are: their arms are gaps.
  void add_carriers(int body, int first, std::span<const Point3> x, std::span<const BodySpin> spins);
  int places() const { return places_; }
  int point(int i) const { return i < contact_->count ? contact_->point[i] : carrier_[i - contact_->count].point; }
  // -dF/dv1 between places i and j: positive semi-definite,
  // mu N G_i' ( f/|V| (1 - n n' - t t') + f' t t' ) G_j, t = V/|V|, G_i = c_i of the points of the contact.
  Matrix3 resistance(int i, int j) const;
  // What is left out of that where what slides turns round: dt.G z/h.
  Matrix3 by_turning(int i, int j) const;
  // -dF/dq1 by the pressure: mu f G_i't (dN/dq1)'.
  Matrix3 by_pressure(int i, int j) const;
  // Size of what these leave out: how the direction of the contact changes with the positions, while it closes with the
  // speed u, mu N f/|V| u/|r|. Rounding of positions comes through it.
  double left_out() const { return push_ * slip_ * closing_ / length(r_); }

 private:
  struct Carrier {
    int point;
    Matrix3 G;
  };
  static constexpr int most_carriers = 8;  // two balls in space
  bool begin_at_end(const Contact& contact, const FrictionLaw& law, std::span<const BodySpin> spins, const Point3* x0,
                    const Point3* x1, const Point3* v1);
  // C v - w x arms, without its part along the normal.
  Point3 slide(const Point3* v, const Point3& rate, const Point3& own_rate, double& closing) const;
  Point3 taken_back(int i, const Point3& force) const;  // G_i' force

  const Contact* contact_ = nullptr;
  int places_ = 0;
  std::array<Carrier, most_carriers> carrier_{};
  Point3 V_, r_, normal_;
  Point3 arm_, own_arm_;              // of the body that is touched, and of the own one
  double slip_ = 0, slip_slope_ = 0;  // f/|V|, df/d|V|
  Point3 turning_;                    // f' (2 G z/h - V) / |V|^2, what is across V, where s is not |V|
  double push_ = 0, closing_ = 0;     // mu N; |u|
  double by_gap_ = 0, by_mean_ = 0;   // mu dN/dq1 = by_gap C1'r1 + by_mean C'n
};

}  // namespace livens
