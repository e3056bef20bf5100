#include "records/values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "math/expression.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

using Kind = Node::Kind;

constexpr double max_exact_integer = 9007199254740992.0;  // 2^53

// The place of a byte inside a text: the value stands at its opening quote. Over several lines, or with escapes, the
// file and the text differ, and the value's own place is the best there is.
Place place_inside(const Node& node, std::size_t offset) {
  Place place = node.place;
  if (place.line == 0 || node.text.find_first_of("\n\\\"") != std::string::npos) return place;
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto end = node.text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, node.text.size()));
  place.column += 1 + static_cast<int>(std::count_if(node.text.begin(), end, is_first_byte));
  return place;
}

// Without a line, as from --set, the column cannot tell; then the message does.
std::string at_character(const Node& node, std::size_t offset) {
  return node.place.line > 0 ? "" : " (at character " + std::to_string(offset + 1) + ")";
}

std::optional<Expression> read_expression(const Node& node, std::span<const std::string> variables,
                                          const std::string& path, Context& context) {
  bool skipped = false;
  for (const std::string& name : identifiers(node.text)) {
    if (context.environment->parameters.count(name) != 0) context.used.insert(name);
    skipped = skipped || context.broken.count(name) != 0;
  }
  if (skipped) return std::nullopt;
  try {
    return Expression::parse(node.text, variables, context.environment->parameters);
  } catch (const ExpressionError& error) {
    context.fail(place_inside(node, error.offset), path, error.in(node.text, at_character(node, error.offset)));
    return std::nullopt;
  }
}

void fail_type(const Node& node, const std::string& wanted, const std::string& path, Context& context) {
  context.fail(node.place, path, "expected " + wanted + ", found " + found(node) + ".");
}

bool is_number(const Node& node) { return node.kind == Kind::number || node.kind == Kind::integer; }

bool in_range(double value, const Node& node, const Parameter& p, const std::string& path, Context& context) {
  const std::string fault = range_fault(p, value);
  if (!fault.empty()) context.fail(node.place, path, fault);
  return fault.empty();
}

std::optional<double> read_number(const Node& node, const Parameter& p, const std::string& path, Context& context) {
  const auto value = read_constant(node, expected(p), path, context);
  return value && in_range(*value, node, p, path, context) ? value : std::nullopt;
}

void read_integer(const Node& node, const Parameter& p, const std::string& path, Settings& settings, Context& context) {
  const auto value = read_number(node, p, path, context);
  if (!value) return;
  if (*value != std::floor(*value) || std::abs(*value) > max_exact_integer)
    context.fail(node.place, path, "expected " + expected(p) + ", found " + shown(*value) + ".");
  else
    settings.values[p.key] = static_cast<long>(*value);
}

bool is_choice(const Node& node, const Parameter& p, const std::string& path, Context& context) {
  if (p.choices.empty() || std::find(p.choices.begin(), p.choices.end(), node.text) != p.choices.end()) return true;
  context.fail(node.place, path,
               "'" + node.text + "' is not known here." + suggestion(node.text, p.choices, "It is one of"));
  return false;
}

// Rule 2: to refer to a thing, its section is the key. Groups of a mesh, body.group, are looked up when it is there.
bool refers(const Node& node, const Parameter& p, const std::string& path, Context& context) {
  const auto names = context.environment->names.find(p.key);
  if (!p.choices.empty() || names == context.environment->names.end()) return true;
  if (p.key == "selection" && node.text.find('.') != std::string::npos) return true;
  if (std::find(names->second.begin(), names->second.end(), node.text) != names->second.end()) return true;
  const std::string none = names->second.empty() ? " The scene has none." : "";
  context.fail(
      node.place, path,
      "there is no " + p.key + " '" + node.text + "'." + none + suggestion(node.text, names->second, "There are"));
  return false;
}

