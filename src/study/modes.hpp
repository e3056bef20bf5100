// Normal modes of a harmonic model, and with them the exact heat of its motion [L04 (6)-(8)].
//
// In the modes of M^-1/2 K M^-1/2, K = d2W/dq2, every coordinate obeys y'' = -w^2 y - g from y(0) = 0, y'(0) = b:
//   y' = b cos wt - a sin wt,  a = g/w,   heat(T) = sum 1/(2T) int_0^T y'^2 dt,   heat = sum (a^2 + b^2)/4,
// and a zero mode (w = 0, g = 0) carries b^2/2 for ever.
#pragma once

#include <optional>
#include <vector>

#include <livens/model.hpp>

namespace livens {

class HarmonicModes {
 public:
  double heat() const;          // limit for T to infinity, J
  double heat(double T) const;  // average over [0, T] from the start, J

  struct Mode {
    double w, a, b;
  };
  const std::vector<Mode>& modes() const { return modes_; }

 private:
  friend std::optional<HarmonicModes> harmonic_modes(const Model& model, const State& start);
  std::vector<Mode> modes_;
};

// Nothing if the model is not harmonic, has forces, or has more than 2000 unknowns.
std::optional<HarmonicModes> harmonic_modes(const Model& model, const State& start);

}  // namespace livens
