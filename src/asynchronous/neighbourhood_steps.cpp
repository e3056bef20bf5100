#include "asynchronous/neighbourhood_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "math/lanczos.hpp"
#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr double difference = 1e-6;        // of the size of a stencil, to difference its gradient
constexpr double small_difference = 1e-7;  // the same for all nodes at once, of the smallest stencil
constexpr double tolerance = 0.01;         // of lambda_max
constexpr int most_products = 40;
constexpr int few = 256;  // stencils that a thread takes at a time

// Of any stencil, without allocation: one size for the compiler, which takes half a minute for one per number of nodes.
using Stiffness =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3 * most_nodes, 3 * most_nodes>;

template <int N>
double extent(const Pack* x) {
  double size = 0;
  for (int a = 1; a < N; ++a)
    for (int c = 0; c < 3; ++c) size = std::max(size, std::abs(x[a][c] - x[0][c]));
  return size > 0 ? size : 1;
}

// Second derivatives of a stencil by differences of its gradient; zero in coordinates that are supported.
template <int N>
Stiffness stiffness(const StencilSystem& system, const StencilSystem::Set& set, int stencil,
                    const std::vector<Pack>& all) {
  const int D = system.dimension(), k = stencil - set.first;
  const int* nodes = system.nodes(set, stencil);
  const Pack* free = system.free_coordinates();
  Stiffness K = Stiffness::Zero(3 * N, 3 * N);
  if (set.term == nullptr) return K;
  const double bound = set.stencils->stiffness(k);
  Pack x[N], up[N], down[N];
  for (int a = 0; a < N; ++a) x[a] = all[nodes[a]];
  const double step = difference * extent<N>(x);
  for (int a = 0; a < N; ++a)
    for (int c = 0; c < D; ++c) {
      if (free != nullptr && free[nodes[a]][c] == 0) continue;
      const int column = 3 * a + c;
      if (bound > 0) {
        K(column, column) = bound;
        continue;
      }
      const double here = x[a][c];
      x[a][c] = here + step;
      set.stencils->evaluate(k, lanes(x), lanes(up));
      x[a][c] = here - step;
      set.stencils->evaluate(k, lanes(x), lanes(down));
      x[a][c] = here;
      for (int b = 0; b < N; ++b)
        for (int d = 0; d < D; ++d)
          if (free == nullptr || free[nodes[b]][d] != 0) K(3 * b + d, column) = (up[b][d] - down[b][d]) / (2 * step);
    }
  return 0.5 * (K + K.transpose());
}

// The eigenvalue of largest size: v along K^4, K^8, ... from the longest column of K^4, then v'Kv.
double largest_eigenvalue(const Stiffness& K) {
  const double size = K.cwiseAbs().maxCoeff();
  if (!(size > 0) || !std::isfinite(size)) return 0;
  const Stiffness scaled = K / size, square = scaled * scaled, fourth = square * square;
  Eigen::Index longest = 0;
  fourth.colwise().squaredNorm().maxCoeff(&longest);
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 3 * most_nodes, 1> v = fourth.col(longest).normalized();
  for (int repeat = 0; repeat < 6; ++repeat) v = (fourth * v).normalized();
  return std::abs(v.dot(K * v));
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
  share_stiffness();
  limit_each();
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
    const Stiffness K = stiffness<N>(system_, set, stencil, x_);
    double* share = share_.data() + system_.place(set, stencil);
    Pack x[N];
    for (int a = 0; a < N; ++a) {
      share[a] = K.diagonal().template segment<3>(3 * a).cwiseAbs().sum();
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
    Stiffness K = stiffness<N>(system_, set, stencil, x_);
    const double* share = share_.data() + system_.place(set, stencil);
    for (int a = 0; a < N; ++a) {
      const double mass = share[a] * system_.mass(system_.nodes(set, stencil)[a]);
      const double scale = mass > 0 ? 1 / std::sqrt(mass) : 0;
      K.template middleCols<3>(3 * a) *= scale;
      K.template middleRows<3>(3 * a) *= scale;
    }
    const double square = largest_eigenvalue(K);
    if (square > 0) limits_[stencil] = 2 / std::sqrt(square);
  });
}

// sum_e w_e dW_e/dx at the positions given, of free coordinates; bounds of stiffness act on displacements.
void NeighbourhoodSteps::sum_forces(std::span<const double> weights, const std::vector<Pack>& at,
                                    std::vector<double>& sum) const {
  std::vector<Pack> force(system_.place_count());
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
  const int D = system_.dimension();
  const std::size_t n = x_.size() * D;
  std::vector<double> first(n);
  std::vector<Pack> moved = x_;
  sum_forces(weights, x_, first);
  const auto multiply = [&](const Lanczos::Values& u, Lanczos::Values& y) {
    double most = 0;
    for (const double value : u) most = std::max(most, std::abs(value));
    const double step = small_difference * size_ / most;
    for (std::size_t i = 0; i < n; ++i) moved[i / D][i % D] = x_[i / D][i % D] + step * u[i];
    sum_forces(weights, moved, y);
    for (std::size_t i = 0; i < n; ++i) y[i] = (y[i] - first[i]) / step;
  };
  const auto mass = [&](int sign) {
    return [&, sign](const Lanczos::Values& u, Lanczos::Values& y) {
      for (std::size_t i = 0; i < n; ++i) {
        const double m = system_.mass(static_cast<int>(i / D));
        y[i] = sign > 0 ? u[i] * m : u[i] / m;
      }
    };
  };
  Lanczos::Values start = mixed_vector(n);
  if (const Pack* free = system_.free_coordinates())
    for (std::size_t i = 0; i < n; ++i) start[i] *= free[i / D][i % D];
  Lanczos lanczos(std::move(start), {multiply, mass(1), mass(-1)}, tolerance, most_products);
  lanczos.run();
  return lanczos.largest_size();
}

}  // namespace livens
