#include "asynchronous/constrained_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/QR>

namespace livens {
namespace {

constexpr int most_iterations = 50;
constexpr double rounding = 1e-15;  // of the rate of a constraint
constexpr double accepted = 1e-10;  // where it does not become smaller any more

// Rows of dg/dq of one constraint, at the places that its coordinates have in a cluster.
class ClusterSink final : public MatrixSink {
 public:
  ClusterSink(const std::vector<int>& place_of, std::size_t first, Eigen::MatrixXd& matrix)
      : place_of_(place_of), first_(static_cast<Eigen::Index>(first)), matrix_(matrix) {}
  void add_block(std::span<const int> rows, std::span<const int> columns, const double* values) override {
    for (const int i : rows)
      for (const int j : columns) matrix_(first_ + i, place_of_[j]) += *values++;
  }
  BlockAccess blocks(std::span<const int>, int, int) override { return {}; }

 private:
  const std::vector<int>& place_of_;
  Eigen::Index first_;
  Eigen::MatrixXd& matrix_;
};

}  // namespace

ConstrainedNodes::ConstrainedNodes(const Model& model, const StencilSystem& system) : model_(&model), system_(&system) {
  const auto& constraints = model.parts().constraints;
  if (constraints.empty()) return;
  std::vector<int> node_of(model.size(), -1);
  for (int a = 0; a < system.node_count(); ++a)
    for (int c = 0; c < system.dimension(); ++c) node_of[system.coordinate(a) + c] = a;
  std::vector<int> parent(system.node_count());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int a) {
    while (parent[a] != a) a = parent[a] = parent[parent[a]];
    return a;
  };
  std::vector<char> held(system.node_count(), 0);
  for (const auto& constraint : constraints) {
    const std::vector<int> coordinates = constraint->coordinates();
    for (const int i : coordinates) {
      held[node_of[i]] = 1;
      parent[root(node_of[i])] = root(node_of[coordinates.front()]);
    }
  }
  cluster_of_.assign(system.node_count(), -1);
  place_of_.assign(model.size(), -1);
  for (int a = 0; a < system.node_count(); ++a) {
    if (held[a] == 0) continue;
    int& cluster = cluster_of_[root(a)];
    if (cluster < 0) {
      cluster = static_cast<int>(clusters_.size());
      clusters_.emplace_back();
    }
    cluster_of_[a] = cluster;
    Cluster& to = clusters_[cluster];
    to.nodes.push_back(a);
    for (int c = 0; c < system.dimension(); ++c) {
      const int i = system.coordinate(a) + c;
      place_of_[i] = static_cast<int>(to.coordinates.size());
      to.coordinates.push_back(i);
      to.inverse_mass.push_back(model.supported(i) ? 0 : 1 / system.mass(a));
    }
  }
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    Cluster& to = clusters_[cluster_of_[node_of[constraints[k]->coordinates().front()]]];
    to.equations.push_back({k, to.rows});
    to.rows += static_cast<std::size_t>(constraints[k]->count());
  }
  for (auto* vector : {&q_, &v_, &outer_, &inner_}) vector->resize(model.size());
}

void ConstrainedNodes::start(double recovery) {
  recovery_ = recovery;
  book_ = Book{};
  failed_ = false;
}

// The step of one cluster. Unknown: L, one impulse per equation.
class ConstrainedNodes::Solve {
 public:
  Solve(const ConstrainedNodes& all, const Cluster& cluster, double t0, double d)
      : all_(all), cluster_(cluster), t_(t0 + 0.5 * d), d_(d) {
    const auto n = static_cast<Eigen::Index>(cluster.coordinates.size()), m = static_cast<Eigen::Index>(cluster.rows);
    q0_.resize(n);
    p_.resize(n);
    w_.resize(n);
    inverse_mass_ = Eigen::Map<const Eigen::VectorXd>(cluster.inverse_mass.data(), n);
    L_ = Eigen::VectorXd::Zero(m);
    rate_.resize(m);
    back_.resize(m);
    second_.resize(cluster.rows);
  }

  Eigen::VectorXd q0_, p_, w_, L_;

