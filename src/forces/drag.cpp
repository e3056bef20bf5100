// Drag -c v on every node, and damping proportional to mass, -rate M v.
#include <livens/forces.hpp>

#include "model/assembly.hpp"
#include "model/part_records.hpp"

namespace livens {
namespace {

class DiagonalDrag final : public Force {
 public:
  DiagonalDrag(std::string name, std::vector<double> coefficient)
      : Force(std::move(name)), coefficient_(std::move(coefficient)) {}

  void add_force(double, ConstVector, ConstVector v, double scale, Vector force) const override {
    for (std::size_t i = 0; i < coefficient_.size(); ++i) force[i] -= scale * coefficient_[i] * v[i];
  }
  void add_jacobian(double, ConstVector, ConstVector, double, double by_v, MatrixSink& sink) const override {
    for (std::size_t i = 0; i < coefficient_.size(); ++i) {
      const int row = static_cast<int>(i);
      const double value = -by_v * coefficient_[i];
      sink.add_block(std::span<const int>(&row, 1), std::span<const int>(&row, 1), &value);
    }
  }
  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  bool linear_in_velocity() const override { return true; }
  bool add_constant_drag(Vector diagonal) const override {
    for (std::size_t i = 0; i < coefficient_.size(); ++i) diagonal[i] += coefficient_[i];
    return true;
  }

 private:
  std::vector<double> coefficient_;
};

// -rate M v with a mass matrix that is not diagonal.
class ConsistentMassDamping final : public Force {
 public:
  ConsistentMassDamping(std::string name, std::vector<double> diagonal, std::vector<MassEntry> off_diagonal)
      : Force(std::move(name)), diagonal_(std::move(diagonal)), off_diagonal_(std::move(off_diagonal)) {}

  void add_force(double, ConstVector, ConstVector v, double scale, Vector force) const override {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) force[i] -= scale * diagonal_[i] * v[i];
    for (const MassEntry& e : off_diagonal_) force[e.row] -= scale * e.value * v[e.column];
  }
  void add_jacobian(double, ConstVector, ConstVector, double, double by_v, MatrixSink& sink) const override {
    const auto add = [&](int row, int column, double value) {
      const double entry = -by_v * value;
      sink.add_block(std::span<const int>(&row, 1), std::span<const int>(&column, 1), &entry);
    };
    for (std::size_t i = 0; i < diagonal_.size(); ++i) add(static_cast<int>(i), static_cast<int>(i), diagonal_[i]);
    for (const MassEntry& e : off_diagonal_) add(e.row, e.column, e.value);
  }
  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  bool linear_in_velocity() const override { return true; }

 private:
  std::vector<double> diagonal_;
  std::vector<MassEntry> off_diagonal_;
};

template <class Coefficient>
void add_drag_of(Assembly& assembly, const std::string& body_name, const std::string& name,
                 const Coefficient& coefficient) {
  std::vector<double> values(assembly.q.size(), 0.0);
  for (const int k : bodies_of(assembly, body_name)) {
    const Body& body = assembly.parts.bodies[k];
    for (int i = 0; i < body.size(); ++i) {
      const auto at = static_cast<std::size_t>(body.first + i);
      values[at] = coefficient(assembly.parts.mass.diagonal[at]);
    }
  }
  assembly.parts.forces.push_back(std::make_shared<DiagonalDrag>(name, std::move(values)));
}

Parameter body_key() { return key("body", ValueType::name, "-", "", "body it acts on; default: all bodies"); }

}  // namespace

void add(Assembly& assembly, const Drag& drag, const std::string& name) {
  const double c = drag.drag_coefficient;
  check_range(force_records().at("drag"), "drag_coefficient", c);
  add_drag_of(assembly, drag.body, name, [&](double) { return c; });
}

void add(Assembly& assembly, const MassDamping& damping, const std::string& name) {
  const double rate = damping.damping_rate;
  check_range(force_records().at("mass_damping"), "damping_rate", rate);
  if (assembly.parts.mass.off_diagonal.empty())
    return add_drag_of(assembly, damping.body, name, [&](double mass) { return rate * mass; });
  std::vector<double> diagonal(assembly.q.size(), 0.0);
  std::vector<MassEntry> off_diagonal;
  for (const int k : bodies_of(assembly, damping.body)) {
    const Body& body = assembly.parts.bodies[k];
    for (int i = body.first; i < body.first + body.size(); ++i) diagonal[i] = rate * assembly.parts.mass.diagonal[i];
    for (const MassEntry& e : assembly.parts.mass.off_diagonal)
      if (e.row >= body.first && e.row < body.first + body.size())
        off_diagonal.push_back({e.row, e.column, rate * e.value});
  }
  assembly.parts.forces.push_back(
      std::make_shared<ConsistentMassDamping>(name, std::move(diagonal), std::move(off_diagonal)));
}

ForceRecord drag_record() {
  ForceRecord record;
  record.name = "drag";
  record.brief = "drag -c v on every node";
  record.parameters = {body_key(), required(bounded(number_key("drag_coefficient", "kg/s", "", "c, per node"), 0))};
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly, Drag{given_text(s, "body"), s.number("drag_coefficient")}, name);
  };
  return record;
}

ForceRecord mass_damping_record() {
  ForceRecord record;
  record.name = "mass_damping";
  record.brief = "damping proportional to mass: every mode decays as exp(-rate t / 2)";
  record.parameters = {body_key(), required(bounded(number_key("damping_rate", "1/s", "", "force -rate M v"), 0))};
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly, MassDamping{given_text(s, "body"), s.number("damping_rate")}, name);
  };
  return record;
}

}  // namespace livens
