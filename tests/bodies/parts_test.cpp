// Bodies from C++ structs are those from scenes, bit for bit, and wrong structs are refused with their key.
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/same_model.hpp"

namespace livens {
namespace {

using testing::expect_same_model;
using testing::refused_key;
using testing::run_text;

constexpr double small = 1e-3;  // m, m/s: elements stay far from inverted

struct Case {
  std::string name, scene;
  std::function<void(Assembly&)> add;
};

constexpr const char* rubber_text = R"toml(
[[material]]
name = "rubber"
kind = "neo_hookean"
young = 1e6
poisson = 0.4
density = 1000
)toml";

void add_rubber(Assembly& assembly) {
  add(assembly, neo_hookean({.young = 1e6, .poisson = 0.4, .density = 1000}), "rubber");
}

std::vector<Case> particle_cases() {
  return {
      {"chain", R"toml(
[[body]]
name = "row"
kind = "particles"
mass = [1, 2, 3, 4]
layout = { kind = "chain", count = 4, spacing = 0.5, periodic = true, dimension = 2 }
initial = { position = ["X + 0.1*sin(X)", "Y - 0.2*X"], velocities = [[1, 0], [0, 1], [2, 0], [0, 3]] }
)toml",
       [](Assembly& a) {
         Particles row{chain(4, 0.5, true, 2), {1, 2, 3, 4}};
         row.initial.position = [](const Vec3& X) { return Vec3{X[0] + 0.1 * std::sin(X[0]), X[1] - 0.2 * X[0], 0}; };
         row.initial.velocities = {1, 0, 0, 1, 2, 0, 0, 3};
         add(a, row, "row");
       }},
      {"lattices", R"toml(
[[body]]
name = "cube"
kind = "particles"
mass = 0.3
layout = { kind = "cubic_lattice", count = [2, 3, 2], spacing = 0.7 }
initial = { velocity = ["Y", "-X", "0.5"], random_velocity = 0.2, seed = 7 }
[[body]]
name = "points"
kind = "particles"
mass = 1
layout = { kind = "points", points = [[0, 0, 0], [1, 2, 3]] }
)toml",
       [](Assembly& a) {
         Particles cube{cubic_lattice({2, 3, 2}, 0.7), {0.3}};
         cube.initial.velocity = [](const Vec3& X) { return Vec3{X[1], -X[0], 0.5}; };
         cube.initial.random_velocity = 0.2;
         cube.initial.seed = 7;
         add(a, cube, "cube");
         add(a, Particles{{3, false, {0, 0, 0, 1, 2, 3}}, {1}}, "points");
       }},
      {"plane lattices", R"toml(
[[body]]
name = "square"
kind = "particles"
mass = 1
layout = { kind = "square_lattice", count = [3, 4], spacing = 2, periodic = true }
[[body]]
name = "triangles"
kind = "particles"
mass = 1
layout = { kind = "triangular_lattice", count = [3, 4], spacing = 2 }
)toml",
       [](Assembly& a) {
         add(a, Particles{square_lattice({3, 4}, 2, true), {1}}, "square");
         add(a, Particles{triangular_lattice({3, 4}, 2), {1}}, "triangles");
       }},
  };
}

