// Conjugate gradients preconditioned by smoothed aggregation: a V-cycle over meshes that are coarser and coarser, with
// the rigid motions of groups of nodes as unknowns (P. Vanek, J. Mandel, M. Brezina, Algebraic multigrid by smoothed
// aggregation for second and fourth order elliptic problems, Computing 56 (1996)). Where stiffness dominates (statics,
// steps of many periods) the number of iterations hardly grows with the mesh; a sweep over the blocks (block_cg.hpp)
// needs N^(1/3) times more, but each costs a tenth. The cycle is in single precision, all else in double: thin bodies
// have condition numbers that single precision does not resolve.
#pragma once

#include <memory>

#include "solve/block_cg.hpp"

namespace livens {

class MultilevelCg {
 public:
  virtual ~MultilevelCg() = default;

  // The matrix of the next solves, which read it; false if it is not positive definite as far as the coarse levels can
  // see. place: where the nodes are, for their rigid motions. The levels of an earlier matrix are kept while they
  // serve.
  virtual bool prepare(ConstVector values, ConstVector place) = 0;
  // The next prepare makes new levels: what solves give then depends on nothing that was before.
  virtual void forget() = 0;
  // As BlockCg::solve.
  virtual CgResult solve(ConstVector b, Vector x, double reduction, int limit) = 0;

  // For measurements.
  virtual int levels() const = 0;
  virtual double operator_complexity() const = 0;  // numbers in all matrices over those in the finest
  virtual int builds() const = 0;
};

// Of patterns of 2 x 2 or 3 x 3 blocks whose rows are nodes (SparsePattern::reference, by which they are grouped). Null
// for others.
std::unique_ptr<MultilevelCg> make_multilevel_cg(const SparsePattern& pattern);

}  // namespace livens
