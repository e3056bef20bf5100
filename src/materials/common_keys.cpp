#include "materials/common_keys.hpp"

#include <algorithm>

namespace livens {
namespace {

std::vector<Parameter> modulus_parameters() {
  return {positive(number_key("young", "Pa", "", "Young's modulus; with poisson")),
          number_key("poisson", "-", "", "Poisson's ratio, above -1 and below 0.5; with young"),
          number_key("lame_lambda", "Pa", "", "Lame's first constant; with shear"),
          positive(number_key("shear", "Pa", "", "shear modulus; with lame_lambda or bulk")),
          positive(number_key("bulk", "Pa", "", "bulk modulus; with shear"))};
}

std::vector<Parameter> factor_parameters() {
  const auto factor = [](const char* name, const char* brief) {
    return function_of(key(name, ValueType::function, "-", "", brief), {"X", "Y", "Z"});
  };
  return {factor("stiffness_factor", "the energy times this function of the place in the reference shape; default: 1"),
          factor("density_factor", "the density times this function of the place; default: 1")};
}

bool has_key(const std::vector<Parameter>& parameters, const std::string& name) {
  return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.key == name; });
}

// Kinds that cannot do without constants of their own take no moduli.
bool needs_own_constants(const MaterialRecord& record) {
  return std::any_of(record.parameters.begin(), record.parameters.end(), [](const Parameter& p) { return p.required; });
}

}  // namespace

void add_common_keys(MaterialRecord& record) {
  std::vector<Parameter> keys = {required(positive(number_key("density", "kg/m^3", "", "mass per reference volume")))};
  if (!needs_own_constants(record))
    for (Parameter& parameter : modulus_parameters())
      if (!has_key(record.parameters, parameter.key)) keys.push_back(std::move(parameter));
  record.parameters.insert(record.parameters.begin(), keys.begin(), keys.end());
  for (Parameter& parameter : factor_parameters())
    if (!has_key(record.parameters, parameter.key)) record.parameters.push_back(std::move(parameter));
}

bool takes_moduli(const MaterialRecord& record) { return has_key(record.parameters, "young"); }

}  // namespace livens
