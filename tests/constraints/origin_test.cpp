// Where the origin is does not matter: every constraint is moved through it and far away, and steps as before.
#include <algorithm>
#include <array>
#include <cmath>
#include <regex>

#include <gtest/gtest.h>

#include <livens/assembly.hpp>
#include <livens/scene.hpp>

#include "support/bodies.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;
using Shift = std::array<double, 3>;

constexpr int steps = 20;
const char* const methods[] = {"kind = 'rattle', step = 0.01",
                               "kind = 'shake', step = 0.01",
                               "kind = 'hamilton_pontryagin', alpha = 0.5, step = 0.01",
                               "kind = 'hamilton_pontryagin', alpha = 0.3, step = 0.01",
                               "kind = 'symplectic_euler_a', step = 0.01",
                               "kind = 'galerkin', degree = 2, quadrature = 'lobatto', step = 0.01",
                               "kind = 'energy_momentum', step = 0.01"};

std::string bodies_and(const std::string& constraint) {
  return "time = { end = 1 }\nsolver = { project_start = true }\nintegrator = { kind = 'rattle', step = 0.01 }\n" +
         constraint + "\nforce = [{ kind = 'gravity', acceleration = [0.3, -0.2, -9.81] }]\n" + testing::moving_bodies;
}

const std::regex& triple() {
  static const std::regex form(R"(\[\s*(-?[\d.e-]+)\s*,\s*(-?[\d.e-]+)\s*,\s*(-?[\d.e-]+)\s*\])");
  return form;
}

// The key that a list belongs to: the word before the last '=' in front of it.
std::string key_before(const std::string& text, std::size_t place) {
  const std::size_t equals = text.rfind('=', place), end = text.find_last_not_of(' ', equals - 1);
  const std::size_t begin = text.find_last_of(" \n{,", end);
  return text.substr(begin + 1, end - begin);
}

// All positions of a scene moved; directions, velocities and inertias stay.
std::string moved(const std::string& text, const Shift& shift) {
  std::string result;
  std::size_t at = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), triple()), end; i != end; ++i) {
    const auto place = static_cast<std::size_t>(i->position());
    const std::string key = key_before(text, place);
    const bool position = key == "point" || key == "ends" || key == "center" || key == "points" || key == "corner";
    if (!position) continue;
    result += text.substr(at, place - at);
    char list[128];
    std::snprintf(list, sizeof list, "[%.17g, %.17g, %.17g]", std::stod((*i)[1]) + shift[0],
                  std::stod((*i)[2]) + shift[1], std::stod((*i)[3]) + shift[2]);
    result += list;
    at = place + static_cast<std::size_t>(i->length());
  }
  return result + text.substr(at);
}

// The first position of a joint: where it is moved to the origin from.
Shift place_of(const std::string& constraint) {
  for (std::sregex_iterator i(constraint.begin(), constraint.end(), triple()), end; i != end; ++i) {
    const std::string key = key_before(constraint, static_cast<std::size_t>(i->position()));
    if (key == "point" || key == "ends") return {std::stod((*i)[1]), std::stod((*i)[2]), std::stod((*i)[3])};
  }
  return {1, 0.2, 0.1};
}

struct Journey {
  Numbers q;  // without the shift
  long iterations = 0;
};

Journey run(const std::string& text, const char* method, const Shift& shift) {
  const Scene scene = parse_scene(moved(text, shift));
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(method, model);
  const StepReport report = integrator->advance(model, state, steps * 0.01);
  EXPECT_TRUE(report.converged) << method << ": " << report.message << "\n" << text;
  Journey result{state.q, integrator->counters().newton};
  for (const Body& body : model.bodies())
    for (int i = 0; i < body.size(); ++i) result.q[body.first + i] -= shift[i % 3];
  return result;
}

