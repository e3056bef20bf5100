// How far a work is: one line that changes on a terminal, a plain line every ten seconds elsewhere.
#pragma once

#include <string>

#include <livens/run.hpp>

namespace livens::app {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  void show(const std::string& text, double wall_time);  // s, since the work began
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  double last_plain_ = 0;
};

std::string progress_text(const Progress& progress);
std::string duration_text(double seconds);  // "12 s", "3 min 20 s", "2 h 5 min"

}  // namespace livens::app
