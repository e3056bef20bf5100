#include "elements/element_stencils.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>

#include "elements/current_gradients.hpp"
#include "elements/elastic_point.hpp"
#include "elements/linear_kernels.hpp"
#include "elements/volume_points.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

std::vector<int> nodes_of_part(const SolidPart& part) {
  const int N = nodes_of(part.mesh->kind), D = part.mesh->dimension();
  std::vector<int> nodes;
  nodes.reserve(part.elements.size() * static_cast<std::size_t>(N));
  for (const int e : part.elements)
    for (int a = 0; a < N; ++a) nodes.push_back(part.first + part.mesh->element(e)[a] * D);
  return nodes;
}

// Weights and reference gradients with the points of an element in the lanes; lanes without a point weigh nothing.
template <ElementKind K>
class ElementGeometry {
 public:
  static constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension, G = Shape<K>::points;
  static constexpr int each = 1 + (N - 1) * D;

  // scaled: weights times the stiffness factor of the part.
  explicit ElementGeometry(const SolidPart& part, bool scaled = false) {
    std::vector<std::size_t> order(N);
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> numbers;
    geometry_.reserve(part.elements.size() * each);
    for (const int e : part.elements) {
      reference_gradients(part, e, order, numbers);
      if (scaled && part.stiffness_factor) {
        const std::vector<double> X = reference_places(part, e);
        for (std::size_t g = 0; g < G; ++g) numbers[g * each] *= part.stiffness_factor(&X[3 * g]);
      }
      for (int i = 0; i < each; ++i) {
        Pack lanes;
        for (int g = 0; g < 4; ++g) lanes[g] = i == 0 && g >= G ? 0 : numbers[(g < G ? g : 0) * each + i];
        geometry_.push_back(lanes);
      }
    }
  }
  const Pack* of(int k) const { return geometry_.data() + static_cast<std::ptrdiff_t>(k) * each; }

 private:
  std::vector<Pack> geometry_;
};

// The numbers of a material that vary with the place, with the points of an element in the lanes.
class ElementCoefficients {
 public:
  ElementCoefficients(const SolidPart& part, const StrainEnergy& energy) : each_(energy.coefficients()) {
    double values[most_coefficients];
    for (std::size_t k = 0; each_ > 0 && k < part.elements.size(); ++k) {
      const std::vector<double> X = reference_places(part, part.elements[k]);
      packs_.resize(packs_.size() + static_cast<std::size_t>(each_));
      for (std::size_t lane = 0; lane < 4; ++lane) {
        energy.coefficients_at(&X[3 * lane < X.size() ? 3 * lane : 0], values);
        for (int i = 0; i < each_; ++i) packs_[static_cast<int>(k) * each_ + i][lane] = values[i];
      }
    }
  }
  const Pack* of(int k) const { return each_ == 0 ? nullptr : packs_.data() + static_cast<std::ptrdiff_t>(k) * each_; }

 private:
  int each_;
  std::vector<Pack> packs_;
};

template <int N, int D>
inline void broadcast_nodes(const double* positions, Pack (&x)[N][D]) {
  LIVENS_FOR (int a = 0; a < N; ++a)
    LIVENS_FOR (int c = 0; c < D; ++c) x[a][c] = broadcast(positions[4 * a + c]);
}

// Adds the sums over the lanes; the force of the first node is minus the sum of the others.
template <int N, int D>
inline void add_lanes(const Pack (&f)[N][D], double* g) {
  Pack first{};
  LIVENS_FOR (int a = 1; a < N; ++a) {
    Pack r0 = f[a][0], r1 = f[a][1], r2 = D == 3 ? f[a][D - 1] : Pack{}, r3{};
    transpose(r0, r1, r2, r3);
    const Pack total = (r0 + r1) + (r2 + r3);
    first -= total;
    *reinterpret_cast<Pack*>(g + 4 * a) += total;
  }
  *reinterpret_cast<Pack*>(g) += first;
}

// What stencils of elements share: masses, and the radius of the largest ball inside over the wave speed.
template <ElementKind K>
class SolidStencils : public Stencils {
 public:
  static constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension, V = D + 1;

  SolidStencils(const SolidPart& part, double lambda, double mu)
      : Stencils(nodes_of_part(part), N), speed_(part.density > 0 ? std::sqrt((lambda + 2 * mu) / part.density) : 0) {
    find_faster(part);
    std::vector<std::size_t> order(N);
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> numbers;
    for (const int e : part.elements) {
      reference_gradients(part, e, order, numbers);
      double volume = 0;
      for (std::size_t g = 0; g < numbers.size(); g += 1 + (N - 1) * D) volume += numbers[g];
      mass_.push_back(part.density * volume);
      if (part.density_factor) mass_.back() *= mean_over_element(*part.mesh, e, part.density_factor);
    }
  }

