// Quantities of many steps of a small system at once: the numbers that each step alone would have, bit by bit.
#include <algorithm>
#include <cmath>

#include "diagnostics/quantities.hpp"
#include "math/finite.hpp"

namespace livens {

namespace {

constexpr std::size_t energies = 7;  // columns of add_energies()

// Blocks differ in length: what a shorter one leaves behind is not cleared for the next.
void make_room(std::vector<double>& values, std::size_t count) {
  if (values.size() < count) values.resize(count);
}

}  // namespace

bool Quantities::takes_blocks(const Model& model) const {
  const auto& terms = model.parts().terms;
  const bool touches = std::any_of(terms.begin(), terms.end(), [](const auto& term) {
    return term->barrier() != nullptr || !term->obstacles().empty();
  });
  return probes_.empty() && !touches && model.dimension() == 0 && model.separable() && model.diagonal_mass() &&
         !model.depends_on_time() && model.constraint_count() == 0 && model.supported_count() == 0;
}

void Quantities::find_block_columns() {
  block_places_.assign(columns_.size(), columns_.size());
  std::size_t count = 0;
  for (std::size_t k = 0; k < energies; ++k) block_places_[energies_first_ + k] = count++;
  for (std::size_t k = 0; k < forces_.count; ++k) block_places_[forces_.first + k] = count++;
  for (std::size_t k = 0; k < 2 * symmetry_.size(); ++k) block_places_[symmetries_first_ + k] = count++;
}

Vector Quantities::block_column(std::size_t column) {
  return Vector(block_.columns).subspan(block_places_[column] * block_.count, block_.count);
}

std::span<const double> Quantities::values_in_block(std::size_t column) const {
  if (block_places_[column] == columns_.size()) return {};
  return std::span(block_.columns).subspan(block_places_[column] * block_.count, block_.count);
}

// The terms are summed in the order of instant().
void Quantities::block_energies(const StepBlock& block) {
  const std::size_t count = block.count(), states = count + 1, n = block.q.size() / states;
  const auto& mass = block.model.parts().mass.diagonal;
  const Vector total = block_column(energies_first_), kinetic = block_column(energies_first_ + 1),
               potential = block_column(energies_first_ + 2);
  make_room(block_.v, count * n);
  std::fill(kinetic.begin(), kinetic.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < count; ++k) {
      const double v = block.p[(k + 1) * n + i] / mass[i];
      block_.v[k * n + i] = v;
      kinetic[k] += mass[i] * v * v;
    }
  const auto& terms = block.model.parts().terms;
  make_room(block_.W, states);
  make_room(block_.terms, terms.size() * states);
  std::fill_n(block_.W.begin(), states, 0.0);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const Vector of_term = Vector(block_.terms).subspan(j * states, states);
    terms[j]->energies(block.t.front(), block.q, of_term);
    for (std::size_t k = 0; k < states; ++k) block_.W[k] += of_term[k];
  }
  for (std::size_t k = 0; k < count; ++k) {
    kinetic[k] *= 0.5;
    potential[k] = block_.W[k + 1];
    total[k] = kinetic[k] + potential[k];
  }
}

void Quantities::block_books(const StepBlock& block) {
  const Vector total = block_column(energies_first_), dissipated = block_column(energies_first_ + 4),
               work = block_column(energies_first_ + 5), error = block_column(energies_first_ + 6);
  if (forces_.place.empty()) {
    std::fill(dissipated.begin(), dissipated.end(), 0.0);
    std::fill(work.begin(), work.end(), block.integrator.ledger().time_work);
  }
  for (std::size_t k = 0; k < block_.count && !forces_.place.empty(); ++k) {
    const Instant now = instant_in_block(block, k);
    dissipated[k] = now.dissipated;
    work[k] = now.work;
    write_forces(block.model, now, row_.data() + forces_.first);
    for (std::size_t j = 0; j < forces_.count; ++j) block_column(forces_.first + j)[k] = row_[forces_.first + j];
  }
  for (std::size_t k = 0; k < block_.count; ++k) error[k] = total[k] + dissipated[k] - work[k] - start_[0];
}

