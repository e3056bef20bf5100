// The registry of materials. To add one, write its file, with a function NAME_record(), and name it in this list.
#include "materials/common_keys.hpp"

namespace livens {

// clang-format off
#define LIVENS_MATERIALS(RECORD) \
  RECORD(neo_hookean) RECORD(isochoric_neo_hookean) RECORD(mooney_rivlin) RECORD(st_venant_kirchhoff) \
  RECORD(stable_neo_hookean) RECORD(linear) RECORD(expression)
// clang-format on

#define RECORD(name) MaterialRecord name##_record();
LIVENS_MATERIALS(RECORD)
#undef RECORD

Registry<MaterialRecord>& material_records() {
#define RECORD(name) name##_record(),
  static Registry<MaterialRecord> records("material", {LIVENS_MATERIALS(RECORD)}, add_common_keys);
#undef RECORD
  return records;
}

}  // namespace livens
