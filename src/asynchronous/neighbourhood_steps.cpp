#include "asynchronous/neighbourhood_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/lanczos.hpp"
#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr double stencil_difference = 1e-6;  // of the size of a stencil, to difference its gradient
constexpr double small_difference = 1e-7;    // the same for all nodes at once, of the smallest stencil
constexpr double tolerance = 0.01;           // of lambda_max
constexpr int most_products = 40;
constexpr int few = 256;  // stencils that a thread takes at a time

template <int N>
double extent(const Pack* x) {
  double size = 0;
  for (int a = 1; a < N; ++a)
    for (int c = 0; c < 3; ++c) size = std::max(size, std::abs(x[a][c] - x[0][c]));
  return size > 0 ? size : 1;
}

// Second derivatives of a stencil: a row of the gradients of all nodes for each coordinate, 3 a + c. Plain loops: a
// library of matrices takes the compiler half a minute for all numbers of nodes.
template <int N>
struct Stiffness {
  static constexpr int n = 3 * N;
  Pack rows[n][N] = {};

  // Of row i and component c of node a.
  double at(int i, int a, int c) const { return reinterpret_cast<const double*>(rows[i])[4 * a + c]; }
};

// Second derivatives by differences of the gradient, to some 1e-6 of themselves. What does not change when all nodes
// move together needs no look at the first one.
template <int N>
Stiffness<N> stiffness(const StencilSystem& system, const StencilSystem::Set& set, int stencil,
                       const std::vector<Pack>& all) {
  const int D = system.dimension(), k = stencil - set.first;
  const int* nodes = system.nodes(set, stencil);
  Stiffness<N> K;
  if (set.term == nullptr) return K;
  if (const double bound = set.stencils->stiffness(k); bound > 0) {
    for (int a = 0; a < N; ++a)
      for (int c = 0; c < D; ++c) K.rows[3 * a + c][a][c] = bound;
    return K;
  }
  Pack x[N], here[N], there[N], first[3][N] = {};
  for (int a = 0; a < N; ++a) x[a] = all[nodes[a]];
  const double step = stencil_difference * extent<N>(x), rate = 1 / step;
  const Pack per_step = {rate, rate, rate, 0};
  set.stencils->evaluate(k, lanes(x), lanes(here));
  const bool together = set.invariant && N > 1;
  for (int a = together ? 1 : 0; a < N; ++a)
    for (int c = 0; c < D; ++c) {
      double& moved = lanes(x)[4 * a + c];
      const double before = moved;
      moved = before + step;
      set.stencils->evaluate(k, lanes(x), lanes(there));
      moved = before;
      for (int b = 0; b < N; ++b) {
        const Pack change = (there[b] - here[b]) * per_step;
        K.rows[3 * a + c][b] = change;
        first[c][b] -= change;
      }
    }
  for (int c = 0; c < 3 && together; ++c) std::copy(first[c], first[c] + N, K.rows[c]);
  return K;
}

// Zero in coordinates that are supported.
template <int N>
void hold_supports(const Pack* free, const int* nodes, Stiffness<N>& K) {
  for (int a = 0; a < N && free != nullptr; ++a)
    for (int c = 0; c < 3; ++c)
      for (int b = 0; b < N; ++b) K.rows[3 * a + c][b] *= free[nodes[a]][c] * free[nodes[b]];
}

// What linear elements need twice is kept, in single precision: the lower triangle but for the first node, whose part
// follows from the others.
template <int N>
constexpr int kept_numbers = N > 1 && N <= 4 ? (3 * N - 3) * (3 * N - 2) / 2 : 0;
bool is_kept(const StencilSystem::Set& set) { return set.invariant && set.per_stencil > 1 && set.per_stencil <= 4; }

template <int N>
void keep(const Stiffness<N>& K, float* numbers) {
  for (int a = 1; a < N; ++a)
    for (int c = 0; c < 3; ++c)
      for (int j = 3; j <= 3 * a + c; ++j) *numbers++ = static_cast<float>(K.at(3 * a + c, j / 3, j % 3));
}

template <int N>
Stiffness<N> kept_stiffness(const float* numbers) {
  Stiffness<N> K;
  for (int i = 3; i < K.n; ++i)
    for (int j = 3; j <= i; ++j, ++numbers) {
      lanes(K.rows[i])[4 * (j / 3) + j % 3] = *numbers;
      lanes(K.rows[j])[4 * (i / 3) + i % 3] = *numbers;
    }
  for (int i = 3; i < K.n; ++i)
    for (int b = 1; b < N; ++b) K.rows[i][0] -= K.rows[i][b];
  for (int i = 3; i < K.n; ++i)
    for (int b = 0; b < N; ++b) K.rows[i % 3][b] -= K.rows[i][b];
  return K;
}

template <int N>
Stiffness<N> product(const Stiffness<N>& A, const Stiffness<N>& B) {
  Stiffness<N> result;
  for (int i = 0; i < A.n; ++i) {
    Pack sum[N] = {};
    for (int a = 0; a < N; ++a)
      for (int c = 0; c < 3; ++c)
        for (int b = 0; b < N; ++b) sum[b] += A.at(i, a, c) * B.rows[3 * a + c][b];
    std::copy(sum, sum + N, result.rows[i]);
  }
  return result;
}

