#include "asynchronous/implicit_stencil.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

namespace livens {
namespace {

constexpr int most_iterations = 50;
constexpr double rounding_of_residual = 4e-16;
constexpr double accepted_residual = 1e-9;   // where the residual stops falling: forces are differences of positions
constexpr double hessian_difference = 1e-6;  // of the size of the stencil
constexpr double shortest_length = 1e-6;     // of a Newton step that keeps meeting shapes without energy

// As long as the largest stencil needs them: no memory is asked for.
constexpr int most_unknowns = 3 * most_nodes;
using Unknowns = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_unknowns, 1>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_unknowns, most_unknowns>;

// y - x + s/m dW(y) = 0
class Softened {
 public:
  Softened(const StencilSystem& system, const StencilSystem::Set& set, int stencil, double softness, const Pack* x,
           Pack* y, Pack* gradient)
      : set_(set),
        stencil_(stencil - set.first),
        dimension_(system.dimension()),
        size_(set.per_stencil * dimension_),
        x_(x),
        y_(y),
        gradient_(gradient),
        compliance_(size_),
        residual_(size_) {
    const double* mass = system.masses(set, stencil);
    const Pack* free = system.free_coordinates();
    const int* nodes = system.nodes(set, stencil);
    double extent = 0;
    for (int i = 0; i < size_; ++i) {
      compliance_[i] = softness / mass[node(i)] * (free != nullptr ? free[nodes[node(i)]][lane(i)] : 1);
      scale_ = std::max(scale_, std::abs(x[node(i)][lane(i)]));
      extent = std::max(extent, std::abs(x[node(i)][lane(i)] - x[0][lane(i)]));
    }
    difference_ = hessian_difference * (extent > 0 ? extent : 1);
    std::copy(x, x + set.per_stencil, y);
  }

  bool solve() {
    if (!evaluate()) return false;
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 1;; ++iteration) {
      const double norm = residual_.lpNorm<Eigen::Infinity>();
      if (norm <= rounding_of_residual * scale_ || (norm > 0.5 * last && norm <= accepted_residual * scale_))
        return true;
      if (iteration == most_iterations || !std::isfinite(norm)) return false;
      last = norm;
      take_newton_step();
    }
  }

  double energy() const {
    double sum = energy_;
    for (int i = 0; i < size_; ++i) {
      const double off = y_[node(i)][lane(i)] - x_[node(i)][lane(i)];
      if (compliance_[i] > 0) sum += off * off / (2 * compliance_[i]);
    }
    return sum;
  }

 private:
  int node(int i) const { return i / dimension_; }
  int lane(int i) const { return i % dimension_; }

  bool evaluate() {
    energy_ = set_.stencils->evaluate(stencil_, lanes(y_), lanes(gradient_));
    for (int i = 0; i < size_; ++i) {
      const double pushed = compliance_[i] * gradient_[node(i)][lane(i)];
      residual_[i] = y_[node(i)][lane(i)] - x_[node(i)][lane(i)] + pushed;
      scale_ = std::max(scale_, std::abs(pushed));
    }
    return is_finite(energy_);
  }

  // 1 + s/m d2W(y), by differences of the gradient.
  Matrix derivative() const {
    Matrix J = Matrix::Identity(size_, size_);
    Pack moved[most_nodes], there[most_nodes];
    for (int j = 0; j < size_; ++j) {
      std::copy(y_, y_ + set_.per_stencil, moved);
      moved[node(j)][lane(j)] += difference_;
      set_.stencils->evaluate(stencil_, lanes(moved), lanes(there));
      for (int i = 0; i < size_; ++i)
        J(i, j) += compliance_[i] * (there[node(i)][lane(i)] - gradient_[node(i)][lane(i)]) / difference_;
    }
    return J;
  }

  // Halved until the stencil has an energy there.
  void take_newton_step() {
    const Unknowns direction = derivative().partialPivLu().solve(residual_);
    Pack from[most_nodes];
    std::copy(y_, y_ + set_.per_stencil, from);
    double length = 1;
    do {
      for (int i = 0; i < size_; ++i) y_[node(i)][lane(i)] = from[node(i)][lane(i)] - length * direction[i];
      length /= 2;
    } while (!evaluate() && length > shortest_length);
  }

  const StencilSystem::Set& set_;
  int stencil_, dimension_, size_;
  const Pack* x_;
  Pack *y_, *gradient_;
  Unknowns compliance_, residual_;
  double difference_ = 0;  // of positions, for differences of the gradient
  double scale_ = 0;       // largest summand of the residual
  double energy_ = 0;
};

}  // namespace

double evaluate_softened(const StencilSystem& system, const StencilSystem::Set& set, int stencil, double softness,
                         const Pack* x, Pack* y, Pack* gradient) {
  Softened softened(system, set, stencil, softness, x, y, gradient);
  return softened.solve() ? softened.energy() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace livens
