#include <algorithm>

#include "constraints/dense_jacobian.hpp"
#include "constraints/penalty.hpp"
#include "math/scratch.hpp"

namespace livens {
namespace {

class PenaltyDamping final : public Force {
 public:
  PenaltyDamping(std::shared_ptr<const Constraint> constraint, double c, Invariance keeps)
      : Force(constraint->name()),
        constraint_(std::move(constraint)),
        c_(c),
        keeps_(keeps),
        count_(static_cast<std::size_t>(constraint_->count())),
        coordinates_(constraint_->coordinates()) {}

  // -c G'(G v)
  void add_force(double t, ConstVector q, ConstVector v, double scale, Vector force) const override {
    ScratchVector rate(count_), second(count_);
    constraint_->rates(t, q, v, rate, second);
    constraint_->add_force(t, q, rate, -c_ * scale, force);
  }

  // df/dv = -c G'G,  df/dq = -c [ sum_k (G v)_k H_k + G_k' (H_k v)' ] with H_k the second derivatives of g_k.
  void add_jacobian(double t, ConstVector q, ConstVector v, double by_q, double by_v, MatrixSink& sink) const override {
    const std::size_t n = coordinates_.size();
    DenseJacobian G(coordinates_, count_), H(coordinates_, n);
    constraint_->add_jacobian(t, q, 1, G);
    ScratchVector block(n * n, 0.0), unit(count_, 0.0), bent(n);
    H.index_rows_as_columns();
    for (std::size_t k = 0; k < count_; ++k) {
      std::fill(H.rows.begin(), H.rows.end(), 0.0);
      unit[k] = 1;
      if (by_q != 0) constraint_->add_curvature(t, q, unit, 1, H);
      unit[k] = 0;
      const double* const gradient = G.rows.data() + k * n;
      double rate = 0;
      for (std::size_t j = 0; j < n; ++j) {
        rate += gradient[j] * v[coordinates_[j]];
        bent[j] = 0;
        for (std::size_t i = 0; i < n; ++i) bent[j] += H.rows[j * n + i] * v[coordinates_[i]];
      }
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          block[i * n + j] -=
              c_ * (by_v * gradient[i] * gradient[j] + by_q * (rate * H.rows[i * n + j] + gradient[i] * bent[j]));
    }
    sink.add_block(coordinates_, coordinates_, block.data());
  }

  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  Invariance invariance() const override { return keeps_; }
  bool linear_in_velocity() const override { return true; }
  Placement placement(bool explicit_step) const override {
    return explicit_step ? Placement::lagged : Placement::implicit_end;
  }

 private:
  std::shared_ptr<const Constraint> constraint_;
  double c_;
  Invariance keeps_;
  std::size_t count_;
  std::vector<int> coordinates_;
};

}  // namespace

std::shared_ptr<const Force> make_penalty_damping(std::shared_ptr<const Constraint> constraint, double c,
                                                  Invariance keeps) {
  return std::make_shared<PenaltyDamping>(std::move(constraint), c, keeps);
}

}  // namespace livens
