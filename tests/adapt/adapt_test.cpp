// r-adaption: what may move, what keeps elements healthy, second derivatives, and equilibria of whole scenes.
#include "adapt/adapt.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include <livens/livens.hpp>
#include <livens/meshes.hpp>

#include "adapt/adapt_report.hpp"
#include "adapt/adapt_scene.hpp"
#include "adapt/freedom.hpp"
#include "adapt/joint_hessian.hpp"
#include "adapt/quality.hpp"
#include "files/files.hpp"
#include "model/linearisation.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::vector<double> random_numbers(std::size_t n, double size) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<double> values(n);
  for (double& value : values) value = uniform(generator);
  return values;
}

Mesh cracked(ElementKind kind) {
  CrackedPlateSpec spec;
  spec.size = {1, 2};
  spec.crack = CrackKind::edge;
  spec.length = 0.5;
  spec.tip_size = 0.1;
  spec.edge_length = 0.25;
  spec.rings = 1;
  spec.kind = kind;
  return cracked_plate_mesh(spec);
}

// Along y alone: nothing moves along x, sides along y are slid along, and edges along x stay as they are.
TEST(Freedom, OneDirection) {
  const Mesh mesh = cracked(ElementKind::tri6);
  const std::vector<bool> held(at(mesh.nodes()), false);
  const Freedom any(mesh, held), along(mesh, held, {0, 1, 0});
  std::vector<double> motion(mesh.X.size());
  along.expand(random_numbers(at(along.variables()), 1), motion);
  int inside = 0, sides = 0;
  for (int a = 0; a < mesh.nodes(); ++a) {
    const double x = mesh.X[at(2 * a)];
    EXPECT_EQ(motion[at(2 * a)], 0);
    if (motion[at(2 * a + 1)] != 0) ++(x == 0 || x == 1 ? sides : inside);
  }
  EXPECT_GT(inside, 10);
  EXPECT_GT(sides, 4);
  for (const char* face : {"crack_upper", "crack_lower", "y_min", "y_max"})
    for (const int a : mesh.groups.at(face)) EXPECT_EQ(motion[at(2 * a + 1)], 0) << face;
  EXPECT_LT(along.variables(), any.variables());
}

TEST(Freedom, TipsAndCornersStayAndEdgesAreSlidAlong) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6}) {
    const Mesh mesh = cracked(kind);
    const Freedom freedom(mesh, std::vector<bool>(at(mesh.nodes()), false));
    std::vector<double> motion(mesh.X.size());
    freedom.expand(random_numbers(at(freedom.variables()), 1), motion);
    const auto still = [&](int a, int c) { return motion[at(2 * a + c)] == 0; };
    const int tip = mesh.groups.at("crack_tip").front();
    EXPECT_TRUE(still(tip, 0) && still(tip, 1));
    int sliding = 0;
    for (const char* face : {"crack_upper", "crack_lower", "y_min", "y_max"})
      for (const int a : mesh.groups.at(face)) {
        EXPECT_NEAR(motion[at(2 * a + 1)], 0, 1e-12) << face;
        sliding += still(a, 0) ? 0 : 1;
      }
    EXPECT_GT(sliding, 4);
    for (const char* side : {"x_min", "x_max"})
      for (const int a : mesh.groups.at(side)) EXPECT_NEAR(motion[at(2 * a)], 0, 1e-12) << side;
    for (int a = 0; a < mesh.nodes(); ++a) {
      const double x = mesh.X[at(2 * a)], y = mesh.X[at(2 * a + 1)];
      const bool corner = (x == 0 || x == 1) && (y == -1 || y == 1);
      EXPECT_TRUE(!corner || (still(a, 0) && still(a, 1)));
    }
    // expand and reduce are transposes.
    const auto y = random_numbers(at(freedom.variables()), 1), G = random_numbers(mesh.X.size(), 1);
    std::vector<double> g(y.size());
    freedom.expand(y, motion);
    freedom.reduce(G, g);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < G.size(); ++i) left += motion[i] * G[i];
    for (std::size_t k = 0; k < g.size(); ++k) right += y[k] * g[k];
    EXPECT_NEAR(left, right, 1e-11 * std::abs(left));
  }
}

