// Small systems: what a step of the library costs against loops written by hand for that one system.
// Pendulum, Kepler, Henon-Heiles and Pleiades by Verlet, pendulum and double pendulum by the implicit midpoint rule, a
// four-bar linkage by RATTLE; models as C++ lambdas and as scene expressions. All in one run, alternating, best of
// several rounds.
//   build/bench/bench_small_systems [steps a round, default 200000] [rounds, default 5]
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <livens/livens.hpp>

namespace {

using Clock = std::chrono::steady_clock;
constexpr double step = 0.01;

double volatile sink_value;

template <class Work>
double nanoseconds(int steps, int rounds, const Work& work) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const auto since = Clock::now();
    sink_value = work(steps);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - since).count());
  }
  return 1e9 * best / steps;
}

double pendulum_verlet(int steps) {
  double q = 0.7, v = 0, a = -std::sin(q);
  for (int k = 0; k < steps; ++k) {
    v += 0.5 * step * a;
    q += step * v;
    a = -std::sin(q);
    v += 0.5 * step * a;
  }
  return q;
}

double kepler_verlet(int steps) {
  double x = 0.5, y = 0, u = 0, w = std::sqrt(3.0), r3 = std::pow(x * x + y * y, 1.5), ax = -x / r3, ay = -y / r3;
  for (int k = 0; k < steps; ++k) {
    u += 0.5 * step * ax;
    w += 0.5 * step * ay;
    x += step * u;
    y += step * w;
    const double r2 = x * x + y * y;
    r3 = r2 * std::sqrt(r2);
    ax = -x / r3;
    ay = -y / r3;
    u += 0.5 * step * ax;
    w += 0.5 * step * ay;
  }
  return x;
}

double henon_heiles_verlet(int steps) {
  double x = 0.1, y = 0.2, u = 0.3, w = 0.25, fx = -x - 2 * x * y, fy = -y - x * x + y * y;
  for (int k = 0; k < steps; ++k) {
    u += 0.5 * step * fx;
    w += 0.5 * step * fy;
    x += step * u;
    y += step * w;
    fx = -x - 2 * x * y;
    fy = -y - x * x + y * y;
    u += 0.5 * step * fx;
    w += 0.5 * step * fy;
  }
  return x;
}

// Seven stars in the plane with masses 1 ... 7 (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
// II.10); x, then y.
constexpr int stars = 7;
constexpr double short_step = 1e-3;
constexpr std::array<double, 14> star_places = {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4};
constexpr std::array<double, 14> star_velocities = {0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0};

void pleiades_acceleration(const double* x, double* a) {
  const double* y = x + stars;
  for (int i = 0; i < 2 * stars; ++i) a[i] = 0;
  for (int i = 0; i < stars; ++i)
    for (int j = 0; j < i; ++j) {
      const double dx = x[i] - x[j], dy = y[i] - y[j], r2 = dx * dx + dy * dy, f = 1 / (r2 * std::sqrt(r2));
      a[i] -= (j + 1) * f * dx;
      a[stars + i] -= (j + 1) * f * dy;
      a[j] += (i + 1) * f * dx;
      a[stars + j] += (i + 1) * f * dy;
    }
}

double pleiades_verlet(int steps) {
  std::array<double, 14> x = star_places, v = star_velocities, a;
  pleiades_acceleration(x.data(), a.data());
  for (int k = 0; k < steps; ++k) {
    for (std::size_t i = 0; i < 14; ++i) {
      v[i] += 0.5 * short_step * a[i];
      x[i] += short_step * v[i];
    }
    pleiades_acceleration(x.data(), a.data());
    for (std::size_t i = 0; i < 14; ++i) v[i] += 0.5 * short_step * a[i];
  }
  return x[0];
}

// v + h/2 sin(q + h v/2) = p, Newton to rounding.
double pendulum_midpoint(int steps) {
  double q = 0.7, p = 0;
  for (int k = 0; k < steps; ++k) {
    double v = p;
    for (int i = 0; i < 20; ++i) {
      const double r = v + 0.5 * step * std::sin(q + 0.5 * step * v) - p;
      if (std::abs(r) <= 1e-15) break;
      v -= r / (1 + 0.25 * step * step * std::cos(q + 0.5 * step * v));
    }
    p = p - step * std::sin(q + 0.5 * step * v);
    q += step * v;
  }
  return q;
}

