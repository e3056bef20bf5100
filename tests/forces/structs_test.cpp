// Forces and contacts by their structs: the same bits as from a scene, the same refusals; terms of a user's own.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "bodies/solid.hpp"
#include "scene/schema.hpp"
#include "support/bodies.hpp"
#include "support/derivatives.hpp"

namespace livens {
namespace {

using testing::random_vector;
using Numbers = std::vector<double>;

const std::string& in_space = testing::bodies;

const std::string in_plane = R"(
time = { end = 1 }
integrator = { kind = 'stormer_verlet', step = 0.01 }
[[material]]
name = 'jelly'
kind = 'neo_hookean'
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = 'lattice'
kind = 'particles'
mass = 0.1
layout = { kind = 'triangular_lattice', count = [3, 4], periodic = true }
[[body]]
name = 'plate'
kind = 'solid'
material = 'jelly'
mass_matrix = 'consistent'
thickness = 0.1
mesh = { kind = 'rectangle', size = [2, 1], cells = [2, 2], element = 'tri6' }
)";

// The bodies alone.
Assembly assembly_of(const std::string& bodies) {
  const ValidatedScene scene = validated(parse_scene(bodies));
  Assembly assembly;
  for (const Entry* entry : scene.all("material"))
    add_material(entry->settings, entry->name, material_records().at(entry->kind), assembly);
  for (const Entry* entry : scene.all("body"))
    body_records().at(entry->kind).add(entry->settings, entry->name, assembly);
  return assembly;
}

// --- what a model is, as numbers -------------------------------------------------------------------------------------

// All blocks in their order. Of elements the pattern alone: their forces, which are compared, are linear in v.
class BlockList final : public MatrixSink {
 public:
  void add_block(std::span<const int> rows, std::span<const int> columns, const double* values) override {
    numbers.insert(numbers.end(), rows.begin(), rows.end());
    numbers.insert(numbers.end(), columns.begin(), columns.end());
    numbers.insert(numbers.end(), values, values + rows.size() * columns.size());
  }
  BlockAccess blocks(std::span<const int> first, int, int) override {
    numbers.insert(numbers.end(), first.begin(), first.end());
    return {};
  }
  Numbers numbers;
};

class Numbered {
 public:
  Numbered(const EnergyTerm& term, double t, const Numbers& x, const Numbers& y) {
    Numbers gradient(x.size(), 0.0), load(x.size(), 0.0);
    append(term.energy(t, x), term.time_derivative(t, x));
    term.add_gradient(t, x, 0.7, gradient);
    append(term.add_discrete_gradient(t, x, y, 1, gradient), term.add_constant_load(load));
    append(gradient);
    append(load);
    BlockList hessian;
    term.add_hessian(t, x, 1, hessian);
    append(hessian.numbers);
    append(term.invariance().translations, term.invariance().rotations, term.stencils() != nullptr);
    for (const Obstacle& obstacle : term.obstacles())
      for (int c = 0; c < 3; ++c) append(obstacle.point[c], obstacle.normal[c], obstacle.radius);
    for (const Link& link : term.links())
      for (const AffinePoint& end : link.ends)
        for (const AffineForm& form : end) append(form.value(x));
  }
  Numbered(const Force& force, double t, const Numbers& q, const Numbers& v) {
    Numbers f(q.size(), 0.0), drag(q.size(), 0.0);
    force.add_force(t, q, v, 1, f);
    append(force.add_constant_drag(drag), force.linear_in_velocity());
    append(f);
    append(drag);
    BlockList jacobian;
    force.add_jacobian(t, q, v, 0.3, 0.8, jacobian);
    append(jacobian.numbers);
    append(force.invariance().translations, force.invariance().rotations, force.placement(true) == Placement::lagged,
           force.step_energy() != nullptr, force.ledger_side() == LedgerSide::work);
  }
  Numbers numbers;

