#include "study/measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>

#include <fmt/format.h>

#include <livens/solid_block.hpp>

#include "diagnostics/extreme_rows.hpp"
#include "files/schedule.hpp"
#include "math/expression.hpp"
#include "scene/schema.hpp"
#include "study/table_look.hpp"

namespace livens {
namespace {

constexpr double intervals = 1000;         // of the samples
constexpr double fine_intervals = 5000;    // of the curve of the energy
constexpr double max_state_numbers = 1e6;  // kept of one case
constexpr int small_model = 8;             // unknowns; below, every step is sampled
constexpr double max_looks = 20'000;       // at a larger one
constexpr int large_model = 500;           // unknowns; above, a look costs as much as a step
constexpr double max_large_looks = 2000;
constexpr double longest_timing = 5;  // s; what took longer is not run twice

using Clock = std::chrono::steady_clock;

// Of this thread, which works alone on its case.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Amplitudes at the turning points of one coordinate, from the cubic through both ends of a step.
class TurningPoints {
 public:
  void add(const State& before, const State& after) {
    const double v0 = before.v[0], v1 = after.v[0], h = after.t - before.t;
    if (!(v0 * v1 < 0)) return;
    const double s = v0 / (v0 - v1);
    const double h00 = (1 + 2 * s) * (1 - s) * (1 - s), h10 = s * (1 - s) * (1 - s);
    const double h01 = s * s * (3 - 2 * s), h11 = s * s * (s - 1);
    const double q = h00 * before.q[0] + h10 * h * v0 + h01 * after.q[0] + h11 * h * v1;
    if (q == 0) return;
    t_.push_back(before.t + s * h);
    log_q_.push_back(std::log(std::abs(q)));
  }
  // Of the amplitude; the first turning points are the least linear, but belong to the motion.
  double rate() const { return t_.size() < 3 ? undefined : 0.0 - fit_line(t_, log_q_).slope; }

 private:
  std::vector<double> t_, log_q_;
};

// The energy decays as the square of the amplitude. What has fallen to rounding is left out.
double energy_rate(const Samples& samples) {
  std::vector<double> t, log_e;
  const double first = samples.energy.empty() ? 0 : samples.energy.front();
  for (std::size_t k = 0; k < samples.t.size(); ++k) {
    if (!(samples.energy[k] > 1e-13 * first)) break;
    t.push_back(samples.t[k]);
    log_e.push_back(std::log(samples.energy[k]));
  }
  return t.size() < 10 ? undefined : -0.5 * fit_line(t, log_e).slope;
}

class Look final : public Observer {
 public:
  Look(const Setup& setup, const MeasureOptions& options, Measured& result)
      : model_(*setup.model),
        integrator_(*setup.integrator),
        options_(options),
        result_(result),
        schedule_(setup.start.t, (setup.plan.t_end - setup.start.t) / intervals),
        curve_schedule_(setup.start.t, (setup.plan.t_end - setup.start.t) / fine_intervals),
        extremes_({1, 2}),
        probes_(setup.plan.probes) {
    const Model& model = model_;
    const double begin = setup.start.t, end = setup.plan.t_end;
    const double step = setup.plan.constant_step() ? *setup.plan.step(begin) : 0;
    const double steps = step > 0 ? (end - begin) / step : 0;
    if (model.size() > small_model)
      stride_ = std::max(1L, std::lround(steps / (model.size() > large_model ? max_large_looks : max_looks)));
    result.every_step = stride_ == 1;
    const double numbers = 3.0 * model.size() * intervals;
    state_stride_ = std::max(1L, std::lround(std::ceil(numbers / max_state_numbers)));
    one_coordinate_ = model.size() == 1 && model.dimension() == 0;
    keeps_states_ = one_coordinate_ || options.on_step;
  }

  void begin(const Sample& sample) override {
    const State& state = sample.state;
    if (keeps_states_) before_ = state;
    t_before_ = state.t;
    kinetic_ = energy(model_, state).kinetic;
    t_begin_ = state.t;
    start_ = energy(model_, state).total;
    for (Probe& probe : probes_) {
      probe.begin(sample);
      for (const Column& column : probe.columns()) result_.probes.push_back({column, {}});
    }
    add_row(state, true);
    add_probes(sample);
  }