// L = a'^2 + b'^2/2 + a'b' cos(a - b) + 2 g cos a + g cos b; residual and Jacobian by hand, 2 x 2 Newton.
double double_pendulum_midpoint(int steps) {
  const double g = 9.81, h = step;
  double a = 1.2, b = 0.6, pa = 0, pb = 0;
  for (int k = 0; k < steps; ++k) {
    double u = 0, w = 0, La = 0, Lb = 0;
    {
      const double c = std::cos(a - b), det = 2 - c * c;
      u = (pa - c * pb) / det;
      w = (2 * pb - c * pa) / det;
    }
    for (int i = 0; i < 20; ++i) {
      const double x = a + 0.5 * h * u, y = b + 0.5 * h * w, c = std::cos(x - y), s = std::sin(x - y);
      La = -u * w * s - 2 * g * std::sin(x);
      Lb = u * w * s - g * std::sin(y);
      const double r0 = 2 * u + w * c - 0.5 * h * La - pa, r1 = w + u * c - 0.5 * h * Lb - pb;
      if (std::abs(r0) + std::abs(r1) <= 4e-15 * (std::abs(pa) + std::abs(pb) + 1)) break;
      const double uw = u * w * c, ca = 2 * g * std::cos(x), cb = g * std::cos(y), e = 0.5 * h;
      // d La / du etc. through x = a + h u/2 and directly
      const double La_u = -w * s + e * (-uw - ca), La_w = -u * s + e * uw, Lb_u = w * s + e * uw,
                   Lb_w = u * s + e * (-uw - cb);
      const double j00 = 2 - e * w * s - e * La_u, j01 = c + e * w * s - e * La_w;
      const double j10 = c - e * u * s - e * Lb_u, j11 = 1 + e * u * s - e * Lb_w;
      const double det = j00 * j11 - j01 * j10;
      u -= (r0 * j11 - r1 * j01) / det;
      w -= (r1 * j00 - r0 * j10) / det;
    }
    pa += h * La;
    pb += h * Lb;
    a += h * u;
    b += h * w;
  }
  return a;
}

// A four-bar linkage as two pins of 1 kg at (x, y) and (z, w), on rods of lengths 1, 2 and 1.5 between the ground at
// (0, 0) and (2, 0), under gravity: equations g = 0 of three squared lengths, held by RATTLE.
constexpr double gravity = 9.81, squared_rods[3] = {1, 4, 2.25};
using Pins = std::array<double, 4>;
using Rods = std::array<double, 3>;

