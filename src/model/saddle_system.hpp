// The sparse matrix of a model with constraints, over one or more stages of a step:
//
//   [ A  B ]   A: second derivatives on the model's pattern, each entry a dense block of stages x stages,
//   [ C -e ]   B, C: derivatives of the constraints, transposed and not, of each stage.
//
// Unknown and equation j of coordinate k are at k * stages + j, multiplier j of constraint c at (n + c) * stages + j.
#pragma once

#include <vector>

#include <livens/model.hpp>

#include "math/sparse_pattern.hpp"

namespace livens {

class SaddleSystem {
 public:
  SaddleSystem(const Model& model, int stages);

  const SparsePattern& pattern() const { return pattern_; }
  int unknowns() const { return n_ * stages_; }
  int multipliers() const { return m_ * stages_; }

  // A += base values, for one stage.
  void add_base(ConstVector base, Vector values) const;
  // C of the stage += scale * dg/dq(t, q)
  void add_rows(const Model& model, double t, ConstVector q, int stage, double scale, Vector values) const;
  // B of the stage += scale * (dg/dq)'
  void add_columns(const Model& model, double t, ConstVector q, int stage, double scale, Vector values) const;
  void add_diagonal(int constraint, int stage, double value, Vector values) const;
  // sum_i |dg_k/dq_i| of each constraint: what a displacement of 1 of every coordinate may change it by.
  void row_sums(const Model& model, double t, ConstVector q, Vector sums) const;

 private:
  // dg/dq in the order in which the constraints emit it, zero at supports.
  ConstVector evaluate(const Model& model, double t, ConstVector q) const;

  int n_, m_, stages_;
  SparsePattern pattern_;
  struct Entry {
    int constraint, coordinate;
  };
  std::vector<Entry> entries_;
  std::vector<int> row_slots_, column_slots_;  // entry by entry, `stages` each
  std::vector<int> base_slots_;                // of one stage
  mutable std::vector<double> tape_;
};

}  // namespace livens
