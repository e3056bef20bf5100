// Energy-momentum integration with discrete derivatives [E04 3, 4],
//
//   q1 - q0 = h/2 M^-1 (p0 + p1),   p1 - p0 = -h DW(q0, q1) + h f(tm, qm, vm) - Dg(q0, q1)'L,   g(t1, q1) = 0,
//
// vm = (q1 - q0) / h. The kinetic energy changes by vm.(p1 - p0), and DW.(q1 - q0) = W(q1) - W(q0): the energy changes
// by h f.vm alone. The unknowns are z = q1 - q0 and the impulses L.
#include "integrators/energy_momentum.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/carried_momentum.hpp"
#include "integrators/constrained.hpp"
#include "integrators/contact_steps.hpp"
#include "integrators/resolved_impacts.hpp"
#include "integrators/scalar_parts.hpp"
#include "integrators/solve_path.hpp"
#include "integrators/solve_report.hpp"
#include "math/parallel.hpp"
#include "model/constraint_size.hpp"
#include "model/discrete_derivative.hpp"
#include "model/linearisation.hpp"
#include "model/projection.hpp"

namespace livens {
namespace {

constexpr int symmetric_limit = 240;  // unknowns; above, the symmetric part of the tangent serves, for faster solvers
constexpr double tight = 1e-13;       // default tolerance of iterative solvers: the energy is as good as the solve

// Of potentials that are no barriers: discrete derivatives, or the gradient in the middle of the step.
enum class Elsewhere { discrete, middle };

class EnergyMomentumStepper final : public Stepper, private ContactEquation, private SaddleProblem {
 public:
  EnergyMomentumStepper(DerivativeForm form, Elsewhere elsewhere, const SolverOptions& options, const Model& model)
      : form_(form),
        elsewhere_(elsewhere),
        derivative_(form),
        options_(options),
        n_(model.size()),
        m_(model.constraint_count()),
        size_(model),
        carried_(model),
        augmentation_(model, 1, options.tolerance),
        system_(m_ > 0 ? std::make_unique<SaddleSystem>(model, 1) : nullptr),
        contact_(model, system_.get()) {
    if (m_ > 0) {
      saddle_ = std::make_unique<SaddleSolver>(system_->pattern(), system_->unknowns());
      base_.resize(linearisation(model).pattern().nonzeros());
    } else {
      newton_ = std::make_unique<NewtonSolver>(linearisation(model).pattern());
      symmetric_ = model.size() > symmetric_limit;
      for (const auto& force : model.parts().forces) symmetric_ = symmetric_ && force->linear_in_velocity();
      if (symmetric_ && options_.tolerance == 0) options_.tolerance = tight;
    }
    x_.resize(n_ + m_);
    for (auto* vector :
         {&q0_, &q1_, &p1_, &v1_, &middle_, &velocity_, &discrete_, &outer_, &reaction_, &force_, &work_})
      vector->resize(n_);
    g_.resize(m_);
    find_own_coordinates(model);
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    model_ = &model;
    t0_ = state.t;
    h_ = h;
    p0_ = state.p;
    const Placed placed = model.placed(state.t, state.q);
    const ConstVector start = placed;
    std::copy(start.begin(), start.end(), q0_.begin());
    derivative_.take_share(1);
    guess(state, h);
    if (m_ > 0 && redundant_ < 0) {
      const ConstraintRank rank = constraint_rank(model, state);
      redundant_ = rank.equations - rank.rank;
    }
    // Multipliers that are not unique start at 0, so that their undetermined part stays small in every step.
    const bool warm = redundant_ == 0 && state.lambda.size() == m_;
    for (std::size_t k = 0; k < m_; ++k) x_[n_ + k] = warm ? h * state.lambda[k] : 0;
    if (m_ > 0) size_.begin(model, *system_, t0_, q0_, state.v);
    augmentation_.begin(h, ConstVector(x_).subspan(n_));
    const SolveResult* result = nullptr;
    int iterations = 0;
    do {
      result = &solve();
      if (!result->converged && derivative_.share() == 1 && can_miss()) {
        book_solve(*result, context.counters);
        result = &follow(state, h, context.counters);
      }
      book_solve(*result, context.counters);
      iterations += result->iterations;
      if (!result->converged) return failed_solve(model, *result, t0_, h, state.q);
    } while (m_ > 0 && augmentation_.again(ConstVector(x_).subspan(n_), off_));
    if (!augmentation_.converged()) return augmentation_.failed(t0_, h);
    midpoint_taken_ += misses_;
    steps_with_contact_ += contact_.contacts() > 0 ? 1 : 0;
    StepReport report;
    report.h = h;
    report.iterations = iterations;
    for (std::size_t i = 0; i < n_; ++i) {
      p1_[i] = p0_[i] - h_ * (discrete_[i] - force_[i]) - (m_ > 0 ? reaction_[i] : 0);
      if (model.supported(static_cast<int>(i))) p1_[i] = 0;
    }
    model.divide_mass(p1_, v1_);
    for (std::size_t i = 0; i < n_; ++i)
      if (!std::isfinite(v1_[i]) || !std::isfinite(q1_[i])) return failed_not_finite(t0_, h);
    if (contact_.has_restitution()) travel_ = contact_.largest_travel(v1_);
    book(context.ledger);
    std::copy(q1_.begin(), q1_.end(), state.q.begin());
    state.p.swap(p1_);
    state.v.swap(v1_);
    state.lambda.resize(m_);
    for (std::size_t k = 0; k < m_; ++k) state.lambda[k] = x_[n_ + k] / h;
    return report;
  }

