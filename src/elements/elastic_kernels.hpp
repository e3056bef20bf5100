// Energy, gradient, Hessian and configurational forces of hyperelastic elements, four at a time.
//
//   P = 2 w1 F + wJ cof F + 2 w2 (I1 F - F C);  by the reference positions w I - F'P
//   with f_a = F b_a, c_a = cof F b_a, s_a = (I1 F - F C) b_a for the reference gradient b_a of node a:
//   d2w/dx_a dx_b = [2 w1 (b_a.b_b) + shift] I + wJ [F (b_a x b_b)]_x + w2 d2I2
//                   + f_a (4 w11 f_b + 4 w12 s_b + 2 w1J c_b)' + s_a (...)' + c_a (...)'
//   d2I2 = 4 f_a f_b' + 2 I1 (b_a.b_b) I - 2 [(f_a.f_b) I + f_b f_a' + (b_a.b_b) F F']
// In plane strain I2 = J^2 + I1 - 1 is folded into the derivatives by I1 and J.
#pragma once

#include "elements/elastic_point.hpp"
#include "elements/element_block.hpp"
#include "elements/eshelby.hpp"
#include "elements/strain_energy.hpp"
#include "math/pack_functions.hpp"

namespace livens {

inline constexpr int points_ahead = 16;  // how far geometry is fetched before its use
inline constexpr int batch_points = 16;  // quadrature points (packs of) that a material sees at once

template <ElementKind K>
class ElasticKernels {
 public:
  static constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension, G = Shape<K>::points;
  static constexpr int each = 1 + (N - 1) * D;  // packs of geometry a point
  static constexpr int batch = batch_points / G;

  ElasticKernels(const ElementLayout& layout, const StrainEnergy& energy) : layout_(layout), energy_(energy) {
    i2_ = D == 3 && energy.uses_i2();
  }

  // Adds scale * gradient, by x or by the reference positions X, to local (four doubles per node) and returns the
  // energy of the chunk. local may be null.
  template <bool Reference = false>
  double chunk(const ElementChunk& chunk, const double* x_local, double scale, double* local,
               const NodesAhead& ahead) const {
    EnergyPoint points[batch_points];
    Pack F[batch_points][D][D];
    Pack total{};
    for (int first = 0; first < chunk.packs; first += batch) {
      const int packs = std::min(batch, chunk.packs - first);
      const Pack* stored = geometry_of(chunk, first);
      ahead.fetch(first / batch, (chunk.packs + batch - 1) / batch);
      prepare(chunk, first, packs, x_local, stored, points, F);
      energy_.evaluate(points, packs * G, local == nullptr ? 0 : 1, coefficients_of(chunk, first));
      for (int p = 0; p < packs; ++p) {
        const int pack = chunk.first_pack + first + p;
        Pack f[N][D];
        LIVENS_FOR (int g = 0; g < G; ++g) {
          const Pack* geometry = stored + (p * G + g) * each;
          EnergyPoint& e = points[p * G + g];
          total += geometry[0] * e.w;
          if (local == nullptr) continue;
          if (D == 2 && energy_.uses_i2()) fold(e, 1);
          Pack P[D][D];
          piola_stress(e, F[p * G + g], geometry[0] * scale, i2_, P);
          if constexpr (Reference) eshelby_stress(F[p * G + g], geometry[0] * scale * e.w, P);
          const Pack* b = geometry + 1;
          LIVENS_FOR (int a = 1; a < N; ++a, b += D)
            LIVENS_FOR (int i = 0; i < D; ++i) {
              Pack sum = P[i][0] * b[0] + P[i][1] * b[1];
              if constexpr (D == 3) sum += P[i][2] * b[2];
              f[a][i] = g == 0 ? sum : f[a][i] + sum;
            }
        }
        if (local != nullptr)
          scatter_pack<N, D>(layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N, f, local);
      }
    }
    return sum(total);
  }

  void chunk_hessian(const ElementChunk& chunk, const double* x_local, double scale, bool convex,
                     const BlockAccess& access) const {
    EnergyPoint points[batch_points];
    Pack F[batch_points][D][D];
    ChunkBlocks<N, D> sums(layout_, chunk);
    for (int first = 0; first < chunk.packs; first += batch) {
      const int packs = std::min(batch, chunk.packs - first);
      prepare(chunk, first, packs, x_local, geometry_of(chunk, first), points, F, convex);
      energy_.evaluate(points, packs * G, 2, coefficients_of(chunk, first));
      for (int p = 0; p < packs; ++p) {
        const int pack = chunk.first_pack + first + p;
        PairBlocks<N, D> blocks;
        LIVENS_FOR (int g = 0; g < G; ++g) {
          const Pack* geometry = layout_.geometry.data() + static_cast<std::ptrdiff_t>(pack * G + g) * each;
          EnergyPoint& e = points[p * G + g];
          if (D == 2 && energy_.uses_i2()) fold(e, 2);
          if (i2_)
            point_hessian<true>(e, F[p * G + g], geometry, scale, convex, g == 0, blocks);
          else
            point_hessian<false>(e, F[p * G + g], geometry, scale, convex, g == 0, blocks);
        }
        sums.add(pack, blocks);
      }
    }
    sums.finish(access);
  }

