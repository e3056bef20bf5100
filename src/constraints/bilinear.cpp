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
      equations_(std::move(equations)),
      invariance_(invariance),
      joint_(std::move(joint)),
      torque_free_(torque_free),
      rods_(rods_of(equations_, joint_)) {
  for (const BilinearEquation& equation : equations_) {
    depends_on_time_ = depends_on_time_ || equation.given;
    std::vector<int> columns;
    const auto collect = [&](const AffineForm& form) {
      for (const auto& term : form.terms) columns.push_back(term.first);
    };
    collect(equation.offset);
    for (const Product& product : equation.products) collect(product.a), collect(product.b);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<int> places;
    const auto locate = [&](const AffineForm& form) {
      for (const auto& term : form.terms)
        places.push_back(
            static_cast<int>(std::lower_bound(columns.begin(), columns.end(), term.first) - columns.begin()));
    };
    locate(equation.offset);
    for (const Product& product : equation.products) locate(product.a), locate(product.b);
    coordinates_.insert(coordinates_.end(), columns.begin(), columns.end());
    columns_.push_back(std::move(columns));
    places_.push_back(std::move(places));
  }
  std::sort(coordinates_.begin(), coordinates_.end());
  coordinates_.erase(std::unique(coordinates_.begin(), coordinates_.end()), coordinates_.end());
}

void BilinearConstraint::value(double t, ConstVector q, Vector g) const {
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const BilinearEquation& equation = equations_[k];
    double sum = equation.offset.value(q);
    for (const Product& p : equation.products) sum += p.factor * p.a.value(q) * p.b.value(q);
    g[k] = equation.given ? sum - equation.given(t)[0] : sum;
  }
}

void BilinearConstraint::gradient(std::size_t k, ConstVector q, double scale, Vector row) const {
  const int* place = places_[k].data();
  std::fill(row.begin(), row.end(), 0.0);
  const auto add = [&](const AffineForm& form, double factor) {
    for (const auto& term : form.terms) row[*place++] += factor * term.second;
  };
  add(equations_[k].offset, scale);
  for (const Product& p : equations_[k].products) {
    const double a = p.a.value(q), b = p.b.value(q);
    add(p.a, scale * p.factor * b);
    add(p.b, scale * p.factor * a);
  }
}

void BilinearConstraint::add_jacobian(double, ConstVector q, double scale, MatrixSink& sink) const {
  ScratchVector row;
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    row.resize(columns_[k].size());
    gradient(k, q, scale, row);
    const int equation = static_cast<int>(k);
    sink.add_block(std::span<const int>(&equation, 1), columns_[k], row.data());
  }
}

void BilinearConstraint::add_force(double, ConstVector q, ConstVector lambda, double scale, Vector f) const {
  ScratchVector row;
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    row.resize(columns_[k].size());
    gradient(k, q, scale * lambda[k], row);
    for (std::size_t i = 0; i < row.size(); ++i) f[columns_[k][i]] += row[i];
  }
}

// sum_t factor (grad a grad b' + grad b grad a'), one block per equation that has products.
void BilinearConstraint::add_curvature(double, ConstVector, ConstVector lambda, double scale, MatrixSink& sink) const {
  ScratchVector block;
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const BilinearEquation& equation = equations_[k];
    if (equation.products.empty()) continue;
    const std::size_t n = columns_[k].size();
    block.assign(n * n, 0.0);
    const int* place = places_[k].data() + equation.offset.terms.size();
    for (const Product& p : equation.products) {
      const int *at_a = place, *at_b = place + p.a.terms.size();
      place = at_b + p.b.terms.size();
      for (std::size_t i = 0; i < p.a.terms.size(); ++i)
        for (std::size_t j = 0; j < p.b.terms.size(); ++j) {
          const double value = scale * lambda[k] * p.factor * p.a.terms[i].second * p.b.terms[j].second;
          block[at_a[i] * n + at_b[j]] += value;
          block[at_b[j] * n + at_a[i]] += value;
        }
    }
    sink.add_block(columns_[k], columns_[k], block.data());
  }
}

void BilinearConstraint::rates(double t, ConstVector q, ConstVector v, Vector rate, Vector second) const {
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const BilinearEquation& equation = equations_[k];
    double first = equation.offset.rate(v), twice = 0;
    for (const Product& p : equation.products) {
      const double a = p.a.rate(v), b = p.b.rate(v);
      first += p.factor * (a * p.b.value(q) + p.a.value(q) * b);
      twice += 2 * p.factor * a * b;
    }
    if (equation.given) {
      const auto f = equation.given(t);
      first -= f[1];
      twice -= f[2];
    }
    rate[k] = first;
    second[k] = twice;
  }
}

void BilinearConstraint::magnitude(double t, ConstVector q, Vector size) const {
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const BilinearEquation& equation = equations_[k];
    double sum = equation.offset.magnitude(q);
    for (const Product& p : equation.products)
      sum +=
          std::abs(p.factor) * (p.a.magnitude(q) * std::abs(p.b.value(q)) + std::abs(p.a.value(q)) * p.b.magnitude(q));
    size[k] = equation.given ? sum + std::abs(equation.given(t)[0]) : sum;
  }
}

}  // namespace livens
