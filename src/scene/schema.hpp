// Validation: a whole scene against its sections. All faults of a scene are found in one pass.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <livens/scene.hpp>

#include "records/read.hpp"

namespace livens {

// --- whole scenes -------------------------------------------------------------------------------------------------

struct ValidatedScene {
  std::shared_ptr<const Environment> environment;
  std::vector<Entry> entries;      // enabled ones, section by section, in the order of the scene
  std::vector<std::string> notes;  // what is odd, but no fault

  // The one entry of a table section (time, system, integrator, solver, checkpoint, report; "" for the keys at the
  // top), or of that name in a list section. Null if there is none.
  const Entry* find(const std::string& section, const std::string& name = "") const;
  std::vector<const Entry*> all(const std::string& section) const;
};

// Appends all faults, in the order of the file. With faults the result is incomplete.
ValidatedScene validate(const Scene& scene, std::vector<SceneFault>& faults);
// Without the mechanics, which come from elsewhere.
ValidatedScene validate_run(const Scene& scene, std::vector<SceneFault>& faults);
ValidatedScene validate_study(const Scene& study, std::vector<SceneFault>& faults);
// The same; throw SceneError with the faults.
ValidatedScene validated(const Scene& scene);
ValidatedScene validated_run(const Scene& scene);
bool is_study(const Scene& scene);

// By place; of equal ones, found by reading a value twice, one stays.
void put_in_order(std::vector<SceneFault>& faults);

}  // namespace livens
