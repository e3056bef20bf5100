// Dormand and Prince's pair of orders 5(4) with step control: the adaptive comparison method.
#include <algorithm>
#include <cmath>

#include <livens/registry.hpp>
#include <livens/scene.hpp>

#include "integrators/runge_kutta.hpp"

namespace livens {
namespace {

Tableau dormand_prince_tableau() {
  Tableau t;
  t.c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
  t.a = {{},
         {1. / 5},
         {3. / 40, 9. / 40},
         {44. / 45, -56. / 15, 32. / 9},
         {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
         {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
         {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
  t.b = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0};
  const double embedded[] = {5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100, 1. / 40};
  for (std::size_t i = 0; i < t.b.size(); ++i) t.error.push_back(t.b[i] - embedded[i]);
  return t;
}

double rms(ConstVector x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, x.size())));
}

class DormandPrinceStepper final : public RungeKuttaStepper {
 public:
  DormandPrinceStepper(const Settings& settings, const Model& model)
      : RungeKuttaStepper(dormand_prince_tableau(), model),
        accuracy_(settings.number("accuracy")),
        shortest_(settings.number("shortest_step")),
        longest_(settings.number("longest_step")),
        h_(std::clamp(settings.number("step"), shortest_, longest_)) {}

  std::optional<double> next_step() const override { return h_; }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    if (start_q_.size() != state.q.size()) start_q_ = state.q;
    // Errors are measured against how far the system has moved and how fast it has been, never against positions.
    for (std::size_t i = 0; i < state.q.size(); ++i) impulse_[i] = state.q[i] - start_q_[i];
    q_scale_ = std::max(q_scale_, rms(impulse_));
    p_scale_ = std::max(p_scale_, rms(state.p));
    for (;;) {
      const bool finite = attempt(model, state, h, context.counters);
      const double error = finite ? error_of(state, h) : 1e10;
      if (finite && (error <= 1 || h <= shortest_)) {
        h_ = next(h, error);
        book(model, state, h, context.ledger);
        accept(state);
        StepReport report;
        report.h = h;
        return report;
      }
      if (h <= shortest_ || h < 1e-14 * std::max(1.0, std::abs(state.t))) return too_small(state.t, h);
      ++context.counters.retries;
      h = next(h, error);
    }
  }

  void visit_memory(MemoryVisitor& visitor) override {
    visitor.visit("h", h_);
    visitor.visit("q_scale", q_scale_);
    visitor.visit("p_scale", p_scale_);
    visitor.visit("start_q", start_q_);
  }

 private:
  double error_of(const State& state, double h) {
    double q_error = 0, p_error = 0;
    for (std::size_t k = 0; k < state.q.size(); ++k) {
      double q = 0, p = 0;
      for (std::size_t i = 0; i < tableau_.error.size(); ++i) {
        q += tableau_.error[i] * stage_v_[i][k];
        p += tableau_.error[i] * stage_dp_[i][k];
      }
      q_error += q * q;
      p_error += p * p;
    }
    const double n = static_cast<double>(state.q.size());
    const double q_scale = std::max(q_scale_, h * rms(v1_)), p_scale = std::max(p_scale_, rms(p1_));
    const double q = q_scale > 0 ? h * std::sqrt(q_error / n) / q_scale : 0;
    const double p = p_scale > 0 ? h * std::sqrt(p_error / n) / p_scale : 0;
    return std::max(q, p) / accuracy_;
  }

  double next(double h, double error) const {
    const double factor = error > 0 ? 0.9 * std::pow(error, -0.2) : 5;
    return std::clamp(h * std::clamp(factor, 0.2, 5.0), shortest_, longest_);
  }

  StepReport too_small(double t, double h) const {
    StepReport report;
    report.converged = false;
    report.code = FailureCode::step_too_small;
    report.h = h;
    report.message = "t = " + std::to_string(t) + " s: even the shortest step leads to numbers that are not finite";
    report.advice = {{"integrator.shortest_step", "0", ""}, {"integrator.accuracy", "1e-12", ""}};
    return report;
  }

  double accuracy_, shortest_, longest_;
  double h_, q_scale_ = 0, p_scale_ = 0;
  std::vector<double> start_q_;
};

}  // namespace

IntegratorRecord dormand_prince_record() {
  IntegratorRecord record;
  record.name = "dormand_prince";
  record.brief = "adaptive Runge-Kutta method of order 5(4): chooses its steps by an error estimate";
  record.citation = "Dormand and Prince 1980";
  record.parameters = {
      positive(number_key("step", "s", "1e-3", "first step")),
      positive(number_key("accuracy", "-", "1e-9", "error of a step relative to the distances and momenta so far")),
      bounded(number_key("shortest_step", "s", "0", "lower bound of steps; equal to longest_step: fixed steps"), 0),
      positive(number_key("longest_step", "s", "1e300", "upper bound of steps"))};
  record.holds_constraints = true;
  record.claims = [](const Settings&, const ModelClass& model) {
    Claims claims;
    claims.order = 5;
    claims.explicit_steps = !model.constrained;
    return claims;
  };
  record.make = [](const Settings& settings, const SolverOptions& solver,
                   const Model& model) -> std::unique_ptr<Integrator> {
    return make_integrator(std::make_unique<DormandPrinceStepper>(settings, model), settings.number("step"), solver,
                           model);
  };
  return record;
}

}  // namespace livens
