// A user's own w(I1, I2, J), written as an expression in the scene.
#include "math/expression.hpp"

#include <cmath>
#include <string>

#include <livens/jet.hpp>
#include <livens/records.hpp>
#include <livens/scene.hpp>

#include "elements/elastic.hpp"
#include "materials/material.hpp"

namespace livens {
namespace {

using Jet = Jet2<3>;

Jet value_at(const Expression& energy, double i1, double i2, double j) {
  const Jet x[3] = {Jet::variable(i1, 0), Jet::variable(i2, 1), Jet::variable(j, 2)};
  return energy.evaluate<Jet>(std::span<const Jet>(x, 3));
}

class ExpressionEnergy final : public StrainEnergy {
 public:
  explicit ExpressionEnergy(const Expression& energy) : energy_(energy), rest_(value_at(energy, 3, 3, 1).value) {}

  // Lane by lane: an interpreted tape has no packs.
  void evaluate(EnergyPoint* points, int count, int order) const override {
    for (int k = 0; k < count; ++k) {
      EnergyPoint& e = points[k];
      for (int lane = 0; lane < pack_lanes; ++lane) {
        if (order == 0) {
          const double x[3] = {e.i1[lane], e.i2[lane], e.j[lane]};
          e.w[lane] = energy_.evaluate(std::span<const double>(x, 3)) - rest_;
          continue;
        }
        const Jet w = value_at(energy_, e.i1[lane], e.i2[lane], e.j[lane]);
        e.w[lane] = w.value - rest_;
        e.w1[lane] = w.gradient[0];
        e.w2[lane] = w.gradient[1];
        e.wj[lane] = w.gradient[2];
        e.w11[lane] = w.hessian(0, 0);
        e.w12[lane] = w.hessian(0, 1);
        e.w1j[lane] = w.hessian(0, 2);
        e.w22[lane] = w.hessian(1, 1);
        e.w2j[lane] = w.hessian(1, 2);
        e.wjj[lane] = w.hessian(2, 2);
      }
    }
  }
  bool uses_i2() const override { return true; }
  bool survives_inversion() const override { return false; }

 private:
  Expression energy_;
  double rest_;
};

// mu = 2 (w1 + w2); 9 bulk is the second derivative of w along F = s I: I1 = 3 s^2, I2 = 3 s^4, J = s^3.
Moduli moduli_at_rest(const Jet& w) {
  const double a[3] = {6, 12, 3}, b[3] = {6, 36, 6};
  double second = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    second += w.gradient[i] * b[i];
    for (std::size_t j = 0; j < 3; ++j) second += w.hessian(i, j) * a[i] * a[j];
  }
  Moduli moduli;
  moduli.mu = 2 * (w.gradient[0] + w.gradient[1]);
  moduli.lambda = second / 9 - 2 * moduli.mu / 3;
  return moduli;
}

std::string refusal(const MaterialConstants& c) {
  const Jet w = value_at(c.settings->function("energy"), 3, 3, 1);
  const double stress = 2 * w.gradient[0] + 4 * w.gradient[1] + w.gradient[2];
  const double scale = std::abs(2 * w.gradient[0]) + std::abs(4 * w.gradient[1]) + std::abs(w.gradient[2]);
  const Moduli moduli = moduli_at_rest(w);
  if (!std::isfinite(stress) || !std::isfinite(moduli.lambda))
    return "is not finite, or has no second derivatives, at rest (I1 = 3, I2 = 3, J = 1)";
  if (std::abs(stress) > 1e-9 * scale)
    return "is not stress-free at rest: 2 dw/dI1 + 4 dw/dI2 + dw/dJ = " + std::to_string(stress) +
           " Pa at I1 = I2 = 3, J = 1, and must be 0; add " + std::to_string(-stress) + "*log(J)";
  if (!(moduli.mu > 0) || !(moduli.bulk() > 0))
    return "is not stable at rest: shear modulus " + std::to_string(moduli.mu) + " Pa, bulk modulus " +
           std::to_string(moduli.bulk()) + " Pa; both must be positive";
  return "";
}

}  // namespace

MaterialRecord expression_record() {
  MaterialRecord record;
  record.name = "expression";
  record.brief = "your own energy density of the invariants, such as \"mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2\"";
  record.parameters = {required(function_of(
      key("energy", ValueType::function, "J/m^3", "", "w(I1, I2, J); I1 = tr C, I2 = (tr^2 C - tr C^2)/2, J = det F"),
      {"I1", "I2", "J"}))};
  record.native = [](const Settings& s, Moduli& moduli) {
    moduli = moduli_at_rest(value_at(s.function("energy"), 3, 3, 1));
    return true;
  };
  record.refusal = refusal;
  record.make = [](const MaterialConstants& c, SolidPart part) {
    return make_elastic(part, std::make_shared<ExpressionEnergy>(c.settings->function("energy")), c.moduli.lambda,
                        c.moduli.mu);
  };
  return record;
}

}  // namespace livens
