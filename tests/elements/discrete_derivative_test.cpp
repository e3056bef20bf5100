// The discrete derivative of solids [E04 4], for every material and kind of element: directionality for increments from
// large to the last digit, symmetry, second order, momenta, the tangent, inverted elements, and bits for any threads.
#include <cmath>
#include <functional>
#include <map>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/meshes.hpp>
#include <livens/scene.hpp>

#include "materials/material.hpp"
#include "math/sparse_pattern.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;
constexpr double lambda = 3.7e5, mu = 1.3e5, epsilon = 2.220446049250313e-16;
constexpr ElementKind kinds[] = {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10};

MaterialConstants constants(const std::string& energy = "mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2 + mu/9*(I2 - 3)^2") {
  MaterialConstants result;
  result.moduli = {lambda, mu};
  result.given = expression_material(energy, 1, {{"mu", mu}, {"la", lambda}});
  return result;
}

const MaterialRecord& record_of(const std::string& name) {
  for (const auto& r : material_records())
    if (r.name == name) return r;
  throw std::logic_error("no record");
}

// A few elements with bent edges.
std::shared_ptr<Mesh> small_mesh(ElementKind kind) {
  Mesh mesh = dimension_of(kind) == 3 ? box_mesh({{1, 0.7, 0.9}, {0, 0, 0}, {1, 1, 2}, {1, 1, 1}, 6, kind})
                                      : rectangle_mesh({{1, 0.7}, {0, 0}, {2, 2}, {1, 1}, kind});
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> noise(-0.02, 0.02);
  for (double& x : mesh.X) x += noise(engine);
  return std::make_shared<Mesh>(std::move(mesh));
}

SolidPart part_of(std::shared_ptr<Mesh> mesh) {
  SolidPart part{"body", mesh, 0, {}, 0.8};
  for (int e = 0; e < mesh->elements(); ++e) part.elements.push_back(e);
  return part;
}

// A smooth deformation with some noise.
Numbers deformed(const Mesh& mesh, unsigned seed, double amount) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, amount);
  const int D = mesh.dimension();
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(D, D);
  for (int i = 0; i < D * D; ++i) A(i) += normal(engine);
  Numbers q(mesh.X.size());
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int i = 0; i < D; ++i) {
      double x = 0.1 * normal(engine);
      for (int j = 0; j < D; ++j) x += A(i, j) * mesh.X[a * D + j];
      q[a * D + i] = x;
    }
  return q;
}

Numbers moved(const Numbers& x, const Numbers& by, double amount) {
  Numbers y = x;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += amount * by[i];
  return y;
}

Numbers discrete(const EnergyTerm& term, const Numbers& x, const Numbers& y) {
  Numbers g(x.size(), 0.0);
  EXPECT_TRUE(term.add_discrete_gradient(0, x, y, 1, g));
  return g;
}

Numbers gradient(const EnergyTerm& term, const Numbers& q) {
  Numbers g(q.size(), 0.0);
  term.add_gradient(0, q, 1, g);
  return g;
}

double largest_difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

double work(const Numbers& g, const Numbers& x, const Numbers& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += g[i] * (y[i] - x[i]);
  return sum;
}

// W(y) - W(x) as the work of the gradient, by Gauss's rule of five points: for small increments it keeps its digits.
double work_of_gradient(const EnergyTerm& term, const Numbers& x, const Numbers& y) {
  const double at[5] = {0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640, -0.9061798459386640};
  const double weight[5] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665, 0.2369268850561891,
                            0.2369268850561891};
  double sum = 0;
  Numbers between(x.size());
  for (int k = 0; k < 5; ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) between[i] = x[i] + (0.5 + 0.5 * at[k]) * (y[i] - x[i]);
    sum += 0.5 * weight[k] * work(gradient(term, between), x, y);
  }
  return sum;
}

Eigen::MatrixXd dense_tangent(const EnergyTerm& term, const Numbers& x, const Numbers& y, int block, bool symmetric) {
  PatternSink pattern_sink;
  term.add_hessian(0, x, 1, pattern_sink);
  const SparsePattern pattern = pattern_sink.make_pattern(static_cast<int>(x.size()), block);
  const std::vector<int> slots = pattern_sink.slots(pattern, 0, pattern_sink.mark());
  Numbers values(pattern.nonzeros(), 0.0);
  SlotSink sink(slots, values);
  term.add_discrete_hessian(0, x, y, 1, symmetric, sink);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(pattern.n, pattern.n);
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) dense(pattern.row[k], c) = values[k];
  return dense;
}

