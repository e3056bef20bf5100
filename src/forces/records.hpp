// One function per force; the list in records.cpp is the registry.
#pragma once

#include <optional>

#include "forces/spring.hpp"
#include "scene/build.hpp"

namespace livens {

ForceRecord gravity_record();
ForceRecord pairwise_gravity_record();
ForceRecord spring_record();
ForceRecord damper_record();
ForceRecord drag_record();
ForceRecord mass_damping_record();
ForceRecord strain_damping_record();
ForceRecord rayleigh_damping_record();
ForceRecord traction_record();
ForceRecord load_record();

struct SpringOptions {
  SpringLaw law;
  std::optional<double> rest_length;  // without it, the length at the start
  bool linearised = false;            // about the shape at the start
};
// Springs between pairs of nodes of a body.
void add_springs(const std::string& name, int body, const std::vector<Build::Pair>& pairs, const SpringOptions& options,
                 Build& build);

}  // namespace livens
