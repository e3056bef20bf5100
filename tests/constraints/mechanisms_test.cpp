// Rigid bodies and mechanisms against what is known of them: Jacobi's elliptic functions of the free body, the nodding
// of Lagrange's top, the piston of a crank, parallelograms that pass their singular configurations, hubs that carry
// solids.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/source_dir.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;
using Vector3 = std::array<double, 3>;
constexpr double rounding = 1e-12;  // of lengths of order 1 after some hundred steps, each solved to rounding

struct Mechanism {
  explicit Mechanism(const Scene& the_scene)
      : scene(the_scene),
        model(make_model(scene)),
        state(initial_state(scene, model)),
        stepper(make_integrator(scene, model)) {}
  void advance(double t, const Integrator::OnStep& on_step = {}) {
    const StepReport report = stepper->advance(model, state, t, on_step);
    EXPECT_TRUE(report.converged) << report.message;
  }

  Scene scene;
  Model model;
  State state;
  std::unique_ptr<Integrator> stepper;
};

Scene multibody(const std::string& name) { return load_scene(source_dir() + "/scenes/multibody_" + name + ".toml"); }

// Weighted sum of the nodes of a rigid body.
Vector3 sum_of(const Body& body, const Numbers& values, const std::array<double, 4>& weights) {
  Vector3 sum{0, 0, 0};
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t c = 0; c < 3; ++c) sum[c] += weights[a] * values[body.first + 3 * a + c];
  return sum;
}
Vector3 point_of(const Body& body, const Numbers& q, const Vector3& X) { return sum_of(body, q, body.rigid->point(X)); }
Vector3 vector_of(const Body& body, const Numbers& q, const Vector3& D) {
  return sum_of(body, q, body.rigid->vector(D));
}

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// In its own axes: omega = 1/2 sum_i d_i x d_i'.
Vector3 body_angular_velocity(const Body& body, const State& state) {
  Vector3 omega{0, 0, 0}, own{};
  const Vector3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vector3& axis : axes) {
    const Vector3 turned = cross(vector_of(body, state.q, axis), vector_of(body, state.v, axis));
    for (std::size_t c = 0; c < 3; ++c) omega[c] += 0.5 * turned[c];
  }
  for (std::size_t i = 0; i < 3; ++i) own[i] = dot(omega, vector_of(body, state.q, axes[i]));
  return own;
}

// --- the free body ---------------------------------------------------------------------------------------------------

struct Elliptic {
  double sn, cn, dn;
};
// By arithmetic-geometric means, downwards (Landen).
Elliptic jacobi(double u, double k) {
  std::vector<double> a{1}, c{k};
  double b = std::sqrt((1 - k) * (1 + k));
  while (std::abs(c.back()) > 1e-16 && a.size() < 20) {
    const double mean = 0.5 * (a.back() + b), half = 0.5 * (a.back() - b);
    b = std::sqrt(a.back() * b);
    a.push_back(mean);
    c.push_back(half);
  }
  double phi = std::ldexp(a.back() * u, static_cast<int>(a.size()) - 1);
  for (std::size_t n = a.size() - 1; n > 0; --n) phi = 0.5 * (phi + std::asin(c[n] / a[n] * std::sin(phi)));
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - k * k * sn * sn)};
}

TEST(JacobiFunctions, AreTheInverseOfTheIntegral) {
  for (const double k : {0.1, 0.7, 0.99998})
    for (const double phi : {0.3, 1.2, 2.5, 7.0}) {
      const Elliptic f = jacobi(std::ellint_1(k, phi), k);
      EXPECT_NEAR(f.sn, std::sin(phi), 1e-12) << k;
      EXPECT_NEAR(f.cn, std::cos(phi), 1e-12) << k;
    }
}

