// Small things that loops over the nodes of a stencil share.
#pragma once

#include "math/pack.hpp"

namespace livens {

inline constexpr int most_nodes = 10;  // of a stencil: tet10

// Stencils take four numbers per node: three coordinates and a lane that they ignore.
inline double* lanes(Pack* x) { return reinterpret_cast<double*>(x); }
inline const double* lanes(const Pack* x) { return reinterpret_cast<const double*>(x); }

inline bool finite(double x) { return x - x == 0; }

// body.operator()<N>() for the number of nodes of a stencil.
template <class Body>
auto with_nodes(int nodes, const Body& body) {
  switch (nodes) {
    case 1: return body.template operator()<1>();
    case 2: return body.template operator()<2>();
    case 3: return body.template operator()<3>();
    case 4: return body.template operator()<4>();
    case 6: return body.template operator()<6>();
    default: return body.template operator()<10>();
  }
}

}  // namespace livens
