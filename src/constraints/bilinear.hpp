// Constraints that are sums of products of affine forms of the coordinates: rods, joints, rigid bodies, points kept in
// line. All of them are quadratic, so that their discrete derivative is that of the middle.
//
//   g = offset(q) + sum_t factor_t a_t(q) b_t(q) - f(t),   a(q) = constant + sum_i weight_i q_i
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <livens/affine.hpp>
#include <livens/constraint.hpp>

namespace livens {

struct Product {
  double factor;
  AffineForm a, b;
};

// f, f' and f'' at t.
using TimeFunction = std::function<std::array<double, 3>(double t)>;

struct BilinearEquation {
  AffineForm offset;
  std::vector<Product> products;
  TimeFunction given;  // empty: 0
};

// a . b - value
BilinearEquation dot_equation(const AffinePoint& a, const AffinePoint& b, double value);

class BilinearConstraint final : public Constraint {
 public:
  using Joint = JointPlace;
  BilinearConstraint(std::string name, std::vector<BilinearEquation> equations, Invariance invariance,
                     std::optional<Joint> joint = std::nullopt, bool torque_free = true);

  void value(double t, ConstVector q, Vector g) const override;
  void add_jacobian(double t, ConstVector q, double scale, MatrixSink& sink) const override;
  void add_force(double t, ConstVector q, ConstVector lambda, double scale, Vector f) const override;
  void add_curvature(double t, ConstVector q, ConstVector lambda, double scale, MatrixSink& sink) const override;
  void rates(double t, ConstVector q, ConstVector v, Vector rate, Vector second) const override;
  void magnitude(double t, ConstVector q, Vector size) const override;
  bool quadratic() const override { return true; }
  bool depends_on_time() const override { return depends_on_time_; }
  Invariance invariance() const override { return invariance_; }
  bool torque_free_between_steps() const override { return torque_free_; }
  std::vector<int> coordinates() const override { return coordinates_; }
  const JointPlace* joint() const override { return joint_ ? &*joint_ : nullptr; }
  std::span<const Link> links() const override { return rods_; }

 private:
  // The derivative of equation k: each of its coordinates once, in columns_[k].
  void gradient(std::size_t k, ConstVector q, double scale, Vector row) const;

  std::vector<BilinearEquation> equations_;
  Invariance invariance_;
  std::optional<Joint> joint_;
  bool torque_free_ = true;
  std::vector<Link> rods_;  // that of a rod, d.d = l^2; empty for other constraints
  bool depends_on_time_ = false;
  std::vector<int> coordinates_;
  std::vector<std::vector<int>> columns_;  // coordinates of each equation, sorted
  // Where the terms of the offset and of both forms of each product are in columns_[k], in order.
  std::vector<std::vector<int>> places_;
};

}  // namespace livens
