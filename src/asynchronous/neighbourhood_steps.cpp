#include "asynchronous/neighbourhood_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "asynchronous/four_matrices.hpp"
#include "math/lanczos.hpp"
#include "math/parallel.hpp"

namespace livens {
namespace {

using Four = NeighbourhoodSteps::Four;

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

// Second derivatives by differences of the gradient, to some 1e-6 of themselves, but for those along the first nodes:
// what does not change when all nodes move together needs none there.
template <int N, int first>
Stiffness<N - first> differences(const StencilSystem& system, const StencilSystem::Set& set, int stencil,
                                 const std::vector<Pack>& all) {
  Stiffness<N - first> K;
  if (set.term == nullptr) return K;
  const int D = system.dimension(), k = stencil - set.first;
  const int* nodes = system.nodes(set, stencil);
  Pack x[N], here[N], there[N];
  for (int a = 0; a < N; ++a) x[a] = all[nodes[a]];
  const double step = stencil_difference * extent<N>(x), rate = 1 / step;
  const Pack per_step = {rate, rate, rate, 0};
  set.stencils->evaluate(k, lanes(x), lanes(here));
  for (int a = first; a < N; ++a)
    for (int c = 0; c < D; ++c) {
      double& moved = lanes(x)[4 * a + c];
      const double before = moved;
      moved = before + step;
      set.stencils->evaluate(k, lanes(x), lanes(there));
      moved = before;
      for (int b = first; b < N; ++b) K.rows[3 * (a - first) + c][b - first] = (there[b] - here[b]) * per_step;
    }
  return K;
}

// The same of all nodes, from those but the first.
template <int N>
Stiffness<N> with_first_node(const Stiffness<N - 1>& others) {
  Stiffness<N> K;
  for (int i = 3; i < K.n; ++i)
    for (int b = 1; b < N; ++b) {
      K.rows[i][b] = others.rows[i - 3][b - 1];
      K.rows[i][0] -= K.rows[i][b];
    }
  for (int i = 3; i < K.n; ++i)
    for (int b = 0; b < N; ++b) K.rows[i % 3][b] -= K.rows[i][b];
  return K;
}

// The diagonal of the matrix of all nodes.
template <int N, int first>
void diagonal_of(const Stiffness<N - first>& others, Pack* diagonal) {
  for (int i = 0; i < others.n; ++i) {
    diagonal[first + i / 3][i % 3] = others.at(i, i / 3, i % 3);
    for (int b = 0; b < first * (N - 1); ++b) diagonal[0][i % 3] += others.at(i, b, i % 3);
  }
}

// Zero in coordinates that are supported.
template <int N>
void hold_supports(const Pack* free, const int* nodes, Stiffness<N>& K) {
  for (int a = 0; a < N && free != nullptr; ++a)
    for (int c = 0; c < 3; ++c)
      for (int b = 0; b < N; ++b) K.rows[3 * a + c][b] *= free[nodes[a]][c] * free[nodes[b]];
}

// What linear elements need more than once is kept, in single precision: without the first node the blocks (a, b <= a),
// row by row, of 3 x 3 numbers.
template <int N>
constexpr int kept_numbers = N > 1 && N <= 4 ? 9 * (N - 1) * N / 2 : 0;
bool is_kept(const StencilSystem::Set& set) {
  return set.term != nullptr && set.invariant && set.per_stencil > 1 && set.per_stencil <= 4;
}

template <int N>
void keep(const Stiffness<N - 1>& K, float* numbers) {
  for (int a = 0; a < N - 1; ++a)
    for (int b = 0; b <= a; ++b)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) *numbers++ = static_cast<float>(K.at(3 * a + r, b, c));
}

template <int N>
Stiffness<N - 1> kept(const float* numbers) {
  Stiffness<N - 1> K;
  for (int a = 0; a < N - 1; ++a)
    for (int b = 0; b <= a; ++b)
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c, ++numbers) {
          lanes(K.rows[3 * a + r])[4 * b + c] = *numbers;
          lanes(K.rows[3 * b + c])[4 * a + r] = *numbers;
        }
  return K;
}