  // body(pack, weight, point, F) after the first derivatives, for fields.
  template <class Body>
  void each_point(const ElementChunk& chunk, const double* x_local, const Body& body) const {
    EnergyPoint points[batch_points];
    Pack F[batch_points][D][D];
    for (int first = 0; first < chunk.packs; first += batch) {
      const int packs = std::min(batch, chunk.packs - first);
      prepare(chunk, first, packs, x_local, geometry_of(chunk, first), points, F);
      energy_.evaluate(points, packs * G, 1, coefficients_of(chunk, first));
      for (int p = 0; p < packs * G; ++p) {
        const int pack = chunk.first_pack + first + p / G;
        body(pack, layout_.geometry[(pack * G + p % G) * each], points[p], F[p]);
      }
    }
  }

 protected:
  const Pack* geometry_of(const ElementChunk& chunk, int first) const {
    return layout_.geometry.data() + static_cast<std::ptrdiff_t>((chunk.first_pack + first) * G) * each;
  }

  const Pack* coefficients_of(const ElementChunk& chunk, int first) const {
    if (layout_.coefficients_each == 0) return nullptr;
    return layout_.coefficients.data() +
           static_cast<std::ptrdiff_t>((chunk.first_pack + first) * G) * layout_.coefficients_each;
  }

  // The hardware fetches what follows only up to the next page.
  static void fetch_ahead(const Pack* geometry) {
    const Pack* next = geometry + points_ahead * each;
    LIVENS_FOR (int k = 0; k < (each + 1) / 2; ++k) __builtin_prefetch(next + 2 * k);
  }

  const ElementLayout& layout_;
  const StrainEnergy& energy_;
  bool i2_ = false;

 private:
  void prepare(const ElementChunk& chunk, int first, int packs, const double* x_local, const Pack* stored,
               EnergyPoint* points, Pack (*F)[D][D], bool need_i2 = false) const {
    for (int p = 0; p < packs; ++p) {
      const int pack = chunk.first_pack + first + p;
      Pack x[N][D];
      gather_pack<N, D>(layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N, x_local, x);
      LIVENS_FOR (int g = 0; g < G; ++g) {
        const Pack* geometry = stored + (p * G + g) * each;
        fetch_ahead(geometry);
        Pack(&f)[D][D] = F[p * G + g];
        deformation<N, D>(x, geometry + 1, f);
        invariants(f, i2_ || need_i2, points[p * G + g]);
      }
    }
  }

  // Positive semi-definite stand-in: the twist and flip modes of wJ d2J have curvatures up to |wJ| s, s the largest
  // singular value of F; what exceeds 2 w1 is added to the diagonal. d2I2 is bounded alike. Returns the shift.
  Pack convexify(EnergyPoint& e) const {
    const Pack mean = e.i1 / 3.0, spread = max(2.0 / 3 * e.i1 * e.i1 - 2.0 * e.i2, Pack{});
    const Pack largest = mean + sqrt(2.0 / 3 * spread);
    Pack shift = abs(e.wj) * sqrt(largest) - 2 * e.w1;
    if (i2_) {
      shift += max(e.w2, Pack{}) * max(6 * largest - 2 * e.i1, Pack{});
      shift += max(-e.w2, Pack{}) * (6 * e.i1 + 2 * largest);
      e.w12 = e.w2j = Pack{};
      e.w22 = max(e.w22, Pack{});
    }
    e.w11 = max(e.w11, Pack{});
    e.wjj = max(e.wjj, Pack{});
    e.w1j = e.w11 * e.wjj >= e.w1j * e.w1j ? e.w1j : Pack{};
    return max(shift, Pack{});
  }

  // f, c, s of the nodes, and the sums of them that they are multiplied with.
  struct NodeVectors {
    Pack f[N][D], c[N][D], s[N][D], phi[N][D], chi[N][D], sigma[N][D];
  };