TEST(Freedom, InterfacesAreKept) {
  RectangleSpec spec;
  spec.cells = {4, 2};
  Mesh mesh = rectangle_mesh(spec);
  mesh.regions = {"left", "right"};
  for (int e = 0; e < mesh.elements(); ++e) {
    double x = 0;
    for (int a = 0; a < 3; ++a) x += mesh.X[at(2 * mesh.element(e)[a])] / 3;
    mesh.region[at(e)] = x > 0.5 ? 1 : 0;
  }
  const Freedom freedom(mesh, std::vector<bool>(at(mesh.nodes()), false));
  std::vector<double> motion(mesh.X.size());
  freedom.expand(random_numbers(at(freedom.variables()), 1), motion);
  bool up = false;
  for (int a = 0; a < mesh.nodes(); ++a)
    if (mesh.X[at(2 * a)] == 0.5) {
      EXPECT_NEAR(motion[at(2 * a)], 0, 1e-12);
      up = up || motion[at(2 * a + 1)] != 0;
    }
  EXPECT_TRUE(up) << "nodes of an interface may slide along it";
}

TEST(QualityBarrier, ActsBelowItsOnsetAndHasNoEnd) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tet4}) {
    Mesh mesh;
    mesh.kind = kind;
    const int d = dimension_of(kind);
    mesh.X = d == 2 ? std::vector<double>{0, 0, 1, 0, 0.5, 0.9}
                    : std::vector<double>{0, 0, 0, 1, 0, 0, 0.5, 0.9, 0, 0.5, 0.3, 0.8};
    for (int a = 0; a <= d; ++a) mesh.connectivity.push_back(a);
    mesh.region = {0};
    mesh.regions = {"all"};
    const QualityBarrier barrier(mesh, 0.5, {2.0});
    std::vector<double> G(mesh.X.size(), 0.0), X = mesh.X;
    EXPECT_EQ(barrier.add_gradient(X, G), 0);
    EXPECT_EQ(barrier.active(X), 0);
    // Lower the last corner until the barrier acts, and compare its gradient with differences.
    while (barrier.active(X) == 0) X.back() *= 0.98;
    for (int k = 0; k < 3; ++k) X.back() *= 0.99;
    const double value = barrier.add_gradient(X, G);
    ASSERT_TRUE(std::isfinite(value));
    for (std::size_t i = 0; i < X.size(); ++i) {
      const double step = 1e-6;
      std::vector<double> unused(X.size(), 0.0), ahead = X, behind = X;
      ahead[i] += step;
      behind[i] -= step;
      const double slope = (barrier.add_gradient(ahead, unused) - barrier.add_gradient(behind, unused)) / (2 * step);
      EXPECT_NEAR(G[i], slope, 1e-6 * (1 + std::abs(slope))) << to_string(kind) << " " << i;
    }
    X.back() *= -1;  // inverted
    EXPECT_TRUE(std::isinf(barrier.add_gradient(X, G)));
    EXPECT_LT(mean_ratios(mesh, X).front(), 0);
  }
}

std::string plate(const std::string& material, const std::string& element, const std::string& more) {
  return "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 2 }\n"
         "material = [{ name = 'm', kind = '" +
         material +
         "', young = 1e6, poisson = 0.3, density = 1000 }]\n"
         "body = [{ name = 'plate', kind = 'solid', material = 'm', mesh = { kind = 'cracked_plate', size = [1, 2], "
         "crack "
         "= 'edge', length = 0.5, tip_size = 0.1, edge_length = 0.25, rings = 1, element = '" +
         element +
         "' } }]\n"
         "force = [{ name = 'up', kind = 'traction', selection = 'plate.y_max', traction = [0, 2e4] },\n"
         "  { name = 'down', kind = 'traction', selection = 'plate.y_min', traction = [0, -2e4] }]\n"
         "constraint = [{ name = 'pin', kind = 'fixed', selection = 'end' },\n"
         "  { name = 'roller', kind = 'fixed', selection = 'plate.crack_tip', components = 'y' }]\n"
         "crack = [{ name = 'tip', selection = 'plate.crack_tip', direction = [1, 0] }]\n"
         "contour = [{ name = 'alone', crack = 'tip', rings = 0 }, { name = 'one', crack = 'tip', rings = 1 },\n"
         "  { name = 'two', crack = 'tip', rings = 2 }]\n" +
         more;
}
const std::string ends = "selection = [{ name = 'end', body = 'plate', kind = 'nearest', point = [1, 0] }]\n";

