#include "integrators/end_contact.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/carried_momentum.hpp"
#include "integrators/solve_path.hpp"
#include "integrators/solve_report.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr double regular = 1e-9;  // of the stiffness: mass on the diagonal of equilibria, so that what floats is held

// r(z) = h { M (z - z_free)/(q_end h^2) + dW(q1) + dB(q1) - f(t1, q1, v1) },   z_free = h v0 + h^2 q_start a0,
// v1 = v0 + h v_start a0 + v_end/(q_end h) (z - z_free);   unknown z = q1 - q0
class EndContactStepper final : public Stepper, private ContactEquation {
 public:
  EndContactStepper(const EndWeights& weights, const SolverOptions& solver, const Model& model)
      : weights_(weights), solver_(solver), contact_(model, nullptr, ContactSteps::Forces::end), carried_(model) {
    for (auto* vector : {&z_, &z_free_, &v_free_, &q0_, &q1_, &v1_, &p1_, &a0_, &f0_, &f1_, &work_})
      vector->resize(model.size());
  }

  SolvePath solve_path() const override {
    return root_path(solver_, "iterates go where paths are free of collisions, and slopes say how far");
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    model_ = &model;
    h_ = h;
    t1_ = state.t + h;
    const std::size_t n = z_.size();
    std::copy(state.q.begin(), state.q.end(), q0_.begin());
    const bool uses_start = weights_.q_start != 0 || weights_.v_start != 0;
    std::fill(f0_.begin(), f0_.end(), 0.0);
    if (uses_start) total_force(state.t, state.q, state.v, f0_);
    model.divide_mass(f0_, a0_);
    for (std::size_t i = 0; i < n; ++i) {
      z_free_[i] = h * state.v[i] + h * h * weights_.q_start * a0_[i];
      v_free_[i] = state.v[i] + h * weights_.v_start * a0_[i];
      z_[i] = model.supported(static_cast<int>(i)) ? 0 : h * state.v[i];
    }
    contact_.begin(model, state.t, h, q0_, state.v, z_);
    const SolveResult& result = contact_.solve(*this, false, z_, solver_);
    book_solve(result, context.counters);
    if (!result.converged) return failed_solve(model, result, state.t, h, q1_);
    steps_with_contact_ += contact_.contacts() > 0 ? 1 : 0;
    // By the forces themselves, so that the linear momentum is exact at any tolerance. f1_ is that of the solution.
    for (std::size_t i = 0; i < n; ++i)
      p1_[i] = model.supported(static_cast<int>(i))
                   ? 0
                   : state.p[i] + h * (weights_.v_start * f0_[i] + weights_.v_end * f1_[i]);
    if (uses_start) book_forces(model, state.t, state.q, state.v, h * weights_.v_start, work_, context.ledger);
    book_forces(model, t1_, q1_, v1_, h * weights_.v_end, work_, context.ledger);
    carried_.book(model, state.t, t1_, state.p, context.ledger);
    model.divide_mass(p1_, v1_);
    StepReport report;
    report.h = h;
    report.iterations = result.iterations;
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    return report;
  }

  std::vector<std::pair<std::string, long>> events() const override {
    return {{"steps with contact", steps_with_contact_}};
  }
  void visit_memory(MemoryVisitor& visitor) override { visitor.visit("steps_with_contact", steps_with_contact_); }

 private:
  void total_force(double t, ConstVector q, ConstVector v, Vector force) {
    model_->gradient(t, q, force);
    for (double& value : force) value = -value;
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k) model_->add_force(k, t, q, v, 1, force);
  }

  double rate() const { return weights_.v_end / (weights_.q_end * h_); }  // dv1/dz
  void place(ConstVector z) {
    for (std::size_t i = 0; i < z.size(); ++i) {
      q1_[i] = q0_[i] + z[i];
      v1_[i] = v_free_[i] + rate() * (z[i] - z_free_[i]);
    }
  }

  bool residual(ConstVector z, Vector r, double& scale) override {
    place(z);
    std::fill(f1_.begin(), f1_.end(), 0.0);
    const auto& parts = model_->parts();
    for (std::size_t k = 0; k < parts.terms.size(); ++k) {
      if (contact_.is_barrier(k))
        contact_.add_discrete_gradient(k, q1_, f1_);
      else
        parts.terms[k]->add_gradient(t1_, q1_, 1, f1_);
    }
    for (double& value : f1_) value = -value;
    for (std::size_t k = 0; k < parts.forces.size(); ++k) model_->add_force(k, t1_, q1_, v1_, 1, f1_);
    const double inertia = 1 / (weights_.q_end * h_);
    for (std::size_t i = 0; i < z.size(); ++i) work_[i] = inertia * (z[i] - z_free_[i]);
    model_->multiply_mass(work_, r);
    const auto& mass = parts.mass.diagonal;
    scale = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (model_->supported(static_cast<int>(i))) {
        r[i] = z[i];
        continue;
      }
      const double size = mass.empty() ? std::abs(r[i]) : mass[i] * inertia * (std::abs(z[i]) + std::abs(z_free_[i]));
      scale = std::max(scale, size + h_ * std::abs(f1_[i]));
      r[i] -= h_ * f1_[i];
    }
    return std::isfinite(scale);
  }

  void add_jacobian(ConstVector z, bool convex, Vector values) {
    place(z);
    const Linearisation& lin = linearisation(*model_);
    lin.add_mass(*model_, 1 / (weights_.q_end * h_), values);
    lin.add_potential(*model_, t1_, q1_, h_, values, convex);
    for (std::size_t k = 0; k < model_->parts().forces.size(); ++k)
      lin.add_force(*model_, k, t1_, q1_, v1_, convex ? 0 : -h_, -h_ * rate(), values);
  }
  void jacobian(ConstVector z, Vector values) override { add_jacobian(z, true, values); }
  void general_jacobian(ConstVector z, Vector values) override { add_jacobian(z, false, values); }
  double size_of_unknowns(ConstVector) const override { return largest_of(q0_); }
  bool symmetric() const override {
    const auto& forces = model_->parts().forces;
    return std::all_of(forces.begin(), forces.end(), [](const auto& force) { return force->linear_in_velocity(); });
  }

  EndWeights weights_;
  SolverOptions solver_;
  ContactSteps contact_;
  CarriedMomentum carried_;
  std::vector<double> z_, z_free_, v_free_, q0_, q1_, v1_, p1_, a0_, f0_, f1_, work_;
  const Model* model_ = nullptr;
  double t1_ = 0, h_ = 0;
  long steps_with_contact_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_end_contact(const EndWeights& weights, SolverOptions& solver, const Model& model) {
  auto stepper = std::make_unique<EndContactStepper>(weights, solver, model);
  solver.retry_halvings = std::max(solver.retry_halvings, contact_halvings);
  return stepper;
}

