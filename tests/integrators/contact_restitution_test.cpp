// Restitution of barriers: speeds after impacts, what the ledger has, and rest.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/contact_set.hpp"
#include "integrators/impacts.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

using testing::Collision, testing::follow, testing::Followed, testing::stepping;

constexpr double range = 1e-3;
// Positions of 0.3 m beside gaps of 2e-5 m, where 10 m/s turn, in some hundred pieces of a step.
constexpr double ledger_rounding = 5e-11;

// A particle of 1 kg above a plane, or one that comes towards another from the left.
Collision particle(double e, double speed, double height, bool pair = false, double stick_speed = 1e-3) {
  Assembly assembly;
  Particles ball;
  ball.layout.dimension = 2;
  ball.layout.positions =
      pair ? std::vector<double>{-0.02 - height, 0.3, 0, 0.3} : std::vector<double>{0.3, 0.01 + height};
  ball.mass = pair ? std::vector<double>{1.0, 3.0} : std::vector<double>{1.0};
  ball.initial.velocity = [=](const Vec3& X) {
    return pair ? Vec3{X[0] < -0.01 ? speed : 0, 0, 0} : Vec3{0.5, -speed, 0};
  };
  add(assembly, ball, "ball");
  BarrierRule rule{range, 1e6, 0.01};
  rule.restitution = e;
  rule.stick_speed = stick_speed;
  if (pair) {
    ContactBodies contact;
    contact.barrier = rule;
    add(assembly, contact, "floor");
  } else {
    ContactPlane floor;
    floor.normal = {0, 1, 0};
    floor.barrier = rule;
    add(assembly, floor, "floor");
  }
  return Collision(assembly);
}

struct Bounce {
  double ratio = 0;   // relative speeds after and before
  double ledger = 0;  // error of the energy, over that of the impact
  double lost = 0;
  long halvings = 0;
};

Bounce bounce(double e, double speed, double travel, const char* keys, bool pair = false) {
  Collision c = particle(e, speed, range + 0.3 * travel * range, pair);
  const double h = travel * range / speed, start = energy(*c.model, c.state).total;
  auto integrator = stepping(keys, h, *c.model);
  Bounce found;
  const auto relative = [&](const State& s) { return pair ? s.v[2] - s.v[0] : s.v[1]; };
  const auto report = integrator->advance(*c.model, c.state, 1e9, [&](const State& state, const StepReport&) {
    const double gap = pair ? state.q[2] - state.q[0] - 0.02 : state.q[1] - 0.01;
    return !(relative(state) > 0 && gap > 1.2 * range);
  });
  EXPECT_TRUE(report.converged) << report.message;
  found.ratio = relative(c.state) / speed;
  for (const double out : integrator->ledger().energy_out) found.lost += out;
  found.ledger = std::abs(energy(*c.model, c.state).total + found.lost - start) / start;
  for (const auto& [name, count] : integrator->events())
    if (name.find("restitution") != std::string::npos) found.halvings = count;
  return found;
}

TEST(ContactRestitution, SpeedsOverTwoDecadesWithinHalfAPercent) {
  for (const char* keys : {"kind = 'energy_momentum'", "kind = 'implicit_midpoint'"})
    for (const double e : {0.3, 0.75, 0.95})
      for (const double speed : {0.1, 1.0, 10.0})
        for (const double travel : {0.05, 0.7, 15.0}) {
          const Bounce found = bounce(e, speed, travel, keys);
          EXPECT_NEAR(found.ratio, e, 0.005 * e) << keys << " e " << e << " speed " << speed << " travel " << travel;
          EXPECT_LE(found.ledger, ledger_rounding);
          EXPECT_GT(found.lost, 0);
          EXPECT_GT(found.halvings, 0);
          table_row("contact_restitution", std::string(keys) + ", e = " + std::to_string(e),
                    {{"speed", speed}, {"travel", travel}, {"ratio", found.ratio}, {"ledger", found.ledger}});
        }
}

TEST(ContactRestitution, BallsLoseTheSameOfTheirRelativeSpeed) {
  for (const double e : {0.0, 0.5, 0.9}) {
    const Bounce found = bounce(e == 0 ? 0.02 : e, 2, 5, "kind = 'energy_momentum'", true);
    EXPECT_NEAR(found.ratio, e == 0 ? 0.02 : e, 0.005) << e;
    EXPECT_LE(found.ledger, 1e-11);
  }
}

// One is the barrier as it was: nothing is booked, no step is halved.
TEST(ContactRestitution, OneChangesNothing) {
  Collision c = particle(1, 1, 2 * range);
  EXPECT_TRUE(c.model->parts().forces.empty());
  const Bounce found = bounce(1, 1, 15, "kind = 'energy_momentum'");
  EXPECT_NEAR(found.ratio, 1, 1e-11);
  EXPECT_EQ(found.halvings, 0);
}

