// An integrator advances a state to a time. That is its only verb.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <livens/model.hpp>

namespace livens {

// Work done so far by an integrator; counts only grow.
struct Counters {
  long steps = 0, retries = 0;
  long evaluations = 0;  // of the force (gradient of W or of L)
  long newton = 0, newton_max = 0;
  long linear_iterations = 0, factorisations = 0, line_search_cuts = 0, convexified = 0;
  double residual_max = 0;  // largest accepted residual over its scale
  double step_min = 0, step_max = 0;
};

// Energy and momentum that went through forces, loads and supports since the start, per force of the model.
// A force dissipates what its impulse takes at the instant it acts, H(q, p before) - H(q, p after).
struct Ledger {
  std::vector<double> energy_out;         // per force: dissipated (+) or work taken out (-work), by its side
  double time_work = 0;                   // work through an explicit dependence of L on time
  double linear_impulse[3] = {0, 0, 0};   // of external terms and forces
  double angular_impulse[3] = {0, 0, 0};  // moment about the origin
  std::vector<double> symmetry_impulse;   // per symmetry of the model, by forces
};

enum class FailureCode {
  none,
  not_finite,
  no_convergence,
  no_decrease,
  singular,
  inverted,        // every longer step would turn an element inside out
  indefinite,      // no downhill direction in spite of convexification
  rounding_floor,  // the tolerance is below what rounding allows
  step_too_small,
};
std::string to_string(FailureCode code);

// One line of a failed solve.
struct TraceLine {
  int iteration = 0;
  double residual = 0, objective = 0, step_length = 0;
};

struct StepReport {
  bool converged = true;
  FailureCode code = FailureCode::none;
  std::string message;              // one line, empty if converged
  std::vector<std::string> advice;  // what to try: settings as key=value with the reason behind them
  double h = 0;                     // of the last step
  int iterations = 0;               // Newton iterations of the last step
  double residual = 0, residual_scale = 0;
  int worst_coordinate = -1;
  std::vector<TraceLine> trace;  // of a failed solve only
};

// How implicit steps are solved.
struct SolverOptions {
  enum class Kind { automatic, minimise, root };  // automatic: minimise the Lilyan where one exists
  Kind kind = Kind::automatic;
  enum class Linear { automatic, cg, direct };  // automatic: by the size and kind of the system
  Linear linear = Linear::automatic;
  double tolerance = 0;  // of the residual over the model's own momentum scale; 0: down to rounding
  int max_iterations = 50;
  int retry_halvings = 0;  // how often a failed step may be halved
};

// Reads or writes every number that a bit-identical continuation needs.
class MemoryVisitor {
 public:
  virtual ~MemoryVisitor() = default;
  virtual void visit(const char* name, double& value) = 0;
  virtual void visit(const char* name, long& value) = 0;
  virtual void visit(const char* name, std::vector<double>& values) = 0;
};

class AsynchronousClocks;  // livens/asynchronous.hpp

class Integrator {
 public:
  virtual ~Integrator() = default;

  // Called after each accepted step with the synchronous state; returning false ends the advance there.
  using OnStep = std::function<bool(const State& state, const StepReport& report)>;

  // Takes whole steps until state.t has reached t_end (to round-off). On failure the state is that of the last good
  // step and the report says why. Steps are never bent to hit t_end.
  virtual StepReport advance(const Model& model, State& state, double t_end, const OnStep& on_step = {}) = 0;

  // The map of one step of the state, t included, for those who measure it: h may be negative, the clock stays. Nothing
  // of methods without steps of the whole.
  virtual std::optional<StepReport> apply_step(const Model&, State&, double /*h*/) { return std::nullopt; }

  // Whether advance reaches exactly the time asked for, any time: there are no steps of the whole.
  virtual bool continuous() const { return false; }
  // The clocks of asynchronous methods; null for others.
  virtual const AsynchronousClocks* asynchronous() const { return nullptr; }
  // Named counts that a method wants to report.
  virtual std::vector<std::pair<std::string, long>> events() const { return {}; }
  // What a user should know of the settings, once the method has begun.
  virtual std::vector<std::string> warnings() const { return {}; }

  // -D3 Ld of the last step, for variational methods.
  virtual std::optional<double> discrete_energy(const Model&, const State&) { return std::nullopt; }
  // Energy that the method conserves up to higher order in h, at a state; for methods where it is known.
  virtual std::optional<double> modified_energy(const Model&, const State&) { return std::nullopt; }

  virtual void visit_memory(MemoryVisitor& visitor);
  const Counters& counters() const { return counters_; }
  const Ledger& ledger() const { return ledger_; }

 protected:
  Counters counters_;
  Ledger ledger_;
};

// --- claims ------------------------------------------------------------------------------------------------------

enum class Symplectic { no, canonical, named_variables };
enum class Keeps { exact, bounded, no };
enum class EnergyClaim { exact, bounded, dissipating, drifting };

// What a method promises for given settings and class of model. The laws measure each from both sides.
struct Claims {
  int order = 1;
  Symplectic symplectic = Symplectic::no;
  bool symmetric = false;
  Keeps linear_momentum = Keeps::exact;
  Keeps angular_momentum = Keeps::no;
  EnergyClaim energy = EnergyClaim::drifting;
  bool explicit_steps = false;  // no system is solved for separable models
  std::string note;             // e.g. which variables
};
std::string to_string(Symplectic value);
std::string to_string(Keeps value);
std::string to_string(EnergyClaim value);

}  // namespace livens
