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
  // The equations with their terms one after the other in memory: long chains are walked through from end to end.
  struct Term {
    int coordinate, place;  // place: in the columns of its equation
    double weight;
  };
  struct Form {
    double constant = 0;
    std::size_t begin = 0, end = 0;  // in terms_
  };
  struct FlatProduct {
    double factor;
    Form a, b;
    bool square;  // a = b, with terms of a alone
  };
  struct Flat {
    Form offset;
    std::size_t first_product, last_product, first_column, last_column;
  };
  Form flattened(const AffineForm& form, std::span<const int> columns);
  double value(const Form& form, ConstVector q) const { return form.constant + rate(form, q); }
  double rate(const Form& form, ConstVector v) const {
    double sum = 0;
    for (std::size_t k = form.begin; k < form.end; ++k) sum += terms_[k].weight * v[terms_[k].coordinate];
    return sum;
  }
  double magnitude(const Form& form, ConstVector q) const;
  std::span<const FlatProduct> products(std::size_t k) const {
    return std::span(products_).subspan(flat_[k].first_product, flat_[k].last_product - flat_[k].first_product);
  }
  std::span<const int> columns(std::size_t k) const {
    return std::span(columns_).subspan(flat_[k].first_column, flat_[k].last_column - flat_[k].first_column);
  }
  bool has_given(std::size_t k) const { return depends_on_time_ && given_[k]; }
  // The derivative of equation k: each of its coordinates once, in the order of columns(k).
  void gradient(std::size_t k, ConstVector q, double scale, Vector row) const;

  std::vector<Term> terms_;
  std::vector<FlatProduct> products_;
  std::vector<Flat> flat_;
  std::vector<TimeFunction> given_;  // by equation; empty: none of them depends on time
  Invariance invariance_;
  std::optional<Joint> joint_;
  bool torque_free_ = true;
  std::vector<Link> rods_;  // that of a rod, d.d = l^2; empty for other constraints
  bool depends_on_time_ = false;
  std::vector<int> coordinates_;
  std::vector<int> columns_;  // coordinates of each equation, sorted
};

}  // namespace livens
