// Conjugate gradients for symmetric positive definite matrices of small blocks, preconditioned by a symmetric sweep
// over the blocks (SSOR).
#pragma once

#include <compare>
#include <memory>
#include <span>

#include "math/sparse_pattern.hpp"

namespace livens {

struct CgResult {
  enum class End { converged, negative_curvature, limit };
  End end = End::converged;
  int iterations = 0;
  double reduction = 1;  // of the residual, in the norm of the preconditioner
};

// Blocks beside the pattern: of nodes `row` < `column`, and their transposes. They come into products and not into the
// preconditioner, so that they may change from solve to solve while the pattern stays.
struct NodeCoupling {
  int row, column;
  auto operator<=>(const NodeCoupling&) const = default;
};
struct Couplings {
  std::span<const NodeCoupling> nodes;  // sorted by rows, each pair once
  ConstVector blocks;                   // in rows, one after the other
  bool empty() const { return nodes.empty(); }
};

class BlockCg {
 public:
  virtual ~BlockCg() = default;
  // Takes a copy of the matrix; false if a diagonal block is not positive definite.
  virtual bool prepare(ConstVector values, const Couplings& couplings = {}) = 0;
  // x = A^-1 b up to the reduction asked for. With negative curvature in the first iteration x is zero, later the last
  // iterate, which is a descent direction if b is one.
  virtual CgResult solve(ConstVector b, Vector x, double reduction, int limit) = 0;
  // r = b - A x of the last solve, to the precision that it was solved in.
  virtual void remainder(Vector r) = 0;
};

enum class CgPrecision { single, extended };
std::unique_ptr<BlockCg> make_block_cg(const SparsePattern& pattern, CgPrecision precision = CgPrecision::single);

}  // namespace livens
