// From one level of a multilevel method to the next coarser one. With T the rigid motions of each group of nodes
// (orthonormal), the prolongation is P = (I - w A) T, which lowers the energy of the columns of T, and the coarse
// matrix is P'AP, with M unknowns per group.
//
// Everything that depends on the mesh alone is made once; build() repeats the arithmetic for another matrix.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solve/block_rows.hpp"

namespace livens {

template <int B, int M>
class Coarsening {
 public:
  using Fine = NodeLanes<B>;
  using Coarse = NodeLanes<M>;
  using V = typename Coarse::V;
  static constexpr int W = Coarse::W;

  // groups: of the nodes of `fine`, numbered in any way. Makes the coarse matrix, empty.
  Coarsening(const BlockRows<B>& fine, Aggregates groups, BlockRows<M>& coarse);

  // The new number of every group, in the order of the sweeps over them.
  const std::vector<int>& old_number() const { return old_number_; }

  // modes: B x M numbers per node, what rigid motions are there. Writes the coarse matrix and its modes; false if that
  // is not positive definite. weight: w.
  bool build(const BlockRows<B>& fine, const std::vector<double>& modes, double weight, BlockRows<M>& coarse,
             std::vector<double>& coarse_modes);

  void restrict_to(BlockRows<M>& coarse, const float* r, float* b) const;  // b = P' r
  void prolong(BlockRows<B>& fine, const float* x, float* y) const;        // y += P x

 private:
  static constexpr std::uint16_t skipped = 0xffff, diagonal = 0xfffe;

  void find_prolongation(const BlockRows<B>& fine);
  void find_product(const BlockRows<B>& fine);
  void transpose_prolongation();
  NodeGraph coarse_graph() const;
  void find_coarse(const BlockRows<M>& coarse);
  void gather_members();

  void orthonormalise(int group, const std::vector<double>& modes, double* factor);
  void smooth(const BlockRows<B>& fine, int i, float weight);
  void multiply(const BlockRows<B>& fine, int i);
  void project(BlockRows<M>& coarse, int group);
  bool scale_diagonal(int group);
  void scale(BlockRows<M>& coarse, int group);

  float* p(int k) { return p_.data() + static_cast<std::size_t>(k) * B * W; }
  const float* p(int k) const { return p_.data() + static_cast<std::size_t>(k) * B * W; }
  float* q(int k) { return q_.data() + static_cast<std::size_t>(k) * B * W; }
  float* t(int i) { return t_.data() + static_cast<std::size_t>(i) * B * W; }

  Aggregates groups_;
  bool smooth_;
  std::vector<int> old_number_;
  std::vector<int> member_start_, member_;               // nodes of each group
  std::vector<int> p_start_, p_column_;                  // P by rows, a node's own group first
  std::vector<std::uint16_t> p_slot_;                    // entry of the group of each neighbour
  std::vector<int> back_start_, back_row_, back_entry_;  // P by columns
  std::vector<int> q_start_, q_column_, q_tape_start_;   // Q = A P
  std::vector<std::uint16_t> q_tape_;                    // entry of Q for each product of a block of A and one of P
  std::vector<std::size_t> a_tape_start_;
  std::vector<std::uint16_t> a_tape_;  // entry of the row of P'Q for each product of blocks of P and Q
  std::vector<int> mirror_;            // of each entry of the coarse matrix below the diagonal: the one above
  std::vector<float> t_, p_, q_;       // blocks of B rows of W lanes
  std::vector<float> diagonal_;        // of the coarse matrix, M rows of W lanes per group
  std::vector<double> inverse_;        // C^-1 of its Cholesky factor, M x M per group
  std::vector<char> good_;
};

}  // namespace livens
