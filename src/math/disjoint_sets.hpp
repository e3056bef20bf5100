// Sets that are joined two at a time (union-find): which of 0 ... n - 1 belong together.
#pragma once

#include <numeric>
#include <vector>

namespace livens {

class DisjointSets {
 public:
  explicit DisjointSets(int n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  // The one that stands for the set of a.
  int root(int a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void join(int a, int b) { parent_[root(a)] = root(b); }

  // Number of the set of each, in the order of their first members; count: of sets.
  std::vector<int> numbers(int& count) {
    std::vector<int> of_root(parent_.size(), -1), numbers(parent_.size());
    count = 0;
    for (int a = 0; a < static_cast<int>(parent_.size()); ++a) {
      int& number = of_root[root(a)];
      if (number < 0) number = count++;
      numbers[a] = number;
    }
    return numbers;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace livens
