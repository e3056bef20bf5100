#include "scene/listing.hpp"

#include <algorithm>
#include <cmath>

#include "model/assembly.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"
#include "scene/kinds.hpp"
#include "scene/schema.hpp"
#include "scene/sections.hpp"

namespace livens {
namespace {

// Sections with records, and nested tables that have kinds of their own.
std::vector<std::string> kind_sections() {
  std::vector<std::string> names;
  for (const Section& section : sections())
    if (section.kinds) names.push_back(section.name);
  names.insert(names.end(), {"layout", "mesh", "shape", "probe"});  // probes are picked by probe.record
  return names;
}

std::string plural(const std::string& word) {
  if (word == "body") return "bodies";
  return word == "mesh" ? "meshes" : word + "s";
}

std::string padded(std::string text, std::size_t width) {
  // Width in characters, not bytes: units have signs like the square.
  const auto shown_width = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  text.append(width > shown_width ? width - shown_width : 0, ' ');
  return text;
}

std::string unit_text(const Parameter& p) { return p.unit.empty() ? "-" : p.unit; }

std::string meaning(const Parameter& p) {
  std::string text = p.brief;
  if (!p.choices.empty() && p.type != ValueType::table) text += "; one of " + listed(p.choices, ", ");
  const std::string range = range_text(p);
  return range.empty() ? text : text + " (" + range + ")";
}

std::string parameter_lines(const std::vector<Parameter>& parameters) {
  std::size_t key = 0, type = 0, unit = 0, fallback = 0;
  for (const Parameter& p : parameters) {
    key = std::max(key, p.key.size());
    type = std::max(type, type_name(p).size());
    unit = std::max(unit, unit_text(p).size());
    fallback = std::max(fallback, default_text(p).size());
  }
  std::string text;
  for (const Parameter& p : parameters)
    text += "    " + padded(p.key, key) + "  " + padded(type_name(p), type) + "  " + padded(unit_text(p), unit) + "  " +
            padded(default_text(p), fallback) + "  " + meaning(p) + "\n";
  return text;
}

std::string claims_text(const Claims& c) {
  std::string text = "order " + std::to_string(c.order) + ", symplectic: " + to_string(c.symplectic) +
                     ", symmetric: " + (c.symmetric ? "yes" : "no") + ", momenta: linear " +
                     to_string(c.linear_momentum) + ", angular " + to_string(c.angular_momentum) +
                     ", energy: " + to_string(c.energy);
  if (c.explicit_steps) text += ", explicit";
  return c.note.empty() ? text : text + " (" + c.note + ")";
}

// Classes with equal claims share a line.
std::string claims_lines(const std::string& section, const Record& record) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const ClassClaims& c : claims_of(section, record)) {
    const std::string text = claims_text(c.claims);
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.second == text; });
    if (same != lines.end())
      same->first += ", " + c.model;
    else
      lines.emplace_back(c.model, text);
  }
  std::string result;
  for (const auto& [models, text] : lines) result += "    claims (" + models + "): " + text + "\n";
  return result;
}

std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) text.insert(i, 1, '\\');
  return text;
}

std::string markdown_table(const std::string& prefix, const std::vector<Parameter>& parameters) {
  if (parameters.empty()) return "No keys of its own.\n\n";
  std::string text = "| key | type | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (const Parameter& p : parameters)
    text += "| `" + prefix + p.key + "` | " + cell(type_name(p)) + " | " + cell(unit_text(p)) + " | " +
            cell(default_text(p)) + " | " + cell(meaning(p)) + " |\n";
  return text + "\n";
}

std::string markdown_kinds(const std::string& section, const std::string& prefix) {
  std::string text;
  for (const Record* record : records_of(section)) {
    text += "#### `" + record->name + "`\n\n" + record->brief + ".";
    if (!record->citation.empty()) text += " [" + record->citation + "]";
    text += "\n\n" + markdown_table(prefix, record->parameters);
  }
  return text;
}

std::string markdown_section(const Section& section) {
  std::string text = "## `" + section.header() + "`\n\n" + section.brief + ".";
  if (section.use == Section::Use::study) text += " Studies only.";
  if (section.required) text += " Required.";
  text += "\n\n";
  if (!section.kinds) return text + markdown_table(section.name + ".", section.parameters);
  return text + markdown_kinds(section.name, section.name + ".");
}

