// Barriers of the bodies of an assembly: surfaces, ranges and pressures.
#pragma once

#include <livens/contact.hpp>

#include "contact/contact_barrier.hpp"

namespace livens {

// The bodies of nodes with these numbers as surfaces. Throws AssemblyError.
ContactSurface make_surface(const Assembly& assembly, const std::vector<int>& bodies, const BarrierRule& rule);

// Range and pressure between two bodies of an assembly, or of one with an obstacle (b = a), by the rule or by default.
struct BarrierLaw {
  double range, pressure;
};
BarrierLaw barrier_law(const Assembly& assembly, const BarrierRule& rule, int a, int b);

// Held or moved as given at all of its nodes: an obstacle.
bool is_held(const Assembly& assembly, int body);
// Of its points: of particles by the rule, of rigid balls by their shape, else 0.
double radius_of(const Assembly& assembly, const BarrierRule& rule, int body);

FrictionLaw friction_law(const Assembly& assembly, const BarrierRule& rule);

// The barrier as a term, and its friction as a force, if nothing touches at the start of the assembly; otherwise throws
// AssemblyError.
void add_barrier(Assembly& assembly, const std::string& name, ContactBarrier barrier, std::vector<Obstacle> obstacles,
                 const BarrierRule& rule);

}  // namespace livens
