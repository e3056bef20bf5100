// A point of a surface against a ball, or two balls: s is the squared distance of the points, and xi the sum of the
// radii,
//
//   u = (s - xi^2) / (range^2 + 2 xi range),
//
// which is 0 where they touch and 1 at a gap of the range. s is a square of a linear function: its discrete gradient is
// C'(r_0 + r_1) with C = (1, -1).
#pragma once

#include <cmath>
#include <vector>

#include "contact/contact.hpp"
#include "contact/rational_barrier.hpp"

namespace livens {

// u as a function of a squared distance, for things of a thickness xi (m): radii.
struct ScaledSquare {
  double range = 0, thickness = 0;                                            // m
  double scale() const { return range * (range + 2 * thickness); }            // m^2
  double u(double s) const { return (s - thickness * thickness) / scale(); }  // negative inside
  double reach() const { return (range + thickness) * (range + thickness); }  // s at u = 1, m^2
  double gap(double s) const { return std::sqrt(s) - thickness; }
  // k b(u) with the force w pressure at half the range: k = w pressure range / |b'(u(range/2))|; 2/27 of w pressure
  // range without thickness.
  double strength(double weight, double pressure) const {
    if (thickness == 0) return 2.0 / 27 * weight * pressure * range;
    const double half = thickness + 0.5 * range;
    return weight * pressure * range / -rational_barrier::first(u(half * half));
  }
};

struct BallPair {
  int point, ball;
  ScaledSquare square;
  double strength;  // J
};

double ball_pair_energy(const BallPair& pair, const std::vector<Point3>& x);  // infinite where they touch
// forces += dB/dx
void add_ball_pair_gradient(const BallPair& pair, const std::vector<Point3>& x, Point3* forces);
// False if both ends are out of reach.
bool ball_pair_contact(const BallPair& pair, const std::vector<Point3>& x0, const std::vector<Point3>& x1,
                       Contact& contact);

}  // namespace livens
