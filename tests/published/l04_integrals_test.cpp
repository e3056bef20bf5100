// Contour integrals of configurational forces [L04 5]: J inside and outside a contour, L, M, stress-intensity factors,
// J along a front. Against symmetries of the energy, differences, and known solutions.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "diagnostics/contour_domains.hpp"
#include "materials/material.hpp"
#include "mesh/core/select.hpp"
#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"
#include "run/plan.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;
using Kind = DefectMotion::Kind;
constexpr double lambda = 6e8, mu = 4e8, thickness = 0.7;
constexpr ElementKind kinds[] = {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10};

// held: no node is free to move.
Model model_of(const Mesh& mesh, const std::string& material, bool held = false) {
  const auto shared = std::make_shared<const Mesh>(mesh);
  SolidPart part{"body", shared, 0, {}, thickness, 1000};
  for (int e = 0; e < mesh.elements(); ++e) part.elements.push_back(e);
  MaterialConstants constants;
  constants.moduli = {lambda, mu};
  Body body;
  body.name = "body";
  body.dimension = mesh.dimension();
  body.nodes = mesh.nodes();
  body.reference = mesh.X;
  body.mesh = shared;
  ModelParts parts;
  parts.mass.diagonal.assign(mesh.X.size(), 1.0);
  parts.bodies = {body};
  if (held) {
    parts.supports = {{"all", {}, {}}};
    for (int i = 0; i < body.size(); ++i) parts.supports[0].coordinates.push_back(i);
  }
  for (const MaterialRecord& record : material_records())
    if (record.name == material) parts.terms = {record.make(constants, part)};
  return Model(std::move(parts));
}

Mesh grid(ElementKind kind) {
  return dimension_of(kind) == 3 ? box_mesh({{1, 0.7, 0.9}, {0.3, -0.2, 0.1}, {3, 3, 3}, {1, 1, 1}, 6, kind})
                                 : rectangle_mesh({{1, 0.7}, {0.3, -0.2}, {5, 5}, {1, 1}, kind});
}

Numbers noise(std::size_t count, double size) {
  std::mt19937 engine(11);
  std::normal_distribution<double> normal(0, size);
  Numbers result(count);
  for (double& x : result) x = normal(engine);
  return result;
}

State state_of(const Model& model, const Numbers& u) {
  Numbers q = model.bodies()[0].reference;
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += u[i];
  return make_state(model, 0, std::move(q), Numbers(u.size(), 0.0));
}

DefectMotion translation(std::array<double, 3> e) { return {Kind::translation, e, {}}; }

// A corner of cells inside grid().
std::vector<int> middle_of(const Mesh& mesh) {
  return mesh.dimension() == 3 ? select_nearest(mesh, {0.3 + 1.0 / 3, -0.2 + 0.7 / 3, 0.4})
                               : select_nearest(mesh, {0.7, 0.08, 0});
}

// J is minus the change of the energy when the corners inside move and straight elements stay straight.
TEST(ContourWeights, MidsidesFollowTheCornersOfStraightElements) {
  constexpr double step = 1e-5;
  for (const ElementKind kind : {ElementKind::tri6, ElementKind::tet10}) {
    const Mesh mesh = grid(kind);
    const auto d = at(mesh.dimension());
    const Numbers u = noise(mesh.X.size(), 0.01);
    const ContourDomain domain = rings_about(mesh, middle_of(mesh), 1);
    double energy[2], not_following[2];
    for (const int side : {0, 1}) {
      Mesh moved = mesh, alone = mesh;
      for (int a = 0; a < mesh.nodes(); ++a) {
        const double by = side == 0 ? -step : step, zeta = domain.weights[at(a)];
        moved.X[at(a) * d] += by * zeta;
        alone.X[at(a) * d] += by * (zeta == 1 ? 1 : 0);
      }
      energy[side] = model_of(moved, "linear").potential(0, state_of(model_of(moved, "linear"), u).q);
      not_following[side] = model_of(alone, "linear").potential(0, state_of(model_of(alone, "linear"), u).q);
      // Straight: every midside is the mean of its corners.
      for (int k = 0; k < edges_of(kind); ++k)
        for (int e = 0; e < mesh.elements(); ++e)
          EXPECT_NEAR(moved.X[at(moved.element(e)[vertices_of(kind) + k]) * d],
                      0.5 * (moved.X[at(moved.element(e)[simplex_edges[at(k)][0]]) * d] +
                             moved.X[at(moved.element(e)[simplex_edges[at(k)][1]]) * d]),
                      1e-15);
    }
    const Model model = model_of(mesh, "linear");
    const double j = Contour(model, 0, domain).released(model, state_of(model, u), translation({1, 0, 0}), false);
    EXPECT_NEAR(j, -(energy[1] - energy[0]) / (2 * step), 1e-6 * std::abs(j)) << to_string(kind);
    EXPECT_GT(std::abs(j + (not_following[1] - not_following[0]) / (2 * step)), 1e-3 * std::abs(j));
  }
}

