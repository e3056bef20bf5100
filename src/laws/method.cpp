#include "laws/method.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "integrators/stepping_integrator.hpp"

namespace livens::laws {

std::string number_text(double value, const char* format) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

Method::Method(const IntegratorRecord& record, std::string variant) : record_(record), variant_(std::move(variant)) {
  settings_ = integrator_settings(table("1"));
}

std::string Method::table(const std::string& step) const {
  std::string text = "kind = '" + record_.name + "', step = " + step;
  const bool adaptive = std::any_of(record_.parameters.begin(), record_.parameters.end(),
                                    [](const Parameter& p) { return p.key == "shortest_step"; });
  if (adaptive) text += ", shortest_step = " + step + ", longest_step = " + step;
  return variant_.empty() ? text : text + ", " + variant_;
}

bool Method::refuses(const Model& model) const {
  return record_.refusal != nullptr && !record_.refusal(settings_, model).empty();
}

bool Method::takes_varying_steps() const {
  return std::any_of(record_.parameters.begin(), record_.parameters.end(),
                     [](const Parameter& p) { return p.key == "step" && p.type == ValueType::function; });
}

std::optional<double> Method::number(const std::string& key) const {
  if (!settings_.has(key)) return std::nullopt;
  return settings_.number(key);
}

std::unique_ptr<Integrator> Method::make(const Model& model, double step) const {
  return make_integrator(table(number_text(step)), model);
}

std::unique_ptr<Integrator> Method::make(const Model& model, const std::string& step_expression) const {
  return make_integrator(table("'" + step_expression + "'"), model);
}

std::optional<State> Method::mapped(const Model& model, const State& state, double h) const {
  const auto integrator = make(model, std::abs(h));
  State moved = state;
  const std::optional<StepReport> report = integrator->apply_step(model, moved, h);
  if (!report) throw std::logic_error(record_.name + " has no map of one step");
  if (!report->converged) return std::nullopt;
  return moved;
}

}  // namespace livens::laws