// Euler's equations for I1 < I2 < I3 and L^2 > 2 T I2: (a cn, b sn, c dn)(rate t + u0).
struct FreeBody {
  FreeBody(const Vector3& I, const Vector3& omega) {
    double twice = 0, square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      twice += I[i] * omega[i] * omega[i];
      square += I[i] * I[i] * omega[i] * omega[i];
    }
    EXPECT_GT(square, twice * I[1]);
    const double low = square - twice * I[0], high = twice * I[2] - square;
    amplitude = {std::sqrt(high / (I[0] * (I[2] - I[0]))), std::sqrt(high / (I[1] * (I[2] - I[1]))),
                 std::sqrt(low / (I[2] * (I[2] - I[0])))};
    rate = std::sqrt((I[2] - I[1]) * low / (I[0] * I[1] * I[2]));
    k = std::sqrt((I[1] - I[0]) * high / ((I[2] - I[1]) * low));
    start = std::ellint_1(k, std::atan2(omega[1] / amplitude[1], omega[0] / amplitude[0]));
  }
  Vector3 at(double t) const {
    const Elliptic f = jacobi(rate * t + start, k);
    return {amplitude[0] * f.cn, amplitude[1] * f.sn, amplitude[2] * f.dn};
  }
  // Between two turns over, when the middle component is zero.
  double half_period() const { return 2 * std::comp_ellint_1(k) / rate; }
  double first_zero() const { return (2 * std::comp_ellint_1(k) - start) / rate; }
  Vector3 amplitude;
  double rate = 0, k = 0, start = 0;
};

const Vector3 moments{1, 2, 2.5};

double free_body_error(const std::string& method, double step, double end) {
  Scene scene = multibody("free_rigid_body");
  scene.set("integrator.kind", method);
  scene.set("integrator.step", step);
  scene.set("body.body.initial.angular_velocity", "[0.3, 1, 0.4]");
  Mechanism mechanism(scene);
  const FreeBody exact(moments, {0.3, 1, 0.4});
  double worst = 0;
  mechanism.advance(end, [&](const State& state, const StepReport&) {
    const Vector3 now = body_angular_velocity(mechanism.model.body("body"), state), expected = exact.at(state.t);
    for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(now[c] - expected[c]));
    return true;
  });
  return worst;
}

TEST(FreeRigidBody, FollowsJacobisFunctions) {
  for (const char* method : {"energy_momentum", "rattle", "implicit_midpoint"}) {
    const double coarse = free_body_error(method, 0.02, 12), fine = free_body_error(method, 0.01, 12);
    std::printf("free body, %s: off by %.3e %.3e rad/s, order %.3f\n", method, coarse, fine, std::log2(coarse / fine));
    EXPECT_LT(fine, 1e-3) << method;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << method;
  }
  const Mechanism start(multibody("free_rigid_body"));
  const Vector3 omega = body_angular_velocity(start.model.body("body"), start.state);
  EXPECT_NEAR(omega[1], 1, 1e-14);
  EXPECT_NEAR(omega[0], 0.01, 1e-14);
}

// The scene: close to the middle axis it turns over, every 29 s.
TEST(FreeRigidBody, TurnsOverWhenItShould) {
  Scene scene = multibody("free_rigid_body");
  scene.set("integrator.step", 0.02);
  Mechanism mechanism(scene);
  const FreeBody exact(moments, {0.01, 1, 0.01});
  const double energy_before = energy(mechanism.model, mechanism.state).total;
  const Momenta before = momenta(mechanism.model, mechanism.state.q, mechanism.state.p);
  Numbers turns;
  double middle = 1, energy_drift = 0, angular_drift = 0;
  mechanism.advance(80, [&](const State& state, const StepReport&) {
    const double now = body_angular_velocity(mechanism.model.body("body"), state)[1];
    if (now * middle < 0) turns.push_back(state.t);
    middle = now;
    energy_drift = std::max(energy_drift, std::abs(energy(mechanism.model, state).total / energy_before - 1));
    const Momenta moved = momenta(mechanism.model, state.q, state.p);
    for (int c = 0; c < 3; ++c)
      angular_drift = std::max(angular_drift, std::abs(moved.angular[c] - before.angular[c]) / 2);
    return true;
  });
  ASSERT_GE(turns.size(), 2u);
  std::printf("turns over at %.2f and %.2f s, exact %.2f and %.2f; energy %.1e, angular momentum %.1e\n", turns[0],
              turns[1], exact.first_zero(), exact.first_zero() + exact.half_period(), energy_drift, angular_drift);
  // Near the separatrix the time hangs on the logarithm of the distance from it.
  EXPECT_NEAR(turns[0], exact.first_zero(), 0.01 * exact.first_zero());
  EXPECT_NEAR(turns[1] - turns[0], exact.half_period(), 0.01 * exact.half_period());
  EXPECT_LT(energy_drift, rounding);
  EXPECT_LT(angular_drift, rounding);
}

