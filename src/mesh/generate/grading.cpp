#include "mesh/generate/grading.hpp"

#include <cmath>

#include <livens/mesh.hpp>

namespace livens {
namespace {

// Beyond it the smallest cells of an axis vanish in the rounding of the largest.
constexpr double steepest_grading = 1e6;

[[noreturn]] void refuse(const std::string& what, char axis, const std::string& fault) {
  throw MeshError(what + ", axis " + axis + ": " + fault);
}

}  // namespace

std::vector<double> graded_points(double corner, double size, int cells, double grading, const std::string& what,
                                  char axis) {
  if (!std::isfinite(corner)) refuse(what, axis, "the corner must be a finite number");
  if (!std::isfinite(size) || size <= 0) refuse(what, axis, "the size must be a positive number");
  if (cells < 1) refuse(what, axis, "at least one cell is needed");
  if (!(grading >= 1 / steepest_grading && grading <= steepest_grading))
    refuse(what, axis, "the grading (last cell over first) must lie between 1e-6 and 1e6");

  std::vector<double> points(static_cast<std::size_t>(cells) + 1);
  // (r^i - 1) / (r^n - 1), with expm1 so that gradings near 1 lose no digits.
  const double log_r = cells > 1 ? std::log(grading) / (cells - 1) : 0;
  for (int i = 0; i <= cells; ++i) {
    const double part = log_r == 0 ? static_cast<double>(i) / cells : std::expm1(i * log_r) / std::expm1(cells * log_r);
    points[i] = corner + size * part;
  }
  points.back() = corner + size;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (!(points[i] > points[i - 1])) refuse(what, axis, "the cells are smaller than the rounding of their positions");
  return points;
}

}  // namespace livens
