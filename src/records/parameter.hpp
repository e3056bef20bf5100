// How parameters of records are written down: key("beta", ValueType::number, "-", "0.25", "...") and refinements.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <livens/registry.hpp>

namespace livens {

inline Parameter key(std::string name, ValueType type, std::string unit, std::string fallback, std::string brief) {
  Parameter parameter;
  parameter.key = std::move(name);
  parameter.type = type;
  parameter.unit = std::move(unit);
  parameter.fallback = std::move(fallback);
  parameter.brief = std::move(brief);
  return parameter;
}

inline Parameter number_key(std::string name, std::string unit, std::string fallback, std::string brief) {
  return key(std::move(name), ValueType::number, std::move(unit), std::move(fallback), std::move(brief));
}

inline Parameter required(Parameter parameter) {
  parameter.required = true;
  return parameter;
}

inline Parameter positive(Parameter parameter) {
  parameter.min = 0;
  parameter.min_excluded = true;
  return parameter;
}

inline Parameter bounded(Parameter parameter, double min, double max = std::numeric_limits<double>::infinity()) {
  parameter.min = min;
  parameter.max = max;
  return parameter;
}

inline Parameter one_of(Parameter parameter, std::vector<std::string> choices) {
  parameter.choices = std::move(choices);
  return parameter;
}

inline Parameter of_length(Parameter parameter, std::vector<int> lengths) {
  parameter.lengths = std::move(lengths);
  return parameter;
}

inline Parameter function_of(Parameter parameter, std::vector<std::string> variables) {
  parameter.variables = std::move(variables);
  return parameter;
}

}  // namespace livens
