// Finished runs against each other: the keys of their scenes that differ, and what that did.
#pragma once

#include <string>
#include <vector>

namespace livens {

// One line of the comparison: a number or a text for each run.
struct ComparedRow {
  std::string group;  // "Energy", "Momentum", "Decay", "Probes", "Cost", ...
  std::string name, unit;
  std::vector<double> values;      // nan where a run has none
  std::vector<std::string> texts;  // instead of numbers
  double difference = 0;           // largest over the common time, for curves; nan if there is none
  double difference_at = 0;        // s
};

struct ComparedKey {
  std::string path, unit;
  std::vector<std::string> values;
};

struct Comparison {
  std::vector<std::string> paths, names;
  std::vector<std::string> notes;  // what cannot be compared
  std::vector<ComparedKey> keys;
  bool keys_known = true;     // whether all scenes could be read
  double begin = 0, end = 0;  // the time that all runs share, s
  std::vector<ComparedRow> rows;
  std::string sentence;  // the essence

  std::string text() const;  // a table
  std::string json() const;
};

// Throws RunError if one of them is not a run or if there are fewer than two.
Comparison compare_runs(const std::vector<std::string>& directories);

}  // namespace livens
