// Second derivatives of the energy by the deformed and the reference positions together.
//
//   E(z, y),   z = x - X,   X = X0 + T y:   [ E_zz  E_zy ]
//                                           [ E_yz  E_yy ]
//
// E_zz is the stiffness; the columns of y are differences of forces, taken at once for many nodes that share no
// neighbour. It is positive definite exactly where E_zz and the second derivative of min_z E are.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <livens/model.hpp>
#include <livens/solid_block.hpp>

#include "adapt/freedom.hpp"
#include "adapt/quality.hpp"
#include "math/sparse_pattern.hpp"

namespace livens {

// Internal forces dW/dz and configurational forces at fixed z of a body's nodes, one after another.
struct BodyForces {
  std::vector<double> internal, configurational;
};
// blocks: all of one body that begins at coordinate `first`.
BodyForces forces_on(std::span<const std::shared_ptr<const SolidBlock>> blocks, int first, int size, ConstVector q);

class JointHessian {
 public:
  // stiffness: the pattern of E_zz.
  JointHessian(const Model& model, int body, const Freedom& freedom, const SparsePattern& stiffness);

  const SparsePattern& pattern() const { return pattern_; }
  int first_variable() const { return stiffness_size_; }
  std::size_t diagonal(int variable) const { return diagonal_[variable]; }

  // stiffness_values in the pattern of E_zz; sizes: of the elements at each node, for the length of differences.
  void assemble(const Mesh& mesh, std::span<const std::shared_ptr<const SolidBlock>> blocks, ConstVector q,
                const QualityBarrier& barrier, ConstVector sizes, ConstVector stiffness_values,
                std::vector<double>& values) const;

 private:
  void find_neighbours(const Mesh& mesh);
  void colour();

  const Model& model_;
  const Freedom& freedom_;
  int first_, size_, dimension_, stiffness_size_;
  std::vector<std::vector<int>> neighbours_;  // nodes of the elements of a node
  std::vector<std::vector<int>> batches_;     // variables whose columns are found together
  SparsePattern pattern_;
  std::vector<int> stiffness_slots_;
  struct Entry {
    int row;           // coordinate of the body, or variable
    int slot, mirror;  // of (row, column) and (column, row)
  };
  std::vector<std::vector<Entry>> by_z_, by_y_;  // per variable
  std::vector<std::size_t> diagonal_;
};

}  // namespace livens