// K u of displacements from the first node, in single precision.
template <int N>
void multiply_kept(const float* K, const Four* u, double weight, Four* force) {
  Four d[N - 1], f[N - 1] = {};
  LIVENS_FOR (int a = 0; a < N - 1; ++a) d[a] = u[a + 1] - u[0];
  const auto next_row = [&] {  // and a number that its last lane is to ignore
    Four row;
    std::memcpy(&row, K, sizeof row);
    K += 3;
    return row;
  };
  LIVENS_FOR (int a = 0; a < N - 1; ++a) {
    Four along[3] = {};
    LIVENS_FOR (int b = 0; b < a; ++b)
      LIVENS_FOR (int r = 0; r < 3; ++r) {
        const Four row = next_row();
        f[b] += row * d[a][r];
        along[r] += row * d[b];
      }
    LIVENS_FOR (int r = 0; r < 3; ++r) f[a] += next_row() * d[a][r];
    LIVENS_FOR (int r = 0; r < 3; ++r) f[a][r] += along[r][0] + along[r][1] + along[r][2];
  }
  force[0] = Four{};
  for (int a = 1; a < N; ++a) {
    force[a] = static_cast<float>(weight) * f[a - 1];
    force[0] -= force[a];
  }
}

// A matrix with the eigenvalues of M^-1 K but for zeros, where K does not change when all nodes move together and is
// given without its first node. In displacements u_a - u_0 the inverse of the mass is G_ab = 1/m_0 (+ 1/m_a for a = b),
// and with G = L L' the eigenvalues of G K are those of L' K L.
template <int N>
void divide_by_masses(const double* mass, Stiffness<N - 1>& K) {
  constexpr int n = N - 1;
  const auto inverse = [&](int a) { return mass[a] > 0 ? 1 / mass[a] : 0; };
  double L[n][n] = {};
  for (int a = 0; a < n; ++a)
    for (int b = 0; b <= a; ++b) {
      double rest = inverse(0) + (a == b ? inverse(a + 1) : 0);
      for (int c = 0; c < b; ++c) rest -= L[a][c] * L[b][c];
      if (a == b)
        L[a][a] = std::sqrt(std::max(rest, 0.0));
      else if (L[b][b] > 0)
        L[a][b] = rest / L[b][b];
    }
  for (auto& row : K.rows)
    for (int b = 0; b < n; ++b) {
      row[b] *= L[b][b];
      for (int c = b + 1; c < n; ++c) row[b] += L[c][b] * row[c];
    }
  for (int i = 0; i < K.n; ++i)
    for (int b = 0; b < n; ++b) {
      K.rows[i][b] *= L[i / 3][i / 3];
      for (int c = i / 3 + 1; c < n; ++c) K.rows[i][b] += L[c][i / 3] * K.rows[3 * c + i % 3][b];
    }
}

// The same of all nodes.
template <int N>
Stiffness<N> over_masses(Stiffness<N> K, const double* mass, const Pack* free, const int* nodes) {
  hold_supports(free, nodes, K);
  double scale[N];
  for (int a = 0; a < N; ++a) scale[a] = mass[a] > 0 ? 1 / std::sqrt(mass[a]) : 0;
  for (int a = 0; a < N; ++a)
    for (int c = 0; c < 3; ++c)
      for (int b = 0; b < N; ++b) K.rows[3 * a + c][b] *= scale[a] * scale[b];
  return K;
}

template <int N>
bool is_supported(const Pack* free, int dimension, const int* nodes) {
  for (int a = 0; a < N && free != nullptr; ++a)
    for (int c = 0; c < dimension; ++c)
      if (free[nodes[a]][c] == 0) return true;
  return false;
}

