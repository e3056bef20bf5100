#include "integrators/records.hpp"

#include <stdexcept>

#include "records/suggest.hpp"

namespace livens {

const std::vector<IntegratorRecord>& integrator_records() {
  static const std::vector<IntegratorRecord> records = {
      explicit_euler_record(),
      implicit_euler_record(),
      symplectic_euler_a_record(),
      symplectic_euler_b_record(),
      stormer_verlet_record(),
      rattle_record(),
      shake_record(),
      implicit_midpoint_record(),
      generalized_midpoint_record(),
      generalized_trapezoid_record(),
      hamilton_pontryagin_record(),
      newmark_record(),
      galerkin_record(),
      composition_record(),
      rk4_record(),
      dormand_prince_record(),
      symplectic_energy_momentum_record(),
      energy_momentum_record(),
      asynchronous_record(),
      static_record(),
  };
  return records;
}

const IntegratorRecord& integrator_record(const std::string& name) {
  std::vector<std::string> known;
  for (const IntegratorRecord& record : integrator_records()) {
    if (record.name == name) return record;
    known.push_back(record.name);
  }
  throw std::out_of_range("unknown integrator '" + name + "'." + suggestion(name, known, "Known"));
}

}  // namespace livens
