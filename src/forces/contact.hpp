// Contact of nodes with a rigid thing, by a penalty potential.
//
//   W = sum_a k_a w(d_a),   w(d) = 0                           d <= 0
//                                  d^3/(6 s)                   0 < d < s
//                                  d^2/2 - s d/2 + s^2/6       s <= d
//
// d is the depth of node a inside the thing, s a short onset that makes w twice continuously differentiable, and k_a a
// pressure per depth times the area of the reference boundary that the node stands for. A penalty is not free of
// intersections: the depth at equilibrium is pressure over pressure per depth. Only nodes are looked at: a thing that
// is smaller than an edge can slip through between them.
//
// The discrete derivative [E04 4] takes w[d0, d1] = (w(d1) - w(d0))/(d1 - d0), the mean of w' between the depths: a sum
// of positive parts, in which nothing cancels. Depths in a half space are linear; in a ball they are a function of r^2:
//
//   DW = -k w[d0, d1] n,   DW = -k w[d0, d1] (r0 + r1)/(|r0| + |r1|)
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <livens/energy.hpp>

namespace livens {

struct ContactNode {
  int first;         // coordinate
  double stiffness;  // N/m
  double onset;      // s, m
};

class ContactTerm final : public EnergyTerm {
 public:
  ContactTerm(Obstacle obstacle, int dimension, std::vector<ContactNode> nodes);

  double energy(double t, ConstVector q) const override;
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override;
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override;
  // Without the curvature of the thing times the pressure, which is negative.
  void add_convex_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override;
  bool add_discrete_gradient(double t, ConstVector x, ConstVector y, double scale, Vector gradient) const override;
  void add_discrete_hessian(double t, ConstVector x, ConstVector y, double scale, bool symmetric,
                            MatrixSink& sink) const override;
  std::span<const Obstacle> obstacles() const override { return {&obstacle_, 1}; }
  ContactState contact(ConstVector q) const override { return {largest_depth(q), total_force(q)}; }
  // One stencil per node.
  std::shared_ptr<const Stencils> stencils() const override;

  int dimension() const { return dimension_; }
  const std::vector<ContactNode>& nodes() const { return nodes_; }
  double largest_depth(ConstVector q) const;               // m; 0 without contact
  std::array<double, 3> total_force(ConstVector q) const;  // on the bodies, N

 private:
  friend class ContactStencils;
  // Depth of a node, and the direction n of its force; of spheres 1/r in `curvature`.
  double depth(const ContactNode& node, ConstVector q, double* n, double& curvature) const {
    return depth(q.data() + node.first, n, curvature);
  }
  double depth(const double* x, double* n, double& curvature) const;
  // Depths at both ends of a step, negative outside, and the direction of the discrete derivative of the depth: n of a
  // half space, (r0 + r1)/(|r0| + |r1|) of a ball.
  struct Passage {
    double d0, d1;
    double n[3];
    double n1[3];    // at the end
    double inverse;  // of balls 1/(|r0| + |r1|), of half spaces 0
  };
  Passage passage(const double* x, const double* y) const;
  void add_second(ConstVector q, double scale, bool convex, MatrixSink& sink) const;

  Obstacle obstacle_;
  int dimension_;
  std::vector<ContactNode> nodes_;
};

}  // namespace livens