  // Of a contact in the last step, over its gap.
  double travel() const { return travel_; }
  bool has_restitution() const { return contact_.has_restitution(); }

  SolvePath solve_path() const override {
    if (m_ > 0) return constrained_path(options_);
    return root_path(options_, elsewhere_ == Elsewhere::middle
                                   ? "the discrete gradient of contact is no gradient of a potential"
                                   : "discrete derivatives are no gradients of a potential");
  }
  std::vector<std::pair<std::string, long>> events() const override {
    std::vector<std::pair<std::string, long>> result;
    if (form_ == DerivativeForm::scaled_midpoint || form_ == DerivativeForm::collocation)
      result.push_back({"midpoint gradients in place of discrete ones", midpoint_taken_});
    if (augmentation_.any()) result.push_back({"rounds of augmented Lagrangians", augmentation_.rounds()});
    if (contact_.any()) result.push_back({"steps with contact", steps_with_contact_});
    return result;
  }
  void visit_memory(MemoryVisitor& visitor) override {
    visitor.visit("midpoint_taken", midpoint_taken_);
    visitor.visit("redundant", redundant_);
    if (contact_.any()) visitor.visit("steps_with_contact", steps_with_contact_);
    augmentation_.visit_memory(visitor);
  }

 private:
  bool can_miss() const { return form_ == DerivativeForm::scaled_midpoint || form_ == DerivativeForm::collocation; }
  // Supports move as given: their unknowns are 0. Beside contact they are what they move, on a path that is free.
  void guess(const State& state, double h) {
    for (std::size_t i = 0; i < n_; ++i) x_[i] = model_->supported(static_cast<int>(i)) ? 0 : h * state.v[i];
    if (!contact_.any()) return;
    if (model_->has_moving_supports()) {
      const Placed end = model_->placed(t0_ + h, q0_);
      const ConstVector at_end = end;
      for (std::size_t i = 0; i < n_; ++i)
        if (model_->supported(static_cast<int>(i))) x_[i] = at_end[i] - q0_[i];
    }
    contact_.begin(*model_, t0_, h, q0_, state.v, x_);
  }
  // A and B switch between formulas, over which Newton's method may stumble, and A has a pole where the motion is
  // tangent to a level set: from the gradient in the middle the solution of A is followed with a growing share of the
  // remainder. Where it ends there is none near, and the middle serves for this step.
  const SolveResult& follow(const State& state, double h, Counters& counters) {
    constexpr double first = 0.25, shortest = 1e-3;
    derivative_.take_share(0);
    guess(state, h);
    const SolveResult* result = &solve();
    if (!result->converged || form_ != DerivativeForm::scaled_midpoint) return *result;
    middle_solution_ = followed_ = x_;
    for (double share = 0, more = first; share < 1 && more >= shortest;) {
      book_solve(*result, counters);
      derivative_.take_share(std::min(1.0, share + more));
      result = &solve();
      if (result->converged && misses_ == 0) {
        share = derivative_.share();
        more *= 2;
        followed_ = x_;
        if (share == 1) return *result;
      } else {
        more /= 2;
        x_ = followed_;
      }
    }
    x_ = middle_solution_;
    derivative_.take_share(0);
    return solve();
  }
  const SolveResult& solve() {
    if (contact_.any()) return contact_.solve(*this, redundant_ > 0, x_, options_);
    if (m_ == 0) return newton_->find_root(*this, x_, options_);
    if (redundant_ == 0) return saddle_->solve(*this, x_, options_);
    return saddle_->solve(*this, x_, options_, SaddleSolver::Regularise::gradual);
  }

