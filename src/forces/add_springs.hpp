// Springs between the nodes of a body.
#pragma once

#include <optional>

#include "forces/spring.hpp"
#include "model/assembly.hpp"

namespace livens {

struct SpringOptions {
  SpringLaw law;
  std::optional<double> rest_length;  // without it, the length at the start
  bool linearised = false;            // about the shape at the start
};
// Springs between pairs of nodes of a body.
void add_springs(const std::string& name, int body, const std::vector<Assembly::Pair>& pairs,
                 const SpringOptions& options, Assembly& assembly);

}  // namespace livens
