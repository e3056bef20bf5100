// What every contact promises, measured over the records of [[contact]]: its gradient is the difference of its energy,
// its discrete gradient takes exactly what the energy gives and is symmetric, what it claims of rigid motions is so
// from both sides, and its convex stand-in is positive semi-definite. A kind without an example fails.
#include <cmath>
#include <map>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/contact_set.hpp"
#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::random_vector;
using Numbers = std::vector<double>;

constexpr const char* rubber = R"(
time = { end = 1 }
integrator = { kind = 'energy_momentum', step = 0.001 }
[[material]]
name = 'rubber'
kind = 'neo_hookean'
density = 1000
young = 1e5
poisson = 0.3
)";
constexpr const char* two_squares = R"(
[[body]]
name = 'left'
kind = 'solid'
material = 'rubber'
mesh = { kind = 'rectangle', size = [0.1, 0.1], cells = [2, 2] }
[[body]]
name = 'right'
kind = 'solid'
material = 'rubber'
mesh = { kind = 'rectangle', size = [0.1, 0.1], cells = [3, 3], corner = [0.106, 0.023] }
)";
// Face beside face, so that pairs of edges act: the gap is below half the distance.
constexpr const char* two_cubes = R"(
[[body]]
name = 'left'
kind = 'solid'
material = 'rubber'
mesh = { kind = 'box', size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
[[body]]
name = 'right'
kind = 'solid'
material = 'rubber'
mesh = { kind = 'box', size = [0.1, 0.1, 0.1], cells = [1, 2, 2], corner = [0.104, 0.023, 0.031] }
)";
// A strip that is bent until its ends are near each other.
constexpr const char* bent_strip = R"(
[[body]]
name = 'strip'
kind = 'solid'
material = 'rubber'
mesh = { kind = 'rectangle', size = [0.3, 0.02], cells = [24, 1] }
initial = { position = ['(0.05 - Y)*cos(X/0.05)', '(0.05 - Y)*sin(X/0.05)'] }
)";
constexpr const char* rigid_and_balls = R"(
[[body]]
name = 'box'
kind = 'rigid'
mass = 1
shape = { kind = 'box', size = [0.1, 0.1, 0.1] }
center = [0, 0, 0]
[[body]]
name = 'ball'
kind = 'rigid'
mass = 1
shape = { kind = 'sphere', radius = 0.03 }
center = [0.02, 0.01, 0.085]
[[body]]
name = 'grains'
kind = 'particles'
mass = 1
layout = { kind = 'points', points = [[0.06, 0.01, 0.02], [0.06, 0.03, 0.02], [-0.02, 0.02, 0.059]] }
)";

struct Example {
  std::string bodies, keys;  // of the contact, without name and kind
  double size;               // m, within which energies change by a large part of themselves: range, or depth
};

// Nodes are shaken by a few percent of the size; large enough for forces, small enough that nothing passes through.
const std::multimap<std::string, Example>& examples() {
  static const std::multimap<std::string, Example> all = {
      {"bodies", {std::string(rubber) + two_squares, "distance = 0.01", 0.01}},
      {"bodies", {std::string(rubber) + two_cubes, "distance = 0.01", 0.01}},
      {"bodies", {std::string(rubber) + bent_strip, "self = true, distance = 0.03", 0.03}},
      {"bodies",
       {std::string("time = { end = 1 }\nintegrator = { kind = 'energy_momentum', step = 0.001 }\n") + rigid_and_balls,
        "distance = 0.01, pressure = 1e4, radius = 0.005", 0.01}},
      {"plane",
       {std::string(rubber) + two_squares, "point = [0, -0.0093], normal = [-0.1, 1], rule = 'penalty'", 0.004}},
      {"plane",
       {std::string(rubber) + two_cubes,
        "point = [0, 0, -0.005], normal = [0.01, 0.02, 1], rule = 'barrier', distance = 0.02", 0.02}},
      {"sphere", {std::string(rubber) + two_cubes, "point = [0.05, 0.05, -0.97], radius = 1", 0.02}},
      {"sphere",
       {std::string(rubber) + two_cubes, "point = [0.05, 0.05, -1.005], radius = 1, rule = 'barrier', distance = 0.02",
        0.02}},
      {"box",
       {std::string(rubber) + two_cubes, "point = [0.1, 0.05, -0.055], size = [0.41, 0.43, 0.1], distance = 0.02",
        0.02}},
      {"cylinder",
       {std::string(rubber) + two_cubes,
        "point = [-0.11, 0.05, 0.04], radius = 0.105, length = 0.31, segments = 12, distance = 0.02", 0.02}},
  };
  return all;
}

