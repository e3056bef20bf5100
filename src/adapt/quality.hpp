// Shape quality of simplices, and a barrier that keeps it.
//
//   Q = 4 sqrt(3) A / sum l^2 of triangles, 12 (3 V)^(2/3) / sum l^2 of tetrahedra (mean ratio): 1 for equal sides.
#pragma once

#include <vector>

#include <livens/energy.hpp>
#include <livens/mesh.hpp>

namespace livens {

// Of every element with its corners at X; negative where it is inverted.
std::vector<double> mean_ratios(const Mesh& mesh, ConstVector X);

// sum_K k_K (1 - s)^3 / s for s < 1, s = (Q - floor)/(onset - floor): nothing above the onset, infinite at the floor.
class QualityBarrier {
 public:
  // Floor and onset are `bound` and 1.25 of it, lower for elements that start below it. weight: J, one per element.
  QualityBarrier(const Mesh& mesh, double bound, std::vector<double> weight);

  // Adds the gradient by X; infinity where an element is at its floor or below.
  double add_gradient(ConstVector X, Vector G) const;
  int active(ConstVector X) const;  // elements below their onset
  // Whether a node has such an element; or one at its floor or below.
  std::vector<bool> active_nodes(ConstVector X) const;
  std::vector<bool> broken_nodes(ConstVector X) const;

 private:
  template <class Body>
  void each_active(ConstVector X, const Body& body) const;
  std::vector<bool> nodes_below(ConstVector X, double s) const;

  const Mesh& mesh_;
  std::vector<double> floor_, onset_, weight_;
};

}  // namespace livens