  double courant_time(int k, const double* x) const override {
    if (speed_ == 0) return 0;
    return faster_.empty() ? time_at(speed_, x) : time_at(speed_ * faster_[k], x);
  }

  double mass(int k, int a) const override { return mass_[k] * lumped_share(K, a); }

 private:
  // The speed of waves over that of the material, by the stiffest point of each element.
  void find_faster(const SolidPart& part) {
    if (part.homogeneous()) return;
    for (const int e : part.elements) {
      double stiffest = part.stiffness_factor ? 0 : 1;
      const std::vector<double> X = reference_places(part, e);
      for (std::size_t g = 0; part.stiffness_factor && g < X.size(); g += 3)
        stiffest = std::max(stiffest, part.stiffness_factor(&X[g]));
      const double density = part.density_factor ? mean_over_element(*part.mesh, e, part.density_factor) : 1;
      faster_.push_back(std::sqrt(stiffest / density));
    }
  }

  static double time_at(double speed, const double* x) {
    double edge[V][3] = {};
    for (int i = 0; i < V; ++i)
      for (int c = 0; c < D; ++c) edge[i][c] = x[4 * i + c] - x[c];
    if constexpr (D == 2) {
      const double twice = std::abs(edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0]);
      const double perimeter = std::hypot(edge[1][0], edge[1][1]) + std::hypot(edge[2][0], edge[2][1]) +
                               std::hypot(edge[2][0] - edge[1][0], edge[2][1] - edge[1][1]);
      return twice / perimeter / speed;
    } else {
      double n[4][3];  // twice the areas of the faces at the first node, and opposite to it
      for (int f = 0; f < 3; ++f) {
        const double *a = edge[f + 1], *b = edge[(f + 1) % 3 + 1];
        for (int c = 0; c < 3; ++c) n[f][c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
      }
      double areas = 0;
      for (int c = 0; c < 3; ++c) n[3][c] = n[0][c] + n[1][c] + n[2][c];
      for (const auto& v : n) areas += std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      const double six = std::abs(n[0][0] * edge[3][0] + n[0][1] * edge[3][1] + n[0][2] * edge[3][2]);
      return six / areas / speed;
    }
  }

  double speed_;
  std::vector<double> mass_, faster_;
};

// F = sum_{a > 0} (x_a - x_0) (x) b_a
template <int N, int D>
inline void deformation_of_one(const double* positions, const Pack* b, Pack (&F)[D][D]) {
  alignas(32) double d[4 * (N - 1)];
  const Pack origin = load(positions);
  LIVENS_FOR_ALL (int a = 0; a < N - 1; ++a) *reinterpret_cast<Pack*>(d + 4 * a) = load(positions + 4 * a + 4) - origin;
  LIVENS_FOR_ALL (int a = 0; a < N - 1; ++a, b += D)
    LIVENS_FOR (int i = 0; i < D; ++i) {
      const Pack difference = broadcast(d[4 * a + i]);
      LIVENS_FOR (int j = 0; j < D; ++j) F[i][j] = a == 0 ? difference * b[j] : F[i][j] + difference * b[j];
    }
}

// g_a = sum over the lanes of P b_a; that of the first node is minus the sum of the others.
template <int N, int D>
inline void spread_of_one(const Pack (&P)[D][D], const Pack* b, double* g) {
  Pack first{};
  LIVENS_FOR_ALL (int a = 1; a < N; ++a, b += D) {
    Pack r[4] = {};
    LIVENS_FOR (int i = 0; i < D; ++i) {
      r[i] = P[i][0] * b[0] + P[i][1] * b[1];
      if constexpr (D == 3) r[i] += P[i][2] * b[2];
    }
    transpose(r[0], r[1], r[2], r[3]);
    const Pack total = (r[0] + r[1]) + (r[2] + r[3]);
    first -= total;
    *reinterpret_cast<Pack*>(g + 4 * a) = total;
  }
  *reinterpret_cast<Pack*>(g) = first;
}

template <ElementKind K>
class ElasticStencils final : public SolidStencils<K> {
 public:
  using Base = SolidStencils<K>;
  static constexpr int N = Base::N, D = Base::D;

