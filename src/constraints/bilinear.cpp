#include "constraints/bilinear.hpp"

#include <algorithm>
#include <cmath>

#include "math/scratch.hpp"

namespace livens {

namespace {

// Both ends of a rod, one equation d.d = l^2; empty for other constraints.
std::vector<Link> rods_of(const std::vector<BilinearEquation>& equations, const std::optional<JointPlace>& joint) {
  if (!joint || equations.size() != 1 || equations[0].products.size() != joint->point.size()) return {};
  AffinePoint d;
  for (const Product& product : equations[0].products) {
    if (product.a.terms != product.b.terms || product.a.constant != product.b.constant) return {};
    d.push_back(product.a);
  }
  return {Link{{joint->point - d, joint->point}}};
}

}  // namespace

BilinearEquation dot_equation(const AffinePoint& a, const AffinePoint& b, double value) {
  BilinearEquation equation;
  equation.offset.constant = -value;
  for (std::size_t c = 0; c < a.size(); ++c) equation.products.push_back({1, a[c], b[c]});
  return equation;
}

BilinearConstraint::BilinearConstraint(std::string name, std::vector<BilinearEquation> equations, Invariance invariance,
                                       std::optional<Joint> joint, bool torque_free)
    : Constraint(std::move(name), static_cast<int>(equations.size())),
      invariance_(invariance),
      joint_(std::move(joint)),
      torque_free_(torque_free),
      rods_(rods_of(equations, joint_)) {
  for (const BilinearEquation& equation : equations) {
    depends_on_time_ = depends_on_time_ || equation.given;
    std::vector<int> columns;
    const auto collect = [&](const AffineForm& form) {
      for (const auto& term : form.terms) columns.push_back(term.first);
    };
    collect(equation.offset);
    for (const Product& product : equation.products) collect(product.a), collect(product.b);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());

    Flat flat{flattened(equation.offset, columns), products_.size(), 0, columns_.size(), 0};
    for (const Product& product : equation.products) {
      const Form a = flattened(product.a, columns);
      const bool square = product.a.constant == product.b.constant && product.a.terms == product.b.terms;
      products_.push_back({product.factor, a, square ? a : flattened(product.b, columns), square});
    }
    columns_.insert(columns_.end(), columns.begin(), columns.end());
    flat.last_product = products_.size();
    flat.last_column = columns_.size();
    flat_.push_back(flat);
  }
  if (depends_on_time_)
    for (BilinearEquation& equation : equations) given_.push_back(std::move(equation.given));
  coordinates_ = columns_;
  std::sort(coordinates_.begin(), coordinates_.end());
  coordinates_.erase(std::unique(coordinates_.begin(), coordinates_.end()), coordinates_.end());
}

BilinearConstraint::Form BilinearConstraint::flattened(const AffineForm& form, std::span<const int> columns) {
  Form flat{form.constant, terms_.size(), 0};
  for (const auto& [i, weight] : form.terms) {
    const auto place = std::lower_bound(columns.begin(), columns.end(), i) - columns.begin();
    terms_.push_back({i, static_cast<int>(place), weight});
  }
  flat.end = terms_.size();
  return flat;
}

double BilinearConstraint::magnitude(const Form& form, ConstVector q) const {
  double sum = std::abs(form.constant);
  for (std::size_t k = form.begin; k < form.end; ++k) sum += std::abs(terms_[k].weight * q[terms_[k].coordinate]);
  return sum;
}

void BilinearConstraint::value(double t, ConstVector q, Vector g) const {
  for (std::size_t k = 0; k < flat_.size(); ++k) {
    double sum = value(flat_[k].offset, q);
    for (const FlatProduct& p : products(k)) {
      const double a = value(p.a, q);
      sum += p.factor * a * (p.square ? a : value(p.b, q));
    }
    g[k] = has_given(k) ? sum - given_[k](t)[0] : sum;
  }
}

