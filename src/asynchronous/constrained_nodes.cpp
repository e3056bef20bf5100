#include "asynchronous/constrained_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include "asynchronous/memory_lists.hpp"
#include "math/full_pivoting.hpp"

namespace livens {
namespace {

constexpr int most_cluster_iterations = 50;
constexpr double rounding_of_rates = 1e-15;  // of the rate of a constraint
constexpr double accepted_rate = 1e-10;      // where it does not become smaller any more
constexpr double short_time = 0.01;  // of the recovery: for so short a time the velocity of a support is its motion

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

// What it is made of, and the memory of its steps.
struct ConstrainedNodes::Cluster {
  struct Equations {
    std::size_t constraint = 0, first = 0;  // of the model; first row in the cluster
    Invariance keeps;
  };
  std::vector<int> nodes;
  std::vector<int> coordinates;
  Eigen::VectorXd inverse_mass;  // per coordinate; 0 at supports
  std::vector<Equations> equations;
  std::size_t rows = 0;
  bool moved = false;  // by supports

  Eigen::VectorXd q0, q, p, w, given, speed;  // per coordinate; velocities of supports: of the step, and at its start
  Eigen::VectorXd L, rate, back, step;
  Eigen::MatrixXd G0, G, scaled, A;
  std::vector<double> second;
  std::vector<int> order;

  void reserve() {
    const auto n = static_cast<Eigen::Index>(coordinates.size()), m = static_cast<Eigen::Index>(rows);
    for (auto* vector : {&q0, &q, &p, &w, &given, &speed}) vector->setZero(n);
    for (auto* vector : {&L, &rate, &back, &step}) vector->setZero(m);
    for (auto* matrix : {&G0, &G, &scaled}) matrix->setZero(m, n);
    A.setZero(m, m);
    second.resize(rows);
    order.resize(rows);
  }
};

ConstrainedNodes::~ConstrainedNodes() = default;

ConstrainedNodes::ConstrainedNodes(const Model& model, const StencilSystem& system) : model_(&model), system_(&system) {
  if (system.cluster_count() == 0) return;
  for (int k = 0; k < system.cluster_count(); ++k) clusters_.push_back(std::make_unique<Cluster>());
  place_of_.assign(model.size(), -1);
  std::vector<std::vector<double>> inverse_mass(clusters_.size());
  for (int a = 0; a < system.node_count(); ++a) {
    const int number = system.cluster_of(a);
    if (number < 0) continue;
    Cluster& to = *clusters_[number];
    to.nodes.push_back(a);
    to.moved = to.moved || system.moves(a);
    for (int c = 0; c < system.dimension(); ++c) {
      const int i = system.coordinate(a) + c;
      place_of_[i] = static_cast<int>(to.coordinates.size());
      to.coordinates.push_back(i);
      inverse_mass[number].push_back(model.supported(i) ? 0 : 1 / system.mass(a));
    }
  }
  const auto& constraints = model.parts().constraints;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    Cluster& to = *clusters_[system.cluster_of(system.node_of(constraints[k]->coordinates().front()))];
    to.equations.push_back({k, to.rows, constraints[k]->invariance()});
    to.rows += static_cast<std::size_t>(constraints[k]->count());
  }
  for (std::size_t k = 0; k < clusters_.size(); ++k) {
    const auto n = static_cast<Eigen::Index>(inverse_mass[k].size());
    clusters_[k]->inverse_mass = Eigen::Map<const Eigen::VectorXd>(inverse_mass[k].data(), n);
    clusters_[k]->reserve();
  }
  books_.resize(clusters_.size());
  for (auto* vector : {&q_, &v_, &outer_, &inner_}) vector->resize(model.size());
}

void ConstrainedNodes::start(double recovery) {
  recovery_ = recovery;
  std::fill(books_.begin(), books_.end(), ImpulseBook{});
  failed_ = false;
}

// The step of one cluster. Unknown: L, one impulse per equation.
class ConstrainedNodes::Solve {
 public:
  Solve(const ConstrainedNodes& all, Cluster& cluster, double t0, double d)
      : all_(all), cluster_(cluster), t0_(t0), t_(t0 + 0.5 * d), d_(d) {}

