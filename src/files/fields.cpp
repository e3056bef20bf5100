#include "files/fields.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <livens/asynchronous.hpp>
#include <livens/records.hpp>
#include <livens/solid_block.hpp>

#include "contact/contact_barrier.hpp"

namespace livens {
namespace {

std::size_t elements_of(const Body& body) {
  return body.mesh != nullptr ? static_cast<std::size_t>(body.mesh->elements()) : 0;
}

std::vector<double> displacement(BodyFields& at) {
  std::vector<double> u(at.positions().begin(), at.positions().end());
  for (std::size_t k = 0; k < u.size(); ++k) u[k] -= at.body().reference[k];
  return u;
}

std::vector<double> velocity(BodyFields& at) { return {at.velocities().begin(), at.velocities().end()}; }

std::vector<double> speed(BodyFields& at) {
  const auto dimension = static_cast<std::size_t>(at.body().dimension);
  const ConstVector v = at.velocities();
  std::vector<double> result(v.size() / dimension);
  for (std::size_t a = 0; a < result.size(); ++a) {
    double sum = 0;
    for (std::size_t k = 0; k < dimension; ++k) sum += v[a * dimension + k] * v[a * dimension + k];
    result[a] = std::sqrt(sum);
  }
  return result;
}

template <class Invariant>
std::vector<double> of_stress(BodyFields& at, const Invariant& invariant) {
  const auto& s = at.stress();
  std::vector<double> result(s.size() / 6);
  for (std::size_t e = 0; e < result.size(); ++e) result[e] = invariant(s.data() + 6 * e);
  return result;
}

// sqrt(3/2 dev(s) : dev(s))
std::vector<double> von_mises(BodyFields& at) {
  return of_stress(at, [](const double* s) {
    const double xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
    return std::sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
  });
}

std::vector<double> pressure(BodyFields& at) {
  return of_stress(at, [](const double* s) { return -(s[0] + s[1] + s[2]) / 3; });
}

std::vector<double> region(BodyFields& at) {
  const auto& regions = at.body().mesh->region;
  std::vector<double> result(regions.begin(), regions.end());
  result.resize(elements_of(at.body()), 0.0);
  return result;
}

std::vector<FieldRecord> make_records() {
  return {
      {"displacement", "m", "displacement of a node from its reference position", 0, false, false, displacement},
      {"velocity", "m/s", "velocity of a node", 0, false, false, velocity},
      {"speed", "m/s", "magnitude of the velocity of a node", 1, false, false, speed},
      {"contact_force", "N", "force of all contacts on a node", 0, false, false,
       [](BodyFields& at) { return at.contact_force(); }},
      {"contact_pressure", "Pa",
       "force of all contacts by barriers on a node, over the area of the reference surface that it stands for", 1,
       false, true, [](BodyFields& at) { return at.contact_pressure(); }},
      {"configurational_force", "N",
       "derivative of the elastic energy with respect to the reference position of a node [L04 5]", 0, false, true,
       [](BodyFields& at) { return at.configurational_force(); }},
      {"stress", "Pa", "mean Cauchy stress of an element: xx yy zz xy yz zx", 6, true, true,
       [](BodyFields& at) { return at.stress(); }},
      {"von_mises", "Pa", "von Mises equivalent of the mean stress of an element", 1, true, true, von_mises},
      {"pressure", "Pa", "a third of the trace of the mean stress of an element, positive in compression", 1, true,
       true, pressure},
      {"energy_density", "J/m^3", "elastic energy per reference volume of an element", 1, true, true,
       [](BodyFields& at) { return at.energy_density(); }},
      {"volume_ratio", "-", "smallest J = det F in an element; not above 0: inverted", 1, true, true,
       [](BodyFields& at) { return at.volume_ratio(); }},
      {"updates", "-", "number of activations of an element by an asynchronous method; 0 for others", 1, true, true,
       [](BodyFields& at) { return at.updates(); }},
      {"region", "-", "number of the region an element belongs to", 1, true, true, region},
  };
}

std::string place(const FieldRecord& record) { return record.per_cell ? "element" : "node"; }

std::string components_text(const FieldRecord& record) {
  return record.components == 0 ? "vector" : record.components == 1 ? "scalar" : "symmetric tensor";
}

}  // namespace

bool is_contact(const EnergyTerm& term) { return !term.obstacles().empty() || term.barrier() != nullptr; }

std::vector<const SolidBlock*> blocks_of(const Model& model, const Body& body) {
  std::vector<const SolidBlock*> blocks;
  for (const auto& term : model.parts().terms) {
    const SolidBlock* block = term->elements();
    if (block != nullptr && body.mesh != nullptr && block->part().first == body.first) blocks.push_back(block);
  }
  return blocks;
}

std::vector<Obstacle> obstacles_of(const Model& model) {
  std::vector<Obstacle> all;
  for (const auto& term : model.parts().terms) {
    // Several bodies may touch the same thing.
    for (const Obstacle& obstacle : term->obstacles()) {
      const auto same = [&](const Obstacle& other) {
        return other.kind == obstacle.kind && std::equal(other.point, other.point + 3, obstacle.point) &&
               std::equal(other.normal, other.normal + 3, obstacle.normal) && other.radius == obstacle.radius;
      };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(obstacle);
    }
  }
  return all;
}

ConstVector BodyFields::part(ConstVector all) const {
  return all.subspan(static_cast<std::size_t>(body_.first), static_cast<std::size_t>(body_.size()));
}

void BodyFields::evaluate() {
  if (!density_.empty()) return;
  stress_.assign(6 * elements_of(body_), 0.0);
  density_.assign(elements_of(body_), 0.0);
  for (const SolidBlock* block : blocks_of(model_, body_)) {
    const auto& elements = block->part().elements;
    std::vector<double> stress(6 * elements.size()), density(elements.size());
    block->fields(q_, stress, density);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const auto e = static_cast<std::size_t>(elements[k]);
      std::copy_n(stress.begin() + static_cast<long>(6 * k), 6, stress_.begin() + static_cast<long>(6 * e));
      density_[e] = density[k];
    }
  }
}

