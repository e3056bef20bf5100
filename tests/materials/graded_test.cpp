// Materials that vary with the place in the reference shape: against closed solutions, homogeneous ones, and
// differences.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::random_vector;

// A bar of length 2 and cross-section 0.25, held at X = 0 and loaded by 0.05 N at the other end.
std::string bar(const std::string& material, const std::string& integrator, const std::string& element = "tet10") {
  return "time = { end = 1 }\nintegrator = { " + integrator + " }\n[[material]]\nname = 'graded'\n" + material +
         "\n[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'graded'\nmesh = { kind = 'box', size = [2, 0.5, 0.5], "
         "cells = [10, 1, 1], element = '" +
         element + "' }\n";
}
const std::string pulled =
    "[[constraint]]\nkind = 'fixed'\nselection = 'bar.x_min'\n[[force]]\nkind = 'traction'\nselection = "
    "'bar.x_max'\ntraction = [0.2, 0, 0]\n";

double elongation(const std::string& scene) {
  Setup setup = make_setup(parse_scene(scene));
  EXPECT_TRUE(setup.integrator->advance(*setup.model, setup.start, 1).converged);
  double farthest = 0;
  for (std::size_t i = 0; i < setup.start.q.size(); i += 3) farthest = std::max(farthest, setup.start.q[i]);
  return farthest - 2;
}

// E(X) = 100 (1 + X): u(2) = integral of sigma/E = 0.2/100 log 3, for any of three ways to write the material.
TEST(Graded, BarWithYoungsModulusOfThePlace) {
  const double expected = 0.2 / 100 * std::log(3.0);
  const std::string statics = "kind = 'static', load_steps = 1";
  const std::string factor = "young = 100\npoisson = 0\ndensity = 1\nstiffness_factor = '1 + X'";
  EXPECT_NEAR(elongation(bar("kind = 'linear'\n" + factor, statics) + pulled) / expected, 1, 1e-4);
  // Finite strain: St Venant and Kirchhoff in one dimension, P = E (1 + e) (e + e^2/2) = 0.2
  const auto strain = [](double X) {
    double e = 0;
    for (int k = 0; k < 50; ++k) e = 0.2 / (100 * (1 + X)) / ((1 + e) * (1 + e / 2));
    return e;
  };
  double finite = 0;
  const int n = 2000;
  for (int k = 0; k < n; ++k) finite += strain((k + 0.5) * 2 / n) * 2 / n;
  EXPECT_NEAR(elongation(bar("kind = 'st_venant_kirchhoff'\n" + factor, statics) + pulled) / finite, 1, 1e-4);
  // w = E/2 |E_GL|^2, |C - 1|^2 = I1^2 - 2 I2 - 2 I1 + 3
  const std::string written = "kind = 'expression'\ndensity = 1\nenergy = '100*(1 + X)/8*(I1^2 - 2*I2 - 2*I1 + 3)'";
  EXPECT_NEAR(elongation(bar(written, statics) + pulled) / finite, 1, 1e-4);
  // and not without the factor
  EXPECT_NEAR(elongation(bar("kind = 'linear'\nyoung = 100\npoisson = 0\ndensity = 1", statics) + pulled), 0.004, 1e-9);
}

// Two models of one shape, and a deformed one of it.
struct Compared {
  Model one, two;
  std::vector<double> X, q, v;
};

// fill(model, its solid, numbers) gives the same numbers for both, to rounding.
template <class Fill>
void expect_same(const Compared& models, const char* what, const Fill& fill) {
  std::vector<double> x(models.q.size(), 0.0), y(models.q.size(), 0.0);
  fill(models.one, *models.one.parts().terms[0], x);
  fill(models.two, *models.two.parts().terms[0], y);
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  EXPECT_GT(largest, 0);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12 * largest) << what;
}

using Numbers = std::vector<double>;

