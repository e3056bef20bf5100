// Symmetric compositions of a symmetric second-order step: substeps gamma_i h with sum gamma_i = 1. With constraints
// the step is RATTLE or the constrained midpoint step, symmetric maps of the constrained positions and momenta. Order
// 4: Suzuki 1990 (5 stages) or Yoshida 1990 (3 stages); orders 6 and 8: Kahan and Li 1997 (9 and 17 stages).
// Coefficients as in Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3.2.
#include <cmath>

#include <livens/registry.hpp>
#include <livens/scene.hpp>

#include "integrators/constrained.hpp"
#include "integrators/straight_line.hpp"

namespace livens {
namespace {

std::vector<double> mirrored(std::vector<double> half) {
  std::vector<double> all = half;
  for (std::size_t i = half.size() - 1; i-- > 0;) all.push_back(half[i]);
  return all;
}

std::vector<double> coefficients(int order, const std::string& scheme) {
  if (order == 4 && scheme == "yoshida") {
    const double outer = 1 / (2 - std::cbrt(2.0));
    return {outer, 1 - 2 * outer, outer};
  }
  if (order == 4) {
    const double outer = 1 / (4 - std::cbrt(4.0));
    return {outer, outer, 1 - 4 * outer, outer, outer};
  }
  if (order == 6)
    return mirrored({0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
                     0.08221359629355080023149045, 0.79854399093482996339895035});
  return mirrored({0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
                   0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
                   0.25837438768632204729397911, 0.29501172360931029887096624, -0.60550853383003451169892108});
}

class CompositionStepper final : public Stepper {
 public:
  CompositionStepper(std::vector<double> gamma, std::unique_ptr<Stepper> base)
      : gamma_(std::move(gamma)), base_(std::move(base)) {}

  StepReport step(const Model& model, State& state, double h, StepContext context) override {
    start_ = state;
    StepReport report;
    int iterations = 0;
    for (const double gamma : gamma_) {
      report = base_->step(model, state, gamma * h, {context.ledger, context.counters});
      if (!report.converged) {
        state = start_;
        return report;
      }
      iterations += report.iterations;
      state.t += gamma * h;
    }
    state.t = start_.t;
    report.h = h;
    report.iterations = iterations;
    return report;
  }
  void begin() override { base_->begin(); }
  SolvePath solve_path() const override { return base_->solve_path(); }
  std::vector<std::pair<std::string, long>> events() const override { return base_->events(); }
  void visit_memory(MemoryVisitor& visitor) override { base_->visit_memory(visitor); }

 private:
  std::vector<double> gamma_;
  std::unique_ptr<Stepper> base_;
  State start_;
};

}  // namespace

IntegratorRecord composition_record() {
  IntegratorRecord record;
  record.name = "composition";
  record.brief = "symmetric composition of second-order steps to order 4, 6 or 8";
  record.citation = "Yoshida 1990, Suzuki 1990, Kahan and Li 1997";
  record.parameters = {
      step_parameter(),
      bounded(key("order", ValueType::integer, "-", "4", "4 (5 or 3 substeps), 6 (9) or 8 (17)"), 4, 8),
      one_of(
          key("scheme", ValueType::name, "-", "suzuki", "coefficients of order 4; orders 6 and 8 are Kahan and Li's"),
          {"suzuki", "yoshida"}),
      one_of(key("base", ValueType::name, "-", "stormer_verlet", "the step to be composed"),
             {"stormer_verlet", "implicit_midpoint"})};
  record.law_variants = {"order = 4", "order = 4, scheme = 'yoshida'", "order = 6", "order = 8",
                         "order = 4, base = 'implicit_midpoint'"};
  record.claims = [](const Settings& settings, const ModelClass& model) {
    Claims claims;
    claims.order = static_cast<int>(settings.integer("order"));
    const bool explicit_base = model.separable && settings.text("base") == "stormer_verlet";
    const bool first_order = explicit_base ? model.lagged : model.first_order;
    if (first_order) claims.order = 1;
    claims.symplectic = model.forced ? Symplectic::no : Symplectic::canonical;
    claims.symmetric = !first_order;
    claims.angular_momentum = !explicit_base && model.step_energy ? Keeps::no : Keeps::exact;
    claims.energy = EnergyClaim::bounded;
    claims.explicit_steps = settings.text("base") == "stormer_verlet" && !model.constrained;
    return claims;
  };
  record.holds_constraints = true;
  record.refusal = [](const Settings& settings, const Model&) {
    const long value = settings.integer("order");
    return value == 4 || value == 6 || value == 8 ? std::string() : std::string("order must be 4, 6 or 8");
  };
  record.make = [](const Settings& settings, const SolverOptions& solver, const Model& model) {
    QuadratureRule rule =
        settings.text("base") == "stormer_verlet" ? QuadratureRule::trapezoid(0.5) : QuadratureRule::point(0.5);
    auto base = model.constraint_count() > 0 ? make_constrained({0, 1}, {rule.c, rule.w}, true, solver, model)
                                             : make_straight_line(std::move(rule), solver, model);
    auto gamma = coefficients(static_cast<int>(settings.integer("order")), settings.text("scheme"));
    return make_integrator(std::make_unique<CompositionStepper>(std::move(gamma), std::move(base)), settings, solver,
                           model);
  };
  return record;
}

}  // namespace livens
