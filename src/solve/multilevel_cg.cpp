#include "solve/multilevel_cg.hpp"

#include <cstring>

#include "math/parallel.hpp"
#include "math/team.hpp"
#include "solve/coarsening.hpp"
#include "solve/dot.hpp"
#include "solve/linear_solver.hpp"
#include "solve/scaled_blocks.hpp"

namespace livens {
namespace {

constexpr int coarsest = 64;  // groups: few enough for a dense factorisation
constexpr int most_levels = 12;
constexpr int power_iterations = 10;
constexpr double eigenvalue_safety = 1.1;  // power iterations come from below
constexpr double old_levels_serve = 1.5;   // times the iterations of new ones

// One level with the vectors of the cycle.
template <int B>
struct Level {
  BlockRows<B> matrix;
  std::vector<double> modes;
  std::vector<float> x, b, r, first;

  void make_vectors() {
    for (auto* vector : {&x, &b, &r, &first}) vector->assign(BlockRows<B>::at(matrix.size()), 0.0f);
  }
  double smoothing_weight() {
    return 4.0 / (3 * eigenvalue_safety * matrix.largest_eigenvalue(x.data(), r.data(), power_iterations));
  }
};

template <int D>
class Multilevel final : public MultilevelCg {
  static constexpr int M = D == 3 ? 6 : 3;  // rigid motions
  static constexpr int lanes = 4;           // of the product in double precision

 public:
  explicit Multilevel(const SparsePattern& pattern) : Multilevel(pattern, make_sweep_order(pattern)) {}

  Multilevel(const SparsePattern& pattern, SweepOrder order) : blocks_(pattern, order.node) {
    const NodeGraph graph = node_graph(pattern);
    std::vector<double> place;
    for (const int node : order.node)
      for (int c = 0; c < D; ++c) place.push_back(pattern.reference[node * D + c]);
    const NodeGraph ordered = renumbered(graph, order.node);
    fine_.matrix = BlockRows<D>(ordered, std::move(order));
    fine_.make_vectors();
    coarsen(ordered, std::move(place));
    pattern_ = &pattern;
    for (auto* vector : {&r_, &z_, &q_}) vector->resize(pattern.n);
    p_.resize(q_.size() + lanes - D);
  }

  bool prepare(ConstVector values, ConstVector place) override {
    values_ = values;
    if (built_ && serves_) return true;
    bool good = true;
    Team::gather(static_cast<std::size_t>(fine_.matrix.pieces()), [&] { good = build(values, place); });
    return good;
  }

  void forget() override { built_ = false; }

  CgResult solve(ConstVector b, Vector x, double reduction, int limit) override {
    CgResult result;
    Team::gather(static_cast<std::size_t>(fine_.matrix.pieces()), [&] { iterate(b, x, reduction, limit, result); });
    judge(result);
    return result;
  }

  int levels() const override { return static_cast<int>(coarse_.size()) + 1; }
  int builds() const override { return builds_; }
  double operator_complexity() const override {
    const double fine = (fine_.matrix.entries() + fine_.matrix.size()) * double{D * D};
    double sum = fine;
    for (const auto& level : coarse_) sum += (level->matrix.entries() + level->matrix.size()) * double{M * M};
    return sum / fine;
  }

 private:
  void coarsen(NodeGraph graph, std::vector<double> place) {
    Aggregates groups = aggregate(graph, place, D);
    coarse_.push_back(std::make_unique<Level<M>>());
    first_ = std::make_unique<Coarsening<D, M>>(fine_.matrix, groups, coarse_[0]->matrix);
    std::vector<int> number = first_->old_number();
    while (coarse_.back()->matrix.size() > coarsest && static_cast<int>(coarse_.size()) < most_levels) {
      const BlockRows<M>& matrix = coarse_.back()->matrix;
      const std::vector<double> middles = centres(groups, place, D);
      place.clear();
      for (const int old : number)
        for (int c = 0; c < D; ++c) place.push_back(middles[old * D + c]);
      graph = graph_of(matrix);
      groups = aggregate(graph, place, D);
      if (groups.count > 0.8 * matrix.size()) break;  // nothing gained: nodes that hang together no more
      auto next = std::make_unique<Level<M>>();
      further_.push_back(std::make_unique<Coarsening<M, M>>(matrix, groups, next->matrix));
      number = further_.back()->old_number();
      coarse_.push_back(std::move(next));
    }
    for (auto& level : coarse_) level->make_vectors();
    const int n = coarse_.back()->matrix.size() * M;
    dense_.resize(static_cast<std::size_t>(n) * n);
    dense_x_.resize(n);
    dense_solver_ = make_dense_cholesky(full_pattern(n));
  }

  static NodeGraph graph_of(const BlockRows<M>& matrix) {
    NodeGraph graph;
    graph.start.push_back(0);
    for (int i = 0; i < matrix.size(); ++i) {
      for (int k = matrix.begin(i); k < matrix.end(i); ++k) graph.neighbour.push_back(matrix.column(k));
      graph.start.push_back(static_cast<int>(graph.neighbour.size()));
    }
    return graph;
  }

