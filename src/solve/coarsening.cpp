#include "solve/coarsening.hpp"

#include <stdexcept>

#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr int rows_per_task = 256;
// Nodes of a group on average. Smoothing pays by the groups' size and makes rows of the coarse matrix wider: pairs and
// triples of nodes across thin layers would give coarse matrices with more entries than the fine one.
constexpr int smallest_smoothed = 4;

// body(i) for i in [0, n), in tasks of many.
template <class Body>
void for_rows(int n, const Body& body) {
  const int tasks = (n + rows_per_task - 1) / rows_per_task;
  for_each_index(static_cast<std::size_t>(tasks), [&](std::size_t task) {
    const int first = static_cast<int>(task) * rows_per_task;
    for (int i = first; i < std::min(n, first + rows_per_task); ++i) body(i);
  });
}

// Columns of a row as they come, each once: the slot of each is found by a mark.
class RowSlots {
 public:
  explicit RowSlots(int columns) : row_(columns, -1), slot_(columns) {}
  // Slots from 0; columns that are new in `row` are added to `list`.
  std::uint16_t slot(int row, int column, std::vector<int>& list) {
    if (row_[column] != row) {
      if (row != last_) count_ = 0;
      last_ = row;
      if (count_ == 0xffff) throw std::length_error("a node has neighbours in more than 65535 groups");
      row_[column] = row;
      slot_[column] = static_cast<std::uint16_t>(count_++);
      list.push_back(column);
    }
    return slot_[column];
  }

 private:
  std::vector<int> row_;
  std::vector<std::uint16_t> slot_;
  int last_ = -1, count_ = 0;
};

}  // namespace

template <int B, int M>
Coarsening<B, M>::Coarsening(const BlockRows<B>& fine, Aggregates groups, BlockRows<M>& coarse)
    : groups_(std::move(groups)), smooth_(fine.size() >= smallest_smoothed * groups_.count) {
  find_prolongation(fine);
  find_product(fine);
  transpose_prolongation();
  // The groups in the order of sweeps over them.
  NodeGraph graph = coarse_graph();
  SweepOrder order = make_sweep_order(to_pattern(graph));
  old_number_ = order.node;
  std::vector<int> position(old_number_.size());
  for (std::size_t k = 0; k < position.size(); ++k) position[old_number_[k]] = static_cast<int>(k);
  for (auto* numbers : {&groups_.of, &p_column_, &q_column_})
    for (int& group : *numbers) group = position[group];
  transpose_prolongation();
  gather_members();
  coarse = BlockRows<M>(renumbered(graph, old_number_), std::move(order));
  find_coarse(coarse);
  t_.resize(static_cast<std::size_t>(fine.size()) * B * W);
  p_.resize(p_column_.size() * B * W);
  q_.resize(q_column_.size() * B * W);
  diagonal_.resize(static_cast<std::size_t>(groups_.count) * M * W);
  inverse_.resize(static_cast<std::size_t>(groups_.count) * M * M);
  good_.resize(groups_.count);
}

template <int B, int M>
void Coarsening<B, M>::find_prolongation(const BlockRows<B>& fine) {
  p_start_.assign(1, 0);
  p_slot_.resize(fine.entries());
  RowSlots slots(groups_.count);
  for (int i = 0; i < fine.size(); ++i) {
    slots.slot(i, groups_.of[i], p_column_);  // the own group comes first
    for (int k = fine.begin(i); smooth_ && k < fine.end(i); ++k)
      p_slot_[k] = slots.slot(i, groups_.of[fine.column(k)], p_column_);
    p_start_.push_back(static_cast<int>(p_column_.size()));
  }
}

template <int B, int M>
void Coarsening<B, M>::transpose_prolongation() {
  back_start_.assign(groups_.count + 1, 0);
  for (const int group : p_column_) ++back_start_[group + 1];
  for (int g = 0; g < groups_.count; ++g) back_start_[g + 1] += back_start_[g];
  back_row_.resize(p_column_.size());
  back_entry_.resize(p_column_.size());
  std::vector<int> next(back_start_.begin(), back_start_.end() - 1);
  for (std::size_t i = 0; i + 1 < p_start_.size(); ++i)
    for (int k = p_start_[i]; k < p_start_[i + 1]; ++k) {
      const int to = next[p_column_[k]]++;
      back_row_[to] = static_cast<int>(i);
      back_entry_[to] = k;
    }
}

