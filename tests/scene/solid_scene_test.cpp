// Solids out of scenes: masses, materials, selections, supports, starts, files.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>
#include <unistd.h>

#include <livens/livens.hpp>

#include "bodies/solid.hpp"
#include "scene/files.hpp"

namespace livens {
namespace {

const std::string head =
    "time = { end = 0.1 }\nintegrator = { kind = 'hamilton_pontryagin', alpha = 0.5, step = 0.01 }\n";
const std::string rubber =
    "[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\nyoung = 5e5\npoisson = 0.45\ndensity = 1000\n";
const std::string bar =
    "[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'rubber'\nmesh = { kind = 'box', size = [1, 0.2, 0.2], cells = "
    "[5, 1, 1] }\n";

std::string message_of(const std::string& scene) try {
  check_scene(parse_scene(scene));
  return "";
} catch (const SceneError& error) {
  return error.what();
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(SolidScene, MassMatricesAddUp) {
  for (const char* element : {"tet4", "tet10"})
    for (const bool consistent : {false, true}) {
      Scene scene = parse_scene(head + rubber + bar);
      scene.set("body.bar.mesh.element", element);
      scene.set("body.bar.mass_matrix", consistent ? "consistent" : "lumped");
      const Model model = make_model(scene);
      const Mass& mass = model.parts().mass;
      double total = sum(mass.diagonal);
      for (const MassEntry& entry : mass.off_diagonal) total += entry.value;
      EXPECT_EQ(mass.off_diagonal.empty(), !consistent);
      EXPECT_NEAR(total, 3 * 40, 1e-9);
      EXPECT_NEAR(model.bodies()[0].mass, 40, 1e-10);
      for (const double m : mass.diagonal) EXPECT_GT(m, 0);
      // A rigid rotation about z has the inertia of the box, m (a^2 + b^2)/3 about a corner, exactly if quadratic
      // functions are integrated exactly.
      if (!consistent) continue;
      std::vector<double> v(model.size(), 0.0);
      const auto& X = model.bodies()[0].reference;
      for (std::size_t a = 0; a < v.size(); a += 3) v[a] = -X[a + 1], v[a + 1] = X[a];
      EXPECT_NEAR(model.kinetic(v), 0.5 * 40 * (1 + 0.04) / 3, 1e-9);
    }
}

TEST(SolidScene, ElementMassIsThatOfTheFormulas) {
  Mesh mesh;
  mesh.kind = ElementKind::tri6;
  mesh.X = {0, 0, 1, 0, 0, 1, 0.5, 0, 0.5, 0.5, 0, 0.5};
  mesh.connectivity = {0, 1, 2, 3, 4, 5};
  mesh.region = {0};
  mesh.regions = {"all"};
  const SolidMass lumped = solid_mass(mesh, {2}, 1, false);
  EXPECT_NEAR(lumped.diagonal[0], 1.0 / 19, 1e-15);
  EXPECT_NEAR(lumped.diagonal[4], 16.0 / 57, 1e-15);
  // A bent edge: the exact area of a parabola's segment, 2/3 of base times height, comes on top.
  mesh.X[7] = -0.1;
  EXPECT_NEAR(element_volume(mesh, 0, mesh.X.data()), 0.5 + 2.0 / 3 * 0.1, 1e-14);
}

TEST(SolidScene, PairsOfModuliAreOneMaterial) {
  const double young = 5e5, poisson = 0.45, shear = young / (2 * (1 + poisson));
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), bulk = lambda + 2 * shear / 3;
  const auto energy_of = [&](const std::string& constants) {
    const Scene scene = parse_scene(head + "[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\ndensity = 1000\n" +
                                    constants + bar + "initial.position = ['X + 0.1*X^2', 'Y*1.05', 'Z']\n");
    const Model model = make_model(scene);
    return energy(model, initial_state(scene, model)).potential;
  };
  const auto number = [](const char* key, double value) { return key + (" = " + std::to_string(value)) + "\n"; };
  const double expected = energy_of(number("young", young) + number("poisson", poisson));
  EXPECT_GT(expected, 1);
  EXPECT_NEAR(energy_of(number("lame_lambda", lambda) + number("shear", shear)), expected, 1e-6 * expected);
  EXPECT_NEAR(energy_of(number("bulk", bulk) + number("shear", shear)), expected, 1e-6 * expected);
}

TEST(SolidScene, MistakesInConstantsAreNamed) {
  const auto with = [](const std::string& constants) {
    return message_of(head + "[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\ndensity = 1000\n" + constants + bar);
  };
  EXPECT_NE(with("").find("has no elastic constants"), std::string::npos);
  EXPECT_NE(with("young = 1e5\n").find("young: needs a partner"), std::string::npos);
  EXPECT_NE(with("young = 1e5\nshear = 1e5\n").find("are not a pair"), std::string::npos);
  EXPECT_NE(with("young = 1e5\npoisson = 0.3\nbulk = 1e5\n").find("are too many"), std::string::npos);
  EXPECT_NE(with("young = 1e5\npoisson = 0.5\n").find("below 0.5"), std::string::npos);
  EXPECT_NE(with("lame_lambda = -1e5\nshear = 1e5\n").find("an unstable material"), std::string::npos);
  EXPECT_EQ(with("young = 1e5\npoisson = 0.3\n"), "");
}

TEST(SolidScene, SelectionsPickTheSameFace) {
  const std::string constraint = "[[constraint]]\nname = 'clamp'\nkind = 'fixed'\nselection = ";
  const std::string ways[] = {
      constraint + "'bar.x_min'\n",
      constraint + "'root'\n[[selection]]\nname = 'root'\nkind = 'plane'\npoint = [0, 0, 0]\nnormal = [1, 0, 0]\n",
      constraint + "'root'\n[[selection]]\nname = 'root'\nkind = 'box'\nmin = [-1, -1, -1]\nmax = [0.1, 1, 1]\n",
      constraint + "'root'\n[[selection]]\nname = 'root'\nkind = 'group'\ngroup = 'x_min'\n",
      constraint + "'root'\n[[selection]]\nname = 'root'\nkind = 'sphere'\npoint = [0, 0.1, 0.1]\nradius = 0.15\n"};
  std::vector<int> expected;
  for (const std::string& way : ways) {
    const Model model = make_model(parse_scene(head + rubber + bar + way));
    ASSERT_EQ(model.parts().supports.size(), 1u);
    if (expected.empty()) expected = model.parts().supports[0].coordinates;
    EXPECT_EQ(model.parts().supports[0].coordinates, expected) << way;
  }
  EXPECT_EQ(expected.size(), 12u);
  const std::string nothing = message_of(head + rubber + bar + constraint + "'bar.x_mn'\n");
  EXPECT_NE(nothing.find("'bar.x_mn' selects nothing. Mesh 'bar' has all, boundary, x_min, x_max"), std::string::npos)
      << nothing;
}

TEST(SolidScene, RollersAndOverlaps) {
  const std::string clamp = "[[constraint]]\nname = 'clamp'\nkind = 'fixed'\nselection = 'bar.x_min'\n";
  const std::string roller =
      "[[constraint]]\nname = 'roller'\nkind = 'fixed'\nselection = 'bar.y_min'\ncomponents = 'y'\n";
  const Model model = make_model(parse_scene(head + rubber + bar + clamp + roller));
  EXPECT_EQ(model.supported_count(), 12 + 12 - 2);
  const std::string moved =
      "[[constraint]]\nname = 'pull'\nkind = 'prescribed'\nselection = 'bar.y_min'\ndisplacement = [0, '0.1*t', "
      "'free']\n";
  EXPECT_NE(message_of(head + rubber + bar + clamp + moved).find("held by constraint 'clamp'"), std::string::npos);
  EXPECT_NE(message_of(head + rubber + bar + "mass_matrix = 'consistent'\n" + moved).find("consistent"),
            std::string::npos);
}

TEST(SolidScene, PrescribedMotionHasItsVelocity) {
  const Scene scene = parse_scene(head + rubber + bar +
                                  "[[constraint]]\nname = 'pull'\nkind = 'prescribed'\nselection = "
                                  "'bar.x_max'\ndisplacement = ['0.1*sin(2*t)*Y', 'free', 0]\n");
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);
  const auto& coordinates = model.parts().supports[0].coordinates;
  EXPECT_EQ(coordinates.size(), 8u);
  const auto& X = model.bodies()[0].reference;
  const auto i = static_cast<std::size_t>(coordinates[2]);
  EXPECT_EQ(i % 3, 0u);
  EXPECT_NEAR(state.v[i], 0.2 * X[i + 1], 1e-15);
  EXPECT_EQ(state.p[i], 0);
  std::vector<double> x(8), v(8);
  model.parts().supports[0].motion(0.4, x, v);
  EXPECT_NEAR(x[2], X[i] + 0.1 * std::sin(0.8) * X[i + 1], 1e-15);
  EXPECT_NEAR(v[2], 0.2 * std::cos(0.8) * X[i + 1], 1e-15);
}

TEST(SolidScene, SpinsAboutItsCentreOfMass) {
  const Scene scene =
      parse_scene(head + rubber + bar + "initial = { velocity = [1, 0, 0], angular_velocity = [0, 0, 2] }\n");
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);
  const Momenta m = momenta(model, state.q, state.p);
  EXPECT_NEAR(m.linear[0], 40, 1e-9);
  EXPECT_NEAR(m.linear[1], 0, 1e-9);
  // About the centre, by the lumped mass; about the origin the drift adds -y P.
  double inertia = 0;
  for (std::size_t a = 0; a < state.q.size(); a += 3)
    inertia += model.parts().mass.diagonal[a] * (std::pow(state.q[a] - 0.5, 2) + std::pow(state.q[a + 1] - 0.1, 2));
  EXPECT_NEAR(m.angular[2], 2 * inertia - 0.1 * 40, 1e-9);
}