void BilinearConstraint::gradient(std::size_t k, ConstVector q, double scale, Vector row) const {
  std::fill(row.begin(), row.end(), 0.0);
  const auto add = [&](const Form& form, double factor) {
    for (std::size_t j = form.begin; j < form.end; ++j) row[terms_[j].place] += factor * terms_[j].weight;
  };
  add(flat_[k].offset, scale);
  for (const FlatProduct& p : products(k)) {
    const double a = value(p.a, q), b = p.square ? a : value(p.b, q);
    add(p.a, scale * p.factor * b);
    add(p.b, scale * p.factor * a);
  }
}

void BilinearConstraint::add_jacobian(double, ConstVector q, double scale, MatrixSink& sink) const {
  ScratchVector row;
  for (std::size_t k = 0; k < flat_.size(); ++k) {
    row.resize(columns(k).size());
    gradient(k, q, scale, row);
    const int equation = static_cast<int>(k);
    sink.add_block(std::span<const int>(&equation, 1), columns(k), row.data());
  }
}

void BilinearConstraint::add_force(double, ConstVector q, ConstVector lambda, double scale, Vector f) const {
  ScratchVector row;
  for (std::size_t k = 0; k < flat_.size(); ++k) {
    const std::span<const int> at = columns(k);
    row.resize(at.size());
    gradient(k, q, scale * lambda[k], row);
    for (std::size_t i = 0; i < row.size(); ++i) f[at[i]] += row[i];
  }
}

// sum_t factor (grad a grad b' + grad b grad a'), one block per equation that has products.
void BilinearConstraint::add_curvature(double, ConstVector, ConstVector lambda, double scale, MatrixSink& sink) const {
  ScratchVector block;
  for (std::size_t k = 0; k < flat_.size(); ++k) {
    if (products(k).empty()) continue;
    const std::span<const int> at = columns(k);
    const std::size_t n = at.size();
    block.assign(n * n, 0.0);
    for (const FlatProduct& p : products(k))
      for (std::size_t i = p.a.begin; i < p.a.end; ++i)
        for (std::size_t j = p.b.begin; j < p.b.end; ++j) {
          const Term &a = terms_[i], &b = terms_[j];
          const double value = scale * lambda[k] * p.factor * a.weight * b.weight;
          block[a.place * n + b.place] += value;
          block[b.place * n + a.place] += value;
        }
    sink.add_block(at, at, block.data());
  }
}

void BilinearConstraint::rates(double t, ConstVector q, ConstVector v, Vector rate_of, Vector second) const {
  for (std::size_t k = 0; k < flat_.size(); ++k) {
    double first = rate(flat_[k].offset, v), twice = 0;
    for (const FlatProduct& p : products(k)) {
      const double a = rate(p.a, v), b = p.square ? a : rate(p.b, v);
      const double at_a = value(p.a, q), at_b = p.square ? at_a : value(p.b, q);
      first += p.factor * (a * at_b + at_a * b);
      twice += 2 * p.factor * a * b;
    }
    if (has_given(k)) {
      const auto f = given_[k](t);
      first -= f[1];
      twice -= f[2];
    }
    rate_of[k] = first;
    second[k] = twice;
  }
}

void BilinearConstraint::magnitude(double t, ConstVector q, Vector size) const {
  for (std::size_t k = 0; k < flat_.size(); ++k) {
    double sum = magnitude(flat_[k].offset, q);
    for (const FlatProduct& p : products(k)) {
      const double size_a = magnitude(p.a, q), at_a = std::abs(value(p.a, q));
      const double size_b = p.square ? size_a : magnitude(p.b, q), at_b = p.square ? at_a : std::abs(value(p.b, q));
      sum += std::abs(p.factor) * (size_a * at_b + at_a * size_b);
    }
    size[k] = has_given(k) ? sum + std::abs(given_[k](t)[0]) : sum;
  }
}

}  // namespace livens
