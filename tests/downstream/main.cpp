// Uses the installed library as a stranger would: a model, and one material, integrator, force, joint and probe of its
// own, each one record and one line, which a scene then names.
#include <cmath>
#include <cstdio>

#include <livens/livens.hpp>
#include <livens/version.hpp>

namespace {

// Störmer-Verlet by hand.
class Leapfrog final : public livens::Stepper {
 public:
  livens::StepReport step(const livens::Model& model, livens::State& s, double h, livens::StepContext) override {
    std::vector<double> gradient(model.size());
    for (const double t : {s.t, s.t + h}) {
      model.gradient(t, s.q, gradient);
      for (int i = 0; i < model.size(); ++i) s.p[i] -= h / 2 * gradient[i];
      model.velocity(t, s.q, s.p, s.v);
      if (t == s.t)
        for (int i = 0; i < model.size(); ++i) s.q[i] += h * s.v[i];
    }
    livens::StepReport report;
    report.h = h;
    return report;
  }
};

livens::IntegratorRecord leapfrog() {
  livens::IntegratorRecord record;
  record.name = "leapfrog";
  record.brief = "Verlet by hand";
  record.parameters = {livens::step_parameter()};
  record.claims = livens::integrator_records().at("stormer_verlet").claims;
  record.make = [](const livens::Settings& settings, const livens::SolverOptions& solver, const livens::Model& model) {
    return livens::make_integrator(std::make_unique<Leapfrog>(), settings, solver, model);
  };
  return record;
}

livens::ForceRecord weight() {
  livens::ForceRecord record;
  record.name = "weight";
  record.brief = "gravity along -z";
  record.parameters = {livens::number_key("g", "m/s^2", "9.81", "acceleration")};
  record.add = [](const livens::Settings& s, const std::string& name, livens::Assembly& assembly) {
    add(assembly, livens::Gravity{.acceleration = {0, 0, -s.number("g")}}, name);
  };
  return record;
}

livens::ConstraintRecord clamp() {
  livens::ConstraintRecord record;
  record.name = "clamp";
  record.brief = "holds nodes";
  record.parameters = {livens::required(livens::key("selection", livens::ValueType::name, "-", "", "which"))};
  record.add = [](const livens::Settings& s, const std::string& name, livens::Assembly& assembly) {
    add(assembly, livens::Fixed{.selection = s.text("selection")}, name);
  };
  return record;
}

livens::ProbeRecord largest_speed() {
  livens::ProbeRecord record;
  record.name = "largest_speed";
  record.brief = "of a coordinate";
  record.unit = "m/s";
  record.evaluate = [](const livens::ProbeTarget&, const livens::Sample& sample, double* out) {
    *out = 0;
    for (const double v : sample.state.v) *out = std::max(*out, std::abs(v));
  };
  return record;
}

bool own_records_run() {
  livens::material_records().add(
      livens::own_material("jelly", "neo-Hookean by hand", [](const livens::MaterialConstants& c) {
        return [m = c.moduli](const auto& i1, const auto&, const auto& j) {
          using std::log;
          const auto l = log(j);
          return 0.5 * m.mu * (i1 - 3.0 - 2.0 * l) + 0.5 * m.lambda * l * l;
        };
      }));
  livens::integrator_records().add(leapfrog());
  livens::force_records().add(weight());
  livens::constraint_records().add(clamp());
  livens::probe_records().add(largest_speed());

  const std::string scene = R"toml(
    time       = { end = 0.05 }
    body       = [{ name = "bar", kind = "solid", material = "m", mesh = { kind = "box", size = [2, 1, 1], cells = [2, 1, 1] } }]
    probe      = [{ name = "p", record = ["kinetic_energy"] }]
    )toml";
  const auto end_of = [&](std::string material, std::string integrator, std::string force, std::string hold) {
    livens::Setup setup = livens::make_setup(
        livens::parse_scene(scene + "material = [{ name = 'm', young = 1e5, poisson = 0.3, density = 1000, kind = '" +
                            material + "' }]\nintegrator = { kind = '" + integrator + "', step = 0.001 }\nforce = [{ " +
                            force + " }]\nconstraint = [{ kind = '" + hold + "', selection = 'bar.x_min' }]\n"));
    livens::State state = setup.start;
    setup.integrator->advance(*setup.model, state, setup.plan.t_end);
    return state.q;
  };
  const auto own = end_of("jelly", "leapfrog", "kind = 'weight'", "clamp");
  const auto built_in =
      end_of("neo_hookean", "stormer_verlet", "kind = 'gravity', acceleration = [0, 0, -9.81]", "fixed");
  double difference = 0, moved = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    difference = std::max(difference, std::abs(own[i] - built_in[i]));
    moved = std::max(moved, std::abs(own[i] - std::round(own[i])));
  }
  livens::Scene probed = livens::parse_scene(scene + R"toml(
    integrator = { kind = "leapfrog", step = 0.001 }
    material   = [{ name = "m", kind = "jelly", young = 1e5, poisson = 0.3, density = 1000 }]
    force      = [{ kind = "weight" }]
  )toml");
  probed.set("probe.p.record", "[\"largest_speed\"]");
  const livens::Setup setup = livens::make_setup(probed);
  const bool column = setup.plan.probes.at(0).columns().at(0).name == "probe.p.largest_speed";
  std::printf("own records: moved %.2e m, %.1e m from the built-in ones; probe %s\n", moved, difference,
              column ? "found" : "missing");
  return difference < 1e-12 && moved > 1e-3 && column;
}

}  // namespace

int main() {
  const livens::Model model =
      livens::mechanical_model<1>({"x"}, {1.0}, [](auto, const auto& q) { return q[0] * q[0]; });
  livens::State state = livens::make_state(model, 0, {1}, {0});
  const auto integrator = livens::make_integrator("kind = 'stormer_verlet', step = 0.01", model);
  if (!integrator->advance(model, state, 1).converged || !own_records_run()) return 1;
  std::printf("livens %s: %zu integrators, energy %.12g\n", livens::version().data(),
              livens::integrator_records().size(), livens::energy(model, state).total);
}
