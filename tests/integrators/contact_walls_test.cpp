// Rigid shapes at rest that nothing passes through: spheres, exactly round, boxes and cylinders, from outside and
// inside.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/contact_set.hpp"
#include "contact/distance.hpp"
#include "integrators/impacts.hpp"

namespace livens {
namespace {

using testing::Collision, testing::follow, testing::Followed;

Particles one_particle(int dimension, const std::vector<double>& place, const Vec3& velocity) {
  Particles ball;
  ball.layout.dimension = dimension;
  ball.layout.positions = place;
  ball.mass = {1.0};
  ball.initial.velocity = [velocity](const Vec3&) { return velocity; };
  return ball;
}

// Energy and the angular momentum about the centre are exact at any step, and nothing leaves.
TEST(ContactWalls, AParticleStaysInASphere) {
  // Rounding of positions beside the least gap, 0.035 of the distance: 0.3 m eps / 7e-5 m, a few times.
  constexpr double rounding = 1e-11;
  for (const double h : {1e-3, 1e-2, 0.05}) {
    Assembly assembly;
    add(assembly, one_particle(3, {0.1, 0.05, 0.02}, {2, 1, -1.5}), "ball");
    ContactSphere sphere;
    sphere.radius = 0.3;
    sphere.inside = true;
    sphere.barrier = BarrierRule{2e-3, 1e5, 0.01};
    add(assembly, sphere, "sphere");
    Collision c(assembly);
    const Momenta before = momenta(*c.model, c.state.q, c.state.p);
    double furthest = 0;
    int turns = 0;
    for (int k = 0; k < 20; ++k) {
      const Followed run = follow(c, h, c.state.t + 5 * h);
      ASSERT_TRUE(run.converged) << run.message;
      EXPECT_LE(run.energy, rounding);
      EXPECT_LE(run.linear, 1e-12);
      EXPECT_LE(run.angular, 1e-12);
      turns += run.touching;
      furthest = std::max(furthest, std::hypot(c.state.q[0], c.state.q[1], c.state.q[2]));
    }
    const Momenta after = momenta(*c.model, c.state.q, c.state.p);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(after.angular[k], before.angular[k], 1e-12);
    EXPECT_LT(furthest, 0.29);
    EXPECT_GT(turns, 0);
  }
}

// Boxes of contacts come after the forces, whose numbers end before them; loads on all are loads on what moves.
TEST(ContactWalls, LoadsOnAllBodiesLeaveObstaclesAlone) {
  const std::string text = R"toml(
time = { end = 1 }
integrator = { kind = "energy_momentum", step = 0.001 }
material = [{ name = "m", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }, { kind = "drag", drag_coefficient = 0.1 },
         { kind = "mass_damping", damping_rate = 2 }, { kind = "expression", force = ["1", "X", "0"] }]
[[body]]
name = "block"
kind = "solid"
material = "m"
mesh = { kind = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }
)toml";
  const std::string obstacles = R"toml(
[[body]]
name = "plate"
kind = "obstacle"
shape = { kind = "box", size = [0.1, 0.1, 0.1] }
position = [0.5, "t", 0]
[[contact]]
name = "room"
kind = "box"
inside = true
point = [0, 0, 0]
size = [3, 3, 3]
)toml";
  const Model plain = make_model(parse_scene(text, "plain")),
              model = make_model(parse_scene(text + obstacles, "walls"));
  const auto moving = static_cast<std::size_t>(plain.size()), all = static_cast<std::size_t>(model.size());
  ASSERT_EQ(all, moving + 24);
  std::vector<double> q(all, 7.0), v(all, 1.0), gradient(all, 0.0), force(all, 0.0);
  for (std::size_t i = 0; i < moving; ++i) q[i] = plain.bodies()[0].reference[i];
  const ConstVector own = ConstVector(q).first(moving);
  ASSERT_EQ(model.parts().forces.size(), plain.parts().forces.size());
  for (std::size_t k = 0; k < plain.parts().terms.size(); ++k) {
    const auto &here = model.parts().terms[k], &there = plain.parts().terms[k];
    EXPECT_EQ(here->energy(0.1, q), there->energy(0.1, own)) << here->name();
    here->add_gradient(0.1, q, 1, gradient);
  }
  for (const auto& each : model.parts().forces) each->add_force(0.1, q, v, 1, force);
  for (std::size_t i = moving; i < all; ++i) {
    EXPECT_EQ(gradient[i], 0) << i;
    EXPECT_EQ(force[i], 0) << i;
  }
}

