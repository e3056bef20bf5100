// Symmetry of the method: a step there and a step of -h back end at the start. Unlike flipping the momenta this is the
// method's own property, also for Lagrangians that are not reversible (magnetic fields, forces).
#include <algorithm>
#include <cmath>

#include <livens/run.hpp>

#include "laws/measure.hpp"

namespace livens::laws {
namespace {

constexpr double there = 0.4;                                       // s
constexpr double symmetric_below = 1e-12, asymmetric_above = 1e-7;  // of positions and momenta of size one

double largest_change(const State& a, const State& b) {
  double change = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i)
    change = std::max({change, std::abs(a.q[i] - b.q[i]), std::abs(a.p[i] - b.p[i])});
  return change;
}

}  // namespace

LawResult symmetric_law(const Method& method, const Problem& problem, bool claimed) {
  LawResult result = result_of(method, problem, "symmetric", claimed ? "yes" : "no");
  const auto end = method.mapped(problem.model, problem.start, there);
  const auto back = end ? method.mapped(problem.model, *end, -there) : std::nullopt;
  if (!back) {
    result.measured = "a step failed";
    return result;
  }
  result.value = largest_change(problem.start, *back);
  const bool yes = result.value <= symmetric_below, no = result.value >= asymmetric_above;
  result.measured = std::string(yes  ? "yes"
                                : no ? "no"
                                     : "undecided") +
                    ", returns to " + number_text(result.value, "%.1e");
  result.holds = claimed ? yes : no;
  result.detail = "there and back by " + number_text(there, "%g") + " s, moved " +
                  number_text(largest_change(problem.start, *end), "%.2g");
  return result;
}

LawResult explicit_law(const Method& method, const Problem& problem, bool claimed) {
  LawResult result = result_of(method, problem, "explicit steps", claimed ? "yes" : "no");
  State state = problem.start;
  const auto integrator = method.make(problem.model, 0.05);
  const bool converged = advance_observed(problem.model, state, *integrator, state.t + 1, {}).converged;
  const Counters& counters = integrator->counters();
  result.value = static_cast<double>(counters.newton);
  result.measured = (counters.newton == 0 ? "yes" : "no, " + std::to_string(counters.newton) + " Newton iterations");
  result.holds = converged && (counters.newton == 0) == claimed;
  result.detail = std::to_string(counters.steps) + " steps";
  return result;
}

}  // namespace livens::laws
