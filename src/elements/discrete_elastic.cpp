// Discrete gradients of hyperelastic elements and their tangents, four elements at a time.
//
//   dP/dF1:  K_ab = (b_a.S b_b)/2 1 + Bm_a' K B1_b,   B_a: column i is the symmetric part of F' (e_i (x) b_a)
// with F = Fm on the side of the force and F1 on that of the change: not symmetric.
#include "elements/discrete_elastic.hpp"

#include <algorithm>

#include "elements/discrete_point.hpp"
#include "elements/elastic_kernels.hpp"
#include "elements/linear_kernels.hpp"

namespace livens {
namespace {

template <ElementKind K>
class DiscreteKernels final : public ElasticKernels<K> {
  using Base = ElasticKernels<K>;
  using Base::each, Base::energy_, Base::i2_, Base::layout_;

 public:
  static constexpr int N = Base::N, D = Base::D, G = Base::G, V = Symmetric<D>::size;
  static constexpr int points_at_once =
      4;  // points that a material evaluates at once; three times as many are in cache
  static constexpr int packs_at_once = points_at_once / G;

  using Base::Base;

  // local += scale * DW; middle, change: (x + y)/2 and y - x of the nodes.
  void chunk_gradient(const ElementChunk& chunk, const double* middle, const double* change, double scale,
                      double* local, const NodesAhead& from, const NodesAhead& to) const {
    StepPoint<D> steps[points_at_once];
    EnergyPoint points[points_at_once];
    for (int first = 0; first < chunk.packs; first += packs_at_once) {
      const int packs = std::min(packs_at_once, chunk.packs - first), parts = (chunk.packs - 1) / packs_at_once + 1;
      from.fetch(first / packs_at_once, parts);
      to.fetch(first / packs_at_once, parts);
      prepare(chunk, first, packs, middle, change, 1, steps, points);
      for (int p = 0; p < packs; ++p) {
        const int pack = chunk.first_pack + first + p;
        Pack f[N][D];
        LIVENS_FOR (int g = 0; g < G; ++g) {
          const Pack* geometry = Base::geometry_of(chunk, first + p) + g * each;
          const StepPoint<D>& step = steps[p * G + g];
          const Symmetric<D> S = step.stress(points[p * G + g], i2_);
          const Pack weight = geometry[0] * scale;
          Pack P[D][D];
          LIVENS_FOR (int i = 0; i < D; ++i)
            LIVENS_FOR (int j = 0; j < D; ++j) {
              Pack sum = step.F[i][0] * S(0, j) + step.F[i][1] * S(1, j);
              if constexpr (D == 3) sum += step.F[i][2] * S(2, j);
              P[i][j] = weight * sum;
            }
          spread_stress<N, D>(P, geometry + 1, g == 0, f);
        }
        scatter_pack<N, D>(layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N, f, local);
      }
    }
  }

  // Adds scale * dDW/dy to the matrix.
  void chunk_tangent(const ElementChunk& chunk, const double* middle, const double* change, double scale,
                     const BlockAccess& access) const {
    StepPoint<D> steps[points_at_once];
    EnergyPoint points[points_at_once], ends[points_at_once];
    ChunkBlocks<N, D> sums(layout_, chunk), mirrored(layout_, chunk, true);
    for (int first = 0; first < chunk.packs; first += packs_at_once) {
      const int packs = std::min(packs_at_once, chunk.packs - first);
      prepare(chunk, first, packs, middle, change, 2, steps, points);
      for (int k = 0; k < packs * G; ++k) end_invariants(steps[k], 0.5, ends[k]);
      evaluate(ends, packs * G, 1, Base::coefficients_of(chunk, first));
      for (int p = 0; p < packs; ++p) {
        const int pack = chunk.first_pack + first + p;
        PairBlocks<N, D> blocks, mirror;
        for (int g = 0; g < G; ++g)
          point_tangent(steps[p * G + g], points[p * G + g], ends[p * G + g],
                        Base::geometry_of(chunk, first + p) + g * each, scale, g == 0, blocks, mirror);
        sums.add(pack, blocks, mirror);
        mirrored.add(pack, mirror, blocks);
      }
    }
    sums.finish(access, mirrored);
  }

 private:
  // With plane strain's dependence on I2 folded into that on I1 and J.
  void evaluate(EnergyPoint* points, int count, int order, const Pack* coefficients) const {
    energy_.evaluate(points, count, order, coefficients);
    if (D == 2 && energy_.uses_i2() && order > 0)
      for (int k = 0; k < count; ++k) fold(points[k], order);
  }

