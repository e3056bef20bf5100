// Records: one self-describing entry per integrator, system, force, ...; scene keys, errors, docs, laws and listings
// are made from them. A registry holds the records of one kind; a program may add its own.
#pragma once

#include <deque>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace livens {

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

// " Did you mean 'x'?", or " Known here: a, b." if nothing is near.
std::string suggestion(std::string_view word, std::span<const std::string> known, const std::string& known_as);

// The records of one kind, in the order in which they are listed. Records stay where they are when others are added.
// Adding is for the start of a program: it must not meet threads that read.
template <class R>
class Registry {
 public:
  using Complete = void (*)(R&);

  // `what` names the kind in messages; `complete` adds what all records of the kind share.
  Registry(std::string what, std::vector<R> records, Complete complete = nullptr)
      : what_(std::move(what)), complete_(complete) {
    for (R& record : records) add(std::move(record));
  }
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Throws std::invalid_argument if the name is empty or taken.
  const R& add(R record) {
    if (record.name.empty()) throw std::invalid_argument("a record of kind '" + what_ + "' needs a name");
    if (find(record.name) != nullptr)
      throw std::invalid_argument("there is a record '" + record.name + "' of kind '" + what_ + "' already");
    if (complete_ != nullptr) complete_(record);
    return records_.emplace_back(std::move(record));
  }

  const R* find(std::string_view name) const {  // null if there is none
    for (const R& record : records_)
      if (record.name == name) return &record;
    return nullptr;
  }
  const R& at(const std::string& name) const {  // throws std::out_of_range with a suggestion
    if (const R* record = find(name)) return *record;
    throw std::out_of_range("no " + what_ + " '" + name + "'." + suggestion(name, names(), "There are"));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const R& record : records_) all.push_back(record.name);
    return all;
  }

  const std::string& what() const { return what_; }
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }
  std::size_t size() const { return records_.size(); }

 private:
  std::string what_;
  Complete complete_;
  std::deque<R> records_;
};

// --- how parameters are written down ---------------------------------------------------------------------------------
// key("beta", ValueType::number, "-", "0.25", "..."), and refinements of it

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
