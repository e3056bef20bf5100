#include "model/projection.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <Eigen/SparseCholesky>

#include "model/constraint_size.hpp"
#include "model/linearisation.hpp"

namespace livens {

// Of the accelerations without constraints, which are larger than what they leave. A figure to look at: nothing is
// computed from it.
constexpr double reaction_tolerance = 1e-12;

// What the three problems share: A on the model's pattern, both borders at one configuration.
struct Projection::Problem : SaddleProblem {
  Problem(Projection& owner, const Model& the_model, double time)
      : model(the_model),
        system(owner.system_),
        base(owner.base_),
        work(owner.work_),
        n(the_model.size()),
        m(the_model.constraint_count()),
        t(time) {}

  // r += G'mu at q
  void add_reactions(ConstVector q, ConstVector x, Vector r) {
    model.add_constraint_force(t, q, x.subspan(n), 1, r.subspan(0, n));
  }
  void fill(ConstVector q_rows, ConstVector q_columns, Vector values) {
    system.add_base(base, values);
    system.add_rows(model, t, q_rows, 0, 1, values);
    system.add_columns(model, t, q_columns, 0, 1, values);
  }

  const Model& model;
  const SaddleSystem& system;
  std::vector<double>&base, &work;
  std::size_t n, m;
  double t;
};

struct Projection::Velocities final : Problem {
  Velocities(Projection& owner, const Model& the_model, double time, ConstVector at, ConstVector momentum,
             ConstVector guess)
      : Problem(owner, the_model, time), q(at), p(momentum), size(the_model) {
    size.begin(model, system, t, q, guess);
    free_speed = size.travel(1, p);
    second.resize(m);
  }
  ConstVector q, p;
  ConstraintSize size;
  double free_speed;  // of p without constraints: that with them may be 0
  std::vector<double> second;

  bool residual(ConstVector x, Vector r, double& scale, double& violation) override {
    const ConstVector v = x.subspan(0, n);
    const Vector motion = r.subspan(0, n);
    model.momentum(t, q, v, motion);
    add_reactions(q, x, r);
    scale = 0;
    double speed = free_speed;
    for (std::size_t i = 0; i < n; ++i) {
      scale = std::max(scale, std::abs(motion[i]) + std::abs(p[i]));
      motion[i] -= p[i];
      if (model.supported(static_cast<int>(i))) motion[i] = 0;
      speed = std::max(speed, std::abs(v[i]));
    }
    model.constraint_rates(t, q, v, r.subspan(n), second);
    violation = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const double of_rates = speed * size.row_sums()[k], off = std::abs(r[n + k]);
      if (off > 0) violation = std::max(violation, of_rates > 0 ? off / of_rates : off);
    }
    return std::isfinite(scale);
  }
  void jacobian(ConstVector x, Vector values) override {
    std::fill(base.begin(), base.end(), 0.0);
    linearisation(model).add_lagrangian(model, t, q, x.subspan(0, n), {0, 0, 0, 1}, base);
    fill(q, q, values);
  }
};

// M (x - start) + G(x)'mu = 0, g(x) = 0; generalised coordinates without mass are moved as if they had 1.
struct Projection::Positions final : Problem {
  Positions(Projection& owner, const Model& the_model, double time, ConstVector from)
      : Problem(owner, the_model, time),
        start(from.begin(), from.end()),
        mass(the_model.parts().mass.diagonal),
        size(the_model) {
    for (double& value : mass)
      if (!(value > 0)) value = 1;
  }
  std::vector<double> start, mass;
  ConstraintSize size;

