// What a model is made of: potentials W(t, q), general Lagrangian terms L(t, q, v) and non-conservative forces f(t, q,
// v). One object stands for a block of like elements, so that there is one virtual call per block and evaluation.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <livens/affine.hpp>
#include <livens/matrix_sink.hpp>

namespace livens {

// Which rigid motions leave a term unchanged: what it invariably keeps, the momentum ledger need not book.
struct Invariance {
  bool translations = false;
  bool rotations = false;
};

// A potential that is a sum over stencils of a few nodes, each to be had alone: for methods that give every stencil its
// own clock. Positions and gradients come as four numbers a node: its coordinates, filled up with zeros.
class Stencils {
 public:
  // nodes: the first coordinates of the nodes, `per_stencil` a stencil.
  Stencils(std::vector<int> nodes, int per_stencil) : nodes_(std::move(nodes)), per_stencil_(per_stencil) {}
  virtual ~Stencils() = default;
  int count() const { return static_cast<int>(nodes_.size()) / per_stencil_; }
  int per_stencil() const { return per_stencil_; }
  std::span<const int> nodes(int k) const {
    return {nodes_.data() + static_cast<std::ptrdiff_t>(k) * per_stencil_, static_cast<std::size_t>(per_stencil_)};
  }

  // g = dW_k/dx, all of it; returns W_k, which is not finite where there is none. x and g are aligned to 32 bytes.
  virtual double evaluate(int k, const double* x, double* g) const = 0;
  // Inradius of the shape x over the speed of dilatational waves [L04 (59)]; 0 for stencils without an inside.
  virtual double courant_time(int /*k*/, const double* /*x*/) const { return 0; }
  // Largest second derivative where the shape at the start does not show it (contact that has not begun), N/m.
  virtual double stiffness(int /*k*/) const { return 0; }
  // What the stencils are numbered after: damping with the same source has the same numbers. Null: it has none.
  virtual const void* source() const { return nullptr; }
  // The part of the mass of its node a that stencil k brings; 0: all stencils at a node have equal parts.
  virtual double mass(int /*k*/, int /*a*/) const { return 0; }
  // Whether stencils of two nodes are lines that somebody would want to see.
  virtual bool drawn() const { return true; }

 private:
  std::vector<int> nodes_;
  int per_stencil_;
};

// Damping that is local to stencils: each resists what its own nodes moved.
class DampingStencils {
 public:
  virtual ~DampingStencils() = default;
  // The stencils of that potential are damped, with the same numbers.
  virtual bool belongs_to(const Stencils& stencils) const = 0;
  // C over the stiffness of the potential, s.
  virtual double time() const = 0;
  // g += C_k(x) moved: the impulse against a displacement, with the sign of a gradient.
  virtual void add_impulse(int k, const double* x, const double* moved, double* g) const = 0;
};

// A rigid thing that bodies touch.
struct Obstacle {
  enum class Kind { plane, sphere };
  std::string name;
  Kind kind = Kind::plane;
  double point[3] = {0, 0, 0};   // of the plane, or the centre
  double normal[3] = {0, 0, 1};  // of the plane, towards its free side
  double radius = 0;             // of the sphere
};

// How bodies touch the obstacles of a contact.
struct ContactState {
  double largest_depth = 0;                 // m; 0 without contact
  std::array<double, 3> force = {0, 0, 0};  // on the bodies, N
};

// A line between two points that need not be nodes: a rod, or a spring between bodies.
struct Link {
  std::array<AffinePoint, 2> ends;
};

class SolidBlock;      // <livens/solid_block.hpp>
class ContactBarrier;  // surfaces that are kept apart
class ContactImpacts;  // surfaces that bounce off each other at instants

// Steps of an explicit rule with a diagonal mass: p -= open dW(q), q += h p / m, p -= close dW(q), `count` times.
struct ExplicitSteps {
  double h = 0, open = 0, close = 0;  // the step, and its part for each of the two gradients
  bool opens = false, closes = false;
  const double* mass = nullptr;
  long count = 0;
  double *q_after = nullptr, *p_after = nullptr;  // if wanted: q and p after each step, one after the other

