#include "laws/problems.hpp"

#include <deque>
#include <map>
#include <stdexcept>

#include "scene/assemble.hpp"

namespace livens::laws {
namespace {

struct Text {
  const char *name, *brief;
  double span;
  std::string scene;
};

std::string cluster(const std::string& more) {
  return "[[body]]\nname = 'cluster'\nkind = 'particles'\nmass = [1, 1.5, 2]\n"
         "layout = { kind = 'points', points = [[0, 0, 0], [1.1, 0.1, -0.2], [0.2, 0.9, 0.3]] }\n"
         "initial = { velocities = [[0.9, -0.7, 0.4], [0.1, 0.8, -0.3], [-0.4, 0.3, 0.5]] }\n"
         "[[force]]\nkind = 'spring'\nbody = 'cluster'\npairs = [[0, 1], [1, 2], [0, 2]]\nrest_length = 0.9\n"
         "stiffness = 4\ncubic = -1\nquartic = 12\n" +
         more;
}

std::string system(const std::string& lines) { return "[system]\nkind = 'lagrangian'\n" + lines; }

const std::string two_rods =
    "coordinates = ['a', 'b']\nkinetic = 'a_dot^2 + b_dot^2/2 + a_dot*b_dot*cos(a - b)'\n"
    "potential = '-2*cos(a) - cos(b)'\ninitial = { a = 0.7, b = 0.4, a_dot = -0.3, b_dot = 0.6 }\n";
const std::string planet =
    "coordinates = ['x', 'y']\nkinetic = '(x_dot^2 + y_dot^2)/2'\npotential = '-1/sqrt(x^2 + y^2)'\n"
    "initial = { x = 0.6, y = 0.7, x_dot = -0.785, y_dot = 0.685 }\n";
const std::string gyration =
    "coordinates = ['x', 'y']\nlagrangian = '(x_dot^2 + y_dot^2)/2"
    " + (0.2 + 0.1*(x^2 + y^2))*(x*y_dot - y*x_dot) - (x^2 + y^2)/2 - (x^2 + y^2)^2/4'\n"
    "initial = { x = 0.7, y = -0.6, x_dot = 0.65, y_dot = 0.75 }\n";
const std::string friction = "dissipation = '0.1*a_dot^2*(1 + sin(a)^2) + 0.2*(b_dot - a_dot)^2'\n";

const std::vector<Text>& texts() {
  static const std::vector<Text> all = {
      {"henon_heiles", "the plane Hénon-Heiles oscillator, `W = (x² + y²)/2 + x²y - y³/3`: separable", 6,
       "[system]\nkind = 'henon_heiles'\nposition = [0.1, 0.3]\nvelocity = [0.35, -0.2]\n"},
      {"rotor", "a pendulum that goes over the top, with a second harmonic: separable, energy far above the barrier", 6,
       system("coordinates = ['a']\nkinetic = 'a_dot^2/2'\npotential = '-cos(a) + 0.3*sin(2*a)'\n"
              "initial = { a = 0.4, a_dot = 2.6 }\n")},
      {"cluster", "three unequal particles in space on anharmonic springs, spinning and drifting: separable, free", 4,
       cluster("")},
      {"swing", "a pendulum whose gravity varies in time: separable, time-dependent", 5,
       system("coordinates = ['a']\nkinetic = 'a_dot^2/2'\npotential = '-(1 + 0.5*sin(2*t))*cos(a)'\n"
              "initial = { a = 0.8, a_dot = -0.5 }\n")},
      {"double_pendulum", "two rods in angles: general, the mass matrix depends on the configuration", 4,
       system(two_rods)},
      {"charge", "a charge in a magnetic field that grows along x, and a well in x: general, y is cyclic", 5,
       system("coordinates = ['x', 'y']\n"
              "lagrangian = '(x_dot^2 + y_dot^2)/2 + (x + 0.3*x^2)*y_dot - x^2/4 - x^4/8'\n"
              "initial = { x = 0.6, y = 0.2, x_dot = 0.5, y_dot = 0.4 }\n")},
      {"vortex", "a charge in a round well and a round magnetic field: general, the rotation is given as a symmetry", 4,
       system(
           "coordinates = ['x', 'y']\nlagrangian = '(x_dot^2 + y_dot^2)/2 + (0.4 + 0.2*(x^2 + y^2))*(x*y_dot - y*x_dot)"
           " - (x^2 + y^2)/2 - (x^2 + y^2)^2/4'\ninitial = { x = 0.9, y = 0.2, x_dot = 0.1, y_dot = 0.7 }\n"
           "symmetries = { rotation = { x = '-y', y = 'x' } }\n")},
      {"damped_pendulum", "a pendulum with drag and a torque that varies in time: separable, forced", 5,
       system("coordinates = ['a']\nkinetic = 'a_dot^2/2'\npotential = '-cos(a)'\ndissipation = '0.15*a_dot^2'\n"
              "forces = { a = '0.3*cos(1.7*t)' }\ninitial = { a = 0.8, a_dot = 0.6 }\n")},
      {"damped_cluster", "the cluster with strain damping along its springs: forced, lagged in explicit steps", 3,
       cluster("[[force]]\nname = 'damping'\nkind = 'strain_damping'\nbody = 'cluster'\ndamping_time = 0.05\n")},
      {"damped_double_pendulum", "the double pendulum with friction that depends on the angle: general, forced", 4,
       system(two_rods + friction)},
      {"orbit", "a planet near a circular orbit: separable", 24, system(planet)},
      {"damped_orbit", "the same with weak drag and a weak force that varies in time: separable, forced", 24,
       system(planet + "dissipation = '0.002*(x_dot^2 + y_dot^2)'\nforces = { x = '0.002*cos(1.3*t)' }\n")},
      {"curved", "a particle whose mass grows with the distance from a well, near a circular orbit: general", 24,
       system("coordinates = ['x', 'y']\nkinetic = '(x_dot^2 + y_dot^2)*(1 + 0.2*(x^2 + y^2))/2'\npotential = '(x^2 + "
              "y^2)/2'\n"
              "initial = { x = 0.7, y = -0.6, x_dot = 0.55, y_dot = 0.6 }\n")},
      {"gyration", "a charge in a round well and field, near a circular orbit: general", 24, system(gyration)},
      {"damped_gyration", "the same with weak friction that depends on position: general, forced", 24,
       system(gyration + "dissipation = '0.01*(x_dot^2 + y_dot^2)*(1 + x^2/2)'\n")},
      {"anchored_cluster",
       "the cluster under gravity: its linear momentum does change; negative control of the detector", 4,
       cluster("[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -0.1]\n")},
  };
  return all;
}

Problem build(const Text& text) {
  const Scene scene =
      parse_scene("[time]\nend = 1\n[integrator]\nkind = 'galerkin'\nstep = 1\n" + text.scene, text.name);
  AssembledScene assembled = assemble(validated(scene));
  return {text.name, text.brief, Model(assembled.model->parts()), std::move(assembled.start), text.span};
}

}  // namespace

const Problem& problem(const std::string& name) {
  static std::map<std::string, Problem> built;
  if (const auto found = built.find(name); found != built.end()) return found->second;
  for (const Text& text : texts())
    if (text.name == name) return built.emplace(name, build(text)).first->second;
  throw std::out_of_range("unknown problem '" + name + "'");
}

const std::vector<std::string>& problem_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Text& text : texts()) list.push_back(text.name);
    return list;
  }();
  return names;
}

}  // namespace livens::laws