void read_text(const Node& node, const Parameter& p, const std::string& path, Settings& settings, Context& context) {
  if (node.kind != Kind::text) return fail_type(node, expected(p), path, context);
  if (is_choice(node, p, path, context) && refers(node, p, path, context)) settings.values[p.key] = node.text;
}

bool right_length(const Node& node, const Parameter& p, const std::string& path, Context& context) {
  const auto length = static_cast<int>(node.items.size());
  if (p.lengths.empty() || std::find(p.lengths.begin(), p.lengths.end(), length) != p.lengths.end()) return true;
  context.fail(node.place, path, "expected " + expected(p) + ", found " + std::to_string(length) + ".");
  return false;
}

bool is_list(const Node& node, const Parameter& p, const std::string& path, Context& context) {
  if (node.kind == Kind::array) return right_length(node, p, path, context);
  fail_type(node, expected(p), path, context);
  return false;
}

Parameter item_of(const Parameter& p, ValueType type) {
  Parameter item = p;
  item.type = type;
  item.lengths.clear();
  return item;
}

void read_names(const Node& node, const Parameter& p, const std::string& path, Settings& settings, Context& context) {
  if (!is_list(node, p, path, context)) return;
  std::vector<std::string> names;
  const Parameter item = item_of(p, ValueType::name);
  for (const Node& entry : node.items) {
    Settings one;
    read_text(entry, item, path, one, context);
    if (one.has(p.key)) names.push_back(one.text(p.key));
  }
  if (names.size() == node.items.size()) settings.values[p.key] = std::move(names);
}

// Where one entry is enough, it may stand without brackets.
bool stands_alone(const Node& node, const Parameter& p) {
  const bool one = p.lengths.empty() || std::find(p.lengths.begin(), p.lengths.end(), 1) != p.lengths.end();
  return one && (is_number(node) || node.kind == Kind::text);
}

Node list_of(const Node& node) {
  Node list = node;
  list.kind = Kind::array;
  list.items = {node};
  return list;
}

void read_vector(const Node& node, const Parameter& p, const std::string& path, Settings& settings, Context& context) {
  const bool is_place = p.unit == "m" && node.kind == Node::Kind::text;
  if (const auto marker = context.environment->markers.find(node.text);
      is_place && marker != context.environment->markers.end()) {
    if (p.lengths.empty() || std::find(p.lengths.begin(), p.lengths.end(), marker->second.size()) != p.lengths.end())
      settings.values[p.key] = marker->second;
    else
      context.fail(node.place, path,
                   "marker '" + node.text + "' has " + std::to_string(marker->second.size()) +
                       " coordinates; expected " + expected(p) + ".");
    return;
  }
  if (stands_alone(node, p)) return read_vector(list_of(node), p, path, settings, context);
  if (!is_list(node, p, path, context)) return;
  std::vector<double> numbers;
  const Parameter item = item_of(p, ValueType::number);
  for (const Node& entry : node.items)
    if (const auto value = read_number(entry, item, path, context)) numbers.push_back(*value);
  if (numbers.size() == node.items.size()) settings.values[p.key] = std::move(numbers);
}

std::shared_ptr<const Expression> read_function(const Node& node, const Parameter& p, const std::string& path,
                                                Context& context) {
  for (const std::string& variable : p.variables) context.variables.emplace(variable, path);
  std::optional<Expression> function;
  if (is_number(node)) {
    if (const auto value = read_constant(node, expected(p), path, context))
      function = Expression::parse(shown(*value), p.variables, {});
  } else if (node.kind == Kind::text) {
    function = read_expression(node, p.variables, path, context);
  } else {
    fail_type(node, expected(p), path, context);
  }
  if (!function) return nullptr;
  if (function->constant() && !std::isfinite(function->value())) {
    context.fail(node.place, path, "'" + node.text + "' is " + shown(function->value()) + ", not a finite number.");
    return nullptr;
  }
  if (function->constant() && !in_range(function->value(), node, p, path, context)) return nullptr;
  return std::make_shared<const Expression>(std::move(*function));
}

