#include "forces/spring_stencils.hpp"

#include <cmath>

#include "forces/spring_law.hpp"

namespace livens {
namespace {

std::vector<int> nodes_of_springs(const SpringSet& set) {
  std::vector<int> nodes;
  for (const SpringElement& s : set.springs()) {
    nodes.push_back(s.i);
    nodes.push_back(s.j);
  }
  return nodes;
}

// d = x_j - x_i + shift; returns its length.
double difference(const SpringElement& s, int dimension, const double* x, double* d) {
  double l2 = 0;
  for (int c = 0; c < dimension; ++c) {
    d[c] = x[4 + c] - x[c] + s.shift[c];
    l2 += d[c] * d[c];
  }
  return std::sqrt(l2);
}

class SpringStencils final : public Stencils {
 public:
  SpringStencils(std::shared_ptr<const SpringSet> set, SpringLaw law, std::vector<double> direction)
      : Stencils(nodes_of_springs(*set), 2), set_(std::move(set)), law_(law), direction_(std::move(direction)) {}

  double evaluate(int k, const double* x, double* g) const override {
    const SpringElement& s = set_->springs()[k];
    const int dim = set_->dimension();
    double d[3], e = -s.rest, n[3];
    const double l = difference(s, dim, x, d);
    if (direction_.empty()) {
      e += l;
      for (int c = 0; c < dim; ++c) n[c] = l > 0 ? d[c] / l : 0;
    } else {
      for (int c = 0; c < dim; ++c) {
        n[c] = direction_[k * dim + c];
        e += n[c] * d[c];
      }
    }
    const double slope = spring_slope(law_, e);
    for (int c = 0; c < 4; ++c) {
      g[4 + c] = c < dim ? slope * n[c] : 0;
      g[c] = -g[4 + c];
    }
    return spring_energy(law_, e);
  }
  double stiffness(int) const override { return 2 * law_.stiffness; }  // of the pair: k [1 -1; -1 1]

  const void* source() const override { return set_.get(); }

 private:
  std::shared_ptr<const SpringSet> set_;
  SpringLaw law_;
  std::vector<double> direction_;
};

class SpringDampingStencils final : public DampingStencils {
 public:
  SpringDampingStencils(std::shared_ptr<const SpringSet> set, double coefficient)
      : set_(std::move(set)), coefficient_(coefficient) {}

  bool belongs_to(const Stencils& stencils) const override {
    if (stencils.source() != set_.get()) return false;
    const double stiffness = stencils.stiffness(0) / 2;  // of one spring
    time_ = stiffness > 0 ? coefficient_ / stiffness : 0;
    return true;
  }
  double time() const override { return time_; }
  void add_impulse(int k, const double* x, const double* moved, double* g) const override {
    const SpringElement& s = set_->springs()[k];
    const int dim = set_->dimension();
    double d[3], along = 0;
    const double l = difference(s, dim, x, d);
    if (l == 0) return;
    for (int c = 0; c < dim; ++c) along += d[c] / l * (moved[4 + c] - moved[c]);
    for (int c = 0; c < dim; ++c) {
      const double f = coefficient_ * along * d[c] / l;
      g[4 + c] += f;
      g[c] -= f;
    }
  }

 private:
  std::shared_ptr<const SpringSet> set_;
  double coefficient_;
  mutable double time_ = 0;  // known with the springs
};

}  // namespace

std::shared_ptr<const Stencils> make_spring_stencils(std::shared_ptr<const SpringSet> springs, SpringLaw law,
                                                     std::vector<double> direction) {
  return std::make_shared<SpringStencils>(std::move(springs), law, std::move(direction));
}

std::shared_ptr<const DampingStencils> make_spring_damping_stencils(std::shared_ptr<const SpringSet> springs,
                                                                    double coefficient) {
  return std::make_shared<SpringDampingStencils>(std::move(springs), coefficient);
}

}  // namespace livens