  void observe(const Sample& sample) override {
    const State& after = sample.state;
    const double kinetic = energy_of_motion(after);
    heat_integral_ += 0.5 * (after.t - t_before_) * (kinetic_ + kinetic);
    kinetic_ = kinetic;
    if (one_coordinate_) turning_points_.add(before_, after);
    const bool due = schedule_.due(after.t, sample.report.h);
    last_step_ = sample.report.h;
    if (due || ++skipped_ >= stride_) add_row(after, due);
    for (Probe& probe : probes_) probe.advance(sample);
    if (due) add_probes(sample);
    finite_ = std::isfinite(kinetic) && std::isfinite(last_energy_);
    if (options_.on_step) options_.on_step(model_, before_, after);
    if (keeps_states_) before_ = after;
    t_before_ = after.t;
    result_.interrupted = options_.interrupted && options_.interrupted();
  }
  bool stop() const override { return !finite_ || result_.interrupted; }
  double next_time() const override { return schedule_.next_time(); }

  bool finite() const { return finite_; }  // whether the energy is a number still

  void end(const Sample& sample) override {
    const State& state = sample.state;
    if (result_.samples.t.empty() || result_.samples.t.back() != state.t) {
      add_row(state, true);
      add_probes(sample);
    }
    result_.extremes = extremes_.rows();
    if (result_.samples.states.empty() || result_.samples.states.back().t != state.t)
      result_.samples.states.push_back(state);
    result_.heat = heat(state.t);
    result_.decrement_rate = turning_points_.rate();
    result_.energy_rate = energy_rate(result_.samples);
  }

 private:
  double energy_of_motion(const State& state) const {
    return model_.separable() ? model_.kinetic(state.v) : energy(model_, state).kinetic;
  }
  double heat(double t) const { return t > t_begin_ ? heat_integral_ / (t - t_begin_) : kinetic_; }

  // energy + dissipated - work - energy(start)
  double own_error(double total) const {
    double error = total - start_ - integrator_.ledger().time_work;
    for (const double out : integrator_.ledger().energy_out) error += out;
    return error;
  }

  void add_row(const State& state, bool sampled) {
    skipped_ = 0;
    const double total = last_energy_ = energy(model_, state).total;
    const double error = own_error(total);
    const double modified = integrator_.modified_energy(model_, state).value_or(undefined);
    result_.energy.add(state.t, total);
    result_.energy_error.add(state.t, error);
    result_.modified_energy.add(state.t, modified);
    extremes_.add(std::array{state.t, total, error});
    EnergyCurve& curve = result_.curve;
    if (curve.t.empty() || curve_schedule_.due(state.t, last_step_)) {
      curve.t.push_back(state.t);
      curve.energy.push_back(total);
    }
    if (!sampled) return;
    Samples& s = result_.samples;
    s.t.push_back(state.t);
    s.energy.push_back(total);
    s.energy_error.push_back(error);
    s.heat.push_back(heat(state.t));
    s.modified_energy.push_back(modified);
    if (static_cast<long>(s.t.size() - 1) % state_stride_ == 0) s.states.push_back(state);
  }

  void add_probes(const Sample& sample) {
    std::size_t k = 0;
    for (const Probe& probe : probes_) {
      std::vector<double> values(probe.columns().size());
      probe.evaluate(sample, values.data());
      for (const double value : values) result_.probes[k++].series.add(sample.state.t, value);
    }
  }

