#include "diagnostics/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <livens/solid_block.hpp>

#include "contact/contact_barrier.hpp"
#include "diagnostics/probe_parts.hpp"
#include "model/system.hpp"

namespace livens {
namespace {

constexpr int max_coordinate_columns = 16;  // of systems in generalised coordinates

std::vector<Column> vector_columns(const std::string& name, const std::string& unit, const std::string& meaning) {
  std::vector<Column> columns;
  for (const char* axis : {"_x", "_y", "_z"}) columns.push_back({name + axis, unit, meaning});
  return columns;
}

double norm_of_difference(const double* value, const double* impulse, const double* start) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double d = value[k] - impulse[k] - start[k];
    sum += d * d;
  }
  return std::sqrt(sum);
}

// Parts with the same name share a column: blocks of elements, and springs inside and across a border. `place` gets the
// column of each thing.
template <class Things, class MakeColumn>
std::vector<Column> distinct_columns(const Things& things, const MakeColumn& make, std::vector<std::size_t>& place) {
  std::vector<Column> columns;
  for (const auto& thing : things) {
    Column own = make(*thing);
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.name == own.name; });
    place.push_back(found - columns.begin());
    if (found == columns.end()) columns.push_back(std::move(own));
  }
  return columns;
}

bool is_dissipative(const Model& model, std::size_t force) {
  return model.parts().forces[force]->ledger_side() == LedgerSide::dissipated;
}

}  // namespace

Quantities::Quantities(const Model& model, std::vector<Probe> probes) : probes_(std::move(probes)) {
  add_step();
  add_energies();
  add_momenta();
  add_constraints();
  add_terms(model);
  add_contacts(model);
  add_forces(model);
  add_bodies(model);
  add_symmetries(model);
  add_coordinates(model);
  add_probes();
  row_.resize(columns_.size());
  for (std::size_t k = 0; k < columns_.size(); ++k) index_[columns_[k].name] = k;
  find_block_columns();
}

long steps_done(const Integrator& integrator) {
  return integrator.continuous() ? integrator.counters().evaluations : integrator.counters().steps;
}

std::size_t Quantities::index(const std::string& column) const { return index_.at(column); }

void Quantities::add(std::vector<Column> columns, Write write) {
  groups_.push_back({columns_.size(), std::move(write)});
  columns_.insert(columns_.end(), columns.begin(), columns.end());
}

void Quantities::add_step() {
  add({{"step", "-", "steps since the start; element updates of methods without a global step"},
       {"t", "s", "simulated time"},
       {"h", "s", "length of the last step"}},
      [](const Sample& sample, const Instant& now, double* out) {
        const Integrator& integrator = sample.integrator;
        out[0] = static_cast<double>(steps_done(integrator) + now.ahead);
        out[1] = sample.state.t;
        out[2] = integrator.counters().steps + now.ahead > 0 ? sample.report.h : undefined;
      });
}

void Quantities::add_energies() {
  energies_first_ = columns_.size();
  add({{"energy", "J", "kinetic + potential, from the model"},
       {"kinetic", "J", "kinetic energy"},
       {"potential", "J", "potential energy"},
       {"discrete_energy", "J", "-D3 Ld of the last step, of variational methods"},
       {"dissipated", "J", "removed by forces since the start, each at the instant it acts"},
       {"work", "J", "done by loads since the start"},
       {"energy_error", "J", "energy + dissipated - work - energy(start): the integrator's own"}},
      [this](const Sample&, const Instant& now, double* out) {
        out[0] = now.energy.total;
        out[1] = now.energy.kinetic;
        out[2] = now.energy.potential;
        out[3] = now.discrete_energy;
        out[4] = now.dissipated;
        out[5] = now.work;
        out[6] = now.energy.total + now.dissipated - now.work - start_[0];
      });
}

bool has_angular_momentum(const Model& model) {
  const auto& bodies = model.bodies();
  return model.dimension() > 1 && std::any_of(bodies.begin(), bodies.end(), [](const Body& b) { return !b.periodic; });
}

bool has_constant_mass(const Model& model, const Body& body) {
  return model.separable() || (body.dimension > 0 && system_of(model) != nullptr);
}

