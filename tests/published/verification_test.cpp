// Verification of the solids: patch tests, orders in space by manufactured solutions, order in time on a mesh,
// frequencies of a bar, and a cantilever under large deflection against the elastica.
#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <livens/jet.hpp>
#include <livens/meshes.hpp>

#include "math/quadrature.hpp"
#include "mesh/core/select.hpp"
#include "mesh/core/shape.hpp"
#include "published/solids.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

std::shared_ptr<Mesh> mesh_of(ElementKind kind, int n, double jitter = 0) {
  const bool solid = dimension_of(kind) == 3;
  const ElementKind linear = solid ? ElementKind::tet4 : ElementKind::tri3;
  Mesh mesh = solid ? box_mesh({{1, 1, 1}, {0, 0, 0}, {n, n, n}, {1, 1, 1}, 6, linear})
                    : rectangle_mesh({{1, 1}, {0, 0}, {n, n}, {1, 1}, linear});
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> noise(-jitter / n, jitter / n);
  std::vector<bool> outside(mesh.nodes(), false);
  for (const int a : select_boundary(mesh)) outside[a] = true;
  const int D = mesh.dimension();
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int c = 0; c < D && !outside[a]; ++c) mesh.X[a * D + c] += noise(engine);
  if (quadratic(kind)) mesh = to_quadratic(mesh);
  return std::make_shared<Mesh>(std::move(mesh));
}

// An affine motion of the boundary of an irregular mesh is the motion of every node.
TEST(PatchTest, AffineMotionsAreExactForEveryElementAndMaterial) {
  for (const auto& record : material_records()) {
    if (record.name == "expression") continue;
    for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10}) {
      const auto mesh = mesh_of(kind, 4, 0.2);
      const int D = mesh->dimension();
      const double A[3][3] = {{1.1, 0.05, -0.02}, {0.08, 0.93, 0.04}, {0.03, -0.06, 1.05}};
      const PositionOf affine = [&](const double* X, int c) {
        double x = 0.3;
        for (int j = 0; j < D; ++j) x += A[c][j] * X[j];
        return x;
      };
      ModelParts parts = solid_parts(mesh, record.name, moduli_of(1e5, 0.3));
      hold(parts, select_boundary(*mesh), affine);
      const Model model(std::move(parts));
      // From the affine start moved at every node that is free.
      std::vector<double> start(mesh->X.size());
      for (int a = 0; a < mesh->nodes(); ++a)
        for (int c = 0; c < D; ++c) start[a * D + c] = affine(mesh->X.data() + a * D, c) + 0.004 * std::sin(a + c);
      const State state = equilibrium(model, start, 1);
      double worst = 0, moved = 0;
      for (int a = 0; a < mesh->nodes(); ++a)
        for (int c = 0; c < D; ++c) {
          const auto i = static_cast<std::size_t>(a * D + c);
          worst = std::max(worst, std::abs(state.q[i] - affine(mesh->X.data() + a * D, c)));
          moved = std::max(moved, std::abs(state.q[i] - start[i]));
        }
      EXPECT_LE(worst, 1e-10) << record.name << " " << to_string(kind);
      EXPECT_GT(moved, 1e-3);
    }
  }
}

// --- manufactured solutions -----------------------------------------------------------------------------------------

constexpr double amplitude = 0.1;

// u_c(X), any scalar type; the third component is 0 in plane strain.
template <class S>
S displacement(const S* X, int c, int D) {
  using std::cos;
  using std::sin;
  if (D == 2) {
    if (c == 0) return amplitude * sin(1.3 * X[0] + 0.4) * sin(2.0 * X[1] + 0.2);
    return amplitude * cos(1.7 * X[0]) * sin(1.1 * X[1] + 0.5);
  }
  if (c == 0) return amplitude * sin(1.3 * X[0] + 0.4) * sin(2.0 * X[1] + 0.2) * cos(0.7 * X[2]);
  if (c == 1) return amplitude * cos(1.7 * X[0]) * sin(1.1 * X[1] + 0.5 + 0.6 * X[2]);
  return amplitude * sin(X[0] + 0.9 * X[1]) * sin(1.5 * X[2] + 0.3);
}