TEST(ContourWeights, TheTipAloneIsItsNodeAlone) {
  const Mesh mesh = grid(ElementKind::tri6);
  const std::vector<int> tip = middle_of(mesh);
  const ContourDomain alone = rings_about(mesh, tip, 0), one = rings_about(mesh, tip, 1);
  double sum = 0, halves = 0;
  for (const double weight : alone.weights) sum += weight;
  for (const double weight : one.weights) halves += weight == 0.5 ? 1 : 0;
  EXPECT_EQ(sum, 1);
  EXPECT_GT(halves, 4);
  EXPECT_EQ(within_radius(mesh, tip, 1e-9).weights[at(tip[0])], 1);
}

// [L04 (106)]: an element's forces have no sum, so that the nodes outside carry what those inside do. In any state.
TEST(ContourIntegrals, JInsideIsJOutside) {
  for (const ElementKind kind : kinds)
    for (const char* material : {"linear", "neo_hookean"}) {
      const Mesh mesh = grid(kind);
      const Model model = model_of(mesh, material);
      const State state = state_of(model, noise(mesh.X.size(), 0.01));
      const Contour contour(model, 0, rings_about(mesh, middle_of(mesh), 1));
      const DefectMotion motion = translation({0.6, 0.8, 0});
      const double j = contour.released(model, state, motion), outside = contour.released_outside(model, state, motion);
      EXPECT_NEAR(outside, j, 1e-12 * std::abs(j)) << to_string(kind) << ' ' << material;
      EXPECT_GT(std::abs(j - contour.released(model, state, motion, false)), 1e-3 * std::abs(j)) << "inertia";
    }
}

// Symmetries of the energy: with the whole body inside nothing is released by translation; by rotation, of isotropic
// materials; by expansion, of linear elasticity, in 3D only if displacements shrink by half of that.
TEST(ContourIntegrals, MotionsOfTheWholeBodyReleaseWhatIsNoSymmetry) {
  for (const ElementKind kind : kinds)
    for (const char* material : {"linear", "neo_hookean"}) {
      const Mesh mesh = grid(kind);
      const bool linear = std::string(material) == "linear";
      const Model model = model_of(mesh, material);
      const State state = state_of(model, noise(mesh.X.size(), 0.01));
      ContourDomain all;
      all.weights.assign(at(mesh.nodes()), 1.0);
      const Contour contour(model, 0, all);
      EXPECT_TRUE(contour.isotropic());
      EXPECT_EQ(contour.at_fixed_displacement(), linear);
      const double scale = model.potential(0, state.q);
      const std::array<double, 3> center{0.2, -0.4, dimension_of(kind) == 3 ? 0.7 : 0};
      for (const auto& motion : {translation({0.6, 0.8, 0}), DefectMotion{Kind::rotation, {0, 0, 1}, center}})
        EXPECT_NEAR(contour.released(model, state, motion, false), 0, 1e-12 * scale)
            << to_string(kind) << ' ' << material;
      const double expansion = contour.released(model, state, {Kind::expansion, {0, 0, 0}, center}, false);
      if (linear)
        EXPECT_NEAR(expansion, 0, 1e-12 * scale) << to_string(kind);
      else
        EXPECT_GT(std::abs(expansion), 0.1 * scale) << to_string(kind);
    }
}