template <int B, int M>
void Coarsening<B, M>::find_product(const BlockRows<B>& fine) {
  q_start_.assign(1, 0);
  RowSlots slots(groups_.count);
  for (int i = 0; i < fine.size(); ++i) {
    q_tape_start_.push_back(static_cast<int>(q_tape_.size()));
    const auto write = [&](int j) {
      for (int k = p_start_[j]; k < p_start_[j + 1]; ++k) q_tape_.push_back(slots.slot(i, p_column_[k], q_column_));
    };
    write(i);
    for (int k = fine.begin(i); k < fine.end(i); ++k) write(fine.column(k));
    q_start_.push_back(static_cast<int>(q_column_.size()));
  }
}

template <int B, int M>
NodeGraph Coarsening<B, M>::coarse_graph() const {
  NodeGraph graph;
  graph.start.push_back(0);
  std::vector<int> mark(groups_.count, -1);
  for (int g = 0; g < groups_.count; ++g) {
    const auto begin = static_cast<std::ptrdiff_t>(graph.neighbour.size());
    mark[g] = g;
    for (int e = back_start_[g]; e < back_start_[g + 1]; ++e)
      for (int k = q_start_[back_row_[e]]; k < q_start_[back_row_[e] + 1]; ++k)
        if (mark[q_column_[k]] != g) {
          mark[q_column_[k]] = g;
          graph.neighbour.push_back(q_column_[k]);
        }
    std::sort(graph.neighbour.begin() + begin, graph.neighbour.end());
    graph.start.push_back(static_cast<int>(graph.neighbour.size()));
  }
  return graph;
}

template <int B, int M>
void Coarsening<B, M>::find_coarse(const BlockRows<M>& coarse) {
  a_tape_.clear();
  a_tape_start_.clear();
  std::vector<std::uint16_t> slot(groups_.count, skipped);
  for (int g = 0; g < groups_.count; ++g) {
    for (int k = coarse.begin(g); k < coarse.middle(g); ++k)
      slot[coarse.column(k)] = static_cast<std::uint16_t>(k - coarse.begin(g));
    slot[g] = diagonal;
    a_tape_start_.push_back(a_tape_.size());
    for (int e = back_start_[g]; e < back_start_[g + 1]; ++e)
      for (int k = q_start_[back_row_[e]]; k < q_start_[back_row_[e] + 1]; ++k) a_tape_.push_back(slot[q_column_[k]]);
    for (int k = coarse.begin(g); k < coarse.middle(g); ++k) slot[coarse.column(k)] = skipped;
    slot[g] = skipped;
  }
  mirror_.assign(coarse.entries(), -1);
  std::vector<int> next(groups_.count);
  for (int g = 0; g < groups_.count; ++g) next[g] = coarse.middle(g);
  for (int g = 0; g < groups_.count; ++g)  // rows come in order, and so do the columns beyond the diagonal of each
    for (int k = coarse.begin(g); k < coarse.middle(g); ++k) mirror_[k] = next[coarse.column(k)]++;
}

template <int B, int M>
void Coarsening<B, M>::gather_members() {
  member_start_.assign(groups_.count + 1, 0);
  for (const int group : groups_.of) ++member_start_[group + 1];
  for (int g = 0; g < groups_.count; ++g) member_start_[g + 1] += member_start_[g];
  member_.resize(groups_.of.size());
  std::vector<int> next(member_start_.begin(), member_start_.end() - 1);
  for (std::size_t i = 0; i < groups_.of.size(); ++i) member_[next[groups_.of[i]]++] = static_cast<int>(i);
}