void Quantities::add_momenta() {
  std::vector<Column> columns = vector_columns("linear_momentum", "N s", "of all bodies of nodes");
  const auto angular = vector_columns("angular_momentum", "N m s", "of all bodies of nodes, about the origin");
  columns.insert(columns.end(), angular.begin(), angular.end());
  columns.push_back(
      {"linear_momentum_error", "N s", "magnitude of the change minus the impulses of loads and supports"});
  columns.push_back(
      {"angular_momentum_error", "N m s", "magnitude of the change minus the moments of loads and supports"});
  add(std::move(columns), [this](const Sample& sample, const Instant& now, double* out) {
    if (sample.model.dimension() == 0) return std::fill_n(out, 8, undefined), void();
    const Ledger& ledger = sample.integrator.ledger();
    std::copy_n(now.momenta.linear, 3, out);
    std::copy_n(now.momenta.angular, 3, out + 3);
    out[6] = norm_of_difference(now.momenta.linear, ledger.linear_impulse, start_.data() + 1);
    out[7] = norm_of_difference(now.momenta.angular, ledger.angular_impulse, start_.data() + 4);
    if (has_angular_momentum(sample.model)) return;
    std::fill_n(out + 3, 3, undefined);
    out[7] = undefined;
  });
}

void Quantities::add_constraints() {
  add({{"constraint_position", "m", "largest violation of a constraint"},
       {"constraint_velocity", "m/s", "largest rate of a constraint"},
       {"iterations", "-", "Newton iterations of the last step"}},
      [g = std::vector<double>(), rate = std::vector<double>(), second = std::vector<double>()](
          const Sample& sample, const Instant& now, double* out) mutable {
        out[0] = out[1] = undefined;
        if (const auto count = static_cast<std::size_t>(sample.model.constraint_count()); count > 0) {
          for (auto* vector : {&g, &rate, &second}) vector->resize(count);
          sample.model.constraint_values(sample.state.t, sample.state.q, g);
          sample.model.constraint_rates(sample.state.t, sample.state.q, sample.state.v, rate, second);
          out[0] = out[1] = 0;
          for (std::size_t k = 0; k < count; ++k) {
            out[0] = std::max(out[0], std::abs(g[k]));
            out[1] = std::max(out[1], std::abs(rate[k]));
          }
        }
        out[2] = sample.integrator.counters().steps + now.ahead > 0 ? sample.report.iterations : undefined;
      });
}

// The strain energy of a solid is a column of its body.
void Quantities::add_terms(const Model& model) {
  const auto column_of = [](const EnergyTerm& term) -> Column {
    if (term.elements() != nullptr) return {term.name() + ".potential", "J", "strain energy"};
    return {"potential." + term.name(), "J", "potential energy of this force"};
  };
  std::vector<std::size_t> place;
  std::vector<Column> columns = distinct_columns(model.parts().terms, column_of, place);
  const std::size_t count = columns.size();
  add(std::move(columns), [place, count](const Sample&, const Instant& now, double* out) {
    std::fill_n(out, count, 0.0);
    for (std::size_t k = 0; k < place.size(); ++k) out[place[k]] += now.term_energy[k];
  });
}

void Quantities::add_contacts(const Model& model) {
  for (const auto& term : model.parts().terms) {
    if (term->barrier() != nullptr) {
      add({{"contact." + term->name() + ".gap", "m", "smallest gap; empty where nothing is near"}},
          [barrier = term->barrier()](const Sample& sample, const Instant&, double* out) {
            const double gap = barrier->smallest_gap(sample.state.q).gap;
            *out = std::isfinite(gap) ? gap : undefined;
          });
    }
    if (term->obstacles().empty()) continue;
    std::vector<Column> columns = {
        {"contact." + term->name() + ".force", "N", "magnitude of the total force on the bodies"}};
    const bool sinks = term->barrier() == nullptr;
    if (sinks) columns.insert(columns.begin(), {"contact." + term->name() + ".depth", "m", "largest depth of a node"});
    add(std::move(columns), [contact = term.get(), sinks](const Sample& sample, const Instant&, double* out) {
      const ContactState now = contact->contact(sample.state.q);
      if (sinks) *out++ = now.largest_depth;
      *out = std::hypot(now.force[0], now.force[1], now.force[2]);
    });
  }
}

