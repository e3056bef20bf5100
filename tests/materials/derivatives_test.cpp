// Energy, stress and stiffness against automatic differentiation of energies that are written once more here, as
// functions of F alone. Materials without such a second spelling have the differences of laws_test.cpp.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/jet.hpp>

#include "support/solids.hpp"

namespace livens {
namespace {

using namespace testing;
using Jet = Jet2<9>;
using Gradient = std::array<Jet, 9>;  // F, row by row
constexpr double lambda = example_moduli.lambda, mu = example_moduli.mu, bulk = lambda + 2 * mu / 3;

struct Invariants {
  Jet i1 = 0, i2 = 0, j = 0;
  explicit Invariants(const Gradient& F) {
    Jet square = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        Jet c = 0;
        for (std::size_t m = 0; m < 3; ++m) c = c + F[3 * m + i] * F[3 * m + k];
        if (i == k) i1 = i1 + c;
        square = square + c * c;
      }
    i2 = 0.5 * (i1 * i1 - square);
    j = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
  }
};

Jet neo_hookean(const Gradient& F) {
  const Invariants v(F);
  return mu / 2 * (v.i1 - 3.0 - 2.0 * log(v.j)) + lambda / 2 * log(v.j) * log(v.j);
}

Jet expression(const Gradient& F) {
  const Invariants v(F);
  return neo_hookean(F) + mu / 20 * (v.i2 - 3.0) * (v.i2 - 3.0) * (v.i2 - 3.0);
}

Jet isochoric_neo_hookean(const Gradient& F) {
  const Invariants v(F);
  return mu / 2 * (pow(v.j, -2.0 / 3) * v.i1 - 3.0) + bulk / 2 * log(v.j) * log(v.j);
}

Jet mooney_rivlin(const Gradient& F) {
  const Invariants v(F);
  return 0.8 * mu / 2 * (pow(v.j, -2.0 / 3) * v.i1 - 3.0) + 0.2 * mu / 2 * (pow(v.j, -4.0 / 3) * v.i2 - 3.0) +
         bulk / 2 * log(v.j) * log(v.j);
}

Jet stable_neo_hookean(const Gradient& F) {
  const Invariants v(F);
  const double m = 4 * mu / 3, l = lambda + 5 * mu / 6, a = 1 + 0.75 * m / l;
  return m / 2 * (v.i1 - 3.0) + l / 2 * (v.j - a) * (v.j - a) - m / 2 * log(v.i1 + 1.0) -
         (l / 2 * (1 - a) * (1 - a) - m / 2 * std::log(4.0));
}

// lambda/2 tr^2 e + mu |e|^2
template <class Strain>
Jet quadratic(const Strain& strain) {
  Jet trace = 0, square = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const Jet e = strain(i, k);
      if (i == k) trace = trace + e;
      square = square + e * e;
    }
  return lambda / 2 * trace * trace + mu * square;
}

Jet linear(const Gradient& F) {
  return quadratic(
      [&](std::size_t i, std::size_t k) { return 0.5 * (F[3 * i + k] + F[3 * k + i] - (i == k ? 2.0 : 0.0)); });
}

Jet st_venant_kirchhoff(const Gradient& F) {
  return quadratic([&](std::size_t i, std::size_t k) {
    return 0.5 * (F[i] * F[k] + F[3 + i] * F[3 + k] + F[6 + i] * F[6 + k] - (i == k ? 1.0 : 0.0));
  });
}

struct Spelling {
  const char* material;
  Jet (*energy)(const Gradient& F);
};
constexpr Spelling spellings[] = {{"neo_hookean", neo_hookean},
                                  {"isochoric_neo_hookean", isochoric_neo_hookean},
                                  {"mooney_rivlin", mooney_rivlin},
                                  {"st_venant_kirchhoff", st_venant_kirchhoff},
                                  {"stable_neo_hookean", stable_neo_hookean},
                                  {"linear", linear},
                                  {"expression", expression}};

// One tetrahedron with the unit reference: its energy and derivatives are V = 1/6 times those of w(F) itself.
std::shared_ptr<Mesh> unit_tetrahedron() {
  auto mesh = std::make_shared<Mesh>();
  mesh->kind = ElementKind::tet4;
  mesh->X = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  mesh->connectivity = {0, 1, 2, 3};
  return mesh;
}
constexpr double V = 1.0 / 6;
// The coordinate of the tetrahedron that is F_i, i = 3 row + column: x_a = x_0 + F e_a.
std::size_t coordinate(std::size_t i) { return 3 * (i % 3 + 1) + i / 3; }