Pins closed_linkage() {
  // The first pin straight up, the second where the circles of the other two rods meet.
  const double dx = 2, dy = -1, d2 = dx * dx + dy * dy, a = (4 - 2.25 + d2) / (2 * d2), b = std::sqrt(4 / d2 - a * a);
  return {0, 1, a * dx - b * dy, 1 + a * dy + b * dx};
}
Rods rod_equations(const Pins& q) {
  const double ax = q[2] - q[0], ay = q[3] - q[1], bx = q[2] - 2, by = q[3];
  return {(q[0] * q[0] + q[1] * q[1] - squared_rods[0]) / 2, (ax * ax + ay * ay - squared_rods[1]) / 2,
          (bx * bx + by * by - squared_rods[2]) / 2};
}
std::array<Pins, 3> rod_gradients(const Pins& q) {
  const double ax = q[2] - q[0], ay = q[3] - q[1];
  return {{{q[0], q[1], 0, 0}, {-ax, -ay, ax, ay}, {0, 0, q[2] - 2, q[3]}}};
}
Rods solved(const std::array<Pins, 3>& G, const std::array<Pins, 3>& H, const Rods& r) {  // (G H') x = r
  double A[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[i][j] = G[i][0] * H[j][0] + G[i][1] * H[j][1] + G[i][2] * H[j][2] + G[i][3] * H[j][3];
  const double c0 = A[1][1] * A[2][2] - A[1][2] * A[2][1], c1 = A[1][2] * A[2][0] - A[1][0] * A[2][2],
               c2 = A[1][0] * A[2][1] - A[1][1] * A[2][0], det = A[0][0] * c0 + A[0][1] * c1 + A[0][2] * c2;
  const double d0 = A[0][2] * A[2][1] - A[0][1] * A[2][2], d1 = A[0][0] * A[2][2] - A[0][2] * A[2][0],
               d2 = A[0][1] * A[2][0] - A[0][0] * A[2][1];
  const double e0 = A[0][1] * A[1][2] - A[0][2] * A[1][1], e1 = A[0][2] * A[1][0] - A[0][0] * A[1][2],
               e2 = A[0][0] * A[1][1] - A[0][1] * A[1][0];
  return {(c0 * r[0] + d0 * r[1] + e0 * r[2]) / det, (c1 * r[0] + d1 * r[1] + e1 * r[2]) / det,
          (c2 * r[0] + d2 * r[1] + e2 * r[2]) / det};
}

double four_bar_rattle(int steps) {
  const double h = step;
  Pins q = closed_linkage(), v{};
  std::array<Pins, 3> G = rod_gradients(q);
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < 4; ++i) v[i] -= i % 2 == 1 ? 0.5 * h * gravity : 0;
    Pins at;
    for (int i = 0; i < 4; ++i) at[i] = q[i] + h * v[i];
    std::array<Pins, 3> next = G;
    double before = 1e300;
    for (int iteration = 0; iteration < 20; ++iteration) {
      const Rods g = rod_equations(at);
      const double largest = std::max({std::abs(g[0]), std::abs(g[1]), std::abs(g[2])});
      if (largest <= 1e-15 || (largest < 1e-13 && largest >= before)) break;
      before = largest;
      next = rod_gradients(at);
      const Rods l = solved(next, G, g);
      for (int i = 0; i < 4; ++i) {
        const double d = G[0][i] * l[0] + G[1][i] * l[1] + G[2][i] * l[2];
        at[i] -= d;
        v[i] -= d / h;
      }
    }
    q = at;
    G = rod_gradients(q);
    for (int i = 0; i < 4; ++i) v[i] -= i % 2 == 1 ? 0.5 * h * gravity : 0;
    Rods rate;
    for (int j = 0; j < 3; ++j) rate[j] = G[j][0] * v[0] + G[j][1] * v[1] + G[j][2] * v[2] + G[j][3] * v[3];
    const Rods l = solved(G, G, rate);
    for (int i = 0; i < 4; ++i) v[i] -= G[0][i] * l[0] + G[1][i] * l[1] + G[2][i] * l[2];
  }
  return q[0];
}

double run(const livens::Model& model, const livens::State& start, const std::string& kind, double h, int steps) {
  livens::State state = start;
  auto integrator = livens::make_integrator("kind = '" + kind + "', step = " + std::to_string(h), model);
  integrator->advance(model, state, h * steps);
  return state.q[0];
}

std::string system_scene(const std::string& table) {
  return "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.01 }\n[system]\n" + table;
}

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string pleiades_scene() {
  std::string names, kinetic, potential, initial;
  for (int i = 0; i < stars; ++i) {
    const std::string x = "x" + std::to_string(i), y = "y" + std::to_string(i), m = std::to_string(i + 1);
    kinetic += (i > 0 ? " + " : "") + m + "*(" + x + "_dot^2 + " + y + "_dot^2)/2";
    for (int j = 0; j < i; ++j) {
      const std::string u = "x" + std::to_string(j), w = "y" + std::to_string(j), n = std::to_string(j + 1);
      potential += " - " + m + "*" + n + "/sqrt((" + x + " - " + u + ")^2 + (" + y + " - " + w + ")^2)";
    }
  }
  for (std::size_t i = 0; i < 14; ++i) {
    const std::string name = (i < stars ? "x" : "y") + std::to_string(i % stars);
    names += (i > 0 ? ", '" : "'") + name + "'";
    initial += (i > 0 ? ", " : "") + name + " = " + number(star_places[i]) + ", " + name +
               "_dot = " + number(star_velocities[i]);
  }
  return system_scene("kind = 'lagrangian'\ncoordinates = [" + names + "]\nkinetic = '" + kinetic +
                      "'\npotential = '0" + potential + "'\ninitial = { " + initial + " }\n");
}

std::string four_bar_scene() {
  const Pins q = closed_linkage();
  return system_scene(
      "kind = 'lagrangian'\ncoordinates = ['x', 'y', 'z', 'w']\nkinetic = '(x_dot^2 + y_dot^2 + z_dot^2 + w_dot^2)/2'\n"
      "potential = '9.81*(y + w)'\nconstraints = ['(x^2 + y^2 - 1)/2', '((z - x)^2 + (w - y)^2 - 4)/2',\n"
      "'((z - 2)^2 + w^2 - 2.25)/2']\ninitial = { x = " +
      number(q[0]) + ", y = " + number(q[1]) + ", z = " + number(q[2]) + ", w = " + number(q[3]) + " }\n");
}

