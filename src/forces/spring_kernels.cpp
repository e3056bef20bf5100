#include "forces/spring.hpp"

#include "math/parallel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace livens {
namespace {

// Nodes a chunk; small enough to balance threads, large enough that few springs cross.
constexpr int nodes_per_chunk = 8192;

}  // namespace

SpringSet::SpringSet(std::vector<Spring> all, int dimension) : dimension_(dimension), springs_(std::move(all)) {
  int last = 0;
  for (Spring& s : springs_) {
    if (s.j < s.i) {
      std::swap(s.i, s.j);
      for (double& component : s.shift) component = -component;
    }
    last = std::max(last, s.j);
    for (const double component : s.shift) shifted_ = shifted_ || component != 0;
  }
  const int width = nodes_per_chunk * dimension;
  const auto chunk_of = [&](int coordinate) { return coordinate / width; };
  // By chunk of the first end; inside springs before those that leave; then by node, for locality.
  std::sort(springs_.begin(), springs_.end(), [&](const Spring& a, const Spring& b) {
    const int ca = chunk_of(a.i), cb = chunk_of(b.i);
    if (ca != cb) return ca < cb;
    const bool oa = chunk_of(a.j) != ca, ob = chunk_of(b.j) != cb;
    if (oa != ob) return ob;
    return a.i != b.i ? a.i < b.i : a.j < b.j;
  });
  const int count = springs_.empty() ? 0 : chunk_of(last) + 1;
  std::size_t k = 0;
  for (int c = 0; c < count; ++c) {
    Chunk chunk{k, k, k, k, 0, {}};
    while (k < springs_.size() && chunk_of(springs_[k].i) == c && chunk_of(springs_[k].j) == c) ++k;
    chunk.inner_end = chunk.outer_begin = k;
    while (k < springs_.size() && chunk_of(springs_[k].i) == c) ++k;
    chunk.outer_end = k;
    chunks_.push_back(std::move(chunk));
  }
  for (Chunk& chunk : chunks_) {
    chunk.outer_offset = outer_count_;
    outer_count_ += chunk.outer_end - chunk.outer_begin;
  }
  for (std::size_t c = 0; c < chunks_.size(); ++c)
    for (std::size_t s = chunks_[c].outer_begin; s < chunks_[c].outer_end; ++s)
      chunks_[static_cast<std::size_t>(chunk_of(springs_[s].j))].incoming.push_back(s);
  for (const Spring& s : springs_) {
    i.push_back(s.i);
    j.push_back(s.j);
    rest.push_back(s.rest);
    for (int d = 0; shifted_ && d < dimension_; ++d) shift.push_back(s.shift[d]);
  }
}

namespace {

constexpr int batch = 8;

// One batch of springs: differences, lengths, and the factor W'(e)/|d|, written so that the compiler vectorises it.
template <int D, bool Shifted>
struct SpringBatch {
  double d[D][batch];
  double factor[batch];
  double energy[batch];

  void load(const SpringSet& set, const double* q, std::size_t first, int count) {
    for (int k = 0; k < count; ++k) {
      const std::size_t s = first + static_cast<std::size_t>(k);
      const double *a = q + set.i[s], *b = q + set.j[s];
      for (int c = 0; c < D; ++c) {
        d[c][k] = b[c] - a[c];
        if constexpr (Shifted) d[c][k] += set.shift[s * D + static_cast<std::size_t>(c)];
      }
    }
    for (int k = count; k < batch; ++k)
      for (int c = 0; c < D; ++c) d[c][k] = 1;
  }

  template <bool WithEnergy>
  void evaluate(const SpringSet& set, const SpringLaw& law, std::size_t first, int count) {
    double rest[batch];
    for (int k = 0; k < batch; ++k) rest[k] = set.rest[first + static_cast<std::size_t>(k < count ? k : 0)];
    for (int k = 0; k < batch; ++k) {
      double l2 = d[0][k] * d[0][k];
      for (int c = 1; c < D; ++c) l2 += d[c][k] * d[c][k];
      const double l = std::sqrt(l2), e = l - rest[k];
      const double slope = e * (law.stiffness + e * (law.cubic + e * law.quartic));
      factor[k] = slope / l;
      if constexpr (WithEnergy)
        energy[k] = e * e * (law.stiffness / 2 + e * (law.cubic / 3 + e * law.quartic / 4));
    }
    // A spring without length has no direction; one whose rest length is zero still has its stiffness.
    for (int k = 0; k < count; ++k)
      if (!(factor[k] - factor[k] == 0)) {
        double l2 = 0;
        for (int c = 0; c < D; ++c) l2 += d[c][k] * d[c][k];
        if (l2 == 0) factor[k] = rest[k] == 0 ? law.stiffness : 0;
      }
  }
};

template <int D, bool Shifted>
class Springs final : public EnergyTerm {
 public:
  Springs(std::string name, std::shared_ptr<const SpringSet> set, SpringLaw law)
      : EnergyTerm(std::move(name)), set_(std::move(set)), law_(law) {}

  double energy(double, ConstVector q) const override {
    const auto& chunks = set_->chunks();
    std::vector<double> sums(chunks.size(), 0.0);
    each_chunk([&](std::size_t c) {
      sums[c] = energy_of(q.data(), chunks[c].inner_begin, chunks[c].outer_end);
    });
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
  }

  void add_gradient(double, ConstVector q, double scale, Vector gradient) const override {
    accumulate<false>(q, scale, gradient);
  }

  double add_gradient_and_energy(double, ConstVector q, double scale, Vector gradient) const override {
    return accumulate<true>(q, scale, gradient);
  }

