// Systems from C++ structs are those from scenes, bit for bit, and wrong structs are refused with their key.
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

constexpr double near = 0.1;  // m, rad: away from the singularity of kepler

struct Case {
  std::string scene;
  std::function<void(Assembly&)> add;
};

template <class System>
Case same(std::string scene, System system) {
  return {std::move(scene), [system](Assembly& assembly) { add(assembly, system); }};
}

std::vector<Case> cases() {
  HarmonicLattice lattice;
  lattice.count = {3, 4};
  lattice.seed = 9;
  return {
      same("kind = 'pendulum'", Pendulum{}),
      same("kind = 'pendulum', mass = 2, length = 0.3, angle = 1", Pendulum{.mass = 2, .length = 0.3, .angle = 1}),
      same("kind = 'double_pendulum'", DoublePendulum{}),
      same("kind = 'double_pendulum', masses = [1, 3], angular_velocities = [0.1, 0.2]",
           DoublePendulum{.masses = {1, 3}, .angular_velocities = {0.1, 0.2}}),
      same("kind = 'kepler', eccentricity = 0.7", Kepler{.eccentricity = 0.7}),
      same("kind = 'henon_heiles'", HenonHeiles{}),
      same("kind = 'harmonic_lattice'", HarmonicLattice{}),
      same("kind = 'harmonic_lattice', count = [3, 4], seed = 9", lattice),
      same("kind = 'anharmonic_lattice', count = [3, 4], seed = 9, quartic = 2", AnharmonicLattice{lattice, 2}),
      same(R"(kind = 'lagrangian', coordinates = ['x', 'y'], kinetic = 'm*(x_dot^2 + y_dot^2)/2',
           potential = 'x^2 + y^2 + (x^2 + y^2)^2', dissipation = '0.1*x_dot^2', forces = { y = 'sin(t)*x_dot' },
           constraints = ['x^2 + y^2 - 1'], symmetries = { turn = { x = '-y', y = 'x' } }, initial = { x = 1, y = 0 })",
           ExpressionLagrangian{.coordinates = {"x", "y"},
                                .kinetic = "m*(x_dot^2 + y_dot^2)/2",
                                .potential = "x^2 + y^2 + (x^2 + y^2)^2",
                                .dissipation = "0.1*x_dot^2",
                                .forces = {{"y", "sin(t)*x_dot"}},
                                .constraints = {"x^2 + y^2 - 1"},
                                .symmetries = {{"turn", {{"x", "-y"}, {"y", "x"}}}},
                                .q = {1, 0},
                                .parameters = {{"m", 1.7}}}),
      same("kind = 'lagrangian', coordinates = ['x'], lagrangian = 'm*x_dot^2*(1 + x^2)', initial = { x = 1, x_dot = 2 "
           "}",
           ExpressionLagrangian{.coordinates = {"x"},
                                .lagrangian = "m*x_dot^2*(1 + x^2)",
                                .q = {1},
                                .v = {2},
                                .parameters = {{"m", 1.7}}}),
  };
}

TEST(SystemParts, StructsAreThoseOfScenes) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.scene);
    std::string line = one.scene;
    for (char& c : line) c = c == '\n' ? ' ' : c;
    const std::string parameters = line.find("m*") == std::string::npos ? "" : "parameters = { m = 1.7 }\n";
    const Scene scene = parse_scene(parameters + run_text + "system = { " + line + " }\n");
    const Model from_text = make_model(scene);
    Assembly assembly;
    one.add(assembly);
    const Model from_struct = assembly.model();
    expect_same_model(from_text, initial_state(scene, from_text), from_struct, assembly.start(from_struct), near);
  }
}

TEST(SystemParts, EveryRecordIsCompared) {
  for (const SystemRecord& record : system_records()) {
    bool compared = false;
    for (const Case& one : cases()) compared = compared || one.scene.find("'" + record.name + "'") != std::string::npos;
    EXPECT_TRUE(compared) << record.name;
  }
}

TEST(SystemParts, WrongStructsAreRefusedWithTheirKey) {
  const auto refused = [](auto system) {
    Assembly assembly;
    return refused_key([&] { add(assembly, system); });
  };
  const ExpressionLagrangian good{
      .coordinates = {"x", "y"}, .kinetic = "(x_dot^2 + y_dot^2)/2", .potential = "x^2", .q = {0, 0}};
  const auto changed = [&](auto change) {
    ExpressionLagrangian system = good;
    change(system);
    return refused(system);
  };
  using L = ExpressionLagrangian;
  EXPECT_EQ(refused(good), "nothing");
  EXPECT_EQ(changed([](L& s) { s.coordinates = {"x", "x"}; }), "coordinates");
  EXPECT_EQ(changed([](L& s) { s.coordinates = {"x", "2"}; }), "coordinates");
  EXPECT_EQ(changed([](L& s) { s.kinetic = ""; }), "potential");
  EXPECT_EQ(changed([](L& s) { s.lagrangian = "x_dot^2"; }), "potential");
  EXPECT_EQ(changed([](L& s) { s.kinetic = s.potential = ""; }), "lagrangian");
  EXPECT_EQ(changed([](L& s) { s.potential = "x*("; }), "potential");
  EXPECT_EQ(changed([](L& s) { s.potential = "x*x_dot"; }), "potential");
  EXPECT_EQ(changed([](L& s) { s.kinetic = "x_dot^2/2"; }), "kinetic");
  EXPECT_EQ(changed([](L& s) { s.forces = {{"z", "1"}}; }), "forces");
  EXPECT_EQ(changed([](L& s) { s.forces = {{"x", "z"}}; }), "forces.x");
  EXPECT_EQ(changed([](L& s) { s.dissipation = "z"; }), "dissipation");
  EXPECT_EQ(changed([](L& s) { s.constraints = {"x_dot"}; }), "constraints");
  EXPECT_EQ(changed([](L& s) {
              s.symmetries = {{"turn", {{"x", "-y"}, {"y", "x"}}}};
              s.q = {1, 0.5};
            }),
            "symmetries.turn");
  EXPECT_EQ(changed([](L& s) { s.q = {1}; }), "q");
  EXPECT_EQ(changed([](L& s) { s.v = {1}; }), "v");
  EXPECT_EQ(refused(Pendulum{.mass = 0}), "mass");
  EXPECT_EQ(refused(DoublePendulum{.lengths = {1, -1}}), "lengths");
  EXPECT_EQ(refused(Kepler{.eccentricity = 1}), "eccentricity");
  EXPECT_EQ(refused(HarmonicLattice{.count = {1, 5}}), "count");
}

TEST(SystemParts, StandAlone) {
  Assembly assembly;
  add(assembly, Pendulum{});
  EXPECT_EQ(refused_key([&] { add(assembly, Pendulum{}); }), "");
  EXPECT_EQ(refused_key([&] { add(assembly, Particles{chain(2), {1}}, "row"); }), "");
}

}  // namespace
}  // namespace livens
