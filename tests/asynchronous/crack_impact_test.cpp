// An impact on a cracked plate [L04 5]: J(t) of asynchronous steps is that of Verlet's.
#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <livens/asynchronous.hpp>
#include <livens/probe.hpp>
#include <livens/scene.hpp>

#include "run/plan.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

struct Impact {
  std::vector<double> near, far;  // J at ten times
  long evaluations = 0;
  double ideal = 1;
};

Impact impact(const std::string& integrator) {
  Scene scene = load_scene(source_dir() + "/scenes/l04_crack_impact.toml");
  scene.set("parameters.size", "0.2");
  if (!integrator.empty()) scene.set("integrator", integrator);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto made = make_integrator(scene, model);
  const RunPlan plan = make_plan(scene, model);
  Impact result;
  for (int k = 1; k <= 10; ++k) {
    const StepReport report = made->advance(model, state, 2e-4 * k);
    EXPECT_TRUE(report.converged) << report.message;
    std::map<std::string, double> at_t;
    for (const Probe& probe : plan.probes)
      probe.evaluate({model, state, report, *made}, &at_t[probe.columns()[0].name]);
    result.near.push_back(at_t.at("probe.near.J"));
    result.far.push_back(at_t.at("probe.far.J"));
  }
  if (made->asynchronous() != nullptr) result.ideal = made->asynchronous()->facts().ideal_speedup;
  return result;
}

TEST(AsynchronousCrack, JIsThatOfVerlet) {
  const Impact verlet = impact(""), avi = impact("{ kind = 'asynchronous' }");
  const double largest = *std::max_element(verlet.near.begin(), verlet.near.end());
  EXPECT_GT(largest, 2000) << "the waves have not arrived";
  double off = 0, contours = 0;
  for (std::size_t k = 0; k < avi.near.size(); ++k) {
    off = std::max({off, std::abs(avi.near[k] - verlet.near[k]), std::abs(avi.far[k] - verlet.far[k])});
    contours = std::max(contours, std::abs(avi.near[k] - avi.far[k]));
  }
  std::printf("J differs from Verlet's by %.1e of the largest, %.6g N; contours by %.1e; ideal saving %.2f\n",
              off / largest, largest, contours / largest, avi.ideal);
  EXPECT_LT(off, 1e-3 * largest);
  EXPECT_LT(contours, 2e-3 * largest);
  EXPECT_GT(avi.ideal, 1.1);
}

}  // namespace
}  // namespace livens
