// Reads one value of a scene as a parameter asks for it, or says what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/schema.hpp"

namespace livens {

// Puts the value into settings.values or settings.functions; nothing on a fault.
void read_value(const Node& node, const Parameter& parameter, const std::string& path, Settings& settings,
                Context& context);

// The value of a constant expression or number, without range; nothing and a fault if it is none.
std::optional<double> read_constant(const Node& node, const std::string& expected, const std::string& path,
                                    Context& context);

// Names in the text of an expression.
std::vector<std::string> identifiers(std::string_view text);
// Marks every parameter that any text below the node names: content that is not read is no reason to call its
// parameters unused.
void mark_uses(const Node& node, Context& context);

// Notes all nan and inf below the node.
void report_not_finite(const Node& node, const std::string& path, std::vector<SceneFault>& faults);

std::string expected(const Parameter& parameter);  // "a number (s)"
std::string found(const Node& node);               // "the text 'abc'"
std::string shown(double value);                   // shortest form that reads back
std::string with_unit(const std::string& unit);    // " (s)", or "" for none

}  // namespace livens