// w = c/2 e_xx^2 of linear triangles.
class FibreBlock final : public SolidBlock {
 public:
  explicit FibreBlock(const SolidPart& part) : SolidBlock(part) {}
  double energy(double, ConstVector q) const override { return of(*part().mesh, q); }
  void add_gradient(double, ConstVector q, double scale, Vector g) const override { differ(q, scale, g, false); }
  void add_configurational(ConstVector q, double scale, Vector g) const override { differ(q, scale, g, true); }
  bool at_fixed_displacement() const override { return true; }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  Invariance invariance() const override { return {true, false}; }
  void fields(ConstVector, Vector, Vector) const override {}
  void volume_ratio(ConstVector, Vector) const override {}
  double grad_u_squared(ConstVector) const override { return 0; }
  bool survives_inversion() const override { return true; }
  std::shared_ptr<Force> make_damping(const std::string&, double, DampingForm) const override { return nullptr; }
  std::shared_ptr<const SolidBlock> on_mesh(std::shared_ptr<const Mesh>) const override { return nullptr; }

 private:
  static double of(const Mesh& mesh, ConstVector q) {
    double sum = 0;
    for (int e = 0; e < mesh.elements(); ++e) {
      const int* n = mesh.element(e);
      const double area = signed_volume(mesh, e);
      double strain = 0;
      for (std::size_t a = 0; a < 3; ++a)
        strain += (q[2 * at(n[a])] - mesh.X[2 * at(n[a])]) *
                  (mesh.X[2 * at(n[(a + 1) % 3]) + 1] - mesh.X[2 * at(n[(a + 2) % 3]) + 1]) / (2 * area);
      sum += 0.5 * mu * area * strain * strain;
    }
    return sum;
  }
  void differ(ConstVector q, double scale, Vector g, bool reference) const {
    constexpr double step = 1e-5;
    Mesh mesh = *part().mesh;
    Numbers x(q.begin(), q.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
      double energy[2];
      for (const int side : {0, 1}) {
        x[i] = q[i] + (side == 0 ? -step : step);
        if (reference) mesh.X[i] = part().mesh->X[i] + (side == 0 ? -step : step);
        energy[side] = of(mesh, x);
      }
      x[i] = q[i];
      mesh.X[i] = part().mesh->X[i];
      g[i] += scale * (energy[1] - energy[0]) / (2 * step);
    }
  }
};

TEST(ContourIntegrals, MaterialsThatAreNotIsotropicAreKnown) {
  const Mesh mesh = grid(ElementKind::tri3);
  Model plain = model_of(mesh, "linear");
  ModelParts parts = plain.parts();
  parts.terms = {std::make_shared<FibreBlock>(plain.parts().terms[0]->elements()->part())};
  const Model model(std::move(parts));
  ContourDomain all;
  all.weights.assign(at(mesh.nodes()), 1.0);
  EXPECT_FALSE(Contour(model, 0, all).isotropic());
}

// --- stress-intensity factors ----------------------------------------------------------------------------------------

// Williams' displacement for unit K: 2 mu (u + iv) = kappa f(z) - z conj(f'(z)) - conj(g(z)) with f = A z^(1/2),
// g = B z^(1/2); A = 1, B = 1/2 (mode I) or A = -i, B = 3i/2 (mode II), over sqrt(2 pi).
std::array<double, 2> williams_displacement(int mode, std::complex<double> z, double shear, double kappa) {
  if (z == 0.0) return {0, 0};
  const double unit = 1 / std::sqrt(2 * std::numbers::pi);
  const std::complex<double> A = mode == 1 ? std::complex<double>(unit, 0) : std::complex<double>(0, -unit);
  const std::complex<double> B = mode == 1 ? std::complex<double>(0.5 * unit, 0) : std::complex<double>(0, 1.5 * unit);
  const std::complex<double> root = std::sqrt(z);
  const auto w = (kappa * A * root - z * std::conj(0.5 * A / root) - std::conj(B * root)) / (2 * shear);
  return {w.real(), w.imag()};
}

