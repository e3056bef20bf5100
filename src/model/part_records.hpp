// What the records of parts share with the parts.
#pragma once

#include <optional>
#include <string>

#include <livens/assembly.hpp>

namespace livens {

// Refuses a value that is out of the range of a record's parameter, as reading the scene does. Throws AssemblyError.
void check_range(const Record& record, const std::string& key, double value);

// Keys without a default: "" or nothing if they are not given.
std::string given_text(const Settings& settings, const std::string& key);
std::optional<double> given_number(const Settings& settings, const std::string& key);

}  // namespace livens
