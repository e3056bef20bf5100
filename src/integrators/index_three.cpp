#include "integrators/index_three.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/carried_momentum.hpp"
#include "integrators/constrained.hpp"
#include "integrators/solve_report.hpp"
#include "math/finite.hpp"
#include "model/constraint_size.hpp"
#include "model/linearisation.hpp"
#include "model/projection.hpp"

namespace livens {
namespace {

// The unknowns are y = h a1 and the impulses L = h lambda1.
class IndexThreeStepper final : public Stepper, private SaddleProblem {
 public:
  IndexThreeStepper(const AccelerationWeights& weights, const SolverOptions& solver, const Model& model)
      : weights_(weights),
        options_(solver),
        n_(model.size()),
        m_(model.constraint_count()),
        system_(model, 1),
        solver_(system_.pattern(), system_.unknowns()),
        projection_(model),
        size_(model),
        augmentation_(model, 1, solver.tolerance),
        carried_(model),
        x_(n_ + m_),
        base_(linearisation(model).pattern().nonzeros()) {
    for (auto* vector : {&a0_, &q_free_, &v_free_, &q1_, &v1_, &p1_, &force_, &reaction_}) vector->resize(n_);
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    model_ = &model;
    t1_ = state.t + h;
    h_ = h;
    q0_ = state.q;
    if (!find_start(state)) return failed_not_finite(state.t, h);
    size_.begin(model, system_, state.t, state.q, state.v);
    for (std::size_t i = 0; i < n_; ++i) x_[i] = h * a0_[i];
    for (std::size_t k = 0; k < m_; ++k) x_[n_ + k] = h * lambda0_[k];
    augmentation_.begin(h, ConstVector(x_).subspan(n_));
    StepReport report;
    do {
      const SolveResult& result = solver_.solve(*this, x_, options_);
      book_solve(result, context.counters);
      report.iterations += result.iterations;
      if (!result.converged) return failed_solve(model, result, state.t, h, state.q);
    } while (augmentation_.again(ConstVector(x_).subspan(n_), off_));
    if (!augmentation_.converged()) return augmentation_.failed(state.t, h);
    place(x_);
    if (!all_finite(q1_) || !all_finite(v1_)) return failed_not_finite(state.t, h);
    model.multiply_mass(v1_, p1_);
    for (std::size_t i = 0; i < n_; ++i)
      if (model.supported(static_cast<int>(i))) p1_[i] = 0;
    book(state, context.ledger);
    report.h = h;
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    state.lambda.resize(m_);
    for (std::size_t k = 0; k < m_; ++k) state.lambda[k] = x_[n_ + k] / h;
    return report;
  }

  SolvePath solve_path() const override { return constrained_path(options_); }
  void visit_memory(MemoryVisitor& visitor) override { augmentation_.visit_memory(visitor); }

 private:
  // f = -dW + f(q, v)
  void total_force(double t, ConstVector q, ConstVector v, Vector f) const {
    model_->gradient(t, q, f);
    for (double& value : f) value = -value;
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k) model_->add_force(k, t, q, v, 1, f);
  }

  // lambda0 of the previous step, or of the instant; a0, and what the old acceleration contributes to q1 and v1.
  bool find_start(const State& state) {
    lambda0_ = state.lambda;
    if (lambda0_.size() != m_) {
      lambda0_.resize(m_);
      if (!projection_.multipliers(*model_, state, lambda0_).converged) return false;
    }
    total_force(state.t, state.q, state.v, force_);
    model_->add_constraint_force(state.t, state.q, lambda0_, -1, force_);
    model_->divide_mass(force_, a0_);
    for (std::size_t i = 0; i < n_; ++i) {
      const bool held = model_->supported(static_cast<int>(i));
      q_free_[i] = state.q[i] + (held ? 0 : h_ * (state.v[i] + h_ * weights_.b0 * a0_[i]));
      v_free_[i] = held ? 0 : state.v[i] + h_ * weights_.c0 * a0_[i];
    }
    return all_finite(a0_);
  }

  void place(ConstVector y) {
    for (std::size_t i = 0; i < n_; ++i) {
      q1_[i] = q_free_[i] + h_ * weights_.b1 * y[i];
      v1_[i] = v_free_[i] + weights_.c1 * y[i];
    }
  }