TEST(ContactWalls, BesideASystemTheyAreRefusedWithTheRemedy) {
  const std::string text =
      "time = { end = 1 }\nintegrator = { kind = 'energy_momentum', step = 0.001 }\n"
      "body = [{ name = 'p', kind = 'particles', mass = 1, layout = { kind = 'points', points = [[0, "
      "0, 0]] } }]\n[system]\nkind = 'lagrangian'\ncoordinates = ['x']\nkinetic = 'x_dot^2/2'\n"
      "potential = 'x^2/2'\ninitial = { x = 1, x_dot = 0 }\n";
  try {
    check_scene(parse_scene(text + "[[contact]]\nname = 'room'\nkind = 'box'\ninside = true\npoint = [0, 0, 0]\nsize "
                                   "= [1, 1, 1]\npressure = 1e4\nparticle_radius = 0.01\n",
                            "scene"));
    FAIL() << "was taken";
  } catch (const SceneError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind("scene:12:8:", 0), 0u) << what;
    EXPECT_NE(what.find("contact.room.kind: cannot stand beside a [system]"), std::string::npos) << what;
    EXPECT_NE(what.find("obstacle"), std::string::npos) << what;
  }
}

// Off centre, on the outside: in the plane, where the exact result is a reflection about the normal of where it hits.
TEST(ContactWalls, AParticleBouncesOffASphere) {
  Assembly assembly;
  add(assembly, one_particle(2, {-0.2, 0.05}, {1, 0, 0}), "ball");
  ContactSphere sphere;
  sphere.radius = 0.1;
  sphere.barrier = BarrierRule{1e-5, 1e9, 0.01};
  add(assembly, sphere, "sphere");
  Collision c(assembly);
  const Followed run = follow(c, 5e-5, 0.15);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-11);
  const double s = 0.05 / 0.11, angle = 2 * std::asin(s);  // of deflection: pi - 2 asin(b/R)
  EXPECT_NEAR(c.state.v[0], -std::cos(angle), 2e-3);
  EXPECT_NEAR(c.state.v[1], std::sin(angle), 2e-3);
}

// The derivative of the discrete gradient of a sphere, which turns within a step.
TEST(ContactWalls, TangentOfASphereIsTheDerivative) {
  for (const bool inside : {false, true}) {
    Assembly assembly;
    const double d = inside ? 0.285 : 0.315;
    add(assembly, one_particle(3, {d * 0.6, d * 0.64, d * 0.48}, {}), "ball");
    ContactSphere sphere;
    sphere.radius = 0.3;
    sphere.inside = inside;
    sphere.barrier = BarrierRule{1e-2, 1e5, 0.01};
    add(assembly, sphere, "sphere");
    Collision c(assembly);
    ContactSet set(*c.barriers.front());
    const std::vector<double> way = {0.02, -0.015, 0.004};
    std::vector<double> q1 = c.state.q;
    for (std::size_t i = 0; i < 3; ++i) q1[i] += way[i] + (inside ? -0.004 : 0.004) * q1[i] / d;
    set.begin(c.state.q, way, 0.05);
    const auto gradient = [&](const std::vector<double>& q) {
      std::vector<double> sum(3, 0.0);
      set.end_at(q);
      set.add_gradient(1, sum);
      return sum;
    };
    // D.(q1 - q0) = B1 - B0, and the moment about the centre vanishes at the middle.
    const auto D = gradient(q1);
    ASSERT_EQ(set.contacts().size(), 1u);
    double work = 0;
    for (std::size_t i = 0; i < 3; ++i) work += D[i] * (q1[i] - c.state.q[i]);
    const double change = c.barriers.front()->energy(q1) - c.barriers.front()->energy(c.state.q);
    EXPECT_NEAR(work, change, 1e-12 * std::abs(c.barriers.front()->energy(c.state.q)));
    EXPECT_GT(std::abs(change), 0);
    double matrix[9];
    ASSERT_TRUE(set.tangent(set.contacts()[0], false, matrix));
    double size = 0;
    for (const double value : matrix) size = std::max(size, std::abs(value));
    for (std::size_t j = 0; j < 3; ++j) {
      std::vector<double> up = q1, down = q1;
      up[j] += 1e-7, down[j] -= 1e-7;
      const auto above = gradient(up), below = gradient(down);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(matrix[3 * i + j], (above[i] - below[i]) / 2e-7, 1e-6 * size);
    }
  }
}

