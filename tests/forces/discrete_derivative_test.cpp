// The discrete derivative of every potential that has its own [E04 4]: directionality DW.(y - x) = W(y) - W(x) for
// increments from large to the last digit, symmetry, second order, the momenta it keeps, and its tangent.
#include <cmath>

#include <livens/livens.hpp>

#include "forces/contact.hpp"
#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::DenseSink;
using testing::random_vector;
using Numbers = std::vector<double>;

constexpr double epsilon = 2.220446049250313e-16;

Numbers discrete(const EnergyTerm& term, const Numbers& x, const Numbers& y) {
  Numbers g(x.size(), 0.0);
  EXPECT_TRUE(term.add_discrete_gradient(0.3, x, y, 1, g));
  return g;
}

Numbers gradient(const EnergyTerm& term, const Numbers& q) {
  Numbers g(q.size(), 0.0);
  term.add_gradient(0.3, q, 1, g);
  return g;
}

Numbers moved(const Numbers& x, const Numbers& by, double amount) {
  Numbers y = x;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += amount * by[i];
  return y;
}

double largest(const Numbers& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

double largest_difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

struct Work {
  double sum = 0, size = 0;  // DW.(y - x), and the sum of the absolute values of its parts
  Work(const Numbers& g, const Numbers& x, const Numbers& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += g[i] * (y[i] - x[i]);
      size += std::abs(g[i] * (y[i] - x[i]));
    }
  }
};

// W(y) - W(x) as the work of the gradient along the straight line, by Gauss's rule of four points on each piece: for
// small increments it has all its digits, where the difference of the energies has none.
double work_of_gradient(const EnergyTerm& term, const Numbers& x, const Numbers& y, int pieces) {
  const double at[4] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
  const double weight[4] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
  double sum = 0;
  Numbers between(x.size());
  for (int p = 0; p < pieces; ++p)
    for (int k = 0; k < 4; ++k) {
      const double u = (p + 0.5 + 0.5 * at[k]) / pieces;
      for (std::size_t i = 0; i < x.size(); ++i) between[i] = x[i] + u * (y[i] - x[i]);
      sum += 0.5 * weight[k] / pieces * Work(gradient(term, between), x, y).sum;
    }
  return sum;
}

// scale: of the forces and of the parts of the energy.
void expect_directionality(const EnergyTerm& term, const Numbers& x, const Numbers& direction, double largest_increment,
                           double scale) {
  for (double amount = largest_increment; amount > 0.5e-14; amount *= 0.1) {
    const Numbers y = moved(x, direction, amount), g = discrete(term, x, y);
    const Work work(g, x, y);
    const double W0 = term.energy(0.3, x), W1 = term.energy(0.3, y);
    // Rounding of the energies, each a sum of some parts of the size of `scale`.
    EXPECT_NEAR(work.sum, W1 - W0, 50 * epsilon * (scale + std::abs(W0) + std::abs(W1))) << "increment " << amount;
    if (amount <= 0.1) {
      double moves = 0;
      for (std::size_t i = 0; i < x.size(); ++i) moves += std::abs(y[i] - x[i]);
      EXPECT_NEAR(work.sum, work_of_gradient(term, x, y, 8), 50 * epsilon * scale * moves) << "increment " << amount;
    }
    EXPECT_LE(largest_difference(g, discrete(term, y, x)), 4 * epsilon * scale) << "symmetry, increment " << amount;
  }
  EXPECT_LE(largest_difference(discrete(term, x, x), gradient(term, x)), 50 * epsilon * scale);
}

// Both sides of the control: the gradient at the middle misses what the discrete derivative meets.
void expect_midpoint_to_miss(const EnergyTerm& term, const Numbers& x, const Numbers& y) {
  const double change = term.energy(0.3, y) - term.energy(0.3, x);
  Numbers middle = moved(x, y, 1);
  for (double& value : middle) value *= 0.5;
  EXPECT_GT(std::abs(Work(gradient(term, middle), x, y).sum - change), 1e-6 * std::abs(change));
}

