// Dead loads: forces on nodes that depend on time and reference position, never on the shape,
//
//   W(t, q) = -sum_k f_k(X_k, t) b_k.(q - q_reference)
//
// with fixed sparse vectors b_k: shares of a resultant, of a moment, or of the area around a quadrature point.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <livens/energy.hpp>
#include <livens/forces.hpp>

namespace livens {

struct LoadMode {
  std::shared_ptr<const LoadFunction> f;
  Vec3 X{0, 0, 0};                             // where
  std::vector<std::pair<int, double>> shares;  // b: coordinate, share
};

class DeadLoad final : public EnergyTerm {
 public:
  // reference: positions at which the potential is 0, one number per coordinate of the model.
  DeadLoad(std::string name, std::vector<LoadMode> modes, std::vector<double> reference);

  double energy(double t, ConstVector q) const override;
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override;
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}
  // Linear in q: its gradient.
  bool add_discrete_gradient(double t, ConstVector x, ConstVector, double scale, Vector gradient) const override {
    return add_gradient(t, x, scale, gradient), true;
  }
  double time_derivative(double t, ConstVector q) const override;
  bool add_constant_load(Vector f) const override;
  std::vector<int> coordinates() const override;

 private:
  double work_of(const LoadMode& mode, ConstVector q) const;  // b.(q - q_reference)

  std::vector<LoadMode> modes_;
  std::vector<double> reference_;
};

// A dead load of these modes; nothing if there are none.
void add_dead_load(Assembly& assembly, const std::string& name, std::vector<LoadMode> modes);

// The nodes that a load acts on: those selected, or all of its body or bodies. Throws AssemblyError.
std::vector<NodeSet> loaded_nodes(const std::string& selection, const std::string& body, const Assembly& assembly);
std::vector<Parameter> where_keys();  // selection, body

}  // namespace livens
