#include "integrators/straight_line.hpp"

#include <algorithm>
#include <array>

#include "integrators/solve_path.hpp"
#include "integrators/solve_report.hpp"
#include "integrators/straight_line_stepper.hpp"
#include "math/finite.hpp"
#include "model/legendre.hpp"
#include "model/linearisation.hpp"
#include "solve/scalar_minimum.hpp"

namespace livens {

QuadratureRule QuadratureRule::trapezoid(double alpha) {
  if (alpha == 0) return point(0);
  if (alpha == 1) return point(1);
  return {{1 - alpha, alpha}, {0, 1}};
}

double QuadratureRule::mean() const {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * c[i];
  return sum;
}

bool QuadratureRule::explicit_steps() const {
  return std::all_of(c.begin(), c.end(), [](double ci) { return ci == 0 || ci == 1; });
}

StraightLineStepper::StraightLineStepper(QuadratureRule rule, SolvePath path, const Model& model)
    : rule_(std::move(rule)), path_(std::move(path)), ledger_(model) {
  for (auto* vector : {&v_, &q1_}) vector->resize(model.size());
}

// After a step q1_ holds its start: it was swapped with the state.
std::optional<double> StraightLineStepper::discrete_energy(const Model& model, const State& state) {
  if (step_.h == 0) return std::nullopt;
  return livens::discrete_energy(rule_, model, step_.t0, step_.h, q1_, state.q);
}

void StraightLineStepper::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("step_velocity", before_.v);
  visitor.visit("step_length", before_.h);
}

bool StraightLineStepper::discrete_energies(const StepBlock& block, ConstVector W, Vector out) {
  const Model& model = block.model;
  const std::size_t n = block.q.size() / block.t.size();
  const bool at_ends = model.separable() && model.diagonal_mass() && model.supported_count() == 0 &&
                       rule_.w.size() <= 2 && (rule_.w.size() == 1 || rule_.c.back() == 1) && rule_.explicit_steps();
  if (!at_ends) {
    for (std::size_t k = 0; k < block.count(); ++k)
      out[k] = livens::discrete_energy(rule_, model, block.t[k], block.h, block.q.subspan(k * n, n),
                                       block.q.subspan((k + 1) * n, n));
    return true;
  }
  // The kinetic energy of the straight line, then the sum over the points of the rule.
  const double *q = block.q.data(), *mass = model.parts().mass.diagonal.data();
  const double h = block.h;
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double v = (q[(k + 1) * n + i] - q[k * n + i]) / h;
      out[k] += mass[i] * v * v;
    }
  const double first = rule_.w.front(), last = rule_.w.back();
  const std::size_t at_first = rule_.c.front() == 0 ? 0 : 1;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double kinetic = 0.5 * out[k];
    double sum = 0;
    sum += first * (kinetic + W[k + at_first]);
    if (rule_.w.size() == 2) sum += last * (kinetic + W[k + 1]);
    out[k] = sum;
  }
  return true;
}

void StraightLineStepper::record(const State& state, long step, const StepTrace& trace) {
  if (trace.q == nullptr) return;
  const auto at = step * static_cast<long>(state.q.size());
  std::copy(state.q.begin(), state.q.end(), trace.q + at);
  std::copy(state.p.begin(), state.p.end(), trace.p + at);
}

void StraightLineStepper::record(const Ledger& ledger, long step, const StepTrace& trace) {
  if (trace.booked == nullptr) return;
  const auto forces = static_cast<long>(ledger.energy_out.size());
  const auto width = forces + static_cast<long>(ledger.symmetry_impulse.size());
  std::copy(ledger.energy_out.begin(), ledger.energy_out.end(), trace.booked + step * width);
  std::copy(ledger.symmetry_impulse.begin(), ledger.symmetry_impulse.end(), trace.booked + step * width + forces);
}

