// Materials of an assembly: density, and elastic constants by one of three pairs or by the kind's own.
//
//   lambda = E nu / ((1 + nu)(1 - 2 nu)),   mu = E / (2 (1 + nu)),   bulk = lambda + 2 mu / 3
#include <algorithm>

#include "bodies/solid.hpp"
#include "materials/common_keys.hpp"
#include "math/expression.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

struct Pair {
  const char *first, *second;
};
constexpr Pair pairs[] = {{"young", "poisson"}, {"lame_lambda", "shear"}, {"bulk", "shear"}};
constexpr const char* modulus_keys[] = {"young", "poisson", "lame_lambda", "shear", "bulk"};

// Constants of the kind's own that take the place of moduli: numbers without a default.
std::vector<std::string> own_constants(const MaterialRecord& record) {
  std::vector<std::string> keys;
  for (const Parameter& p : record.parameters) {
    const bool shared = p.key == "density" ||
                        std::find(std::begin(modulus_keys), std::end(modulus_keys), p.key) != std::end(modulus_keys);
    if (!shared && p.type == ValueType::number && p.fallback.empty()) keys.push_back(p.key);
  }
  return keys;
}

std::vector<std::string> given_of(const Material& material, const std::vector<std::string>& keys) {
  std::vector<std::string> given;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(given), [&](const auto& k) { return material.given(k); });
  return given;
}

std::string ways(const MaterialRecord& record) {
  std::string text = "young + poisson, lame_lambda + shear, or bulk + shear";
  const auto own = own_constants(record);
  return own.empty() ? text : text + ", or " + listed(own, " + ") + " + bulk";
}

Moduli moduli_of_pair(const Pair& pair, const Material& material) {
  const double a = material.number(pair.first), b = material.number(pair.second);
  const std::string first = pair.first;
  Moduli moduli;
  if (first == "young") {
    moduli.lambda = a * b / ((1 + b) * (1 - 2 * b));
    moduli.mu = a / (2 * (1 + b));
  } else {
    moduli.mu = b;
    moduli.lambda = first == "bulk" ? a - 2 * b / 3 : a;
  }
  return moduli;
}

// Moduli from exactly one pair, or from the kind's own constants.
Moduli moduli_of(const Material& material, const MaterialRecord& record) {
  const auto given = given_of(material, {std::begin(modulus_keys), std::end(modulus_keys)});
  const auto own = given_of(material, own_constants(record));
  if (!takes_moduli(record)) return record.native(material).value();
  if (!own.empty()) {
    for (const std::string& modulus : given)
      if (modulus != "bulk")
        throw AssemblyError(modulus,
                            listed(own) + " and " + modulus + " exclude each other: give one of " + ways(record) + ".");
    if (const auto moduli = record.native ? record.native(material) : std::nullopt) return *moduli;
    throw AssemblyError(own[0], "is not enough: " + listed(own_constants(record)) + " and bulk belong together.");
  }
  for (const Pair& pair : pairs)
    if (material.given(pair.first) && material.given(pair.second) && given.size() == 2)
      return moduli_of_pair(pair, material);
  if (given.empty()) throw AssemblyError("", "has no elastic constants: give " + ways(record) + ".");
  if (given.size() == 1) throw AssemblyError(given[0], "needs a partner: give " + ways(record) + ".");
  throw AssemblyError(given.back(), listed(given) + (given.size() > 2 ? " are too many" : " are not a pair") +
                                        ": give " + ways(record) + ".");
}

void check_moduli(const Material& material, const Moduli& moduli) {
  const double poisson = material.number("poisson", 0);
  if (!(poisson > -1 && poisson < 0.5)) {
    const std::string near = poisson == 0.5 ? " Nearly incompressible: 0.45 or 0.49." : "";
    throw AssemblyError("poisson", "must be above -1 and below 0.5, is " + shown(poisson) + "." + near);
  }
  if (moduli.mu > 0 && moduli.bulk() > 0) return;
  throw AssemblyError(material.given("lame_lambda") ? "lame_lambda" : "",
                      "gives an unstable material: shear modulus " + shown(moduli.mu) + " Pa, bulk modulus " +
                          shown(moduli.bulk()) + " Pa; both must be positive." +
                          (material.given("c01") ? " The shear modulus is 2 (c10 + c01)." : ""));
}

void refuse_unknown(const Material& material, const MaterialRecord& record) {
  std::vector<std::string> known;
  for (const Parameter& p : record.parameters) known.push_back(p.key);
  const auto check = [&](const std::string& key) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw AssemblyError(key, "is no key of '" + record.name + "'." + suggestion(key, known, "There are"));
  };
  for (const auto& entry : material.constants) check(entry.first);
  for (const auto& entry : material.texts) check(entry.first);
}

