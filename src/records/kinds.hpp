// Which record a table's `kind` picks.
#pragma once

#include "scene/schema.hpp"

namespace livens {

// Null, and a fault in the context, if the table has no kind or none of records_of(section).
const Record* read_kind(const Node& table, const std::string& path, const std::string& section, Context& context);

}  // namespace livens
