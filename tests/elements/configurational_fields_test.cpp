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

// A bar of 2 m, three times as stiff beyond X = 1, as the second body of a model behind two particles.
struct Bar {
  static constexpr double factor = 3, height = 0.3, depth = 0.4;
  ElementKind kind;
  std::shared_ptr<const Mesh> mesh;
  Model model;

  Bar(const char* material, ElementKind the_kind)
      : kind(the_kind),
        mesh(std::make_shared<const Mesh>(dimension() == 3
                                              ? box_mesh({{2, height, depth}, {0, 0, 0}, {4, 1, 1}, {1, 1, 1}, 6, kind})
                                              : rectangle_mesh({{2, height}, {0, 0}, {4, 1}, {1, 1}, kind}))),
        model(parts(record_of(material))) {}

  int dimension() const { return dimension_of(kind); }
  double area() const { return height * (dimension() == 2 ? thickness : depth); }
  int first() const { return 2 * dimension(); }

  ModelParts parts(const MaterialRecord& material) const {
    const int D = dimension();
    SolidPart halves[2] = {{"bar", mesh, first(), {}, thickness}, {"bar", mesh, first(), {}, thickness}};
    for (int e = 0; e < mesh->elements(); ++e) {
      double centre = 0;
      for (int a = 0; a <= D; ++a) centre += mesh->X[mesh->element(e)[a] * D] / (D + 1);
      halves[centre > 1].elements.push_back(e);
    }
    Body particles, bar;
    particles.name = "particles";
    particles.dimension = bar.dimension = D;
    particles.nodes = 2;
    particles.reference.assign(first(), 0.5);
    bar.name = "bar";
    bar.first = first();
    bar.nodes = mesh->nodes();
    bar.reference = mesh->X;
    bar.mesh = mesh;
    ModelParts made;
    made.mass.diagonal.assign(particles.size() + bar.size(), 1.0);
    made.terms = {example_block(material, halves[0]),
                  example_block(material, halves[1], {factor * lambda, factor * mu})};
    made.bodies = {particles, bar};
    return made;
  }
  // The halves stretched by a factor each.
  Numbers stretched(double left, double right) const {
    Numbers q(first(), 0.5);
    q.insert(q.end(), mesh->X.begin(), mesh->X.end());
    for (auto i = static_cast<std::size_t>(first()); i < q.size(); i += static_cast<std::size_t>(dimension()))
      q[i] = left * std::min(q[i], 1.0) + right * std::max(q[i] - 1, 0.0);
    return q;
  }
  // Along the bar, of the nodes in a plane.
  double sum_at(double X, const double* f) const {
    double sum = 0;
    for (std::size_t i = 0; i < mesh->X.size(); i += static_cast<std::size_t>(dimension()))
      if (std::abs(mesh->X[i] - X) < 1e-9) sum += f[i];
    return sum;
  }
};

// Stretch of the stiffer half that has the same stress.
double stretch_beyond(const Line& line, double left) {
  double low = 1, high = left;
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (Bar::factor * line.P(middle) < line.P(left) ? low : high) = middle;
  }
  return low;
}

void expect_jump(const Line& line, const Bar& bar) {
  const double left = 1.2, right = stretch_beyond(line, left), P = line.P(left), area = bar.area();
  const Numbers q = bar.stretched(left, right), v(q.size(), 0.0);
  Numbers g(q.size(), 0.0);
  for (const auto& term : bar.model.parts().terms) term->add_gradient(0, q, 1, g);
  BodyFields at(bar.model, bar.model.bodies()[1], 0, q, v);
  const Numbers G = field_record("configurational_force").values(at);
  ASSERT_EQ(G.size(), bar.mesh->X.size());
  const double jump =
      line.w(left) - Bar::factor * line.w(right) - P * (line.slope(left) - line.slope(right));  // P is continuous
  const double scale = std::abs(P) * area;
  EXPECT_NEAR(bar.sum_at(1, g.data() + bar.first()), 0, rounding * scale) << "equilibrium";
  EXPECT_NEAR(bar.sum_at(1, G.data()), area * jump, rounding * scale);
  EXPECT_GT(std::abs(jump), 1e-2 * std::abs(P));
  EXPECT_NEAR(bar.sum_at(0.5, G.data()), 0, rounding * scale);
  EXPECT_NEAR(bar.sum_at(1.5, G.data()), 0, rounding * scale);
  // The ends: minus and plus w - P F of their half.
  EXPECT_NEAR(bar.sum_at(0, G.data()), -area * (line.w(left) - P * line.slope(left)), rounding * scale);
  EXPECT_NEAR(bar.sum_at(2, G.data()), area * (Bar::factor * line.w(right) - P * line.slope(right)), rounding * scale);
}

// Stretched so that both halves have the same stress, the interface has G = area ([w] - P [F]), left less right; planes
// inside the halves have none. By the field of outputs.
TEST(ConfigurationalForces, OfAnInterfaceAreTheJump) {
  for (const Line& line : lines)
    for (const ElementKind kind : element_kinds) {
      SCOPED_TRACE(line.material + std::string(" ") + to_string(kind));
      expect_jump(line, Bar(line.material, kind));
    }
}

TEST(ConfigurationalForces, AreLeftOutForBodiesWithoutElements) {
  Body particles;
  EXPECT_FALSE(field_record("configurational_force").applies_to(particles));
}

}  // namespace
}  // namespace livens
