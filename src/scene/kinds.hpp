// Which records the sections of a scene have.
#pragma once

#include <string>
#include <vector>

#include <livens/records.hpp>

namespace livens {

// All records of a section by its scene name ("integrator", "body", "force", ...), or of a nested table ("layout",
// "mesh").
std::vector<const Record*> records_of(const std::string& section);

}  // namespace livens