const std::vector<double>& BodyFields::stress() {
  evaluate();
  return stress_;
}

const std::vector<double>& BodyFields::energy_density() {
  evaluate();
  return density_;
}

std::vector<double> BodyFields::volume_ratio() const {
  std::vector<double> result(elements_of(body_), 0.0);
  for (const SolidBlock* block : blocks_of(model_, body_)) {
    const auto& elements = block->part().elements;
    std::vector<double> ratio(elements.size());
    block->volume_ratio(q_, ratio);
    for (std::size_t k = 0; k < elements.size(); ++k) result[elements[k]] = ratio[k];
  }
  return result;
}

std::vector<double> BodyFields::updates() const {
  std::vector<double> result(elements_of(body_), 0.0);
  for (const SolidBlock* block : blocks_of(model_, body_)) {
    const auto* clocks = integrator_ != nullptr ? integrator_->asynchronous() : nullptr;
    const auto counts = clocks != nullptr ? clocks->updates(*block) : std::vector<long>{};
    for (std::size_t k = 0; k < counts.size(); ++k) result[block->part().elements[k]] = static_cast<double>(counts[k]);
  }
  return result;
}

std::vector<double> BodyFields::contact_force() const {
  std::vector<double> force(q_.size(), 0.0);
  for (const auto& term : model_.parts().terms)
    if (is_contact(*term)) term->add_gradient(t_, q_, -1, force);
  const ConstVector own = part(force);
  return {own.begin(), own.end()};
}

std::vector<double> BodyFields::contact_pressure() const {
  std::vector<double> pressure(positions().size() / static_cast<std::size_t>(body_.dimension), 0.0);
  for (const auto& term : model_.parts().terms) {
    if (term->barrier() == nullptr) continue;
    const ContactSurface& surface = term->barrier()->surface();
    const std::vector<Point3> forces = term->barrier()->forces(q_);
    for (const ContactSurface::Body& touched : surface.bodies()) {
      if (touched.name != body_.name || touched.fixed) continue;
      for (int a = touched.points_begin; a < touched.points_end; ++a)
        pressure[(surface.parts(a)[0].first - body_.first) / body_.dimension] += length(forces[a]) / surface.area(a);
    }
  }
  return pressure;
}

std::vector<double> BodyFields::configurational_force() const {
  std::vector<double> force(q_.size(), 0.0);
  for (const SolidBlock* block : blocks_of(model_, body_)) {
    block->add_configurational(q_, 1, force);
    // A material that varies with the place has a force of its own in the reference shape, which is not known.
    if (!block->part().homogeneous()) std::fill(force.begin(), force.end(), std::nan(""));
  }
  const ConstVector own = part(force);
  return {own.begin(), own.end()};
}

const std::vector<FieldRecord>& field_records() {
  static const std::vector<FieldRecord> records = make_records();
  return records;
}

const FieldRecord* find_field_record(const std::string& name) {
  const auto& records = field_records();
  const auto found = std::find_if(records.begin(), records.end(), [&](const FieldRecord& r) { return r.name == name; });
  return found != records.end() ? &*found : nullptr;
}

const FieldRecord& field_record(const std::string& name) {
  const FieldRecord* record = find_field_record(name);
  if (record == nullptr) throw std::out_of_range(name);
  return *record;
}

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const FieldRecord& record : field_records()) names.push_back(record.name);
  return names;
}

Parameter fields_key(const std::string& fallback, const std::string& brief) {
  return one_of(key("fields", ValueType::names, "-", fallback, brief), field_names());
}

std::vector<MeshField> evaluate_fields(BodyFields& at, const std::vector<std::string>& names) {
  std::vector<MeshField> fields;
  for (const std::string& name : names) {
    const FieldRecord& record = field_record(name);
    if (record.applies_to(at.body()))
      fields.push_back({name, record.components_of(at.body()), record.per_cell, record.values(at)});
  }
  return fields;
}

std::string fields_text() {
  std::string text;
  for (const FieldRecord& record : field_records())
    text += fmt::format("{:<21} {:<7} {:<17} {:<6} {}\n", record.name, place(record), components_text(record),
                        record.unit, record.brief);
  return text;
}

std::string fields_json() {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const FieldRecord& record : field_records())
    json.push_back({{"name", record.name},
                    {"brief", record.brief},
                    {"unit", record.unit},
                    {"per", place(record)},
                    {"shape", components_text(record)}});
  return json.dump(2) + "\n";
}

}  // namespace livens
