// What the records say, for `livens list`, for the docs, and for programs.
#pragma once

#include <string>
#include <vector>

#include <livens/scene.hpp>

namespace livens {

// `section` in singular or plural: "integrator", "integrators". Both throw std::out_of_range with a suggestion if there
// is no such section.
std::string records_text(const std::string& section);
std::string records_json(const std::string& section);

// All sections and all kinds with their keys: the key reference of the docs.
std::string key_reference_markdown();

// Singular of a section that has records, see above.
std::string listed_section(const std::string& word);
// Defaults alone; required keys are absent.
Settings default_settings(const Record& record);

std::string type_name(const Parameter& parameter);     // "number", "f(t)", "list of names"
std::string default_text(const Parameter& parameter);  // "required", "0.5", "none"
std::string range_text(const Parameter& parameter);    // "> 0", ">= 1, <= 6", ""

struct ClassClaims {
  std::string model;  // "separable", "general", "forced"
  Claims claims;
};
// What an integrator claims with its default settings; empty for other records.
std::vector<ClassClaims> claims_of(const std::string& section, const Record& record);

}  // namespace livens
