// Configurational forces as a field of a model: their layout, threads, and the jump at the interface of two materials.
#include <cmath>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/model.hpp>

#include "elements/configurational.hpp"
#include "files/fields.hpp"

namespace livens {
namespace {

using namespace testing;
constexpr double lambda = example_moduli.lambda, mu = example_moduli.mu;

TEST(ConfigurationalForces, AddToWhatIsThereInTheLayoutOfTheCoordinates) {
  for (const auto& record : material_records()) {
    const Mesh mesh = bent_mesh(ElementKind::tet10);
    const auto shared = std::make_shared<const Mesh>(mesh);
    constexpr std::size_t first = 6;
    const Numbers q = deformed(mesh, stretch(3), 0.01), G = forces(*example_block(record, part_of(shared)), q);
    Numbers longer(first, 0.1), sum(first + q.size() + 3, 1.0);
    longer.insert(longer.end(), q.begin(), q.end());
    longer.resize(sum.size(), 0.2);
    example_block(record, part_of(shared, first))->add_configurational(longer, -0.5, sum);
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
  for (const MaterialRecord& record : material_records()) {
    const auto solid = example_block(record, part_of(std::make_shared<const Mesh>(mesh)));
    std::vector<Numbers> seen;
    for (const std::size_t threads : {1u, 2u, 4u}) {
      tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      seen.push_back(forces(*solid, q));
    }
    EXPECT_GT(largest(seen[0]), 1e-3 * example_moduli.mu);
    EXPECT_EQ(seen[0], seen[1]) << record.name;
    EXPECT_EQ(seen[0], seen[2]) << record.name;
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
    for (const ElementKind kind : element_kinds) {
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
      parts.terms = {example_block(record_of(line.material), parts_of[0]),
                     example_block(record_of(line.material), parts_of[1], {factor * lambda, factor * mu})};
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