// Halving the increment divides the distance to the gradient at the middle by four.
void expect_second_order(const EnergyTerm& term, const Numbers& x, const Numbers& direction, double amount) {
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const double step = amount / (k + 1);
    error[k] =
        largest_difference(discrete(term, moved(x, direction, -step), moved(x, direction, step)), gradient(term, x));
  }
  ASSERT_GT(error[1], 1e-9);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.05);
}

void expect_tangent(const EnergyTerm& term, const Numbers& x, const Numbers& y, bool is_symmetric) {
  const std::size_t n = x.size();
  DenseSink full(n), symmetric(n);
  term.add_discrete_hessian(0.3, x, y, 1, false, full);
  term.add_discrete_hessian(0.3, x, y, 1, true, symmetric);
  double skew = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const double h = testing::difference_step;
    Numbers ahead = y, behind = y;
    ahead[c] += h;
    behind[c] -= h;
    const Numbers plus = discrete(term, x, ahead), minus = discrete(term, x, behind);
    for (std::size_t r = 0; r < n; ++r) {
      EXPECT_NEAR(full(r, c), (plus[r] - minus[r]) / (2 * h), testing::difference_tolerance) << r << " " << c;
      EXPECT_NEAR(symmetric(r, c), 0.5 * (full(r, c) + full(c, r)), 1e-14 + 1e-14 * std::abs(full(r, c)));
      skew = std::max(skew, std::abs(full(r, c) - full(c, r)));
    }
  }
  EXPECT_EQ(skew > 1e-4, !is_symmetric);  // otherwise `symmetric` is not tried
}

// No resultant, and no moment about the middle.
void expect_no_resultants(const EnergyTerm& term, const Numbers& x, const Numbers& y, int dimension) {
  const Numbers g = discrete(term, x, y);
  double force[3] = {0, 0, 0}, moment[3] = {0, 0, 0};
  for (std::size_t a = 0; a < x.size(); a += static_cast<std::size_t>(dimension)) {
    double m[3] = {0, 0, 0}, f[3] = {0, 0, 0};
    for (int c = 0; c < dimension; ++c) {
      m[c] = 0.5 * (x[a + c] + y[a + c]);
      f[c] = g[a + c];
      force[c] += f[c];
    }
    for (int c = 0; c < 3; ++c) moment[c] += m[(c + 1) % 3] * f[(c + 2) % 3] - m[(c + 2) % 3] * f[(c + 1) % 3];
  }
  EXPECT_GT(largest(g), 0.1);  // there is something to cancel
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(force[c], 0, 40 * epsilon * largest(g));
    EXPECT_NEAR(moment[c], 0, 40 * epsilon * largest(g));
  }
}

struct Cluster {
  Model model;
  Numbers x, direction;
};

Cluster cluster(const std::string& forces, int dimension = 3) {
  const std::string points = dimension == 1   ? "[[0], [1], [2.2], [3.1]]"
                             : dimension == 2 ? "[[0, 0], [1, 0.2], [0.3, 1.1], [1.4, 0.9]]"
                                              : "[[0, 0, 0.1], [1, 0.2, 0], [0.3, 1.1, 0.2], [0.4, 0.5, 1.2]]";
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = 'cluster'\n"
      "kind = 'particles'\nmass = [1.0, 2.0, 0.5, 1.5]\nlayout = { kind = 'points', points = " +
      points + " }\n" + forces);
  Model model = make_model(scene);
  const Numbers start = initial_state(scene, model).q;
  return {model, moved(start, random_vector(start.size(), 0.1, 3), 1), random_vector(start.size(), 0.4, 8)};
}

std::string springs(const std::string& more) {
  return "[[force]]\nkind = 'spring'\npairs = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]\nstiffness = 2.0\ncubic = "
         "0.5\nquartic = 3.0\nrest_length = 0.8\n" +
         more;
}

const EnergyTerm& only_term(const Cluster& c) { return *c.model.parts().terms.at(0); }

void check_pairs(const Cluster& c, int dimension, bool rotations) {
  const EnergyTerm& term = only_term(c);
  const Numbers y = moved(c.x, c.direction, 1);
  expect_directionality(term, c.x, c.direction, 1, 20);
  expect_midpoint_to_miss(term, c.x, y);
  expect_second_order(term, c.x, c.direction, 0.02);
  expect_tangent(term, c.x, y, !rotations);
  if (rotations) expect_no_resultants(term, c.x, y, dimension);
}

