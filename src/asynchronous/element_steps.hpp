// The step of each stencil: from the Courant estimate, from its largest eigenfrequency, or from that of its
// neighbourhood; on levels or as they are.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "asynchronous/levels.hpp"
#include "asynchronous/stencil_system.hpp"

namespace livens {

class NeighbourhoodSteps;

struct StepRule {
  enum class Kind { courant, eigenvalue, neighbourhood };
  Kind kind = Kind::courant;
  double factor = 0.5;                                       // f: times inradius / wave speed, or times 2 / omega
  bool levels = false;                                       // rounded down to powers of two of one base
  bool update = false;                                       // at every activation, from the shape at that time
  double longest = std::numeric_limits<double>::infinity();  // s
  double equal = 0;                                          // s, of all stencils, whatever they allow; 0: as above
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

  // Of all stencils; x: the position of each node. Infinite where nothing bounds a step.
  std::vector<double> start(const std::vector<Pack>& x);
  // Of the last start, if the rule asks for them.
  const Levels& levels() const { return levels_; }
  // x: four numbers per node. At the start a stencil's highest mode is found; next follows it, as the shape changes, by
  // one power iteration each time, and returns 0 where the step stays as it was. Steps of neighbourhoods follow
  // inradius / wave speed.
  double next(int stencil, const double* x, const double* gradient);
  const StepRule& rule() const { return rule_; }
  std::vector<double>& modes() { return modes_; }  // memory of the eigenvalue rule with update

 private:
  double limited(const StencilSystem::Set& set, double step) const;
  double from_frequency(const StencilSystem::Set& set, double omega) const;
  double frequency(int stencil, const double* x);
  double first(int stencil, const double* x);
  std::vector<double> of_each(const std::vector<Pack>& x);
  std::vector<double> of_neighbourhoods(const std::vector<Pack>& x);
  std::vector<double> on_levels(const std::vector<double>& limits);
  double lengthening(const NeighbourhoodSteps& neighbourhood, const std::vector<double>& steps) const;
  void keep_ratios(const std::vector<Pack>& x, const std::vector<double>& steps);

  const StencilSystem& system_;
  StepRule rule_;
  Levels levels_;
  std::vector<double> modes_;  // four numbers per node of each stencil, or the step over inradius / wave speed
};

}  // namespace livens
