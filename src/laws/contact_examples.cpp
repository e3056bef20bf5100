#include "laws/contact_examples.hpp"

#include <random>
#include <stdexcept>

namespace livens::laws {
namespace {

const std::string implicit_steps = "time = { end = 1 }\nintegrator = { kind = 'energy_momentum', step = 0.001 }\n";
const std::string explicit_steps = "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.0001 }\n";
const std::string rubber =
    "[[material]]\nname = 'rubber'\nkind = 'neo_hookean'\ndensity = 1000\nyoung = 1e5\npoisson = 0.3\n";

std::string solid(const std::string& name, const std::string& mesh) {
  return "[[body]]\nname = '" + name + "'\nkind = 'solid'\nmaterial = 'rubber'\nmesh = { " + mesh + " }\n";
}

const std::string two_squares =
    rubber + solid("left", "kind = 'rectangle', size = [0.1, 0.1], cells = [2, 2]") +
    solid("right", "kind = 'rectangle', size = [0.1, 0.1], cells = [3, 3], corner = [0.106, 0.023]");
// Face beside face, so that pairs of edges act: the gap is below half the distance.
const std::string two_cubes =
    rubber + solid("left", "kind = 'box', size = [0.1, 0.1, 0.1], cells = [2, 2, 2]") +
    solid("right", "kind = 'box', size = [0.1, 0.1, 0.1], cells = [1, 2, 2], corner = [0.104, 0.023, 0.031]");
// A strip that is bent until its ends are near each other.
const std::string bent_strip = rubber + solid("strip", "kind = 'rectangle', size = [0.3, 0.02], cells = [24, 1]") +
                               "initial = { position = ['(0.05 - Y)*cos(X/0.05)', '(0.05 - Y)*sin(X/0.05)'] }\n";
const std::string rigid_box_and_ball =
    "[[body]]\nname = 'box'\nkind = 'rigid'\nmass = 1\nshape = { kind = 'box', size = [0.1, 0.1, 0.1] }\n"
    "center = [0, 0, 0]\n"
    "[[body]]\nname = 'ball'\nkind = 'rigid'\nmass = 1\nshape = { kind = 'sphere', radius = 0.03 }\n"
    "center = [0.02, 0.01, 0.085]\n";
const std::string rigid_and_balls =
    rigid_box_and_ball +
    "[[body]]\nname = 'grains'\nkind = 'particles'\nmass = 1\n"
    "layout = { kind = 'points', points = [[0.06, 0.01, 0.02], [0.06, 0.03, 0.02], [-0.02, 0.02, 0.059]] }\n";

const std::string sphere_by_barrier = "point = [0.05, 0.05, -1.005], radius = 1, rule = 'barrier', distance = 0.02";

}  // namespace

const std::vector<ContactExample>& contact_examples() {
  static const std::vector<ContactExample> all = {
      {"bodies", "squares", "two blocks in the plane", "distance = 0.01", implicit_steps + two_squares, 0.01},
      {"bodies", "cubes", "two cubes face beside face, pairs of edges among their contacts", "distance = 0.01",
       implicit_steps + two_cubes, 0.01},
      {"bodies", "squares, samples", "the blocks, with points inside their facets", "distance = 0.01, samples = 2",
       implicit_steps + two_squares, 0.01},
      {"bodies", "cubes, samples", "the cubes, with points inside their facets", "distance = 0.01, samples = 1",
       implicit_steps + two_cubes, 0.01},
      {"bodies", "bent strip", "a strip whose ends are bent towards each other", "self = true, distance = 0.03",
       implicit_steps + bent_strip, 0.03},
      {"bodies", "rigid and balls", "a rigid box, a rigid ball and particles",
       "distance = 0.01, pressure = 1e4, radius = 0.005", implicit_steps + rigid_and_balls, 0.01, false},
      {"bodies", "rigid box and ball", "a rigid box and a rigid ball", "distance = 0.01, pressure = 1e4",
       implicit_steps + rigid_box_and_ball, 0.01},
      {"bodies", "rigid and balls, samples", "the same, with points inside the faces of the box",
       "distance = 0.01, pressure = 1e4, radius = 0.005, samples = 2", implicit_steps + rigid_and_balls, 0.01, false},
      {"bodies", "squares, layers", "the blocks by nested layers", "distance = 0.01", explicit_steps + two_squares,
       0.01},
      {"bodies", "cubes, layers", "the cubes by nested layers", "distance = 0.01", explicit_steps + two_cubes, 0.01},
      {"plane", "penalty", "blocks in the plane", "point = [0, -0.0093], normal = [-0.1, 1], rule = 'penalty'",
       implicit_steps + two_squares, 0.004},
      {"plane", "barrier", "two cubes",
       "point = [0, 0, -0.005], normal = [0.01, 0.02, 1], rule = 'barrier', distance = 0.02",
       implicit_steps + two_cubes, 0.02},
      {"plane", "layers", "two cubes",
       "point = [0, 0, -0.005], normal = [0.01, 0.02, 1], rule = 'barrier', distance = 0.02",
       explicit_steps + two_cubes, 0.02},
      {"plane", "barrier, samples", "two cubes, with points inside their facets",
       "point = [0, 0, -0.005], normal = [0.01, 0.02, 1], rule = 'barrier', distance = 0.02, samples = 2",
       implicit_steps + two_cubes, 0.02},
      {"sphere", "penalty", "two cubes", "point = [0.05, 0.05, -0.97], radius = 1", implicit_steps + two_cubes, 0.02},
      {"sphere", "barrier", "two cubes", sphere_by_barrier, implicit_steps + two_cubes, 0.02},
      {"sphere", "barrier, small", "two cubes, one of whose faces meets it",
       "point = [0.02, 0.03, -0.018], radius = 0.01, rule = 'barrier', distance = 0.02", implicit_steps + two_cubes,
       0.02},
      {"sphere", "barrier, samples", "two cubes, with points inside their facets", sphere_by_barrier + ", samples = 2",
       implicit_steps + two_cubes, 0.02},
      {"box", "barrier", "two cubes", "point = [0.1, 0.05, -0.055], size = [0.41, 0.43, 0.1], distance = 0.02",
       implicit_steps + two_cubes, 0.02},
      {"cylinder", "barrier", "two cubes",
       "point = [-0.11, 0.05, 0.04], radius = 0.105, length = 0.31, segments = 12, distance = 0.02",
       implicit_steps + two_cubes, 0.02},
  };
  return all;
}

ContactProblem::ContactProblem(const ContactExample& example)
    : example_(example),
      scene_(parse_scene(
          "contact = [{ name = 'touch', kind = '" + example.kind + "', " + example.keys + " }]\n" + example.bodies,
          "laws")),
      model_(make_model(scene_)),
      start_(initial_state(scene_, model_).q) {
  for (const auto& part : model_.parts().terms)
    if (part->name() == "touch") term_ = part;
  if (term_ == nullptr) throw std::logic_error("an example of contact has no term of its name");
}

std::vector<double> ContactProblem::shaken(double by, unsigned seed) const {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-by, by);
  std::vector<double> q = start_;
  for (double& x : q) x += uniform(engine);
  return q;
}

}  // namespace livens::laws