  ElasticStencils(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy, double lambda, double mu)
      : Base(part, lambda, mu),
        geometry_(part),
        coefficients_(part, *energy),
        energy_(std::move(energy)),
        i2_(D == 3 && energy_->uses_i2()) {}

  double evaluate(int k, const double* positions, double* g) const override {
    const Pack* geometry = geometry_.of(k);
    Pack F[D][D], P[D][D];
    EnergyPoint e;
    deformation_of_one<N, D>(positions, geometry + 1, F);
    invariants(F, i2_, e);
    energy_->evaluate(&e, 1, 1, coefficients_.of(k));
    if (D == 2 && energy_->uses_i2()) fold(e, 1);
    piola_stress(e, F, geometry[0], i2_, P);
    spread_of_one<N, D>(P, geometry + 1, g);
    return livens::sum(geometry[0] * e.w);
  }

 private:
  ElementGeometry<K> geometry_;
  ElementCoefficients coefficients_;
  std::shared_ptr<const StrainEnergy> energy_;
  bool i2_;
};

template <ElementKind K>
class LinearStencils final : public SolidStencils<K> {
 public:
  using Base = SolidStencils<K>;
  static constexpr int N = Base::N, D = Base::D;

  LinearStencils(const SolidPart& part, double lambda, double mu)
      : Base(part, lambda, mu), geometry_(part, true), lambda_(lambda), mu_(mu) {}

  double evaluate(int k, const double* positions, double* g) const override {
    const Pack* geometry = geometry_.of(k);
    Pack H[D][D], s[D][D], energy{};
    deformation_of_one<N, D>(positions, geometry + 1, H);
    LIVENS_FOR (int i = 0; i < D; ++i) H[i][i] -= 1.0;
    linear_stress<D>(H, geometry[0], lambda_, mu_, s);
    LIVENS_FOR (int i = 0; i < D; ++i)
      LIVENS_FOR (int j = 0; j < D; ++j) energy += 0.5 * s[i][j] * H[i][j];
    spread_of_one<N, D>(s, geometry + 1, g);
    return livens::sum(energy);
  }

 private:
  ElementGeometry<K> geometry_;
  double lambda_, mu_;
};

// Linear tetrahedra have one point: the lanes are x, y, z, and the columns of F, cof F and P are packs.
class TetStencils final : public SolidStencils<ElementKind::tet4> {
 public:
  TetStencils(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy, double lambda, double mu)
      : SolidStencils(part, lambda, mu), coefficients_(part, *energy), energy_(std::move(energy)) {
    std::vector<double> numbers;
    for (const int e : part.elements) {
      reference_gradients(part, e, {0, 1, 2, 3}, numbers);
      geometry_.insert(geometry_.end(), numbers.begin(), numbers.end());
    }
  }

  double evaluate(int k, const double* x, double* g) const override {
    const double* weight = geometry_.data() + static_cast<std::ptrdiff_t>(k) * each;
    const double* b = weight + 1;
    const Pack origin = load(x), d1 = load(x + 4) - origin, d2 = load(x + 8) - origin, d3 = load(x + 12) - origin;
    Pack F[3], c[3];
    LIVENS_FOR (int j = 0; j < 3; ++j) F[j] = d1 * b[j] + d2 * b[3 + j] + d3 * b[6 + j];
    LIVENS_FOR (int j = 0; j < 3; ++j) c[j] = cross(F[(j + 1) % 3], F[(j + 2) % 3]);
    EnergyPoint e;
    // The fourth lanes hold differences of times; they are left out of the sums and cleared at the end.
    e.j = broadcast(sum_of_three(F[0] * c[0]));
    e.i1 = broadcast(sum_of_three(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]));
    energy_->evaluate(&e, 1, 1, coefficients_.of(k));
    const Pack a = 2 * weight[0] * e.w1, s = weight[0] * e.wj;
    Pack first{};
    LIVENS_FOR (int j = 0; j < 3; ++j) F[j] = a * F[j] + s * c[j];
    LIVENS_FOR (int n = 0; n < 3; ++n) {
      Pack f = F[0] * b[3 * n] + F[1] * b[3 * n + 1] + F[2] * b[3 * n + 2];
      f = __builtin_shufflevector(f, Pack{}, 0, 1, 2, 4);
      first -= f;
      *reinterpret_cast<Pack*>(g + 4 * n + 4) = f;
    }
    *reinterpret_cast<Pack*>(g) = first;
    return weight[0] * e.w[0];
  }

 private:
  static constexpr int each = 10;

  static double sum_of_three(Pack p) { return p[0] + p[1] + p[2]; }
  static Pack cross(Pack a, Pack b) {
    const auto next = [](Pack p) { return __builtin_shufflevector(p, p, 1, 2, 0, 3); };
    return next(a * next(b) - next(a) * b);
  }

  std::vector<double> geometry_;
  ElementCoefficients coefficients_;
  std::shared_ptr<const StrainEnergy> energy_;
};

