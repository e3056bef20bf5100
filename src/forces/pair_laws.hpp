// Potentials V(r) of the distance of two particles, and what becomes of them towards a cut-off.
#pragma once

#include <cmath>
#include <span>

#include <livens/forces.hpp>
#include <livens/jet.hpp>

#include "math/expression.hpp"

namespace livens {

// V, V'/r and, where it is asked for, V''.
struct Radial {
  double v = 0, slope = 0, second = 0;
};

struct LennardJonesLaw {
  double epsilon, sigma2;
  template <bool Second>
  Radial at(double r2) const {
    const double u = 1 / r2, s2 = sigma2 * u, s6 = s2 * s2 * s2;
    return {4 * epsilon * s6 * (s6 - 1), -24 * epsilon * u * s6 * (2 * s6 - 1),
            Second ? 24 * epsilon * u * s6 * (26 * s6 - 7) : 0};
  }
};

struct MorseLaw {
  double depth, width, distance;
  template <bool Second>
  Radial at(double r2) const {
    const double r = std::sqrt(r2), e = std::exp(-width * (r - distance));
    return {depth * e * (e - 2), 2 * depth * width * e * (1 - e) / r,
            Second ? 2 * depth * width * width * e * (2 * e - 1) : 0};
  }
};

struct WrittenLaw {
  Expression potential;  // of r
  template <bool Second>
  Radial at(double r2) const {
    const double r = std::sqrt(r2);
    if constexpr (Second) {
      const Jet2<1> x = Jet2<1>::variable(r, 0), v = potential.evaluate<Jet2<1>>(std::span<const Jet2<1>>(&x, 1));
      return {v.value, v.gradient[0] / r, v.hessian(0, 0)};
    } else {
      const Dual x = Dual::variable(r), v = potential.evaluate<Dual>(std::span<const Dual>(&x, 1));
      return {v.value, v.derivative / r, 0};
    }
  }
};

// All of a law, or what it is near and far: V = V N + V (1 - N), where N(r) goes smoothly from 1 to 0 over the middle
// of the range. Pairs that are near make the high frequencies; the far ones are the many.
enum class RangePart { all, near, far };
inline constexpr double near_from = 0.5, near_to = 0.75;  // of the cut-off

// The law inside the cut-off; outside there is nothing.
template <class Law>
class CutLaw {
 public:
  CutLaw(Law law, const PairRange& range)
      : law_(std::move(law)),
        cutoff2_(range.cutoff * range.cutoff),
        on_(range.switch_from.value_or(0.9 * range.cutoff)),
        width_(range.cutoff - on_) {
    switched_ = range.cutoff_form == CutOffForm::switched;
    if (range.cutoff_form == CutOffForm::shifted) shift_ = law_.template at<false>(cutoff2_).v;
  }

  CutLaw part(RangePart part) const {
    CutLaw result = *this;
    result.part_ = part;
    const double cutoff = std::sqrt(cutoff2_);
    result.from_ = near_from * cutoff;
    result.to_ = near_to * cutoff;
    if (part == RangePart::near) result.cutoff2_ = result.to_ * result.to_;
    if (part == RangePart::far) result.least2_ = result.from_ * result.from_;
    return result;
  }
  double cutoff() const { return std::sqrt(cutoff2_); }
  bool inside(double r2) const { return r2 < cutoff2_ && r2 > least2_; }

  template <bool Second>
  Radial at(double r2) const {
    Radial V = law_.template at<Second>(r2);
    V.v -= shift_;
    if (switched_ && r2 > on_ * on_) V = product<Second>(V, r2, on_, width_, false);
    if (part_ == RangePart::all || r2 <= from_ * from_) return V;
    if (r2 >= to_ * to_) return V;  // of the far part: the near one ends there
    return product<Second>(V, r2, from_, to_ - from_, part_ == RangePart::far);
  }

 private:
  // V S and its derivatives, S = 1 - 10 s^3 + 15 s^4 - 6 s^5 with s = (r - from) / width; or V (1 - S).
  template <bool Second>
  static Radial product(const Radial& V, double r2, double from, double width, bool complement) {
    const double r = std::sqrt(r2), s = (r - from) / width, one = 1 - s, sign = complement ? -1 : 1;
    const double fall = 1 - s * s * s * (10 - s * (15 - 6 * s)), S = complement ? 1 - fall : fall;
    const double S1 = -sign * 30 * s * s * one * one / width;
    const double S2 = -sign * 60 * s * one * (1 - 2 * s) / (width * width);
    return {V.v * S, V.slope * S + V.v * S1 / r, Second ? V.second * S + 2 * V.slope * r * S1 + V.v * S2 : 0};
  }

  Law law_;
  double cutoff2_, on_, width_;
  bool switched_ = false;
  double shift_ = 0;
  RangePart part_ = RangePart::all;
  double from_ = 0, to_ = 0, least2_ = -1;
};

}  // namespace livens
