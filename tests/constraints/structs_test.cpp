// Constraints and selections by their structs: the same bits as from a scene; motions and constraints of a user's own.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/bodies.hpp"
#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::assembly_of_bodies;
using testing::bodies;
using testing::DenseSink;
using testing::random_vector;
using Numbers = std::vector<double>;
using Kind = Enforcement::Kind;

// --- what a model is, as numbers -------------------------------------------------------------------------------------

class Numbered {
 public:
  void operator()(const Constraint& c, double t, const Numbers& q, const Numbers& v) {
    const std::size_t n = q.size();
    Numbers g(static_cast<std::size_t>(c.count())), rate(g.size()), second(g.size()), size(g.size()), f(n, 0.0);
    const Numbers lambda = random_vector(g.size(), 1, 4);
    c.value(t, q, g);
    c.rates(t, q, v, rate, second);
    c.magnitude(t, q, size);
    c.add_force(t, q, lambda, 0.7, f);
    for (const Numbers* some : {&g, &rate, &second, &size, &f}) append(*some);
    DenseSink jacobian(n), curvature(n);
    c.add_jacobian(t, q, 1, jacobian);
    c.add_curvature(t, q, lambda, 1, curvature);
    append(jacobian, n);
    append(curvature, n);
    const Invariance kept = c.invariance();
    append(c.quadratic(), c.depends_on_time(), kept.translations, kept.rotations, c.links().size());
    append(static_cast<int>(c.enforcement.kind), c.enforcement.stiffness);
    if (const JointPlace* joint = c.joint()) {
      append(joint->first, joint->last);
      for (const AffineForm& form : joint->point) append(form.value(q));
    }
  }
  void operator()(const EnergyTerm& term, double t, const Numbers& q) {
    Numbers gradient(q.size(), 0.0);
    append(term.add_gradient_and_energy(t, q, 1, gradient));
    append(gradient);
    DenseSink hessian(q.size());
    term.add_hessian(t, q, 1, hessian);
    append(hessian, q.size());
    append(term.invariance().translations, term.invariance().rotations);
  }
  void operator()(const Support& support, double t) {
    Numbers x(support.coordinates.size(), 0.0), v(x.size(), 0.0);
    if (support.motion) support.motion(t, x, v);
    for (const int i : support.coordinates) append(i);
    append(x);
    append(v);
  }

  Numbers numbers;

 private:
  void append(const Numbers& more) { numbers.insert(numbers.end(), more.begin(), more.end()); }
  void append(const DenseSink& matrix, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) numbers.push_back(matrix(i, j));
  }
  template <class... Values>
  void append(Values... values) {
    (numbers.push_back(static_cast<double>(values)), ...);
  }
};

// Of what comes after the first parts, which are the bodies' own.
Numbers numbered(const ModelParts& parts, std::size_t terms_before, std::size_t constraints_before) {
  const std::size_t n = parts.mass.diagonal.size();
  const Numbers q = random_vector(n, 0.8, 1), v = random_vector(n, 1, 2);
  Numbered of;
  for (const double t : {0.0, 0.37}) {
    for (std::size_t k = constraints_before; k < parts.constraints.size(); ++k) of(*parts.constraints[k], t, q, v);
    for (std::size_t k = terms_before; k < parts.terms.size(); ++k)
      if (parts.terms[k]->elements() == nullptr) of(*parts.terms[k], t, q);
    for (const Support& support : parts.supports) of(support, t);
  }
  return of.numbers;
}

std::vector<std::string> names_of(const ModelParts& parts) {
  std::vector<std::string> names;
  for (const auto& each : parts.constraints) names.push_back(each->name());
  for (const auto& each : parts.terms) names.push_back(each->name());
  for (const auto& each : parts.supports) names.push_back(each.name);
  return names;
}

// --- both faces ------------------------------------------------------------------------------------------------------

struct Case {
  std::string text;  // the table, without its name and enforcement
  std::function<void(Assembly&, const Enforcement&)> add_part;
};

const Vec3 point{0.5, 0.1, 0.2}, axis{1, 2, 3};
const std::array<std::string, 2> pair{"a", "b"};

template <class Joint>
Case axial(const std::string& kind) {
  return {"kind = '" + kind + "', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3]",
          [](Assembly& a, const Enforcement& hold) {
            add(a, Joint{pair, point, axis, hold}, "part");
          }};
}