TEST(SolidScene, TwoDimensionsAndThreeDoNotMix) {
  const std::string plate =
      "[[body]]\nname = 'plate'\nkind = 'solid'\nmaterial = 'rubber'\nmesh = { kind = 'rectangle', size = [1, 1], "
      "cells "
      "= [2, 2] }\n";
  EXPECT_NE(message_of(head + rubber + bar + plate).find("share one space"), std::string::npos);
  const Model two = make_model(parse_scene(head + rubber + plate + "thickness = 0.01\n"));
  EXPECT_NEAR(two.bodies()[0].mass, 10, 1e-12);
}

TEST(SolidScene, StrainDampingOfSolidsAndSpringsTogether) {
  const Scene scene = parse_scene(
      head + rubber + bar +
      "[[body]]\nname = 'dust'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0, 3], [1, 0, "
      "3]] }\n[[force]]\nkind = 'spring'\nbody = 'dust'\npairs = [[0, 1]]\nstiffness = 10\n[[force]]\nname = "
      "'internal'\nkind = 'strain_damping'\ndamping_time = 0.01\n");
  const Model model = make_model(scene);
  ASSERT_EQ(model.parts().forces.size(), 2u);
  State state = initial_state(scene, model);
  for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] = 0.1 * std::sin(static_cast<double>(i));
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> f(state.q.size(), 0.0);
    model.add_force(k, 0, state.q, state.v, 1, f);
    double power = 0;
    for (std::size_t i = 0; i < f.size(); ++i) power += f[i] * state.v[i];
    EXPECT_LT(power, -1e-6);
  }
}

