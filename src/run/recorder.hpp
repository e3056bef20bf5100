// The observer behind history.csv and summary.json: rows at their times, and statistics over every step.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <livens/observer.hpp>

#include "diagnostics/extreme_rows.hpp"
#include "diagnostics/quantities.hpp"
#include "diagnostics/statistics.hpp"
#include "files/history.hpp"
#include "files/schedule.hpp"

namespace livens {

class Recorder final : public Observer {
 public:
  // Above this many unknowns, statistics are taken at the rows of history.csv only.
  static constexpr int every_step_limit = 20'000;

  // Rows every `interval` s; without one, Quantities::default_rows() over the `duration` of the run.
  Recorder(const Model& model, std::vector<Probe> probes, std::filesystem::path history, double duration,
           std::optional<double> interval, WriteQueue* queue = nullptr);

  void begin(const Sample& sample) override;
  void observe(const Sample& sample) override;
  bool takes_blocks() const override { return every_step_ && takes_blocks_; }
  bool observe_block(const StepBlock& block) override;
  void end(const Sample& sample) override;
  double next_time() const override { return schedule_.next_time(); }
  void visit_memory(MemoryVisitor& visitor) override;

  // Before a checkpoint: everything it will refer to is on disk, and the row of this step is known.
  void prepare(const Sample& sample);
  // After visit_memory has read a checkpoint.
  void resume(double t);

  bool finite() const { return finite_; }  // whether the last energies were
  bool every_step() const { return every_step_; }
  // Whether steps lie between the rows of history.csv. Then extremes.csv beside it has those of them at which some
  // quantity was smallest or largest within its stretch of the run.
  bool has_extremes() const { return extremes_.count() > rows_; }
  double interval() const { return schedule_.interval(); }
  double t_begin() const { return schedule_.origin(); }
  long redundant() const { return redundant_; }  // equations of constraints, at the start
  std::optional<double> omega_max() const;       // at the start, of models that are sampled after every step
  const EnergyExcess& energy_excess() const { return energy_excess_; }
  // What the rounding of one step may change the energy by (J): the larger of start and end.
  double energy_rounding() const { return energy_rounding_; }
  // Looks at states without an energy, because an element is inverted that its material does not allow to be.
  long undefined_energies() const { return undefined_energies_; }
  double first_undefined() const { return first_undefined_; }
  const Quantities& quantities() const { return quantities_; }
  // Of columns that are energies, momenta, symmetries or probes; throws std::out_of_range for others.
  const Series& series(const std::string& column) const;
  double value(const std::string& column) const { return last_[quantities_.index(column)]; }

 private:
  void look(const Sample& sample);
  void add_to_series();
  void write_row();
  void write_extremes() const;

  Quantities quantities_;
  struct ColumnSeries {
    std::size_t column;
    Series series;
  };
  std::vector<ColumnSeries> series_;
  std::size_t energy_, potential_, energy_error_;  // columns
  EnergyExcess energy_excess_;
  ExtremeRows extremes_;  // of the same columns; of models that are sampled after every step
  std::filesystem::path path_;
  HistoryFile history_;
  double duration_;
  std::optional<double> given_interval_;
  Schedule schedule_;
  bool every_step_;
  bool takes_blocks_;
  std::vector<const double*> block_values_, block_series_values_;  // of the series, and of those that are not undefined
  std::vector<Series*> block_series_;
  bool finite_ = true;
  std::vector<double> last_;                      // the row of step seen_
  long seen_ = -1, counted_ = -1, written_ = -1;  // last step that was sampled, is in the statistics, is in the file
  long history_bytes_ = 0;
  long rows_ = 0;         // in the file
  double omega_max_ = 0;  // 0 if not known
  double energy_rounding_ = 0;
  long redundant_ = 0;
  long undefined_energies_ = 0;
  double first_undefined_ = 0;  // s
};

}  // namespace livens
