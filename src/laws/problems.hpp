// The problems on which the laws are measured: small, non-linear, from generic starts. Linear problems and starts at
// rest super-converge and hide mistakes.
#pragma once

#include <string>
#include <vector>

#include <livens/model.hpp>

namespace livens::laws {

struct Problem {
  std::string name, brief;
  Model model;
  State start;
  double span;  // over which errors are measured, s: a few swings, before close orbits part
};

// By name; built once.
const Problem& problem(const std::string& name);
const std::vector<std::string>& problem_names();

}  // namespace livens::laws
