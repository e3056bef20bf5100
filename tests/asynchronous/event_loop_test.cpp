// The event loop by itself: the queue, implicit stencils, steps that balance the energy, given sequences, watching.
#include "asynchronous/event_loop.hpp"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include <livens/asynchronous.hpp>
#include <livens/splitting.hpp>

#include "asynchronous/balanced_schedule.hpp"
#include "asynchronous/event_queue.hpp"
#include "asynchronous/scenes.hpp"

namespace livens {
namespace {

TEST(EventQueue, TakesTheEarliestAndTiesByNumber) {
  std::mt19937 random(7);
  for (const int n : {1, 2, 3, 17, 1000}) {
    std::vector<double> times;
    std::set<std::pair<double, int>> sorted;
    for (int k = 0; k < n; ++k) {
      times.push_back(static_cast<double>(random() % 50));  // many ties
      sorted.insert({times.back(), k});
    }
    EventQueue queue;
    queue.assign(times);
    for (int step = 0; step < 5 * n; ++step) {
      const auto [t, k] = *sorted.begin();
      ASSERT_EQ(queue.next(), k);
      ASSERT_EQ(queue.next_time(), t);
      // Sometimes another event than the next one changes.
      const int changed = step % 3 == 0 ? static_cast<int>(random() % static_cast<unsigned>(n)) : k;
      const double later = times[changed] + static_cast<double>(random() % 20);
      sorted.erase({times[changed], changed});
      times[changed] = later;
      sorted.insert({later, changed});
      queue.set(changed, later);
    }
  }
}

struct Chain {
  Scene scene = chain_scene("kind = 'stormer_verlet'\nstep = 0.001");
  Model model = make_model(scene);
  State start = initial_state(scene, model);
  State reference = [this] {
    State state = start;
    const Scene fine = chain_scene("kind = 'galerkin'\ndegree = 4\nstep = 0.01");
    make_integrator(fine, model)->advance(model, state, 1);
    return state;
  }();
};

// Springs 0, 1 (soft) and 2, 3 (stiff) and the drift of all nodes, each in steps of h; one group lags behind the others
// by up to `lag`, which it then makes up in small steps.
double error_of_sequence(const Chain& chain, double h, double lag) {
  std::vector<SplittingPart> sequence;
  double late = 0;
  const int steps = static_cast<int>(std::lround(1 / h)), burst = std::max(1, static_cast<int>(std::lround(lag / h)));
  for (int k = 0; k < steps; ++k) {
    sequence.push_back({SplittingPart::drift, h});
    sequence.push_back({2, h});
    sequence.push_back({3, h});
    late += h;
    if ((k + 1) % burst != 0 && k + 1 < steps) continue;
    for (int i = 0; i < static_cast<int>(std::lround(late / h)); ++i) {
      sequence.push_back({0, h});
      sequence.push_back({1, h});
    }
    late = 0;
  }
  State state = chain.start;
  EXPECT_TRUE(SplittingMethod(chain.model).play(state, sequence));
  EXPECT_NEAR(state.t, 1, 1e-12);
  return difference(state.q, chain.reference.q);
}

// L04 Appendix A: what has to vanish is the greatest difference between the clocks, not the steps alone.
TEST(EventLoop, SequencesConvergeWithTheAsynchronicity) {
  const Chain chain;
  const double both[] = {error_of_sequence(chain, 0.01, 0.1), error_of_sequence(chain, 0.005, 0.05),
                         error_of_sequence(chain, 0.0025, 0.025), error_of_sequence(chain, 0.00125, 0.0125)};
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(both[k] / both[k + 1], 2, 0.5);
  const double steps_only[] = {error_of_sequence(chain, 0.01, 0.2), error_of_sequence(chain, 0.0025, 0.2),
                               error_of_sequence(chain, 0.000625, 0.2)};
  EXPECT_GT(steps_only[2], 0.8 * steps_only[0]);
  EXPECT_GT(steps_only[2], 20 * both[3]);
}

// Where every step solves its balance, the energy is kept to rounding; where some cannot, it is kept but for those.
TEST(EventLoop, BalancedStepsKeepTheEnergy) {
  const Chain chain;
  const auto band = [&](double factor, ScheduleKind kind, std::vector<std::pair<std::string, long>>& counts) {
    EventLoop loop(chain.model, StepRule{StepRule::Kind::eigenvalue, factor}, kind);
    loop.start(chain.start);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int k = 1; k <= 400; ++k) {
      EXPECT_TRUE(loop.run(0.2 + 0.01 * k));
      low = std::min(low, balanced_energy(loop.activations()));
      high = std::max(high, balanced_energy(loop.activations()));
    }
    counts = loop.schedule().events();
    return high - low;
  };
  std::vector<std::pair<std::string, long>> counts, none;
  const double balanced = band(0.5, ScheduleKind::balanced, counts), fixed = band(0.5, ScheduleKind::queue, none);
  RecordProperty("balanced", std::to_string(balanced));
  RecordProperty("fixed", std::to_string(fixed));
  for (const auto& [name, count] : counts) RecordProperty(name, std::to_string(count));
  EXPECT_LT(balanced, 0.5 * fixed);
  ASSERT_EQ(counts.size(), 4u);
  EXPECT_EQ(counts[0].first, "steps from a root of the energy balance");
  EXPECT_GT(counts[0].second, 1000);
  EXPECT_TRUE(none.empty());
}

// One element by itself is the midpoint rule: stable at any step. Two springs that share a node are not: each event
// shortens the implicit span of the other.
TEST(EventLoop, ImplicitElements) {
  SolidScene scene;
  double last = 0;
  for (const char* courant : {"0.1", "0.05"}) {
    scene.integrator = "kind = 'asynchronous'\nimplicit = ['bar']\ncourant = " + std::string(courant);
    Ran ran = run_to(solid_scene(scene), 1e-6);
    const Momenta before = momenta(*ran.model, ran.state.q, ran.state.p);
    ran.report = ran.integrator->advance(*ran.model, ran.state, 0.002);
    ASSERT_TRUE(ran.report.converged) << ran.report.message;
    const Momenta after = momenta(*ran.model, ran.state.q, ran.state.p);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(after.linear[c], before.linear[c], 1e-10);
      EXPECT_NEAR(after.angular[c], before.angular[c], 1e-9);  // impulses act at x*, where W is invariant
    }
    SolidScene fine = scene;
    fine.integrator = "kind = 'stormer_verlet'\nstep = 1e-6";
    const double error = difference(ran.state.q, run_to(solid_scene(fine), 0.002).state.q);
    if (last > 0) {
      EXPECT_GT(last / error, 1.6) << "at least of first order";
    }
    last = error;
    RecordProperty("error", std::to_string(error));
  }
  EXPECT_LT(last, 1e-4);
}