std::vector<Case> solid_cases() {
  return {
      {"plate", std::string(rubber_text) + R"toml(
[[body]]
name = "plate"
kind = "solid"
material = "rubber"
mesh = { kind = "rectangle", size = [2, 1], cells = [3, 2], element = "tri6" }
mass_matrix = "consistent"
thickness = 0.1
initial = { angular_velocity = 3, velocity = ["X*Y", "1"], random_velocity = 0.1, seed = 2 }
)toml",
       [](Assembly& a) {
         add_rubber(a);
         Solid plate{.mesh = to_quadratic(rectangle_mesh({.size = {2, 1}, .cells = {3, 2}})), .material = "rubber"};
         plate.mass_matrix = MassMatrix::consistent;
         plate.thickness = 0.1;
         plate.initial.angular_velocity = {0, 0, 3};
         plate.initial.velocity = [](const Vec3& X) { return Vec3{X[0] * X[1], 1, 0}; };
         plate.initial.random_velocity = 0.1;
         plate.initial.seed = 2;
         add(a, plate, "plate");
       }},
      {"two regions", std::string(rubber_text) + R"toml(
[[material]]
name = "stiff"
kind = "mooney_rivlin"
c10 = 4e5
c01 = 1e5
bulk = 5e6
volumetric = "mixed"
density = 1200
[[body]]
name = "bar"
kind = "solid"
material = { head = "stiff", all = "rubber" }
mesh = { kind = "box", size = [4, 1, 1], cells = [4, 1, 1], region = { head = "X - 2" } }
initial = { angular_velocity = [1, 2, 3] }
)toml",
       [](Assembly& a) {
         add_rubber(a);
         add(a, Material{"mooney_rivlin", 1200, {{"c10", 4e5}, {"c01", 1e5}, {"bulk", 5e6}}, {{"volumetric", "mixed"}}},
             "stiff");
         Mesh mesh = box_mesh({.size = {4, 1, 1}, .cells = {4, 1, 1}});
         divide_into_regions(mesh, {"head"}, {[](std::span<const double> X) { return X[0] - 2; }});
         Solid bar{.mesh = mesh, .materials = {{"head", "stiff"}, {"all", "rubber"}}};
         bar.initial.angular_velocity = {1, 2, 3};
         add(a, bar, "bar");
       }},
  };
}

std::vector<Case> rigid_cases() {
  return {
      {"top", R"toml(
[[body]]
name = "top"
kind = "rigid"
mass = 2
inertia = [[2, 0.1, 0], [0.1, 2.5, 0.2], [0, 0.2, 3]]
center = [1, 2, 3]
initial = { velocity = [1, 0, 0], angular_velocity = [0, 2, 5] }
[[body]]
name = "lamina"
kind = "rigid"
mass = 1
inertia = [1, 2, 3]
center = [0, 0, 0]
)toml",
       [](Assembly& a) {
         add(a, Rigid{2, {Vec3{2, 0.1, 0}, Vec3{0.1, 2.5, 0.2}, Vec3{0, 0.2, 3}}, {1, 2, 3}, {{1, 0, 0}, {0, 2, 5}}},
             "top");
         add(a, Rigid{1, diagonal_inertia({1, 2, 3}), {0, 0, 0}}, "lamina");
       }},
      {"brick", std::string(rubber_text) + R"toml(
[[body]]
name = "brick"
kind = "rigid"
material = "rubber"
mesh = { kind = "box", size = [1, 2, 3], cells = [2, 2, 2], corner = [5, 0, 0] }
)toml",
       [](Assembly& a) {
         add_rubber(a);
         add(a, rigid_from_mesh(box_mesh({.size = {1, 2, 3}, .corner = {5, 0, 0}, .cells = {2, 2, 2}}), 1000), "brick");
       }},
  };
}

void compare(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Scene scene = parse_scene(run_text + one.scene);
    const Model from_text = make_model(scene);
    Assembly assembly;
    one.add(assembly);
    const Model from_structs = assembly.model();
    expect_same_model(from_text, initial_state(scene, from_text), from_structs, assembly.start(from_structs), small);
  }
}

TEST(BodyParts, ParticlesFromStructsAreThoseOfScenes) { compare(particle_cases()); }
TEST(BodyParts, SolidsFromStructsAreThoseOfScenes) { compare(solid_cases()); }
TEST(BodyParts, RigidBodiesFromStructsAreThoseOfScenes) { compare(rigid_cases()); }

TEST(BodyParts, AMovedAssemblyGivesTheSameModel) {
  Assembly assembly;
  solid_cases()[0].add(assembly);
  const Model copied = assembly.model();
  const State start = assembly.start(copied);
  const Model moved = std::move(assembly).model();
  expect_same_model(copied, start, moved, start, small);
}

TEST(BodyParts, AMeshFromArraysIsOneFromAGenerator) {
  const Mesh box = box_mesh({.size = {1, 1, 1}, .cells = {2, 1, 1}});
  const Mesh made = mesh_from_arrays(ElementKind::tet4, box.X, box.connectivity);
  EXPECT_EQ(made.X, box.X);
  EXPECT_EQ(made.connectivity, box.connectivity);
  EXPECT_EQ(made.regions, box.regions);
  std::vector<int> inverted = box.connectivity;
  std::swap(inverted[0], inverted[1]);
  EXPECT_THROW(mesh_from_arrays(ElementKind::tet4, box.X, inverted), MeshError);
  std::vector<int> outside = box.connectivity;
  outside[0] = box.nodes();
  EXPECT_THROW(mesh_from_arrays(ElementKind::tet4, box.X, outside), MeshError);
}