  bool build(ConstVector values, ConstVector place) {
    built_ = false;
    first_iterations_ = -1;
    ++builds_;
    if (!blocks_.factorise(values)) return false;
    blocks_.scale(values, fine_.matrix);
    find_modes(place);
    if (!first_->build(fine_.matrix, fine_.modes, fine_.smoothing_weight(), coarse_[0]->matrix, coarse_[0]->modes))
      return false;
    for (std::size_t k = 0; k < further_.size(); ++k) {
      Level<M>& level = *coarse_[k];
      if (!further_[k]->build(level.matrix, level.modes, level.smoothing_weight(), coarse_[k + 1]->matrix,
                              coarse_[k + 1]->modes))
        return false;
    }
    built_ = serves_ = factorise_coarsest();
    return built_;
  }

  // C' times translations and rotations about the centre; nothing where a coordinate is coupled to no other.
  void find_modes(ConstVector place) {
    const std::vector<int>& node = fine_.matrix.order().node;
    fine_.modes.assign(node.size() * D * M, 0.0);
    double centre[3] = {}, size = 0;
    for (std::size_t i = 0; i < place.size(); ++i) centre[i % D] += place[i] * D / static_cast<double>(place.size());
    for (std::size_t i = 0; i < place.size(); ++i) size = std::max(size, std::abs(place[i] - centre[i % D]));
    if (!(size > 0)) size = 1;
    for (int i = 0; i < fine_.matrix.size(); ++i) {
      double y[3] = {}, motion[D][M] = {};
      for (int c = 0; c < D; ++c) y[c] = (place[node[i] * D + c] - centre[c]) / size;
      for (int c = 0; c < D; ++c) motion[c][c] = 1;
      if constexpr (D == 3) {
        for (int a = 0; a < 3; ++a) {  // e_a x y
          motion[(a + 1) % 3][3 + a] = -y[(a + 2) % 3];
          motion[(a + 2) % 3][3 + a] = y[(a + 1) % 3];
        }
      } else {
        motion[0][2] = -y[1];
        motion[1][2] = y[0];
      }
      for (int c = 0; c < D; ++c)
        if (blocks_.is_alone(i, c)) std::fill(motion[c], motion[c] + M, 0.0);
      blocks_.apply_factor_transposed(i, &motion[0][0], M, fine_.modes.data() + static_cast<std::size_t>(i) * D * M);
    }
  }

  bool factorise_coarsest() {
    const BlockRows<M>& matrix = coarse_.back()->matrix;
    const std::size_t n = dense_x_.size();
    std::fill(dense_.begin(), dense_.end(), 0.0);
    for (std::size_t k = 0; k < n; ++k) dense_[k * (n + 1)] = 1;
    for (int i = 0; i < matrix.size(); ++i)
      for (int k = matrix.begin(i); k < matrix.end(i); ++k)
        for (int c = 0; c < M; ++c)
          for (int r = 0; r < M; ++r)
            dense_[(matrix.column(k) * M + c) * n + i * M + r] =
                static_cast<double>(matrix.block(k)[c * NodeLanes<M>::stride + r]);
    return dense_solver_->factorise(dense_);
  }

  void solve_coarsest() {
    Level<M>& level = *coarse_.back();
    for (int i = 0; i < level.matrix.size(); ++i)
      for (int c = 0; c < M; ++c) dense_x_[i * M + c] = static_cast<double>(level.b[BlockRows<M>::at(i) + c]);
    dense_solver_->solve(dense_x_);
    for (int i = 0; i < level.matrix.size(); ++i)
      for (int c = 0; c < M; ++c) level.x[BlockRows<M>::at(i) + c] = static_cast<float>(dense_x_[i * M + c]);
  }

  // x = an approximate solution of A x = b.
  template <int B, class Transfer, class Below>
  void cycle(Level<B>& level, const Transfer& transfer, Level<M>& next, const Below& below) {
    level.matrix.forward(level.b.data(), level.x.data());
    level.matrix.left_over(level.x.data(), level.r.data());
    transfer.restrict_to(next.matrix, level.r.data(), next.b.data());
    below();
    transfer.prolong(level.matrix, next.x.data(), level.x.data());
    level.matrix.backward(level.b.data(), level.x.data());
  }
  // Twice: the second cycle works on what the first has left. Coarse levels cost little, and what they leave would cost
  // iterations that grow with the number of levels.
  void cycle_coarse(std::size_t k) {
    if (k == further_.size()) return solve_coarsest();
    Level<M>& level = *coarse_[k];
    const auto once = [&] { cycle(level, *further_[k], *coarse_[k + 1], [&] { cycle_coarse(k + 1); }); };
    once();
    level.first.swap(level.x);
    level.matrix.multiply(level.first.data(), level.r.data());
    for (std::size_t i = 0; i < level.b.size(); ++i) level.b[i] -= level.r[i];
    once();
    for (std::size_t i = 0; i < level.x.size(); ++i) level.x[i] += level.first[i];
  }

