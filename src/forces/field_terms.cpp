#include "forces/field_terms.hpp"

#include <algorithm>
#include <array>

#include "math/parallel.hpp"
#include "math/scratch.hpp"

namespace livens {
namespace {

constexpr std::size_t groups_at_once = 256;  // expressions are slow: short chunks are worth telling threads of

// body(first, last) over the groups on all threads; the chunks depend on their number only.
template <class Body>
void for_groups(const FieldPoints& points, const Body& body) {
  const auto groups = static_cast<std::size_t>(points.groups());
  for_each_index((groups + groups_at_once - 1) / groups_at_once,
                 [&](std::size_t k) { body(k, k * groups_at_once, std::min(groups, (k + 1) * groups_at_once)); });
}

// Values of the variables at points: place, velocity (of forces), reference place, time.
template <bool Velocity>
struct Slots {
  static constexpr std::size_t v = 3, X = Velocity ? 6 : 3, t = X + 3, count = t + 1;
  using Values = std::array<double, count>;
};

template <bool Velocity>
class PointValues {
 public:
  using S = Slots<Velocity>;
  PointValues(const FieldPoints& points, double t, ConstVector q, ConstVector velocity)
      : points_(points), t_(t), q_(q), velocity_(velocity) {}

  typename S::Values at(std::size_t point) const {
    typename S::Values values{};
    const std::size_t group = point / static_cast<std::size_t>(points_.points_each);
    const auto n = static_cast<std::size_t>(points_.nodes_each);
    for (std::size_t a = 0; a < n; ++a) {
      const double N = points_.N[point * n + a];
      const auto node = static_cast<std::size_t>(points_.nodes[group * n + a]);
      for (std::size_t c = 0; c < static_cast<std::size_t>(points_.dimension); ++c) {
        values[c] += N * q_[node + c];
        if constexpr (Velocity) values[S::v + c] += N * velocity_[node + c];
      }
    }
    for (std::size_t c = 0; c < 3; ++c) values[S::X + c] = points_.X[point][c];
    values[S::t] = t_;
    return values;
  }

 private:
  const FieldPoints& points_;
  double t_;
  ConstVector q_, velocity_;
};

std::vector<int> coordinates_of(const FieldPoints& points) {
  std::vector<int> all;
  for (const int node : points.nodes)
    for (int c = 0; c < points.dimension; ++c) all.push_back(node + c);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Row-major block of one group: every pair of its nodes.
class GroupBlock {
 public:
  explicit GroupBlock(const FieldPoints& points) : points_(points), size_(dim() * nodes()), block_(size_ * size_) {}

  void begin(std::size_t group) {
    block_.assign(size_ * size_, 0.0);
    for (std::size_t a = 0; a < nodes(); ++a)
      for (std::size_t c = 0; c < dim(); ++c)
        rows_[a * dim() + c] = points_.nodes[group * nodes() + a] + static_cast<int>(c);
  }
  // K: of the point, in rows of three; spread by N_a N_b.
  void add(std::size_t point, const std::array<double, 9>& K) {
    const double* N = &points_.N[point * nodes()];
    for (std::size_t a = 0; a < nodes(); ++a)
      for (std::size_t b = 0; b < nodes(); ++b)
        for (std::size_t c = 0; c < dim(); ++c)
          for (std::size_t d = 0; d < dim(); ++d)
            block_[(a * dim() + c) * size_ + b * dim() + d] += N[a] * N[b] * K[c * 3 + d];
  }
  void finish(MatrixSink& sink) const {
    const std::span<const int> rows(rows_.data(), size_);
    sink.add_block(rows, rows, block_.data());
  }

 private:
  std::size_t dim() const { return static_cast<std::size_t>(points_.dimension); }
  std::size_t nodes() const { return static_cast<std::size_t>(points_.nodes_each); }

  const FieldPoints& points_;
  std::size_t size_;
  std::array<int, 30> rows_{};  // ten nodes have most
  ScratchVector block_;
};

// out_a += scale w_g N_a of the values at the points (points x dimension), in the order of the points.
void spread(const FieldPoints& points, const double* values, double scale, Vector out) {
  const auto n = static_cast<std::size_t>(points.nodes_each), dim = static_cast<std::size_t>(points.dimension),
             each = static_cast<std::size_t>(points.points_each);
  for (std::size_t g = 0; g < points.weight.size(); ++g) {
    const int* node = &points.nodes[g / each * n];
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t c = 0; c < dim; ++c)
        out[node[a] + c] += scale * points.weight[g] * points.N[g * n + a] * values[g * dim + c];
  }
}

class FieldForce final : public Force {
 public:
  using S = Slots<true>;
  FieldForce(std::string name, std::shared_ptr<const FieldPoints> points, std::vector<Expression> components)
      : Force(std::move(name)), points_(std::move(points)), components_(std::move(components)) {
    for (const Expression& f : components_)
      for (std::size_t c = 0; c < 3; ++c) velocity_ = velocity_ || f.uses(S::v + c);
  }

  void add_force(double t, ConstVector q, ConstVector v, double scale, Vector force) const override {
    const FieldPoints& points = *points_;
    const auto dim = static_cast<std::size_t>(points.dimension), each = static_cast<std::size_t>(points.points_each);
    ScratchVector values(points.weight.size() * dim);
    const PointValues<true> variables(points, t, q, v);
    for_groups(points, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t g = first * each; g < last * each; ++g) {
        const auto x = variables.at(g);
        for (std::size_t c = 0; c < dim; ++c) values[g * dim + c] = components_[c].evaluate(x);
      }
    });
    spread(points, values.data(), scale, force);
  }

