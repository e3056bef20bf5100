// One table against its parameters.
#include <algorithm>

#include "records/kinds.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"
#include "scene/build.hpp"
#include "scene/schema.hpp"
#include "scene/sections.hpp"
#include "scene/toml.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

std::vector<std::string> keys_of(std::span<const Parameter> parameters) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : parameters) keys.push_back(parameter.key);
  return keys;
}

const Parameter* find_parameter(std::span<const Parameter> parameters, std::string_view key) {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.key == key; });
  return found == parameters.end() ? nullptr : &*found;
}

// A key that is a section of its own slid below a header: TOML gives it to the table above.
std::string misplaced(const std::string& key, const std::string& path) {
  const Section* section = find_section(key);
  const Section* above = find_section(path.substr(0, path.find('.')));
  if (section == nullptr || above == nullptr) return "";
  const bool top = section->shape == Section::Shape::key;
  return "'" + key + "' is a " + (top ? "key" : "section") + " of its own, but stands below the header " +
         above->header() + ". " + (top ? "Write it above the first header." : "Write " + section->header() + ".");
}

std::string unknown_key(const std::string& key, std::span<const Parameter> parameters) {
  const auto keys = keys_of(parameters);
  const std::string near = nearest(key, keys);
  if (!near.empty())
    return "unknown key. Did you mean '" + near + "'" + with_unit(find_parameter(parameters, near)->unit) + "?";
  return keys.empty() ? "unknown key. There are none here." : "unknown key. Known here: " + listed(keys, ", ") + ".";
}

// Returns the keys that the unknown ones most likely mean.
std::vector<std::string> report_unknown(const Node& table, const std::string& path,
                                        std::span<const Parameter> parameters, Context& context,
                                        std::span<const std::string> common) {
  std::vector<std::string> meant;
  for (const auto& [key, value] : table.entries) {
    if (find_parameter(parameters, key) != nullptr) continue;
    if (std::find(common.begin(), common.end(), key) != common.end()) continue;
    const std::string elsewhere = misplaced(key, path);
    context.fail(value.key_place, path + "." + key, elsewhere.empty() ? unknown_key(key, parameters) : elsewhere);
    mark_uses(value, context);
    meant.push_back(nearest(key, keys_of(parameters)));
  }
  return meant;
}

// "q" and "q_dot" become the names of the coordinates and their velocities.
std::vector<std::string> bound_variables(const Parameter& parameter, const Node* coordinates) {
  if (coordinates == nullptr || coordinates->kind != Node::Kind::array) return parameter.variables;
  std::vector<std::string> names;
  for (const std::string& variable : parameter.variables) {
    if (variable != "q" && variable != "q_dot") {
      names.push_back(variable);
      continue;
    }
    for (const Node& item : coordinates->items) names.push_back(item.text + variable.substr(1));
  }
  return names;
}

Node fallback_node(const Parameter& parameter) {
  const bool as_text = parameter.type != ValueType::boolean && parameter.type != ValueType::vector &&
                       parameter.type != ValueType::names && parameter.type != ValueType::functions;
  if (as_text) return make_node(parameter.fallback);
  return parse_toml_value(parameter.fallback, {}).value_or(make_node(parameter.fallback));
}

// A default that is a description, such as "end/1000", fails to be a value and is left out. A default that names a
// thing of the scene would be one, too.
void read_fallback(const Parameter& parameter, Settings& settings) {
  const bool reference = parameter.type == ValueType::name && parameter.choices.empty();
  if (parameter.fallback.empty() || parameter.type == ValueType::table || reference) return;
  const ParameterValues none;
  std::vector<SceneFault> faults;
  Context context{none, faults};
  read_value(fallback_node(parameter), parameter, "", settings, context);
}

void report_missing(const Parameter& parameter, const Settings& settings, Context& context) {
  context.fail(settings.place, settings.path + "." + parameter.key,
               "required key is missing: " + expected(parameter) +
                   (parameter.brief.empty() ? "" : ", " + parameter.brief) + ".");
}

