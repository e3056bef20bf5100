// w = lambda/2 tr^2 E + mu tr E^2, E = (C - I)/2; tr E = (I1 - 3)/2, tr C^2 = I1^2 - 2 I2
#include "elements/elastic.hpp"
#include "materials/material.hpp"
#include "materials/strain_energy_of.hpp"

namespace livens {
namespace {

struct StVenantKirchhoff {
  double lambda, mu;
  static constexpr bool uses_i2 = true, survives_inversion = true;

  template <class S>
  S energy(const S& i1, const S& i2, const S&) const {
    const S trace = i1 - 3.0;
    return 0.125 * lambda * trace * trace + 0.25 * mu * (trace * (i1 + 1.0) - 2.0 * (i2 - 3.0));
  }
};

}  // namespace

MaterialRecord st_venant_kirchhoff_record() {
  MaterialRecord record;
  record.name = "st_venant_kirchhoff";
  record.brief = "linear law between Green strain and second Piola stress; softens and fails under strong compression";
  record.survives_inversion = true;
  record.make = [](const MaterialConstants& c, const SolidPart& part) {
    const StVenantKirchhoff material{c.moduli.lambda, c.moduli.mu};
    return make_elastic(part, std::make_shared<StrainEnergyOf<StVenantKirchhoff>>(material), c.moduli.lambda,
                        c.moduli.mu);
  };
  return record;
}

}  // namespace livens
