// Drag -c v on every node, and damping proportional to mass, -rate M v.
#include "forces/drag.hpp"

#include "forces/records.hpp"
#include "scene/parameter.hpp"

namespace livens {
namespace {

class DiagonalDrag final : public Force {
 public:
  DiagonalDrag(std::string name, std::vector<double> coefficient)
      : Force(std::move(name)), coefficient_(std::move(coefficient)) {}

  void add_force(double, ConstVector, ConstVector v, double scale, Vector force) const override {
    for (std::size_t i = 0; i < v.size(); ++i) force[i] -= scale * coefficient_[i] * v[i];
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

template <class Coefficient>
void add_drag_of(const Settings& settings, const std::string& name, Build& build, const Coefficient& coefficient) {
  std::vector<double> values(build.q.size(), 0.0);
  for (const int k : build.bodies_of(settings)) {
    const Body& body = build.parts.bodies[static_cast<std::size_t>(k)];
    for (int i = 0; i < body.size(); ++i) {
      const auto at = static_cast<std::size_t>(body.first + i);
      values[at] = coefficient(build.parts.mass.diagonal[at]);
    }
  }
  build.parts.forces.push_back(std::make_shared<DiagonalDrag>(name, std::move(values)));
}

Parameter body_key() { return key("body", ValueType::name, "-", "", "body it acts on; without it, on everything"); }

}  // namespace

void add_mass_damping(const Settings& settings, const std::string& name, Build& build) {
  const double rate = settings.number("damping_rate");
  add_drag_of(settings, name, build, [&](double mass) { return rate * mass; });
}

ForceRecord drag_record() {
  ForceRecord record;
  record.name = "drag";
  record.brief = "drag -c v on every node";
  record.parameters = {body_key(),
                       required(bounded(number_key("drag_coefficient", "kg/s", "", "c, for each node"), 0))};
  record.add = [](const Settings& settings, const std::string& name, Build& build) {
    const double c = settings.number("drag_coefficient");
    add_drag_of(settings, name, build, [&](double) { return c; });
  };
  return record;
}

ForceRecord mass_damping_record() {
  ForceRecord record;
  record.name = "mass_damping";
  record.brief = "damping proportional to mass: every mode decays as exp(-rate t / 2)";
  record.parameters = {body_key(), required(bounded(number_key("damping_rate", "1/s", "", "force -rate M v"), 0))};
  record.add = add_mass_damping;
  return record;
}

}  // namespace livens
