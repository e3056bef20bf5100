// Small solids of every material, made without a scene.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <livens/scene.hpp>

#include "materials/material.hpp"
#include "math/expression.hpp"
#include "math/sparse_pattern.hpp"
#include "mesh/core/mesh_tools.hpp"

namespace livens::testing {

constexpr Moduli example_moduli = {3.7e5, 1.3e5};  // lambda, mu
constexpr ElementKind element_kinds[] = {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10};

// Of those materials whose energy is given as text: I2 has no part in the moduli.
constexpr const char* example_energy = "mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2 + mu/20*(I2 - 3)^3";

inline std::vector<std::string> material_names() {
  std::vector<std::string> names;
  for (const MaterialRecord& record : material_records()) names.push_back(record.name);
  return names;
}

inline const MaterialRecord& record_of(const std::string& material) {
  for (const MaterialRecord& record : material_records())
    if (record.name == material) return record;
  throw std::out_of_range(material);
}

// The kind's own keys by their defaults; an energy that must be given is the example.
inline Settings example_settings(const MaterialRecord& record, const Moduli& moduli) {
  Settings settings;
  const std::map<std::string, double, std::less<>> constants = {{"mu", moduli.mu}, {"la", moduli.lambda}};
  for (const Parameter& parameter : record.parameters) {
    if (parameter.type == ValueType::function && parameter.required)
      settings.functions[parameter.key] = {
          std::make_shared<const Expression>(Expression::parse(example_energy, parameter.variables, constants))};
    else if (parameter.required && parameter.key != "density")
      throw std::logic_error(record.name + "." + parameter.key + " has no default, so no test can make this material");
    else if (parameter.type == ValueType::number && !parameter.fallback.empty())
      settings.values[parameter.key] = std::stod(parameter.fallback);
    else if (!parameter.fallback.empty())
      settings.values[parameter.key] = parameter.fallback;
  }
  return settings;
}

inline std::shared_ptr<SolidBlock> example_block(const MaterialRecord& record, SolidPart part,
                                                 const Moduli& moduli = example_moduli) {
  const Settings settings = example_settings(record, moduli);
  MaterialConstants constants;
  constants.moduli = moduli;
  constants.settings = &settings;
  return record.make(constants, std::move(part));
}

inline SolidPart part_of(std::shared_ptr<const Mesh> mesh, int first = 0, double thickness = 0.8) {
  SolidPart part{"body", mesh, first, {}, thickness};
  for (int e = 0; e < mesh->elements(); ++e) part.elements.push_back(e);
  return part;
}

// A few elements with bent edges, at some distance from the origin.
inline std::shared_ptr<Mesh> small_mesh(ElementKind kind) {
  Mesh mesh = dimension_of(kind) == 3 ? box_mesh({{1, 0.7, 0.9}, {2, 1, -3}, {1, 1, 2}, {1, 1, 1}, 6, kind})
                                      : rectangle_mesh({{1, 0.7}, {2, 1}, {2, 2}, {1, 1}, kind});
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> noise(-0.02, 0.02);
  for (double& x : mesh.X) x += noise(engine);
  return std::make_shared<Mesh>(std::move(mesh));
}

// x = A X and noise, A near the identity.
inline std::vector<double> deformed(const Mesh& mesh, std::mt19937& engine, double amount) {
  std::normal_distribution<double> normal(0, amount);
  const int D = mesh.dimension();
  std::vector<double> A(D * D), q(mesh.X.size());
  for (int i = 0; i < D * D; ++i) A[i] = (i % (D + 1) == 0 ? 1 : 0) + 2 * normal(engine);
  for (int a = 0; a < mesh.nodes(); ++a)
    for (int i = 0; i < D; ++i) {
      double x = 0.1 * normal(engine);
      for (int j = 0; j < D; ++j) x += A[j * D + i] * mesh.X[a * D + j];
      q[a * D + i] = x;
    }
  return q;
}

enum class Hessian { exact, convex };

// Row by row; symmetric.
inline std::vector<double> dense_hessian(const EnergyTerm& term, ConstVector q, int block,
                                         Hessian kind = Hessian::exact) {
  PatternSink pattern_sink;
  term.add_hessian(0, q, 1, pattern_sink);
  const SparsePattern pattern = pattern_sink.make_pattern(static_cast<int>(q.size()), block);
  const std::vector<int> slots = pattern_sink.slots(pattern, 0, pattern_sink.mark());
  std::vector<double> values(pattern.nonzeros(), 0.0);
  SlotSink sink(slots, values);
  kind == Hessian::convex ? term.add_convex_hessian(0, q, 1, sink) : term.add_hessian(0, q, 1, sink);
  std::vector<double> dense(q.size() * q.size(), 0.0);
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k)
      dense[pattern.row[k] * pattern.n + c] = values[k];
  return dense;
}

inline double largest(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace livens::testing
