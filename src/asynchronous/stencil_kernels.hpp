// Small things that loops over the nodes of a stencil share.
#pragma once

#include <cassert>

#include "math/finite.hpp"
#include "math/pack.hpp"

namespace livens {

inline constexpr int most_nodes = 10;  // of a stencil: tet10

// Stencils take four numbers per node: three coordinates and a lane that they ignore.
inline double* lanes(Pack* x) { return reinterpret_cast<double*>(x); }
inline const double* lanes(const Pack* x) { return reinterpret_cast<const double*>(x); }

// Numbers of nodes that the loops are compiled for: contacts and loads, springs, elements of either order, joints.
constexpr bool is_node_count(int nodes) { return nodes >= 1 && nodes <= most_nodes; }

// body.operator()<N>() for the number of nodes of a stencil, one of those above.
template <class Body>
auto with_nodes(int nodes, const Body& body) {
  switch (nodes) {
    case 1: return body.template operator()<1>();
    case 2: return body.template operator()<2>();
    case 3: return body.template operator()<3>();
    case 4: return body.template operator()<4>();
    case 5: return body.template operator()<5>();
    case 6: return body.template operator()<6>();
    case 7: return body.template operator()<7>();
    case 8: return body.template operator()<8>();
    case 9: return body.template operator()<9>();
    default: assert(nodes == most_nodes); return body.template operator()<most_nodes>();
  }
}

}  // namespace livens