  // q0, p and velocities of supports have to be there already; the guess is L = 0.
  bool solve() {
    Cluster& c = cluster_;
    c.L.setZero();
    put(c.q0, all_.q_);
    jacobian(t0_, c.G0);
    each([&](const Constraint& constraint, const auto&, Vector back, Vector) { constraint.value(t0_, all_.q_, back); },
         c.back);
    c.back /= all_.recovery_;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_cluster_iterations; ++k) {
      c.w.noalias() = c.G0.transpose() * c.L;
      c.w = c.given + c.inverse_mass.cwiseProduct(c.p - c.w);
      c.q = c.q0 + 0.5 * d_ * c.w;
      put(c.q, all_.q_);
      put(c.w, all_.v_);
      jacobian(t_, c.G);
      each([&](const Constraint& constraint, const auto&, Vector rate,
               Vector second) { constraint.rates(t_, all_.q_, all_.v_, rate, second); },
           c.rate);
      const double size = rate_size() + c.back.cwiseAbs().maxCoeff();
      c.rate += c.back;
      const double off = c.rate.cwiseAbs().maxCoeff();
      if (!std::isfinite(off)) return false;
      if (off <= rounding_of_rates * size || (off > 0.5 * last && off <= accepted_rate * size)) return true;
      last = off;
      // Equations may be redundant: L is then not unique, but what it does to the nodes is.
      c.scaled = c.G * c.inverse_mass.asDiagonal();
      c.A.noalias() = c.scaled * c.G0.transpose();
      solve_with_full_pivoting({c.A.data(), c.rows * c.rows}, {c.rate.data(), c.rows}, {c.step.data(), c.rows},
                               c.order);
      c.L += c.step;
    }
    return false;
  }

  // What constraints that are no matter of bodies alone did to the whole: impulse and work. L acts at the start, for as
  // long before as after: velocities are those of that instant.
  void book(ImpulseBook& book) {
    put(cluster_.q0, all_.q_);
    std::vector<double>&impulse = all_.outer_, &inner = all_.inner_, &rest = all_.v_;
    for (const int i : cluster_.coordinates) impulse[i] = inner[i] = rest[i] = 0;
    each(
        [&](const Constraint& constraint, const auto& e, Vector rate, Vector second) {
          const bool outer = !e.keeps.translations || !e.keeps.rotations;
          const ConstVector L(cluster_.L.data() + e.first, rate.size());
          constraint.add_force(t0_, all_.q_, L, outer ? -1 : 1, outer ? impulse : inner);
          if (!constraint.depends_on_time()) return;
          constraint.rates(t0_, all_.q_, rest, rate, second);
          for (std::size_t k = 0; k < rate.size(); ++k) book.work += L[k] * rate[k];
        },
        cluster_.rate);
    const std::size_t D = all_.system_->dimension();
    for (std::size_t k = 0; k < cluster_.nodes.size(); ++k) {
      Pack x{}, J{};
      for (std::size_t c = 0; c < D; ++c) {
        const int i = cluster_.coordinates[k * D + c];
        const auto at = static_cast<int>(c);
        x[at] = all_.q_[i];
        // A support takes the opposite of what constraints between bodies do to it, and does work as it moves.
        J[at] = all_.model_->supported(i) ? inner[i] : impulse[i];
        if (all_.model_->supported(i))
          book.work += (inner[i] - impulse[i]) * cluster_.speed[static_cast<Eigen::Index>(k * D + c)];
      }
      all_.system_->book(cluster_.nodes[k], x, J, book);
    }
  }

  // p after the impulses of the constraints, in place of L's.
  void write_momenta() {
    cluster_.q.noalias() = cluster_.G0.transpose() * cluster_.L;
    cluster_.p -= cluster_.q;
  }

