// Steps that follow the motion, around any stepper: a monitor Q(q) > 0 says how long steps should be, h = step Q / Q
// of the start. The density of steps, rho = Q of the start / Q, is not taken from the state but integrated along with
// it (E. Hairer, G. Soderlind, SIAM J. Sci. Comput. 26 (2005)):
//
//   rho_1/2 = 1 + step/2 G(z_0),   rho_k+1/2 = rho_k-1/2 + step G(z_k),   h_k+1/2 = step / rho_k+1/2,   G = -(dQ/dt) /
//   Q
//
// It is explicit, and with a symmetric method reversible: run backwards it retraces its steps. Taken from the state
// instead (naive), steps spoil what symplectic and symmetric methods have over long times: the negative control.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <livens/registry.hpp>

#include "math/expression.hpp"

namespace livens {

// Q as an expression of the coordinates of a system, of `potential` W (J), and of `acceleration`, the mean of M^-1 dW
// weighted with the masses (m/s^2).
class StepMonitor {
 public:
  // Throws ExpressionError.
  StepMonitor(const std::string& text, const std::map<std::string, double, std::less<>>& constants, const Model& model);

  struct Value {
    double Q = 0, rate = 0;  // rate: dQ/dt along the motion
  };
  Value at(const Model& model, const State& state);

 private:
  double add_acceleration(const Model& model, const State& state, double& rate);

  Expression expression_;
  std::size_t coordinates_;
  std::vector<double> x_, g_, gradient_, a_, change_, hessian_;
  Workspace<double> workspace_;
};

class StepControl {
 public:
  StepControl(double step, bool reversible, StepMonitor monitor)
      : step_(step), reversible_(reversible), monitor_(std::move(monitor)) {}

  // The length of the step from this state; it counts when took() is called. Not positive where there is none.
  double next(const Model& model, const State& state);
  void took();
  // The state was set by the caller: begin again, with the same scale of the monitor.
  void restart() { started_ = 0; }
  StepReport failed(double t) const;
  bool reversible() const { return reversible_; }
  void visit_memory(MemoryVisitor& visitor);

 private:
  double step_;
  bool reversible_;
  StepMonitor monitor_;
  double scale_ = 0;    // Q of the start; 0: not begun
  double density_ = 0;  // of the last step
  long started_ = 0;
  StepMonitor::Value now_;
  double next_scale_ = 0, next_density_ = 0;
};

// The keys step_control and monitor, for all methods whose step is given.
void add_step_control(IntegratorRecord& record);
// What the settings ask for; null without control. Throws SceneError for monitors that cannot be read.
std::unique_ptr<StepControl> make_step_control(const Settings& settings, const Model& model);
// Why steps of this method cannot be controlled as the settings ask; "" if they can.
std::string step_control_refusal(const IntegratorRecord& record, const Settings& settings, const Model& model);
bool has_step_control(const Settings& settings);

}  // namespace livens
