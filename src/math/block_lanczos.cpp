#include "math/block_lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/lanczos.hpp"
#include "math/symmetric_eigen.hpp"

namespace livens {
namespace {

using Eigen::Index;

constexpr double lost = 1e-10;  // of its length: a vector that is combined of those before has that little left

}  // namespace

BlockLanczos::BlockLanczos(Index n, Index width, Maps maps, std::vector<Eigen::VectorXd> avoid)
    : n_(n), width_(width), maps_(std::move(maps)), avoided_(static_cast<Index>(avoid.size())) {
  basis_.resize(n_, avoided_ + 8 * width_);
  image_.resize(n_, basis_.cols());
  for (Index k = 0; k < avoided_; ++k) basis_.col(k) = avoid[k];
  if (avoided_ > 0) {
    Block product = basis_.leftCols(avoided_);
    maps_.multiply(product);
    image_.leftCols(avoided_) = product;
  }
  used_ = avoided_;
}

// Appends what w has that the basis has not. False if that is nothing.
bool BlockLanczos::add_block(Block w) {
  Block product = w;
  maps_.multiply(product);
  Eigen::VectorXd before(w.cols());
  for (Index k = 0; k < w.cols(); ++k) before[k] = std::sqrt(std::max(w.col(k).dot(product.col(k)), 0.0));
  coupling_ = Eigen::MatrixXd::Zero(w.cols(), w.cols());
  if (used_ + w.cols() > basis_.cols()) {
    basis_.conservativeResize(Eigen::NoChange, std::max(2 * basis_.cols(), used_ + w.cols()));
    image_.conservativeResize(Eigen::NoChange, basis_.cols());
  }
  const Index first = used_;
  for (int pass = 0; pass < 2 && first > 0; ++pass)
    w -= basis_.leftCols(first) * (image_.leftCols(first).transpose() * w);
  Index kept = 0;
  for (Index k = 0; k < w.cols(); ++k) {
    Eigen::VectorXd x = w.col(k);
    Block mx;
    double length = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (Index j = 0; j < kept; ++j) {
        const double part = image_.col(first + j).dot(x);
        coupling_(j, k) += part;
        x -= part * basis_.col(first + j);
      }
      if (pass > 0) x -= basis_.leftCols(first) * (image_.leftCols(first).transpose() * x);
    }
    mx = x;
    maps_.multiply(mx);
    length = std::sqrt(std::max(x.dot(mx.col(0)), 0.0));
    if (!(length > lost * before[k])) continue;
    coupling_(kept, k) = length;
    basis_.col(first + kept) = x / length;
    image_.col(first + kept) = mx.col(0) / length;
    ++kept;
  }
  coupling_.conservativeResize(kept, Eigen::NoChange);
  last_ = kept;
  used_ += kept;
  return kept > 0;
}

void BlockLanczos::look(double tolerance) {
  const Index m = T_.cols();
  const SymmetricEigen eigen = symmetric_eigen(T_);
  std::vector<Index> order(static_cast<std::size_t>(m));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(eigen.values[a]) > std::abs(eigen.values[b]); });
  values_.resize(m);
  vectors_.resize(m, m);
  for (Index k = 0; k < m; ++k) {
    values_[k] = eigen.values[order[k]];
    vectors_.col(k) = eigen.vectors.col(order[k]);
  }
  const Index rows = coupling_.cols();
  for (settled_ = 0; settled_ < m; ++settled_)
    if (!exhausted_ && (coupling_ * vectors_.col(settled_).tail(rows)).norm() > tolerance * std::abs(values_[settled_]))
      return;
}

bool BlockLanczos::run(Index count, double tolerance, Index most, const std::function<bool(Index)>& told) {
  Block w(n_, width_);
  // Other vectors than those that found what is kept out: of a multiple eigenvalue they had one combination each.
  const std::vector<double> mixed = mixed_vector(static_cast<std::size_t>(n_ * width_ + avoided_));
  for (Index k = 0; k < width_; ++k)
    for (Index i = 0; i < n_; ++i) w(i, k) = mixed[avoided_ + i * width_ + k];
  maps_.multiply(w);
  maps_.solve(w);  // into the space that S^-1 reaches
  exhausted_ = !add_block(std::move(w));
  T_.resize(0, 0);
  while (!exhausted_) {
    const Index first = used_ - last_, begin = first - avoided_, size = last_;
    w = image_.middleCols(first, size);
    maps_.solve(w);
    const Eigen::MatrixXd all = image_.middleCols(avoided_, used_ - avoided_).transpose() * w;
    T_.conservativeResize(used_ - avoided_, used_ - avoided_);
    T_.middleCols(begin, size) = all;
    T_.middleRows(begin, size) = all.transpose();
    const Eigen::MatrixXd own = all.bottomRows(size);
    T_.block(begin, begin, size, size) = 0.5 * (own + own.transpose());
    exhausted_ = !add_block(std::move(w));
    look(tolerance);
    if (settled_ >= count || exhausted_) return true;
    if (told && !told(settled_)) return false;
    if (used_ - avoided_ >= most) return false;
  }
  return true;
}

std::vector<BlockLanczos::Pair> BlockLanczos::pairs() const {
  std::vector<Pair> result;
  const Index m = T_.cols();
  for (Index k = 0; k < settled_; ++k) result.push_back({values_[k], basis_.middleCols(avoided_, m) * vectors_.col(k)});
  return result;
}

}  // namespace livens