  void end_invariants(const StepPoint<D>& step, double s, EnergyPoint& e) const {
    Pack F[D][D];
    step.at_end(s, F);
    invariants(F, i2_, e);
  }

  // Steps with all that their stress needs, and the derivatives of w at their middle.
  void prepare(const ElementChunk& chunk, int first, int packs, const double* middle, const double* change, int order,
               StepPoint<D>* steps, EnergyPoint* points) const {
    for (int p = 0; p < packs; ++p) {
      const int pack = chunk.first_pack + first + p;
      const std::uint16_t* index = layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N;
      Pack x[N][D], d[N][D];
      gather_pack<N, D>(index, middle, x);
      gather_pack<N, D>(index, change, d);
      for (int g = 0; g < G; ++g) {
        const Pack* geometry = Base::geometry_of(chunk, first + p) + g * each;
        Base::fetch_ahead(geometry);
        StepPoint<D>& step = steps[p * G + g];
        deformation<N, D>(x, geometry + 1, step.F);
        deformation<N, D>(d, geometry + 1, step.dF);
        step.prepare(i2_);
        step.invariants_at(0, i2_, points[p * G + g]);
      }
    }
    const Pack* coefficients = Base::coefficients_of(chunk, first);
    evaluate(points, packs * G, order, coefficients);
    add_remainders(steps, points, packs * G, coefficients);
  }

  // The coefficients of two points each of some of the points.
  const Pack* twice(const Pack* coefficients, const int* owner, int pairs, Pack* out) const {
    if (coefficients == nullptr) return nullptr;
    const int n = layout_.coefficients_each;
    for (int m = 0; m < 2 * pairs; ++m) std::copy_n(coefficients + owner[m / 2] * n, n, out + m * n);
    return out;
  }

  void add_remainders(StepPoint<D>* steps, const EnergyPoint* points, int count, const Pack* coefficients) const {
    EnergyPoint pair[2 * points_at_once];
    Pack own[2 * points_at_once * most_coefficients];
    int owner[points_at_once], pairs = 0;
    Pack n[points_at_once] = {};
    for (int k = 0; k < count; ++k) {
      steps[k].w_1 = steps[k].slope_at(0, points[k], i2_);
      if (!any(steps[k].near)) continue;
      steps[k].invariants_at(-gauss_point, i2_, pair[2 * pairs]);
      steps[k].invariants_at(gauss_point, i2_, pair[2 * pairs + 1]);
      owner[pairs++] = k;
    }
    evaluate(pair, 2 * pairs, 1, twice(coefficients, owner, pairs, own));
    for (int m = 0; m < pairs; ++m) n[owner[m]] = steps[owner[m]].gauss_remainder(pair[2 * m], pair[2 * m + 1], i2_);
    pairs = 0;
    for (int k = 0; k < count; ++k) {
      if (all(steps[k].near)) continue;
      end_invariants(steps[k], -0.5, pair[2 * pairs]);
      end_invariants(steps[k], 0.5, pair[2 * pairs + 1]);
      owner[pairs++] = k;
    }
    evaluate(pair, 2 * pairs, 0, twice(coefficients, owner, pairs, own));
    for (int m = 0; m < pairs; ++m) {
      const StepPoint<D>& step = steps[owner[m]];
      n[owner[m]] = step.near ? n[owner[m]] : pair[2 * m + 1].w - pair[2 * m].w - step.w_1;
    }
    for (int k = 0; k < count; ++k) steps[k].finish(n[k]);
  }

  // B_a, see above, for all nodes after the first.
  static void strain_columns(const Pack (&F)[D][D], const Pack* b, Pack (&B)[N][V][D]) {
    for (int a = 1; a < N; ++a, b += D)
      LIVENS_FOR_ALL (int k = 0; k < V; ++k) {
        const int r = Symmetric<D>::row(k), c = Symmetric<D>::column(k);
        LIVENS_FOR (int i = 0; i < D; ++i) B[a][k][i] = k < D ? F[i][r] * b[r] : F[i][r] * b[c] + F[i][c] * b[r];
      }
  }

