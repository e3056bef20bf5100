// Plates with an elliptic hole: the hole is where it should be, the rest is a mesh.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include <livens/livens.hpp>
#include <livens/meshes.hpp>

#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

HoledPlateSpec plate() {
  HoledPlateSpec spec;
  spec.size = {5, 3};
  spec.hole = {0.8, 0.3};
  spec.angle = 0.7;
  spec.cells = 40;
  return spec;
}

// 1 on the ellipse.
double level(const HoledPlateSpec& spec, double x, double y) {
  const double c = std::cos(spec.angle), s = std::sin(spec.angle);
  return std::hypot((c * x + s * y) / spec.hole[0], (-s * x + c * y) / spec.hole[1]);
}

TEST(HoledPlate, IsThePlateWithoutTheHole) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6})
    for (const int refine : {0, 1}) {
      HoledPlateSpec spec = plate();
      spec.kind = kind;
      spec.refine = refine;
      const Mesh mesh = holed_plate_mesh(spec);
      EXPECT_EQ(mesh.kind, kind);
      double area = 0, least = 1;
      for (int e = 0; e < mesh.elements(); ++e) {
        area += signed_volume(mesh, e);
        least = std::min(least, signed_volume(mesh, e));
      }
      EXPECT_GT(least, 0);
      // The hole is a polygon with 40 corners on the ellipse: the part sin(2 pi/40)/(2 pi/40) of it, if they are even.
      const double hole = std::numbers::pi * 0.8 * 0.3;
      EXPECT_NEAR(area, 15 - hole, 0.01 * hole);
      EXPECT_GT(area, 15 - hole);
      // Every facet of the boundary is the hole's or the edge's.
      const Facets facets = boundary_facets(mesh);
      const auto in = [&](const char* group, int a) {
        const auto& nodes = mesh.groups.at(group);
        return std::binary_search(nodes.begin(), nodes.end(), a);
      };
      int around = 0;
      for (int f = 0; f < facets.count(); ++f) {
        const int *first = facets.nodes.data() + f * facets.nodes_each, *last = first + facets.nodes_each;
        int groups = 0;
        for (const char* group : {"hole", "x_min", "x_max", "y_min", "y_max"})
          groups += std::all_of(first, last, [&](int a) { return in(group, a); }) ? 1 : 0;
        EXPECT_EQ(groups, 1);
        around += std::all_of(first, last, [&](int a) { return in("hole", a); }) ? 1 : 0;
      }
      EXPECT_EQ(around, 40 << refine);
      for (const int a : mesh.groups.at("hole")) {
        const double on = level(spec, mesh.X[2 * at(a)], mesh.X[2 * at(a) + 1]);
        EXPECT_LE(on, 1 + 1e-12);
        EXPECT_GT(on, 0.99);
      }
      for (const int a : mesh.groups.at("x_max")) EXPECT_NEAR(mesh.X[2 * at(a)], 2.5, 1e-12);
      for (const int a : mesh.groups.at("y_min")) EXPECT_NEAR(mesh.X[2 * at(a) + 1], -1.5, 1e-12);
    }
}

TEST(HoledPlate, HoleIsTurnedCounterClockwise) {
  const Mesh mesh = holed_plate_mesh(plate());
  double farthest = 0, angle = 0;
  for (const int a : mesh.groups.at("hole")) {
    const double x = mesh.X[2 * at(a)], y = mesh.X[2 * at(a) + 1];
    if (std::hypot(x, y) > farthest && x > 0) angle = std::atan2(y, x);
    farthest = std::max(farthest, std::hypot(x, y));
  }
  EXPECT_NEAR(farthest, 0.8, 0.01);
  EXPECT_NEAR(angle, 0.7, 0.1);
}

std::string refusal(void (*change)(HoledPlateSpec&)) {
  HoledPlateSpec spec = plate();
  change(spec);
  try {
    holed_plate_mesh(spec);
  } catch (const MeshError& error) {
    return error.what();
  }
  return "";
}

TEST(HoledPlate, RefusesWhatIsNone) {
  EXPECT_EQ(refusal([](HoledPlateSpec& s) {
              s.hole = {2.6, 0.3};
              s.angle = 0;
            }),
            "holed_plate: a hole of width 5.2 and height 0.6 does not fit into a plate of 5 by 3");
  EXPECT_EQ(refusal([](HoledPlateSpec& s) { s.hole[1] = 0; }),
            "holed_plate: the semi-axes of the hole must be positive numbers");
  EXPECT_EQ(refusal([](HoledPlateSpec& s) { s.cells = 4; }),
            "holed_plate: at least 8 cells are needed around the hole");
  EXPECT_EQ(refusal([](HoledPlateSpec& s) { s.kind = ElementKind::tet4; }),
            "holed_plate: its elements are tri3 or tri6, not tet4");
  EXPECT_NE(refusal([](HoledPlateSpec& s) { s.cells = 1000000000; }).find("more nodes"), std::string::npos);
  EXPECT_EQ(refusal([](HoledPlateSpec&) {}), "");
}

}  // namespace
}  // namespace livens
