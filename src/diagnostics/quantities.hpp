// The row of numbers that every sample of a run gives: energies, the ledgers, momenta, parts by name, and probes.
//
//   energy_error          = energy + dissipated - work - energy(start)
//   linear_momentum_error = |P - impulses of loads and supports - P(start)|, likewise the angular momentum
//   symmetry_error        = p.xi(q) - impulses along xi - p.xi(q)(start)
#pragma once

#include <functional>
#include <limits>
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

  // Many steps at once, for systems in coordinates of a diagonal mass, without constraints, contacts and probes.
  bool takes_blocks(const Model& model) const;
  // False if one of the numbers is not finite: then they have to come one by one.
  bool evaluate_block(const StepBlock& block);
  // Of the block that was evaluated last: a column after each step, empty where it is not known; columns with
  // statistics are then undefined.
  std::span<const double> values_in_block(std::size_t column) const;
  // The whole row after step k, and the scales.
  std::span<const double> row_of_block(const StepBlock& block, std::size_t k);
  void keep_scales_of_block();

  void visit_memory(MemoryVisitor& visitor);

  // What drifts are compared with, the largest so far: sums of the magnitudes that add up to each momentum.
  double linear_scale() const { return linear_scale_; }
  double angular_scale() const { return angular_scale_; }
  double symmetry_scale(std::size_t k) const { return symmetry_scale_[k]; }

 private:
  // What several columns need. Inside a block the integrator is that of its start, `ahead` steps before.
  struct Instant {
    Energy energy;
    std::span<const double> term_energy;
    double discrete_energy = std::numeric_limits<double>::quiet_NaN(), dissipated = 0, work = 0;
    Momenta momenta;
    std::span<const double> energy_out, symmetry_impulse;
    long ahead = 0;
  };
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
  static void book_sides(const Model& model, Instant& now);
  void write_forces(const Model& model, const Instant& now, double* out) const;
  void find_block_columns();
  Instant instant_in_block(const StepBlock& block, std::size_t k);
  Vector block_column(std::size_t column);
  void block_energies(const StepBlock& block);
  void block_books(const StepBlock& block);
  void block_symmetries(const StepBlock& block);
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
  struct {
    std::size_t first = 0, count = 0;  // columns
    std::vector<std::size_t> place;    // behind the first, by force
  } forces_;
  std::size_t symmetries_first_ = 0;  // column
  std::size_t energies_first_ = 0;
  std::vector<std::size_t> block_places_;  // by column: which of the columns of blocks, or none
  struct {
    std::size_t count = 0;
    std::vector<double> columns, v;        // after each step
    std::vector<double> W, terms;          // of each state: the sum over the terms, and term by term
    std::vector<double> largest_symmetry;  // of the sizes, by symmetry
    State state;
    StepReport report;
  } block_;
  double linear_size_ = 0, angular_size_ = 0, linear_scale_ = 0, angular_scale_ = 0;
};

}  // namespace livens
