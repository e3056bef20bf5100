// Forces of springs, four at a time, and their discrete derivative in s = d.d [E04 4, G-equivariant]: with W[e0, e1]
// the divided difference of the law,
//
//   DW = W[e0, e1] / (l0 + l1) (d0 + d1),   DW.(d1 - d0) = W[e0, e1] (l1 - l0) = W(e1) - W(e0)
#include <algorithm>
#include <cmath>

#include "forces/pair_block.hpp"
#include "forces/spring.hpp"
#include "forces/spring_law.hpp"
#include "forces/spring_stencils.hpp"
#include "math/finite.hpp"
#include "math/pack_functions.hpp"
#include "math/parallel.hpp"
#include "math/scratch.hpp"

namespace livens {
namespace {

// Nodes a chunk; small enough to balance threads, large enough that few springs cross.
constexpr int nodes_per_chunk = 8192;

}  // namespace

SpringSet::SpringSet(std::vector<SpringElement> all, int dimension) : dimension_(dimension), springs_(std::move(all)) {
  int last = 0;
  for (SpringElement& s : springs_) {
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
  std::sort(springs_.begin(), springs_.end(), [&](const SpringElement& a, const SpringElement& b) {
    const int ca = chunk_of(a.i), cb = chunk_of(b.i);
    if (ca != cb) return ca < cb;
    const bool oa = chunk_of(a.j) != ca, ob = chunk_of(b.j) != cb;
    if (oa != ob) return ob;
    return a.i != b.i ? a.i < b.i : a.j < b.j;
  });
  const int count = springs_.empty() ? 0 : chunk_of(last) + 1;
  std::size_t k = 0;
  for (int c = 0; c < count; ++c) {
    Chunk chunk{k, k, k, k, static_cast<std::size_t>(c * width), static_cast<std::size_t>((c + 1) * width), 0, {}};
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
      chunks_[chunk_of(springs_[s].j)].incoming.push_back(s);
  for (const SpringElement& s : springs_) uniform_rest = uniform_rest && s.rest == springs_.front().rest;
  for (const SpringElement& s : springs_) {
    i.push_back(s.i);
    j.push_back(s.j);
    if (!uniform_rest || rest.empty()) rest.push_back(s.rest);
    for (int d = 0; shifted_ && d < dimension_; ++d) shift.push_back(s.shift[d]);
  }
}

namespace {

constexpr int batch = pack_lanes;
using Two = double __attribute__((vector_size(16)));
using TwoAnywhere = double __attribute__((vector_size(16), aligned(8)));

inline Two two_at(const double* x) { return *reinterpret_cast<const TwoAnywhere*>(x); }
inline void add_two(double* x, Two y) { *reinterpret_cast<TwoAnywhere*>(x) += y; }

// The force of one spring, or a sum of such.
template <int D>
struct SpringForce {
  double z = 0;
  Two xy{};
  void add(const SpringForce& f) {
    xy += f.xy;
    z += f.z;
  }
  void add_to(double* g) const {
    add_two(g, xy);
    if constexpr (D == 3) g[2] += z;
  }
  void subtract_from(double* g) const {
    add_two(g, -xy);
    if constexpr (D == 3) g[2] -= z;
  }
};
template <>
struct SpringForce<1> {
  double x = 0;
  void add(const SpringForce& f) { x += f.x; }
  void add_to(double* g) const { *g += x; }
  void subtract_from(double* g) const { *g -= x; }
};

// Four springs at once: differences, and the factor W'(e)/|d|. A tail repeats its first spring.
template <int D, bool Shifted>
struct SpringBatch {
  Pack d[D];
  Pack factor, energy;

  void load(const SpringSet& set, const double* q, std::size_t first, std::size_t count) {
    std::size_t s[batch];
    for (std::size_t k = 0; k < batch; ++k) s[k] = first + (k < count ? k : 0);
    if constexpr (D == 1) {
      for (int k = 0; k < batch; ++k) d[0][k] = q[set.j[s[k]]] - q[set.i[s[k]]];
    } else {
      Two xy[batch];
      for (int k = 0; k < batch; ++k) {
        const double *a = q + set.i[s[k]], *b = q + set.j[s[k]];
        xy[k] = two_at(b) - two_at(a);
        if constexpr (D == 3) d[2][k] = b[2] - a[2];
      }
      const Pack even = __builtin_shufflevector(xy[0], xy[2], 0, 1, 2, 3),
                 odd = __builtin_shufflevector(xy[1], xy[3], 0, 1, 2, 3);
      d[0] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
      d[1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    }
    if constexpr (Shifted)
      for (int c = 0; c < D; ++c)
        for (int k = 0; k < batch; ++k) d[c][k] += set.shift[s[k] * D + c];
  }

  // f[k] = scale * factor * d of spring k.
  void forces(double scale, SpringForce<D> (&f)[batch]) const {
    const Pack by = scale * factor;
    if constexpr (D == 1) {
      const Pack x = by * d[0];
      for (int k = 0; k < batch; ++k) f[k].x = x[k];
    } else {
      const Pack x = by * d[0], y = by * d[1];
      const Pack even = __builtin_shufflevector(x, y, 0, 4, 2, 6), odd = __builtin_shufflevector(x, y, 1, 5, 3, 7);
      f[0].xy = __builtin_shufflevector(even, even, 0, 1);
      f[1].xy = __builtin_shufflevector(odd, odd, 0, 1);
      f[2].xy = __builtin_shufflevector(even, even, 2, 3);
      f[3].xy = __builtin_shufflevector(odd, odd, 2, 3);
      if constexpr (D == 3) {
        const Pack z = by * d[2];
        for (int k = 0; k < batch; ++k) f[k].z = z[k];
      }
    }
  }

  Pack squared_length() const {
    Pack l2 = d[0] * d[0];
    for (int c = 1; c < D; ++c) l2 += d[c] * d[c];
    return l2;
  }

  template <bool WithEnergy>
  void evaluate(const SpringSet& set, const SpringLaw& law, std::size_t first, std::size_t count) {
    const Pack rest = rest_lengths(set, first, count), l2 = squared_length();
    const Pack l = sqrt(l2), e = l - rest;
    factor = spring_slope(law, e) / l;
    if constexpr (WithEnergy) energy = spring_energy(law, e);
    mend_zero_lengths(l, rest, law.stiffness);
  }

  // From the springs at the start to these: d = d0 + d1 and the factor of the discrete derivative.
  void evaluate_from(const SpringBatch& start, const SpringSet& set, const SpringLaw& law, std::size_t first,
                     std::size_t count) {
    const Pack rest = rest_lengths(set, first, count);
    const Pack l0 = sqrt(start.squared_length()), l1 = sqrt(squared_length()), sum = l0 + l1;
    factor = mean_slope(law, l0 - rest, l1 - rest) / sum;
    for (int c = 0; c < D; ++c) d[c] += start.d[c];
    mend_zero_lengths(sum, rest, law.stiffness / 2);
  }

 private:
  static Pack rest_lengths(const SpringSet& set, std::size_t first, std::size_t count) {
    Pack rest;
    for (std::size_t k = 0; k < batch; ++k) rest[k] = set.rest[set.uniform_rest ? 0 : first + (k < count ? k : 0)];
    return rest;
  }

  // A spring without length has no direction; one whose rest length is zero still has its stiffness.
  void mend_zero_lengths(const Pack& l, const Pack& rest, double stiffness) {
    const Pack test = zero_if_finite(factor);
    if (test[0] + test[1] + test[2] + test[3] == 0) return;
    for (int k = 0; k < batch; ++k)
      if (l[k] == 0) factor[k] = rest[k] == 0 ? stiffness : 0;
  }
};

template <int D, bool Shifted>
class SpringTerm final : public EnergyTerm {
 public:
  SpringTerm(std::string name, std::shared_ptr<const SpringSet> set, SpringLaw law)
      : EnergyTerm(std::move(name)), set_(std::move(set)), law_(law) {}

  double energy(double, ConstVector q) const override {
    const auto& chunks = set_->chunks();
    std::vector<double> sums(chunks.size(), 0.0);
    each_chunk([&](std::size_t c) { sums[c] = energy_of(at<true>(q), chunks[c].inner_begin, chunks[c].outer_end); });
    double total = 0;
    for (const double sum : sums) total += sum;
    return total;
  }

  void add_gradient(double, ConstVector q, double scale, Vector gradient) const override {
    accumulate<false, false>(at<false>(q), scale, gradient);
  }

  void write_gradient(double, ConstVector q, Vector gradient) const override {
    accumulate<false, true>(at<false>(q), 1, gradient);
  }

  double add_gradient_and_energy(double, ConstVector q, double scale, Vector gradient) const override {
    return accumulate<true, false>(at<true>(q), scale, gradient);
  }

  // W'' n n' + W'/l (1 - n n'), on (j, j) and (i, i), negative on (i, j) and (j, i).
  void add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    for (const SpringElement& s : set_->springs()) {
      double d[D];
      const double l = difference(s, q, d), e = l - s.rest;
      const double curvature = law_.stiffness + e * (2 * law_.cubic + 3 * e * law_.quartic);
      const double across = l > 0 ? spring_slope(law_, e) / l : (s.rest == 0 ? law_.stiffness : 0);
      const double along = l > 0 ? (curvature - across) / (l * l) : 0;
      add_pair_block(s.i, s.j, D, central_tangent(scale * across, scale * along, d, d, D, false), sink);
    }
  }

  bool add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const override {
    accumulate<false, false>(
        [&](SpringBatch<D, Shifted>& b, std::size_t first, std::size_t count) {
          SpringBatch<D, Shifted> start;
          start.load(*set_, x.data(), first, count);
          b.load(*set_, y.data(), first, count);
          b.evaluate_from(start, *set_, law_, first, count);
        },
        scale, gradient);
    return true;
  }

  // f = W[e0, e1]/(l0 + l1), df/dl1 = (dW[e0, e1]/de1 - f)/(l0 + l1)
  void add_discrete_hessian(double, ConstVector x, ConstVector y, double scale, bool symmetric,
                            MatrixSink& sink) const override {
    for (const SpringElement& s : set_->springs()) {
      double sum[D], n[D];
      const double l0 = difference(s, x, sum), l1 = difference(s, y, n), both = l0 + l1;
      for (int c = 0; c < D; ++c) {
        sum[c] += n[c];
        n[c] = l1 > 0 ? n[c] / l1 : 0;
      }
      const double e0 = l0 - s.rest, e1 = l1 - s.rest;
      const double f = both > 0 ? mean_slope(law_, e0, e1) / both : (s.rest == 0 ? law_.stiffness / 2 : 0);
      const double slope = both > 0 ? (mean_curvature(law_, e0, e1) - f) / both : 0;
      add_pair_block(s.i, s.j, D, central_tangent(scale * f, scale * slope, sum, n, D, symmetric), sink);
    }
  }

  std::shared_ptr<const Stencils> stencils() const override { return make_spring_stencils(set_, law_, {}); }

  // Images shift the lever arms of a periodic body, which has no angular momentum to keep.
  Invariance invariance() const override { return {true, !Shifted}; }

 private:
  // d = q_j - q_i + shift; returns its length.
  static double difference(const SpringElement& s, ConstVector q, double* d) {
    double l2 = 0;
    for (int c = 0; c < D; ++c) {
      d[c] = q[s.j + c] - q[s.i + c] + s.shift[c];
      l2 += d[c] * d[c];
    }
    return std::sqrt(l2);
  }

  // Fills a batch of springs with their vectors and factors at q.
  template <bool WithEnergy>
  auto at(ConstVector q) const {
    return [this, q = q.data()](SpringBatch<D, Shifted>& b, std::size_t first, std::size_t count) {
      b.load(*set_, q, first, count);
      b.template evaluate<WithEnergy>(*set_, law_, first, count);
    };
  }

  template <class Body>
  void each_chunk(const Body& body) const {
    for_each_index(set_->chunks().size(), body);
  }

  template <class Fill>
  double energy_of(const Fill& fill, std::size_t begin, std::size_t end) const {
    double sum = 0;
    SpringBatch<D, Shifted> b;
    for (std::size_t s = begin; s < end; s += batch) {
      const std::size_t count = std::min<std::size_t>(batch, end - s);
      fill(b, s, count);
      for (std::size_t k = 0; k < count; ++k) sum += b.energy[k];
    }
    return sum;
  }

  // Adds springs [begin, end) to g at their first node and to *target(spring) at their second; returns their energy.
  // Springs are sorted by their first node, whose sum stays in registers until the node changes.
  template <bool WithEnergy, class Fill, class Target>
  double sweep(const Fill& fill, double scale, std::size_t begin, std::size_t end, double* g,
               const Target& target) const {
    if (begin == end) return 0;
    SpringBatch<D, Shifted> b;
    double energy_sum = 0;
    SpringForce<D> first_sum, forces[batch];
    int first = set_->i[begin];
    for (std::size_t s = begin; s < end; s += batch) {
      const std::size_t count = std::min<std::size_t>(batch, end - s);
      fill(b, s, count);
      b.forces(scale, forces);
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t spring = s + k;
        if (set_->i[spring] != first) {
          first_sum.subtract_from(g + first);
          first_sum = {};
          first = set_->i[spring];
        }
        first_sum.add(forces[k]);
        forces[k].add_to(target(spring));
        if constexpr (WithEnergy) energy_sum += b.energy[k];
      }
    }
    first_sum.subtract_from(g + first);
    return energy_sum;
  }

  // First every chunk sums its own springs and keeps what leaves it aside; then every chunk takes what comes in.
  template <bool WithEnergy, bool Overwrite, class Fill>
  double accumulate(const Fill& fill, double scale, Vector gradient) const {
    const auto& chunks = set_->chunks();
    ScratchVector out(set_->outer_count() * D), energies(chunks.size(), 0.0);
    if constexpr (Overwrite) {  // what lies behind the last chunk has no spring
      const std::size_t covered = chunks.empty() ? 0 : std::min(chunks.back().last_coordinate, gradient.size());
      std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(covered), gradient.end(), 0.0);
    }
    each_chunk([&](std::size_t c) {
      const auto& chunk = chunks[c];
      double* g = gradient.data();
      if constexpr (Overwrite)
        std::fill(g + std::min(chunk.first_coordinate, gradient.size()),
                  g + std::min(chunk.last_coordinate, gradient.size()), 0.0);
      double sum = sweep<WithEnergy>(fill, scale, chunk.inner_begin, chunk.inner_end, g,
                                     [&](std::size_t spring) { return g + set_->j[spring]; });
      sum += sweep<WithEnergy>(fill, scale, chunk.outer_begin, chunk.outer_end, g, [&](std::size_t spring) {
        double* slot = out.data() + (chunk.outer_offset + spring - chunk.outer_begin) * D;
        std::fill(slot, slot + D, 0.0);
        return slot;
      });
      energies[c] = sum;
    });
    if (set_->outer_count() > 0) {
      each_chunk([&](std::size_t c) {
        for (const std::size_t spring : chunks[c].incoming) {
          const auto& from = chunks[set_->i[spring] / (nodes_per_chunk * D)];
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
  if (set->shifted()) return std::make_shared<SpringTerm<D, true>>(std::move(name), std::move(set), law);
  return std::make_shared<SpringTerm<D, false>>(std::move(name), std::move(set), law);
}

}  // namespace

std::shared_ptr<const EnergyTerm> make_springs(std::string name, std::shared_ptr<const SpringSet> springs,
                                               SpringLaw law) {
  switch (springs->dimension()) {
    case 1: return make_for<1>(std::move(name), std::move(springs), law);
    case 2: return make_for<2>(std::move(name), std::move(springs), law);
    default: return make_for<3>(std::move(name), std::move(springs), law);
  }
}

}  // namespace livens
