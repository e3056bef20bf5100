// w = mu/2 (I1 - 3 - 2 ln J) + lambda/2 (ln J)^2
#include "elements/elastic.hpp"
#include "materials/material.hpp"
#include "materials/strain_energy_of.hpp"

namespace livens {
namespace {

struct NeoHookean {
  double lambda, mu;
  static constexpr bool uses_i2 = false, survives_inversion = false;

  template <class S>
  S energy(const S& i1, const S&, const S& j) const {
    const S l = log(j);
    return 0.5 * mu * (i1 - 3.0 - 2.0 * l) + 0.5 * lambda * l * l;
  }

  // The jets' derivatives, without their zeros.
  void derivatives(EnergyPoint& e, int order) const {
    const Pack l = log(e.j);
    e.w = 0.5 * mu * (e.i1 - 3.0 - 2.0 * l) + 0.5 * lambda * l * l;
    if (order == 0) return;
    const Pack inverse = 1.0 / e.j;
    e.w1 = broadcast(0.5 * mu);
    e.wj = (lambda * l - mu) * inverse;
    if (order == 1) return;
    e.w11 = e.w1j = Pack{};
    e.wjj = (lambda + mu - lambda * l) * inverse * inverse;
  }
};

}  // namespace

MaterialRecord neo_hookean_record() {
  MaterialRecord record;
  record.name = "neo_hookean";
  record.brief = "compressible neo-Hookean: mu/2 (I1 - 3 - 2 ln J) + lambda/2 (ln J)^2";
  record.citation = "L04 (57)";
  record.make = [](const MaterialConstants& c, const SolidPart& part) {
    const NeoHookean material{c.moduli.lambda, c.moduli.mu};
    return make_elastic(part, std::make_shared<StrainEnergyOf<NeoHookean>>(material), material.lambda, material.mu);
  };
  return record;
}

}  // namespace livens
