#include "view/pull.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace livens {
namespace {

constexpr double period = 0.5;                              // s of the clock, of the body on the spring
constexpr double resolution = 0.3;                          // omega h at most
constexpr double patch_radius = 0.15;                       // over the size of the body
constexpr std::size_t least_patch = 4, largest_patch = 32;  // nodes; every two of them are coupled
constexpr double largest_dent = 0.25;                       // of a patch, over its radius

}  // namespace

PullTerm::PullTerm(PullGrip grip, int dimension, double stiffness, double reach, std::array<double, 3> target)
    : EnergyTerm("pull"),
      grip_(std::move(grip)),
      dimension_(dimension),
      stiffness_(stiffness),
      reach_(reach),
      target_(target) {
  for (const int node : grip_.node)
    for (int c = 0; c < dimension; ++c) coordinates_.push_back(node + c);
}

PullTerm::Point PullTerm::distance(ConstVector q) const {
  Point d{};
  for (int c = 0; c < dimension_; ++c) {
    const auto at = static_cast<std::size_t>(c);
    for (std::size_t k = 0; k < grip_.node.size(); ++k) d[at] += grip_.weight[k] * q[grip_.node[k] + at];
    d[at] -= target_[at];
  }
  return d;
}

double PullTerm::stretch(const Point& d) const {
  return std::sqrt(1 + (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (reach_ * reach_));
}

void PullTerm::add(const Point& force, double scale, Vector gradient) const {
  for (std::size_t k = 0; k < grip_.node.size(); ++k)
    for (int c = 0; c < dimension_; ++c) gradient[grip_.node[k] + c] += scale * grip_.weight[k] * force[c];
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
      block[i * n + j] = scale * grip_.weight[i / dimension] * grip_.weight[j / dimension] * stiffness_ / s *
                         ((a == b ? 1 : 0) - along * d[a] * d[b]);
    }
  sink.add_block(coordinates_, coordinates_, block.data());
}

PullGrip grip_at(const Model& model, const Body& body, const DrawnVertex& vertex) {
  PullGrip grip;
  if (body.mesh == nullptr) {
    for (std::size_t k = 0; k < vertex.node.size() && vertex.node[k] >= 0; ++k) {
      grip.node.push_back(vertex.node[k]);
      grip.weight.push_back(vertex.weight[k]);
    }
    return grip;
  }
  const auto d = static_cast<std::size_t>(body.dimension);
  const auto center = static_cast<std::size_t>(vertex.node[0] - body.first);
  std::vector<std::pair<double, int>> nearest;  // distance, first coordinate
  double extent = 0;
  for (std::size_t a = 0; a < body.reference.size(); a += d) {
    double square = 0;
    for (std::size_t c = 0; c < d; ++c) square += std::pow(body.reference[a + c] - body.reference[center + c], 2);
    extent = std::max(extent, std::sqrt(square));
    const int first = body.first + static_cast<int>(a);
    if (!model.supported(first)) nearest.emplace_back(std::sqrt(square), first);
  }
  std::sort(nearest.begin(), nearest.end());
  std::size_t count = 0;
  while (count < std::min(nearest.size(), largest_patch) &&
         (count < least_patch || nearest[count].first <= patch_radius * extent))
    ++count;
  // A bump that is 0 a little outside.
  grip.radius = 1.2 * nearest[count - 1].first;
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    grip.node.push_back(nearest[k].second);
    grip.weight.push_back(1 - std::pow(nearest[k].first / std::max(grip.radius, 1e-300), 2));
    sum += grip.weight.back();
  }
  for (double& weight : grip.weight) weight /= sum;
  return grip;
}

double pull_stiffness(const Model& model, const Body& body, const PullGrip& grip, const PullScales& scales) {
  const auto& masses = model.parts().mass.diagonal;
  double mass = 0, compliance = 0;  // of the body; 1/m of the grip: sum w^2 / m
  for (int i = body.first; i < body.first + body.size(); ++i) mass += masses[i] / body.dimension;
  for (std::size_t k = 0; k < grip.node.size(); ++k)
    compliance += grip.weight[k] * grip.weight[k] / masses[grip.node[k]];
  // Particles move alone.
  const double moved = body.mesh != nullptr || body.rigid ? mass : 1 / compliance;
  double omega = 2 * std::numbers::pi / (period * (scales.pace > 0 ? scales.pace : 1));
  if (scales.step > 0) omega = std::min(omega, resolution / scales.step);
  double stiffness = moved * omega * omega;
  // What the grip alone can bear in explicit steps, beside the stiffness that is there.
  if (scales.explicit_steps && scales.step > 0)
    stiffness = std::min(stiffness, std::pow(resolution / scales.step, 2) / compliance);
  return stiffness;
}

double pull_reach(const Model& model, const Body& body, const PullGrip& grip, double stiffness, double extent) {
  if (!(grip.radius > 0)) return extent;
  // The patch moved as a bump of height e: W'' = (W(e) + W(-e) - 2 W(0)) / e^2, which is K (sum w^2 / w_max)^2 in terms
  // of the point that the spring holds.
  std::vector<double> q(model.size(), 0.0);
  for (const Body& each : model.bodies())
    std::copy(each.reference.begin(), each.reference.end(), q.begin() + each.first);
  const double e = 1e-3 * grip.radius, highest = *std::max_element(grip.weight.begin(), grip.weight.end());
  double share = 0, curvature = 0;
  for (const double w : grip.weight) share += w * w / highest;
  const double middle = model.potential(0, q);
  for (int c = 0; c < body.dimension; ++c)
    for (const double side : {e, -e}) {
      std::vector<double> moved = q;
      for (std::size_t k = 0; k < grip.node.size(); ++k) moved[grip.node[k] + c] += side * grip.weight[k] / highest;
      curvature += (model.potential(0, moved) - middle) / (e * e * body.dimension);
    }
  const double force = largest_dent * grip.radius * curvature / (share * share);
  return force > 0 ? std::min(extent, force / stiffness) : extent;
}

}  // namespace livens