std::string markdown_top() {
  std::vector<Parameter> parameters;
  for (const Section& section : sections())
    if (section.shape == Section::Shape::key) parameters.push_back(section.parameters[0]);
  return "## Top of the file\n\nAbove the first header.\n\n" + markdown_table("", parameters);
}

}  // namespace

std::string listed_section(const std::string& word) {
  const auto names = kind_sections();
  for (const std::string& name : names)
    if (word == name || word == plural(name)) return name;
  std::vector<std::string> plurals;
  for (const std::string& name : names) plurals.push_back(plural(name));
  plurals.insert(plurals.end(), {"fields", "functions", "sections"});
  throw std::out_of_range("there is no list of '" + word + "'." + suggestion(word, plurals, "There are"));
}

std::string records_text(const std::string& section) {
  const std::string name = listed_section(section);
  std::string text;
  for (const Record* record : records_of(name))
    text += (text.empty() ? "" : "\n") + record->name + ": " + record->brief +
            (record->citation.empty() ? "" : " [" + record->citation + "]") + "\n" +
            parameter_lines(record->parameters) + claims_lines(name, *record);
  return text;
}

std::string key_reference_markdown() {
  std::string text =
      "# Keys of a scene\n\nMade by `livens list sections > docs/keys.md` from the records. SI units, radians; where a "
      "number is expected, a quoted constant\nexpression works too, and `f(...)` is an expression in the variables "
      "named "
      "and "
      "all `[parameters]`.\n\n" +
      markdown_top() + "## Every entry that has a kind\n\n" + markdown_table("", common_parameters());
  for (const Section& section : sections())
    if (section.shape != Section::Shape::key) text += markdown_section(section);
  text += "## `body.layout`\n\nWhere the particles of a body are.\n\n" + markdown_kinds("layout", "body.layout.");
  text += "## `body.mesh`\n\nThe reference shape of a solid.\n\n" + markdown_kinds("mesh", "body.mesh.");
  return text + "## `body.shape`\n\nThe surface of a rigid body or an obstacle.\n\n" +
         markdown_kinds("shape", "body.shape.");
}

Settings default_settings(const Record& record) {
  std::vector<SceneFault> missing;
  Context context{std::make_shared<const Environment>(), missing};
  return read_settings(Node{}, record.name, record.parameters, context);
}

std::string type_name(const Parameter& p) {
  const std::string variables = p.variables.empty() ? "" : "f(" + listed(p.variables, ", ") + ")";
  switch (p.type) {
    case ValueType::number: return "number";
    case ValueType::integer: return "integer";
    case ValueType::boolean: return "boolean";
    case ValueType::text: return "text";
    case ValueType::name: return "name";
    case ValueType::names: return "list of names";
    case ValueType::vector: return "list of numbers";
    case ValueType::function: return variables.empty() ? "expression" : variables;
    case ValueType::functions: return "list of " + (variables.empty() ? "expressions" : variables);
    case ValueType::table: return listed(accepted_shapes(p), " or ");
  }
  return "";
}

std::string default_text(const Parameter& p) {
  if (p.required) return "required";
  return p.fallback.empty() ? "none" : p.fallback;
}

std::string range_text(const Parameter& p) {
  std::string text;
  if (std::isfinite(p.min)) text = (p.min_excluded ? "> " : ">= ") + shown(p.min);
  if (std::isfinite(p.max)) text += (text.empty() ? "<= " : ", <= ") + shown(p.max);
  return text;
}

std::vector<ClassClaims> claims_of(const std::string& section, const Record& record) {
  if (section != "integrator") return {};
  const auto& all = integrator_records();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.name == record.name; });
  if (found == all.end() || found->claims == nullptr) return {};
  const Settings settings = default_settings(record);
  ModelClass general, forced;
  general.separable = false;
  forced.forced = true;
  std::vector<ClassClaims> all_claims = {{"separable", found->claims(settings, ModelClass{})},
                                         {"general", found->claims(settings, general)},
                                         {"forced", found->claims(settings, forced)}};
  ModelClass kept_apart, impacts;
  kept_apart.barriers = true;
  impacts.impacts = true;
  if (found->keeps_apart || found->clocks_contact)
    all_claims.push_back({"barriers", found->claims(settings, kept_apart)});
  if (found->bounces) all_claims.push_back({"impacts", found->claims(settings, impacts)});
  return all_claims;
}

}  // namespace livens