// The matrix against differences of the forces along one motion of everything.
TEST(JointHessian, IsTheDerivativeOfTheForces) {
  for (const char* material : {"linear", "neo_hookean"})
    for (const char* element : {"tri3", "tri6"}) {
      const Scene scene = parse_scene(plate(material, element, ends));
      const Model model = make_model(scene);
      State state = initial_state(scene, model);
      for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] += 0.001 * std::sin(7.0 * static_cast<double>(i));
      const Mesh& mesh = *model.bodies()[0].mesh;
      const Freedom freedom(mesh, std::vector<bool>(at(mesh.nodes()), false));
      const Linearisation& lin = linearisation(model);
      const JointHessian hessian(model, 0, freedom, lin.pattern());
      const QualityBarrier barrier(mesh, 0.01, std::vector<double>(at(mesh.elements()), 1.0));
      std::vector<std::shared_ptr<const SolidBlock>> blocks;
      for (const auto& term : model.parts().terms)
        if (auto block = std::dynamic_pointer_cast<const SolidBlock>(term)) blocks.push_back(block);
      std::vector<double> K(at(lin.pattern().nonzeros()), 0.0), values;
      lin.add_potential(model, 1, state.q, 1, K);
      hessian.assemble(mesh, blocks, state.q, barrier, std::vector<double>(at(mesh.nodes()), 0.1), K, values);

      const auto motion_of = random_numbers(at(hessian.pattern().n), 1e-6);
      const auto z = at(hessian.first_variable());
      std::vector<double> moved(motion_of);
      for (std::size_t i = 0; i < z; ++i)
        if (model.supported(static_cast<int>(i))) moved[i] = 0;
      std::vector<double> product(moved.size()), motion(mesh.X.size());
      hessian.pattern().multiply(values, moved, product);
      freedom.expand(std::span(moved).subspan(z), motion);
      BodyForces sides[2];
      std::vector<double> slopes[2];
      for (int side = 0; side < 2; ++side) {
        const double sign = side == 0 ? 1 : -1;
        auto there = std::make_shared<Mesh>(mesh);
        std::vector<double> q = state.q;
        for (std::size_t i = 0; i < q.size(); ++i) {
          there->X[i] += sign * motion[i];
          q[i] += sign * (motion[i] + moved[i]);
        }
        std::vector<std::shared_ptr<const SolidBlock>> on;
        for (const auto& block : blocks) on.push_back(block->on_mesh(there));
        sides[side] = forces_on(on, 0, static_cast<int>(q.size()), q);
        slopes[side].resize(moved.size() - z);
        freedom.reduce(sides[side].configurational, slopes[side]);
      }
      double off = 0, size = 0;
      for (std::size_t i = 0; i < moved.size(); ++i) {
        if (i < z && model.supported(static_cast<int>(i))) continue;
        const double difference =
            0.5 * (i < z ? sides[0].internal[i] - sides[1].internal[i] : slopes[0][i - z] - slopes[1][i - z]);
        off = std::max(off, std::abs(product[i] - difference));
        size = std::max(size, std::abs(difference));
      }
      EXPECT_LT(off, 2e-6 * size) << material << " " << element;
    }
}

std::filesystem::path scratch(const std::string& name) { return testing::scratch() / name; }

double number_in(const std::string& json, const std::string& key, std::size_t from = 0) {
  const std::size_t place = json.find("\"" + key + "\":", from);
  EXPECT_NE(place, std::string::npos) << key;
  return std::stod(json.substr(place + key.size() + 3));
}