class DiscreteSolid : public testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<SolidBlock> block(const std::shared_ptr<Mesh>& mesh) const {
    return record_of(GetParam()).make(constants(), part_of(mesh));
  }
};

// Stiffness of a solid of size 1: rounding of its coordinates makes so many epsilon of its forces, and of its energy.
constexpr double scale = lambda + 2 * mu;

TEST_P(DiscreteSolid, DirectionalityAndSymmetry) {
  double worst_energy = 0, worst_work = 0, worst_symmetry = 0;
  for (const ElementKind kind : kinds) {
    const auto mesh = small_mesh(kind);
    const auto term = block(mesh);
    const Numbers x = deformed(*mesh, 3, 0.1);
    Numbers direction = deformed(*mesh, 4, 0.1);
    for (std::size_t i = 0; i < x.size(); ++i) direction[i] -= mesh->X[i];
    for (double amount = 1; amount > 0.5e-14; amount *= 0.1) {
      const Numbers y = moved(x, direction, amount), g = discrete(*term, x, y);
      double moves = 0;
      for (std::size_t i = 0; i < x.size(); ++i) moves += std::abs(y[i] - x[i]);
      const double got = work(g, x, y);
      const double W0 = term->energy(0, x), W1 = term->energy(0, y);
      EXPECT_GT(std::abs(W1 - W0) + 1e-14 * W0, 1e-3 * amount * W0);  // something happens
      worst_energy = std::max(worst_energy, std::abs(got - (W1 - W0)) / scale);
      if (amount < 0.05)
        worst_work = std::max(worst_work, std::abs(got - work_of_gradient(*term, x, y)) / (scale * moves));
      worst_symmetry = std::max(worst_symmetry, largest_difference(g, discrete(*term, y, x)) / scale);
    }
    EXPECT_LE(largest_difference(discrete(*term, x, x), gradient(*term, x)), 2 * epsilon * scale);
  }
  EXPECT_LE(worst_energy, epsilon);
  EXPECT_LE(worst_work, epsilon);
  EXPECT_LE(worst_symmetry, 2 * epsilon);
}

// The gradient of the middle misses the energy, and the distance to it is of second order.
TEST_P(DiscreteSolid, IsNotTheGradientOfTheMiddleButClose) {
  for (const ElementKind kind : kinds) {
    const auto mesh = small_mesh(kind);
    const auto term = block(mesh);
    const Numbers middle = deformed(*mesh, 3, 0.1);
    Numbers direction = deformed(*mesh, 4, 0.1);
    for (std::size_t i = 0; i < middle.size(); ++i) direction[i] -= mesh->X[i];
    double error[2], miss = 0;
    for (int k = 0; k < 2; ++k) {
      const double step = 0.05 / (k + 1);
      const Numbers x = moved(middle, direction, -step), y = moved(middle, direction, step);
      const Numbers at_middle = gradient(*term, middle);
      error[k] = largest_difference(discrete(*term, x, y), at_middle);
      miss = std::abs(work(at_middle, x, y) - (term->energy(0, y) - term->energy(0, x)));
    }
    if (GetParam() == "linear") {
      EXPECT_LE(error[0], 2 * epsilon * scale);
      continue;
    }
    EXPECT_GT(miss, 1e4 * epsilon * scale) << to_string(kind);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.02) << to_string(kind);
  }
}

