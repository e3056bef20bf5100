// w = m/2 (I1 - 3) - m/2 ln((I1 + 1)/4) + l/2 [(J - a)^2 - (1 - a)^2] with m = 4/3 mu, l = lambda + 5/6 mu,
// a = 1 + 3 m / (4 l): finite and smooth for every F, inverted or flat ones included.
#include "elements/elastic.hpp"
#include "materials/material.hpp"
#include "materials/strain_energy_of.hpp"

namespace livens {
namespace {

struct StableNeoHookean {
  double m, l, a;
  static constexpr bool uses_i2 = false, survives_inversion = true;

  template <class S>
  S energy(const S& i1, const S&, const S& j) const {
    return 0.5 * m * (i1 - 3.0 - log(0.25 * (i1 + 1.0))) + 0.5 * l * ((j - a) * (j - a) - (1 - a) * (1 - a));
  }

  // The jets' derivatives, without their zeros.
  void derivatives(EnergyPoint& e, int order) const {
    e.w = energy(e.i1, e.i2, e.j);
    if (order == 0) return;
    const Pack inverse = 1.0 / (e.i1 + 1.0);
    e.w1 = 0.5 * m * (1.0 - inverse);
    e.wj = l * (e.j - a);
    if (order == 1) return;
    e.w11 = 0.5 * m * inverse * inverse;
    e.w1j = Pack{};
    e.wjj = broadcast(l);
  }
};

}  // namespace

MaterialRecord stable_neo_hookean_record() {
  MaterialRecord record;
  record.name = "stable_neo_hookean";
  record.brief = "neo-Hookean that is finite for inverted and flat elements: for animation and rough contact";
  record.citation = "Smith, de Goes and Kim 2018";
  record.survives_inversion = true;
  record.make = [](const MaterialConstants& c, const SolidPart& part) {
    const double m = 4.0 / 3 * c.moduli.mu, l = c.moduli.lambda + 5.0 / 6 * c.moduli.mu;
    const StableNeoHookean material{m, l, 1 + 0.75 * m / l};
    return make_elastic(part, std::make_shared<StrainEnergyOf<StableNeoHookean>>(material), c.moduli.lambda,
                        c.moduli.mu);
  };
  return record;
}

}  // namespace livens