namespace {

// Steps with forces, or a mass that is not diagonal: v, q1 and p1 without forces are found by a derived class.
class ForcedStraightLine : public StraightLineStepper {
 public:
  ForcedStraightLine(QuadratureRule rule, SolvePath path, StraightLineForces forces, const Model& model)
      : StraightLineStepper(std::move(rule), std::move(path), model),
        forces_(std::move(forces)),
        p1_(model.size()),
        legendre_(model) {}

 protected:
  // F- and F+, v = dH/dp at the end, and the ledger; false if a number is not finite, with the state untouched.
  bool finish(const Model& model, State& state, StepContext context) {
    if (ledger_.any()) ledger_.book(rule_, model, step_, v_, q1_, context.ledger);
    bool found = !forces_.any() || forces_.act(model, step_, state.v, v_, q1_, p1_, context);
    found = found && legendre_.velocity(model, step_.t0 + step_.h, q1_, p1_, v_);
    if (!found || !all_finite(v_) || !all_finite(q1_)) return false;
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v_);
    return true;
  }
  void place_end() {
    for (std::size_t i = 0; i < v_.size(); ++i) q1_[i] = step_.q0[i] + step_.h * v_[i];
  }

  StraightLineForces forces_;
  std::vector<double> p1_;
  Legendre legendre_;
};

// c_i = 0 or 1 and L separable: (M + h/2 D) v = p0 - h w_0 dW(q0) + (F- without the drag D).
class ExplicitStraightLine final : public ForcedStraightLine {
 public:
  ExplicitStraightLine(QuadratureRule rule, StraightLineForces forces, std::vector<double> drag, const Model& model)
      : ForcedStraightLine(std::move(rule), {}, std::move(forces), model),
        drag_(std::move(drag)),
        gradient_(model.size()) {
    if (!drag_.empty()) impulse_.resize(model.size());
  }

  void begin() override { gradient_known_ = false; }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    begin_step(state, h);
    forces_.begin(model, step_);
    find_velocity(model, state, context.counters);
    place_end();
    gradient_known_ = false;
    if (rule_.ends_at_end()) {
      model.gradient(step_.t0 + h, q1_, gradient_);
      ++context.counters.evaluations;
      gradient_known_ = rule_.begins_at_start();
      for (std::size_t i = 0; i < v_.size(); ++i) p1_[i] -= h * rule_.w.back() * gradient_[i];
    }
    if (!finish(model, state, context)) {
      gradient_known_ = false;
      return failed_not_finite(step_.t0, h);
    }
    StepReport report;
    report.h = h;
    return report;
  }

  long steps(const Model& model, State& state, double h, long count, StepContext context,
             const StepTrace& trace) override {
    if (model.size() > small_system || model.depends_on_time() || model.dimension() > 0) return 0;
    context.need_velocity = true;  // forces read it
    for (long k = 0; k < count; ++k) {
      booked_ = context.ledger;
      if (!step(model, state, h, context).converged) {
        context.ledger = booked_;
        return k;
      }
      record(state, k, trace);
      record(context.ledger, k, trace);
    }
    return count;
  }

 private:
  // v_, and p0 - h w_0 dW(q0) in p1_.
  void find_velocity(const Model& model, const State& state, Counters& counters) {
    const std::size_t n = v_.size();
    const double h = step_.h;
    std::copy(step_.p0.begin(), step_.p0.end(), p1_.begin());
    if (rule_.begins_at_start()) {
      if (!gradient_known_) model.gradient(step_.t0, step_.q0, gradient_);
      if (!rule_.ends_at_end()) ++counters.evaluations;
      for (std::size_t i = 0; i < n; ++i) p1_[i] -= h * rule_.w.front() * gradient_[i];
    }
    if (!forces_.any()) return model.divide_mass(p1_, v_);
    forces_.constant_start_impulse(model, step_, state.v, impulse_);
    for (std::size_t i = 0; i < n; ++i) impulse_[i] = p1_[i] + impulse_[i];
    if (!model.diagonal_mass()) return model.divide_mass(impulse_, v_);
    const auto& mass = model.parts().mass.diagonal;
    for (std::size_t i = 0; i < n; ++i) v_[i] = impulse_[i] / (mass[i] + 0.5 * h * drag_[i]);
  }

  Ledger booked_;                 // before the step in hand, of many
  std::vector<double> drag_;      // D, of symmetric forces
  std::vector<double> impulse_;   // right-hand side of the equation for v
  std::vector<double> gradient_;  // dW at q0, then at q1
  bool gradient_known_ = false;   // gradient_ is that of the state's q
};

