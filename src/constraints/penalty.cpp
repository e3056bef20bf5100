#include "constraints/penalty.hpp"

#include <algorithm>
#include <array>

#include "constraints/dense_jacobian.hpp"
#include "math/scratch.hpp"

namespace livens {
namespace {

class Penalty final : public PenaltyTerm {
 public:
  Penalty(std::shared_ptr<const Constraint> constraint, double stiffness)
      : PenaltyTerm(std::move(constraint), stiffness),
        constraint_(PenaltyTerm::constraint().get()),
        stiffness_(stiffness),
        coordinates_(constraint_->coordinates()) {}

  double energy(double t, ConstVector q) const override {
    const ScratchValues g(*constraint_, t, q);
    return 0.5 * stiffness_ * g.square();
  }
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override {
    add_gradient_and_energy(t, q, scale, gradient);
  }
  double add_gradient_and_energy(double t, ConstVector q, double scale, Vector gradient) const override {
    const ScratchValues g(*constraint_, t, q);
    constraint_->add_force(t, q, g, stiffness_ * scale, gradient);
    return 0.5 * stiffness_ * g.square();
  }
  bool depends_on_time() const override { return constraint_->depends_on_time(); }
  std::vector<int> coordinates() const override { return coordinates_; }
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override {
    add_products(jacobian(t, q), jacobian(t, q), scale, false, sink);
    constraint_->add_curvature(t, q, values(t, q), stiffness_ * scale, sink);
  }
  // k (g0 + g1)/2 . dg/dq(middle), exact for quadratic g.
  bool add_discrete_gradient(double t, ConstVector x, ConstVector y, double scale, Vector gradient) const override {
    if (!constraint_->quadratic()) return false;
    constraint_->add_force(t, middle(x, y), mean(t, x, y), stiffness_ * scale, gradient);
    return true;
  }
  void add_discrete_hessian(double t, ConstVector x, ConstVector y, double scale, bool symmetric,
                            MatrixSink& sink) const override {
    if (!constraint_->quadratic()) return EnergyTerm::add_discrete_hessian(t, x, y, scale, symmetric, sink);
    const std::vector<double> m = middle(x, y);
    add_products(jacobian(t, m), jacobian(t, y), 0.5 * scale, symmetric, sink);
    constraint_->add_curvature(t, m, mean(t, x, y), 0.5 * stiffness_ * scale, sink);
  }
  double time_derivative(double t, ConstVector q) const override {
    if (!constraint_->depends_on_time()) return 0;
    std::vector<double> rate(constraint_->count()), second(rate.size()), rest(q.size(), 0.0);
    constraint_->rates(t, q, rest, rate, second);
    const std::vector<double> g = values(t, q);
    double power = 0;
    for (std::size_t k = 0; k < g.size(); ++k) power += stiffness_ * g[k] * rate[k];
    return power;
  }
  Invariance invariance() const override { return constraint_->invariance(); }

 private:
  // g at q, in memory of the thread.
  class ScratchValues {
   public:
    ScratchValues(const Constraint& constraint, double t, ConstVector q)
        : values_(static_cast<std::size_t>(constraint.count())) {
      constraint.value(t, q, Vector(values_.data(), values_.size()));
    }
    operator ConstVector() const { return {values_.data(), values_.size()}; }
    double square() const {
      double sum = 0;
      for (const double g : values_) sum += g * g;
      return sum;
    }

