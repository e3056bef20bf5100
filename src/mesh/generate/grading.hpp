// Points of a graded axis for the generators.
#pragma once

#include <string>
#include <vector>

namespace livens {

// cells + 1 points from corner to corner + size with h_(i+1) = r h_i and h_last / h_first = grading. `axis` and `what`
// are for messages. Throws MeshError for sizes, counts and gradings that are not valid.
std::vector<double> graded_points(double corner, double size, int cells, double grading, const std::string& what,
                                  char axis);

}  // namespace livens
