// Scenes for the tests of asynchronous stepping, as texts.
#pragma once

#include <cmath>
#include <string>

#include <livens/scene.hpp>

namespace livens {

struct SolidScene {
  std::string element = "tet4", cells = "[6, 2, 2]", size = "[1, 0.3, 0.3]", grading = "[4, 1, 1]";
  std::string material = "neo_hookean";
  std::string initial = "initial = { position = ['1.03*X', 'Y', 'Z'], angular_velocity = [1, 2, 3] }";
  std::string more;  // forces, supports, contacts
  std::string integrator = "kind = 'asynchronous'\ncourant = 0.3";
};

inline SolidScene plane_scene(const std::string& element) {
  SolidScene scene;
  scene.element = element;
  scene.cells = "[6, 2]";
  scene.size = "[1, 0.3]";
  scene.grading = "[4, 1]";
  scene.initial = "initial = { position = ['1.03*X', 'Y'], angular_velocity = [3] }";
  return scene;
}

inline Scene solid_scene(const SolidScene& s) {
  const bool plane = s.element.rfind("tri", 0) == 0;
  return parse_scene("time = { end = 1 }\n" + s.more + "[[material]]\nname = 'm'\nkind = '" + s.material +
                     "'\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n"
                     "[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = '" +
                     (plane ? "rectangle" : "box") + "', size = " + s.size + ", cells = " + s.cells +
                     ", grading = " + s.grading + ", element = '" + s.element + "' }\n" + s.initial +
                     "\n[integrator]\n" + s.integrator + "\n");
}

// Anharmonic springs between the masses of a chain, of unequal stiffness along it by the spring blocks.
inline Scene chain_scene(const std::string& integrator, const std::string& more = "") {
  return parse_scene(
      "time = { end = 1 }\n" + more +
      "[[body]]\nname = 'chain'\nkind = 'particles'\nmass = 1\n"
      "layout = { kind = 'points', points = [[0, 0], [1, 0.1], [2, 0], [3, 0.1], [4, 0]] }\n"
      "initial = { velocities = [[0, 0.3], [0.1, 0], [0, -0.2], [0.2, 0], [0, 0.4]] }\n"
      "[[force]]\nname = 'soft'\nkind = 'spring'\nbody = 'chain'\nstiffness = 20\nquartic = 30\nrest_length = 0.9\n"
      "pairs = [[0, 1], [1, 2]]\n"
      "[[force]]\nname = 'stiff'\nkind = 'spring'\nbody = 'chain'\nstiffness = 300\nquartic = 50\nrest_length = 0.95\n"
      "pairs = [[2, 3], [3, 4]]\n[integrator]\n" +
      integrator + "\n");
}

struct Ran {
  State state;
  std::unique_ptr<Model> model;
  std::unique_ptr<Integrator> integrator;
  StepReport report;
};

// Reads at `looks` evenly spaced times.
inline Ran run_to(const Scene& scene, double end, int looks = 1) {
  Ran ran;
  ran.model = std::make_unique<Model>(make_model(scene));
  ran.state = initial_state(scene, *ran.model);
  ran.integrator = make_integrator(scene, *ran.model);
  for (int k = 1; k <= looks && ran.report.converged; ++k)
    ran.report = ran.integrator->advance(*ran.model, ran.state, k == looks ? end : end * k / looks);
  return ran;
}

inline double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace livens