   private:
    ScratchVector values_;
  };
  std::vector<double> values(double t, ConstVector q) const {
    std::vector<double> g(constraint_->count());
    constraint_->value(t, q, g);
    return g;
  }
  std::vector<double> mean(double t, ConstVector x, ConstVector y) const {
    std::vector<double> g = values(t, x);
    const std::vector<double> end = values(t, y);
    for (std::size_t k = 0; k < g.size(); ++k) g[k] = 0.5 * (g[k] + end[k]);
    return g;
  }
  static std::vector<double> middle(ConstVector x, ConstVector y) {
    std::vector<double> m(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) m[i] = 0.5 * (x[i] + y[i]);
    return m;
  }
  std::vector<double> jacobian(double t, ConstVector q) const {
    DenseJacobian sink(coordinates_, static_cast<std::size_t>(constraint_->count()));
    constraint_->add_jacobian(t, q, 1, sink);
    return std::move(sink.rows);
  }
  // sink += scale k A'B
  void add_products(const std::vector<double>& a, const std::vector<double>& b, double scale, bool symmetric,
                    MatrixSink& sink) const {
    const std::size_t n = coordinates_.size();
    std::vector<double> block(n * n, 0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(constraint_->count()); ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          const double ij = a[k * n + i] * b[k * n + j], ji = a[k * n + j] * b[k * n + i];
          block[i * n + j] += scale * stiffness_ * (symmetric ? 0.5 * (ij + ji) : ij);
        }
    sink.add_block(coordinates_, coordinates_, block.data());
  }

  const Constraint* constraint_;
  double stiffness_;
  std::vector<int> coordinates_;
};

using Vector3 = std::array<double, 3>;

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector3 mean(const Vector3& a, const Vector3& b) {
  return {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};
}

class AlignmentPenalty final : public PenaltyTerm {
 public:
  AlignmentPenalty(std::shared_ptr<const Constraint> constraint, AffinePoint a, AffinePoint b, double stiffness)
      : PenaltyTerm(std::move(constraint), stiffness), a_(std::move(a)), b_(std::move(b)), stiffness_(stiffness) {
    for (const AffinePoint* vector : {&a_, &b_})
      for (const AffineForm& form : *vector)
        for (const auto& term : form.terms) coordinates_.push_back(term.first);
    std::sort(coordinates_.begin(), coordinates_.end());
    coordinates_.erase(std::unique(coordinates_.begin(), coordinates_.end()), coordinates_.end());
  }

  bool depends_on_time() const override { return false; }
  std::vector<int> coordinates() const override { return coordinates_; }
  double energy(double, ConstVector q) const override {
    const Vector3 c = cross(value(a_, q), value(b_, q));
    return 0.5 * stiffness_ * dot(c, c);
  }
  // dW/da = k b x (a x b), dW/db = k (a x b) x a
  void add_gradient(double, ConstVector q, double scale, Vector gradient) const override {
    const Vector3 a = value(a_, q), b = value(b_, q), c = cross(a, b);
    add(a_, cross(b, c), scale, gradient);
    add(b_, cross(c, a), scale, gradient);
  }
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override {
    add_block(t, q, q, scale, false, true, sink);
  }
  // W = k/2 (aa bb - ab^2) is quadratic in aa = a.a, bb, ab: its derivative by these is that of their means.
  bool add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const override {
    const auto [da, db] = discrete(x, y);
    add(a_, da, scale, gradient);
    add(b_, db, scale, gradient);
    return true;
  }
  void add_discrete_hessian(double t, ConstVector x, ConstVector y, double scale, bool symmetric,
                            MatrixSink& sink) const override {
    add_block(t, x, y, scale, symmetric, false, sink);
  }
  Invariance invariance() const override { return constraint()->invariance(); }

