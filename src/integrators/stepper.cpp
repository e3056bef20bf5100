#include "integrators/stepper.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/booking.hpp"
#include "records/parameter.hpp"

namespace livens {

std::string to_string(Symplectic value) {
  switch (value) {
    case Symplectic::no: return "no";
    case Symplectic::canonical: return "canonical";
    case Symplectic::named_variables: return "in named variables";
  }
  return "unknown";
}

std::string to_string(Keeps value) {
  switch (value) {
    case Keeps::exact: return "exact";
    case Keeps::bounded: return "bounded";
    case Keeps::no: return "no";
  }
  return "unknown";
}

std::string to_string(EnergyClaim value) {
  switch (value) {
    case EnergyClaim::exact: return "exact";
    case EnergyClaim::bounded: return "bounded";
    case EnergyClaim::dissipating: return "dissipating";
    case EnergyClaim::drifting: return "drifting";
  }
  return "unknown";
}

void Integrator::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("steps", counters_.steps);
  visitor.visit("retries", counters_.retries);
  visitor.visit("evaluations", counters_.evaluations);
  visitor.visit("newton", counters_.newton);
  visitor.visit("newton_max", counters_.newton_max);
  visitor.visit("linear_iterations", counters_.linear_iterations);
  visitor.visit("factorisations", counters_.factorisations);
  visitor.visit("line_search_cuts", counters_.line_search_cuts);
  visitor.visit("convexified", counters_.convexified);
  visitor.visit("residual_max", counters_.residual_max);
  visitor.visit("step_min", counters_.step_min);
  visitor.visit("step_max", counters_.step_max);
  visitor.visit("energy_out", ledger_.energy_out);
  visitor.visit("time_work", ledger_.time_work);
  for (double& value : ledger_.linear_impulse) visitor.visit("linear_impulse", value);
  for (double& value : ledger_.angular_impulse) visitor.visit("angular_impulse", value);
  visitor.visit("symmetry_impulse", ledger_.symmetry_impulse);
}

StepSize::StepSize(const Settings& settings, const std::string& key) {
  const Expression& expression = settings.function(key);
  if (expression.constant())
    value_ = expression.value();
  else
    function_ = std::make_shared<const Expression>(expression);
}

double StepSize::at(double t) const {
  return function_ ? function_->evaluate<double>(std::span<const double>(&t, 1)) : value_;
}

SteppingIntegrator::SteppingIntegrator(std::unique_ptr<Stepper> stepper, StepSize step, const SolverOptions& solver,
                                       const Model& model)
    : stepper_(std::move(stepper)), step_(std::move(step)), retry_halvings_(solver.retry_halvings) {
  ledger_.energy_out.assign(model.parts().forces.size(), 0.0);
  ledger_.symmetry_impulse.assign(model.parts().symmetries.size(), 0.0);
}

StepReport SteppingIntegrator::advance(const Model& model, State& state, double t_end, const OnStep& on_step) {
  StepReport report;
  bool v_is_current = true;
  stepper_->begin();
  if (state.t != clock_time_) {
    clock_origin_ = clock_time_ = state.t;
    clock_count_ = 0;
  }
  for (;;) {
    const double h = stepper_->next_step().value_or(step_.at(state.t));
    if (!(h > 0) || !std::isfinite(h)) {
      report.converged = false;
      report.code = FailureCode::step_too_small;
      report.message =
          "the step is " + std::to_string(h) + " s at t = " + std::to_string(state.t) + " s; it must be positive";
      return report;
    }
    if (state.t >= t_end - 1e-9 * h) return report;  // whole steps, and the end to round-off
    const bool ahead = step_.constant() && !stepper_->next_step() && next_time(h) < t_end - 1e-9 * h;
    const bool seen = on_step || !ahead;
    report = step_with_retries(model, state, h, seen, ahead);
    if (!report.converged) {
      if (!v_is_current) model.divide_mass(state.p, state.v);
      return report;
    }
    v_is_current = seen;
    tick(state, report.h);
    ++counters_.steps;
    counters_.step_min = counters_.steps == 1 ? report.h : std::min(counters_.step_min, report.h);
    counters_.step_max = std::max(counters_.step_max, report.h);
    last_step_ = report.h;
    if (on_step && !on_step(state, report)) return report;
  }
}