struct Made {
  Made(const std::string& kind, const Example& example)
      : scene(parse_scene(
            "contact = [{ name = 'touch', kind = '" + kind + "', " + example.keys + " }]\n" + example.bodies, "laws")),
        model(make_model(scene)),
        start(initial_state(scene, model).q) {
    for (const auto& part : model.parts().terms)
      if (part->name() == "touch") term = part;
  }
  // The start, shaken; another shape for every seed.
  Numbers shaken(double by, unsigned seed) const {
    Numbers q = random_vector(start.size(), by, seed);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += start[i];
    return q;
  }
  Scene scene;
  Model model;
  Numbers start;
  std::shared_ptr<const EnergyTerm> term;
};

Numbers gradient(const EnergyTerm& term, const Numbers& q) {
  Numbers g(q.size(), 0.0);
  term.add_gradient(0, q, 1, g);
  return g;
}

Numbers discrete(const EnergyTerm& term, const Numbers& x, const Numbers& y) {
  Numbers g(x.size(), 0.0);
  EXPECT_TRUE(term.add_discrete_gradient(0, x, y, 1, g)) << "a contact has a discrete gradient of its own";
  return g;
}

double largest(const Numbers& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

double difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most / largest(a);
}

// ---- what is measured, over the size of what it is about

// Of the gradient against central differences of the energy.
double gradient_error(const EnergyTerm& term, const Numbers& q, double size) {
  const double step = 1e-5 * size;
  Numbers moved = q, differences(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    moved[i] = q[i] + step;
    const double above = term.energy(0, moved);
    moved[i] = q[i] - step;
    differences[i] = (above - term.energy(0, moved)) / (2 * step);
    moved[i] = q[i];
  }
  return difference(gradient(term, q), differences);
}

// D.z - (B1 - B0), over the energies and the work of the parts.
double work_error(const EnergyTerm& term, const Numbers& x, const Numbers& y) {
  const Numbers D = discrete(term, x, y);
  const double before = term.energy(0, x), after = term.energy(0, y);
  double work = 0, size = before + after;
  for (std::size_t i = 0; i < x.size(); ++i) {
    work += D[i] * (y[i] - x[i]);
    size += std::abs(D[i] * (y[i] - x[i]));
  }
  return std::abs(work - (after - before)) / size;
}

// Sum of the forces on all nodes over the largest of them, and of their moments over that and the reach of the nodes.
struct Balance {
  double force = 0, moment = 0;
};
Balance balance(const Model& model, const Numbers& g, const Numbers& q) {
  double force[3] = {}, moment[3] = {}, reach = 0;
  for (const Body& body : model.bodies())
    for (int a = 0; a < body.nodes; ++a) {
      double x[3] = {}, f[3] = {};
      for (int c = 0; c < body.dimension; ++c) {
        x[c] = q[body.first + a * body.dimension + c];
        f[c] = g[body.first + a * body.dimension + c];
        reach = std::max(reach, std::abs(x[c]));
      }
      for (int c = 0; c < 3; ++c) {
        force[c] += f[c];
        moment[c] += x[(c + 1) % 3] * f[(c + 2) % 3] - x[(c + 2) % 3] * f[(c + 1) % 3];
      }
    }
  const double size = largest(g);
  return {std::hypot(force[0], force[1], force[2]) / size,
          std::hypot(moment[0], moment[1], moment[2]) / (size * reach)};
}

// Change of the energy when all nodes move as one: by an angle about an axis through the origin, and by a way.
double change_by_motion(const EnergyTerm& term, const Model& model, const Numbers& q, double angle, double way) {
  Numbers moved = q;
  for (const Body& body : model.bodies())
    for (int a = 0; a < body.nodes; ++a) {
      double* x = moved.data() + body.first + a * body.dimension;
      const double c = std::cos(angle), s = std::sin(angle), x0 = x[0], x1 = x[1];
      x[0] = c * x0 - s * x1 + way;
      x[1] = s * x0 + c * x1 - 0.3 * way;
      if (body.dimension == 3) {  // and about x
        const double y = x[1], z = x[2];
        x[1] = c * y - s * z;
        x[2] = s * y + c * z + 0.7 * way;
      }
    }
  const double before = term.energy(0, q);
  return std::abs(term.energy(0, moved) / before - 1);
}

