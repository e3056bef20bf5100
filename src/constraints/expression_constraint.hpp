// Constraints g(t, y) = 0 that are written as expressions of affine forms y of the coordinates, then t.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "constraints/bilinear.hpp"
#include "math/expression.hpp"

namespace livens {

std::shared_ptr<Constraint> make_expression_constraint(std::string name, std::vector<Expression> equations,
                                                       std::vector<AffineForm> variables);

}  // namespace livens
