// A potential of a few nodes as one stencil: penalties of joints, springs between points of bodies. A stiff one then
// costs its own nodes, as often as it asks for, and not all of them.
#pragma once

#include <memory>

#include <livens/model.hpp>

namespace livens {

// Whether a term that hands out no stencils names its coordinates, has not too many nodes, and does not depend on time.
bool is_one_stencil(const Model& model, const EnergyTerm& term);
std::shared_ptr<const Stencils> make_term_stencil(const Model& model, std::shared_ptr<const EnergyTerm> term);

// First coordinates of the nodes that have some of these coordinates, ascending. Throws nothing: all are of nodes.
std::vector<int> nodes_of_coordinates(const Model& model, const std::vector<int>& coordinates);

}  // namespace livens
