// Potentials between particles: against closed values, sums over all pairs, differences, and other lists.
#include <cmath>

#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "forces/neighbours.hpp"
#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::random_vector;

const std::string head = "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.001 }\n";
const std::string lennard_jones = "kind = 'lennard_jones'\nepsilon = 1.3\nsigma = 1\n";

std::string cluster(const std::string& force, const std::string& layout, const std::string& mass = "1") {
  return head + "[[body]]\nname = 'atoms'\nkind = 'particles'\nmass = " + mass + "\nlayout = { " + layout +
         " }\n[[force]]\nname = 'bond'\n" + force;
}
std::string points(int dimension) {
  return dimension == 1   ? "kind = 'points', points = [[0], [1.1], [2.3], [3.2]]"
         : dimension == 2 ? "kind = 'points', points = [[0, 0], [1.1, 0.2], [0.3, 1.2], [1.4, 1.3]]"
                          : "kind = 'points', points = [[0, 0, 0.1], [1.1, 0.2, 0], [0.3, 1.2, 0.2], [0.4, 0.6, 1.2]]";
}

// --- values ----------------------------------------------------------------------------------------------------------

double energy_of_two(const std::string& force, double r) {
  const Model model = make_model(
      parse_scene(cluster(force, "kind = 'points', points = [[0, 0, 0], [" + std::to_string(r) + ", 0, 0]]")));
  const std::vector<double> q = {0, 0, 0, r, 0, 0};
  return model.parts().terms[0]->energy(0, q);
}

TEST(PairPotentials, ValuesOfTwoParticles) {
  const double r = 1.5, s6 = std::pow(r, -6.0), V = 4 * 1.3 * (s6 * s6 - s6);
  EXPECT_NEAR(energy_of_two(lennard_jones + "cutoff_form = 'plain'\n", r), V, 1e-15);
  const double c6 = std::pow(2.5, -6.0);
  EXPECT_NEAR(energy_of_two(lennard_jones + "cutoff_form = 'shifted'\n", r), V - 4 * 1.3 * (c6 * c6 - c6), 1e-15);
  EXPECT_NEAR(energy_of_two(lennard_jones, r), V, 1e-15);  // switched from 2.25 on
  const double far = 2.4, f6 = std::pow(far, -6.0), t = (far - 2.25) / 0.25;
  EXPECT_NEAR(energy_of_two(lennard_jones, far),
              4 * 1.3 * (f6 * f6 - f6) * (1 - 10 * t * t * t + 15 * std::pow(t, 4) - 6 * std::pow(t, 5)), 1e-15);
  EXPECT_EQ(energy_of_two(lennard_jones, 2.6), 0);
  const std::string morse = "kind = 'morse'\ndepth = 2\nwidth = 1.5\ndistance = 1.2\ncutoff = 4\n";
  EXPECT_NEAR(energy_of_two(morse, 1.2), -2, 1e-15);
  EXPECT_NEAR(energy_of_two(morse, 2), 2 * (std::exp(-2.4) - 2 * std::exp(-1.2)), 1e-15);
  EXPECT_NEAR(energy_of_two("kind = 'pair_potential'\npotential = '3/r - exp(-r)'\ncutoff = 4\n", 2),
              1.5 - std::exp(-2.0), 1e-15);
}

// Near and far parts add up to the whole at any distance, those where one of them begins and ends included, and to
// nothing twice: energy, and the force on either particle.
TEST(PairPotentials, PartsByRateAddUp) {
  for (const char* form : {"switched", "shifted", "plain"}) {
    const Model model = make_model(parse_scene(
        cluster(lennard_jones + "cutoff_form = '" + form + "'\n", "kind = 'points', points = [[0, 0, 0], [1, 0, 0]]")));
    const EnergyTerm& whole = *model.parts().terms[0];
    const auto parts = whole.by_rate();
    ASSERT_EQ(parts.size(), 2u);
    for (const double r : {0.9, 1.0, 1.25, 1.3, 1.5, 1.7, 1.875, 2.0, 2.3, 2.499, 2.5, 2.6}) {
      const std::vector<double> q = {0, 0, 0, r, 0, 0};
      std::vector<double> g(6, 0.0), sum(6, 0.0);
      const double energy = whole.add_gradient_and_energy(0, q, 1, g);
      const double near = parts[0]->add_gradient_and_energy(0, q, 1, sum),
                   far = parts[1]->add_gradient_and_energy(0, q, 1, sum);
      EXPECT_NEAR(near + far, energy, 1e-14 * std::max(1.0, std::abs(energy))) << form << r;
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(sum[i], g[i], 1e-13 * std::max(1.0, std::abs(g[i]))) << form << r;
      if (r <= 1.25) {
        EXPECT_EQ(far, 0) << r;
      }
      if (r >= 1.875) {
        EXPECT_EQ(near, 0) << r;
      }
    }
  }
}

