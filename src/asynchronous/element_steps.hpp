// The step of each stencil: from the Courant estimate, or from its largest eigenfrequency.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "asynchronous/stencil_system.hpp"

namespace livens {

struct StepRule {
  enum class Kind { courant, eigenvalue };
  Kind kind = Kind::courant;
  double factor = 0.5;                                       // f: times inradius / wave speed, or times 2 / omega
  bool update = false;                                       // at every activation, from the shape at that time
  double longest = std::numeric_limits<double>::infinity();  // s
  std::map<std::string, double> given = {};                  // s, of all stencils of a term, by its name

  // 0 if none is given for this term.
  double given_for(const std::string& term) const {
    const auto found = given.find(term);
    return found == given.end() ? 0 : std::min(found->second, longest);
  }
};

class ElementSteps {
 public:
  ElementSteps(const StencilSystem& system, const StepRule& rule);

  // x: four numbers per node. From its first shape a stencil's highest mode is found; next follows it, as the shape
  // changes, by one power iteration each time, and returns 0 where the step stays as it was.
  double first(int stencil, const double* x);
  double next(int stencil, const double* x, const double* gradient);
  const StepRule& rule() const { return rule_; }
  std::vector<double>& modes() { return modes_; }  // memory of the eigenvalue rule with update

 private:
  double limited(const StencilSystem::Set& set, double step) const;
  double from_frequency(const StencilSystem::Set& set, double omega) const;
  double frequency(int stencil, const double* x);

  const StencilSystem& system_;
  StepRule rule_;
  std::vector<double> modes_;  // four numbers per node of each stencil
};

}  // namespace livens
