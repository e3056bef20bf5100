// The probes of a scene, and what can be wrong with them.
#include <algorithm>
#include <limits>
#include <optional>

#include "diagnostics/probes.hpp"
#include "scene/suggest.hpp"

namespace livens {
namespace {

using Faults = std::vector<SceneFault>;

const ProbeRecord* find_record(const std::string& name) {
  for (const ProbeRecord& record : probe_records())
    if (record.name == name) return &record;
  return nullptr;
}

std::string unknown_record(const std::string& name) {
  std::vector<std::string> known;
  for (const ProbeRecord& record : probe_records()) known.push_back(record.name);
  return "no quantity '" + name + "'." + suggestion(name, known, "There are");
}

int nearest_node(const Body& body, const std::vector<double>& point) {
  int nearest_so_far = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < body.nodes; ++a) {
    double distance = 0;
    for (int k = 0; k < body.dimension; ++k) {
      const double d =
          body.reference[static_cast<std::size_t>(a * body.dimension + k)] - point[static_cast<std::size_t>(k)];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      nearest_so_far = a;
    }
  }
  return nearest_so_far;
}

const Body* find_body(const Settings& settings, const Model& model, Faults& faults) {
  if (!settings.has("body")) return model.bodies().size() == 1 ? &model.bodies()[0] : nullptr;
  for (const Body& body : model.bodies())
    if (body.name == settings.text("body")) return &body;
  std::vector<std::string> known;
  for (const Body& body : model.bodies()) known.push_back(body.name);
  faults.push_back(settings.fault(
      "body", "no body '" + settings.text("body") + "'." + suggestion(settings.text("body"), known, "There are")));
  return nullptr;
}

ProbeTarget whole_body(const Body* body, const Model& model) {
  ProbeTarget target;
  target.everything = body == nullptr || model.bodies().size() == 1;
  target.count = body != nullptr ? body->size() : model.size();
  target.first = body != nullptr ? body->first : 0;
  return target;
}

ProbeTarget coordinates_of(const Body& body, const Model& model) {
  ProbeTarget target = whole_body(&body, model);
  for (int k = body.first; k < body.first + body.size(); ++k)
    target.components.push_back(model.parts().coordinates[static_cast<std::size_t>(k)]);
  return target;
}

// The node that a vector is read at; nothing and a fault if the probe does not say.
std::optional<ProbeTarget> node_of(const Settings& settings, const Body* body, const Model& model, Faults& faults) {
  if (body == nullptr) {
    faults.push_back(settings.fault("body", "which body? A position, velocity or momentum needs body and point."));
    return std::nullopt;
  }
  if (body->dimension == 0) return coordinates_of(*body, model);
  if (!settings.has("point") && body->nodes > 1) {
    faults.push_back(
        settings.fault("point", "where? A position, velocity or momentum needs a point (m) of the reference shape."));
    return std::nullopt;
  }
  if (settings.has("point") && static_cast<int>(settings.vector("point").size()) != body->dimension) {
    faults.push_back(settings.fault("point", "body '" + body->name + "' has " + std::to_string(body->dimension) +
                                                 " dimensions, so the point needs as many numbers."));
    return std::nullopt;
  }
  const int node = settings.has("point") ? nearest_node(*body, settings.vector("point")) : 0;
  ProbeTarget target = whole_body(body, model);
  target.first = body->first + node * body->dimension;
  target.count = body->dimension;
  target.node = true;
  for (int k = 0; k < body->dimension; ++k) target.components.push_back(std::string(1, "xyz"[k]));
  return target;
}

void add_probe(const Settings& settings, const std::string& name, const ProbeRecord& record, const Body* body,
               const Model& model, std::vector<Probe>& probes, Faults& faults) {
  const ProbeTarget whole = whole_body(body, model);
  if (record.shape == ProbeRecord::Shape::vector) {
    if (const auto target = node_of(settings, body, model, faults)) probes.emplace_back(record, *target, name);
  } else if (!whole.everything && !record.by_body) {
    faults.push_back(settings.fault("body", record.name + " is known for everything together only: leave body out."));
  } else {
    probes.emplace_back(record, whole, name);
  }
}

}  // namespace

std::vector<Probe> make_probes(const ValidatedScene& scene, const Model& model, Faults& faults) {
  std::vector<Probe> probes;
  for (const Entry* entry : scene.all("probe")) {
    const Settings& settings = entry->settings;
    for (const char* key : {"selection", "constraint"})
      if (settings.has(key)) faults.push_back(settings.fault(key, "this scene has no " + std::string(key) + "."));
    const std::size_t before = faults.size();
    const Body* body = find_body(settings, model, faults);
    if (faults.size() > before) continue;
    for (const std::string& name : settings.names("record")) {
      const ProbeRecord* record = find_record(name);
      if (record == nullptr)
        faults.push_back(settings.fault("record", unknown_record(name)));
      else
        add_probe(settings, entry->name, *record, body, model, probes, faults);
    }
  }
  return probes;
}

}  // namespace livens
