// Pairs of edges within half the range of a barrier, weakened where they are nearly parallel:
//
//   B = m(c) k b(u),   c = |e1 x e2|^2,   m = (c/cx)(2 - c/cx) for c < cx = 1e-3 |E1|^2 |E2|^2 of the reference, else 1
//
// because the distance of parallel edges has kinks. Discrete gradients of a product and of c = |e1|^2 |e2|^2 -
// (e1.e2)^2:
//
//   D(m b) = 1/2 (m0 + m1) Db + 1/2 (b0 + b1) m[c0, c1] Dc,
//   Dc = <|e1|^2> D|e2|^2 + <|e2|^2> D|e1|^2 - 2 <e1.e2> D(e1.e2),   < > the mean of both ends,
//   D|e|^2 = 2 e of the middle,   D(e1.e2) = e2 of the middle on e1, e1 of the middle on e2
#pragma once

#include <vector>

#include "contact/contact.hpp"
#include "contact/distance.hpp"

namespace livens {

struct EdgePair {
  int first, second;         // edges
  std::array<int, 4> point;  // their points
  double range, strength;    // m, J
  double cross_scale;        // cx, m^4
};

struct EdgePairState {
  Closest closest;
  double cross = 0;  // c, m^4
};

EdgePairState edge_pair_state(const EdgePair& pair, const std::vector<Point3>& x);
// m(c), and its derivative by the points, if it is not 1 all around.
struct EdgeWeakening {
  double value = 1;
  bool varies = false;
  std::array<Point3, 4> by_point{};
};
EdgeWeakening edge_pair_weakening(const EdgePair& pair, const EdgePairState& at, const std::vector<Point3>& x);
double edge_pair_energy(const EdgePair& pair, const EdgePairState& at);
// forces += scale * dB/dx
void add_edge_pair_gradient(const EdgePair& pair, const EdgePairState& at, const std::vector<Point3>& x, double scale,
                            Point3* forces);
// False if both ends are out of reach.
bool edge_pair_contact(const EdgePair& pair, const EdgePairState& at0, const EdgePairState& at1,
                       const std::vector<Point3>& x0, const std::vector<Point3>& x1, Contact& contact);

}  // namespace livens