// A bound of the stiffness of a stencil along each of its coordinates; 0: none is known.
double bound_of(const StencilSystem::Set& set, int stencil) {
  return set.term == nullptr ? 0 : set.stencils->stiffness(stencil - set.first);
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
  kept_.resize(kept + 1);  // rows are read four numbers at a time
  const auto differs = [](const auto& set) { return set.term != nullptr && !is_kept(set); };
  if (std::any_of(system.sets().begin(), system.sets().end(), differs)) gradients_.resize(system.place_count());
  share_stiffness();
  limit_each();
}

namespace {

// body.operator()<N>(set, begin, end) for ranges of stencils, on all threads.
template <class Body>
void for_all_ranges(const StencilSystem& system, const Body& body) {
  for (const auto& set : system.sets()) {
    const int count = set.stencils->count();
    for_each_index(static_cast<std::size_t>((count + few - 1) / few), [&](std::size_t part) {
      const int begin = static_cast<int>(part) * few, end = std::min(count, begin + few);
      with_nodes(set.per_stencil,
                 [&]<int N>() { body.template operator()<N>(set, set.first + begin, set.first + end); });
    });
  }
}

// body.operator()<N>(set, stencil) for all stencils, on all threads.
template <class Body>
void for_all_stencils(const StencilSystem& system, const Body& body) {
  for_all_ranges(system, [&]<int N>(const StencilSystem::Set& set, int begin, int end) {
    for (int k = begin; k < end; ++k) body.template operator()<N>(set, k);
  });
}

}  // namespace

