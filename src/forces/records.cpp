#include "forces/records.hpp"

namespace livens {

const std::vector<ForceRecord>& force_records() {
  static const std::vector<ForceRecord> records = {
      gravity_record(),      pairwise_gravity_record(), spring_record(),           damper_record(),   drag_record(),
      mass_damping_record(), strain_damping_record(),   rayleigh_damping_record(), traction_record(), load_record(),
  };
  return records;
}

}  // namespace livens