bool infeasible(FailureCode code) { return code == FailureCode::not_finite || code == FailureCode::inverted; }

class ImplicitStraightLine final : public ForcedStraightLine {
 public:
  ImplicitStraightLine(QuadratureRule rule, SolvePath path, bool has_potential, StraightLineForces forces,
                       const SolverOptions& solver, const Model& model)
      : ForcedStraightLine(std::move(rule), std::move(path), std::move(forces), model),
        solver_(solver),
        equation_(rule_, forces_, has_potential, model),
        newton_(linearisation(model).pattern()),
        end_gradient_(model.size()),
        guesses_(model.size() <= SmallNewton::most_unknowns) {}

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    const SolveResult& result = solve_step(model, state, h, context.counters);
    if (!result.converged) return failed_solve(model, result, step_.t0, h, equation_.point());
    remember(state);
    if (!finish(model, state, context)) return failed_not_finite(step_.t0, h);
    left(state);
    StepReport report;
    report.h = h;
    report.iterations = result.iterations;
    report.residual = result.residual;
    report.residual_scale = result.scale;
    return report;
  }

  // The velocity at the end of a step is a solve of its own, which nobody needs.
  long steps(const Model& model, State& state, double h, long count, StepContext context,
             const StepTrace& trace) override {
    if (!guesses_ || forces_.any() || model.depends_on_time() || ledger_.any()) return 0;
    for (long k = 0; k < count; ++k) {
      if (!history_serves(state, h)) return k;
      const SolveResult& result = solve_step(model, state, h, context.counters);
      if (!result.converged || !all_finite(q1_) || !all_finite(p1_)) return k;
      remember(state);
      state.q.swap(q1_);
      state.p.swap(p1_);
      left(state);
      record(state, k, trace);
      if (trace.iterations != nullptr) trace.iterations[k] = result.iterations;
    }
    return count;
  }

  void visit_memory(MemoryVisitor& visitor) override {
    StraightLineStepper::visit_memory(visitor);
    if (!guesses_) return;
    visitor.visit("step_velocity_2", history_[0]);
    visitor.visit("step_velocity_3", history_[1]);
    visitor.visit("step_end", end_);
    visitor.visit("steps_alike", alike_);
  }

 private:
  // v_, q1_ and p1_ of the step from the state.
  const SolveResult& solve_step(const Model& model, const State& state, double h, Counters& counters) {
    begin_step(state, h);
    forces_.begin(model, step_);
    guess(state, h);
    equation_.begin(model, step_, before_, counters);
    const SolveResult* result = &solve(counters);
    if (!result->converged && history_serves(state, h) && legendre_.velocity(model, step_.t0, state.q, state.p, v_))
      result = &solve(counters);  // from the velocity at the start
    if (!result->converged) return *result;
    place_end();
    find_momentum(model, counters);
    return *result;
  }

  // Whether the three steps before had this length and led to this state.
  bool history_serves(const State& state, double h) const { return alike_ >= 3 && before_.h == h && state.q == end_; }
  // The velocity at the start, or that of the parabola through the three steps before.
  void guess(const State& state, double h) {
    if (!history_serves(state, h)) return std::copy(state.v.begin(), state.v.end(), v_.begin()), void();
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = 3 * (before_.v[i] - history_[0][i]) + history_[1][i];
  }
  // The step that was solved for goes into the history.
  void remember(const State& state) {
    if (guesses_) {
      alike_ = before_.h == step_.h && state.q == end_ ? alike_ + 1 : 1;
      history_[1].swap(history_[0]);
      history_[0].swap(before_.v);
    }
    before_.v = v_;
    before_.h = step_.h;
  }
  void left(const State& state) {
    if (guesses_) end_ = state.q;
  }

  const SolveResult& solve(Counters& counters) {
    const SolveResult* result = &solve_from_guess();
    book_solve(*result, counters);
    // The minimiser of a potential asks for another start by itself.
    const bool asked = path_.kind == SolvePath::Kind::minimise && equation_.symmetric();
    if (!asked && !result->converged && result->iterations == 0 && infeasible(result->code) &&
        equation_.other_start(v_)) {
      result = &solve_from_guess();
      book_solve(*result, counters);
    }
    return *result;
  }

  const SolveResult& solve_from_guess() {
    if (path_.kind == SolvePath::Kind::root) return newton_.find_root(equation_, v_, solver_);
    if (equation_.symmetric()) return newton_.minimise(equation_, v_, solver_);
    if (const SolveResult* result = newton_.find_small_root(equation_, v_, solver_)) return *result;
    return minimise_of_one(v_.front());
  }

  // E need not be bounded below. A valley that the guess has left is looked for at v = 0, where E is convex as L is in
  // v; where there is none, a root will do.
  const SolveResult& minimise_of_one(double guess) {
    for (const double start : {guess, 0.0}) {
      v_.front() = start;
      scalar_result_ = minimise_scalar(equation_, v_.front(), solver_);
      if (scalar_result_.converged) return scalar_result_;
    }
    v_.front() = guess;
    return newton_.find_root(equation_, v_, solver_);
  }

  // p1 = p0 + h sum_i w_i L_q(i). The last residual left the sum over the points before the end.
  void find_momentum(const Model& model, Counters& counters) {
    const ConstVector sum = equation_.sum_by_q();
    const double h = step_.h;
    if (model.separable() && rule_.ends_at_end()) {
      model.gradient(step_.t0 + h, q1_, end_gradient_);
      ++counters.evaluations;
      for (std::size_t i = 0; i < p1_.size(); ++i)
        p1_[i] = step_.p0[i] + h * (sum[i] - rule_.w.back() * end_gradient_[i]);
      return;
    }
    for (std::size_t i = 0; i < p1_.size(); ++i) p1_[i] = step_.p0[i] + h * sum[i];
  }

  SolverOptions solver_;
  StraightLineEquation equation_;
  NewtonSolver newton_;
  SolveResult scalar_result_;
  std::vector<double> end_gradient_;
  // Small systems begin a solve where the steps before point to: their velocities, before that of before_, and where
  // they ended. All else is too much to remember for what it spares.
  bool guesses_;
  std::array<std::vector<double>, 2> history_;
  std::vector<double> end_;
  long alike_ = 0;  // steps of one length, one after the other, that ended with the last one
};

}  // namespace

