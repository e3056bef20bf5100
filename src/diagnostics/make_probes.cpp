// The probes of a scene, and what can be wrong with them.
#include "diagnostics/make_probes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "forces/contact.hpp"
#include "model/projection.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

using Faults = std::vector<SceneFault>;

std::string unknown_record(const std::string& name) {
  return "no quantity '" + name + "'." + suggestion(name, probe_records().names(), "There are");
}

int nearest_node(const Body& body, const std::vector<double>& point) {
  int nearest_so_far = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < body.nodes; ++a) {
    double distance = 0;
    for (int k = 0; k < body.dimension; ++k) {
      const double d = body.reference[a * body.dimension + k] - point[k];
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
  if (body != nullptr) target.body = static_cast<int>(body - model.bodies().data());
  target.everything = body == nullptr || model.bodies().size() == 1;
  target.count = body != nullptr ? body->size() : model.size();
  target.first = body != nullptr ? body->first : 0;
  return target;
}

ProbeTarget coordinates_of(const Body& body, const Model& model) {
  ProbeTarget target = whole_body(&body, model);
  for (int k = body.first; k < body.first + body.size(); ++k) target.components.push_back(model.parts().coordinates[k]);
  return target;
}

// The node that a vector is read at; nothing and a fault if the probe does not say.
std::optional<ProbeTarget> node_of(const Settings& settings, const Body* body, const Model& model, Faults& faults) {
  if (body == nullptr) {
    faults.push_back(settings.fault("body", "which body? A position, velocity or momentum needs body and point."));
    return std::nullopt;
  }
  if (body->dimension == 0) return coordinates_of(*body, model);
  if (!settings.has("point") && body->nodes > 1 && !body->rigid) {
    faults.push_back(
        settings.fault("point", "where? A position, velocity or momentum needs a point (m) of the reference shape."));
    return std::nullopt;
  }
  if (settings.has("point") && static_cast<int>(settings.vector("point").size()) != body->dimension) {
    faults.push_back(settings.fault("point", "body '" + body->name + "' has " + std::to_string(body->dimension) +
                                                 " dimensions, so the point needs as many numbers."));
    return std::nullopt;
  }
  const int node = settings.has("point") && !body->rigid ? nearest_node(*body, settings.vector("point")) : 0;
  ProbeTarget target = whole_body(body, model);
  if (body->rigid) {
    std::array<double, 3> X = body->rigid->center;
    if (settings.has("point")) std::copy_n(settings.vector("point").begin(), 3, X.begin());
    const auto weights = body->rigid->point(X);
    target.weights.assign(weights.begin(), weights.end());
  }
  target.first = body->first + node * body->dimension;
  target.count = body->dimension;
  target.node = true;
  for (int k = 0; k < body->dimension; ++k) target.components.push_back(std::string(1, "xyz"[k]));
  return target;
}

std::vector<std::string> axes(int dimension) {
  const std::vector<std::string> all = {"x", "y", "z"};
  return {all.begin(), all.begin() + dimension};
}

// The place in a list of the thing that a key names; -1 with a fault if the key is not there.
template <class Things, class Name>
int named(const Settings& settings, const std::string& key, const std::string& quantity, const Things& things,
          const Name& name, Faults& faults) {
  if (!settings.has(key)) {
    faults.push_back(settings.fault("record", quantity + " is a quantity of a " + key + ": give " + key + "."));
    return -1;
  }
  for (std::size_t k = 0; k < things.size(); ++k)
    if (name(things[k]) == settings.text(key)) return static_cast<int>(k);
  faults.push_back(settings.fault(key, "no " + key + " '" + settings.text(key) + "' holds nodes of a body."));
  return -1;
}

// The constraint that is named, if it is held by multipliers.
bool aim_at_joint(const Settings& settings, const Model& model, ProbeTarget& target) {
  int equation = 0;
  const auto& constraints = model.parts().constraints;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    if (settings.has("constraint") && constraints[k]->name() == settings.text("constraint")) {
      target.constraint = static_cast<int>(k);
      target.equation = equation;
      target.projection = std::make_shared<Projection>(model);
      return true;
    }
    equation += constraints[k]->count();
  }
  return false;
}

bool is_penalty(const Settings& settings, const Model& model) {
  const auto& terms = model.parts().terms;
  return settings.has("constraint") && std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
           return term->name() == settings.text("constraint");
         });
}

std::optional<ProbeTarget> target_of(const Settings& settings, const ProbeRecord& record, const Body* body,
                                     const Model& model, Faults& faults) {
  using Of = ProbeRecord::Of;
  ProbeTarget target = whole_body(body, model);
  const std::size_t before = faults.size();
  switch (record.of) {
    case Of::node: return node_of(settings, body, model, faults);
    case Of::body:
      if (!target.everything && !record.by_body)
        faults.push_back(settings.fault("body", record.name + " is known only for everything together: omit body."));
      break;
    case Of::solid:
      if (body == nullptr || body->mesh == nullptr)
        faults.push_back(settings.fault("body", record.name + " is a quantity of a solid: name one."));
      break;
    case Of::rigid:
      if (body == nullptr || !body->rigid)
        faults.push_back(settings.fault("body", record.name + " is a quantity of a rigid body: name one."));
      break;
    case Of::constraint:
      if (aim_at_joint(settings, model, target)) break;
      if (is_penalty(settings, model)) {
        faults.push_back(
            settings.fault("constraint", "'" + settings.text("constraint") +
                                             "' is enforced by a penalty, whose force is not reported; its "
                                             "energy is the column potential." +
                                             settings.text("constraint") + "."));
        break;
      }
      target.support = named(
          settings, "constraint", record.name, model.parts().supports, [](const Support& s) { return s.name; }, faults);
      break;
    case Of::joint:
      if (aim_at_joint(settings, model, target)) break;
      faults.push_back(settings.fault("constraint", record.name + " is a quantity of a constraint that is enforced by "
                                                                  "multipliers: name one."));
      break;
    case Of::contact:
      target.contact = named(
          settings, "contact", record.name, model.parts().terms,
          [](const auto& term) { return term->obstacles().empty() ? "" : term->name(); }, faults);
      break;
  }
  if (faults.size() != before) return std::nullopt;
  target.components = record.moment && model.dimension() < 3 ? std::vector<std::string>{"z"} : axes(model.dimension());
  if (record.of == Of::joint) {
    target.components.clear();
    for (int k = 1; k <= model.parts().constraints[target.constraint]->count(); ++k)
      target.components.push_back(std::to_string(k));
  }
  if (record.shape == ProbeRecord::Shape::vector) target.count = static_cast<int>(target.components.size());
  return target;
}

}  // namespace

std::vector<Probe> make_probes(const ProbeEntries& entries, const Model& model, Faults& faults) {
  std::vector<Probe> probes;
  for (const Entry* entry : entries.probes) {
    const Settings& settings = entry->settings;
    if (settings.has("selection"))
      faults.push_back(settings.fault("selection", "no quantity belongs to a selection yet: give body and point."));
    const std::size_t before = faults.size();
    const Body* body = find_body(settings, model, faults);
    if (faults.size() > before) continue;
    for (const std::string& name : settings.names("record")) {
      const ProbeRecord* record = probe_records().find(name);
      if (record == nullptr)
        faults.push_back(settings.fault("record", unknown_record(name)));
      else if (const auto target = target_of(settings, *record, body, model, faults))
        probes.emplace_back(*record, *target, entry->name);
    }
  }
  add_contour_probes(entries, model, probes, faults);
  return probes;
}

}  // namespace livens
