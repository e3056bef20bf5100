// Keys that contacts share, and how they are read.
#pragma once

#include <optional>

#include <livens/contact.hpp>

#include "model/part_records.hpp"

namespace livens {

// Keys of barriers, but for the radius of particles.
std::vector<Parameter> barrier_keys();
BarrierRule read_barrier(const Settings& settings);

// Rigid shapes at rest (contact_shapes.cpp).
ContactRecord contact_box_record();
ContactRecord contact_cylinder_record();

}  // namespace livens
