// A mechanism: two rigid rods on hinges, a double pendulum in space. Joints are held by multipliers and do not drift;
// the energy-momentum step keeps the energy to rounding.
#include <cmath>
#include <cstdio>

#include <livens/livens.hpp>

int main() {
  livens::Assembly assembly;
  const auto rod = [](double x) {
    return livens::Rigid{.mass = 1, .inertia = livens::diagonal_inertia({0.001, 0.0838, 0.0838}), .center = {x, 0, 0}};
  };
  add(assembly, rod(0.5), "upper");
  add(assembly, rod(1.5), "lower");
  add(assembly, livens::Gravity{.acceleration = {0, 0, -9.81}}, "gravity");
  add(assembly, livens::Revolute{.bodies = {"ground", "upper"}, .point = {0, 0, 0}, .axis = {0, 1, 0}}, "shoulder");
  add(assembly, livens::Revolute{.bodies = {"upper", "lower"}, .point = {1, 0, 0}, .axis = {0, 1, 0.2}}, "elbow");

  const livens::Model model = assembly.model();
  livens::State state = assembly.start(model);
  const double before = livens::energy(model, state).total;
  const auto integrator = livens::make_integrator("kind = 'energy_momentum', step = 0.01", model);
  const livens::StepReport report = integrator->advance(model, state, 10);
  if (!report.converged) {
    std::fprintf(stderr, "%s\n", report.message.c_str());
    return 3;
  }
  std::vector<double> gap(model.constraint_count());
  model.constraint_values(state.t, state.q, gap);
  double widest = 0;
  for (const double g : gap) widest = std::max(widest, std::abs(g));
  const double error = livens::energy(model, state).total - before;
  std::printf("after 10 s and %ld steps: joints open by %.1e m, energy error %.1e J\n", integrator->counters().steps,
              widest, error);

  try {  // what is wrong is said with the member at fault
    add(assembly, livens::Revolute{.bodies = {"lower", "uper"}, .axis = {0, 1, 0}}, "typo");
  } catch (const livens::AssemblyError& refused) {
    std::printf("%s: %s\n", refused.key.c_str(), refused.what());
  }
  return widest < 1e-10 && std::abs(error) < 1e-8 ? 0 : 1;
}
