#include "integrators/solve_report.hpp"

#include <algorithm>
#include <limits>

#include <livens/solid_block.hpp>
#include <livens/stepper.hpp>

#include "integrators/advice.hpp"
#include "model/coordinate_name.hpp"

namespace livens {
void book_solve(const SolveResult& result, Counters& counters) {
  counters.newton += result.iterations;
  counters.newton_max = std::max<long>(counters.newton_max, result.iterations);
  counters.evaluations += result.evaluations;
  counters.factorisations += result.factorisations;
  counters.linear_iterations += result.linear_iterations;
  counters.line_search_cuts += result.cuts;
  counters.convexified += result.convexified;
  if (result.converged && result.scale > 0)
    counters.residual_max = std::max(counters.residual_max, result.residual / result.scale);
}

namespace {

// "tetrahedron 411 of bar near (0.21, 0.02, 0.09) m", the most compressed one of all solids; empty without solids.
std::string most_compressed_element(const Model& model, ConstVector q) {
  const SolidBlock* worst = nullptr;
  std::size_t place = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const auto& term : model.parts().terms)
    if (const SolidBlock* block = term->elements()) {
      std::vector<double> ratio(block->part().elements.size());
      block->volume_ratio(q, ratio);
      for (std::size_t k = 0; k < ratio.size(); ++k)
        if (ratio[k] < smallest) {
          smallest = ratio[k];
          worst = block;
          place = k;
        }
    }
  if (worst == nullptr) return "";
  const SolidPart& part = worst->part();
  const Mesh& mesh = *part.mesh;
  const int e = part.elements[place], D = mesh.dimension(), N = nodes_of(mesh.kind);
  std::string where;
  for (int c = 0; c < D; ++c) {
    double sum = 0;
    for (int a = 0; a < N; ++a) sum += q[part.first + mesh.element(e)[a] * D + c];
    where += (c > 0 ? ", " : "") + short_text(sum / N);
  }
  return (D == 3 ? "tetrahedron " : "triangle ") + std::to_string(mesh.element_tag(e)) + " of " + part.name +
         " near (" + where + ") m, volume ratio " + short_text(smallest);
}

// Each iteration of the last few has left less of the residual.
bool still_falls(const SolveResult& result) {
  constexpr std::size_t looked_at = 4;
  const auto& trace = result.trace;
  if (trace.size() < looked_at + 1) return false;
  for (std::size_t k = trace.size() - looked_at; k < trace.size(); ++k)
    if (!(trace[k].residual < 0.95 * trace[k - 1].residual)) return false;
  return true;
}

// Whether a minimum was looked for.
bool has_objective(const SolveResult& result) {
  return std::any_of(result.trace.begin(), result.trace.end(),
                     [](const TraceLine& line) { return line.objective != 0; });
}

// The rounding of the objective hides what is left to gain.
bool only_objective_stalls(const SolveResult& result) {
  constexpr double small = 1e-6;
  return result.residual < small * result.scale && has_objective(result);
}

// What helps depends on why a solve failed: a shorter step makes the problem easier, not the arithmetic finer.
std::vector<Advice> advice_for(const SolveResult& result, double h) {
  switch (result.code) {
    case FailureCode::rounding_floor:
      if (has_objective(result)) return {root_instead_of_minimum(), looser_tolerance(result.residual / result.scale)};
      return {looser_tolerance(result.residual / result.scale), factorisation()};
    case FailureCode::no_convergence:
      if (still_falls(result)) return {more_iterations(result.iterations), shorter_step(h / 4)};
      break;
    case FailureCode::no_decrease:
      if (only_objective_stalls(result)) return {root_instead_of_minimum(), factorisation()};
      break;
    default: break;
  }
  return {shorter_step(h / 4), halve_failed_steps()};
}

}  // namespace

StepReport failed_solve(const Model& model, const SolveResult& result, double t, double h, ConstVector q) {
  StepReport report;
  report.converged = false;
  report.code = result.code;
  report.h = h;
  report.iterations = result.iterations;
  report.residual = result.residual;
  report.residual_scale = result.scale;
  report.worst_coordinate = result.worst_coordinate;
  report.trace = result.trace;
  const std::string where = " (largest at " + coordinate_name(model, result.worst_coordinate) + ")";
  const std::string state =
      "residual " + short_text(result.residual) + " of the momentum scale " + short_text(result.scale) + where;
  switch (result.code) {
    case FailureCode::not_finite: report.message = "the equations are not finite at the start of the step"; break;
    case FailureCode::inverted: report.message = "every longer step inverts an element, " + state; break;
    case FailureCode::indefinite: report.message = "no downhill direction despite convexification, " + state; break;
    case FailureCode::rounding_floor:
      report.message = "the potential changes by less than its own rounding, " + state;
      break;
    case FailureCode::no_decrease: report.message = "line search found no decrease, " + state; break;
    case FailureCode::singular: report.message = "the Jacobian is singular, " + state; break;
    default: report.message = "no convergence in " + std::to_string(result.iterations) + " iterations, " + state; break;
  }
  report.message = "t = " + short_text(t) + " s: " + report.message;
  const std::string element = result.code == FailureCode::rounding_floor ? "" : most_compressed_element(model, q);
  if (!element.empty()) report.message += "; most compressed: " + element;
  report.advice = advice_for(result, h);
  return report;
}

StepReport failed_not_finite(double t, double h) {
  StepReport report;
  report.converged = false;
  report.code = FailureCode::not_finite;
  report.h = h;
  report.message = "t = " + short_text(t) +
                   " s: the step led to numbers that are not finite; the step is probably beyond the stability limit";
  report.advice = {shorter_step(h / 4), implicit_method()};
  return report;
}

}  // namespace livens
