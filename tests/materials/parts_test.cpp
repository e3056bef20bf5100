// Materials from C++ structs are those from scenes; a material of one's own is registered at run time, and its elements
// are those of the built-in kind with the same energy.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "support/same_model.hpp"

namespace livens {
namespace {

using testing::expect_same_model;
using testing::quantities;
using testing::refused_key;
using testing::run_text;

constexpr double small = 1e-3;      // m: elements of unit size stay far from inverted
constexpr double same_law = 1e-12;  // relative: the same energy in another order of operations

// Neo-Hookean once more, as a user would write it.
struct Mine {
  double lambda, mu;
  template <class S>
  S energy(const S& i1, const S&, const S& j) const {
    using std::log;
    const S l = log(j);
    return 0.5 * mu * (i1 - 3.0 - 2.0 * l) + 0.5 * lambda * l * l + 7.0;
  }
};

const MaterialRecord& mine() {
  static const MaterialRecord& record =
      material_records().add(own_material("mine", "neo-Hookean under another name", [](const MaterialConstants& c) {
        return Mine{c.moduli.lambda, c.moduli.mu};
      }));
  return record;
}

// By its own constants, as a lambda.
const MaterialRecord& mine_by_constants() {
  static const MaterialRecord& record = material_records().add(own_material(
      "mine_by_constants", "neo-Hookean by lambda and mu",
      [](const MaterialConstants& c) {
        return [la = c.given.number("la"), mu = c.given.number("mu")](const auto& i1, const auto&, const auto& j) {
          return Mine{la, mu}.energy(i1, i1, j);
        };
      },
      {required(number_key("la", "Pa", "", "Lame's first constant")),
       required(positive(number_key("mu", "Pa", "", "shear modulus")))}));
  return record;
}

std::string scene_with(const std::string& material) {
  return std::string(run_text) + "material = [{ name = 'stuff', density = 900, " + material +
         " }]\nbody = [{ name = 'box', kind = 'solid', material = 'stuff', mesh = { kind = 'box', size = [1, 1, 1], "
         "cells = [1, 2, 1], element = 'tet10' } }]\n";
}

Assembly assembly_with(const Material& material) {
  Assembly assembly;
  add(assembly, material, "stuff");
  Solid box{.mesh = to_quadratic(box_mesh({.size = {1, 1, 1}, .cells = {1, 2, 1}})), .material = "stuff"};
  add(assembly, box, "box");
  return assembly;
}

// The largest difference of two lists over the largest entry.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(a[i]));
  }
  return difference / size;
}

std::vector<double> at_random(const Model& model, const State& start) {
  std::vector<double> q = start.q, v(q.size(), 0.0);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.03 * std::sin(1.0 + 7.0 * static_cast<double>(i * i));
  return quantities(model, 0, q, v);
}

TEST(MaterialParts, StructsAreThoseOfScenes) {
  const std::string text = "energy = 'mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2'";
  const std::pair<std::string, Material> cases[] = {
      {"kind = 'neo_hookean', young = 1e5, poisson = 0.3", neo_hookean({1e5, 0.3, 900})},
      {"kind = 'isochoric_neo_hookean', young = 1e5, poisson = 0.3", isochoric_neo_hookean({1e5, 0.3, 900})},
      {"kind = 'mooney_rivlin', young = 1e5, poisson = 0.3", mooney_rivlin({1e5, 0.3, 900})},
      {"kind = 'st_venant_kirchhoff', young = 1e5, poisson = 0.3", st_venant_kirchhoff({1e5, 0.3, 900})},
      {"kind = 'stable_neo_hookean', young = 1e5, poisson = 0.3", stable_neo_hookean({1e5, 0.3, 900})},
      {"kind = 'linear', young = 1e5, poisson = 0.3", linear_elastic({1e5, 0.3, 900})},
      {"kind = 'expression', " + text,
       expression_material("mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2", 900, {{"mu", 3e4}, {"la", 5e4}})},
      {"kind = 'neo_hookean', bulk = 1e5, shear = 3e4", {"neo_hookean", 900, {{"bulk", 1e5}, {"shear", 3e4}}, {}}},
      {"kind = 'mooney_rivlin', young = 1e5, poisson = 0.3, c01_share = 0.5, volumetric = 'square'",
       {"mooney_rivlin", 900, {{"young", 1e5}, {"poisson", 0.3}, {"c01_share", 0.5}}, {{"volumetric", "square"}}}}};
  for (const auto& [scene_text, material] : cases) {
    SCOPED_TRACE(scene_text);
    const bool parameters = material.kind == "expression";
    const Scene scene =
        parse_scene((parameters ? "parameters = { mu = 3e4, la = 5e4 }\n" : "") + scene_with(scene_text));
    const Model from_text = make_model(scene);
    const Assembly assembly = assembly_with(material);
    const Model from_struct = assembly.model();
    expect_same_model(from_text, initial_state(scene, from_text), from_struct, assembly.start(from_struct), small);
  }
}

