// A function of all coordinates, or of a few, that discrete derivatives are taken of.
#pragma once

#include <livens/matrix_sink.hpp>

namespace livens {

class ScalarFunction {
 public:
  virtual ~ScalarFunction() = default;
  virtual double value(ConstVector x) = 0;
  virtual void gradient(ConstVector x, Vector g) = 0;  // g = f'(x)
};

}  // namespace livens