// A mesh file is found from the folder of its scene, and again from the folder of a run.
TEST(SolidScene, FilesAreRelativeToTheSceneThatNamesThem) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("livens_files_" + std::to_string(::getpid()));
  fs::create_directories(folder / "scenes");
  fs::create_directories(folder / "runs/one");
  std::ofstream(folder / "scenes/part.msh")
      << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 "
         "1\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";
  std::ofstream(folder / "scenes/part.toml")
      << head + rubber +
             "[[body]]\nname = 'part'\nkind = 'solid'\nmaterial = 'rubber'\nmesh = { kind = 'file', file = "
             "'part.msh', scale = 2 }\n";
  const Scene scene = load_scene((folder / "scenes/part.toml").string());
  EXPECT_NEAR(make_model(scene).bodies()[0].mass, 1000 * 8.0 / 6, 1e-9);
  const std::string copy = toml_for(scene, folder / "runs/one");
  EXPECT_NE(copy.find("../../scenes/part.msh"), std::string::npos) << copy;
  std::ofstream(folder / "runs/one/scene.toml") << copy;
  const Scene again = load_scene((folder / "runs/one/scene.toml").string());
  EXPECT_NEAR(make_model(again).bodies()[0].mass, 1000 * 8.0 / 6, 1e-9);
  fs::remove_all(folder);
}

// Two tetrahedra of one mesh, each of its own material.
TEST(SolidScene, RegionsHaveTheirMaterials) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("livens_regions_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "two.msh")
      << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"soft\"\n3 2 "
         "\"hard\"\n$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 "
         "1\n$EndNodes\n$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 4 2 2 2 2 3 4 5\n$EndElements\n";
  const auto scene = [&](const std::string& materials) {
    return head + rubber +
           "[[material]]\nname = 'steel'\nkind = 'linear'\nyoung = 2e11\npoisson = 0.3\ndensity = 8000\n" +
           "[[body]]\nname = 'part'\nkind = 'solid'\nmaterial = " + materials + "\nmesh = { kind = 'file', file = '" +
           (folder / "two.msh").string() + "' }\n";
  };
  const Model model = make_model(parse_scene(scene("{ soft = 'rubber', hard = 'steel' }")));
  EXPECT_NEAR(model.bodies()[0].mass, 1000.0 / 6 + 8000.0 / 3, 1e-9);
  EXPECT_EQ(model.parts().terms.size(), 2u);
  EXPECT_EQ(make_model(parse_scene(scene("'steel'"))).parts().terms.size(), 1u);
  EXPECT_NE(message_of(scene("{ soft = 'rubber' }")).find("region 'hard' of the mesh has no material"),
            std::string::npos);
  const std::string held = "[[constraint]]\nname = 'core'\nkind = 'fixed'\nselection = 'part.soft'\n";
  EXPECT_EQ(make_model(parse_scene(scene("'steel'") + held)).supported_count(), 12);
  fs::remove_all(folder);
}

