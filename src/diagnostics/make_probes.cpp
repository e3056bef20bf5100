// The probes of a scene, and what can be wrong with them.
#include "diagnostics/make_probes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "forces/contact.hpp"
#include "model/projection.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

using Faults = std::vector<SceneFault>;

const ProbeRecord& record_of(const std::string& name) {
  if (const ProbeRecord* record = probe_records().find(name)) return *record;
  throw AssemblyError("record", "no quantity '" + name + "'." + suggestion(name, probe_records().names(), "There are"));
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

// The named body, or the only one; null if there are several and none is named.
const Body* body_of(const ProbePlace& place, const Model& model) {
  if (place.body.empty()) return model.bodies().size() == 1 ? &model.bodies()[0] : nullptr;
  std::vector<std::string> known;
  for (const Body& body : model.bodies()) {
    if (body.name == place.body) return &body;
    known.push_back(body.name);
  }
  throw AssemblyError("body", "no body '" + place.body + "'." + suggestion(place.body, known, "There are"));
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
  target.components = model.parts().coordinates;
  return target;
}

// The node that a vector is read at.
ProbeTarget node_of(const ProbePlace& place, const Body* body, const Model& model) {
  if (body == nullptr)
    throw AssemblyError("body", "which body? A position, velocity or momentum needs body and point.");
  if (body->dimension == 0) return coordinates_of(*body, model);
  if (place.point.empty() && body->nodes > 1 && !body->rigid)
    throw AssemblyError("point", "where? A position, velocity or momentum needs a point (m) of the reference shape.");
  if (!place.point.empty() && static_cast<int>(place.point.size()) != body->dimension)
    throw AssemblyError("point", "body '" + body->name + "' has " + std::to_string(body->dimension) +
                                     " dimensions, so the point needs as many numbers.");
  const int node = !place.point.empty() && !body->rigid ? nearest_node(*body, place.point) : 0;
  ProbeTarget target = whole_body(body, model);
  if (body->rigid) {
    std::array<double, 3> X = body->rigid->center;
    std::copy(place.point.begin(), place.point.end(), X.begin());
    const auto weights = body->rigid->point(X);
    target.weights.assign(weights.begin(), weights.begin() + body->nodes);
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

// The index, in a list, of what a key names.
template <class Things, class NameOf>
int named(const std::string& key, const std::string& name, const std::string& quantity, const Things& things,
          const NameOf& name_of) {
  if (name.empty()) throw AssemblyError("record", quantity + " is a quantity of a " + key + ": give " + key + ".");
  for (std::size_t k = 0; k < things.size(); ++k)
    if (name_of(things[k]) == name) return static_cast<int>(k);
  throw AssemblyError(key, "no " + key + " '" + name + "' holds nodes of a body.");
}

// The constraint that is named, if it is held by multipliers; those of a system in generalised coordinates have no
// other name than that of its key.
bool aim_at_joint(const ProbePlace& place, const Model& model, ProbeTarget& target) {
  int equation = 0;
  const auto& constraints = model.parts().constraints;
  const std::string name = place.constraint.empty() && model.dimension() == 0 ? "constraints" : place.constraint;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    if (!name.empty() && constraints[k]->name() == name) {
      target.constraint = static_cast<int>(k);
      target.equation = equation;
      target.projection = std::make_shared<Projection>(model);
      return true;
    }
    equation += constraints[k]->count();
  }
  return false;
}

void aim_at_support(const ProbePlace& place, const ProbeRecord& record, const Model& model, ProbeTarget& target) {
  if (aim_at_joint(place, model, target)) return;
  const auto& terms = model.parts().terms;
  const bool penalty = !place.constraint.empty() && std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
    return term->name() == place.constraint;
  });
  if (penalty)
    throw AssemblyError("constraint", "'" + place.constraint +
                                          "' is enforced by a penalty, whose force is not reported; its energy is the "
                                          "column potential." +
                                          place.constraint + ".");
  target.support = named("constraint", place.constraint, record.name, model.parts().supports,
                         [](const Support& support) { return support.name; });
}

void require(bool fulfilled, const char* key, const std::string& message) {
  if (!fulfilled) throw AssemblyError(key, message);
}

ProbeTarget target_of(const ProbePlace& place, const ProbeRecord& record, const Model& model) {
  using Of = ProbeRecord::Of;
  const Body* body = body_of(place, model);
  ProbeTarget target = whole_body(body, model);
  switch (record.of) {
    case Of::node: return node_of(place, body, model);
    case Of::body:
      require(target.everything || record.by_body, "body",
              record.name + " is known only for everything together: omit body.");
      break;
    case Of::solid:
      require(body != nullptr && body->mesh != nullptr, "body", record.name + " is a quantity of a solid: name one.");
      break;
    case Of::rigid:
      require(body != nullptr && body->rigid != nullptr, "body",
              record.name + " is a quantity of a rigid body: name one.");
      break;
    case Of::constraint: aim_at_support(place, record, model, target); break;
    case Of::joint:
      require(aim_at_joint(place, model, target), "constraint",
              record.name + " is a quantity of a constraint that is enforced by multipliers: name one.");
      break;
    case Of::contact:
      target.contact = named("contact", place.contact, record.name, model.parts().terms, [](const auto& term) {
        return term->obstacles().empty() && term->barrier() == nullptr ? "" : term->name();
      });
      aim_at_contact(place, record, model, target);
      break;
  }
  target.components = record.moment && model.dimension() < 3 ? std::vector<std::string>{"z"} : axes(model.dimension());
  if (record.of == Of::joint) {
    target.components.clear();
    for (int k = 1; k <= model.parts().constraints[target.constraint]->count(); ++k)
      target.components.push_back(std::to_string(k));
  }
  if (record.shape == ProbeRecord::Shape::vector) target.count = static_cast<int>(target.components.size());
  return target;
}

ProbePlace read_place(const Settings& settings) {
  ProbePlace place;
  if (settings.has("body")) place.body = settings.text("body");
  if (settings.has("point")) place.point = settings.vector("point");
  if (settings.has("constraint")) place.constraint = settings.text("constraint");
  if (settings.has("contact")) place.contact = settings.text("contact");
  if (settings.has("other")) place.other = settings.text("other");
  return place;
}

}  // namespace

Probe make_probe(const Model& model, const std::string& quantity, const ProbePlace& place, const std::string& name) {
  const ProbeRecord& record = record_of(quantity);
  return {record, target_of(place, record, model), name};
}

std::vector<Probe> make_probes(const ProbeEntries& entries, const Model& model, Faults& faults) {
  std::vector<Probe> probes;
  for (const Entry* entry : entries.probes) {
    const Settings& settings = entry->settings;
    if (settings.has("selection"))
      faults.push_back(settings.fault("selection", "no quantity belongs to a selection yet: give body and point."));
    const ProbePlace place = read_place(settings);
    std::set<std::string> told;  // a missing body is one mistake, however many of its quantities are asked for
    for (const std::string& quantity : settings.names("record")) try {
        probes.push_back(make_probe(model, quantity, place, entry->name));
      } catch (const AssemblyError& error) {
        if (told.insert(error.what()).second) faults.push_back(settings.fault(error.key, error.what()));
      }
  }
  add_contour_probes(entries, model, probes, faults);
  return probes;
}

}  // namespace livens
