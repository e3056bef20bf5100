#include "systems/expression_terms.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <type_traits>

namespace livens {
namespace {

// Memory of one thread for evaluations: variables, gradient, Hessian.
struct Scratch {
  std::vector<double> x, g, H, block;
  std::vector<int> rows;
  Workspace<double> first;
  Workspace<Dual> second;

  static Scratch& mine(std::size_t n) {
    thread_local Scratch scratch;  // one evaluation at a time: expressions call nothing else that uses it
    scratch.x.resize(2 * n + 1);
    scratch.g.resize(2 * n + 1);
    return scratch;
  }
  // q and v of the whole model; empty v: at rest.
  void place(double t, ConstVector q, ConstVector v, const CoordinateRange& range) {
    const std::size_t n = range.n;
    std::copy_n(q.data() + range.first, n, x.data());
    if (v.empty())
      std::fill_n(x.data() + n, n, 0.0);
    else
      std::copy_n(v.data() + range.first, n, x.data() + n);
    x[2 * n] = t;
  }
  double gradient(const Expression& f) { return f.gradient(x, g, first); }
  void hessian(const Expression& f, std::size_t n) {
    H.resize((2 * n + 1) * (2 * n + 1));
    f.hessian(x, g, H, second);
  }
  // Entry of the Hessian; row and column below n: q, from n: v.
  double second_derivative(std::size_t row, std::size_t column, std::size_t n) const {
    return H[row * (2 * n + 1) + column];
  }
  void prepare_block(const CoordinateRange& range) {
    block.assign(range.n * range.n, 0.0);
    rows.resize(range.n);
    for (std::size_t i = 0; i < range.n; ++i) rows[i] = static_cast<int>(range.first + i);
  }
};

// The variables of the expressions at q and v of the whole model.
struct Variables {
  double t;
  const double *q, *v;  // null: at rest
  std::size_t n;

  Variables(double time, ConstVector q_in, ConstVector v_in, const CoordinateRange& range)
      : t(time), q(q_in.data() + range.first), v(v_in.empty() ? nullptr : v_in.data() + range.first), n(range.n) {}
  double operator()(std::size_t slot) const {
    if (slot < n) return q[slot];
    return slot == 2 * n ? t : v == nullptr ? 0 : v[slot - n];
  }
};

std::vector<std::size_t> slots_from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> slots(count);
  std::iota(slots.begin(), slots.end(), first);
  return slots;
}

// Systems up to this size have their derivatives as programs; larger ones would make long programs of them.
constexpr std::size_t most_with_programs = 16;

class ExpressionPotential final : public EnergyTerm {
 public:
  ExpressionPotential(std::string name, Expression potential, const CoordinateRange& range)
      : EnergyTerm(std::move(name)), potential_(std::move(potential)), range_(range), n_(range.n) {
    if (n_ > most_with_programs) return;
    const SignedExpression sum[] = {{1, potential_}};
    const auto slots = slots_from(0, n_);
    gradient_ = livens::gradient(sum, slots);
    value_and_gradient_ = livens::value_and_gradient(sum, slots);
    second_ = second_derivatives(sum, slots);
  }