void check_value(const Parameter& p, double value) {
  const bool inside = value <= p.max && (p.min_excluded ? value > p.min : value >= p.min);
  if (!inside) throw AssemblyError(p.key, "has to be " + range(p) + ", is " + shown(value) + ".");
}

// The default as a number; nothing if the default is only a description.
std::optional<double> fallback_of(const Parameter& p) {
  try {
    return p.fallback.empty() ? std::nullopt : std::optional(Expression::parse(p.fallback, {}, {}).value());
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

// Every key of the record that has a default or was given, within its range.
Material completed(Material material, const MaterialRecord& record) {
  refuse_unknown(material, record);
  for (const Parameter& p : record.parameters) {
    if (p.key == "density") {
      check_value(p, material.density);
    } else if (p.type == ValueType::number) {
      if (const auto fallback = fallback_of(p)) material.constants.emplace(p.key, *fallback);
      if (!material.given(p.key) && p.required) throw AssemblyError(p.key, "is missing.");
      if (material.given(p.key)) check_value(p, material.number(p.key));
    } else if (!p.fallback.empty()) {
      material.texts.emplace(p.key, p.fallback);
    }
    const auto text = material.texts.find(p.key);
    if (text == material.texts.end() || p.choices.empty()) continue;
    if (std::find(p.choices.begin(), p.choices.end(), text->second) == p.choices.end())
      throw AssemblyError(
          p.key, "'" + text->second + "' is not known here." + suggestion(text->second, p.choices, "It is one of"));
  }
  return material;
}

Material by_young(const char* kind, const Elastic& elastic) {
  return {kind, elastic.density, {{"young", elastic.young}, {"poisson", elastic.poisson}}, {}};
}

const std::vector<std::string> reference_place = {"X", "Y", "Z"};

Expression parsed_factor(const Material& material, const std::string& key) {
  const std::string& text = material.texts.at(key);
  try {
    return Expression::parse(text, reference_place, material.parameters);
  } catch (const ExpressionError& error) {
    throw AssemblyError(key, "in '" + text + "': " + error.what() + ".");
  }
}

}  // namespace

std::function<double(const double* X)> material_factor(const Material& material, const std::string& key) {
  if (material.texts.count(key) == 0) return {};
  return [f = parsed_factor(material, key)](const double* X) { return f.evaluate(std::span<const double>(X, 3)); };
}

void add(Assembly& assembly, const Material& given, const std::string& name) {
  const MaterialRecord* record = material_records().find(given.kind);
  if (record == nullptr)
    throw AssemblyError("kind", "there is no material of kind '" + given.kind + "'." +
                                    suggestion(given.kind, material_records().names(), "There are"));
  auto material = std::make_shared<BodyMaterial>();
  material->record = record;
  MaterialConstants& constants = material->constants;
  constants.given = completed(given, *record);
  for (const char* factor : {"stiffness_factor", "density_factor"}) material_factor(constants.given, factor);
  if (const auto text = constants.given.texts.find("volumetric"); text != constants.given.texts.end())
    constants.volumetric = text->second;
  const auto refuse_if_wrong = [&] {
    const std::string refusal = record->refusal ? record->refusal(constants) : "";
    if (!refusal.empty()) throw AssemblyError(record->name == "expression" ? "energy" : "", refusal + ".");
  };
  if (!takes_moduli(*record)) refuse_if_wrong();
  constants.moduli = moduli_of(constants.given, *record);
  check_moduli(constants.given, constants.moduli);
  if (takes_moduli(*record)) refuse_if_wrong();
  assembly.materials[name] = std::move(material);
}

void add_material(const Settings& settings, const std::string& name, const MaterialRecord& record, Assembly& assembly) {
  Material material;
  material.kind = record.name;
  material.density = settings.number("density");
  for (const Parameter& p : record.parameters) {
    if (p.key == "density" || !settings.given(p.key)) continue;
    if (p.type == ValueType::number)
      material.constants[p.key] = settings.number(p.key);
    else
      material.texts[p.key] = settings.text(p.key);
  }
  if (settings.environment) material.parameters = settings.environment->parameters;
  add(assembly, material, name);
}

Material neo_hookean(const Elastic& elastic) { return by_young("neo_hookean", elastic); }
Material isochoric_neo_hookean(const Elastic& elastic) { return by_young("isochoric_neo_hookean", elastic); }
Material mooney_rivlin(const Elastic& elastic) { return by_young("mooney_rivlin", elastic); }
Material st_venant_kirchhoff(const Elastic& elastic) { return by_young("st_venant_kirchhoff", elastic); }
Material stable_neo_hookean(const Elastic& elastic) { return by_young("stable_neo_hookean", elastic); }
Material linear_elastic(const Elastic& elastic) { return by_young("linear", elastic); }
Material expression_material(std::string energy, double density,
                             std::map<std::string, double, std::less<>> parameters) {
  return {"expression", density, {}, {{"energy", std::move(energy)}}, std::move(parameters)};
}

}  // namespace livens
