// Fields of a deformation that is known in every point.
#include "files/fields.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "files/fake_solid.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;

constexpr double rounding = 1e-12;

TEST(Fields, OfAUniformStretch) {
  const Model model = solid_model(small_box());
  const Body& body = model.bodies()[0];
  const State state = affine_state(model, 1, stretch_x());
  BodyFields at(model, body, state);
  const double stress = 0.1 * FakeBlock::stiffness;
  const auto check = [&](const char* name, std::size_t count, double expected) {
    const auto values = field_record(name).values(at);
    EXPECT_EQ(values.size(), count) << name;
    for (const double value : values) EXPECT_NEAR(value, expected, rounding * FakeBlock::stiffness) << name;
  };
  const auto elements = static_cast<std::size_t>(body.mesh->elements());
  check("von_mises", elements, stress);
  check("pressure", elements, -stress / 3);
  check("energy_density", elements, 0.5 * stress * 0.1);
  check("volume_ratio", elements, 1.1);
  check("region", elements, 0);
  const auto all = field_record("stress").values(at);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_NEAR(all[k], k % 6 == 0 ? stress : 0, rounding * stress);
  const auto u = field_record("displacement").values(at), v = field_record("velocity").values(at),
             speed = field_record("speed").values(at), push = field_record("contact_force").values(at);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double expected = i % 3 == 0 ? 0.1 * body.reference[i] : 0;
    EXPECT_NEAR(u[i], expected, rounding);
    EXPECT_NEAR(v[i], expected, rounding);
    EXPECT_EQ(push[i], i % 3 == 2 ? 1 : 0);
    EXPECT_NEAR(speed[i / 3], 0.1 * body.reference[i / 3 * 3], rounding);
  }
}

TEST(Fields, VonMisesOfShear) {
  const Model model = solid_model(small_rectangle());
  Eigen::Matrix3d shear = Eigen::Matrix3d::Zero();
  shear(0, 1) = 0.2;
  const State state = affine_state(model, 1, shear);
  BodyFields at(model, model.bodies()[0], state);
  for (const double value : field_record("von_mises").values(at))
    EXPECT_NEAR(value, std::sqrt(3.0) * 0.1 * FakeBlock::stiffness, rounding * FakeBlock::stiffness);
}

TEST(Fields, HaveAsManyNumbersAsTheySay) {
  for (const Mesh& mesh : {small_box(ElementKind::tet10), small_rectangle(ElementKind::tri6)}) {
    const Model model = solid_model(mesh);
    const State state = affine_state(model, 1, stretch_x());
    BodyFields at(model, model.bodies()[0], state);
    const auto fields = evaluate_fields(at, field_names());
    EXPECT_EQ(fields.size(), field_records().size());
    for (const MeshField& field : fields)
      EXPECT_EQ(static_cast<int>(field.values.size()),
                field.components * (field.per_cell ? mesh.elements() : mesh.nodes()))
          << field.name;
  }
}

TEST(Fields, OfSolidsAreLeftOutForParticles) {
  const Scene scene = parse_scene(lattice_text("kind = 'stormer_verlet', step = 0.05", "1"));
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);
  BodyFields at(model, model.bodies()[0], state);
  const auto fields = evaluate_fields(at, field_names());
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_EQ(fields[0].name, "displacement");
}

TEST(Fields, UnknownNamesGetASuggestionAndAPlace) {
  const std::string text = lattice_text("kind = 'stormer_verlet', step = 0.05", "1",
                                        "output = [{ kind = \"vtu\", fields = [\"velocty\"] }]\n");
  try {
    check_scene(parse_scene(text, "scene"));
    FAIL();
  } catch (const SceneError& error) {
    ASSERT_EQ(error.faults().size(), 1u);
    EXPECT_EQ(error.faults()[0].to_string(),
              "scene:4:37: output.vtu.fields: 'velocty' is not known here. Did you mean 'velocity'?");
  }
}

TEST(Fields, AreListed) {
  for (const FieldRecord& record : field_records()) {
    EXPECT_NE(fields_text().find(record.name + " "), std::string::npos);
    EXPECT_NE(fields_json().find("\"name\": \"" + record.name + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace livens
