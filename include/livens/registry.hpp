// Records: one self-describing entry per integrator, system, force, ...; scene keys, errors, docs, laws and listings
// are made from them. The lists are plain functions: to add an entry, add its record to the list.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <livens/integrator.hpp>

namespace livens {

class Settings;  // validated values of one scene table, see scene.hpp

enum class ValueType {
  number,  // constant expression
  integer,
  boolean,
  text,
  name,       // one of choices, or the name of something in the scene
  names,      // list of names
  vector,     // list of constant expressions
  function,   // expression in the variables named in the parameter
  functions,  // list of such
  table,      // nested table with keys of its own, read by the record's factory
};

struct Parameter {
  std::string key;
  ValueType type = ValueType::number;
  std::string unit;      // "-" for none
  std::string fallback;  // default as it would be written; "" with required = true
  std::string brief;     // one line
  bool required = false;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;           // value > min instead of >=
  std::vector<std::string> choices;    // for name
  std::vector<std::string> variables;  // for functions: names besides the parameters of the scene
  std::vector<int> lengths;            // for vectors and lists: allowed lengths; empty = any
};

struct Record {
  std::string name;   // scene value, docs anchor, test name
  std::string brief;  // one line
  std::string citation;
  std::vector<Parameter> parameters;
};

struct IntegratorRecord : Record {
  Claims (*claims)(const Settings& settings, const ModelClass& model) = nullptr;
  // Why this method cannot run that model; empty if it can.
  std::string (*refusal)(const Settings& settings, const Model& model) = nullptr;
  std::unique_ptr<Integrator> (*make)(const Settings& settings, const SolverOptions& solver,
                                      const Model& model) = nullptr;
  bool holds_constraints = false;  // by multipliers
  // Settings under which the laws measure this record, as scene text of the integrator's keys without step.
  std::vector<std::string> law_variants = {""};
};

const std::vector<IntegratorRecord>& integrator_records();
const IntegratorRecord& integrator_record(const std::string& name);  // throws std::out_of_range with a suggestion

}  // namespace livens