using Jet3 = Jet2<3>;
using Jet9 = Jet2<9>;

// mu/2 (I1 - 3 - 2 ln J) + lambda/2 (ln J)^2 as a function of F.
Jet9 neo_hookean(const std::array<Jet9, 9>& F, const Moduli& m) {
  Jet9 i1 = 0;
  for (const Jet9& f : F) i1 = i1 + f * f;
  const Jet9 J =
      F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
  const Jet9 l = log(J);
  return m.mu / 2 * (i1 - 3.0 - 2.0 * l) + m.lambda / 2 * l * l;
}

struct Exact {
  double u[3] = {0, 0, 0}, grad[3][3] = {}, force[3] = {0, 0, 0};  // force = -Div P
  Exact(const double* X, int D, const Moduli& moduli) {
    Jet3 x[3];
    for (int c = 0; c < 3; ++c) x[c] = Jet3::variable(c < D ? X[c] : 0, c);
    double second[3][3][3] = {};
    for (int c = 0; c < D; ++c) {
      const Jet3 value = displacement(x, c, D);
      u[c] = value.value;
      for (std::size_t j = 0; j < 3; ++j) {
        grad[c][j] = value.gradient[j];
        for (std::size_t k = 0; k < 3; ++k) second[c][j][k] = value.hessian(j, k);
      }
    }
    std::array<Jet9, 9> F;
    for (std::size_t i = 0; i < 9; ++i) F[i] = Jet9::variable(grad[i / 3][i % 3] + (i % 4 == 0 ? 1 : 0), i);
    const Jet9 w = neo_hookean(F, moduli);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 3; ++k)
          for (std::size_t l = 0; l < 3; ++l) force[i] -= w.hessian(3 * i + j, 3 * k + l) * second[k][l][j];
  }
};

// Points and weights on the reference simplex by collapsed Gauss rules: barycentric coordinates, weights sum to 1.
std::vector<std::pair<std::array<double, 4>, double>> simplex_rule(int D, int points) {
  const Quadrature gauss = gauss_quadrature(points);
  std::vector<std::pair<std::array<double, 4>, double>> rule;
  const std::size_t n = gauss.x.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < (D == 3 ? n : 1); ++k) {
        const double a = gauss.x[i], b = gauss.x[j], c = D == 3 ? gauss.x[k] : 0;
        if (D == 2)
          rule.push_back({{(1 - a) * (1 - b), a * (1 - b), b, 0}, gauss.w[i] * gauss.w[j] * (1 - b) * 2});
        else
          rule.push_back({{(1 - a) * (1 - b) * (1 - c), a * (1 - b) * (1 - c), b * (1 - c), c},
                          gauss.w[i] * gauss.w[j] * gauss.w[k] * (1 - b) * (1 - c) * (1 - c) * 6});
      }
  return rule;
}

constexpr int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

std::vector<double> shape_functions(ElementKind kind, const std::array<double, 4>& L) {
  const int V = vertices_of(kind);
  std::vector<double> N;
  for (int a = 0; a < V; ++a) {
    const double l = L[a];
    N.push_back(quadratic(kind) ? l * (2 * l - 1) : l);
  }
  for (int k = 0; quadratic(kind) && V + k < nodes_of(kind); ++k) N.push_back(4 * L[edges[k][0]] * L[edges[k][1]]);
  return N;
}

// body(element, X, weight, N)
template <class Body>
void integrate(const Mesh& mesh, const Body& body) {
  const int D = mesh.dimension();
  const auto rule = simplex_rule(D, quadratic(mesh.kind) ? 4 : 3);
  for (int e = 0; e < mesh.elements(); ++e)
    for (const auto& [L, w] : rule) {
      double X[3] = {0, 0, 0};
      for (int a = 0; a <= D; ++a)
        for (int c = 0; c < D; ++c) X[c] += L[a] * mesh.X[mesh.element(e)[a] * D + c];
      body(e, X, L, w * signed_volume(mesh, e), shape_functions(mesh.kind, L));
    }
}

