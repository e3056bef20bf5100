// Materials: a strain-energy density w(I1, I2, J) of the deformation gradient F, with C = F'F, I1 = tr C,
// I2 = (tr^2 C - tr C^2)/2, J = det F.
//
//   add(assembly, neo_hookean({.young = 1e6, .poisson = 0.4, .density = 1000}), "rubber");
//
// A material of one's own is one function, written once over the scalar type, and its record:
//
//   struct Gent {
//     double mu, bulk;                                             // Pa
//     template <class S>
//     S energy(const S& i1, const S& i2, const S& j) const { using std::log; ... }   // J/m^3, any constant at rest
//   };
//   material_records().add(own_material("gent", "rubber that locks", [](const MaterialConstants& c) {
//     return Gent{c.moduli.mu, c.moduli.bulk()};
//   }));
//
// Scenes, `livens list` and `livens check` then know the kind "gent", and all elements take it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <livens/jet.hpp>
#include <livens/records.hpp>
#include <livens/solid_block.hpp>

namespace livens {

struct Assembly;

// --- materials of an assembly ----------------------------------------------------------------------------------------

// Small-strain moduli.
struct Moduli {
  double lambda = 0, mu = 0;  // Pa
  double young() const { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }
  double poisson() const { return lambda / (2 * (lambda + mu)); }
  double bulk() const { return lambda + 2 * mu / 3; }
};

struct Material {
  std::string kind;                          // of material_records(): see `livens list materials`
  double density = 0;                        // kg/m^3, of the reference shape
  std::map<std::string, double> constants;   // by the keys of the record: young, poisson, c10, ...; SI
  std::map<std::string, std::string> texts;  // keys that are no numbers: volumetric, energy
  std::map<std::string, double, std::less<>> parameters = {};  // that an energy given as text may name

  bool given(const std::string& key) const { return constants.count(key) != 0; }
  double number(const std::string& key) const { return constants.at(key); }
  double number(const std::string& key, double otherwise) const { return given(key) ? constants.at(key) : otherwise; }
};

// Throws AssemblyError: for an unknown kind or key, for constants that are too few, too many or out of range.
void add(Assembly& assembly, const Material& material, const std::string& name);

// The built-in kinds by Young's modulus and Poisson's ratio; for other pairs fill in Material::constants.
struct Elastic {
  double young = 0;    // Pa
  double poisson = 0;  // -, above -1 and below 0.5
  double density = 0;  // kg/m^3
};
Material neo_hookean(const Elastic& elastic);
Material isochoric_neo_hookean(const Elastic& elastic);
Material mooney_rivlin(const Elastic& elastic);
Material st_venant_kirchhoff(const Elastic& elastic);
Material stable_neo_hookean(const Elastic& elastic);
Material linear_elastic(const Elastic& elastic);
// Density of the energy (J/m^3) as a text of I1, I2 and J, which may name the parameters.
Material expression_material(std::string energy, double density,
                             std::map<std::string, double, std::less<>> parameters = {});

// --- records of materials --------------------------------------------------------------------------------------------

// What a record makes elements from: what was given, defaults filled in, and the moduli that follow from it.
struct MaterialConstants {
  Moduli moduli;                   // as given by a pair, or by `native`
  std::string volumetric = "log";  // log, square, mixed
  Material given = {};
};

struct MaterialRecord : Record {
  bool frame_indifferent = true;
  bool survives_inversion = false;
  // Moduli from the kind's own constants; nothing if they are not given. Null: the kind has none.
  std::function<std::optional<Moduli>(const Material& material)> native;
  // What is wrong with the constants; empty if nothing. Null: nothing can be.
  std::function<std::string(const MaterialConstants& constants)> refusal;
  // Elements of this material.
  std::function<std::shared_ptr<SolidBlock>(const MaterialConstants& constants, const SolidPart& part)> make;
};

// To each record are added the keys density and, unless the record requires keys of its own, the pairs of moduli.
Registry<MaterialRecord>& material_records();

// A material of an assembly, checked.
struct BodyMaterial {
  const MaterialRecord* record = nullptr;
  MaterialConstants constants;
  double density() const { return constants.given.density; }  // kg/m^3
};

// --- a material of one's own -----------------------------------------------------------------------------------------

// w(I1, I2, J) and its exact derivatives, one point at a time.
class InvariantEnergy {
 public:
  virtual ~InvariantEnergy() = default;
  virtual double value(double i1, double i2, double j) const = 0;
  virtual Jet2<3> jet(double i1, double i2, double j) const = 0;
};

namespace detail {

template <class Energy>
class InvariantEnergyOf final : public InvariantEnergy {
 public:
  explicit InvariantEnergyOf(Energy energy) : energy_(std::move(energy)) {}
  double value(double i1, double i2, double j) const override { return at(i1, i2, j); }
  Jet2<3> jet(double i1, double i2, double j) const override {
    return at(Jet2<3>::variable(i1, 0), Jet2<3>::variable(i2, 1), Jet2<3>::variable(j, 2));
  }

 private:
  template <class S>
  S at(const S& i1, const S& i2, const S& j) const {
    if constexpr (requires { energy_.energy(i1, i2, j); })
      return energy_.energy(i1, i2, j);
    else
      return energy_(i1, i2, j);
  }
  Energy energy_;
};

}  // namespace detail

// From a struct with a template energy(i1, i2, j), or from a generic lambda of three.
template <class Energy>
std::shared_ptr<const InvariantEnergy> invariant_energy(Energy energy) {
  return std::make_shared<detail::InvariantEnergyOf<Energy>>(std::move(energy));
}

// Its record. `parameters` are keys of the kind's own: with defaults beside the moduli, or required in their place; the
// moduli then follow from the energy. Scenes with constants for which w is not stress-free or not stable at rest are
// refused.
using MakeInvariantEnergy = std::function<std::shared_ptr<const InvariantEnergy>(const MaterialConstants& constants)>;
MaterialRecord own_material(std::string name, std::string brief, MakeInvariantEnergy energy,
                            std::vector<Parameter> parameters = {}, bool survives_inversion = false);

// `make` returns the struct or lambda itself.
template <class Make>
requires(!std::is_convertible_v<Make, MakeInvariantEnergy>) MaterialRecord
    own_material(std::string name, std::string brief, Make make, std::vector<Parameter> parameters = {},
                 bool survives_inversion = false) {
  return own_material(
      std::move(name), std::move(brief),
      MakeInvariantEnergy([make = std::move(make)](const MaterialConstants& c) { return invariant_energy(make(c)); }),
      std::move(parameters), survives_inversion);
}

}  // namespace livens