const std::vector<Case> joints = {
    axial<Revolute>("revolute"),
    axial<Prismatic>("prismatic"),
    axial<Cylindrical>("cylindrical"),
    {"kind = 'spherical', bodies = ['ground', 'b'], point = [0.5, 0.1, 0.2]",
     [](Assembly& a, const Enforcement& hold) {
       add(a, Spherical{{"ground", "b"}, point, hold}, "part");
     }},
    {"kind = 'universal', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 0, 0], second_axis = [0, 1, 1]",
     [](Assembly& a, const Enforcement& hold) {
       add(a, Universal{pair, point, {1, 0, 0}, {0, 1, 1}, hold}, "part");
     }},
    {"kind = 'fixed', bodies = ['a', 'b']",
     [](Assembly& a, const Enforcement& hold) {
       add(a, Weld{pair, hold}, "part");
     }},
    {"kind = 'prescribed', bodies = ['b'], point = [1, 0, 0], displacement = ['free', 'reach*sin(3*t)*X', 0]",
     [](Assembly& a, const Enforcement& hold) {
       const Displacement sine("reach*sin(3*t)*X", {{"reach", 0.1}});
       add(a, PrescribedPoint{{"b"}, {1, 0, 0}, {{}, sine, 0}, hold}, "part");
     }},
    {"kind = 'attachment', body = 'a', selection = 'dust.all'",
     [](Assembly& a, const Enforcement& hold) {
       add(a, Attachment{"a", "dust.all", hold}, "part");
     }},
    {"kind = 'distance', bodies = ['a', 'b'], ends = [[0.2, 0, 0.1], [0.8, 0.3, 0.2]]",
     [](Assembly& a, const Enforcement& hold) {
       add(a, Distance{.bodies = pair, .ends = {{{0.2, 0, 0.1}, {0.8, 0.3, 0.2}}}, .enforcement = hold}, "part");
     }},
    {"kind = 'distance', bodies = ['ground', 'dust'], ends = [[0, 0, 0], [0.3, 0.1, 0]], length = 0.4",
     [](Assembly& a, const Enforcement& hold) {
       add(a, Distance{{"ground", "dust"}, {{{0, 0, 0}, {0.3, 0.1, 0}}}, 0.4, hold}, "part");
     }},
    {"kind = 'distance', body = 'chain'",
     [](Assembly& a, const Enforcement& hold) {
       add(a, NeighbourDistances{"chain", hold}, "part");
     }},
    {"kind = 'alignment', bodies = ['a', 'b', 'a'], ends = [[0, 0, 0], [0.5, 0.5, 0], [1, 1, 0]]",
     [](Assembly& a, const Enforcement& hold) {
       add(a, Alignment{{"a", "b", "a"}, {{{0, 0, 0}, {0.5, 0.5, 0}, {1, 1, 0}}}, hold}, "part");
     }},
    {"kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'plane', center = [0.5, 0, 0], axis = [0, 1, 0.5], "
     "point = [0.9, 0, 0]",
     [](Assembly& a, const Enforcement& hold) {
       add(a, PointOnSurface{pair, PointOnSurface::Surface::plane, {0.5, 0, 0}, {0.9, 0, 0}, {0, 1, 0.5}, 0, hold},
           "part");
     }},
    {"kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'sphere', center = [0.5, 0, 0], radius = 0.4, "
     "point = [0.9, 0, 0]",
     [](Assembly& a, const Enforcement& hold) {
       add(a, PointOnSurface{pair, PointOnSurface::Surface::sphere, {0.5, 0, 0}, {0.9, 0, 0}, {}, 0.4, hold}, "part");
     }},
    {"kind = 'point_on_surface', bodies = ['ground', 'b'], surface = 'cylinder', center = [0.5, 0, 0], radius = 0.4, "
     "axis = [1, 2, 3], point = [0.9, 0, 0]",
     [](Assembly& a, const Enforcement& hold) {
       add(a,
           PointOnSurface{
               {"ground", "b"}, PointOnSurface::Surface::cylinder, {0.5, 0, 0}, {0.9, 0, 0}, axis, 0.4, hold},
           "part");
     }},
    {"kind = 'expression', bodies = ['a', 'b'], ends = [[0.2, 0, 0], [0.8, 0, 0]], g = ['x1*y2 - reach*t', 'z1^3']",
     [](Assembly& a, const Enforcement& hold) {
       add(a,
           ExpressionConstraint{
               {"a", "b"}, {{0.2, 0, 0}, {0.8, 0, 0}}, {"x1*y2 - reach*t", "z1^3"}, {{"reach", 0.1}}, hold},
           "part");
     }},
};

const std::vector<Case> supports = {
    {"kind = 'fixed', selection = 'cube.x_min'",
     [](Assembly& a, const Enforcement&) { add(a, Fixed{"cube.x_min"}, "part"); }},
    {"kind = 'fixed', selection = 'dust.all', components = 'zx'",
     [](Assembly& a, const Enforcement&) {
       add(a, Fixed{"dust.all", "zx"}, "part");
     }},
    {"kind = 'prescribed', selection = 'cube.x_max', displacement = ['reach*sin(3*t)*Y', 'free', 0.2]",
     [](Assembly& a, const Enforcement&) {
       add(a, Prescribed{"cube.x_max", {{"reach*sin(3*t)*Y", {{"reach", 0.1}}}, {}, 0.2}}, "part");
     }},
    {"kind = 'prescribed', selection = 'dust.all', displacement = ['free', 'exp(t)*Z', 'free']",
     [](Assembly& a, const Enforcement&) {
       add(a, Prescribed{"dust.all", {{}, "exp(t)*Z", {}}}, "part");
     }},
};