struct Case {
  std::string name, kind;
  double step;
  std::function<double(int)> by_hand;
  std::optional<livens::Model> lambda;
  std::string scene;
};

std::vector<Case> all_cases() {
  const livens::Model pendulum = livens::mechanical_model<1>({"theta"}, {1}, [](const auto& q) {
    using std::cos;
    return 1.0 - cos(q[0]);
  });
  const livens::Model kepler = livens::mechanical_model<2>({"x", "y"}, {1, 1}, [](const auto& q) {
    using std::sqrt;
    return -1.0 / sqrt(q[0] * q[0] + q[1] * q[1]);
  });
  const livens::Model henon_heiles = livens::mechanical_model<2>({"x", "y"}, {1, 1}, [](const auto& q) {
    return 0.5 * (q[0] * q[0] + q[1] * q[1]) + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3.0;
  });
  const livens::Model pleiades =
      livens::mechanical_model<14>({"x0", "x1", "x2", "x3", "x4", "x5", "x6", "y0", "y1", "y2", "y3", "y4", "y5", "y6"},
                                   {1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7}, [](const auto& q) {
                                     using std::sqrt;
                                     auto W = 0.0 * q[0];
                                     for (int i = 0; i < stars; ++i)
                                       for (int j = 0; j < i; ++j) {
                                         const auto dx = q[i] - q[j], dy = q[stars + i] - q[stars + j];
                                         W -= (i + 1) * (j + 1) / sqrt(dx * dx + dy * dy);
                                       }
                                     return W;
                                   });
  const livens::Model double_pendulum = livens::lagrangian_model<2>({"a", "b"}, [](const auto& q, const auto& v) {
    using std::cos;
    return v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]) + 9.81 * (2.0 * cos(q[0]) + cos(q[1]));
  });
  const std::string swing = system_scene("kind = 'pendulum'\nangle = 0.7\n");
  return {
      {"pendulum", "stormer_verlet", step, pendulum_verlet, pendulum, swing},
      {"kepler", "stormer_verlet", step, kepler_verlet, kepler, system_scene("kind = 'kepler'\n")},
      {"henon_heiles", "stormer_verlet", step, henon_heiles_verlet, henon_heiles,
       system_scene("kind = 'henon_heiles'\n")},
      {"pleiades", "stormer_verlet", short_step, pleiades_verlet, pleiades, pleiades_scene()},
      {"pendulum", "implicit_midpoint", step, pendulum_midpoint, pendulum, swing},
      {"double pendulum", "implicit_midpoint", step, double_pendulum_midpoint, double_pendulum,
       system_scene("kind = 'double_pendulum'\n")},
      {"four-bar", "rattle", step, four_bar_rattle, std::nullopt, four_bar_scene()},
  };
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200000, rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  std::printf("%-16s %-18s %10s %22s %22s %12s\n", "system", "method", "by hand", "livens, C++ lambda", "livens, scene",
              "difference");
  bool agree = true;
  for (const Case& c : all_cases()) {
    livens::Scene scene = livens::parse_scene(c.scene);
    scene.set("integrator.kind", c.kind);
    const livens::Model model = livens::make_model(scene);
    const livens::State start = livens::initial_state(scene, model);
    const double hand = nanoseconds(steps, rounds, c.by_hand);
    const auto cost = [&](const livens::Model& of) {
      return nanoseconds(steps, rounds, [&](int n) { return run(of, start, c.kind, c.step, n); });
    };
    // The double pendulum is chaotic: compared over a short time only.
    const double difference = std::abs(c.by_hand(200) - run(model, start, c.kind, c.step, 200));
    agree = agree && difference < 1e-9;
    std::printf("%-16s %-18s %7.0f ns", c.name.c_str(), c.kind.c_str(), hand);
    if (c.lambda) {
      const double lambda = cost(*c.lambda);
      std::printf(" %9.0f ns (%4.1f x)", lambda, lambda / hand);
    } else {
      std::printf(" %22s", "");
    }
    const double text = cost(model);
    std::printf(" %9.0f ns (%4.1f x) %12.1e\n", text, text / hand, difference);
  }
  return agree ? 0 : 1;
}