// A soft block falls on a sphere, a box and a cylinder: nothing crosses, the energy is exact.
TEST(ContactWalls, ABlockFallsOnShapes) {
  for (const char* kind : {"sphere", "box", "cylinder"}) {
    Assembly assembly = testing::with_rubber();
    Solid solid;
    solid.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = {-0.05, -0.05, 0.105}, .cells = {2, 2, 2}});
    solid.material = "rubber";
    solid.initial.velocity = [](const Vec3&) { return Vec3{0, 0, -1}; };
    add(assembly, solid, "block");
    if (std::string(kind) == "sphere") {
      ContactSphere sphere;
      sphere.radius = 0.1;
      sphere.barrier = BarrierRule{};
      add(assembly, sphere, "under");
    } else {
      ContactShape shape;
      shape.shape = std::string(kind) == "box" ? box_shape({0.3, 0.3, 0.2})
                                               : moved(cylinder_shape(0.1, 0.3, 24), {1.5707963267948966, 0, 0}, {});
      add(assembly, shape, "under");
    }
    Collision c(assembly);
    const Followed run = follow(c, 2e-3, 0.05);
    ASSERT_TRUE(run.converged) << kind << ": " << run.message;
    EXPECT_LE(run.energy, 1e-10) << kind;
    EXPECT_LE(run.linear, 1e-11) << kind;
    EXPECT_EQ(run.crossings, 0) << kind;
    EXPECT_GT(run.touching, 3) << kind;
    double up = 0;
    for (std::size_t i = 2; i < c.state.p.size(); i += 3) up += c.state.p[i];
    EXPECT_GT(up, 0.1) << kind << ": it did not bounce";
  }
}

// Between the nodes of a face, and in the middle of an edge: a sphere that is much smaller than they are does not slip
// in.
TEST(ContactWalls, ASmallSphereDoesNotSlipBetweenNodes) {
  for (const int dimension : {2, 3})
    for (const double x : {0.023, 0.0}) {
      const double radius = 0.004, friction = x == 0 ? 0 : 0.3;
      Assembly assembly = testing::with_rubber();
      Solid solid;
      if (dimension == 3)
        solid.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = {-0.05, -0.05, 0.008}, .cells = {2, 2, 2}});
      else
        solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .corner = {-0.05, 0.008}, .cells = {2, 2}});
      solid.material = "rubber";
      solid.initial.velocity = [=](const Vec3&) { return dimension == 3 ? Vec3{0, 0, -1} : Vec3{0, -1, 0}; };
      add(assembly, solid, "block");
      ContactSphere sphere;
      sphere.point = {x, dimension == 3 ? 0.021 : 0, 0};
      sphere.radius = radius;
      sphere.barrier = BarrierRule{.friction = friction};
      add(assembly, sphere, "peg");
      Collision c(assembly);
      const ContactBarrier& barrier = *c.barriers.front();
      double least = 1;
      int pressed = 0;
      for (int k = 0; k < 20; ++k) {
        const Followed run = follow(c, 1e-3, c.state.t + 2e-3);
        ASSERT_TRUE(run.converged) << dimension << " " << x << ": " << run.message;
        EXPECT_LE(run.energy, 1e-10) << dimension << " " << x;
        EXPECT_LE(run.linear, 1e-11);
        EXPECT_LE(run.angular, 1e-11);
        std::vector<Point3> at;
        barrier.surface().positions(c.state.q, at);
        const Point3 centre{sphere.point[0], sphere.point[1], 0};
        for (const auto& f : barrier.surface().facets()) {
          const double s = dimension == 3 ? point_triangle(centre, at[f[0]], at[f[1]], at[f[2]]).s
                                          : point_edge(centre, at[f[0]], at[f[1]]).s;
          least = std::min(least, std::sqrt(s) - radius);
        }
        const Point3 force = barrier.plane_force(c.state.q);
        pressed += (dimension == 3 ? force.z : force.y) > 0 ? 1 : 0;
      }
      EXPECT_GT(least, 0) << dimension << " " << x << ": the sphere is inside";
      EXPECT_GT(pressed, 0);
    }
}