  bool residual(ConstVector x, Vector r, double& scale, double& violation) override {
    std::fill(r.begin(), r.end(), 0.0);
    add_reactions(x.subspan(0, n), x, r);
    scale = 0;
    double travel = 0;
    for (std::size_t i = 0; i < n; ++i) {
      r[i] += mass[i] * (x[i] - start[i]);
      scale = std::max(scale, mass[i] * (std::abs(x[i]) + std::abs(start[i])));
      travel = std::max(travel, std::abs(x[i] - start[i]));
    }
    model.constraint_values(t, x.subspan(0, n), r.subspan(n));
    violation = size.violation(model, t, x.subspan(0, n), r.subspan(n), travel);
    if (scale == 0) scale = 1;
    return std::isfinite(violation);
  }
  void jacobian(ConstVector x, Vector values) override {
    std::fill(base.begin(), base.end(), 0.0);
    const Linearisation& lin = linearisation(model);
    for (std::size_t i = 0; i < n; ++i) {
      const int slot = lin.pattern().slot(static_cast<int>(i), static_cast<int>(i));
      base[slot] = mass[i];
    }
    lin.add_curvature(model, t, x.subspan(0, n), x.subspan(n), 1, base);
    fill(x.subspan(0, n), x.subspan(0, n), values);
  }
};

struct Projection::Accelerations final : Problem {
  using Problem::Problem;
  const State* state = nullptr;
  std::vector<double> force, second;
  std::vector<double> kinetic;  // L_vv, of general Lagrangians
  double free_size = 0;         // of G a without constraints

  // dL/dq + f, and less d2L/dvdq v + d2L/dvdt of general Lagrangians: what L_vv a is without constraints.
  void find_forces() {
    const std::vector<double>&q = state->q, &v = state->v;
    std::vector<double> by_q(n), by_v(n), image(n);
    model.forces(t, q, v, force);
    if (model.separable()) {
      model.gradient(t, q, by_q);
      for (std::size_t i = 0; i < n; ++i) force[i] -= by_q[i];
      return;
    }
    model.lagrangian(t, q, v, by_q, by_v);
    for (std::size_t i = 0; i < n; ++i) force[i] += by_q[i];
    const Linearisation& lin = linearisation(model);
    kinetic.assign(base.size(), 0.0);
    lin.add_lagrangian(model, t, q, v, {0, 0, 1, 0}, kinetic);
    lin.pattern().multiply(kinetic, v, image);
    const double e = 1e-6 * (1 + std::abs(t));  // by differences: nothing where L does not depend on time
    model.momentum(t + e, q, v, by_q);
    model.momentum(t - e, q, v, by_v);
    for (std::size_t i = 0; i < n; ++i) force[i] -= image[i] + (by_q[i] - by_v[i]) / (2 * e);
    kinetic.assign(base.size(), 0.0);
    lin.add_lagrangian(model, t, q, v, {0, 0, 0, 1}, kinetic);
  }

  bool residual(ConstVector x, Vector r, double& scale, double& violation) override {
    const Vector motion = r.subspan(0, n);
    if (model.separable())
      model.multiply_mass(x.subspan(0, n), motion);
    else
      linearisation(model).pattern().multiply(kinetic, x.subspan(0, n), motion);
    add_reactions(state->q, x, r);
    scale = 0;
    for (std::size_t i = 0; i < n; ++i) {
      scale = std::max(scale, std::abs(motion[i]) + std::abs(force[i]));
      motion[i] -= force[i];
      if (model.supported(static_cast<int>(i))) motion[i] = 0;
    }
    // G a + second derivative at constant velocity; G a is the rate at "velocity" a without the part of time.
    work.resize(4 * m);
    const Vector w(work);
    const std::vector<double>& rest = zero;
    model.constraint_rates(t, state->q, x.subspan(0, n), w.subspan(0, m), w.subspan(2 * m, m));
    model.constraint_rates(t, state->q, rest, w.subspan(m, m), w.subspan(2 * m, m));
    double worst = 0, size = 0;
    for (std::size_t k = 0; k < m; ++k) {
      const double along = work[k] - work[m + k];
      r[n + k] = along + second[k];
      worst = std::max(worst, std::abs(r[n + k]));
      size = std::max(size, std::abs(along) + std::abs(second[k]));
    }
    // Accelerations cancel in G a: what rounding refers to are they themselves, or at rest those without constraints.
    for (std::size_t i = 0; i < n; ++i) size = std::max(size, std::abs(x[i]));
    size = std::max(size, free_size);
    violation = size > 0 ? worst / size : worst;
    if (scale == 0) scale = 1;
    return std::isfinite(scale) && std::isfinite(violation);
  }
  void jacobian(ConstVector, Vector values) override {
    std::fill(base.begin(), base.end(), 0.0);
    if (model.separable())
      linearisation(model).add_mass(model, 1, base);
    else
      base = kinetic;
    fill(state->q, state->q, values);
  }
  std::vector<double> zero;
};

