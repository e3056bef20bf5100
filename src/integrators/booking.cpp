#include "integrators/booking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <livens/solid_block.hpp>

#include "math/scratch.hpp"

namespace livens {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace

void book_impulse(const Model& model, ConstVector q, ConstVector impulse, Ledger& ledger) {
  if (model.dimension() == 0) return;
  const Momenta sum = momenta(model, q, impulse);
  for (int k = 0; k < 3; ++k) {
    ledger.linear_impulse[k] += sum.linear[k];
    ledger.angular_impulse[k] += sum.angular[k];
  }
}

void book_force(const Model& model, std::size_t force, ConstVector q, ConstVector impulse, ConstVector v_before,
                ConstVector v_after, Ledger& ledger) {
  double taken = 0;
  for (std::size_t i = 0; i < impulse.size(); ++i) taken -= 0.5 * impulse[i] * (v_before[i] + v_after[i]);
  ledger.energy_out[force] += taken;
  // Supports take their share of a force that sums to nothing.
  const Invariance keeps = model.parts().forces[force]->invariance();
  if (!keeps.translations || !keeps.rotations || model.supported_count() > 0) book_impulse(model, q, impulse, ledger);
  const auto& symmetries = model.parts().symmetries;
  if (symmetries.empty()) return;
  ScratchVector xi(impulse.size());
  for (std::size_t k = 0; k < symmetries.size(); ++k) {
    symmetries[k].generator(q, xi);
    for (std::size_t i = 0; i < impulse.size(); ++i) ledger.symmetry_impulse[k] += impulse[i] * xi[i];
  }
}

void book_point(const Model& model, double t, ConstVector q, ConstVector v, double weight, Vector scratch,
                Ledger& ledger) {
  ledger.time_work += weight * model.time_power(t, q, v);
  const auto& forces = model.parts().forces;
  for (std::size_t k = 0; k < forces.size(); ++k) {
    std::fill(scratch.begin(), scratch.end(), 0.0);
    model.add_force(k, t, q, v, weight, scratch);
    book_force(model, k, q, scratch, v, v, ledger);
  }
  if (!model.has_external_terms() || model.dimension() == 0) return;
  model.external_gradient(t, q, scratch);
  for (double& value : scratch) value *= -weight;
  const Placed x = model.placed(t, q);
  book_impulse(model, x, scratch, ledger);
}

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

std::string coordinate_name(const Model& model, int coordinate) {
  if (coordinate < 0) return "none";
  const auto& names = model.parts().coordinates;
  if (static_cast<std::size_t>(coordinate) < names.size()) return names[coordinate];
  for (const Body& body : model.bodies())
    if (coordinate >= body.first && coordinate < body.first + body.size() && body.dimension > 0) {
      const int local = coordinate - body.first;
      return std::string(1, "xyz"[local % body.dimension]) + " of node " + std::to_string(local / body.dimension) +
             " of " + body.name;
    }
  return "coordinate " + std::to_string(coordinate);
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
    where += (c > 0 ? ", " : "") + number(sum / N);
  }
  return (D == 3 ? "tetrahedron " : "triangle ") + std::to_string(mesh.element_tag(e)) + " of " + part.name +
         " near (" + where + ") m, volume ratio " + number(smallest);
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
      "residual " + number(result.residual) + " of the momentum scale " + number(result.scale) + where;
  switch (result.code) {
    case FailureCode::not_finite: report.message = "the equations are not finite at the start of the step"; break;
    case FailureCode::inverted: report.message = "every longer step inverts an element, " + state; break;
    case FailureCode::indefinite: report.message = "no downhill direction despite convexification, " + state; break;
    case FailureCode::rounding_floor:
      report.message = "solver.tolerance is below what rounding allows here, " + state;
      break;
    case FailureCode::no_decrease: report.message = "line search found no decrease, " + state; break;
    case FailureCode::singular: report.message = "the Jacobian is singular, " + state; break;
    default: report.message = "no convergence in " + std::to_string(result.iterations) + " iterations, " + state; break;
  }
  report.message = "t = " + number(t) + " s: " + report.message;
  const std::string element = result.code == FailureCode::rounding_floor ? "" : most_compressed_element(model, q);
  if (!element.empty()) report.message += "; most compressed: " + element;
  report.advice = {"integrator.step=" + number(h / 4), "solver.retry_halvings=3"};
  if (result.code == FailureCode::rounding_floor) report.advice = {"solver.tolerance=1e-10"};
  return report;
}

StepReport failed_not_finite(const Model&, double t, double h) {
  StepReport report;
  report.converged = false;
  report.code = FailureCode::not_finite;
  report.h = h;
  report.message = "t = " + number(t) +
                   " s: the step led to numbers that are not finite; the step is probably beyond the stability limit";
  report.advice = {"integrator.step=" + number(h / 4), "integrator.kind=implicit_midpoint"};
  return report;
}

}  // namespace livens
