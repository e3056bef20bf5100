// The particles that a potential between particles acts on.
#pragma once

#include "forces/neighbours.hpp"
#include "model/assembly.hpp"

namespace livens {

struct InteractingParticles {
  std::vector<int> nodes;  // first coordinates
  std::vector<int> group;  // 0 and 1 of two bodies
  bool cross = false;      // only between the groups
  int dimension = 3;
  PeriodicBox box;
  bool periodic = false;
};

// Of `body` ("": all bodies of particles), or of two bodies. Refuses solids, rigid bodies, boxes that differ, and those
// shorter than two cut-offs. Throws AssemblyError.
InteractingParticles interacting_particles(const Assembly& assembly, const std::string& body,
                                           const std::array<std::string, 2>& bodies, double cutoff);

}  // namespace livens