  void point_tangent(const StepPoint<D>& step, const EnergyPoint& point, const EnergyPoint& end, const Pack* geometry,
                     double scale, bool first, PairBlocks<N, D>& out, PairBlocks<N, D>& mirror) const {
    const Pack weight = geometry[0] * scale;
    const Pack* b = geometry + 1;
    Pack second[V][V], rows[N][V][D], columns[N][V][D], F1[D][D];
    step.second(point, end, i2_, second);
    step.at_end(0.5, F1);
    strain_columns(step.F, b, rows);
    strain_columns(F1, b, columns);
    Symmetric<D> S = step.stress(point, i2_);
    LIVENS_FOR_ALL (int k = 0; k < V; ++k) {
      S.v[k] *= 0.5 * weight;
      LIVENS_FOR_ALL (int c = 0; c < V; ++c) second[k][c] *= weight;
    }
    for (int c = 1; c < N; ++c) {
      const Pack* bc = b + (c - 1) * D;
      Pack stressed[V][D], along[D];
      LIVENS_FOR (int i = 0; i < D; ++i) {
        along[i] = S(i, 0) * bc[0] + S(i, 1) * bc[1];
        if constexpr (D == 3) along[i] += S(i, 2) * bc[2];
      }
      LIVENS_FOR_ALL (int k = 0; k < V; ++k)
        LIVENS_FOR (int j = 0; j < D; ++j) {
          Pack sum = second[k][0] * columns[c][0][j];
          LIVENS_FOR_ALL (int m = 1; m < V; ++m) sum += second[k][m] * columns[c][m][j];
          stressed[k][j] = sum;
        }
      for (int a = 1; a < N; ++a) {
        const Pack* ba = b + (a - 1) * D;
        Pack dot = ba[0] * along[0] + ba[1] * along[1];
        if constexpr (D == 3) dot += ba[2] * along[2];
        auto& block = a <= c ? out.block[PairBlocks<N, D>::index(a, c)] : mirror.block[PairBlocks<N, D>::index(c, a)];
        auto& other = mirror.block[PairBlocks<N, D>::index(a, a)];
        LIVENS_FOR (int i = 0; i < D; ++i)
          LIVENS_FOR (int j = 0; j < D; ++j) {
            Pack value = rows[a][0][i] * stressed[0][j];
            LIVENS_FOR_ALL (int k = 1; k < V; ++k) value += rows[a][k][i] * stressed[k][j];
            if (i == j) value += dot;
            Pack& to = a <= c ? block[i][j] : block[j][i];
            to = first ? value : to + value;
            if (a == c) other[j][i] = first ? value : other[j][i] + value;
          }
      }
    }
  }
};

template <ElementKind K>
class DiscreteBlock final : public DiscreteElastic {
 public:
  static constexpr int D = Shape<K>::dimension;
  DiscreteBlock(const ElementLayout& layout, const StrainEnergy& energy) : layout_(layout), kernels_(layout, energy) {}

  void add_gradient(ConstVector x, ConstVector y, double scale, Vector g) const override {
    for_each_chunk(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double *middle = chunk_buffer(0, chunk.nodes), *change = chunk_buffer(4, chunk.nodes);
      gather_step<D>(layout_, chunk, x, y, middle, change);
      double* f = chunk_buffer(1, chunk.nodes);
      std::fill(f, f + 4 * chunk.nodes, 0.0);
      kernels_.chunk_gradient(chunk, middle, change, scale, f, NodesAhead(layout_, k, x.data(), g.data()),
                              NodesAhead(layout_, k, y.data(), nullptr));
      scatter_nodes<D>(layout_, chunk, f, g);
    });
  }

  void add_tangent(ConstVector x, ConstVector y, double scale, MatrixSink& sink) const override {
    const BlockAccess access = sink.blocks(layout_.stencil, 2, D);
    if (access.values == nullptr) return;
    for_each_chunk(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double *middle = chunk_buffer(0, chunk.nodes), *change = chunk_buffer(4, chunk.nodes);
      gather_step<D>(layout_, chunk, x, y, middle, change);
      kernels_.chunk_tangent(chunk, middle, change, scale, access);
    });
  }

 private:
  const ElementLayout& layout_;
  DiscreteKernels<K> kernels_;
};

}  // namespace

std::unique_ptr<const DiscreteElastic> make_discrete_elastic(ElementKind kind, const ElementLayout& layout,
                                                             const StrainEnergy& energy) {
  return with_kind(kind, [&](auto k) -> std::unique_ptr<const DiscreteElastic> {
    return std::make_unique<DiscreteBlock<k.value>>(layout, energy);
  });
}

}  // namespace livens