// The least eigenvalue over the largest of a matrix, how far it is from symmetric, and, of a convex one of a barrier,
// what of it is not along the gradient C1'r1 of the squared gap at the end, where the gap is measured.
struct Spectrum {
  double least = 0, most = 0, skew = 0, stray = 0;
  void take(const Eigen::MatrixXd& H) {
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (H + H.transpose()), Eigen::EigenvaluesOnly).eigenvalues();
    const double size = values.cwiseAbs().maxCoeff();
    if (!(size > 0)) return;
    most = std::max(most, size);
    least = std::min(least, values.minCoeff() / size);
    skew = std::max(skew, (H - H.transpose()).cwiseAbs().maxCoeff() / size);
  }
};

// Of a barrier contact by contact, of others as they add themselves to a matrix.
Spectrum spectrum(const EnergyTerm& term, const Numbers& x, const Numbers& y, bool convex) {
  Spectrum found;
  if (term.barrier() == nullptr) {
    testing::DenseSink sink(x.size());
    convex ? term.add_convex_hessian(0, x, 1, sink) : term.add_hessian(0, x, 1, sink);
    const auto n = static_cast<Eigen::Index>(x.size());
    Eigen::MatrixXd H(n, n);
    for (Eigen::Index r = 0; r < n; ++r)
      for (Eigen::Index c = 0; c < n; ++c) H(r, c) = sink(static_cast<std::size_t>(r), static_cast<std::size_t>(c));
    found.take(H);
    return found;
  }
  Numbers way(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) way[i] = y[i] - x[i];
  ContactSet set(*term.barrier());
  set.begin(x, way, 0);
  for (const bool stands : {false, true}) {
    stands ? set.stand_at(y) : set.end_at(y);
    for (const Contact& contact : set.contacts()) {
      double matrix[9 * most_contact_points * most_contact_points];
      if (!set.tangent(contact, convex, matrix)) continue;
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Eigen::MatrixXd H = Eigen::Map<const Rows>(matrix, 3 * contact.count, 3 * contact.count);
      found.take(H);
      if (!convex) continue;
      Eigen::VectorXd g(3 * contact.count);
      for (int i = 0; i < contact.count; ++i)
        g.segment<3>(3 * i) = contact.c1[i] * Eigen::Vector3d(contact.r1.x, contact.r1.y, contact.r1.z);
      const Eigen::MatrixXd along = H.trace() / g.squaredNorm() * g * g.transpose();
      found.stray = std::max(found.stray, (H - along).norm() / H.norm());
    }
  }
  return found;
}

// ---- the records

constexpr double shake = 0.04, step = 0.15;  // of the size; moves of a step
constexpr double by_differences = 1e-6;      // step^2 of the differences over the size, and rounding over the step
constexpr double rounding = 1e-12;           // of sums of some hundred parts
constexpr double surely = 1e-3;              // what is not claimed is seen

// From both sides: what is claimed vanishes, what is not is there.
void expect_as_claimed(bool claimed, double found, double vanishing) {
  if (claimed)
    EXPECT_LE(found, vanishing);
  else
    EXPECT_GE(found, surely);
}

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const ContactRecord& record : contact_records()) names.push_back(record.name);
  return names;
}