struct Errors {
  double l2 = 0, h1 = 0;
};

Errors manufactured_errors(ElementKind kind, int n) {
  const Moduli moduli = moduli_of(1e3, 0.3);
  const auto mesh = mesh_of(kind, n);
  const int D = mesh->dimension(), N = nodes_of(kind);
  std::vector<double> load(mesh->X.size(), 0.0);
  integrate(*mesh,
            [&](int e, const double* X, const std::array<double, 4>&, double w, const std::vector<double>& shape) {
              const Exact exact(X, D, moduli);
              for (int a = 0; a < N; ++a)
                for (int c = 0; c < D; ++c) load[mesh->element(e)[a] * D + c] += w * shape[a] * exact.force[c];
            });
  const auto position = [&](const double* X, int c) { return X[c] + displacement<double>(X, c, D); };
  ModelParts parts = solid_parts(mesh, "neo_hookean", moduli);
  hold(parts, select_boundary(*mesh), position);
  parts.terms.push_back(std::make_shared<NodalForces>(load));
  const Model model(std::move(parts));
  std::vector<double> start(mesh->X.size());  // nodal values; the discrete equilibrium is elsewhere
  for (int a = 0; a < mesh->nodes(); ++a)
    for (int c = 0; c < D; ++c) start[a * D + c] = position(mesh->X.data() + a * D, c);
  const State state = equilibrium(model, start, 1);

  Errors errors;
  const double small = 1e-6;
  integrate(*mesh, [&](int e, const double* X, const std::array<double, 4>& L, double w, const std::vector<double>&) {
    const Exact exact(X, D, moduli);
    const int* nodes = mesh->element(e);
    const auto u_at = [&](const std::array<double, 4>& l, int c) {
      const auto shape = shape_functions(kind, l);
      double u = 0;
      for (int a = 0; a < N; ++a) {
        const auto i = static_cast<std::size_t>(nodes[a] * D + c);
        u += shape[a] * (state.q[i] - mesh->X[i]);
      }
      return u;
    };
    // Derivatives along the edges from vertex 0, by central differences (exact for these polynomials).
    for (int c = 0; c < D; ++c) {
      errors.l2 += w * std::pow(u_at(L, c) - exact.u[c], 2);
      for (int b = 1; b <= D; ++b) {
        std::array<double, 4> plus = L, minus = L;
        plus[b] += small, plus[0] -= small;
        minus[b] -= small, minus[0] += small;
        double along = 0, length = 0;
        for (int j = 0; j < D; ++j) {
          const double d = mesh->X[nodes[b] * D + j] - mesh->X[nodes[0] * D + j];
          along += exact.grad[c][j] * d;
          length += d * d;
        }
        errors.h1 += w * std::pow((u_at(plus, c) - u_at(minus, c)) / (2 * small) - along, 2) / length;
      }
    }
  });
  return {std::sqrt(errors.l2), std::sqrt(errors.h1)};
}

class Manufactured : public testing::TestWithParam<ElementKind> {};

TEST_P(Manufactured, OrdersInSpace) {
  const ElementKind kind = GetParam();
  const int n = dimension_of(kind) == 2 ? (quadratic(kind) ? 8 : 16) : (quadratic(kind) ? 4 : 6);
  const Errors coarse = manufactured_errors(kind, n), fine = manufactured_errors(kind, 2 * n);
  const double u = std::log2(coarse.l2 / fine.l2), grad = std::log2(coarse.h1 / fine.h1);
  RecordProperty("order_u", std::to_string(u));
  RecordProperty("order_grad_u", std::to_string(grad));
  std::printf("%s: order %.2f in u, %.2f in grad u (n = %d, %d)\n", to_string(kind).c_str(), u, grad, n, 2 * n);
  table_number("verification", to_string(kind), "order in u", u);
  table_number("verification", to_string(kind), "order in grad u", grad);
  const double p = quadratic(kind) ? 2 : 1;
  EXPECT_NEAR(u, p + 1, 0.25);
  EXPECT_NEAR(grad, p, 0.15);
  EXPECT_GT(fine.l2, 1e-9);  // not rounding
}

