#include "integrators/varied_step.hpp"

#include <cmath>
#include <limits>

#include "integrators/straight_line_stepper.hpp"
#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr double part_of_difference = 1e-6;  // of a step, for the slope of its energy

double dot(ConstVector a, ConstVector b) {
  return sum_chunks(a.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += a[i] * b[i];
    return sum;
  });
}

//   M v = p0,   p1 = p0 - h dW(t0 + h, q1),   E_start = 1/2 p0'M^-1 p0 + W(t0 + h, q0 + h v)
class ExplicitVariedStep final : public VariedStep {
 public:
  explicit ExplicitVariedStep(const Model& model) {
    const auto n = static_cast<std::size_t>(model.size());
    for (auto* vector : {&q1_, &p1_, &v1_, &gradient_}) vector->resize(n);
    if (model.has_external_terms()) impulse_.resize(n);
  }

  double begin(const Model& model, const State& state, Counters& counters) override {
    model_ = &model;
    state_ = &state;
    counters_ = &counters;
    kinetic_ = 0.5 * dot(state.p, state.v);
    return kinetic_;
  }

  Energy energy(double h) override {
    const double value = kinetic_ + potential_at(h);
    return {value, dot(gradient_, state_->v) + power_};
  }

  StepReport take(const Model& model, State& state, double h, StepContext context, Taken& taken) override {
    taken.energy = kinetic_ + potential_at(h);
    taken.work = h * power_;
    if (!std::isfinite(taken.energy) || !std::isfinite(taken.work)) return failed_not_finite(state.t, h);
    for (std::size_t i = 0; i < p1_.size(); ++i) p1_[i] = state.p[i] - h * gradient_[i];
    model.divide_mass(p1_, v1_);
    taken.rate = 0.5 * (dot(gradient_, state.v) + dot(gradient_, v1_)) + power_;
    if (!std::isfinite(taken.rate)) return failed_not_finite(state.t, h);
    book(model, state.t + h, h, taken.work, context.ledger);
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    StepReport report;
    report.h = h;
    return report;
  }

 private:
  // W(t0 + h, q0 + h v); leaves the point in q1_, and gradient and power there.
  double potential_at(double h) {
    const std::vector<double>&q = state_->q, &v = state_->v;
    for (std::size_t i = 0; i < q.size(); ++i) q1_[i] = q[i] + h * v[i];
    ++counters_->evaluations;
    power_ = model_->time_power(state_->t + h, q1_, v);
    return model_->gradient_and_potential(state_->t + h, q1_, gradient_);
  }

  void book(const Model& model, double t, double h, double work, Ledger& ledger) {
    ledger.time_work += work;
    if (!model.has_external_terms() || model.dimension() == 0) return;
    model.external_gradient(t, q1_, impulse_);
    for (double& value : impulse_) value *= -h;
    book_impulse(model, q1_, impulse_, ledger);
  }

  const Model* model_ = nullptr;
  const State* state_ = nullptr;
  Counters* counters_ = nullptr;
  double kinetic_ = 0, power_ = 0;
  std::vector<double> q1_, p1_, v1_, gradient_, impulse_;
};

class SolvedVariedStep final : public VariedStep {
 public:
  SolvedVariedStep(double a, const SolverOptions& solver, const Model& model)
      : rule_(QuadratureRule::point(a)),
        straight_(make_straight_line(rule_, solver, model)),
        point_(model.size()),
        v_(model.size()) {
    unused_.symmetry_impulse.resize(model.parts().symmetries.size());
  }

  SolvePath solve_path() const override { return straight_->solve_path(); }

  double begin(const Model& model, const State& state, Counters& counters) override {
    model_ = &model;
    counters_ = &counters;
    start_ = state;
    return 0.5 * std::abs(dot(state.p, state.v));
  }

  Energy energy(double h) override {
    const double value = energy_of_trial(h), next = energy_of_trial(h * (1 + part_of_difference));
    return {value, (next - value) / (h * part_of_difference)};
  }

  // That of v = (q1 - q0)/h.
  double rounding(double h) const override {
    double sum = 0;
    for (std::size_t i = 0; i < start_.q.size(); ++i) sum += std::abs(start_.p[i] * start_.q[i]);
    return 4 * std::numeric_limits<double>::epsilon() * sum / h;
  }

  StepReport take(const Model& model, State& state, double h, StepContext context, Taken& taken) override {
    const double work_before = context.ledger.time_work;
    straight_->begin();
    StepReport report = straight_->step(model, state, h, context);
    if (!report.converged) return report;
    taken = taken_to(state, h);
    if (!std::isfinite(taken.energy) || !std::isfinite(taken.work) || !std::isfinite(taken.rate)) {
      state = start_;
      return failed_not_finite(state.t, h);
    }
    context.ledger.time_work = work_before + taken.work;  // that of (85)
    return report;
  }

  void visit_memory(MemoryVisitor& visitor) override { straight_->visit_memory(visitor); }

 private:
  double energy_of_trial(double h) {
    trial_ = start_;
    straight_->begin();
    if (!straight_->step(*model_, trial_, h, {unused_, *counters_}).converged)
      return std::numeric_limits<double>::quiet_NaN();
    return energy_to(trial_, h, nullptr);
  }

  double energy_to(const State& end, double h, double* work) {
    const double a = rule_.c.front();
    for (std::size_t i = 0; i < v_.size(); ++i) {
      v_[i] = (end.q[i] - start_.q[i]) / h;
      point_[i] = start_.q[i] + a * h * v_[i];
    }
    const double power = model_->time_power(start_.t + a * h, point_, v_);
    if (work != nullptr) *work = h * power;
    return discrete_energy(rule_, *model_, start_.t, h, start_.q, end.q) - (1 - a) * h * power;
  }

  // E_start lies above H at the start and E_end above H at the end by what is odd and even in h: together, by what a
  // longer step adds.
  Taken taken_to(const State& end, double h) {
    Taken taken;
    taken.energy = energy_to(end, h, &taken.work);
    State ended = end;
    ended.t = start_.t + h;
    const double H0 = livens::energy(*model_, start_).total, H1 = livens::energy(*model_, ended).total;
    taken.rate = ((taken.energy - H0) + (taken.energy + taken.work - H1)) / h;
    return taken;
  }

  QuadratureRule rule_;
  std::unique_ptr<Stepper> straight_;
  const Model* model_ = nullptr;
  Counters* counters_ = nullptr;
  State start_, trial_;
  Ledger unused_;  // of steps that are tried only
  std::vector<double> point_, v_;
};

}  // namespace

std::unique_ptr<VariedStep> make_varied_step(double a, const SolverOptions& solver, const Model& model) {
  if (a == 1 && model.separable() && !model.has_moving_supports()) return std::make_unique<ExplicitVariedStep>(model);
  return std::make_unique<SolvedVariedStep>(a, solver, model);
}

}  // namespace livens