 private:
  void append(const Numbers& more) { numbers.insert(numbers.end(), more.begin(), more.end()); }
  template <class... Values>
  void append(Values... values) {
    (numbers.push_back(static_cast<double>(values)), ...);
  }
};

struct Described {
  Numbers numbers;
  std::vector<std::string> names;
};

// What acts on the bodies, near their start and moving.
Described described(const ModelParts& parts, const Numbers& start) {
  const std::size_t n = start.size();
  Numbers x = start, y = start;
  const Numbers off = random_vector(n, 0.2, 1), further = random_vector(n, 0.2, 2), v = random_vector(n, 1, 3);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] += off[i];
    y[i] += further[i];
  }
  Described all;
  const auto keep = [&](const std::string& name, const Numbers& numbers) {
    all.names.push_back(name);
    all.numbers.insert(all.numbers.end(), numbers.begin(), numbers.end());
  };
  for (const double t : {0.0, 0.37}) {
    for (const auto& term : parts.terms)
      if (term->elements() == nullptr) keep(term->name(), Numbered(*term, t, x, y).numbers);
    for (const auto& force : parts.forces) keep(force->name(), Numbered(*force, t, x, v).numbers);
  }
  return all;
}

// --- both faces ------------------------------------------------------------------------------------------------------

using AddPart = std::function<void(Assembly&)>;

struct Case {
  std::string text;  // what the scene says besides its bodies
  AddPart add_part;
};

void expect_same(const std::string& bodies, const Case& both) {
  Assembly assembly = assembly_of(bodies);
  const Described bare = described(assembly.parts, assembly.q);
  both.add_part(assembly);
  const Model model = make_model(parse_scene(both.text + "\n" + bodies));
  const Described by_text = described(model.parts(), assembly.q), by_struct = described(assembly.parts, assembly.q);
  EXPECT_EQ(by_text.names, by_struct.names) << both.text;
  EXPECT_TRUE(by_text.numbers == by_struct.numbers) << both.text;
  double sum = 0;  // a guard: the part does something at this state
  for (std::size_t i = bare.numbers.size(); i < by_struct.numbers.size(); ++i) sum += std::abs(by_struct.numbers[i]);
  EXPECT_GT(by_struct.names.size(), bare.names.size());
  EXPECT_GT(sum, 1e-9) << both.text;
}

std::string force(const std::string& text) { return "force = [{ name = 'part', " + text + " }]"; }
std::string contact(const std::string& text) { return "contact = [{ name = 'part', " + text + " }]"; }

template <class Part>
AddPart adds(const Part& part) {
  return [part](Assembly& assembly) { add(assembly, part, "part"); };
}