  // From q, p and g = dW(q) of N coordinates, or of n up to `room` if N is 0. gradient(q, g) writes g.
  template <int N, int room = N, class Gradient>
  void advance(std::size_t n, double* all_q, double* all_p, double* all_g, const Gradient& gradient) const {
    const std::size_t size = N == 0 ? n : N;
    std::array<double, room> q, p, g, inverse;
    bool exact = true;
    for (std::size_t i = 0; i < size; ++i) {
      q[i] = all_q[i], p[i] = all_p[i], g[i] = all_g[i], inverse[i] = 1 / mass[i];
      int exponent = 0;
      exact = exact && std::abs(std::frexp(mass[i], &exponent)) == 0.5 && std::isnormal(inverse[i]);
    }
    const auto go = [&](const auto& over_mass) {
      for (long k = 0; k < count; ++k) {
        if (opens) {
          if (!closes && k > 0) gradient(q.data(), g.data());
          for (std::size_t i = 0; i < size; ++i) p[i] -= open * g[i];
        }
        for (std::size_t i = 0; i < size; ++i) q[i] += h * over_mass(p[i], i);
        if (closes) {
          gradient(q.data(), g.data());
          for (std::size_t i = 0; i < size; ++i) p[i] -= close * g[i];
        }
        if (q_after == nullptr) continue;
        const std::size_t at = static_cast<std::size_t>(k) * size;
        for (std::size_t i = 0; i < size; ++i) q_after[at + i] = q[i], p_after[at + i] = p[i];
      }
    };
    if (exact)  // a power of two: the same bits without a division
      go([&](double x, std::size_t i) { return x * inverse[i]; });
    else
      go([&](double x, std::size_t i) { return x / mass[i]; });
    for (std::size_t i = 0; i < size; ++i) all_q[i] = q[i], all_p[i] = p[i], all_g[i] = g[i];
  }
};

// A potential W(t, q); the force is -dW/dq.
class EnergyTerm {
 public:
  explicit EnergyTerm(std::string name) : name_(std::move(name)) {}
  virtual ~EnergyTerm() = default;
  const std::string& name() const { return name_; }