// Lattice sum of an fcc crystal to 2.5 sigma: shells n = 1, 2, ... at a sqrt(n/2) with 12, 6, 24, 12, 24, 8 atoms.
TEST(PairPotentials, CrystalIsItsLatticeSum) {
  const double a = 1.5871;
  const Model model = make_model(parse_scene(
      cluster(lennard_jones + "cutoff_form = 'plain'\n",
              "kind = 'face_centred_cubic', count = [4, 4, 4], lattice_constant = 1.5871, periodic = true")));
  EXPECT_EQ(model.bodies()[0].nodes, 256);
  double sum = 0;
  const int shell[] = {12, 6, 24, 12, 24, 8, 48, 6, 36, 24};
  for (int n = 1; n <= 10; ++n) {
    const double r = a * std::sqrt(n / 2.0), s6 = std::pow(r, -6.0);
    if (r < 2.5) sum += shell[n - 1] * 4 * 1.3 * (s6 * s6 - s6);
  }
  const std::vector<double>& q = model.bodies()[0].reference;
  EXPECT_NEAR(model.parts().terms[0]->energy(0, q) / 256, sum / 2, 1e-13);
  std::vector<double> g(q.size(), 0.0);
  model.parts().terms[0]->add_gradient(0, q, 1, g);
  for (const double value : g) EXPECT_NEAR(value, 0, 1e-11);
}

// Silicon: in diamond all angles are those without energy, and at the least of v2 each of the 2 bonds an atom has -1.
TEST(PairPotentials, DiamondOfStillingerAndWeber) {
  const double sigma = 2.0951e-10, r0 = std::pow(2.0, 1.0 / 6) * sigma, a = 4 * r0 / std::sqrt(3.0);
  char layout[200];
  std::snprintf(layout, sizeof layout, "kind = 'diamond', count = [2, 2, 2], lattice_constant = %.17g, periodic = true",
                a);
  const Model model = make_model(parse_scene(cluster("kind = 'stillinger_weber'\n", layout)));
  const std::vector<double>& q = model.bodies()[0].reference;
  EXPECT_EQ(model.bodies()[0].nodes, 64);
  EXPECT_NEAR(model.parts().terms[0]->energy(0, q) / 64 / 3.4740e-19, -2, 2e-6);  // A and B have ten digits
}

// --- derivatives -----------------------------------------------------------------------------------------------------

void check(const std::string& scene) {
  const Model model = make_model(parse_scene(scene));
  std::vector<double> q = model.bodies()[0].reference;
  const auto offset = random_vector(q.size(), 0.05, 3);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += offset[i];
  const EnergyTerm& term = *model.parts().terms[0];
  testing::expect_consistent(term, q);
  std::vector<double> y = q, D(q.size(), 0.0);
  const auto change = random_vector(q.size(), 0.1, 4);
  for (std::size_t i = 0; i < q.size(); ++i) y[i] += change[i];
  ASSERT_TRUE(term.add_discrete_gradient(0, q, y, 1, D));
  double work = 0;
  for (std::size_t i = 0; i < q.size(); ++i) work += D[i] * (y[i] - q[i]);
  EXPECT_NEAR(work, term.energy(0, y) - term.energy(0, q), 1e-12);
}

