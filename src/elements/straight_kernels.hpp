// Straight tetrahedra of materials without I2, four at a time. With the edges d_i = x_i - x_0 and the constant
// gradients of the barycentric coordinates L_i, all that is needed of the reference shape is M_ik = grad L_i . grad L_k
// and its volume V:
//   I1 = sum_ik M_ik d_i . d_k,   J = det(grad L) d_1 . (d_2 x d_3),
//   dW/dd_i = V [2 w1 sum_k M_ik d_k + wJ det(grad L) d_j x d_k],   V |det(grad L)| = 1/6
// without F, P and their products with gradients, and with half the numbers of a linear element (a tenth of a quadratic
// one). Quadratic ones have other d at each point: with L = a at its own vertex and b at the others,
//   d_i = s_i - s_0 + c (z_i - z_0),   s_i = (4b - 1) x_i + 4b sum_j x_ij,   z_i = x_ig,   z_g = x_g,   c = 4 (a - b)
#pragma once

#include <optional>
#include <vector>

#include "elements/element_block.hpp"
#include "elements/strain_energy.hpp"

namespace livens {

// Seven packs for each pack of elements: V/points times M_11 M_12 M_13 M_22 M_23 M_33, and det(grad L).
struct StraightShape {
  static constexpr int each = 7;
  std::vector<Pack> metric;
  // Places of nodes in their chunk; empty: those of the layout. Quadratic elements need the order of the mesh.
  std::vector<std::uint16_t> local;
};
// Nothing where the elements are no straight tetrahedra, or one is so slender that M would lose accuracy: those go with
// F and P, as materials with I2 do.
std::optional<StraightShape> straight_shape(const SolidPart& part, const ElementLayout& layout);

template <ElementKind K>
class StraightKernels {
 public:
  StraightKernels(const ElementLayout& layout, StraightShape shape, const StrainEnergy& energy)
      : layout_(layout), shape_(std::move(shape)), energy_(energy) {}

  // Adds scale * gradient to f (four doubles per node); returns the energy of the chunk if it is asked for, and else
  // something that is finite where it is. Without f the energy alone.
  template <bool WithEnergy>
  double chunk(const ElementChunk& chunk, const double* x, double scale, double* f, const NodesAhead& ahead) const {
    EnergyPoint points[batch_points];
    Pack T[batch_points][3][3], C[batch_points][3][3], total{};
    for (int first = 0; first < chunk.packs; first += batch) {
      const int packs = std::min(batch, chunk.packs - first), begin = chunk.first_pack + first;
      ahead.fetch(first / batch, (chunk.packs + batch - 1) / batch);
      for (int p = 0; p < packs; ++p) {
        fetch<true>(begin + p);
        if constexpr (G == 1) {
          Pack d[3][3];
          gather_edges(local(begin + p), x, d);
          differentiate(d, metric(begin + p), points[p], T[p], C[p]);
        } else {
          Pack nodes[N][3];
          gather_pack<N, 3>(local(begin + p), x, nodes);
          differentiate_points(nodes, metric(begin + p), points + G * p, T + G * p, C + G * p);
        }
      }
      energy_.evaluate(points, packs * G, f == nullptr ? 0 : 1, coefficients(begin));
      for (int p = 0; p < packs; ++p) {
        const Pack* m = metric(begin + p);
        const Pack counted = real_lanes(chunk, begin + p);
        if constexpr (WithEnergy)
          for (int g = 0; g < G; ++g) total += counted * (unit / abs(m[6])) * points[G * p + g].w;
        if (f == nullptr) continue;
        fetch<false>(begin + p);
        Pack forces[N][3];
        const Pack weight = scale * counted, sign = m[6] < 0 ? -weight : weight;
        if constexpr (G == 1) {
          const Pack w1 = 2 * weight * points[p].w1, wj = unit * sign * points[p].wj;
          LIVENS_FOR (int i = 0; i < 3; ++i)
            LIVENS_FOR (int r = 0; r < 3; ++r) forces[i + 1][r] = w1 * T[p][i][r] + wj * C[p][i][r];
        } else {
          spread(weight, sign, points + G * p, T + G * p, C + G * p, forces);
        }
        scatter_pack<N, 3>(local(begin + p), forces, f);
      }
    }
    return sum(total);
  }

 private:
  static constexpr int N = Shape<K>::nodes, G = Shape<K>::points, batch_points = 16, batch = batch_points / G;
  static constexpr double unit = 1.0 / (6 * G);  // V/points |det(grad L)|
  // Of quadratic elements.
  static constexpr double b = 0.13819660112501051518, a = 1 - 3 * b;  // (5 - sqrt 5)/20
  static constexpr double own = 4 * (a - b);
  // The midside node between two vertices, and each vertex by itself.
  static constexpr int node[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};

  const Pack* metric(int pack) const {
    return shape_.metric.data() + static_cast<std::ptrdiff_t>(pack) * StraightShape::each;
  }
  const std::uint16_t* local(int pack) const {
    const auto& all = shape_.local.empty() ? layout_.local : shape_.local;
    return all.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N;
  }
  const Pack* coefficients(int pack) const {
    if (layout_.coefficients_each == 0) return nullptr;
    return layout_.coefficients.data() + static_cast<std::ptrdiff_t>(pack) * G * layout_.coefficients_each;
  }
  // A half of what comes so many packs later: the processor waits for few lines at once. Beyond the end it does no
  // harm.
  template <bool First>
  void fetch(int pack) const {
    constexpr int far = 24;
    const char* m = reinterpret_cast<const char*>(metric(pack + far));
    const char* l = reinterpret_cast<const char*>(local(pack + far));
    if constexpr (First) {
      __builtin_prefetch(m);
      __builtin_prefetch(m + 64);
    } else {
      __builtin_prefetch(m + 128);
      __builtin_prefetch(m + 192);
      LIVENS_FOR (int line = 0; line < (8 * N + 63) / 64; ++line) __builtin_prefetch(l + 64 * line);
    }
  }
  // 1, and 0 for padding.
  Pack real_lanes(const ElementChunk& chunk, int pack) const {
    Pack real = broadcast(1);
    if (chunk.elements < 4 * chunk.packs)
      for (int lane = 0; lane < 4; ++lane) real[lane] = layout_.element[4 * pack + lane] >= 0 ? 1 : 0;
    return real;
  }

