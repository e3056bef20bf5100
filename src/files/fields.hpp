// Fields over the nodes or elements of a body, for frames, VTU files and pictures. To add one, add its record to the
// list in fields.cpp.
#pragma once

#include <string>
#include <vector>

#include <livens/energy.hpp>
#include <livens/registry.hpp>

#include "mesh/files/vtu_writer.hpp"

namespace livens {

class SolidBlock;

bool is_contact(const EnergyTerm& term);
std::vector<const SolidBlock*> blocks_of(const Model& model, const Body& body);
std::vector<Obstacle> obstacles_of(const Model& model);

// One body at one instant; what several fields need is computed once.
class BodyFields {
 public:
  BodyFields(const Model& model, const Body& body, double t, ConstVector q, ConstVector v,
             const Integrator* integrator = nullptr)
      : model_(model), body_(body), t_(t), q_(q), v_(v), integrator_(integrator) {}
  BodyFields(const Model& model, const Body& body, const State& state, const Integrator* integrator = nullptr)
      : BodyFields(model, body, state.t, state.q, state.v, integrator) {}

  const Body& body() const { return body_; }
  ConstVector positions() const { return part(q_); }
  ConstVector velocities() const { return part(v_); }
  // Per element; 0 for elements without a material.
  const std::vector<double>& stress();  // xx yy zz xy yz zx
  const std::vector<double>& energy_density();
  std::vector<double> volume_ratio() const;           // smallest of each element
  std::vector<double> contact_force() const;          // per node
  std::vector<double> contact_pressure() const;       // per node, of barriers
  std::vector<double> configurational_force() const;  // dW/dX of each node
  std::vector<double> updates() const;                // per element, of asynchronous methods; 0 for others

 private:
  ConstVector part(ConstVector all) const;
  void evaluate();

  const Model& model_;
  const Body& body_;
  double t_;
  ConstVector q_, v_;
  const Integrator* integrator_;
  std::vector<double> stress_, density_;
};

struct FieldRecord {
  std::string name, unit, brief;
  int components = 1;  // 0: as many as dimensions
  bool per_cell = false;
  bool of_solids = false;  // needs elements with a material
  std::vector<double> (*values)(BodyFields& at) = nullptr;

  bool applies_to(const Body& body) const { return !of_solids || body.mesh != nullptr; }
  int components_of(const Body& body) const { return components == 0 ? body.dimension : components; }
};

const std::vector<FieldRecord>& field_records();
const FieldRecord* find_field_record(const std::string& name);  // null if there is none
const FieldRecord& field_record(const std::string& name);       // throws std::out_of_range
std::vector<std::string> field_names();
// A list of names of fields, as a key of an output; fallback as it would be written.
Parameter fields_key(const std::string& fallback, const std::string& brief);

// The fields that apply to the body, in the order of the names.
std::vector<MeshField> evaluate_fields(BodyFields& at, const std::vector<std::string>& names);

// For `livens list fields`.
std::string fields_text();
std::string fields_json();

}  // namespace livens
