// A material of your own: one function of the invariants, written once. Derivatives are exact; once its record is
// there, scenes, `check`, all elements and all integrators know it.
//
// Gent's rubber locks when I1 - 3 comes near a limit: w = -mu/2 limit ln(1 - (I1 - 3 - 2 ln J)/limit) + lambda/2 (ln
// J)^2.
#include <cmath>
#include <cstdio>

#include <livens/livens.hpp>

namespace {

struct Gent {
  double mu, lambda, limit;
  template <class S>
  S energy(const S& i1, const S&, const S& j) const {
    using std::log;
    const S l = log(j);
    return -0.5 * mu * limit * log(1.0 - (i1 - 3.0 - 2.0 * l) / limit) + 0.5 * lambda * l * l;
  }
};

// Strain energy of a cube that is pulled to twice its length.
double energy_of(const std::string& material) {
  const livens::Scene scene = livens::parse_scene(R"toml(
    time       = { end = 1 }
    integrator = { kind = "stormer_verlet", step = 1e-4 }

    [[body]]
    name     = "cube"
    kind     = "solid"
    material = "rubber"
    mesh     = { kind = "box", size = [1, 1, 1], cells = [1, 1, 1] }
    initial  = { position = ["2*X", "0.75*Y", "0.75*Z"] }

    [[material]]
    name    = "rubber"
    young   = 1e6
    poisson = 0.3
    density = 1000
    )toml" + material);
  const livens::Setup setup = livens::make_setup(scene);
  return livens::energy(*setup.model, setup.start).potential;
}

}  // namespace

int main() {
  livens::material_records().add(
      livens::own_material("gent", "rubber that locks at a finite stretch",
                           [](const livens::MaterialConstants& c) {
                             return Gent{c.moduli.mu, c.moduli.lambda, c.given.number("limit", 30)};
                           },
                           {livens::positive(livens::number_key("limit", "-", "30", "of I1 - 3, where it locks"))}));

  const double soft = energy_of("kind = 'neo_hookean'");
  const double far = energy_of("kind = 'gent'\nlimit = 1e9");  // no limit: neo-Hookean
  const double near = energy_of("kind = 'gent'\nlimit = 3");
  std::printf("stretched to 2: neo-Hookean %.6g J, Gent without limit %.6g J, with its limit near %.6g J\n", soft, far,
              near);
  return std::abs(far / soft - 1) < 1e-6 && near > 1.1 * soft ? 0 : 1;
}