TEST(MaterialParts, OneOfOnesOwnIsTheBuiltInWithTheSameEnergy) {
  mine();
  mine_by_constants();
  const double young = 1e5, poisson = 0.3;
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
  const Assembly built_in = assembly_with(neo_hookean({young, poisson, 900}));
  const Model model = built_in.model();
  const auto expected = at_random(model, built_in.start(model));
  const Material others[] = {{"mine", 900, {{"young", young}, {"poisson", poisson}}, {}},
                             {"mine_by_constants", 900, {{"la", lambda}, {"mu", mu}}, {}}};
  for (const Material& other : others) {
    SCOPED_TRACE(other.kind);
    const Assembly own = assembly_with(other);
    const Model own_model = own.model();
    const auto found = at_random(own_model, own.start(own_model));
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_LT(distance(expected, found), same_law);
    EXPECT_NEAR(own_model.potential(0, own.q), 0, same_law * young);  // the constant at rest does not count
  }
  // The comparison sees a modulus that is wrong in its tenth digit.
  const Assembly wrong = assembly_with({"mine", 900, {{"young", young * (1 + 1e-10)}, {"poisson", poisson}}, {}});
  const Model wrong_model = wrong.model();
  EXPECT_GT(distance(expected, at_random(wrong_model, wrong.start(wrong_model))), same_law);
}

TEST(MaterialParts, ScenesKnowOneOfOnesOwn) {
  mine();
  const Scene scene = parse_scene(scene_with("kind = 'mine', young = 1e5, poisson = 0.3"));
  const Model model = make_model(scene);
  const Assembly assembly = assembly_with({"mine", 900, {{"young", 1e5}, {"poisson", 0.3}}, {}});
  const Model from_struct = assembly.model();
  expect_same_model(model, initial_state(scene, model), from_struct, assembly.start(from_struct), small);
  EXPECT_THROW(make_model(parse_scene(scene_with("kind = 'mine', yung = 1e5, poisson = 0.3"))), SceneError);
}

TEST(MaterialParts, NamesAreTakenOnce) {
  mine();
  for (const char* taken : {"mine", "neo_hookean", ""})
    EXPECT_THROW(material_records().add(own_material(taken, "",
                                                     [](const MaterialConstants&) {
                                                       return Mine{1, 1};
                                                     })),
                 std::invalid_argument);
}

TEST(MaterialParts, WrongStructsAreRefusedWithTheirKey) {
  mine_by_constants();
  static const MaterialRecord& pulled =
      material_records().add(own_material("pulled", "has stress at rest", [](const MaterialConstants& c) {
        return [mu = c.moduli.mu](const auto& i1, const auto&, const auto& j) { return mu * i1 + mu * j * j; };
      }));
  const auto refused = [](const Material& material) {
    Assembly assembly;
    return refused_key([&] { add(assembly, material, "stuff"); });
  };
  EXPECT_EQ(refused(neo_hookean({1e5, 0.3, 900})), "nothing");
  EXPECT_EQ(refused({"rubber", 900, {}, {}}), "kind");
  EXPECT_EQ(refused(neo_hookean({1e5, 0.3, 0})), "density");
  EXPECT_EQ(refused(neo_hookean({-1, 0.3, 900})), "young");
  EXPECT_EQ(refused(neo_hookean({1e5, 0.5, 900})), "poisson");
  EXPECT_EQ(refused({"neo_hookean", 900, {{"yung", 1}}, {}}), "yung");
  EXPECT_EQ(refused({"neo_hookean", 900, {{"young", 1}}, {}}), "young");
  EXPECT_EQ(refused({"neo_hookean", 900, {}, {}}), "");
  EXPECT_EQ(refused({"mooney_rivlin", 900, {{"young", 1}, {"poisson", 0.1}}, {{"volumetric", "cubic"}}}), "volumetric");
  EXPECT_EQ(refused(expression_material("I1 - 3", 900)), "energy");
  EXPECT_EQ(refused(expression_material("I1 - ", 900)), "energy");
  EXPECT_EQ(refused({"mine_by_constants", 900, {{"la", 1}}, {}}), "mu");
  EXPECT_EQ(refused({pulled.name, 900, {{"young", 1}, {"poisson", 0.1}}, {}}), "");
}

}  // namespace
}  // namespace livens