std::string function_text(const Node& node) { return node.kind == Kind::text ? node.text : shown(node.number); }

void read_one_function(const Node& node, const Parameter& p, const std::string& path, Settings& settings,
                       Context& context) {
  const auto function = read_function(node, p, path, context);
  if (!function) return;
  settings.functions[p.key] = {Function(function)};
  settings.values[p.key] = function_text(node);
}

void read_functions(const Node& node, const Parameter& p, const std::string& path, Settings& settings,
                    Context& context) {
  if (stands_alone(node, p)) return read_functions(list_of(node), p, path, settings, context);
  if (!is_list(node, p, path, context)) return;
  std::vector<Function> functions;
  std::vector<std::string> texts;
  const Parameter item = item_of(p, ValueType::function);
  for (const Node& entry : node.items)
    if (auto function = read_function(entry, item, path, context)) {
      functions.emplace_back(std::move(function));
      texts.push_back(function_text(entry));
    }
  if (functions.size() != node.items.size()) return;
  settings.functions[p.key] = std::move(functions);
  settings.values[p.key] = std::move(texts);
}

std::string shape_of(const Node& node) {
  if (node.kind == Kind::table) return "table";
  if (is_number(node)) return "number";
  return node.kind == Kind::array ? "list" : node.kind == Kind::text ? "text" : "";
}

// Read later, by the one who knows its keys.
void keep_table(const Node& node, const Parameter& p, const std::string& path, Context& context) {
  mark_uses(node, context);
  const auto shapes = accepted_shapes(p);
  if (std::find(shapes.begin(), shapes.end(), shape_of(node)) == shapes.end())
    fail_type(node, expected(p), path, context);
}

std::string plural(const std::vector<int>& lengths, const std::string& one, const std::string& many) {
  if (lengths.empty()) return "a list of " + many;
  std::vector<std::string> texts;
  for (const int length : lengths) texts.push_back(std::to_string(length));
  return "a list of " + listed(texts, " or ") + " " + (lengths == std::vector<int>{1} ? one : many);
}

std::string of_variables(const Parameter& p) { return p.variables.empty() ? "" : " of " + listed(p.variables, ", "); }

std::string expected_kind(const Parameter& p) {
  switch (p.type) {
    case ValueType::number: return "a number";
    case ValueType::integer: return "an integer";
    case ValueType::boolean: return "true or false";
    case ValueType::text: return "text in quotes";
    case ValueType::name: return p.choices.empty() ? "a name in quotes" : "one of " + listed(p.choices, ", ");
    case ValueType::names: return plural(p.lengths, "name", "names");
    case ValueType::vector:
      return p.lengths.empty() ? "a number or a list of numbers" : plural(p.lengths, "number", "numbers");
    case ValueType::function: return "a number or an expression" + of_variables(p);
    case ValueType::functions: return plural(p.lengths, "expression", "expressions") + of_variables(p);
    case ValueType::table: break;
  }
  std::vector<std::string> shapes;
  for (const std::string& shape : accepted_shapes(p)) shapes.push_back(shape == "text" ? shape : "a " + shape);
  return listed(shapes, " or ");
}

}  // namespace

std::string range(const Parameter& p) {
  const std::string unit = p.unit.empty() || p.unit == "-" ? "" : " " + p.unit;
  const std::string low = (p.min_excluded ? "above " : "at least ") + shown(p.min);
  if (p.min == p.max) return shown(p.min) + unit;
  if (std::isinf(p.max)) return low + unit;
  if (std::isinf(p.min)) return "at most " + shown(p.max) + unit;
  return p.min_excluded ? low + " and at most " + shown(p.max) + unit
                        : "between " + shown(p.min) + " and " + shown(p.max) + unit;
}

std::string range_fault(const Parameter& p, double value) {
  if (value <= p.max && (p.min_excluded ? value > p.min : value >= p.min)) return "";
  return "has to be " + range(p) + ", is " + shown(value) + ".";
}

