// Fields of nodes at any place of the reference shape: which element a place lies in, where in it, and the shape
// functions there with their gradients.
#pragma once

#include <array>
#include <vector>

#include <livens/mesh.hpp>

namespace livens {

// One point of one element.
struct ElementPoint {
  int nodes = 0;
  double jacobian = 0;                             // det(dX/d(L_1 ... L_dim))
  std::array<double, 10> N{};                      // shape functions
  std::array<std::array<double, 3>, 10> grad_N{};  // by X
  std::array<double, 3> X{};                       // its place
};
// At barycentric coordinates L, one for each vertex.
ElementPoint element_point(const Mesh& mesh, int element, const double* L);

// Elements by place. The mesh has to outlive the finder.
class ElementFinder {
 public:
  explicit ElementFinder(const Mesh& mesh);

  struct Place {
    int element = -1;
    std::array<double, 4> L{};  // barycentric
    double outside = 0;         // how negative the least of L is; above 0 where no element has the place
  };
  // The element that X lies in, the first of several; where there is none, the one that X is least outside of, to be
  // continued beyond its facet.
  Place find(const double* X) const;

 private:
  int cell(const double* X) const;
  void try_element(int element, const double* X, Place& best) const;

  const Mesh& mesh_;
  std::array<double, 3> low_{}, width_{1, 1, 1};  // of the grid, and of a cell
  std::array<int, 3> cells_{1, 1, 1};
  std::vector<int> start_, elements_;  // those that reach into each cell, ascending
};

}  // namespace livens
