// One function per force; the list in records.cpp is the registry.
#pragma once

#include "scene/build.hpp"

namespace livens {

ForceRecord gravity_record();
ForceRecord pairwise_gravity_record();
ForceRecord spring_record();
ForceRecord drag_record();
ForceRecord mass_damping_record();
ForceRecord strain_damping_record();
ForceRecord rayleigh_damping_record();

}  // namespace livens