TEST(CrackModes, WilliamsGradientsAreThoseOfTheDisplacement) {
  constexpr double kappa = 1.8, step = 1e-6;
  for (const int mode : {1, 2})
    for (const double angle : {-3.0, -1.0, 0.3, 2.0, 3.1}) {
      const std::complex<double> z = std::polar(0.3, angle);
      const auto H = williams_gradient(mode, z, mu, kappa);
      for (std::size_t j = 0; j < 2; ++j) {
        const std::complex<double> by = j == 0 ? std::complex<double>(step, 0) : std::complex<double>(0, step);
        const auto low = williams_displacement(mode, z - by, mu, kappa),
                   high = williams_displacement(mode, z + by, mu, kappa);
        for (std::size_t i = 0; i < 2; ++i)
          EXPECT_NEAR(H[i][j], (high[i] - low[i]) / (2 * step), 1e-8 / mu) << mode << ' ' << angle;
      }
      // In equilibrium with free faces: the stresses of the textbooks ahead of the tip and on the faces.
      const double tip = std::sqrt(2 * std::numbers::pi * 0.3), la = mu * (3 - kappa) / (kappa - 1);
      const auto ahead = williams_gradient(mode, 0.3, mu, kappa);
      EXPECT_NEAR(la * (ahead[0][0] + ahead[1][1]) + 2 * mu * ahead[1][1], mode == 1 ? 1 / tip : 0, 1e-9);
      EXPECT_NEAR(mu * (ahead[0][1] + ahead[1][0]), mode == 2 ? 1 / tip : 0, 1e-9);
      const auto face = williams_gradient(mode, {-0.3, 0.0}, mu, kappa);
      EXPECT_NEAR(la * (face[0][0] + face[1][1]) + 2 * mu * face[1][1], 0, 1e-9);
      EXPECT_NEAR(mu * (face[0][1] + face[1][0]), 0, 1e-9);
    }
}

// A crack at an angle, with the displacement of both modes in the nodes: what comes back, and J = (K_I^2 + K_II^2)/E'.
TEST(CrackModes, ComeBackFromWilliamsFields) {
  constexpr double one = 2e6, two = -1.3e6, angle = 0.4;
  CrackedPlateSpec spec;
  spec.size = {1, 1};
  spec.tip_size = 0.02;
  spec.edge_length = 0.1;
  Mesh mesh = cracked_plate_mesh(spec);
  const std::vector<int> tip = mesh.groups.at("crack_tip");
  const std::array<double, 2> e{std::cos(angle), std::sin(angle)};
  const std::vector<int>& upper = mesh.groups.at("crack_upper");
  const double kappa = (lambda + 3 * mu) / (lambda + mu), c = e[0], s = e[1];
  Numbers u(mesh.X.size(), 0.0);
  for (int a = 0; a < mesh.nodes(); ++a) {
    double &X = mesh.X[2 * at(a)], &Y = mesh.X[2 * at(a) + 1];
    std::complex<double> z(X - 0.5, Y);
    // The faces are on the cut of the root.
    if (Y == 0 && X < 0.5) z = {z.real(), std::binary_search(upper.begin(), upper.end(), a) ? 0.0 : -0.0};
    const auto first = williams_displacement(1, z, mu, kappa), second = williams_displacement(2, z, mu, kappa);
    const double along = one * first[0] + two * second[0], across = one * first[1] + two * second[1];
    u[2 * at(a)] = c * along - s * across;
    u[2 * at(a) + 1] = s * along + c * across;
    const double x = X, y = Y;
    X = c * x - s * y;
    Y = s * x + c * y;
  }
  const Model model = model_of(mesh, "linear", true);
  const State state = state_of(model, u);
  const Contour contour(model, 0, within_radius(mesh, tip, 0.3));
  const CrackModes modes = contour.modes(model, state, {mesh.X[2 * at(tip[0])], mesh.X[2 * at(tip[0]) + 1]}, e);
  const double young = mu * (3 * lambda + 2 * mu) / (lambda + mu), nu = lambda / (2 * (lambda + mu));
  EXPECT_NEAR(contour.plane_modulus(), young / (1 - nu * nu), 1e-9 * young);
  const double j = contour.released(model, state, translation({c, s, 0})) / thickness;
  std::printf("K_I off by %.1e, K_II by %.1e, J by %.1e\n", modes.one / one - 1, modes.two / two - 1,
              j * contour.plane_modulus() / (one * one + two * two) - 1);
  EXPECT_NEAR(modes.one, one, 2e-3 * one);
  EXPECT_NEAR(modes.two, two, 2e-3 * std::abs(two));
  EXPECT_NEAR(j * contour.plane_modulus(), one * one + two * two, 4e-3 * (one * one + two * two));
}

