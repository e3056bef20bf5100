#include "integrators/stepping_integrator.hpp"

#include <algorithm>
#include <cmath>

#include <livens/records.hpp>
#include <livens/scene.hpp>

#include "math/expression.hpp"

namespace livens {

namespace {

constexpr double rounding_of_end = 1e-9;  // of a step: t has reached the end
constexpr long most_at_once = 4096;       // steps in one call
constexpr int most_tries = 8;             // of taking many at once, some only after the first steps
constexpr long least_at_once = 4;         // steps that are worth a block

}  // namespace

StepSize::StepSize(const Settings& settings) {
  const Expression& step = expression_of(settings.function("step"));
  if (step.constant())
    value_ = step.value();
  else
    function_ = [step](double t) { return step.evaluate<double>(std::span<const double>(&t, 1)); };
}

SteppingIntegrator::SteppingIntegrator(std::unique_ptr<Stepper> stepper, StepSize step, const SolverOptions& solver,
                                       const Model& model, std::unique_ptr<StepControl> control)
    : stepper_(std::move(stepper)),
      step_(std::move(step)),
      control_(std::move(control)),
      retry_halvings_(solver.retry_halvings) {
  ledger_.energy_out.assign(model.parts().forces.size(), 0.0);
  ledger_.symmetry_impulse.assign(model.parts().symmetries.size(), 0.0);
  ledger_before_ = ledger_;
}

StepReport SteppingIntegrator::advance(const Model& model, State& state, double t_end, const OnStep& on_step,
                                       BlockLook* look) {
  StepReport report;
  bool velocity_is_current = true;
  int tries = on_step && look == nullptr ? 0 : most_tries;
  stepper_->begin();
  set_clock(state.t);
  for (;;) {
    const double h = next_step(model, state);
    if (!(h > 0) || !std::isfinite(h)) return no_step(h, state.t);
    const double end = t_end - rounding_of_end * h;
    if (state.t >= end) return report;
    const bool fuse_next = equal_steps() && next_time(h) < end;
    const long most = tries == 0 || !fuse_next ? 0 : look != nullptr ? look->most(state.t, h) : most_at_once;
    if (most >= least_at_once) {
      if (take_many(model, state, h, end, most, look)) {
        velocity_is_current = false;
        tries = most_tries;
        continue;
      }
      --tries;
    }
    const bool need_velocity = on_step || !fuse_next;
    report = step_with_retries(model, state, h, {ledger_, counters_, need_velocity, fuse_next});
    if (!report.converged) {
      if (!velocity_is_current) model.divide_mass(state.p, state.v);
      return report;
    }
    velocity_is_current = need_velocity;
    if (control_) control_->took();
    tick(state, report.h);
    count_steps(1, report.h);
    if (on_step && !on_step(state, report)) return report;
  }
}

double SteppingIntegrator::next_step(const Model& model, const State& state) {
  if (control_) return control_->next(model, state);
  return stepper_->next_step().value_or(step_.at(state.t));
}

StepReport SteppingIntegrator::no_step(double h, double t) const {
  if (control_) return control_->failed(t);
  StepReport report;
  report.converged = false;
  report.code = FailureCode::step_too_small;
  report.message = "the step is " + std::to_string(h) + " s at t = " + std::to_string(t) + " s; it must be positive";
  return report;
}

// A state at another time than the clock's was set by the caller: count from it.
void SteppingIntegrator::set_clock(double t) {
  if (t == clock_time_) return;
  if (control_) control_->restart();
  clock_origin_ = clock_time_ = t;
  clock_count_ = 0;
}

void SteppingIntegrator::tick(State& state, double h) {
  if (equal_steps()) {
    state.t = next_time(h);
    ++clock_count_;
  } else {
    state.t += h;
  }
  clock_time_ = state.t;
}

bool SteppingIntegrator::take_many(const Model& model, State& state, double h, double end, long most, BlockLook* look) {
  const auto ends_before = [&](long count) {
    return clock_origin_ + static_cast<double>(clock_count_ + count) * h < end;
  };
  long count = most;
  if (!ends_before(count)) {
    count = std::clamp(static_cast<long>((end - state.t) / h), 1L, most);
    while (ends_before(count + 1)) ++count;
    while (count > 1 && !ends_before(count)) --count;
  }
  const StepTrace trace = look != nullptr ? begin_block(state, static_cast<std::size_t>(count)) : StepTrace{};
  const long taken = stepper_->steps(model, state, h, count, {ledger_, counters_}, trace);
  if (taken == 0 || (look != nullptr && !shown(model, state, h, taken, *look))) return false;
  clock_count_ += taken;
  clock_time_ = state.t = clock_origin_ + static_cast<double>(clock_count_) * h;
  count_steps(taken, h);
  return true;
}

StepTrace SteppingIntegrator::begin_block(const State& state, std::size_t count) {
  const std::size_t n = state.q.size(), forces = ledger_.energy_out.size(),
                    width = forces + ledger_.symmetry_impulse.size();
  block_.start = state;
  block_.ledger = ledger_;
  block_.counters = counters_;
  const auto make_room = [](std::vector<double>& values, std::size_t size) {
    if (values.size() < size) values.resize(size);
  };
  make_room(block_.t, count + 1);
  make_room(block_.q, (count + 1) * n);
  make_room(block_.p, (count + 1) * n);
  make_room(block_.booked, (count + 1) * width);
  block_.iterations.assign(count, 0);
  std::copy(state.q.begin(), state.q.end(), block_.q.begin());
  std::copy(state.p.begin(), state.p.end(), block_.p.begin());
  for (std::size_t k = 0; k <= count && width > 0; ++k) {
    double* const row = block_.booked.data() + k * width;
    std::copy(ledger_.energy_out.begin(), ledger_.energy_out.end(), row);
    std::copy(ledger_.symmetry_impulse.begin(), ledger_.symmetry_impulse.end(), row + forces);
  }
  return {block_.q.data() + n, block_.p.data() + n, block_.booked.data() + width, block_.iterations.data()};
}

bool SteppingIntegrator::shown(const Model& model, State& state, double h, long taken, BlockLook& look) {
  const auto states = static_cast<std::size_t>(taken) + 1;
  const std::size_t n = state.q.size(), width = ledger_.energy_out.size() + ledger_.symmetry_impulse.size();
  block_.t[0] = state.t;
  for (std::size_t k = 1; k < states; ++k)
    block_.t[k] = clock_origin_ + static_cast<double>(clock_count_ + static_cast<long>(k)) * h;
  const auto part = [&](const std::vector<double>& all, std::size_t size) {
    return ConstVector(all).first(states * size);
  };
  std::swap(ledger_, block_.ledger);
  std::swap(counters_, block_.counters);
  const bool seen = look.look({model, *this, h, part(block_.t, 1), part(block_.q, n), part(block_.p, n),
                               part(block_.booked, width), std::span<const int>(block_.iterations).first(states - 1)});
  if (seen) {
    std::swap(ledger_, block_.ledger);
    std::swap(counters_, block_.counters);
    return true;
  }
  state = block_.start;
  stepper_->begin();
  return false;
}

void SteppingIntegrator::count_steps(long count, double h) {
  counters_.step_min = counters_.steps == 0 ? h : std::min(counters_.step_min, h);
  counters_.steps += count;
  counters_.step_max = std::max(counters_.step_max, h);
  last_step_ = h;
}

double SteppingIntegrator::next_time(double h) const {
  return clock_origin_ + static_cast<double>(clock_count_ + 1) * h;
}

// A step that fails has not happened: what it had booked until then is taken back.
StepReport SteppingIntegrator::take_step(const Model& model, State& state, double h, StepContext context) {
  ledger_before_ = ledger_;
  StepReport report = move_by_step(model, state, h, context);
  if (!report.converged) ledger_ = ledger_before_;
  return report;
}

// Inside a step the supports stand still in the state; the model has them where they are at the time of evaluation.
StepReport SteppingIntegrator::move_by_step(const Model& model, State& state, double h, StepContext context) {
  if (!model.has_moving_supports()) return stepper_->step(model, state, h, context);
  for (int i = 0; i < model.size(); ++i)
    if (model.supported(i)) state.v[i] = 0;
  StepReport report = stepper_->step(model, state, h, context);
  model.place_supports(report.converged ? state.t + report.h : state.t, state);  // it may have chosen another h
  return report;
}

StepReport SteppingIntegrator::step_with_retries(const Model& model, State& state, double h, StepContext context) {
  StepReport report = take_step(model, state, h, context);
  if (report.converged || retry_halvings_ == 0) return report;
  const State start = state;
  const Ledger ledger = ledger_;
  for (int halvings = 1; halvings <= retry_halvings_; ++halvings) {
    ++counters_.retries;
    const int pieces = 1 << halvings;
    StepReport piece;
    for (int k = 0; k < pieces; ++k) {
      stepper_->begin();
      piece = take_step(model, state, h / pieces, {ledger_, counters_});
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

std::optional<StepReport> SteppingIntegrator::apply_step(const Model& model, State& state, double h) {
  stepper_->begin();
  const StepReport report = take_step(model, state, h, {ledger_, counters_});
  if (report.converged) state.t += h;
  return report;
}

std::optional<double> SteppingIntegrator::modified_energy(const Model& model, const State& state) {
  const double h = last_step_ > 0 ? last_step_ : step_.at(state.t);
  return stepper_->modified_energy(model, state, h);
}

std::vector<std::string> SteppingIntegrator::warnings() const {
  if (!control_ || control_->reversible()) return {};
  return {"integrator.step_control = \"naive\" takes steps from the state: the energy drifts. Use \"reversible\""};
}

void SteppingIntegrator::visit_memory(MemoryVisitor& visitor) {
  Integrator::visit_memory(visitor);
  visitor.visit("clock_origin", clock_origin_);
  visitor.visit("clock_time", clock_time_);
  visitor.visit("clock_count", clock_count_);
  visitor.visit("last_step", last_step_);
  if (control_) control_->visit_memory(visitor);
  stepper_->visit_memory(visitor);
}

Parameter step_parameter() {
  return required(positive(function_of(key("step", ValueType::function, "s", "",
                                           "time step; a number, or an expression in t for prescribed variable steps"),
                                       {"t"})));
}

std::unique_ptr<Integrator> make_integrator(std::unique_ptr<Stepper> stepper, double step, const SolverOptions& solver,
                                            const Model& model) {
  return std::make_unique<SteppingIntegrator>(std::move(stepper), step, solver, model);
}

std::unique_ptr<Integrator> make_integrator(std::unique_ptr<Stepper> stepper, std::function<double(double t)> step,
                                            const SolverOptions& solver, const Model& model) {
  return std::make_unique<SteppingIntegrator>(std::move(stepper), std::move(step), solver, model);
}

std::unique_ptr<Integrator> make_integrator(std::unique_ptr<Stepper> stepper, const Settings& settings,
                                            const SolverOptions& solver, const Model& model) {
  return std::make_unique<SteppingIntegrator>(std::move(stepper), StepSize(settings), solver, model,
                                              make_step_control(settings, model));
}

}  // namespace livens