// A' v, which is A v for symmetric matrices.
template <int N>
void multiply(const Stiffness<N>& A, const Pack* v, Pack* result) {
  Pack sum[N] = {};
  for (int a = 0; a < N; ++a)
    for (int c = 0; c < 3; ++c)
      for (int b = 0; b < N; ++b) sum[b] += lanes(v)[4 * a + c] * A.rows[3 * a + c][b];
  std::copy(sum, sum + N, result);
}

template <int N>
double dot(const Pack* a, const Pack* b) {
  Pack total{};
  for (int j = 0; j < N; ++j) total += a[j] * b[j];
  return (total[0] + total[1]) + (total[2] + total[3]);
}

// The eigenvalue of largest size of a symmetric matrix: v along K^4, K^8, ... from the longest column of K^4, then
// v'Kv. It lies between the largest entry and 3N times that, so that K over that entry, which it leaves, needs no other
// scale.
template <int N>
double largest_eigenvalue(Stiffness<N>& K) {
  Pack largest{};
  for (const auto& row : K.rows)
    for (const Pack& pack : row) {
      const Pack size = pack > -pack ? pack : -pack;
      largest = size > largest ? size : largest;
    }
  const double size = std::max(std::max(largest[0], largest[1]), largest[2]);
  if (!(size > 0) || !std::isfinite(size)) return 0;
  const double inverse = 1 / size;
  for (auto& row : K.rows)
    for (Pack& pack : row) pack *= inverse;
  const Stiffness<N> square = product(K, K), fourth = product(square, square);
  int longest = 0;
  double length = 0;
  for (int i = 0; i < K.n; ++i)
    if (const double own = dot<N>(fourth.rows[i], fourth.rows[i]); own > length) {
      length = own;
      longest = i;
    }
  Pack v[N], w[N];
  std::copy(fourth.rows[longest], fourth.rows[longest] + N, v);
  for (int repeat = 0; repeat < 3; ++repeat) {
    multiply(fourth, v, w);
    multiply(fourth, w, v);
  }
  multiply(K, v, w);
  return size * std::abs(dot<N>(v, w)) / dot<N>(v, v);
}

}  // namespace

NeighbourhoodSteps::NeighbourhoodSteps(const StencilSystem& system, std::vector<Pack> x)
    : system_(system), x_(std::move(x)), share_(system.place_count(), 0.0) {
  place_at_.assign(x_.size() + 1, 0);
  for (const auto& set : system.sets())
    for (int i = 0; i < set.stencils->count() * set.per_stencil; ++i) ++place_at_[system.nodes(set, set.first)[i] + 1];
  for (std::size_t a = 0; a < x_.size(); ++a) place_at_[a + 1] += place_at_[a];
  places_.resize(system.place_count());
  std::vector<int> filled(place_at_.begin(), place_at_.end() - 1);
  for (const auto& set : system.sets())
    for (int i = 0; i < set.stencils->count() * set.per_stencil; ++i) {
      const auto place = static_cast<int>(set.first_node) + i;
      places_[filled[system.nodes(set, set.first)[i]]++] = place;
    }
  std::size_t kept = 0;
  kept_at_.reserve(static_cast<std::size_t>(system.size()));
  for (const auto& set : system.sets())
    for (int k = 0; k < set.stencils->count(); ++k) {
      kept_at_.push_back(kept);
      if (is_kept(set)) kept += with_nodes(set.per_stencil, []<int N>() { return std::size_t{kept_numbers<N>}; });
    }
  kept_.resize(kept);
  share_stiffness();
  limit_each();
  kept_ = {};
  kept_at_ = {};
}

namespace {

// body.operator()<N>(set, stencil) for all stencils, on all threads.
template <class Body>
void for_all_stencils(const StencilSystem& system, const Body& body) {
  for (const auto& set : system.sets()) {
    const int count = set.stencils->count();
    for_each_index(static_cast<std::size_t>((count + few - 1) / few), [&](std::size_t part) {
      const int begin = static_cast<int>(part) * few, end = std::min(count, begin + few);
      with_nodes(set.per_stencil, [&]<int N>() {
        for (int k = begin; k < end; ++k) body.template operator()<N>(set, set.first + k);
      });
    });
  }
}

}  // namespace

