// Random scenes that a method integrates well, for the verdict: systems, particles, solids, mechanisms; loads and
// damping; soft and stiff, small and large. Steps are a part of what the method allows.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace livens::testing {

struct RandomScene {
  std::string text, what;
};

class SceneMaker {
 public:
  explicit SceneMaker(unsigned seed) : engine_(seed) {}

  RandomScene make() {
    switch (pick(7)) {
      case 0: return pendulum();
      case 1: return kepler();
      case 2: return double_pendulum();
      case 3: return oscillator();
      case 4: return particles();
      case 5: return mechanism();
      default: return solid();
    }
  }

 private:
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  double between(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine_); }
  double about(double a, double b) { return std::exp(between(std::log(a), std::log(b))); }
  bool chance(double p) { return between(0, 1) < p; }
  std::string one_of(const std::vector<std::string>& names) { return names[pick(static_cast<int>(names.size()))]; }

  // Methods with a claim on the energy, and the largest omega h each is given here.
  std::string method(double omega, bool separable, double& step) {
    struct Choice {
      std::string keys;
      double most;
      bool needs_separable;
    };
    std::vector<Choice> choices = {
        {"kind = 'stormer_verlet'", 0.3, false},
        {"kind = 'implicit_midpoint'", 0.5, false},
        {fmt::format("kind = 'hamilton_pontryagin', alpha = {:.3f}", between(0.3, 0.7)), 0.2, false},
        {"kind = 'symplectic_euler_a'", 0.1, false},
        {"kind = 'symplectic_euler_b'", 0.1, false},
        {"kind = 'generalized_trapezoid', alpha = 0.5", 0.3, false},
        {"kind = 'galerkin', degree = 2", 0.5, false},
        {"kind = 'composition', order = 4", 0.3, false},
        {"kind = 'newmark'", 0.3, true},
        {"kind = 'energy_momentum'", 0.5, true}};
    for (;;) {
      const Choice& choice = choices[pick(static_cast<int>(choices.size()))];
      if (choice.needs_separable && !separable) continue;
      step = about(0.1, 1) * choice.most / omega;
      return fmt::format("integrator = {{ {}, step = {:.17g} }}\n", choice.keys, step);
    }
  }
  std::string end(double step) { return fmt::format("time = {{ end = {:.17g} }}\n", step * (200 + pick(1800))); }

  RandomScene pendulum() {
    const double m = about(1e-6, 1e6), l = about(1e-3, 1e3), g = about(1, 100), q = between(0.05, 2.5);
    double h = 0;
    const std::string integrator = method(std::sqrt(g / l), true, h);
    const std::string damping = chance(0.4) ? fmt::format("dissipation = '{:.17g}*q_dot^2'\n",
                                                          0.1 * between(0, 1) * m * l * l * std::sqrt(g / l))
                                            : "";
    const std::string drive =
        chance(0.3) ? fmt::format(" + {:.17g}*cos({:.17g}*t)*q", 0.1 * m * g * l, between(0.1, 0.5) * std::sqrt(g / l))
                    : "";
    return {end(h) + integrator +
                fmt::format("[system]\nkind = 'lagrangian'\ncoordinates = ['q']\nkinetic = '{:.17g}*q_dot^2/2'\n"
                            "potential = '{:.17g}*(1 - cos(q)){}'\n{}initial = {{ q = {:.17g}, q_dot = 0 }}\n",
                            m * l * l, m * g * l, drive, damping, q),
            "pendulum " + integrator};
  }

  RandomScene kepler() {
    const double e = between(0, 0.6), mu = about(1e-3, 1e20), a = about(1e-3, 1e11);
    const double n = std::sqrt(mu / (a * a * a)), fastest = n / std::pow(1 - e, 1.5);
    double h = 0;
    const std::string integrator = method(2 * fastest, true, h);
    return {
        end(h) + integrator +
            fmt::format("[system]\nkind = 'lagrangian'\ncoordinates = ['x', 'y']\nkinetic = '(x_dot^2 + y_dot^2)/2'\n"
                        "potential = '-{:.17g}/sqrt(x^2 + y^2)'\n"
                        "initial = {{ x = {:.17g}, y = 0, x_dot = 0, y_dot = {:.17g} }}\n",
                        mu, a * (1 - e), std::sqrt(mu / a * (1 + e) / (1 - e))),
        "kepler " + integrator};
  }

  RandomScene double_pendulum() {
    double h = 0;
    const std::string integrator = method(8, false, h);
    return {end(h) + integrator +
                fmt::format("[system]\nkind = 'lagrangian'\ncoordinates = ['a', 'b']\n"
                            "lagrangian = 'a_dot^2 + b_dot^2/2 + a_dot*b_dot*cos(a - b) + 19.62*cos(a) + 9.81*cos(b)'\n"
                            "initial = {{ a = {:.17g}, b = {:.17g}, a_dot = 0, b_dot = 0 }}\n",
                            between(0.1, 0.8), between(-0.8, 0.8)),
            "double pendulum " + integrator};
  }

  // Two frequencies, a non-linear spring, and a load that is switched on.
  RandomScene oscillator() {
    const double k = about(1e-3, 1e9), ratio = about(1, 20);
    double h = 0;
    const std::string integrator = method(ratio * std::sqrt(k) * 1.3, true, h);
    const std::string load = chance(0.4) ? fmt::format(" - {:.17g}*min(1, t/{:.17g})*y", 0.2 * k, 37.4 * h) : "";
    return {
        end(h) + integrator +
            fmt::format("[system]\nkind = 'lagrangian'\ncoordinates = ['x', 'y']\nkinetic = '(x_dot^2 + y_dot^2)/2'\n"
                        "potential = '{0:.17g}*(x^2/2 + x^4/10) + {1:.17g}*(y - x)^2/2{2}'\n"
                        "initial = {{ x = {3:.17g}, y = 0, x_dot = 0, y_dot = 0 }}\n",
                        k, k * ratio * ratio / 2, load, between(0.1, 1)),
        "oscillator " + integrator};
  }

  RandomScene particles() {
    const double m = about(1e-3, 1e3), k = about(1e-2, 1e4), spacing = about(1e-3, 1e3);
    const double omega = 2.5 * std::sqrt(k / m), amplitude = 0.1 * spacing * std::sqrt(k / m) * between(0.1, 1);
    double h = 0;
    std::string integrator = method(omega, true, h), more;
    if (chance(0.15)) integrator = "integrator = { kind = 'asynchronous', courant = 0.1 }\n";
    if (chance(0.3)) more += "[[force]]\nkind = 'gravity'\nacceleration = [0, -9.81]\n";
    if (chance(0.4))
      more += fmt::format("[[force]]\nkind = 'strain_damping'\ndamping_time = {:.17g}\n", between(0, 0.1) / omega);
    if (chance(0.3) && integrator.find("asynchronous") == std::string::npos)
      more += fmt::format("[[force]]\nkind = 'mass_damping'\ndamping_rate = {:.17g}\n", between(0, 0.1) * omega);
    return {
        end(h) + integrator +
            fmt::format("[[body]]\nname = 'lattice'\nkind = 'particles'\nmass = {:.17g}\n"
                        "layout = {{ kind = 'triangular_lattice', count = [4, 3], spacing = {:.17g} }}\n"
                        "initial = {{ random_velocity = {:.17g}, seed = {} }}\n"
                        "[[force]]\nkind = 'spring'\nbody = 'lattice'\npairs = 'neighbours'\nstiffness = {:.17g}\n{}",
                        m, spacing, amplitude, 1 + pick(1000), k, more),
        "particles " + integrator + more};
  }

  // A rod on a hinge, and a chain of two.
  RandomScene mechanism() {
    const double l = about(1e-2, 1e2), h = about(0.003, 0.03) * std::sqrt(l);
    const std::string integrator = one_of({"rattle", "hamilton_pontryagin", "implicit_midpoint", "energy_momentum"});
    return {end(h) + fmt::format("integrator = {{ kind = '{}', step = {:.17g} }}\n", integrator, h) +
                fmt::format("constraint = [{{ name = 'rod', kind = 'distance', bodies = ['ground', 'a'], "
                            "ends = [[0, 0, {2:.17g}], [{1:.17g}, 0, {2:.17g}]] }},\n"
                            "  {{ name = 'link', kind = 'distance', bodies = ['a', 'b'], "
                            "ends = [[{1:.17g}, 0, {2:.17g}], [{3:.17g}, 0, {2:.17g}]] }}]\n"
                            "force = [{{ kind = 'gravity', acceleration = [0, 0, -9.81] }}]\n"
                            "[[body]]\nname = 'a'\nkind = 'particles'\nmass = {0:.17g}\n"
                            "layout = {{ kind = 'points', points = [[{1:.17g}, 0, {2:.17g}]] }}\n"
                            "[[body]]\nname = 'b'\nkind = 'particles'\nmass = {0:.17g}\n"
                            "layout = {{ kind = 'points', points = [[{3:.17g}, 0, {2:.17g}]] }}\n"
                            "initial = {{ velocities = [[0, {4:.17g}, 0]] }}\n",
                            about(1e-3, 1e3), l, 3 * l, 2 * l, 0.5 * std::sqrt(9.81 * l)),
            "mechanism " + integrator};
  }

  RandomScene solid() {
    const double size = about(1e-6, 1e3), young = about(1e2, 1e12), density = about(100, 2e4);
    const double speed = std::sqrt(young / density), edge = size / 4;
    const std::string element = one_of({"tet4", "tet4", "tet10"});
    const double omega = (element == "tet10" ? 14 : 7) * speed / edge;  // of the mesh, from above
    double h = 0;
    std::string integrator = method(omega / 5, true, h);
    const bool stiff =
        integrator.find("euler") != std::string::npos || integrator.find("verlet") != std::string::npos ||
        integrator.find("trapezoid") != std::string::npos || integrator.find("composition") != std::string::npos ||
        integrator.find("hamilton") != std::string::npos;
    if (stiff) integrator = method_at(integrator, h /= 5);
    std::string more;
    if (chance(0.4)) more += "[[constraint]]\nkind = 'fixed'\nselection = 'b.x_min'\n";
    if (chance(0.3))
      more += fmt::format("[[force]]\nkind = 'strain_damping'\ndamping_time = {:.17g}\ndamping_form = '{}'\n",
                          between(0, 0.3) / omega, one_of({"exact", "published", "second_order"}));
    if (chance(0.3) && more.find("fixed") != std::string::npos)
      more += fmt::format(
          "[[force]]\nkind = 'traction'\nselection = 'b.x_max'\ntraction = [0, 0, '{:.17g}*min(1, t/{:.17g})']\n",
          -1e-4 * young, 25 * h);
    const double v = 0.01 * speed * about(1e-4, 1);
    return {
        fmt::format("time = {{ end = {:.17g} }}\n", h * (150 + pick(300))) + integrator +
            fmt::format(
                "[[material]]\nname = 'm'\nkind = '{0}'\nyoung = {1:.17g}\npoisson = {2:.3f}\ndensity = {3:.17g}\n"
                "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\n"
                "mesh = {{ kind = 'box', size = [{4:.17g}, {5:.17g}, {5:.17g}], cells = [4, 1, 1], element = '{6}', "
                "corner = [{7:.17g}, 0, 0] }}\n"
                "initial = {{ velocity = [0, '{8:.17g}*(X - {7:.17g})/{4:.17g}', '{9:.17g}*Y/{5:.17g}'] }}\n{10}",
                one_of({"neo_hookean", "st_venant_kirchhoff", "linear", "mooney_rivlin", "stable_neo_hookean"}), young,
                between(0, 0.45), density, size, size / 4, element, chance(0.2) ? 1000 * size : 0, v,
                v * between(-1, 1), more),
        fmt::format("solid {} E {:.2g} size {:.2g} {} {}", element, young, size, integrator, more)};
  }

  static std::string method_at(const std::string& integrator, double step) {
    return integrator.substr(0, integrator.find("step = ")) + fmt::format("step = {:.17g} }}\n", step);
  }

  std::mt19937 engine_;
};

}  // namespace livens::testing
