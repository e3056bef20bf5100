// Whether somebody wants the steps of this thread to end: long solves ask between their iterations, and then fail.
#pragma once

#include <functional>

namespace livens {

bool stop_requested();  // of the thread that asks; false where nobody may want that

// `asked` is heard as long as this lives, in the thread that made it.
class StopScope {
 public:
  explicit StopScope(std::function<bool()> asked);
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope();

 private:
  std::function<bool()> asked_;
  const std::function<bool()>* outer_;
};

}  // namespace livens
