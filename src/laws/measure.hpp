// One function per kind of measurement. What is claimed is an argument, so that tests can pretend.
#pragma once

#include <livens/laws.hpp>

#include "laws/method.hpp"

namespace livens::laws {

LawResult order_law(const Method& method, const Problem& problem, int claimed);
LawResult symplectic_law(const Method& method, const Problem& problem, Symplectic claimed);
LawResult symmetric_law(const Method& method, const Problem& problem, bool claimed);
LawResult energy_law(const Method& method, const std::vector<const Problem*>& problems, EnergyClaim claimed);
LawResult explicit_law(const Method& method, const Problem& problem, bool claimed);

enum class Map { linear, angular, symmetries };
enum class Steps { equal, varying };
LawResult momentum_law(const Method& method, const Problem& problem, Map map, Steps steps, Keeps claimed);

// All laws of one variant, with claims as the record has them.
std::vector<LawResult> measure_variant(const Method& method);

// A result with who and what filled in.
LawResult result_of(const Method& method, const Problem& problem, std::string claim, std::string claimed);

}  // namespace livens::laws
