// Live sessions: the bits of a run as long as nobody interferes, and books that close when somebody does.
#include <atomic>
#include <cmath>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/scratch.hpp"
#include "view/live_session.hpp"

namespace livens {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using nlohmann::json;
using Phase = LivePhase;

std::string bar_text(const std::string& integrator, const std::string& end, const std::string& more = "") {
  return "time = { end = " + end + " }\nintegrator = { " + integrator + " }\n" + more + R"toml(
material = [{ name = "rubber", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
[[body]]
name = "bar"
kind = "solid"
material = "rubber"
mesh = { kind = "box", size = [0.4, 0.1, 0.1], cells = [4, 1, 1] }
initial = { velocity = ["0", "Z", "X"] }
)toml";
}

template <class Condition>
bool comes_true(const Condition& condition) {
  for (int k = 0; k < 20'000 && !condition(); ++k) std::this_thread::sleep_for(1ms);
  return condition();
}

LiveSession::Options fast(bool paused = false) { return {0, paused, false, 0.0}; }

json command(LiveSession& session, const json& what) { return json::parse(session.command(what.dump())); }
json state_of(LiveSession& session) { return json::parse(session.live_state()); }

void make_steps(LiveSession& session, int count) {
  const long before = session.simulation().board().snapshot()->steps;
  for (int k = 0; k < count; ++k) session.simulation().requests().step();
  ASSERT_TRUE(comes_true([&] { return session.simulation().board().snapshot()->steps == before + count; }));
}

// The state that livens run reaches.
class LastState final : public Observer {
 public:
  void observe(const Sample& sample) override { states.push_back(sample.state); }
  std::vector<State> states;
};

std::vector<State> states_of_run(const std::string& text, const std::filesystem::path& out) {
  LastState last;
  RunOptions options;
  options.out = out.string();
  options.observers = {&last};
  run(parse_scene(text, "scene"), options);
  return last.states;
}

void expect_same_bits(const State& a, const State& b, const std::string& what) {
  EXPECT_EQ(a.t, b.t) << what;
  EXPECT_EQ(a.q, b.q) << what;
  EXPECT_EQ(a.p, b.p) << what;
  EXPECT_EQ(a.v, b.v) << what;
}

TEST(ViewLive, HasTheBitsOfARun) {
  const auto folder = scratch();
  const std::vector<std::string> scenes = {
      pendulum_text("kind = 'stormer_verlet', step = 0.05", "2"),
      pendulum_text("kind = 'dormand_prince'", "2"),
      lattice_text("kind = 'implicit_midpoint', step = 0.1", "2"),
      lattice_text("kind = 'newmark', step = 0.1", "2"),
      bar_text("kind = 'hamilton_pontryagin', step = 0.01", "0.2"),
      bar_text("kind = 'energy_momentum', step = 0.01", "0.1"),
      bar_text("kind = 'asynchronous'", "0.02"),
  };
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    const auto expected = states_of_run(scenes[k], folder / fmt::format("{}", k));
    LiveSession session(parse_scene(scenes[k], "scene"), fast());
    // Others look on meanwhile, also at fields.
    std::atomic<bool> done = false;
    std::thread reader([&] {
      long seq = -1;
      while (!done) {
        if (const auto frame = session.live_frame(seq, {})) seq = session.simulation().board().snapshot()->seq;
        session.live_state();
        session.history(0, 3);
        session.description(0);
      }
    });
    EXPECT_TRUE(comes_true([&] { return session.simulation().board().phase() == Phase::ended; })) << scenes[k];
    done = true;
    reader.join();
    expect_same_bits(session.simulation().board().snapshot()->state, expected.back(), scenes[k]);
  }
}

TEST(ViewLive, CanWaitUntilSomebodyLooks) {
  LiveSession::Options options = fast();
  options.waits = true;
  LiveSession session(parse_scene(bar_text("kind = 'hamilton_pontryagin', step = 0.01", "0.2"), "scene"), options);
  session.description(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(state_of(session)["steps"], 0);
  session.live_frame(0, {});
  EXPECT_TRUE(comes_true([&] { return session.simulation().board().phase() == LivePhase::ended; }));
}

TEST(ViewLive, PausesStepsAndRestartsWithoutChangingBits) {
  const std::string text = bar_text("kind = 'hamilton_pontryagin', step = 0.01", "0.2");
  const auto expected = states_of_run(text, scratch() / "run");
  LiveSession session(parse_scene(text, "scene"), fast(true));
  EXPECT_EQ(state_of(session)["state"], "paused");
  EXPECT_EQ(state_of(session)["steps"], 0);
  make_steps(session, 1);
  expect_same_bits(session.simulation().board().snapshot()->state, expected[0], "one step");
  make_steps(session, 4);
  expect_same_bits(session.simulation().board().snapshot()->state, expected[4], "five steps");
  command(session, {{"command", "play"}});
  EXPECT_TRUE(comes_true([&] { return state_of(session)["state"] == "ended"; }));
  expect_same_bits(session.simulation().board().snapshot()->state, expected.back(), "to the end");
  EXPECT_THROW(command(session, {{"command", "step"}}), ViewError);
  command(session, {{"command", "pause"}});
  command(session, {{"command", "restart"}});
  EXPECT_TRUE(comes_true([&] { return state_of(session)["generation"] == 1; }));
  make_steps(session, 5);
  expect_same_bits(session.simulation().board().snapshot()->state, expected[4], "anew");
  // A step that is set and set back leaves the model as it was, and one-step methods their bits.
  const double step = 0.01;
  command(session, {{"command", "set"}, {"key", "integrator.step"}, {"value", step / 2}});
  command(session, {{"command", "set"}, {"key", "integrator.step"}, {"value", step}});
  EXPECT_TRUE(comes_true([&] { return state_of(session)["interventions"].size() == 2; }));
  make_steps(session, 1);
  const State& now = session.simulation().board().snapshot()->state;
  for (std::size_t i = 0; i < now.q.size(); ++i) EXPECT_NEAR(now.q[i], expected[5].q[i], 1e-13);
}

TEST(ViewLive, KeepsTheClock) {
  LiveSession session(parse_scene(pendulum_text("kind = 'stormer_verlet', step = 0.001", "20"), "scene"),
                      {0, false, false, 0.5});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(comes_true([&] { return session.simulation().board().snapshot()->state.t > 0.1; }));
  EXPECT_GT(std::chrono::steady_clock::now() - begin, 150ms);  // 0.2 s for 0.1 s
  command(session, {{"command", "speed"}, {"value", 0}});
  EXPECT_TRUE(comes_true([&] { return state_of(session)["state"] == "ended"; }));
  EXPECT_EQ(suitable_pace(10), 1);
  EXPECT_EQ(suitable_pace(2000), 100);
  EXPECT_NEAR(suitable_pace(0.01), 5e-4, 1e-12);
}

// energy = start + pull + changes + work - dissipated + error
double error_of(LiveSession& session) { return state_of(session)["ledger"]["error"]; }

void pull_about(LiveSession& session, int drawable, int vertex) {
  for (int k = 0; k < 20; ++k) {
    command(session,
            {{"command", "pull"}, {"drawable", drawable}, {"vertex", vertex}, {"to", {0.5 + 0.01 * k, 0.1, 0.3}}});
    make_steps(session, 2);
  }
  EXPECT_TRUE(state_of(session)["pulling"]);
  command(session, {{"command", "release"}});
  make_steps(session, 5);
}

TEST(ViewLive, BooksPulls) {
  struct Case {
    const char* integrator;
    double tolerance;  // of the energy
  };
  // energy_momentum is exact; the midpoint rule has an error of its own, which pulling must not make worse than its
  // order.
  for (const Case& each :
       {Case{"kind = 'energy_momentum', step = 0.005", 1e-12}, Case{"kind = 'implicit_midpoint', step = 0.005", 1e-3},
        Case{"kind = 'implicit_midpoint', step = 0.0025", 1e-3},
        Case{"kind = 'hamilton_pontryagin', step = 0.0025", 1e-3}, Case{"kind = 'stormer_verlet', step = 0.0002", 5e-3},
        Case{"kind = 'asynchronous'", 5e-3}}) {
    LiveSession session(parse_scene(bar_text(each.integrator, "10"), "scene"), {0, true, false, 1.0});
    make_steps(session, 3);
    pull_about(session, 0, 12);
    const json ledger = state_of(session)["ledger"];
    EXPECT_GT(std::abs(ledger["pull"].get<double>()), 1e-3) << each.integrator;  // it did something
    const double scale = std::abs(ledger["pull"].get<double>()) + std::abs(ledger["start"].get<double>());
    EXPECT_LT(std::abs(ledger["error"].get<double>()), each.tolerance * scale) << each.integrator << ledger.dump();
    EXPECT_FALSE(state_of(session)["pulling"]);
  }
}

// A soft and fine mesh that is pulled from far away: one node alone, or all of k |d|, would turn elements inside out.
TEST(ViewLive, PullsTearNothing) {
  LiveSession session(parse_scene(R"toml(
time = { end = 10 }
integrator = { kind = "hamilton_pontryagin", step = "1/960" }
material = [{ name = "jelly", kind = "stable_neo_hookean", young = 2e4, poisson = 0.4, density = 1000 }]
force = [{ kind = "strain_damping", damping_time = 0.0002 }]
[[body]]
name = "block"
kind = "solid"
material = "jelly"
mesh = { kind = "box", size = [0.2, 0.1, 0.1], cells = [10, 5, 5] }
)toml",
                                  "scene"),
                      {0, true, false, 1.0});
  command(session, {{"command", "pull"}, {"drawable", 0}, {"vertex", 100}, {"to", {3, 2, 1}}});
  make_steps(session, 40);
  const auto now = session.simulation().board().snapshot();
  BodyFields at(*now->model, now->model->bodies()[0], now->state);
  const auto ratios = at.volume_ratio();
  EXPECT_GT(*std::min_element(ratios.begin(), ratios.end()), 0.2);
  EXPECT_GT(now->ledger.pull, 1e-3);
  EXPECT_GT(now->ledger.dissipated, 0);
}

TEST(ViewLive, PullsParticlesAndRigidBodies) {
  LiveSession session(parse_scene(R"toml(
time = { end = 10 }
integrator = { kind = "energy_momentum", step = 0.01 }
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
body = [{ name = "rod", kind = "rigid", mass = 2, inertia = [0.1, 0.1, 0.05], center = [0.5, 0, 0] },
        { name = "bob", kind = "particles", mass = 1, layout = { kind = "points", points = [[1, 0, 1]] } }]
constraint = [{ kind = "spherical", bodies = ["ground", "rod"], point = [0, 0, 0] },
              { kind = "distance", bodies = ["rod", "bob"], ends = [[1, 0, 0], [1, 0, 1]] }]
)toml",
                                  "scene"),
                      fast(true));
  for (const int drawable : {0, 1}) {
    const double before = state_of(session)["ledger"]["pull"];
    pull_about(session, drawable, 0);
    const json ledger = state_of(session)["ledger"];
    EXPECT_GT(std::abs(ledger["pull"].get<double>() - before), 1e-3);
    EXPECT_LT(std::abs(ledger["error"].get<double>()), 1e-9);
  }
  for (const json& wrong : {json{{"drawable", 2}, {"vertex", 0}}, json{{"drawable", 9}, {"vertex", 0}},
                            json{{"drawable", 0}, {"vertex", 8}}, json{{"drawable", -1}, {"vertex", 0}},
                            json{{"drawable", 0}, {"vertex", 0.5}}}) {
    json pull = wrong;
    pull["command"] = "pull";
    pull["to"] = {0, 0, 0};
    EXPECT_THROW(command(session, pull), ViewError) << wrong.dump();
  }
  EXPECT_THROW(command(session, {{"command", "pull"}, {"drawable", 0}, {"vertex", 0}, {"to", {0, 0}}}), ViewError);
}

TEST(ViewLive, BooksChanges) {
  LiveSession session(parse_scene(bar_text("kind = 'energy_momentum', step = 0.005", "10"), "scene"), fast(true));
  make_steps(session, 5);
  command(session, {{"command", "set"}, {"key", "force.gravity.acceleration"}, {"value", 20}});
  make_steps(session, 5);
  command(session, {{"command", "set"}, {"key", "integrator.step"}, {"value", 0.002}});
  make_steps(session, 5);
  const json now = state_of(session);
  EXPECT_GT(std::abs(now["ledger"]["changes"].get<double>()), 1e-3);
  EXPECT_LT(std::abs(error_of(session)), 1e-10);
  ASSERT_EQ(now["interventions"].size(), 2u);
  EXPECT_EQ(now["interventions"][0]["text"], "force.gravity.acceleration 9.81 -> 20");
  EXPECT_EQ(now["controls"][0]["value"], 0.002);
  EXPECT_NEAR(now["t"].get<double>(), 10 * 0.005 + 5 * 0.002, 1e-12);
  // The history goes on with the books of the whole session.
  const std::string history = session.history(0, 0);
  EXPECT_EQ(json::parse(history.substr(0, history.find('\n')))["first"], 1);
}

TEST(ViewLive, AsynchronousStepsTakeChanges) {
  LiveSession session(parse_scene(bar_text("kind = 'asynchronous', courant = 0.2", "10"), "scene"), fast(true));
  make_steps(session, 5);
  command(session, {{"command", "set"}, {"key", "force.gravity.acceleration"}, {"value", 20}});
  make_steps(session, 5);
  command(session, {{"command", "set"}, {"key", "integrator.courant"}, {"value", 0.1}});
  make_steps(session, 5);
  const json now = state_of(session);
  ASSERT_EQ(now["interventions"].size(), 2u);
  EXPECT_EQ(now["interventions"][1]["text"], "integrator.courant 0.2 -> 0.1");
  const double changes = std::abs(now["ledger"]["changes"].get<double>());
  EXPECT_GT(changes, 1e-3);
  EXPECT_LT(std::abs(error_of(session)), 1e-3 * changes);
}

TEST(ViewLive, RefusesWhatTheSceneRefuses) {
  LiveSession session(parse_scene(bar_text("kind = 'hamilton_pontryagin', step = 0.01", "10"), "scene"), fast(true));
  make_steps(session, 2);
  const State before = session.simulation().board().snapshot()->state;
  const json controls = state_of(session)["controls"];
  const auto refusal = [&](const std::string& key, const json& value) -> std::string {
    try {
      command(session, {{"command", "set"}, {"key", key}, {"value", value}});
    } catch (const ViewError& error) {
      EXPECT_EQ(error.status(), 400);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal("integrator.step", -1).find("integrator.step"), std::string::npos);
  EXPECT_NE(refusal("integrator.alpha", 2).find("integrator.alpha"), std::string::npos);
  EXPECT_NE(refusal("time.end", 2).find("cannot be changed"), std::string::npos);
  EXPECT_NE(refusal("body.bar.mesh.file", 2).find("cannot be changed"), std::string::npos);
  EXPECT_NE(refusal("integrator.step", "0.1").find("number"), std::string::npos);
  EXPECT_NE(refusal("integrator.step", nullptr).find("number"), std::string::npos);
  EXPECT_EQ(state_of(session)["controls"], controls);
  EXPECT_TRUE(state_of(session)["interventions"].empty());
  expect_same_bits(session.simulation().board().snapshot()->state, before, "refused");
  make_steps(session, 1);
}

TEST(ViewLive, SurvivesFailures) {
  // So long a step turns elements inside out or does not converge; a shorter one goes on from the last good state.
  LiveSession session(parse_scene(bar_text("kind = 'stormer_verlet', step = 0.0002", "10"), "scene"), fast(true));
  make_steps(session, 2);
  command(session, {{"command", "set"}, {"key", "integrator.step"}, {"value", 0.5}});
  command(session, {{"command", "play"}});
  ASSERT_TRUE(comes_true([&] { return session.simulation().board().phase() == Phase::failed; }));
  EXPECT_FALSE(state_of(session)["message"].get<std::string>().empty());
  EXPECT_THROW(command(session, {{"command", "play"}}), ViewError);
  command(session, {{"command", "set"}, {"key", "integrator.step"}, {"value", 0.0002}});
  command(session, {{"command", "pause"}});
  command(session, {{"command", "restart"}});
  ASSERT_TRUE(comes_true([&] { return state_of(session)["generation"] == 1; }));
  make_steps(session, 3);
  EXPECT_EQ(state_of(session)["state"], "paused");
}

TEST(ViewLive, NamesTheExpressionThatHasNoValue) {
  LiveSession session(
      parse_scene("time = { end = 10 }\nintegrator = { kind = 'stormer_verlet', step = 0.01 }\n[system]\nkind = "
                  "'lagrangian'\ncoordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = '-sqrt(x)'\n"
                  "initial = { x = 0.5, x_dot = -3 }\n",
                  "scene"),
      fast());
  ASSERT_TRUE(comes_true([&] { return session.simulation().board().phase() == Phase::failed; }));
  const std::string message = state_of(session)["message"];
  EXPECT_NE(message.find("'-sqrt(x)' is not finite at x = -"), std::string::npos) << message;
  EXPECT_NE(message.find("system.potential"), std::string::npos) << message;
}

TEST(ViewLive, SurvivesNonsense) {
  LiveSession session(parse_scene(lattice_text("kind = 'stormer_verlet', step = 0.05", "1000"), "scene"), fast());
  const std::vector<std::string> seeds = {R"({"command": "pause"})",
                                          R"({"command": "play"})",
                                          R"({"command": "step"})",
                                          R"({"command": "restart"})",
                                          R"({"command": "set", "key": "integrator.step", "value": 0.04})",
                                          R"({"command": "pull", "drawable": 0, "vertex": 3, "to": [0.1, 0.2, 0.3]})",
                                          R"({"command": "release"})",
                                          R"({"command": "speed", "value": 0})"};
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int refused = 0;
  for (int k = 0; k < 1500; ++k) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t n = below(3); n > 0; --n) {
      if (below(2) == 0)
        text[below(text.size())] = static_cast<char>(below(128));
      else
        text.insert(below(text.size()), "9");
    }
    try {
      session.command(text);
    } catch (const ViewError& error) {
      EXPECT_EQ(error.status(), 400) << text;
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 1400);
  EXPECT_NO_THROW(state_of(session));
}

}  // namespace
}  // namespace livens
