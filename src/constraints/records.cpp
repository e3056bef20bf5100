// The registry of constraints. To add one, write its file, with a function NAME_record(), and name it in this list.
#include <livens/assembly.hpp>

namespace livens {

// clang-format off
#define LIVENS_CONSTRAINTS(RECORD) \
  RECORD(fixed) RECORD(prescribed) RECORD(distance) RECORD(spherical) RECORD(revolute) RECORD(prismatic) \
  RECORD(cylindrical) RECORD(universal) RECORD(alignment) RECORD(point_on_surface) RECORD(attachment) \
  RECORD(expression_constraint)
// clang-format on

#define RECORD(name) ConstraintRecord name##_record();
LIVENS_CONSTRAINTS(RECORD)
#undef RECORD

Registry<ConstraintRecord>& constraint_records() {
#define RECORD(name) name##_record(),
  static Registry<ConstraintRecord> records("constraint", {LIVENS_CONSTRAINTS(RECORD)});
#undef RECORD
  return records;
}

}  // namespace livens
