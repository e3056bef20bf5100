// Which expression of a model has no finite value at a state: asked after something was not finite, never before.
#pragma once

#include <functional>
#include <optional>

#include <livens/model.hpp>

#include "math/expression_watch.hpp"

namespace livens {

// Nothing if all are finite, or only the energy of elements that are inside out is not: that is the step's doing.
std::optional<UndefinedExpression> undefined_expression(const Model& model, double t, ConstVector q, ConstVector v);

// The first that some work meets.
std::optional<UndefinedExpression> undefined_during(const std::function<void()>& work);

}  // namespace livens
