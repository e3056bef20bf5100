// L04 Figs 14, 15: the slab on nested meshes, asynchronous steps against explicit Newmark. Short, on three meshes; the
// paper's five meshes and its reference of 90 112 triangles behind LIVENS_LONG.
#include <array>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "published/study_fixture.hpp"
#include "study/convergence.hpp"

namespace livens {
namespace {

const std::array<std::string, 2> methods = {"asynchronous, courant 0.1", "stormer_verlet"};

std::string mesh(int refine) { return "parameters.refine = " + std::to_string(refine); }

const Refinement& of_method(const std::vector<Refinement>& all, const std::string& method) {
  for (const Refinement& refinement : all)
    if (refinement.of_mesh && name_of(refinement) == method) return refinement;
  throw std::out_of_range(method);
}

// A tenth of the time; asynchronous steps need fewer updates on every mesh, by the same factor, for the same error of F
// and one of u that is a little larger.
TEST(L04Slab, AsynchronousStepsNeedFewerUpdatesForNearlyTheSameError) {
  const PublishedStudy study(
      "l04_slab/figure_15.toml",
      {{"time.end", "0.025"}, {"reference.check", "false"}, {"report", "{ tables = ['field_rate'], plots = [] }"}});
  for (int refine = 0; refine < 3; ++refine) {
    const CaseResult &own = study.at(methods[0], "", mesh(refine)), &newmark = study.at(methods[1], "", mesh(refine));
    ASSERT_TRUE(own.measured.ok && newmark.measured.ok);
    EXPECT_EQ(own.measured.elements, 88 << (2 * refine));
    EXPECT_NEAR(own.measured.counters.step_min / newmark.measured.counters.step_min, 1, 1e-4);
    EXPECT_NEAR(newmark.measured.updates / own.measured.updates, 2.48, 0.02);
    EXPECT_NEAR(own.fields.gradient / newmark.fields.gradient, 1, 0.03);
    EXPECT_NEAR(own.fields.displacement / newmark.fields.displacement, 1, 0.35);
  }
  const auto all = refinements(study.results());
  for (const std::string& method : methods) {
    const Refinement& refinement = of_method(all, method);
    // The paper: about 1.9 and 1.1. The corners of the clamp are singular.
    EXPECT_NEAR(field_rate(refinement, &FieldErrors::displacement), 1.9, 0.25) << method;
    EXPECT_NEAR(field_rate(refinement, &FieldErrors::gradient), 1.1, 0.25) << method;
  }
}

TEST(L04Slab, RatesOnFiveMeshes) {
  if (std::getenv("LIVENS_LONG") == nullptr) GTEST_SKIP() << "more than an hour: LIVENS_LONG=1";
  const PublishedStudy study("l04_slab/figure_15_full.toml");
  EXPECT_EQ(study.results().groups[0].fields->measured.elements, 90'112);
  const auto all = refinements(study.results());
  for (const std::string& method : methods) {
    EXPECT_NEAR(field_rate(of_method(all, method), &FieldErrors::displacement), 1.8, 0.2) << method;
    EXPECT_NEAR(field_rate(of_method(all, method), &FieldErrors::gradient), 1.0, 0.15) << method;
  }
}

}  // namespace
}  // namespace livens
