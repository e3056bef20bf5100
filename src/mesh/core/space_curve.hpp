// Points along Hilbert's curve (D. Hilbert 1891): who are close on it are close in space, so that things in this order
// find their neighbours in the cache. By the bits of the coordinates (J. Skilling 2004).
#pragma once

#include <span>
#include <vector>

namespace livens {

// The numbers of the points (dimension numbers each) in the order of the curve through the cube around them; points of
// one place in the order of their numbers.
std::vector<int> order_along_curve(std::span<const double> points, int dimension);

}  // namespace livens
