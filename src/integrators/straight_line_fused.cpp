// Explicit straight-line steps of large systems: without forces and with a diagonal mass a step is the force and two
// passes over memory, a drift before and a kick after it; and the drift of the next step rides along with the kick.
// Many steps of small systems are one loop.
#include <cmath>

#include "integrators/straight_line_stepper.hpp"
#include "math/finite.hpp"
#include "math/parallel.hpp"

namespace livens {
namespace {

// The mass of coordinate i, from memory or for all the same.
struct MassAt {
  const double* diagonal;
  double operator()(std::size_t i) const { return diagonal[i]; }
};
struct UniformMass {
  double value;
  double operator()(std::size_t) const { return value; }
};

template <class Body>
auto with_mass(const Model& model, const Body& body) {
  if (const auto mass = model.uniform_mass()) return body(UniformMass{*mass});
  return body(MassAt{model.parts().mass.diagonal.data()});
}

class FusedStraightLine final : public StraightLineStepper {
 public:
  FusedStraightLine(QuadratureRule rule, const Model& model)
      : StraightLineStepper(std::move(rule), {}, model), gradient_(model.size()), g0_then_p1_(model.size()) {}

  void begin() override { gradient_known_ = drifted_ = false; }

  long steps(const Model& model, State& state, double h, long count, StepContext context,
             const StepTrace& trace) override {
    if (model.size() > small_system || model.depends_on_time() || ledger_.any()) return 0;
    const bool begins = rule_.begins_at_start(), ends = rule_.ends_at_end();
    if (begins && !gradient_known_) model.gradient(state.t, state.q, gradient_);
    drifted_ = false;
    q1_ = state.q;
    g0_then_p1_ = state.p;
    ExplicitSteps steps{h, 0, 0, begins, ends, model.parts().mass.diagonal.data(), count, trace.q, trace.p};
    if (begins) steps.open = h * rule_.w.front();
    if (ends) steps.close = h * rule_.w.back();
    advance(model, steps, state.t);
    gradient_known_ = begins && ends;
    // What is not finite stays so, because every step adds to it.
    if (!all_finite(q1_) || !all_finite(g0_then_p1_)) {
      gradient_known_ = false;
      return 0;
    }
    state.q.swap(q1_);
    state.p.swap(g0_then_p1_);
    context.counters.evaluations += count;
    return count;
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    begin_step(state, h);
    opening_kick_ = 0;
    if (rule_.begins_at_start()) {
      if (!gradient_known_) model.gradient(step_.t0, step_.q0, gradient_);
      opening_kick_ = h * rule_.w.front();
      if (!rule_.ends_at_end()) ++context.counters.evaluations;
    }
    drift(model);
    gradient_.swap(g0_then_p1_);
    gradient_known_ = false;
    if (rule_.ends_at_end()) {
      model.gradient(step_.t0 + h, q1_, gradient_);
      ++context.counters.evaluations;
      gradient_known_ = rule_.begins_at_start();
    }
    if (ledger_.any()) {
      for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = (q1_[i] - step_.q0[i]) / h;
      ledger_.book(rule_, model, step_, v_, q1_, context.ledger);
    }
    if (!kick(model, context)) {
      gradient_known_ = false;
      return failed_not_finite(step_.t0, h);
    }
    StepReport report;
    report.h = h;
    state.q.swap(q1_);
    state.p.swap(g0_then_p1_);
    if (velocity_written_) state.v.swap(v_);
    return report;
  }

 private:
  // From q1_, momenta in g0_then_p1_ and gradient_. t: what no potential sees.
  void advance(const Model& model, const ExplicitSteps& steps, double t) {
    const auto& terms = model.parts().terms;
    const bool alone = terms.size() == 1 && model.supported_count() == 0;
    if (alone && terms.front()->advance(steps, q1_, g0_then_p1_, gradient_)) return;
    const std::size_t n = q1_.size();
    steps.advance<0, small_system>(n, q1_.data(), g0_then_p1_.data(), gradient_.data(),
                                   [&](double* q, double* g) { model.gradient(t, ConstVector(q, n), Vector(g, n)); });
  }

  // q1 = q0 + h M^-1 (p0 - opening kick g0), without storing the momentum in between.
  void drift(const Model& model) {
    if (drifted_) {  // the step before has made it
      drifted_ = false;
      q1_.swap(q1_of_next_);
      return;
    }
    with_mass(model, [&](auto mass) {
      const double *p0 = step_.p0.data(), *q0 = step_.q0.data();
      const double* g0 = opening_kick_ != 0 ? gradient_.data() : p0;
      double* q1 = q1_.data();
      const double h = step_.h, kick = opening_kick_;
      for_chunks(q1_.size(), [=](std::size_t a, std::size_t b) {
        for (std::size_t i = a; i < b; ++i) q1[i] = q0[i] + h * ((p0[i] - kick * g0[i]) / mass(i));
      });
    });
  }

  // p1 = (p0 - opening kick g0) - closing kick g1 in the place of g0, which is not needed any more; v = M^-1 p1 if it
  // is needed; and the drift of the next step if there is one. False if something is not finite: p0 and q0 are then
  // untouched.
  bool kick(const Model& model, StepContext context) {
    const bool closing = rule_.ends_at_end();
    drifted_ = context.fuse_next && (!rule_.begins_at_start() || closing);
    if (drifted_) q1_of_next_.resize(v_.size());
    velocity_written_ = context.need_velocity || !drifted_;
    const bool finite = with_mass(model, [&](auto mass) {
      const double *p0 = step_.p0.data(), *q1 = q1_.data(), *g1 = closing ? gradient_.data() : q1;
      const double* g0 = opening_kick_ != 0 ? g0_then_p1_.data() : q1;
      double *p1 = g0_then_p1_.data(), *v = velocity_written_ ? v_.data() : nullptr,
             *q2 = drifted_ ? q1_of_next_.data() : nullptr;
      const double open = opening_kick_, close = closing ? step_.h * rule_.w.back() : 0, h = step_.h;
      return sum_chunks(v_.size(), [=](std::size_t a, std::size_t b) {
               double check = 0;
               if (v == nullptr) {
                 for (std::size_t i = a; i < b; ++i) {
                   const double p = (p0[i] - open * g0[i]) - close * g1[i];
                   p1[i] = p;
                   q2[i] = q1[i] + h * ((p - open * g1[i]) / mass(i));
                   check += zero_if_finite(p + q2[i]);
                 }
                 return check;
               }
               for (std::size_t i = a; i < b; ++i) {
                 const double p = (p0[i] - open * g0[i]) - close * g1[i];
                 p1[i] = p;
                 v[i] = p / mass(i);
                 check += zero_if_finite(v[i] + q1[i]);
               }
               for (std::size_t i = a; i < b && q2 != nullptr; ++i)
                 q2[i] = q1[i] + h * ((p1[i] - open * g1[i]) / mass(i));
               return check;
             }) == 0;
    });
    drifted_ = drifted_ && finite;
    return finite;
  }

  double opening_kick_ = 0;         // h w_0
  std::vector<double> gradient_;    // dW at q0 before the drift, at q1 before the kick
  bool gradient_known_ = false;     // gradient_ is that of the state's q
  std::vector<double> g0_then_p1_;  // one array less through memory than two
  bool drifted_ = false;            // q1_of_next_ is the q1 of the step to come
  std::vector<double> q1_of_next_;
  bool velocity_written_ = true;
};

}  // namespace

std::unique_ptr<Stepper> make_fused_straight_line(QuadratureRule rule, const Model& model) {
  return std::make_unique<FusedStraightLine>(std::move(rule), model);
}

}  // namespace livens
