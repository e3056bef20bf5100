// Probes as scenes describe them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <livens/assembly.hpp>
#include <livens/probe.hpp>

#include "records/read.hpp"

namespace livens {

// Those of solids and constraints, in solid_probes.cpp.
std::vector<ProbeRecord> solid_probe_records();
// Those of joints and rigid bodies, in joint_probes.cpp.
std::vector<ProbeRecord> joint_probe_records();
// Those of contacts, in contact_probes.cpp, and what they look at.
std::vector<ProbeRecord> contact_probe_records();
void aim_at_contact(const ProbePlace& place, const ProbeRecord& record, const Model& model, ProbeTarget& target);
// Force and moment of a constraint that is held by multipliers, in joint_probes.cpp.
struct JointReaction {
  double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
};
JointReaction joint_reaction(const ProbeTarget& target, const Sample& sample);

// What probes of a scene are made of.
struct ProbeEntries {
  std::vector<const Entry*> probes, cracks, contours;
  const std::map<std::string, NodeSet>& selections;
};

// The probes and contours of a scene; mistakes are appended to the faults.
std::vector<Probe> make_probes(const ProbeEntries& entries, const Model& model, std::vector<SceneFault>& faults);

// The integrals of the contours, in make_contours.cpp, and the weights of the nodes in one of them.
void add_contour_probes(const ProbeEntries& entries, const Model& model, std::vector<Probe>& probes,
                        std::vector<SceneFault>& faults);
const std::vector<double>& weights_of(const ContourTarget& target);

}  // namespace livens