  double middle_time() const { return t0_ + 0.5 * h_; }

  // q1, the middle and the velocity of z.
  void place(ConstVector z) {
    for (std::size_t i = 0; i < n_; ++i) q1_[i] = q0_[i] + z[i];
    if (!contact_.any()) {
      const Placed placed = model_->placed(t0_ + h_, q1_);
      const ConstVector end = placed;
      if (end.data() != q1_.data()) std::copy(end.begin(), end.end(), q1_.begin());
    }
    for (std::size_t i = 0; i < n_; ++i) {
      middle_[i] = 0.5 * (q0_[i] + q1_[i]);
      velocity_[i] = z[i] / h_;
    }
  }

  // Of terms that have no discrete derivative of their own, and of constraints that are not quadratic.
  void find_own_coordinates(const Model& model) {
    const std::vector<double> anywhere(n_, 0.0);
    for (const auto& term : model.parts().terms) {
      const bool own =
          form_ == DerivativeForm::equivariant && term->add_discrete_gradient(0, anywhere, anywhere, 0, work_);
      own_of_terms_.push_back(own ? std::vector<int>{} : curved_coordinates(*term, n_));
      auto stencils = form_ == DerivativeForm::partitioned ? term->stencils() : nullptr;
      partitioned_.push_back(stencils ? std::make_unique<PartitionedStencils>(std::move(stencils), model.dimension())
                                      : nullptr);
    }
    for (const auto& constraint : model.parts().constraints)
      own_of_constraints_.push_back(constraint->quadratic() ? std::vector<int>{} : constraint->coordinates());
  }

  void add_discrete_gradient(std::size_t k, Vector sum) {
    const EnergyTerm& term = *model_->parts().terms[k];
    if (contact_.is_barrier(k)) return contact_.add_discrete_gradient(k, q1_, sum);
    if (elsewhere_ == Elsewhere::middle) return term.add_gradient(middle_time(), middle_, 1, sum);
    if (form_ == DerivativeForm::equivariant && term.add_discrete_gradient(middle_time(), q0_, q1_, 1, sum)) return;
    if (partitioned_[k]) return partitioned_[k]->add_gradient(q0_, q1_, sum);
    PotentialFunction potential(term, middle_time());
    if (!derivative_.evaluate(potential, q0_, q1_, work_, own_of_terms_[k])) ++misses_;
    for (std::size_t i = 0; i < n_; ++i) sum[i] += work_[i];
  }

  // reaction_ = Dg'L
  void add_reactions(ConstVector impulses) {
    std::fill(reaction_.begin(), reaction_.end(), 0.0);
    std::size_t first = 0, number = 0;
    for (const auto& constraint : model_->parts().constraints) {
      const auto count = static_cast<std::size_t>(constraint->count());
      const std::vector<int>& own = own_of_constraints_[number++];
      if (constraint->quadratic()) {
        constraint->add_force(middle_time(), middle_, impulses.subspan(first, count), 1, reaction_);
      } else {
        for (std::size_t k = 0; k < count; ++k) {
          EquationFunction equation(*constraint, k, middle_time());
          if (!derivative_.evaluate(equation, q0_, q1_, work_, own)) ++misses_;
          for (std::size_t i = 0; i < n_; ++i) reaction_[i] += impulses[first + k] * work_[i];
        }
      }
      first += count;
    }
  }

