#include "forces/contact.hpp"

#include <algorithm>
#include <cmath>

#include "math/parallel.hpp"

namespace livens {
namespace {

struct Penalty {
  double value, first, second;
};

Penalty penalty(double d, double s) {
  if (d <= 0) return {0, 0, 0};
  if (d < s) return {d * d * d / (6 * s), d * d / (2 * s), d / s};
  return {d * d / 2 - s * d / 2 + s * s / 6, d - s / 2, 1};
}

}  // namespace

ContactTerm::ContactTerm(Obstacle obstacle, int dimension, std::vector<ContactNode> nodes)
    : EnergyTerm(obstacle.name), obstacle_(std::move(obstacle)), dimension_(dimension), nodes_(std::move(nodes)) {}

double ContactTerm::depth(const double* x, double* n, double& curvature) const {
  curvature = 0;
  if (obstacle_.kind == Obstacle::Kind::plane) {
    double height = 0;
    for (int c = 0; c < dimension_; ++c) {
      n[c] = obstacle_.normal[c];
      height += n[c] * (x[c] - obstacle_.point[c]);
    }
    return -height;
  }
  double rr = 0;
  for (int c = 0; c < dimension_; ++c) {
    n[c] = x[c] - obstacle_.point[c];
    rr += n[c] * n[c];
  }
  const double r = std::sqrt(rr);
  if (r >= obstacle_.radius) return 0;
  // At the centre there is no way out that is shortest: no force.
  for (int c = 0; c < dimension_; ++c) n[c] = r > 0 ? n[c] / r : 0;
  curvature = r > 0 ? 1 / r : 0;
  return obstacle_.radius - r;
}

double ContactTerm::energy(double, ConstVector q) const {
  return sum_chunks(nodes_.size(), [&](std::size_t a, std::size_t b) {
    double sum = 0, n[3], curvature;
    for (std::size_t k = a; k < b; ++k)
      sum += nodes_[k].stiffness * penalty(depth(nodes_[k], q, n, curvature), nodes_[k].onset).value;
    return sum;
  });
}

// dW/dx = -k w'(d) n
void ContactTerm::add_gradient(double, ConstVector q, double scale, Vector gradient) const {
  for_chunks(nodes_.size(), [&](std::size_t a, std::size_t b) {
    double n[3], curvature;
    for (std::size_t k = a; k < b; ++k) {
      const ContactNode& node = nodes_[k];
      const double d = depth(node, q, n, curvature);
      if (d <= 0) continue;
      const double force = scale * node.stiffness * penalty(d, node.onset).first;
      for (int c = 0; c < dimension_; ++c) gradient[static_cast<std::size_t>(node.first + c)] -= force * n[c];
    }
  });
}

// d2W/dx2 = k [ w'' n n' - w' (1 - n n')/r ]
void ContactTerm::add_second(ConstVector q, double scale, bool convex, MatrixSink& sink) const {
  std::array<double, 9> block;
  std::array<int, 3> rows{};
  const auto width = static_cast<std::size_t>(dimension_);
  for (const ContactNode& node : nodes_) {
    double n[3] = {0, 0, 0}, curvature;
    const Penalty w = penalty(depth(node, q, n, curvature), node.onset);
    const double across = convex ? 0 : -w.first * curvature;
    for (int a = 0; a < dimension_; ++a) {
      rows[static_cast<std::size_t>(a)] = node.first + a;
      for (int b = 0; b < dimension_; ++b)
        block[static_cast<std::size_t>(a * dimension_ + b)] =
            scale * node.stiffness * (w.second * n[a] * n[b] + across * ((a == b ? 1 : 0) - n[a] * n[b]));
    }
    sink.add_block(std::span<const int>(rows.data(), width), std::span<const int>(rows.data(), width), block.data());
  }
}

void ContactTerm::add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const {
  add_second(q, scale, false, sink);
}

void ContactTerm::add_convex_hessian(double, ConstVector q, double scale, MatrixSink& sink) const {
  add_second(q, scale, true, sink);
}

double ContactTerm::largest_depth(ConstVector q) const {
  double largest = 0, n[3], curvature;
  for (const ContactNode& node : nodes_) largest = std::max(largest, depth(node, q, n, curvature));
  return largest;
}

std::array<double, 3> ContactTerm::total_force(ConstVector q) const {
  std::array<double, 3> total{0, 0, 0};
  for (const ContactNode& node : nodes_) {
    double n[3] = {0, 0, 0}, curvature;
    const double force = node.stiffness * penalty(depth(node, q, n, curvature), node.onset).first;
    for (int c = 0; c < dimension_; ++c) total[static_cast<std::size_t>(c)] += force * n[c];
  }
  return total;
}

// A copy of the term, with its nodes as stencils.
class ContactStencils final : public Stencils {
 public:
  explicit ContactStencils(const ContactTerm& term) : Stencils(first_coordinates(term), 1), term_(term) {}

  double evaluate(int k, const double* x, double* g) const override {
    const ContactNode& node = term_.nodes()[static_cast<std::size_t>(k)];
    double n[3] = {0, 0, 0}, curvature;
    const Penalty w = penalty(term_.depth(x, n, curvature), node.onset);
    for (int c = 0; c < 4; ++c) g[c] = c < term_.dimension() ? -node.stiffness * w.first * n[c] : 0;
    return node.stiffness * w.value;
  }
  double stiffness(int k) const override { return term_.nodes()[static_cast<std::size_t>(k)].stiffness; }

 private:
  static std::vector<int> first_coordinates(const ContactTerm& term) {
    std::vector<int> nodes;
    for (const ContactNode& node : term.nodes()) nodes.push_back(node.first);
    return nodes;
  }
  ContactTerm term_;
};

std::shared_ptr<const Stencils> ContactTerm::stencils() const { return std::make_shared<ContactStencils>(*this); }

}  // namespace livens
