// Discrete gradients of hyperelastic elements and their tangents; see discrete_point.hpp.
#pragma once

#include <memory>

#include "elements/element_block.hpp"
#include "elements/strain_energy.hpp"

namespace livens {

class DiscreteElastic {
 public:
  virtual ~DiscreteElastic() = default;
  // gradient += scale * DW(x, y)
  virtual void add_gradient(ConstVector x, ConstVector y, double scale, Vector gradient) const = 0;
  // sink += scale * dDW/dy, on the blocks of the layout
  virtual void add_tangent(ConstVector x, ConstVector y, double scale, MatrixSink& sink) const = 0;
};

// Refers to both. In a file of its own: next to the kernels of energy and gradient it would keep the compiler from
// inlining all of those.
std::unique_ptr<const DiscreteElastic> make_discrete_elastic(ElementKind kind, const ElementLayout& layout,
                                                             const StrainEnergy& energy);

}  // namespace livens