TEST(PairPotentials, DerivativesMatchDifferences) {
  const std::string soft = "kind = 'lennard_jones'\nepsilon = 0.02\nsigma = 0.8\n";  // numbers of the order of 1
  for (const int dimension : {1, 2, 3}) {
    check(cluster(soft + "cutoff = 1.8\nswitch_from = 0.9\n", points(dimension)));
    check(cluster("kind = 'morse'\ndepth = 0.2\nwidth = 1.5\ndistance = 1.2\ncutoff = 3\n", points(dimension)));
    check(cluster("kind = 'pair_potential'\npotential = '0.3*exp(-r)/r'\ncutoff = 2.5\n", points(dimension)));
  }
  // across the faces of a box
  check(
      cluster(soft + "cutoff = 1.5\n",
              "kind = 'points', points = [[0.1, 0, 0.1], [2.4, 0.2, 0], [0.3, 2.5, 0.2], [0.4, 0.6, 1.2]], box = [3.2, "
              "3.3, 0]"));
}

// Gradient of triples against differences of the energy; no force, no torque as a whole.
TEST(PairPotentials, TriplesMatchDifferences) {
  const Model model = make_model(parse_scene(cluster(
      "kind = 'stillinger_weber'\nepsilon = 1\nsigma = 1\n",
      "kind = 'points', points = [[0, 0, 0.1], [1.1, 0.2, 0], [0.3, 1.2, 0.2], [0.4, 0.6, 1.2], [1.3, 1.2, 0.9]]")));
  const EnergyTerm& term = *model.parts().terms[0];
  std::vector<double> q = model.bodies()[0].reference, g(q.size(), 0.0);
  term.add_gradient(0, q, 1, g);
  double force[3] = {}, torque[3] = {};
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double x = q[i], h = 1e-5;
    q[i] = x + h;
    const double above = term.energy(0, q);
    q[i] = x - h;
    EXPECT_NEAR(g[i], (above - term.energy(0, q)) / (2 * h), 1e-7);
    q[i] = x;
    force[i % 3] += g[i];
  }
  for (std::size_t a = 0; a < q.size(); a += 3)
    for (std::size_t c = 0; c < 3; ++c)
      torque[c] += q[a + (c + 1) % 3] * g[a + (c + 2) % 3] - q[a + (c + 2) % 3] * g[a + (c + 1) % 3];
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(force[c], 0, 1e-12);
    EXPECT_NEAR(torque[c], 0, 1e-12);
  }
}

// --- lists -----------------------------------------------------------------------------------------------------------

// Every list has exactly those within reach, by brute force; open, periodic, thin and one-cell boxes.
TEST(NeighbourLists, AreThoseWithinReach) {
  const std::size_t n = 300;
  for (const std::array<double, 3> side : {std::array<double, 3>{0, 0, 0}, {10, 10, 10}, {10, 4.1, 0}, {4, 4, 4}}) {
    const PeriodicBox box = periodic_box(side);
    std::vector<int> nodes;
    for (std::size_t i = 0; i < n; ++i) nodes.push_back(static_cast<int>(3 * i));
    const NeighbourLists lists(nodes, std::vector<int>(n, 0), false, 3, box, 1.5, 0.5);
    const auto q = random_vector(3 * n, 8, 11);  // also outside of the box
    const auto lease = lists.at(q);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<int> expected;
      for (std::size_t j = 0; j < n; ++j) {
        double r2 = 0;
        for (std::size_t c = 0; c < 3; ++c) r2 += std::pow(box.nearest(q[3 * j + c] - q[3 * i + c], c), 2);
        if (i != j && r2 <= 4) expected.push_back(static_cast<int>(j));
      }
      const auto found = lease.of(i);
      EXPECT_EQ(std::vector<int>(found.begin(), found.end()), expected);
      pairs += expected.size();
    }
    EXPECT_GT(pairs, n / 4);
  }
}

