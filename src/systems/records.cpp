// The registry of systems. To add one, write its file, with a function NAME_record(), and name it in this list.
#include <livens/assembly.hpp>

namespace livens {

// clang-format off
#define LIVENS_SYSTEMS(RECORD) \
  RECORD(lagrangian) RECORD(pendulum) RECORD(double_pendulum) RECORD(kepler) RECORD(henon_heiles) \
  RECORD(harmonic_lattice) RECORD(anharmonic_lattice)
// clang-format on

#define RECORD(name) SystemRecord name##_record();
LIVENS_SYSTEMS(RECORD)
#undef RECORD

Registry<SystemRecord>& system_records() {
#define RECORD(name) name##_record(),
  static Registry<SystemRecord> records("system", {LIVENS_SYSTEMS(RECORD)});
#undef RECORD
  return records;
}

}  // namespace livens
