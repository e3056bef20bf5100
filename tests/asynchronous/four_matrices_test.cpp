// Largest eigenvalues of four small matrices at a time against Eigen's.
#include "asynchronous/four_matrices.hpp"

#include <map>
#include <random>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

namespace livens {
namespace {

using Nine = Eigen::Matrix<double, 9, 9>;

double size_of_largest(const Nine& K) {
  return Eigen::SelfAdjointEigenSolver<Nine>(K).eigenvalues().cwiseAbs().maxCoeff();
}

std::map<int, double> taken(const std::vector<Nine>& all) {
  std::map<int, double> found;
  FourMatrices<9> matrices;
  const auto note = [&](int stencil, double value) { found[stencil] = value; };
  for (std::size_t k = 0; k < all.size(); ++k) {
    matrices.add(static_cast<int>(k), [&](int i, int j) { return all[k](i, j); });
    if (matrices.full()) matrices.take(note);
  }
  matrices.take(note);
  return found;
}

// Of full and of lower rank, with negative eigenvalues of largest size, of any scale; one more than fills the lanes.
TEST(FourMatrices, AgreeWithEigen) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<Nine> all;
  for (int k = 0; k < 401; ++k) {
    const int rank = 1 + k % 9;
    Eigen::MatrixXd B(9, rank), sign = Eigen::MatrixXd::Identity(rank, rank);
    for (double& entry : B.reshaped()) entry = normal(random);
    if (k % 3 == 1) sign *= -1;
    if (k % 3 == 2)
      for (int i = 0; i < rank; i += 2) sign(i, i) = -1;
    all.emplace_back(std::pow(10.0, k % 41 - 20) * B * sign * B.transpose());
  }
  const auto found = taken(all);
  ASSERT_EQ(found.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    EXPECT_NEAR(found.at(static_cast<int>(k)) / size_of_largest(all[k]), 1, 2 * eigenvalue_tolerance) << k;
}

// Lanes do not see each other.
TEST(FourMatrices, NothingAndWhatIsNotFiniteGiveNoLimit) {
  std::vector<Nine> all = {Nine::Zero(), 3 * Nine::Identity(), Nine::Identity(), Nine::Identity()};
  all[2](4, 4) = std::numeric_limits<double>::infinity();
  all[3](4, 4) = 7;
  const auto found = taken(all);
  EXPECT_EQ(found.at(0), 0);
  EXPECT_NEAR(found.at(1), 3, 1e-4);
  EXPECT_FALSE(found.at(2) > 0);
  EXPECT_NEAR(found.at(3), 7, 1e-4);
}

}  // namespace
}  // namespace livens
