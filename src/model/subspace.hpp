// A space of vectors y from which equations a.y = 0 take dimensions away.
#pragma once

#include <span>
#include <vector>

namespace livens {

class Subspace {
 public:
  explicit Subspace(std::size_t size);  // all of it

  std::size_t size() const { return size_; }
  std::size_t dimension() const { return basis_.size(); }
  const std::vector<std::vector<double>>& basis() const { return basis_; }  // orthonormal

  // Keeps the vectors with a.y = 0; an `a` below `noise` says nothing.
  void require_zero(std::span<const double> a, double noise);
  void require_zero(std::size_t component);
  double norm_along(std::span<const double> a) const;  // of the projection of a

 private:
  std::size_t size_;
  std::vector<std::vector<double>> basis_;
};

}  // namespace livens
