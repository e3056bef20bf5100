#include "integrators/printed_euler.hpp"

#include <algorithm>

#include "integrators/straight_line_stepper.hpp"
#include "math/finite.hpp"

namespace livens {
namespace {

class PrintedEuler final : public Stepper {
 public:
  explicit PrintedEuler(const Model& model) : rule_(QuadratureRule::point(0)), ledger_(model) {
    for (auto* vector : {&gradient_, &q1_, &p1_, &v1_, &impulse_}) vector->resize(model.size());
    now_.resize(model.parts().forces.size() * gradient_.size());
  }

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    const std::size_t n = state.q.size();
    model.gradient(state.t, state.q, gradient_);
    ++context.counters.evaluations;
    std::fill(now_.begin(), now_.end(), 0.0);
    for (std::size_t k = 0; k < model.parts().forces.size(); ++k)
      model.add_force(k, state.t, state.q, state.v, 1, Vector(now_).subspan(k * n, n));
    const std::vector<double>& before = before_.size() == now_.size() ? before_ : now_;
    for (std::size_t i = 0; i < n; ++i) {
      p1_[i] = state.p[i] - h * gradient_[i];
      for (std::size_t at = i; at < now_.size(); at += n) p1_[i] += 0.5 * h * (before[at] + now_[at]);
    }
    model.divide_mass(p1_, v1_);
    for (std::size_t i = 0; i < n; ++i) q1_[i] = state.q[i] + h * v1_[i];
    if (!all_finite(q1_) || !all_finite(v1_)) return failed_not_finite(state.t, h);
    ledger_.book(rule_, model, {state.t, h, state.q, state.p}, v1_, q1_, context.ledger);
    book_forces(model, state, h, before, context.ledger);
    before_ = now_;
    state.q.swap(q1_);
    state.p.swap(p1_);
    state.v.swap(v1_);
    StepReport report;
    report.h = h;
    return report;
  }

  void visit_memory(MemoryVisitor& visitor) override { visitor.visit("force_before", before_); }

 private:
  // All impulses act at q0, one after the other, after that of the potential.
  void book_forces(const Model& model, const State& state, double h, const std::vector<double>& before,
                   Ledger& ledger) {
    const std::size_t n = state.q.size();
    std::vector<double> p(n), v_before(n), v_after(n);
    for (std::size_t i = 0; i < n; ++i) p[i] = state.p[i] - h * gradient_[i];
    model.divide_mass(p, v_before);
    for (std::size_t k = 0; k < model.parts().forces.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        impulse_[i] = 0.5 * h * (before[k * n + i] + now_[k * n + i]);
        p[i] += impulse_[i];
      }
      model.divide_mass(p, v_after);
      book_force(model, k, state.q, impulse_, v_before, v_after, ledger);
      v_before.swap(v_after);
    }
  }

  QuadratureRule rule_;
  StraightLineLedger ledger_;
  std::vector<double> gradient_, q1_, p1_, v1_, impulse_;
  std::vector<double> now_, before_;  // forces, one after the other, at the start of this step and of that before
};

}  // namespace

std::unique_ptr<Stepper> make_printed_euler(const Model& model) { return std::make_unique<PrintedEuler>(model); }

}  // namespace livens
