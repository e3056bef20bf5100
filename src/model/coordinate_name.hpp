// Names of coordinates, for messages.
#pragma once

#include <string>

#include <livens/model.hpp>

namespace livens {

// theta, or "x of node 12 of lattice".
std::string coordinate_name(const Model& model, int coordinate);

}  // namespace livens