  bool residual(ConstVector x, Vector r, double& scale, double& violation) override {
    place(x);
    total_force(t1_, q1_, v1_, force_);
    std::fill(reaction_.begin(), reaction_.end(), 0.0);
    model_->add_constraint_force(t1_, q1_, x.subspan(n_), 1, reaction_);
    const Vector motion = r.subspan(0, n_), g = r.subspan(n_);
    model_->multiply_mass(x.subspan(0, n_), motion);
    scale = 0;
    double travel = size_.travel(h_, reaction_);
    for (std::size_t i = 0; i < n_; ++i) {
      if (model_->supported(static_cast<int>(i))) continue;
      scale = std::max(scale, std::abs(motion[i]) + std::abs(h_ * force_[i]) + std::abs(reaction_[i]));
      motion[i] += reaction_[i] - h_ * force_[i];
      travel = std::max(travel, std::abs(q1_[i] - q0_[i]));
    }
    model_->constraint_values(t1_, q1_, g);
    violation = off_ = size_.violation(*model_, t1_, q1_, g, travel);
    if (augmentation_.any()) {
      augmentation_.correct(x.subspan(n_), 1, 0, g);
      violation = size_.violation(*model_, t1_, q1_, g, travel);
    }
    return std::isfinite(scale) && std::isfinite(violation);
  }

  void jacobian(ConstVector x, Vector values) override {
    const Linearisation& lin = linearisation(*model_);
    const double by_q = h_ * weights_.b1;
    place(x);
    std::fill(base_.begin(), base_.end(), 0.0);
    lin.add_mass(*model_, 1, base_);
    lin.add_potential(*model_, t1_, q1_, h_ * by_q, base_);
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k)
      lin.add_force(*model_, k, t1_, q1_, v1_, -h_ * by_q, -h_ * weights_.c1, base_);
    lin.add_curvature(*model_, t1_, q1_, x.subspan(n_), by_q, base_);
    system_.add_base(base_, values);
    system_.add_columns(*model_, t1_, q1_, 0, 1, values);
    system_.add_rows(*model_, t1_, q1_, 0, by_q, values);
    for (std::size_t k = 0; k < m_ && augmentation_.any(); ++k)
      system_.add_diagonal(static_cast<int>(k), 0, augmentation_.diagonal(k), values);
  }

  void book(const State& state, Ledger& ledger) {
    const double h = h_, old = weights_.c0, now = weights_.c1;
    std::vector<double> impulses(m_);
    if (old != 0) {
      book_point(*model_, state.t, state.q, state.v, h * old, force_, ledger);
      for (std::size_t k = 0; k < m_; ++k) impulses[k] = h * old * lambda0_[k];
      book_reactions(*model_, state.t, state.q, impulses, ledger);
    }
    book_point(*model_, t1_, q1_, v1_, h * now, force_, ledger);
    for (std::size_t k = 0; k < m_; ++k) impulses[k] = now * x_[n_ + k];
    book_reactions(*model_, t1_, q1_, impulses, ledger);
    if (!carried_.any()) return;
    for (std::size_t i = 0; i < n_; ++i) force_[i] = (q1_[i] - state.q[i]) / h;
    model_->multiply_mass(force_, reaction_);
    carried_.book(*model_, state.t, t1_, reaction_, ledger);
  }

  AccelerationWeights weights_;
  SolverOptions options_;
  std::size_t n_, m_;
  SaddleSystem system_;
  SaddleSolver solver_;
  Projection projection_;
  ConstraintSize size_;
  Augmentation augmentation_;
  CarriedMomentum carried_;
  std::vector<double> x_, base_, a0_, lambda0_, q_free_, v_free_, q1_, v1_, p1_, force_, reaction_;
  double off_ = 0;  // largest constraint over its size, of the last residual
  const Model* model_ = nullptr;
  ConstVector q0_;
  double t1_ = 0, h_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_index_three(const AccelerationWeights& weights, const SolverOptions& solver,
                                          const Model& model) {
  return std::make_unique<IndexThreeStepper>(weights, solver, model);
}

}  // namespace livens
