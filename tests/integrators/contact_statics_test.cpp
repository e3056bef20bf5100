// Equilibria with contact: Hertz's solutions, and the patch test with meshes that do not match.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/contact_set.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

struct Equilibrium {
  std::unique_ptr<Model> model;
  State state;
  std::vector<double> forces;  // of contact, on the nodes
  const ContactBarrier* barrier = nullptr;
  StepReport report;
};

Equilibrium solved(const Assembly& assembly, int load_steps) {
  Equilibrium found;
  found.model = std::make_unique<Model>(assembly.model());
  found.state = assembly.start(*found.model);
  auto integrator = make_integrator("kind = 'static', load_steps = " + std::to_string(load_steps), *found.model);
  found.report = integrator->advance(*found.model, found.state, 1);
  for (const auto& term : found.model->parts().terms)
    if (term->barrier() != nullptr) found.barrier = term->barrier();
  found.forces.assign(found.state.q.size(), 0.0);
  found.barrier->add_gradient(found.state.q, -1, found.forces);
  return found;
}

// p^2 = p0^2 (1 - x^2/a^2) fitted to pressures p at distances x from the middle.
struct Fit {
  double half_width = 0, peak = 0, force = 0;
};
struct Sample {
  double x, p;
};

Fit fitted(const std::vector<Sample>& samples, double within) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Sample& s : samples) {
    if (s.x > within) continue;
    const double x = s.x * s.x, y = s.p * s.p;
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), start = (sy - slope * sx) / n;
  Fit fit;
  fit.peak = std::sqrt(start);
  fit.half_width = std::sqrt(-start / slope);
  return fit;
}

constexpr double young = 1e6, poisson = 0.3;

// Half of a cylinder of radius R, as a block of width and height W with a round bottom, fine at its middle, pressed on
// a plane by the traction on its top: a^2 = 4 F R (1 - nu^2)/(pi E), p0 = 2 F/(pi a), F the force on both halves.
Fit press_cylinder(int cells, double R, double W, double pressure_of_young, double& hertz_width, double& hertz_peak) {
  Assembly assembly;
  add(assembly, linear_elastic({.young = young, .poisson = poisson, .density = 1000}), "linear");
  Solid solid;
  solid.mesh = rectangle_mesh({.size = {1, 1}, .cells = {cells, cells}});
  const auto grade = [](double s) { return std::sinh(4.5 * s) / std::sinh(4.5); };
  const double finest = W * grade(1.0 / cells);
  for (int a = 0; a < solid.mesh.nodes(); ++a) {
    const double x = W * grade(solid.mesh.X[2 * a]), y = W * grade(solid.mesh.X[2 * a + 1]);
    solid.mesh.X[2 * a] = x;
    solid.mesh.X[2 * a + 1] = y + (1 - y / W) * x * x / (2 * R);
  }
  const double range = 0.1 * finest;
  for (int a = 0; a < solid.mesh.nodes(); ++a) solid.mesh.X[2 * a + 1] += 0.9 * range;
  solid.material = "linear";
  add(assembly, solid, "block");
  add(assembly, Fixed{"block.x_min", "x"}, "middle");
  const double traction = 1.2e-3 * young;
  add(assembly, Traction{.selection = "block.y_max", .traction = {0, -traction}}, "load");
  ContactPlane floor;
  floor.normal = {0, 1, 0};
  floor.barrier = BarrierRule{};
  floor.barrier->distance = range;
  floor.barrier->pressure = pressure_of_young * young;
  add(assembly, floor, "floor");
  const Equilibrium found = solved(assembly, 4);
  EXPECT_TRUE(found.report.converged) << found.report.message;
  const ContactSurface& surface = found.barrier->surface();
  std::vector<Sample> samples;
  double force = 0;
  for (int a = 0; a < surface.points(); ++a) {
    const int first = surface.parts(a)[0].first;
    force += found.forces[first + 1];
    const Point3& X = surface.reference(a);
    if (X.x == 0 || !(found.forces[first + 1] > 0)) continue;  // the middle has half of its area
    samples.push_back({found.state.q[first], found.forces[first + 1] / surface.area(a)});
  }
  force *= 2;
  EXPECT_NEAR(force, 2 * traction * W, 1e-6 * force);
  hertz_width = std::sqrt(4 * force * R * (1 - poisson * poisson) / (M_PI * young));
  hertz_peak = 2 * force / (M_PI * hertz_width);
  return fitted(samples, 0.8 * hertz_width);
}

