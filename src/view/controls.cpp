#include "view/controls.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "scene/kinds.hpp"
#include "scene/schema.hpp"
#include "view/view_source.hpp"

namespace livens {
namespace {

const std::set<std::string> damping_keys = {"coefficient", "drag_coefficient", "damping_rate", "damping_time"};
constexpr std::size_t most_parameters = 12;

const Parameter* parameter_of(const std::string& section, const std::string& kind, const std::string& key) {
  for (const Record* record : records_of(section))
    for (const Parameter& parameter : record->parameters)
      if (record->name == kind && parameter.key == key) return &parameter;
  return nullptr;
}

// A number of an entry; nothing if it has none, or a function of time instead.
void add_number(const Entry& entry, const std::string& key, const std::string& label, bool logarithmic,
                std::vector<Control>& controls) {
  const Parameter* parameter = parameter_of(entry.section, entry.kind, key);
  if (parameter == nullptr || !entry.settings.has(key)) return;
  const auto function = entry.settings.functions.find(key);
  if (function != entry.settings.functions.end() && (function->second.size() != 1 || !function->second[0].constant()))
    return;
  controls.push_back({entry.path() + "." + key, label, parameter->unit, entry.settings.number(key), parameter->min,
                      parameter->max, logarithmic});
}

std::string words(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// The direction of a gravity; that of falling where it has none.
std::vector<double> direction_of(const std::vector<double>& acceleration) {
  double size = 0;
  for (const double a : acceleration) size = std::hypot(size, a);
  std::vector<double> direction(acceleration.size(), 0.0);
  direction.back() = -1;
  for (std::size_t c = 0; size > 0 && c < direction.size(); ++c) direction[c] = acceleration[c] / size;
  return direction;
}

bool is_gravity(const Entry& entry) { return entry.kind == "gravity" && entry.settings.has("acceleration"); }

std::vector<double> original_direction(const ValidatedScene& original, const Entry& entry) {
  const Entry* same = original.find("force", entry.name);
  return direction_of((same != nullptr && is_gravity(*same) ? *same : entry).settings.vector("acceleration"));
}

void add_gravity(const Entry& entry, const ValidatedScene& original, std::vector<Control>& controls) {
  const auto& a = entry.settings.vector("acceleration");
  const auto direction = original_direction(original, entry);
  double value = 0;
  for (std::size_t c = 0; c < a.size() && c < direction.size(); ++c) value += a[c] * direction[c];
  constexpr double infinity = std::numeric_limits<double>::infinity();
  controls.push_back({entry.path() + ".acceleration", "gravity", "m/s^2", value, -infinity, infinity, false});
}

void add_forces(const ValidatedScene& scene, const ValidatedScene& original, std::vector<Control>& controls) {
  for (const Entry* entry : scene.all("force")) {
    if (is_gravity(*entry)) add_gravity(*entry, original, controls);
    for (const std::string& key : damping_keys) add_number(*entry, key, words(entry->name + " " + key), true, controls);
  }
}

// Numbers that the expressions of a system are made of.
void add_parameters(const Scene& scene, std::vector<Control>& controls) {
  const Node* parameters = scene.root.find("parameters");
  if (parameters == nullptr || scene.root.find("system") == nullptr) return;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [name, node] : parameters->entries)
    if ((node.kind == Node::Kind::number || node.kind == Node::Kind::integer) && controls.size() < most_parameters)
      controls.push_back({"parameters." + name, name, "", node.number, -infinity, infinity, false});
}

}  // namespace

std::vector<Control> controls_of(const Scene& scene, const Scene& original) {
  const ValidatedScene valid = validated(scene), first = validated(original);
  std::vector<Control> controls;
  if (const Entry* integrator = valid.find("integrator")) {
    add_number(*integrator, "step", "step", true, controls);
    add_number(*integrator, "alpha", "alpha", false, controls);
    for (const char* key : {"courant", "longest_step"})
      if (integrator->settings.given(key)) add_number(*integrator, key, words(key), true, controls);
  }
  if (const Entry* system = valid.find("system")) add_number(*system, "gravity", "gravity", false, controls);
  add_forces(valid, first, controls);
  add_parameters(scene, controls);
  return controls;
}

void set_control(Scene& scene, const Scene& original, const std::string& key, double value) {
  const auto controls = controls_of(scene, original);
  const auto known = [&](const Control& control) { return control.key == key; };
  if (std::none_of(controls.begin(), controls.end(), known)) {
    std::string names;
    for (const Control& control : controls) names += (names.empty() ? "" : ", ") + control.key;
    throw ViewError(400, "'" + key + "' cannot be changed while the scene runs; these can: " + names);
  }
  const ValidatedScene first = validated(original), valid = validated(scene);
  for (const Entry* entry : valid.all("force")) {
    if (!is_gravity(*entry) || key != entry->path() + ".acceleration") continue;
    std::string list;
    for (const double d : original_direction(first, *entry))
      list += fmt::format("{}{:.17g}", list.empty() ? "" : ", ", value * d + 0.0);
    return scene.set(key, "[" + list + "]");
  }
  scene.set(key, value);
}

}  // namespace livens