std::vector<std::string> accepted_shapes(const Parameter& parameter) {
  return parameter.choices.empty() ? std::vector<std::string>{"table"} : parameter.choices;
}

std::optional<double> read_constant(const Node& node, const std::string& wanted, const std::string& path,
                                    Context& context) {
  if (is_number(node)) {
    if (!std::isfinite(node.number)) report_not_finite(node, path, context.faults);
    return std::isfinite(node.number) ? std::optional(node.number) : std::nullopt;
  }
  if (node.kind != Kind::text) {
    fail_type(node, wanted, path, context);
    return std::nullopt;
  }
  const auto expression = read_expression(node, {}, path, context);
  if (!expression) return std::nullopt;
  if (std::isfinite(expression->value())) return expression->value();
  context.fail(node.place, path, "'" + node.text + "' is " + shown(expression->value()) + ", not a finite number.");
  return std::nullopt;
}

void read_value(const Node& node, const Parameter& p, const std::string& path, Settings& settings, Context& context) {
  switch (p.type) {
    case ValueType::number:
      if (const auto value = read_number(node, p, path, context)) settings.values[p.key] = *value;
      break;
    case ValueType::integer: read_integer(node, p, path, settings, context); break;
    case ValueType::boolean:
      if (node.kind == Kind::boolean)
        settings.values[p.key] = node.flag;
      else
        fail_type(node, expected(p), path, context);
      break;
    case ValueType::text:
    case ValueType::name: read_text(node, p, path, settings, context); break;
    case ValueType::names: read_names(node, p, path, settings, context); break;
    case ValueType::vector: read_vector(node, p, path, settings, context); break;
    case ValueType::function: read_one_function(node, p, path, settings, context); break;
    case ValueType::functions: read_functions(node, p, path, settings, context); break;
    case ValueType::table: keep_table(node, p, path, context); break;
  }
}

std::vector<std::string> identifiers(std::string_view text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    // A number swallows the e of its exponent: 1e3 names nothing.
    while (i < text.size() && (letter(text[i]) || digit(text[i]) || text[i] == '.')) ++i;
    if (i > begin && letter(text[begin])) names.emplace_back(text.substr(begin, i - begin));
    if (i == begin) ++i;
  }
  return names;
}

void mark_uses(const Node& node, Context& context) {
  for (const std::string& name : identifiers(node.text))
    if (context.environment->parameters.count(name) != 0) context.used.insert(name);
  for (const auto& [key, value] : node.entries) mark_uses(value, context);
  for (const Node& item : node.items) mark_uses(item, context);
}

void report_not_finite(const Node& node, const std::string& path, std::vector<SceneFault>& faults) {
  if (node.kind == Kind::number && !std::isfinite(node.number))
    faults.push_back({node.place, path, shown(node.number) + " is not a number that a scene may hold."});
  for (const auto& [key, value] : node.entries) report_not_finite(value, path.empty() ? key : path + "." + key, faults);
  for (const Node& item : node.items) {
    const std::string name = entry_name(item);
    report_not_finite(item, name.empty() ? path : path + "." + name, faults);
  }
}

std::string expected(const Parameter& parameter) { return expected_kind(parameter) + with_unit(parameter.unit); }

std::string found(const Node& node) {
  switch (node.kind) {
    case Kind::table: return "a table";
    case Kind::array: return "a list";
    case Kind::number:
    case Kind::integer: return "the number " + shown(node.number);
    case Kind::text: return "the text '" + node.text + "'";
    case Kind::boolean: return node.flag ? "true" : "false";
  }
  return "";
}

std::string shown(double value) {
  if (std::isnan(value)) return "nan";
  if (value == std::floor(value) && std::abs(value) < 1e9) return std::to_string(static_cast<long>(value));
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

std::string with_unit(const std::string& unit) {
  return unit.empty() || unit == "-" || unit == "any" ? "" : " (" + unit + ")";
}

}  // namespace livens
