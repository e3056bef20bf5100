#include "run/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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
       {"linear_momentum_", "angular_momentum_", "symmetry.", "symmetry_error.", "contact.", "probe.", "dissipated."})
    if (column.rfind(prefix, 0) == 0) return true;
  return false;
}

}  // namespace

Recorder::Recorder(const Model& model, std::vector<Probe> probes, std::filesystem::path history, double duration,
                   std::optional<double> interval, WriteQueue* queue)
    : quantities_(model, std::move(probes)),
      path_(std::move(history)),
      history_(queue),
      duration_(duration),
      given_interval_(interval),
      every_step_(model.size() <= every_step_limit),
      takes_blocks_(quantities_.takes_blocks(model)) {
  for (std::size_t k = 0; k < quantities_.columns().size(); ++k)
    if (has_statistics(quantities_.columns()[k].name)) series_.push_back({k, {}});
  energy_ = quantities_.index("energy");
  potential_ = quantities_.index("potential");
  energy_error_ = quantities_.index("energy_error");
  if (!every_step_) return;
  std::vector<std::size_t> watched;
  for (const auto& [column, series] : series_) watched.push_back(column);
  extremes_ = ExtremeRows(std::move(watched));
}

void Recorder::begin(const Sample& sample) {
  schedule_ = Schedule(sample.state.t, given_interval_.value_or(duration_ / quantities_.default_rows()));
  quantities_.begin(sample);
  if (sample.model.constraint_count() > 0) {
    const ConstraintRank rank = constraint_rank(sample.model, sample.state);
    redundant_ = rank.equations - rank.rank;
  }
  if (every_step_) omega_max_ = livens::omega_max(sample.model, sample.state).value_or(0);
  energy_rounding_ = livens::energy_rounding(sample.model, sample.state);
  history_.create(path_, quantities_.columns());
  look(sample);
  add_to_series();
  if (finite_) write_row();
}

void Recorder::observe(const Sample& sample) {
  const bool due = schedule_.due(sample);
  // Where there are no steps, looks of others are not ours: what is recorded must not depend on them.
  if (sample.integrator.continuous() && !due) return;
  quantities_.advance(sample);
  if (!every_step_ && !due) return;
  look(sample);
  if (!finite_) return;
  add_to_series();
  if (due) write_row();
}

// What observe() does after each of these steps.
bool Recorder::observe_block(const StepBlock& block) {
  if (schedule_.comes_by(block.t.back(), block.h)) return false;
  if (!quantities_.evaluate_block(block)) return false;
  const auto values_of = [&](std::size_t column) { return quantities_.values_in_block(column).data(); };
  block_values_.clear();
  block_series_.clear();
  block_series_values_.clear();
  for (auto& [column, series] : series_) {
    block_values_.push_back(values_of(column));
    if (block_values_.back() == nullptr) continue;
    block_series_.push_back(&series);
    block_series_values_.push_back(block_values_.back());
  }
  const std::size_t count = block.count();
  Series::add_samples(block_series_, block.t.subspan(1), block_series_values_);
  energy_excess_.add(quantities_.values_in_block(energy_error_), values_of(potential_));
  extremes_.add(count, block_values_, [&](std::size_t k) { return quantities_.row_of_block(block, k); });
  quantities_.keep_scales_of_block();
  const auto last = quantities_.row_of_block(block, count - 1);
  last_.assign(last.begin(), last.end());
  seen_ = counted_ = block.integrator.counters().steps + static_cast<long>(count);
  return true;
}

// The last state gets a row even if none is due. The checkpoint does not include that row, so that a run
// which goes on has the rows of one that was never stopped.
void Recorder::end(const Sample& sample) {
  if (finite_) {
    look(sample);
    add_to_series();
    write_row();
    energy_rounding_ = std::max(energy_rounding_, livens::energy_rounding(sample.model, sample.state));
  }
  history_.sync();
  if (has_extremes()) write_extremes();
}

void Recorder::write_extremes() const {
  HistoryFile file;
  file.create(path_.parent_path() / "extremes.csv", quantities_.columns());
  for (const auto& row : extremes_.rows()) file.add(row);
  file.flush();
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
  if (std::isnan(last_[energy_])) {
    const State& state = sample.state;
    if (undefined_expression(sample.model, state.t, state.q, state.v)) finite_ = false;
  }
  seen_ = step;
}

void Recorder::add_to_series() {
  if (counted_ == seen_) return;
  constexpr std::size_t t_column = 1;
  if (std::isnan(last_[energy_])) {
    if (undefined_energies_ == 0) first_undefined_ = last_[t_column];
    ++undefined_energies_;
  }
  for (auto& [column, series] : series_) series.add(last_[t_column], last_[column]);
  energy_excess_.add(last_[energy_error_], last_[potential_]);
  if (every_step_) extremes_.add(last_);
  quantities_.keep_scales();
  counted_ = seen_;
}

void Recorder::write_row() {
  if (written_ == seen_) return;
  history_.add(last_);
  ++rows_;
  written_ = seen_;
}

const Series& Recorder::series(const std::string& column) const {
  const std::size_t index = quantities_.index(column);
  const auto found =
      std::find_if(series_.begin(), series_.end(), [&](const ColumnSeries& each) { return each.column == index; });
  if (found == series_.end()) throw std::out_of_range(column);
  return found->series;
}

std::optional<double> Recorder::omega_max() const { return omega_max_ > 0 ? std::optional(omega_max_) : std::nullopt; }

void Recorder::visit_memory(MemoryVisitor& visitor) {
  history_bytes_ = history_.bytes();
  visitor.visit("history_bytes", history_bytes_);
  visitor.visit("history_rows", rows_);
  visitor.visit("last_row", last_);
  visitor.visit("seen", seen_);
  visitor.visit("counted", counted_);
  visitor.visit("written", written_);
  visitor.visit("omega_max", omega_max_);
  visitor.visit("energy_rounding", energy_rounding_);
  visitor.visit("redundant", redundant_);
  visitor.visit("undefined_energies", undefined_energies_);
  visitor.visit("first_undefined", first_undefined_);
  energy_excess_.visit_memory(visitor);
  schedule_.visit_memory(visitor);
  quantities_.visit_memory(visitor);
  for (auto& [column, series] : series_) series.visit_memory(visitor);
  if (every_step_) extremes_.visit_memory(visitor);
}

}  // namespace livens
