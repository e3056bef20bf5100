// Obstacles that are dragged in a live session: a path without jumps, at a bounded speed, whose work is in the ledger.
#include <cmath>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "view/live_session.hpp"

namespace livens {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// ---- the hand

constexpr double rate = 20, speed = 0.5;  // 1/s, m/s

TEST(Hand, StandsUntilItIsMovedAndArrives) {
  Hand hand;
  EXPECT_EQ(hand.at(5).way, (Hand::Way{0, 0, 0}));
  hand.follow(1, {0.01, 0, -0.02}, rate, speed);
  EXPECT_EQ(hand.at(0.9).way, (Hand::Way{0, 0, 0})) << "the past stays";
  EXPECT_NEAR(hand.at(2).way[0], 0.01, 1e-8);
  EXPECT_NEAR(hand.at(2).way[2], -0.02, 1e-8);
}

// However far and however often the pointer moves.
TEST(Hand, MovesWithoutJumpsAndNotFasterThanItMay) {
  Hand hand;
  const double h = 1e-3;
  double fastest = 0, furthest = 0;
  for (int k = 0; k < 2000; ++k) {
    const double t = h * k, pointer = k < 900 ? 3 : -0.7;
    const Hand::Offset before = hand.at(t);
    hand.follow(t, {pointer - before.way[0], 0, 0}, rate, speed);
    const Hand::Offset now = hand.at(t), next = hand.at(t + h);
    EXPECT_NEAR(now.way[0], before.way[0], 1e-15);
    EXPECT_NEAR(now.velocity[0], before.velocity[0], 1e-13);
    EXPECT_NEAR((next.way[0] - now.way[0]) / h, 0.5 * (now.velocity[0] + next.velocity[0]), 1e-3 * speed);
    fastest = std::max(fastest, std::abs(now.velocity[0]));
    furthest = std::max(furthest, now.way[0]);
  }
  EXPECT_LE(fastest, speed * (1 + 1e-12));
  EXPECT_GT(fastest, 0.99 * speed);
  EXPECT_NEAR(furthest, 0.9 * speed, 0.15 * speed);
}

TEST(Hand, ComesToRestWhereItIsLetGo) {
  Hand hand;
  hand.follow(0, {1, 0, 0}, rate, speed);
  const Hand::Offset at = hand.at(0.05);
  hand.let_go(0.05, rate);
  EXPECT_NEAR(hand.at(0.05).velocity[0], at.velocity[0], 1e-15);
  const double rest = hand.at(10).way[0];
  EXPECT_NEAR(rest, at.way[0] + at.velocity[0] / rate, 1e-12);
  hand.follow(10, {1, 0, 0}, rate, speed);
  hand.halt(10.05);
  EXPECT_EQ(hand.at(20).way, hand.at(10.05).way);
}

// After a failed step it stands, until it is moved to somewhere else.
TEST(Hand, GivesWayOnceForEveryPlace) {
  DraggedObstacle dragged;
  dragged.hand = std::make_shared<Hand>();
  dragged.vertex.node[0] = 0;
  dragged.vertex.weight[0] = 1;
  dragged.dimension = 2;
  State state;
  state.q = {0, 0};
  dragged.move_to({1, 0, 0});
  dragged.follow(state);
  state.t = 1;
  state.q = {dragged.hand->at(1).way[0], 0};
  EXPECT_GT(state.q[0], 0);
  EXPECT_TRUE(dragged.give_way(state));
  EXPECT_FALSE(dragged.give_way(state));
  dragged.follow(state);
  EXPECT_EQ(dragged.hand->at(9).way[0], state.q[0]);
  dragged.move_to({2, 0, 0});
  dragged.follow(state);
  EXPECT_GT(dragged.hand->at(9).way[0], state.q[0]);
  EXPECT_TRUE(dragged.give_way(state));
}

// ---- live

// A soft block on a floor, a plate beside it.
std::string scene_text(const std::string& integrator, const std::string& more = "") {
  return "time = { end = 10 }\nintegrator = { " + integrator + " }\n" + R"toml(
material = [{ name = "rubber", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
force = [{ kind = "gravity", acceleration = [0, -9.81] }]
[[body]]
name = "block"
kind = "solid"
material = "rubber"
mesh = { kind = "rectangle", size = [0.2, 0.1], cells = [4, 2], corner = [0, 0.004] }
[[body]]
name = "plate"
kind = "obstacle"
shape = { kind = "box", size = [0.02, 0.1] }
position = [-0.03, 0.07]
[[contact]]
name = "floor"
kind = "plane"
rule = "barrier"
point = [0, 0]
normal = [0, 1]
distance = 0.004
[[contact]]
name = "touch"
kind = "bodies"
distance = 0.004
)toml" + more;
}

const std::string exact = "kind = 'energy_momentum', step = 0.002";

struct Live {
  explicit Live(const std::string& text) : session(parse_scene(text, "scene"), {0, true, false, 1.0}) {}
  json state() { return json::parse(session.live_state()); }
  json command(const json& what) { return json::parse(session.command(what.dump())); }
  void drag_to(double x, double y) {
    command({{"command", "pull"}, {"drawable", 1}, {"vertex", vertex}, {"to", {x, y, 0}}});
  }
  // Taken over by the thread that steps, some time later.
  void restart() {
    command({{"command", "restart"}});
    for (int k = 0; k < 60'000 && session.simulation().board().snapshot()->steps > 0; ++k)
      std::this_thread::sleep_for(1ms);
    ASSERT_EQ(session.simulation().board().snapshot()->steps, 0);
  }
  void make_steps(int count) {
    const long before = session.simulation().board().snapshot()->steps;
    for (int k = 0; k < count; ++k) session.simulation().requests().step();
    for (int k = 0; k < 60'000 && session.simulation().board().phase() == LivePhase::running &&
                    session.simulation().board().snapshot()->steps < before + count;
         ++k)
      std::this_thread::sleep_for(1ms);
    ASSERT_EQ(session.simulation().board().phase(), LivePhase::running) << state()["message"];
    ASSERT_EQ(session.simulation().board().snapshot()->steps, before + count);
  }
  std::array<double, 3> vertex_at() {
    const auto now = session.simulation().board().snapshot();
    return position_of(now->drawing->drawables[1].vertices[vertex], 2, now->state.q);
  }
  double center_of_block() {
    const auto now = session.simulation().board().snapshot();
    double sum = 0;
    for (int a = 0; a < 15; ++a) sum += now->state.q[2 * a] / 15;
    return sum;
  }
  LiveSession session;
  int vertex = 0;
};

TEST(LiveDrag, AnObstacleFollowsTheHandAndPushes) {
  Live live(scene_text(exact));
  live.make_steps(5);
  const auto grabbed = live.vertex_at();
  const double before = live.center_of_block();
  double fastest = 0;
  for (int k = 0; k < 400; ++k) {
    const double x = live.vertex_at()[0];
    live.drag_to(grabbed[0] + std::min(0.1, 0.002 * k), grabbed[1] - 0.01);
    live.make_steps(1);
    fastest = std::max(fastest, std::abs(live.vertex_at()[0] - x) / 0.002);
  }
  EXPECT_TRUE(live.state()["pulling"]);
  EXPECT_NEAR(live.vertex_at()[0], grabbed[0] + 0.1, 1e-4);
  EXPECT_NEAR(live.vertex_at()[1], grabbed[1] - 0.01, 1e-4);
  EXPECT_GT(live.center_of_block() - before, 0.05) << "it pushed the block along";
  EXPECT_LT(fastest, 2 * 0.25) << "two extents of the scene in a second";
  json ledger = live.state()["ledger"];
  EXPECT_GT(ledger["work"].get<double>(), 1e-3);
  EXPECT_EQ(ledger["pull"].get<double>(), 0);
  EXPECT_LT(std::abs(ledger["error"].get<double>()), 1e-10) << ledger.dump();
  // It stays where it is let go, also when the step changes, and begins anew where it was.
  live.command({{"command", "release"}});
  live.make_steps(400);
  const auto rest = live.vertex_at();
  live.command({{"command", "set"}, {"key", "integrator.step"}, {"value", 0.001}});
  live.command({{"command", "set"}, {"key", "force.gravity.acceleration"}, {"value", 5}});
  live.make_steps(20);
  for (int c = 0; c < 2; ++c) EXPECT_NEAR(live.vertex_at()[index(c)], rest[index(c)], 1e-9);
  ledger = live.state()["ledger"];
  EXPECT_LT(std::abs(ledger["error"].get<double>()), 1e-10) << ledger.dump();
  EXPECT_EQ(live.state()["interventions"][0]["text"], "drag plate");
  live.restart();
  live.make_steps(1);
  for (int c = 0; c < 2; ++c) EXPECT_NEAR(live.vertex_at()[index(c)], grabbed[index(c)], 1e-12);
}

TEST(LiveDrag, ThePageIsToldWhatAnObstacleIs) {
  Live live(scene_text(exact));
  const json drawables = json::parse(live.session.description(0))["drawables"];
  EXPECT_EQ(drawables[0]["name"], "block");
  EXPECT_EQ(drawables[0]["obstacle"], false);
  EXPECT_EQ(drawables[1]["name"], "plate");
  EXPECT_EQ(drawables[1]["obstacle"], true);
}

TEST(LiveDrag, AnObstacleThatMovesByItselfGoesOnAboutTheHand) {
  std::string text = scene_text(exact);
  text.replace(text.find("[-0.03, 0.07]"), 13, "['-0.03', '0.07 + 0.01*sin(20*t)']");
  Live live(text);
  const auto grabbed = live.vertex_at();
  live.drag_to(grabbed[0] - 0.05, grabbed[1]);
  live.make_steps(400);
  EXPECT_NEAR(live.vertex_at()[0], grabbed[0] - 0.05, 1e-6);
  EXPECT_NEAR(live.vertex_at()[1], grabbed[1], 0.011) << "held against its own motion";
  live.command({{"command", "release"}});
  double low = 1, high = -1;
  for (int k = 0; k < 40; ++k) {
    live.make_steps(10);
    low = std::min(low, live.vertex_at()[1]), high = std::max(high, live.vertex_at()[1]);
  }
  EXPECT_NEAR(high - low, 0.02, 0.002) << "its own motion";
  EXPECT_LT(std::abs(live.state()["ledger"]["error"].get<double>()), 1e-10);
}

TEST(LiveDrag, BodiesWithContactArePulledAsOthers) {
  Live live(scene_text(exact));
  live.make_steps(3);
  for (int k = 0; k < 60; ++k) {
    live.command({{"command", "pull"}, {"drawable", 0}, {"vertex", 0}, {"to", {-0.002 * k, 0.03, 0}}});
    live.make_steps(2);
  }
  const json ledger = live.state()["ledger"];
  EXPECT_GT(std::abs(ledger["pull"].get<double>()), 1e-3);
  EXPECT_LT(std::abs(ledger["error"].get<double>()), 1e-10) << ledger.dump();
  EXPECT_GT(live.session.simulation().board().snapshot()->ledger.start, -1);
}

// Pressed on the floor, where it cannot get out of the way: the plate stops, what is under it is not crushed.
TEST(LiveDrag, StandsStillWhereNothingGivesWay) {
  std::string text = scene_text(exact);
  text.replace(text.find("[-0.03, 0.07]"), 13, "[0.1, 0.18]");
  text.replace(text.find("[0.02, 0.1]"), 11, "[0.3, 0.1]");
  Live live(text);
  live.make_steps(3);
  const auto grabbed = live.vertex_at();
  live.drag_to(grabbed[0], grabbed[1] - 0.2);
  live.make_steps(400);
  const double pressed = live.vertex_at()[1];
  EXPECT_LT(pressed - grabbed[1], -0.03) << "it does press";
  EXPECT_GT(pressed - grabbed[1], -0.1) << "the block was 0.1 m high";
  live.make_steps(50);
  EXPECT_NEAR(live.vertex_at()[1], pressed, 0.005);
  live.drag_to(grabbed[0], grabbed[1]);
  live.make_steps(400);
  EXPECT_NEAR(live.vertex_at()[1], grabbed[1], 1e-3) << "and back";
  EXPECT_LT(std::abs(live.state()["ledger"]["error"].get<double>()), 1e-9);
}

TEST(LiveDrag, WorksWithLayersToo) {
  for (const char* method : {"kind = 'stormer_verlet', step = 0.0001", "kind = 'asynchronous'"}) {
    SCOPED_TRACE(method);
    Live live(scene_text(method));
    live.make_steps(20);
    const auto grabbed = live.vertex_at();
    const double before = live.center_of_block();
    live.drag_to(grabbed[0] + 0.06, grabbed[1]);
    const double end = live.session.simulation().board().snapshot()->state.t + 0.4;
    while (live.session.simulation().board().snapshot()->state.t < end && !HasFatalFailure()) live.make_steps(20);
    EXPECT_NEAR(live.vertex_at()[0], grabbed[0] + 0.06, 1e-3);
    EXPECT_GT(live.center_of_block() - before, 0.02);
    const json ledger = live.state()["ledger"];
    EXPECT_GT(ledger["work"].get<double>(), 1e-3);
    EXPECT_LT(std::abs(ledger["error"].get<double>()), 0.05 * ledger["work"].get<double>()) << ledger.dump();
  }
}

TEST(LiveDrag, IsRefusedWithTheReasonWhereSupportsMayNotMove) {
  std::string text = scene_text("kind = 'implicit_midpoint', step = 0.002");
  text.replace(text.find("[0.02, 0.1] }\nposition = [-0.03, 0.07]"), 38, "[0.02, 0.1], offset = [-0.03, 0.07] }");
  Live live(text);
  live.make_steps(2);
  try {
    live.drag_to(0, 0.1);
    FAIL() << "the midpoint rule does not filter supports that move";
  } catch (const ViewError& error) {
    EXPECT_EQ(error.status(), 400);
    EXPECT_NE(std::string(error.what()).find("supports"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(live.state()["pulling"]);
  live.make_steps(2);
}

}  // namespace
}  // namespace livens
