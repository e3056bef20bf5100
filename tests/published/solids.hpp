// Solids made in C++ for the verification tests: a mesh, a material, supports and loads, without a scene.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <livens/mesh.hpp>
#include <livens/model.hpp>
#include <livens/scene.hpp>

#include "materials/material.hpp"

namespace livens {

// Dead nodal forces: W = -f.(q - X)
class NodalForces final : public EnergyTerm {
 public:
  explicit NodalForces(std::vector<double> forces) : EnergyTerm("load"), forces_(std::move(forces)) {}
  double energy(double, ConstVector q) const override {
    double sum = 0;
    for (std::size_t i = 0; i < forces_.size(); ++i) sum -= forces_[i] * q[i];
    return sum;
  }
  void add_gradient(double, ConstVector, double scale, Vector g) const override {
    for (std::size_t i = 0; i < forces_.size(); ++i) g[i] -= scale * forces_[i];
  }
  void add_hessian(double, ConstVector, double, MatrixSink&) const override {}

 private:
  std::vector<double> forces_;
};

inline const MaterialRecord& material_record(const std::string& name) {
  for (const auto& record : material_records())
    if (record.name == name) return record;
  throw std::out_of_range(name);
}

inline Moduli moduli_of(double young, double poisson) {
  Moduli moduli;
  moduli.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  moduli.mu = young / (2 * (1 + poisson));
  return moduli;
}

// Parts of a model with one solid of unit density and equal nodal masses (for statics).
inline ModelParts solid_parts(std::shared_ptr<const Mesh> mesh, const std::string& material, const Moduli& moduli) {
  ModelParts parts;
  Body body;
  body.name = "body";
  body.nodes = mesh->nodes();
  body.dimension = mesh->dimension();
  body.reference = mesh->X;
  body.mesh = mesh;
  parts.bodies.push_back(body);
  parts.mass.diagonal.assign(mesh->X.size(), 1.0);
  SolidPart part{"body", mesh, 0, {}, 1};
  for (int e = 0; e < mesh->elements(); ++e) part.elements.push_back(e);
  MaterialConstants constants;
  constants.moduli = moduli;
  parts.terms.push_back(material_record(material).make(constants, part));
  return parts;
}

// Holds the coordinates of nodes where `position(X, component)` puts them.
using PositionOf = std::function<double(const double* X, int component)>;
inline void hold(ModelParts& parts, const std::vector<int>& nodes, const PositionOf& position) {
  const Mesh& mesh = *parts.bodies.front().mesh;
  const int D = mesh.dimension();
  Support support;
  support.name = "held";
  std::vector<double> values;
  for (const int a : nodes)
    for (int c = 0; c < D; ++c) {
      support.coordinates.push_back(a * D + c);
      values.push_back(position(mesh.X.data() + a * D, c));
    }
  support.motion = [values](double, Vector x, Vector v) {
    std::copy(values.begin(), values.end(), x.begin());
    std::fill(v.begin(), v.end(), 0.0);
  };
  parts.supports.push_back(std::move(support));
}

// Equilibrium from a start, in load steps.
inline State equilibrium(const Model& model, std::vector<double> start, int load_steps) {
  std::vector<double> rest(start.size(), 0.0);
  State state = make_state(model, 0, std::move(start), rest);
  const auto integrator = make_integrator("kind = 'static', load_steps = " + std::to_string(load_steps), model);
  const StepReport report = integrator->advance(model, state, 1);
  if (!report.converged) throw std::runtime_error(report.message);
  return state;
}

}  // namespace livens