// Largest relative differences over the deformations.
struct Worst {
  double energy = 0, gradient = 0, hessian = 0;
};

void expect_sums_of_nodes_vanish(const std::vector<double>& g, const std::vector<double>& H, double scale_g,
                                 double scale_h) {
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_LE(std::abs(g[c] + g[3 + c] + g[6 + c] + g[9 + c]), 1e-15 * (scale_g + mu));
  for (std::size_t r = 0; r < 12; ++r)
    for (std::size_t c = 0; c < 12; ++c) {
      EXPECT_LE(std::abs(H[12 * r + c] - H[12 * c + r]), 1e-14 * scale_h);
      if (c >= 3) continue;
      EXPECT_LE(std::abs(H[12 * r + c] + H[12 * r + 3 + c] + H[12 * r + 6 + c] + H[12 * r + 9 + c]), 1e-13 * scale_h);
    }
}

void compare(const SolidBlock& block, const std::vector<double>& q, const Jet& w, Worst& worst) {
  std::vector<double> g(12, 0.0);
  const double energy = block.add_gradient_and_energy(0, q, 1, g);
  EXPECT_NEAR(energy, block.energy(0, q), 1e-14 * (std::abs(energy) + V * mu));
  const std::vector<double> H = dense_hessian(block, q, 3);
  double scale_g = 0, scale_h = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    scale_g = std::max(scale_g, std::abs(w.gradient[i]));
    for (std::size_t k = 0; k < 9; ++k) scale_h = std::max(scale_h, std::abs(w.hessian(i, k)));
  }
  worst.energy = std::max(worst.energy, std::abs(energy - V * w.value) / (V * (std::abs(w.value) + mu)));
  for (std::size_t i = 0; i < 9; ++i) {
    const std::size_t r = coordinate(i);
    worst.gradient = std::max(worst.gradient, std::abs(g[r] - V * w.gradient[i]) / (V * (scale_g + mu)));
    for (std::size_t k = 0; k < 9; ++k)
      worst.hessian =
          std::max(worst.hessian, std::abs(H[12 * r + coordinate(k)] - V * w.hessian(i, k)) / (V * scale_h));
  }
  expect_sums_of_nodes_vanish(g, H, scale_g, scale_h);
}

void PrintTo(const Spelling& of, std::ostream* out) { *out << of.material; }

class MaterialDerivatives : public ::testing::TestWithParam<Spelling> {};

TEST_P(MaterialDerivatives, AreThoseOfAutomaticDifferentiation) {
  const MaterialRecord& record = record_of(GetParam().material);
  const auto block = example_block(record, part_of(unit_tetrahedron()));
  std::mt19937 engine(3);
  std::normal_distribution<double> normal(0, record.survives_inversion ? 0.5 : 0.25);
  int used = 0, inverted = 0;
  Worst worst;
  while (used < 1000) {
    Gradient F;
    std::vector<double> q(12, 0.3);
    for (std::size_t i = 0; i < 9; ++i) {
      const double value = (i % 4 == 0 ? 1.0 : 0.0) + normal(engine);
      F[i] = Jet::variable(value, i);
      q[coordinate(i)] += value;
    }
    const double j = Invariants(F).j.value;
    if (j < 0.1 && !(j < -0.1 && record.survives_inversion)) continue;
    inverted += j < 0;
    ++used;
    compare(*block, q, GetParam().energy(F), worst);
  }
  // A few ulp, times the condition of invariants of strongly deformed shapes.
  EXPECT_LE(worst.energy, 2e-14);
  EXPECT_LE(worst.gradient, 2e-13);
  EXPECT_LE(worst.hessian, 2e-12);
  EXPECT_EQ(inverted > 0, record.survives_inversion);
}

INSTANTIATE_TEST_SUITE_P(Spellings, MaterialDerivatives, ::testing::ValuesIn(spellings),
                         [](const auto& one) { return std::string(one.param.material); });

}  // namespace
}  // namespace livens