// --- the heavy top ---------------------------------------------------------------------------------------------------

// t where the sampled f is zero, by a cubic through four samples: Neville's scheme for t(f).
double crossing(const double (&t)[4], const double (&f)[4]) {
  double p[4] = {t[0], t[1], t[2], t[3]};
  for (int level = 1; level < 4; ++level)
    for (int i = 0; i + level < 4; ++i) p[i] = (f[i + level] * p[i] - f[i] * p[i + 1]) / (f[i + level] - f[i]);
  return p[0];
}

// Mean time between the highest positions of the centre, over `count` of them.
double nutation_period(const std::string& method, double step, std::size_t count) {
  Scene scene = multibody("heavy_top");
  scene.set("integrator.kind", method);
  scene.set("integrator.step", step);
  Mechanism mechanism(scene);
  const Body& top = mechanism.model.body("top");
  Numbers t, rate;
  std::vector<double> highest;
  mechanism.advance(100, [&](const State& state, const StepReport&) {
    t.push_back(state.t);
    rate.push_back(sum_of(top, state.v, {0.25, 0.25, 0.25, 0.25})[2]);
    const std::size_t n = t.size();
    if (n >= 4 && rate[n - 3] > 0 && rate[n - 2] <= 0)
      highest.push_back(
          crossing({t[n - 4], t[n - 3], t[n - 2], t[n - 1]}, {rate[n - 4], rate[n - 3], rate[n - 2], rate[n - 1]}));
    return highest.size() < count;
  });
  EXPECT_EQ(highest.size(), count);
  return highest.back() / static_cast<double>(count);  // it starts at its highest
}

// u = cos(angle) obeys u'^2 = beta (u0 - u)(1 - u^2) - a^2 (u0 - u)^2 = beta (u - u1)(u - u0)(u - u3).
TEST(HeavyTop, NodsWithThePeriodOfItsEllipticIntegral) {
  const double m = 1, l = 0.2, J = 0.002 + m * l * l, C = 0.003, spin = 60, g = 9.81, u0 = 0.5;
  const double a = C * spin / J, beta = 2 * m * g * l / J;
  const double root = std::sqrt(a * a * a * a - 4 * beta * (a * a * u0 - beta));
  const double u1 = (a * a - root) / (2 * beta), u3 = (a * a + root) / (2 * beta);
  const double exact = 4 * std::comp_ellint_1(std::sqrt((u0 - u1) / (u3 - u1))) / std::sqrt(beta * (u3 - u1));
  for (const char* method : {"rattle", "energy_momentum"}) {
    const double coarse = nutation_period(method, 0.002, 3) - exact, fine = nutation_period(method, 0.001, 3) - exact;
    std::printf("nodding of the top, %s: exact %.6f s, off by %.3e %.3e, order %.3f\n", method, exact, coarse, fine,
                std::log2(coarse / fine));
    EXPECT_LT(std::abs(fine), 2e-3 * exact) << method;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << method;
  }
  // The lowest point is the other root.
  Scene scene = multibody("heavy_top");
  Mechanism mechanism(scene);
  double lowest = 1;
  mechanism.advance(0.5, [&](const State& state, const StepReport&) {
    const Vector3 center = sum_of(mechanism.model.body("top"), state.q, {0.25, 0.25, 0.25, 0.25});
    EXPECT_NEAR(std::sqrt(dot(center, center)), l, rounding);
    lowest = std::min(lowest, center[2] / l);
    return true;
  });
  EXPECT_NEAR(lowest, u1, 1e-3);  // the parabola between steps of 1 ms, and the error of the method
}

// --- mechanisms ------------------------------------------------------------------------------------------------------

