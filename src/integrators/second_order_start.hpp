// Internal momentum p + h (1/2 - alpha) dW(q) instead of p: makes the positions of first-order rules second order
// [K06, see docs/slips.md]. The state outside always has the synchronous p.
#pragma once

#include <memory>
#include <vector>

#include <livens/stepper.hpp>

namespace livens {

class SecondOrderStart final : public Stepper {
 public:
  SecondOrderStart(std::unique_ptr<Stepper> inner, double alpha) : inner_(std::move(inner)), shift_(0.5 - alpha) {}

  StepReport step(const Model& model, State& state, double h, StepContext context) override;
  void begin() override { inner_->begin(); }
  SolvePath solve_path() const override { return inner_->solve_path(); }
  std::optional<double> discrete_energy(const Model& model, const State& state) override {
    return inner_->discrete_energy(model, state);
  }
  void visit_memory(MemoryVisitor& visitor) override;

 private:
  std::unique_ptr<Stepper> inner_;
  double shift_;
  std::vector<double> staggered_p_, seen_q_, seen_p_, gradient_;
};

}  // namespace livens