TEST(ContactStatics, HertzCylinder) {
  for (const double of_young : {0.03, 0.3}) {
    double width = 0, peak = 0;
    const Fit fit = press_cylinder(36, 1.0, 1.0, of_young, width, peak);
    EXPECT_NEAR(fit.half_width / width, 1, 0.03);
    EXPECT_NEAR(fit.peak / peak, 1, 0.03);
    table_row("hertz", "cylinder",
              {{"pressure of young", of_young}, {"half width", fit.half_width / width}, {"peak", fit.peak / peak}});
  }
}

// A quarter of a ball, in the same way: a^3 = 3 F R (1 - nu^2)/(4 E), p0 = 3 F/(2 pi a^2).
TEST(ContactStatics, HertzBall) {
  constexpr int cells = 12;
  constexpr double R = 2, W = 1;
  Assembly assembly;
  add(assembly, linear_elastic({.young = young, .poisson = poisson, .density = 1000}), "linear");
  Solid solid;
  solid.mesh = box_mesh({.size = {1, 1, 1}, .cells = {cells, cells, cells}});
  const auto grade = [](double s) { return std::sinh(4.0 * s) / std::sinh(4.0); };
  const double finest = W * grade(1.0 / cells), range = 0.1 * finest;
  for (int a = 0; a < solid.mesh.nodes(); ++a) {
    double* X = solid.mesh.X.data() + 3 * a;
    const double x = W * grade(X[0]), y = W * grade(X[1]), z = W * grade(X[2]);
    X[0] = x, X[1] = y;
    X[2] = z + (1 - z / W) * (x * x + y * y) / (2 * R) + 0.9 * range;
  }
  solid.material = "linear";
  add(assembly, solid, "block");
  add(assembly, Fixed{"block.x_min", "x"}, "front");
  add(assembly, Fixed{"block.y_min", "y"}, "side");
  const double traction = 1e-3 * young;
  add(assembly, Traction{.selection = "block.z_max", .traction = {0, 0, -traction}}, "load");
  ContactPlane floor;
  floor.normal = {0, 0, 1};
  floor.barrier = BarrierRule{};
  floor.barrier->distance = range;
  add(assembly, floor, "floor");
  const Equilibrium found = solved(assembly, 3);
  ASSERT_TRUE(found.report.converged) << found.report.message;
  const ContactSurface& surface = found.barrier->surface();
  const double force = 4 * traction * W * W;
  const double width = std::cbrt(3 * force * R * (1 - poisson * poisson) / (4 * young));
  const double peak = 3 * force / (2 * M_PI * width * width);
  std::vector<Sample> samples;
  for (int a = 0; a < surface.points(); ++a) {
    const int first = surface.parts(a)[0].first;
    const Point3& X = surface.reference(a);
    if (X.x == 0 || X.y == 0 || !(found.forces[first + 2] > 0)) continue;
    samples.push_back(
        {std::hypot(found.state.q[first], found.state.q[first + 1]), found.forces[first + 2] / surface.area(a)});
  }
  const Fit fit = fitted(samples, 0.8 * width);
  EXPECT_NEAR(fit.half_width / width, 1, 0.05);
  EXPECT_NEAR(fit.peak / peak, 1, 0.05);
  table_row("hertz", "ball",
            {{"pressure of young", 0.03}, {"half width", fit.half_width / width}, {"peak", fit.peak / peak}});
}

struct Patch {
  double off = 0, total = 0;  // largest error of the pressures away from the rims; force over that of the load
  double rim = 0;             // largest error of the pressures at the rims
  int points = 0;
};