TEST(SliderCrank, ThePistonFollowsTheCrank) {
  Mechanism mechanism(multibody("slider_crank"));
  const Body &crank = mechanism.model.body("crank"), &piston = mechanism.model.body("piston");
  const Vector3 pin{0, 0.3, 0}, start = piston.rigid->center;
  const double before = energy(mechanism.model, mechanism.state).total;
  double worst = 0, drift = 0, angle = 0, last = std::numbers::pi / 2, least = 2, most = 0;
  mechanism.advance(1.2, [&](const State& state, const StepReport&) {
    const Vector3 A = point_of(crank, state.q, pin), B = point_of(piston, state.q, start);
    const double phi = std::atan2(A[1], A[0]),
                 expected = 0.3 * std::cos(phi) + std::sqrt(1 - std::pow(0.3 * std::sin(phi), 2));
    worst = std::max({worst, std::abs(B[0] - expected), std::abs(B[1]), std::abs(B[2])});
    angle += std::remainder(phi - last, 2 * std::numbers::pi);
    last = phi;
    least = std::min(least, B[0]);
    most = std::max(most, B[0]);
    drift = std::max(drift, std::abs(energy(mechanism.model, state).total / before - 1));
    return true;
  });
  std::printf("piston: off by %.1e m after %.1f turns, energy %.1e\n", worst, angle / (2 * std::numbers::pi), drift);
  EXPECT_LT(worst, rounding);
  EXPECT_LT(drift, 1e-11);
  EXPECT_GT(std::abs(angle), 4 * std::numbers::pi);  // two turns: both dead centres are passed
  EXPECT_LT(least, 0.71);
  EXPECT_GT(most, 1.29);
}

TEST(FourBar, PassesItsSingularConfigurations) {
  Mechanism mechanism(multibody("four_bar"));
  const Body &left = mechanism.model.body("left"), &bar = mechanism.model.body("bar_1"),
             &right = mechanism.model.body("right");
  const double before = energy(mechanism.model, mechanism.state).total;
  double worst = 0, drift = 0, turned = 0, apart = 0, height = 1;
  int passes = 0;
  mechanism.advance(5, [&](const State& state, const StepReport&) {
    const Vector3 B0 = point_of(left, state.q, {0, 1, 0}), B2 = point_of(right, state.q, {2, 1, 0});
    worst = std::max({worst, std::abs(std::hypot(B0[0], B0[1]) - 1), std::abs(B0[2])});
    apart = std::max({apart, std::abs(B2[0] - B0[0] - 2), std::abs(B2[1] - B0[1])});
    turned = std::max(turned, std::abs(vector_of(bar, state.q, {1, 0, 0})[1]));
    if (B0[1] * height < 0) ++passes;
    height = B0[1];
    drift = std::max(drift, std::abs(energy(mechanism.model, state).total / before - 1));
    return true;
  });
  std::printf(
      "four bars: %d singular configurations; off the circle %.1e m, off the parallelogram %.1e, %.1e; energy %.1e\n",
      passes, worst, apart, turned, drift);
  EXPECT_GE(passes, 4);
  EXPECT_LT(worst, rounding);
  // Where the rods lie in one line a rounding of the lengths is the square of an angle.
  EXPECT_LT(apart, 1e-9);
  EXPECT_LT(turned, 1e-9);
  EXPECT_LT(drift, 1e-11);
}

// --- bodies ----------------------------------------------------------------------------------------------------------

TEST(RigidBodies, FromMeshAndDensityOrFromMassAndInertia) {
  const std::string common = "time = { end = 1 }\nintegrator = { kind = 'energy_momentum', step = 0.01 }\n";
  const std::string spin = "initial = { velocity = [0.1, 0.2, 0.3], angular_velocity = [1, 2, 3] }\n";
  // 500 kg/m^3, 1 x 0.4 x 0.2 m: 40 kg, 40 / 12 (b^2 + c^2).
  Mechanism given(parse_scene(common +
                              "[[body]]\nname = 'box'\nkind = 'rigid'\nmass = 40\ncenter = [0.5, 0.2, 0.1]\n"
                              "inertia = ['40/12*0.2', '40/12*1.04', '40/12*1.16']\n" +
                              spin));
  Mechanism meshed(parse_scene(common +
                               "[[material]]\nname = 'wood'\nkind = 'neo_hookean'\nyoung = 1e9\npoisson = 0.3\n"
                               "density = 500\n[[body]]\nname = 'box'\nkind = 'rigid'\nmaterial = 'wood'\n"
                               "mesh = { kind = 'box', size = [1, 0.4, 0.2], cells = [3, 2, 2] }\n" +
                               spin));
  const RigidShape &a = *given.model.body("box").rigid, &b = *meshed.model.body("box").rigid;
  EXPECT_NEAR(a.mass, b.mass, 40 * rounding);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a.center[c], b.center[c], rounding);
  for (std::size_t c = 0; c < 9; ++c) EXPECT_NEAR(a.inertia[c], b.inertia[c], rounding) << c;
  given.advance(1);
  meshed.advance(1);
  for (const Vector3 X : {Vector3{0, 0, 0}, {1, 0.4, 0.2}}) {
    const Vector3 p = point_of(given.model.body("box"), given.state.q, X),
                  r = point_of(meshed.model.body("box"), meshed.state.q, X);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(p[c], r[c], 10 * rounding);
  }
  EXPECT_GT(std::abs(point_of(given.model.body("box"), given.state.q, {0, 0, 0})[0]), 0.1) << "it moves";
}

