// Straight tetrahedra of materials without I2, four at a time. With the edges d_i = x_i - x_0 and the constant
// gradients of the barycentric coordinates L_i, all that is needed of the reference shape is M_ik = grad L_i . grad L_k
// and its volume:
//   I1 = sum_ik M_ik d_i . d_k,   J = det(grad L) d_1 . (d_2 x d_3),
//   dW/dd_i = V [2 w1 sum_k M_ik d_k + wJ det(grad L) d_j x d_k]
// without F, P and their products with gradients. Quadratic ones have other d at each point: with L = a at its own
// vertex and b at the others,
//   d_i = s_i - s_0 + c (z_i - z_0),   s_i = (4b - 1) x_i + 4b sum_j x_ij,   z_i = x_ig,   z_g = x_g,   c = 4 (a - b)
#include <cmath>

#include <Eigen/LU>

#include "elements/element_chunks.hpp"
#include "elements/laid_out_chunks.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

// M loses accuracy with the square of the ratio of sides: beyond this elements go with F and P.
constexpr double slender = 1e5;

struct Metric {
  static constexpr int each = 8;  // packs: weight of a point, M_11 M_12 M_13 M_22 M_23 M_33, det(grad L)

  static bool fits(const SolidPart& part) {
    for (const int e : part.elements) {
      const Eigen::Matrix3d edges = edges_of(part, e), inverse = edges.inverse();
      if (!(edges.determinant() > 0) || edges.squaredNorm() * inverse.squaredNorm() > slender) return false;
    }
    return true;
  }

  static Eigen::Matrix3d edges_of(const SolidPart& part, int e) {
    const int* nodes = part.mesh->element(e);
    Eigen::Matrix3d edges;
    for (int i = 0; i < 3; ++i)
      for (int c = 0; c < 3; ++c) edges(c, i) = part.mesh->X[nodes[i + 1] * 3 + c] - part.mesh->X[nodes[0] * 3 + c];
    return edges;
  }

  // Of all packs of a layout. Padding is a copy of the last element of its chunk that weighs nothing.
  static std::vector<Pack> of(const SolidPart& part, const ElementLayout& layout, int points) {
    std::vector<Pack> all;
    all.reserve(layout.element.size() / 4 * each);
    for (const ElementChunk& chunk : layout.chunks)
      for (int p = 0; p < chunk.packs; ++p) {
        Pack pack[each];
        for (int lane = 0; lane < 4; ++lane) {
          const int last = chunk.elements - 1, k = layout.element[4 * (chunk.first_pack + p) + lane];
          const int copied = layout.element[4 * (chunk.first_pack + last % chunk.packs) + last / chunk.packs];
          const Eigen::Matrix3d edges = edges_of(part, part.elements[k >= 0 ? k : copied]), G = edges.inverse();
          const Eigen::Matrix3d M = G * G.transpose();
          pack[0][lane] = k >= 0 ? edges.determinant() / (6 * points) : 0;
          const double six[6] = {M(0, 0), M(0, 1), M(0, 2), M(1, 1), M(1, 2), M(2, 2)};
          for (int i = 0; i < 6; ++i) pack[1 + i][lane] = six[i];
          pack[7][lane] = 1 / edges.determinant();
        }
        all.insert(all.end(), pack, pack + each);
      }
    return all;
  }
};

// I1 and J of the edges, and their derivatives by them: twice T, and det(grad L) C.
inline void differentiate(const Pack (&d)[3][3], const Pack* m, EnergyPoint& e, Pack (&T)[3][3], Pack (&C)[3][3]) {
  LIVENS_FOR (int r = 0; r < 3; ++r) {
    T[0][r] = m[1] * d[0][r] + m[2] * d[1][r] + m[3] * d[2][r];
    T[1][r] = m[2] * d[0][r] + m[4] * d[1][r] + m[5] * d[2][r];
    T[2][r] = m[3] * d[0][r] + m[5] * d[1][r] + m[6] * d[2][r];
  }
  Pack i1{};
  LIVENS_FOR (int i = 0; i < 3; ++i) {
    LIVENS_FOR (int r = 0; r < 3; ++r) i1 += T[i][r] * d[i][r];
    const auto &a = d[(i + 1) % 3], &b = d[(i + 2) % 3];
    LIVENS_FOR (int r = 0; r < 3; ++r) C[i][r] = a[(r + 1) % 3] * b[(r + 2) % 3] - a[(r + 2) % 3] * b[(r + 1) % 3];
  }
  e.i1 = i1;
  e.j = m[7] * (d[0][0] * C[0][0] + d[0][1] * C[0][1] + d[0][2] * C[0][2]);
}

class StraightTets : public LaidOutChunks {
 public:
  StraightTets(const SolidPart& part, ElementLayout layout, std::span<const int> places, int points,
               std::shared_ptr<const StrainEnergy> energy)
      : LaidOutChunks(std::move(layout), places),
        metric_(Metric::of(part, layout_, points)),
        energy_(std::move(energy)) {}

 protected:
  static constexpr int batch_points = 16;  // that a material sees at once

  void evaluate(EnergyPoint* points, int count, int first) const {
    const Pack* coefficients =
        layout_.coefficients_each == 0
            ? nullptr
            : layout_.coefficients.data() + static_cast<std::ptrdiff_t>(first) * layout_.coefficients_each;
    energy_->evaluate(points, count, 1, coefficients);
  }
  const Pack* metric(int pack) const { return metric_.data() + static_cast<std::ptrdiff_t>(pack) * Metric::each; }

 private:
  std::vector<Pack> metric_;
  std::shared_ptr<const StrainEnergy> energy_;
};

