// Newton's gravity between all pairs of particles, W = -sum G m_a m_b / sqrt(r^2 + softening^2).
//
// Its discrete derivative in r^2 [E04 4, G-equivariant]: with R = sqrt(r^2 + softening^2) the divided difference of
// -1/R is 1/(R0 R1), and DW = G m_a m_b (d0 + d1) / (R0 R1 (R0 + R1)).
#include <cmath>

#include <livens/forces.hpp>

#include "forces/pair_block.hpp"
#include "model/assembly.hpp"
#include "model/part_records.hpp"

namespace livens {
namespace {

// Every pair as a stencil of its own, whose step goes with its distance: 2/omega of the two bodies alone,
// omega^2 = 2 G (m_a + m_b) / r^3, the largest that the second derivatives have.
class GravityStencils final : public Stencils {
 public:
  GravityStencils(std::vector<int> pairs, std::vector<double> masses, int dimension, double constant, double softening2)
      : Stencils(std::move(pairs), 2),
        masses_(std::move(masses)),
        dimension_(dimension),
        constant_(constant),
        softening2_(softening2) {}

  double evaluate(int k, const double* x, double* g) const override {
    const double r2 = square(x), strength = constant_ * mass(k, 0) * mass(k, 1), f = strength / (r2 * std::sqrt(r2));
    for (int c = 0; c < 4; ++c) {
      g[4 + c] = c < dimension_ ? f * (x[4 + c] - x[c]) : 0;
      g[c] = -g[4 + c];
    }
    return -strength / std::sqrt(r2);
  }
  double courant_time(int k, const double* x) const override {
    const double r2 = square(x);
    return 2 * std::sqrt(r2 * std::sqrt(r2) / (2 * constant_ * (mass(k, 0) + mass(k, 1))));
  }
  double mass(int k, int a) const override { return masses_[2 * k + a]; }
  bool drawn() const override { return false; }

 private:
  double square(const double* x) const {
    double r2 = softening2_;
    for (int c = 0; c < dimension_; ++c) r2 += (x[4 + c] - x[c]) * (x[4 + c] - x[c]);
    return r2;
  }

  std::vector<double> masses_;  // two a pair
  int dimension_;
  double constant_, softening2_;
};

constexpr std::size_t most_with_stencils = 200;  // particles: beyond that it is summed as a whole

class PairwiseGravityTerm final : public EnergyTerm {
 public:
  PairwiseGravityTerm(std::string name, std::vector<int> nodes, std::vector<double> masses, int dimension,
                      double constant, double softening)
      : EnergyTerm(std::move(name)),
        nodes_(std::move(nodes)),
        masses_(std::move(masses)),
        dimension_(dimension),
        constant_(constant),
        softening2_(softening * softening) {}

  double energy(double, ConstVector q) const override {
    double sum = 0;
    each_pair(q, [&](std::size_t, std::size_t, const double*, double r2, double strength) {
      sum -= strength / std::sqrt(r2);
    });
    return sum;
  }

  // dW/dq_b = G m_a m_b d / r^3, d = q_b - q_a
  void add_gradient(double, ConstVector q, double scale, Vector gradient) const override {
    each_pair(q, [&](std::size_t a, std::size_t b, const double* d, double r2, double strength) {
      const double f = scale * strength / (r2 * std::sqrt(r2));
      for (int c = 0; c < dimension_; ++c) {
        gradient[nodes_[a] + c] -= f * d[c];
        gradient[nodes_[b] + c] += f * d[c];
      }
    });
  }

  // G m_a m_b (1/r^3 - 3 d d'/r^5)
  void add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    each_pair(q, [&](std::size_t a, std::size_t b, const double* d, double r2, double strength) {
      const double f = scale * strength / (r2 * std::sqrt(r2));
      add_pair_block(nodes_[a], nodes_[b], dimension_, central_tangent(f, -3 * f / r2, d, d, dimension_, false), sink);
    });
  }

  bool add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const override {
    each_pair(x, [&](std::size_t a, std::size_t b, const double* d0, double r0, double strength) {
      double d[3];
      const double R0 = std::sqrt(r0), R1 = std::sqrt(difference(a, b, y, d));
      const double f = scale * strength / (R0 * R1 * (R0 + R1));
      for (int c = 0; c < dimension_; ++c) {
        gradient[nodes_[a] + c] -= f * (d0[c] + d[c]);
        gradient[nodes_[b] + c] += f * (d0[c] + d[c]);
      }
    });
    return true;
  }