TEST(ForceStructs, SameBitsAsFromAScene) {
  const std::vector<Case> cases = {
      {force("kind = 'gravity', acceleration = [0.1, 0.2, -9.81]"), adds(Gravity{.acceleration = {0.1, 0.2, -9.81}})},
      {force("kind = 'gravity', body = 'dust', acceleration = [0, 0, -9.81]"), adds(Gravity{"dust", {0, 0, -9.81}})},
      {force("kind = 'pairwise_gravity', body = 'dust'"), adds(PairwiseGravity{.body = "dust"})},
      {force("kind = 'pairwise_gravity', body = 'dust', constant = 2, softening = 0.1"),
       adds(PairwiseGravity{"dust", 2, 0.1})},
      {force("kind = 'spring', body = 'chain', stiffness = 2, cubic = 3, quartic = 4"),
       adds(Springs{.body = "chain", .stiffness = 2, .cubic = 3, .quartic = 4})},
      {force("kind = 'spring', body = 'dust', stiffness = 2, pairs = [[0, 1], [2, 0]], rest_length = 0.1"),
       adds(Springs{.body = "dust", .stiffness = 2, .rest_length = {0.1}, .pairs = {{{0, 1}, {2, 0}}}})},
      {force("kind = 'spring', body = 'dust', stiffness = 2, pairs = [[0, 1], [2, 0]], rest_length = [0.1, 0.3]"),
       adds(Springs{.body = "dust", .stiffness = 2, .rest_length = {0.1, 0.3}, .pairs = {{{0, 1}, {2, 0}}}})},
      {force("kind = 'spring', body = 'chain', stiffness = 2, quartic = 1, linearised = true"),
       adds(Springs{.body = "chain", .stiffness = 2, .quartic = 1, .linearised = true})},
      {force("kind = 'spring', bodies = ['a', 'b'], ends = [[0.1, 0, 0], [1, 0, 0.3]], stiffness = 2, cubic = 3"),
       adds(Spring{.bodies = {"a", "b"}, .ends = {{{0.1, 0, 0}, {1, 0, 0.3}}}, .stiffness = 2, .cubic = 3})},
      {force("kind = 'spring', bodies = ['ground', 'dust'], ends = [[0, 0, 0], [0.3, 0.1, 0]], stiffness = 2, "
             "quartic = 1, rest_length = 0.2"),
       adds(Spring{{"ground", "dust"}, {{{0, 0, 0}, {0.3, 0.1, 0}}}, 2, 0, 1, 0.2})},
      {force("kind = 'damper', bodies = ['a', 'dust'], ends = [[0.1, 0, 0], [0, 0.4, 0.2]], coefficient = 3"),
       adds(Damper{{"a", "dust"}, {{{0.1, 0, 0}, {0, 0.4, 0.2}}}, 3})},
      {force("kind = 'drag', drag_coefficient = 0.3"), adds(Drag{.drag_coefficient = 0.3})},
      {force("kind = 'mass_damping', body = 'b', damping_rate = 0.3"), adds(MassDamping{"b", 0.3})},
      {force("kind = 'strain_damping', damping_time = 0.01"), adds(StrainDamping{.damping_time = 0.01})},
      {force("kind = 'strain_damping', body = 'cube', damping_time = 0.01, damping_form = 'published'"),
       adds(StrainDamping{"cube", 0.01, DampingForm::published})},
      {force("kind = 'rayleigh_damping', body = 'cube', damping_time = 0.01, damping_rate = 0.2"),
       adds(RayleighDamping{.body = "cube", .damping_time = 0.01, .damping_rate = 0.2})},
      {"parameters = { strength = 3 }\n" +
           force("kind = 'traction', selection = 'cube.x_max', traction = [3, '1 + 2*Y*Z', 'strength*t^2*Z']"),
       adds(Traction{.selection = "cube.x_max",
                     .traction = {3, "1 + 2*Y*Z", LoadFunction("strength*t^2*Z", {{"strength", 3}})}})},
      {force("kind = 'load', body = 'dust', total_force = [0, 't', 'sin(3*t)'], torque = [0, 0, 't']"),
       adds(Load{.body = "dust", .total_force = {0, "t", "sin(3*t)"}, .torque = {0, 0, "t"}})},
      {force("kind = 'load', selection = 'cube.z_max', torque = [1, 2, 3]"),
       adds(Load{.selection = "cube.z_max", .torque = {1, 2, 3}})},
  };
  for (const Case& each : cases) expect_same(in_space, each);
}

TEST(ForceStructs, SameBitsInAPlane) {
  const std::vector<Case> cases = {
      {force("kind = 'gravity', acceleration = [0.1, -9.81]"), adds(Gravity{.acceleration = {0.1, -9.81}})},
      {force("kind = 'spring', body = 'lattice', stiffness = 2, quartic = 3"),
       adds(Springs{.body = "lattice", .stiffness = 2, .quartic = 3})},
      {"force = [{ name = 'damping', kind = 'strain_damping', body = 'lattice', damping_time = 0.2 }, "
       "{ name = 'part', kind = 'spring', body = 'lattice', stiffness = 2 }]",
       [](Assembly& assembly) {
         add(assembly, Springs{.body = "lattice", .stiffness = 2}, "part");
         add(assembly, StrainDamping{.body = "lattice", .damping_time = 0.2}, "damping");
       }},
      {force("kind = 'mass_damping', damping_rate = 0.3"), adds(MassDamping{.damping_rate = 0.3})},
      {force("kind = 'load', selection = 'plate.x_max', total_force = [1, 2], torque = '3*t'"),
       adds(Load{.selection = "plate.x_max", .total_force = {1, 2}, .torque = {"3*t"}})},
  };
  for (const Case& each : cases) expect_same(in_plane, each);
}

