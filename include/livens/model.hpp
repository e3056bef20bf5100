// The model: everything about the mechanics, nothing about steps, solvers or files. Immutable; threads may share it.
//
//   L(t, q, v) = 1/2 v'Mv - sum W_k(t, q) + sum L_i(t, q, v),   d/dt dL/dv - dL/dq = sum f_j(t, q, v)
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <livens/constraint.hpp>
#include <livens/energy.hpp>
#include <livens/mesh.hpp>
#include <livens/state.hpp>

namespace livens {

// Constant mass matrix: diagonal, plus optional off-diagonal entries (consistent mass, director coordinates).
struct MassEntry {
  int row, column;
  double value;
};
struct Mass {
  std::vector<double> diagonal;
  std::vector<MassEntry> off_diagonal;  // both triangles
};

// A rigid body in natural coordinates: four equal masses in the corners of a box about the centre of mass, every second
// of the eight, have the mass, the centre and the inertia of any body. They are its nodes, with a constant diagonal
// mass matrix, and six quadratic constraints keep their shape. Every point of the body is a weighted sum of them. In
// the plane three equal masses in the corners of an equilateral triangle and three constraints do the same.
struct RigidShape {
  double mass = 0;                  // kg
  std::array<double, 9> inertia{};  // kg m^2, about the centre, axes of the world at the start; in 2D the last alone
  std::array<double, 3> center{};   // m, at the start
  std::array<double, 9> axes{};     // principal axes at the start, in rows
  std::array<double, 3> half{};     // m, sides of the box over 2: sqrt(int x_i^2 dm / mass); in 2D the last is 0
  // Weights of the nodes in the point that is at X at the start, and in the vector that is D then; in 2D the last is 0.
  std::array<double, 4> point(const std::array<double, 3>& X) const;
  std::array<double, 4> vector(const std::array<double, 3>& D) const;
};

// A run of coordinates with a name: the particles of a body (dimension = 1, 2, 3 coordinates a node), or the
// generalised coordinates of a Lagrangian system (dimension = 0).
struct Body {
  std::string name;
  int first = 0;                            // first coordinate
  int nodes = 0;                            // or number of generalised coordinates
  int dimension = 0;                        // coordinates a node; 0: generalised
  bool periodic = false;                    // then its angular momentum is not defined
  std::vector<double> reference;            // reference positions, nodes x dimension; empty for generalised coordinates
  std::shared_ptr<const Mesh> mesh;         // of a solid; null for others
  double mass = 0;                          // kg, of all nodes together; 0 for generalised coordinates
  std::shared_ptr<const RigidShape> rigid;  // of a rigid body; null for others
  int size() const { return dimension == 0 ? nodes : nodes * dimension; }
};

// A direction xi(q) along which L does not change; its momentum map is p . xi(q).
struct Symmetry {
  std::string name;
  std::function<void(ConstVector q, Vector xi)> generator;
};

// Coordinates whose motion is given: they stay where they start, or follow a function of time. They are eliminated:
// their momentum is 0, their kinetic energy is not counted, and no force moves them.
struct Support {
  std::string name;
  std::vector<int> coordinates;
  // Position and velocity of each coordinate at t; empty: they do not move.
  std::function<void(double t, Vector position, Vector velocity)> motion;
  // The same of coordinate k alone, for methods that move nodes one at a time; empty: `motion` has to do.
  std::function<std::array<double, 2>(double t, std::size_t k)> motion_of = {};
};

// What class of problem a method meets; claims depend on it.
struct ModelClass {
  bool separable = true;     // no general Lagrangian term
  bool forced = false;       // non-conservative forces
  bool lagged = false;       // some force enters explicit steps with a lag (first order)
  bool first_order = false;  // some force enters implicit steps to first order only
  bool constrained = false;  // constraints held by multipliers
  bool step_energy = false;  // some force is one of the strain of a step, torque-free about its end [K06 5.2]
  // Every potential that rigid motions leave alone has a discrete derivative that they leave alone
  // (EnergyTerm::add_discrete_gradient).
  bool discrete_gradients = true;
  // Constraint::torque_free_between_steps of all.
  bool torque_free_constraints = true;
  bool barriers = false;        // surfaces are kept apart (EnergyTerm::barrier)
  bool barrier_losses = false;  // and rub, or give back a part of what an impact stores
  bool impacts = false;         // bodies bounce off each other at instants (EnergyTerm::impacts)
};

struct ModelParts {
  std::vector<std::string> coordinates;  // names, of the generalised ones if there are any; may be empty without
  std::vector<Body> bodies;              // of nodes, then that of generalised coordinates, if there is one
  Mass mass;
  std::vector<std::shared_ptr<const EnergyTerm>> terms;
  std::vector<std::shared_ptr<const LagrangianTerm>> lagrangians;
  std::vector<std::shared_ptr<const Force>> forces;
  std::vector<Symmetry> symmetries;
  std::vector<Support> supports;
  std::vector<std::shared_ptr<const Constraint>> constraints;
  std::vector<std::string> notes;  // what a user should know: repairs of meshes, for example
};

// Coordinates with the supports where they are at some time: a view of those given unless supports move, otherwise a
// copy of its own, which nothing overwrites. It converts to a view only where it has a name, so that it outlives it.
class Placed {
 public:
  ~Placed();
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  operator ConstVector() const& { return view_; }
  operator ConstVector() const&& = delete;

 private:
  friend class Model;
  explicit Placed(ConstVector q) : view_(q) {}
  Placed(std::vector<double>&& own, std::size_t size) : own_(std::move(own)), view_(own_.data(), size), owns_(true) {}