template <int B, int M>
bool Coarsening<B, M>::build(const BlockRows<B>& fine, const std::vector<double>& modes, double weight,
                             BlockRows<M>& coarse, std::vector<double>& coarse_modes) {
  const int groups = groups_.count;
  coarse_modes.resize(static_cast<std::size_t>(groups) * M * M);
  for_rows(groups, [&](int g) { orthonormalise(g, modes, coarse_modes.data() + g * M * M); });
  for_rows(fine.size(), [&](int i) { smooth(fine, i, static_cast<float>(weight)); });
  for_rows(fine.size(), [&](int i) { multiply(fine, i); });
  for_rows(groups, [&](int g) {
    project(coarse, g);
    good_[g] = scale_diagonal(g) ? 1 : 0;
  });
  if (std::find(good_.begin(), good_.end(), 0) != good_.end()) return false;
  for_rows(groups, [&](int g) {
    scale(coarse, g);
    // C' R
    double* factor = coarse_modes.data() + g * M * M;
    const double* inverse = inverse_.data() + g * M * M;
    for (int b = 0; b < M; ++b) {
      double column[M];
      for (int r = M - 1; r >= 0; --r) column[r] = factor[r * M + b];
      // C' x is found from C'^-1: solve the triangular system C'^-1 y = x.
      for (int r = M - 1; r >= 0; --r) {
        double sum = column[r];
        for (int m = r + 1; m < M; ++m) sum -= inverse[m * M + r] * factor[m * M + b];
        factor[r * M + b] = sum / inverse[r * M + r];
      }
    }
  });
  for_rows(fine.size(), [&](int i) {  // P C^-T
    for (int k = p_start_[i]; k < p_start_[i + 1]; ++k) {
      const double* inverse = inverse_.data() + p_column_[k] * M * M;
      for (int m = 0; m < B; ++m) {
        float* row = p(k) + m * W;
        for (int c = M - 1; c >= 0; --c) {
          double sum = 0;
          for (int r = 0; r <= c; ++r) sum += inverse[c * M + r] * static_cast<double>(row[r]);
          row[c] = static_cast<float>(sum);
        }
      }
    }
  });
  return true;
}

// Gram and Schmidt, each vector twice. A motion that the others make up, as rotations of a single node, is left out.
template <int B, int M>
void Coarsening<B, M>::orthonormalise(int group, const std::vector<double>& modes, double* factor) {
  constexpr double dependent = 1e-4;
  const int begin = member_start_[group], members = member_start_[group + 1] - begin;
  std::vector<std::array<double, M>> rows(static_cast<std::size_t>(members) * B);
  for (int k = 0; k < members; ++k)
    for (int m = 0; m < B; ++m)
      for (int c = 0; c < M; ++c) rows[k * B + m][c] = modes[(member_[begin + k] * B + m) * M + c];
  std::fill(factor, factor + M * M, 0.0);
  for (int c = 0; c < M; ++c) {
    double before = 0, after = 0;
    for (const auto& row : rows) before += row[c] * row[c];
    for (int turn = 0; turn < 2; ++turn)
      for (int d = 0; d < c; ++d) {
        double sum = 0;
        for (const auto& row : rows) sum += row[d] * row[c];
        for (auto& row : rows) row[c] -= sum * row[d];
        factor[d * M + c] += sum;
      }
    for (const auto& row : rows) after += row[c] * row[c];
    const bool there = after > dependent * dependent * before && after > 0;
    const double norm = std::sqrt(after), inverse = there ? 1 / norm : 0;
    factor[c * M + c] = there ? norm : 0;
    for (auto& row : rows) row[c] *= inverse;
  }
  for (int k = 0; k < members; ++k)
    for (int m = 0; m < B; ++m)
      for (int c = 0; c < W; ++c) t(member_[begin + k])[m * W + c] = c < M ? static_cast<float>(rows[k * B + m][c]) : 0;
}