// Parts of the mass of each node, by the diagonal of the stiffness there.
void NeighbourhoodSteps::share_stiffness() {
  std::vector<double> sizes(system_.size());
  for_all_stencils(system_, [&]<int N>(const StencilSystem::Set& set, int stencil) {
    Stiffness<N> K = stiffness<N>(system_, set, stencil, x_);
    if constexpr (kept_numbers < N >> 0)
      if (is_kept(set)) keep<N>(K, kept_.data() + kept_at_[stencil]);
    hold_supports(system_.free_coordinates(), system_.nodes(set, stencil), K);
    double* share = share_.data() + system_.place(set, stencil);
    Pack x[N];
    for (int a = 0; a < N; ++a) {
      share[a] = 0;
      for (int c = 0; c < 3; ++c) share[a] += std::abs(K.at(3 * a + c, a, c));
      x[a] = x_[system_.nodes(set, stencil)[a]];
    }
    sizes[stencil] = N > 1 ? extent<N>(x) : std::numeric_limits<double>::infinity();
  });
  const double least = sizes.empty() ? 1 : *std::min_element(sizes.begin(), sizes.end());
  if (std::isfinite(least)) size_ = least;
  for (std::size_t a = 0; a < x_.size(); ++a) {
    double sum = 0;
    for (int i = place_at_[a]; i < place_at_[a + 1]; ++i) sum += share_[places_[i]];
    for (int i = place_at_[a]; i < place_at_[a + 1] && sum > 0; ++i) share_[places_[i]] /= sum;
  }
}

void NeighbourhoodSteps::limit_each() {
  limits_.assign(system_.size(), std::numeric_limits<double>::infinity());
  for_all_stencils(system_, [&]<int N>(const StencilSystem::Set& set, int stencil) {
    Stiffness<N> K;
    if (kept_numbers < N >> 0 && is_kept(set))
      K = kept_stiffness<N>(kept_.data() + kept_at_[stencil]);
    else
      K = stiffness<N>(system_, set, stencil, x_);
    hold_supports(system_.free_coordinates(), system_.nodes(set, stencil), K);
    const double* share = share_.data() + system_.place(set, stencil);
    double scale[N];
    for (int a = 0; a < N; ++a) {
      const double mass = share[a] * system_.mass(system_.nodes(set, stencil)[a]);
      scale[a] = mass > 0 ? 1 / std::sqrt(mass) : 0;
    }
    for (int a = 0; a < N; ++a)
      for (int c = 0; c < 3; ++c)
        for (int b = 0; b < N; ++b) K.rows[3 * a + c][b] *= scale[a] * scale[b];
    const double square = largest_eigenvalue(K);
    if (square > 0) limits_[stencil] = 2 / std::sqrt(square);
  });
}

// sum_e w_e dW_e/dx at the positions given, of free coordinates; bounds of stiffness act on displacements.
void NeighbourhoodSteps::sum_forces(std::span<const double> weights, const std::vector<Pack>& at,
                                    std::vector<Pack>& force, std::vector<double>& sum) const {
  for_all_stencils(system_, [&]<int N>(const StencilSystem::Set& set, int stencil) {
    const int* nodes = system_.nodes(set, stencil);
    Pack x[N], g[N];
    for (int a = 0; a < N; ++a) x[a] = at[nodes[a]];
    const double bound = set.stencils->stiffness(stencil - set.first);
    if (bound > 0)
      for (int a = 0; a < N; ++a) g[a] = bound * (x[a] - x_[nodes[a]]);
    else
      set.stencils->evaluate(stencil - set.first, lanes(x), lanes(g));
    Pack* to = force.data() + system_.place(set, stencil);
    for (int a = 0; a < N; ++a) to[a] = weights[stencil] * g[a];
  });
  const int D = system_.dimension();
  const Pack* free = system_.free_coordinates();
  for_chunks(x_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      Pack total{};
      for (int i = place_at_[a]; i < place_at_[a + 1]; ++i) total += force[places_[i]];
      if (free != nullptr) total *= free[a];
      for (int c = 0; c < D; ++c) sum[a * D + c] = total[c];
    }
  });
}

double NeighbourhoodSteps::largest(std::span<const double> weights) const {
  const auto D = static_cast<std::size_t>(system_.dimension());
  const std::size_t nodes = x_.size(), n = nodes * D;
  std::vector<double> first(n);
  std::vector<Pack> moved = x_, force(system_.place_count());
  sum_forces(weights, x_, force, first);
  const auto multiply = [&](const Lanczos::Values& u, Lanczos::Values& y) {
    double most = 0;
    for (const double value : u) most = std::max(most, std::abs(value));
    const double step = small_difference * size_ / most;
    for (std::size_t a = 0; a < nodes; ++a)
      for (std::size_t c = 0; c < D; ++c) moved[a][c] = x_[a][c] + step * u[a * D + c];
    sum_forces(weights, moved, force, y);
    for (std::size_t i = 0; i < n; ++i) y[i] = (y[i] - first[i]) / step;
  };
  const auto mass = [&](int sign) {
    return [&, sign](const Lanczos::Values& u, Lanczos::Values& y) {
      for (std::size_t a = 0; a < nodes; ++a) {
        const double m = system_.mass(static_cast<int>(a));
        for (std::size_t i = a * D; i < (a + 1) * D; ++i) y[i] = sign > 0 ? u[i] * m : u[i] / m;
      }
    };
  };
  Lanczos::Values start = mixed_vector(n);
  if (const Pack* free = system_.free_coordinates())
    for (std::size_t a = 0; a < nodes; ++a)
      for (std::size_t c = 0; c < D; ++c) start[a * D + c] *= free[a][c];
  Lanczos lanczos(std::move(start), {multiply, mass(1), mass(-1)}, tolerance, most_products);
  lanczos.run();
  return lanczos.largest_size();
}

}  // namespace livens