double distance(const Numbers& a, const Numbers& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Rounding of positions of order 1, kept by twenty steps that pass it on; a thousand times that far away.
constexpr double near = 1e-12, far = 1e-9;

TEST(Origin, EveryConstraintStepsTheSameThroughItAndFarAway) {
  double worst_near = 0, worst_far = 0;
  for (const ConstraintRecord& record : constraint_records()) {
    if (record.example.empty()) continue;
    const std::string text = bodies_and(record.example);
    const Shift place = place_of(record.example);
    for (const char* method : methods) {
      const Journey here = run(text, method, {0.37, -0.58, 0.73});
      const Journey through = run(text, method, {-place[0], -place[1], -place[2]});
      const Journey away = run(text, method, {1000, -2000, 1500});
      // Its three equations have rank two: steps are solved to what the regularisation of the rest leaves.
      const double more = record.name == "alignment" ? 1e4 : 1;
      EXPECT_LT(distance(here.q, through.q), more * near) << record.name << " " << method;
      EXPECT_LT(distance(here.q, away.q), more * far) << record.name << " " << method;
      worst_near = std::max(worst_near, distance(here.q, through.q));
      worst_far = std::max(worst_far, distance(here.q, away.q));
      for (const Journey* other : {&through, &away})
        EXPECT_LT(std::abs(other->iterations - here.iterations), 2 * steps + here.iterations / 4)
            << record.name << " " << method << ": " << here.iterations << " and " << other->iterations;
    }
  }
  std::printf("moved through the origin: off by %.1e m, moved by 2000 m: %.1e m\n", worst_near, worst_far);
}

// --- what has no other size than that of its place -------------------------------------------------------------------

std::string bead(const std::string& constraint) {
  return "time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.01 }\n[[body]]\nname = 'bead'\nkind = "
         "'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0, 0]] }\ninitial = { velocities = [[" +
         std::string(constraint.find("plane") != std::string::npos ? "1" : "0") +
         ", 0, 0]] }\n[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -10]\n[[constraint]]\n" + constraint;
}

TEST(Origin, ABeadOnAPlaneThroughItAndOnePinnedThere) {
  const std::string plane = bead(
      "kind = 'point_on_surface'\nbodies = ['ground', 'bead']\nsurface = 'plane'\ncenter = [0, 0, 0]\npoint = [0, 0, "
      "0]\naxis = [0, 0, 1]\n");
  const std::string pin = bead("kind = 'spherical'\nbodies = ['ground', 'bead']\npoint = [0, 0, 0]\n");
  for (const char* method : methods)
    for (const Shift& shift : {Shift{0, 0, 0}, Shift{0, 0, 5}, Shift{1000, 1000, 1000}}) {
      const Journey slides = run(plane, method, shift), stays = run(pin, method, shift);
      EXPECT_NEAR(slides.q[0], 0.2, far) << method;
      EXPECT_NEAR(slides.q[2], 0, far) << method;
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(stays.q[c], 0, far) << method;
      EXPECT_LT(slides.iterations, 5 * steps) << method;
    }
}

TEST(Origin, ASolidHungByACornerThere) {
  const std::string text = R"(time = { end = 1 }
integrator = { kind = 'rattle', step = 0.01 }
[[material]]
name = 'rubber'
kind = 'neo_hookean'
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = 'block'
kind = 'solid'
material = 'rubber'
mesh = { kind = 'box', size = [1, 1, 1], cells = [1, 1, 1], corner = [0, 0, 0] }
[[force]]
kind = 'gravity'
acceleration = [0, 0, -10]
[[constraint]]
kind = 'spherical'
bodies = ['ground', 'block']
point = [0, 0, 0]
)";
  for (const char* method : methods) {
    const Journey here = run(text, method, {1, 2, 3}), through = run(text, method, {0, 0, 0});
    EXPECT_LT(distance(here.q, through.q), 1e-11) << method;
    EXPECT_LT(std::abs(here.iterations - through.iterations), 2 * steps) << method;
  }
}

}  // namespace
}  // namespace livens