// The same bits for any number of threads, any skin, and after any lists before.
TEST(PairPotentials, SameBitsForAnyThreadsAndLists) {
  const std::string crystal = "kind = 'face_centred_cubic', count = [5, 5, 5], lattice_constant = 1.6, periodic = true";
  for (const std::string& kind : {lennard_jones, std::string("kind = 'stillinger_weber'\nepsilon = 1\nsigma = 1\n")}) {
    const Model one = make_model(parse_scene(cluster(kind, crystal)));
    const Model two = make_model(parse_scene(cluster(kind + "skin = 1.2\n", crystal)));
    std::vector<double> q = one.bodies()[0].reference;
    const auto results = [&](const Model& model, int threads) {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism,
                                        static_cast<std::size_t>(threads));
      std::vector<double> g(q.size(), 0.0);
      g.push_back(model.parts().terms[0]->add_gradient_and_energy(0, q, 0.7, Vector(g.data(), q.size())));
      return g;
    };
    for (unsigned k = 0; k < 4; ++k) {  // the list of `two` is an old one, that of `fresh` is new
      const auto offset = random_vector(q.size(), 0.06, k);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += offset[i];
      const Model fresh = make_model(parse_scene(cluster(kind, crystal)));
      const auto expected = results(fresh, 1);
      EXPECT_EQ(results(one, 4), expected);
      EXPECT_EQ(results(two, 2), expected);
      EXPECT_EQ(one.parts().terms[0]->energy(0, q), expected.back());
    }
  }
}

// --- runs and refusals -----------------------------------------------------------------------------------------------

TEST(PairPotentials, BetweenTwoBodiesOnly) {
  const std::string bodies =
      head +
      "[[body]]\nname = 'a'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0], [1, 0]] "
      "}\n[[body]]\nname = 'b'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 1.2]] }\n";
  const Model model =
      make_model(parse_scene(bodies + "[[force]]\n" + lennard_jones + "bodies = ['a', 'b']\ncutoff_form = 'plain'\n"));
  const auto V = [](double r2) { return 4 * 1.3 * (std::pow(r2, -6.0) - std::pow(r2, -3.0)); };
  const std::vector<double> q = {0, 0, 1, 0, 0, 1.2};
  EXPECT_NEAR(model.parts().terms[0]->energy(0, q), V(1.44) + V(2.44), 1e-14);
}

// Two bound particles: energy-momentum steps keep the energy, the implicit midpoint rule works, too.
TEST(PairPotentials, ImplicitStepsOfFewParticles) {
  for (const char* method : {"energy_momentum", "implicit_midpoint", "hamilton_pontryagin"}) {
    const Scene scene =
        parse_scene("time = { end = 0.5 }\nintegrator = { kind = '" + std::string(method) +
                    "', step = 0.005 }\n[[body]]\nname = 'atoms'\nkind = 'particles'\nmass = 1\nlayout = { " +
                    points(3) + " }\ninitial.velocity = ['Y', '-X', 0]\n[[force]]\n" + lennard_jones);
    auto setup = make_setup(scene);
    const double before = energy(*setup.model, setup.start).total;
    ASSERT_TRUE(setup.integrator->advance(*setup.model, setup.start, 0.5).converged) << method;
    EXPECT_NEAR(energy(*setup.model, setup.start).total, before,
                method == std::string("energy_momentum") ? 1e-11 : 2e-2);
  }
}

std::string refusal(const std::string& scene) {
  try {
    make_setup(parse_scene(scene));
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

TEST(PairPotentials, RefusesWithThePlace) {
  const auto expect_part = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const std::string crystal = "kind = 'face_centred_cubic', count = [5, 5, 5], lattice_constant = 1.6, periodic = true";
  expect_part(refusal(cluster(lennard_jones + "cutoff = 4.1\n", crystal)),
              "force.bond.cutoff: of 4.1 m is more than half the side of the periodic box along x, 8 m");
  expect_part(refusal(cluster(lennard_jones + "switch_from = 3\n", crystal)), "force.bond.switch_from");
  expect_part(refusal(cluster(lennard_jones + "body = 'atms'\n", crystal)), "atoms");
  expect_part(refusal(cluster("kind = 'pair_potential'\npotential = '3/x'\ncutoff = 4\n", crystal)),
              "force.bond.potential");
  expect_part(refusal(cluster("kind = 'pair_potential'\npotential = '3'\ncutoff = 4\n", crystal)), "depend on r");
  expect_part(refusal(cluster(lennard_jones, "kind = 'triangular_lattice', count = [8, 8], periodic = true")),
              "no box with sides along the axes");
  std::string implicit = cluster(lennard_jones, crystal);
  implicit.replace(implicit.find("stormer_verlet"), 14, "implicit_midpoint");
  expect_part(refusal(implicit), "integrator.kind: its equations would need second derivatives of 'bond'");
  expect_part(refusal(implicit), "up to 400 particles");
}

}  // namespace
}  // namespace livens
