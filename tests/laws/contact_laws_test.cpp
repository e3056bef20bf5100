// Every promise of every kind of contact holds, and every detector has a contact with a mistake in which it fires.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <livens/assembly.hpp>

#include "contact/contact_set.hpp"
#include "laws/contact.hpp"
#include "laws/second_derivatives.hpp"

namespace livens::laws {
namespace {

class ContactLaws : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Records, ContactLaws, testing::ValuesIn(contact_records().names()),
                         [](const auto& one) { return one.param; });

TEST_P(ContactLaws, Hold) {
  const std::vector<LawResult> results = measure_laws({GetParam()});
  EXPECT_GE(results.size(), 6u);
  for (const LawResult& r : results)
    EXPECT_TRUE(r.holds) << r.record << " (" << r.variant << "), " << r.claim << ": claimed " << r.claimed
                         << ", measured " << r.measured << "; " << r.detail;
}

TEST(ContactExamples, AreThoseOfRecords) {
  const std::vector<std::string> names = contact_records().names();
  for (const ContactExample& example : contact_examples())
    EXPECT_NE(std::find(names.begin(), names.end(), example.kind), names.end()) << example.kind;
}

// ---- the detectors

class Wrong final : public EnergyTerm {
 public:
  enum class What { nothing, gradient, midpoint, one_sided, pushed, absent, not_finite };
  Wrong(std::shared_ptr<const EnergyTerm> right, What what)
      : EnergyTerm("wrong"), right_(std::move(right)), what_(what) {}
  double energy(double t, ConstVector q) const override { return what_ == What::absent ? 0 : right_->energy(t, q); }
  void add_gradient(double t, ConstVector q, double scale, Vector g) const override {
    right_->add_gradient(t, q, what_ == What::gradient ? 1.00001 * scale : scale, g);
    if (what_ == What::pushed) g[0] += 1e-9 * scale;
    if (what_ == What::not_finite) g[0] = NAN;
  }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  // The gradient at the middle, or the discrete gradient moved along the step towards that of the end.
  bool add_discrete_gradient(double t, ConstVector x, ConstVector y, double scale, Vector g) const override {
    if (what_ == What::one_sided) {
      right_->add_discrete_gradient(t, x, y, 0.999 * scale, g);
      right_->add_gradient(t, y, 0.001 * scale, g);
      return true;
    }
    if (what_ != What::midpoint) return right_->add_discrete_gradient(t, x, y, scale, g);
    std::vector<double> middle(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) middle[i] = 0.5 * (x[i] + y[i]);
    right_->add_gradient(t, middle, scale, g);
    return true;
  }