  // W'' n n' + W'/l (1 - n n'), on (j, j) and (i, i), negative on (i, j) and (j, i).
  void add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    for (const Spring& s : set_->springs()) {
      double d[3] = {0, 0, 0}, l2 = 0;
      for (int c = 0; c < D; ++c) {
        d[c] = q[static_cast<std::size_t>(s.j + c)] - q[static_cast<std::size_t>(s.i + c)] + s.shift[c];
        l2 += d[c] * d[c];
      }
      const double l = std::sqrt(l2), e = l - s.rest;
      const double slope = e * (law_.stiffness + e * (law_.cubic + e * law_.quartic));
      const double curvature = law_.stiffness + e * (2 * law_.cubic + 3 * e * law_.quartic);
      const double across = l > 0 ? slope / l : (s.rest == 0 ? law_.stiffness : 0);
      const double along = l > 0 ? (curvature - across) / l2 : 0;
      std::array<double, 4 * D * D> block;
      std::array<int, 2 * D> rows;
      for (int a = 0; a < D; ++a) {
        rows[static_cast<std::size_t>(a)] = s.i + a;
        rows[static_cast<std::size_t>(D + a)] = s.j + a;
        for (int b = 0; b < D; ++b) {
          const double value = scale * (along * d[a] * d[b] + (a == b ? across : 0));
          block[static_cast<std::size_t>(a * 2 * D + b)] = block[static_cast<std::size_t>((D + a) * 2 * D + D + b)] = value;
          block[static_cast<std::size_t>(a * 2 * D + D + b)] = block[static_cast<std::size_t>((D + a) * 2 * D + b)] = -value;
        }
      }
      sink.add_block(rows, rows, block.data());
    }
  }

  // Images shift the lever arms of a periodic body, which has no angular momentum to keep.
  Invariance invariance() const override { return {true, !Shifted}; }

 private:
  template <class Body>
  void each_chunk(const Body& body) const {
    for_each_index(set_->chunks().size(), body);
  }

  double energy_of(const double* q, std::size_t begin, std::size_t end) const {
    double sum = 0;
    SpringBatch<D, Shifted> b;
    for (std::size_t s = begin; s < end; s += batch) {
      const int count = static_cast<int>(std::min<std::size_t>(batch, end - s));
      b.load(*set_, q, s, count);
      b.template evaluate<true>(*set_, law_, s, count);
      for (int k = 0; k < count; ++k) sum += b.energy[k];
    }
    return sum;
  }

  // First every chunk sums its own springs and keeps what leaves it aside; then every chunk takes what comes in.
  template <bool WithEnergy>
  double accumulate(ConstVector q, double scale, Vector gradient) const {
    const auto& chunks = set_->chunks();
    thread_local std::vector<double> leaving, sums;
    std::vector<double>&out = leaving, &energies = sums;  // references, since workers have thread-locals of their own
    out.resize(set_->outer_count() * D);
    energies.assign(chunks.size(), 0.0);
    each_chunk([&](std::size_t c) {
      const auto& chunk = chunks[c];
      double* g = gradient.data();
      SpringBatch<D, Shifted> b;
      double sum = 0;
      for (std::size_t s = chunk.inner_begin; s < chunk.outer_end; s += batch) {
        const int count = static_cast<int>(std::min<std::size_t>(batch, chunk.outer_end - s));
        b.load(*set_, q.data(), s, count);
        b.template evaluate<WithEnergy>(*set_, law_, s, count);
        for (int k = 0; k < count; ++k) {
          const std::size_t spring = s + static_cast<std::size_t>(k);
          const double f = scale * b.factor[k];
          double* gi = g + set_->i[spring];
          double* gj = spring < chunk.outer_begin ? g + set_->j[spring]
                                                  : out.data() + (chunk.outer_offset + spring - chunk.outer_begin) * D;
          if (spring >= chunk.outer_begin)
            for (int a = 0; a < D; ++a) gj[a] = 0;
          for (int a = 0; a < D; ++a) {
            gi[a] -= f * b.d[a][k];
            gj[a] += f * b.d[a][k];
          }
          if constexpr (WithEnergy) sum += b.energy[k];
        }
      }
      energies[c] = sum;
    });
    if (set_->outer_count() > 0) {
      each_chunk([&](std::size_t c) {
        for (const std::size_t spring : chunks[c].incoming) {
          const auto& from = chunks[static_cast<std::size_t>(set_->i[spring] / (nodes_per_chunk * D))];
          const double* value = out.data() + (from.outer_offset + spring - from.outer_begin) * D;
          double* gj = gradient.data() + set_->j[spring];
          for (int a = 0; a < D; ++a) gj[a] += value[a];
        }
      });
    }
    double total = 0;
    for (const double sum : energies) total += sum;
    return total;
  }

  std::shared_ptr<const SpringSet> set_;
  SpringLaw law_;
};

template <int D>
std::shared_ptr<const EnergyTerm> make_for(std::string name, std::shared_ptr<const SpringSet> set, SpringLaw law) {
  if (set->shifted()) return std::make_shared<Springs<D, true>>(std::move(name), std::move(set), law);
  return std::make_shared<Springs<D, false>>(std::move(name), std::move(set), law);
}

}  // namespace

std::shared_ptr<const EnergyTerm> make_springs(std::string name, std::shared_ptr<const SpringSet> springs, SpringLaw law) {
  switch (springs->dimension()) {
    case 1: return make_for<1>(std::move(name), std::move(springs), law);
    case 2: return make_for<2>(std::move(name), std::move(springs), law);
    default: return make_for<3>(std::move(name), std::move(springs), law);
  }
}

}  // namespace livens