  // z = V(r), in single precision; returns r.z
  double precondition() {
    const double size = largest_size(r_);
    blocks_.scale_right_side(r_, size, fine_.b);
    cycle(fine_, *first_, *coarse_[0], [&] { cycle_coarse(0); });
    blocks_.scale_solution(fine_.x, size, z_);
    return dot(r_, z_);
  }

  // q = A p, by columns: the matrix is symmetric. The columns of a node have the same rows, D for each neighbour; they
  // are taken by four lanes, of which those beyond D are thrown away.
  void multiply() {
    typedef double V __attribute__((vector_size(lanes * sizeof(double))));
    const auto load = [](const double* from) {
      V value;
      std::memcpy(&value, from, sizeof value);
      return value;
    };
    const std::vector<int>& start = pattern_->column_start;
    for_chunks(q_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t node = (begin + D - 1) / D; node < (end + D - 1) / D; ++node) {
        V sums[D] = {};
        const int first = start[node * D], rows = start[node * D + 1] - first;
        const int whole = node + 1 == q_.size() / D ? rows - D : rows;  // loads must not go beyond the matrix
        for (int k = 0; k < whole; k += D) {
          const V p = load(p_.data() + pattern_->row[first + k]);
          for (int c = 0; c < D; ++c) sums[c] += load(values_.data() + first + c * rows + k) * p;
        }
        for (int c = 0; c < D; ++c) {
          double sum = 0;
          for (int r = 0; r < D; ++r) sum += sums[c][r];
          for (int k = whole; k < rows; ++k) sum += values_[first + c * rows + k] * p_[pattern_->row[first + k]];
          q_[node * D + c] = sum;
        }
      }
    });
  }

  void iterate(ConstVector b, Vector x, double reduction, int limit, CgResult& result) {
    std::fill(x.begin(), x.end(), 0.0);
    std::fill(p_.begin(), p_.end(), 0.0);
    std::copy(b.begin(), b.end(), r_.begin());
    if (!(largest_size(r_) > 0)) return;
    double rho = precondition(), before = rho;
    const double first = rho;
    while (rho > reduction * reduction * first) {
      if (result.iterations == limit) {
        result.end = CgResult::End::limit;
        break;
      }
      const double beta = result.iterations == 0 ? 0 : rho / before;
      for (std::size_t i = 0; i < q_.size(); ++i) p_[i] = z_[i] + beta * p_[i];
      multiply();
      const double curvature = dot(ConstVector(p_).first(q_.size()), q_);
      ++result.iterations;
      if (!(curvature > 0)) {
        result.end = CgResult::End::negative_curvature;
        break;
      }
      const double alpha = rho / curvature;
      for (std::size_t i = 0; i < q_.size(); ++i) {
        x[i] += alpha * p_[i];
        r_[i] -= alpha * q_[i];
      }
      before = rho;
      if (!(largest_size(r_) > 0)) {
        rho = 0;
        break;
      }
      rho = precondition();
    }
    // Levels that are not definite, or not finite, prove nothing about the matrix; but what they end with is no
    // solution.
    if (!(rho >= 0)) result.end = CgResult::End::limit;
    result.reduction = std::sqrt(std::max(0.0, rho / first));
  }

  // Levels of an earlier matrix serve as long as they do not cost many more iterations for each digit.
  void judge(const CgResult& result) {
    if (result.iterations == 0 || result.end == CgResult::End::negative_curvature) return;
    const double digits = std::max(0.3, -std::log10(std::max(1e-12, result.reduction)));
    const double each = result.iterations / digits;
    if (first_iterations_ < 0) first_iterations_ = each;
    serves_ = each <= old_levels_serve * first_iterations_ + 1;
  }

  static double largest_size(const std::vector<double>& vector) {
    double size = 0;
    for (const double value : vector) size = std::max(size, std::abs(value));
    return size;
  }

  const SparsePattern* pattern_ = nullptr;
  ConstVector values_;  // of the matrix in hand; the levels may be those of an earlier one
  ScaledBlocks<D> blocks_;
  Level<D> fine_;
  std::unique_ptr<Coarsening<D, M>> first_;
  std::vector<std::unique_ptr<Level<M>>> coarse_;
  std::vector<std::unique_ptr<Coarsening<M, M>>> further_;
  std::vector<double> dense_, dense_x_;  // of the coarsest level, by columns
  std::unique_ptr<LinearSolver> dense_solver_;
  std::vector<double> r_, z_, p_, q_;
  bool built_ = false, serves_ = false;
  double first_iterations_ = -1;  // per digit, of the first solve with these levels
  int builds_ = 0;
};

}  // namespace

std::unique_ptr<MultilevelCg> make_multilevel_cg(const SparsePattern& pattern) {
  if (static_cast<int>(pattern.reference.size()) != pattern.n) return nullptr;
  if (pattern.block == 3) return std::make_unique<Multilevel<3>>(pattern);
  if (pattern.block == 2) return std::make_unique<Multilevel<2>>(pattern);
  return nullptr;
}

}  // namespace livens
