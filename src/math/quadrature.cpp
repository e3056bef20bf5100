#include "math/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace livens {
namespace {

struct Legendre {
  double value, derivative;
};

// P_n and P_n' on [-1, 1] by the three-term recurrence.
Legendre legendre(int n, double x) {
  double before = 1, value = x;
  if (n == 0) return {1, 0};
  for (int k = 2; k <= n; ++k) {
    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return {value, n * (before - x * value) / (1 - x * x)};
}

}  // namespace

Quadrature gauss_quadrature(int points) {
  Quadrature rule;
  for (int i = points; i >= 1; --i) {
    double x = std::cos(std::numbers::pi * (i - 0.25) / (points + 0.5));
    for (int k = 0; k < 50; ++k) {
      const Legendre p = legendre(points, x);
      const double dx = p.value / p.derivative;
      x -= dx;
      if (std::abs(dx) < 1e-16) break;
    }
    const double d = legendre(points, x).derivative;
    rule.x.push_back(0.5 * (1 + x));
    rule.w.push_back(1 / ((1 - x * x) * d * d));
  }
  return rule;
}

// Ends and the roots of P'_{m}, m = points - 1; weights 2 / (m (m + 1) P_m(x)^2) on [-1, 1].
Quadrature lobatto_quadrature(int points) {
  const int m = points - 1;
  Quadrature rule;
  for (int i = m; i >= 0; --i) {
    double x = std::cos(std::numbers::pi * i / m);
    if (i != 0 && i != m) {
      for (int k = 0; k < 50; ++k) {
        const Legendre p = legendre(m, x);
        const double second = (2 * x * p.derivative - m * (m + 1) * p.value) / (1 - x * x);
        const double dx = p.derivative / second;
        x -= dx;
        if (std::abs(dx) < 1e-16) break;
      }
    } else {
      x = i == 0 ? 1 : -1;
    }
    const double value = std::abs(x) == 1 ? 1 : legendre(m, x).value;
    rule.x.push_back(0.5 * (1 + x));
    rule.w.push_back(1 / (m * (m + 1) * value * value));
  }
  return rule;
}

double lagrange(const std::vector<double>& nodes, std::size_t j, double x) {
  double product = 1;
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (k != j) product *= (x - nodes[k]) / (nodes[j] - nodes[k]);
  return product;
}

double lagrange_derivative(const std::vector<double>& nodes, std::size_t j, double x) {
  double sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i == j) continue;
    double product = 1 / (nodes[j] - nodes[i]);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (k != j && k != i) product *= (x - nodes[k]) / (nodes[j] - nodes[k]);
    sum += product;
  }
  return sum;
}

}  // namespace livens
