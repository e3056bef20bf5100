// Rotations by a vector w: its direction is the axis, its length s^(1/2) the angle,
//
//   R x = x + a w x x + b w x (w x x),   a = sin(s^(1/2)) / s^(1/2),   b = (1 - cos(s^(1/2))) / s,   s = w.w,
//
// and how points move while w changes, with da/ds = (cos(s^(1/2)) - a) / (2 s) and db/ds = (a - 2 b) / (2 s).
#pragma once

#include <cmath>

#include <livens/assembly.hpp>

namespace livens {

class Rotation {
 public:
  explicit Rotation(const Vec3& w) : w_(w) {
    const double s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], angle = std::sqrt(s);
    if (s < small) {  // series: the terms left out are below rounding
      a_ = 1 - s / 6 + s * s / 120;
      b_ = 0.5 - s / 24 + s * s / 720;
      a_slope_ = -1.0 / 6 + s / 60;
      b_slope_ = -1.0 / 24 + s / 360;
      return;
    }
    a_ = std::sin(angle) / angle;
    b_ = (1 - std::cos(angle)) / s;
    a_slope_ = (std::cos(angle) - a_) / (2 * s);
    b_slope_ = (a_ - 2 * b_) / (2 * s);
  }

  Vec3 of(const Vec3& x) const {
    const Vec3 wx = cross(w_, x), wwx = cross(w_, wx);
    Vec3 result = x;
    for (std::size_t c = 0; c < 3; ++c) result[c] += a_ * wx[c] + b_ * wwx[c];
    return result;
  }
  // d/dt of the same while w changes by `rate` a second.
  Vec3 velocity_of(const Vec3& x, const Vec3& rate) const {
    const double s_rate = 2 * (w_[0] * rate[0] + w_[1] * rate[1] + w_[2] * rate[2]);
    const Vec3 wx = cross(w_, x), wwx = cross(w_, wx), rx = cross(rate, x), rwx = cross(rate, wx), wrx = cross(w_, rx);
    Vec3 result;
    for (std::size_t c = 0; c < 3; ++c)
      result[c] = s_rate * (a_slope_ * wx[c] + b_slope_ * wwx[c]) + a_ * rx[c] + b_ * (rwx[c] + wrx[c]);
    return result;
  }

 private:
  static constexpr double small = 1e-4;  // rad^2
  static Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }

  Vec3 w_;
  double a_, b_, a_slope_, b_slope_;
};

}  // namespace livens