  std::vector<double> own_;  // scratch memory of the thread, given back at the end
  ConstVector view_;
  bool owns_ = false;
};

class Linearisation;

class Model {
 public:
  explicit Model(ModelParts parts);

  int size() const { return static_cast<int>(parts_.mass.diagonal.size()); }
  const ModelParts& parts() const { return parts_; }
  const std::vector<Body>& bodies() const { return parts_.bodies; }
  const Body& body(const std::string& name) const;  // throws std::out_of_range with the known names
  bool separable() const { return parts_.lagrangians.empty(); }
  bool diagonal_mass() const { return parts_.mass.off_diagonal.empty(); }
  // The one mass of all coordinates, if they share it.
  std::optional<double> uniform_mass() const { return uniform_mass_; }
  ModelClass model_class() const;
  // Spatial dimension shared by all bodies of nodes; 0 if there are none.
  int dimension() const { return dimension_; }

  // Positions of a body's nodes inside the state: a view, no copy.
  ConstVector positions(const State& state, const std::string& body) const;

  // --- sums over terms -----------------------------------------------------------------------------------------
  double potential(double t, ConstVector q) const;
  void gradient(double t, ConstVector q, Vector g) const;  // g = dW/dq
  double gradient_and_potential(double t, ConstVector q, Vector g) const;
  // g = gradient of the terms that change under rigid motions only (gravity to a fixed centre, springs to ground, ...).
  bool has_external_terms() const { return has_external_terms_; }
  void external_gradient(double t, ConstVector q, Vector g) const;
  // by_q = dL/dq, by_v = dL/dv; returns L.
  double lagrangian(double t, ConstVector q, ConstVector v, Vector by_q, Vector by_v) const;
  double lagrangian(double t, ConstVector q, ConstVector v) const;
  void forces(double t, ConstVector q, ConstVector v, Vector f) const;
  // f += scale * force number k
  void add_force(std::size_t k, double t, ConstVector q, ConstVector v, double scale, Vector f) const;
  // Rayleigh's function of force number k, which must have one.
  double rayleigh_function(std::size_t k, double t, ConstVector q, ConstVector v) const;
  // Force of a support on its coordinates, in their order: what the terms and forces would do to them, reversed.
  void reaction(const Support& support, double t, ConstVector q, ConstVector v, Vector force) const;
  // Whether t appears in L, in some term or because supports move.
  bool depends_on_time() const { return depends_on_time_; }
  // Power that enters because L depends on time: -dL/dt.
  double time_power(double t, ConstVector q, ConstVector v) const;
  // Work that enters so between t0 and t1 with the body as at t, one of the two: W(t1, q) - W(t0, q), whatever kinks a
  // load has at its ends.
  double time_work(double t0, double t1, double t, ConstVector q, ConstVector v) const;

  // --- supports ------------------------------------------------------------------------------------------------
  bool supported(int coordinate) const { return !supported_.empty() && supported_[coordinate]; }
  int supported_count() const { return static_cast<int>(support_list_.size()); }
  bool has_moving_supports() const { return moving_; }
  // Puts the supported coordinates where they are at t; their p is 0.
  void place_supports(double t, State& state) const;
  // q with the supports where they are at t.
  Placed placed(double t, ConstVector q) const;
  void release(Vector g) const;  // g = 0 at the supports

  // --- constraints ---------------------------------------------------------------------------------------------
  int constraint_count() const { return constraint_count_; }  // equations
  void constraint_values(double t, ConstVector q, Vector g) const;
  void constraint_rates(double t, ConstVector q, ConstVector v, Vector rate, Vector second) const;
  // f += scale * (dg/dq)' lambda
  void add_constraint_force(double t, ConstVector q, ConstVector lambda, double scale, Vector f) const;

  // --- kinetic side --------------------------------------------------------------------------------------------
  void multiply_mass(ConstVector v, Vector p) const;  // p = Mv (constant part)
  void divide_mass(ConstVector p, Vector v) const;    // v = M^-1 p
  double kinetic(ConstVector v) const;                // 1/2 v'Mv
  // Legendre transforms at (t, q); velocity() starts Newton's method from v and returns false if it does not converge.
  void momentum(double t, ConstVector q, ConstVector v, Vector p) const;
  bool velocity(double t, ConstVector q, ConstVector p, Vector v) const;

 private:
  friend class Linearisation;
  friend const Linearisation& linearisation(const Model& model);
  bool external(const EnergyTerm& term) const;
  double support_power(double t, ConstVector x) const;
  Placed moving(double t, ConstVector v) const;  // v with the velocities of the supports at t

  ModelParts parts_;
  int dimension_ = 0;
  bool has_external_terms_ = false;
  std::optional<double> uniform_mass_;
  bool moving_ = false;
  bool depends_on_time_ = false;
  int constraint_count_ = 0;
  std::vector<bool> supported_;                                   // empty without supports
  std::vector<int> support_list_;                                 // supported coordinates
  std::vector<std::shared_ptr<const EnergyTerm>> support_terms_;  // invariant terms, restricted to the supports
  struct Cache;
  std::shared_ptr<Cache> cache_;  // built once, then read only
};

// The energy of a state, from the model alone.
struct Energy {
  double kinetic = 0, potential = 0, total = 0;
};
Energy energy(const Model& model, const State& state);

// Linear momentum, and angular momentum about the origin, of all bodies of nodes (zero without). Periodic bodies have
// no angular momentum.
struct Momenta {
  double linear[3] = {0, 0, 0};
  double angular[3] = {0, 0, 0};
};
Momenta momenta(const Model& model, ConstVector q, ConstVector p);

// A state with p from v.
State make_state(const Model& model, double t, std::vector<double> q, std::vector<double> v);

}  // namespace livens