// Parts of the mass of each node, by the diagonal of the stiffness there.
void NeighbourhoodSteps::share_stiffness() {
  std::vector<double> sizes(system_.size());
  for_all_stencils(system_, [&]<int N>(const StencilSystem::Set& set, int stencil) {
    const int* nodes = system_.nodes(set, stencil);
    const Pack* free = system_.free_coordinates();
    Pack x[N], diagonal[N] = {};
    for (int a = 0; a < N; ++a) x[a] = x_[nodes[a]];
    if (set.term != nullptr && !is_kept(set))
      set.stencils->evaluate(stencil - set.first, lanes(x), lanes(gradients_.data() + system_.place(set, stencil)));
    if (const double bound = bound_of(set, stencil); bound > 0) {
      for (Pack& own : diagonal) own = Pack{bound, bound, bound, 0};
    } else if (N == 1 || !set.invariant) {
      diagonal_of<N, 0>(differences<N, 0>(system_, set, stencil, x_), diagonal);
    } else if constexpr (N > 1) {
      const auto others = differences<N, 1>(system_, set, stencil, x_);
      if constexpr (kept_numbers < N >> 0) keep<N>(others, kept_.data() + kept_at_[stencil]);
      diagonal_of<N, 1>(others, diagonal);
    }
    double* share = share_.data() + system_.place(set, stencil);
    for (int a = 0; a < N; ++a) {
      if (free != nullptr) diagonal[a] *= free[nodes[a]];
      share[a] = 0;
      for (int c = 0; c < system_.dimension(); ++c) share[a] += std::abs(diagonal[a][c]);
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

// 2 / sqrt(lambda_max(M_e^-1 K_e)) of each.
void NeighbourhoodSteps::limit_each() {
  limits_.assign(system_.size(), std::numeric_limits<double>::infinity());
  const auto entries = [](const auto& K) { return [&K](int i, int j) { return K.at(i, j / 3, j % 3); }; };
  const auto limit = [&](int stencil, double square) {
    if (square > 0) limits_[stencil] = 2 / std::sqrt(square);
  };
  for_all_ranges(system_, [&]<int N>(const StencilSystem::Set& set, int begin, int end) {
    constexpr int without_first = std::max(3 * N - 3, 3);
    const Pack* free = system_.free_coordinates();
    FourMatrices<without_first> moving;
    FourMatrices<3 * N> others;  // that are supported, or know where they are
    for (int stencil = begin; stencil < end; ++stencil) {
      const int* nodes = system_.nodes(set, stencil);
      const double* share = share_.data() + system_.place(set, stencil);
      double mass[N], most = 0;
      for (int a = 0; a < N; ++a) mass[a] = share[a] * system_.mass(nodes[a]);
      if (const double bound = bound_of(set, stencil); bound > 0) {
        for (const double m : mass) most = m > 0 ? std::max(most, bound / m) : most;
        limit(stencil, most);
      } else if (N == 1 || !set.invariant) {
        others.add(stencil, entries(over_masses(differences<N, 0>(system_, set, stencil, x_), mass, free, nodes)));
      } else if constexpr (N > 1) {
        Stiffness<N - 1> K;
        if constexpr (kept_numbers < N >> 0)
          K = kept<N>(kept_.data() + kept_at_[stencil]);
        else
          K = differences<N, 1>(system_, set, stencil, x_);
        if (is_supported<N>(free, system_.dimension(), nodes)) {
          others.add(stencil, entries(over_masses(with_first_node<N>(K), mass, free, nodes)));
        } else {
          divide_by_masses<N>(mass, K);
          moving.add(stencil, entries(K));
        }
      }
      if (moving.full()) moving.take(limit);
      if (others.full()) others.take(limit);
    }
    moving.take(limit);
    others.take(limit);
  });
}

// sum_e w_e K_e u of free coordinates; where K_e is not kept, (dW_e/dx(x + h u) - dW_e/dx(x)) / h.
void NeighbourhoodSteps::multiply(std::span<const double> weights, double h, const std::vector<Four>& u,
                                  std::vector<Four>& force, std::vector<double>& sum) const {
  for_all_stencils(system_, [&]<int N>(const StencilSystem::Set& set, int stencil) {
    const int* nodes = system_.nodes(set, stencil);
    const std::size_t place = system_.place(set, stencil);
    Four* to = force.data() + place;
    const double bound = bound_of(set, stencil), weight = weights[stencil];
    Four moved[N];
    Pack x[N], g[N];
    for (int a = 0; a < N; ++a) moved[a] = u[nodes[a]];
    if (bound > 0 || set.term == nullptr) {
      for (int a = 0; a < N; ++a) to[a] = static_cast<float>(weight * bound) * moved[a];
      return;
    }
    if constexpr (kept_numbers < N >> 0)
      if (is_kept(set)) return multiply_kept<N>(kept_.data() + kept_at_[stencil], moved, weight, to);
    for (int a = 0; a < N; ++a) x[a] = x_[nodes[a]] + h * __builtin_convertvector(moved[a], Pack);
    set.stencils->evaluate(stencil - set.first, lanes(x), lanes(g));
    for (int a = 0; a < N; ++a) to[a] = __builtin_convertvector(weight / h * (g[a] - gradients_[place + a]), Four);
  });
  const int D = system_.dimension();
  const Pack* free = system_.free_coordinates();
  for_chunks(x_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t a = begin; a < end; ++a) {
      Pack total{};
      for (int i = place_at_[a]; i < place_at_[a + 1]; ++i) total += __builtin_convertvector(force[places_[i]], Pack);
      if (free != nullptr) total *= free[a];
      for (int c = 0; c < D; ++c) sum[a * D + c] = total[c];
    }
  });
}

double NeighbourhoodSteps::largest(std::span<const double> weights) const {
  const auto D = static_cast<std::size_t>(system_.dimension());
  const std::size_t nodes = x_.size(), n = nodes * D;
  std::vector<Four> moved(nodes), force(system_.place_count());
  const auto product = [&](const Lanczos::Values& u, Lanczos::Values& y) {
    double most = 0;
    for (const double value : u) most = std::max(most, std::abs(value));
    for (std::size_t a = 0; a < nodes; ++a)
      for (std::size_t c = 0; c < D; ++c) moved[a][c] = static_cast<float>(u[a * D + c] / most);
    multiply(weights, small_difference * size_, moved, force, y);
    for (double& value : y) value *= most;
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
  Lanczos lanczos(std::move(start), {product, mass(1), mass(-1)}, tolerance, most_products);
  lanczos.run();
  return lanczos.largest_size();
}

}  // namespace livens
