#include "run/undefined_step.hpp"

#include <algorithm>
#include <cmath>

#include "model/undefined.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

// Numbers beyond all measure are what a step that is too long made: what overflows then is not the expression's fault.
bool is_lost(const State& state) {
  constexpr double beyond_measure = 1e30;
  const auto beyond = [](double x) { return std::abs(x) > beyond_measure; };
  return std::any_of(state.q.begin(), state.q.end(), beyond) || std::any_of(state.v.begin(), state.v.end(), beyond);
}

// The state itself if it has no energy; else the way ahead first, for at its beginning often only a derivative is
// infinite.
std::optional<UndefinedExpression> undefined_on_the_way(const Model& model, const State& state, double h) {
  if (!std::isfinite(energy(model, state).total)) h = 0;
  std::vector<double> q(state.q.size());
  for (const double part : {0.5, 1.0, 0.0}) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = state.q[i] + part * h * state.v[i];
    if (auto undefined = undefined_expression(model, state.t + part * h, q, state.v)) return undefined;
    if (h == 0) break;
  }
  return std::nullopt;
}

// Solids meet such numbers where elements are turned inside out.
bool has_elements(const Model& model) {
  const auto& terms = model.parts().terms;
  return std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term->elements() != nullptr; });
}

// The places that have this text; list entries go by their name.
void find_text(const Node& node, const std::string& path, const std::string& text, std::string& places) {
  if (node.kind == Node::Kind::text && node.text == text)
    places += (places.empty() ? "" : ", ") + SceneFault{node.place, "", path}.to_string();
  for (const auto& [key, value] : node.entries) find_text(value, path.empty() ? key : path + "." + key, text, places);
  for (const Node& item : node.items) {
    const std::string name = entry_name(item);
    find_text(item, name.empty() ? path : path + "." + name, text, places);
  }
}

}  // namespace

std::optional<UndefinedExpression> undefined_in_step(const Scene& scene, const Model& model, const RunPlan& plan,
                                                     const State& state, const StepReport& report) {
  if (is_lost(state)) return std::nullopt;
  auto undefined = undefined_on_the_way(model, state, report.h);
  const bool met = report.code == FailureCode::not_finite || report.code == FailureCode::inverted ||
                   report.code == FailureCode::step_too_small;
  if (undefined || !met || has_elements(model)) return undefined;
  return undefined_during([&] {
    State again = state;
    const auto integrator = make_integrator(scene, model);
    if (const auto h = plan.step(state.t)) integrator->apply_step(model, again, *h);
  });
}

std::string undefined_text(const UndefinedExpression& undefined, const Node& scene) {
  std::string places;
  find_text(scene, "", undefined.text, places);
  return undefined.to_string() + (places.empty() ? "" : " (" + places + ")");
}

}  // namespace livens
