// Reads one value of a scene as a parameter asks for it, or says what is wrong with it.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/read.hpp"

namespace livens {

// Puts the value into settings.values or settings.functions; nothing on a fault.
void read_value(const Node& node, const Parameter& parameter, const std::string& path, Settings& settings,
                Context& context);

// The value of a constant expression or number, without a range; nothing and a fault if it is not one.
std::optional<double> read_constant(const Node& node, const std::string& expected, const std::string& path,
                                    Context& context);

// Rows of numbers of equal length, such as positions: [[0, 0], [1, 0]]. Throws SceneError.
std::vector<std::vector<double>> read_rows(const Settings& settings, const std::string& key);
// A list of `count` places of `dimension` coordinates, each a list of numbers or the name of a marker. Throws
// SceneError.
std::vector<std::array<double, 3>> read_places(const Settings& settings, const std::string& key, std::size_t count,
                                               int dimension);
// Where the text of a file's key leads to: from the folder of its scene, or for --set from the working directory.
std::filesystem::path file_of(const Node& name);
// A node put there by Scene::set has this file in its place.
inline constexpr const char* override_file = "--set";

// Names in the text of an expression.
std::vector<std::string> identifiers(std::string_view text);
// Marks every parameter that any text below the node names: content that is not read is no reason to call its
// parameters unused.
void mark_uses(const Node& node, Context& context);

// The name an entry of a list section goes by: name, else kind (of a sweep its key), else "".
std::string entry_name(const Node& entry);

// Notes all nan and inf below the node.
void report_not_finite(const Node& node, const std::string& path, std::vector<SceneFault>& faults);

// Parameters of ValueType::table are kept as nodes; their choices name the shapes that are accepted: "table", "list",
// "text", "number". None means a table.
std::vector<std::string> accepted_shapes(const Parameter& parameter);

std::string range(const Parameter& parameter);  // "above 0 Pa"
// What is wrong with a number out of the parameter's range; "" if it is inside.
std::string range_fault(const Parameter& parameter, double value);

std::string expected(const Parameter& parameter);  // "a number (s)"
std::string found(const Node& node);               // "the text 'abc'"
std::string shown(double value);                   // shortest form that reads back
std::string with_unit(const std::string& unit);    // " (s)", or "" for none

}  // namespace livens
