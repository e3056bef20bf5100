#include "solve/block_cg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "math/parallel.hpp"
#include "math/team.hpp"
#include "solve/sweep_order.hpp"

// With A = D + L + L' and D = C C', the scaled matrix C^-1 A C^-T = I + L + L' (the same letter L from here on) is
// preconditioned by (I + L)(I + L'). Eisenstat's trick: with t = (I + L')^-1 p,
//   (I + L)^-1 A (I + L')^-1 p = t + (I + L)^-1 (p - t),
// so one backward and one forward sweep over L are product and preconditioner together. Only the lower half is stored,
// and in single precision: the direction of an inexact Newton step does not need more, and the time goes into reading
// the matrix. S. C. Eisenstat, Efficient implementation of a class of preconditioned conjugate gradient methods, SIAM
// J. Sci. Stat. Comput. 2 (1981).

namespace livens {
namespace {

template <class Real, int W>
struct Pack;
template <>
struct Pack<float, 4> {
  typedef float Type __attribute__((vector_size(16)));
};
template <>
struct Pack<float, 2> {
  typedef float Type __attribute__((vector_size(8)));
};
template <>
struct Pack<double, 4> {
  typedef double Type __attribute__((vector_size(32)));
};
template <>
struct Pack<double, 2> {
  typedef double Type __attribute__((vector_size(16)));
};

// A row of a block, and the numbers of a node: B of W lanes, the rest is padding.
template <class Real, int B>
struct Lane {
  static constexpr int W = B == 3 ? 4 : 2;
  using V = typename Pack<Real, W>::Type;
  using Wide = typename Pack<double, W>::Type;

