// The registry of forces. To add one, write its file, with a function NAME_record(), and name it in this list.
#include <livens/assembly.hpp>

namespace livens {

// clang-format off
#define LIVENS_FORCES(RECORD) \
  RECORD(gravity) RECORD(pairwise_gravity) RECORD(lennard_jones) RECORD(morse) RECORD(pair_potential) \
  RECORD(stillinger_weber) RECORD(spring) RECORD(damper) RECORD(drag) RECORD(mass_damping) RECORD(strain_damping) \
  RECORD(rayleigh_damping) RECORD(traction) RECORD(load) RECORD(expression_force)
// clang-format on

#define RECORD(name) ForceRecord name##_record();
LIVENS_FORCES(RECORD)
#undef RECORD

Registry<ForceRecord>& force_records() {
#define RECORD(name) name##_record(),
  static Registry<ForceRecord> records("force", {LIVENS_FORCES(RECORD)});
#undef RECORD
  return records;
}

}  // namespace livens
