#include <algorithm>
#include <array>
#include <cmath>

#include "forces/spring.hpp"
#include "forces/spring_stencils.hpp"

namespace livens {
namespace {

// c/2 (|d1| - |d0|)^2 of each spring, d0 as at the start of the step.
class SpringStepEnergy final : public StepEnergy {
 public:
  SpringStepEnergy(std::shared_ptr<const SpringSet> set, double coefficient)
      : set_(std::move(set)), coefficient_(coefficient), rest_(set_->springs().size()) {}

  void begin(ConstVector q0) override {
    double n[3];
    for (std::size_t k = 0; k < rest_.size(); ++k) rest_[k] = direction(set_->springs()[k], q0, n);
  }
  double add_gradient(ConstVector q1, double scale, Vector gradient) const override {
    double energy = 0;
    for (std::size_t k = 0; k < rest_.size(); ++k) {
      const SpringElement& s = set_->springs()[k];
      double n[3];
      const double e = direction(s, q1, n) - rest_[k];
      energy += 0.5 * coefficient_ * e * e;
      for (int c = 0; c < set_->dimension(); ++c) {
        const double g = scale * coefficient_ * e * n[c];
        gradient[s.i + c] -= g;
        gradient[s.j + c] += g;
      }
    }
    return energy;
  }
  // c [n n' + (1 - |d0|/|d1|) (1 - n n')]; convex: without the second part where it is negative.
  void add_hessian(ConstVector q1, double scale, bool convex, MatrixSink& sink) const override {
    const int dim = set_->dimension();
    for (std::size_t k = 0; k < rest_.size(); ++k) {
      const SpringElement& s = set_->springs()[k];
      double n[3], values[9];
      const double l = direction(s, q1, n);
      double across = l > 0 ? 1 - rest_[k] / l : 0;
      if (convex) across = std::max(across, 0.0);
      for (int a = 0; a < dim; ++a)
        for (int b = 0; b < dim; ++b)
          values[a * dim + b] = scale * coefficient_ * (n[a] * n[b] + across * ((a == b ? 1 : 0) - n[a] * n[b]));
      add_pair(s, dim, values, sink);
    }
  }

  // The block of a pair whose second derivatives by d are `values`.
  static void add_pair(const SpringElement& s, int dim, const double* values, MatrixSink& sink) {
    std::array<double, 36> block{};
    std::array<int, 6> rows{};
    const auto at = [&](int r, int c) -> double& { return block[r * 2 * dim + c]; };
    for (int a = 0; a < dim; ++a) {
      rows[a] = s.i + a;
      rows[dim + a] = s.j + a;
      for (int b = 0; b < dim; ++b) {
        at(dim + a, dim + b) = at(a, b) = values[a * dim + b];
        at(dim + a, b) = at(a, dim + b) = -values[a * dim + b];
      }
    }
    const auto width = static_cast<std::size_t>(2 * dim);
    sink.add_block(std::span<const int>(rows.data(), width), std::span<const int>(rows.data(), width), block.data());
  }

 private:
  // Unit vector n from i to j; returns the length, 0 if there is no direction.
  double direction(const SpringElement& s, ConstVector q, double* n) const {
    double l2 = 0;
    for (int c = 0; c < set_->dimension(); ++c) {
      n[c] = q[s.j + c] - q[s.i + c] + s.shift[c];
      l2 += n[c] * n[c];
    }
    const double l = std::sqrt(l2);
    for (int c = 0; c < set_->dimension(); ++c) n[c] = l > 0 ? n[c] / l : 0;
    return l;
  }

  std::shared_ptr<const SpringSet> set_;
  double coefficient_;
  std::vector<double> rest_;  // |d0|
};

class SpringDamping final : public Force {
 public:
  SpringDamping(std::string name, std::shared_ptr<const SpringSet> set, double coefficient, DampingForm form)
      : Force(std::move(name)), set_(std::move(set)), coefficient_(coefficient), form_(form) {}

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
    double values[9];
    for (const SpringElement& s : set_->springs()) {
      double n[3] = {0, 0, 0}, w[3] = {0, 0, 0}, rate = 0;
      const double l = direction(s, q, v, n, w);
      for (int c = 0; c < dim; ++c) rate += n[c] * w[c];
      for (int a = 0; a < dim; ++a)
        for (int b = 0; b < dim; ++b) {
          const double nn = n[a] * n[b];
          const double dq = l > 0 ? (n[a] * (w[b] - rate * n[b]) + rate * ((a == b ? 1 : 0) - nn)) / l : 0;
          values[a * dim + b] = -coefficient_ * (by_v * nn + by_q * dq);
        }
      SpringStepEnergy::add_pair(s, dim, values, sink);
    }
  }

  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  Invariance invariance() const override { return {true, !set_->shifted()}; }
  bool linear_in_velocity() const override { return true; }
  std::shared_ptr<const DampingStencils> stencils() const override {
    return form_ == DampingForm::published ? nullptr : make_spring_damping_stencils(set_, coefficient_);
  }
  Placement placement(bool explicit_step) const override {
    if (explicit_step) return Placement::lagged;
    if (form_ == DampingForm::published) return Placement::at_start;
    return form_ == DampingForm::second_order ? Placement::symmetric : Placement::implicit_end;
  }
  std::unique_ptr<StepEnergy> step_energy() const override {
    if (form_ != DampingForm::published) return nullptr;
    return std::make_unique<SpringStepEnergy>(set_, coefficient_);
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
  DampingForm form_;
};

}  // namespace

std::shared_ptr<const Force> make_spring_damping(std::string name, std::shared_ptr<const SpringSet> springs,
                                                 double coefficient, DampingForm form) {
  return std::make_shared<SpringDamping>(std::move(name), std::move(springs), coefficient, form);
}

}  // namespace livens
