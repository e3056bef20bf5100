// Variables, constants and a point for tests of expressions.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "math/expression.hpp"

namespace livens::expressions {

constexpr double infinity = std::numeric_limits<double>::infinity();

inline const std::vector<std::string> variables = {"x", "y", "theta", "x_dot", "y_dot", "theta_dot"};
inline const std::vector<std::size_t> velocities = {3, 4, 5};
inline const std::map<std::string, double, std::less<>> constants = {
    {"m", 0.5}, {"l", 2.0}, {"g", 9.81}, {"zero", 0.0}};
inline const std::array<double, 6> point = {0.37, 0.62, -0.8, 1.1, -0.45, 0.25};

inline Expression parse(std::string_view text) { return Expression::parse(text, variables, constants); }

inline double at_point(std::string_view text) { return parse(text).evaluate(point); }

// With all derivatives at the point.
inline const std::vector<const char*> smooth_expressions = {
    "m*g*l*(1 - cos(theta))",
    "m*l^2*theta_dot^2/2",
    "m*l^2*theta_dot^2/2 - m*g*l*(1 - cos(theta))",
    "m/2*(x_dot^2 + y_dot^2) + (x + 0.1*x^2/2)*y_dot",
    "x_dot^2 + y_dot^2/2 + x_dot*y_dot*cos(x - y) + 2*g*cos(x) + g*cos(y)",
    "m/2*(sqrt(x^2 + y^2) - l)^2",
    "-1/sqrt(x^2 + y^2)",
    "x",
    "-x",
    "x + y - theta",
    "x*y*theta",
    "x/y/theta",
    "3 - x*2 + y/3",
    "2/(x + 3)",
    "x^3*y^-2",
    "x^5 - y^7 + theta^4",
    "(x + y)^9",
    "x^2.5 + y^-0.5",
    "x^y",
    "(x^2 + 1)^(y*theta)",
    "2^(x*y)",
    "theta^100",
    "sin(x*y)*cos(theta)",
    "tan(x*y)",
    "asin(x*y) + acos(x*theta)",
    "atan(x/theta)",
    "atan2(x, theta)",
    "atan2(theta*y, x - 2)",
    "atan2(1, x) + atan2(y, 2)",
    "sinh(x)*cosh(y*theta)",
    "tanh(3*x - y)",
    "exp(-x^2 - y^2)",
    "log(1 + exp(x*theta))",
    "sqrt(1 + x^2*y^2)",
    "abs(theta)*x^2",
    "min(x, y)*max(x*2, theta^2)",
    "min(x, 0.1)*y + max(0.3, theta^2)",
    "if(x < y, x^2*y, y^2*x)",
    "if(x >= y, x^2*y, y^3*x + theta)",
    "if(theta < 0, -theta^3, log(theta))*x",
    "sin(x)^2 + sin(x)^2*cos(y) + sin(x)*y",
    "((x*y + theta)*(x*y - theta))/((x*y)^2 + theta^2 + 1)",
    "x_dot*(x_dot - (x_dot - y_dot*(y_dot - theta_dot*x)))",
    "exp(sin(x*y)*cosh(theta) - sqrt(y)/log(3 + x))",
    "pi*x^2*0 + y^1 + x^0",
};

}  // namespace livens::expressions
