// An integrator of your own, with its laws. A record says what the method is called and what it claims; once it is
// registered, scenes can name it, and measure_laws measures every claim from both sides.
//
// The method: kick - drift - kick, q1 = q0 + h v, with the force at both ends. It is Störmer-Verlet written by hand, so
// it is of second order, symplectic and symmetric, and keeps momenta.
#include <cstdio>

#include <livens/livens.hpp>

namespace {

class KickDriftKick final : public livens::Stepper {
 public:
  explicit KickDriftKick(const livens::Model& model) : gradient_(model.size()) {}

  livens::StepReport step(const livens::Model& model, livens::State& state, double h,
                          livens::StepContext context) override {
    kick(model, state, state.t, h / 2, context);
    for (int i = 0; i < model.size(); ++i) state.q[i] += h * state.v[i];
    kick(model, state, state.t + h, h / 2, context);
    livens::StepReport report;
    report.h = h;
    return report;
  }

 private:
  // p -= h dW/dq
  void kick(const livens::Model& model, livens::State& state, double t, double h, livens::StepContext& context) {
    model.gradient(t, state.q, gradient_);
    ++context.counters.evaluations;
    for (int i = 0; i < model.size(); ++i) state.p[i] -= h * gradient_[i];
    model.velocity(t, state.q, state.p, state.v);
  }

  std::vector<double> gradient_;
};

livens::IntegratorRecord kick_drift_kick_record() {
  livens::IntegratorRecord record;
  record.name = "kick_drift_kick";
  record.brief = "Störmer-Verlet, written by hand";
  record.parameters = {livens::step_parameter()};
  record.claims = [](const livens::Settings& settings, const livens::ModelClass& model) {
    return livens::integrator_records().at("stormer_verlet").claims(settings, model);
  };
  record.refusal = [](const livens::Settings&, const livens::Model& model) -> std::string {
    if (!model.separable()) return "needs a separable Lagrangian, 1/2 v'Mv - W(q)";
    if (!model.parts().forces.empty()) return "takes potentials only, no forces";
    return "";
  };
  record.make = [](const livens::Settings& settings, const livens::SolverOptions& solver, const livens::Model& model) {
    return livens::make_integrator(std::make_unique<KickDriftKick>(model), settings, solver, model);
  };
  return record;
}

}  // namespace

int main() {
  livens::integrator_records().add(kick_drift_kick_record());

  const auto results = livens::measure_laws({"kick_drift_kick"});
  std::printf("%s\n", livens::laws_table(results).c_str());

  livens::Setup setup = livens::make_setup(livens::parse_scene(R"(
    time       = { end = 10 }
    system     = { kind = "henon_heiles" }
    integrator = { kind = "kick_drift_kick", step = 0.05 }
  )"));
  livens::State state = setup.start;
  const double before = livens::energy(*setup.model, state).total;
  const livens::StepReport report = setup.integrator->advance(*setup.model, state, setup.plan.t_end);
  std::printf("Henon-Heiles by the record's name: energy error %.1e\n",
              livens::energy(*setup.model, state).total / before - 1);
  return report.converged && livens::all_hold(results) ? 0 : 1;
}