  void add_jacobian(double t, ConstVector q, ConstVector v, double by_q, double by_v, MatrixSink& sink) const override {
    const FieldPoints& points = *points_;
    const auto dim = static_cast<std::size_t>(points.dimension), each = static_cast<std::size_t>(points.points_each);
    const PointValues<true> variables(points, t, q, v);
    GroupBlock block(points);
    Workspace<double>& workspace = this_workspace();
    for (std::size_t group = 0; group < static_cast<std::size_t>(points.groups()); ++group) {
      block.begin(group);
      for (std::size_t g = group * each; g < (group + 1) * each; ++g) {
        const auto x = variables.at(g);
        S::Values slope;
        std::array<double, 9> K{};
        for (std::size_t c = 0; c < dim; ++c) {
          components_[c].gradient(x, std::span<double>(slope), workspace);
          for (std::size_t d = 0; d < dim; ++d)
            K[c * 3 + d] = points.weight[g] * (by_q * slope[d] + by_v * slope[S::v + d]);
        }
        block.add(g, K);
      }
      block.finish(sink);
    }
  }
  std::vector<int> coordinates() const override { return coordinates_of(*points_); }
  LedgerSide ledger_side() const override { return LedgerSide::work; }
  bool depends_on_velocity() const override { return velocity_; }

 private:
  static Workspace<double>& this_workspace() {
    thread_local Workspace<double> workspace;  // expressions call nothing else that uses it
    return workspace;
  }

  std::shared_ptr<const FieldPoints> points_;
  std::vector<Expression> components_;
  bool velocity_ = false;
};

class FieldPotential final : public EnergyTerm {
 public:
  using S = Slots<false>;
  FieldPotential(std::string name, std::shared_ptr<const FieldPoints> points, Expression potential)
      : EnergyTerm(std::move(name)), points_(std::move(points)), potential_(std::move(potential)) {}

  double energy(double t, ConstVector q) const override {
    return sum(t, q, [&](const S::Values& x) { return potential_.evaluate(x); });
  }
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override {
    const FieldPoints& points = *points_;
    const auto dim = static_cast<std::size_t>(points.dimension), each = static_cast<std::size_t>(points.points_each);
    ScratchVector values(points.weight.size() * dim);
    const PointValues<false> variables(points, t, q, {});
    for_groups(points, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t g = first * each; g < last * each; ++g) {
        const S::Values slope = slope_at(variables.at(g));
        std::copy_n(slope.begin(), dim, values.data() + g * dim);
      }
    });
    spread(points, values.data(), scale, gradient);
  }
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override {
    const FieldPoints& points = *points_;
    const auto dim = static_cast<std::size_t>(points.dimension), each = static_cast<std::size_t>(points.points_each);
    const PointValues<false> variables(points, t, q, {});
    GroupBlock block(points);
    thread_local Workspace<Dual> workspace;  // expressions call nothing else that uses it
    for (std::size_t group = 0; group < static_cast<std::size_t>(points.groups()); ++group) {
      block.begin(group);
      for (std::size_t g = group * each; g < (group + 1) * each; ++g) {
        const auto x = variables.at(g);
        S::Values slope;
        std::array<double, S::count * S::count> second;
        potential_.hessian(x, slope, second, workspace);
        std::array<double, 9> K{};
        for (std::size_t c = 0; c < dim; ++c)
          for (std::size_t d = 0; d < dim; ++d) K[c * 3 + d] = scale * points.weight[g] * second[c * S::count + d];
        block.add(g, K);
      }
      block.finish(sink);
    }
  }
  bool depends_on_time() const override { return potential_.uses(S::t); }
  std::vector<int> coordinates() const override { return coordinates_of(*points_); }
  double time_derivative(double t, ConstVector q) const override {
    if (!potential_.uses(S::t)) return 0;
    return sum(t, q, [&](const S::Values& x) { return slope_at(x)[S::t]; });
  }

 private:
  S::Values slope_at(const S::Values& x) const {
    thread_local Workspace<double> workspace;  // expressions call nothing else that uses it
    S::Values slope;
    potential_.gradient(x, std::span<double>(slope), workspace);
    return slope;
  }

  // Sum of w_g value(x_g), by chunks added in their order.
  template <class Value>
  double sum(double t, ConstVector q, const Value& value) const {
    const FieldPoints& points = *points_;
    const auto each = static_cast<std::size_t>(points.points_each);
    const PointValues<false> variables(points, t, q, {});
    ScratchVector parts(static_cast<std::size_t>(points.groups()) / groups_at_once + 1, 0.0);
    for_groups(points, [&](std::size_t k, std::size_t first, std::size_t last) {
      double part = 0;
      for (std::size_t g = first * each; g < last * each; ++g) part += points.weight[g] * value(variables.at(g));
      parts[k] = part;
    });
    double total = 0;
    for (const double part : parts) total += part;
    return total;
  }

  std::shared_ptr<const FieldPoints> points_;
  Expression potential_;
};

}  // namespace

const std::vector<std::string>& field_force_variables() {
  static const std::vector<std::string> names = {"x", "y", "z", "vx", "vy", "vz", "X", "Y", "Z", "t"};
  return names;
}
const std::vector<std::string>& field_potential_variables() {
  static const std::vector<std::string> names = {"x", "y", "z", "X", "Y", "Z", "t"};
  return names;
}

std::shared_ptr<const Force> make_field_force(std::string name, std::shared_ptr<const FieldPoints> points,
                                              std::vector<Expression> components) {
  return std::make_shared<FieldForce>(std::move(name), std::move(points), std::move(components));
}
std::shared_ptr<const EnergyTerm> make_field_potential(std::string name, std::shared_ptr<const FieldPoints> points,
                                                       Expression potential) {
  return std::make_shared<FieldPotential>(std::move(name), std::move(points), std::move(potential));
}

}  // namespace livens