  // d/dR1 of f = 1/(R0 R1 (R0 + R1)): -f (1/R1 + 1/(R0 + R1)); dR1/dd1 = d1/R1
  void add_discrete_hessian(double, ConstVector x, ConstVector y, double scale, bool symmetric,
                            MatrixSink& sink) const override {
    each_pair(x, [&](std::size_t a, std::size_t b, const double* d0, double r0, double strength) {
      double n[3], sum[3];
      const double R0 = std::sqrt(r0), R1 = std::sqrt(difference(a, b, y, n));
      for (int c = 0; c < dimension_; ++c) {
        sum[c] = d0[c] + n[c];
        n[c] /= R1;
      }
      const double f = scale * strength / (R0 * R1 * (R0 + R1));
      add_pair_block(nodes_[a], nodes_[b], dimension_,
                     central_tangent(f, -f * (1 / R1 + 1 / (R0 + R1)), sum, n, dimension_, symmetric), sink);
    });
  }

  Invariance invariance() const override { return {true, true}; }
  bool depends_on_time() const override { return false; }
  std::shared_ptr<const Stencils> stencils() const override {
    if (nodes_.size() > most_with_stencils) return nullptr;
    std::vector<int> pairs;
    std::vector<double> masses;
    for (std::size_t a = 0; a < nodes_.size(); ++a)
      for (std::size_t b = a + 1; b < nodes_.size(); ++b) {
        pairs.insert(pairs.end(), {nodes_[a], nodes_[b]});
        masses.insert(masses.end(), {masses_[a], masses_[b]});
      }
    return std::make_shared<GravityStencils>(std::move(pairs), std::move(masses), dimension_, constant_, softening2_);
  }

 private:
  // d = q_b - q_a; returns r^2 + softening^2.
  double difference(std::size_t a, std::size_t b, ConstVector q, double* d) const {
    double r2 = softening2_;
    for (int c = 0; c < dimension_; ++c) {
      d[c] = q[nodes_[b] + c] - q[nodes_[a] + c];
      r2 += d[c] * d[c];
    }
    return r2;
  }

  template <class Body>
  void each_pair(ConstVector q, const Body& body) const {
    for (std::size_t a = 0; a < nodes_.size(); ++a)
      for (std::size_t b = a + 1; b < nodes_.size(); ++b) {
        double d[3] = {0, 0, 0};
        const double r2 = difference(a, b, q, d);
        body(a, b, d, r2, constant_ * masses_[a] * masses_[b]);
      }
  }

  std::vector<int> nodes_;
  std::vector<double> masses_;
  int dimension_;
  double constant_, softening2_;
};

constexpr std::size_t most_particles = 5000;  // every pair is summed

}  // namespace

void add(Assembly& assembly, const PairwiseGravity& gravity, const std::string& name) {
  const Record& record = force_records().at("pairwise_gravity");
  check_range(record, "constant", gravity.constant);
  check_range(record, "softening", gravity.softening);
  std::vector<int> nodes;
  std::vector<double> masses;
  int dimension = 0;
  for (const int k : bodies_of(assembly, gravity.body)) {
    const Body& body = assembly.parts.bodies[k];
    dimension = body.dimension;
    for (int a = 0; a < body.nodes; ++a) {
      nodes.push_back(body.first + a * body.dimension);
      masses.push_back(assembly.parts.mass.diagonal[nodes.back()]);
    }
  }
  if (nodes.size() > most_particles)
    throw AssemblyError("", "sums over every pair, and " + std::to_string(nodes.size()) +
                                " particles are too many; at most " + std::to_string(most_particles));
  assembly.parts.terms.push_back(std::make_shared<PairwiseGravityTerm>(name, std::move(nodes), std::move(masses),
                                                                       dimension, gravity.constant, gravity.softening));
}

ForceRecord pairwise_gravity_record() {
  ForceRecord record;
  record.name = "pairwise_gravity";
  record.brief = "Newton's gravity between all pairs of particles";
  record.parameters = {key("body", ValueType::name, "-", "", "body it acts within; default: all particles"),
                       positive(number_key("constant", "m^3/(kg s^2)", "6.6743e-11", "gravitational constant")),
                       bounded(number_key("softening", "m", "0", "length that softens close encounters"), 0)};
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly, PairwiseGravity{given_text(s, "body"), s.number("constant"), s.number("softening")}, name);
  };
  return record;
}

}  // namespace livens
