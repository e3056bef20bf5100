// Block Lanczos method for S^-1 M, S symmetric, in the scalar product of M, which is positive semi-definite:
//
//   S^-1 M V = V T + [0 ... 0 V_next R],   V'M V = 1
//
// The eigenvalues of T that are largest in size approach those of S^-1 M. All vectors are kept and made orthogonal to
// each other. Blocks find eigenvalues that are multiple up to the width of the block, which one vector at a time
// cannot: the six rigid motions of a free body are one such eigenvalue. Spectra and ARPACK, which are packaged, have no
// blocks.
#pragma once

#include <functional>
#include <vector>

#include <Eigen/Core>

namespace livens {

class BlockLanczos {
 public:
  using Block = Eigen::MatrixXd;  // one vector per column
  struct Maps {
    std::function<void(Block&x)> solve, multiply;  // x = S^-1 x and x = M x, column by column
  };
  struct Pair {
    double value;
    Eigen::VectorXd vector;  // x'M x = 1
  };

  // n: size of the vectors; width: vectors in a block. `avoid` are kept out, with x'M x = 1 and orthogonal.
  BlockLanczos(Eigen::Index n, Eigen::Index width, Maps maps, std::vector<Eigen::VectorXd> avoid = {});

  // Until the `count` eigenvalues that are largest in size have residuals below tolerance times their size, or the
  // whole space that S^-1 reaches is used up (then there may be fewer). False after `most` vectors, or if told() is
  // false.
  bool run(Eigen::Index count, double tolerance, Eigen::Index most, const std::function<bool(Eigen::Index)>& told = {});
  std::vector<Pair> pairs() const;  // largest in size first

 private:
  bool add_block(Block w);
  void look(double tolerance);

  Eigen::Index n_, width_;
  Maps maps_;
  Eigen::MatrixXd basis_, image_;  // V and M V, with room for more columns
  Eigen::MatrixXd T_;
  Eigen::Index avoided_ = 0, used_ = 0, last_ = 0;  // columns kept out, columns in all, and those of the last block
  Eigen::MatrixXd coupling_;                        // R
  Eigen::VectorXd values_;                          // of T, largest in size first
  Eigen::MatrixXd vectors_;
  Eigen::Index settled_ = 0;
  bool exhausted_ = false;
};

}  // namespace livens