  // 2 (M z / h - p0) + h DW - h f + Dg'L
  bool motion(ConstVector x, Vector r, double& scale) {
    const Model& model = *model_;
    misses_ = 0;
    place(x.subspan(0, n_));
    std::fill(discrete_.begin(), discrete_.end(), 0.0);
    for (std::size_t k = 0; k < model.parts().terms.size(); ++k) add_discrete_gradient(k, discrete_);
    model.forces(middle_time(), middle_, velocity_, force_);
    contact_.add_friction(velocity_, 1, force_);
    if (m_ > 0) add_reactions(x.subspan(n_));
    model.multiply_mass(velocity_, r);
    scale = max_over_chunks(n_, [&](std::size_t begin, std::size_t end) {
      double largest = 0;
      for (std::size_t i = begin; i < end; ++i) {
        if (model.supported(static_cast<int>(i))) {
          r[i] = x[i];  // eliminated: it moves as given
          continue;
        }
        const double reaction = m_ > 0 ? reaction_[i] : 0;
        largest = std::max(largest, 2 * (std::abs(r[i]) + std::abs(p0_[i])) +
                                        h_ * (std::abs(discrete_[i]) + std::abs(force_[i])) + std::abs(reaction));
        r[i] = 2 * (r[i] - p0_[i]) + h_ * (discrete_[i] - force_[i]) + reaction;
      }
      return largest;
    });
    return std::isfinite(scale);
  }

  // h d DW/dy of one potential; barriers of contact add their own, on a longer pattern.
  void add_tangent(std::size_t k, bool symmetric, Vector values) {
    if (contact_.is_barrier(k)) return;
    const Linearisation& lin = linearisation(*model_);
    const EnergyTerm& term = *model_->parts().terms[k];
    if (elsewhere_ == Elsewhere::middle) return lin.add_potential(*model_, k, middle_time(), middle_, 0.5 * h_, values);
    std::fill(work_.begin(), work_.end(), 0.0);
    if (form_ == DerivativeForm::equivariant && term.add_discrete_gradient(middle_time(), q0_, q1_, 0, work_))
      return lin.add_discrete(*model_, k, middle_time(), q0_, q1_, h_, symmetric, values);
    if (partitioned_[k] && !symmetric) return partitioned_[k]->add_tangent(q0_, q1_, h_, lin, values);
    if (form_ == DerivativeForm::partitioned)
      return lin.add_potential(*model_, k, middle_time(), middle_, 0.5 * h_, values);
    PotentialFunction potential(term, middle_time());
    derivative_.evaluate(potential, q0_, q1_, work_, own_of_terms_[k]);
    const double place = derivative_.hessian_place();
    for (auto* vector : {&point_, &moved_, &image_, &u_, &c_}) vector->resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      moved_[i] = q1_[i] - q0_[i];
      point_[i] = q0_[i] + place * moved_[i];
    }
    hessian_.assign(values.size(), 0.0);
    lin.add_potential(*model_, k, middle_time(), point_, 1, hessian_);
    lin.pattern().multiply(hessian_, moved_, image_);
    const auto tangent = derivative_.tangent(potential, q0_, q1_, image_, u_, c_);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += h_ * tangent.factor * hessian_[i];
    if (tangent.rank_one && !symmetric) lin.add_rank_one(h_, tangent.shift, u_, c_, values);
  }

  void motion_jacobian(ConstVector x, bool symmetric, Vector values) {
    const Model& model = *model_;
    const Linearisation& lin = linearisation(model);
    place(x.subspan(0, n_));
    lin.add_mass(model, 2 / h_, values);
    for (std::size_t k = 0; k < model.parts().terms.size(); ++k) add_tangent(k, symmetric, values);
    for (std::size_t k = 0; k < model.parts().forces.size(); ++k)
      lin.add_force(model, k, middle_time(), middle_, velocity_, -0.5 * h_, -1, values);
    if (m_ > 0) lin.add_curvature(model, middle_time(), middle_, x.subspan(n_), 0.5, values);
  }