// Straight quadratic tetrahedra. With the barycentric coordinates L_i at the points (lanes) and their constant
// gradients,
//   F = sum_i y_i (x) grad L_i,   y_i = (4 L_i - 1) x_i + sum over edges ij of 4 L_j x_ij
// so that an element has ten numbers instead of 28 packs: what is reached in any order should be small.
class StraightTet10Stencils final : public SolidStencils<ElementKind::tet10> {
 public:
  StraightTet10Stencils(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy, double lambda, double mu)
      : SolidStencils(part, lambda, mu), coefficients_(part, *energy), energy_(std::move(energy)) {
    const double b = (5 - std::sqrt(5.0)) / 20, a = 1 - 3 * b;  // degree 2, as in reference_gradients
    for (int i = 0; i < 4; ++i)
      for (int g = 0; g < 4; ++g) {
        const double L = i == g ? a : b;
        vertex_[i][g] = 4 * L - 1;
        edge_[i][g] = 4 * L;
      }
    for (const int e : part.elements) {
      const int* nodes = part.mesh->element(e);
      Eigen::Matrix3d edges;
      for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c)
          edges(c, i) = part.mesh->X[at(nodes[i + 1] * 3 + c)] - part.mesh->X[at(nodes[0] * 3 + c)];
      const Eigen::Matrix3d inverse = edges.inverse();  // rows are grad L_1 ... grad L_3
      geometry_.push_back(edges.determinant() / 24);    // of each of the four points
      for (int i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) geometry_.push_back(inverse(i, c));
    }
  }

  // Whether all midsides of the part lie in the middle.
  static bool straight(const SolidPart& part) {
    for (const int e : part.elements)
      for (int k = 0; k < 6; ++k) {
        const int* nodes = part.mesh->element(e);
        const auto& ends = simplex_edges[at(k)];
        for (int c = 0; c < 3; ++c) {
          const auto X = [&](int a) { return part.mesh->X[at(nodes[a] * 3 + c)]; };
          const double off = X(4 + k) - 0.5 * (X(ends[0]) + X(ends[1]));
          if (std::abs(off) > 1e-12 * (std::abs(X(ends[0])) + std::abs(X(ends[1])))) return false;
        }
      }
    return true;
  }

  double evaluate(int k, const double* positions, double* g) const override {
    const double* weight = geometry_.data() + static_cast<std::ptrdiff_t>(k) * each;
    const double* b = weight + 1;
    alignas(32) double d[40];
    const Pack origin = load(positions);
    LIVENS_FOR_ALL (int a = 1; a < 10; ++a) *reinterpret_cast<Pack*>(d + 4 * a) = load(positions + 4 * a) - origin;
    const auto x = [&](int a, int r) { return broadcast(d[4 * a + r]); };
    Pack F[3][3], P[3][3];
    LIVENS_FOR (int r = 0; r < 3; ++r) {
      const Pack y0 = edge_[1] * x(4, r) + edge_[2] * x(6, r) + edge_[3] * x(7, r);
      const Pack y1 = vertex_[1] * x(1, r) + edge_[0] * x(4, r) + edge_[2] * x(5, r) + edge_[3] * x(8, r) - y0;
      const Pack y2 = vertex_[2] * x(2, r) + edge_[0] * x(6, r) + edge_[1] * x(5, r) + edge_[3] * x(9, r) - y0;
      const Pack y3 = vertex_[3] * x(3, r) + edge_[0] * x(7, r) + edge_[1] * x(8, r) + edge_[2] * x(9, r) - y0;
      LIVENS_FOR (int s = 0; s < 3; ++s) F[r][s] = y1 * b[s] + y2 * b[3 + s] + y3 * b[6 + s];
    }
    EnergyPoint e;
    invariants(F, energy_->uses_i2(), e);
    energy_->evaluate(&e, 1, 1, coefficients_.of(k));
    piola_stress(e, F, broadcast(weight[0]), energy_->uses_i2(), P);
    Pack Q[4][3];
    LIVENS_FOR (int r = 0; r < 3; ++r) {
      LIVENS_FOR (int i = 1; i < 4; ++i)
        Q[i][r] = P[r][0] * b[3 * i - 3] + P[r][1] * b[3 * i - 2] + P[r][2] * b[3 * i - 1];
      Q[0][r] = -(Q[1][r] + Q[2][r] + Q[3][r]);
    }
    Pack first{};
    const auto put = [&](int a, const Pack& f0, const Pack& f1, const Pack& f2) {
      Pack r0 = f0, r1 = f1, r2 = f2, r3{};
      transpose(r0, r1, r2, r3);
      const Pack total = (r0 + r1) + (r2 + r3);
      first -= total;
      *reinterpret_cast<Pack*>(g + 4 * a) = total;
    };
    LIVENS_FOR (int i = 1; i < 4; ++i) put(i, vertex_[i] * Q[i][0], vertex_[i] * Q[i][1], vertex_[i] * Q[i][2]);
    const auto put_edge = [&](int a, int i, int j) {
      put(a, edge_[j] * Q[i][0] + edge_[i] * Q[j][0], edge_[j] * Q[i][1] + edge_[i] * Q[j][1],
          edge_[j] * Q[i][2] + edge_[i] * Q[j][2]);
    };
    put_edge(4, 0, 1);
    put_edge(5, 1, 2);
    put_edge(6, 2, 0);
    put_edge(7, 0, 3);
    put_edge(8, 1, 3);
    put_edge(9, 2, 3);
    *reinterpret_cast<Pack*>(g) = first;
    return weight[0] * livens::sum(e.w);
  }

 private:
  static constexpr int each = 10;

  Pack vertex_[4], edge_[4];
  std::vector<double> geometry_;
  ElementCoefficients coefficients_;
  std::shared_ptr<const StrainEnergy> energy_;
};

