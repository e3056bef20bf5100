#include <array>
#include <cmath>

#include "forces/spring.hpp"
#include "forces/spring_stencils.hpp"

namespace livens {
namespace {

class SpringDamping final : public Force {
 public:
  SpringDamping(std::string name, std::shared_ptr<const SpringSet> set, double coefficient, bool published)
      : Force(std::move(name)), set_(std::move(set)), coefficient_(coefficient), published_(published) {}

  void add_force(double, ConstVector q, ConstVector v, double scale, Vector force) const override {
    const int dim = set_->dimension();
    for (const SpringElement& s : set_->springs()) {
      double n[3], w[3], rate = 0;
      if (direction(s, q, v, n, w) == 0) continue;
      for (int c = 0; c < dim; ++c) rate += n[c] * w[c];
      for (int c = 0; c < dim; ++c) {
        const double f = scale * coefficient_ * rate * n[c];
        force[s.i + c] += f;
        force[s.j + c] -= f;
      }
    }
  }

  // With r = n.w and D = n n': df_j/dv_j = -c D,  df_j/dd = -c [ n (w - r n)' + r (1 - D) ] / l.
  void add_jacobian(double, ConstVector q, ConstVector v, double by_q, double by_v, MatrixSink& sink) const override {
    const int dim = set_->dimension();
    std::array<double, 36> block{};
    std::array<int, 6> rows{};
    for (const SpringElement& s : set_->springs()) {
      double n[3] = {0, 0, 0}, w[3] = {0, 0, 0}, rate = 0;
      const double l = direction(s, q, v, n, w);
      for (int c = 0; c < dim; ++c) rate += n[c] * w[c];
      for (int a = 0; a < dim; ++a) {
        rows[a] = s.i + a;
        rows[dim + a] = s.j + a;
        for (int b = 0; b < dim; ++b) {
          const double nn = n[a] * n[b];
          const double dq = l > 0 ? (n[a] * (w[b] - rate * n[b]) + rate * ((a == b ? 1 : 0) - nn)) / l : 0;
          const double value = -coefficient_ * (by_v * nn + by_q * dq);
          const auto at = [&](int r, int c) -> double& { return block[r * 2 * dim + c]; };
          at(dim + a, dim + b) = at(a, b) = value;
          at(dim + a, b) = at(a, dim + b) = -value;
        }
      }
      const auto width = static_cast<std::size_t>(2 * dim);
      sink.add_block(std::span<const int>(rows.data(), width), std::span<const int>(rows.data(), width), block.data());
    }
  }

  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  Invariance invariance() const override { return {true, !set_->shifted()}; }
  bool linear_in_velocity() const override { return true; }
  std::shared_ptr<const DampingStencils> stencils() const override {
    return make_spring_damping_stencils(set_, coefficient_);
  }
  Placement placement(bool explicit_step) const override {
    if (explicit_step) return Placement::lagged;
    return published_ ? Placement::published : Placement::symmetric;
  }

 private:
  // Unit vector n from i to j, w = v_j - v_i; returns the length, 0 if there is no direction.
  double direction(const SpringElement& s, ConstVector q, ConstVector v, double* n, double* w) const {
    double l2 = 0;
    for (int c = 0; c < set_->dimension(); ++c) {
      const auto i = static_cast<std::size_t>(s.i + c), j = static_cast<std::size_t>(s.j + c);
      n[c] = q[j] - q[i] + s.shift[c];
      w[c] = v[j] - v[i];
      l2 += n[c] * n[c];
    }
    const double l = std::sqrt(l2);
    for (int c = 0; c < set_->dimension(); ++c) n[c] = l > 0 ? n[c] / l : 0;
    return l;
  }

  std::shared_ptr<const SpringSet> set_;
  double coefficient_;
  bool published_;
};

}  // namespace

std::shared_ptr<const Force> make_spring_damping(std::string name, std::shared_ptr<const SpringSet> springs,
                                                 double coefficient, bool published) {
  return std::make_shared<SpringDamping>(std::move(name), std::move(springs), coefficient, published);
}

}  // namespace livens
