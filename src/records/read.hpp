// Tables of a scene against lists of parameters. All faults are found in one pass.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <livens/settings.hpp>

namespace livens {

using ParameterValues = std::map<std::string, double, std::less<>>;

// What tables may refer to, and what is found while they are read.
struct Context {
  std::shared_ptr<const Environment> environment;
  std::vector<SceneFault>& faults;
  std::set<std::string, std::less<>> used = {};  // parameters that some expression names
  std::set<std::string, std::less<>> broken =
      {};  // parameters with a fault; expressions of them are skipped in silence
  std::map<std::string, std::string, std::less<>> variables = {};  // names that functions bind, and where

  void fail(const Place& place, const std::string& path, const std::string& message);
};

// The values of a table, defaults filled in. Keys outside of parameters and `common` are faults, and so are missing
// required keys, wrong types, wrong lengths and values out of range. A parameter without a value (none given, and its
// default is "" or a description such as "end/1000") is absent from the result. A value
// with a fault counts as not given; a required one is absent then: look at context.faults before taking values out.
// A vector or list of functions that may have one entry takes it without brackets, too.
// Where a table has a kind, the settings of its entry have it as the text "kind".
// In the variables of a function, "q" and "q_dot" stand for the names in the table's own key `coordinates` and their
// velocities, if the table has such a key.
Settings read_settings(const Node& table, const std::string& path, std::span<const Parameter> parameters,
                       Context& context, std::span<const std::string> common = {});
// The same for a table within another; throws SceneError with all faults of the table.
Settings read_settings(const Node& table, const std::string& path, std::span<const Parameter> parameters,
                       const Settings& parent);

// A nested table of a record, such as body.initial; all defaults if it is not there. Throws SceneError.
Settings read_nested(const Settings& parent, const std::string& key, std::span<const Parameter> parameters);

// Which record a table's `kind` picks: null, and a fault in the context, if the table has no kind or an unknown one.
const Record* read_kind(const Node& table, const std::string& path, std::span<const Record* const> records,
                        Context& context);

template <class R>
std::vector<const Record*> pointers(const Registry<R>& registry) {
  std::vector<const Record*> result;
  for (const R& record : registry) result.push_back(&record);
  return result;
}

// A nested table with a kind, such as body.layout.
template <class R>
struct KindSettings {
  const R& record;
  Settings settings;
};
struct AnyKindSettings {
  const Record* record;
  Settings settings;
};
AnyKindSettings read_any_nested_kind(const Settings& parent, const std::string& key,
                                     std::span<const Record* const> records);
// Throws SceneError.
template <class R>
KindSettings<R> read_nested_kind(const Settings& parent, const std::string& key, const Registry<R>& registry) {
  AnyKindSettings read = read_any_nested_kind(parent, key, pointers(registry));
  return {static_cast<const R&>(*read.record), std::move(read.settings)};
}

// Two parts of one table, read one after the other; the faults of both are thrown together.
template <class A, class B>
auto read_both(const A& read_a, const B& read_b) {
  std::vector<SceneFault> faults;
  const auto attempt = [&](const auto& read) -> std::optional<decltype(read())> {
    try {
      return read();
    } catch (const SceneError& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
      return std::nullopt;
    }
  };
  auto a = attempt(read_a);
  auto b = attempt(read_b);
  if (!faults.empty()) throw SceneError(std::move(faults));
  return std::pair(std::move(*a), std::move(*b));
}

// One table of a scene, validated.
struct Entry {
  std::string section, name, kind;  // name = section for tables; kind is "" for sections without
  Settings settings;
  bool written = true;  // false if the scene does not have it and all is default

  std::string path() const { return settings.path; }
};

}  // namespace livens
