// Contours about crack tips, and the J-integral of the nodes inside [L04 5].
//
//   J = -sum_inside G_a . e + int zeta rho x'' . dx/dX_e dX,   zeta = sum_inside N_a,
//
// G the configurational force, e the direction of growth; du/dX_e where G is the derivative at fixed displacement. It
// is positive where growth releases energy.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <livens/model.hpp>

#include "elements/solid.hpp"

namespace livens {

class Contour {
 public:
  // inside: nodes of the body; the elements that have one of them are the domain.
  Contour(const Model& model, int body, const std::vector<int>& inside, std::array<double, 3> direction);

  double j(const Model& model, const State& state, bool kinetic = true) const;
  int nodes() const { return static_cast<int>(inside_.size()); }

 private:
  double inertia(const Model& model, const State& state) const;

  int body_;
  std::vector<int> inside_;
  std::array<double, 3> direction_;
  std::vector<std::shared_ptr<const EnergyTerm>> kept_;  // what the blocks below belong to
  std::vector<const SolidBlock*> blocks_;                // restricted to the domain
  // Quadrature points of elements of the domain: weight times density and zeta, shape functions and gradients.
  struct Point {
    double weight;
    bool displacement;  // du/dX instead of dx/dX
    const int* nodes;
    std::vector<double> shape, gradient;  // a number, and `dimension` numbers, a node
  };
  std::vector<Point> points_;
};

}  // namespace livens
