#include "action/discrete_action.hpp"

#include <algorithm>
#include <cmath>

#include "math/quadrature.hpp"
#include "model/linearisation.hpp"

namespace livens {

DiscreteAction::DiscreteAction(const Model& model, const DiscreteLagrangian& rule, double t, double h, int steps)
    : model_(model),
      n_(static_cast<std::size_t>(model.size())),
      s_(rule.nodes.size() - 1),
      steps_(static_cast<std::size_t>(steps)),
      t_(t),
      h_(h),
      c_(rule.points),
      w_(rule.weights) {
  for (const double c : c_)
    for (std::size_t j = 0; j <= s_; ++j) {
      phi_.push_back(lagrange(rule.nodes, j, c));
      dphi_.push_back(lagrange_derivative(rule.nodes, j, c));
    }
  for (auto* vector : {&q_, &v_, &by_q_, &by_v_}) vector->resize(n_);
  make_pattern();
  for (auto* vector : {&qq_, &qv_, &vq_, &vv_}) vector->resize(linearisation(model).pattern().nonzeros());
}

double DiscreteAction::time(std::size_t step, std::size_t i) const {
  return t_ + (static_cast<double>(step) + c_[i]) * h_;
}

// q_ and v_ at a quadrature point. Only differences to the first point of the step enter, so that nothing cancels.
void DiscreteAction::place(std::size_t step, std::size_t i, ConstVector path) {
  const double* first = &path[step * s_ * n_];
  for (std::size_t k = 0; k < n_; ++k) {
    double q = 0, v = 0;
    for (std::size_t j = 1; j <= s_; ++j) {
      const double z = first[j * n_ + k] - first[k];
      q += phi(i, j) * z;
      v += dphi(i, j) * z;
    }
    q_[k] = first[k] + q;
    v_[k] = v / h_;
  }
}

double DiscreteAction::value(ConstVector path) {
  double sum = 0;
  for (std::size_t step = 0; step < steps_; ++step)
    for (std::size_t i = 0; i < c_.size(); ++i) {
      place(step, i, path);
      sum += h_ * w_[i] * model_.lagrangian(time(step, i), q_, v_);
    }
  return sum;
}

double DiscreteAction::gradient(ConstVector path, Vector gradient, Vector sizes) {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  std::fill(sizes.begin(), sizes.end(), 0.0);
  double sum = 0;
  for (std::size_t step = 0; step < steps_; ++step)
    for (std::size_t i = 0; i < c_.size(); ++i) {
      place(step, i, path);
      sum += h_ * w_[i] * model_.lagrangian(time(step, i), q_, v_, by_q_, by_v_);
      for (std::size_t j = 0; j <= s_; ++j) {
        const std::size_t at = (step * s_ + j) * n_;
        for (std::size_t k = 0; k < n_; ++k) {
          const double kick = h_ * w_[i] * phi(i, j) * by_q_[k], momentum = w_[i] * dphi(i, j) * by_v_[k];
          gradient[at + k] += kick + momentum;
          sizes[at + k] += std::abs(kick) + std::abs(momentum);
        }
      }
    }
  return sum;
}

std::size_t DiscreteAction::first_neighbour(std::size_t point) const {
  const std::size_t first = point % s_ == 0 ? (point > s_ ? point - s_ : 0) : point / s_ * s_;
  return std::max<std::size_t>(first, 1);
}

std::size_t DiscreteAction::last_neighbour(std::size_t point) const {
  return std::min((point / s_ + 1) * s_, points() - 2);
}

void DiscreteAction::make_pattern() {
  const SparsePattern& base = linearisation(model_).pattern();
  pattern_.n = static_cast<int>(points() > 2 ? inner() : 0);
  pattern_.block = base.block;
  pattern_.column_start.push_back(0);
  for (std::size_t point = 1; point + 1 < points(); ++point)
    for (std::size_t c = 0; c < n_; ++c) {
      for (std::size_t other = first_neighbour(point); other <= last_neighbour(point); ++other)
        for (int e = base.column_start[c]; e < base.column_start[c + 1]; ++e)
          pattern_.row.push_back(static_cast<int>((other - 1) * n_) + base.row[e]);
      pattern_.column_start.push_back(static_cast<int>(pattern_.row.size()));
    }
}

void DiscreteAction::hessian(ConstVector path, Vector values) {
  const Linearisation& lin = linearisation(model_);
  for (std::size_t step = 0; step < steps_; ++step)
    for (std::size_t i = 0; i < c_.size(); ++i) {
      place(step, i, path);
      const double t = time(step, i), w = w_[i];
      for (auto* block : {&qq_, &qv_, &vq_, &vv_}) std::fill(block->begin(), block->end(), 0.0);
      lin.add_lagrangian(model_, t, q_, v_, {h_ * w, 0, 0, 0}, qq_);
      lin.add_lagrangian(model_, t, q_, v_, {0, 0, 0, w / h_}, vv_);
      if (!model_.separable()) {
        lin.add_lagrangian(model_, t, q_, v_, {0, w, 0, 0}, qv_);
        lin.add_lagrangian(model_, t, q_, v_, {0, 0, w, 0}, vq_);
      }
      scatter(step, i, values);
    }
}

// d2S / dQ_j dQ_k += phi_j phi_k qq + phi_j phi'_k qv + phi'_j phi_k vq + phi'_j phi'_k vv
void DiscreteAction::scatter(std::size_t step, std::size_t i, Vector values) const {
  const SparsePattern& base = linearisation(model_).pattern();
  for (std::size_t k = 0; k <= s_; ++k) {
    const std::size_t column_point = step * s_ + k;
    if (!is_inner(column_point)) continue;
    for (std::size_t c = 0; c < n_; ++c) {
      const auto first = static_cast<std::size_t>(base.column_start[c]);
      const std::size_t count = static_cast<std::size_t>(base.column_start[c + 1]) - first;
      double* column = &values[pattern_.column_start[(column_point - 1) * n_ + c]];
      for (std::size_t j = 0; j <= s_; ++j) {
        const std::size_t row_point = step * s_ + j;
        if (!is_inner(row_point)) continue;
        double* out = column + (row_point - first_neighbour(column_point)) * count;
        for (std::size_t e = 0; e < count; ++e)
          out[e] += phi(i, j) * (phi(i, k) * qq_[first + e] + dphi(i, k) * qv_[first + e]) +
                    dphi(i, j) * (phi(i, k) * vq_[first + e] + dphi(i, k) * vv_[first + e]);
      }
    }
  }
}

std::vector<double> DiscreteAction::metric(ConstVector path) {
  const Linearisation& lin = linearisation(model_);
  const SparsePattern& base = lin.pattern();
  std::vector<double> diagonal(inner(), 0.0);
  for (std::size_t step = 0; step < steps_; ++step)
    for (std::size_t i = 0; i < c_.size(); ++i) {
      place(step, i, path);
      std::fill(vv_.begin(), vv_.end(), 0.0);
      lin.add_lagrangian(model_, time(step, i), q_, v_, {0, 0, 0, h_ * w_[i]}, vv_);
      // Shared equally by the points of the step; a point between two steps gets a half from each.
      for (std::size_t j = 0; j <= s_; ++j) {
        const std::size_t point = step * s_ + j;
        const double share = (j == 0 || j == s_ ? 0.5 : 1.0) / static_cast<double>(s_);
        for (std::size_t k = 0; is_inner(point) && k < n_; ++k)
          diagonal[(point - 1) * n_ + k] += share * vv_[base.slot(static_cast<int>(k), static_cast<int>(k))];
      }
    }
  return diagonal;
}

}  // namespace livens