std::unique_ptr<Stepper> make_straight_line(QuadratureRule rule, const SolverOptions& solver, const Model& model) {
  const bool explicit_rule = model.separable() && rule.explicit_steps();
  StraightLineForces forces(model, explicit_rule, solver);
  std::vector<double> drag(forces.any() ? model.size() : 0, 0.0);
  if (explicit_rule && forces.stay_explicit(model, drag)) {
    if (!forces.any() && model.diagonal_mass()) return make_fused_straight_line(std::move(rule), model);
    return std::make_unique<ExplicitStraightLine>(std::move(rule), std::move(forces), std::move(drag), model);
  }
  const std::string reason = model.separable() ? forces.no_potential(model) : no_potential_form;
  const bool has_potential = reason.empty(), root = solver.kind == SolverOptions::Kind::root;
  SolvePath path = root_path(solver, reason);
  if (has_potential && !root)
    path = {SolvePath::Kind::minimise, "the incremental potential (K06's Lilyan)"};
  else if (model.size() == 1 && !root)
    path = {SolvePath::Kind::minimise, "the incremental potential (K06's Lilyan): one coordinate always has one"};
  return std::make_unique<ImplicitStraightLine>(std::move(rule), std::move(path), has_potential, std::move(forces),
                                                solver, model);
}

}  // namespace livens
