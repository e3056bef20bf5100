// Views of vectors, and where the second derivatives of terms go.
#pragma once

#include <span>

namespace livens {

using ConstVector = std::span<const double>;
using Vector = std::span<double>;

// Where the blocks of stencils go. Column c of the block (a, b) of stencil s begins at values + slot[2k] + c *
// slot[2k+1] with k = (s * per_stencil + a) * per_stencil + b; its rows follow each other.
struct BlockAccess {
  double* values = nullptr;
  const int* slot = nullptr;
};

// Receives dense blocks of second derivatives, always in the same order for one model, so that the place of each
// number in the sparse matrix is looked up once per topology.
class MatrixSink {
 public:
  virtual ~MatrixSink() = default;
  // values is row-major, rows.size() x columns.size(); it is added to the matrix.
  virtual void add_block(std::span<const int> rows, std::span<const int> columns, const double* values) = 0;
  // Blocks between the nodes of many like stencils, for those who add them from several threads. first: the first
  // coordinate of each node, `per_stencil` a stencil; every pair of nodes of a stencil has a block of dimension^2.
  // Returns where to add; nothing (values == nullptr) when only the pattern is asked for.
  virtual BlockAccess blocks(std::span<const int> first, int per_stencil, int dimension) = 0;
};

}  // namespace livens