// A wedge of two materials, graded, shaken and refined, from the keys of a box.
TEST(SolidScene, BoxesAreShapedDividedAndRefined) {
  const auto scene = [&](const std::string& materials, const std::string& keys) {
    return head + "parameters = { slope = 0.5, waist = 0.4 }\n" + rubber +
           "[[material]]\nname = 'steel'\nkind = 'linear'\nyoung = 2e11\npoisson = 0.3\ndensity = 8000\n" +
           "[[body]]\nname = 'wedge'\nkind = 'solid'\nmaterial = " + materials +
           "\nmesh = { kind = 'box', size = [1, 1, 1], cells = [5, 2, 2], " + keys + " }\n";
  };
  const std::string shape = "shape = ['X', 'Y', 'Z*(1 + slope*X)'], ";
  const std::string joint = "region = { joint = 'waist - X' }, ";
  const std::string two = "{ joint = 'steel', all = 'rubber' }";
  Scene made = parse_scene(scene(two, shape + joint + "refine = 1, element = 'tet10'"));
  const Model model = make_model(made);
  EXPECT_EQ(model.bodies()[0].mesh->elements(), 5 * 2 * 2 * 6 * 8);
  EXPECT_EQ(model.bodies()[0].mesh->kind, ElementKind::tet10);
  EXPECT_NEAR(model.bodies()[0].mass, 8000 * (0.4 + 0.25 * 0.16) + 1000 * (0.6 + 0.25 * 0.84), 1e-8);
  // Meshes are kept: another value of a parameter is another mesh.
  made.set("parameters.slope", 1.0);
  EXPECT_NEAR(make_model(made).bodies()[0].mass, 8000 * (0.4 + 0.5 * 0.16) + 1000 * (0.6 + 0.5 * 0.84), 1e-8);
  const auto X_of = [&](const std::string& keys) {
    return make_model(parse_scene(scene("'steel'", shape + joint + keys))).bodies()[0].mesh->X;
  };
  EXPECT_EQ(X_of("jitter = 0.3"), X_of("jitter = 0.3, jitter_seed = 0"));
  EXPECT_NE(X_of("jitter = 0.3"), X_of("jitter = 0.3, jitter_seed = 1"));

  const auto refused = [&](const std::string& keys, const std::string& text) {
    const std::string message = message_of(scene("'steel'", keys));
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  refused("shape = ['X', 'Y', '-slope*Z'], " + joint + "refine = 0", "elements end up flat or inside out");
  refused("shape = ['X', 'Y*slope'], " + joint + "refine = 0",
          "expected a list of 3 expressions of X, Y, Z (m), found 2");
  refused(shape + "region = { joint = 'waist - x' }", "unknown name 'x'");
  refused(shape + "region = { joint = 'X - 2*waist - 3' }", "is positive at the centroid of no element");
  refused(shape + "region = { all = 'waist - X' }", "is reserved for what the other regions leave");
  refused(shape + "region = 'waist - X'", "expected a table");
  refused(shape + joint + "jitter = 0.6", "has to be between 0 and 0.5");
  refused(shape + joint + "refine = 1.5", "expected an integer");
}

TEST(SolidScene, AShortRunKeepsItsLedgers) {
  const Scene scene = parse_scene(head + rubber + bar +
                                  "initial.position = ['X', 'Y*cos(X) - Z*sin(X)', 'Y*sin(X) + Z*cos(X)']\n"
                                  "[[constraint]]\nname = 'clamp'\nkind = 'fixed'\nselection = 'bar.x_min'\n");
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const double before = energy(model, state).total;
  EXPECT_GT(before, 1);
  const auto integrator = make_integrator(scene, model);
  const StepReport report = integrator->advance(model, state, 0.1);
  ASSERT_TRUE(report.converged) << report.message;
  EXPECT_NEAR(energy(model, state).total, before, 0.05 * before);
  EXPECT_GT(energy(model, state).kinetic, 0.01 * before);  // it moved
}

}  // namespace
}  // namespace livens
