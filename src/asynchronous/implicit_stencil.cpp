#include "asynchronous/implicit_stencil.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

namespace livens {
namespace {

constexpr int most_iterations = 30;
constexpr double rounding = 4e-16;
constexpr double accepted = 1e-9;         // where the residual stops falling: forces are differences of positions
constexpr double difference = 1e-6;       // of the size of the stencil
constexpr double shortest_length = 1e-6;  // of a Newton step that keeps meeting shapes without energy

}  // namespace

ImplicitStencil::ImplicitStencil(const StencilSystem& system, int stencil, double weight, const Pack* x, const Pack* p,
                                 const double* delay)
    : system_(system),
      set_(system.set_of(stencil)),
      stencil_(stencil),
      dimension_(system.dimension()),
      size_(set_.per_stencil * dimension_),
      weight_(weight),
      x_(x),
      p_(p),
      delay_(delay),
      P_(size_),
      residual_(size_) {
  double extent = 0;
  for (int i = 0; i < size_; ++i) {
    P_[i] = p[node(i)][lane(i)];
    scale_ = std::max(scale_, std::abs(P_[i]));
    extent = std::max(extent, std::abs(x[node(i)][lane(i)] - x[0][lane(i)]));
  }
  difference_ = difference * (extent > 0 ? extent : 1);
}

void ImplicitStencil::subtract_load_and_hold(double& slope, int i) const {
  const Pack* load = system_.loads(set_, stencil_);
  const Pack* free = system_.free_coordinates();
  if (load != nullptr) slope -= load[node(i)][lane(i)];
  if (free != nullptr) slope *= free[system_.nodes(set_, stencil_)[node(i)]][lane(i)];
}

bool ImplicitStencil::evaluate() {
  std::copy(x_, x_ + set_.per_stencil, star_);
  for (int i = 0; i < size_; ++i) star_[node(i)][lane(i)] += 0.5 * delay_[node(i)] * P_[i] * inverse_mass(i);
  const double energy = set_.stencils->evaluate(stencil_ - set_.first, lanes(star_), lanes(gradient_));
  for (int i = 0; i < size_; ++i) {
    double slope = gradient_[node(i)][lane(i)];
    subtract_load_and_hold(slope, i);
    gradient_[node(i)][lane(i)] = slope;
    residual_[i] = P_[i] - p_[node(i)][lane(i)] + 0.5 * weight_ * slope;
    scale_ = std::max(scale_, std::abs(weight_ * slope));
  }
  return is_finite(energy);
}

// I + 1/2 w d2W(x*) 1/2 d/m, by differences of the gradient.
Eigen::MatrixXd ImplicitStencil::derivative() const {
  Eigen::MatrixXd J = Eigen::MatrixXd::Identity(size_, size_);
  Pack moved[most_nodes], there[most_nodes];
  for (int j = 0; j < size_; ++j) {
    const double by = 0.5 * delay_[node(j)] * inverse_mass(j);
    if (by == 0) continue;
    std::copy(star_, star_ + set_.per_stencil, moved);
    moved[node(j)][lane(j)] += difference_;
    set_.stencils->evaluate(stencil_ - set_.first, lanes(moved), lanes(there));
    for (int i = 0; i < size_; ++i) {
      double slope = there[node(i)][lane(i)];
      subtract_load_and_hold(slope, i);
      J(i, j) += 0.5 * weight_ * (slope - gradient_[node(i)][lane(i)]) / difference_ * by;
    }
  }
  return J;
}

// Halved until the stencil has an energy there.
void ImplicitStencil::take_newton_step() {
  const Eigen::VectorXd direction = derivative().partialPivLu().solve(residual_), from = P_;
  double length = 1;
  do {
    P_ = from - length * direction;
    length /= 2;
  } while (!evaluate() && length > shortest_length);
}

bool ImplicitStencil::solve() {
  if (!evaluate()) return false;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 1;; ++iteration) {
    const double norm = residual_.lpNorm<Eigen::Infinity>();
    if (norm <= rounding * scale_ || (norm > 0.5 * last && norm <= accepted * scale_)) return true;
    if (iteration == most_iterations) return false;
    last = norm;
    take_newton_step();
  }
}

void ImplicitStencil::write(Pack* x_new, Pack* impulse) const {
  for (int a = 0; a < set_.per_stencil; ++a) {
    x_new[a] = x_[a];
    impulse[a] = Pack{};
  }
  for (int i = 0; i < size_; ++i) {
    const int a = node(i), c = lane(i);
    x_new[a][c] += delay_[a] * P_[i] * inverse_mass(i);
    impulse[a][c] = P_[i] - p_[a][c] - 0.5 * weight_ * gradient_[a][c];
  }
}

}  // namespace livens