void SteppingIntegrator::tick(State& state, double h) {
  if (step_.constant() && !stepper_->next_step())
    state.t = next_time(h), ++clock_count_;
  else
    state.t += h;
  clock_time_ = state.t;
}

double SteppingIntegrator::next_time(double h) const {
  return clock_origin_ + static_cast<double>(clock_count_ + 1) * h;
}

// Inside a step the supports stand still in the state; the model has them where they are at the time of evaluation.
StepReport SteppingIntegrator::take_step(const Model& model, State& state, double h, Books books) {
  if (!model.has_moving_supports()) return stepper_->step(model, state, h, books);
  for (int i = 0; i < model.size(); ++i)
    if (model.supported(i)) state.v[i] = 0;
  const StepReport report = stepper_->step(model, state, h, books);
  // A node that is moved in one direction and free in another has a momentum that is carried along: its moment changes.
  const Momenta before = momenta(model, state.q, state.p);
  model.place_supports(report.converged ? state.t + h : state.t, state);
  const Momenta after = momenta(model, state.q, state.p);
  for (int k = 0; k < 3 && report.converged; ++k)
    books.ledger.angular_impulse[k] += after.angular[k] - before.angular[k];
  return report;
}

StepReport SteppingIntegrator::step_with_retries(const Model& model, State& state, double h, bool seen, bool ahead) {
  StepReport report = take_step(model, state, h, {ledger_, counters_, seen, ahead});
  if (report.converged || retry_halvings_ == 0) return report;
  const Books books{ledger_, counters_};
  const State start = state;
  const Ledger ledger = ledger_;
  for (int halvings = 1; halvings <= retry_halvings_; ++halvings) {
    ++counters_.retries;
    const int pieces = 1 << halvings;
    StepReport piece;
    for (int k = 0; k < pieces; ++k) {
      stepper_->begin();
      piece = take_step(model, state, h / pieces, books);
      if (!piece.converged) break;
      state.t = start.t + h * (k + 1) / pieces;
    }
    state.t = start.t;
    if (piece.converged) {
      piece.h = h;
      return piece;
    }
    state = start;
    ledger_ = ledger;
  }
  return report;
}

StepReport SteppingIntegrator::apply_step(const Model& model, State& state, double h) {
  stepper_->begin();
  const StepReport report = take_step(model, state, h, {ledger_, counters_});
  if (report.converged) state.t += h;
  return report;
}

std::optional<double> SteppingIntegrator::modified_energy(const Model& model, const State& state) {
  const double h = last_step_ > 0 ? last_step_ : step_.at(state.t);
  return stepper_->modified_energy(model, state, h);
}

void SteppingIntegrator::visit_memory(MemoryVisitor& visitor) {
  Integrator::visit_memory(visitor);
  visitor.visit("clock_origin", clock_origin_);
  visitor.visit("clock_time", clock_time_);
  visitor.visit("clock_count", clock_count_);
  visitor.visit("last_step", last_step_);
  stepper_->visit_memory(visitor);
}

Parameter step_parameter() {
  return required(
      positive(function_of(key("step", ValueType::function, "s", "",
                               "time step; a number, or an expression in t for steps that vary as prescribed"),
                           {"t"})));
}

std::unique_ptr<Integrator> make_stepping(std::unique_ptr<Stepper> stepper, const Settings& settings,
                                          const SolverOptions& solver, const Model& model) {
  return std::make_unique<SteppingIntegrator>(std::move(stepper), StepSize(settings), solver, model);
}

}  // namespace livens
