// One function per integrator; the list in records.cpp is the registry.
#pragma once

#include <livens/registry.hpp>

namespace livens {

IntegratorRecord explicit_euler_record();
IntegratorRecord implicit_euler_record();
IntegratorRecord symplectic_euler_a_record();
IntegratorRecord symplectic_euler_b_record();
IntegratorRecord stormer_verlet_record();
IntegratorRecord rattle_record();
IntegratorRecord shake_record();
IntegratorRecord energy_momentum_record();
IntegratorRecord implicit_midpoint_record();
IntegratorRecord generalized_midpoint_record();
IntegratorRecord generalized_trapezoid_record();
IntegratorRecord hamilton_pontryagin_record();
IntegratorRecord newmark_record();
IntegratorRecord galerkin_record();
IntegratorRecord composition_record();
IntegratorRecord rk4_record();
IntegratorRecord dormand_prince_record();
IntegratorRecord symplectic_energy_momentum_record();
IntegratorRecord asynchronous_record();
IntegratorRecord static_record();

}  // namespace livens
