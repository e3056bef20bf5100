#include "adapt/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mesh/core/topology.hpp"

namespace livens {
namespace {

// Volume, its derivative by the corners, sum of squared sides and its derivative.
struct Simplex {
  double volume = 0, sides = 0, quality = 0;
  double by_volume[4][3] = {}, by_sides[4][3] = {};

  // dQ/dX = Q (2/d dV/V - dS/S)
  double slope(int d, int a, int c) const {
    return quality * (2.0 / d * by_volume[a][c] / volume - by_sides[a][c] / sides);
  }
};

Simplex simplex_of(const Mesh& mesh, ConstVector X, int e) {
  const int d = mesh.dimension();
  double x[4][3] = {};
  for (int a = 0; a <= d; ++a)
    for (int c = 0; c < d; ++c) x[a][c] = X[at(mesh.element(e)[a] * d + c)];
  Simplex s;
  for (int a = 0; a <= d; ++a)
    for (int b = 0; b < a; ++b)
      for (int c = 0; c < d; ++c) {
        const double l = x[a][c] - x[b][c];
        s.sides += l * l;
        s.by_sides[a][c] += 2 * l;
        s.by_sides[b][c] -= 2 * l;
      }
  double u[3][3] = {};
  for (int k = 0; k < d; ++k)
    for (int c = 0; c < d; ++c) u[k][c] = x[k + 1][c] - x[0][c];
  if (d == 2) {
    s.volume = 0.5 * (u[0][0] * u[1][1] - u[0][1] * u[1][0]);
    s.by_volume[1][0] = 0.5 * u[1][1];
    s.by_volume[1][1] = -0.5 * u[1][0];
    s.by_volume[2][0] = -0.5 * u[0][1];
    s.by_volume[2][1] = 0.5 * u[0][0];
  } else {
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < 3; ++c) {
        const double *v = u[(k + 1) % 3], *w = u[(k + 2) % 3];
        s.by_volume[k + 1][c] = (v[(c + 1) % 3] * w[(c + 2) % 3] - v[(c + 2) % 3] * w[(c + 1) % 3]) / 6;
      }
    for (int c = 0; c < 3; ++c) s.volume += u[0][c] * s.by_volume[1][c];
  }
  for (int k = 1; k <= d; ++k)
    for (int c = 0; c < d; ++c) s.by_volume[0][c] -= s.by_volume[k][c];
  s.quality = d == 2 ? 4 * std::sqrt(3.0) * s.volume / s.sides : 12 * std::cbrt(9 * s.volume * s.volume) / s.sides;
  if (s.volume < 0) s.quality = -std::abs(s.quality);
  return s;
}

}  // namespace

std::vector<double> mean_ratios(const Mesh& mesh, ConstVector X) {
  std::vector<double> quality(at(mesh.elements()));
  for (int e = 0; e < mesh.elements(); ++e) quality[at(e)] = simplex_of(mesh, X, e).quality;
  return quality;
}

QualityBarrier::QualityBarrier(const Mesh& mesh, double bound, std::vector<double> weight)
    : mesh_(mesh), weight_(std::move(weight)) {
  constexpr double above = 1.25;
  for (const double begin : mean_ratios(mesh, mesh.X)) {
    onset_.push_back(std::min(above * bound, begin));
    floor_.push_back(std::min(bound, onset_.back() / above));
  }
}

template <class Body>
void QualityBarrier::each_active(ConstVector X, const Body& body) const {
  for (int e = 0; e < mesh_.elements(); ++e) {
    const Simplex simplex = simplex_of(mesh_, X, e);
    if (simplex.quality >= onset_[at(e)]) continue;
    body(e, simplex, (simplex.quality - floor_[at(e)]) / (onset_[at(e)] - floor_[at(e)]));
  }
}

double QualityBarrier::add_gradient(ConstVector X, Vector G) const {
  const int d = mesh_.dimension();
  double total = 0;
  each_active(X, [&](int e, const Simplex& simplex, double s) {
    if (s <= 0) {
      total = std::numeric_limits<double>::infinity();
      return;
    }
    const double rest = 1 - s, weight = weight_[at(e)];
    total += weight * rest * rest * rest / s;
    const double slope = -weight * rest * rest * (3 / s + rest / (s * s)) / (onset_[at(e)] - floor_[at(e)]);
    for (int a = 0; a <= d; ++a)
      for (int c = 0; c < d; ++c) G[at(mesh_.element(e)[a] * d + c)] += slope * simplex.slope(d, a, c);
  });
  return total;
}

int QualityBarrier::active(ConstVector X) const {
  int count = 0;
  each_active(X, [&](int, const Simplex&, double) { ++count; });
  return count;
}

std::vector<bool> QualityBarrier::nodes_below(ConstVector X, double most) const {
  std::vector<bool> nodes(at(mesh_.nodes()), false);
  each_active(X, [&](int e, const Simplex&, double s) {
    if (s > most) return;
    for (int a = 0; a < nodes_of(mesh_.kind); ++a) nodes[at(mesh_.element(e)[a])] = true;
  });
  return nodes;
}

std::vector<bool> QualityBarrier::active_nodes(ConstVector X) const { return nodes_below(X, 1); }
std::vector<bool> QualityBarrier::broken_nodes(ConstVector X) const { return nodes_below(X, 0); }

}  // namespace livens
