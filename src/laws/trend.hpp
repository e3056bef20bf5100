// Whether a quantity that should be constant is, stays in a band, or goes away.
#pragma once

#include <vector>

namespace livens::laws {

struct Trend {
  double band = 0;         // largest minus smallest value
  double late_drift = 0;   // slope over the last half times its length, with sign
  double drift_error = 0;  // standard error of the same, from the means of blocks
  // Within the band and without trend; clearly going away. Neither: undecided, which no claim accepts.
  bool bounded() const;
  bool drifting() const;
};

// Values after equal numbers of steps.
Trend trend_of(const std::vector<double>& values);

}  // namespace livens::laws