// Contours of a crack agree where nothing holds the nodes between them, and not before; the mesh on the disk is the
// mesh.
TEST(Adapt, ContoursAgreeAndTheMeshCanBeUsed) {
  const auto near = [](const std::string& radius) {
    return "selection = [{ name = 'end', body = 'plate', kind = 'nearest', point = [1, 0] },\n"
           "  { name = 'near', body = 'plate', kind = 'sphere', point = [0.5, 0], radius = " +
           radius + " }]\n";
  };
  const char* cases[][2] = {{"linear", "tri3"}, {"neo_hookean", "tri3"}, {"linear", "tri6"}};
  for (const auto& [material, element] : cases) {
    const auto out = scratch(std::string(material) + element);
    AdaptSceneOptions options;
    options.out = out.string();
    double last = -1;
    int rises = 0;
    options.progress = [&](const AdaptProgress& now, double) {
      rises += now.gained + 1e-9 * std::abs(last) < last && now.active == 0 ? 1 : 0;
      last = now.gained;
    };
    const std::string text =
        plate(material, element,
              near(std::string(element) == "tri3" ? "0.4" : "0.2") + "adapt = { selection = 'near', quality = 0.1 }\n");
    const AdaptSceneResult result = adapt_scene(parse_scene(text), options);
    ASSERT_EQ(result.exit_code, 0) << result.lines.front();
    EXPECT_EQ(rises, 0) << "the energy rose";
    const std::string json = file_content(out / "adapt.json");
    const std::string contours = file_content(out / "contours.csv");
    EXPECT_EQ(contours.substr(0, contours.find('\n')), "contour,J before (N),J after (N)");
    EXPECT_NE(contours.find("\nspread of all,"), std::string::npos) << contours;
    const std::size_t energy = json.find("\"energy\""), spread = json.find("\"spread\"");
    EXPECT_GT(number_in(json, "gained", energy), 0);
    EXPECT_GE(number_in(json, "after", json.find("\"quality\"")), 0.1);
    EXPECT_LT(number_in(json, "after", json.find("\"residual\"")), 1e-7);
    // Midsides follow their edge: the tip's node alone is no such motion of a quadratic mesh.
    const std::string first = std::string(element) == "tri3" ? "alone" : "one";
    EXPECT_NE(json.find("\"free_of_bounds\": [\n      \"" + first + "\""), std::string::npos) << json;
    EXPECT_GT(number_in(json, "free_before", spread), 1e-3);
    EXPECT_LT(number_in(json, "free_after", spread), 1e-6);
    std::printf("%s: %s\n", material, result.lines.back().c_str());

    // The same scene on the mesh that was written has the same energy.
    std::string again = text;
    const std::size_t begin = again.find("mesh = { kind"), end = again.find("}", begin) + 1;
    again.replace(begin, end - begin,
                  "mesh = { kind = 'file', file = '" + (out / "mesh.msh").string() + "', element = '" + element +
                      "', repair = ['keep_double'] }");
    const Scene scene = parse_scene(again);
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    ASSERT_TRUE(make_integrator(scene, model)->advance(model, state, 1).converged);
    EXPECT_NEAR(model.potential(1, state.q) / number_in(json, "after", energy), 1, 1e-9);
  }
}

TEST(Adapt, SolidsInThreeDimensionsGainEnergyAndStayHealthy) {
  const std::string text =
      "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 2 }\n"
      "material = [{ name = 'm', kind = 'neo_hookean', young = 1e6, poisson = 0.3, density = 1000 }]\n"
      "body = [{ name = 'beam', kind = 'solid', material = 'm', mesh = { kind = 'box', size = [3, 1, 1], cells = [6, "
      "2, "
      "2] } }]\n"
      "force = [{ name = 'down', kind = 'traction', selection = 'beam.x_max', traction = [0, 0, -1e3] }]\n"
      "constraint = [{ name = 'wall', kind = 'fixed', selection = 'beam.x_min' }]\n"
      "adapt = { tolerance = 1e-5, quality = 0.3 }\n";
  const auto out = scratch("beam");
  AdaptSceneOptions options;
  options.out = out.string();
  const AdaptSceneResult result = adapt_scene(parse_scene(text), options);
  ASSERT_EQ(result.exit_code, 0) << result.lines.front();
  const std::string json = file_content(out / "adapt.json");
  const double before = number_in(json, "before", json.find("\"energy\""));
  EXPECT_GT(number_in(json, "gained", json.find("\"energy\"")), 0.01 * std::abs(before));
  EXPECT_GE(number_in(json, "after", json.find("\"quality\"")), 0.3);
  std::printf("%s\n", result.lines.front().c_str());
}

std::string refusal(const std::string& text) {
  AdaptSceneOptions options;
  options.out = scratch("refused").string();
  try {
    adapt_scene(parse_scene(text), options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Adapt, RefusesWhatCannotBeAdapted) {
  std::string moving = plate("linear", "tri3", ends);
  moving.replace(moving.find("kind = 'static', load_steps = 2"), 31, "kind = 'implicit_midpoint', step = 0.1");
  EXPECT_NE(refusal(moving).find("integrator.kind: adaption looks for"), std::string::npos) << refusal(moving);
  const std::string unknown = refusal(plate("linear", "tri3", ends + "adapt = { body = 'plaet' }\n"));
  EXPECT_NE(unknown.find("plaet"), std::string::npos) << unknown;
  EXPECT_NE(
      refusal(plate("linear", "tri3", ends + "adapt = { selection = 'plate.crack_tip' }\n")).find("no node of it"),
      std::string::npos);
}

}  // namespace
}  // namespace livens
