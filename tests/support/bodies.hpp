// Bodies of every kind for tests of what acts on them: as text, and as an assembly without the text.
#pragma once

#include <string>

#include <livens/livens.hpp>

namespace livens::testing {

// What a constraint of any kind can hold: two rigid bodies and three particles, in motion.
inline const std::string moving_bodies = R"(
[[body]]
name = 'a'
kind = 'rigid'
mass = 1
inertia = [0.3, 0.4, 0.5]
center = [0, 0, 0]
initial = { velocity = [0.4, -0.3, 0.8], angular_velocity = [1.1, -0.7, 0.9] }
[[body]]
name = 'b'
kind = 'rigid'
mass = 2
inertia = [0.5, 0.4, 0.7]
center = [1, 0.2, 0.1]
initial = { velocity = [-0.5, 0.6, 0.2], angular_velocity = [-0.8, 1.3, 0.6] }
[[body]]
name = 'dust'
kind = 'particles'
mass = 0.1
layout = { kind = 'points', points = [[0.3, 0.1, 0], [0, 0.4, 0.2], [-0.2, 0, 0.5]] }
)";

inline const std::string bodies = R"(
time = { end = 1 }
integrator = { kind = 'rattle', step = 0.01 }
[[material]]
name = 'jelly'
kind = 'neo_hookean'
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = 'a'
kind = 'rigid'
mass = 1
inertia = [0.3, 0.4, 0.5]
center = [0, 0, 0]
[[body]]
name = 'b'
kind = 'rigid'
mass = 2
inertia = [0.5, 0.4, 0.7]
center = [1, 0.2, 0.1]
[[body]]
name = 'dust'
kind = 'particles'
mass = [0.1, 0.3, 0.2]
layout = { kind = 'points', points = [[0.3, 0.1, 0], [0, 0.4, 0.2], [-0.2, 0, 0.5]] }
[[body]]
name = 'chain'
kind = 'particles'
mass = 0.1
layout = { kind = 'chain', count = 3, dimension = 3 }
[[body]]
name = 'cube'
kind = 'solid'
material = 'jelly'
mesh = { kind = 'box', size = [1, 1, 1], cells = [2, 2, 2] }
)";

// The bodies alone, as if C++ had built them.
inline Assembly assembly_of_bodies() {
  static const Scene scene = parse_scene(bodies);
  static const Model model = make_model(scene);
  static const State start = initial_state(scene, model);
  Assembly assembly;
  assembly.parts = model.parts();
  assembly.q = start.q;
  assembly.v = start.v;
  assembly.neighbours["chain"] = {{0, 1, {0, 0, 0}}, {1, 2, {0, 0, 0}}};
  return assembly;
}

}  // namespace livens::testing