  double energy(double t, ConstVector q) const override { return potential_.evaluate(Variables(t, q, {}, range_)); }
  void energies(double t, ConstVector q, Vector W) const override {
    if (ExpressionWatch::active() != nullptr || q.size() != W.size() * n_ || potential_.constant())
      return EnergyTerm::energies(t, q, W);
    potential_.evaluate_many(q, n_, t, W);
  }
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override {
    std::array<double, most_with_programs> g;
    if (!gradient_ || !gradient_->run(Variables(t, q, {}, range_), g.data())) {
      add_swept_gradient(t, q, scale, gradient);
      return;
    }
    for (std::size_t i = 0; i < n_; ++i) gradient[range_.first + i] += scale * g[i];
  }
  void write_gradient(double t, ConstVector q, Vector gradient) const override {
    if (gradient.size() == n_ && gradient_ && gradient_->run(Variables(t, q, {}, range_), gradient.data())) return;
    EnergyTerm::write_gradient(t, q, gradient);
  }
  bool advance(const ExplicitSteps& steps, Vector q, Vector p, Vector g) const override {
    if (!gradient_ || q.size() != n_ || depends_on_time()) return false;
    const auto by = [&](const double* at, double* slope) {
      const ConstVector x(at, n_);
      if (!gradient_->run([at](std::size_t slot) { return at[slot]; }, slope)) write_gradient(0, x, Vector(slope, n_));
    };
    const auto go = [&]<int N>(std::integral_constant<int, N>) {
      steps.advance<N, N == 0 ? most_with_programs : N>(n_, q.data(), p.data(), g.data(), by);
    };
    if (n_ == 1) return go(std::integral_constant<int, 1>()), true;
    if (n_ == 2) return go(std::integral_constant<int, 2>()), true;
    return go(std::integral_constant<int, 0>()), true;
  }
  double add_gradient_and_energy(double t, ConstVector q, double scale, Vector gradient) const override {
    std::array<double, most_with_programs + 1> results;
    if (!value_and_gradient_ || !value_and_gradient_->run(Variables(t, q, {}, range_), results.data()))
      return add_swept_gradient(t, q, scale, gradient);
    for (std::size_t i = 0; i < n_; ++i) gradient[range_.first + i] += scale * results[i + 1];
    return results[0];
  }
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override {
    Scratch& s = Scratch::mine(n_);
    s.prepare_block(range_);
    std::array<double, most_with_programs*(most_with_programs + 1) / 2> lower;
    if (second_ && second_->run(Variables(t, q, {}, range_), lower.data())) {
      for (std::size_t i = 0, k = 0; i < n_; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++k) s.block[i * n_ + j] = s.block[j * n_ + i] = scale * lower[k];
    } else {
      s.place(t, q, {}, range_);
      s.hessian(potential_, n_);
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_; ++j) s.block[i * n_ + j] = scale * s.second_derivative(i, j, n_);
    }
    sink.add_block(s.rows, s.rows, s.block.data());
  }
  double time_derivative(double t, ConstVector q) const override {
    if (!potential_.uses(2 * n_)) return 0;
    Scratch& s = Scratch::mine(n_);
    s.place(t, q, {}, range_);
    s.gradient(potential_);
    return s.g[2 * n_];
  }
  bool depends_on_time() const override { return potential_.uses(2 * n_); }

 private:
  double add_swept_gradient(double t, ConstVector q, double scale, Vector gradient) const {
    Scratch& s = Scratch::mine(n_);
    s.place(t, q, {}, range_);
    const double value = s.gradient(potential_);
    for (std::size_t i = 0; i < n_; ++i) gradient[range_.first + i] += scale * s.g[i];
    return value;
  }

  Expression potential_;
  CoordinateRange range_;
  std::size_t n_;  // of the range
  std::optional<DerivativeProgram> gradient_, value_and_gradient_, second_;
};

class ExpressionLagrangianTerm final : public LagrangianTerm {
 public:
  ExpressionLagrangianTerm(std::string name, std::vector<SignedExpression> parts, const CoordinateRange& range)
      : LagrangianTerm(std::move(name)), parts_(std::move(parts)), range_(range), n_(range.n) {
    if (n_ > most_with_programs) return;
    gradient_ = value_and_gradient(parts_, slots_from(0, 2 * n_));
    second_ = second_derivatives(parts_, slots_from(0, 2 * n_));
    second_by_v_ = second_derivatives(parts_, slots_from(n_, n_));
  }

