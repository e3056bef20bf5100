// w = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + U(J), mu = 2 (c10 + c01)
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

}  // namespace

MaterialRecord mooney_rivlin_record() {
  MaterialRecord record;
  record.name = "mooney_rivlin";
  record.brief = "rubber: c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + volumetric energy";
  record.citation = "K06 5.1 with the usual I2";
  record.parameters = {
      number_key("c10", "Pa", "", "constant of I1; with c01 and bulk instead of a pair of moduli"),
      number_key("c01", "Pa", "", "constant of I2; one of the two may be negative, c10 + c01 not"),
      bounded(number_key("c01_share", "-", "0.2", "of c01 in c10 + c01 = shear/2, when moduli are given"), 0, 1),
      volumetric_parameter()};
  record.native = [](const Material& m) -> std::optional<Moduli> {
    if (!m.given("c10") || !m.given("c01") || !m.given("bulk")) return std::nullopt;
    Moduli moduli;
    moduli.mu = 2 * (m.number("c10") + m.number("c01"));
    moduli.lambda = m.number("bulk") - 2 * moduli.mu / 3;
    return moduli;
  };
  record.make = [](const MaterialConstants& c, const SolidPart& part) {
    const double share = c.given.number("c01_share", 0.2);
    const double c01 = c.given.given("c01") ? c.given.number("c01") : 0.5 * c.moduli.mu * share;
    const MooneyRivlin material{0.5 * c.moduli.mu - c01, c01, c.moduli.bulk(), volumetric_of(c.volumetric)};
    return make_elastic(part, std::make_shared<StrainEnergyOf<MooneyRivlin>>(material), c.moduli.lambda, c.moduli.mu);
  };
  return record;
}

}  // namespace livens