  // By memcpy: packs need no alignment.
  static V load(const Real* from) {
    V value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static Wide load_wide(const double* from) {
    Wide value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static void store(Real* to, V value) { std::memcpy(to, &value, sizeof value); }
  static V broadcast(V v, int lane) {
    V result;
    for (int k = 0; k < W; ++k) result[k] = v[lane];
    return result;
  }
  // (sum of row 0, sum of row 1, ...), over the first B lanes; the padding of the result is zero.
  static V row_sums(const V (&rows)[B]) {
    if constexpr (B == 3) {
      const V zero{};
      const V low = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
      const V high = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
      const V low2 = __builtin_shufflevector(rows[2], zero, 0, 4, 1, 5);
      const V high2 = __builtin_shufflevector(rows[2], zero, 2, 4, 3, 5);
      return __builtin_shufflevector(low, low2, 0, 1, 4, 5) + __builtin_shufflevector(low, low2, 2, 3, 6, 7) +
             __builtin_shufflevector(high, high2, 0, 1, 4, 5);
    } else {
      V sums{};
      for (int r = 0; r < B; ++r)
        for (int c = 0; c < B; ++c) sums[r] += rows[r][c];
      return sums;
    }
  }
  static Wide widen(V v) { return __builtin_convertvector(v, Wide); }
  static double sum(Wide v) {
    double total = 0;
    for (int k = 0; k < B; ++k) total += v[k];
    return total;
  }
};

template <class Real, int B>
class SweepCg final : public BlockCg {
  using L = Lane<Real, B>;
  using V = typename L::V;
  using Wide = typename L::Wide;
  static constexpr int W = L::W;

 public:
  explicit SweepCg(const SparsePattern& pattern) : order_(make_sweep_order(pattern)) {
    const std::size_t nodes = order_.node.size();
    std::vector<int> position(nodes);
    for (std::size_t i = 0; i < nodes; ++i) position[order_.node[i]] = static_cast<int>(i);
    row_start_.reserve(nodes + 1);
    row_start_.push_back(0);
    std::vector<std::array<int, 2>> row;  // position, offset within the column of the matrix
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto column = static_cast<std::size_t>(order_.node[i] * B);
      const int begin = pattern.column_start[column], end = pattern.column_start[column + 1];
      source_.push_back({begin, end - begin, -1});
      row.clear();
      for (int k = begin; k < end; k += B) {
        const int j = position[pattern.row[k] / B];
        if (j < static_cast<int>(i)) row.push_back({j, k - begin});
        if (j == static_cast<int>(i)) source_.back().diagonal = k - begin;
      }
      std::sort(row.begin(), row.end());
      for (const auto& [j, offset] : row) {
        column_.push_back(W * j);
        offset_.push_back(offset);
      }
      row_start_.push_back(static_cast<int>(column_.size()));
    }
    value_.resize(column_.size() * B * B + W);
    inverse_.resize(nodes * B * W);
    for (auto* vector : {&x_, &r_, &p_, &t_, &w_}) vector->resize(nodes * W);
    partial_.resize(order_.interiors.size() + order_.separators.size());
  }

  bool prepare(ConstVector values, const Couplings& couplings) override {
    bool good = true;
    Team::gather(order_.interiors.size(), [&] {
      const auto positive = [&](const NodeRange& range) { return invert_diagonal(values, range); };
      good = each_piece(positive) == 0;
      if (good) each_piece([&](const NodeRange& range) { return scale_rows(values, range); });
    });
    coupled_ = !couplings.empty();
    if (good && coupled_) take_couplings(couplings);
    return good;
  }

  CgResult solve(ConstVector b, Vector x, double reduction, int limit) override {
    CgResult result;
    Team::gather(order_.interiors.size(), [&] { iterate(b, x, reduction, limit, result); });
    return result;
  }

  void remainder(Vector r) override {
    Team::gather(order_.interiors.size(),
                 [&] { each_piece([&](const NodeRange& range) { return give_back(r, range); }); });
  }

 private:
  // Sum of work(piece) over all pieces, in order.
  template <class Work>
  double each_piece(const Work& work) {
    return over(order_.interiors, 0, work) + over(order_.separators, order_.interiors.size(), work);
  }
  template <class Work>
  double over(const std::vector<NodeRange>& ranges, std::size_t first, const Work& work) {
    for_each_index(ranges.size(), [&](std::size_t k) { partial_[first + k] = work(ranges[k]); });
    double sum = 0;
    for (std::size_t k = 0; k < ranges.size(); ++k) sum += partial_[first + k];
    return sum;
  }

  // C^-1 of the diagonal blocks; 1 if one of them is not positive definite.
  double invert_diagonal(ConstVector values, const NodeRange& range) {
    bool positive = true;
    for (int i = range.begin; i < range.end; ++i) {
      const Source& source = source_[i];
      const double* a = values.data() + source.begin + source.diagonal;
      double c[B][B], reciprocal[B];
      for (int k = 0; k < B; ++k) {
        double pivot = a[k * source.length + k];
        for (int m = 0; m < k; ++m) pivot -= c[k][m] * c[k][m];
        positive = positive && pivot > 0;
        reciprocal[k] = 1 / std::sqrt(pivot);
        for (int r = k + 1; r < B; ++r) {
          double entry = a[k * source.length + r];
          for (int m = 0; m < k; ++m) entry -= c[r][m] * c[k][m];
          c[r][k] = entry * reciprocal[k];
        }
      }
      double inverse[B][B];
      for (int k = 0; k < B; ++k) {
        inverse[k][k] = reciprocal[k];
        for (int r = k + 1; r < B; ++r) {
          double entry = 0;
          for (int m = k; m < r; ++m) entry -= c[r][m] * inverse[m][k];
          inverse[r][k] = entry * reciprocal[r];
        }
      }
      for (int k = 0; k < B; ++k) {
        Wide column{};
        for (int r = k; r < B; ++r) column[r] = inverse[r][k];
        std::memcpy(&inverse_[at(i * B + k)], &column, sizeof column);
      }
    }
    return positive ? 0 : 1;
  }

  // Entry (r, k) of C_i^-1.
  double inverse(int i, int r, int k) const { return inverse_[at(i * B + k) + r]; }

  // L_ij <- C_i^-1 L_ij C_j^-T. By symmetry row r of L_ij is a run of column r of node i.
  double scale_rows(ConstVector values, const NodeRange& range) {
    const int *column = column_.data(), *offset = offset_.data(), *start = row_start_.data();
    const double* inverses = inverse_.data();
    Real* value = value_.data();
    for (int i = range.begin; i < range.end; ++i) {
      const Source source = source_[i];
      double ci[B][B];
      for (int r = 0; r < B; ++r)
        for (int k = 0; k <= r; ++k) ci[r][k] = inverse(i, r, k);
      for (int k = start[i], end = start[i + 1]; k < end; ++k) {
        const double* cj = inverses + static_cast<std::ptrdiff_t>(column[k]) * B;
        const double* a = values.data() + source.begin + offset[k];
        Wide u[B];  // rows of L_ij C_j^-T
        for (int r = 0; r < B; ++r) u[r] = a[r * source.length] * L::load_wide(cj);
        for (int m = 1; m < B; ++m)
          for (int r = 0; r < B; ++r) u[r] += a[r * source.length + m] * L::load_wide(cj + m * W);
        Real* to = value + static_cast<std::ptrdiff_t>(k) * B * B;
#pragma GCC unroll 3
        for (int r = 0; r < B; ++r) {
          Wide row = ci[r][0] * u[0];
#pragma GCC unroll 2
          for (int m = 1; m <= r; ++m) row += ci[r][m] * u[m];
          const V narrow = __builtin_convertvector(row, V);
          if (r < B - 1 || W == B)
            L::store(to + r * B, narrow);  // its padding is overwritten by the next row
          else
            for (int c = 0; c < B; ++c) to[r * B + c] = narrow[c];
        }
      }
    }
    return 0;
  }

  // G_ij <- C_i^-1 G_ij C_j^-T, by rows and both ways: A = I + L + L' + G.
  void take_couplings(const Couplings& couplings) {
    const std::size_t nodes = order_.node.size();
    position_.resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) position_[order_.node[i]] = static_cast<int>(i);
    coupling_start_.assign(nodes + 1, 0);
    for (const auto& [a, b] : couplings.nodes) {
      ++coupling_start_[position_[a] + 1];
      ++coupling_start_[position_[b] + 1];
    }
    for (std::size_t i = 0; i < nodes; ++i) coupling_start_[i + 1] += coupling_start_[i];
    coupling_column_.resize(2 * couplings.nodes.size());
    coupling_value_.resize(2 * couplings.nodes.size() * B * B + W);
    next_.assign(coupling_start_.begin(), coupling_start_.end() - 1);
    const double* block = couplings.blocks.data();
    for (const auto& [a, b] : couplings.nodes) {
      const int i = position_[a], j = position_[b];
      place_coupling(i, j, [block](int r, int c) { return block[r * B + c]; });
      place_coupling(j, i, [block](int r, int c) { return block[c * B + r]; });
      block += B * B;
    }
  }
  template <class Entry>
  void place_coupling(int i, int j, const Entry& entry) {
    const int slot = next_[i]++;
    coupling_column_[slot] = W * j;
    Real* to = coupling_value_.data() + static_cast<std::ptrdiff_t>(slot) * B * B;
    for (int r = 0; r < B; ++r)
      for (int c = 0; c < B; ++c) {
        double sum = 0;
        for (int m = 0; m <= r; ++m)
          for (int k = 0; k <= c; ++k) sum += inverse(i, r, m) * entry(m, k) * inverse(j, c, k);
        to[r * B + c] = static_cast<Real>(sum);
      }
  }
  // Row i of G t.
  V coupled(int i) const {
    V sums[B] = {};
    for (int k = coupling_start_[i]; k < coupling_start_[i + 1]; ++k) {
      const V tj = L::load(t_.data() + coupling_column_[k]);
      const Real* block = coupling_value_.data() + static_cast<std::ptrdiff_t>(k) * B * B;
      for (int r = 0; r < B; ++r) sums[r] += L::load(block + r * B) * tj;
    }
    return L::row_sums(sums);
  }

