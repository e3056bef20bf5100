// What a run of an asynchronous method shows of its clocks.
#pragma once

#include <optional>

#include "report/report.hpp"
#include "run/run_facts.hpp"

namespace livens {

// Nothing for other methods.
std::optional<ReportSection> asynchronous_section(const RunFacts& facts);

}  // namespace livens