INSTANTIATE_TEST_SUITE_P(Elements, Manufactured,
                         testing::Values(ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10),
                         [](const auto& one) { return to_string(one.param); });

// --- cantilever -----------------------------------------------------------------------------------------------------

// Dead load P at the tip of a clamped strip: deflections of the elastica for P L^2 / (E I) = 1, 2, 5, 10
// (Mattiasson 1981). Slenderness 50 leaves shear and stretch of some 1e-3.
TEST(Cantilever, LargeDeflectionsAreThoseOfTheElastica) {
  const double L = 1, t = 0.02, E = 1e6, I = t * t * t / 12;
  const auto mesh = std::make_shared<Mesh>(rectangle_mesh({{L, t}, {0, -t / 2}, {100, 2}, {1, 1}, ElementKind::tri6}));
  const double table[4][3] = {
      {1, 0.30172, 0.05643}, {2, 0.49346, 0.16064}, {5, 0.71379, 0.38763}, {10, 0.81061, 0.55500}};
  for (const auto& row : table) {
    ModelParts parts = solid_parts(mesh, "st_venant_kirchhoff", moduli_of(E, 0));
    hold(parts, mesh->groups.at("x_min"), [](const double* X, int c) { return X[c]; });
    std::vector<double> load(mesh->X.size(), 0.0);
    const auto& tip = mesh->groups.at("x_max");
    for (const int a : tip) load[2 * a + 1] = row[0] * E * I / (L * L) / static_cast<double>(tip.size());
    parts.terms.push_back(std::make_shared<NodalForces>(load));
    const Model model(std::move(parts));
    const State state = equilibrium(model, mesh->X, 10);
    double x = 0, y = 0;
    for (const int a : tip) {
      x += state.q[2 * a] / static_cast<double>(tip.size());
      y += state.q[2 * a + 1] / static_cast<double>(tip.size());
    }
    std::printf("elastica, load %4.0f: deflection %.5f (%.5f), shortening %.5f (%.5f)\n", row[0], y, row[1], L - x,
                row[2]);
    const std::string what = "cantilever, load " + std::to_string(std::lround(row[0]));
    table_number("verification", what, "deflection over that of the elastica - 1", y / row[1] - 1);
    table_number("verification", what, "shortening over that of the elastica - 1", (L - x) / row[2] - 1);
    EXPECT_NEAR(y, row[1], 0.005 * row[1]);
    EXPECT_NEAR(L - x, row[2], 0.01 * row[2]);
  }
}

// --- motion ---------------------------------------------------------------------------------------------------------

std::string bar_scene(const std::string& body, const std::string& rest) {
  return "time = { end = 1 }\n[[material]]\nname = 'm'\n" + body +
         "\n[[constraint]]\nname = 'clamp'\nkind = 'fixed'\nselection = 'bar.x_min'\n" + rest;
}

