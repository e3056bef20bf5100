#include "run/recorder.hpp"

#include <cmath>

#include "diagnostics/stiffness.hpp"
#include "model/projection.hpp"
#include "model/undefined.hpp"

namespace livens {
namespace {

// From energy up to the errors of the momenta, then symmetries and probes; parts by name are in the file only.
bool has_statistics(const std::string& column) {
  static const std::string plain[] = {"energy",
                                      "kinetic",
                                      "potential",
                                      "discrete_energy",
                                      "dissipated",
                                      "work",
                                      "energy_error",
                                      "linear_momentum_error",
                                      "angular_momentum_error",
                                      "constraint_position",
                                      "constraint_velocity"};
  for (const std::string& name : plain)
    if (column == name) return true;
  for (const char* prefix :
       {"linear_momentum_", "angular_momentum_", "symmetry.", "symmetry_error.", "contact.", "probe."})
    if (column.rfind(prefix, 0) == 0) return true;
  return false;
}

}  // namespace

Recorder::Recorder(const Model& model, std::vector<Probe> probes, std::filesystem::path history,
                   double default_interval, std::optional<double> interval)
    : quantities_(model, std::move(probes)),
      path_(std::move(history)),
      default_interval_(default_interval),
      given_interval_(interval),
      every_step_(model.size() <= every_step_limit) {
  for (const Column& column : quantities_.columns())
    if (has_statistics(column.name)) series_[quantities_.index(column.name)];
}

void Recorder::begin(const Sample& sample) {
  schedule_ = Schedule(sample.state.t, given_interval_.value_or(default_interval_));
  quantities_.begin(sample);
  if (sample.model.constraint_count() > 0) {
    const ConstraintRank rank = constraint_rank(sample.model, sample.state);
    redundant_ = rank.equations - rank.rank;
  }
  if (every_step_) omega_max_ = livens::omega_max(sample.model, sample.state).value_or(0);
  history_.create(path_, quantities_.columns());
  look(sample);
  add_to_series();
  if (finite_) write_row();
}

void Recorder::observe(const Sample& sample) {
  quantities_.advance(sample);
  const bool due = schedule_.due(sample.state.t, sample.report.h);
  if (!every_step_ && !due) return;
  look(sample);
  if (!finite_) return;
  add_to_series();
  if (due) write_row();
}

// The last state gets a row even if its time has not come. The checkpoint knows nothing of that row, so that a run
// which goes on has the rows of one that was never stopped.
void Recorder::end(const Sample& sample) {
  if (finite_) {
    look(sample);
    add_to_series();
    write_row();
  }
  history_.sync();
}

void Recorder::prepare(const Sample& sample) {
  look(sample);
  history_.sync();
}

void Recorder::resume(double t) {
  history_.reopen(path_, history_bytes_);
  if (given_interval_ && *given_interval_ != schedule_.interval()) schedule_.change_interval(*given_interval_, t);
}

void Recorder::look(const Sample& sample) {
  const long step = sample.integrator.counters().steps;
  if (step == seen_) return;
  const auto row = quantities_.evaluate(sample);
  last_.assign(row.begin(), row.end());
  finite_ = true;
  for (const auto& [column, series] : series_) finite_ = finite_ && !std::isinf(last_[column]);
  if (std::isnan(last_[quantities_.index("energy")])) {
    const auto& [t, q, p, v, lambda] = sample.state;
    if (undefined_expression(sample.model, t, q, v)) finite_ = false;
    if (undefined_energies_ == 0) first_undefined_ = sample.state.t;
    ++undefined_energies_;
  }
  seen_ = step;
}

void Recorder::add_to_series() {
  if (counted_ == seen_) return;
  constexpr std::size_t t_column = 1;
  for (auto& [column, series] : series_) series.add(last_[t_column], last_[column]);
  quantities_.keep_scales();
  counted_ = seen_;
}

void Recorder::write_row() {
  if (written_ == seen_) return;
  history_.add(last_);
  written_ = seen_;
}

std::optional<double> Recorder::omega_max() const { return omega_max_ > 0 ? std::optional(omega_max_) : std::nullopt; }

void Recorder::visit_memory(MemoryVisitor& visitor) {
  history_bytes_ = history_.bytes();
  visitor.visit("history_bytes", history_bytes_);
  visitor.visit("last_row", last_);
  visitor.visit("seen", seen_);
  visitor.visit("counted", counted_);
  visitor.visit("written", written_);
  visitor.visit("omega_max", omega_max_);
  visitor.visit("redundant", redundant_);
  visitor.visit("undefined_energies", undefined_energies_);
  visitor.visit("first_undefined", first_undefined_);
  schedule_.visit_memory(visitor);
  quantities_.visit_memory(visitor);
  for (auto& [column, series] : series_) series.visit_memory(visitor);
}

}  // namespace livens
