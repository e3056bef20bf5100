#include "scene/checking.hpp"

namespace livens {

std::vector<SceneFault> faults_of(const Scene& scene, BuildCheck check) {
  std::vector<SceneFault> faults;
  const ValidatedScene validated = is_study(scene) ? validate_study(scene, faults) : validate(scene, faults);
  if (faults.empty() && check != nullptr && !is_study(scene)) check(scene, validated, faults);
  put_in_order(faults);
  return faults;
}

}  // namespace livens