 private:
  std::shared_ptr<const EnergyTerm> right_;
  What what_;
};
using What = Wrong::What;

TEST(ContactDetectors, FireOnEveryKind) {
  for (const ContactExample& example : contact_examples()) {
    SCOPED_TRACE(example.kind + " " + example.name);
    const ContactProblem problem(example);
    if (!has_discrete_gradient(problem.term())) continue;
    const auto wrong = [&](What what) { return Wrong(problem.shared_term(), what); };
    EXPECT_TRUE(contact_gradient_law(problem, wrong(What::nothing)).holds);
    EXPECT_TRUE(contact_work_law(problem, wrong(What::nothing)).holds);
    EXPECT_FALSE(contact_gradient_law(problem, wrong(What::gradient)).holds);
    EXPECT_FALSE(contact_gradient_law(problem, wrong(What::not_finite)).holds);
    EXPECT_FALSE(contact_gradient_law(problem, wrong(What::absent)).holds);
    EXPECT_FALSE(contact_work_law(problem, wrong(What::midpoint)).holds);
    EXPECT_FALSE(contact_symmetry_law(problem, wrong(What::one_sided)).holds);
  }
}

// Claims are pretended: more than there is, and less.
TEST(ContactDetectors, InvarianceFiresOnBothSides) {
  for (const ContactExample& example : contact_examples()) {
    SCOPED_TRACE(example.kind + " " + example.name);
    const ContactProblem problem(example);
    const Invariance claimed = problem.term().invariance();
    EXPECT_FALSE(
        contact_invariance_law(problem, problem.term(), RigidMotion::translations, !claimed.translations).holds);
    EXPECT_FALSE(contact_invariance_law(problem, problem.term(), RigidMotion::rotations, !claimed.rotations).holds);
    if (!claimed.translations || !has_discrete_gradient(problem.term())) continue;
    const Wrong pushed(problem.shared_term(), What::pushed);
    EXPECT_FALSE(contact_invariance_law(problem, pushed, RigidMotion::translations, true).holds);
  }
}

// The exact second derivatives of a ball and of surfaces that turn are not convex.
TEST(ContactDetectors, ConvexityFiresOnTheExactSecondDerivatives) {
  for (const char* kind : {"sphere", "bodies"}) {
    const auto example = std::find_if(contact_examples().begin(), contact_examples().end(),
                                      [&](const ContactExample& one) { return one.kind == kind; });
    const ContactProblem problem(*example);
    const LawResult found = contact_convexity_law(problem, problem.term(), true);
    EXPECT_FALSE(found.holds) << kind;
    EXPECT_LT(found.value, -1e-6) << kind;
  }
}

// Friction of the velocity at the end alone gives energy where something turns round; a part too much of it is beyond
// its cone; a push from outside, restitution that is not booked, and one that keeps too little are seen.
TEST(ContactDetectors, LossesFireOnEveryKind) {
  int turned = 0;
  for (const ContactExample& example : contact_examples()) {
    SCOPED_TRACE(example.kind + " " + example.name);
    if (const ContactProblem plain(example);
        plain.term().barrier() == nullptr || !example.rubs || !has_discrete_gradient(plain.term()))
      continue;
    const ContactProblem lossy = with_losses(example, 1);
    const auto wrong = [](const auto& change) {
      return [change](const EnergyTerm& term, const LossyStep& step) {
        ContactLoss loss = contact_loss(term, step);
        change(loss, term, step);
        return loss;
      };
    };
    const auto scaled = wrong([](ContactLoss& loss, const EnergyTerm&, const LossyStep&) { loss.share *= 4; });
    const auto given = wrong([](ContactLoss& loss, const EnergyTerm&, const LossyStep&) {
      for (double& f : loss.friction) f = -f;
    });
    const auto pushed = wrong([](ContactLoss& loss, const EnergyTerm&, const LossyStep&) {
      double most = 0;
      for (const double f : loss.friction) most = std::max(most, std::abs(f));
      loss.friction[0] += 1e-9 * most;
    });
    const auto absent = wrong([](ContactLoss& loss, const EnergyTerm&, const LossyStep&) {
      std::fill(loss.friction.begin(), loss.friction.end(), 0.0);
      loss.share = 0;
      loss.withheld = 0;
    });
    const auto at_end = wrong([](ContactLoss& loss, const EnergyTerm& term, const LossyStep& step) {
      std::vector<double> way = step.x;
      for (std::size_t i = 0; i < way.size(); ++i) way[i] = step.y[i] - step.x[i];
      ContactSet set(*term.barrier());
      set.begin(step.x, way, 0, step.h);
      set.end_at(step.y);
      std::fill(loss.friction.begin(), loss.friction.end(), 0.0);
      set.add_friction(step.v1, step.v1, 1, loss.friction);
    });
    const auto more = wrong([](ContactLoss& loss, const EnergyTerm& term, const LossyStep&) {
      if (term.barrier()->restitution().coefficient > 0) return;
      loss.work += 1e-6 * loss.withheld;
      loss.withheld *= 1 + 1e-6;
    });
    EXPECT_FALSE(contact_friction_law(lossy, scaled).holds);
    EXPECT_FALSE(contact_friction_law(lossy, given).holds);
    EXPECT_FALSE(contact_friction_law(lossy, absent).holds);
    EXPECT_FALSE(contact_restitution_law(example, absent).holds);
    EXPECT_FALSE(contact_restitution_law(example, more).holds);
    turned += contact_friction_law(lossy, at_end).holds ? 0 : 1;
    if (lossy.term().invariance().rotations) {
      EXPECT_FALSE(contact_friction_balance_law(lossy, pushed).holds);
    }
  }
  EXPECT_GE(turned, 1);
}

TEST(ContactDetectors, AKindWithoutExamplesDoesNotHold) {
  const std::vector<LawResult> results = measure_contact("felt");
  ASSERT_EQ(results.size(), 1u);
  EXPECT_FALSE(all_hold(results));
  EXPECT_NE(laws_table(results).find("needs an example"), std::string::npos);
}

}  // namespace
}  // namespace livens::laws
