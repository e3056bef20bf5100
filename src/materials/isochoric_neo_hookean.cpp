// w = mu/2 (J^(-2/3) I1 - 3) + U(J)
#include "elements/elastic.hpp"
#include "materials/material.hpp"
#include "materials/strain_energy_of.hpp"
#include "materials/volumetric.hpp"

namespace livens {
namespace {

struct IsochoricNeoHookean {
  double mu, bulk;
  Volumetric volumetric;
  static constexpr bool uses_i2 = false, survives_inversion = false;

  template <class S>
  S energy(const S& i1, const S&, const S& j) const {
    return 0.5 * mu * (power(j, -2.0 / 3) * i1 - 3.0) + volumetric_energy(volumetric, bulk, j);
  }
};

}  // namespace

MaterialRecord isochoric_neo_hookean_record() {
  MaterialRecord record;
  record.name = "isochoric_neo_hookean";
  record.brief = "nearly incompressible: mu/2 (J^(-2/3) I1 - 3) + volumetric energy";
  record.citation = "Bonet and Burton 1998";
  record.parameters = {volumetric_parameter()};
  record.make = [](const MaterialConstants& c, const SolidPart& part) {
    const IsochoricNeoHookean material{c.moduli.mu, c.moduli.bulk(), volumetric_of(c.volumetric)};
    return make_elastic(part, std::make_shared<StrainEnergyOf<IsochoricNeoHookean>>(material), c.moduli.lambda,
                        c.moduli.mu);
  };
  return record;
}

}  // namespace livens
