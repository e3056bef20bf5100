// The only file of the scene layer that sees the JSON library.
#include <cmath>

#include <nlohmann/json.hpp>

#include "model/assembly.hpp"
#include "scene/kinds.hpp"
#include "scene/listing.hpp"

namespace livens {
namespace {

using Json = nlohmann::ordered_json;

Json bound(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const Parameter& p) {
  Json json = {{"key", p.key}, {"type", type_name(p)}, {"unit", p.unit.empty() ? "-" : p.unit}};
  json["default"] = p.fallback.empty() ? Json(nullptr) : Json(p.fallback);
  json["required"] = p.required;
  json["min"] = bound(p.min);
  json["min_excluded"] = p.min_excluded;
  json["max"] = bound(p.max);
  json["choices"] = p.type == ValueType::table ? Json::array() : Json(p.choices);
  json["variables"] = p.variables;
  json["lengths"] = p.lengths;
  json["brief"] = p.brief;
  return json;
}

Json json_of(const Claims& c) {
  return {{"order", c.order},
          {"symplectic", to_string(c.symplectic)},
          {"symmetric", c.symmetric},
          {"linear_momentum", to_string(c.linear_momentum)},
          {"angular_momentum", to_string(c.angular_momentum)},
          {"energy", to_string(c.energy)},
          {"explicit", c.explicit_steps},
          {"note", c.note}};
}

Json json_of(const std::string& section, const Record& record) {
  Json json = {{"name", record.name}, {"brief", record.brief}, {"citation", record.citation}};
  json["parameters"] = Json::array();
  for (const Parameter& parameter : record.parameters) json["parameters"].push_back(json_of(parameter));
  for (const ClassClaims& c : claims_of(section, record)) json["claims"][c.model] = json_of(c.claims);
  return json;
}

}  // namespace

std::string records_json(const std::string& section) {
  const std::string name = listed_section(section);
  Json json = Json::array();
  for (const Record* record : records_of(name)) json.push_back(json_of(name, *record));
  return json.dump(2) + "\n";
}

}  // namespace livens