  double value(double t, ConstVector q, ConstVector v) const override {
    const Variables x(t, q, v, range_);
    double sum = 0;
    for (const auto& part : parts_) sum += part.sign * part.expression.evaluate(x);
    return sum;
  }
  double add_gradient(double t, ConstVector q, ConstVector v, Vector by_q, Vector by_v) const override {
    std::array<double, 2 * most_with_programs + 1> results;
    if (gradient_ && gradient_->run(Variables(t, q, v, range_), results.data())) {
      for (std::size_t i = 0; i < n_; ++i) {
        by_q[range_.first + i] += results[1 + i];
        by_v[range_.first + i] += results[1 + n_ + i];
      }
      return results[0];
    }
    Scratch& s = Scratch::mine(n_);
    s.place(t, q, v, range_);
    double sum = 0;
    for (const auto& part : parts_) {
      sum += part.sign * s.gradient(part.expression);
      for (std::size_t i = 0; i < n_; ++i) {
        by_q[range_.first + i] += part.sign * s.g[i];
        by_v[range_.first + i] += part.sign * s.g[n_ + i];
      }
    }
    return sum;
  }
  void add_hessian(double t, ConstVector q, ConstVector v, const LagrangianScales& k, MatrixSink& sink) const override {
    Scratch& s = Scratch::mine(n_);
    s.prepare_block(range_);
    if (!fill_block(t, q, v, k, s.block)) sweep_block(t, q, v, k, s);
    sink.add_block(s.rows, s.rows, s.block.data());
  }
  double time_derivative(double t, ConstVector q, ConstVector v) const override {
    Scratch& s = Scratch::mine(n_);
    double sum = 0;
    for (const auto& part : parts_) {
      if (!part.expression.uses(2 * n_)) continue;
      s.place(t, q, v, range_);
      s.gradient(part.expression);
      sum += part.sign * s.g[2 * n_];
    }
    return sum;
  }
  bool depends_on_time() const override {
    return std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part.expression.uses(2 * n_); });
  }

 private:
  // By programs; false where there are none, or where they are not finite.
  bool fill_block(double t, ConstVector q, ConstVector v, const LagrangianScales& k, Vector block) const {
    const Variables x(t, q, v, range_);
    if (k.qq == 0 && k.qv == 0 && k.vq == 0) {  // of the Legendre transform
      std::array<double, most_with_programs*(most_with_programs + 1) / 2> lower;
      if (!second_by_v_ || !second_by_v_->run(x, lower.data())) return false;
      for (std::size_t i = 0, e = 0; i < n_; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++e) block[i * n_ + j] = block[j * n_ + i] = k.vv * lower[e];
      return true;
    }
    std::array<double, most_with_programs*(2 * most_with_programs + 1)> lower;
    if (!second_ || !second_->run(x, lower.data())) return false;
    const auto at = [&](std::size_t i, std::size_t j) {
      return i < j ? lower[j * (j + 1) / 2 + i] : lower[i * (i + 1) / 2 + j];
    };
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        block[i * n_ + j] = k.qq * at(i, j) + k.qv * at(i, n_ + j) + k.vq * at(n_ + i, j) + k.vv * at(n_ + i, n_ + j);
    return true;
  }
  void sweep_block(double t, ConstVector q, ConstVector v, const LagrangianScales& k, Scratch& s) const {
    s.place(t, q, v, range_);
    s.prepare_block(range_);
    for (const auto& part : parts_) {
      s.hessian(part.expression, n_);
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_; ++j)
          s.block[i * n_ + j] +=
              part.sign * (k.qq * s.second_derivative(i, j, n_) + k.qv * s.second_derivative(i, n_ + j, n_) +
                           k.vq * s.second_derivative(n_ + i, j, n_) + k.vv * s.second_derivative(n_ + i, n_ + j, n_));
    }
  }

  std::vector<SignedExpression> parts_;
  CoordinateRange range_;
  std::size_t n_;  // of the range
  std::optional<DerivativeProgram> gradient_, second_, second_by_v_;
};

class ExpressionDissipation final : public Force {
 public:
  ExpressionDissipation(std::string name, Expression dissipation, const CoordinateRange& range)
      : Force(std::move(name)), dissipation_(std::move(dissipation)), range_(range), n_(range.n) {
    std::vector<std::size_t> velocities;
    for (std::size_t i = 0; i < n_; ++i) velocities.push_back(n_ + i);
    const Structure structure = dissipation_.structure(velocities);
    quadratic_ = structure.min_degree == 2 && structure.max_degree == 2;
    if (structure.quadratic_with_constant_coefficients()) find_diagonal();
  }

