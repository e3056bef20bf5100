// One case of a study: a run that keeps what tables and plots need in memory, and writes nothing.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <livens/run.hpp>

#include "diagnostics/statistics.hpp"
#include "study/own_table.hpp"

namespace livens {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();  // what could not be measured

// Bounded: one row at the end of the first step at or after each of a thousand equally spaced times.
struct Samples {
  std::vector<double> t, energy, energy_error, heat, modified_energy;
  std::vector<State> states;  // at all t, or at fewer of them if there are many unknowns
};

// Energies over time, at more times than the samples have.
struct EnergyCurve {
  std::vector<double> t, energy;
  double at(double t) const;  // by the cubic through the four nearest points; nan outside
};

struct ProbeSeries {
  Column column;
  Series series;  // at the times of the samples
};

struct Measured {
  bool ok = false;
  std::string failure;  // why not, one line
  bool interrupted = false;
  double t_begin = 0, t_reached = 0;
  Counters counters;
  Series energy, energy_error, modified_energy;  // over the sampled steps
  bool every_step = true;                        // whether these are all
  double heat = 0;                               // kinetic energy averaged over every step [L04 (6)], J
  // Rates g of a decay exp(-g t) of the amplitude, 1/s; nan where undefined: by the turning points of the only
  // coordinate, and by the energy.
  double decrement_rate = std::numeric_limits<double>::quiet_NaN();
  double energy_rate = std::numeric_limits<double>::quiet_NaN();
  Samples samples;
  EnergyCurve curve;                          // one row per step; 5000 equally spaced times in long runs
  std::vector<std::vector<double>> extremes;  // t, energy, energy error where one is extreme within its stretch
  std::vector<ProbeSeries> probes;
  bool equilibria = false;  // load steps instead of a motion
  long elements = 0;        // of all solids
  double updates = 0;       // of single elements: evaluations times elements, or what asynchronous steps count
  int dimension = 0;
  std::vector<std::string> coordinates;
  bool forced = false;
  double wall_time = 0;       // s, of a second run at which nothing looks
  double processor_time = 0;  // s, of the same: what a busy machine does not change
  std::vector<OwnRows> own;   // by table of the study's own
  Variables facts;            // what their expressions may name besides
};

struct MeasureOptions {
  bool timed = true;
  std::function<bool()> interrupted = {};
  // Called after every step with the states before and after.
  std::function<void(const Model& model, const State& before, const State& after)> on_step = {};
  const std::vector<OwnTable>* tables = nullptr;  // of the study's own
  Variables constants = {};                       // that these may name
};

// Faults of the scene, refusals and failed steps are failures in the result.
Measured measure(const Scene& scene, const MeasureOptions& options = {});

// The end of the simulated time of a scene.
double end_time(const Scene& scene);

// Least-squares line through (x, y).
struct Line {
  double slope = 0;
  std::size_t points = 0;
};
Line fit_line(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace livens
