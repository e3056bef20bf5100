// How fast a body comes back from a plane, and how that depends on the step. Energy is exact at every step; how much of
// it is left in vibrations is the body's own, once the step resolves the waves that cross it.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "integrators/impacts.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

constexpr double size = 0.1;  // m
enum class Form { block, block_on_corner, ball };
constexpr Form forms[] = {Form::block, Form::block_on_corner, Form::ball};
const char* const names[] = {"block", "block on its corner", "ball"};

// Dilatational waves in the rubber of impacts.hpp: c^2 = E (1 - nu) / (rho (1 + nu) (1 - 2 nu)).
double crossing_time() { return size / std::sqrt(1e5 * 0.7 / (1000 * 1.3 * 0.4)); }

// A body in the plane that flies down, just above the range of a floor.
struct Falling {
  Falling(Form form, double range, double speed, int cells = 6, double higher = 0) {
    Assembly assembly = testing::with_rubber();
    Solid solid;
    solid.mesh = rectangle_mesh({.size = {2, 2}, .corner = {-1, -1}, .cells = {cells, cells}});
    double lowest = 0;
    for (int a = 0; a < solid.mesh.nodes(); ++a) {
      double* X = solid.mesh.X.data() + 2 * a;
      const double x = X[0], y = X[1], turn = form == Form::block_on_corner ? std::atan(1.0) : 0;
      // The layers of the square become circles.
      const double r = std::hypot(x, y), round = r > 0 ? std::max(std::abs(x), std::abs(y)) / r : 1;
      const double scale = 0.5 * size * (form == Form::ball ? round : 1);
      X[0] = scale * (std::cos(turn) * x - std::sin(turn) * y);
      X[1] = scale * (std::sin(turn) * x + std::cos(turn) * y);
      lowest = std::min(lowest, X[1]);
    }
    for (std::size_t i = 1; i < solid.mesh.X.size(); i += 2) solid.mesh.X[i] += 1.01 * range + higher - lowest;
    solid.material = "rubber";
    solid.initial.velocity = [speed](const Vec3&) { return Vec3{0, -speed, 0}; };
    add(assembly, solid, "body");
    ContactPlane floor;
    floor.normal = {0, 1, 0};
    floor.barrier = BarrierRule{};
    floor.barrier->distance = range;
    add(assembly, floor, "floor");
    impact = testing::finished(assembly);
  }
  testing::Impact impact;
};

struct Rebound {
  double part = 0, energy = 0, lowest = 1;  // speed of the centre over that before; largest error; m
};

// After the time in which six waves cross the body, and that which the way in and out of the range takes.
Rebound rebound(Form form, double range, double speed, double h, int cells = 6, double higher = 0) {
  Falling body(form, range, speed, cells, higher);
  testing::Impact& impact = body.impact;
  const double start = energy(*impact.model, impact.state).total;
  auto integrator = testing::energy_momentum(h, *impact.model);
  Rebound found;
  const auto report = integrator->advance(
      *impact.model, impact.state, 6 * crossing_time() + (3 * range + higher) / speed,
      [&](const State& state, const StepReport&) {
        found.energy = std::max(found.energy, std::abs(energy(*impact.model, state).total / start - 1));
        for (std::size_t i = 1; i < state.q.size(); i += 2) found.lowest = std::min(found.lowest, state.q[i]);
        return true;
      });
  EXPECT_TRUE(report.converged) << report.message;
  double momentum = 0;
  for (std::size_t i = 1; i < impact.state.p.size(); i += 2) momentum += impact.state.p[i];
  found.part = momentum / impact.model->bodies()[0].mass / speed;
  return found;
}

// From 8 steps a wave on, rebounds are those of 64 steps within 1 %, whatever the step is in ranges: of a ball, and of
// a block that lands on its corner. A block that lands flat has all nodes of a face touch in one step: within 2 % while
// that step is not longer than the range, and not beyond.
TEST(ContactRebound, OfABodyIsItsOwnAtEightStepsAWave) {
  const bool all = std::getenv("LIVENS_LONG") != nullptr;
  const std::vector<double> ratios = all ? std::vector{0.01, 0.1, 1.0, 10.0, 100.0} : std::vector{0.1, 1.0, 100.0};
  const std::vector<double> counts = all ? std::vector{64.0, 32.0, 16.0, 8.0, 4.0, 2.0} : std::vector{64.0, 8.0, 2.0};
  double coarse = 0;
  for (const Form form : forms)
    for (const double ratio : ratios) {  // step x speed / distance at 8 steps
      const double speed = ratio < 0.1 ? 0.1 : 1, range = crossing_time() / 8 * speed / ratio;
      double fine = 0;
      for (const double count : counts) {
        const Rebound found = rebound(form, range, speed, crossing_time() / count);
        const std::string what = std::string(names[static_cast<int>(form)]) + " on a plane, step x speed / distance " +
                                 std::to_string(8 * ratio / count) + ", " + std::to_string(static_cast<int>(count)) +
                                 " steps a wave";
        SCOPED_TRACE(what);
        table_number("contact", what, "rebound", found.part);
        EXPECT_LE(found.energy, 1e-12);
        EXPECT_GT(found.lowest, 0);
        if (count == 64) fine = found.part;
        const double change = std::abs(found.part / fine - 1);
        if (count == 2) coarse = std::max(coarse, change);
        if (count > 8 || count < 8) continue;
        const bool lands_at_once = form == Form::block && ratio > 0.5;
        EXPECT_LE(change, !lands_at_once ? 0.01 : ratio < 5 ? 0.02 : 0.1);
        if (lands_at_once) {
          EXPECT_GT(change, 0.01) << "the page may promise more";
        }
      }
    }
  EXPECT_GT(coarse, 0.05) << "two steps a wave are too few: the measurement sees the step";
}

// A face that lands flat stops a layer with 1/(2n) of the energy at once; how much of it comes back depends on the
// step, on its length and on where it meets the face. The finer the mesh, the less there is of it.
TEST(ContactRebound, FlatLandingsScatterWithTheLayerThatStops) {
  struct Mesh {
    int cells;
    double most;  // of the change
  };
  const bool all = std::getenv("LIVENS_LONG") != nullptr;
  const std::vector<Mesh> meshes = all ? std::vector<Mesh>{{3, 0.05}, {6, 0.09}, {12, 0.035}, {24, 0.025}}
                                       : std::vector<Mesh>{{6, 0.09}, {12, 0.035}};
  const std::vector<double> counts = all ? std::vector{8.0, 16.0, 32.0, 64.0} : std::vector{8.0, 16.0};
  for (const Mesh& mesh : meshes)
    for (const double ratio : all ? std::vector{1.0, 10.0, 100.0} : std::vector{100.0}) {
      const double range = crossing_time() / 8 / ratio;
      double least = 2, most = 0;
      for (const double count : counts)
        for (int phase = 0; phase < (all && mesh.cells < 24 ? 4 : 1); ++phase) {
          const double h = crossing_time() / count;
          const double part = rebound(Form::block, range, 1, h, mesh.cells, 0.25 * phase * h).part;
          least = std::min(least, part);
          most = std::max(most, part);
        }
      table_row("flat_landings", std::to_string(mesh.cells) + " elements across",
                {{"step x speed / distance at 8 steps", ratio}, {"least", least}, {"most", most}});
      EXPECT_LE(most / least - 1, mesh.most) << mesh.cells << " elements, ratio " << ratio;
    }
}

}  // namespace
}  // namespace livens
