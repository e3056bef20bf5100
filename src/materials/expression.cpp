// A user's own w(I1, I2, J), written as an expression in the scene.
#include "math/expression.hpp"

#include "elements/elastic.hpp"
#include "materials/own.hpp"

namespace livens {
namespace {

using Jet = Jet2<3>;

class ExpressionEnergy final : public InvariantEnergy {
 public:
  explicit ExpressionEnergy(Expression energy) : energy_(std::move(energy)) {}
  double value(double i1, double i2, double j) const override {
    const double x[3] = {i1, i2, j};
    return energy_.evaluate(std::span<const double>(x, 3));
  }
  Jet jet(double i1, double i2, double j) const override {
    const Jet x[3] = {Jet::variable(i1, 0), Jet::variable(i2, 1), Jet::variable(j, 2)};
    return energy_.evaluate<Jet>(std::span<const Jet>(x, 3));
  }

 private:
  Expression energy_;
};

std::shared_ptr<const InvariantEnergy> energy_of(const Material& material) {
  static const std::vector<std::string> invariants = {"I1", "I2", "J"};
  return std::make_shared<ExpressionEnergy>(
      Expression::parse(material.texts.at("energy"), invariants, material.parameters));
}

std::string refusal(const MaterialConstants& c) {
  if (c.given.texts.count("energy") == 0) return "is missing: an expression of I1, I2 and J";
  try {
    return rest_refusal(*energy_of(c.given));
  } catch (const ExpressionError& error) {
    return error.what();
  }
}

}  // namespace

MaterialRecord expression_record() {
  MaterialRecord record;
  record.name = "expression";
  record.brief = "your own energy density of the invariants, such as \"mu/2*(I1 - 3 - 2*log(J)) + la/2*log(J)^2\"";
  record.parameters = {required(function_of(
      key("energy", ValueType::function, "J/m^3", "", "w(I1, I2, J); I1 = tr C, I2 = (tr^2 C - tr C^2)/2, J = det F"),
      {"I1", "I2", "J"}))};
  record.native = [](const Material& material) -> std::optional<Moduli> {
    return moduli_at_rest(*energy_of(material));
  };
  record.refusal = refusal;
  record.make = [](const MaterialConstants& c, const SolidPart& part) {
    return make_elastic(part, make_strain_energy(energy_of(c.given), false), c.moduli.lambda, c.moduli.mu);
  };
  return record;
}

}  // namespace livens