 private:
  // body(constraint, equations, its part of a vector over the rows, the same of `second`)
  template <class Body>
  void each(const Body& body, Eigen::VectorXd& rows) {
    const auto& constraints = all_.model_->parts().constraints;
    for (const auto& e : cluster_.equations) {
      const Constraint& constraint = *constraints[e.constraint];
      const auto count = static_cast<std::size_t>(constraint.count());
      body(constraint, e, Vector(rows.data() + e.first, count), Vector(cluster_.second.data() + e.first, count));
    }
  }
  void put(const Eigen::VectorXd& from, std::vector<double>& to) const {
    for (std::size_t k = 0; k < cluster_.coordinates.size(); ++k)
      to[cluster_.coordinates[k]] = from[static_cast<Eigen::Index>(k)];
  }
  void jacobian(double t, Eigen::MatrixXd& G) const {
    G.setZero();
    for (const auto& e : cluster_.equations) {
      ClusterSink sink(all_.place_of_, e.first, G);
      all_.model_->parts().constraints[e.constraint]->add_jacobian(t, all_.q_, 1, sink);
    }
  }
  // Largest sum of absolute summands of a rate.
  double rate_size() const {
    double largest = 0;
    for (Eigen::Index i = 0; i < cluster_.G.rows(); ++i) {
      double sum = 0;
      for (Eigen::Index j = 0; j < cluster_.G.cols(); ++j) sum += std::abs(cluster_.G(i, j) * cluster_.w[j]);
      largest = std::max(largest, sum);
    }
    return largest;
  }

  const ConstrainedNodes& all_;
  Cluster& cluster_;
  double t0_, t_, d_;
};

// Positions and momenta, and the velocities that supports have from t0 to t0 + d: the way over d, or, since that is
// rounding for short times, the velocity in the middle.
void ConstrainedNodes::gather(Cluster& cluster, double t0, double d, const std::vector<MovingNode>& nodes) const {
  const int D = system_->dimension();
  Eigen::Index k = 0;
  for (const int a : cluster.nodes) {
    Pack there = nodes[a].x, velocity{}, speed{};
    if (system_->moves(a)) {
      system_->place(a, t0, there, &speed);
      const bool brief = d < short_time * recovery_;
      system_->place(a, brief ? t0 + 0.5 * d : t0 + d, there, &velocity);
      if (!brief) velocity = (there - nodes[a].x) / broadcast(d);
    }
    for (int c = 0; c < D; ++c, ++k) {
      cluster.q0[k] = nodes[a].x[c];
      cluster.p[k] = nodes[a].p[c];
      const bool supported = cluster.inverse_mass[k] == 0;
      cluster.given[k] = supported ? velocity[c] : 0;
      cluster.speed[k] = supported ? speed[c] : 0;
    }
  }
}

bool ConstrainedNodes::drift(int number, double t, std::vector<MovingNode>& nodes, NodeBooks& node_books,
                             ImpulseBook& book) const {
  Cluster& cluster = *clusters_[number];
  const double t0 = nodes[cluster.nodes.front()].time(), d = t - t0;
  if (d == 0) return true;
  for (const int a : cluster.nodes) slow_node(*system_, a, 0.5 * d, nodes[a], node_books);
  gather(cluster, t0, d, nodes);
  Solve solve(*this, cluster, t0, d);
  if (!solve.solve()) {
    failed_ = true;
    return false;
  }
  solve.book(book);
  solve.write_momenta();
  const int D = system_->dimension();
  Eigen::Index k = 0;
  for (const int a : cluster.nodes) {
    MovingNode& node = nodes[a];
    Pack carried{};
    for (int c = 0; c < D; ++c, ++k) {
      node.x[c] += d * cluster.w[k];
      if (cluster.inverse_mass[k] > 0)
        node.p[c] = cluster.p[k];
      else
        carried[c] = d * cluster.w[k];
    }
    node.x[3] = t;
    if (system_->moves(a)) {
      system_->place(a, t, node.x);
      system_->book_carried(a, carried, node.p, node_books.node[a]);
    }
    slow_node(*system_, a, 0.5 * d, node, node_books);
  }
  return true;
}

bool ConstrainedNodes::read(double T, std::vector<MovingNode>& nodes, NodeBooks& books, Ledger& ledger) const {
  for (int k = 0; k < static_cast<int>(clusters_.size()); ++k) {
    ImpulseBook book = books_[k];
    if (!drift(k, T, nodes, books, book)) return false;
    book.enter(ledger);
  }
  return true;
}

void ConstrainedNodes::visit_memory(MemoryVisitor& visitor) {
  if (empty()) return;
  visitor.visit("constraint_recovery", recovery_);
  visit_list(visitor, "constraint_books", books_);
}

}  // namespace livens