void Quantities::block_symmetries(const StepBlock& block) {
  const auto& symmetries = block.model.parts().symmetries;
  const std::size_t count = symmetries.size();
  block_.largest_symmetry.assign(count, 0.0);
  xi_.resize(block.q.size() / block.t.size());
  for (std::size_t j = 0; j < count; ++j) {
    const Vector value = block_column(symmetries_first_ + j), error = block_column(symmetries_first_ + count + j);
    for (std::size_t k = 0; k < block_.count; ++k) {
      const ConstVector p = block.after(block.p, k), booked = block.after(block.booked, k);
      symmetries[j].generator(block.after(block.q, k), xi_);
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < xi_.size(); ++i) {
        sum += p[i] * xi_[i];
        size += std::abs(p[i] * xi_[i]);
      }
      value[k] = sum;
      error[k] = sum - booked.last(count)[j] - symmetry_start_[j];
      block_.largest_symmetry[j] = std::max(block_.largest_symmetry[j], size);
    }
  }
}

bool Quantities::evaluate_block(const StepBlock& block) {
  block_.count = block.count();
  const std::size_t numbers = (energies + forces_.count + 2 * symmetry_.size()) * block_.count;
  make_room(block_.columns, numbers);
  block_energies(block);
  if (!block.integrator.discrete_energies(block, block_.W, block_column(energies_first_ + 3))) return false;
  block_books(block);
  block_symmetries(block);
  return all_finite(ConstVector(block_.columns).first(numbers));
}

Quantities::Instant Quantities::instant_in_block(const StepBlock& block, std::size_t k) {
  Instant now;
  const ConstVector booked = block.after(block.booked, k);
  now.energy_out = booked.first(booked.size() - symmetry_.size());
  now.symmetry_impulse = booked.last(symmetry_.size());
  now.work = block.integrator.ledger().time_work;
  book_sides(block.model, now);
  now.ahead = static_cast<long>(k) + 1;
  return now;
}

std::span<const double> Quantities::row_of_block(const StepBlock& block, std::size_t k) {
  const auto copy = [&](ConstVector all, std::vector<double>& to) {
    const ConstVector row = block.after(all, k);
    to.assign(row.begin(), row.end());
  };
  const std::size_t n = block.q.size() / block.t.size(), states = block.t.size(), symmetries = symmetry_.size();
  block_.state.t = block.t[k + 1];
  copy(block.q, block_.state.q);
  copy(block.p, block_.state.p);
  block_.state.v.assign(block_.v.data() + k * n, block_.v.data() + (k + 1) * n);
  block_.report.h = block.h;
  block_.report.iterations = block.iterations[k];
  for (std::size_t j = 0; j < symmetries; ++j) symmetry_[j] = block_column(symmetries_first_ + j)[k];
  term_energy_.clear();
  for (std::size_t j = 0; j < block.model.parts().terms.size(); ++j)
    term_energy_.push_back(block_.terms[j * states + k + 1]);
  Instant now = instant_in_block(block, k);
  now.term_energy = term_energy_;
  now.energy.total = block_column(energies_first_)[k];
  now.energy.kinetic = block_column(energies_first_ + 1)[k];
  now.energy.potential = block_column(energies_first_ + 2)[k];
  now.discrete_energy = block_column(energies_first_ + 3)[k];
  const Sample sample{block.model, block_.state, block_.report, block.integrator};
  for (const Group& group : groups_) group.write(sample, now, row_.data() + group.first);
  return row_;
}

void Quantities::keep_scales_of_block() {
  for (std::size_t k = 0; k < symmetry_scale_.size(); ++k)
    symmetry_scale_[k] = std::max(symmetry_scale_[k], block_.largest_symmetry[k]);
}

}  // namespace livens
