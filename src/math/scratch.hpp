// Work arrays for the length of a scope, out of a store of the calling thread: no memory is asked for once the store
// has grown. Every scope has an array of its own, so that nothing it calls can overwrite it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace livens {

// An array of at least that many numbers, any numbers, from the store of this thread; and its return.
std::vector<double> take_scratch(std::size_t size);
void return_scratch(std::vector<double>&& values);

class ScratchVector {
 public:
  explicit ScratchVector(std::size_t size = 0) : values_(take_scratch(size)), size_(size) {}
  ScratchVector(std::size_t size, double value) : ScratchVector(size) { std::fill(begin(), end(), value); }
  ~ScratchVector() { return_scratch(std::move(values_)); }
  ScratchVector(const ScratchVector&) = delete;
  ScratchVector& operator=(const ScratchVector&) = delete;

  void resize(std::size_t size) {  // the array only grows: no pass over memory to clear it anew
    if (values_.size() < size) values_.resize(size);
    size_ = size;
  }
  void assign(std::size_t size, double value) {
    resize(size);
    std::fill(begin(), end(), value);
  }
  std::size_t size() const { return size_; }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }
  double* begin() { return data(); }
  double* end() { return data() + size_; }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size_; }
  double& operator[](std::size_t i) { return values_[i]; }
  double operator[](std::size_t i) const { return values_[i]; }

 private:
  std::vector<double> values_;
  std::size_t size_;
};

}  // namespace livens
