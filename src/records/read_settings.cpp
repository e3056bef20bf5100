// One table against its parameters.
#include <algorithm>

#include "records/make_node.hpp"
#include "records/read.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"

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
    const auto& environment = context.environment;
    const std::string elsewhere =
        environment != nullptr && environment->elsewhere != nullptr ? environment->elsewhere(key, path) : "";
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

// A default is written as a scene would have it: true, 0.5, [0, 0, -9.81], ["x", "y"].
Node fallback_node(const Parameter& parameter) {
  const std::string& text = parameter.fallback;
  if (parameter.type == ValueType::boolean && (text == "true" || text == "false")) return make_node(text == "true");
  const bool list = parameter.type == ValueType::vector || parameter.type == ValueType::names ||
                    parameter.type == ValueType::functions;
  if (!list || text.size() < 2 || text.front() != '[' || text.back() != ']') return make_node(text);
  Node node;
  node.kind = Node::Kind::array;
  std::string item;
  for (const char c : text.substr(1, text.size() - 2) + ",") {
    if (c != ',') {
      if (c != ' ' && c != '"' && c != '\'') item += c;
    } else if (!item.empty()) {
      node.items.push_back(make_node(std::exchange(item, "")));
    }
  }
  return node;
}

// A default that is a description, such as "end/1000", fails to be a value and is left out. A default that names a
// thing of the scene would be one, too.
void read_fallback(const Parameter& parameter, Settings& settings) {
  const bool reference = parameter.type == ValueType::name && parameter.choices.empty();
  if (parameter.fallback.empty() || parameter.type == ValueType::table || reference) return;
  std::vector<SceneFault> faults;
  Context context{std::make_shared<const Environment>(), faults};
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
    settings.nodes[parameter.key] = std::make_shared<const Node>(*node);
    read_value(*node, parameter, settings.path + "." + parameter.key, settings, context);
    if (parameter.type != ValueType::table && !settings.has(parameter.key)) forget(parameter, settings);
  } else if (parameter.required) {
    const bool reported = std::find(misspelt.begin(), misspelt.end(), parameter.key) != misspelt.end();
    if (!reported) report_missing(parameter, settings, context);
  } else {
    read_fallback(parameter, settings);
  }
}

// The nested table; an empty one at the location of its parent if the scene has none.
Node nested_node(const Settings& parent, const std::string& key) {
  if (parent.given(key)) return parent.node(key);
  Node empty;
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
  settings.environment = context.environment;
  if (table.kind != Node::Kind::table) {
    context.fail(table.place, path, "expected a table, found " + found(table) + ".");
    return settings;
  }
  for (const std::string& key : common)
    if (const Node* node = table.find(key)) settings.nodes[key] = std::make_shared<const Node>(*node);
  const auto misspelt = report_unknown(table, path, parameters, context, common);
  for (const Parameter& parameter : parameters) read_one(table, parameter, settings, context, misspelt);
  return settings;
}

Settings read_settings(const Node& table, const std::string& path, std::span<const Parameter> parameters,
                       const Settings& parent) {
  std::vector<SceneFault> faults;
  Context context{parent.environment, faults};
  Settings settings = read_settings(table, path, parameters, context);
  if (!faults.empty()) throw SceneError(std::move(faults));
  return settings;
}

Settings read_nested(const Settings& parent, const std::string& key, std::span<const Parameter> parameters) {
  return read_settings(nested_node(parent, key), parent.path + "." + key, parameters, parent);
}

const Record* read_kind(const Node& table, const std::string& path, std::span<const Record* const> records,
                        Context& context) {
  std::vector<std::string> kinds;
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

AnyKindSettings read_any_nested_kind(const Settings& parent, const std::string& key,
                                     std::span<const Record* const> records) {
  const Node table = nested_node(parent, key);
  const std::string path = parent.path + "." + key;
  std::vector<SceneFault> faults;
  Context context{parent.environment, faults};
  AnyKindSettings result{read_kind(table, path, records, context), {}};
  if (result.record != nullptr) {
    const std::string kind = "kind";
    result.settings = read_settings(table, path, result.record->parameters, context, std::span(&kind, 1));
    result.settings.values["kind"] = result.record->name;
  }
  if (!faults.empty()) throw SceneError(std::move(faults));
  return result;
}

}  // namespace livens
