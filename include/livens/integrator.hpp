// An integrator advances a state to a time. That is its only verb.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <livens/ledger.hpp>
#include <livens/model.hpp>
#include <livens/solver_options.hpp>

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

// What to try after a failure: a setting of the scene, and why it should help.
struct Advice {
  std::string key, value;               // integrator.step, 0.001
  std::string reason;                   // one clause; empty where the setting speaks for itself
  std::optional<double> step_length{};  // s, where the advice is a shorter step: what `value` stands for
  bool keeps_good_steps = false;        // only steps that fail are taken otherwise
};

struct StepReport {
  bool converged = true;
  FailureCode code = FailureCode::none;
  std::string message;         // one line, empty if converged
  std::vector<Advice> advice;  // what to try, the best first
  double h = 0;                // of the last step
  int iterations = 0;          // Newton iterations of the last step
  double residual = 0, residual_scale = 0;
  int worst_coordinate = -1;
  std::vector<TraceLine> trace;  // of a failed solve only
};

// How the steps of an integrator are solved for its model.
struct SolvePath {
  enum class Kind { explicit_step, minimise, root };
  Kind kind = Kind::explicit_step;
  // minimise: what is minimised. root: why nothing is; empty if solver.kind asks for a root.
  std::string reason;
};
// "explicit: no equations are solved", "minimises ...", "finds a root: ..."
std::string to_string(const SolvePath& path);

// Reads or writes every number that a bit-identical continuation needs.
class MemoryVisitor {
 public:
  virtual ~MemoryVisitor() = default;
  virtual void visit(const char* name, double& value) = 0;
  virtual void visit(const char* name, long& value) = 0;
  virtual void visit(const char* name, std::vector<double>& values) = 0;
};

class AsynchronousClocks;  // livens/asynchronous.hpp
class Integrator;

// Steps of one length that were taken one after the other before anybody looked. Arrays have the start, and then what
// each step led to.
struct StepBlock {
  const Model& model;
  Integrator& integrator;  // with the counters and the ledger of the start
  double h = 0;
  ConstVector t, q, p;
  ConstVector booked;               // per state: the ledger's energy_out, then its symmetry_impulse
  std::span<const int> iterations;  // of Newton's method, per step

  std::size_t count() const { return t.size() - 1; }
  // Of step k, from 0: one row of one of the arrays, behind the start.
  ConstVector after(ConstVector all, std::size_t k) const {
    const std::size_t n = all.size() / t.size();
    return all.subspan((k + 1) * n, n);
  }
};

// Who looks at steps of small systems many at a time: they take less time than a look.
class BlockLook {
 public:
  virtual ~BlockLook() = default;
  // How many steps of length h from t may come at once.
  virtual long most(double t, double h) = 0;
  // False: they have to come one by one. They are then taken again.
  virtual bool look(const StepBlock& block) = 0;
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  // Called after each accepted step with the synchronous state; returning false ends the advance there.
  using OnStep = std::function<bool(const State& state, const StepReport& report)>;

  // Takes whole steps until state.t has reached t_end (to round-off). On failure the state is that of the last good
  // step and the report says why. Steps are never bent to hit t_end.
  virtual StepReport advance(const Model& model, State& state, double t_end, const OnStep& on_step = {}) = 0;

  // The same where steps may be looked at many at a time; on_step sees the others. Methods that have no steps of their
  // own for small systems show all to on_step.
  virtual StepReport advance_by_blocks(const Model& model, State& state, double t_end, const OnStep& on_step,
                                       BlockLook&) {
    return advance(model, state, t_end, on_step);
  }

  // The map of one step of the state, t included, for those who measure it: h may be negative, the clock stays. Nothing
  // for methods without a global step.
  virtual std::optional<StepReport> apply_step(const Model&, State&, double /*h*/) { return std::nullopt; }

  // How its steps are solved, decided when it was made.
  virtual SolvePath solve_path() const { return {}; }
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
  // The same for each step of a block; false if there is none. W: the potential of each of its states.
  virtual bool discrete_energies(const StepBlock&, ConstVector /*W*/, Vector) { return false; }
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