  // w = (I + L)^-1 rhs(i) over a piece; after(i, w_i) sees each.
  template <class Rhs, class After>
  void forward(const NodeRange& range, const Rhs& rhs, const After& after) {
    const Real* value = value_.data();
    const int *column = column_.data(), *start = row_start_.data();
    Real* w = w_.data();
    for (int i = range.begin; i < range.end; ++i) {
      V sums[B] = {};
      const int end = start[i + 1];
      for (int k = start[i]; k < end; ++k) {
        const Real* block = value + static_cast<std::size_t>(k) * B * B;
        const V wj = L::load(w + column[k]);
        for (int r = 0; r < B; ++r) sums[r] += L::load(block + r * B) * wj;
      }
      const V wi = rhs(i) - L::row_sums(sums);
      L::store(w + W * i, wi);
      after(i, wi);
    }
  }

  // t = (I + L')^-1 (p + what separators have left in t), with p = r + beta p on the way.
  void backward(const NodeRange& range, Real beta) {
    const Real* value = value_.data();
    const int *column = column_.data(), *start = row_start_.data();
    Real *t = t_.data(), *p = p_.data();
    const Real* r = r_.data();
    for (int i = range.end - 1; i >= range.begin; --i) {
      const V pi = L::load(r + W * i) + beta * L::load(p + W * i);
      L::store(p + W * i, pi);
      V ti = L::load(t + W * i) + pi;
      if constexpr (W > B) ti[W - 1] = 0;
      L::store(t + W * i, ti);
      V parts[B];
      for (int c = 0; c < B; ++c) parts[c] = L::broadcast(ti, c);
      const int end = start[i + 1];
      for (int k = start[i]; k < end; ++k) {
        const Real* block = value + static_cast<std::size_t>(k) * B * B;
        V change = L::load(block) * parts[0];
        for (int c = 1; c < B; ++c) change += L::load(block + c * B) * parts[c];
        L::store(t + column[k], L::load(t + column[k]) - change);
      }
    }
  }

