// w = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + U(J), mu = 2 (c10 + c01)
#include <livens/records.hpp>
#include <livens/scene.hpp>

#include "elements/elastic.hpp"
#include "materials/material.hpp"
#include "materials/strain_energy_of.hpp"
#include "materials/volumetric.hpp"

namespace livens {
namespace {

struct MooneyRivlin {
  double c10, c01, bulk;
  Volumetric volumetric;
  static constexpr bool uses_i2 = true, survives_inversion = false;

  template <class S>
  S energy(const S& i1, const S& i2, const S& j) const {
    const S scale = power(j, -2.0 / 3);
    return c10 * (scale * i1 - 3.0) + c01 * (scale * scale * i2 - 3.0) + volumetric_energy(volumetric, bulk, j);
  }
};

bool own_constants(const Settings& s) { return s.given("c10") || s.given("c01"); }

}  // namespace

MaterialRecord mooney_rivlin_record() {
  MaterialRecord record;
  record.name = "mooney_rivlin";
  record.brief = "rubber: c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + volumetric energy";
  record.citation = "K06 5.1 with the usual I2";
  record.parameters = {
      bounded(number_key("c10", "Pa", "", "constant of I1; with c01 and bulk instead of a pair of moduli"), 0),
      bounded(number_key("c01", "Pa", "", "constant of I2"), 0),
      bounded(number_key("c01_share", "-", "0.2", "of c01 in c10 + c01 = shear/2, when moduli are given"), 0, 1),
      volumetric_parameter()};
  record.native = [](const Settings& s, Moduli& moduli) {
    if (!s.given("c10") || !s.given("c01") || !s.given("bulk")) return false;
    moduli.mu = 2 * (s.number("c10") + s.number("c01"));
    moduli.lambda = s.number("bulk") - 2 * moduli.mu / 3;
    return true;
  };
  record.make = [](const MaterialConstants& c, SolidPart part) {
    const bool own = c.settings != nullptr && own_constants(*c.settings);
    const double share = c.settings != nullptr && c.settings->has("c01_share") ? c.settings->number("c01_share") : 0.2;
    const double c01 = own ? c.settings->number("c01") : 0.5 * c.moduli.mu * share;
    const MooneyRivlin material{0.5 * c.moduli.mu - c01, c01, c.moduli.bulk(), volumetric_of(c.volumetric)};
    return make_elastic(part, std::make_shared<StrainEnergyOf<MooneyRivlin>>(material), c.moduli.lambda, c.moduli.mu);
  };
  return record;
}

}  // namespace livens
