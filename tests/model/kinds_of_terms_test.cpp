// What terms and constraints say of themselves, so that nobody has to guess their class.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

namespace livens {
namespace {

constexpr double rounding = 1e-14;  // of lengths of order 1

const EnergyTerm& term(const Model& model, const std::string& name) {
  for (const auto& each : model.parts().terms)
    if (each->name() == name) return *each;
  throw std::out_of_range(name);
}

double distance(const Link& link, ConstVector q) {
  double square = 0;
  for (std::size_t c = 0; c < link.ends[0].size(); ++c)
    square += std::pow(link.ends[1][c].value(q) - link.ends[0][c].value(q), 2);
  return std::sqrt(square);
}

TEST(KindsOfTerms, SolidsContactsAndLoadsAreToldApart) {
  const Scene scene = parse_scene(R"toml(
time = { end = 1 }
integrator = { kind = "stormer_verlet", step = 0.001 }
force = [{ name = "weight", kind = "gravity", acceleration = [0, 0, -9.81] }]
[[material]]
name = "jelly"
kind = "neo_hookean"
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = "cube"
kind = "solid"
material = "jelly"
mesh = { kind = "box", size = [1, 1, 1], cells = [1, 1, 1] }
[[contact]]
name = "floor"
kind = "plane"
point = [0, 0, 0.25]
normal = [0, 0, 1]
)toml");
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);

  const SolidBlock* block = term(model, "cube").elements();
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block, &term(model, "cube"));
  EXPECT_EQ(block->part().mesh, model.body("cube").mesh);
  EXPECT_TRUE(block->obstacles().empty());

  const EnergyTerm& floor = term(model, "floor");
  EXPECT_EQ(floor.elements(), nullptr);
  ASSERT_EQ(floor.obstacles().size(), 1u);
  EXPECT_EQ(floor.obstacles()[0].kind, Obstacle::Kind::plane);
  EXPECT_EQ(floor.obstacles()[0].point[2], 0.25);
  const ContactState touched = floor.contact(state.q);
  EXPECT_EQ(touched.largest_depth, 0.25);
  // What the gradient pushes down, summed over the nodes, is the force up.
  std::vector<double> gradient(state.q.size(), 0.0);
  floor.add_gradient(0, state.q, 1, gradient);
  double up = 0;
  for (std::size_t i = 2; i < gradient.size(); i += 3) up -= gradient[i];
  EXPECT_GT(up, 0);
  EXPECT_NEAR(touched.force[2], up, rounding * up);

  const EnergyTerm& weight = term(model, "weight");
  EXPECT_EQ(weight.elements(), nullptr);
  EXPECT_TRUE(weight.obstacles().empty());
  EXPECT_TRUE(weight.links().empty());
  EXPECT_EQ(weight.contact(state.q).largest_depth, 0);
}

TEST(KindsOfTerms, RodsAndSpringsBetweenBodiesAreLinks) {
  const Scene scene = parse_scene(R"toml(
time = { end = 1 }
integrator = { kind = "rattle", step = 0.02 }
force = [{ name = "spring", kind = "spring", bodies = ["ground", "bar"], ends = [[0, 3, 0], [1, 0, 0]], stiffness = 5 }]
body = [{ name = "bar", kind = "rigid", mass = 2, inertia = [0.1, 0.1, 0.05], center = [0.5, 0, 0] },
        { name = "bob", kind = "particles", mass = 1, layout = { kind = "points", points = [[1, 0, 2]] } }]
constraint = [{ name = "pivot", kind = "spherical", bodies = ["ground", "bar"], point = [0, 0, 0] },
              { name = "rod", kind = "distance", bodies = ["bar", "bob"], ends = [[1, 0, 0], [1, 0, 2]] }]
)toml");
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);

  ASSERT_EQ(term(model, "spring").links().size(), 1u);
  EXPECT_NEAR(distance(term(model, "spring").links()[0], state.q), std::sqrt(10), rounding);

  int joints = 0, rods = 0;
  for (const auto& constraint : model.parts().constraints) {
    if (constraint->joint() == nullptr) {
      EXPECT_TRUE(constraint->links().empty()) << constraint->name();  // the shape of the rigid body
      continue;
    }
    ++joints;
    for (const Link& link : constraint->links()) {
      ++rods;
      EXPECT_EQ(constraint->name(), "rod");
      EXPECT_NEAR(distance(link, state.q), 2, rounding);
    }
    if (constraint->name() != "pivot") continue;
    for (const AffineForm& x : constraint->joint()->point) EXPECT_NEAR(x.value(state.q), 0, rounding);
  }
  EXPECT_EQ(joints, 2);
  EXPECT_EQ(rods, 1);
}

}  // namespace
}  // namespace livens
