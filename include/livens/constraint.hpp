// Holonomic constraints g(t, q) = 0. One object stands for the equations of one joint, rod or rigid body.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <livens/energy.hpp>

namespace livens {

// How a constraint is held.
//   multiplier  by the force -(dg/dq)' lambda: g = 0 after every step, to rounding
//   penalty     by the potential k |g|^2 / 2, which stands for the constraint in the model
//   augmented   by multipliers that are found by iterating on penalties
struct Enforcement {
  enum class Kind { multiplier, penalty, augmented };
  Kind kind = Kind::multiplier;
  double stiffness = 0;  // k of penalties and augmented Lagrangians, N/m
};

// The body that feels the reaction of a joint, and where.
struct JointPlace {
  int first = 0, last = 0;  // its coordinates are first ... last - 1
  AffinePoint point;        // of the joint
};

class Constraint {
 public:
  Constraint(std::string name, int count) : name_(std::move(name)), count_(count) {}
  virtual ~Constraint() = default;
  const std::string& name() const { return name_; }
  int count() const { return count_; }  // of equations

  virtual void value(double t, ConstVector q, Vector g) const = 0;
  // sink += scale * dg/dq. The rows are the equations, 0 ... count - 1; always the same blocks in the same order.
  virtual void add_jacobian(double t, ConstVector q, double scale, MatrixSink& sink) const = 0;
  // f += scale * (dg/dq)' lambda
  virtual void add_force(double t, ConstVector q, ConstVector lambda, double scale, Vector f) const = 0;
  // sink += scale * sum_k lambda_k d2g_k/dq2
  virtual void add_curvature(double t, ConstVector q, ConstVector lambda, double scale, MatrixSink& sink) const = 0;
  // rate = dg/dq v + dg/dt, and second = d2/ds2 g(t + s, q + s v).
  virtual void rates(double t, ConstVector q, ConstVector v, Vector rate, Vector second) const = 0;
  // size_k: what rounding of g_k refers to, the sum of its absolute summands.
  virtual void magnitude(double t, ConstVector q, Vector size) const = 0;

  // g(t, y) - g(t, x) = dg/dq((x + y) / 2) (y - x): then every discrete derivative is that of the middle.
  virtual bool quadratic() const { return false; }
  virtual bool depends_on_time() const { return false; }
  // What its force keeps. Constraints that hold bodies to the ground keep nothing.
  virtual Invariance invariance() const { return {}; }
  // Whether a force between bodies has no moment in the middle of two configurations that keep the constraint, too.
  virtual bool torque_free_between_steps() const { return true; }
  // Coordinates that appear in it, sorted.
  virtual std::vector<int> coordinates() const = 0;
  // Of joints between bodies; null for others, whose reactions are not told apart.
  virtual const JointPlace* joint() const { return nullptr; }
  // The lines that it is drawn as: rods.
  virtual std::span<const Link> links() const { return {}; }

  Enforcement enforcement;  // multiplier or augmented: penalties are energy terms

 private:
  std::string name_;
  int count_;
};

}  // namespace livens
