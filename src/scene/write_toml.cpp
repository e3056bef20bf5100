#include "scene/write_toml.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace livens {
namespace {

using Kind = Node::Kind;

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  // Without point or exponent it would read back as an integer.
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string integer_text(double value) { return std::to_string(static_cast<long long>(value)); }

std::string escaped(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    default: break;
  }
  const auto code = static_cast<unsigned char>(c);
  if (code >= 0x20 && code != 0x7F) return {c};
  constexpr const char* digits = "0123456789abcdef";
  return std::string("\\u00") + digits[code >> 4] + digits[code & 15];
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += escaped(c);
  return result + "\"";
}

std::string inline_list(const Node& node) {
  std::string text = "[";
  for (const Node& item : node.items) text += (text.size() == 1 ? "" : ", ") + toml_value(item);
  return text + "]";
}

std::string inline_table(const Node& node) {
  std::string text = "{";
  for (const auto& [key, value] : node.entries)
    text += (text.size() == 1 ? " " : ", ") + toml_key(key) + " = " + toml_value(value);
  return text + (node.entries.empty() ? "}" : " }");
}

bool fits_table_headers(const Node& node) {
  return node.kind == Kind::array && !node.items.empty() &&
         std::all_of(node.items.begin(), node.items.end(), [](const Node& item) { return item.kind == Kind::table; });
}

std::string lines(const Node& table) {
  std::string text;
  for (const auto& [key, value] : table.entries) text += toml_key(key) + " = " + toml_value(value) + "\n";
  return text;
}

}  // namespace

std::string toml_key(const std::string& key) {
  const auto bare = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  return !key.empty() && std::all_of(key.begin(), key.end(), bare) ? key : quoted(key);
}

std::string toml_value(const Node& node) {
  switch (node.kind) {
    case Kind::table: return inline_table(node);
    case Kind::array: return inline_list(node);
    case Kind::number: return number_text(node.number);
    case Kind::integer: return integer_text(node.number);
    case Kind::text: return quoted(node.text);
    case Kind::boolean: return node.flag ? "true" : "false";
  }
  return "";
}

std::string toml_document(const Node& root) {
  std::string keys, tables;
  for (const auto& [key, value] : root.entries) {
    const std::string name = toml_key(key);
    if (value.kind == Kind::table)
      tables += "\n[" + name + "]\n" + lines(value);
    else if (fits_table_headers(value))
      for (const Node& item : value.items) tables += "\n[[" + name + "]]\n" + lines(item);
    else
      keys += name + " = " + toml_value(value) + "\n";
  }
  return keys + tables;
}

}  // namespace livens