// P_i = T_i - w (A T)_i
template <int B, int M>
void Coarsening<B, M>::smooth(const BlockRows<B>& fine, int i, float weight) {
  std::fill(p(p_start_[i]), p(p_start_[i + 1]), 0.0f);
  float* own = p(p_start_[i]);
  if (!smooth_) weight = 0;
  for (int m = 0; m < B * W; ++m) own[m] = (1 - weight) * t(i)[m];
  if (!smooth_) return;
  for (int k = fine.begin(i); k < fine.end(i); ++k) {
    const float *a = fine.block(k), *tj = t(fine.column(k));
    float* to = p(p_start_[i] + p_slot_[k]);
    for (int r = 0; r < B; ++r) {
      V sum = Coarse::load(to + r * W);
      for (int m = 0; m < B; ++m) sum -= weight * a[m * Fine::stride + r] * Coarse::load(tj + m * W);
      std::memcpy(to + r * W, &sum, sizeof sum);
    }
  }
}

// Q_i = (A P)_i
template <int B, int M>
void Coarsening<B, M>::multiply(const BlockRows<B>& fine, int i) {
  std::fill(q(q_start_[i]), q(q_start_[i + 1]), 0.0f);
  const std::uint16_t* tape = q_tape_.data() + q_tape_start_[i];
  for (int k = p_start_[i]; k < p_start_[i + 1]; ++k) {
    float* to = q(q_start_[i] + *tape++);
    for (int m = 0; m < B * W; ++m) to[m] += p(k)[m];
  }
  for (int e = fine.begin(i); e < fine.end(i); ++e) {
    const float* a = fine.block(e);
    const int j = fine.column(e);
    for (int k = p_start_[j]; k < p_start_[j + 1]; ++k) {
      float* to = q(q_start_[i] + *tape++);
      const float* from = p(k);
      for (int r = 0; r < B; ++r) {
        V sum = Coarse::load(to + r * W);
#pragma GCC unroll 6
        for (int m = 0; m < B; ++m) sum += a[m * Fine::stride + r] * Coarse::load(from + m * W);
        std::memcpy(to + r * W, &sum, sizeof sum);
      }
    }
  }
}

// The blocks of P'Q of a row up to the diagonal, by columns: (P'Q)(r, c) = sum P(m, r) Q(m, c)
template <int B, int M>
void Coarsening<B, M>::project(BlockRows<M>& coarse, int group) {
  float* diagonal_block = diagonal_.data() + static_cast<std::size_t>(group) * M * W;
  std::fill(diagonal_block, diagonal_block + M * W, 0.0f);
  std::fill(coarse.block(coarse.begin(group)), coarse.block(coarse.middle(group)), 0.0f);
  const std::uint16_t* tape = a_tape_.data() + a_tape_start_[group];
  for (int e = back_start_[group]; e < back_start_[group + 1]; ++e) {
    const int i = back_row_[e];
    V rows[B];
    for (int m = 0; m < B; ++m) rows[m] = Coarse::load(p(back_entry_[e]) + m * W);
    for (int k = q_start_[i]; k < q_start_[i + 1]; ++k) {
      const std::uint16_t slot = *tape++;
      if (slot == skipped) continue;
      const bool on_diagonal = slot == diagonal;
      float* to = on_diagonal ? diagonal_block : coarse.block(coarse.begin(group) + slot);
      const int stride = on_diagonal ? W : Coarse::stride;
      const float* from = q(k);
      for (int c = 0; c < M; ++c) {
        V sum = rows[0] * from[c];
        for (int m = 1; m < B; ++m) sum += rows[m] * from[m * W + c];
        if (stride == W)
          for (int r = 0; r < W; ++r) to[c * W + r] += sum[r];
        else
          for (int r = 0; r < M; ++r) to[c * stride + r] += sum[r];
      }
    }
  }
}