TEST(DiscreteForce, OfSprings) {
  for (const int dimension : {1, 2, 3}) check_pairs(cluster(springs(""), dimension), dimension, dimension > 1);
}

TEST(DiscreteForce, OfLinearisedSprings) {
  for (const int dimension : {1, 2, 3})
    check_pairs(cluster(springs("linearised = true\n"), dimension), dimension, false);
}

TEST(DiscreteForce, OfPairwiseGravity) {
  check_pairs(cluster("[[force]]\nkind = 'pairwise_gravity'\nconstant = 1.5\n"), 3, true);
  check_pairs(cluster("[[force]]\nkind = 'pairwise_gravity'\nconstant = 1.5\nsoftening = 0.1\n"), 3, true);
}

// Through the point where a spring has no length, and from there.
TEST(DiscreteForce, OfSpringsWithoutLength) {
  for (const char* rest : {"rest_length = 0\n", "rest_length = 0.5\n"}) {
    const Cluster c = cluster(std::string("[[force]]\nkind = 'spring'\npairs = [[0, 1]]\nstiffness = 2.0\n") + rest);
    const EnergyTerm& term = only_term(c);
    Numbers flat = c.x;
    for (std::size_t k = 0; k < 3; ++k) flat[3 + k] = flat[k];
    const Numbers zero(c.x.size(), 0.0);
    EXPECT_EQ(discrete(term, flat, flat), zero);
    const Work work(discrete(term, flat, c.x), flat, c.x);
    EXPECT_NEAR(work.sum, term.energy(0, c.x) - term.energy(0, flat), 20 * epsilon);
    Numbers through = c.x;
    for (std::size_t k = 0; k < 3; ++k) through[3 + k] = 2 * flat[k] - c.x[3 + k];  // the same length again
    EXPECT_NEAR(largest(discrete(term, c.x, through)), 0, 20 * epsilon);
    DenseSink finite(c.x.size());
    term.add_discrete_hessian(0, flat, flat, 1, false, finite);
    for (std::size_t i = 0; i < c.x.size(); ++i) EXPECT_TRUE(std::isfinite(finite(i, i)));
  }
}

TEST(DiscreteForce, OfLatticesWithImages) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = 'lattice'\nkind = "
      "'particles'\nmass = 1.0\nlayout = { kind = 'triangular_lattice', count = [3, 4], spacing = 1.0, periodic = true "
      "}\n[[force]]\nkind = 'spring'\nstiffness = 1.0\nquartic = 1.0\n");
  const Model model = make_model(scene);
  const Numbers start = initial_state(scene, model).q;
  const Numbers x = moved(start, random_vector(start.size(), 0.1, 3), 1), direction = random_vector(x.size(), 0.4, 8);
  ASSERT_EQ(model.parts().terms.size(), 2u);  // inside, and across the border
  for (const auto& term : model.parts().terms) {
    expect_directionality(*term, x, direction, 1, 20);
    expect_tangent(*term, x, moved(x, direction, 1), false);
  }
}

// Several chunks: what springs hand from one to another arrives.
TEST(DiscreteForce, OfSpringsAcrossChunks) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = 'lattice'\nkind = "
      "'particles'\nmass = 1.0\nlayout = { kind = 'triangular_lattice', count = [150, 150] }\n"
      "[[force]]\nkind = 'spring'\nstiffness = 1.0\nquartic = 1.0\n");
  const Model model = make_model(scene);
  const Numbers start = initial_state(scene, model).q;
  const Numbers x = moved(start, random_vector(start.size(), 0.1, 3), 1);
  const Numbers y = moved(x, random_vector(x.size(), 0.1, 4), 1);
  const EnergyTerm& term = *model.parts().terms.at(0);
  const Numbers g = discrete(term, x, y);
  const Work work(g, x, y);
  EXPECT_NEAR(work.sum, term.energy(0, y) - term.energy(0, x), 100 * epsilon * work.size);
  double sum[2] = {0, 0}, size = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    sum[i % 2] += g[i];
    size += std::abs(g[i]);
  }
  for (const double component : sum) EXPECT_NEAR(component, 0, 100 * epsilon * size);
}