void expect_same_forces(const Compared& models, const char* what) {
  const ConstVector X = models.X, q = models.q, v = models.v;
  expect_same(models, what, [&](const Model&, const EnergyTerm& w, Numbers& g) { g[0] = w.energy(0, q); });
  expect_same(models, what, [&](const Model&, const EnergyTerm& w, Numbers& g) { w.add_gradient(0, q, 1, g); });
  expect_same(models, what,
              [&](const Model&, const EnergyTerm& w, Numbers& g) { w.add_discrete_gradient(0, X, q, 1, g); });
  expect_same(models, what, [&](const Model& model, const EnergyTerm&, Numbers& g) {
    model.parts().forces[0]->add_force(0, q, v, 1, g);
  });
  expect_same(models, what,
              [&](const Model& model, const EnergyTerm&, Numbers& g) { g = model.parts().mass.diagonal; });
}

void expect_same_fields(const Compared& models, const char* what) {
  expect_same(models, what, [&](const Model&, const EnergyTerm& term, Numbers& g) {
    const SolidBlock& block = *term.elements();
    const std::size_t n = block.part().elements.size();
    std::vector<double> stress(6 * n), density(n);
    block.fields(models.q, stress, density);
    std::copy_n(stress.begin(), 6, g.begin());
    g[6] = density[0];
    g[7] = block.grad_u_squared(models.q);
  });
}

void expect_same_stencils(const Compared& models, const char* what) {
  expect_same(models, what, [&](const Model&, const EnergyTerm& term, Numbers& g) {
    const auto stencils = term.stencils();
    alignas(32) double x[40] = {}, f[40] = {};
    for (std::size_t n = 0; n < static_cast<std::size_t>(stencils->per_stencil()); ++n)
      for (std::size_t c = 0; c < 3; ++c) x[4 * n + c] = models.q[stencils->nodes(3)[n] + c];
    g[0] = stencils->evaluate(3, x, f);
    for (std::size_t i = 0; i < 12; ++i) g[1 + i] = f[i];
    g[13] = stencils->courant_time(3, x);
    g[14] = stencils->mass(3, 1);
  });
}

// A factor that is the same everywhere is another modulus, to rounding: energy, force, discrete gradient, damping,
// mass, stress, stencils.
TEST(Graded, ConstantFactorIsAnotherModulus) {
  for (const char* kind : {"neo_hookean", "mooney_rivlin", "linear", "stable_neo_hookean"})
    for (const char* element : {"tet4", "tet10"}) {
      const std::string head = "kind = '" + std::string(kind) + "'\npoisson = 0.3\ndensity = ";
      const std::string damped = "[[force]]\nkind = 'strain_damping'\ndamping_time = 0.1\n";
      const std::string method = "kind = 'stormer_verlet', step = 0.01";
      Compared models{
          make_model(parse_scene(bar(head + "3\nyoung = 200", method, element) + damped)),
          make_model(parse_scene(
              bar(head + "1.5\nyoung = 100\nstiffness_factor = '2 + 0*X'\ndensity_factor = '2'", method, element) +
              damped)),
          {},
          {},
          {}};
      models.X = models.q = models.one.bodies()[0].reference;
      models.v = random_vector(models.q.size(), 1, 2);
      const auto offset = random_vector(models.q.size(), 0.02, 1);
      for (std::size_t i = 0; i < offset.size(); ++i) models.q[i] += offset[i];
      expect_same_forces(models, kind);
      expect_same_fields(models, kind);
      expect_same_stencils(models, kind);
    }
}

