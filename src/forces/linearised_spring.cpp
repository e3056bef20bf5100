// Springs linearised about a reference shape: the harmonic approximation of a lattice.
#include <array>
#include <cmath>

#include "forces/spring.hpp"
#include "forces/spring_stencils.hpp"

namespace livens {
namespace {

class LinearisedSprings final : public EnergyTerm {
 public:
  LinearisedSprings(std::string name, std::shared_ptr<const SpringSet> set, SpringLaw law, ConstVector reference)
      : EnergyTerm(std::move(name)),
        set_(std::move(set)),
        law_(law),
        dim_(static_cast<std::size_t>(set_->dimension())) {
    for (const Spring& s : set_->springs()) {
      double d[3], l2 = 0;
      for (std::size_t c = 0; c < dim_; ++c) {
        d[c] = reference[static_cast<std::size_t>(s.j) + c] - reference[static_cast<std::size_t>(s.i) + c] + s.shift[c];
        l2 += d[c] * d[c];
      }
      const double l = std::sqrt(l2);
      for (std::size_t c = 0; c < dim_; ++c) direction_.push_back(l > 0 ? d[c] / l : 0);
    }
  }

  double energy(double, ConstVector q) const override {
    double sum = 0;
    for (std::size_t k = 0; k < set_->springs().size(); ++k) {
      const double e = elongation(k, q);
      sum += e * e * (law_.stiffness / 2 + e * (law_.cubic / 3 + e * law_.quartic / 4));
    }
    return sum;
  }

  void add_gradient(double, ConstVector q, double scale, Vector gradient) const override {
    for (std::size_t k = 0; k < set_->springs().size(); ++k) {
      const Spring& s = set_->springs()[k];
      const double e = elongation(k, q);
      const double slope = scale * e * (law_.stiffness + e * (law_.cubic + e * law_.quartic));
      for (std::size_t c = 0; c < dim_; ++c) {
        gradient[static_cast<std::size_t>(s.i) + c] -= slope * direction_[k * dim_ + c];
        gradient[static_cast<std::size_t>(s.j) + c] += slope * direction_[k * dim_ + c];
      }
    }
  }

  std::shared_ptr<const Stencils> stencils() const override { return make_spring_stencils(set_, law_, direction_); }

  void add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    std::array<double, 36> block{};
    std::array<int, 6> rows{};
    for (std::size_t k = 0; k < set_->springs().size(); ++k) {
      const Spring& s = set_->springs()[k];
      const double e = elongation(k, q);
      const double curvature = scale * (law_.stiffness + e * (2 * law_.cubic + 3 * e * law_.quartic));
      for (std::size_t a = 0; a < dim_; ++a) {
        rows[a] = s.i + static_cast<int>(a);
        rows[dim_ + a] = s.j + static_cast<int>(a);
        for (std::size_t b = 0; b < dim_; ++b) {
          const double value = curvature * direction_[k * dim_ + a] * direction_[k * dim_ + b];
          block[a * 2 * dim_ + b] = block[(dim_ + a) * 2 * dim_ + dim_ + b] = value;
          block[a * 2 * dim_ + dim_ + b] = block[(dim_ + a) * 2 * dim_ + b] = -value;
        }
      }
      const std::span<const int> both(rows.data(), 2 * dim_);
      sink.add_block(both, both, block.data());
    }
  }

  Invariance invariance() const override { return {true, false}; }

 private:
  double elongation(std::size_t k, ConstVector q) const {
    const Spring& s = set_->springs()[k];
    double along = 0;
    for (std::size_t c = 0; c < dim_; ++c)
      along += direction_[k * dim_ + c] *
               (q[static_cast<std::size_t>(s.j) + c] - q[static_cast<std::size_t>(s.i) + c] + s.shift[c]);
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