class ContactLaws : public ::testing::TestWithParam<std::string> {
 protected:
  // visit(contact, example, q, another q) for all examples and some shapes.
  template <class Visit>
  void each(const Visit& visit) const {
    const auto [first, last] = examples().equal_range(GetParam());
    ASSERT_NE(first, last) << "a new kind of contact needs an example in which it pushes";
    for (auto example = first; example != last; ++example) {
      const Made made(GetParam(), example->second);
      ASSERT_NE(made.term, nullptr);
      for (unsigned seed = 1; seed <= 8; ++seed) {
        const double size = example->second.size;
        SCOPED_TRACE(example->second.keys + ", shape " + std::to_string(seed));
        const Numbers q = made.shaken(shake * size, seed), next = made.shaken(step * size, 100 + seed);
        ASSERT_GT(made.term->energy(0, q), 0) << "the example does not touch";
        ASSERT_TRUE(std::isfinite(made.term->energy(0, q)) && std::isfinite(made.term->energy(0, next)));
        visit(made, example->second, q, next);
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Records, ContactLaws, ::testing::ValuesIn(kinds()), [](const auto& one) { return one.param; });

TEST_P(ContactLaws, GradientIsTheDifferenceOfTheEnergy) {
  each([](const Made& made, const Example& example, const Numbers& q, const Numbers&) {
    EXPECT_LE(gradient_error(*made.term, q, example.size), by_differences);
  });
}

TEST_P(ContactLaws, DiscreteGradientDoesTheWorkOfTheEnergyAndIsSymmetric) {
  each([](const Made& made, const Example&, const Numbers& x, const Numbers& y) {
    EXPECT_LE(work_error(*made.term, x, y), rounding);
    EXPECT_LE(difference(discrete(*made.term, x, y), discrete(*made.term, y, x)), rounding);
    EXPECT_LE(difference(discrete(*made.term, x, x), gradient(*made.term, x)), rounding);
  });
}

TEST_P(ContactLaws, RigidMotionsAreAsClaimed) {
  each([](const Made& made, const Example& example, const Numbers& x, const Numbers& y) {
    const Invariance claimed = made.term->invariance();
    Numbers middle = x;
    for (std::size_t i = 0; i < x.size(); ++i) middle[i] = 0.5 * (x[i] + y[i]);
    for (const Balance& found :
         {balance(made.model, gradient(*made.term, x), x), balance(made.model, discrete(*made.term, x, y), middle)}) {
      expect_as_claimed(claimed.translations, found.force, rounding);
      expect_as_claimed(claimed.rotations, found.moment, rounding);
    }
    // Positions have rounding, of which barriers make forces over a gap.
    const double turned = change_by_motion(*made.term, made.model, x, 0.7, 0),
                 shifted = change_by_motion(*made.term, made.model, x, 0, 0.2 * example.size);
    expect_as_claimed(claimed.rotations, turned, 1e-10);
    expect_as_claimed(claimed.translations, shifted, 1e-10);
  });
}

TEST_P(ContactLaws, ConvexStandInIsPositiveSemiDefinite) {
  each([](const Made& made, const Example&, const Numbers& x, const Numbers& y) {
    const Spectrum found = spectrum(*made.term, x, y, true);
    EXPECT_GT(found.most, 0);
    EXPECT_GE(found.least, -rounding);
    EXPECT_LE(found.skew, rounding);
    EXPECT_LE(found.stray, rounding);
  });
}

TEST(ContactExamples, AreThoseOfRecords) {
  const std::vector<std::string> names = kinds();
  for (const auto& example : examples())
    EXPECT_NE(std::find(names.begin(), names.end(), example.first), names.end()) << example.first;
}

// ---- the detectors: a contact with a mistake in it

class Wrong final : public EnergyTerm {
 public:
  enum class What { gradient, midpoint, one_sided, pushed };
  Wrong(std::shared_ptr<const EnergyTerm> right, What what)
      : EnergyTerm("wrong"), right_(std::move(right)), what_(what) {}
  double energy(double t, ConstVector q) const override { return right_->energy(t, q); }
  void add_gradient(double t, ConstVector q, double scale, Vector g) const override {
    right_->add_gradient(t, q, what_ == What::gradient ? 1.00001 * scale : scale, g);
    if (what_ == What::pushed) g[0] += 1e-9 * scale;
  }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  // The gradient at the middle, or the discrete gradient moved along the step towards that of the end.
  bool add_discrete_gradient(double t, ConstVector x, ConstVector y, double scale, Vector g) const override {
    if (what_ == What::one_sided) {
      right_->add_discrete_gradient(t, x, y, 0.999 * scale, g);
      right_->add_gradient(t, y, 0.001 * scale, g);
      return true;
    }
    Numbers middle(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) middle[i] = 0.5 * (x[i] + y[i]);
    right_->add_gradient(t, middle, scale, g);
    return true;
  }

 private:
  std::shared_ptr<const EnergyTerm> right_;
  What what_;
};

TEST(ContactLawDetectors, Fire) {
  for (const auto& [kind, example] : examples()) {
    SCOPED_TRACE(kind + " " + example.keys);
    const Made made(kind, example);
    const Numbers x = made.shaken(shake * example.size, 1), y = made.shaken(step * example.size, 101);
    using What = Wrong::What;
    EXPECT_GT(gradient_error(Wrong(made.term, What::gradient), x, example.size), by_differences);
    EXPECT_GT(work_error(Wrong(made.term, What::midpoint), x, y), 1e3 * rounding);
    const Wrong one_sided(made.term, What::one_sided);
    EXPECT_GT(difference(discrete(one_sided, x, y), discrete(one_sided, y, x)), 1e3 * rounding);
    const Wrong pushed(made.term, What::pushed);
    if (made.term->invariance().translations) {
      EXPECT_GT(balance(made.model, gradient(pushed, x), x).force, rounding);
    }
  }
  // The exact second derivatives of a ball and of surfaces that turn are not convex.
  for (const char* kind : {"sphere", "bodies"}) {
    const Example& example = examples().find(kind)->second;
    const Made made(kind, example);
    const Numbers x = made.shaken(shake * example.size, 1), y = made.shaken(step * example.size, 101);
    EXPECT_LT(spectrum(*made.term, x, y, false).least, -1e-6) << kind;
  }
}

}  // namespace
}  // namespace livens