  // q0 and p have to be there already; the guess is L = 0.
  bool solve(double t0) {
    put(q0_, all_.q_);
    G0_ = jacobian(t0);
    const auto& constraints = all_.model_->parts().constraints;
    for (const Equations& e : cluster_.equations) {
      const Constraint& constraint = *constraints[e.constraint];
      constraint.value(t0, all_.q_, {back_.data() + e.first, static_cast<std::size_t>(constraint.count())});
    }
    back_ /= all_.recovery_;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_iterations; ++k) {
      w_ = inverse_mass_.cwiseProduct(p_ - G0_.transpose() * L_);
      put(q0_ + 0.5 * d_ * w_, all_.q_);
      put(w_, all_.v_);
      const Eigen::MatrixXd G = jacobian(t_);
      for (const Equations& e : cluster_.equations) {
        const Constraint& constraint = *constraints[e.constraint];
        const auto count = static_cast<std::size_t>(constraint.count());
        constraint.rates(t_, all_.q_, all_.v_, {rate_.data() + e.first, count}, {second_.data() + e.first, count});
      }
      const double size = (G.cwiseAbs() * w_.cwiseAbs()).maxCoeff() + back_.cwiseAbs().maxCoeff();
      rate_ += back_;
      const double off = rate_.cwiseAbs().maxCoeff();
      if (!std::isfinite(off)) return false;
      if (off <= rounding * size || (off > 0.5 * last && off <= accepted * size)) return true;
      last = off;
      // Equations may be redundant: the smallest change of L.
      const Eigen::MatrixXd A = G * inverse_mass_.asDiagonal() * G0_.transpose();
      L_ += Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(A).solve(rate_);
    }
    return false;
  }

  // What constraints that are no matter of bodies alone did to the whole: impulse and work.
  void book(double t0, Book& book) {
    put(q0_, all_.q_);
    std::vector<double>&impulse = all_.outer_, &inner = all_.inner_, &rest = all_.v_;
    for (const int i : cluster_.coordinates) impulse[i] = inner[i] = rest[i] = 0;
    const auto& constraints = all_.model_->parts().constraints;
    for (const Equations& e : cluster_.equations) {
      const Constraint& constraint = *constraints[e.constraint];
      const auto count = static_cast<std::size_t>(constraint.count());
      const Invariance keeps = constraint.invariance();
      const bool outer = !keeps.translations || !keeps.rotations;
      constraint.add_force(t0, all_.q_, {L_.data() + e.first, count}, outer ? -1 : 1, outer ? impulse : inner);
      if (!constraint.depends_on_time()) continue;
      constraint.rates(t_, all_.q_, rest, {rate_.data() + e.first, count}, {second_.data() + e.first, count});
      for (std::size_t k = 0; k < count; ++k)
        book.work += L_[static_cast<Eigen::Index>(e.first + k)] * rate_[static_cast<Eigen::Index>(e.first + k)];
    }
    const std::size_t D = all_.system_->dimension();
    for (std::size_t k = 0; k < cluster_.nodes.size(); ++k) {
      double x[3] = {0, 0, 0}, J[3] = {0, 0, 0};
      for (std::size_t c = 0; c < D; ++c) {
        const int i = cluster_.coordinates[k * D + c];
        x[c] = all_.q_[i];
        // A support takes the opposite of what constraints between bodies do to it.
        J[c] = all_.model_->supported(i) ? inner[i] : impulse[i];
      }
      for (int c = 0; c < 3; ++c) {
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        book.linear[c] += J[c];
        book.angular[c] += x[i] * J[j] - x[j] * J[i];
      }
    }
  }

  Eigen::VectorXd momentum_after() const { return p_ - G0_.transpose() * L_; }

 private:
  void put(const Eigen::VectorXd& from, std::vector<double>& to) const {
    for (std::size_t k = 0; k < cluster_.coordinates.size(); ++k)
      to[cluster_.coordinates[k]] = from[static_cast<Eigen::Index>(k)];
  }
  Eigen::MatrixXd jacobian(double t) const {
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(L_.size(), q0_.size());
    for (const Equations& e : cluster_.equations) {
      ClusterSink sink(all_.place_of_, e.first, G);
      all_.model_->parts().constraints[e.constraint]->add_jacobian(t, all_.q_, 1, sink);
    }
    return G;
  }

  const ConstrainedNodes& all_;
  const Cluster& cluster_;
  double t_, d_;
  Eigen::VectorXd inverse_mass_, rate_, back_;
  Eigen::MatrixXd G0_;
  std::vector<double> second_;
};

bool ConstrainedNodes::drift(int number, double t, std::vector<MovingNode>& nodes, Book& book) const {
  const Cluster& cluster = clusters_[number];
  const double t0 = nodes[cluster.nodes.front()].time();
  if (t0 == t) return true;
  Solve solve(*this, cluster, t0, t - t0);
  const int D = system_->dimension();
  Eigen::Index k = 0;
  for (const int a : cluster.nodes)
    for (int c = 0; c < D; ++c, ++k) {
      solve.q0_[k] = nodes[a].x[c];
      solve.p_[k] = nodes[a].p[c];
    }
  if (!solve.solve(t0)) {
    failed_ = true;
    return false;
  }
  solve.book(t0, book);
  const Eigen::VectorXd p = solve.momentum_after();
  k = 0;
  for (const int a : cluster.nodes) {
    for (int c = 0; c < D; ++c, ++k) {
      nodes[a].x[c] += (t - t0) * solve.w_[k];
      if (cluster.inverse_mass[k] > 0) nodes[a].p[c] = p[k];
    }
    nodes[a].x[3] = t;
  }
  return true;
}

bool ConstrainedNodes::drift_all(double t, std::vector<MovingNode>& nodes) {
  for (int k = 0; k < static_cast<int>(clusters_.size()); ++k)
    if (!drift(k, t, nodes, book_)) return false;
  return true;
}

bool ConstrainedNodes::read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const {
  Book book = book_;
  for (int k = 0; k < static_cast<int>(clusters_.size()); ++k)
    if (!drift(k, T, nodes, book)) return false;
  for (int c = 0; c < 3; ++c) {
    ledger.linear_impulse[c] += book.linear[c];
    ledger.angular_impulse[c] += book.angular[c];
  }
  ledger.time_work += book.work;
  return true;
}

void ConstrainedNodes::visit_memory(MemoryVisitor& visitor) {
  if (empty()) return;
  std::vector<double> numbers = {recovery_, book_.work};
  numbers.insert(numbers.end(), book_.linear, book_.linear + 3);
  numbers.insert(numbers.end(), book_.angular, book_.angular + 3);
  visitor.visit("constraint_books", numbers);
  recovery_ = numbers[0];
  book_.work = numbers[1];
  std::copy_n(numbers.begin() + 2, 3, book_.linear);
  std::copy_n(numbers.begin() + 5, 3, book_.angular);
}

}  // namespace livens