  // The edges from the first node; one transposition less than of the nodes.
  static void gather_edges(const std::uint16_t* index, const double* x, Pack (&d)[3][3]) {
    Pack first[4];
    LIVENS_FOR (int k = 0; k < 4; ++k) first[k] = load(x + index[k]);
    LIVENS_FOR (int i = 0; i < 3; ++i) {
      Pack row[4];
      LIVENS_FOR (int k = 0; k < 4; ++k) row[k] = load(x + index[4 * (i + 1) + k]) - first[k];
      transpose(row[0], row[1], row[2], row[3]);
      LIVENS_FOR (int r = 0; r < 3; ++r) d[i][r] = row[r];
    }
  }

  // I1 and J of the edges, and their derivatives by them: twice T over V, and det(grad L) C.
  static void differentiate(const Pack (&d)[3][3], const Pack* m, EnergyPoint& e, Pack (&T)[3][3], Pack (&C)[3][3]) {
    LIVENS_FOR (int r = 0; r < 3; ++r) {
      T[0][r] = m[0] * d[0][r] + m[1] * d[1][r] + m[2] * d[2][r];
      T[1][r] = m[1] * d[0][r] + m[3] * d[1][r] + m[4] * d[2][r];
      T[2][r] = m[2] * d[0][r] + m[4] * d[1][r] + m[5] * d[2][r];
    }
    Pack i1{};
    LIVENS_FOR (int i = 0; i < 3; ++i) {
      LIVENS_FOR (int r = 0; r < 3; ++r) i1 += T[i][r] * d[i][r];
      const auto &p = d[(i + 1) % 3], &q = d[(i + 2) % 3];
      LIVENS_FOR (int r = 0; r < 3; ++r) C[i][r] = p[(r + 1) % 3] * q[(r + 2) % 3] - p[(r + 2) % 3] * q[(r + 1) % 3];
    }
    e.i1 = i1 * (abs(m[6]) * (1 / unit));
    e.j = m[6] * (d[0][0] * C[0][0] + d[0][1] * C[0][1] + d[0][2] * C[0][2]);
  }

  static void differentiate_points(Pack (&x)[10][3], const Pack* m, EnergyPoint* e, Pack (*T)[3][3], Pack (*C)[3][3]) {
    Pack s[3][3];  // s_i - s_0
    LIVENS_FOR (int r = 0; r < 3; ++r) {
      LIVENS_FOR_ALL (int k = 1; k < 10; ++k) x[k][r] -= x[0][r];
      x[0][r] = Pack{};
      const Pack s0 = x[4][r] + x[6][r] + x[7][r];
      LIVENS_FOR (int i = 1; i < 4; ++i) {
        Pack edges{};
        LIVENS_FOR (int j = 0; j < 4; ++j)
          if (j != i) edges += x[node[i][j]][r];
        s[i - 1][r] = (4 * b - 1) * x[i][r] + 4 * b * (edges - s0);
      }
    }
    for (int point = 0; point < 4; ++point) {
      Pack d[3][3];
      LIVENS_FOR (int i = 0; i < 3; ++i)
        LIVENS_FOR (int r = 0; r < 3; ++r) d[i][r] = s[i][r] + own * (x[node[i + 1][point]][r] - x[node[0][point]][r]);
      differentiate(d, m, e[point], T[point], C[point]);
    }
  }

  // Forces of the nodes after the first: those by s_i sum over the points, those by z_i belong to one.
  static void spread(Pack weight, Pack sign, const EnergyPoint* e, const Pack (*T)[3][3], const Pack (*C)[3][3],
                     Pack (&f)[10][3]) {
    Pack q[4][4][3], all[4][3];  // point, vertex; all points
    LIVENS_FOR (int point = 0; point < 4; ++point) {
      const Pack w1 = 2 * weight * e[point].w1, wj = unit * sign * e[point].wj;
      LIVENS_FOR (int r = 0; r < 3; ++r) {
        LIVENS_FOR (int i = 0; i < 3; ++i) q[point][i + 1][r] = w1 * T[point][i][r] + wj * C[point][i][r];
        q[point][0][r] = -(q[point][1][r] + q[point][2][r] + q[point][3][r]);
      }
    }
    LIVENS_FOR (int i = 0; i < 4; ++i)
      LIVENS_FOR (int r = 0; r < 3; ++r) all[i][r] = (q[0][i][r] + q[1][i][r]) + (q[2][i][r] + q[3][i][r]);
    LIVENS_FOR (int i = 0; i < 4; ++i)
      LIVENS_FOR (int j = i; j < 4; ++j)
        LIVENS_FOR (int r = 0; r < 3; ++r)
          f[node[i][j]][r] = i == j ? (4 * b - 1) * all[i][r] + own * q[i][i][r]
                                    : 4 * b * (all[i][r] + all[j][r]) + own * (q[j][i][r] + q[i][j][r]);
  }

  const ElementLayout& layout_;
  StraightShape shape_;
  const StrainEnergy& energy_;
};

}  // namespace livens