// --- scenes ----------------------------------------------------------------------------------------------------------

using Columns = std::map<std::string, double>;

Columns columns_of(const Scene& scene, double until = 1) {
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  const StepReport report = integrator->advance(model, state, until);
  EXPECT_TRUE(report.converged) << report.message;
  RunPlan plan = make_plan(scene, model);
  Columns result;
  for (Probe& probe : plan.probes) {
    Numbers values(probe.columns().size());
    probe.evaluate({model, state, report, *integrator}, values.data());
    for (std::size_t k = 0; k < values.size(); ++k) result[probe.columns()[k].name] = values[k];
  }
  return result;
}

Scene scene_of(const std::string& file, const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  Scene scene = load_scene(source_dir() + "/scenes/" + file);
  for (const auto& [key, value] : changes) scene.set(key, value);
  return scene;
}

// Tada, Paris, Irwin: the formulas of the scenes, with their own error.
TEST(L04Integrals, CracksAgreeWithTheHandbook) {
  struct Case {
    const char* file;
    double j, k, own;
  };
  for (const Case& one : {Case{"l04_crack_edge.toml", 543831.96, 3.5425934e8, 5e-3},
                          Case{"l04_crack_center.toml", 1005.7084, 1.0512726e6, 1e-3}}) {
    double before = 1;
    Columns made;
    for (const char* tip_size : {"0.02", "0.01", "0.005", "0.0025"}) {
      made = columns_of(scene_of(one.file, {{"body.plate.mesh.tip_size", tip_size}}));
      const double j = made.at("probe.middle.J"), off = std::abs(j / one.j - 1);
      std::printf("%s %s: J %+.2e, tip %+.2e, K_I %+.2e, K %+.2e, contours %.1e\n", one.file, tip_size, j / one.j - 1,
                  made.at("probe.alone.J") / one.j - 1, made.at("probe.middle.K_I") / one.k - 1,
                  made.at("probe.near.K") / one.k - 1, std::abs(made.at("probe.far.J") / made.at("probe.near.J") - 1));
      EXPECT_LT(off, before) << "no convergence";
      EXPECT_GT(std::abs(made.at("probe.alone.J") / one.j - 1), 0.1) << "the tip alone is not expected to converge";
      EXPECT_NEAR(made.at("probe.far.J") / made.at("probe.near.J"), 1, 1e-5);
      EXPECT_NEAR(made.at("probe.far.K_I") / made.at("probe.near.K_I"), 1, 1e-5);
      EXPECT_NEAR(made.at("probe.near.J_boundary") / made.at("probe.near.J"), 1, 1e-12);
      EXPECT_LT(std::abs(made.at("probe.near.K_II")), 1e-6 * one.k);
      before = off;
    }
    EXPECT_LT(before, one.own) << one.file;
    EXPECT_NEAR(made.at("probe.middle.K_I") / one.k, 1, one.own);
    EXPECT_NEAR(made.at("probe.near.K") / made.at("probe.near.K_I"), 1, 1e-3);
  }
}

TEST(L04Integrals, InterfaceIsPushedAsTheJumpSays) {
  const double left = 1e9 * 0.7 / (1.3 * 0.4), right = 3 * left;  // E (1 - nu)/((1 + nu)(1 - 2 nu))
  const double expected = 0.2 * 1e12 / 2 * (1 / left - 1 / right);
  const Columns made = columns_of(scene_of("config_two_material_bar.toml"));
  for (const auto& [name, value] : made) EXPECT_NEAR(value, expected, 1e-9 * expected) << name;
  EXPECT_EQ(made.size(), 4u);
}

