// Forces and potentials that are written down: against closed solutions, other terms, integrals, and differences.
#include <cmath>

#include <livens/livens.hpp>

#include "bodies/solid.hpp"
#include "elements/volume_points.hpp"
#include "support/derivatives.hpp"
#include "support/solids.hpp"

namespace livens {
namespace {

using testing::random_vector;

std::string particle(const std::string& rest) {
  return "[[body]]\nname = 'particle'\nkind = 'particles'\nmass = 0.5\nlayout = { kind = 'points', points = [[1, 0, "
         "0.3]] }\ninitial.velocity = [0, 2, 0.5]\n" +
         rest;
}

State run_for(const std::string& text, double t) {
  const Scene scene = parse_scene(text);
  Setup setup = make_setup(scene);
  const StepReport report = setup.integrator->advance(*setup.model, setup.start, t);
  EXPECT_TRUE(report.converged);
  return setup.start;
}

const char* const midpoint = "time = { end = 2 }\nintegrator = { kind = 'implicit_midpoint', step = 0.002 }\n";
const char* const verlet = "time = { end = 2 }\nintegrator = { kind = 'stormer_verlet', step = 0.002 }\n";
constexpr double second_order = 3e-5;  // (h omega)^2/12 omega t with h omega = 0.01

// A charge in a magnetic field along z moves on a circle of radius m v/(qB), at qB/m rad/s; the field does no work.
TEST(ExpressionForce, ChargeInAMagneticField) {
  const std::string field =
      "[[force]]\nname = 'field'\nkind = 'expression'\nbody = 'particle'\nforce = ['qB*vy', '-qB*vx', 0]\n";
  const std::string parameters = "[parameters]\nqB = 2.5\n";
  for (const char* method : {midpoint, verlet}) {
    const State end = run_for(method + parameters + particle(field), 2);
    const double omega = 5, radius = 2 / omega, angle = omega * 2;
    EXPECT_NEAR(end.q[0], 1 + radius * (1 - std::cos(angle)), 20 * second_order);
    EXPECT_NEAR(end.q[1], radius * std::sin(angle), 20 * second_order);
    EXPECT_NEAR(end.q[2], 0.3 + 0.5 * 2, 1e-12);
    EXPECT_NEAR(std::hypot(end.v[0], end.v[1]), 2, 1e-10);
  }
}

// A trap k x^2/2 along x only, given as potential and as force; per mass it is k m.
TEST(ExpressionForce, TrapAsPotentialAndAsForce) {
  const double omega = 3;
  for (const char* method : {midpoint, verlet})
    for (const char* trap : {"potential = '4.5*x^2/2'", "force = ['-4.5*x', 0, 0]",
                             "potential = '9*x^2/2'\nper = 'mass'", "force = ['-9*x', 0, 0]\nper = 'mass'"}) {
      const State end = run_for(method + particle("[[force]]\nkind = 'expression'\n" + std::string(trap) + "\n"), 2);
      EXPECT_NEAR(end.q[0], std::cos(omega * 2), 10 * second_order) << trap;
      EXPECT_NEAR(end.q[1], 4, 1e-12);
    }
}

// What depends on time and reference place alone is a dead load, with its potential; work and momentum are booked.
TEST(ExpressionForce, ForceOfTimeIsADeadLoad) {
  const Scene scene =
      parse_scene(midpoint + particle("[[force]]\nname = 'push'\nkind = 'expression'\nforce = ['X*sin(t)', 0, 0]\n"));
  const Model model = make_model(scene);
  EXPECT_TRUE(model.parts().forces.empty());
  ASSERT_EQ(model.parts().terms.size(), 1u);
  const State end = run_for(midpoint + particle("[[force]]\nname = 'push'\nkind = 'expression'\nforce = ['X*sin(t)', "
                                                "0, 0]\n"),
                            2);
  EXPECT_NEAR(end.v[0], 2 * (1 - std::cos(2)), 1e-6);  // m = 0.5
}

// --- derivatives -----------------------------------------------------------------------------------------------------

std::string solid(const std::string& element, const std::string& mass, const std::string& rest) {
  const bool plane = element.substr(0, 3) == "tri";
  return "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.001 }\n[[material]]\nname = 'jelly'\n"
         "kind = 'neo_hookean'\nyoung = 10\npoisson = 0.3\ndensity = 2\n[[body]]\nname = 'block'\nkind = 'solid'\n"
         "material = 'jelly'\nmass_matrix = '" +
         mass + "'\nmesh = { kind = '" + (plane ? "rectangle" : "box") +
         "', size = " + (plane ? "[1, 0.7]" : "[1, 0.7, 0.9]") + ", cells = " + (plane ? "[1, 1]" : "[1, 1, 1]") +
         ", element = '" + element + "' }\n" + rest;
}

TEST(ExpressionForce, DerivativesMatchDifferences) {
  for (const std::string element : {"tri3", "tri6", "tet4", "tet10"})
    for (const std::string per : {"node", "mass", "volume"}) {
      const bool plane = element.substr(0, 3) == "tri";
      const std::string end = "\nper = '" + per + "'\n", head = "[[force]]\nkind = 'expression'\nname = ";
      const std::string potential = plane ? "'exp(x)*sin(y) + X*y^2*t'" : "'exp(x)*sin(y) + X*y^2*t + z^3*Z + x*z'";
      const std::string force =
          plane ? "['x*y + vx*vy^2', 'Y*x^2 - 0.3*vy*x']" : "['x*y + vx*vy^2', 'Y*x^2 - 0.3*vy*z', 'sin(z*vx) + t*z']";
      const Model model = make_model(parse_scene(solid(
          element, "lumped", head + "'U'\npotential = " + potential + end + head + "'F'\nforce = " + force + end)));
      std::vector<double> q = model.bodies()[0].reference;
      const auto offset = random_vector(q.size(), 0.1, 3);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += offset[i];
      const EnergyTerm& term = *model.parts().terms.back();
      testing::expect_consistent(term, q);
      const double h = 1e-6;
      EXPECT_NEAR(term.time_derivative(0.3, q), (term.energy(0.3 + h, q) - term.energy(0.3 - h, q)) / (2 * h), 1e-7);
      ASSERT_EQ(model.parts().forces.size(), 1u);
      testing::expect_consistent(*model.parts().forces[0], q, random_vector(q.size(), 1, 5));
    }
}

// --- volumes ---------------------------------------------------------------------------------------------------------

// Monomials of degree 5 (2 on linear elements) over the unit simplex: a! b! c! / (a + b + c + dim)!
TEST(ExpressionForce, RuleOfVolumesIsExactToItsDegree) {
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  for (const ElementKind kind : testing::element_kinds) {
    const int dim = dimension_of(kind), degree = quadratic(kind) ? 5 : 2;
    std::vector<double> X(static_cast<std::size_t>((dim + 1) * dim), 0.0);
    for (int c = 0; c < dim; ++c) X[(c + 1) * dim + c] = 1;
    std::vector<int> vertices = {0, 1, 2, 3};
    vertices.resize(static_cast<std::size_t>(dim + 1));
    Mesh mesh = mesh_from_arrays(dim == 2 ? ElementKind::tri3 : ElementKind::tet4, X, vertices);
    if (quadratic(kind)) mesh = to_quadratic(mesh);
    for (int a = 0; a <= degree; ++a)
      for (int b = 0; a + b <= degree; ++b)
        for (int c = 0; a + b + c <= degree; c += dim == 3 ? 1 : degree + 1) {
          double sum = 0;
          for (const VolumePoint& point : volume_points(mesh, 0))
            sum += point.volume * std::pow(point.X[0], a) * std::pow(point.X[1], b) * std::pow(point.X[2], c);
          EXPECT_NEAR(sum, factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + dim), 1e-15);
        }
  }
}

// A weight per volume is that of a consistent mass, node by node.
TEST(ExpressionForce, WeightPerVolumeIsGravity) {
  for (const std::string element : {"tri3", "tri6", "tet4", "tet10"}) {
    const bool plane = element.substr(0, 3) == "tri";
    const Model model = make_model(parse_scene(
        solid(element, "consistent",
              std::string("[[force]]\nkind = 'gravity'\nacceleration = ") + (plane ? "[0, -9]" : "[0, -9, 0]") +
                  "\n[[force]]\nkind = 'expression'\nper = 'volume'\nforce = " + (plane ? "[0, -18]" : "[0, -18, 0]") +
                  "\n[[force]]\nname = 'U'\nkind = 'expression'\nper = 'volume'\npotential = '18*y'\n")));
    const auto& terms = model.parts().terms;
    const std::vector<double>& q = model.bodies()[0].reference;
    std::vector<double> weight(q.size(), 0.0), written(q.size(), 0.0), potential(q.size(), 0.0);
    terms[terms.size() - 3]->add_gradient(0, q, 1, weight);
    terms[terms.size() - 2]->add_gradient(0, q, 1, written);
    terms[terms.size() - 1]->add_gradient(0, q, 1, potential);
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_NEAR(written[i], weight[i], 1e-14) << element;
      EXPECT_NEAR(potential[i], weight[i], 1e-14) << element;
    }
  }
}