  bool residual(ConstVector x, Vector r, double& scale) override {
    double violation = 0;
    return m_ == 0 ? motion(x, r, scale) : residual(x, r, scale, violation);
  }
  void general_jacobian(ConstVector x, Vector values) override {
    if (m_ > 0) return jacobian(x, values);
    motion_jacobian(x, false, values);
  }
  void jacobian(ConstVector x, Vector values) override {
    if (m_ == 0) return motion_jacobian(x, symmetric_, values);
    std::fill(base_.begin(), base_.end(), 0.0);
    motion_jacobian(x, false, base_);
    system_->add_base(base_, values);
    system_->add_columns(*model_, middle_time(), middle_, 0, 1, values);
    system_->add_rows(*model_, t0_ + h_, q1_, 0, 1, values);
    for (std::size_t k = 0; k < m_ && augmentation_.any(); ++k)
      system_->add_diagonal(static_cast<int>(k), 0, augmentation_.diagonal(k), values);
  }
  double size_of_unknowns(ConstVector) const override { return largest_of(q0_); }  // they are displacements
  bool symmetric() const override { return symmetric_; }
  bool approximate() const override { return symmetric_ && !constant_matrix().constant(); }
  // Discrete derivatives of quadratic potentials are gradients in the middle.
  MatrixName constant_matrix() const override {
    const bool plain = m_ == 0 && !contact_.any() && form_ == DerivativeForm::equivariant;
    return {plain ? linearisation(*model_).number_if_constant() : 0, h_};
  }

  bool residual(ConstVector x, Vector r, double& scale, double& violation) override {
    if (!motion(x, r.subspan(0, n_), scale)) return false;
    const Vector g = r.subspan(n_);
    model_->constraint_values(t0_ + h_, q1_, g);
    double travel = size_.travel(h_, reaction_);
    for (std::size_t i = 0; i < n_; ++i) travel = std::max(travel, std::abs(x[i]));
    violation = off_ = size_.violation(*model_, t0_ + h_, q1_, g, travel);
    if (augmentation_.any()) {
      augmentation_.correct(x.subspan(n_), 1, 0, g);
      violation = size_.violation(*model_, t0_ + h_, q1_, g, travel);
    }
    return std::isfinite(violation);
  }

  // What forces took, what loads and supports that depend on time gave, and impulses from outside.
  void book(Ledger& ledger) {
    const Model& model = *model_;
    const ModelParts& parts = model.parts();
    for (std::size_t k = 0; k < parts.forces.size(); ++k) {
      std::fill(work_.begin(), work_.end(), 0.0);
      model.add_force(k, middle_time(), middle_, velocity_, h_, work_);
      if (contact_.is_friction(k)) {
        contact_.add_friction(k, velocity_, h_, work_);
        book_rubbing_supports(k, ledger);
      }
      if (contact_.is_restitution(k)) ledger.energy_out[k] += contact_.withheld(k);
      model.release(work_);
      book_force(model, k, middle_, work_, velocity_, velocity_, ledger);
    }
    book_time(ledger);
    if (model.has_external_terms() && model.dimension() > 0) {
      std::fill(outer_.begin(), outer_.end(), 0.0);
      for (std::size_t k = 0; k < parts.terms.size(); ++k) {
        const Invariance keeps = parts.terms[k]->invariance();
        if (!keeps.translations || !keeps.rotations) add_discrete_gradient(k, outer_);
      }
      // A support takes what the invariant terms do to its coordinates: the rest of the body feels the opposite.
      for (std::size_t i = 0; i < n_; ++i)
        work_[i] = h_ * (model.supported(static_cast<int>(i)) ? discrete_[i] - outer_[i] : -outer_[i]);
      book_impulse(model, middle_, work_, ledger);
    }
    for (std::size_t i = 0; i < n_ && carried_.any(); ++i) work_[i] = 0.5 * (p0_[i] + p1_[i]);
    carried_.book(model, t0_, t0_ + h_, work_, ledger);
    if (m_ > 0) book_constraints(ledger);
  }

  // What friction takes counts supports that move, too; their share is work that they do. work_: its impulse.
  void book_rubbing_supports(std::size_t force, Ledger& ledger) {
    double work = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (model_->supported(static_cast<int>(i))) work -= work_[i] * velocity_[i];
    ledger.energy_out[force] += work;
    ledger.time_work += work;
  }

