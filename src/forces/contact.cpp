#include "forces/contact.hpp"

#include <algorithm>
#include <cmath>

#include "forces/pair_block.hpp"
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

struct MeanPenalty {
  double slope;  // w[d0, d1] = integral over 0 < u < 1 of w'(d0 + u (d1 - d0))
  double by_d1;  // its derivative by d1, the integral of u w''
};

// The way from d0 to d1 is cut where it passes the depths 0 and s.
MeanPenalty mean_penalty(double d0, double d1, double s) {
  const double way = d1 - d0;
  MeanPenalty mean{0, 0};
  double a = d0, ua = 0;  // depth, and part of the way, up to which is summed
  const auto add_up_to = [&](double b, double ub) {
    const double middle = 0.5 * (a + b), share = way == 0 ? ub - ua : (b - a) / way;
    if (middle > 0 && middle < s) {
      mean.slope += share * (a * a + a * b + b * b) / (6 * s);
      mean.by_d1 += share * (ua * (2 * a + b) + ub * (a + 2 * b)) / (6 * s);
    } else if (middle > 0) {
      mean.slope += share * (middle - s / 2);
      mean.by_d1 += share * (ua + ub) / 2;
    }
    a = b;
    ua = ub;
  };
  for (const double cut : {way < 0 ? s : 0.0, way < 0 ? 0.0 : s})
    add_up_to(std::clamp(cut, std::min(d0, d1), std::max(d0, d1)),
              way == 0 ? 0.0 : std::clamp((cut - d0) / way, 0.0, 1.0));
  add_up_to(d1, 1);
  return mean;
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
      for (int c = 0; c < dimension_; ++c) gradient[node.first + c] -= force * n[c];
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
      rows[a] = node.first + a;
      for (int b = 0; b < dimension_; ++b)
        block[a * dimension_ + b] =
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

ContactTerm::Passage ContactTerm::passage(const double* x, const double* y) const {
  Passage p{};
  if (obstacle_.kind == Obstacle::Kind::plane) {
    double curvature;
    p.d0 = depth(x, p.n, curvature);
    p.d1 = depth(y, p.n1, curvature);
    return p;
  }
  double r0 = 0, r1 = 0;
  for (int c = 0; c < dimension_; ++c) {
    const double from = x[c] - obstacle_.point[c];
    p.n1[c] = y[c] - obstacle_.point[c];
    p.n[c] = from + p.n1[c];
    r0 += from * from;
    r1 += p.n1[c] * p.n1[c];
  }
  r0 = std::sqrt(r0);
  r1 = std::sqrt(r1);
  p.inverse = r0 + r1 > 0 ? 1 / (r0 + r1) : 0;
  for (int c = 0; c < dimension_; ++c) {
    p.n[c] *= p.inverse;
    p.n1[c] *= r1 > 0 ? 1 / r1 : 0;
  }
  p.d0 = obstacle_.radius - r0;
  p.d1 = obstacle_.radius - r1;
  return p;
}

bool ContactTerm::add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const {
  for_chunks(nodes_.size(), [&](std::size_t a, std::size_t b) {
    for (std::size_t k = a; k < b; ++k) {
      const ContactNode& node = nodes_[k];
      const Passage p = passage(x.data() + node.first, y.data() + node.first);
      if (p.d0 <= 0 && p.d1 <= 0) continue;
      const double force = scale * node.stiffness * mean_penalty(p.d0, p.d1, node.onset).slope;
      for (int c = 0; c < dimension_; ++c) gradient[node.first + c] -= force * p.n[c];
    }
  });
  return true;
}

// With w = w[d0, d1]: k [ dw/dd1 n n1' - w/(|r0| + |r1|) (1 - n n1') ]
void ContactTerm::add_discrete_hessian(double, ConstVector x, ConstVector y, double scale, bool symmetric,
                                       MatrixSink& sink) const {
  std::array<double, 9> block{};
  std::array<int, 3> rows{};
  const auto width = static_cast<std::size_t>(dimension_);
  for (const ContactNode& node : nodes_) {
    const Passage p = passage(x.data() + node.first, y.data() + node.first);
    const MeanPenalty w = mean_penalty(p.d0, p.d1, node.onset);
    const double k = scale * node.stiffness, across = w.slope * p.inverse;
    const PairMatrix K = central_tangent(-k * across, k * (w.by_d1 + across), p.n, p.n1, dimension_, symmetric);
    for (std::size_t a = 0; a < width; ++a) {
      rows[a] = node.first + static_cast<int>(a);
      for (std::size_t b = 0; b < width; ++b) block[a * width + b] = K[a][b];
    }
    const std::span<const int> own(rows.data(), width);
    sink.add_block(own, own, block.data());
  }
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
    for (int c = 0; c < dimension_; ++c) total[c] += force * n[c];
  }
  return total;
}

// A copy of the term, with its nodes as stencils.
class ContactStencils final : public Stencils {
 public:
  explicit ContactStencils(const ContactTerm& term) : Stencils(first_coordinates(term), 1), term_(term) {}

  double evaluate(int k, const double* x, double* g) const override {
    const ContactNode& node = term_.nodes()[k];
    double n[3] = {0, 0, 0}, curvature;
    const Penalty w = penalty(term_.depth(x, n, curvature), node.onset);
    for (int c = 0; c < 4; ++c) g[c] = c < term_.dimension() ? -node.stiffness * w.first * n[c] : 0;
    return node.stiffness * w.value;
  }
  double stiffness(int k) const override { return term_.nodes()[k].stiffness; }

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
