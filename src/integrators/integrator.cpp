#include <livens/integrator.hpp>

namespace livens {

std::string to_string(const SolvePath& path) {
  switch (path.kind) {
    case SolvePath::Kind::explicit_step: return "explicit: no equations are solved";
    case SolvePath::Kind::minimise: return "minimises " + path.reason;
    case SolvePath::Kind::root:
      return path.reason.empty() ? "finds a root, as solver.kind asks" : "finds a root: " + path.reason;
  }
  return "unknown";
}

std::string to_string(Symplectic value) {
  switch (value) {
    case Symplectic::no: return "no";
    case Symplectic::canonical: return "canonical";
    case Symplectic::named_variables: return "in named variables";
  }
  return "unknown";
}

std::string to_string(Keeps value) {
  switch (value) {
    case Keeps::exact: return "exact";
    case Keeps::bounded: return "bounded";
    case Keeps::no: return "no";
  }
  return "unknown";
}

std::string to_string(EnergyClaim value) {
  switch (value) {
    case EnergyClaim::exact: return "exact";
    case EnergyClaim::bounded: return "bounded";
    case EnergyClaim::dissipating: return "dissipating";
    case EnergyClaim::drifting: return "drifting";
  }
  return "unknown";
}

void Integrator::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("steps", counters_.steps);
  visitor.visit("retries", counters_.retries);
  visitor.visit("evaluations", counters_.evaluations);
  visitor.visit("newton", counters_.newton);
  visitor.visit("newton_max", counters_.newton_max);
  visitor.visit("linear_iterations", counters_.linear_iterations);
  visitor.visit("factorisations", counters_.factorisations);
  visitor.visit("line_search_cuts", counters_.line_search_cuts);
  visitor.visit("convexified", counters_.convexified);
  visitor.visit("residual_max", counters_.residual_max);
  visitor.visit("step_min", counters_.step_min);
  visitor.visit("step_max", counters_.step_max);
  visitor.visit("energy_out", ledger_.energy_out);
  visitor.visit("time_work", ledger_.time_work);
  for (double& value : ledger_.linear_impulse) visitor.visit("linear_impulse", value);
  for (double& value : ledger_.angular_impulse) visitor.visit("angular_impulse", value);
  visitor.visit("symmetry_impulse", ledger_.symmetry_impulse);
}

}  // namespace livens