TEST(ContactStructs, SameBitsAsFromAScene) {
  const std::vector<Case> cases = {
      {contact("kind = 'plane', body = 'cube', point = [0, 0, 0.3], normal = [0, 1, 2]"),
       adds(ContactPlane{.body = "cube", .point = {0, 0, 0.3}, .normal = {0, 1, 2}})},
      {contact("kind = 'plane', body = 'dust', point = [0, 0, 0.3], normal = [0, 0, 1], stiffness = 5, onset = 0.01"),
       adds(ContactPlane{"dust", {0, 0, 0.3}, {0, 0, 1}, 10, 5, 0.01})},
      {contact("kind = 'sphere', body = 'cube', point = [1, 1, 1], radius = 0.7, relative_stiffness = 2"),
       adds(ContactSphere{.body = "cube", .point = {1, 1, 1}, .radius = 0.7, .relative_stiffness = 2})},
  };
  for (const Case& each : cases) expect_same(in_space, each);
  expect_same(in_plane, {contact("kind = 'sphere', body = 'plate', point = [1, 0.5], radius = 0.7"),
                         adds(ContactSphere{.body = "plate", .point = {1, 0.5}, .radius = 0.7})});
}

// The comparison above sees the last bit of a number.
TEST(ForceStructs, TheLastBitOfAValueIsSeen) {
  Assembly one = assembly_of(in_space), other = one;
  add(one, Drag{"dust", 0.3}, "part");
  add(other, Drag{"dust", std::nextafter(0.3, 1)}, "part");
  EXPECT_FALSE(described(one.parts, one.q).numbers == described(other.parts, other.q).numbers);
}

// --- refusals --------------------------------------------------------------------------------------------------------

struct Wrong {
  std::string key;
  AddPart add_part;
  std::string text = {};  // the same in a scene, with the same words; "" where a scene cannot say it
};

void expect_refused(const Wrong& wrong, const std::string& bodies) {
  Assembly assembly = assembly_of(bodies);
  std::string message;
  try {
    wrong.add_part(assembly);
    ADD_FAILURE() << "accepted: " << wrong.key << " " << wrong.text;
  } catch (const AssemblyError& error) {
    EXPECT_EQ(error.key, wrong.key) << error.what();
    message = error.what();
  }
  EXPECT_FALSE(message.empty());
  if (wrong.text.empty()) return;
  try {
    make_model(parse_scene(wrong.text + "\n" + bodies));
    ADD_FAILURE() << "accepted: " << wrong.text;
  } catch (const SceneError& error) {
    ASSERT_EQ(error.faults().size(), 1u) << error.what();
    const SceneFault& fault = error.faults().front();
    const std::string section = wrong.text.substr(0, wrong.text.find(' '));
    EXPECT_EQ(fault.key, section + ".part" + (wrong.key.empty() ? "" : "." + wrong.key));
    EXPECT_EQ(fault.message, message);
    EXPECT_EQ(fault.place.line, 1);
  }
}

