// Galerkin variational integrators [L04 (21)-(23)]: within a step q(t) is a polynomial of degree s through control
// points Q_0 = q0, Q_1, ..., Q_s = q1; the action is summed over s Gauss or s + 1 Lobatto points c_i with weights w_i,
//
//   S(Q) = h sum_i w_i L(t0 + c_i h, sum_j phi_j(c_i) Q_j, (1/h) sum_j phi_j'(c_i) Q_j),
//   p0 = -dS/dQ_0 - F_0,   0 = dS/dQ_j + F_j (0 < j < s),   p1 = dS/dQ_s + F_s,   F_j = h sum_i w_i phi_j(c_i) f(i).
//
// Order 2s; with Lobatto points it is the Lobatto IIIA-IIIB pair. The unknowns are Z_j = Q_j - q0, j = 1 ... s, and
// p1 = p0 + h sum_i w_i (L_q + f)(i), the sum of all equations, keeps the linear momentum at any tolerance.
#include <algorithm>
#include <cmath>

#include "integrators/booking.hpp"
#include "integrators/records.hpp"
#include "integrators/stepper.hpp"
#include "math/quadrature.hpp"
#include "model/legendre.hpp"
#include "model/linearisation.hpp"
#include "scene/parameter.hpp"

namespace livens {
namespace {

// The pattern of a model with every entry replaced by a dense s x s block; unknown (coordinate, j) is coordinate * s +
// j.
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

class GalerkinStepper final : public Stepper, private RootProblem {
 public:
  GalerkinStepper(int degree, Quadrature rule, const SolverOptions& solver, const Model& model)
      : s_(static_cast<std::size_t>(degree)),
        rule_(std::move(rule)),
        nodes_(lobatto_quadrature(degree + 1).x),
        solver_(solver),
        newton_(expand(model.linearisation().pattern(), degree)),
        legendre_(model) {
    const std::size_t m = rule_.x.size(), n = static_cast<std::size_t>(model.size());
    phi_.resize(m * (s_ + 1));
    dphi_.resize(m * (s_ + 1));
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j <= s_; ++j) {
        phi_[i * (s_ + 1) + j] = lagrange(nodes_, j, rule_.x[i]);
        dphi_[i * (s_ + 1) + j] = lagrange_derivative(nodes_, j, rule_.x[i]);
      }
    z_.resize(n * s_);
    for (auto* vector : {&q_, &v_, &by_q_, &by_v_, &p1_, &q1_, &v1_, &impulse_, &sum_by_q_}) vector->resize(n);
    for (auto* vector : {&qq_, &qv_, &vq_, &vv_})
      vector->resize(static_cast<std::size_t>(model.linearisation().pattern().nonzeros()));
  }

  StepReport step(const Model& model, State& state, double h, Books books) override {
    model_ = &model;
    t0_ = state.t;
    h_ = h;
    q0_ = state.q;
    p0_ = state.p;
    const std::size_t n = state.q.size();
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 1; j <= s_; ++j) z_[k * s_ + j - 1] = nodes_[j] * h * state.v[k];
    const SolveResult& result = newton_.find_root(*this, z_, solver_);
    book_solve(result, books.counters);
    books.counters.evaluations += static_cast<long>(rule_.x.size() - 1) * result.evaluations;
    if (!result.converged) return failed_solve_of_base(model, result, state.t, h);
    for (std::size_t k = 0; k < n; ++k) {
      p1_[k] = p0_[k] + sum_by_q_[k];
      q1_[k] = q0_[k] + z_[k * s_ + s_ - 1];
      v1_[k] = state.v[k];
    }
    book(books.ledger);
    StepReport report;
    report.h = h;
    report.iterations = result.iterations;
    if (!legendre_.velocity(model, t0_ + h, q1_, p1_, v1_)) return failed_not_finite(model, t0_, h);
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    return report;
  }

  // -dS/dh at fixed control points: sum_i w_i [ L_v.v - L ](i).
  std::optional<double> discrete_energy(const Model& model, const State& state) override {
    if (h_ == 0) return std::nullopt;
    q0_ = q1_;  // the start of the last step
    double sum = 0;
    for (std::size_t i = 0; i < rule_.x.size(); ++i) {
      place(i, z_);
      double e = -model.lagrangian(t0_ + rule_.x[i] * h_, q_, v_, by_q_, by_v_);
      for (std::size_t k = 0; k < state.q.size(); ++k) e += by_v_[k] * v_[k];
      sum += rule_.w[i] * e;
    }
    return sum;
  }

 private:
  double phi(std::size_t i, std::size_t j) const { return phi_[i * (s_ + 1) + j]; }
  double dphi(std::size_t i, std::size_t j) const { return dphi_[i * (s_ + 1) + j]; }