TEST_P(DiscreteSolid, HasNoResultantAndNoMomentAboutTheMiddle) {
  for (const ElementKind kind : kinds) {
    const auto mesh = small_mesh(kind);
    const auto term = block(mesh);
    const Numbers x = deformed(*mesh, 3, 0.1), y = deformed(*mesh, 4, 0.1), g = discrete(*term, x, y);
    const auto D = static_cast<std::size_t>(mesh->dimension());
    double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0}, most = 0;
    for (std::size_t a = 0; a < x.size(); a += D) {
      double m[3] = {0, 0, 0}, f[3] = {0, 0, 0};
      for (std::size_t c = 0; c < D; ++c) {
        m[c] = 0.5 * (x[a + c] + y[a + c]);
        f[c] = g[a + c];
        force[c] += f[c];
        most = std::max(most, std::abs(f[c]));
      }
      for (int c = 0; c < 3; ++c) moment[c] += m[(c + 1) % 3] * f[(c + 2) % 3] - m[(c + 2) % 3] * f[(c + 1) % 3];
    }
    EXPECT_GT(most, 1e-3 * mu);
    double turned = 0;
    for (int c = 0; c < 3; ++c) {
      EXPECT_LE(std::abs(force[c]), 2 * epsilon * scale) << to_string(kind);
      turned = std::max(turned, std::abs(moment[c]));
    }
    if (record_of(GetParam()).frame_indifferent)
      EXPECT_LE(turned, 2 * epsilon * scale) << to_string(kind);
    else
      EXPECT_GT(turned, 1e-4 * mu);  // the control: linear elasticity has no such law
  }
}

TEST_P(DiscreteSolid, TangentIsTheDerivativeByTheEnd) {
  for (const ElementKind kind : kinds) {
    const auto mesh = small_mesh(kind);
    const auto term = block(mesh);
    const Numbers x = deformed(*mesh, 3, 0.1);
    Numbers direction = deformed(*mesh, 4, 0.1);
    for (std::size_t i = 0; i < x.size(); ++i) direction[i] -= mesh->X[i];
    // Steps on both sides of the change from quadrature to differences, and none at all.
    for (const double amount : {1.0, 0.1, 1e-2, 1e-3, 1e-6, 0.0}) {
      const Numbers y = moved(x, direction, amount);
      const Eigen::MatrixXd full = dense_tangent(*term, x, y, mesh->dimension(), false);
      const Eigen::MatrixXd symmetric = dense_tangent(*term, x, y, mesh->dimension(), true);
      // n/dC:dC dC is of second order in dC, but not smooth at 0: differences must be shorter than the step.
      const double size = full.cwiseAbs().maxCoeff(), h = amount == 1e-6 ? 1e-8 : 1e-6;
      // The first part of it: the rest is of first order in the step.
      EXPECT_LE((symmetric - full).cwiseAbs().maxCoeff(), (amount + 1e-8) * size);
      EXPECT_LE((symmetric - symmetric.transpose()).cwiseAbs().maxCoeff(), 1e-14 * size);
      if (amount == 1 && GetParam() != "linear") {
        EXPECT_GT((full - full.transpose()).cwiseAbs().maxCoeff(), 1e-3 * size);
      }
      for (std::size_t c = 0; c < x.size(); c += 3) {
        Numbers ahead = y, behind = y;
        ahead[c] += h;
        behind[c] -= h;
        const Numbers plus = discrete(*term, x, ahead), minus = discrete(*term, x, behind);
        for (std::size_t r = 0; r < x.size(); ++r)
          EXPECT_NEAR(full(static_cast<int>(r), static_cast<int>(c)), (plus[r] - minus[r]) / (2 * h), 2e-7 * size)
              << to_string(kind) << " " << amount;
      }
    }
    // Steps too short for differences: next to none at all.
    const Eigen::MatrixXd none = dense_tangent(*term, x, x, mesh->dimension(), false);
    for (const double amount : {1e-8, 1e-10, 1e-12, 1e-14})
      EXPECT_LE(
          (dense_tangent(*term, x, moved(x, direction, amount), mesh->dimension(), false) - none).cwiseAbs().maxCoeff(),
          1e-6 * none.cwiseAbs().maxCoeff())
          << amount;
  }
}