class LinearTets final : public StraightTets {
 public:
  LinearTets(const SolidPart& part, ElementLayout layout, std::span<const int> places,
             std::shared_ptr<const StrainEnergy> energy)
      : StraightTets(part, std::move(layout), places, 1, std::move(energy)) {}

  double add_gradient(int chunk, const double* positions, double scale, double* g) const override {
    const ElementChunk& c = layout_.chunks[chunk];
    EnergyPoint points[batch_points];
    Pack T[batch_points][3][3], C[batch_points][3][3], total{};
    for (int first = c.first_pack; first < c.first_pack + c.packs; first += batch_points) {
      const int packs = std::min(batch_points, c.first_pack + c.packs - first);
      for (int p = 0; p < packs; ++p) {
        Pack x[4][3], d[3][3];
        gather_pack<4, 3>(layout_.local.data() + static_cast<std::ptrdiff_t>(first + p) * 16, positions, x);
        LIVENS_FOR (int i = 0; i < 3; ++i)
          LIVENS_FOR (int r = 0; r < 3; ++r) d[i][r] = x[i + 1][r] - x[0][r];
        differentiate(d, metric(first + p), points[p], T[p], C[p]);
      }
      evaluate(points, packs, first);
      for (int p = 0; p < packs; ++p) {
        const Pack* m = metric(first + p);
        total += m[0] * points[p].w;
        const Pack weight = m[0] * scale, a = 2 * weight * points[p].w1, b = weight * m[7] * points[p].wj;
        Pack f[4][3];
        LIVENS_FOR (int i = 0; i < 3; ++i)
          LIVENS_FOR (int r = 0; r < 3; ++r) f[i + 1][r] = a * T[p][i][r] + b * C[p][i][r];
        scatter_pack<4, 3>(layout_.local.data() + static_cast<std::ptrdiff_t>(first + p) * 16, f, g);
      }
    }
    return sum(total);
  }
};

class QuadraticTets final : public StraightTets {
 public:
  QuadraticTets(const SolidPart& part, ElementLayout layout, std::span<const int> places,
                std::shared_ptr<const StrainEnergy> energy)
      : StraightTets(part, std::move(layout), places, 4, std::move(energy)) {}

  double add_gradient(int chunk, const double* positions, double scale, double* g) const override {
    const ElementChunk& c = layout_.chunks[chunk];
    constexpr int batch = batch_points / 4;
    EnergyPoint points[batch_points];
    Pack T[batch_points][3][3], C[batch_points][3][3], total{};
    for (int first = c.first_pack; first < c.first_pack + c.packs; first += batch) {
      const int packs = std::min(batch, c.first_pack + c.packs - first);
      for (int p = 0; p < packs; ++p) {
        Pack x[10][3];
        gather_pack<10, 3>(layout_.local.data() + static_cast<std::ptrdiff_t>(first + p) * 40, positions, x);
        differentiate_points(x, metric(first + p), points + 4 * p, T + 4 * p, C + 4 * p);
      }
      evaluate(points, 4 * packs, 4 * first);
      for (int p = 0; p < packs; ++p) {
        const Pack* m = metric(first + p);
        for (int point = 0; point < 4; ++point) total += m[0] * points[4 * p + point].w;
        Pack f[10][3];
        spread(m, scale, points + 4 * p, T + 4 * p, C + 4 * p, f);
        scatter_pack<10, 3>(layout_.local.data() + static_cast<std::ptrdiff_t>(first + p) * 40, f, g);
      }
    }
    return sum(total);
  }

 private:
  static constexpr double b = 0.13819660112501051518, a = 1 - 3 * b;  // (5 - sqrt 5)/20
  static constexpr double own = 4 * (a - b);
  // The midside node between two vertices, and each vertex by itself.
  static constexpr int node[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};

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
  static void spread(const Pack* m, double scale, const EnergyPoint* e, const Pack (*T)[3][3], const Pack (*C)[3][3],
                     Pack (&f)[10][3]) {
    const Pack weight = m[0] * scale;
    Pack q[4][4][3], all[4][3];  // point, vertex; all points
    LIVENS_FOR (int point = 0; point < 4; ++point) {
      const Pack w1 = 2 * weight * e[point].w1, wj = weight * m[7] * e[point].wj;
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
};

// Whether all midsides lie in the middle.
bool straight(const SolidPart& part) {
  for (const int e : part.elements) {
    const int* nodes = part.mesh->element(e);
    for (int k = 0; k < 6; ++k)
      for (int c = 0; c < 3; ++c) {
        const auto X = [&](int a) { return part.mesh->X[nodes[a] * 3 + c]; };
        const double one = X(simplex_edges[k][0]), other = X(simplex_edges[k][1]);
        if (std::abs(X(4 + k) - 0.5 * (one + other)) > 1e-12 * (std::abs(one) + std::abs(other))) return false;
      }
  }
  return true;
}

}  // namespace

bool has_straight_chunks(const SolidPart& part, const StrainEnergy& energy) {
  if (energy.uses_i2() || dimension_of(part.mesh->kind) != 3 || !Metric::fits(part)) return false;
  return part.mesh->kind == ElementKind::tet4 || straight(part);
}

std::shared_ptr<const ElementChunks> make_straight_chunks(const SolidPart& part, ElementLayout layout,
                                                          std::span<const int> places,
                                                          std::shared_ptr<const StrainEnergy> energy) {
  if (part.mesh->kind == ElementKind::tet4)
    return std::make_shared<LinearTets>(part, std::move(layout), places, std::move(energy));
  return std::make_shared<QuadraticTets>(part, std::move(layout), places, std::move(energy));
}

}  // namespace livens
