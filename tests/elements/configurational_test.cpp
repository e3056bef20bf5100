// Configurational forces G = dW/dX of the nodes [L04 5], for every material and kind of element: against differences of
// the energy over moved reference nodes, against what follows from symmetries, on patches, on a bar of two materials.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/scene.hpp>

#include "files/fields.hpp"
#include "materials/material.hpp"
#include "math/expression.hpp"
#include "mesh/core/mesh_tools.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;
constexpr double lambda = 3.7e5, mu = 1.3e5, thickness = 0.8;
constexpr ElementKind kinds[] = {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10};
// Sums of some hundred terms.
constexpr double rounding = 1e-12;

MaterialConstants constants(double factor = 1) {
  static const std::string energy = "mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2 + mu/9*(I2 - 3)^2";
  static std::map<double, Settings> all;
  Settings& settings = all[factor];
  const std::vector<std::string> names = {"I1", "I2", "J"};
  const std::map<std::string, double, std::less<>> parameters = {{"mu", factor * mu}, {"la", factor * lambda}};
  settings.functions["energy"] = {std::make_shared<const Expression>(Expression::parse(energy, names, parameters))};
  settings.values["c01_share"] = 0.2;
  MaterialConstants result;
  result.moduli = {factor * lambda, factor * mu};
  result.settings = &settings;
  return result;
}

const MaterialRecord& record_of(const std::string& name) {
  for (const auto& r : material_records())
    if (r.name == name) return r;
  throw std::logic_error("no record");
}

SolidPart part_of(std::shared_ptr<const Mesh> mesh, int first = 0) {
  SolidPart part{"body", mesh, first, {}, thickness};
  for (int e = 0; e < mesh->elements(); ++e) part.elements.push_back(e);
  return part;
}

Mesh straight_mesh(ElementKind kind, int cells) {
  return dimension_of(kind) == 3
             ? box_mesh({{1, 0.7, 0.9}, {0.3, -0.2, 0.1}, {cells, cells, cells}, {1, 1, 1}, 6, kind})
             : rectangle_mesh({{1, 0.7}, {0.3, -0.2}, {cells, cells}, {1, 1}, kind});
}

// A few elements with bent edges.
Mesh small_mesh(ElementKind kind) {
  Mesh mesh = straight_mesh(kind, dimension_of(kind) == 3 ? 1 : 2);
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> noise(-0.03, 0.03);
  for (double& x : mesh.X) x += noise(engine);
  return mesh;
}

// x = A X + c, and noise.
Numbers deformed(const Mesh& mesh, const Eigen::MatrixXd& A, double noise) {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal(0, 1);
  const int D = mesh.dimension();
  Numbers q(mesh.X.size());
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int i = 0; i < D; ++i) {
      double x = 0.4 + noise * normal(engine);
      for (int j = 0; j < D; ++j) x += A(i, j) * mesh.X[a * D + j];
      q[a * D + i] = x;
    }
  return q;
}

// Neither symmetric nor near the identity.
Eigen::MatrixXd stretch(int D) {
  const Eigen::Matrix3d A{{1.25, 0.2, -0.1}, {-0.1, 0.9, 0.15}, {0.05, -0.2, 1.1}};
  return A.topLeftCorner(D, D);
}

Numbers difference(const Numbers& a, const Numbers& b) {
  Numbers result = a;
  for (std::size_t i = 0; i < a.size(); ++i) result[i] -= b[i];
  return result;
}

double largest(const Numbers& a) {
  double most = 0;
  for (const double x : a) most = std::max(most, std::abs(x));
  return most;
}

Numbers forces(const SolidBlock& block, const Numbers& q) {
  Numbers G(q.size(), 0.0);
  block.add_configurational(q, 1, G);
  return G;
}

Numbers gradient(const SolidBlock& block, const Numbers& q) {
  Numbers g(q.size(), 0.0);
  block.add_gradient(0, q, 1, g);
  return g;
}

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Largest component of sum_a x_a x f_a.
double moment(const Numbers& x, const Numbers& f, std::size_t D) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t a = 0; a < x.size(); a += D) {
    Eigen::Vector3d at = Eigen::Vector3d::Zero(), force = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < D; ++i) {
      at(static_cast<int>(i)) = x[a + i];
      force(static_cast<int>(i)) = f[a + i];
    }
    sum += at.cross(force);
  }
  return sum.cwiseAbs().maxCoeff();
}

