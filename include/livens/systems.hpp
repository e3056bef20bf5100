// Systems in generalised coordinates whose Lagrangian is a text, and ready-made ones. An assembly has one at most,
// alone or after its bodies; its coordinates are the body "system". What acts on it is written into it, and an
// ExpressionConstraint may couple it to bodies. Lagrangians in C++ are in lagrangian.hpp.
//
//   Assembly assembly;
//   add(assembly, ExpressionLagrangian{.coordinates = {"x"}, .kinetic = "m*x_dot^2/2", .potential = "k*x^2/2",
//                                      .q = {1}, .v = {0}, .parameters = {{"m", 2}, {"k", 3}}});
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <livens/assembly.hpp>

namespace livens {

// L = kinetic - potential, or L = lagrangian. Texts are expressions as in scenes, of the coordinates (x), their
// velocities (x_dot), the time t and the parameters.
struct ExpressionLagrangian {
  std::vector<std::string> coordinates;            // names
  std::string kinetic = {}, potential = {};        // J; no potential: 0
  std::string lagrangian = {};                     // J, instead of these two
  std::string dissipation = {};                    // W, Rayleigh's function D; the force is -dD/dq_dot
  std::map<std::string, std::string> forces = {};  // generalised force on a coordinate, by its name
  std::vector<std::string> constraints = {};       // functions of q and t that stay 0
  // Directions in which L does not change: name, and the component for each coordinate that has one, functions of q.
  std::vector<std::pair<std::string, std::map<std::string, std::string>>> symmetries = {};
  std::vector<double> q, v = {};                               // the start; no v: at rest
  std::vector<double> second = {};                             // or q after the first step, instead of v
  std::map<std::string, double, std::less<>> parameters = {};  // constants that the texts may name
};
// Throws AssemblyError. Cyclic coordinates become symmetries by themselves.
void add(Assembly& assembly, const ExpressionLagrangian& system);

// Plane pendulum; with the defaults q'' = -sin q.
struct Pendulum {
  double mass = 1, length = 1;         // kg, m
  double gravity = 1;                  // m/s^2
  double angle = 0.78539816339744831;  // rad, from the vertical, at the start: pi/4
  double angular_velocity = 0;         // rad/s, at the start
};
void add(Assembly& assembly, const Pendulum& pendulum);

// Two rods in angles from the vertical: a mass matrix that depends on the configuration.
struct DoublePendulum {
  std::array<double, 2> masses{1, 1}, lengths{1, 1};  // kg, m
  double gravity = 9.81;                              // m/s^2
  std::array<double, 2> angles{1.2, 0.6};             // rad, at the start
  std::array<double, 2> angular_velocities{0, 0};     // rad/s, at the start
};
void add(Assembly& assembly, const DoublePendulum& pendulum);

// A planet around a fixed sun, in the plane, from perihelion on an orbit with semi-axis 1 m.
struct Kepler {
  double strength = 1;        // m^3/s^2, G times the mass of the sun
  double eccentricity = 0.5;  // of the orbit, 0 to 0.999
};
void add(Assembly& assembly, const Kepler& kepler);

// The Henon-Heiles system [Henon and Heiles 1964]: regular and chaotic orbits in one potential.
struct HenonHeiles {
  std::array<double, 2> position{0.1, 0.2}, velocity{0.3, 0.25};  // m, m/s, at the start
};
void add(Assembly& assembly, const HenonHeiles& system);

// Periodic triangular lattice of springs, linearised about its rest shape [L04 Fig. 2]; its body is "lattice".
struct HarmonicLattice {
  std::array<int, 2> count{10, 10};  // masses in each direction
  double spacing = 1;                // m, between neighbours
  double mass = 1;                   // kg, of each
  double stiffness = 1;              // N/m, of the springs
  double random_velocity = 0.1;      // m/s, standard deviation of each component at the start
  unsigned long seed = 1;            // of the random velocities
};
void add(Assembly& assembly, const HarmonicLattice& lattice);

// The same of springs k/2 e^2 + q/4 e^4, not linearised [L04 Fig. 1].
struct AnharmonicLattice {
  HarmonicLattice lattice = {};
  double quartic = 1;  // N/m^3, q of the springs
};
void add(Assembly& assembly, const AnharmonicLattice& lattice);

}  // namespace livens