  virtual double energy(double t, ConstVector q) const = 0;
  // W at states one after the other, q.size() / W.size() coordinates each: the bits of as many calls of energy().
  virtual void energies(double t, ConstVector q, Vector W) const {
    const std::size_t n = W.empty() ? 0 : q.size() / W.size();
    for (std::size_t k = 0; k < W.size(); ++k) W[k] = energy(t, q.subspan(k * n, n));
  }
  // gradient += scale * dW/dq
  virtual void add_gradient(double t, ConstVector q, double scale, Vector gradient) const = 0;
  // gradient = dW/dq, all of it: clearing where one adds saves a pass over memory.
  virtual void write_gradient(double t, ConstVector q, Vector gradient) const {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    add_gradient(t, q, 1, gradient);
  }
  // These steps of a model of few coordinates whose only potential this is, and which does not depend on time, from q,
  // p and g = dW/dq at q: as a loop of its own, without a call for every gradient. False: it has none.
  virtual bool advance(const ExplicitSteps&, Vector /*q*/, Vector /*p*/, Vector /*g*/) const { return false; }
  // gradient += scale * dW/dq, and returns W at the cost of one pass.
  virtual double add_gradient_and_energy(double t, ConstVector q, double scale, Vector gradient) const {
    add_gradient(t, q, scale, gradient);
    return energy(t, q);
  }
  // sink += scale * d2W/dq2; must emit the same blocks in the same order at every call.
  virtual void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const = 0;
  // Why add_hessian cannot be asked for; "" if it can. Methods that solve equations are refused with it.
  virtual std::string no_hessian() const { return ""; }
  // The same with a positive semi-definite stand-in where d2W/dq2 is indefinite; by default it is not.
  virtual void add_convex_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const {
    add_hessian(t, q, scale, sink);
  }
  // The discrete derivative DW(x, y), DW.(y - x) = W(t, y) - W(t, x), taken in invariants, so that it keeps every rigid
  // motion that W keeps [E04, Gonzalez]: gradient += scale * DW. False, and nothing added, if the term has none of its
  // own: then it is taken as one function of all its coordinates. DW is not finite where W is not.
  virtual bool add_discrete_gradient(double /*t*/, ConstVector /*x*/, ConstVector /*y*/, double /*scale*/,
                                     Vector /*gradient*/) const {
    return false;
  }
  // sink += scale * d DW(x, y)/dy, on the blocks of add_hessian; by default the first part of it, d2W/dq2 of the middle
  // over 2. symmetric: its symmetric part will do, for solvers that need one.
  virtual void add_discrete_hessian(double t, ConstVector x, ConstVector y, double scale, bool symmetric,
                                    MatrixSink& sink) const;
  // dW/dt at fixed q: the power that enters through a potential which depends on time.
  virtual double time_derivative(double, ConstVector) const { return 0; }
  virtual Invariance invariance() const { return {}; }
  // The same potential without the elements that touch none of the marked coordinates: cheap reactions of supports.
  // Null: take the whole term.
  virtual std::shared_ptr<const EnergyTerm> restricted(const std::vector<bool>& /*marked*/) const { return nullptr; }
  // The potential as a sum over stencils; null if it is none.
  virtual std::shared_ptr<const Stencils> stencils() const { return nullptr; }
  // The term as a block of elements of a solid; null if it is none.
  virtual const SolidBlock* elements() const { return nullptr; }
  // The rigid things that bodies touch, if the term is a contact; none for others.
  virtual std::span<const Obstacle> obstacles() const { return {}; }
  // Of contacts: how the bodies touch them at q.
  virtual ContactState contact(ConstVector /*q*/) const { return {}; }
  // The surfaces that the term keeps apart, if it is a barrier between them; null for others. It is infinite where they
  // meet, and couples other nodes in every step: only methods that ask for it can step with it
  // (IntegratorRecord::keeps_apart).
  virtual const ContactBarrier* barrier() const { return nullptr; }
  // What bounces off each other at instants between which it moves freely, if the term is a contact of that kind; null
  // for others. Its energy is 0: only methods that find these instants can step with it (IntegratorRecord::bounces).
  virtual const ContactImpacts* impacts() const { return nullptr; }
  // The lines that the term is drawn as, if their ends are not nodes; stencils of two nodes are drawn if they say so.
  virtual std::span<const Link> links() const { return {}; }
  // If W = -f.q + constant with constant f: adds f and returns true.
  virtual bool add_constant_load(Vector /*f*/) const { return false; }
  // Whether t appears in W. One who says no saves those who book the work of time two energies a step.
  virtual bool depends_on_time() const { return true; }
  // Coordinates that appear in W, if they are few and always the same; empty: it may be any.
  virtual std::vector<int> coordinates() const { return {}; }
  // W as a sum of potentials of which some vary faster than others, for methods that give each its own step; empty: it
  // is not divided.
  virtual std::vector<std::shared_ptr<const EnergyTerm>> by_rate() const { return {}; }

 private:
  std::string name_;
};

// Coefficients of the four blocks of second derivatives of L in one assembly.
struct LagrangianScales {
  double qq = 0, qv = 0, vq = 0, vv = 0;  // qv: rows q, columns v
};

// A general Lagrangian L(t, q, v), added to 1/2 v'Mv - W.
class LagrangianTerm {
 public:
  explicit LagrangianTerm(std::string name) : name_(std::move(name)) {}
  virtual ~LagrangianTerm() = default;
  const std::string& name() const { return name_; }

  virtual double value(double t, ConstVector q, ConstVector v) const = 0;
  // by_q += dL/dq, by_v += dL/dv; returns L.
  virtual double add_gradient(double t, ConstVector q, ConstVector v, Vector by_q, Vector by_v) const = 0;
  virtual void add_hessian(double t, ConstVector q, ConstVector v, const LagrangianScales& scales,
                           MatrixSink& sink) const = 0;
  virtual double time_derivative(double, ConstVector, ConstVector) const { return 0; }
  // Whether t appears in L; one who says no is not asked for that derivative.
  virtual bool depends_on_time() const { return true; }