  const Model& model_;
  Integrator& integrator_;
  const MeasureOptions& options_;
  Measured& result_;
  Schedule schedule_, curve_schedule_;
  ExtremeRows extremes_;
  std::vector<Probe> probes_;
  double last_step_ = 0;
  State before_;
  bool finite_ = true;
  long stride_ = 1, state_stride_ = 1, skipped_ = 0;
  bool one_coordinate_ = false, keeps_states_ = false;
  double t_begin_ = 0, t_before_ = 0, start_ = 0, kinetic_ = 0, heat_integral_ = 0, last_energy_ = 0;
  TurningPoints turning_points_;
};

void plain_run(const Setup& setup, Measured& result) {
  State state = setup.start;
  const auto integrator = make_integrator(setup.scene, *setup.model);
  const auto start = Clock::now();
  const double processor = processor_seconds();
  integrator->advance(*setup.model, state, setup.plan.t_end);
  result.wall_time = seconds_since(start);
  result.processor_time = processor_seconds() - processor;
}

void take(const TableLook& tables, const Sample& sample, const MeasureOptions& options, Measured& result) {
  result.own = tables.rows();
  result.facts = tables.facts(sample);
  result.facts["elements"] = static_cast<double>(result.elements);
  result.facts["updates"] = result.updates;
  result.facts["processor_time"] = result.processor_time;
  result.facts.insert(options.constants.begin(), options.constants.end());
}

void run_case(const Scene& scene, const MeasureOptions& options, Measured& result) {
  const Setup setup = make_setup(scene);
  const Model& model = *setup.model;
  State state = setup.start;
  if (model.dimension() == 0) result.coordinates = model.parts().coordinates;
  result.forced = !model.parts().forces.empty();
  result.equilibria = setup.plan.claims.order == 0;
  result.dimension = model.dimension();
  for (const auto& term : model.parts().terms)
    if (const SolidBlock* block = term->elements()) result.elements += static_cast<long>(block->part().elements.size());
  result.t_begin = state.t;
  Look look(setup, options, result);
  look.begin({model, state, StepReport{}, *setup.integrator});
  std::vector<Observer*> observers = {&look};
  std::optional<TableLook> tables;
  if (options.tables != nullptr && !options.tables->empty()) {
    observers.push_back(&tables.emplace(setup, *options.tables, options.constants));
    tables->begin({model, state, StepReport{}, *setup.integrator});
  }
  const auto start = Clock::now();
  const double processor = processor_seconds();
  const StepReport report = advance_observed(model, state, *setup.integrator, setup.plan.t_end, observers);
  result.wall_time = seconds_since(start);
  result.processor_time = processor_seconds() - processor;
  for (Observer* observer : observers) observer->end({model, state, report, *setup.integrator});
  result.t_reached = state.t;
  result.counters = setup.integrator->counters();
  result.updates = static_cast<double>(result.counters.evaluations) *
                   (setup.integrator->asynchronous() != nullptr ? 1.0 : static_cast<double>(result.elements));
  result.ok = report.converged && look.finite() && !result.interrupted;
  if (result.interrupted)
    result.failure = "interrupted";
  else if (!look.finite())
    result.failure = fmt::format("the energy is not finite after t = {:.6g} s", state.t);
  else if (!report.converged)
    result.failure = report.message;
  if (result.ok && options.timed && result.processor_time < longest_timing) plain_run(setup, result);
  if (tables) take(*tables, {model, state, report, *setup.integrator}, options, result);
}

}  // namespace

double EnergyCurve::at(double time) const {
  if (t.size() < 4 || time < t.front() - 1e-9 * (t[1] - t[0]) || time > t.back() + 1e-9 * (t.back() - t.front()))
    return undefined;
  const auto above = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), time) - t.begin());
  const std::size_t first = std::clamp<std::size_t>(above < 2 ? 0 : above - 2, 0, t.size() - 4);
  double sum = 0;
  for (std::size_t i = first; i < first + 4; ++i) {  // Lagrange
    double weight = 1;
    for (std::size_t j = first; j < first + 4; ++j)
      if (j != i) weight *= (time - t[j]) / (t[i] - t[j]);
    sum += weight * energy[i];
  }
  return sum;
}

double end_time(const Scene& scene) { return validated(scene).find("time")->settings.number("end"); }

Measured measure(const Scene& scene, const MeasureOptions& options) {
  Measured result;
  try {
    run_case(scene, options, result);
  } catch (const SceneError& error) {
    result.ok = false;
    result.failure = error.faults().front().key + ": " + error.faults().front().message;
  }
  return result;
}

Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = std::min(x.size(), y.size());
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (std::size_t k = 0; k < n; ++k) mx += x[k] / static_cast<double>(n), my += y[k] / static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) xx += (x[k] - mx) * (x[k] - mx), xy += (x[k] - mx) * (y[k] - my);
  return {xy / xx, n};
}

}  // namespace livens
