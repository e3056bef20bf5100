// Conjugate gradients with smoothed aggregation: the solution of a factorisation, iterations that do not grow with the
// mesh, the same bits for any number of threads, and equilibria of whole scenes.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "model/equilibrium.hpp"
#include "solve/linear_solver.hpp"
#include "solve/multilevel_cg.hpp"

namespace livens {
namespace {

struct Clamped {
  Scene scene;
  Setup setup;
  SparsePattern pattern;
  std::vector<double> values, b, place;

  // mesh: of a body held at x_min. The stiffness at the start, and the weight.
  explicit Clamped(const std::string& mesh, int dimension)
      : scene(parse_scene("time.end = 1\nmaterial = [{ name = 'm', kind = 'neo_hookean', young = 1e6, poisson = 0.4, "
                          "density = 1000 }]\nbody = [{ name = 'bar', kind = 'solid', material = 'm', mesh = " +
                          mesh +
                          " }]\nconstraint = [{ kind = 'fixed', selection = 'bar.x_min' }]\n"
                          "integrator = { kind = 'static' }")),
        setup(make_setup(scene)) {
    const Linearisation& lin = linearisation(*setup.model);
    pattern = lin.pattern();
    place = setup.start.q;
    values.assign(pattern.nonzeros(), 0.0);
    EquilibriumProblem problem(lin);
    problem.set(*setup.model, 0);
    problem.convex_jacobian(place, values);
    b.assign(place.size(), 0.0);
    for (int i = dimension - 1; i < pattern.n; i += dimension)
      if (!setup.model->supported(i)) b[i] = -9.81 * setup.model->parts().mass.diagonal[i];
  }

  std::vector<double> exact() const {
    auto cholesky = make_cholesky(pattern);
    EXPECT_TRUE(cholesky->factorise(values));
    std::vector<double> x = b;
    cholesky->solve(x);
    return x;
  }
};

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    off = std::max(off, std::abs(x[i] - y[i]));
    size = std::max(size, std::abs(y[i]));
  }
  return off / size;
}

std::string box(int cells) {
  const std::string n = std::to_string(cells);
  return "{ kind = 'box', size = [3, 1, 1], cells = [" + std::to_string(3 * cells) + ", " + n + ", " + n + "] }";
}

int iterations(const Clamped& body, std::vector<double>& x) {
  auto levels = make_multilevel_cg(body.pattern);
  EXPECT_TRUE(levels->prepare(body.values, body.place)) << body.pattern.n;
  x.assign(body.b.size(), 0.0);
  const CgResult result = levels->solve(body.b, x, 1e-5, 400);
  EXPECT_EQ(result.end, CgResult::End::converged) << body.pattern.n;
  return result.iterations;
}

TEST(MultilevelCg, FindsWhatAFactorisationFinds) {
  std::vector<double> x;
  for (const auto& [mesh, dimension] :
       {std::pair{box(5), 3}, {std::string("{ kind = 'rectangle', size = [3, 1], cells = [60, 20] }"), 2}}) {
    const Clamped body(mesh, dimension);
    iterations(body, x);
    EXPECT_LT(difference(x, body.exact()), 3e-5) << mesh;
  }
}

TEST(MultilevelCg, IterationsDoNotGrowWithTheMesh) {
  std::vector<double> x;
  const int coarse = iterations(Clamped(box(5), 3), x), fine = iterations(Clamped(box(14), 3), x);
  EXPECT_LE(coarse, 22);
  EXPECT_LE(fine, 1.3 * coarse);
  // The sweep over the blocks, for comparison.
  const Clamped body(box(14), 3);
  auto sweep = make_block_cg(body.pattern);
  ASSERT_TRUE(sweep->prepare(body.values));
  EXPECT_GT(sweep->solve(body.b, x, 1e-5, 2000).iterations, 10 * fine);
}

TEST(MultilevelCg, ThinPlatesAndFlatElementsConverge) {
  std::vector<double> x;
  const Clamped plate("{ kind = 'box', size = [1, 1, 0.02], cells = [30, 30, 2] }", 3);
  EXPECT_LT(iterations(plate, x), 150);
  EXPECT_LT(difference(x, plate.exact()), 1e-3);
}

// Elements that are seven and twenty times flatter than long, in a single layer and in twelve: pairs and triples of
// nodes go together first, and the coarse matrices must not become larger than the fine one.
TEST(MultilevelCg, SliversNeedFewIterationsAndLittleMemory) {
  std::vector<double> x;
  for (const std::string mesh : {"{ kind = 'box', size = [1, 1, 0.05], cells = [12, 12, 12] }",
                                 "{ kind = 'box', size = [1, 1, 0.005], cells = [30, 30, 1] }"}) {
    const Clamped body(mesh, 3);
    EXPECT_LT(iterations(body, x), 60) << mesh;
    EXPECT_LT(difference(x, body.exact()), 1e-3) << mesh;
    EXPECT_LT(make_multilevel_cg(body.pattern)->operator_complexity(), 3) << mesh;
  }
}

