// L U of matrices [ A B ; C -e ] of few entries per row, in an order that is chosen once: no pivoting, no search and no
// memory in a factorisation. Each multiplier comes after the unknowns of its constraint, so that its pivot is the
// compliance of the constraint, C A^-1 B, and not e.
#pragma once

#include <memory>

#include "solve/linear_solver.hpp"

namespace livens {

// For patterns that are symmetric, with `unknowns` unknowns first and then the multipliers, all of them with their
// diagonal. Where a pivot cancels (constraints that are redundant, an A that is not definite) another LU takes over for
// that factorisation. Null where the factor has much more than a few entries per row.
std::unique_ptr<LinearSolver> make_fixed_lu(const SparsePattern& pattern, int unknowns);

// That, or what make_lu() gives, as for few rows.
std::unique_ptr<LinearSolver> make_saddle_lu(const SparsePattern& pattern, int unknowns);

}  // namespace livens