TEST(BodyParts, WrongStructsAreRefusedWithTheirKey) {
  const auto refused = [](auto part) {
    Assembly assembly;
    add_rubber(assembly);
    add(assembly, Particles{cubic_lattice({2, 2, 2}), {1}}, "taken");
    return refused_key([&] { add(assembly, part, "body"); });
  };
  const auto infinite = [](const Vec3&) { return Vec3{1 / std::sin(0.0), 0, 0}; };
  EXPECT_EQ(refused(Particles{cubic_lattice({2, 2, 2}), {1}}), "nothing");
  EXPECT_EQ(refused(Particles{cubic_lattice({2, 2, 2}), {1, 2}}), "mass");
  EXPECT_EQ(refused(Particles{cubic_lattice({2, 2, 2}), {-1}}), "mass");
  EXPECT_EQ(refused(Particles{square_lattice({2, 2}), {1}}), "layout");
  EXPECT_EQ(refused(Particles{{3, false, {0, 0}}, {1}}), "layout.positions");
  EXPECT_EQ(refused(Particles{{3, false, {0, 0, 0}, {{0, 1, {0, 0, 0}}}}, {1}}), "layout.neighbours");
  EXPECT_EQ(refused(Particles{cubic_lattice({2, 2, 2}), {1}, {.position = infinite}}), "initial.position");
  EXPECT_EQ(refused(Particles{cubic_lattice({2, 2, 2}), {1}, {.velocities = {1}}}), "initial.velocities");
  EXPECT_EQ(refused(Particles{cubic_lattice({2, 2, 2}), {1}, {.random_velocity = -1}}), "initial.random_velocity");

  const Mesh box = box_mesh({});
  EXPECT_EQ(refused(Solid{.mesh = box, .material = "rubber"}), "nothing");
  EXPECT_EQ(refused(Solid{.mesh = box, .material = "steel"}), "material");
  EXPECT_EQ(refused(Solid{.mesh = box, .materials = {{"head", "rubber"}}}), "material.head");
  EXPECT_EQ(refused(Solid{.mesh = box}), "material");
  EXPECT_EQ(refused(Solid{.mesh = {}, .material = "rubber"}), "mesh");
  EXPECT_EQ(refused(Solid{.mesh = rectangle_mesh({}), .material = "rubber"}), "mesh");
  EXPECT_EQ(refused(Solid{.mesh = box, .material = "rubber", .thickness = 1}), "thickness");

  EXPECT_EQ(refused(Rigid{1, diagonal_inertia({1, 1, 1})}), "nothing");
  EXPECT_EQ(refused(Rigid{0, diagonal_inertia({1, 1, 1})}), "mass");
  EXPECT_EQ(refused(Rigid{1, diagonal_inertia({1, 1, 3})}), "inertia");
  EXPECT_EQ(refused(Rigid{1, {Vec3{1, 0.1, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}}), "inertia");
}

TEST(BodyParts, NamesAreTakenOnce) {
  Assembly assembly;
  add(assembly, Particles{chain(2), {1}}, "row");
  EXPECT_EQ(refused_key([&] { add(assembly, Particles{chain(2), {1}}, "row"); }), "");
}

TEST(BodyParts, LayoutsNameWhatIsWrong) {
  EXPECT_EQ(refused_key([] { chain(1); }), "count");
  EXPECT_EQ(refused_key([] { chain(2, 0); }), "spacing");
  EXPECT_EQ(refused_key([] { chain(2, 1, false, 4); }), "dimension");
  EXPECT_EQ(refused_key([] { cubic_lattice({2, 2, 1}); }), "count");
  EXPECT_EQ(refused_key([] { cubic_lattice({1000, 1000, 1000}); }), "count");
}

TEST(BodyParts, AStartThatIsNotFiniteIsRefused) {
  Assembly assembly;
  add(assembly, Particles{chain(2), {1}}, "row");
  const Model model = assembly.model();
  EXPECT_EQ(refused_key([&] { assembly.start(model); }), "nothing");
  assembly.v[1] = std::nan("");
  EXPECT_EQ(refused_key([&] { assembly.start(model); }), "initial");
}

}  // namespace
}  // namespace livens