// Loads and supports of implicit elements: what they do to both momenta is in the books.
TEST(EventLoop, ImplicitLedgerCloses) {
  SolidScene scene;
  scene.more =
      "force = [{ kind = 'gravity', acceleration = [0, 0, -9.81] }]\n"
      "constraint = [{ name = 'clamp', kind = 'fixed', selection = 'bar.x_min' }]\n";
  scene.initial = "initial = { velocity = ['0', 'X', '-3*X'] }";
  scene.integrator = "kind = 'asynchronous'\nimplicit = ['bar']\ncourant = 0.1";
  const Scene parsed = solid_scene(scene);
  Ran ran = run_to(parsed, 1e-7);
  const Momenta before = momenta(*ran.model, ran.state.q, ran.state.p);
  const Ledger first = ran.integrator->ledger();
  ASSERT_TRUE(ran.integrator->advance(*ran.model, ran.state, 0.002).converged);
  const Momenta after = momenta(*ran.model, ran.state.q, ran.state.p);
  const Ledger& ledger = ran.integrator->ledger();
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(after.linear[c] - before.linear[c], ledger.linear_impulse[c] - first.linear_impulse[c], 1e-9);
    EXPECT_NEAR(after.angular[c] - before.angular[c], ledger.angular_impulse[c] - first.angular_impulse[c], 1e-9);
  }
  EXPECT_GT(std::abs(after.angular[1] - before.angular[1]), 0.1);
}

TEST(EventLoop, WatchedElementsNearlyBalance) {
  SolidScene scene;
  scene.integrator = "kind = 'asynchronous'\ncourant = 0.1\nwatch = [1, 50]";
  const Ran ran = run_to(solid_scene(scene), 0.01);
  ASSERT_NE(ran.integrator->asynchronous(), nullptr);
  const AsynchronousFacts facts = ran.integrator->asynchronous()->facts();
  ASSERT_EQ(facts.watched.size(), 2u);
  for (const WatchedElement& watched : facts.watched) {
    ASSERT_GT(watched.t.size(), 100u);
    EXPECT_EQ(watched.t.size(), watched.residual.size());
    double energy = 0, residual = 0;
    for (std::size_t k = 0; k < watched.t.size(); ++k) {
      energy = std::max(energy, std::abs(watched.energy[k]));
      residual = std::max(residual, std::abs(watched.residual[k]));
    }
    EXPECT_GT(residual, 0);
    EXPECT_LT(residual, 0.05 * energy) << watched.name;
  }
}

}  // namespace
}  // namespace livens
