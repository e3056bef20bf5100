// Every force and potential: derivatives against differences, and the momenta they keep.
#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "forces/spring.hpp"
#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::random_vector;

// Four particles in space, generic positions, everything between them.
Scene cluster(const std::string& forces, int dimension = 3) {
  const std::string points = dimension == 1   ? "[[0], [1], [2.2], [3.1]]"
                             : dimension == 2 ? "[[0, 0], [1, 0.2], [0.3, 1.1], [1.4, 0.9]]"
                                              : "[[0, 0, 0.1], [1, 0.2, 0], [0.3, 1.1, 0.2], [0.4, 0.5, 1.2]]";
  return parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = 'cluster'\nkind = "
      "'particles'\n"
      "mass = [1.0, 2.0, 0.5, 1.5]\nlayout = { kind = 'points', points = " +
      points + " }\n" + forces);
}

const char* const springs =
    "[[force]]\nkind = 'spring'\npairs = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]\nstiffness = 2.0\ncubic = "
    "0.5\nquartic = 3.0\n";

void check_terms(const Scene& scene) {
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto offset = random_vector(state.q.size(), 0.2, 3);
  for (std::size_t i = 0; i < offset.size(); ++i) state.q[i] += offset[i];
  ASSERT_FALSE(model.parts().terms.empty());
  for (const auto& term : model.parts().terms) testing::expect_consistent(*term, state.q);
  for (const auto& force : model.parts().forces)
    testing::expect_consistent(*force, state.q, random_vector(state.q.size(), 1, 5));
}

TEST(Forces, DerivativesMatchDifferences) {
  for (const int dimension : {1, 2, 3}) check_terms(cluster(springs, dimension));
  check_terms(cluster("[[force]]\nkind = 'pairwise_gravity'\nconstant = 1.5\nsoftening = 0.1\n"));
  check_terms(cluster("[[force]]\nkind = 'gravity'\nacceleration = [0.3, -9.81, 1.0]\n"));
  check_terms(cluster(std::string(springs) + "[[force]]\nkind = 'strain_damping'\ndamping_time = 0.3\n"));
  check_terms(cluster(std::string(springs) + "[[force]]\nkind = 'drag'\ndrag_coefficient = 0.4\n"));
  check_terms(cluster("[[force]]\nkind = 'spring'\npairs = [[0, 1], [2, 3]]\nstiffness = 2.0\nlinearised = true\n"));
}

TEST(Forces, LatticeDerivativesWithImages) {
  for (const char* kind : {"square_lattice", "triangular_lattice"}) {
    const Scene scene = parse_scene(std::string("time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = "
                                                "0.1 }\n[[body]]\nname = 'lattice'\nkind = 'particles'\nmass = 1.0\n"
                                                "layout = { kind = '") +
                                    kind +
                                    "', count = [3, 4], spacing = 1.0, periodic = true }\n[[force]]\nkind = "
                                    "'spring'\nstiffness = 1.0\nquartic = 1.0\n");
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    std::vector<double> g(state.q.size());
    model.gradient(0, state.q, g);
    for (const double value : g) EXPECT_NEAR(value, 0, 1e-14);  // at rest, images included
    check_terms(scene);
  }
}

TEST(Forces, InternalForcesSumToZero) {
  const Scene scene = cluster(
      std::string(springs) +
      "[[force]]\nkind = 'pairwise_gravity'\nconstant = 1.5\n[[force]]\nkind = 'strain_damping'\ndamping_time = 0.3\n");
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto offset = random_vector(state.q.size(), 0.2, 3), v = random_vector(state.q.size(), 1, 4);
  for (std::size_t i = 0; i < offset.size(); ++i) state.q[i] += offset[i];
  std::vector<double> f(state.q.size()), damping(state.q.size());
  model.gradient(0, state.q, f);
  model.forces(0, state.q, v, damping);
  double moved = 0;
  for (std::size_t i = 0; i < f.size(); ++i) moved = std::max({moved, std::abs(f[i]), std::abs(damping[i])});
  EXPECT_GT(moved, 0.1);  // there is something to cancel
  for (const auto& force : {f, damping}) {
    const Momenta sum = momenta(model, state.q, force);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(sum.linear[k], 0, 1e-13);
      EXPECT_NEAR(sum.angular[k], 0, 1e-13);
    }
  }
}

// Gravity does not keep the momenta: the detector above must see it.
TEST(Forces, GravityIsExternal) {
  const Scene scene = cluster("[[force]]\nkind = 'gravity'\nacceleration = [0, -9.81, 0]\n");
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);
  EXPECT_TRUE(model.has_external_terms());
  std::vector<double> g(state.q.size());
  model.gradient(0, state.q, g);
  EXPECT_NEAR(momenta(model, state.q, g).linear[1], 5 * 9.81, 1e-12);
  EXPECT_FALSE(make_model(cluster(springs)).has_external_terms());
}

// Several chunks of nodes: what springs hand from one chunk to another must arrive. The energy does not go that way, so
// its difference along a direction is an independent witness; and internal forces sum to zero.
TEST(Forces, ChunksExchangeWhatCrossesThem) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = 'lattice'\nkind = "
      "'particles'\nmass = 1.0\nlayout = { kind = 'triangular_lattice', count = [150, 150], periodic = true }\n"
      "[[force]]\nkind = 'spring'\nstiffness = 1.0\nquartic = 1.0\n");
  const Model model = make_model(scene);
  std::vector<double> q = initial_state(scene, model).q;
  const auto offset = random_vector(q.size(), 0.2, 6), direction = random_vector(q.size(), 1, 7);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += offset[i];
  std::vector<double> g(q.size()), ahead(q), behind(q);
  model.gradient(0, q, g);
  double slope = 0, size = 0, sum[2] = {0, 0};
  const double h = testing::difference_step;
  for (std::size_t i = 0; i < q.size(); ++i) {
    slope += g[i] * direction[i];
    size += std::abs(g[i] * direction[i]);
    sum[i % 2] += g[i];
    ahead[i] += h * direction[i];
    behind[i] -= h * direction[i];
  }
  // Rounding of the energy over 2h is some 1e-8 of its size; a lost chunk border would be 1e-3.
  EXPECT_NEAR(slope, (model.potential(0, ahead) - model.potential(0, behind)) / (2 * h), 1e-6 * size);
  EXPECT_NEAR(sum[0], 0, 1e-13 * size);
  EXPECT_NEAR(sum[1], 0, 1e-13 * size);
}

TEST(Forces, SumsDoNotDependOnThreads) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = 'lattice'\nkind = "
      "'particles'\nmass = 1.0\n"
      "layout = { kind = 'triangular_lattice', count = [250, 150], spacing = 1.0, periodic = true }\ninitial = { "
      "random_velocity = 0.3, seed = 2 }\n"
      "[[force]]\nkind = 'spring'\nstiffness = 1.0\nquartic = 1.0\n");
  const Model model = make_model(scene);
  std::vector<double> q1, q2;
  double e1 = 0, e2 = 0;
  for (const std::size_t threads : {1u, 2u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    State state = initial_state(scene, model);
    auto integrator = make_integrator(scene, model);
    integrator->advance(model, state, 1);
    (threads == 1 ? q1 : q2) = state.q;
    (threads == 1 ? e1 : e2) = energy(model, state).total;
  }
  EXPECT_EQ(q1, q2);
  EXPECT_EQ(e1, e2);
  EXPECT_NE(q1, initial_state(scene, model).q);
}

}  // namespace
}  // namespace livens