// A bar of E and length 2, held at X = 0, under the body force b X along it: u(2) = b 2^3/(3 E).
TEST(ExpressionForce, BarUnderABodyForce) {
  const double b = 0.03, E = 10;
  const State end = run_for(
      "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 1 }\n[[material]]\nname = 'bar'\nkind = "
      "'linear'\nyoung = 10\npoisson = 0\ndensity = 1\n[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = "
      "'bar'\nmesh = { kind = 'box', size = [2, 0.5, 0.5], cells = [8, 1, 1], element = 'tet10' }\n[[constraint]]\n"
      "kind = 'fixed'\nselection = 'bar.x_min'\n[[force]]\nkind = 'expression'\nper = 'volume'\nforce = ['0.03*X', 0, "
      "0]\n",
      1);
  double farthest = 0;
  for (std::size_t i = 0; i < end.q.size(); i += 3) farthest = std::max(farthest, end.q[i]);
  constexpr double eight_cells = 5e-4;  // of a displacement of third degree
  EXPECT_NEAR((farthest - 2) / (b * 8 / (3 * E)), 1, eight_cells);
}

// --- refusals --------------------------------------------------------------------------------------------------------

std::string refusal(const std::string& text) {
  try {
    make_model(parse_scene(text));
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(ExpressionForce, RefusesWithThePlace) {
  const auto force = [](const std::string& keys) {
    return refusal(midpoint + particle("[[force]]\nname = 'f'\nkind = 'expression'\n" + keys + "\n"));
  };
  expect_part(force("per = 'mass'"), "needs either `force`");
  expect_part(force("force = [1, 2, 3]\npotential = 'x'"), "needs either `force`");
  expect_part(force("force = [1, 'x']"), "force.f.force: expected 3 components, found 2");
  expect_part(force("force = [1, 'x + vv', 0]"), "vv");
  expect_part(force("potential = 'vx^2'"), "force.f.potential");
  expect_part(force("force = ['x', 0, 0]\nper = 'volume'"), "has no volume");
  expect_part(force("force = ['x', 0, 0]\nper = 'area'"), "force.f.per");
  expect_part(refusal("time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = "
                      "'p'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[1, 0]] "
                      "}\n[[force]]\nname = 'f'\nkind = 'expression'\nforce = ['z', 0]\n"),
              "there is no 'z'");
  expect_part(refusal("time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.1 }\n[[body]]\nname = 'r'\nkind = "
                      "'rigid'\nmass = 1\ninertia = [1, 1, 1]\ncenter = [0, 0, 0]\n[[force]]\nname = 'f'\nkind = "
                      "'expression'\nforce = "
                      "['x', 0, 0]\n"),
              "is rigid");
}

}  // namespace
}  // namespace livens
