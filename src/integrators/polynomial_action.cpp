#include "integrators/polynomial_action.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/book_terms.hpp"
#include "model/linearisation.hpp"

namespace livens {

SparsePattern expand(const SparsePattern& base, int s) {
  SparsePattern big;
  big.n = base.n * s;
  big.column_start.push_back(0);
  for (std::size_t c = 0; c < static_cast<std::size_t>(base.n); ++c)
    for (int k = 0; k < s; ++k) {
      for (auto e = static_cast<std::size_t>(base.column_start[c]);
           e < static_cast<std::size_t>(base.column_start[c + 1]); ++e)
        for (int j = 0; j < s; ++j) big.row.push_back(base.row[e] * s + j);
      big.column_start.push_back(static_cast<int>(big.row.size()));
    }
  return big;
}

PolynomialAction::PolynomialAction(std::vector<double> nodes, Quadrature rule, const Model& model)
    : s_(nodes.size() - 1), nodes_(std::move(nodes)), rule_(std::move(rule)), carried_(model) {
  const std::size_t m = rule_.x.size(), n = static_cast<std::size_t>(model.size());
  phi_.resize(m * (s_ + 1));
  dphi_.resize(m * (s_ + 1));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j <= s_; ++j) {
      phi_[i * (s_ + 1) + j] = lagrange(nodes_, j, rule_.x[i]);
      dphi_[i * (s_ + 1) + j] = lagrange_derivative(nodes_, j, rule_.x[i]);
    }
  for (auto* vector : {&q_, &v_, &by_q_, &by_v_, &impulse_, &sum_by_q_}) vector->resize(n);
  for (auto* vector : {&qq_, &qv_, &vq_, &vv_}) vector->resize(linearisation(model).pattern().nonzeros());
}

void PolynomialAction::begin(const Model& model, double t0, double h, ConstVector q0, ConstVector p0) {
  model_ = &model;
  t0_ = t0;
  h_ = h;
  q0_ = q0;
  p0_ = p0;
}

void PolynomialAction::guess(ConstVector v, Vector z) const {
  for (std::size_t k = 0; k < v.size(); ++k)
    for (std::size_t j = 1; j <= s_; ++j) z[k * s_ + j - 1] = nodes_[j] * h_ * v[k];
}

// q_, v_ at quadrature point i. Only differences to q0 enter the velocity, so nothing cancels.
void PolynomialAction::place(std::size_t i, ConstVector z) {
  for (std::size_t k = 0; k < q_.size(); ++k) {
    double q = 0, v = 0;
    for (std::size_t j = 1; j <= s_; ++j) {
      q += phi(i, j) * z[k * s_ + j - 1];
      v += dphi(i, j) * z[k * s_ + j - 1];
    }
    q_[k] = q0_[k] + q;
    v_[k] = v / h_;
  }
}

bool PolynomialAction::residual(ConstVector z, Vector r, double& scale) {
  const std::size_t n = q_.size();
  std::fill(r.begin(), r.end(), 0.0);
  std::fill(sum_by_q_.begin(), sum_by_q_.end(), 0.0);
  scale = 0;
  for (std::size_t k = 0; k < n; ++k) r[k * s_] = p0_[k];
  for (std::size_t i = 0; i < rule_.x.size(); ++i) {
    place(i, z);
    model_->lagrangian(t0_ + rule_.x[i] * h_, q_, v_, by_q_, by_v_);
    for (std::size_t f = 0; f < model_->parts().forces.size(); ++f)
      model_->add_force(f, t0_ + rule_.x[i] * h_, q_, v_, 1, by_q_);
    for (std::size_t k = 0; k < n; ++k) {
      const double kick = h_ * rule_.w[i] * by_q_[k], momentum = rule_.w[i] * by_v_[k];
      sum_by_q_[k] += kick;
      for (std::size_t j = 0; j < s_; ++j) r[k * s_ + j] += phi(i, j) * kick + dphi(i, j) * momentum;
      scale = std::max(scale, std::abs(by_v_[k]) + std::abs(h_ * by_q_[k]) + std::abs(p0_[k]));
    }
  }
  return std::isfinite(scale);
}

void PolynomialAction::jacobian(ConstVector z, const SparsePattern& pattern, Vector values) {
  const Linearisation& lin = linearisation(*model_);
  const std::size_t forces = model_->parts().forces.size();
  for (std::size_t i = 0; i < rule_.x.size(); ++i) {
    place(i, z);
    const double t = t0_ + rule_.x[i] * h_, w = rule_.w[i];
    for (auto* block : {&qq_, &qv_, &vq_, &vv_}) std::fill(block->begin(), block->end(), 0.0);
    lin.add_lagrangian(*model_, t, q_, v_, {h_ * w, 0, 0, 0}, qq_);
    lin.add_lagrangian(*model_, t, q_, v_, {0, 0, 0, w / h_}, vv_);
    if (!model_->separable()) {
      lin.add_lagrangian(*model_, t, q_, v_, {0, w, 0, 0}, qv_);
      lin.add_lagrangian(*model_, t, q_, v_, {0, 0, w, 0}, vq_);
    }
    for (std::size_t f = 0; f < forces; ++f) {
      lin.add_force(*model_, f, t, q_, v_, h_ * w, 0, qq_);
      lin.add_force(*model_, f, t, q_, v_, 0, w, qv_);
    }
    scatter(i, pattern, values);
  }
}