// The kinetic energy of the four points is that of the body.
TEST(RigidBodies, HaveTheInertiaThatWasAsked) {
  const Mechanism body(parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.01 }\n[[body]]\nname = 'b'\nkind = 'rigid'\n"
      "mass = 3\ncenter = [1, 2, 3]\ninertia = [[2, 0.3, -0.2], [0.3, 3, 0.1], [-0.2, 0.1, 2.5]]\n"
      "initial = { velocity = [1, -2, 0.5], angular_velocity = [0.4, -1.2, 0.9] }\n"));
  const Vector3 w{0.4, -1.2, 0.9}, v{1, -2, 0.5}, X{1, 2, 3};
  const Vector3 spin{2 * w[0] + 0.3 * w[1] - 0.2 * w[2], 0.3 * w[0] + 3 * w[1] + 0.1 * w[2],
                     -0.2 * w[0] + 0.1 * w[1] + 2.5 * w[2]};
  EXPECT_NEAR(energy(body.model, body.state).kinetic, 0.5 * (3 * dot(v, v) + dot(w, spin)), rounding * 10);
  const Momenta now = momenta(body.model, body.state.q, body.state.p);
  const Vector3 orbital = cross(X, v);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(now.linear[c], 3 * v[c], rounding * 10);
    EXPECT_NEAR(now.angular[c], 3 * orbital[c] + spin[c], rounding * 10);
  }
}

TEST(RigidFlexiblePendulum, NodesFollowTheHub) {
  Mechanism mechanism(multibody("rigid_flexible_pendulum"));
  const Body &bar = mechanism.model.body("bar"), &hub = mechanism.model.body("hub");
  std::vector<std::size_t> glued;
  for (std::size_t a = 0; a < static_cast<std::size_t>(bar.nodes); ++a)
    if (std::abs(bar.reference[3 * a]) < 1e-12) glued.push_back(a);
  ASSERT_EQ(glued.size(), 9u);
  const std::size_t tip = static_cast<std::size_t>(bar.nodes) - 1;
  for (std::size_t c = 0; c < 3; ++c) ASSERT_NEAR(bar.reference[3 * tip + c], c == 0 ? 1 : 0.05, rounding);
  const double before = energy(mechanism.model, mechanism.state).total;
  double worst = 0, drift = 0, kinetic = 0, bent = 0;
  mechanism.advance(0.25, [&](const State& state, const StepReport&) {
    for (const std::size_t a : glued) {
      const Vector3 X{bar.reference[3 * a], bar.reference[3 * a + 1], bar.reference[3 * a + 2]};
      const Vector3 x = point_of(hub, state.q, X);
      for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(state.q[bar.first + 3 * a + c] - x[c]));
    }
    const Energy now = energy(mechanism.model, state);
    drift = std::max(drift, std::abs(now.total - before));
    kinetic = std::max(kinetic, now.kinetic);
    // The tip against a rigid bar.
    const Vector3 stiff = point_of(hub, state.q, {1, 0.05, 0.05});
    bent = std::max(bent, std::abs(state.q[bar.first + 3 * tip + 2] - stiff[2]));
    return true;
  });
  std::printf("hub: nodes off by %.1e m, energy %.1e of %.2f J, tip bent by %.3f m\n", worst, drift, kinetic, bent);
  EXPECT_LT(worst, rounding);
  EXPECT_LT(drift, 1e-10 * kinetic);
  EXPECT_GT(kinetic, 1);
  EXPECT_GT(bent, 1e-3) << "the bar is elastic";
}

}  // namespace
}  // namespace livens