class Configurational : public testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<SolidBlock> block(const Mesh& mesh) const {
    return record_of(GetParam()).make(constants(), part_of(std::make_shared<const Mesh>(mesh)));
  }
  bool linear() const { return GetParam() == "linear"; }
  // What is held when the reference moves: x, or u = x - X.
  Numbers held(const Mesh& mesh, const Numbers& q) const { return linear() ? difference(q, mesh.X) : q; }

  // dW/dX by central differences.
  Numbers differences(const Mesh& mesh, const Numbers& q, bool hold_u) const {
    constexpr double step = 1e-5;
    Numbers result(q.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      double energy[2];
      for (int side = 0; side < 2; ++side) {
        const double by = side == 0 ? -step : step;
        Mesh moved = mesh;
        moved.X[i] += by;
        Numbers x = q;
        if (hold_u) x[i] += by;
        energy[side] = block(moved)->energy(0, x);
      }
      result[i] = (energy[1] - energy[0]) / (2 * step);
    }
    return result;
  }
};

// Truncation (1e-5)^2 / (smallest edge of the order 0.1)^2 and rounding 1e-16/1e-5 both stay below this.
constexpr double by_differences = 1e-7;

TEST_P(Configurational, IsTheDerivativeOfTheEnergyByTheReference) {
  for (const ElementKind kind : kinds) {
    const Mesh mesh = small_mesh(kind);
    const Numbers q = deformed(mesh, stretch(mesh.dimension()), 0.01), G = forces(*block(mesh), q);
    const double scale = largest(G);
    EXPECT_GT(scale, 1e-3 * mu);
    const Numbers at_fixed_x = differences(mesh, q, false), at_fixed_u = differences(mesh, q, true);
    EXPECT_LE(largest(difference(G, linear() ? at_fixed_u : at_fixed_x)), by_differences * scale) << to_string(kind);
    // The other one is another force; they differ by the gradient.
    EXPECT_GT(largest(difference(G, linear() ? at_fixed_x : at_fixed_u)), 0.1 * scale) << to_string(kind);
    EXPECT_LE(largest(difference(difference(at_fixed_u, at_fixed_x), gradient(*block(mesh), q))),
              3 * by_differences * scale)
        << to_string(kind);
  }
}

// Per element and kind of symmetry, with z = x, or u for linear elasticity, and g = dW/dx:
//   W(X + c, z) = W(X, z)       sum G = 0
//   W(RX, Rz) = W(X, z)         sum X x G + z x g = 0; isotropy and frame indifference: each alone
//   W(sX, sz) = s^D W(X, z)     sum X.G + z.g = D W
TEST_P(Configurational, FollowsFromTheSymmetriesOfTheEnergy) {
  for (const ElementKind kind : kinds) {
    const Mesh mesh = small_mesh(kind);
    const auto solid = block(mesh);
    const auto D = static_cast<std::size_t>(mesh.dimension());
    const Numbers q = deformed(mesh, stretch(mesh.dimension()), 0.01), G = forces(*solid, q), g = gradient(*solid, q),
                  z = held(mesh, q);
    const double scale = largest(G) + largest(g);
    for (std::size_t c = 0; c < D; ++c) {
      double sum = 0;
      for (std::size_t i = c; i < G.size(); i += D) sum += G[i];
      EXPECT_NEAR(sum, 0, rounding * scale) << to_string(kind);
    }
    const double energy = solid->energy(0, q);
    EXPECT_NEAR(dot(mesh.X, G) + dot(z, g), static_cast<double>(D) * energy, rounding * energy) << to_string(kind);
    // moment() is a maximum of absolute values: one list of pairs has the sum of both.
    Numbers places = mesh.X, all = G;
    places.insert(places.end(), z.begin(), z.end());
    all.insert(all.end(), g.begin(), g.end());
    EXPECT_NEAR(moment(places, all, D), 0, rounding * scale) << to_string(kind);
    if (linear())
      EXPECT_GT(moment(mesh.X, G, D), 1e-3 * scale) << to_string(kind);
    else
      EXPECT_NEAR(moment(mesh.X, G, D), 0, rounding * scale) << to_string(kind);
  }
}

