// One function per kind of constraint; the list in records.cpp is the registry.
#pragma once

#include "scene/build.hpp"

namespace livens {

ConstraintRecord fixed_record();
ConstraintRecord prescribed_record();
ConstraintRecord distance_record();
ConstraintRecord spherical_record();
ConstraintRecord revolute_record();
ConstraintRecord prismatic_record();
ConstraintRecord cylindrical_record();
ConstraintRecord universal_record();
ConstraintRecord alignment_record();
ConstraintRecord point_on_surface_record();
ConstraintRecord attachment_record();
ConstraintRecord expression_constraint_record();

// Which of x, y, z a text such as "xz" names; false with a fault.
bool read_components(const Settings& settings, int dimension, Build& build, std::vector<bool>& components);

// Adds a support after taking out the coordinates that another constraint holds already: those of `fixed` may overlap,
// others are faults. `moves`: the support has a motion of its own.
void add_support(const Settings& settings, Support support, Build& build);

}  // namespace livens