template <ElementKind K>
class StrainDampingStencils final : public DampingStencils {
 public:
  static constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension;

  StrainDampingStencils(const SolidPart& part, double time, double lambda, double mu)
      : geometry_(part, true), nodes_(nodes_of_part(part)), time_(time), lambda_(lambda), mu_(mu) {}

  bool belongs_to(const Stencils& stencils) const override {
    if (stencils.per_stencil() != N || stencils.count() * N != static_cast<int>(nodes_.size())) return false;
    for (int k = 0; k < stencils.count(); ++k)
      for (int a = 0; a < N; ++a)
        if (stencils.nodes(k)[a] != nodes_[k * N + a]) return false;
    return true;
  }

  double time() const override { return time_; }

  void add_impulse(int k, const double* positions, const double* moved, double* g) const override {
    Pack x[N][D], u[N][D], b[(N - 1) * D], L[D][D], s[D][D], f[N][D];
    broadcast_nodes(positions, x);
    broadcast_nodes(moved, u);
    const Pack weight = current_gradients<N, D>(x, geometry_.of(k), b) * time_;
    deformation<N, D>(u, b, L);
    linear_stress<D>(L, weight, lambda_, mu_, s);
    spread_stress<N, D>(s, b, true, f);
    add_lanes(f, g);
  }

 private:
  ElementGeometry<K> geometry_;
  std::vector<int> nodes_;
  double time_, lambda_, mu_;
};

}  // namespace

std::shared_ptr<const Stencils> make_elastic_stencils(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy,
                                                      double lambda, double mu) {
  if (part.mesh->kind == ElementKind::tet4 && !energy->uses_i2())
    return std::make_shared<TetStencils>(part, std::move(energy), lambda, mu);
  if (part.mesh->kind == ElementKind::tet10 && StraightTet10Stencils::straight(part))
    return std::make_shared<StraightTet10Stencils>(part, std::move(energy), lambda, mu);
  return with_kind(part.mesh->kind, [&](auto kind) -> std::shared_ptr<const Stencils> {
    return std::make_shared<ElasticStencils<kind.value>>(part, energy, lambda, mu);
  });
}

std::shared_ptr<const Stencils> make_linear_stencils(const SolidPart& part, double lambda, double mu) {
  return with_kind(part.mesh->kind, [&](auto kind) -> std::shared_ptr<const Stencils> {
    return std::make_shared<LinearStencils<kind.value>>(part, lambda, mu);
  });
}

std::shared_ptr<const DampingStencils> make_damping_stencils(const SolidPart& part, double time, double lambda,
                                                             double mu) {
  return with_kind(part.mesh->kind, [&](auto kind) -> std::shared_ptr<const DampingStencils> {
    return std::make_shared<StrainDampingStencils<kind.value>>(part, time, lambda, mu);
  });
}

}  // namespace livens
