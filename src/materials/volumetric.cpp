#include "materials/material.hpp"

namespace livens {

Volumetric volumetric_of(const std::string& name) {
  return name == "square" ? Volumetric::square : name == "mixed" ? Volumetric::mixed : Volumetric::log;
}

Parameter volumetric_parameter() {
  return one_of(key("volumetric", ValueType::name, "-", "log",
                    "energy of the change of volume: log bulk/2 (ln J)^2, square bulk/2 (J - 1)^2, mixed "
                    "bulk/4 (J^2 - 1 - 2 ln J)"),
                {"log", "square", "mixed"});
}

}  // namespace livens