void expect_same(const Case& part, const std::string& more_text, const std::string& sections, const Enforcement& hold) {
  const std::string table = part.text + more_text;
  SCOPED_TRACE(table + sections);
  const bool parameters = table.find("reach") != std::string::npos;
  const Model written = make_model(parse_scene("constraint = [{ name = 'part', " + table + " }]\n" + sections +
                                               (parameters ? "parameters = { reach = 0.1 }\n" : "") + bodies));
  Assembly assembly = assembly_of_bodies();
  const std::size_t terms = assembly.parts.terms.size(), constraints = assembly.parts.constraints.size();
  part.add_part(assembly, hold);
  EXPECT_EQ(names_of(assembly.parts), names_of(written.parts()));
  const Numbers by_struct = numbered(assembly.parts, terms, constraints),
                by_text = numbered(written.parts(), terms, constraints);
  EXPECT_EQ(by_struct, by_text);  // bit for bit
  EXPECT_GT(std::count_if(by_text.begin(), by_text.end(), [](double x) { return x != 0; }), 3) << "nothing compared";
}

TEST(ConstraintStructs, HaveTheBitsOfScenes) {
  for (const Case& joint : joints) {
    expect_same(joint, "", "", {});
    expect_same(joint, ", enforcement = 'penalty', penalty_stiffness = 50", "", {Kind::penalty, 50});
    expect_same(joint, ", enforcement = 'augmented', penalty_stiffness = 70", "", {Kind::augmented, 70});
  }
  for (const Case& support : supports) expect_same(support, "", "", {});
}

// The comparison sees one coordinate in a million: a joint a little aside has other numbers.
TEST(ConstraintStructs, ComparisonSeesASmallDifference) {
  Numbers numbers[2];
  for (std::size_t k : {0u, 1u}) {
    Assembly assembly = assembly_of_bodies();
    const std::size_t terms = assembly.parts.terms.size(), constraints = assembly.parts.constraints.size();
    add(assembly, Revolute{pair, {0.5, 0.1, k == 0 ? 0.2 : 0.2000001}, axis}, "part");
    numbers[k] = numbered(assembly.parts, terms, constraints);
  }
  EXPECT_NE(numbers[0], numbers[1]);
}

const std::pair<std::string, std::function<void(Assembly&)>> selections[] = {
    {"kind = 'box', body = 'cube', min = [0.4, 0], max = [1, 0.6]",
     [](Assembly& a) {
       constexpr double infinite = BoxSelection::infinite;
       add(a, BoxSelection{.body = "cube", .min = {0.4, 0, -infinite}, .max = {1, 0.6, infinite}}, "some");
     }},
    {"kind = 'plane', body = 'cube', point = [0.5, 0, 0], normal = [1, 1, 0], within = 0.01",
     [](Assembly& a) {
       add(a, PlaneSelection{.body = "cube", .point = {0.5, 0, 0}, .normal = {1, 1, 0}, .within = 0.01}, "some");
     }},
    {"kind = 'sphere', body = 'dust', point = [0, 0, 0], radius = 0.5",
     [](Assembly& a) {
       add(a, SphereSelection{.body = "dust", .point = {0, 0, 0}, .radius = 0.5}, "some");
     }},
    {"kind = 'nearest', body = 'cube', point = [0.6, 0.4, 0.9]",
     [](Assembly& a) {
       add(a, NearestSelection{"cube", {0.6, 0.4, 0.9}}, "some");
     }},
    {"kind = 'group', body = 'cube', group = 'y_max'",
     [](Assembly& a) {
       add(a, GroupSelection{"cube", "y_max"}, "some");
     }},
    {"kind = 'boundary', body = 'cube'", [](Assembly& a) { add(a, BoundarySelection{"cube"}, "some"); }},
};

TEST(SelectionStructs, HaveTheBitsOfScenes) {
  for (const auto& [text, add_selection] : selections) {
    const Case fixed{"kind = 'fixed', selection = 'some'", [&](Assembly& a, const Enforcement&) {
                       add_selection(a);
                       add(a, Fixed{"some"}, "part");
                     }};
    expect_same(fixed, "", "selection = [{ name = 'some', " + text + " }]\n", {});
  }
}

