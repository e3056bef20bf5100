// One small scene per feature, without integrator and time: what a reader takes for granted of every method.
#pragma once

#include <string>
#include <vector>

namespace livens::testing {

struct Feature {
  std::string name;
  std::string text;
  double step = 0.001;  // s
};

inline std::string solid_text(const std::string& more = "", const std::string& element = "tet4",
                              const std::string& material = "neo_hookean", const std::string& body = "") {
  const bool plane = element.rfind("tri", 0) == 0;
  const std::string mesh =
      plane ? "{ kind = 'rectangle', size = [1, 0.3], cells = [3, 1], element = '" + element + "' }"
            : "{ kind = 'box', size = [1, 0.3, 0.3], cells = [3, 1, 1], element = '" + element + "' }";
  return "[[material]]\nname = 'm'\nkind = '" + material +
         "'\nyoung = 1e5\npoisson = 0.3\ndensity = 1000\n"
         "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\nmesh = " +
         mesh + "\n" + body +
         (plane ? "initial.velocity = ['0.1*X*Y', '0.2*X']\n" : "initial.velocity = ['0.1*X*Y', '0.2*X', 0]\n") + more;
}

inline std::string held() { return "[[constraint]]\nkind = 'fixed'\nselection = 'b.x_min'\n"; }

// Two masses, one of them held; or one that hangs from a point 1 m above.
inline std::string bobs_text(const std::string& more) {
  return "[[body]]\nname = 'bobs'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[1, 0, 3], [1, "
         "0, 2]] }\n"
         "initial = { velocities = [[0, 0, 0], [0, 0.1, 0]] }\n"
         "[[selection]]\nname = 'upper'\nbody = 'bobs'\nkind = 'nearest'\npoint = [1, 0, 3]\n"
         "[[constraint]]\nname = 'hook'\nkind = 'fixed'\nselection = 'upper'\n"
         "[[force]]\nkind = 'spring'\nbody = 'bobs'\npairs = [[0, 1]]\nstiffness = 100\n" +
         more;
}

inline std::string bob_text(const std::string& more) {
  return "[[body]]\nname = 'bob'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[1, 0, 3]] }\n"
         "initial = { velocities = [[0, 0.1, 0]] }\n"
         "[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n" +
         more;
}

inline std::string rod_text(const std::string& enforcement) {
  return bob_text(
      "[[constraint]]\nname = 'rod'\nkind = 'distance'\nbodies = ['ground', 'bob']\nends = [[1, 0, 4], [1, 0, 3]]\n" +
      enforcement);
}

inline std::string rigid_text(const std::string& more) {
  return "[[body]]\nname = 'r'\nkind = 'rigid'\nmass = 2\ninertia = [0.02, 0.1, 0.11]\ncenter = [1.5, 0, 0]\n"
         "initial = { velocity = [0, 0, 0], angular_velocity = [0, 0, 0] }\n"
         "[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n" +
         more;
}

inline std::string hinge_text() {
  return "[[constraint]]\nname = 'hinge'\nkind = 'revolute'\nbodies = ['ground', 'r']\npoint = [1, 0, 0]\naxis = [0, "
         "1, 0]\n";
}

// A pendulum in the plane on a spring.
inline std::string plane_text() {
  return "[[body]]\nname = 'r'\nkind = 'rigid'\nmass = 2\ninertia = 0.1\ncenter = [1.5, 0]\n"
         "[[force]]\nkind = 'gravity'\nacceleration = [0, -9.81]\n"
         "[[constraint]]\nname = 'pin'\nkind = 'revolute'\nbodies = ['ground', 'r']\npoint = [1, 0]\n"
         "[[force]]\nkind = 'spring'\nbodies = ['ground', 'r']\nends = [[2, 1], [2, 0]]\nstiffness = 50\n";
}

inline std::string lagrangian_text(const std::string& body) { return "[system]\nkind = 'lagrangian'\n" + body; }

inline std::vector<Feature> body_features() {
  const std::string damping = "[[force]]\nkind = 'strain_damping'\ndamping_time = 1e-4\n";
  const std::string plane = "[[contact]]\nkind = 'plane'\nbody = 'b'\npoint = [0, 0, 0.01]\nnormal = [0, 0, 1]\n";
  return {
      {"free tet4", solid_text()},
      {"tet10", solid_text("", "tet10")},
      {"tri6", solid_text("", "tri6")},
      {"fixed supports", solid_text(held())},
      {"consistent mass", solid_text("", "tet4", "neo_hookean", "mass_matrix = 'consistent'\n")},
      {"strain damping", solid_text(held() + damping)},
      {"published damping", solid_text(held() + damping + "damping_form = 'published'\n")},
      {"drag", solid_text(held() + "[[force]]\nkind = 'drag'\ndrag_coefficient = 0.05\n")},
      {"mass damping", solid_text(held() + "[[force]]\nkind = 'mass_damping'\ndamping_rate = 0.5\n")},
      {"contact plane", solid_text(plane)},
      {"contact plane, barrier", solid_text("[[contact]]\nkind = 'plane'\nbody = 'b'\npoint = [0, 0, -0.03]\nnormal = "
                                            "[0, 0, 1]\nrule = 'barrier'\n")},
      {"contact sphere", solid_text("[[contact]]\nkind = 'sphere'\npoint = [0.5, 0.15, -0.99]\nradius = 1\n")},
      {"prescribed motion", solid_text("[[constraint]]\nkind = 'prescribed'\nselection = 'b.x_min'\ndisplacement = [0, "
                                       "'0.01*sin(20*t)', 'free']\n")},
      {"traction in time", solid_text(held() + "[[force]]\nkind = 'traction'\nselection = 'b.x_max'\ntraction = [0, 0, "
                                               "'10*sin(50*t)']\n")},
      {"constant traction",
       solid_text(held() + "[[force]]\nkind = 'traction'\nselection = 'b.x_max'\ntraction = [0, 0, 10]\n")},
      {"particles and springs", bobs_text("[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n"), 0.01},
      {"pairwise gravity", bobs_text("[[force]]\nkind = 'pairwise_gravity'\nconstant = 1\n")},
  };
}

// Above a floor, in steps in which they come to touch it.
inline std::vector<Feature> contact_features() {
  const std::string falls = "[[force]]\nkind = 'gravity'\nacceleration = [0, 0, -9.81]\n";
  const std::string floor = "[[contact]]\nname = 'floor'\nkind = 'plane'\npoint = [0, 0, -0.001]\nnormal = [0, 0, 1]\n";
  const auto rubbing = [&](const std::string& keys) {
    return solid_text(falls + floor + "rule = 'barrier'\ndistance = 0.01\n" + keys);
  };
  const std::string other =
      "[[body]]\nname = 'c'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [0.3, 0.3, 0.3], cells = "
      "[1, 1, 1], corner = [1.005, 0, 0] }\ninitial.velocity = [-0.5, 0, 0]\n";
  const std::string touch = "[[contact]]\nname = 'touch'\nkind = 'bodies'\ndistance = 0.01\n";
  const std::string plate =
      "[[body]]\nname = 'plate'\nkind = 'obstacle'\nshape = { kind = 'box', size = [0.02, 0.3, "
      "0.3] }\nposition = ['-0.02 + 0.5*t', 0.15, 0.15]\n";
  const std::string ball =
      "[[body]]\nname = 'ball'\nkind = 'rigid'\nmass = 1\ncenter = [0, 0, 0.05]\n"
      "shape = { kind = 'sphere', radius = 0.05 }\ninitial = { velocity = [0.5, 0, -0.5] }\n" +
      falls;
  const std::string drops =
      "[[body]]\nname = 'drops'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', "
      "points = [[0, 0, 0.06], [0.15, 0, 0.06]] }\ninitial = { velocities = [[0.5, 0, -1], [-2, 0, "
      "0]] }\n" +
      falls;
  return {
      {"floor, friction", rubbing("friction = 0.3\n")},
      {"floor, restitution", rubbing("restitution = 0.5\n")},
      {"box at rest", solid_text(falls + "[[contact]]\nkind = 'box'\npoint = [0.5, 0.15, -0.051]\nsize = [2, 1, "
                                         "0.1]\ndistance = 0.01\n")},
      {"contact between bodies", solid_text(other + touch)},
      {"contact between bodies, friction", solid_text(other + touch + "friction = 0.3\n")},
      {"self contact", solid_text(other + touch + "self = true\n")},
      {"obstacle that moves", solid_text(plate + touch)},
      {"rigid ball, barrier", ball + floor + "rule = 'barrier'\ndistance = 0.005\npressure = 1e4\n"},
      {"rigid ball, impacts", ball + floor + "rule = 'impact'\nrestitution = 0.8\nfriction = 0.2\n"},
      {"particles, impacts", drops + floor +
                                 "rule = 'impact'\nradius = 0.05\n[[contact]]\nname = 'touch'\nkind "
                                 "= 'bodies'\nrule = 'impact'\nradius = 0.05\nrestitution = 0.8\n"},
  };
}

inline std::vector<Feature> mechanism_features() {
  const std::string damping = "[[force]]\nkind = 'strain_damping'\ndamping_time = 1e-4\n";
  const std::string plane = "[[contact]]\nkind = 'plane'\nbody = 'b'\npoint = [0, 0, 0.01]\nnormal = [0, 0, 1]\n";
  return {
      {"rod, multiplier", rod_text("")},
      {"rod, penalty", rod_text("enforcement = 'penalty'\npenalty_stiffness = 1e4\n")},
      {"rod, augmented", rod_text("enforcement = 'augmented'\npenalty_stiffness = 1e4\n")},
      {"rigid body, hinge", rigid_text(hinge_text())},
      {"rigid body, free", rigid_text("")},
      {"rigid body in the plane", plane_text()},
      {"solid on a rigid body",
       solid_text(
           "[[body]]\nname = 'hub'\nkind = 'rigid'\nmass = 10\ninertia = [1, 1, 1]\ncenter = [-0.1, 0.15, 0.15]\n"
           "[[constraint]]\nname = 'glue'\nkind = 'attachment'\nbody = 'hub'\nselection = 'b.x_min'\n")},
      {"hinge, damping, contact", rigid_text(hinge_text()) + solid_text(damping + plane)},
      {"moving hinge",
       rigid_text("[[constraint]]\nname = 'drive'\nkind = 'prescribed'\nbodies = ['r']\npoint = [1, 0, 0]\n"
                  "displacement = [0, 0, '0.01*(1 - cos(10*t))']\n")},
      {"constraint by expression", bob_text("[[constraint]]\nname = 'e'\nkind = 'expression'\nbodies = ['bob']\nends "
                                            "= [[1, 0, 3]]\ng = 'z - 3 - 0.01*t^2'\n")},
  };
}

inline std::vector<Feature> system_features() {
  return {
      {"double pendulum",
       lagrangian_text(
           "coordinates = ['a', 'b']\nlagrangian = 'a_dot^2 + b_dot^2/2 + a_dot*b_dot*cos(a - b) + 19.62*cos(a) + "
           "9.81*cos(b)'\ninitial = { a = 1, b = 0.5, a_dot = 0, b_dot = 0 }\n")},
      {"magnetic field",
       lagrangian_text("coordinates = ['x', 'y']\nlagrangian = '(x_dot^2 + y_dot^2)/2 + x*y_dot - x^2'\n"
                       "initial = { x = 1, y = 0, x_dot = 0, y_dot = 1 }\n")},
      {"L(t)",
       lagrangian_text(
           "coordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = 'x^2/2 - 0.1*x*cos(2*t)'\ninitial = { x "
           "= 1, x_dot = 0 }\n"),
       0.02},
      {"system, forces and dissipation",
       lagrangian_text("coordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = 'x^2/2'\ndissipation = "
                       "'0.05*x_dot^2'\nforces = { x = "
                       "'0.1*cos(t)' }\ninitial = { x = 1, x_dot = 0 }\n"),
       0.02},
      {"non-linear friction",
       lagrangian_text("coordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = 'x^2/2'\ndissipation = "
                       "'0.05*(x_dot^2)^1.5'\ninitial = { x = 1, x_dot = 0.1 }\n"),
       0.02},
      {"system, constraints",
       lagrangian_text(
           "coordinates = ['x', 'y']\nkinetic = '(x_dot^2 + y_dot^2)/2'\npotential = '9.81*y'\nconstraints = ['x^2 + "
           "y^2 - 1']\ninitial = { x = 1, y = 0, x_dot = 0, y_dot = 0 }\n"),
       0.01},
      {"system beside a solid",
       solid_text(held()) + lagrangian_text("coordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = 'x^2/2 + x^4/4'\n"
                                            "initial = { x = 1, x_dot = 0 }\n")},
      {"system coupled to a body",
       bob_text("[[constraint]]\nname = 'teeth'\nkind = 'expression'\nbodies = ['bob', 'system']\nends = [[1, 0, "
                "3]]\ng = 'z - 3 - 0.1*theta'\n") +
           lagrangian_text("coordinates = ['theta']\nkinetic = '0.01*theta_dot^2'\npotential = '0.5*cos(theta) + "
                           "10*theta^2'\ninitial = { theta = 0 }\n"),
       0.002},
      {"damper at a joint",
       rigid_text(hinge_text() + "[[force]]\nkind = 'damper'\nbodies = ['ground', 'r']\nends = [[1.5, 0, 1], [1.5, 0, "
                                 "0]]\ncoefficient = 3\n")},
      {"step(t)",
       lagrangian_text("coordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = 'x^2/2'\ninitial = { x = 1, x_dot = 0 "
                       "}\n"),
       -1},
      {"linear material", solid_text("", "tet4", "linear")},
  };
}

inline std::vector<Feature> features() {
  std::vector<Feature> all = body_features();
  for (const auto& part : {contact_features(), mechanism_features(), system_features()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace livens::testing
