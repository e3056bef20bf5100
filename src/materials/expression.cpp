// A user's own w(I1, I2, J, X, Y, Z), written as an expression in the scene.
#include "math/expression.hpp"

#include <algorithm>

#include "elements/elastic.hpp"
#include "elements/element_block.hpp"
#include "materials/own.hpp"

namespace livens {
namespace {

using Jet = Jet2<3>;
using Place = std::array<double, 3>;

const std::vector<std::string>& variables() {
  static const std::vector<std::string> names = {"I1", "I2", "J", "X", "Y", "Z"};
  return names;
}

// The energy at one place of the reference shape.
class ExpressionEnergy final : public InvariantEnergy {
 public:
  explicit ExpressionEnergy(Expression energy, const Place& X = {}) : energy_(std::move(energy)), X_(X) {}
  double value(double i1, double i2, double j) const override {
    const double x[6] = {i1, i2, j, X_[0], X_[1], X_[2]};
    return energy_.evaluate(std::span<const double>(x, 6));
  }
  Jet jet(double i1, double i2, double j) const override {
    const Jet x[6] = {Jet::variable(i1, 0), Jet::variable(i2, 1), Jet::variable(j, 2), X_[0], X_[1], X_[2]};
    return energy_.evaluate<Jet>(std::span<const Jet>(x, 6));
  }

 private:
  Expression energy_;
  Place X_;
};

Expression parsed(const Material& material) {
  return Expression::parse(material.texts.at("energy"), variables(), material.parameters);
}
bool varies(const Expression& energy) { return energy.uses(3) || energy.uses(4) || energy.uses(5); }

std::shared_ptr<const InvariantEnergy> energy_of(const Material& material) {
  return std::make_shared<ExpressionEnergy>(parsed(material));
}

// w(I1, I2, J, X) less its value at rest; the coefficients of a point are its place.
class PlacedEnergy final : public StrainEnergy {
 public:
  explicit PlacedEnergy(Expression energy) : energy_(std::move(energy)) {}

  void evaluate(EnergyPoint* points, int count, int order, const Pack* coefficients) const override {
    for (int k = 0; k < count; ++k, coefficients += 3)
      for (int lane = 0; lane < pack_lanes; ++lane) {
        const ExpressionEnergy here(energy_, {coefficients[0][lane], coefficients[1][lane], coefficients[2][lane]});
        evaluate_lane(here, order, lane, points[k]);
      }
  }
  int coefficients() const override { return 3; }
  void coefficients_at(const double* X, double* values) const override { std::copy_n(X, 3, values); }
  bool uses_i2() const override { return true; }
  bool survives_inversion() const override { return false; }

 private:
  Expression energy_;
};

// The moduli of the place over those of the origin, for the damping; every place has to be at rest and stable.
SolidPart placed_part(const Expression& energy, const MaterialConstants& c, SolidPart part) {
  for (const int e : part.elements) {
    const std::vector<double> X = reference_places(part, e);
    for (std::size_t g = 0; g < X.size(); g += 3) {
      const std::string refusal = rest_refusal(ExpressionEnergy(energy, {X[g], X[g + 1], X[g + 2]}));
      if (!refusal.empty())
        throw std::invalid_argument("the energy of its material, '" + energy.text() +
                                    "', at X = " + std::to_string(X[g]) + ", Y = " + std::to_string(X[g + 1]) +
                                    ", Z = " + std::to_string(X[g + 2]) + " m: it " + refusal);
    }
  }
  const double origin = c.moduli.lambda + 2 * c.moduli.mu;
  const auto factor = part.stiffness_factor;
  part.stiffness_factor = [energy, origin, factor](const double* X) {
    const Moduli moduli = moduli_at_rest(ExpressionEnergy(energy, {X[0], X[1], X[2]}));
    return (moduli.lambda + 2 * moduli.mu) / origin * (factor ? factor(X) : 1);
  };
  return part;
}

std::shared_ptr<SolidBlock> make(const MaterialConstants& c, const SolidPart& part) {
  const Expression energy = parsed(c.given);
  if (!varies(energy))
    return make_elastic(part, make_strain_energy(energy_of(c.given), false), c.moduli.lambda, c.moduli.mu);
  std::shared_ptr<const StrainEnergy> placed = std::make_shared<PlacedEnergy>(energy);
  if (part.stiffness_factor) placed = make_graded(std::move(placed), part.stiffness_factor);
  return make_elastic_of_place(placed_part(energy, c, part), std::move(placed), c.moduli.lambda, c.moduli.mu);
}

std::string refusal(const MaterialConstants& c) {
  if (c.given.texts.count("energy") == 0) return "is missing: an expression of I1, I2, J and the place X, Y, Z";
  try {
    const std::string refusal = rest_refusal(*energy_of(c.given));
    if (refusal.empty() || !varies(parsed(c.given))) return refusal;
    return refusal + " (at the place X = Y = Z = 0, whose moduli damping and contact refer to)";
  } catch (const ExpressionError& error) {
    return error.what();
  }
}

}  // namespace

MaterialRecord expression_record() {
  MaterialRecord record;
  record.name = "expression";
  record.brief = "your own energy density of the invariants, such as \"mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2\"";
  record.parameters = {required(function_of(key("energy", ValueType::function, "J/m^3", "",
                                                "w(I1, I2, J, X, Y, Z); I1 = tr C, I2 = (tr^2 C - tr C^2)/2, J = det "
                                                "F, and the place in the reference shape"),
                                            variables()))};
  record.native = [](const Material& material) -> std::optional<Moduli> {
    return moduli_at_rest(*energy_of(material));
  };
  record.refusal = refusal;
  record.make = make;
  return record;
}

}  // namespace livens
