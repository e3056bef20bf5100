// The action of a whole path, a sum over its steps and their quadrature points, with its first and second derivatives
// by all control points. Control point j of step k is point k s + j of the path; neighbouring steps share their ends.
#pragma once

#include <vector>

#include <livens/discrete_lagrangian.hpp>
#include <livens/model.hpp>

#include "math/sparse_pattern.hpp"

namespace livens {

class DiscreteAction {
 public:
  DiscreteAction(const Model& model, const DiscreteLagrangian& rule, double t, double h, int steps);

  std::size_t coordinates() const { return n_; }
  std::size_t points() const { return s_ * steps_ + 1; }
  std::size_t inner() const { return n_ * (points() - 2); }  // unknowns: the coordinates of all points but the ends

  double value(ConstVector path);
  // gradient = dS/dQ of every point; sizes: for each component, the sum of the absolute values of its summands.
  double gradient(ConstVector path, Vector gradient, Vector sizes);

  // Second derivatives by the inner points; unknown c of point j is at (j - 1) n + c.
  const SparsePattern& pattern() const { return pattern_; }
  void hessian(ConstVector path, Vector values);
  // h L_vv, its diagonal, at the inner points: what makes eigenvalues of the Hessian independent of the step.
  std::vector<double> metric(ConstVector path);

 private:
  double phi(std::size_t i, std::size_t j) const { return phi_[i * (s_ + 1) + j]; }
  double dphi(std::size_t i, std::size_t j) const { return dphi_[i * (s_ + 1) + j]; }
  double time(std::size_t step, std::size_t i) const;
  void place(std::size_t step, std::size_t i, ConstVector path);
  void make_pattern();
  void scatter(std::size_t step, std::size_t i, Vector values) const;
  bool is_inner(std::size_t point) const { return point > 0 && point + 1 < points(); }
  // Points that share a step with this one.
  std::size_t first_neighbour(std::size_t point) const;
  std::size_t last_neighbour(std::size_t point) const;

  const Model& model_;
  std::size_t n_, s_, steps_;
  double t_, h_;
  std::vector<double> c_, w_, phi_, dphi_;
  SparsePattern pattern_;
  std::vector<double> q_, v_, by_q_, by_v_, qq_, qv_, vq_, vv_;
};

}  // namespace livens