// Longitudinal waves in a slender clamped-free bar without lateral contraction: f_k = (2k - 1) c / (4 L).
TEST(Frequencies, LongitudinalModesOfABar) {
  const double c = 10, L = 1;  // E = 1e5 Pa, rho = 1000 kg/m^3
  for (const std::string element : {"tet4", "tet10"})
    for (const int k : {1, 2}) {
      const double omega = (2 * k - 1) * M_PI * c / (2 * L);
      const std::string shape = "sin(" + std::to_string((2 * k - 1) * M_PI / 2) + "*X)";
      Scene scene = parse_scene(bar_scene(
          "kind = 'linear'\nyoung = 1e5\npoisson = 0\ndensity = 1000\n[[body]]\nname = 'bar'\nkind = 'solid'\n"
          "material = 'm'\nmesh = { kind = 'box', size = [1, 0.05, 0.05], cells = [20, 1, 1], element = '" +
              element + "' }\ninitial.velocity = ['0.01*" + shape + "', '0', '0']",
          "[integrator]\nkind = 'stormer_verlet'\nstep = 1e-4\n"));
      const Model model = make_model(scene);
      State state = initial_state(scene, model);
      const int tip = select_nearest(*model.bodies().front().mesh, {1, 0, 0}).front();
      double before = 0, t_before = 0, crossing = 0;
      int crossings = 0;
      make_integrator(scene, model)->advance(model, state, 10 / omega, [&](const State& now, const StepReport&) {
        const double u = now.q[3 * tip] - 1;
        if (before * u < 0) {
          crossing = t_before + (now.t - t_before) * before / (before - u);
          ++crossings;
        }
        before = u;
        t_before = now.t;
        return true;
      });
      ASSERT_GE(crossings, 2);
      const double measured = crossings * M_PI / crossing;
      std::printf("%s, mode %d: omega %.4f rad/s, of the bar %.4f\n", element.c_str(), k, measured, omega);
      table_number("verification", element + ", mode " + std::to_string(k), "frequency over that of the bar - 1",
                   measured / omega - 1);
      EXPECT_NEAR(measured, omega, 0.004 * omega);
    }
}

// Order in time on a mesh, non-linear, with and without strain damping.
TEST(Orders, InTimeOnASolid) {
  const auto end_state = [](const std::string& integrator, const std::string& force, double h) {
    Scene scene = parse_scene(bar_scene(
        "kind = 'neo_hookean'\nyoung = 2e5\npoisson = 0.4\ndensity = 1000\n[[body]]\nname = 'bar'\nkind = 'solid'\n"
        "material = 'm'\nmesh = { kind = 'box', size = [1, 0.3, 0.3], cells = [4, 1, 1] }\n"
        "initial.velocity = ['0', '-4*X*Z', '2*X + 4*X*Y']",
        force + "[integrator]\nkind = '" + integrator + "'\nstep = " + std::to_string(h) + "\n"));
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    EXPECT_TRUE(make_integrator(scene, model)->advance(model, state, 0.16).converged);
    return state.q;
  };
  const std::string damping = "[[force]]\nkind = 'strain_damping'\ndamping_time = 0.002\n";
  const std::string halved = damping + "damping_form = 'second_order'\n";
  const struct {
    std::string integrator, force;
    double order;
  } cases[] = {{"hamilton_pontryagin", "", 2},
               {"implicit_midpoint", damping, 1},
               {"implicit_midpoint", halved, 2},
               {"stormer_verlet", "", 2},
               {"stormer_verlet", damping, 1},
               {"newmark", "", 2},
               {"implicit_euler", "", 1},
               {"implicit_euler", damping, 1},
               {"galerkin", "", 4},
               {"rk4", "", 4}};
  for (const auto& one : cases) {
    const double h = one.force.empty() ? 0.001 : 0.0005;
    const auto coarse = end_state(one.integrator, one.force, h), fine = end_state(one.integrator, one.force, h / 2),
               finer = end_state(one.integrator, one.force, h / 4);
    double first = 0, second = 0;
    for (std::size_t i = 0; i < fine.size(); ++i) {
      first = std::max(first, std::abs(coarse[i] - fine[i]));
      second = std::max(second, std::abs(fine[i] - finer[i]));
    }
    const double order = std::log2(first / second);
    std::printf("%s%s: order %.2f in time\n", one.integrator.c_str(), one.force.empty() ? "" : ", damped", order);
    const std::string form = one.force.empty() ? "" : one.force == halved ? ", damped, second_order" : ", damped";
    table_number("verification", one.integrator + form, "order in time", order);
    EXPECT_NEAR(order, one.order, 0.25) << one.integrator << one.force;
    EXPECT_GT(second, 1e-12);
  }
}

}  // namespace
}  // namespace livens
