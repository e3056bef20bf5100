// What is no crack, no contour and no integral is refused, with the reason [L04 5].
#include <string>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "run/plan.hpp"

namespace livens {
namespace {

std::string plate(const std::string& more) {
  return "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 1 }\n"
         "material = [{ name = 'steel', kind = 'linear', young = 1e9, poisson = 0.3, density = 1000 }]\n"
         "body = [{ name = 'plate', kind = 'solid', material = 'steel', mesh = { kind = 'cracked_plate', size = [1, "
         "4], "
         "crack = 'edge', length = 0.5, tip_size = 0.1, edge_length = 0.2 } }]\n"
         "force = [{ name = 'up', kind = 'traction', selection = 'plate.y_max', traction = [0, 1e6] },\n"
         "  { name = 'down', kind = 'traction', selection = 'plate.y_min', traction = [0, -1e6] }]\n"
         "selection = [{ name = 'end', body = 'plate', kind = 'nearest', point = [1, 0] }]\n"
         "constraint = [{ name = 'pin', kind = 'fixed', selection = 'end' },\n"
         "  { name = 'roller', kind = 'fixed', selection = 'plate.crack_tip', components = 'y' }]\n"
         "crack = [{ name = 'tip', selection = 'plate.crack_tip', direction = [1, 0] }]\n" +
         more;
}

const char* contours =
    "contour = [{ name = 'alone', crack = 'tip', rings = 0 }, { name = 'rings', crack = 'tip', rings = 4 },\n"
    "  { name = 'small', crack = 'tip', radius = 0.1 }, { name = 'large', crack = 'tip', radius = 0.4 }]\n";

// The message alone, without its place.
std::string told(const std::string& more, const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  Scene scene = parse_scene(plate(more));
  for (const auto& [key, value] : changes) scene.set(key, value);
  try {
    make_plan(scene, make_model(scene));
  } catch (const SceneError& error) {
    return error.faults().front().key + ": " + error.faults().front().message;
  }
  return "";
}

TEST(L04Crack, ContoursThatAreNoneAreRefused) {
  EXPECT_EQ(told(contours), "");
  EXPECT_EQ(
      told("contour = [{ name = 'far', crack = 'tip', radius = 0.6 }]\n"),
      "contour.far.radius: J reaches a surface of the body that is not parallel to the crack. Use a smaller one.");
  EXPECT_EQ(told("contour = [{ name = 'none', crack = 'tip' }]\n"),
            "contour.none.radius: how far around the tip? Give either a radius, rings of elements (0: the tip alone), "
            "or a box by "
            "its corners min and max.");
  EXPECT_EQ(told("contour = [{ name = 'box', crack = 'tip', min = [0.3, -0.2] }]\n"),
            "contour.box.max: a box needs both of its corners, min and max.");
  EXPECT_EQ(told("contour = [{ name = 'box', crack = 'tip', min = [0.6, -0.2], max = [0.9, 0.2] }]\n"),
            "contour.box.min: the box does not enclose the crack's nodes. Use a larger one.");
  EXPECT_EQ(
      told("contour = [{ name = 'tiny', crack = 'tip', radius = 1e-3 }]\n"),
      "contour.tiny.radius: does not enclose the tip: no other corner of an element is that near. Use a larger one, "
      "or rings = 0 for the tip alone.");
  EXPECT_EQ(told("contour = [{ name = 'odd', crack = 'tip', rings = 2, integrals = ['Q'] }]\n"),
            "contour.odd.integrals: no integral 'Q'. There are J, J_static, J_boundary, J_front, L, M, K_I, K_II, K.");
  EXPECT_EQ(told("contour = [{ name = 'flat', crack = 'tip', rings = 2, integrals = ['J_front'] }]\n"),
            "contour.flat.integrals: J_front is defined only in three dimensions.");
  EXPECT_EQ(told("contour = [{ name = 'odd', crack = 'tip', rings = 2, integrals = ['L'], center = [0, 0, 0] }]\n"),
            "contour.odd.center: needs 2 numbers, one per dimension of the body.");
}

TEST(L04Crack, CracksThatAreNoneAreRefused) {
  const std::vector<std::pair<std::string, std::string>> inside = {{"selection.end.point", "[0.8, 1.2]"},
                                                                   {"crack.tip.selection", "end"}};
  EXPECT_NE(told("", inside).find("crack.tip.selection: is not a defect: the node at ("), std::string::npos);
  EXPECT_NE(told("", inside)
                .find("is inside the body, where no crack ends. Select the nodes of a crack tip or front, "
                      "or all nodes of a hole or of an interface."),
            std::string::npos);
  EXPECT_EQ(told("", {{"crack.tip.direction", "[-1, 0]"}}),
            "crack.tip.selection: the crack faces lie in the direction given: a crack grows away from them.");
  EXPECT_EQ(told("", {{"crack.tip.direction", "[0, 0]"}}), "crack.tip.direction: has no length.");
}

TEST(L04Crack, IntegralsThatAreNoneForTheMaterialAreRefused) {
  const auto contour = [](const std::string& integral) {
    return "contour = [{ name = 'ring', crack = 'tip', rings = 2, integrals = ['" + integral + "'] }]\n";
  };
  const std::vector<std::pair<std::string, std::string>> rubber = {{"material.steel.kind", "neo_hookean"}};
  EXPECT_EQ(told(contour("J"), rubber), "");
  EXPECT_EQ(told(contour("K_I"), rubber),
            "contour.ring.integrals: K_I is defined by superposition of fields, hence only for small displacements: "
            "material linear. J is defined for this one.");
  const std::string several = told(contour("M"), rubber);
  EXPECT_EQ(several.find("contour.ring.integrals: M needs an energy that is homogeneous, in the displacement gradient "
                         "(material linear) or W(s F) = s^m W(F) in F with one m other than 0. That of this material "
                         "goes with exponents from "),
            0u)
      << several;
  EXPECT_EQ(told(contour("M")), "") << "expansion from the tip keeps straight faces where they are";
  EXPECT_EQ(
      told(contour("L")),
      "contour.ring.rings: L reaches a surface through which a rotation would go. It is defined for whole defects: "
      "select all nodes of the defect as the crack, and let the contour enclose them and no other surface.");
}

TEST(L04Crack, InterfacesInsideAreRefused) {
  const std::string text =
      "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 1 }\n"
      "material = [{ name = 'steel', kind = 'linear', young = 1e9, poisson = 0.3, density = 1000 }]\n"
      "body = [{ name = 'bar', kind = 'solid', material = 'steel', mesh = { kind = 'rectangle', size = [2, 1], cells = "
      "[8, 4], region = { right = 'X - 1' } } }]\n"
      "selection = [{ name = 'place', body = 'bar', kind = 'nearest', point = [0.75, 0] }]\n"
      "constraint = [{ name = 'wall', kind = 'fixed', selection = 'bar.x_min' }]\n"
      "crack = [{ name = 'tip', selection = 'place', direction = [1, 0] }]\n"
      "contour = [{ name = 'ring', crack = 'tip', radius = 0.3 }]\n";
  const Scene scene = parse_scene(text);
  try {
    make_plan(scene, make_model(scene));
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_EQ(
        error.faults().front().message,
        "encloses an interface between the regions 'all' and 'right': its force would be counted as the crack's. Use a "
        "smaller one.");
  }
}

}  // namespace
}  // namespace livens
