// Angular momentum is reported and judged only where there is one.
#include <gtest/gtest.h>

#include <livens/scene.hpp>

#include "diagnostics/quantities.hpp"

namespace livens {
namespace {

Model lattice(const std::string& layout) {
  return make_model(parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[[body]]\nname = 'lattice'\nkind = "
      "'particles'\nmass = 1.0\nlayout = { " +
      layout + " }\n[[force]]\nkind = 'spring'\nstiffness = 1.0\n"));
}

TEST(AngularMomentum, NeedsAFreeBodyInThePlaneOrInSpace) {
  EXPECT_TRUE(has_angular_momentum(lattice("kind = 'triangular_lattice', count = [4, 4]")));
  EXPECT_FALSE(has_angular_momentum(lattice("kind = 'triangular_lattice', count = [4, 4], periodic = true")));
  EXPECT_FALSE(has_angular_momentum(lattice("kind = 'chain', count = 4")));
  EXPECT_TRUE(has_angular_momentum(lattice("kind = 'chain', count = 4, dimension = 3")));
}

}  // namespace
}  // namespace livens
