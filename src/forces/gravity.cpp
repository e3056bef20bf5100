// Uniform gravity, W = -sum m a.x.
#include <algorithm>

#include <livens/forces.hpp>

#include "forces/components.hpp"
#include "math/parallel.hpp"
#include "model/assembly.hpp"
#include "model/part_records.hpp"

namespace livens {
namespace {

class GravityTerm final : public EnergyTerm {
 public:
  // weight[i] = -m a, one number per coordinate; zero where it does not act, none for bodies that came later.
  GravityTerm(std::string name, std::vector<double> weight) : EnergyTerm(std::move(name)), weight_(std::move(weight)) {}

  double energy(double, ConstVector q) const override {
    return sum_chunks(weight_.size(), [&](std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t i = a; i < b; ++i) sum += weight_[i] * q[i];
      return sum;
    });
  }
  void add_gradient(double, ConstVector, double scale, Vector gradient) const override {
    for_chunks(weight_.size(), [&](std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) gradient[i] += scale * weight_[i];
    });
  }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  // Linear: its gradient.
  bool add_discrete_gradient(double t, ConstVector x, ConstVector, double scale, Vector gradient) const override {
    return add_gradient(t, x, scale, gradient), true;
  }
  bool add_constant_load(Vector f) const override {
    for (std::size_t i = 0; i < weight_.size(); ++i) f[i] -= weight_[i];
    return true;
  }

 private:
  std::vector<double> weight_;
};

}  // namespace

void add(Assembly& assembly, const Gravity& gravity, const std::string& name) {
  // With a consistent mass matrix a node weighs the sum of its row.
  const std::vector<double> mass = assembly.row_masses();
  std::vector<double> weight(assembly.q.size(), 0.0);
  for (const int k : bodies_of(assembly, gravity.body)) {
    const Body& body = assembly.parts.bodies[k];
    check_components(gravity.acceleration, body.dimension, "acceleration");
    for (int i = 0; i < body.size(); ++i) {
      const auto at = static_cast<std::size_t>(body.first + i);
      weight[at] = -mass[at] * gravity.acceleration[i % body.dimension];
    }
  }
  assembly.parts.terms.push_back(std::make_shared<GravityTerm>(name, std::move(weight)));
}

ForceRecord gravity_record() {
  ForceRecord record;
  record.name = "gravity";
  record.brief = "uniform gravity";
  record.parameters = {
      key("body", ValueType::name, "-", "", "body it acts on; default: all bodies"),
      required(of_length(key("acceleration", ValueType::vector, "m/s^2", "", "acceleration of free fall"), {1, 2, 3}))};
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    Gravity gravity{given_text(s, "body")};
    const auto& acceleration = s.vector("acceleration");
    for (const int k : bodies_of(assembly, gravity.body)) {
      const Body& body = assembly.parts.bodies[k];
      if (static_cast<int>(acceleration.size()) != body.dimension)
        s.refuse("acceleration", "has " + std::to_string(acceleration.size()) + " components, but body '" + body.name +
                                     "' is of " + std::to_string(body.dimension) + " dimensions");
    }
    std::copy(acceleration.begin(), acceleration.end(), gravity.acceleration.begin());
    add(assembly, gravity, name);
  };
  return record;
}

}  // namespace livens