void Quantities::add_forces(const Model& model) {
  const auto column_of = [](const Force& force) -> Column {
    if (force.ledger_side() == LedgerSide::dissipated)
      return {"dissipated." + force.name(), "J", "removed by this force since the start"};
    return {"work." + force.name(), "J", "done by this force since the start"};
  };
  std::vector<std::size_t> place;
  std::vector<Column> columns = distinct_columns(model.parts().forces, column_of, place);
  forces_ = {columns_.size(), columns.size(), place};
  add(std::move(columns),
      [this](const Sample& sample, const Instant& now, double* out) { write_forces(sample.model, now, out); });
}

void Quantities::write_forces(const Model& model, const Instant& now, double* out) const {
  std::fill_n(out, forces_.count, 0.0);
  for (std::size_t k = 0; k < forces_.place.size(); ++k)
    out[forces_.place[k]] += is_dissipative(model, k) ? now.energy_out[k] : 0.0 - now.energy_out[k];
}

void Quantities::add_bodies(const Model& model) {
  for (const Body& body : model.bodies()) {
    if (body.dimension == 0 || model.dimension() == 0) continue;
    std::vector<Column> columns = {{body.name + ".kinetic", "J", "kinetic energy of this body"}};
    const auto momentum = vector_columns(body.name + ".linear_momentum", "N s", "of this body");
    columns.insert(columns.end(), momentum.begin(), momentum.end());
    add(std::move(columns), [&body](const Sample& sample, const Instant&, double* out) {
      std::fill_n(out, 4, 0.0);
      for (int i = 0; i < body.size(); ++i) {
        const auto k = static_cast<std::size_t>(body.first + i);
        out[0] += 0.5 * sample.state.p[k] * sample.state.v[k];
        out[1 + i % body.dimension] += sample.state.p[k];
      }
      if (!has_constant_mass(sample.model, body)) out[0] = undefined;
    });
  }
}

void Quantities::add_symmetries(const Model& model) {
  const auto& symmetries = model.parts().symmetries;
  for (auto* values : {&symmetry_, &symmetry_size_, &symmetry_scale_, &symmetry_start_})
    values->assign(symmetries.size(), 0.0);
  std::vector<Column> columns;
  for (const Symmetry& s : symmetries)
    columns.push_back({"symmetry." + s.name, "any", "momentum p.xi(q) of this symmetry"});
  for (const Symmetry& s : symmetries)
    columns.push_back({"symmetry_error." + s.name, "any", "its change minus the impulses of forces"});
  symmetries_first_ = columns_.size();
  add(std::move(columns), [this](const Sample&, const Instant& now, double* out) {
    const std::size_t n = symmetry_.size();
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = symmetry_[k];
      out[n + k] = symmetry_[k] - now.symmetry_impulse[k] - symmetry_start_[k];
    }
  });
}

void Quantities::add_coordinates(const Model& model) {
  const auto& names = model.parts().coordinates;
  const Body* system = system_of(model);
  if (system == nullptr || system->size() > max_coordinate_columns) return;
  if (static_cast<int>(names.size()) != system->size()) return;
  has_coordinates_ = true;
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({name, "any", "coordinate"});
  for (const std::string& name : names) columns.push_back({name + "_dot", "any", "velocity of the coordinate"});
  add(std::move(columns),
      [first = system->first, n = system->size()](const Sample& sample, const Instant&, double* out) {
        std::copy_n(sample.state.v.data() + first, n, std::copy_n(sample.state.q.data() + first, n, out));
      });
}

double Quantities::default_rows() const {
  constexpr double fewest = 1000, most = 20'000, numbers = 300'000;  // a file of some MB
  return has_coordinates_ ? std::clamp(numbers / static_cast<double>(columns_.size()), fewest, most) : fewest;
}

void Quantities::add_probes() {
  for (const Probe& probe : probes_)
    add(probe.columns(), [&probe](const Sample& sample, const Instant&, double* out) { probe.evaluate(sample, out); });
}