Claims end_contact_claims(int order, bool dissipates) {
  Claims claims;
  claims.order = order;
  claims.energy = dissipates ? EnergyClaim::dissipating : EnergyClaim::drifting;
  claims.note = dissipates ? "how much a rebound loses depends on the step"
                           : "a rebound that the step does not resolve returns too much or too little";
  return claims;
}

std::string end_contact_refusal(const Model& model) {
  for (const auto& force : model.parts().forces)
    if (force->restitution_of() != nullptr)
      return "has no restitution of its own: a barrier at the end of a step gives back what depends on the step ('" +
             force->name() + "'). Use energy_momentum or hamilton_pontryagin, or restitution = 1";
  for (const auto& force : model.parts().forces)
    if (force->friction_of() != nullptr)
      return "has no friction between surfaces that are kept apart ('" + force->name() +
             "'). Use energy_momentum or hamilton_pontryagin, or friction = 0";
  if (!model.separable()) return "keeps surfaces apart for L = 1/2 v'Mv - W(q) only. Use a constant mass";
  return "";
}

ContactEquilibrium::ContactEquilibrium(const Model& model) : contact_(model, nullptr, ContactSteps::Forces::end) {
  for (auto* vector : {&q0_, &q1_, &z_, &v_, &gradient_, &sizes_}) vector->resize(model.size());
}

const SolveResult& ContactEquilibrium::solve(const Model& model, double t, double dt, ConstVector correction,
                                             const SolverOptions& options, Vector q) {
  model_ = &model;
  t_ = t;
  dt_ = dt;
  correction_ = correction;
  std::copy(q.begin(), q.end(), q0_.begin());
  std::fill(z_.begin(), z_.end(), 0.0);
  contact_.begin_at_rest(model, q0_, dt);
  const SolveResult& result = contact_.solve(*this, false, z_, options);
  if (result.converged)
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = q0_[i] + z_[i];
  return result;
}

void ContactEquilibrium::place(ConstVector z) {
  for (std::size_t i = 0; i < z.size(); ++i) q1_[i] = q0_[i] + z[i];
}

// The scale is that of the largest force of a single term on a coordinate: stress, loads and contact cancel.
bool ContactEquilibrium::residual(ConstVector z, Vector r, double& scale) {
  place(z);
  std::fill(r.begin(), r.end(), 0.0);
  std::fill(sizes_.begin(), sizes_.end(), 0.0);
  const auto& terms = model_->parts().terms;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    if (contact_.is_barrier(k))
      contact_.add_discrete_gradient(k, q1_, gradient_);
    else
      terms[k]->add_gradient(t_, q1_, 1, gradient_);
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] += gradient_[i];
      sizes_[i] += std::abs(gradient_[i]);
    }
  }
  if (contact_.has_friction()) {
    for (std::size_t i = 0; i < r.size(); ++i) v_[i] = z[i] / dt_;
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    contact_.add_friction(v_, 1, gradient_);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= gradient_[i];
  }
  scale = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    scale = std::max(scale, sizes_[i]);  // supports too: all load may come through them
    if (model_->supported(static_cast<int>(i)))
      r[i] = z[i];
    else
      r[i] -= correction_.empty() ? 0 : correction_[i];
  }
  return std::isfinite(scale);
}

void ContactEquilibrium::add_jacobian(ConstVector z, bool convex, Vector values) {
  place(z);
  const Linearisation& lin = linearisation(*model_);
  const SparsePattern& pattern = lin.pattern();
  lin.add_potential(*model_, t_, q1_, 1, values, convex);
  const auto& mass = model_->parts().mass.diagonal;
  double stiffness = 0, inertia = 0;
  for (int i = 0; i < pattern.n; ++i) {
    stiffness += std::abs(values[pattern.slot(i, i)]);
    inertia += mass[i];
  }
  const double share = regular * stiffness / inertia;
  for (int i = 0; i < pattern.n; ++i) {
    double& diagonal = values[pattern.slot(i, i)];
    diagonal = model_->supported(i) ? 1 : diagonal + share * mass[i];
  }
}

}  // namespace livens
