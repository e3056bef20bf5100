// Validation: tables of a scene against lists of parameters. All faults of a scene are found in one pass.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <livens/scene.hpp>

namespace livens {

using ParameterValues = std::map<std::string, double, std::less<>>;

// What a table may refer to, and what is found on the way. With a Build at hand: Context{build.parameters,
// build.faults}.
struct Context {
  const ParameterValues& parameters;  // of the scene, evaluated
  std::vector<SceneFault>& faults;
  std::set<std::string, std::less<>> used = {};  // parameters that some expression names
  std::set<std::string, std::less<>> broken =
      {};  // parameters with a fault; expressions of them are skipped in silence
  std::map<std::string, std::string, std::less<>> variables = {};  // names that functions bind, and where
  // Named places of the scene, which any vector in metres may be.
  std::map<std::string, std::vector<double>, std::less<>> markers = {};
  // Names of the enabled entries of each list section; references to sections that are not here are not checked.
  std::map<std::string, std::vector<std::string>, std::less<>> names = {};

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

// A nested table of a record, such as body.initial; all defaults if it is not there.
Settings read_nested(const Settings& parent, const std::string& key, std::span<const Parameter> parameters,
                     Context& context);

// A nested table with a kind out of records_of(section), such as body.layout. With any fault record is null, and the
// faults are in the context.
struct KindSettings {
  const Record* record = nullptr;
  Settings settings;
};
KindSettings read_nested_kind(const Settings& parent, const std::string& key, const std::string& section,
                              Context& context);

// --- whole scenes -------------------------------------------------------------------------------------------------

struct Entry {
  std::string section, name, kind;  // name = section for tables; kind is "" for sections without
  Settings settings;
  const Node* node = nullptr;  // null if the scene does not have it and all is default

  std::string path() const { return settings.path; }
};

// Settings point into the scene: it has to outlive them.
struct ValidatedScene {
  ParameterValues parameters;
  std::map<std::string, std::vector<double>, std::less<>> markers;
  std::vector<Entry> entries;  // enabled ones, section by section, in the order of the scene

  // The one entry of a table section (time, system, integrator, solver, checkpoint, report; "" for the keys at the
  // top), or of that name in a list section. Null if there is none.
  const Entry* find(const std::string& section, const std::string& name = "") const;
  std::vector<const Entry*> all(const std::string& section) const;
};

// Appends all faults, in the order of the file. With faults the result is incomplete.
ValidatedScene validate(const Scene& scene, std::vector<SceneFault>& faults);
ValidatedScene validate_study(const Scene& study, std::vector<SceneFault>& faults);
bool is_study(const Scene& scene);

// By place; of equal ones, found by reading a value twice, one stays.
void put_in_order(std::vector<SceneFault>& faults);

// The name an entry of a list section goes by: name, else kind (of a sweep its key), else "".
std::string entry_name(const Node& entry);

// A node put there by Scene::set has this file in its place.
inline constexpr const char* override_file = "--set";

}  // namespace livens
