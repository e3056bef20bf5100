// The registry of bodies. To add one, write its file, with a function NAME_record(), and name it in this list.
#include <livens/assembly.hpp>

namespace livens {

// clang-format off
#define LIVENS_BODIES(RECORD) \
  RECORD(particles) RECORD(solid) RECORD(rigid) RECORD(obstacle)
// clang-format on

#define RECORD(name) BodyRecord name##_record();
LIVENS_BODIES(RECORD)
#undef RECORD

Registry<BodyRecord>& body_records() {
#define RECORD(name) name##_record(),
  static Registry<BodyRecord> records("body", {LIVENS_BODIES(RECORD)});
#undef RECORD
  return records;
}

}  // namespace livens
