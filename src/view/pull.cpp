#include "view/pull.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace livens {
namespace {

constexpr double period = 0.5;      // s of the clock, of the body on the spring
constexpr double resolution = 0.3;  // omega h at most

}  // namespace

PullTerm::PullTerm(const DrawnVertex& vertex, int dimension, double stiffness, double reach,
                   std::array<double, 3> target)
    : EnergyTerm("pull"),
      vertex_(vertex),
      dimension_(dimension),
      stiffness_(stiffness),
      reach_(reach),
      target_(target) {
  for (const int node : vertex.node)
    for (int c = 0; node >= 0 && c < dimension; ++c) coordinates_.push_back(node + c);
}

PullTerm::Point PullTerm::distance(ConstVector q) const {
  Point d = position_of(vertex_, dimension_, q);
  for (std::size_t c = 0; c < 3; ++c) d[c] = c < static_cast<std::size_t>(dimension_) ? d[c] - target_[c] : 0;
  return d;
}

double PullTerm::stretch(const Point& d) const {
  return std::sqrt(1 + (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (reach_ * reach_));
}

void PullTerm::add(const Point& force, double scale, Vector gradient) const {
  for (std::size_t k = 0; k < vertex_.node.size() && vertex_.node[k] >= 0; ++k)
    for (int c = 0; c < dimension_; ++c)
      gradient[static_cast<std::size_t>(vertex_.node[k] + c)] +=
          scale * vertex_.weight[k] * force[static_cast<std::size_t>(c)];
}

double PullTerm::energy(double, ConstVector q) const {
  const Point d = distance(q);
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  return stiffness_ * square / (stretch(d) + 1);
}

void PullTerm::add_gradient(double, ConstVector q, double scale, Vector gradient) const {
  const Point d = distance(q);
  add(d, scale * stiffness_ / stretch(d), gradient);
}

// As a function of |d|^2 its divided difference is k / (s0 + s1).
bool PullTerm::add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const {
  const Point d0 = distance(x), d1 = distance(y);
  add({d0[0] + d1[0], d0[1] + d1[1], d0[2] + d1[2]}, scale * stiffness_ / (stretch(d0) + stretch(d1)), gradient);
  return true;
}

void PullTerm::add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const {
  const Point d = distance(q);
  const double s = stretch(d), along = 1 / (reach_ * reach_ * s * s);
  const std::size_t n = coordinates_.size(), dimension = static_cast<std::size_t>(dimension_);
  std::vector<double> block(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t a = i % dimension, b = j % dimension;
      block[i * n + j] = scale * vertex_.weight[i / dimension] * vertex_.weight[j / dimension] * stiffness_ / s *
                         ((a == b ? 1 : 0) - along * d[a] * d[b]);
    }
  sink.add_block(coordinates_, coordinates_, block.data());
}

double pull_stiffness(const Model& model, const Body& body, const DrawnVertex& vertex, const PullScales& scales) {
  double mass = 0;
  for (int i = body.first; i < body.first + body.size(); ++i)
    mass += model.parts().mass.diagonal[static_cast<std::size_t>(i)] / body.dimension;
  const double node_mass = model.parts().mass.diagonal[static_cast<std::size_t>(vertex.node[0])];
  // Particles move alone.
  const double moved = body.mesh != nullptr || body.rigid ? mass : node_mass;
  double omega = 2 * std::numbers::pi / (period * (scales.pace > 0 ? scales.pace : 1));
  if (scales.step > 0) omega = std::min(omega, resolution / scales.step);
  double stiffness = moved * omega * omega;
  // What one node alone can bear in explicit steps, beside the stiffness that is there.
  if (scales.explicit_steps && scales.step > 0)
    stiffness = std::min(stiffness, node_mass * std::pow(resolution / scales.step, 2));
  return stiffness;
}

}  // namespace livens