// A value with a fault counts as not given, so that whoever takes the values out can go on to the next fault.
void forget(const Parameter& parameter, Settings& settings) {
  settings.nodes.erase(parameter.key);
  read_fallback(parameter, settings);
}

void read_one(const Node& table, const Parameter& declared, Settings& settings, Context& context,
              const std::vector<std::string>& misspelt) {
  Parameter parameter = declared;
  if (!parameter.variables.empty()) parameter.variables = bound_variables(declared, table.find("coordinates"));
  if (const Node* node = table.find(parameter.key)) {
    settings.nodes[parameter.key] = node;
    read_value(*node, parameter, settings.path + "." + parameter.key, settings, context);
    if (parameter.type != ValueType::table && !settings.has(parameter.key)) forget(parameter, settings);
  } else if (parameter.required) {
    const bool reported = std::find(misspelt.begin(), misspelt.end(), parameter.key) != misspelt.end();
    if (!reported) report_missing(parameter, settings, context);
  } else {
    read_fallback(parameter, settings);
  }
}

const Node& nested_node(const Settings& parent, const std::string& key, Node& empty) {
  const auto node = parent.nodes.find(key);
  if (node != parent.nodes.end() && node->second != nullptr) return *node->second;
  empty.place = empty.key_place = parent.place;
  return empty;
}

}  // namespace

void Context::fail(const Place& place, const std::string& path, const std::string& message) {
  faults.push_back({place, path, message});
}

Settings read_settings(const Node& table, const std::string& path, std::span<const Parameter> parameters,
                       Context& context, std::span<const std::string> common) {
  Settings settings;
  settings.path = path;
  settings.place = table.place;
  if (table.kind != Node::Kind::table) {
    context.fail(table.place, path, "expected a table, found " + found(table) + ".");
    return settings;
  }
  const auto misspelt = report_unknown(table, path, parameters, context, common);
  for (const Parameter& parameter : parameters) read_one(table, parameter, settings, context, misspelt);
  return settings;
}

Settings read_nested(const Settings& parent, const std::string& key, std::span<const Parameter> parameters,
                     Context& context) {
  Node empty;
  return read_settings(nested_node(parent, key, empty), parent.path + "." + key, parameters, context);
}

const Record* read_kind(const Node& table, const std::string& path, const std::string& section, Context& context) {
  std::vector<std::string> kinds;
  const auto records = records_of(section);
  for (const Record* record : records) kinds.push_back(record->name);
  const Node* kind = table.find("kind");
  if (kind == nullptr) {
    context.fail(table.place, path + ".kind", "required key is missing. Known kinds: " + listed(kinds, ", ") + ".");
    return nullptr;
  }
  if (kind->kind != Node::Kind::text) {
    context.fail(kind->place, path + ".kind", "expected a name in quotes, found " + found(*kind) + ".");
    return nullptr;
  }
  for (const Record* record : records)
    if (record->name == kind->text) return record;
  context.fail(kind->place, path + ".kind",
               "unknown kind '" + kind->text + "'." + suggestion(kind->text, kinds, "Known kinds:"));
  return nullptr;
}

KindSettings read_nested_kind(const Settings& parent, const std::string& key, const std::string& section,
                              Context& context) {
  Node empty;
  const Node& table = nested_node(parent, key, empty);
  const std::string path = parent.path + "." + key;
  KindSettings result;
  if (table.kind == Node::Kind::table) result.record = read_kind(table, path, section, context);
  if (result.record == nullptr) return result;
  const std::string kind = "kind";
  const std::size_t before = context.faults.size();
  result.settings = read_settings(table, path, result.record->parameters, context, std::span(&kind, 1));
  result.settings.values["kind"] = result.record->name;
  if (context.faults.size() != before) result.record = nullptr;
  return result;
}

}  // namespace livens