Projection::Projection(const Model& model) : system_(model, 1), solver_(system_.pattern(), system_.unknowns()) {
  x_.resize(system_.pattern().n);
  base_.resize(linearisation(model).pattern().nonzeros());
}

Projection::~Projection() = default;

const SolveResult& Projection::velocities(const Model& model, double t, ConstVector q, Vector p, Vector v, Vector mu) {
  Velocities problem(*this, model, t, q, p, v);
  const std::size_t n = problem.n;
  std::fill(x_.begin(), x_.end(), 0.0);
  std::copy(v.begin(), v.end(), x_.begin());
  const SolveResult& result = solver_.solve(problem, x_, SolverOptions{});
  if (!result.converged) return result;
  std::copy_n(x_.begin(), n, v.begin());
  const ConstVector impulse = ConstVector(x_).subspan(n);
  model.add_constraint_force(t, q, impulse, -1, p);
  std::copy(impulse.begin(), impulse.begin() + static_cast<std::ptrdiff_t>(mu.size()), mu.begin());
  return result;
}

const SolveResult& Projection::positions(const Model& model, double t, Vector q) {
  Positions problem(*this, model, t, q);
  problem.size.begin(model, system_, t, q, std::vector<double>(q.size(), 0.0));
  std::fill(x_.begin(), x_.end(), 0.0);
  std::copy(q.begin(), q.end(), x_.begin());
  const SolveResult& result = solver_.solve(problem, x_, SolverOptions{}, SaddleSolver::Regularise::gradual);
  if (result.converged) std::copy_n(x_.begin(), q.size(), q.begin());
  return result;
}

const SolveResult& Projection::multipliers(const Model& model, const State& state, Vector lambda) {
  // Velocities that do not keep the constraints exactly have accelerations that contradict each other where constraints
  // are redundant.
  State kept = state;
  if (!velocities(model, state.t, state.q, kept.p, kept.v).converged) kept = state;
  SolverOptions options;
  options.tolerance = reaction_tolerance;
  return accelerate(model, kept, options, lambda);
}

const SolveResult& Projection::multipliers_as_given(const Model& model, const State& state, Vector lambda) {
  return accelerate(model, state, SolverOptions{}, lambda);
}

const SolveResult& Projection::accelerate(const Model& model, const State& state, const SolverOptions& options,
                                          Vector lambda) {
  Accelerations problem(*this, model, state.t);
  problem.state = &state;
  const std::size_t n = problem.n;
  problem.zero.assign(n, 0.0);
  problem.force.resize(n);
  problem.second.resize(problem.m);
  std::vector<double> rate(problem.m);
  problem.find_forces();
  ConstraintSize size(model);
  size.begin(model, system_, state.t, state.q, state.v);
  const ConstVector sums = size.row_sums();
  problem.free_size = size.travel(1, problem.force) * *std::max_element(sums.begin(), sums.end());
  model.constraint_rates(state.t, state.q, state.v, rate, problem.second);
  std::fill(x_.begin(), x_.end(), 0.0);
  const SolveResult& result = solver_.solve(problem, x_, options);
  if (result.converged) std::copy(x_.begin() + static_cast<std::ptrdiff_t>(n), x_.end(), lambda.begin());
  return result;
}

namespace {

constexpr int dense_rank_limit = 400;  // equations; above, a sparse factorisation

// dg/dq with columns over the square root of the mass: so light coordinates do not look dependent.
class Triplets final : public MatrixSink {
 public:
  Triplets(const Model& the_model) : model(the_model) {}
  void add_block(std::span<const int> rows, std::span<const int> columns, const double* values) override {
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (model.supported(columns[c])) continue;
        const double mass = model.parts().mass.diagonal[columns[c]];
        // Transposed: the factorisation then orders equations.
        list.emplace_back(columns[c], first + rows[r], values[r * columns.size() + c] / std::sqrt(mass > 0 ? mass : 1));
      }
  }
  BlockAccess blocks(std::span<const int>, int, int) override { return {}; }
  const Model& model;
  std::vector<Eigen::Triplet<double>> list;
  int first = 0;
};