TEST(DiscreteForce, OfLinearPotentialsIsTheirGradient) {
  for (const char* force : {"[[force]]\nkind = 'gravity'\nacceleration = [0.3, -9.81, 1.0]\n",
                            "[[force]]\nkind = 'load'\nbody = 'cluster'\ntotal_force = [3, '4*t', 1]\n"}) {
    const Cluster c = cluster(force);
    const EnergyTerm& term = only_term(c);
    EXPECT_EQ(discrete(term, c.x, moved(c.x, c.direction, 1)), gradient(term, c.x));
    expect_directionality(term, c.x, c.direction, 1, 50);
  }
}

Obstacle floor_or_ball(Obstacle::Kind kind) {
  Obstacle obstacle;
  obstacle.name = "obstacle";
  obstacle.kind = kind;
  obstacle.normal[0] = 0.6;
  obstacle.normal[2] = 0.8;
  if (kind == Obstacle::Kind::sphere) obstacle.point[0] = 0.1;
  obstacle.radius = 1;
  return obstacle;
}

// Nodes that stay outside, go in, go deeper, come out and pass both ends of the onset in one step.
TEST(DiscreteForce, OfContact) {
  for (const auto kind : {Obstacle::Kind::plane, Obstacle::Kind::sphere})
    for (const double onset : {0.05, 0.5})
      for (const int dimension : {2, 3}) {
        std::vector<ContactNode> nodes;
        for (int a = 0; a < 40; ++a) nodes.push_back({a * dimension, 2.0 + 0.1 * a, onset});
        const ContactTerm term(floor_or_ball(kind), dimension, nodes);
        const auto size = static_cast<std::size_t>(40 * dimension);
        const Numbers x = random_vector(size, 0.9, 1), direction = random_vector(size, 0.6, 2);
        const Numbers y = moved(x, direction, 1);
        int crossings = 0;
        for (int a = 0; a < 40; ++a) {
          ContactNode node = nodes[a];
          const ContactTerm one(floor_or_ball(kind), dimension, {node});
          crossings += (one.energy(0, x) > 0) != (one.energy(0, y) > 0);
        }
        EXPECT_GT(crossings, 3);
        for (double amount = 1; amount > 0.5e-14; amount *= 0.1) {
          const Numbers z = moved(x, direction, amount), g = discrete(term, x, z);
          EXPECT_NEAR(Work(g, x, z).sum, term.energy(0, z) - term.energy(0, x), 200 * epsilon * term.energy(0, x));
          if (amount < 1e-3) {  // w''' jumps at 0 and s: the rule of quadrature is good for short ways only
            EXPECT_NEAR(Work(g, x, z).sum, work_of_gradient(term, x, z, 1), 1e-10 * Work(g, x, z).size);
          }
          EXPECT_LE(largest_difference(g, discrete(term, z, x)), 100 * epsilon * largest(g));
        }
        EXPECT_LE(largest_difference(discrete(term, x, x), gradient(term, x)),
                  20 * epsilon * largest(gradient(term, x)));
        expect_midpoint_to_miss(term, x, y);
        expect_tangent(term, x, y, kind == Obstacle::Kind::plane);
      }
}

// A node that just touches: the little energy it has is exact to its own digits.
TEST(DiscreteForce, OfContactThatJustBegins) {
  const ContactTerm term(floor_or_ball(Obstacle::Kind::plane), 3, {{0, 2.0, 0.05}});
  for (const double depth : {1e-3, 1e-7, 1e-12}) {
    const Numbers x = {0.6, 0, 0.8}, y = {-0.6 * depth, 0, -0.8 * depth};
    const double reached = term.largest_depth(y), W = term.energy(0, y);
    ASSERT_GT(W, 0);
    EXPECT_NEAR(Work(discrete(term, x, y), x, y).sum, W, 20 * epsilon * W) << reached;
    EXPECT_NEAR(Work(discrete(term, y, x), y, x).sum, -W, 20 * epsilon * W) << reached;
  }
}

}  // namespace
}  // namespace livens
