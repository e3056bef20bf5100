// The row of numbers that every sample of a run gives: energies, the ledgers, momenta, parts by name, and probes.
//
//   energy_error          = energy + dissipated - work - energy(start)
//   linear_momentum_error = |P - impulses of loads and supports - P(start)|, likewise the angular momentum
//   symmetry_error        = p.xi(q) - impulses along xi - p.xi(q)(start)
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <livens/probe.hpp>

namespace livens {

// Bodies that repeat periodically have no angular momentum, and there is none in one dimension.
bool has_angular_momentum(const Model& model);

// Whether 1/2 p.v is the kinetic energy of a body: general Lagrangians are those of the system, if there is one.
bool has_constant_mass(const Model& model, const Body& body);

// By how much rounding of positions and sums changes the energy of a state, measured: the energies
// of states that differ in the last bit.
double energy_rounding(const Model& model, const State& state);

// Methods without a global step count updates of elements: how often they are sampled says nothing.
long steps_done(const Integrator& integrator);

class Quantities {
 public:
  Quantities(const Model& model, std::vector<Probe> probes);
  // The columns read members of this object.
  Quantities(const Quantities&) = delete;
  Quantities& operator=(const Quantities&) = delete;

  const std::vector<Column>& columns() const { return columns_; }
  std::size_t index(const std::string& column) const;  // throws std::out_of_range
  bool has(const std::string& column) const { return index_.count(column) != 0; }
  // Default number of history rows: a thousand, at most one per step. More for systems whose coordinates are columns:
  // phase portraits are drawn from them, and a turn of an orbit takes dozens of steps.
  double default_rows() const;

  void begin(const Sample& sample);    // remembers the start
  void advance(const Sample& sample);  // averages over time; after every step
  // nan where undefined. The span is valid until the next call.
  std::span<const double> evaluate(const Sample& sample);
  void keep_scales();  // of what was evaluated last
  void visit_memory(MemoryVisitor& visitor);

  // What drifts are compared with, the largest so far: sums of the magnitudes that add up to each momentum.
  double linear_scale() const { return linear_scale_; }
  double angular_scale() const { return angular_scale_; }
  double symmetry_scale(std::size_t k) const { return symmetry_scale_[k]; }

 private:
  struct Instant;
  using Write = std::function<void(const Sample&, const Instant&, double*)>;
  struct Group {
    std::size_t first;
    Write write;
  };
  void add(std::vector<Column> columns, Write write);
  void add_step();
  void add_energies();
  void add_momenta();
  void add_constraints();
  void add_terms(const Model& model);
  void add_contacts(const Model& model);
  void add_forces(const Model& model);
  void add_bodies(const Model& model);
  void add_symmetries(const Model& model);
  void add_coordinates(const Model& model);
  void add_probes();
  Instant instant(const Sample& sample);
  void measure_momenta(const Sample& sample);
  void measure_symmetries(const Sample& sample);

  std::vector<Column> columns_;
  bool has_coordinates_ = false;
  std::map<std::string, std::size_t> index_;
  std::vector<Group> groups_;
  std::vector<Probe> probes_;
  std::vector<double> row_, term_energy_;
  std::vector<double> symmetry_, symmetry_size_, symmetry_scale_, symmetry_start_, xi_;
  std::vector<double> start_ = std::vector<double>(7, 0.0);  // energy, linear and angular momentum
  double linear_size_ = 0, angular_size_ = 0, linear_scale_ = 0, angular_scale_ = 0;
};

}  // namespace livens
