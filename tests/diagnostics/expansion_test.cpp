// M of energies that are homogeneous in F, W(s F) = s^m W(F) [L04 (83)]: without a defect nothing is released, however
// the body is deformed, since expansion of the reference shape with x - c going as its power 1 - D/m leaves W as it is.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "diagnostics/contours.hpp"

namespace livens {
namespace {

Scene cube(const std::string& material) {
  return parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 1e-4 }\n[[material]]\nname = 'm'\n"
      "density = 1000\n" +
      material +
      "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\n"
      "mesh = { kind = 'box', size = [1, 1, 1], cells = [2, 2, 2] }\n");
}

struct Found {
  Contour::Degree degree;
  double released = 0, scale = 0;
};

Found found(const std::string& material) {
  const Scene scene = cube(material);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> offset(-0.03, 0.03);
  for (double& x : state.q) x += offset(engine);
  const Contour whole(model, 0, {std::vector<double>(static_cast<std::size_t>(model.bodies()[0].nodes), 1.0), true});
  Found result;
  result.degree = whole.degree();
  DefectMotion motion{DefectMotion::Kind::expansion, {}, {0.3, -0.2, 0.1}};
  if (result.degree.one()) motion.degree = result.degree.most;
  result.released = whole.released(model, state, motion, false);
  result.scale = energy(model, state).potential;
  return result;
}

std::string expression(const std::string& energy) { return "kind = 'expression'\nenergy = '" + energy + "'\n"; }

TEST(Expansion, ReleasesNothingOfAHomogeneousEnergy) {
  const std::pair<double, std::string> energies[] = {{3, "5e4*(I1*J^(-2/3) - 3)*J"},  // m = D: the case that is printed
                                                     {4, "1e5*(I1^2/9 - I2/3)"}};
  for (const auto& [m, energy] : energies) {
    const Found here = found(expression(energy));
    EXPECT_TRUE(here.degree.one()) << energy << " " << here.degree.least << " " << here.degree.most;
    EXPECT_NEAR(here.degree.most, m, 1e-6) << energy;
    EXPECT_GT(here.scale, 10) << "J: it is deformed";
    EXPECT_LT(std::abs(here.released), 1e-11 * here.scale) << energy;
  }
}

TEST(Expansion, IsNoSymmetryOfOtherEnergies) {
  for (const std::string& material : {std::string("kind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.3\n"),
                                      expression("5e4*(I1*J^(-2/3) - 3)")}) {  // m = 0: every x is as good
    const Found here = found(material);
    EXPECT_FALSE(here.degree.one()) << material << here.degree.least << " " << here.degree.most;
    EXPECT_GT(std::abs(here.released), 1e-3 * here.scale) << material;
  }
  EXPECT_EQ(found("kind = 'linear'\nyoung = 1e5\npoisson = 0.3\n").degree.most, 2);
}

}  // namespace
}  // namespace livens