// Without halving the turn within a step would hide the release: what the halving is for.
TEST(ContactRestitution, AStepThatIsTooLongWouldMissIt) {
  Collision c = particle(0.3, 1, 1.2 * range);
  const ContactBarrier& barrier = *c.barriers.front();
  ContactSet set(barrier);
  const double h = 2 * range;
  const std::vector<double> way = {0, -h};
  set.begin(c.state.q, way, range, h);
  // Half a range above the plane after the step: it closes, and gives back nothing yet.
  std::vector<double> q1 = c.state.q;
  q1[1] = 0.01 + 0.5 * range;
  set.end_at(q1);
  EXPECT_EQ(set.withheld(), 0);
  EXPECT_GT(set.largest_travel(c.state.v, std::vector<double>{0.5, -1}), 1);
}

// A ball that bounces under gravity comes to rest, and stays on its barrier.
TEST(ContactRestitution, ABallComesToRest) {
  Assembly assembly;
  Particles ball;
  ball.layout.dimension = 2;
  ball.layout.positions = {0.3, 0.06};
  ball.mass = {1.0};
  add(assembly, ball, "ball");
  add(assembly, Gravity{.acceleration = {0, -9.81, 0}}, "gravity");
  ContactPlane floor;
  floor.normal = {0, 1, 0};
  floor.barrier = BarrierRule{range, 1e6, 0.01};
  floor.barrier->restitution = 0.5;
  floor.barrier->stick_speed = 0.01;
  add(assembly, floor, "floor");
  Collision c(assembly);
  const Followed run = follow(c, 5e-3, 1.2);
  ASSERT_TRUE(run.converged) << run.message;
  EXPECT_LE(run.energy, 1e-10);
  EXPECT_NEAR(run.lost, 9.81 * 0.049, 0.02 * 9.81 * 0.049);
  EXPECT_LT(std::abs(c.state.v[1]), 0.01);
}

// The tangent with restitution is the derivative of what a step does.
TEST(ContactRestitution, TangentIsTheDerivative) {
  Collision c = particle(0.4, 1, 0.4 * range, true, 0.5);
  ContactSet set(*c.barriers.front());
  const double h = 1e-4;
  std::vector<double> q1 = c.state.q, way(4);
  q1[0] -= 3e-5;  // opens with 0.3 m/s, below the speed from which all of it is withheld
  q1[1] += 1e-6;
  for (std::size_t i = 0; i < 4; ++i) way[i] = q1[i] - c.state.q[i];
  set.begin(c.state.q, way, range, h);
  const auto gradient = [&](const std::vector<double>& q) {
    std::vector<double> sum(4, 0.0);
    set.end_at(q);
    set.add_gradient(1, sum);
    return sum;
  };
  for (int j = 0; j < 4; ++j) {
    const double d = 1e-9;
    std::vector<double> up = q1, down = q1;
    up[j] += d, down[j] -= d;
    const auto above = gradient(up), below = gradient(down);
    set.end_at(q1);
    EXPECT_GT(set.withheld(), 0);
    std::vector<double> change(4, 0.0);
    for (const Contact& contact : set.contacts()) {
      double matrix[36];
      ASSERT_TRUE(set.tangent(contact, false, matrix));
      const int column = contact.point[0] == j / 2 ? j % 2 : 3 + j % 2;
      for (int a = 0; a < 2; ++a)
        for (int r = 0; r < 2; ++r) change[2 * contact.point[a] + r] += matrix[(3 * a + r) * 6 + column];
    }
    for (int i = 0; i < 4; ++i) {
      const double slope = (above[i] - below[i]) / (2 * d);
      EXPECT_NEAR(change[i], slope, 1e-5 * std::abs(slope) + 1);
    }
  }
}

TEST(ContactRestitution, IsRefusedWhereItHasNoMeaning) {
  const Collision c = particle(0.5, 1, 2 * range);
  for (const char* keys : {"kind = 'implicit_euler'", "kind = 'newmark'"}) try {
      stepping(keys, 1e-3, *c.model);
      ADD_FAILURE() << keys;
    } catch (const SceneError& error) {
      EXPECT_NE(std::string(error.what()).find("restitution"), std::string::npos);
    }
  EXPECT_THROW(particle(1.2, 1, 2 * range), AssemblyError);
  EXPECT_THROW(particle(-0.1, 1, 2 * range), AssemblyError);
}

}  // namespace
}  // namespace livens