// Waves reach the crack: what is inside a contour has inertia, and only with it contours agree.
TEST(L04Integrals, ContoursAgreeInMotionWithTheirInertiaOnly) {
  double j_at_end[2];
  for (const int fine : {0, 1}) {
    const Scene scene = scene_of("l04_crack_impact.toml", {{"parameters.size", fine == 1 ? "0.1" : "0.2"}});
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    const auto integrator = make_integrator(scene, model);
    const RunPlan plan = make_plan(scene, model);
    double with_inertia = 0, without = 0, modes = 0, largest = 0, largest_k = 0;
    for (int k = 1; k <= 10; ++k) {
      const StepReport report = integrator->advance(model, state, 2e-4 * k);
      std::map<std::string, double> at_t;
      for (const Probe& probe : plan.probes)
        probe.evaluate({model, state, report, *integrator}, &at_t[probe.columns()[0].name]);
      const auto spread = [&](const std::string& integral) {
        const double values[] = {at_t.at("probe.near." + integral), at_t.at("probe.middle." + integral),
                                 at_t.at("probe.far." + integral)};
        return *std::max_element(values, values + 3) - *std::min_element(values, values + 3);
      };
      largest = std::max(largest, at_t.at("probe.near.J"));
      largest_k = std::max(largest_k, at_t.at("probe.near.K_I"));
      with_inertia = std::max(with_inertia, spread("J"));
      without = std::max(without, spread("J_static"));
      modes = std::max(modes, spread("K_I"));
      j_at_end[fine] = at_t.at("probe.near.J");
      EXPECT_NEAR(at_t.at("probe.near.J_boundary"), at_t.at("probe.near.J"), 1e-10 * std::max(largest, 1.0));
    }
    std::printf("contours differ by %.2e of the largest J, without inertia by %.2e, K_I by %.2e\n",
                with_inertia / largest, without / largest, modes / largest_k);
    EXPECT_GT(largest, 2000) << "the waves have not arrived";
    EXPECT_LT(with_inertia, (fine == 1 ? 1e-4 : 2e-3) * largest);
    EXPECT_LT(modes, 1e-3 * largest_k);
    EXPECT_GT(without, 0.1 * largest);
  }
  EXPECT_NEAR(j_at_end[0] / j_at_end[1], 1, 0.02);
}

// Against the infinite plate: a finite one adds of the order (a/size)^2.
TEST(L04Integrals, HoleReleasesWhatTheInfinitePlateDoes) {
  constexpr double a = 1, b = 0.5, alpha = std::numbers::pi / 6, sigma = 1e6, modulus = 1e9 / (1 - 0.3 * 0.3);
  const double M =
      std::numbers::pi * sigma * sigma / modulus *
      ((2 * a * a + a * b) * std::pow(std::cos(alpha), 2) + (2 * b * b + a * b) * std::pow(std::sin(alpha), 2));
  const double L = -std::numbers::pi * sigma * sigma / modulus * (a * a - b * b) * std::sin(2 * alpha);
  double off[2][2];
  for (const int k : {0, 1}) {
    const Columns made = columns_of(scene_of("config_hole.toml", {{"parameters.size", k == 0 ? "20" : "40"}}));
    off[k][0] = made.at("probe.middle.M") / M - 1;
    off[k][1] = made.at("probe.middle.L") / L - 1;
    std::printf("size %d: M off by %.2e, L by %.2e, contours differ by %.1e and %.1e\n", k == 0 ? 20 : 40, off[k][0],
                off[k][1], made.at("probe.far.M") / made.at("probe.near.M") - 1,
                made.at("probe.far.L") / made.at("probe.near.L") - 1);
    EXPECT_NEAR(made.at("probe.far.M") / made.at("probe.near.M"), 1, 1e-4);
    EXPECT_NEAR(made.at("probe.far.L") / made.at("probe.near.L"), 1, 1e-4);
    EXPECT_LT(std::abs(made.at("probe.middle.J")), 1e-9 * M / a) << "a hole in a uniform field is not drawn anywhere";
  }
  for (const int k : {0, 1}) {
    EXPECT_LT(off[1][k], 0.01);
    EXPECT_GT(off[0][k] / off[1][k], 3.5);  // second order
    EXPECT_LT(off[0][k] / off[1][k], 5.5);
  }
}

