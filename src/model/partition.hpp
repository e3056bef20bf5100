// The partitioned discrete derivative D of E04 (15): from x to y one coordinate after the other, first to last and last
// to first, and the mean of both,
//
//   D_i f = 1/2 [ f(x_<i, y_i, y_>i) - f(x_<i, x_i, y_>i)  +  f(y_<i, y_i, x_>i) - f(y_<i, x_i, x_>i) ] / (y_i - x_i).
//
// It is linear in f: that of a sum over stencils is the sum of theirs, at the cost and with the rounding of a few
// coordinates each.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <livens/energy.hpp>

#include "model/linearisation.hpp"
#include "model/scalar_function.hpp"

namespace livens {

class Partition {
 public:
  // d = Df(x, y). own: the coordinates in which f is not linear, sorted; empty: all.
  void evaluate(ScalarFunction& f, ConstVector x, ConstVector y, std::span<const int> own, Vector d);
  // jacobian += d Df/dy of a function of all its coordinates, row by row. length: of its shape; over shorter ways than
  // `near` of it differences of gradients are taken across the middle.
  void add_jacobian(ScalarFunction& f, ConstVector x, ConstVector y, double length, double* jacobian);

 private:
  static constexpr double near = 1e-5;
  // [f(end) - f(begin)] / (y_i - x_i) without cancellation; begin_ has x_i, and y_i afterwards.
  double quotient(ScalarFunction& f, std::size_t i, double x, double y, double& value);
  void add_row(ScalarFunction& f, std::size_t i, double x, double y, double length, std::span<const char> done,
               double* row);

  std::vector<double> begin_, point_, gradient_, other_;
  std::vector<char> done_;
};

// D of a potential that is a sum over stencils.
class PartitionedStencils {
 public:
  PartitionedStencils(std::shared_ptr<const Stencils> stencils, int dimension);
  void add_gradient(ConstVector x, ConstVector y, Vector sum);
  // values += scale * d DW/dy
  void add_tangent(ConstVector x, ConstVector y, double scale, const Linearisation& linearisation, Vector values);

 private:
  class One;
  template <class Use>
  void each(ConstVector x, ConstVector y, const Use& use);

  std::shared_ptr<const Stencils> stencils_;
  int dimension_;
  Partition partition_;
  std::vector<int> coordinates_;  // of the stencil in hand, sorted
  std::vector<double> x_, y_, d_, block_;
};

}  // namespace livens