// d r_j / d Z_k = phi_j phi_k qq + phi_j phi'_k qv + phi'_j phi_k vq + phi'_j phi'_k vv
void PolynomialAction::scatter(std::size_t i, const SparsePattern& pattern, Vector values) const {
  const SparsePattern& base = linearisation(*model_).pattern();
  for (std::size_t c = 0; c < static_cast<std::size_t>(base.n); ++c) {
    const auto first = static_cast<std::size_t>(base.column_start[c]);
    const std::size_t count = static_cast<std::size_t>(base.column_start[c + 1]) - first;
    for (std::size_t e = 0; e < count; ++e) {
      const double qq = qq_[first + e], qv = qv_[first + e], vq = vq_[first + e], vv = vv_[first + e];
      for (std::size_t k = 1; k <= s_; ++k) {
        const double by_q = phi(i, k), by_v = dphi(i, k);
        double* out = &values[pattern.column_start[c * s_ + k - 1] + e * s_];
        for (std::size_t j = 0; j < s_; ++j)
          out[j] += phi(i, j) * (by_q * qq + by_v * qv) + dphi(i, j) * (by_q * vq + by_v * vv);
      }
    }
  }
}

void PolynomialAction::book(ConstVector z, bool forces, Ledger& ledger) {
  for (std::size_t i = 0; i < rule_.x.size(); ++i) {
    place(i, z);
    const auto book_them = forces ? book_point : book_terms;
    book_them(*model_, t0_ + rule_.x[i] * h_, q_, v_, h_ * rule_.w[i], impulse_, ledger);
    if (carried_.any()) book_carried(i, forces, ledger);
  }
}

void PolynomialAction::end_impulses(ConstVector z, std::size_t k, Vector start, Vector end) {
  std::fill(start.begin(), start.end(), 0.0);
  std::fill(end.begin(), end.end(), 0.0);
  for (std::size_t i = 0; i < rule_.x.size(); ++i) {
    place(i, z);
    const double t = t0_ + rule_.x[i] * h_, weight = h_ * rule_.w[i];
    model_->add_force(k, t, q_, v_, weight * phi(i, 0), start);
    model_->add_force(k, t, q_, v_, weight * phi(i, s_), end);
  }
}

// dS/dQ_j = w_i [ h phi_j(c_i) (L_q + f) + phi_j'(c_i) L_v ](i) acts at Q_j: together at sum_j phi_j Q_j, where the
// support need not be at the time c_i, and carried with sum_j phi_j' Q_j.
void PolynomialAction::book_carried(std::size_t i, bool forces, Ledger& ledger) {
  const double t = t0_ + rule_.x[i] * h_;
  std::vector<double> times, weights, rates;
  for (std::size_t j = 0; j <= s_; ++j) {
    times.push_back(t0_ + nodes_[j] * h_);
    weights.push_back(phi(i, j));
    rates.push_back(dphi(i, j));
  }
  model_->lagrangian(t, q_, v_, by_q_, by_v_);
  for (std::size_t f = 0; f < model_->parts().forces.size() && forces; ++f) model_->add_force(f, t, q_, v_, 1, by_q_);
  for (double& value : by_v_) value *= rule_.w[i];
  for (double& value : by_q_) value *= h_ * rule_.w[i];
  carried_.book(*model_, times, rates, by_v_, ledger);
  times.push_back(t);
  weights.push_back(-1);
  carried_.book(*model_, times, weights, by_q_, ledger);
}

double PolynomialAction::discrete_energy(const Model& model, ConstVector q0, ConstVector z) {
  q0_ = q0;
  double sum = 0;
  for (std::size_t i = 0; i < rule_.x.size(); ++i) {
    place(i, z);
    double e = -model.lagrangian(t0_ + rule_.x[i] * h_, q_, v_, by_q_, by_v_);
    for (std::size_t k = 0; k < q0.size(); ++k) e += by_v_[k] * v_[k];
    sum += rule_.w[i] * e;
  }
  return sum;
}

void PolynomialAction::control_point(std::size_t j, ConstVector z, Vector q) const {
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = q0_[k] + z[k * s_ + j - 1];
}

}  // namespace livens
