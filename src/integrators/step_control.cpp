#include "integrators/step_control.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <livens/scene.hpp>

#include "model/linearisation.hpp"
#include "model/system.hpp"

namespace livens {
namespace {

constexpr const char* default_monitor = "acceleration^(-1/2)";
constexpr double shortest = 1e-8;  // step over that of the start: the density has run away

std::vector<std::string> variables_of(const Model& model) {
  std::vector<std::string> names = model.parts().coordinates;
  if (model.separable()) names.insert(names.end(), {"potential", "acceleration"});
  return names;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace

StepMonitor::StepMonitor(const std::string& text, const std::map<std::string, double, std::less<>>& constants,
                         const Model& model)
    : expression_(Expression::parse(text, variables_of(model), constants)),
      coordinates_(model.parts().coordinates.size()) {
  const auto n = static_cast<std::size_t>(model.size());
  x_.resize(variables_of(model).size());
  g_.resize(x_.size());
  for (auto* vector : {&gradient_, &a_, &change_}) vector->resize(n);
}

StepMonitor::Value StepMonitor::at(const Model& model, const State& state) {
  const auto first = static_cast<std::size_t>(first_named(model));
  std::copy_n(state.q.data() + first, coordinates_, x_.begin());
  double power = 0, growth = 0;  // dW/dt and d(acceleration)/dt
  if (model.separable()) {
    x_[coordinates_] = model.gradient_and_potential(state.t, state.q, gradient_);
    if (expression_.uses(coordinates_)) {
      power = model.time_power(state.t, state.q, state.v);
      for (std::size_t i = 0; i < state.v.size(); ++i) power += gradient_[i] * state.v[i];
    }
    if (expression_.uses(coordinates_ + 1)) x_[coordinates_ + 1] = add_acceleration(model, state, growth);
  }
  Value value;
  value.Q = expression_.gradient(x_, g_, workspace_);
  for (std::size_t i = 0; i < coordinates_; ++i) value.rate += g_[i] * state.v[first + i];
  if (model.separable()) value.rate += g_[coordinates_] * power + g_[coordinates_ + 1] * growth;
  return value;
}

// A^2 = a'M a / sum M with a = M^-1 dW;  A dA/dt = a' (d2W v) / sum M.
double StepMonitor::add_acceleration(const Model& model, const State& state, double& rate) {
  const Linearisation& lin = linearisation(model);
  model.divide_mass(gradient_, a_);
  hessian_.assign(lin.pattern().nonzeros(), 0.0);
  lin.add_potential(model, state.t, state.q, 1, hessian_);
  lin.pattern().multiply(hessian_, state.v, change_);
  double square = 0, product = 0, mass = 0;
  for (std::size_t i = 0; i < a_.size(); ++i) {
    square += a_[i] * gradient_[i];
    product += a_[i] * change_[i];
    mass += model.parts().mass.diagonal[i];
  }
  const double A = std::sqrt(square / mass);
  rate = A > 0 ? product / (mass * A) : 0;
  return A;
}

double StepControl::next(const Model& model, const State& state) {
  now_ = monitor_.at(model, state);
  if (!(now_.Q > 0) || !std::isfinite(now_.Q)) return 0;
  next_scale_ = scale_ > 0 ? scale_ : now_.Q;
  if (!reversible_) return step_ * now_.Q / next_scale_;
  const double G = -now_.rate / now_.Q;
  next_density_ = started_ != 0 ? density_ + step_ * G : next_scale_ / now_.Q + 0.5 * step_ * G;
  return next_density_ > 0 && next_density_ * shortest < 1 ? step_ / next_density_ : 0;
}

void StepControl::took() {
  scale_ = next_scale_;
  density_ = next_density_;
  started_ = 1;
}

StepReport StepControl::failed(double t) const {
  StepReport report;
  report.converged = false;
  report.code = FailureCode::step_too_small;
  if (!(now_.Q > 0) || !std::isfinite(now_.Q))
    report.message =
        "integrator.monitor is " + text_of(now_.Q) + " at t = " + text_of(t) + " s; it must be positive and finite";
  else
    report.message = "the density of steps became " + text_of(next_density_) + " at t = " + text_of(t) +
                     " s: the monitor changes too fast for these steps";
  report.advice.push_back(
      {"integrator.step", text_of(0.5 * step_), "the density follows the monitor more closely", 0.5 * step_});
  return report;
}

void StepControl::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("monitor_at_start", scale_);
  visitor.visit("step_density", density_);
  visitor.visit("step_density_begun", started_);
}

void add_step_control(IntegratorRecord& record) {
  const auto step = std::find_if(record.parameters.begin(), record.parameters.end(),
                                 [](const Parameter& p) { return p.key == "step" && p.type == ValueType::function; });
  if (step == record.parameters.end()) return;
  Parameter monitor =
      key("monitor", ValueType::table, "-", default_monitor,
          "what steps are in proportion to: an expression of coordinates, `potential` and `acceleration`");
  monitor.choices = {"text"};
  record.parameters.insert(
      step + 1, {one_of(key("step_control", ValueType::name, "-", "none",
                            "reversible: a density of steps that is integrated along; naive: from the state, for "
                            "comparison; `step` is then the first one. error: refused, with the reason"),
                        {"none", "reversible", "naive", "error"}),
                 monitor});
}

bool has_step_control(const Settings& settings) {
  return settings.has("step_control") && settings.text("step_control") != "none";
}

std::string step_control_refusal(const IntegratorRecord& record, const Settings& settings, const Model& model) {
  if (!has_step_control(settings))
    return settings.given("monitor") ? "monitor needs step_control = \"reversible\"" : "";
  const std::string& control = settings.text("step_control");
  if (control == "error")
    return "steps from the error of the step before spoil what this method has over long times: its energy drifts as "
           "that of any other. Use step_control = \"reversible\", or dormand_prince, which has error control";
  if (!settings.function("step").constant())
    return "step_control takes `step` as the first step: give a number, not a function of t";
  if (settings.has("start") && settings.text("start") != "momentum")
    return "step_control needs start = \"momentum\": the shift of the other start belongs to one length of steps";
  if (!settings.given("monitor") && !model.separable())
    return "step_control needs a monitor of the coordinates: this Lagrangian has no potential of its own";
  if (control == "reversible" && !record.claims(settings, model.model_class()).symmetric)
    return "a reversible density of steps needs a symmetric method, and this one is not. Use stormer_verlet, "
           "implicit_midpoint, galerkin or composition";
  return "";
}

std::unique_ptr<StepControl> make_step_control(const Settings& settings, const Model& model) {
  if (!has_step_control(settings)) return nullptr;
  const auto constants =
      settings.environment ? settings.environment->parameters : std::map<std::string, double, std::less<>>{};
  const std::string text = settings.given("monitor") ? settings.node("monitor").text : default_monitor;
  try {
    StepMonitor monitor(text, constants, model);
    return std::make_unique<StepControl>(settings.number("step"), settings.text("step_control") == "reversible",
                                         std::move(monitor));
  } catch (const ExpressionError& error) {
    settings.refuse("monitor", error.what() + std::string("\n") + caret(text, error.offset));
  }
}

Claims claims_of(const IntegratorRecord& record, const Settings& settings, const ModelClass& model) {
  Claims claims = record.claims(settings, model);
  if (!has_step_control(settings)) return claims;
  claims.symplectic = Symplectic::no;
  if (settings.text("step_control") == "reversible") {
    claims.note =
        "steps by a reversible density: symmetric and of the order of the method, not symplectic; the energy "
        "stays in a band on reversible motions near integrable ones";
    return claims;
  }
  claims.symmetric = false;
  if (claims.energy != EnergyClaim::exact) claims.energy = EnergyClaim::drifting;
  claims.note = "steps from the state: neither symplectic nor symmetric, for comparison only";
  return claims;
}

}  // namespace livens