// C^-1 with C C' the diagonal block; unknowns that stand for nothing have ones on the diagonal.
template <int B, int M>
bool Coarsening<B, M>::scale_diagonal(int group) {
  constexpr double nothing = 1e-6;
  const float* a = diagonal_.data() + static_cast<std::size_t>(group) * M * W;
  double* inverse = inverse_.data() + static_cast<std::size_t>(group) * M * M;
  double largest = 0, c[M][M] = {};
  for (int k = 0; k < M; ++k) largest = std::max(largest, static_cast<double>(a[k * W + k]));
  for (int k = 0; k < M; ++k) {
    double pivot = static_cast<double>(a[k * W + k]);
    const bool absent = !(pivot > nothing * largest);
    if (absent && pivot < -nothing * largest) return false;
    for (int m = 0; m < k; ++m) pivot -= c[k][m] * c[k][m];
    if (absent) pivot = 1;
    if (!(pivot > 0)) return false;
    c[k][k] = std::sqrt(pivot);
    for (int r = k + 1; r < M && !absent; ++r) {
      double entry = static_cast<double>(a[k * W + r]);
      for (int m = 0; m < k; ++m) entry -= c[r][m] * c[k][m];
      c[r][k] = entry / c[k][k];
    }
  }
  std::fill(inverse, inverse + M * M, 0.0);
  for (int k = 0; k < M; ++k) {
    inverse[k * M + k] = 1 / c[k][k];
    for (int r = k + 1; r < M; ++r) {
      double entry = 0;
      for (int m = k; m < r; ++m) entry -= c[r][m] * inverse[m * M + k];
      inverse[r * M + k] = entry / c[r][r];
    }
  }
  return true;
}

// A_IJ <- C_I^-1 A_IJ C_J^-T below the diagonal, and its transpose above.
template <int B, int M>
void Coarsening<B, M>::scale(BlockRows<M>& coarse, int group) {
  const double* ci = inverse_.data() + static_cast<std::size_t>(group) * M * M;
  for (int k = coarse.begin(group); k < coarse.middle(group); ++k) {
    const double* cj = inverse_.data() + static_cast<std::size_t>(coarse.column(k)) * M * M;
    float* a = coarse.block(k);
    double u[M][M], w[M][M];  // A C_J^-T, C_I^-1 A C_J^-T
    for (int r = 0; r < M; ++r)
      for (int c = 0; c < M; ++c) {
        u[r][c] = 0;
        for (int m = 0; m <= c; ++m) u[r][c] += static_cast<double>(a[m * Coarse::stride + r]) * cj[c * M + m];
      }
    for (int r = 0; r < M; ++r)
      for (int c = 0; c < M; ++c) {
        w[r][c] = 0;
        for (int m = 0; m <= r; ++m) w[r][c] += ci[r * M + m] * u[m][c];
      }
    float* above = coarse.block(mirror_[k]);
    for (int r = 0; r < M; ++r)
      for (int c = 0; c < M; ++c) {
        a[c * Coarse::stride + r] = static_cast<float>(w[r][c]);
        above[r * Coarse::stride + c] = static_cast<float>(w[r][c]);
      }
  }
}

template <int B, int M>
void Coarsening<B, M>::restrict_to(BlockRows<M>& coarse, const float* r, float* b) const {
  coarse.each_piece([&](const NodeRange& range) {
    for (int g = range.begin; g < range.end; ++g) {
      V sum{};
      for (int e = back_start_[g]; e < back_start_[g + 1]; ++e) {
        const float *from = p(back_entry_[e]), *ri = r + BlockRows<B>::at(back_row_[e]);
#pragma GCC unroll 6
        for (int m = 0; m < B; ++m) sum += ri[m] * Coarse::load(from + m * W);
      }
      Coarse::store(b + BlockRows<M>::at(g), sum);
    }
    return 0.0;
  });
}

template <int B, int M>
void Coarsening<B, M>::prolong(BlockRows<B>& fine, const float* x, float* y) const {
  fine.each_piece([&](const NodeRange& range) {
    for (int i = range.begin; i < range.end; ++i) {
      V sums[B] = {};
      for (int k = p_start_[i]; k < p_start_[i + 1]; ++k) {
        const V xg = Coarse::load(x + BlockRows<M>::at(p_column_[k]));
#pragma GCC unroll 6
        for (int m = 0; m < B; ++m) sums[m] += Coarse::load(p(k) + m * W) * xg;
      }
      float* yi = y + BlockRows<B>::at(i);
      for (int m = 0; m < B; ++m) {
        float sum = 0;
        for (int c = 0; c < M; ++c) sum += sums[m][c];
        yi[m] += sum;
      }
    }
    return 0.0;
  });
}

template class Coarsening<2, 3>;
template class Coarsening<3, 3>;
template class Coarsening<3, 6>;
template class Coarsening<6, 6>;

}  // namespace livens