// sum_K V (w I - H'P) b_a from the fields of linear elements, P = J sigma F^-T; `sign` of w.
Numbers from_fields(const SolidBlock& block, const Mesh& mesh, const Numbers& q, bool linear, double sign) {
  const int D = mesh.dimension();
  const auto count = static_cast<std::size_t>(mesh.elements());
  Numbers stress(6 * count), density(count), G(q.size(), 0.0);
  block.fields(q, stress, density);
  for (int e = 0; e < mesh.elements(); ++e) {
    const auto at = [&](int a, int i) { return static_cast<std::size_t>(mesh.element(e)[a] * D + i); };
    Eigen::MatrixXd X(D, D), x(D, D), sigma(D, D);
    const double* s = stress.data() + 6 * static_cast<std::size_t>(e);
    constexpr int voigt[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        X(i, j) = mesh.X[at(j + 1, i)] - mesh.X[at(0, i)];
        x(i, j) = q[at(j + 1, i)] - q[at(0, i)];
        sigma(i, j) = s[voigt[i][j]];
      }
    const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(D, D), b = X.inverse(), F = x * b;  // rows of b: nodes 1 ...
    const double V = X.determinant() * (D == 2 ? thickness / 2 : 1.0 / 6);
    const Eigen::MatrixXd P = linear ? sigma : Eigen::MatrixXd(F.determinant() * sigma * F.transpose().inverse());
    const Eigen::MatrixXd H = linear ? Eigen::MatrixXd(F - I) : F;
    const Eigen::MatrixXd f = V * (sign * density[e] * I - H.transpose() * P) * b.transpose();
    for (int i = 0; i < D; ++i)
      for (int a = 0; a < D; ++a) {
        G[at(a + 1, i)] += f(i, a);
        G[at(0, i)] -= f(i, a);
      }
  }
  return G;
}

TEST_P(Configurational, IsTheForceOfEshelbysStress) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tet4}) {
    const Mesh mesh = small_mesh(kind);
    const auto solid = block(mesh);
    const Numbers q = deformed(mesh, stretch(mesh.dimension()), 0.01), G = forces(*solid, q);
    const Numbers right = from_fields(*solid, mesh, q, linear(), 1), wrong = from_fields(*solid, mesh, q, linear(), -1);
    EXPECT_LE(largest(difference(G, right)), rounding * largest(G)) << to_string(kind);
    // The wrong sign of w: seen here, by differences and by the sum X.G + z.g.
    EXPECT_GT(largest(difference(G, wrong)), 0.01 * largest(G)) << to_string(kind);
    const Numbers truth = differences(mesh, q, linear());
    EXPECT_GT(largest(difference(wrong, truth)), 1e4 * by_differences * largest(truth)) << to_string(kind);
    const double energy = solid->energy(0, q), D = mesh.dimension();
    EXPECT_GT(std::abs(dot(mesh.X, wrong) + dot(held(mesh, q), gradient(*solid, q)) - D * energy), 0.1 * energy);
  }
}

