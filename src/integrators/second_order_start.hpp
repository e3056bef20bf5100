// Internal momentum p + h (1/2 - alpha) dW(q) instead of p: makes the positions of first-order rules second order
// [K06]. The state outside always has the synchronous p. With constraints only the part of p along them moves anything,
// and the synchronous p is projected.
#pragma once

#include <memory>
#include <vector>

#include <livens/stepper.hpp>

#include "model/projection.hpp"

namespace livens {

class SecondOrderStart final : public Stepper {
 public:
  SecondOrderStart(std::unique_ptr<Stepper> inner, double alpha, const Model& model);

  StepReport step(const Model& model, State& state, double h, StepContext context) override;
  void begin() override { inner_->begin(); }
  SolvePath solve_path() const override { return inner_->solve_path(); }
  std::optional<double> discrete_energy(const Model& model, const State& state) override {
    return inner_->discrete_energy(model, state);
  }
  void visit_memory(MemoryVisitor& visitor) override;

  std::vector<std::pair<std::string, long>> events() const override { return inner_->events(); }

 private:
  // v, and p along the constraints.
  void finish(const Model& model, double t, State& state);

  std::unique_ptr<Stepper> inner_;
  double shift_;
  std::unique_ptr<Projection> projection_;  // with constraints
  std::vector<double> staggered_p_, start_staggered_p_, seen_q_, seen_p_, gradient_;
};

}  // namespace livens
