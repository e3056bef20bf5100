// Small systems: what a step of the library costs against loops written by hand for that one system.
// Pendulum and Kepler by Verlet, pendulum and double pendulum by the implicit midpoint rule; models as C++ lambdas and
// as scene expressions. All in one run, alternating, best of several rounds.
//   build/bench/bench_small_systems [steps a round, default 200000] [rounds, default 5]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
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

double run(const livens::Model& model, const livens::State& start, const std::string& kind, int steps) {
  livens::State state = start;
  auto integrator = livens::make_integrator("kind = '" + kind + "', step = 0.01", model);
  integrator->advance(model, state, step * steps);
  return state.q[0];
}

std::string system_scene(const std::string& table) {
  return "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.01 }\n[system]\n" + table;
}

struct Case {
  std::string name, kind;
  std::function<double(int)> by_hand;
  livens::Model lambda;
  std::string scene;
};

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 200000, rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const livens::Model pendulum = livens::mechanical_model<1>({"theta"}, {1}, [](auto, const auto& q) {
    using std::cos;
    return 1.0 - cos(q[0]);
  });
  const livens::Model kepler = livens::mechanical_model<2>({"x", "y"}, {1, 1}, [](auto, const auto& q) {
    using std::sqrt;
    return -1.0 / sqrt(q[0] * q[0] + q[1] * q[1]);
  });
  const livens::Model double_pendulum = livens::lagrangian_model<2>({"a", "b"}, [](auto, const auto& q, const auto& v) {
    using std::cos;
    return v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]) + 9.81 * (2.0 * cos(q[0]) + cos(q[1]));
  });
  const std::vector<Case> cases = {
      {"pendulum", "stormer_verlet", pendulum_verlet, pendulum, system_scene("kind = 'pendulum'\nangle = 0.7\n")},
      {"kepler", "stormer_verlet", kepler_verlet, kepler, system_scene("kind = 'kepler'\n")},
      {"pendulum", "implicit_midpoint", pendulum_midpoint, pendulum, system_scene("kind = 'pendulum'\nangle = 0.7\n")},
      {"double pendulum", "implicit_midpoint", double_pendulum_midpoint, double_pendulum,
       system_scene("kind = 'double_pendulum'\n")},
  };
  std::printf("%-16s %-18s %10s %22s %22s %12s\n", "system", "method", "by hand", "livens, C++ lambda", "livens, scene",
              "difference");
  bool agree = true;
  for (const Case& c : cases) {
    const livens::Scene scene = livens::parse_scene(c.scene);
    const livens::Model model = livens::make_model(scene);
    const livens::State start = livens::initial_state(scene, model);
    const double hand = nanoseconds(steps, rounds, c.by_hand);
    const double lambda = nanoseconds(steps, rounds, [&](int n) { return run(c.lambda, start, c.kind, n); });
    const double text = nanoseconds(steps, rounds, [&](int n) { return run(model, start, c.kind, n); });
    // The double pendulum is chaotic: compared over a short time only.
    const double difference = std::abs(c.by_hand(200) - run(model, start, c.kind, 200));
    agree = agree && difference < 1e-9;
    std::printf("%-16s %-18s %7.0f ns %9.0f ns (%4.1f x) %9.0f ns (%4.1f x) %12.1e\n", c.name.c_str(), c.kind.c_str(),
                hand, lambda, lambda / hand, text, text / hand, difference);
  }
  return agree ? 0 : 1;
}