// Two blocks whose meshes do not match, cells of each along an edge, pressed on each other: what every point feels
// over the area that it pushes with, over the pressure.
Patch pressed_patch(int dimension, int lower, int upper, double of_young, int samples = 0) {
  Assembly assembly;
  add(assembly, linear_elastic({.young = young, .poisson = 0, .density = 1000}), "linear");
  const auto block = [&](double height, int cells, const char* name) {
    Solid solid;
    if (dimension == 2)
      solid.mesh = rectangle_mesh({.size = {1, 0.5}, .corner = {0, height}, .cells = {cells, cells}});
    else
      solid.mesh =
          box_mesh({.size = {1, 1, 0.5}, .corner = {0, 0, height}, .cells = {cells, cells, std::max(2, cells / 2)}});
    solid.material = "linear";
    add(assembly, solid, name);
  };
  const double range = 0.1 / std::max(lower, upper), traction = 1e-3 * young;
  block(0, lower, "lower");
  block(0.5 + 0.9 * range, upper, "upper");
  if (dimension == 2) {
    add(assembly, Fixed{"lower.y_min", "xy"}, "floor");
    add(assembly, Traction{.selection = "upper.y_max", .traction = {0, -traction}}, "load");
  } else {
    add(assembly, Fixed{"lower.z_min", "xyz"}, "floor");
    add(assembly, Fixed{"upper.y_min", "y"}, "side");
    add(assembly, Traction{.selection = "upper.z_max", .traction = {0, 0, -traction}}, "load");
  }
  add(assembly, Fixed{"upper.x_min", "x"}, "wall");
  ContactBodies contact;
  contact.barrier.distance = range;
  contact.barrier.pressure = of_young * young;
  contact.barrier.samples = samples;
  add(assembly, contact, "contact");
  const Equilibrium found = solved(assembly, 3);
  EXPECT_TRUE(found.report.converged) << found.report.message;
  const ContactSurface& surface = found.barrier->surface();
  ContactSet set(*found.barrier);
  const std::vector<double> rest(found.state.q.size(), 0.0);
  set.begin(found.state.q, rest, 0);
  set.stand_at(found.state.q);
  Patch patch;
  for (const Contact& pair : set.contacts()) {
    patch.total += pair.normal / traction;
    const Point3& X = surface.reference(pair.point[0]);
    const double from_rim = std::min({X.x, 1 - X.x, dimension == 2 ? 1 : X.y, dimension == 2 ? 1 : 1 - X.y});
    // One of several features of a set has no force for friction of its own.
    if (pair.normal == 0) continue;
    const double p = pair.normal / found.barrier->weight(pair.point[0], pair.body);
    if (from_rim < 1e-9) patch.rim = std::max(patch.rim, std::abs(p / traction - 1));
    if (from_rim < 0.15) continue;
    patch.off = std::max(patch.off, std::abs(p / traction - 1));
    ++patch.points;
  }
  return patch;
}

struct PatchCase {
  int lower, upper, samples;
  double most, of_young = 0.03;
};

void press_patches(int dimension, std::initializer_list<PatchCase> cases) {
  for (const PatchCase& c : cases) {
    const Patch patch = pressed_patch(dimension, c.lower, c.upper, c.of_young, c.samples);
    EXPECT_NEAR(patch.total, 1, 1e-6);
    EXPECT_GT(patch.points, c.samples > 0 ? 20 : 10) << "of both sides";
    EXPECT_LE(patch.off, c.most) << c.lower << " on " << c.upper << ", samples " << c.samples;
    table_row("patch", dimension == 2 ? "in the plane" : "in space",
              {{"lower", c.lower},
               {"upper", c.upper},
               {"samples", c.samples},
               {"pressure of young", c.of_young},
               {"off", patch.off}});
  }
}

// Of nodes alone, and as integrals over the surface.
TEST(ContactStatics, PatchTestInThePlane) {
  press_patches(2, {{13, 5, 0, 0.006}, {13, 5, 0, 0.005, 0.003}, {13, 11, 0, 0.01}, {40, 8, 0, 0.002}});
  press_patches(2, {{13, 9, 0, 0.012}, {26, 10, 0, 0.012}, {30, 20, 0, 0.021}});
  for (const int samples : {1, 2}) {
    const double most = samples == 1 ? 0.005 : 0.002;
    press_patches(2,
                  {{13, 5, samples, most}, {13, 9, samples, most}, {26, 10, samples, most}, {30, 20, samples, most}});
  }
}

