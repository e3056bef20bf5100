// The registry of constraints. To add one, write its file, with a function NAME_record(), and name it in this list.
#include <livens/assembly.hpp>

#include "constraints/read_joints.hpp"
#include "model/assembly.hpp"

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

namespace {

// Penalties may be damped, whatever they are of.
template <ConstraintRecord (*make)()>
void add_with_damping(const Settings& settings, const std::string& name, Assembly& assembly) {
  static const auto add = make().add;
  const std::size_t first = assembly.parts.terms.size();
  add(settings, name, assembly);
  read_penalty_damping(settings, first, assembly);
}

template <ConstraintRecord (*make)()>
ConstraintRecord damped() {
  ConstraintRecord record = make();
  record.add = add_with_damping<make>;
  return record;
}

}  // namespace

Registry<ConstraintRecord>& constraint_records() {
#define RECORD(name) damped<name##_record>(),
  static Registry<ConstraintRecord> records("constraint", {LIVENS_CONSTRAINTS(RECORD)});
#undef RECORD
  return records;
}

}  // namespace livens