TEST(SupportStructs, MayNotContradictEachOther) {
  Assembly assembly = assembly_of_bodies();
  add(assembly, Fixed{"cube.x_min", "x"}, "roller");
  EXPECT_NO_THROW(add(assembly, Fixed{"cube.boundary", "x"}, "wall"));
  EXPECT_NO_THROW(add(assembly, Prescribed{"cube.x_min", {{}, "t", {}}}, "lift"));
  EXPECT_THROW(add(assembly, Prescribed{"cube.x_min", {"t", {}, {}}}, "push"), AssemblyError);
}

// --- motions and constraints of a user's own
// --------------------------------------------------------------------------

TEST(Displacement, IsAFunctionANumberOrAnExpression) {
  const Vec3 X{0.3, -0.2, 0.7};
  const double t = 0.4;
  const Displacement written("X*sin(3*t)"), given = [](const Vec3&at, double time) {
    return std::array{at[0] * std::sin(3 * time), 3 * at[0] * std::cos(3 * time), -9 * at[0] * std::sin(3 * time)};
  };
  constexpr double rounding = 1e-15;  // of numbers of order 1, a few operations
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(written.with_acceleration(X, t)[k], given.with_acceleration(X, t)[k], 9 * rounding) << k;
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(written.with_velocity(X, t)[k], given.with_velocity(X, t)[k], 3 * rounding) << k;
  EXPECT_GT(std::abs(given.with_velocity(X, t)[1]), 0.1);
  EXPECT_EQ(Displacement(2).with_acceleration(X, t), (std::array{2.0, 0.0, 0.0}));
  EXPECT_TRUE(Displacement().free());
  EXPECT_FALSE(Displacement(0).free());
  EXPECT_THROW(Displacement("sin("), AssemblyError);
}

// q_i^2 - q_j = 0
class Parabola final : public Constraint {
 public:
  Parabola(int i, int j) : Constraint("parabola", 1), columns_{i, j} {}
  void value(double, ConstVector q, Vector g) const override { g[0] = q[i()] * q[i()] - q[j()]; }
  void add_jacobian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    const int row = 0;
    const double block[2] = {scale * 2 * q[i()], -scale};
    sink.add_block(std::span(&row, 1), columns_, block);
  }
  void add_force(double, ConstVector q, ConstVector lambda, double scale, Vector f) const override {
    f[i()] += scale * lambda[0] * 2 * q[i()];
    f[j()] -= scale * lambda[0];
  }
  void add_curvature(double, ConstVector, ConstVector lambda, double scale, MatrixSink& sink) const override {
    const double block[4] = {2 * scale * lambda[0], 0, 0, 0};
    sink.add_block(columns_, columns_, block);
  }
  void rates(double, ConstVector q, ConstVector v, Vector rate, Vector second) const override {
    rate[0] = 2 * q[i()] * v[i()] - v[j()];
    second[0] = 2 * v[i()] * v[i()];
  }
  void magnitude(double, ConstVector q, Vector size) const override { size[0] = q[i()] * q[i()] + std::abs(q[j()]); }
  std::vector<int> coordinates() const override { return columns_; }

 private:
  std::size_t i() const { return static_cast<std::size_t>(columns_[0]); }
  std::size_t j() const { return static_cast<std::size_t>(columns_[1]); }
  std::vector<int> columns_;
};

TEST(OwnConstraint, IsHeldAsAskedFor) {
  const Assembly before = assembly_of_bodies();
  const int first = before.parts.bodies[2].first;
  const auto added = [&](const Enforcement& hold) {
    Assembly assembly = before;
    add(assembly, std::make_shared<Parabola>(first, first + 1), hold);
    return assembly.parts;
  };
  const Numbers q = random_vector(before.q.size(), 1, 9);
  Numbers g(1);
  Parabola(first, first + 1).value(0, q, g);
  EXPECT_EQ(added({}).constraints.back()->name(), "parabola");
  EXPECT_EQ(added({Kind::augmented, 7}).constraints.back()->enforcement.stiffness, 7);
  const ModelParts soft = added({Kind::penalty, 7});
  EXPECT_EQ(soft.constraints.size(), before.parts.constraints.size());
  EXPECT_DOUBLE_EQ(soft.terms.back()->energy(0, q), 3.5 * g[0] * g[0]);
  EXPECT_GT(std::abs(g[0]), 0.01);
}

TEST(OwnConstraint, NeedsItsCoordinates) {
  Assembly assembly = assembly_of_bodies();
  const int size = static_cast<int>(assembly.q.size());
  EXPECT_THROW(add(assembly, std::make_shared<Parabola>(0, size)), AssemblyError);
  EXPECT_THROW(add(assembly, std::make_shared<Parabola>(-1, 0)), AssemblyError);
  EXPECT_NO_THROW(add(assembly, std::make_shared<Parabola>(0, size - 1)));
}

}  // namespace
}  // namespace livens