  double product(const NodeRange& range) {
    Wide sum{};
    const auto after = [&](int i, V wi) { sum += L::widen(L::load(&p_[at(i)])) * L::widen(L::load(&t_[at(i)]) + wi); };
    const auto rest = [&](int i) { return L::load(&p_[at(i)]) - L::load(&t_[at(i)]); };
    if (coupled_)
      forward(
          range, [&](int i) { return rest(i) + coupled(i); }, after);
    else
      forward(range, rest, after);
    return L::sum(sum);
  }

  double update(const NodeRange& range, Real alpha) {
    Wide sum{};
    for (std::size_t k = at(range.begin); k < at(range.end); k += W) {
      const V t = L::load(&t_[k]);
      L::store(&x_[k], L::load(&x_[k]) + alpha * t);
      const V r = L::load(&r_[k]) - alpha * (t + L::load(&w_[k]));
      L::store(&r_[k], r);
      L::store(&t_[k], V{});
      const Wide wide = L::widen(r);
      sum += wide * wide;
    }
    return L::sum(sum);
  }

  // r = w = (I + L)^-1 C^-1 b.
  double start(ConstVector b, double size, const NodeRange& range) {
    Wide sum{};
    const auto rhs = [&](int i) {
      const double* from = b.data() + order_.node[i] * B;
      V result{};
      for (int r = 0; r < B; ++r) {
        double entry = 0;
        for (int m = 0; m <= r; ++m) entry += inverse(i, r, m) * from[m];
        result[r] = static_cast<Real>(entry / size);
      }
      return result;
    };
    forward(range, rhs, [&](int i, V wi) {
      L::store(&r_[at(i)], wi);
      const Wide wide = L::widen(wi);
      sum += wide * wide;
    });
    return L::sum(sum);
  }

  double finish(Vector x, double size, const NodeRange& range) {
    for (int i = range.begin; i < range.end; ++i) {
      double* to = x.data() + order_.node[i] * B;
      for (int k = 0; k < B; ++k) {
        double entry = 0;
        for (int m = k; m < B; ++m) entry += inverse(i, m, k) * static_cast<double>(x_[at(i) + m]);
        to[k] = size * entry;
      }
    }
    return 0;
  }