TEST_P(DiscreteSolid, InvertedElements) {
  auto mesh = std::make_shared<Mesh>();
  mesh->kind = ElementKind::tet4;
  mesh->X = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  mesh->connectivity = {0, 1, 2, 3};
  const auto term = block(mesh);
  const auto height = [&](double z, double shear) {
    Numbers q = mesh->X;
    q[11] = z;
    q[9] = shear;
    return q;
  };
  const bool survives = record_of(GetParam()).survives_inversion;
  struct Step {
    double from, to, shear;
  };
  // Upright, inverted at the start, at the end, at both; by much and by little; and a reflection, which C hardly sees.
  for (const auto& [from, to, shear] : {Step{1, 0.4, 0.3}, Step{-0.5, 0.9, 0.3}, Step{0.9, -0.5, 0.3},
                                        Step{-0.5, -0.9, 0.3}, Step{-0.5, -0.501, 0.001}, Step{0.5, -0.5001, 0}}) {
    const Numbers x = height(from, 0), y = height(to, shear), g = discrete(*term, x, y);
    const double W = term->energy(0, y) - term->energy(0, x), got = work(g, x, y);
    EXPECT_EQ(std::isfinite(got), survives || (from > 0 && to > 0)) << from << " " << to;
    EXPECT_EQ(std::isfinite(W), survives || (from > 0 && to > 0)) << from << " " << to;
    if (std::isfinite(got)) {
      EXPECT_NEAR(got, W, 10 * epsilon * scale) << from << " " << to;
    }
  }
  // Flat elements, for energies without J.
  if (GetParam() == "st_venant_kirchhoff" || GetParam() == "linear") {
    EXPECT_LE(largest_difference(discrete(*term, height(0, 0), height(0, 0)), gradient(*term, height(0, 0))),
              epsilon * scale);
    EXPECT_TRUE(dense_tangent(*term, height(0, 0), height(0, 0), 3, false).allFinite());
  }
  // With one sign at both ends it is close to the gradient of the middle on the inverted side, too.
  for (const double change : {0.1, 0.001}) {
    const Numbers g = discrete(*term, height(-0.5 - change, 0), height(-0.5 + change, 0));
    if (survives) {
      EXPECT_LE(largest_difference(g, gradient(*term, height(-0.5, 0))), 2 * change * change * scale);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Records, DiscreteSolid, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& record : material_records()) names.push_back(record.name);
                           return names;
                         }()),
                         [](const auto& one) { return one.param; });

// A material that changes much faster than the metric: the rule alone would miss its energy.
TEST(DiscreteStress, OfSteepEnergies) {
  const char* steep = "mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2 + mu/600*(exp(300*(I1 - 3 - 2*log(J))) - 1)";
  const auto mesh = small_mesh(ElementKind::tet4);
  const auto term = record_of("expression").make(constants(steep), part_of(mesh));
  const auto gentle = record_of("neo_hookean").make(constants(), part_of(mesh));
  const Numbers x = deformed(*mesh, 5, 0.1);
  Numbers direction = deformed(*mesh, 4, 0.1);
  for (std::size_t i = 0; i < x.size(); ++i) direction[i] -= mesh->X[i];
  for (const double amount : {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-6}) {
    const Numbers y = moved(x, direction, amount);
    const double W0 = term->energy(0, x), W = term->energy(0, y) - W0;
    EXPECT_GT(W0, 3 * gentle->energy(0, x));
    // 300 times a difference of numbers of size 3: their rounding is 2000 epsilon of each energy.
    EXPECT_NEAR(work(discrete(*term, x, y), x, y), W, 2000 * epsilon * (2 * W0 + W)) << amount;
  }
}

TEST(DiscreteStress, BitsDoNotDependOnThreadsOrPacking) {
  Mesh mesh = box_mesh({{1, 1, 1}, {0, 0, 0}, {9, 9, 9}, {1, 1, 1}, 6, ElementKind::tet4});
  const auto shared = std::make_shared<Mesh>(mesh);
  const auto term = record_of("neo_hookean").make(constants(), part_of(shared));
  // Steps of all sizes side by side: some lanes of a pack take the rule, others the difference.
  const Numbers x = deformed(mesh, 3, 0.02);
  Numbers y = x;
  std::mt19937 engine(9);
  std::uniform_real_distribution<double> decades(-6, -2), sign(-1, 1);
  for (double& value : y) value += sign(engine) * std::pow(10, decades(engine));
  Numbers one;
  for (const std::size_t threads : {1, 2, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const Numbers g = discrete(*term, x, y);
    if (one.empty()) one = g;
    EXPECT_EQ(g, one);
  }
  EXPECT_NEAR(work(one, x, y), term->energy(0, y) - term->energy(0, x), epsilon * scale);
}

}  // namespace
}  // namespace livens
