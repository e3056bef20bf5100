// The order of points along Hilbert's curve.
#include "mesh/core/space_curve.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace livens {
namespace {

std::vector<double> grid(int dimension, int side) {
  std::vector<double> points;
  for (int k = 0; k < (dimension == 3 ? side : 1); ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        points.push_back(i);
        points.push_back(j);
        if (dimension == 3) points.push_back(k);
      }
  return points;
}

// What makes it Hilbert's curve: who follows is a neighbour. Morton's order jumps.
TEST(SpaceCurve, WhoFollowsIsANeighbour) {
  for (const int dimension : {2, 3}) {
    const std::vector<double> points = grid(dimension, 16);
    const std::vector<int> order = order_along_curve(points, dimension);
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k) ASSERT_EQ(sorted[k], static_cast<int>(k));
    for (std::size_t k = 1; k < order.size(); ++k) {
      double distance = 0;
      for (int c = 0; c < dimension; ++c)
        distance += std::abs(points[order[k] * dimension + c] - points[order[k - 1] * dimension + c]);
      ASSERT_EQ(distance, 1) << "dimension " << dimension << ", place " << k;
    }
  }
}

TEST(SpaceCurve, PointsOfOnePlaceKeepTheirOrder) {
  EXPECT_EQ(order_along_curve(std::vector<double>(9, 0.5), 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(order_along_curve({}, 2), std::vector<int>{});
  EXPECT_EQ(order_along_curve(std::vector<double>{1, 1, 0, 0, 1, 1}, 2), (std::vector<int>{1, 0, 2}));
}

}  // namespace
}  // namespace livens
