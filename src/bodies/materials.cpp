// The section [[material]]: density, and elastic constants by one of three pairs or by the kind's own.
//
//   lambda = E nu / ((1 + nu)(1 - 2 nu)),   mu = E / (2 (1 + nu)),   bulk = lambda + 2 mu / 3
#include <algorithm>
#include <set>

#include "bodies/solid.hpp"
#include "materials/common_keys.hpp"
#include "model/assembly.hpp"
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

std::vector<std::string> given_of(const Settings& settings, const std::vector<std::string>& keys) {
  std::vector<std::string> given;
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(given), [&](const auto& k) { return settings.given(k); });
  return given;
}

std::string ways(const MaterialRecord& record) {
  std::string text = "young + poisson, lame_lambda + shear, or bulk + shear";
  const auto own = own_constants(record);
  return own.empty() ? text : text + ", or " + listed(own, " + ") + " + bulk";
}

void moduli_of_pair(const Pair& pair, const Settings& s, Moduli& moduli) {
  const double a = s.number(pair.first), b = s.number(pair.second);
  const std::string first = pair.first;
  if (first == "young") {
    moduli.lambda = a * b / ((1 + b) * (1 - 2 * b));
    moduli.mu = a / (2 * (1 + b));
  } else {
    moduli.mu = b;
    moduli.lambda = first == "bulk" ? a - 2 * b / 3 : a;
  }
}

// Moduli out of exactly one pair, or out of the kind's own constants; false with a fault.
bool read_moduli(const Settings& s, const MaterialRecord& record, Moduli& moduli) {
  const auto given = given_of(s, {std::begin(modulus_keys), std::end(modulus_keys)});
  const auto own = given_of(s, own_constants(record));
  const auto refuse = [&](const std::string& key, const std::string& message) {
    s.refuse(key, message);
    return false;
  };
  if (!takes_moduli(record)) return record.native(s, moduli);
  if (!own.empty()) {
    for (const std::string& modulus : given)
      if (modulus != "bulk")
        return refuse(modulus,
                      listed(own) + " and " + modulus + " exclude each other: give one of " + ways(record) + ".");
    if (record.native != nullptr && record.native(s, moduli)) return true;
    return refuse(own[0], "is not enough: " + listed(own_constants(record)) + " and bulk belong together.");
  }
  for (const Pair& pair : pairs)
    if (s.given(pair.first) && s.given(pair.second) && given.size() == 2) return moduli_of_pair(pair, s, moduli), true;
  if (given.empty()) return refuse("", "has no elastic constants: give " + ways(record) + ".");
  if (given.size() == 1) return refuse(given[0], "needs a partner: give " + ways(record) + ".");
  return refuse(given.back(), listed(given) + (given.size() > 2 ? " are too many" : " are not a pair") + ": give " +
                                  ways(record) + ".");
}

bool sound_moduli(const Settings& s, const Moduli& moduli) {
  if (s.given("poisson") && !(s.number("poisson") > -1 && s.number("poisson") < 0.5)) {
    const std::string near = s.number("poisson") == 0.5 ? " Nearly incompressible: 0.45 or 0.49." : "";
    s.refuse("poisson", "must be above -1 and below 0.5, is " + shown(s.number("poisson")) + "." + near);
  }
  if (moduli.mu > 0 && moduli.bulk() > 0) return true;
  const std::string at = s.given("lame_lambda") ? "lame_lambda" : "";
  s.refuse(at, "gives an unstable material: shear modulus " + shown(moduli.mu) + " Pa, bulk modulus " +
                   shown(moduli.bulk()) + " Pa; both must be positive.");
}

}  // namespace

void add_material(const Settings& settings, const std::string& name, const MaterialRecord& record, Assembly& assembly) {
  auto material = std::make_shared<BodyMaterial>();
  material->record = &record;
  material->settings = settings;
  material->density = settings.number("density");
  MaterialConstants& constants = material->constants;
  constants.settings = &material->settings;
  if (settings.has("volumetric")) constants.volumetric = settings.text("volumetric");
  if (record.refusal != nullptr && !takes_moduli(record)) {
    const std::string refusal = record.refusal(constants);
    if (!refusal.empty()) settings.refuse(record.name == "expression" ? "energy" : "", refusal + ".");
  }
  if (!read_moduli(settings, record, constants.moduli)) return;
  if (!sound_moduli(settings, constants.moduli)) return;
  if (record.refusal != nullptr && takes_moduli(record)) {
    const std::string refusal = record.refusal(constants);
    if (!refusal.empty()) settings.refuse("", refusal + ".");
  }
  assembly.materials[name] = std::move(material);
}

}  // namespace livens
