// Everything a study has measured, as its tables and plots see it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/field_errors.hpp"
#include "study/measure.hpp"
#include "study/modes.hpp"
#include "study/patch.hpp"
#include "study/plan.hpp"
#include "study/reference.hpp"

namespace livens {

struct CaseResult {
  const Case* made = nullptr;
  Measured measured;
  Errors errors;
  FieldErrors fields;      // against a run on a finer mesh
  std::string field_note;  // why there are none
  Patch patch;             // only if asked for
};

struct GroupResult {
  std::string problem;
  std::optional<Reference> reference;
  std::optional<HarmonicModes> modes;
  std::shared_ptr<const FieldReference> fields = nullptr;  // one run may serve several groups
};

struct Results {
  const StudyPlan* plan = nullptr;
  std::vector<CaseResult> cases;  // in the order of the plan
  std::vector<GroupResult> groups;

  const GroupResult& group(const CaseResult& result) const { return groups[result.made->group]; }
};

// What there is to show.
bool any_reference(const Results& results);
bool any_fields(const Results& results);  // compared with a run on a finer mesh
bool any_forced(const Results& results);
bool any_modes(const Results& results);   // of harmonic models with more than one, and of a motion
bool any_motion(const Results& results);  // besides equilibria

bool any_modified_energy(const Results& results);

// Slots of curves: a method has one colour in all plots of a study, and so has a step where steps are compared. The
// dark one is left to what they are compared with.
constexpr int reference_slot = 6, limit_slot = 14;
int method_slot(const Results& results, const std::string& method);
int step_slot(const Results& results, const std::string& step);

// The cases of one method in one group, by falling step.
struct Family {
  std::string method;
  std::size_t group = 0;
  std::vector<const CaseResult*> cases;  // those that ran to the end

  std::string label(const Results& results) const;
};
std::vector<Family> families(const Results& results);

// Slope of log(error) over log(h), over the steps at which the error is small against the motion and large against
// the error of the reference; nan with fewer than three of them.
struct OrderFit {
  double order = std::numeric_limits<double>::quiet_NaN();
  std::size_t points = 0;
};
OrderFit fit_order(const Results& results, const Family& family, double Errors::*error);

// What the heat of a case is compared with: the modes of a harmonic model, else the reference; nan without both.
double true_heat(const Results& results, const CaseResult& result);

}  // namespace livens