// Nodes of these meshes stand for areas of 2/3 and 4/3 of their mean.
TEST(ContactStatics, PatchTestInSpace) {
  press_patches(3, {{8, 3, 0, 0.012}, {8, 3, 1, 0.004}, {8, 3, 2, 0.002}});
  if (std::getenv("LIVENS_LONG") == nullptr) return press_patches(3, {{10, 6, 1, 0.01}, {10, 8, 2, 0.005}});
  for (const int upper : {6, 8})
    press_patches(3, {{10, upper, 0, 0.05}, {10, upper, 1, 0.008}, {10, upper, 2, 0.005}, {10, upper, 3, 0.002}});
}

// Faces of equal elements, node on node: at rims in space neighbours do not see the same areas.
TEST(ContactStatics, PatchTestAtRims) {
  for (const int dimension : {2, 3}) {
    const int cells = dimension == 2 ? 13 : 8;
    const Patch patch = pressed_patch(dimension, cells, cells, 0.03);
    table_row("patch_rims", dimension == 2 ? "in the plane" : "in space",
              {{"cells", cells}, {"off", patch.off}, {"rim", patch.rim}});
    EXPECT_LE(patch.rim, dimension == 2 ? 1e-9 : 0.16);
    EXPECT_LE(patch.off, 0.01);
  }
}

// A block that is pressed on a plane, then pushed along it by a share of mu N: up to the threshold it holds, and what
// it creeps is the law of friction, beyond there is no equilibrium.
Equilibrium pressed_and_pushed(double share, int load_steps, double stick_speed) {
  constexpr double mu = 0.4, pressure = 2e3, width = 0.4;
  Assembly assembly;
  add(assembly, linear_elastic({.young = young, .poisson = poisson, .density = 1000}), "linear");
  Solid solid;
  solid.mesh = rectangle_mesh({.size = {width, 0.05}, .corner = {0, 0.001}, .cells = {16, 2}});
  solid.material = "linear";
  add(assembly, solid, "block");
  add(assembly, Traction{.selection = "block.y_max", .traction = {0, "-2000*min(1, 2*t)"}}, "press");
  const LoadFunction push("T*max(0, 2*t - 1)", {{"T", share * mu * pressure * width}});
  add(assembly, Load{.selection = "block.y_min", .total_force = {push, 0}}, "push");
  ContactPlane floor;
  floor.normal = {0, 1, 0};
  floor.barrier = BarrierRule{};
  floor.barrier->distance = 2e-3;
  floor.barrier->friction = mu;
  floor.barrier->stick_speed = stick_speed;
  add(assembly, floor, "floor");
  return solved(assembly, load_steps);
}

TEST(ContactStatics, FrictionHoldsUpToItsThreshold) {
  const double stick_speed = 1e-4;
  for (const int load_steps : {4, 10}) {
    const Equilibrium held = pressed_and_pushed(0.995, load_steps, stick_speed);
    ASSERT_TRUE(held.report.converged) << held.report.message;
    double weight = 0, most = 0;
    for (std::size_t i = 1; i < held.forces.size(); i += 2) weight += held.forces[i];
    EXPECT_NEAR(weight, 2e3 * 0.4, 1e-6 * weight);
    for (std::size_t i = 0; i < held.state.q.size(); i += 2)
      most = std::max(most, std::abs(held.state.q[i] - held.model->bodies()[0].reference[i]));
    EXPECT_LT(most, 4e-3) << "what the block creeps and strains";
    const Equilibrium beyond = pressed_and_pushed(1.005, load_steps, stick_speed);
    EXPECT_FALSE(beyond.report.converged);
    EXPECT_FALSE(beyond.report.message.empty());
  }
}

// The creep of a load step is stick_speed dt (1 - sqrt(1 - T/(mu N))), whatever the number of load steps: of one that
// sticks with little push almost nothing.
TEST(ContactStatics, WhatSticksStays) {
  const auto mean_shift = [](const Equilibrium& found) {
    double sum = 0;
    for (std::size_t i = 0; i < found.state.q.size(); i += 2)
      sum += found.state.q[i] - found.model->bodies()[0].reference[i];
    return sum / (0.5 * static_cast<double>(found.state.q.size()));
  };
  const double small = mean_shift(pressed_and_pushed(0.5, 10, 1e-6));
  const double large = mean_shift(pressed_and_pushed(0.5, 10, 1e-2));
  EXPECT_GT(large, 1e-4) << "a large stick speed lets it creep";
  EXPECT_LT(std::abs(small), 0.1 * large);
}

}  // namespace
}  // namespace livens
