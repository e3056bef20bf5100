// What book_point books besides forces.
#pragma once

#include <livens/ledger.hpp>

namespace livens {

// External terms and explicit time at one point of a quadrature in time; weight in s. scratch is as long as q.
void book_terms(const Model& model, double t, ConstVector q, ConstVector v, double weight, Vector scratch,
                Ledger& ledger);

}  // namespace livens