  void add_force(double t, ConstVector q, ConstVector v, double scale, Vector force) const override {
    Scratch& s = Scratch::mine(n_);
    s.place(t, q, v, range_);
    s.gradient(dissipation_);
    for (std::size_t i = 0; i < n_; ++i) force[range_.first + i] -= scale * s.g[n_ + i];
  }
  void add_jacobian(double t, ConstVector q, ConstVector v, double by_q, double by_v, MatrixSink& sink) const override {
    Scratch& s = Scratch::mine(n_);
    s.place(t, q, v, range_);
    s.hessian(dissipation_, n_);
    s.prepare_block(range_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        s.block[i * n_ + j] =
            -by_q * s.second_derivative(n_ + i, j, n_) - by_v * s.second_derivative(n_ + i, n_ + j, n_);
    sink.add_block(s.rows, s.rows, s.block.data());
  }
  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  bool linear_in_velocity() const override { return quadratic_; }
  bool has_rayleigh_function() const override { return true; }
  double rayleigh_function(double t, ConstVector q, ConstVector v) const override {
    Scratch& s = Scratch::mine(n_);
    s.place(t, q, v, range_);
    return dissipation_.evaluate(s.x);
  }
  bool add_constant_drag(Vector diagonal) const override {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) diagonal[range_.first + i] += diagonal_[i];
    return !diagonal_.empty();
  }

 private:
  // D = sum c_i v_i^2 / 2 with constant c_i: a diagonal drag.
  void find_diagonal() {
    Scratch& s = Scratch::mine(n_);
    std::fill(s.x.begin(), s.x.end(), 0.0);
    s.hessian(dissipation_, n_);
    std::vector<double> diagonal(n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        const double value = s.second_derivative(n_ + i, n_ + j, n_);
        if (i != j && value != 0) return;
        if (i == j) diagonal[i] = value;
      }
    diagonal_ = diagonal;
  }

  Expression dissipation_;
  CoordinateRange range_;
  std::size_t n_;  // of the range
  bool quadratic_ = false;
  std::vector<double> diagonal_;
};

class ExpressionForces final : public Force {
 public:
  ExpressionForces(std::string name, std::vector<std::shared_ptr<const Expression>> forces,
                   const CoordinateRange& range)
      : Force(std::move(name)), forces_(std::move(forces)), range_(range), n_(range.n) {
    for (const auto& force : forces_)
      for (std::size_t i = 0; force && i < n_; ++i) velocity_ = velocity_ || force->uses(n_ + i);
  }

  void add_force(double t, ConstVector q, ConstVector v, double scale, Vector force) const override {
    Scratch& s = Scratch::mine(n_);
    s.place(t, q, v, range_);
    for (std::size_t i = 0; i < n_; ++i)
      if (forces_[i]) force[range_.first + i] += scale * forces_[i]->evaluate(s.x);
  }
  void add_jacobian(double t, ConstVector q, ConstVector v, double by_q, double by_v, MatrixSink& sink) const override {
    Scratch& s = Scratch::mine(n_);
    s.place(t, q, v, range_);
    s.prepare_block(range_);
    for (std::size_t i = 0; i < n_; ++i) {
      if (!forces_[i]) continue;
      s.gradient(*forces_[i]);
      for (std::size_t j = 0; j < n_; ++j) s.block[i * n_ + j] = by_q * s.g[j] + by_v * s.g[n_ + j];
    }
    sink.add_block(s.rows, s.rows, s.block.data());
  }
  LedgerSide ledger_side() const override { return LedgerSide::work; }
  bool depends_on_velocity() const override { return velocity_; }

 private:
  std::vector<std::shared_ptr<const Expression>> forces_;
  CoordinateRange range_;
  std::size_t n_;  // of the range
  bool velocity_ = false;
};

}  // namespace

std::shared_ptr<const EnergyTerm> make_expression_potential(std::string name, Expression potential,
                                                            CoordinateRange range) {
  return std::make_shared<ExpressionPotential>(std::move(name), std::move(potential), range);
}
std::shared_ptr<const LagrangianTerm> make_expression_lagrangian(std::string name, std::vector<SignedExpression> parts,
                                                                 CoordinateRange range) {
  return std::make_shared<ExpressionLagrangianTerm>(std::move(name), std::move(parts), range);
}
std::shared_ptr<const Force> make_expression_dissipation(std::string name, Expression dissipation,
                                                         CoordinateRange range) {
  return std::make_shared<ExpressionDissipation>(std::move(name), std::move(dissipation), range);
}
std::shared_ptr<const Force> make_expression_forces(std::string name,
                                                    std::vector<std::shared_ptr<const Expression>> forces,
                                                    CoordinateRange range) {
  return std::make_shared<ExpressionForces>(std::move(name), std::move(forces), range);
}

}  // namespace livens
