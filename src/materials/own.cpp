#include "materials/own.hpp"

#include <cmath>

#include "elements/elastic.hpp"

namespace livens {
namespace {

using Jet = Jet2<3>;

class PointwiseEnergy final : public StrainEnergy {
 public:
  PointwiseEnergy(std::shared_ptr<const InvariantEnergy> energy, bool survives_inversion)
      : energy_(std::move(energy)), rest_(energy_->jet(3, 3, 1).value), survives_inversion_(survives_inversion) {}

  // Lane by lane: neither users' functions nor an interpreted tape have packs.
  void evaluate(EnergyPoint* points, int count, int order, const Pack*) const override {
    for (int k = 0; k < count; ++k)
      for (int lane = 0; lane < pack_lanes; ++lane) evaluate_lane(*energy_, rest_, order, lane, points[k]);
  }
  bool uses_i2() const override { return true; }
  bool survives_inversion() const override { return survives_inversion_; }

 private:
  std::shared_ptr<const InvariantEnergy> energy_;
  double rest_;
  bool survives_inversion_;
};

// mu = 2 (w1 + w2); 9 bulk is the second derivative of w along F = s I: I1 = 3 s^2, I2 = 3 s^4, J = s^3.
Moduli moduli_of(const Jet& w) {
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

}  // namespace

void evaluate_lane(const InvariantEnergy& energy, double rest, int order, int lane, EnergyPoint& e) {
  if (order == 0) {
    e.w[lane] = energy.value(e.i1[lane], e.i2[lane], e.j[lane]) - rest;
    return;
  }
  const Jet w = energy.jet(e.i1[lane], e.i2[lane], e.j[lane]);
  e.w[lane] = w.value - rest;
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

std::shared_ptr<const StrainEnergy> make_strain_energy(std::shared_ptr<const InvariantEnergy> energy,
                                                       bool survives_inversion) {
  return std::make_shared<PointwiseEnergy>(std::move(energy), survives_inversion);
}

Moduli moduli_at_rest(const InvariantEnergy& energy) { return moduli_of(energy.jet(3, 3, 1)); }

std::string rest_refusal(const InvariantEnergy& energy) {
  const Jet w = energy.jet(3, 3, 1);
  const double stress = 2 * w.gradient[0] + 4 * w.gradient[1] + w.gradient[2];
  const double scale = std::abs(2 * w.gradient[0]) + std::abs(4 * w.gradient[1]) + std::abs(w.gradient[2]);
  const Moduli moduli = moduli_of(w);
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

MaterialRecord own_material(std::string name, std::string brief, MakeInvariantEnergy energy,
                            std::vector<Parameter> parameters, bool survives_inversion) {
  MaterialRecord record;
  record.name = std::move(name);
  record.brief = std::move(brief);
  record.parameters = std::move(parameters);
  record.survives_inversion = survives_inversion;
  record.native = [energy](const Material& material) -> std::optional<Moduli> {
    return moduli_at_rest(*energy({{}, "log", material}));
  };
  record.refusal = [energy](const MaterialConstants& c) { return rest_refusal(*energy(c)); };
  record.make = [energy, survives_inversion](const MaterialConstants& c, const SolidPart& part) {
    const auto w = energy(c);
    const Moduli moduli = moduli_at_rest(*w);
    return make_elastic(part, make_strain_energy(w, survives_inversion), moduli.lambda, moduli.mu);
  };
  return record;
}

}  // namespace livens