// The terms are summed in the order of Model::potential, so that the bits are those of livens::energy.
Quantities::Instant Quantities::instant(const Sample& sample) {
  Instant now;
  const ModelParts& parts = sample.model.parts();
  term_energy_.clear();
  for (const auto& term : parts.terms) term_energy_.push_back(term->energy(sample.state.t, sample.state.q));
  now.term_energy = term_energy_;
  if (sample.model.separable()) {
    now.energy.kinetic = sample.model.kinetic(sample.state.v);
    for (const double w : now.term_energy) now.energy.potential += w;
    now.energy.total = now.energy.kinetic + now.energy.potential;
  } else {
    now.energy = energy(sample.model, sample.state);
  }
  const Integrator& integrator = sample.integrator;
  if (integrator.counters().steps > 0)
    now.discrete_energy = sample.integrator.discrete_energy(sample.model, sample.state).value_or(undefined);
  now.energy_out = integrator.ledger().energy_out;
  now.symmetry_impulse = integrator.ledger().symmetry_impulse;
  now.work = integrator.ledger().time_work;
  book_sides(sample.model, now);
  now.momenta = momenta(sample.model, sample.state.q, sample.state.p);
  return now;
}

// What forces dissipated, and the work of loads.
void Quantities::book_sides(const Model& model, Instant& now) {
  for (std::size_t k = 0; k < now.energy_out.size(); ++k) {
    if (is_dissipative(model, k))
      now.dissipated += now.energy_out[k];
    else
      now.work -= now.energy_out[k];
  }
}

// Sums of |p_a| and |x_a| |p_a| over the nodes.
void Quantities::measure_momenta(const Sample& sample) {
  linear_size_ = angular_size_ = 0;
  for (const Body& body : sample.model.bodies())
    for (int a = 0; a < (body.dimension == 0 ? 0 : body.nodes); ++a) {
      double pp = 0, xx = 0;
      for (int k = 0; k < body.dimension; ++k) {
        const auto i = static_cast<std::size_t>(body.first + a * body.dimension + k);
        pp += sample.state.p[i] * sample.state.p[i];
        xx += sample.state.q[i] * sample.state.q[i];
      }
      linear_size_ += std::sqrt(pp);
      angular_size_ += std::sqrt(xx * pp);
    }
}

// p.xi(q), and the sum of |p_i xi_i|.
void Quantities::measure_symmetries(const Sample& sample) {
  const auto& symmetries = sample.model.parts().symmetries;
  xi_.resize(sample.state.q.size());
  for (std::size_t k = 0; k < symmetries.size(); ++k) {
    symmetries[k].generator(sample.state.q, xi_);
    symmetry_[k] = symmetry_size_[k] = 0;
    for (std::size_t i = 0; i < xi_.size(); ++i) {
      symmetry_[k] += sample.state.p[i] * xi_[i];
      symmetry_size_[k] += std::abs(sample.state.p[i] * xi_[i]);
    }
  }
}

void Quantities::keep_scales() {
  linear_scale_ = std::max(linear_scale_, linear_size_);
  angular_scale_ = std::max(angular_scale_, angular_size_);
  for (std::size_t k = 0; k < symmetry_size_.size(); ++k)
    symmetry_scale_[k] = std::max(symmetry_scale_[k], symmetry_size_[k]);
}

void Quantities::begin(const Sample& sample) {
  for (Probe& probe : probes_) probe.begin(sample);
  measure_symmetries(sample);
  symmetry_start_ = symmetry_;
  const Instant now = instant(sample);
  start_[0] = now.energy.total;
  std::copy_n(now.momenta.linear, 3, start_.data() + 1);
  std::copy_n(now.momenta.angular, 3, start_.data() + 4);
}

void Quantities::advance(const Sample& sample) {
  for (Probe& probe : probes_) probe.advance(sample);
}

std::span<const double> Quantities::evaluate(const Sample& sample) {
  measure_momenta(sample);
  measure_symmetries(sample);
  const Instant now = instant(sample);
  for (const Group& group : groups_) group.write(sample, now, row_.data() + group.first);
  return row_;
}

void Quantities::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("start", start_);
  visitor.visit("linear_scale", linear_scale_);
  visitor.visit("angular_scale", angular_scale_);
  visitor.visit("symmetry_start", symmetry_start_);
  visitor.visit("symmetry_scale", symmetry_scale_);
  for (Probe& probe : probes_) probe.visit_memory(visitor);
}

}  // namespace livens