  template <bool I2>
  [[gnu::always_inline]] static inline void find_node_vectors(const EnergyPoint& e, const Pack (&F)[D][D],
                                                              const Pack* geometry, Pack weight, NodeVectors& v) {
    Pack cof[D][D];
    cofactor(F, cof);
    [[maybe_unused]] Pack S[D][D];
    if constexpr (I2) second_stress(e, F, S);
    const Pack w11 = 4 * weight * e.w11, w1j = 2 * weight * e.w1j, wjj = weight * e.wjj;
    LIVENS_FOR (int a = 1; a < N; ++a) {
      const Pack* b = geometry + 1 + (a - 1) * D;
      LIVENS_FOR (int i = 0; i < D; ++i) {
        v.f[a][i] = F[i][0] * b[0] + F[i][1] * b[1];
        v.c[a][i] = cof[i][0] * b[0] + cof[i][1] * b[1];
        if constexpr (D == 3) {
          v.f[a][i] += F[i][2] * b[2];
          v.c[a][i] += cof[i][2] * b[2];
        }
        v.phi[a][i] = w11 * v.f[a][i] + w1j * v.c[a][i];
        v.chi[a][i] = w1j * v.f[a][i] + wjj * v.c[a][i];
        if constexpr (I2) {
          v.s[a][i] = S[i][0] * b[0] + S[i][1] * b[1] + S[i][D - 1] * b[D - 1];
          const Pack w12 = 4 * weight * e.w12, w22 = 4 * weight * e.w22, w2j = 2 * weight * e.w2j;
          v.phi[a][i] += w12 * v.s[a][i];
          v.chi[a][i] += w2j * v.s[a][i];
          v.sigma[a][i] = w12 * v.f[a][i] + w22 * v.s[a][i] + w2j * v.c[a][i];
        }
      }
    }
  }

  // Adds wJ [F (b_a x b_b)]_x.
  [[gnu::always_inline]] static inline void add_spin(const Pack (&F)[D][D], Pack wj, const Pack* ba, const Pack* b,
                                                     Pack (&k)[D][D]) {
    if constexpr (D == 3) {
      Pack cross[3], u[3];
      LIVENS_FOR (int i = 0; i < 3; ++i) cross[i] = ba[(i + 1) % 3] * b[(i + 2) % 3] - ba[(i + 2) % 3] * b[(i + 1) % 3];
      LIVENS_FOR (int i = 0; i < 3; ++i) u[i] = wj * (F[i][0] * cross[0] + F[i][1] * cross[1] + F[i][2] * cross[2]);
      LIVENS_FOR (int i = 0; i < 3; ++i) {
        k[i][(i + 1) % 3] += u[(i + 2) % 3];
        k[(i + 1) % 3][i] -= u[(i + 2) % 3];
      }
    } else {  // b_a x b_b along the third axis, where F is 1
      const Pack u = wj * (ba[0] * b[1] - ba[1] * b[0]);
      k[0][1] += u;
      k[1][0] -= u;
    }
  }

  template <bool I2>
  void point_hessian(EnergyPoint& e, const Pack (&F)[D][D], const Pack* geometry, double scale, bool convex, bool first,
                     PairBlocks<N, D>& out) const {
    const Pack weight = geometry[0] * scale;
    const Pack shift = convex ? convexify(e) : Pack{};
    [[maybe_unused]] Pack B[D][D];  // F F'
    if constexpr (I2) {
      LIVENS_FOR (int i = 0; i < D; ++i)
        LIVENS_FOR (int j = 0; j < D; ++j) {
          B[i][j] = Pack{};
          LIVENS_FOR (int k = 0; k < D; ++k) B[i][j] += F[i][k] * F[j][k];
        }
    }
    NodeVectors v;
    find_node_vectors<I2>(e, F, geometry, weight, v);
    const Pack diagonal = weight * (2 * e.w1 + shift), wj = weight * e.wj;
    [[maybe_unused]] const Pack w2 = 2 * weight * e.w2;
    LIVENS_FOR (int bb = 1; bb < N; ++bb)
      LIVENS_FOR (int a = 1; a <= bb; ++a) {
        const Pack *ba = geometry + 1 + (a - 1) * D, *b = geometry + 1 + (bb - 1) * D;
        auto& k = out.block[PairBlocks<N, D>::index(a, bb)];
        const auto &fa = v.f[a], &fb = v.f[bb];
        Pack dot = ba[0] * b[0] + ba[1] * b[1];
        if constexpr (D == 3) dot += ba[2] * b[2];
        Pack diag = diagonal * dot;
        if constexpr (I2) {
          Pack ff{};
          LIVENS_FOR (int i = 0; i < D; ++i) ff += fa[i] * fb[i];
          diag += w2 * (e.i1 * dot - ff);
        }
        LIVENS_FOR (int i = 0; i < D; ++i)
          LIVENS_FOR (int j = 0; j < D; ++j) {
            Pack value = fa[i] * v.phi[bb][j] + v.c[a][i] * v.chi[bb][j];
            if constexpr (I2)
              value += v.s[a][i] * v.sigma[bb][j] + w2 * (2 * fa[i] * fb[j] - fb[i] * fa[j] - dot * B[i][j]);
            if (i == j) value += diag;
            k[i][j] = first ? value : k[i][j] + value;
          }
        if (a != bb) add_spin(F, wj, ba, b, k);
      }
  }
};

}  // namespace livens
