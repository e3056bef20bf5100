// Rings of cells between the hole and the edge: node j of ring k is on the straight line from a point of the ellipse to
// one of the edge, and rings grow like a geometric series, so that cells are about as long as they are wide.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <livens/meshes.hpp>

#include "mesh/core/shape.hpp"
#include "mesh/core/size.hpp"
#include "mesh/core/topology.hpp"
#include "mesh/generate/refine.hpp"

namespace livens {
namespace {

constexpr double pi = std::numbers::pi;

[[noreturn]] void refuse_holed(const std::string& fault) { throw MeshError("holed_plate: " + fault); }

// Half of the width and of the height of the hole.
std::array<double, 2> extent(const HoledPlateSpec& spec) {
  const double c = std::cos(spec.angle), s = std::sin(spec.angle), a = spec.hole[0], b = spec.hole[1];
  return {std::hypot(a * c, b * s), std::hypot(a * s, b * c)};
}

void check(const HoledPlateSpec& spec) {
  const auto usable = [](double x) { return std::isfinite(x) && x > 0; };
  if (!usable(spec.size[0]) || !usable(spec.size[1])) refuse_holed("width and height must be positive numbers");
  if (!usable(spec.hole[0]) || !usable(spec.hole[1]))
    refuse_holed("the semi-axes of the hole must be positive numbers");
  if (!std::isfinite(spec.angle)) refuse_holed("the angle must be a number");
  const auto half = extent(spec);
  if (2 * half[0] >= spec.size[0] || 2 * half[1] >= spec.size[1])
    refuse_holed(fmt::format("a hole of width {:g} and height {:g} does not fit into a plate of {:g} by {:g}",
                             2 * half[0], 2 * half[1], spec.size[0], spec.size[1]));
  if (spec.cells < 8) refuse_holed("at least 8 cells are needed around the hole");
  if (spec.refine < 0) refuse_holed("refine must not be negative");
  if (dimension_of(spec.kind) != 2) refuse_holed("its elements are tri3 or tri6, not " + to_string(spec.kind));
}

// Directions from the middle, counter-clockwise from the lower right corner; the corners of the plate are among them.
std::vector<double> directions(const HoledPlateSpec& spec, int around) {
  const double corner = std::atan2(spec.size[1], spec.size[0]);
  const int half = around / 2;
  const int right = std::clamp(static_cast<int>(std::lround(half * 2 * corner / pi)), 1, half - 1);
  std::vector<double> result;
  const double starts[] = {-corner, corner, pi - corner, pi + corner}, spans[] = {2 * corner, pi - 2 * corner};
  for (std::size_t side = 0; side < 4; ++side) {
    const int count = side % 2 == 0 ? right : half - right;
    for (int k = 0; k < count; ++k) result.push_back(starts[side] + spans[side % 2] * k / count);
  }
  return result;
}

}  // namespace

Mesh holed_plate_mesh(const HoledPlateSpec& spec) {
  check(spec);
  const int around = 2 * ((spec.cells + 1) / 2);
  const double inner = 0.5 * (spec.hole[0] + spec.hole[1]), outer = 0.25 * (spec.size[0] + spec.size[1]);
  const double growth = 1 + 2 * pi / around;
  const double wanted = std::max(1.0, std::round(std::log(outer / inner) / std::log(growth)));
  require_elements(wanted * around * 2, spec.kind, "holed_plate", "Take fewer cells");
  const int rings = static_cast<int>(wanted);
  const std::vector<double> rays = directions(spec, around);

  Mesh mesh;
  mesh.kind = ElementKind::tri3;
  mesh.regions = {"all"};
  const double c = std::cos(spec.angle), s = std::sin(spec.angle);
  for (int k = 0; k <= rings; ++k) {
    const double radius = inner * std::pow(outer / inner, static_cast<double>(k) / rings);
    const double part = k == rings ? 1 : (radius - inner) / (outer - inner);
    for (const double ray : rays) {
      const double x = spec.hole[0] * std::cos(ray - spec.angle), y = spec.hole[1] * std::sin(ray - spec.angle);
      const double reach =
          std::min(0.5 * spec.size[0] / std::abs(std::cos(ray)), 0.5 * spec.size[1] / std::abs(std::sin(ray)));
      mesh.X.push_back(std::lerp(c * x - s * y, reach * std::cos(ray), part));
      mesh.X.push_back(std::lerp(s * x + c * y, reach * std::sin(ray), part));
    }
  }
  for (int k = 0; k < rings; ++k)
    for (int j = 0; j < around; ++j) {
      const int a = k * around + j, b = k * around + (j + 1) % around, d = a + around, e = b + around;
      if ((j + k) % 2 == 0)
        mesh.connectivity.insert(mesh.connectivity.end(), {a, d, e, a, e, b});
      else
        mesh.connectivity.insert(mesh.connectivity.end(), {a, d, b, b, d, e});
    }
  mesh.region.assign(mesh.connectivity.size() / 3, 0);
  for (int e = 0; e < mesh.elements(); ++e)
    if (!(signed_volume(mesh, e) > 0))
      refuse_holed(
          "the hole is too slender or too near to the edge for rings of cells between them: make the plate larger");

  for (int j = 0; j < around; ++j) mesh.groups["hole"].push_back(j);
  const double within = 1e-9 * diameter(mesh);
  for (int a = rings * around; a < mesh.nodes(); ++a) {
    const double x = mesh.X[2 * at(a)], y = mesh.X[2 * at(a) + 1];
    if (x < -0.5 * spec.size[0] + within) mesh.groups["x_min"].push_back(a);
    if (x > 0.5 * spec.size[0] - within) mesh.groups["x_max"].push_back(a);
    if (y < -0.5 * spec.size[1] + within) mesh.groups["y_min"].push_back(a);
    if (y > 0.5 * spec.size[1] - within) mesh.groups["y_max"].push_back(a);
  }
  mesh = refined_as(std::move(mesh), spec.refine, spec.kind, "holed_plate");
  order_for_locality(mesh);
  return mesh;
}

}  // namespace livens
