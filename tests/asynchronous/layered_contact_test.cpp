// Clocks of contact: ticks that are left out change no bit, and neither do looks, lists, threads and checkpoints.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "asynchronous/event_loop.hpp"
#include "files/memory.hpp"
#include "integrators/explicit_contact.hpp"

namespace livens {
namespace {

using testing::ExplicitImpact;

Ledger ledger_for(const Model& model) {
  Ledger ledger;
  ledger.energy_out.assign(model.parts().forces.size(), 0.0);
  ledger.symmetry_impulse.assign(model.parts().symmetries.size(), 0.0);
  return ledger;
}

StepRule rule(bool levels) {
  StepRule made;
  made.kind = levels ? StepRule::Kind::neighbourhood : StepRule::Kind::courant;
  made.factor = levels ? 0.1 : 0.3;
  return made;
}

struct Outcome {
  State state;
  Ledger ledger;
  long ticks = 0, looks = 0;
};

// depth: every pair is looked at 2^depth times in a unit; -1: where it must be.
Outcome run(const ExplicitImpact& impact, ScheduleKind kind, double T, int depth) {
  EventLoop loop(*impact.model, rule(kind == ScheduleKind::levels), kind);
  if (depth >= 0) loop.contact().look_always(depth);
  EXPECT_TRUE(loop.start(impact.state));
  EXPECT_TRUE(loop.run(T)) << loop.contact().failed();
  Outcome result{impact.state, ledger_for(*impact.model), loop.contact().ticks(), loop.contact().looks()};
  EXPECT_TRUE(loop.read(T, result.state, result.ledger));
  return result;
}

ExplicitImpact rubbing_blocks(double friction) {
  Assembly assembly = testing::with_rubber();
  const auto block = [&](double x, double y, const Vec3& velocity, int cells, const char* name) {
    Solid solid;
    solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .corner = {x, y}, .cells = {cells, cells}});
    solid.material = "rubber";
    solid.initial.velocity = [velocity](const Vec3&) { return velocity; };
    add(assembly, solid, name);
  };
  block(0, 0, {1, 0.5, 0}, 4, "left");
  block(0.103, 0.023, {-1, -0.5, 0}, 3, "right");
  ContactBodies contact;
  contact.barrier.friction = friction;
  add(assembly, contact, "contact");
  return ExplicitImpact(assembly);
}

// Every tick of every pair down to a depth that nothing gets beyond, against those that are needed.
TEST(LayeredContact, TicksThatAreLeftOutChangeNoBit) {
  for (const ScheduleKind kind : {ScheduleKind::queue, ScheduleKind::levels})
    for (const double friction : {0.0, 0.4}) {
      const ExplicitImpact impact = rubbing_blocks(friction);
      const double T = 0.004;
      const Outcome needed = run(impact, kind, T, -1), all = run(impact, kind, T, 9), few = run(impact, kind, T, 3);
      EXPECT_EQ(needed.state.q, all.state.q);
      EXPECT_EQ(needed.state.p, all.state.p);
      EXPECT_EQ(needed.ledger.energy_out, all.ledger.energy_out);
      EXPECT_EQ(needed.ticks, all.ticks);
      EXPECT_GT(needed.ticks, 100);
      EXPECT_GT(all.looks, 10 * needed.looks) << "most are left out";
      EXPECT_NE(few.state.q, all.state.q) << "ticks that are needed are missed";
    }
}

std::string keys(const std::string& method, const std::string& schedule) {
  return method == "stormer_verlet" ? "kind = 'stormer_verlet', step = 1e-4"
                                    : "kind = 'asynchronous', schedule = '" + schedule + "'";
}

// While they touch: looks in between, threads, and a checkpoint.
TEST(LayeredContact, SameBitsForLooksThreadsAndCheckpoints) {
  for (const char* method : {"stormer_verlet", "queue", "levels"}) {
    const std::string text = keys(method, method);
    const ExplicitImpact impact = rubbing_blocks(0.3);
    const Model& model = *impact.model;
    const double middle = 0.0035, end = 0.008;
    State once = impact.state, often = once, threads = once, resumed = once;
    auto whole = make_integrator(text, model);
    ASSERT_TRUE(whole->advance(model, once, end).converged);
    int looks = 0;
    ASSERT_TRUE(make_integrator(text, model)
                    ->advance(model, often, end,
                              [&](const State&, const StepReport&) {
                                ++looks;
                                return true;
                              })
                    .converged);
    EXPECT_GT(looks, 5);
    {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
      ASSERT_TRUE(make_integrator(text, model)->advance(model, threads, end).converged);
    }
    auto first = make_integrator(text, model);
    ASSERT_TRUE(first->advance(model, resumed, middle).converged);
    EXPECT_GT(impact.barriers.front()->energy(resumed.q), 0) << "they touch";
    MemoryWriter writer;
    first->visit_memory(writer);
    auto second = make_integrator(text, model);
    MemoryReader reader(writer.bytes());
    second->visit_memory(reader);
    ASSERT_TRUE(second->advance(model, resumed, end).converged);
    EXPECT_EQ(often.q, once.q) << method;
    EXPECT_EQ(threads.q, once.q) << method;
    EXPECT_EQ(resumed.q, once.q) << method;
    EXPECT_EQ(resumed.p, once.p) << method;
    EXPECT_EQ(second->ledger().energy_out, whole->ledger().energy_out) << method;
    EXPECT_EQ(second->events(), whole->events()) << method;
  }
}

// With contact local_minimum goes as the queue does.
TEST(LayeredContact, LocalMinimumHasTheBitsOfTheQueue) {
  const ExplicitImpact impact = rubbing_blocks(0.3);
  State queue = impact.state, patches = queue;
  ASSERT_TRUE(make_integrator(keys("", "queue"), *impact.model)->advance(*impact.model, queue, 0.006).converged);
  ASSERT_TRUE(
      make_integrator(keys("", "local_minimum"), *impact.model)->advance(*impact.model, patches, 0.006).converged);
  EXPECT_EQ(queue.q, patches.q);
}

}  // namespace
}  // namespace livens
