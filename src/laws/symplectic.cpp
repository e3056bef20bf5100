// The symplectic defect: largest entry of A'JA - J, with A the Jacobian of one large step in (q, p) by central
// differences of order 8. In named variables A is that of the same step seen in them.
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>

#include <Eigen/LU>

#include "laws/measure.hpp"

namespace livens::laws {
namespace {

using Matrix = Eigen::MatrixXd;
using Vec = Eigen::VectorXd;

constexpr double step = 0.4;          // s: large enough for the defects of order 5 methods to be far above rounding
constexpr double difference = 0.008;  // error of the differences: 0.008^8 f^(9) / 630 + 1e-16 / 0.008
constexpr double symplectic_below = 1e-10, broken_above = 1e-6;

using PhaseMap = std::function<Vec(const Vec&)>;

Matrix jacobian(const PhaseMap& map, const Vec& at) {
  constexpr std::array<double, 4> weight{4. / 5, -1. / 5, 4. / 105, -1. / 280};
  const Eigen::Index n = at.size();
  Matrix A = Matrix::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (int k = 1; k <= 4; ++k) {
      Vec ahead = at, behind = at;
      ahead[j] += k * difference;
      behind[j] -= k * difference;
      A.col(j) += weight[k - 1] / difference * (map(ahead) - map(behind));
    }
  return A;
}

// Coefficient by coefficient: these matrices are small, and blocked products take seconds to compile.
Matrix product(const Matrix& A, const Matrix& B) { return A.lazyProduct(B); }

double defect(const Matrix& A) {
  const Eigen::Index n = A.rows() / 2;
  Matrix J = Matrix::Zero(2 * n, 2 * n);
  J.topRightCorner(n, n).setIdentity();
  J.bottomLeftCorner(n, n) = -Matrix::Identity(n, n);
  return (product(A.transpose(), product(J, A)) - J).cwiseAbs().maxCoeff();
}

State state_of(const Problem& problem, const Vec& z) {
  State state = problem.start;
  const auto n = state.q.size();
  for (std::size_t i = 0; i < n; ++i) {
    state.q[i] = z[static_cast<Eigen::Index>(i)];
    state.p[i] = z[static_cast<Eigen::Index>(n + i)];
  }
  if (!problem.model.velocity(state.t, state.q, state.p, state.v)) throw std::runtime_error("no velocity belongs to p");
  return state;
}

Vec vector_of(const State& state) {
  Vec z(static_cast<Eigen::Index>(2 * state.q.size()));
  for (std::size_t i = 0; i < state.q.size(); ++i) {
    z[static_cast<Eigen::Index>(i)] = state.q[i];
    z[static_cast<Eigen::Index>(state.q.size() + i)] = state.p[i];
  }
  return z;
}

// q -> x = q + beta h^2 M^-1 dW(q), p unchanged [docs/errata.md].
Vec shifted(const Problem& problem, double beta, const Vec& z) {
  const State state = state_of(problem, z);
  std::vector<double> g(state.q.size()), a(state.q.size());
  problem.model.gradient(state.t, state.q, g);
  problem.model.divide_mass(g, a);
  Vec x = z;
  for (std::size_t i = 0; i < a.size(); ++i) x[static_cast<Eigen::Index>(i)] += beta * step * step * a[i];
  return x;
}

struct Defects {
  double canonical = 0, named = 0;
};

Defects defects_of(const Method& method, const Problem& problem) {
  const PhaseMap map = [&](const Vec& z) {
    const auto moved = method.mapped(problem.model, state_of(problem, z), step);
    if (!moved) throw std::runtime_error(method.record() + ": the step from which the defect is measured failed");
    return vector_of(*moved);
  };
  const Vec start = vector_of(problem.start);
  const Matrix A = jacobian(map, start);
  Defects result{defect(A), 0};
  result.named = result.canonical;
  if (const auto beta = method.number("beta"); beta && problem.model.separable()) {
    // Chain rule: the step in x is S(end) A S(start)^-1 with S = dx/dq.
    const PhaseMap to_x = [&](const Vec& z) { return shifted(problem, *beta, z); };
    result.named = defect(product(product(jacobian(to_x, map(start)), A), jacobian(to_x, start).inverse()));
  }
  return result;
}

Symplectic verdict(const Defects& d, bool& decided) {
  decided = true;
  if (d.canonical <= symplectic_below) return Symplectic::canonical;
  decided = d.canonical >= broken_above && (d.named <= symplectic_below || d.named >= broken_above);
  return d.named <= symplectic_below ? Symplectic::named_variables : Symplectic::no;
}

}  // namespace

LawResult symplectic_law(const Method& method, const Problem& problem, Symplectic claimed) {
  LawResult result = result_of(method, problem, "symplectic", to_string(claimed));
  const Defects d = defects_of(method, problem);
  bool decided = false;
  const Symplectic found = verdict(d, decided);
  result.value = found == Symplectic::named_variables ? d.named : d.canonical;
  result.measured = (decided ? to_string(found) : "undecided") + ", defect " + number_text(d.canonical, "%.1e");
  if (d.named != d.canonical) result.measured += ", in named variables " + number_text(d.named, "%.1e");
  result.holds = decided && found == claimed;
  result.detail = "one step of " + number_text(step, "%g") + " s";
  return result;
}

}  // namespace livens::laws
