// The registry of integrators. To add one, write its file, with a function NAME_record(), and name it in this list.
#include <livens/registry.hpp>

#include "integrators/step_control.hpp"

namespace livens {

// clang-format off
#define LIVENS_INTEGRATORS(RECORD) \
  RECORD(explicit_euler) RECORD(implicit_euler) RECORD(symplectic_euler_a) RECORD(symplectic_euler_b) \
  RECORD(stormer_verlet) RECORD(rattle) RECORD(shake) RECORD(implicit_midpoint) RECORD(generalized_midpoint) \
  RECORD(generalized_trapezoid) RECORD(straight_line) RECORD(hamilton_pontryagin) RECORD(newmark) RECORD(galerkin) \
  RECORD(composition) RECORD(rk4) RECORD(dormand_prince) RECORD(symplectic_energy_momentum) \
  RECORD(energy_momentum) RECORD(asynchronous) RECORD(splitting) RECORD(static)
// clang-format on

#define RECORD(name) IntegratorRecord name##_record();
LIVENS_INTEGRATORS(RECORD)
#undef RECORD

Registry<IntegratorRecord>& integrator_records() {
#define RECORD(name) name##_record(),
  static Registry<IntegratorRecord> records("integrator", {LIVENS_INTEGRATORS(RECORD)}, add_step_control);
#undef RECORD
  return records;
}

}  // namespace livens
