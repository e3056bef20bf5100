// What is to come at instants that many have in common, such as ticks of clocks: a list for each instant.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace livens {

template <class Entry>
class InstantBuckets {
 public:
  void clear() {
    for (const Bucket& bucket : buckets_) spare_.push_back(bucket.list);
    buckets_.clear();
  }
  bool empty() const { return buckets_.empty(); }
  double next() const { return empty() ? std::numeric_limits<double>::infinity() : buckets_.back().instant; }

  void push(double instant, const Entry& entry) {
    auto at = std::lower_bound(buckets_.begin(), buckets_.end(), instant,
                               [](const Bucket& bucket, double t) { return bucket.instant > t; });
    if (at == buckets_.end() || at->instant != instant) at = buckets_.insert(at, {instant, new_list()});
    lists_[at->list].push_back(entry);
  }
  // The entries of the next instant, sorted.
  void take(std::vector<Entry>& entries) {
    const std::size_t list = buckets_.back().list;
    entries.swap(lists_[list]);
    buckets_.pop_back();
    lists_[list].clear();
    spare_.push_back(list);
    std::sort(entries.begin(), entries.end());
  }
  // Forgets entries that are over, as far as they would be the next.
  template <class Over>
  void drop(const Over& over) {
    for (; !empty(); buckets_.pop_back()) {
      const Bucket& bucket = buckets_.back();
      std::vector<Entry>& list = lists_[bucket.list];
      while (!list.empty() && over(bucket.instant, list.back())) list.pop_back();
      if (!list.empty()) return;
      spare_.push_back(bucket.list);
    }
  }
  template <class Gone>
  void erase_if(const Gone& gone) {
    for (const Bucket& bucket : buckets_) std::erase_if(lists_[bucket.list], gone);
    std::erase_if(buckets_, [&](const Bucket& bucket) {
      const bool none = lists_[bucket.list].empty();
      if (none) spare_.push_back(bucket.list);
      return none;
    });
  }

 private:
  struct Bucket {
    double instant;
    std::size_t list;
  };
  std::size_t new_list() {
    if (spare_.empty()) {
      lists_.emplace_back();
      return lists_.size() - 1;
    }
    const std::size_t list = spare_.back();
    spare_.pop_back();
    lists_[list].clear();
    return list;
  }

  std::vector<Bucket> buckets_;  // the next one last
  std::vector<std::vector<Entry>> lists_;
  std::vector<std::size_t> spare_;  // of lists_
};

}  // namespace livens
