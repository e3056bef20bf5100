// Clocks on levels: the same motion as the queue with the same steps, order 2, exact momenta, and the same bits for any
// number of threads, looks and after a checkpoint.
#include <set>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "asynchronous/event_loop.hpp"
#include "asynchronous/look.hpp"
#include "asynchronous/queue_schedule.hpp"
#include "asynchronous/scenes.hpp"
#include "files/memory.hpp"

namespace livens {
namespace {

const char* const kinds[] = {"tri3", "tri6", "tet4", "tet10"};
const std::string levels = "\nschedule = 'levels'";

// Graded so that there are several levels with layers in between.
SolidScene graded(SolidScene scene) {
  const bool plane = scene.element.rfind("tri", 0) == 0;
  scene.cells = plane ? "[16, 2]" : "[16, 2, 2]";
  scene.grading = plane ? "[30, 1]" : "[30, 1, 1]";
  return scene;
}

SolidScene scene_of(const std::string& kind) {
  SolidScene scene = kind.rfind("tri", 0) == 0 ? plane_scene(kind) : SolidScene{};
  scene.element = kind;
  return graded(scene);
}

const std::string gravity = "{ kind = 'gravity', acceleration = [0, 0, -9.81] }";
const std::string damping = "{ kind = 'strain_damping', damping_time = 1e-5 }";
const std::string clamp = "constraint = [{ name = 'clamp', kind = 'fixed', selection = 'bar.x_min' }]\n";
const std::string floor_below = "contact = [{ kind = 'plane', point = [0, 0, -0.001], normal = [0, 0, 1] }]\n";

// Falls onto a floor while one end is held.
SolidScene loaded_scene(const std::string& forces) {
  SolidScene scene;
  scene.more = "force = [" + forces + "]\n" + clamp + floor_below;
  scene.initial = "initial = { velocity = ['0', '0', '-3*X'] }";
  return graded(scene);
}

struct Seen {
  State state;
  Ledger ledger;
};

Ledger ledger_for(const Model& model) {
  Ledger ledger;
  ledger.energy_out.assign(model.parts().forces.size(), 0.0);
  ledger.symmetry_impulse.assign(model.parts().symmetries.size(), 0.0);
  return ledger;
}

// The queue with the steps of levels.
Seen by_queue(const Model& model, const State& start, StepRule rule, double T) {
  rule.levels = true;
  const auto system = std::make_shared<StencilSystem>(model);
  Activations activations(system, rule);
  activations.start(start);
  QueueSchedule queue(activations);
  EXPECT_TRUE(queue.run(T));
  Seen seen{start, ledger_for(model)};
  look(activations, queue, WholeTerms(model, *system), ConstrainedNodes(model, *system), LayeredContact(model, *system),
       T, seen.state, seen.ledger);
  return seen;
}

std::size_t levels_of(const EventLoop& loop) {
  std::set<double> steps;
  for (int k = 0; k < loop.system().size(); ++k) steps.insert(loop.step(k));
  return steps.size();
}

// Impulses of one instant see the same positions: their order is a matter of rounding.
void expect_the_queue(SolidScene scene, const std::string& what, double T = 0.004) {
  scene.grading = scene.element.rfind("tri", 0) == 0 ? "[12, 1]" : "[12, 1, 1]";  // for more than one level
  const Scene parsed = solid_scene(scene);
  const Model model = make_model(parsed);
  const State start = initial_state(parsed, model);
  const StepRule rule{StepRule::Kind::courant, 0.3};
  const Seen queue = by_queue(model, start, rule, T);
  EventLoop loop(model, rule, ScheduleKind::levels);
  ASSERT_TRUE(loop.start(start));
  ASSERT_TRUE(loop.run(T));
  Seen seen{start, ledger_for(model)};
  ASSERT_TRUE(loop.read(T, seen.state, seen.ledger));
  double speed = 0, momentum = 0;
  for (const double v : queue.state.v) speed = std::max(speed, std::abs(v));
  for (const double p : queue.state.p) momentum += std::abs(p);
  EXPECT_LT(difference(seen.state.q, queue.state.q), 1e-12) << what;
  EXPECT_LT(difference(seen.state.v, queue.state.v), 1e-9 * speed) << what;
  EXPECT_GT(difference(seen.state.q, start.q), 1e-4) << what;
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(seen.ledger.linear_impulse[c], queue.ledger.linear_impulse[c], 1e-11 * momentum) << what;
    EXPECT_NEAR(seen.ledger.angular_impulse[c], queue.ledger.angular_impulse[c], 1e-11 * momentum) << what;
  }
  // What damping takes is reckoned with the momenta that it finds, some impulses of the instant included or not.
  for (std::size_t f = 0; f < queue.ledger.energy_out.size(); ++f)
    EXPECT_NEAR(seen.ledger.energy_out[f], queue.ledger.energy_out[f], 0.005 * queue.ledger.energy_out[f]) << what;
  EXPECT_GE(levels_of(loop), 3u) << what;
}

TEST(LevelSchedule, IsTheQueueWithTheSameSteps) {
  for (const std::string kind : kinds) expect_the_queue(scene_of(kind), kind);
  SolidScene linear = scene_of("tet4");
  linear.material = "linear";
  expect_the_queue(linear, "linear elasticity");
  expect_the_queue(loaded_scene(gravity), "loads, supports, contact");
  expect_the_queue(loaded_scene(gravity + ", " + damping), "damping");
}

// At an instant that several impulses share, the product of a damping impulse with another one is booked as damping or
// as elastic, by which of them came first; the motion is the same. That is of first order in the step: half the steps,
// half the difference.
TEST(LevelSchedule, BooksOfDampingDifferFromThoseOfTheQueueByAnOrderOfTheStep) {
  SolidScene text = loaded_scene(gravity + ", " + damping);
  text.grading = "[12, 1, 1]";
  const Scene parsed = solid_scene(text);
  const Model model = make_model(parsed);
  const State start = initial_state(parsed, model);
  constexpr double T = 0.004;
  const auto difference_at = [&](double factor, double& taken) {
    const StepRule rule{StepRule::Kind::courant, factor};
    const Seen queue = by_queue(model, start, rule, T);
    EventLoop loop(model, rule, ScheduleKind::levels);
    EXPECT_TRUE(loop.start(start) && loop.run(T));
    Seen seen{start, ledger_for(model)};
    EXPECT_TRUE(loop.read(T, seen.state, seen.ledger));
    EXPECT_LT(difference(seen.state.q, queue.state.q), 1e-12);
    taken = 0;
    for (const double out : queue.ledger.energy_out) taken += out;
    double other = 0;
    for (const double out : seen.ledger.energy_out) other += out;
    return std::abs(other - taken);
  };
  double taken = 0;
  const double coarse = difference_at(0.3, taken);
  RecordProperty("of_taken", std::to_string(coarse / taken));
  EXPECT_GT(coarse, 1e-4 * taken) << "guard: there is something to halve";
  const double fine = difference_at(0.15, taken), finest = difference_at(0.075, taken);
  EXPECT_NEAR(coarse / fine, 2, 0.5);
  EXPECT_NEAR(fine / finest, 2, 0.5);
}

TEST(LevelSchedule, EqualStepsAreVerlet) {
  for (const std::string kind : kinds) {
    SolidScene scene = scene_of(kind);
    scene.integrator = "kind = 'asynchronous'\ncourant = 1000\nlongest_step = 1e-5" + levels;
    const Ran avi = run_to(solid_scene(scene), 0.003);
    ASSERT_TRUE(avi.report.converged) << avi.report.message;
    scene.integrator = "kind = 'stormer_verlet'\nstep = 1e-5";
    const Ran verlet = run_to(solid_scene(scene), 0.003);
    EXPECT_LT(difference(avi.state.q, verlet.state.q), 1e-13) << kind;
    EXPECT_LT(difference(avi.state.v, verlet.state.v), 1e-10) << kind;
    EXPECT_GT(difference(avi.state.q, initial_state(solid_scene(scene), *avi.model).q), 1e-4);
  }
}

TEST(LevelSchedule, MomentaOfAFreeBody) {
  for (const std::string kind : kinds) {
    const bool plane = kind.rfind("tri", 0) == 0;
    SolidScene scene = scene_of(kind);
    scene.integrator += levels;
    Ran ran = run_to(solid_scene(scene), 1e-9);
    const Momenta before = momenta(*ran.model, ran.state.q, ran.state.p);
    for (int k = 1; ran.integrator->counters().evaluations < 1'000'000; ++k)
      ASSERT_TRUE(ran.integrator->advance(*ran.model, ran.state, 0.02 * k).converged);
    const Momenta after = momenta(*ran.model, ran.state.q, ran.state.p);
    double size = 0, total = 0;
    for (int c = 0; c < 3; ++c) size = std::max(size, std::abs(before.angular[c]));
    for (int c = plane ? 2 : 0; c < 3; ++c) EXPECT_NEAR(after.angular[c], before.angular[c], 1e-12 * size) << kind;
    for (const double p : ran.state.p) total += std::abs(p);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(after.linear[c], before.linear[c], 1e-12 * total) << kind;
  }
}

// Read at times that no clock hits. Halving `courant` halves all steps: levels stay as they are.
TEST(LevelSchedule, OrderTwo) {
  for (const std::string kind : {"tri6", "tet4"}) {
    SolidScene scene = scene_of(kind);
    scene.initial = kind == "tri6"
                        ? "initial = { position = ['1.2*X', 'Y + 0.1*X^2'], angular_velocity = [3] }"
                        : "initial = { position = ['1.2*X', 'Y + 0.1*X^2', 'Z'], angular_velocity = [1, 2, 3] }";
    std::vector<Ran> runs;
    for (const char* integrator : {"kind = 'stormer_verlet'\nstep = 1e-7", "kind = 'asynchronous'\ncourant = 0.1",
                                   "kind = 'asynchronous'\ncourant = 0.05", "kind = 'asynchronous'\ncourant = 0.025"}) {
      scene.integrator = integrator;
      if (!runs.empty()) scene.integrator += levels;
      runs.push_back(run_to(solid_scene(scene), 0.003));
    }
    double squares[3] = {0, 0, 0};
    for (int k = 1; k <= 10; ++k)
      for (std::size_t i = 0; i < runs.size(); ++i) {
        ASSERT_TRUE(runs[i].integrator->advance(*runs[i].model, runs[i].state, 0.003 + 5.37e-4 * k).converged);
        if (i == 0) continue;
        squares[i - 1] += std::pow(difference(runs[i].state.q, runs[0].state.q), 2) +
                          std::pow(1e-3 * difference(runs[i].state.v, runs[0].state.v), 2);
      }
    EXPECT_NEAR(0.25 * std::log2(squares[0] / squares[2]), 2, 0.1) << kind;
  }
}

// Large enough for a team of threads, with everything that goes one by one beside it.
SolidScene large_scene() {
  SolidScene scene = loaded_scene(gravity);
  scene.cells = "[16, 8, 8]";
  scene.grading = "[12, 1, 1]";
  scene.integrator += levels;
  return scene;
}

TEST(LevelSchedule, ThreadsAndLooksHaveTheSameBits) {
  SolidScene scene = large_scene();
  const double end = 0.002;
  std::vector<Ran> runs;
  for (const std::size_t threads : {1u, 2u, 4u})
    for (const int looks : {1, 5}) {
      tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      runs.push_back(run_to(solid_scene(scene), end, looks));
      ASSERT_TRUE(runs.back().report.converged) << runs.back().report.message;
      EXPECT_EQ(runs.back().state.q, runs[0].state.q) << threads << " threads, looks " << looks;
      EXPECT_EQ(runs.back().state.p, runs[0].state.p) << threads << " threads, looks " << looks;
      const Ledger &ledger = runs.back().integrator->ledger(), &first = runs[0].integrator->ledger();
      for (int c = 0; c < 3; ++c) EXPECT_EQ(ledger.angular_impulse[c], first.angular_impulse[c]) << threads;
    }
  // Another step of some elements is another trajectory: the comparison can fail.
  scene.integrator += "\nlongest_step = 3e-5";
  EXPECT_NE(run_to(solid_scene(scene), end).state.q, runs[0].state.q);
}

TEST(LevelSchedule, MemoryContinuesBitForBit) {
  std::vector<SolidScene> scenes = {scene_of("tet10"), loaded_scene(gravity), loaded_scene(gravity + ", " + damping)};
  scenes.push_back(scene_of("tri3"));
  scenes.back().integrator += "\nwatch = [5, 9]";
  scenes.push_back(scene_of("tri3"));
  scenes.back().integrator = "kind = 'asynchronous'\ncourant = 0.1\nimplicit = ['bar']";
  for (SolidScene& scene : scenes) {
    scene.integrator += levels;
    const Scene parsed = solid_scene(scene);
    Ran whole = run_to(parsed, 0.002);
    MemoryWriter writer;
    whole.integrator->visit_memory(writer);
    const State saved = whole.state;
    ASSERT_TRUE(whole.integrator->advance(*whole.model, whole.state, 0.004).converged);
    State state = saved;
    const auto fresh = make_integrator(parsed, *whole.model);
    MemoryReader reader(writer.bytes());
    fresh->visit_memory(reader);
    ASSERT_TRUE(fresh->advance(*whole.model, state, 0.004).converged);
    EXPECT_EQ(state.q, whole.state.q) << scene.more << scene.integrator;
    EXPECT_EQ(state.p, whole.state.p) << scene.more << scene.integrator;
    const Ledger &ledger = fresh->ledger(), &first = whole.integrator->ledger();
    EXPECT_EQ(ledger.energy_out, first.energy_out);
    for (int c = 0; c < 3; ++c) EXPECT_EQ(ledger.linear_impulse[c], first.linear_impulse[c]);
    EXPECT_EQ(fresh->counters().evaluations, whole.integrator->counters().evaluations);
    State anew = saved;
    make_integrator(parsed, *whole.model)->advance(*whole.model, anew, 0.004);
    EXPECT_NE(anew.q, whole.state.q) << "without its memory clocks begin anew";
  }
}

// An element that is turned inside out is named, and the state is that of the last look.
TEST(LevelSchedule, FailureNamesTheElement) {
  for (const std::size_t threads : {1u, 2u}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    SolidScene scene = large_scene();
    scene.more = "";
    scene.initial = "initial = { velocity = ['-400*X', '0', '0'] }";
    Ran ran = run_to(solid_scene(scene), 1e-4);
    ASSERT_TRUE(ran.report.converged) << ran.report.message;
    const State before = ran.state;
    const StepReport report = ran.integrator->advance(*ran.model, ran.state, 0.05);
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.code, FailureCode::inverted);
    EXPECT_NE(report.message.find("element"), std::string::npos) << report.message;
    EXPECT_EQ(ran.state.q, before.q);
    EXPECT_EQ(ran.integrator->counters().evaluations,
              run_to(solid_scene(scene), 1e-4).integrator->counters().evaluations);
  }
}

TEST(LevelSchedule, CountsUpdates) {
  SolidScene scene;
  scene.integrator += levels;
  const Ran ran = run_to(solid_scene(scene), 0.01);
  const AsynchronousFacts facts = ran.integrator->asynchronous()->facts();
  long sum = 0;
  for (const auto& term : ran.model->parts().terms)
    for (const long count : ran.integrator->asynchronous()->updates(*term)) {
      sum += count;
      EXPECT_GE(count, facts.least_updates);
      EXPECT_LE(count, facts.most_updates);
    }
  EXPECT_EQ(sum, facts.updates);
  EXPECT_EQ(sum, ran.integrator->counters().evaluations);
  // All begin at 0; the last tick may be one of the finest alone.
  EXPECT_NEAR(static_cast<double>(facts.most_updates), 0.01 / ran.integrator->counters().step_min, 1.01);
}

TEST(LevelSchedule, RefusesStepsThatChange) {
  SolidScene scene;
  scene.integrator += levels + "\nupdate_steps = true";
  const Scene parsed = solid_scene(scene);
  const Model model = make_model(parsed);
  try {
    make_integrator(parsed, model);
    FAIL() << "it was made";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("local_minimum"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace livens
