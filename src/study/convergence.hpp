// How the results of a study converge where one of its sweeps refines a mesh or a step, without a reference.
#pragma once

#include <string>
#include <vector>

#include "study/results.hpp"

namespace livens {

// f(s) = limit + C s^order through three sizes s1 > s2 > s3 [Richardson]; nan where the values do not allow it: they
// must change in one direction, and by less the finer they are.
struct Extrapolation {
  double order = std::numeric_limits<double>::quiet_NaN();
  double limit = std::numeric_limits<double>::quiet_NaN();
};
Extrapolation extrapolated(const std::vector<double>& sizes, const std::vector<double>& values);

// Cases that differ in the value of one swept key only, by falling size: elements^(-1/dimension) where the key changes
// the number of elements, the step where it changes that.
struct Refinement {
  std::string key;       // that is swept
  std::string constant;  // what the cases share of the other swept values, "" if there are none
  bool of_mesh = false;
  std::vector<const CaseResult*> cases;
  std::vector<double> sizes;
};
std::vector<Refinement> refinements(const Results& results);

// Slope of log(error of a field) over log(size) of a refined mesh; nan with fewer than three cases.
double field_rate(const Refinement& refinement, double FieldErrors::*field);
// "asynchronous, courant 0.1": the method of its cases, and what else they share.
std::string name_of(const Refinement& refinement);

// The value at the end of a case of a quantity: "energy", or a column of a probe; nan if the case has none.
double final_value(const CaseResult& result, const std::string& quantity);
// Energy of equilibria, and all columns of probes.
std::vector<Column> final_quantities(const Results& results);

}  // namespace livens