  StepReport failed_solve_of_base(const Model& model, const SolveResult& result, double t, double h) const {
    SolveResult base = result;
    base.worst_coordinate = result.worst_coordinate / static_cast<int>(s_);
    return failed_solve(model, base, t, h, q_);
  }

  // q_, v_ at quadrature point i. Only differences to q0 enter the velocity, so nothing cancels.
  void place(std::size_t i, ConstVector z) {
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

  // Equation j = 0 ... s-1 of coordinate k stands at k * s + j.
  bool residual(ConstVector z, Vector r, double& scale) override {
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

  void jacobian(ConstVector z, Vector values) override {
    const Linearisation& lin = model_->linearisation();
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
      scatter(i, values);
    }
  }

  // d r_j / d Z_k = phi_j phi_k qq + phi_j phi'_k qv + phi'_j phi_k vq + phi'_j phi'_k vv
  void scatter(std::size_t i, Vector values) const {
    const SparsePattern& base = model_->linearisation().pattern();
    for (std::size_t c = 0; c < static_cast<std::size_t>(base.n); ++c) {
      const auto first = static_cast<std::size_t>(base.column_start[c]);
      const std::size_t count = static_cast<std::size_t>(base.column_start[c + 1]) - first;
      for (std::size_t e = 0; e < count; ++e) {
        const double qq = qq_[first + e], qv = qv_[first + e], vq = vq_[first + e], vv = vv_[first + e];
        for (std::size_t k = 1; k <= s_; ++k) {
          const double by_q = phi(i, k), by_v = dphi(i, k);
          double* out = &values[first * s_ * s_ + (k - 1) * count * s_ + e * s_];
          for (std::size_t j = 0; j < s_; ++j)
            out[j] += phi(i, j) * (by_q * qq + by_v * qv) + dphi(i, j) * (by_q * vq + by_v * vv);
        }
      }
    }
  }

  // Work and impulses by the quadrature of the action.
  void book(Ledger& ledger) {
    for (std::size_t i = 0; i < rule_.x.size(); ++i) {
      place(i, z_);
      book_point(*model_, t0_ + rule_.x[i] * h_, q_, v_, h_ * rule_.w[i], impulse_, ledger);
    }
  }

  std::size_t s_;
  Quadrature rule_;
  std::vector<double> nodes_, phi_, dphi_;
  SolverOptions solver_;
  NewtonSolver newton_;
  Legendre legendre_;
  std::vector<double> z_, q_, v_, by_q_, by_v_, p1_, q1_, v1_, impulse_, sum_by_q_, qq_, qv_, vq_, vv_;
  const Model* model_ = nullptr;
  double t0_ = 0, h_ = 0;
  ConstVector q0_, p0_;
};

}  // namespace

IntegratorRecord galerkin_record() {
  IntegratorRecord record;
  record.name = "galerkin";
  record.brief = "polynomials of degree s in time, s Gauss or s+1 Lobatto points: order 2s";
  record.citation = "L04 (21)-(23)";
  record.parameters = {
      step_parameter(),
      bounded(key("degree", ValueType::integer, "-", "2", "degree s of the polynomials; the order is 2s"), 1, 6),
      one_of(key("quadrature", ValueType::name, "-", "gauss",
                 "s Gauss points, or s + 1 Lobatto points (the Lobatto IIIA-IIIB pair)"),
             {"gauss", "lobatto"})};
  record.law_variants = {"degree = 1",
                         "degree = 2",
                         "degree = 3",
                         "degree = 4",
                         "degree = 1, quadrature = 'lobatto'",
                         "degree = 2, quadrature = 'lobatto'",
                         "degree = 3, quadrature = 'lobatto'",
                         "degree = 4, quadrature = 'lobatto'",
                         "degree = 5",
                         "degree = 6",
                         "degree = 5, quadrature = 'lobatto'",
                         "degree = 6, quadrature = 'lobatto'"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims;
    claims.order = 2 * static_cast<int>(settings.integer("degree"));
    claims.symplectic = model.forced ? Symplectic::no : Symplectic::canonical;
    claims.symmetric = true;
    claims.angular_momentum = Keeps::exact;
    claims.energy = EnergyClaim::bounded;
    return claims;
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    const int degree_value = static_cast<int>(settings.integer("degree"));
    Quadrature rule =
        settings.text("quadrature") == "gauss" ? gauss_quadrature(degree_value) : lobatto_quadrature(degree_value + 1);
    return make_stepping(std::make_unique<GalerkinStepper>(degree_value, std::move(rule), solver, model), settings,
                         solver, model);
  };
  return record;
}

}  // namespace livens