  // b - A x = C (I + L) r.
  double give_back(Vector to, const NodeRange& range) const {
    const Real* r = r_.data();
    for (int i = range.begin; i < range.end; ++i) {
      V sums[B] = {};
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) {
        const Real* block = value_.data() + static_cast<std::size_t>(k) * B * B;
        const V rj = L::load(r + column_[k]);
        for (int row = 0; row < B; ++row) sums[row] += L::load(block + row * B) * rj;
      }
      const V own = L::load(r + W * i) + L::row_sums(sums);
      double entry[B];
      for (int row = 0; row < B; ++row) {
        entry[row] = static_cast<double>(own[row]);
        for (int m = 0; m < row; ++m) entry[row] -= inverse(i, row, m) * entry[m];
        entry[row] /= inverse(i, row, row);
        to[order_.node[i] * B + row] = size_ * entry[row];
      }
    }
    return 0;
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i) * W; }

  // The backward sweep of the interiors, and p.A p. Couplings read t anywhere, and wait for all of it.
  double curvature_along(Real beta) {
    const auto inner = [&](const auto& work) { return over(order_.interiors, 0, work); };
    const auto along = [&](const NodeRange& range) { return product(range); };
    double sum = 0;
    if (coupled_) {
      inner([&](const NodeRange& range) {
        backward(range, beta);
        return 0.0;
      });
      sum = inner(along);
    } else {
      sum = inner([&](const NodeRange& range) {
        backward(range, beta);
        return product(range);
      });
    }
    return sum + over(order_.separators, order_.interiors.size(), along);
  }

  void iterate(ConstVector b, Vector x, double reduction, int limit, CgResult& result) {
    double size = 0;
    for (const double value : b) size = std::max(size, std::abs(value));
    size_ = size;
    for (auto* vector : {&x_, &p_, &t_}) std::fill(vector->begin(), vector->end(), Real{0});
    if (size > 0) {
      const double first = each_piece([&](const NodeRange& range) { return start(b, size, range); });
      double rho = first, before = first;
      while (rho > reduction * reduction * first) {
        if (result.iterations == limit) {
          result.end = CgResult::End::limit;
          break;
        }
        const auto beta = static_cast<Real>(result.iterations == 0 ? 0 : rho / before);
        over(order_.separators, order_.interiors.size(), [&](const NodeRange& range) {
          backward(range, beta);
          return 0.0;
        });
        const double curvature = curvature_along(beta);
        ++result.iterations;
        if (!(curvature > 0)) {
          result.end = CgResult::End::negative_curvature;
          break;
        }
        const auto alpha = static_cast<Real>(rho / curvature);
        before = rho;
        rho = each_piece([&](const NodeRange& range) { return update(range, alpha); });
      }
      if (!(rho >= 0)) result.end = CgResult::End::limit;  // beyond what single precision holds: no solution
      result.reduction = std::sqrt(rho / first);
    }
    each_piece([&](const NodeRange& range) { return finish(x, size, range); });
  }

  struct Source {
    int begin, length, diagonal;  // first column of the node, distance of its columns, offset of the diagonal block
  };

  SweepOrder order_;
  std::vector<Source> source_;
  std::vector<int> row_start_, column_, offset_;  // the strictly lower blocks by rows; columns times W
  std::vector<Real> value_;
  std::vector<double> inverse_;  // C^-1 of each node by columns, W numbers each
  std::vector<Real> x_, r_, p_, t_, w_;
  std::vector<double> partial_;
  bool coupled_ = false;
  double size_ = 0;                                                      // of the last right side
  std::vector<int> position_, coupling_start_, coupling_column_, next_;  // by positions; columns times W
  std::vector<Real> coupling_value_;
};

template <class Real>
std::unique_ptr<BlockCg> make(const SparsePattern& pattern) {
  switch (pattern.block) {
    case 3: return std::make_unique<SweepCg<Real, 3>>(pattern);
    case 2: return std::make_unique<SweepCg<Real, 2>>(pattern);
    default: return std::make_unique<SweepCg<Real, 1>>(pattern);
  }
}

}  // namespace

std::unique_ptr<BlockCg> make_block_cg(const SparsePattern& pattern, CgPrecision precision) {
  return precision == CgPrecision::single ? make<float>(pattern) : make<double>(pattern);
}

}  // namespace livens