 private:
  std::string name_;
};

// How a force enters a variational step of velocity v (Lagrange-d'Alembert: F- acts at q0, F+ at q1).
enum class Placement {
  symmetric,  // F- = h/2 f(t0, q0, v), F+ = h/2 f(t1, q1, v): second order; stiff damping needs short steps
  // F- = h/2 f(t0, q0, v), F+ = h/2 f(t1, q1, v1) with the velocity v1 that it leaves: first order, and takes energy
  // however stiff a damping f = -C v is; implicit steps
  implicit_end,
  at_start,  // F- = h f(t0, q0, v), F+ = 0: first order; implicit steps
  lagged,    // F- = 0, F+ = h f(t1, q1, v): keeps explicit methods explicit, first order
};

// How damping in proportion to stiffness is discretised.
enum class DampingForm {
  exact,         // keeps momenta and takes energy at any step, first order; at the end of explicit steps
  second_order,  // half at each end of implicit steps with the velocity of the step: needs h time omega^2 < 2
  published,     // minus the gradient by q1 of time W(q0, q1), of the strain of the step [K06 5.2]
};

// An energy W(q0, q1) of what a step strains: its start is the rest shape, and a step that moves rigidly has none.
class StepEnergy {
 public:
  virtual ~StepEnergy() = default;
  virtual void begin(ConstVector q0) = 0;  // the rest shape from now on
  // gradient += scale * dW/dq1; returns W.
  virtual double add_gradient(ConstVector q1, double scale, Vector gradient) const = 0;
  // sink += scale * d2W/dq1^2, on the blocks of Force::add_jacobian; convex: or a positive semi-definite stand-in.
  virtual void add_hessian(ConstVector q1, double scale, bool convex, MatrixSink& sink) const = 0;
};

// What the energy ledger calls the energy that a force takes or gives.
enum class LedgerSide { dissipated, work };

// A non-conservative force f(t, q, v).
class Force {
 public:
  explicit Force(std::string name) : name_(std::move(name)) {}
  virtual ~Force() = default;
  const std::string& name() const { return name_; }

  virtual void add_force(double t, ConstVector q, ConstVector v, double scale, Vector force) const = 0;
  // sink += by_q * df/dq + by_v * df/dv
  virtual void add_jacobian(double t, ConstVector q, ConstVector v, double by_q, double by_v,
                            MatrixSink& sink) const = 0;
  virtual LedgerSide ledger_side() const = 0;
  // If f = -D v with a constant diagonal D: adds D to the argument and returns true. Explicit methods then stay
  // explicit with a symmetric placement.
  virtual bool add_constant_drag(Vector) const { return false; }
  virtual bool depends_on_velocity() const { return true; }
  virtual Invariance invariance() const { return {}; }
  // The barrier whose contacts rub, if the force is its friction: the step that finds the pressure finds the friction
  // as well, and add_force adds nothing. Null for others.
  virtual const ContactBarrier* friction_of() const { return nullptr; }
  // The barrier that gives back a part of what impacts store in it, if the force stands for what it keeps: it is a row
  // of the ledger, and add_force adds nothing. Null for others.
  virtual const ContactBarrier* restitution_of() const { return nullptr; }
  // The damping as a sum over stencils; null if it is none.
  virtual std::shared_ptr<const DampingStencils> stencils() const { return nullptr; }
  // Placement for explicit and for implicit variational steps.
  virtual Placement placement(bool /*explicit_step*/) const { return Placement::symmetric; }
  // In variational steps the impulse is -dW/dq1 of this energy instead of h f, of which it is the limit for short
  // steps; null: it is h f. One who steps owns one.
  virtual std::unique_ptr<StepEnergy> step_energy() const { return nullptr; }
  // Whether f(t, q, v) = -C(t, q) v with C symmetric and not negative, so that F- may enter the incremental potential.
  virtual bool linear_in_velocity() const { return false; }
  // Rayleigh's function R of a force f = -dR/dv, in W: with it F- may enter the incremental potential, whatever R is. A
  // force that is linear in v has R = -f.v / 2 and need not say so.
  virtual bool has_rayleigh_function() const { return false; }
  virtual double rayleigh_function(double /*t*/, ConstVector /*q*/, ConstVector /*v*/) const { return 0; }
  // Coordinates that it acts on and depends on, if they are few and always the same; empty: it may be any.
  virtual std::vector<int> coordinates() const { return {}; }

 private:
  std::string name_;
};

}  // namespace livens