TEST(ForceStructs, WrongOnesAreRefusedAsInScenes) {
  const std::vector<Wrong> wrongs = {
      {"body", adds(Gravity{.body = "dusk", .acceleration = {0, 0, -1}})},
      {"constant", adds(PairwiseGravity{.body = "dust", .constant = 0}),
       force("kind = 'pairwise_gravity', body = 'dust', constant = 0")},
      {"stiffness", adds(Springs{.body = "chain", .stiffness = -1}),
       force("kind = 'spring', body = 'chain', stiffness = -1")},
      {"rest_length", adds(Springs{.body = "chain", .stiffness = 1, .rest_length = {1, 2, 3}}),
       force("kind = 'spring', body = 'chain', stiffness = 1, rest_length = [1, 2, 3]")},
      {"rest_length", adds(Springs{.body = "chain", .stiffness = 1, .rest_length = {-1}}),
       force("kind = 'spring', body = 'chain', stiffness = 1, rest_length = -1")},
      {"pairs", adds(Springs{.body = "dust", .stiffness = 1}), force("kind = 'spring', body = 'dust', stiffness = 1")},
      {"pairs", adds(Springs{.body = "dust", .stiffness = 1, .pairs = {{{0, 3}}}}),
       force("kind = 'spring', body = 'dust', stiffness = 1, pairs = [[0, 3]]")},
      {"bodies", adds(Spring{.bodies = {"a", "c"}, .stiffness = 1}),
       force("kind = 'spring', bodies = ['a', 'c'], ends = [[0, 0, 0], [0, 0, 0]], stiffness = 1")},
      {"ends", adds(Damper{{"a", "dust"}, {{{0, 0, 0}, {9, 9, 9}}}, 1}),
       force("kind = 'damper', bodies = ['a', 'dust'], ends = [[0, 0, 0], [9, 9, 9]], coefficient = 1")},
      {"coefficient", adds(Damper{{"a", "b"}, {}, -1}),
       force("kind = 'damper', bodies = ['a', 'b'], ends = [[0, 0, 0], [0, 0, 0]], coefficient = -1")},
      {"drag_coefficient", adds(Drag{.drag_coefficient = -1}), force("kind = 'drag', drag_coefficient = -1")},
      {"damping_rate", adds(MassDamping{.damping_rate = -1}), force("kind = 'mass_damping', damping_rate = -1")},
      {"", adds(StrainDamping{"dust", 1}), force("kind = 'strain_damping', body = 'dust', damping_time = 1")},
      {"damping_time", adds(RayleighDamping{.damping_time = -1}),
       force("kind = 'rayleigh_damping', damping_time = -1, damping_rate = 0")},
      {"selection", adds(Traction{.selection = "dust.all", .traction = {1, 2, 3}}),
       force("kind = 'traction', selection = 'dust.all', traction = [1, 2, 3]")},
      {"traction", adds(Traction{.selection = "cube.x_max", .traction = {1, 2}}),
       force("kind = 'traction', selection = 'cube.x_max', traction = [1, 2]")},
      {"", adds(Load{.body = "dust"}), force("kind = 'load', body = 'dust'")},
      {"total_force", adds(Load{.body = "dust", .total_force = {"X", 0, 0}}),
       force("kind = 'load', body = 'dust', total_force = ['X', 0, 0]")},
      {"torque", adds(Load{.selection = "chain.all", .torque = {1, 0, 0}}),
       force("kind = 'load', selection = 'chain.all', torque = [1, 0, 0]")},
      {"body", adds(ContactPlane{.body = "a", .normal = {0, 0, 1}}),
       contact("kind = 'plane', body = 'a', point = [0, 0, 0], normal = [0, 0, 1]")},
      {"normal", adds(ContactPlane{.body = "cube"}),
       contact("kind = 'plane', body = 'cube', point = [0, 0, 0], normal = [0, 0, 0]")},
      {"stiffness", adds(ContactSphere{.body = "dust", .radius = 1}),
       contact("kind = 'sphere', body = 'dust', point = [0, 0, 0], radius = 1")},
      {"onset", adds(ContactSphere{.body = "dust", .radius = 1, .stiffness = 2}),
       contact("kind = 'sphere', body = 'dust', point = [0, 0, 0], radius = 1, stiffness = 2")},
      {"radius", adds(ContactSphere{.body = "cube"}),
       contact("kind = 'sphere', body = 'cube', point = [0, 0, 0], radius = 0")},
  };
  for (const Wrong& each : wrongs) expect_refused(each, in_space);
  // In scenes the number of components is refused, with other words.
  expect_refused({"acceleration", adds(Gravity{.acceleration = {0, 0, -9.81}})}, in_plane);
  expect_refused({"point", adds(ContactSphere{.body = "plate", .point = {0, 0, 1}, .radius = 1})}, in_plane);
  expect_refused({"normal", adds(ContactPlane{.body = "plate", .normal = {0, 0, 1}})}, in_plane);
}

