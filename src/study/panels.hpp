// Which cases share a picture.
#pragma once

#include <string>
#include <vector>

#include "study/results.hpp"

namespace livens {

struct Panel {
  std::string title;  // "" if there is one only
  std::size_t group = 0;
  std::vector<const CaseResult*> cases;
  std::vector<std::string> labels;  // one each
  std::vector<int> slots;           // of their curves, one each
};

// A picture for every problem and step, the methods in it; of many steps the longest, a middle one and the shortest.
// Up to 8 cases of one problem share one picture.
std::vector<Panel> panels_by_step(const Results& results);
// A picture for every problem and method, the steps in it.
std::vector<Panel> panels_by_method(const Results& results);
// A picture for every case.
std::vector<Panel> panels_by_case(const Results& results);

}  // namespace livens
