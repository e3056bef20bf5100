#include "math/scratch.hpp"

#include <utility>

namespace livens {
namespace {

// The arrays that are not in use. Nobody holds a reference into it.
std::vector<std::vector<double>>& store() {
  thread_local std::vector<std::vector<double>> arrays;
  return arrays;
}

}  // namespace

std::vector<double> take_scratch(std::size_t size) {
  auto& arrays = store();
  std::vector<double> values;
  if (!arrays.empty()) {
    values = std::move(arrays.back());
    arrays.pop_back();
  }
  if (values.size() < size) values.resize(size);
  return values;
}

void return_scratch(std::vector<double>&& values) { store().push_back(std::move(values)); }

}  // namespace livens