// The Jacobian, transposed, with equations of one size: their units differ.
Eigen::SparseMatrix<double> transposed_jacobian(const Model& model, const State& state) {
  Triplets sink(model);
  for (const auto& constraint : model.parts().constraints) {
    constraint->add_jacobian(state.t, state.q, 1, sink);
    sink.first += constraint->count();
  }
  Eigen::SparseMatrix<double> transposed(model.size(), model.constraint_count());
  transposed.setFromTriplets(sink.list.begin(), sink.list.end());
  for (int k = 0; k < transposed.cols(); ++k) {
    const double norm = transposed.col(k).norm();
    if (norm > 0) transposed.col(k) /= norm;
  }
  transposed.makeCompressed();
  return transposed;
}

// Both give the rank, and the equations in an order in which those beyond the rank repeat the others.
int dense_rank(const Eigen::SparseMatrix<double>& transposed, std::vector<int>& order) {
  constexpr double threshold = 1e-8;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(transposed.rows(), transposed.cols());
  qr.setThreshold(threshold);
  qr.compute(Eigen::MatrixXd(transposed));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = qr.colsPermutation().indices()(static_cast<long>(k));
  return static_cast<int>(qr.rank());
}

// Pivots of L D L' of the Gram matrix of the equations: those of redundant ones are rounding.
int sparse_rank(const Eigen::SparseMatrix<double>& transposed, std::vector<int>& order) {
  constexpr double lift = 1e-13, least_pivot = 1e-10;
  const int m = static_cast<int>(transposed.cols());
  Eigen::SparseMatrix<double> gram = transposed.transpose() * transposed, identity(m, m);
  identity.setIdentity();
  gram += lift * identity;
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(gram);
  const auto& place = factor.permutationP().indices();
  std::vector<int> redundant;
  std::size_t next = 0;
  for (int k = 0; k < m; ++k) {
    const int position = place.size() > 0 ? place(k) : k;
    if (factor.vectorD()(position) > least_pivot)
      order[next++] = k;
    else
      redundant.push_back(k);
  }
  std::copy(redundant.begin(), redundant.end(), order.begin() + static_cast<std::ptrdiff_t>(next));
  return m - static_cast<int>(redundant.size());
}

void measure_violations(const Model& model, const State& state, ConstraintRank& result) {
  std::vector<double> g(model.constraint_count()), rate(g.size()), second(g.size());
  model.constraint_values(state.t, state.q, g);
  model.constraint_rates(state.t, state.q, state.v, rate, second);
  for (std::size_t k = 0; k < g.size(); ++k) {
    result.largest_position = std::max(result.largest_position, std::abs(g[k]));
    result.largest_velocity = std::max(result.largest_velocity, std::abs(rate[k]));
  }
}

}  // namespace

ConstraintRank constraint_rank(const Model& model, const State& state) {
  ConstraintRank result;
  const int m = model.constraint_count();
  result.equations = result.rank = m;
  result.degrees_of_freedom = model.size() - model.supported_count();
  if (m == 0) return result;
  const Eigen::SparseMatrix<double> transposed = transposed_jacobian(model, state);
  std::vector<int> order(m);
  result.rank = m <= dense_rank_limit ? dense_rank(transposed, order) : sparse_rank(transposed, order);
  result.degrees_of_freedom -= result.rank;
  std::vector<std::string> names;
  for (const auto& constraint : model.parts().constraints)
    names.insert(names.end(), constraint->count(), constraint->name());
  for (int k = result.rank; k < m; ++k) {
    const std::string& name = names[order[k]];
    if (std::find(result.redundant.begin(), result.redundant.end(), name) == result.redundant.end())
      result.redundant.push_back(name);
  }
  measure_violations(model, state, result);
  return result;
}

}  // namespace livens
