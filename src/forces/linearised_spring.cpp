// Springs linearised about a reference shape: the harmonic approximation of a lattice.
#include <cmath>

#include "forces/pair_block.hpp"
#include "forces/spring.hpp"
#include "forces/spring_law.hpp"
#include "forces/spring_stencils.hpp"

namespace livens {
namespace {

class LinearisedSprings final : public EnergyTerm {
 public:
  LinearisedSprings(std::string name, std::shared_ptr<const SpringSet> set, SpringLaw law, ConstVector reference)
      : EnergyTerm(std::move(name)), set_(std::move(set)), law_(law), dim_(set_->dimension()) {
    for (const SpringElement& s : set_->springs()) {
      double d[3], l2 = 0;
      for (std::size_t c = 0; c < dim_; ++c) {
        d[c] = reference[s.j + c] - reference[s.i + c] + s.shift[c];
        l2 += d[c] * d[c];
      }
      const double l = std::sqrt(l2);
      for (std::size_t c = 0; c < dim_; ++c) direction_.push_back(l > 0 ? d[c] / l : 0);
    }
  }

  double energy(double, ConstVector q) const override {
    double sum = 0;
    for (std::size_t k = 0; k < set_->springs().size(); ++k) sum += spring_energy(law_, elongation(k, q));
    return sum;
  }

  void add_gradient(double, ConstVector q, double scale, Vector gradient) const override {
    add_along(gradient, [&](std::size_t k) { return scale * spring_slope(law_, elongation(k, q)); });
  }

  // e is linear in q: the divided difference of the law along the fixed direction.
  bool add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const override {
    add_along(gradient, [&](std::size_t k) { return scale * mean_slope(law_, elongation(k, x), elongation(k, y)); });
    return true;
  }

  std::shared_ptr<const Stencils> stencils() const override { return make_spring_stencils(set_, law_, direction_); }

  void add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    add_second(sink, [&](std::size_t k) {
      const double e = elongation(k, q);
      return scale * (law_.stiffness + e * (2 * law_.cubic + 3 * e * law_.quartic));
    });
  }

  void add_discrete_hessian(double, ConstVector x, ConstVector y, double scale, bool, MatrixSink& sink) const override {
    add_second(sink, [&](std::size_t k) { return scale * mean_curvature(law_, elongation(k, x), elongation(k, y)); });
  }

  Invariance invariance() const override { return {true, false}; }

 private:
  template <class Slope>
  void add_along(Vector gradient, const Slope& slope) const {
    for (std::size_t k = 0; k < set_->springs().size(); ++k) {
      const SpringElement& s = set_->springs()[k];
      const double f = slope(k);
      for (std::size_t c = 0; c < dim_; ++c) {
        gradient[s.i + c] -= f * direction_[k * dim_ + c];
        gradient[s.j + c] += f * direction_[k * dim_ + c];
      }
    }
  }

  template <class Curvature>
  void add_second(MatrixSink& sink, const Curvature& curvature) const {
    for (std::size_t k = 0; k < set_->springs().size(); ++k) {
      const SpringElement& s = set_->springs()[k];
      const double* n = direction_.data() + k * dim_;
      const int dim = static_cast<int>(dim_);
      add_pair_block(s.i, s.j, dim, central_tangent(0, curvature(k), n, n, dim, false), sink);
    }
  }

  double elongation(std::size_t k, ConstVector q) const {
    const SpringElement& s = set_->springs()[k];
    double along = 0;
    for (std::size_t c = 0; c < dim_; ++c) along += direction_[k * dim_ + c] * (q[s.j + c] - q[s.i + c] + s.shift[c]);
    return along - s.rest;
  }

  std::shared_ptr<const SpringSet> set_;
  SpringLaw law_;
  std::size_t dim_;
  std::vector<double> direction_;
};

}  // namespace

std::shared_ptr<const EnergyTerm> make_linearised_springs(std::string name, std::shared_ptr<const SpringSet> springs,
                                                          SpringLaw law, ConstVector reference) {
  return std::make_shared<LinearisedSprings>(std::move(name), std::move(springs), law, reference);
}

}  // namespace livens
