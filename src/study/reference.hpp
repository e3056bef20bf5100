// What the cases of a study are compared with: an exact solution, or a tight run that is checked by another one at
// half its step.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "study/measure.hpp"
#include "study/plan.hpp"

namespace livens {

struct Reference {
  bool ok = false;
  std::string failure;
  bool exact = false;
  // Largest difference between the two runs, at the times asked for: what the reference itself may err by.
  double own_error_q = 0, own_error_v = 0, own_error_p = 0, own_error_heat = 0;
  Measured measured;               // of the run at half the step
  std::map<double, State> states;  // by time

  const State* at(double t) const;
};

// `scene` is any case of the group; `times` ascend.
Reference tight_reference(const Scene& scene, const Node& integrator, const std::vector<double>& times,
                          const MeasureOptions& options);
Reference exact_reference(const Scene& scene, const std::vector<std::pair<std::string, Node>>& exact,
                          const std::vector<double>& times);

// The scene with another integrator, and with half the step of its own; nothing where there is no step to halve.
Scene with_integrator(Scene scene, const Node& integrator);
std::optional<Scene> refined(Scene scene);

// Largest differences over the sampled times of a case, and at its end.
struct Errors {
  double q = nan, v = nan, p = nan, q_final = nan, v_final = nan, p_final = nan;
  double scale_q = 0, scale_v = 0;  // largest |q - q(start)| and |v - v(start)| of the reference
  std::vector<double> t, curve;     // of q

  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};
Errors errors_of(const Measured& measured, const Reference& reference);

}  // namespace livens
