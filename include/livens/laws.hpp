// The laws: measurements of the claims of integrator records, each from both sides. A method that claims less than
// it does fails as well as one that claims more. And of what every kind of contact promises.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace livens {

enum class LawOf { integrator, contact };

// One claim, measured on one problem.
struct LawResult {
  std::string record, variant;    // integrator and its settings, "" for default settings; contact and its example
  std::string problem, claim;     // e.g. double_pendulum, order
  std::string claimed, measured;  // as words or numbers to print
  double value = 0;               // the number behind `measured`: fitted order, defect, drift over its scale
  bool holds = false;
  std::string detail;  // how it was measured: steps, span, ends of the fit
  LawOf of = LawOf::integrator;
};

struct LawProgress {
  int done = 0, total = 0;  // variants of integrators, kinds of contact
  std::string what;         // currently measured
};

// Measures the integrators and contacts with these names, or all if no names are given. Throws std::out_of_range with
// a suggestion for an unknown name.
std::vector<LawResult> measure_laws(const std::vector<std::string>& names = {},
                                    const std::function<void(const LawProgress&)>& progress = {});

bool all_hold(const std::vector<LawResult>& results);

// Aligned text, a table of each kind, one row per record and variant, then one line per claim that does not hold.
std::string laws_table(const std::vector<LawResult>& results);
// The same as a documentation page, with what is measured, on which problems, and the tolerances.
std::string laws_markdown(const std::vector<LawResult>& results);

}  // namespace livens
