#include <livens/solver_options.hpp>

namespace livens {

std::string to_string(FailureCode code) {
  switch (code) {
    case FailureCode::none: return "none";
    case FailureCode::not_finite: return "not_finite";
    case FailureCode::no_convergence: return "no_convergence";
    case FailureCode::no_decrease: return "no_decrease";
    case FailureCode::singular: return "singular";
    case FailureCode::step_too_small: return "step_too_small";
    case FailureCode::inverted: return "inverted";
    case FailureCode::indefinite: return "indefinite";
    case FailureCode::rounding_floor: return "rounding_floor";
  }
  return "unknown";
}

}  // namespace livens
