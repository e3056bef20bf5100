// Runs a study of scenes/ and finds its cases.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "study/study.hpp"
#include "support/source_dir.hpp"

namespace livens {

class PublishedStudy {
 public:
  explicit PublishedStudy(const std::string& file, const std::vector<std::pair<std::string, std::string>>& changes = {})
      : plan_(plan_of(file, changes)), results_(measure_all(plan_)) {}

  const Results& results() const { return results_; }
  const CaseResult& at(const std::string& method, const std::string& step, const std::string& problem = "") const {
    for (const CaseResult& r : results_.cases)
      if (r.made->method == method && (step.empty() || r.made->step == step) && r.made->problem == problem) return r;
    throw std::out_of_range("no case " + method + " " + step + " " + problem);
  }

 private:
  static StudyPlan plan_of(const std::string& file, const std::vector<std::pair<std::string, std::string>>& changes) {
    Study study = load_study(source_dir() + "/scenes/" + file);
    for (const auto& [key, value] : changes) study.set(key, value);
    return plan_study(study);
  }

  StudyPlan plan_;
  Results results_;
};

inline double band(const Series& series) { return series.max() - series.min(); }

// Change of the energy error over the last half of the run that its trend stands for.
inline double late_change(const CaseResult& r) {
  const Trend trend = r.measured.energy_error.late_trend();
  return trend.slope * trend.duration;
}

}  // namespace livens