TEST(MultilevelCg, SameBitsForAnyNumberOfThreadsAndAfterForgetting) {
  const Clamped body(box(12), 3);
  std::vector<std::vector<double>> found;
  for (const std::size_t threads : {1, 2, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    found.emplace_back();
    iterations(body, found.back());
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
  // Levels of another matrix leave a trace only until they are forgotten.
  std::vector<double> softer = body.values, x(body.b.size());
  for (double& value : softer) value *= 0.7;
  auto levels = make_multilevel_cg(body.pattern);
  ASSERT_TRUE(levels->prepare(softer, body.place));
  levels->solve(body.b, x, 1e-5, 400);
  ASSERT_TRUE(levels->prepare(body.values, body.place));
  EXPECT_EQ(levels->builds(), 1);
  levels->solve(body.b, x, 1e-5, 400);
  EXPECT_LT(difference(x, found[0]), 3e-5);
  levels->forget();
  ASSERT_TRUE(levels->prepare(body.values, body.place));
  levels->solve(body.b, x, 1e-5, 400);
  EXPECT_EQ(x, found[0]);
}

TEST(MultilevelCg, SeesWhatIsNotPositiveDefinite) {
  Clamped body(box(5), 3);
  for (int i = 0; i < body.pattern.n; ++i)
    if (!body.setup.model->supported(i)) body.values[body.pattern.slot(i, i)] *= 0.6;
  auto levels = make_multilevel_cg(body.pattern);
  std::vector<double> x(body.b.size());
  EXPECT_TRUE(!levels->prepare(body.values, body.place) ||
              levels->solve(body.b, x, 1e-5, 400).end == CgResult::End::negative_curvature);
}

// Whatever the matrix is: what is said to have converged solves the system.
TEST(MultilevelCg, NothingConvergesThatDoesNotSolve) {
  int ended = 0;
  for (const double factor : {0.995, 0.99, 0.98, 0.97, 0.96, 0.95, 0.93, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65}) {
    Clamped body(box(6), 3);
    for (int i = 0; i < body.pattern.n; ++i)
      if (!body.setup.model->supported(i)) body.values[body.pattern.slot(i, i)] *= factor;
    auto levels = make_multilevel_cg(body.pattern);
    std::vector<double> x(body.b.size()), y(body.b.size());
    if (!levels->prepare(body.values, body.place) ||
        levels->solve(body.b, x, 1e-5, 400).end != CgResult::End::converged) {
      ++ended;
      continue;
    }
    body.pattern.multiply(body.values, x, y);
    EXPECT_LT(difference(y, body.b), 0.05) << factor;
  }
  EXPECT_GT(ended, 0);
}

// A bar that bends by half its length: the same equilibrium as by factorisations.
TEST(MultilevelCg, EquilibriaOfScenesAreThoseOfFactorisations) {
  std::vector<std::vector<double>> q;
  for (const std::string linear : {"direct", "multilevel"}) {
    const Scene scene = parse_scene(
        "time.end = 1\nmaterial = [{ name = 'm', kind = 'neo_hookean', young = 1e6, poisson = 0.4, density = 1000 }]\n"
        "body = [{ name = 'bar', kind = 'solid', material = 'm', mesh = " +
        box(4) +
        " }]\nconstraint = [{ kind = 'fixed', selection = 'bar.x_min' }]\nforce = [{ kind = 'gravity', acceleration = "
        "[0, 0, -9.81] }]\n"
        "integrator = { kind = 'static', load_steps = 2 }\nsolver = { linear = '" +
        linear + "' }");
    livens::Setup setup = make_setup(scene);
    State state = setup.start;
    ASSERT_TRUE(advance_observed(*setup.model, state, *setup.integrator, 1, {}).converged) << linear;
    q.push_back(state.q);
    EXPECT_EQ(setup.integrator->counters().factorisations == 0, linear == "multilevel");
  }
  EXPECT_LT(difference(q[1], q[0]), 1e-9);
}

// Wide bodies are solved by levels, thin ones by factorisations; of a long beam the levels, in single precision, do not
// see the bending, and the factorisation takes over.
TEST(MultilevelCg, StaticsChooseByTheShape) {
  struct Case {
    std::string mesh, gravity;
    bool by_levels, by_factors;
  };
  for (const Case& c : {Case{box(9), "9.81", true, false},
                        {"{ kind = 'box', size = [50, 1, 1], cells = [100, 2, 2] }", "1e-4", false, true},
                        {"{ kind = 'box', size = [100, 1, 1], cells = [200, 8, 8] }", "1e-5", false, true}}) {
    const Scene scene = parse_scene(
        "time.end = 1\nmaterial = [{ name = 'm', kind = 'neo_hookean', young = 1e6, poisson = 0.3, density = 1000 }]\n"
        "body = [{ name = 'bar', kind = 'solid', material = 'm', mesh = " +
        c.mesh +
        " }]\nconstraint = [{ kind = 'fixed', selection = 'bar.x_min' }]\nforce = [{ kind = 'gravity', acceleration = "
        "[0, 0, -" +
        c.gravity + "] }]\nintegrator = { kind = 'static', load_steps = 1 }");
    livens::Setup setup = make_setup(scene);
    State state = setup.start;
    ASSERT_TRUE(advance_observed(*setup.model, state, *setup.integrator, 1, {}).converged) << c.mesh;
    EXPECT_EQ(setup.integrator->counters().linear_iterations > 0, c.by_levels) << c.mesh;
    EXPECT_EQ(setup.integrator->counters().factorisations > 0, c.by_factors) << c.mesh;
  }
}

}  // namespace
}  // namespace livens
