// Conjugate gradients for symmetric positive definite matrices of small blocks, preconditioned by a symmetric sweep
// over the blocks (SSOR).
#pragma once

#include <memory>

#include "math/sparse_pattern.hpp"

namespace livens {

struct CgResult {
  enum class End { converged, negative_curvature, limit };
  End end = End::converged;
  int iterations = 0;
  double reduction = 1;  // of the residual, in the norm of the preconditioner
};

class BlockCg {
 public:
  virtual ~BlockCg() = default;
  // Takes a copy of the matrix; false if a diagonal block is not positive definite.
  virtual bool prepare(ConstVector values) = 0;
  // x = A^-1 b up to the reduction asked for. With negative curvature in the first iteration x is zero, later the last
  // iterate, which is a descent direction if b is one.
  virtual CgResult solve(ConstVector b, Vector x, double reduction, int limit) = 0;
};

enum class CgPrecision { single, extended };
std::unique_ptr<BlockCg> make_block_cg(const SparsePattern& pattern, CgPrecision precision = CgPrecision::single);

}  // namespace livens
