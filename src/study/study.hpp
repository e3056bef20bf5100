// A study: all cases on all cores, compared with a reference, as tables, plots and a report.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/plan.hpp"
#include "study/results.hpp"

namespace livens {

struct StudyProgress {
  std::size_t done = 0, total = 0;  // cases and reference runs
  double wall_time = 0;             // s
};

struct StudyOptions {
  std::string out;         // directory; "": runs/NAME, then runs/NAME-2, ...
  std::string figures;     // directory for the plots as SVG; "": none
  int threads = 0;         // 0: all cores
  bool keep_runs = false;  // a run directory for every case, below DIRECTORY/runs
  std::function<void(const StudyProgress&)> progress;
  std::function<bool()> interrupted;
};

struct StudyResult {
  int exit_code = 0;  // 0 done, 3 no case ran to its end, 130 interrupted
  std::string directory;
  std::vector<std::string> lines;  // what to tell the user
};

// Measures all cases; nothing is written. The plan has to outlive the results.
Results measure_all(const StudyPlan& plan, const StudyOptions& options = {});

// Throws SceneError for faults of the study and RunError for faults of files.
StudyResult run_study(const Study& study, const StudyOptions& options = {});

}  // namespace livens