 private:
  static Vector3 value(const AffinePoint& forms, ConstVector q) {
    Vector3 v{0, 0, 0};
    for (std::size_t c = 0; c < forms.size(); ++c) v[c] = forms[c].value(q);
    return v;
  }
  void add(const AffinePoint& forms, const Vector3& by, double scale, Vector gradient) const {
    for (std::size_t c = 0; c < forms.size(); ++c)
      for (const auto& [i, weight] : forms[c].terms) gradient[i] += scale * stiffness_ * by[c] * weight;
  }
  // Derivatives by a and b over k. bb am - ab bm = bm x (am x bm) + (bb - bm.bm) am - (ab - am.bm) bm, whose last parts
  // are (db.db am - da.db bm) / 4: no difference of large numbers.
  std::pair<Vector3, Vector3> discrete(ConstVector x, ConstVector y) const {
    const Vector3 a0 = value(a_, x), a1 = value(a_, y), b0 = value(b_, x), b1 = value(b_, y);
    const Vector3 am = mean(a0, a1), bm = mean(b0, b1), c = cross(am, bm);
    Vector3 da{}, db{};
    for (std::size_t k = 0; k < 3; ++k) da[k] = a1[k] - a0[k], db[k] = b1[k] - b0[k];
    const double aa = dot(da, da) / 4, bb = dot(db, db) / 4, ab = dot(da, db) / 4;
    Vector3 by_a = cross(bm, c), by_b = cross(c, am);
    for (std::size_t k = 0; k < 3; ++k) {
      by_a[k] += bb * am[k] - ab * bm[k];
      by_b[k] += aa * bm[k] - ab * am[k];
    }
    return {by_a, by_b};
  }
  // Second derivatives by the end y of the discrete derivative; with whole = true by the one point x = y.
  void add_block(double, ConstVector x, ConstVector y, double scale, bool symmetric, bool whole,
                 MatrixSink& sink) const {
    const Vector3 a0 = value(a_, x), a1 = value(a_, y), b0 = value(b_, x), b1 = value(b_, y);
    const Vector3 am = mean(a0, a1), bm = mean(b0, b1);
    const double half = whole ? 1 : 0.5;
    const double aa = 0.5 * (dot(a0, a0) + dot(a1, a1)), bb = 0.5 * (dot(b0, b0) + dot(b1, b1)),
                 ab = 0.5 * (dot(a0, b0) + dot(a1, b1));
    // by_a = bb am - ab bm, by_b = aa bm - ab am; d(bb) = 2 half b1.db, d(ab) = half (b1.da + a1.db), d(am) = half da
    double H[6][6] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      H[i][i] += half * bb;
      H[3 + i][3 + i] += half * aa;
      H[i][3 + i] -= half * ab;
      H[3 + i][i] -= half * ab;
      for (std::size_t j = 0; j < 3; ++j) {
        H[i][3 + j] += 2 * half * am[i] * b1[j] - half * bm[i] * a1[j];
        H[i][j] -= half * bm[i] * b1[j];
        H[3 + i][j] += 2 * half * bm[i] * a1[j] - half * am[i] * b1[j];
        H[3 + i][3 + j] -= half * am[i] * a1[j];
      }
    }
    const std::size_t n = coordinates_.size();
    std::vector<double> block(n * n, 0.0);
    const auto place = [&](int i) {
      return static_cast<std::size_t>(std::lower_bound(coordinates_.begin(), coordinates_.end(), i) -
                                      coordinates_.begin());
    };
    const auto form = [&](std::size_t k) -> const AffineForm* {
      const AffinePoint& forms = k < 3 ? a_ : b_;
      return k % 3 < forms.size() ? &forms[k % 3] : nullptr;
    };
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        if (form(i) == nullptr || form(j) == nullptr) continue;
        const double value_ij = symmetric ? 0.5 * (H[i][j] + H[j][i]) : H[i][j];
        for (const auto& [r, wr] : form(i)->terms)
          for (const auto& [s, ws] : form(j)->terms)
            block[place(r) * n + place(s)] += scale * stiffness_ * value_ij * wr * ws;
      }
    sink.add_block(coordinates_, coordinates_, block.data());
  }

  AffinePoint a_, b_;
  double stiffness_;
  std::vector<int> coordinates_;
};

}  // namespace

std::shared_ptr<const PenaltyTerm> make_penalty(std::shared_ptr<const Constraint> constraint, double stiffness) {
  return std::make_shared<Penalty>(std::move(constraint), stiffness);
}

std::shared_ptr<const PenaltyTerm> make_alignment_penalty(std::shared_ptr<const Constraint> constraint, AffinePoint a,
                                                          AffinePoint b, double stiffness) {
  return std::make_shared<AlignmentPenalty>(std::move(constraint), std::move(a), std::move(b), stiffness);
}

}  // namespace livens
