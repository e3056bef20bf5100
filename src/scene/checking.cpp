#include "scene/checking.hpp"

namespace livens {
namespace {

// The part of a check that needs the records' factories.
constexpr BuildCheck build_check = nullptr;

}  // namespace

std::vector<SceneFault> faults_of(const Scene& scene, BuildCheck check) {
  std::vector<SceneFault> faults;
  const ValidatedScene validated = is_study(scene) ? validate_study(scene, faults) : validate(scene, faults);
  if (faults.empty() && check != nullptr && !is_study(scene)) check(scene, validated, faults);
  return faults;
}

void check_scene(const Scene& scene) {
  const auto faults = faults_of(scene, build_check);
  if (!faults.empty()) throw SceneError(faults);
}

}  // namespace livens
