// Lanczos' method for M^-1 K in the scalar product of M: tridiagonal matrices whose outermost eigenvalues theta
// approach those of M^-1 K. With s the last component of an eigenvector of unit length and beta the next off-diagonal,
// some eigenvalue lies within |beta s| of theta. Vectors lose their orthogonality in the long run, which repeats outer
// eigenvalues but does not move them, so that none need to be kept.
#pragma once

#include <functional>
#include <vector>

namespace livens {

// Equal on every machine, and with a part along every mode for all practical purposes.
std::vector<double> mixed_vector(std::size_t n);

class Lanczos {
 public:
  using Values = std::vector<double>;
  using Map = std::function<void(const Values& x, Values& y)>;
  struct Maps {
    Map K, M, divide_by_M;  // y = K x, y = M x, y = M^-1 x
  };

  // tolerance: of the eigenvalue, as a share of it.
  Lanczos(std::vector<double> start, Maps maps, double tolerance, int most_steps);

  // Until the eigenvalue of largest size is within the tolerance, or the steps are used up.
  void run();
  double largest_size() const { return bound_; }  // of the eigenvalues, from above once the residual is small
  double estimate() const { return largest_; }    // the same, from below

 private:
  void advance();
  double normalise();  // returns the length
  void look();

  Maps maps_;
  double tolerance_;
  int most_steps_;
  std::vector<double> x_, before_, w_, kx_;
  std::vector<double> alpha_, beta_;  // beta_[k] couples k and k + 1
  double bound_ = 0, largest_ = 0;
  bool settled_ = false;
};

}  // namespace livens