TEST(Graded, DerivativesMatchDifferences) {
  for (const char* element : {"tri3", "tri6"})
    for (const std::string material :
         {"kind = 'expression'\ndensity = 1\nstiffness_factor = '1 + Y'\nenergy = '(3 + X*Y)/2*(I1 - 3 - 2*log(J)) + "
          "(2 "
          "+ X)*log(J)^2 + X^2*(I2 - 3)^3'",
          "kind = 'mooney_rivlin'\nyoung = 5\npoisson = 0.3\ndensity = 1\nstiffness_factor = 'exp(X)*(2 - Y)'"}) {
      const Model model = make_model(parse_scene(
          "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[material]]\nname = "
          "'graded'\n" +
          material +
          "\n[[body]]\nname = 'plate'\nkind = 'solid'\nmaterial = 'graded'\nmesh = { kind = 'rectangle', size = [1, "
          "0.8], cells = [1, 1], element = '" +
          element + "' }\n"));
      std::vector<double> q = model.bodies()[0].reference;
      const auto offset = random_vector(q.size(), 0.05, 4);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += offset[i];
      const EnergyTerm& term = *model.parts().terms[0];
      const double h = 1e-6;
      std::vector<double> g(q.size(), 0.0);
      term.add_gradient(0, q, 1, g);
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double x = q[i];
        q[i] = x + h;
        const double above = term.energy(0, q);
        q[i] = x - h;
        EXPECT_NEAR(g[i], (above - term.energy(0, q)) / (2 * h), 1e-7);
        q[i] = x;
      }
      std::vector<double> discrete(q.size(), 0.0);
      const std::vector<double>& X = model.bodies()[0].reference;
      EXPECT_TRUE(term.add_discrete_gradient(0, X, q, 1, discrete));
      double work = 0;
      for (std::size_t i = 0; i < q.size(); ++i) work += discrete[i] * (q[i] - X[i]);
      EXPECT_NEAR(work, term.energy(0, q) - term.energy(0, X), 1e-13);
    }
}

// Mass and centre of mass of density 3 (1 + X): 3 integral (1 + X) = 3 (2 + 2) 0.25; the row sums of both matrices.
TEST(Graded, MassOfADensityOfThePlace) {
  for (const char* matrix : {"lumped", "consistent"}) {
    Scene scene = parse_scene(bar("kind = 'linear'\nyoung = 1\npoisson = 0\ndensity = 3\ndensity_factor = '1 + X'",
                                  "kind = 'stormer_verlet', step = 0.01"));
    scene.set("body.bar.mass_matrix", matrix);
    const Model model = make_model(scene);
    EXPECT_NEAR(model.bodies()[0].mass, 3, 1e-13);
    std::vector<double> ones(static_cast<std::size_t>(model.size()), 0.0), p(ones.size());
    for (std::size_t i = 0; i < ones.size(); i += 3) ones[i] = 1;
    model.multiply_mass(ones, p);
    double mass = 0, moment = 0;
    for (std::size_t i = 0; i < p.size(); i += 3) {
      mass += p[i];
      moment += p[i] * model.bodies()[0].reference[i];
    }
    EXPECT_NEAR(mass, 3, 1e-13);
    // The density is constant in every element: its centre is off by the second order of their size.
    EXPECT_NEAR(moment, 0.75 * (2 + 8.0 / 3), 0.75 * 0.2 * 0.2);
  }
}

std::string refusal(const std::string& scene) {
  try {
    make_setup(parse_scene(scene));
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

TEST(Graded, RefusesWhatIsNoMaterial) {
  const std::string method = "kind = 'stormer_verlet', step = 0.01";
  const auto expect_part = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const std::string linear = "kind = 'linear'\nyoung = 1\npoisson = 0\ndensity = 1\n";
  expect_part(refusal(bar(linear + "stiffness_factor = '1 - X'", method)), "stiffness_factor of 'graded' is -");
  expect_part(refusal(bar(linear + "density_factor = 'X - 3'", method)), "density_factor of 'graded' is -");
  expect_part(refusal(bar(linear + "stiffness_factor = '1 + x'", method)), "material.graded.stiffness_factor");
  expect_part(refusal(bar("kind = 'expression'\ndensity = 1\nenergy = '1/2*(I1 - 3 - 2*log(J)) + log(J)^2 + X*(I1 - "
                          "3)'",
                          method)),
              "is not stress-free at rest");
}

}  // namespace
}  // namespace livens
