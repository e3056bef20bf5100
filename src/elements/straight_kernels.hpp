// Straight tetrahedra of materials without I2, four at a time. With the edges d_i = x_i - x_0 and the constant
// gradients of the barycentric coordinates L_i, all that is needed of the reference shape is M_ik = grad L_i . grad L_k
// and its volume V:
//   g_ik = d_i . d_k,   I1 = sum_ik M_ik g_ik,   J = det(grad L) d_1 . (d_2 x d_3),   V |det(grad L)| = 1/6
//   dW/dd_i = sum_k s_ik d_k,   s = V [2 w1 M + wJ J g^-1]
// without F, P and their products with gradients, and with half the numbers of a linear element (a tenth of a quadratic
// one). Where w1 and wJ nearly cancel, as they do at rest, they do so in s, which is symmetric to the last bit: forces
// have no moment but that of the rounding of stresses. Where J is small, g^-1 has no digits, and d_j x d_k stands for
// it:
//   dW/dd_i = V [2 w1 sum_k M_ik d_k + wJ det(grad L) d_j x d_k]
// Quadratic ones have other d at each point: with L = a at its own vertex and b at the others,
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
    Pack edges[batch_points][3][3], total{};
    Products products[batch_points];
    for (int first = 0; first < chunk.packs; first += batch) {
      const int packs = std::min(batch, chunk.packs - first), begin = chunk.first_pack + first;
      ahead.fetch(first / batch, (chunk.packs + batch - 1) / batch);
      for (int p = 0; p < packs; ++p) {
        fetch<true>(begin + p);
        if constexpr (G == 1) {
          gather_edges(local(begin + p), x, edges[p]);
          invariants(edges[p], metric(begin + p), points[p], products[p]);
        } else {
          Pack nodes[N][3];
          gather_pack<N, 3>(local(begin + p), x, nodes);
          invariants_of_points(nodes, metric(begin + p), points + G * p, edges + G * p, products + G * p);
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
        const Pack weight = scale * counted;
        if constexpr (G == 1)
          by_edges(weight, m, points[p], edges[p], products[p], forces + 1);
        else
          spread(weight, m, points + G * p, edges + G * p, products + G * p, forces);
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

  struct Products {
    Pack g[6];  // 11 12 13 22 23 33
  };
  static constexpr double least_j = 0.05;  // below, g^-1 loses digits

  static Pack dot(const Pack (&a)[3], const Pack (&b)[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  static void cross(const Pack (&p)[3], const Pack (&q)[3], Pack (&c)[3]) {
    LIVENS_FOR (int r = 0; r < 3; ++r) c[r] = p[(r + 1) % 3] * q[(r + 2) % 3] - p[(r + 2) % 3] * q[(r + 1) % 3];
  }

  static void invariants(const Pack (&d)[3][3], const Pack* m, EnergyPoint& e, Products& products) {
    Pack(&g)[6] = products.g;
    g[0] = dot(d[0], d[0]), g[1] = dot(d[0], d[1]), g[2] = dot(d[0], d[2]);
    g[3] = dot(d[1], d[1]), g[4] = dot(d[1], d[2]), g[5] = dot(d[2], d[2]);
    const Pack i1 = m[0] * g[0] + m[3] * g[3] + m[5] * g[5] + 2 * (m[1] * g[1] + m[2] * g[2] + m[4] * g[4]);
    e.i1 = i1 * (abs(m[6]) * (1 / unit));
    Pack c[3];
    cross(d[1], d[2], c);
    e.j = m[6] * dot(d[0], c);
  }

  // f_i = weight dW/dd_i
  static void by_edges(Pack weight, const Pack* m, const EnergyPoint& e, const Pack (&d)[3][3],
                       const Products& products, Pack (*f)[3]) {
    const Pack w1 = 2 * weight * e.w1;
    const auto small = e.j < least_j;
    if ((small[0] | small[1] | small[2] | small[3]) != 0) {
      const Pack sign = m[6] < 0 ? -weight : weight, wj = unit * sign * e.wj;
      LIVENS_FOR (int i = 0; i < 3; ++i) {
        Pack c[3];
        cross(d[(i + 1) % 3], d[(i + 2) % 3], c);
        const int* row = rows[i];
        LIVENS_FOR (int r = 0; r < 3; ++r)
          f[i][r] = w1 * (m[row[0]] * d[0][r] + m[row[1]] * d[1][r] + m[row[2]] * d[2][r]) + wj * c[r];
      }
      return;
    }
    // V wJ J g^-1 = unit / |det(grad L)| wJ det(grad L)^2 adj(g) / J, for J g^-1 = J adj(g) / (d_1 . d_2 x d_3)^2
    const Pack wj = weight * unit * abs(m[6]) * e.wj / e.j;
    const Pack(&g)[6] = products.g;
    const Pack s[6] = {w1 * m[0] + wj * (g[3] * g[5] - g[4] * g[4]), w1 * m[1] + wj * (g[2] * g[4] - g[1] * g[5]),
                       w1 * m[2] + wj * (g[1] * g[4] - g[2] * g[3]), w1 * m[3] + wj * (g[0] * g[5] - g[2] * g[2]),
                       w1 * m[4] + wj * (g[1] * g[2] - g[0] * g[4]), w1 * m[5] + wj * (g[0] * g[3] - g[1] * g[1])};
    LIVENS_FOR (int i = 0; i < 3; ++i) {
      const int* row = rows[i];
      LIVENS_FOR (int r = 0; r < 3; ++r) f[i][r] = s[row[0]] * d[0][r] + s[row[1]] * d[1][r] + s[row[2]] * d[2][r];
    }
  }
  static constexpr int rows[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};  // of a symmetric matrix in its six numbers

  static void invariants_of_points(Pack (&x)[10][3], const Pack* m, EnergyPoint* e, Pack (*d)[3][3],
                                   Products* products) {
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
      LIVENS_FOR (int i = 0; i < 3; ++i)
        LIVENS_FOR (int r = 0; r < 3; ++r)
          d[point][i][r] = s[i][r] + own * (x[node[i + 1][point]][r] - x[node[0][point]][r]);
      invariants(d[point], m, e[point], products[point]);
    }
  }

  // Forces of the nodes after the first: those by s_i sum over the points, those by z_i belong to one.
  static void spread(Pack weight, const Pack* m, const EnergyPoint* e, const Pack (*d)[3][3], const Products* products,
                     Pack (&f)[10][3]) {
    Pack q[4][4][3], all[4][3];  // point, vertex; all points
    LIVENS_FOR (int point = 0; point < 4; ++point) {
      by_edges(weight, m, e[point], d[point], products[point], q[point] + 1);
      LIVENS_FOR (int r = 0; r < 3; ++r) q[point][0][r] = -(q[point][1][r] + q[point][2][r] + q[point][3][r]);
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