  // W(t1, q1) - W(t0, q0) - DW.(q1 - q0) with DW at the middle time, and the supports that move.
  void book_time(Ledger& ledger) {
    const Model& model = *model_;
    for (const auto& term : model.parts().terms)
      if (term->time_derivative(middle_time(), middle_) != 0 || term->time_derivative(t0_, q0_) != 0 ||
          term->time_derivative(t0_ + h_, q1_) != 0)
        ledger.time_work += (term->energy(t0_ + h_, q1_) - term->energy(middle_time(), q1_)) +
                            (term->energy(middle_time(), q0_) - term->energy(t0_, q0_));
    if (!model.has_moving_supports()) return;
    for (std::size_t i = 0; i < n_; ++i)
      if (model.supported(static_cast<int>(i))) ledger.time_work += discrete_[i] * (q1_[i] - q0_[i]);
  }

  // Dg'L acts in the middle; its work is that of constraints that move.
  void book_constraints(Ledger& ledger) {
    const ConstVector impulses = ConstVector(x_).subspan(n_);
    bool moves = false;
    for (const auto& constraint : model_->parts().constraints) moves = moves || constraint->depends_on_time();
    if (model_->dimension() > 0 && has_outer_impulse(*model_)) {
      std::fill(work_.begin(), work_.end(), 0.0);
      add_outer_impulse(*model_, middle_time(), middle_, impulses, 1, work_);
      book_impulse(*model_, middle_, work_, ledger);
    }
    for (std::size_t i = 0; i < n_ && moves; ++i) ledger.time_work -= reaction_[i] * velocity_[i];
  }

  DerivativeForm form_;
  Elsewhere elsewhere_;
  DiscreteDerivative derivative_;
  std::vector<std::unique_ptr<PartitionedStencils>> partitioned_;    // of terms that are sums over stencils, in D
  std::vector<std::vector<int>> own_of_terms_, own_of_constraints_;  // coordinates; empty: not asked for, or all
  SolverOptions options_;
  std::size_t n_, m_;
  ConstraintSize size_;
  CarriedMomentum carried_;
  Augmentation augmentation_;
  std::unique_ptr<SaddleSystem> system_;
  ContactSteps contact_;
  std::unique_ptr<NewtonSolver> newton_;
  std::unique_ptr<SaddleSolver> saddle_;
  bool symmetric_ = false;
  std::vector<double> x_, q0_, q1_, p1_, v1_, middle_, velocity_, discrete_, outer_, reaction_, force_, work_, g_,
      base_, hessian_, point_, moved_, image_, u_, c_, middle_solution_, followed_;
  double travel_ = 0;
  double off_ = 0;  // largest constraint over its size, of the last residual
  long misses_ = 0, midpoint_taken_ = 0, steps_with_contact_ = 0;
  long redundant_ = -1;  // equations at the first step; -1: not known yet
  const Model* model_ = nullptr;
  double t0_ = 0, h_ = 0;
  ConstVector p0_;
};

// Impacts that lose energy are resolved; others need not be.
template <class... Arguments>
std::unique_ptr<Stepper> make_resolved(SolverOptions& solver, const Model& model, Arguments... arguments) {
  auto stepper = std::make_unique<EnergyMomentumStepper>(arguments..., solver, model);
  const EnergyMomentumStepper& steps = *stepper;
  if (steps.has_restitution()) return make_resolved_impacts(std::move(stepper), [&steps] { return steps.travel(); });
  if (has_barrier(model)) solver.retry_halvings = std::max(solver.retry_halvings, contact_halvings);
  return stepper;
}

}  // namespace

std::unique_ptr<Stepper> make_midpoint_with_contact(SolverOptions& solver, const Model& model) {
  return make_resolved(solver, model, DerivativeForm::equivariant, Elsewhere::middle);
}

std::unique_ptr<Stepper> make_energy_momentum(DerivativeForm form, SolverOptions& solver, const Model& model) {
  return make_resolved(solver, model, form, Elsewhere::discrete);
}

}  // namespace livens
