// A StrainEnergy from a material written as one function of the invariants.
//
//   struct Rubber {
//     double mu, lambda;
//     static constexpr bool uses_i2 = false, survives_inversion = false;
//     template <class S> S energy(const S& i1, const S& i2, const S& j) const { ... }
//   };
//
// Derivatives come from jets, unless the struct has a member derivatives(EnergyPoint&, order) written by hand.
#pragma once

#include "elements/strain_energy.hpp"
#include "materials/invariant_jet.hpp"

namespace livens {

template <int Order, class Material>
void jet_derivatives(const Material& material, EnergyPoint& e) {
  using Jet = InvariantJet<Pack, Order>;
  const Jet w = material.energy(Jet::variable(e.i1, 0), Material::uses_i2 ? Jet::variable(e.i2, 1) : Jet(e.i2),
                                Jet::variable(e.j, 2));
  e.w = w.value;
  e.w1 = w.d[0];
  e.w2 = w.d[1];
  e.wj = w.d[2];
  if constexpr (Order == 1) return;
  e.w11 = w.dd[0];
  e.w12 = w.dd[1];
  e.w1j = w.dd[2];
  e.w22 = w.dd[3];
  e.w2j = w.dd[4];
  e.wjj = w.dd[5];
}

template <class Material>
class StrainEnergyOf final : public StrainEnergy {
 public:
  explicit StrainEnergyOf(const Material& material) : material_(material) {}
  void evaluate(EnergyPoint* points, int count, int order, const Pack*) const override {
    for (int k = 0; k < count; ++k) {
      EnergyPoint& e = points[k];
      if constexpr (requires { material_.derivatives(e, order); })
        material_.derivatives(e, order);
      else if (order == 0)
        e.w = material_.energy(e.i1, e.i2, e.j);
      else if (order == 1)
        jet_derivatives<1>(material_, e);
      else
        jet_derivatives<2>(material_, e);
    }
  }
  bool uses_i2() const override { return Material::uses_i2; }
  bool survives_inversion() const override { return Material::survives_inversion; }

 private:
  Material material_;
};

}  // namespace livens