// --- of one's own ----------------------------------------------------------------------------------------------------

TEST(ForceStructs, LoadsMayBeFunctionsOfOnesOwn) {
  Assembly by_text = assembly_of(in_space), by_function = by_text;
  add(by_text, Load{.body = "dust", .total_force = {"2*t", 0, 0}}, "push");
  add(by_text, Traction{.selection = "cube.x_max", .traction = {"X*t", 0, 0}}, "pull");
  const auto of_time = [](double t) -> std::array<double, 2> { return {2 * t, 2}; };
  const auto of_place = [](const Vec3& X, double t) -> std::array<double, 2> { return {X[0] * t, X[0]}; };
  add(by_function, Load{.body = "dust", .total_force = {of_time, 0, 0}}, "push");
  add(by_function, Traction{.selection = "cube.x_max", .traction = {of_place, 0, 0}}, "pull");
  EXPECT_TRUE(described(by_text.parts, by_text.q).numbers == described(by_function.parts, by_text.q).numbers);
  EXPECT_THROW(add(by_function, Load{.body = "dust", .total_force = {of_place, 0, 0}}, "push"), AssemblyError);
  EXPECT_THROW(LoadFunction("2*u"), AssemblyError);
}

class Tether final : public EnergyTerm {  // W = k/2 q_i^2
 public:
  Tether(int i, double k) : EnergyTerm("tether"), i_(static_cast<std::size_t>(i)), k_(k) {}
  double energy(double, ConstVector q) const override { return k_ / 2 * q[i_] * q[i_]; }
  void add_gradient(double, ConstVector q, double scale, Vector g) const override { g[i_] += scale * k_ * q[i_]; }
  void add_hessian(double, ConstVector, double scale, MatrixSink& sink) const override {
    const int row = static_cast<int>(i_);
    const double value = scale * k_;
    sink.add_block({&row, 1}, {&row, 1}, &value);
  }

 private:
  std::size_t i_;
  double k_;
};

class Thrust final : public Force {  // f_i = 3
 public:
  explicit Thrust(int i) : Force("thrust"), i_(static_cast<std::size_t>(i)) {}
  void add_force(double, ConstVector, ConstVector, double scale, Vector f) const override { f[i_] += 3 * scale; }
  void add_jacobian(double, ConstVector, ConstVector, double, double, MatrixSink&) const override {}
  LedgerSide ledger_side() const override { return LedgerSide::work; }
  bool depends_on_velocity() const override { return false; }

 private:
  std::size_t i_;
};

TEST(ForceStructs, TermsOfOnesOwn) {
  Assembly assembly = assembly_of(in_space);
  const int first = assembly.parts.bodies[assembly.body_index("dust")].first;
  const double before = Model(assembly.parts).potential(0, assembly.q);
  add(assembly, std::make_shared<Tether>(first, 4.0));
  add(assembly, std::make_shared<Thrust>(first));
  const Model model(assembly.parts);
  const auto at = static_cast<std::size_t>(first);
  Numbers f(assembly.q.size());
  model.forces(0, assembly.q, assembly.v, f);
  EXPECT_EQ(f[at], 3);
  EXPECT_NEAR(model.potential(0, assembly.q) - before, 2 * 0.3 * 0.3, 1e-12);  // the first particle is at x = 0.3
  EXPECT_THROW(add(assembly, std::shared_ptr<const EnergyTerm>()), AssemblyError);
  EXPECT_THROW(add(assembly, std::shared_ptr<const Force>()), AssemblyError);
}

}  // namespace
}  // namespace livens