// The front of an extruded plate whose faces stay in their planes: the same J everywhere, that of the plane.
TEST(L04Integrals, FrontHasTheJOfThePlane) {
  const std::string text =
      "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 1 }\n"
      "material = [{ name = 'steel', kind = 'linear', young = 1e9, poisson = 0.3, density = 1000 }]\n"
      "force = [{ name = 'up', kind = 'traction', selection = 'plate.y_max', traction = LOAD },\n"
      "  { name = 'down', kind = 'traction', selection = 'plate.y_min', traction = MINUS }]\n"
      "crack = [{ name = 'tip', selection = 'plate.crack_tip', direction = AXIS }]\n";
  const std::string mesh =
      "kind = 'cracked_plate', size = [1, 2], crack = 'edge', length = 0.5, tip_size = 0.2, "
      "edge_length = 0.4";
  const auto filled = [&](const std::map<std::string, std::string>& words, const std::string& more) {
    std::string result = text + more;
    for (const auto& [word, value] : words)
      while (result.find(word) != std::string::npos) result.replace(result.find(word), word.size(), value);
    return parse_scene(result);
  };
  const Columns plane =
      columns_of(filled({{"LOAD", "[0, 1e6]"}, {"MINUS", "[0, -1e6]"}, {"AXIS", "[1, 0]"}},
                        "body = [{ name = 'plate', kind = 'solid', material = 'steel', mesh = { " + mesh +
                            " } }]\nselection = [{ name = 'end', body = 'plate', kind = 'nearest', point = [1, 0] }]\n"
                            "constraint = [{ name = 'pin', kind = 'fixed', selection = 'end' },\n"
                            "  { name = 'roller', kind = 'fixed', selection = 'plate.crack_tip', components = 'y' }]\n"
                            "contour = [{ name = 'ring', crack = 'tip', radius = 0.35 }]\n"));
  const Columns solid = columns_of(filled(
      {{"LOAD", "[0, 1e6, 0]"}, {"MINUS", "[0, -1e6, 0]"}, {"AXIS", "[1, 0, 0]"}},
      "body = [{ name = 'plate', kind = 'solid', material = 'steel', mesh = { " + mesh +
          ", extrude = 0.4, layers = 4 } }]\n"
          "selection = [{ name = 'end', body = 'plate', kind = 'plane', point = [1, 0, 0], normal = [1, 0, 0] },\n"
          "  { name = 'line', body = 'plate', kind = 'box', min = [1, 0, 0], max = [1, 0, 0.4] }]\n"
          "constraint = [{ name = 'pin', kind = 'fixed', selection = 'line', components = 'xy' },\n"
          "  { name = 'roller', kind = 'fixed', selection = 'plate.crack_tip', components = 'y' },\n"
          "  { name = 'back', kind = 'fixed', selection = 'plate.z_min', components = 'z' },\n"
          "  { name = 'front', kind = 'fixed', selection = 'plate.z_max', components = 'z' }]\n"
          "contour = [{ name = 'ring', crack = 'tip', radius = 0.35, integrals = ['J', 'J_front'] }]\n"));
  ASSERT_EQ(solid.size(), 6u);
  double sum = 0;
  for (int k = 0; k < 5; ++k) {
    const double j = solid.at("probe.ring.J_front_" + std::to_string(k));
    std::printf("front %d: %.3e of the plane\n", k, j / plane.at("probe.ring.J") - 1);
    EXPECT_NEAR(j / plane.at("probe.ring.J"), 1, k == 0 || k == 4 ? 0.03 : 0.01) << "half a hat at the ends";
    sum += j * (k == 0 || k == 4 ? 0.05 : 0.1);
  }
  EXPECT_NEAR(sum, solid.at("probe.ring.J"), 1e-12 * sum);
}

// A whole crack: its expansion is the growth of both tips, M = a J_left + a J_right.
TEST(L04Integrals, WholeCrackExpandsByItsTips) {
  double off[2];
  for (const int k : {0, 1}) {
    const Columns made =
        columns_of(scene_of("l04_crack_center.toml", {{"body.plate.mesh.tip_size", k == 0 ? "0.01" : "0.005"}}));
    off[k] = std::abs(made.at("probe.whole.M") / (0.25 * (made.at("probe.middle.J") + made.at("probe.left.J"))) - 1);
    std::printf("M - a (J_left + J_right): %.1e of it\n", off[k]);
    EXPECT_LT(std::abs(made.at("probe.whole.L")), 1e-6 * made.at("probe.whole.M"));
  }
  EXPECT_LT(off[0], 3e-3);
  EXPECT_LT(off[1], 0.6 * off[0]);  // the size of the elements at the tips
}

}  // namespace
}  // namespace livens