// With layers it meets nodes alone, and takes no part in how far points may go until the next look.
TEST(ContactWalls, LayersStepWithASmallSphere) {
  for (const char* keys : {"kind = 'stormer_verlet', step = 2e-5", "kind = 'asynchronous'"}) {
    const livens::Setup setup = make_setup(parse_scene(
        std::string("time = { end = 0.005 }\nintegrator = { ") + keys +
            " }\n[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
            "[[body]]\nname = 'block'\nkind = 'solid'\nmaterial = 'rubber'\n"
            "mesh = { kind = 'box', size = [0.1, 0.1, 0.1], cells = [2, 2, 2], corner = [-0.05, -0.05, 0.008] }\n"
            "initial = { velocity = [0, 0, 1] }\n"
            "[[contact]]\nname = 'peg'\nkind = 'sphere'\nrule = 'barrier'\npoint = [0.023, 0.021, 0]\nradius = 0.004\n",
        "layers"));
    State state = setup.start;
    const StepReport report = setup.integrator->advance(*setup.model, state, 0.005);
    EXPECT_TRUE(report.converged) << keys << ": " << report.message;
  }
}

// A start at which it is in a face, with all nodes outside, is refused.
TEST(ContactWalls, ASphereInAFaceIsRefused) {
  Assembly assembly = testing::with_rubber();
  Solid solid;
  solid.mesh = box_mesh({.size = {0.1, 0.1, 0.1}, .corner = {-0.05, -0.05, 0.003}, .cells = {2, 2, 2}});
  solid.material = "rubber";
  add(assembly, solid, "block");
  ContactSphere sphere;
  sphere.point = {0.023, 0.021, 0};
  sphere.radius = 0.004;
  sphere.barrier = BarrierRule{};
  Assembly refused = assembly;
  EXPECT_THROW(add(refused, sphere, "peg"), AssemblyError);
  sphere.barrier->repair = true;
  EXPECT_NO_THROW(add(assembly, sphere, "peg"));
}

// A ball in a box stays there, and another contact of all bodies leaves the box out.
TEST(ContactWalls, ABoxHoldsWhatIsInside) {
  Assembly assembly;
  add(assembly, one_particle(3, {0.05, 0, 0}, {2, 1.3, 0.7}), "ball");
  ContactShape box;
  box.shape = box_shape({0.4, 0.4, 0.4});
  box.barrier = BarrierRule{2e-3, 1e5, 0.02};
  Assembly solid = assembly;
  EXPECT_THROW(add(solid, box, "room"), AssemblyError) << "the ball is in what is not hollow";
  box.inside = true;
  add(assembly, box, "room");
  EXPECT_THROW(add(assembly, ContactBodies{}, "all"), AssemblyError) << "there are not two bodies";
  Collision c(assembly);
  const Followed run = follow(c, 5e-3, 1);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-11);
  EXPECT_GT(run.touching, 3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(std::abs(c.state.q[i]), 0.18);
}

TEST(ContactWalls, AStartInsideIsRefused) {
  Assembly assembly;
  add(assembly, one_particle(3, {0.1, 0, 0}, {}), "ball");
  ContactSphere sphere;
  sphere.radius = 0.3;
  sphere.barrier = BarrierRule{2e-3, 1e5, 0.01};
  EXPECT_THROW(add(assembly, sphere, "sphere"), AssemblyError);
  sphere.inside = true;
  EXPECT_NO_THROW(add(assembly, sphere, "sphere"));
}

}  // namespace
}  // namespace livens
