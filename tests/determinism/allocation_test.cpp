// A step allocates nothing: after the first steps have made their room, no integrator asks for memory.
#include <atomic>
#include <cstddef>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "asynchronous/event_loop.hpp"

namespace {

std::atomic<long> allocations{0};

}  // namespace

// Everything that asks for memory ends here: operator new, and Eigen's own allocation.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

namespace livens {
namespace {

long allocations_in_steps(const Model& model, State state, const std::string& integrator_text) {
  auto integrator = make_integrator(integrator_text, model);
  integrator->advance(model, state, state.t + 0.5);
  const long before = allocations;
  const StepReport report = integrator->advance(model, state, state.t + 2);
  EXPECT_TRUE(report.converged) << report.message;
  return allocations - before;
}

std::string text_of(const IntegratorRecord& record, const std::string& variant) {
  return "kind = '" + record.name + "'" + (variant.empty() ? "" : ", " + variant) + ", step = 0.05";
}

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  const std::vector<double> room(10);
  EXPECT_GT(allocations, before);
}

TEST(Allocation, NoStepOfASmallSystemAllocates) {
  const Model model = mechanical_model<2>({"x", "y"}, {1, 1.5}, [](auto, const auto& q) {
    return (q[0] * q[0] + q[1] * q[1]) / 2.0 + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3.0;
  });
  for (const auto& record : integrator_records())
    for (const auto& variant : record.law_variants)
      EXPECT_EQ(allocations_in_steps(model, make_state(model, 0, {0.3, -0.2}, {0.2, 0.4}), text_of(record, variant)), 0)
          << text_of(record, variant);
}

TEST(Allocation, NoActivationAllocates) {
  for (const std::string schedule : {"queue", "levels"}) {
    const Scene scene = parse_scene(
        "time = { end = 1 }\nintegrator = { kind = 'asynchronous', schedule = '" + schedule +
        "' }\nforce = [{ kind = 'gravity', acceleration = [0, 0, "
        "-9.81] }, { kind = 'strain_damping', damping_time = 1e-5 }]\n[[material]]\nname = 'm'\nkind = 'neo_hookean'\n"
        "young = 1e6\npoisson = 0.3\ndensity = 1000\n[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'm'\n"
        "mesh = { kind = 'box', size = [1, 0.3, 0.3], cells = [6, 2, 2] }\ninitial.angular_velocity = [1, 2, 3]\n");
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    const auto integrator = make_integrator(scene, model);
    integrator->advance(model, state, 0.001);
    integrator->advance(model, state, 0.002);
    const long before = allocations;
    EXPECT_TRUE(integrator->advance(model, state, 0.01).converged);
    EXPECT_EQ(allocations - before, 0) << schedule;
  }
}

// Elements in chunks, on as many threads as there are.
TEST(Allocation, NoTickOfLevelsAllocates) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'asynchronous', schedule = 'levels' }\n[[material]]\nname = 'm'\nkind "
      "= 'neo_hookean'\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n[[body]]\nname = 'bar'\nkind = 'solid'\n"
      "material = 'm'\nmesh = { kind = 'box', size = [1, 0.3, 0.3], cells = [16, 8, 8], grading = [8, 1, 1] }\n"
      "initial.angular_velocity = [1, 2, 3]\n");
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  integrator->advance(model, state, 0.001);
  integrator->advance(model, state, 0.002);
  const long before = allocations;
  EXPECT_TRUE(integrator->advance(model, state, 0.01).converged);
  EXPECT_LT(allocations - before, 10) << "of the pool of threads, for the whole run";
}

// Between looks: rods, drag, penalties, implicit elements and supports that move have their memory beforehand.
TEST(Allocation, NoActivationOfWhatIsSpecialAllocates) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'asynchronous' }\nsolver = { project_start = true }\n"
      "force = [{ kind = 'drag', drag_coefficient = 1 }, { kind = 'damper', bodies = ['bar', 'bar'], ends = [[0, 0, "
      "0], [1, "
      "0.3, 0.3]], coefficient = 3 }]\n"
      "constraint = [{ kind = 'prescribed', selection = 'bar.x_min', displacement = [0, '0.002*sin(900*t)', 0] },\n"
      "{ name = 'rod', kind = 'distance', bodies = ['bar', 'bar'], ends = [[1, 0, 0], [1, 0.3, 0.3]] },\n"
      "{ name = 'soft', kind = 'distance', bodies = ['bar', 'bar'], ends = [[0, 0, 0], [1, 0, 0.3]], enforcement = "
      "'penalty', penalty_stiffness = 1e4 }]\n"
      "[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n[[body]]\nname = "
      "'bar'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'box', size = [1, 0.3, 0.3], cells = [6, 2, 2] }\n");
  const Model model = make_model(scene);
  EventLoop loop(model, StepRule{StepRule::Kind::courant, 0.3});
  std::vector<double> alpha(loop.system().size(), 0.0);
  for (std::size_t k = 0; k < 30; ++k) alpha[k] = 0.5;
  loop.make_implicit(alpha);
  ASSERT_TRUE(loop.start(initial_state(scene, model)));
  ASSERT_TRUE(loop.run(0.001));
  const long before = allocations;
  EXPECT_TRUE(loop.run(0.005));
  EXPECT_EQ(allocations - before, 0);
}

TEST(Allocation, NoExplicitStepOfALatticeAllocates) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = 'lattice'\nkind = "
      "'particles'\nmass = 1.0\nlayout = { kind = 'triangular_lattice', count = [30, 30], periodic = true }\n"
      "initial = { random_velocity = 0.1, seed = 1 }\n[[force]]\nkind = 'spring'\nstiffness = 1.0\nquartic = 1.0\n");
  const Model model = make_model(scene);
  const State start = initial_state(scene, model);
  for (const char* kind :
       {"'stormer_verlet'", "'symplectic_euler_a'", "'composition'", "'rk4'", "'newmark', beta = 0"}) {
    const std::string text = "kind = " + std::string(kind) + ", step = 0.05";
    EXPECT_EQ(allocations_in_steps(model, start, text), 0) << text;
  }
}

TEST(Allocation, NoImplicitStepByConjugateGradientsAllocates) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'implicit_midpoint', step = 0.1 }\nsolver = { linear = 'cg' }\n"
      "[[body]]\nname = 'lattice'\nkind = 'particles'\nmass = 1.0\n"
      "layout = { kind = 'triangular_lattice', count = [30, 30], periodic = true }\n"
      "initial = { random_velocity = 0.1, seed = 1 }\n[[force]]\nkind = 'spring'\nstiffness = 1.0\nquartic = 1.0\n");
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  auto integrator = make_integrator(scene, model);
  integrator->advance(model, state, 0.5);
  const long before = allocations, iterations = integrator->counters().linear_iterations;
  const StepReport report = integrator->advance(model, state, 2.5);
  EXPECT_TRUE(report.converged) << report.message;
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(integrator->counters().linear_iterations, iterations);
}

}  // namespace
}  // namespace livens
