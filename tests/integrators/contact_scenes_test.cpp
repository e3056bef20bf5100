// The scenes of contact: what each is there to show.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/crossing.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

// A scene that is run to `end`; nothing may cross on the way.
struct Played {
  Played(Scene scene, double end) : model(make_model(scene)), state(initial_state(scene, model)) {
    const auto integrator = make_integrator(scene, model);
    const auto report = integrator->advance(model, state, end, [&](const State& now, const StepReport&) {
      for (const auto& term : model.parts().terms)
        if (term->barrier() != nullptr) crossings += testing::crossings(*term->barrier(), now.q);
      return true;
    });
    EXPECT_TRUE(report.converged) << report.message;
    EXPECT_EQ(crossings, 0);
  }
  // Mean of a coordinate over the nodes of a body, less that of the start.
  double moved(const std::string& name, int axis) const {
    for (const Body& body : model.bodies()) {
      if (body.name != name) continue;
      double sum = 0;
      for (int a = 0; a < body.nodes; ++a)
        sum += state.q[body.first + body.dimension * a + axis] - body.reference[body.dimension * a + axis];
      return sum / body.nodes;
    }
    return std::nan("");
  }
  Model model;
  State state;
  int crossings = 0;
};

Scene scene_of(const std::string& name) { return load_scene(source_dir() + "/scenes/contact_" + name + ".toml"); }

TEST(ContactScenes, AnArchStandsByFriction) {
  EXPECT_GT(Played(scene_of("arch"), 0.4).moved("s5", 1), -0.002);
  Scene slippery = scene_of("arch");
  slippery.set("contact.stones.friction", 0.1);
  EXPECT_LT(Played(slippery, 0.4).moved("s5", 1), -0.1);
}

TEST(ContactScenes, AHouseOfCardsStandsByFriction) {
  EXPECT_LT(std::abs(Played(scene_of("card_house"), 0.3).moved("c6", 1)), 0.002);
  Scene slippery = scene_of("card_house");
  slippery.set("contact.cards.friction", 0.2);
  slippery.set("contact.table.friction", 0.2);
  EXPECT_LT(Played(slippery, 0.3).moved("c6", 1), -0.05);
}

TEST(ContactScenes, ABallTakesTheFirstStair) {
  const Played ball(scene_of("staircase"), 0.44);
  EXPECT_GT(ball.moved("ball", 0), 0.1);
  EXPECT_LT(ball.moved("ball", 2), -0.03);
  EXPECT_GT(ball.moved("ball", 2), -0.12) << "it went through the second stair";
}

// The stairs of the bunny with a block in its place, which needs no surface from elsewhere.
TEST(ContactScenes, ABlockTumblesDownTheStairsOfTheBunny) {
  Scene stairs = load_scene(source_dir() + "/scenes/k06/bunny_stairs.toml");
  stairs.set("body.bunny.mesh",
             "{ kind = 'box', size = [0.12, 0.1, 0.1], cells = [2, 2, 2], corner = [-0.06, -0.05, 0.02] }");
  const Played block(stairs, 0.7);
  EXPECT_LT(block.moved("bunny", 0), -0.2);
  EXPECT_LT(block.moved("bunny", 2), -0.06);
  EXPECT_GT(block.moved("bunny", 2), -0.2) << "it went through the stairs";
}

TEST(ContactScenes, AGripperLiftsABall) {
  const Played lifted(scene_of("gripper"), 1.2);
  EXPECT_GT(lifted.moved("ball", 2), 0.07);
  Scene slippery = scene_of("gripper");
  slippery.set("contact.grip.friction", 0.01);
  EXPECT_LT(Played(slippery, 1.2).moved("ball", 2), 0.01);
}

TEST(ContactScenes, APileIsHit) {
  const Played pile(scene_of("pile"), 0.2);
  EXPECT_GT(pile.moved("b8", 0), 0.001) << "that the thrown block hits";
}

// The rod of the scene, coarse and twisted faster: its loop closes, and nothing passes through it.
TEST(ContactScenes, ATwistedRodLiesOnItself) {
  if (std::getenv("LIVENS_LONG") == nullptr) GTEST_SKIP() << "seven seconds";
  Scene coil = scene_of("coil");
  coil.set("body.rod.mesh.cells", "[24, 1, 1]");
  coil.set("parameters.time_of", 1.5);
  coil.set("integrator.step", 0.005);
  const Played played(coil, 1.1);
  double stored = 0;
  for (const auto& term : played.model.parts().terms)
    if (term->barrier() != nullptr) stored += term->barrier()->energy(played.state.q);
  EXPECT_GT(stored, 0) << "that it touches itself";
}

}  // namespace
}  // namespace livens
