#include "integrators/resolved_impacts.hpp"

#include <cmath>

#include "integrators/advice.hpp"

namespace livens {
namespace {

constexpr double longest_travel = 0.05;  // of gap and restitution: rebounds are then within 0.5 %
constexpr double short_travel = 0.25;    // of that: the next piece may be twice as long
constexpr int most_halvings = 24;

class ResolvedImpacts final : public Stepper {
 public:
  ResolvedImpacts(std::unique_ptr<Stepper> stepper, std::function<double()> travel)
      : stepper_(std::move(stepper)), travel_(std::move(travel)) {}

  // Pieces of h / 2^level, each at a multiple of its length.
  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    first_ = state;
    first_ledger_ = context.ledger;
    StepReport whole;
    whole.h = h;
    long done = 0;  // in units of h / 2^level
    int level = 0;
    while (done < 1L << level) {
      before_ = state;
      ledger_before_ = context.ledger;
      const double piece = std::ldexp(h, -level);
      StepReport report = stepper_->step(model, state, piece, {context.ledger, context.counters});
      const double travel = report.converged ? travel_() : 0;
      if (!report.converged || travel > longest_travel) {
        state = before_;
        context.ledger = ledger_before_;
        if (level == most_halvings) return failed(std::move(report), state, context.ledger);
        stepper_->begin();
        ++level;
        done *= 2;
        ++halvings_;
        continue;
      }
      whole.iterations += report.iterations;
      ++done;
      if (level > 0 && done % 2 == 0 && travel < short_travel * longest_travel) {
        --level;
        done /= 2;
      }
      state.t = first_.t + h * std::ldexp(static_cast<double>(done), -level);
    }
    state.t = first_.t;
    return whole;
  }

  void begin() override { stepper_->begin(); }
  SolvePath solve_path() const override { return stepper_->solve_path(); }
  std::vector<std::pair<std::string, long>> events() const override {
    auto events = stepper_->events();
    events.push_back({"halvings of steps for restitution", halvings_});
    return events;
  }
  void visit_memory(MemoryVisitor& visitor) override {
    visitor.visit("restitution_halvings", halvings_);
    stepper_->visit_memory(visitor);
  }

 private:
  StepReport failed(StepReport report, State& state, Ledger& ledger) const {
    if (report.converged) {
      report.converged = false;
      report.code = FailureCode::step_too_small;
      report.message = "t = " + short_text(state.t) +
                       " s: an impact with restitution below 1 is too fast for the step: 2^24 pieces of it are too few";
      report.advice = {{"integrator.step", short_text(std::ldexp(report.h, most_halvings / 2)), "shorter steps"}};
    }
    state = first_;
    ledger = first_ledger_;
    return report;
  }

  std::unique_ptr<Stepper> stepper_;
  std::function<double()> travel_;
  State first_, before_;
  Ledger first_ledger_, ledger_before_;
  long halvings_ = 0;
};

}  // namespace

std::unique_ptr<Stepper> make_resolved_impacts(std::unique_ptr<Stepper> stepper, std::function<double()> travel) {
  return std::make_unique<ResolvedImpacts>(std::move(stepper), std::move(travel));
}

}  // namespace livens
