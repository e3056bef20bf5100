// Materials: a strain-energy density w(I1, I2, J) of the deformation gradient F, with C = F'F, I1 = tr C,
// I2 = (tr^2 C - tr C^2)/2, J = det F. A material is one function, written once over the scalar type; its file makes
// the block of elements (see livens/solid_block.hpp) and its record.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <livens/records.hpp>
#include <livens/settings.hpp>
#include <livens/solid_block.hpp>

namespace livens {

// Small-strain moduli.
struct Moduli {
  double lambda = 0, mu = 0;  // Pa
  double young() const { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }
  double poisson() const { return lambda / (2 * (lambda + mu)); }
  double bulk() const { return lambda + 2 * mu / 3; }
};

// The constants of a material in a scene: moduli by one of the pairs, and the kind's own.
struct MaterialConstants {
  Moduli moduli;                       // as given by a pair, or by `native`
  std::string volumetric = "log";      // log, square, mixed
  const Settings* settings = nullptr;  // the kind's own keys
};

struct MaterialRecord : Record {
  bool frame_indifferent = true;
  bool survives_inversion = false;
  // Moduli from the kind's own constants; false if they are not given. Null: the kind has none.
  bool (*native)(const Settings& settings, Moduli& moduli) = nullptr;
  // What is wrong with the constants; empty if nothing. Null: nothing can be.
  std::string (*refusal)(const MaterialConstants& constants) = nullptr;
  // Elements of this material.
  std::shared_ptr<SolidBlock> (*make)(const MaterialConstants& constants, SolidPart part) = nullptr;
};

Registry<MaterialRecord>& material_records();

// Volumetric energies of nearly incompressible materials: bulk/2 (ln J)^2, bulk/2 (J - 1)^2, bulk/4 (J^2 - 1 - 2 ln J).
enum class Volumetric { log, square, mixed };
Volumetric volumetric_of(const std::string& name);
Parameter volumetric_parameter();

}  // namespace livens