// Where F is the same everywhere, so is the stress, and nodes inside have sum V b_a = 0 as far as the quadrature is
// exact: V b_a = cof(dX/dr) dN_a/dr is of degree 0 in linear elements, 1 in straight quadratic ones, 2 in bent
// triangles and 3 in bent tetrahedra, for which the rule of degree 2 leaves a rest.
TEST_P(Configurational, VanishesInsideAPatch) {
  for (const ElementKind kind : kinds)
    for (const bool bent : {false, true}) {
      if (bent && !quadratic(kind)) continue;
      const int D = dimension_of(kind);
      Mesh mesh = straight_mesh(D == 3 ? ElementKind::tet4 : ElementKind::tri3, 3);
      std::mt19937 engine(3);
      std::uniform_real_distribution<double> noise(-0.03, 0.03);
      const auto distort = [&] {
        const std::vector<int> boundary = select_boundary(mesh);
        for (int a = 0; a < mesh.nodes(); ++a)
          if (!std::binary_search(boundary.begin(), boundary.end(), a))
            for (int i = 0; i < D; ++i) mesh.X[a * D + i] += noise(engine);
      };
      distort();
      if (quadratic(kind)) mesh = to_quadratic(mesh);
      if (bent) distort();
      const Numbers G = forces(*block(mesh), deformed(mesh, stretch(D), 0));
      const std::vector<int> boundary = select_boundary(mesh);
      double inside = 0;
      for (int a = 0; a < mesh.nodes(); ++a)
        if (!std::binary_search(boundary.begin(), boundary.end(), a))
          for (int i = 0; i < D; ++i) inside = std::max(inside, std::abs(G[a * D + i]));
      EXPECT_LT(static_cast<int>(boundary.size()), mesh.nodes());
      EXPECT_GT(largest(G), 1e-3 * mu);  // of the boundary
      if (bent && D == 3)
        EXPECT_GT(inside, 1e-6 * largest(G));
      else
        EXPECT_LE(inside, rounding * largest(G)) << to_string(kind) << " bent " << bent;
      // Not so where F changes.
      const Numbers uneven = forces(*block(mesh), deformed(mesh, stretch(D), 0.005));
      double detected = 0;
      for (int a = 0; a < mesh.nodes(); ++a)
        if (!std::binary_search(boundary.begin(), boundary.end(), a))
          detected = std::max(detected, std::abs(uneven[a * D]));
      EXPECT_GT(detected, 1e-3 * largest(G)) << to_string(kind);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Configurational,
                         testing::Values("neo_hookean", "isochoric_neo_hookean", "mooney_rivlin", "st_venant_kirchhoff",
                                         "stable_neo_hookean", "linear", "expression"),
                         [](const auto& one) { return one.param; });

TEST(ConfigurationalForces, EveryRecordIsTested) { EXPECT_EQ(material_records().size(), 7u); }

TEST(ConfigurationalForces, AddToWhatIsThereInTheLayoutOfTheCoordinates) {
  for (const auto& record : material_records()) {
    const Mesh mesh = small_mesh(ElementKind::tet10);
    const auto shared = std::make_shared<const Mesh>(mesh);
    constexpr std::size_t first = 6;
    const Numbers q = deformed(mesh, stretch(3), 0.01), G = forces(*record.make(constants(), part_of(shared)), q);
    Numbers longer(first, 0.1), sum(first + q.size() + 3, 1.0);
    longer.insert(longer.end(), q.begin(), q.end());
    longer.resize(sum.size(), 0.2);
    record.make(constants(), part_of(shared, first))->add_configurational(longer, -0.5, sum);
    for (std::size_t i = 0; i < sum.size(); ++i)
      if (i < first || i >= first + q.size())
        EXPECT_EQ(sum[i], 1);
      else
        EXPECT_NEAR(sum[i], 1 - 0.5 * G[i - first], rounding * largest(G)) << record.name;
  }
}

TEST(ConfigurationalForces, BitsDoNotDependOnThreads) {
  const Mesh mesh = straight_mesh(ElementKind::tet4, 9);
  const Numbers q = deformed(mesh, stretch(3), 0.002);
  for (const char* name : {"neo_hookean", "linear"}) {
    const auto solid = record_of(name).make(constants(), part_of(std::make_shared<const Mesh>(mesh)));
    std::vector<Numbers> seen;
    for (const std::size_t threads : {1u, 2u, 4u}) {
      tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      seen.push_back(forces(*solid, q));
    }
    EXPECT_GT(largest(seen[0]), 1e-3 * mu);
    EXPECT_EQ(seen[0], seen[1]) << name;
    EXPECT_EQ(seen[0], seen[2]) << name;
  }
}

// Energy and stress of F = diag(s, 1, 1), and what stands for F in w - P F.
struct Line {
  const char* material;
  double (*w)(double s);
  double (*P)(double s);
  double (*slope)(double s);
};
constexpr Line lines[] = {
    {"neo_hookean",
     [](double s) { return mu / 2 * (s * s - 1 - 2 * std::log(s)) + lambda / 2 * std::log(s) * std::log(s); },
     [](double s) { return mu * (s - 1 / s) + lambda * std::log(s) / s; }, [](double s) { return s; }},
    {"st_venant_kirchhoff", [](double s) { return (lambda / 2 + mu) * std::pow((s * s - 1) / 2, 2); },
     [](double s) { return (lambda + 2 * mu) * (s * s - 1) / 2 * s; }, [](double s) { return s; }},
    {"linear", [](double s) { return (lambda / 2 + mu) * (s - 1) * (s - 1); },
     [](double s) { return (lambda + 2 * mu) * (s - 1); }, [](double s) { return s - 1; }},
};

// A bar of 2 m, three times as stiff beyond X = 1, stretched so that both halves have the same stress: the interface
// has G = area ([w] - P [F]), left less right; planes inside the halves have none. By the field of outputs, of the
// second body of a model.
TEST(ConfigurationalForces, OfAnInterfaceAreTheJump) {
  constexpr double factor = 3, left = 1.2, height = 0.3, depth = 0.4;
  for (const Line& line : lines) {
    double low = 1, high = left;
    for (int k = 0; k < 60; ++k) {
      const double middle = (low + high) / 2;
      (factor * line.P(middle) < line.P(left) ? low : high) = middle;
    }
    const double right = low, P = line.P(left);
    const double jump =
        line.w(left) - factor * line.w(right) - P * (line.slope(left) - line.slope(right));  // P is continuous
    for (const ElementKind kind : kinds) {
      const int D = dimension_of(kind);
      const double area = height * (D == 2 ? thickness : depth);
      const auto mesh =
          std::make_shared<const Mesh>(D == 3 ? box_mesh({{2, height, depth}, {0, 0, 0}, {4, 1, 1}, {1, 1, 1}, 6, kind})
                                              : rectangle_mesh({{2, height}, {0, 0}, {4, 1}, {1, 1}, kind}));
      SolidPart parts_of[2] = {{"bar", mesh, 2 * D, {}, thickness}, {"bar", mesh, 2 * D, {}, thickness}};
      for (int e = 0; e < mesh->elements(); ++e) {
        double centre = 0;
        for (int a = 0; a <= D; ++a) centre += mesh->X[mesh->element(e)[a] * D] / (D + 1);
        parts_of[centre > 1].elements.push_back(e);
      }
      Body particles, bar;
      particles.name = "particles";
      particles.dimension = bar.dimension = D;
      particles.nodes = 2;
      particles.reference.assign(2 * D, 0.5);
      bar.name = "bar";
      bar.first = 2 * D;
      bar.nodes = mesh->nodes();
      bar.reference = mesh->X;
      bar.mesh = mesh;
      ModelParts parts;
      parts.mass.diagonal.assign(particles.size() + bar.size(), 1.0);
      parts.terms = {record_of(line.material).make(constants(), parts_of[0]),
                     record_of(line.material).make(constants(factor), parts_of[1])};
      parts.bodies = {particles, bar};
      const Model model(std::move(parts));
      Numbers q = particles.reference, g(model.parts().mass.diagonal.size(), 0.0), v = g;
      q.insert(q.end(), mesh->X.begin(), mesh->X.end());
      for (auto i = static_cast<std::size_t>(2 * D); i < q.size(); i += static_cast<std::size_t>(D))
        q[i] = left * std::min(q[i], 1.0) + right * std::max(q[i] - 1, 0.0);
      for (const auto& term : model.parts().terms) term->add_gradient(0, q, 1, g);

      BodyFields at(model, model.bodies()[1], 0, q, v);
      const Numbers G = field_record("configurational_force").values(at);
      ASSERT_EQ(G.size(), mesh->X.size());
      const auto sum_at = [&](double X, const double* f) {
        double sum = 0;
        for (std::size_t i = 0; i < mesh->X.size(); i += static_cast<std::size_t>(D))
          if (std::abs(mesh->X[i] - X) < 1e-9) sum += f[i];
        return sum;
      };
      const double scale = std::abs(P) * area;
      EXPECT_NEAR(sum_at(1, g.data() + 2 * D), 0, rounding * scale) << "equilibrium";
      EXPECT_NEAR(sum_at(1, G.data()), area * jump, rounding * scale) << line.material << ' ' << to_string(kind);
      EXPECT_GT(std::abs(jump), 1e-2 * std::abs(P));
      EXPECT_NEAR(sum_at(0.5, G.data()), 0, rounding * scale);
      EXPECT_NEAR(sum_at(1.5, G.data()), 0, rounding * scale);
      // The ends: minus and plus w - P F of their half.
      EXPECT_NEAR(sum_at(0, G.data()), -area * (line.w(left) - P * line.slope(left)), rounding * scale);
      EXPECT_NEAR(sum_at(2, G.data()), area * (factor * line.w(right) - P * line.slope(right)), rounding * scale);
    }
  }
}

TEST(ConfigurationalForces, AreLeftOutForBodiesWithoutElements) {
  Body particles;
  EXPECT_FALSE(field_record("configurational_force").applies_to(particles));
}

}  // namespace
}  // namespace livens
