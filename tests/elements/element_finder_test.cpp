// Places of the reference shape and the elements they lie in.
#include "elements/element_finder.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <livens/meshes.hpp>

namespace livens {
namespace {

Mesh mesh_of(ElementKind kind) {
  if (dimension_of(kind) == 2) {
    RectangleSpec spec;
    spec.size = {1, 0.5};
    spec.cells = {5, 3};
    spec.grading = {4, 1};
    Mesh mesh = rectangle_mesh(spec);
    return quadratic(kind) ? to_quadratic(mesh) : mesh;
  }
  BoxSpec spec;
  spec.size = {1, 0.5, 0.4};
  spec.cells = {3, 2, 2};
  Mesh mesh = box_mesh(spec);
  return quadratic(kind) ? to_quadratic(mesh) : mesh;
}

// Sides bulge by a smooth map of the square: no element is straight then.
void bend(Mesh& mesh) {
  for (int a = 0; a < mesh.nodes(); ++a) {
    double* X = mesh.X.data() + a * mesh.dimension();
    X[1] += 0.05 * std::sin(3 * X[0]);
  }
}

class Finder : public testing::TestWithParam<ElementKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Finder,
                         testing::Values(ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(Finder, FindsTheElementOfEveryPlace) {
  Mesh mesh = mesh_of(GetParam());
  bend(mesh);
  const ElementFinder finder(mesh);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(0.02, 1);
  const int vertices = mesh.dimension() + 1;
  for (int e = 0; e < mesh.elements(); ++e) {
    double L[4] = {}, sum = 0;
    for (int k = 0; k < vertices; ++k) sum += L[k] = part(random);
    for (int k = 0; k < vertices; ++k) L[k] /= sum;
    const ElementPoint point = element_point(mesh, e, L);
    const ElementFinder::Place place = finder.find(point.X.data());
    EXPECT_EQ(place.element, e);
    for (std::size_t k = 0; k < std::size_t(vertices); ++k) EXPECT_NEAR(place.L[k], L[k], 1e-12);
  }
}

// A polynomial that the element has, and its gradient.
TEST_P(Finder, ShapeFunctionsAndGradientsAreThoseOfTheElement) {
  const Mesh mesh = mesh_of(GetParam());
  const bool second = quadratic(mesh.kind);
  const auto f = [&](const double* X) { return 1 + 2 * X[0] - X[1] + (second ? X[0] * X[1] + 3 * X[1] * X[1] : 0); };
  const double L[4] = {0.4, 0.3, mesh.dimension() == 2 ? 0.3 : 0.2, 0.1};
  for (int e = 0; e < mesh.elements(); ++e) {
    const ElementPoint point = element_point(mesh, e, L);
    double value = 0, gradient[3] = {};
    for (std::size_t a = 0; a < std::size_t(point.nodes); ++a) {
      const double at_node = f(mesh.X.data() + mesh.element(e)[a] * mesh.dimension());
      value += point.N[a] * at_node;
      for (std::size_t c = 0; c < 3; ++c) gradient[c] += point.grad_N[a][c] * at_node;
    }
    const auto& X = point.X;
    EXPECT_NEAR(value, f(X.data()), 1e-13);
    EXPECT_NEAR(gradient[0], 2 + (second ? X[1] : 0), 1e-11);
    EXPECT_NEAR(gradient[1], -1 + (second ? X[0] + 6 * X[1] : 0), 1e-11);
    EXPECT_NEAR(gradient[2], 0, 1e-11);
  }
}

TEST(ElementFinder, PlacesOutsideGoToTheElementNextToThem) {
  const Mesh mesh = mesh_of(ElementKind::tri3);
  const ElementFinder finder(mesh);
  const double X[2] = {1.01, 0.2};
  const ElementFinder::Place place = finder.find(X);
  EXPECT_GT(place.outside, 0.01);
  const ElementPoint point = element_point(mesh, place.element, place.L.data());
  EXPECT_NEAR(point.X[0], 1.01, 1e-12);  // its shape functions are continued beyond its side
  EXPECT_NEAR(point.X[1], 0.2, 1e-12);
  const double inside[2] = {0.5, 0.25};
  EXPECT_LT(finder.find(inside).outside, 1e-9);
}

}  // namespace
}  // namespace livens
