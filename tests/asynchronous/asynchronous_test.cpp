// What asynchronous stepping promises: Verlet where all steps are equal, exact momenta, order 2, and the same bits for
// every schedule, thread count, number of looks and after a checkpoint.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "asynchronous/scenes.hpp"
#include "files/memory.hpp"

namespace livens {
namespace {

const char* const kinds[] = {"tri3", "tri6", "tet4", "tet10"};

SolidScene scene_of(const std::string& kind) {
  if (kind.rfind("tri", 0) == 0) return plane_scene(kind);
  SolidScene scene;
  scene.element = kind;
  return scene;
}

TEST(Asynchronous, EqualStepsAreVerlet) {
  for (const std::string kind : kinds) {
    SolidScene scene = scene_of(kind);
    scene.integrator = "kind = 'asynchronous'\ncourant = 1000\nlongest_step = 1e-5";
    const Ran avi = run_to(solid_scene(scene), 0.003);
    ASSERT_TRUE(avi.report.converged) << avi.report.message;
    scene.integrator = "kind = 'stormer_verlet'\nstep = 1e-5";
    const Ran verlet = run_to(solid_scene(scene), 0.003);
    EXPECT_EQ(avi.integrator->counters().step_max, 1e-5);
    EXPECT_LT(difference(avi.state.q, verlet.state.q), 1e-13) << kind;
    EXPECT_LT(difference(avi.state.v, verlet.state.v), 1e-10) << kind;  // velocities are up to 3 m/s
    EXPECT_GT(difference(avi.state.q, initial_state(solid_scene(scene), *avi.model).q), 1e-4);
  }
}

TEST(Asynchronous, SpringsWithEqualStepsAreVerlet) {
  const Ran avi = run_to(chain_scene("kind = 'asynchronous'\ncourant = 1000\nlongest_step = 0.001"), 2);
  const Ran verlet = run_to(chain_scene("kind = 'stormer_verlet'\nstep = 0.001"), 2);
  EXPECT_LT(difference(avi.state.q, verlet.state.q), 1e-11);
}

// Angular momentum of the whole is exact as well, which needs all impulses of a stencil at one instant.
TEST(Asynchronous, MomentaOfAFreeBody) {
  for (const std::string kind : kinds) {
    SolidScene scene = scene_of(kind);
    const bool plane = kind.rfind("tri", 0) == 0;
    const Scene parsed = solid_scene(scene);
    Ran ran = run_to(parsed, 1e-9);
    const Momenta before = momenta(*ran.model, ran.state.q, ran.state.p);
    long updates = 0;
    double t = 0;
    while (updates < 1'000'000) {
      t += 0.02;
      ran.report = ran.integrator->advance(*ran.model, ran.state, t);
      ASSERT_TRUE(ran.report.converged) << ran.report.message;
      updates = ran.integrator->counters().evaluations;
    }
    const Momenta after = momenta(*ran.model, ran.state.q, ran.state.p);
    double size = 0;
    for (int c = 0; c < 3; ++c) size = std::max(size, std::abs(before.angular[c]));
    for (int c = plane ? 2 : 0; c < 3; ++c) EXPECT_NEAR(after.angular[c], before.angular[c], 1e-12 * size) << kind;
    double total = 0;  // sum of |p|, the size of what cancels
    for (const double p : ran.state.p) total += std::abs(p);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(after.linear[c], before.linear[c], 1e-12 * total) << kind;
  }
}

// Slope of the error over several instants, by least squares over halvings of all steps.
double order_of(const SolidScene& base, const std::string& more, const std::vector<State>& reference) {
  std::vector<double> errors;
  for (const char* courant : {"0.1", "0.05", "0.025", "0.0125"}) {
    SolidScene scene = base;
    scene.integrator = "kind = 'asynchronous'\ncourant = " + std::string(courant) + more;
    const Scene parsed = solid_scene(scene);
    Ran ran = run_to(parsed, reference.front().t);
    double squares = 0;
    for (const State& exact : reference) {
      ran.report = ran.integrator->advance(*ran.model, ran.state, exact.t);
      EXPECT_TRUE(ran.report.converged) << ran.report.message;
      squares += std::pow(difference(ran.state.q, exact.q), 2) + std::pow(1e-3 * difference(ran.state.v, exact.v), 2);
    }
    errors.push_back(0.5 * std::log2(squares));
  }
  return -(1.5 * (errors[3] - errors[0]) + 0.5 * (errors[2] - errors[1])) / 5;
}

std::vector<State> reference_of(SolidScene scene, const std::string& integrator) {
  scene.integrator = integrator;
  const Scene parsed = solid_scene(scene);
  Ran ran = run_to(parsed, 0.003);
  std::vector<State> states;
  for (int k = 0; k < 16; ++k) {
    EXPECT_TRUE(ran.integrator->advance(*ran.model, ran.state, 0.003 + 5.37e-4 * k).converged);
    states.push_back(ran.state);
  }
  return states;
}

// On one graded mesh, read at times that no clock hits: positions and velocities are of second order.
TEST(Asynchronous, OrderTwo) {
  for (const std::string kind : {"tri6", "tet4"}) {
    SolidScene scene = scene_of(kind);
    scene.initial = kind == "tri6"
                        ? "initial = { position = ['1.2*X', 'Y + 0.1*X^2'], angular_velocity = [3] }"
                        : "initial = { position = ['1.2*X', 'Y + 0.1*X^2', 'Z'], angular_velocity = [1, 2, 3] }";
    const auto reference = reference_of(scene, "kind = 'stormer_verlet'\nstep = 1e-7");
    for (const std::string more : {"", "\nupdate_steps = true", "\nstep_rule = 'eigenvalue'",
                                   "\nstep_rule = 'eigenvalue'\nupdate_steps = true"}) {
      // Clocks that are not multiples of each other add up their errors at random: the slope scatters, upwards.
      const double order = order_of(scene, more, reference);
      EXPECT_GT(order, 1.85) << kind << more;
      EXPECT_LT(order, 2.4) << kind << more;
    }
  }
}

// The detector sees first order where there is only first: damping enters with a lag.
TEST(Asynchronous, DampingIsOfFirstOrder) {
  SolidScene scene = scene_of("tri3");
  scene.more = "force = [{ kind = 'strain_damping', damping_time = 1e-4 }]\n";
  EXPECT_NEAR(order_of(scene, "", reference_of(scene, "kind = 'asynchronous'\ncourant = 0.0005")), 1, 0.2);
}

// The limit of lagged damping, (2/w) (sqrt(1 + z^2) - z) with z its part of critical damping, is kept by the steps.
TEST(Asynchronous, StrongDampingShortensTheSteps) {
  SolidScene scene = scene_of("tet4");
  const Ran free = run_to(solid_scene(scene), 1e-5);
  scene.more = "force = [{ kind = 'strain_damping', damping_time = 0.002 }]\n";
  const Scene damped = solid_scene(scene);
  Ran ran = run_to(damped, 1e-5);
  EXPECT_LT(ran.integrator->counters().step_max, 0.3 * free.integrator->counters().step_max);
  const double first = energy(*ran.model, ran.state).total;
  ASSERT_TRUE(ran.integrator->advance(*ran.model, ran.state, 0.004).converged);
  EXPECT_LT(energy(*ran.model, ran.state).total, first);
}

SolidScene loaded_scene() {
  SolidScene scene;
  scene.cells = "[16, 6, 6]";
  scene.more =
      "force = [{ kind = 'gravity', acceleration = [0, 0, -9.81] }, { kind = 'strain_damping', damping_time = 1e-5 }]\n"
      "constraint = [{ name = 'clamp', kind = 'fixed', selection = 'bar.x_min' }]\n"
      "contact = [{ name = 'floor', kind = 'plane', point = [0, 0, -0.001], normal = [0, 0, 1] }]\n";
  scene.initial = "initial = { velocity = ['0', '0', '-3*X'] }";
  scene.integrator = "kind = 'asynchronous'\ncourant = 0.4";
  return scene;
}

TEST(Asynchronous, SchedulesThreadsAndLooksHaveTheSameBits) {
  SolidScene scene = loaded_scene();
  const Ran queue = run_to(solid_scene(scene), 0.004);
  ASSERT_TRUE(queue.report.converged) << queue.report.message;
  EXPECT_EQ(run_to(solid_scene(scene), 0.004, 17).state.q, queue.state.q) << "looking";
  scene.integrator += "\nschedule = 'local_minimum'";
  for (const std::size_t threads : {1u, 2u, 4u}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    for (const int looks : {1, 5}) {
      const Ran other = run_to(solid_scene(scene), 0.004, looks);
      EXPECT_EQ(other.state.q, queue.state.q) << threads;
      EXPECT_EQ(other.state.p, queue.state.p) << threads;
      EXPECT_EQ(other.integrator->ledger().energy_out, queue.integrator->ledger().energy_out);
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(other.integrator->ledger().angular_impulse[c], queue.integrator->ledger().angular_impulse[c]);
    }
  }
  // Another step of one element only is another trajectory: the comparison can fail.
  scene.integrator = "kind = 'asynchronous'\ncourant = 0.4\nlongest_step = 1e-4";
  EXPECT_NE(run_to(solid_scene(scene), 0.004).state.q, queue.state.q);
}

// A run that goes on from its memory at `middle` against one that never stopped.
void expect_continuation(const SolidScene& scene, double middle, double end) {
  const Scene parsed = solid_scene(scene);
  Ran whole = run_to(parsed, middle);
  MemoryWriter writer;
  whole.integrator->visit_memory(writer);
  const State saved = whole.state;
  whole.integrator->advance(*whole.model, whole.state, end);
  State state = saved;
  const auto fresh = make_integrator(parsed, *whole.model);
  MemoryReader reader(writer.bytes());
  fresh->visit_memory(reader);
  ASSERT_TRUE(fresh->advance(*whole.model, state, end).converged);
  EXPECT_EQ(state.q, whole.state.q) << scene.integrator;
  EXPECT_EQ(state.p, whole.state.p) << scene.integrator;
  EXPECT_EQ(fresh->ledger().energy_out, whole.integrator->ledger().energy_out);
  EXPECT_EQ(fresh->events(), whole.integrator->events()) << scene.integrator;
  // Without its memory the queue begins anew, with other clocks.
  State anew = saved;
  make_integrator(parsed, *whole.model)->advance(*whole.model, anew, end);
  EXPECT_NE(anew.q, whole.state.q) << scene.integrator;
}

TEST(Asynchronous, MemoryContinuesBitForBit) {
  for (const std::string more : {"", "\nupdate_steps = true", "\nstep_rule = 'eigenvalue'\nupdate_steps = true",
                                 "\nwatch = [5, 9]", "\nschedule = 'local_minimum'"}) {
    SolidScene scene = loaded_scene();
    scene.cells = "[6, 2, 2]";
    scene.integrator += more;
    expect_continuation(scene, 0.002, 0.004);
  }
}

TEST(Asynchronous, MemoryOfImplicitAndBalancedStepsContinuesBitForBit) {
  for (const std::string more : {"\nimplicit = ['bar']", "\nbalance_energy = true"}) {
    SolidScene scene;
    scene.cells = "[3, 1, 1]";
    scene.integrator = "kind = 'asynchronous'\ncourant = 0.1" + more;
    expect_continuation(scene, 0.001, 0.002);
  }
}

// Energies and impulses of loads, supports, contact and damping are all in the ledger.
TEST(Asynchronous, LedgersClose) {
  const Scene scene = solid_scene(loaded_scene());
  Ran ran = run_to(scene, 1e-7);
  const Momenta before = momenta(*ran.model, ran.state.q, ran.state.p);
  const Ledger ledger0 = ran.integrator->ledger();
  const double energy0 = energy(*ran.model, ran.state).total + ledger0.energy_out[0];
  ASSERT_TRUE(ran.integrator->advance(*ran.model, ran.state, 0.02).converged);
  const Momenta after = momenta(*ran.model, ran.state.q, ran.state.p);
  const Ledger& ledger = ran.integrator->ledger();
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(after.linear[c] - before.linear[c], ledger.linear_impulse[c] - ledger0.linear_impulse[c], 1e-9);
    EXPECT_NEAR(after.angular[c] - before.angular[c], ledger.angular_impulse[c] - ledger0.angular_impulse[c], 1e-9);
  }
  EXPECT_GT(std::abs(after.linear[2] - before.linear[2]), 10);
  const double scale = energy(*ran.model, initial_state(scene, *ran.model)).kinetic;
  EXPECT_GT(ledger.energy_out[0], 1e-3 * scale);
  EXPECT_NEAR(energy(*ran.model, ran.state).total + ledger.energy_out[0], energy0, 0.01 * scale);
}

// Gravity in the elements, supports and contact: the same motion as that of Verlet at the smallest step.
TEST(Asynchronous, LoadsSupportsAndContactAsVerlet) {
  SolidScene scene = loaded_scene();
  scene.cells = "[8, 3, 3]";
  scene.integrator = "kind = 'asynchronous'\ncourant = 0.05";
  const Ran avi = run_to(solid_scene(scene), 0.01);
  ASSERT_TRUE(avi.report.converged) << avi.report.message;
  scene.integrator = "kind = 'stormer_verlet'\nstep = 1e-6";
  const Ran verlet = run_to(solid_scene(scene), 0.01);
  const double moved = difference(verlet.state.q, initial_state(solid_scene(scene), *verlet.model).q);
  EXPECT_GT(moved, 0.01);
  EXPECT_LT(difference(avi.state.q, verlet.state.q), 2e-3 * moved);
}

TEST(Asynchronous, RefusesWhatNodesOfTheirOwnCannotDo) {
  const auto message = [](const Scene& scene) -> std::string {
    try {
      const Model model = make_model(scene);
      make_integrator(scene, model);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  SolidScene scene;
  scene.initial = "mass_matrix = 'consistent'";
  EXPECT_NE(message(solid_scene(scene)).find("lumped"), std::string::npos);
  scene.initial = "";
  scene.integrator = "kind = 'asynchronous'\nimplicit = ['foot']";
  EXPECT_NE(message(solid_scene(scene)).find("no solid, region or spring 'foot'"), std::string::npos);
  scene.integrator = "kind = 'asynchronous'\nwatch = [100000]";
  EXPECT_NE(message(solid_scene(scene)).find("watch"), std::string::npos);
}

// A stencil that is turned inside out stops the run; the state is the last one that was good.
TEST(Asynchronous, FailureKeepsTheLastGoodState) {
  SolidScene scene;
  scene.initial = "initial = { position = ['1.6*X', 'Y', 'Z'], random_velocity = 5 }";
  scene.integrator = "kind = 'asynchronous'\ncourant = 4";
  Ran ran = run_to(solid_scene(scene), 1e-4);
  State good;
  for (int k = 1; k < 1000 && ran.report.converged; ++k) {
    good = ran.state;
    ran.report = ran.integrator->advance(*ran.model, ran.state, 1e-4 + 1e-3 * k);
  }
  ASSERT_FALSE(ran.report.converged);
  EXPECT_NE(ran.report.message.find("element"), std::string::npos) << ran.report.message;
  EXPECT_EQ(ran.state.q, good.q);
  EXPECT_EQ(ran.state.t, good.t);
}

}  // namespace
}  // namespace livens
