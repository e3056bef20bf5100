#include "laws/contact.hpp"

#include <cmath>
#include <utility>

#include <livens/assembly.hpp>

#include "contact/contact_barrier.hpp"
#include "laws/method.hpp"
#include "laws/second_derivatives.hpp"

namespace livens::laws {
namespace {

using Numbers = std::vector<double>;

// Of the size of an example: large enough for forces, small enough that nothing passes through; moves of a step.
constexpr double shake = 0.04, way_of_step = 0.15;
constexpr unsigned shapes = 8;
constexpr double by_differences = 1e-6;     // step^2 of the differences over the size, and rounding over the step
constexpr double rounding_of_sums = 1e-12;  // of some hundred parts
constexpr double rounding_of_gaps = 1e-10;  // of positions, of which barriers make energies over a gap
constexpr double surely = 1e-3;             // what is not claimed is seen

// The larger; not a number if one of them is none.
double worse(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

double largest(const Numbers& x) {
  double most = 0;
  for (const double value : x) most = worse(most, std::abs(value));
  return most;
}

double relative_difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = worse(most, std::abs(a[i] - b[i]));
  return most / largest(a);
}

Numbers gradient_of(const EnergyTerm& term, const Numbers& q) {
  Numbers g(q.size(), 0.0);
  term.add_gradient(0, q, 1, g);
  return g;
}

// Not finite where the term has no discrete gradient of its own.
Numbers discrete_gradient_of(const EnergyTerm& term, const Numbers& x, const Numbers& y) {
  Numbers g(x.size(), 0.0);
  if (!term.add_discrete_gradient(0, x, y, 1, g)) g.assign(x.size(), NAN);
  return g;
}

// Of the gradient against central differences of the energy.
double gradient_error(const EnergyTerm& term, const Numbers& q, double size) {
  const double step = 1e-5 * size;
  Numbers moved = q, differences(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    moved[i] = q[i] + step;
    const double above = term.energy(0, moved);
    moved[i] = q[i] - step;
    differences[i] = (above - term.energy(0, moved)) / (2 * step);
    moved[i] = q[i];
  }
  return relative_difference(gradient_of(term, q), differences);
}

// D.z - (B1 - B0), over the energies and the work of the parts.
double work_error(const EnergyTerm& term, const Numbers& x, const Numbers& y) {
  const Numbers D = discrete_gradient_of(term, x, y);
  const double before = term.energy(0, x), after = term.energy(0, y);
  double work = 0, size = before + after;
  for (std::size_t i = 0; i < x.size(); ++i) {
    work += D[i] * (y[i] - x[i]);
    size += std::abs(D[i] * (y[i] - x[i]));
  }
  return std::abs(work - (after - before)) / size;
}

// visit(x[3], its first coordinate, dimension) for all nodes of the bodies.
template <class Visit>
void each_node(const Model& model, const Numbers& q, const Visit& visit) {
  for (const Body& body : model.bodies())
    for (int a = 0; a < body.nodes; ++a) {
      const int at = body.first + a * body.dimension;
      double x[3] = {};
      for (int c = 0; c < body.dimension; ++c) x[c] = q[at + c];
      visit(x, at, body.dimension);
    }
}

// Sum of the forces on all nodes over the largest of them, or of their moments over that and the reach of the nodes.
double unbalance(const Model& model, const Numbers& g, const Numbers& q, RigidMotion motion) {
  double sum[3] = {}, reach = 0;
  each_node(model, q, [&](const double* x, int at, int dimension) {
    double f[3] = {};
    for (int c = 0; c < dimension; ++c) {
      f[c] = g[at + c];
      reach = std::max(reach, std::abs(x[c]));
    }
    for (int c = 0; c < 3; ++c)
      sum[c] += motion == RigidMotion::translations ? f[c]
                                                    : x[(c + 1) % 3] * f[(c + 2) % 3] - x[(c + 2) % 3] * f[(c + 1) % 3];
  });
  return std::hypot(sum[0], sum[1], sum[2]) / (largest(g) * (motion == RigidMotion::translations ? 1 : reach));
}

// Change of the energy when all nodes move as one: by 0.7 rad about z and, in space, about x, or by a way.
double change_by_motion(const EnergyTerm& term, const Model& model, const Numbers& q, RigidMotion motion, double way) {
  const bool turns = motion == RigidMotion::rotations;
  const double angle = turns ? 0.7 : 0, c = std::cos(angle), s = std::sin(angle);
  if (turns) way = 0;
  Numbers moved = q;
  each_node(model, q, [&](const double* x, int at, int dimension) {
    const double y = s * x[0] + c * x[1] - 0.3 * way;
    moved[at] = c * x[0] - s * x[1] + way;
    moved[at + 1] = y;
    if (dimension != 3) return;
    moved[at + 1] = c * y - s * x[2];
    moved[at + 2] = s * y + c * x[2] + 0.7 * way;
  });
  return std::abs(term.energy(0, moved) / term.energy(0, q) - 1);
}

LawResult contact_result(const ContactProblem& problem, std::string claim, std::string claimed, double value) {
  LawResult result;
  result.of = LawOf::contact;
  result.record = problem.example().kind;
  result.variant = problem.example().name;
  result.problem = problem.example().name;
  result.claim = std::move(claim);
  result.claimed = std::move(claimed);
  result.value = value;
  result.measured = number_text(value, "%.1e");
  result.detail = std::to_string(shapes) + " shapes";
  return result;
}

// visit(x, y) for the shapes of a contact: ends of a step.
template <class Visit>
void each_shape(const ContactProblem& problem, const Visit& visit) {
  const double size = problem.example().size;
  for (unsigned seed = 1; seed <= shapes; ++seed)
    visit(problem.shaken(shake * size, seed), problem.shaken(way_of_step * size, 100 + seed));
}

}  // namespace

LawResult contact_gradient_law(const ContactProblem& problem, const EnergyTerm& term) {
  double error = 0;
  bool touches = true;
  each_shape(problem, [&](const Numbers& x, const Numbers&) {
    touches = touches && term.energy(0, x) > 0;
    error = worse(error, gradient_error(term, x, problem.example().size));
  });
  LawResult result = contact_result(problem, "gradient", "yes", error);
  result.holds = touches && error <= by_differences;
  if (!touches) result.detail += ", in some of which nothing touches";
  return result;
}

LawResult contact_work_law(const ContactProblem& problem, const EnergyTerm& term) {
  double error = 0;
  each_shape(problem, [&](const Numbers& x, const Numbers& y) {
    error = worse(error, work_error(term, x, y));
    error = worse(error, relative_difference(discrete_gradient_of(term, x, x), gradient_of(term, x)));
  });
  LawResult result = contact_result(problem, "discrete gradient", "exact", error);
  result.holds = error <= rounding_of_sums;
  return result;
}

LawResult contact_symmetry_law(const ContactProblem& problem, const EnergyTerm& term) {
  double error = 0;
  each_shape(problem, [&](const Numbers& x, const Numbers& y) {
    error = worse(error, relative_difference(discrete_gradient_of(term, x, y), discrete_gradient_of(term, y, x)));
  });
  LawResult result = contact_result(problem, "symmetric in its ends", "yes", error);
  result.holds = error <= rounding_of_sums;
  return result;
}

LawResult contact_invariance_law(const ContactProblem& problem, const EnergyTerm& term, RigidMotion motion,
                                 bool claimed) {
  double most = 0, least = INFINITY, most_change = 0, least_change = INFINITY;
  const auto take = [&](const Numbers& g, const Numbers& q) {
    const double found = unbalance(problem.model(), g, q, motion);
    most = worse(most, found);
    least = std::min(least, found);
  };
  each_shape(problem, [&](const Numbers& x, const Numbers& y) {
    take(gradient_of(term, x), x);
    if (has_discrete_gradient(term)) {
      Numbers middle = x;
      for (std::size_t i = 0; i < x.size(); ++i) middle[i] = 0.5 * (x[i] + y[i]);
      take(discrete_gradient_of(term, x, y), middle);
    }
    const double change = change_by_motion(term, problem.model(), x, motion, 0.2 * problem.example().size);
    most_change = worse(most_change, change);
    least_change = std::min(least_change, change);
  });
  LawResult result = contact_result(problem, motion == RigidMotion::translations ? "translations" : "rotations",
                                    claimed ? "exact" : "no", claimed ? most : least);
  result.holds =
      claimed ? most <= rounding_of_sums && most_change <= rounding_of_gaps : least >= surely && least_change >= surely;
  result.detail += "; the energy changes by " + number_text(claimed ? most_change : least_change, "%.1e");
  return result;
}

LawResult contact_convexity_law(const ContactProblem& problem, const EnergyTerm& term, bool exact) {
  Spectrum all;
  each_shape(problem, [&](const Numbers& x, const Numbers& y) { all.take(spectrum(term, x, y, !exact)); });
  LawResult result = contact_result(problem, "convex stand-in", "yes", all.least);
  result.holds =
      all.most > 0 && all.least >= -rounding_of_sums && all.skew <= rounding_of_sums && all.stray <= rounding_of_sums;
  result.detail += "; not symmetric by " + number_text(all.skew, "%.1e") + ", not along the gradient of the gap by " +
                   number_text(all.stray, "%.1e");
  return result;
}

std::vector<LawResult> measure_contact(const std::string& kind) {
  std::vector<LawResult> results;
  for (const ContactExample& example : contact_examples()) {
    if (example.kind != kind) continue;
    const ContactProblem problem(example);
    const EnergyTerm& term = problem.term();
    results.push_back(contact_gradient_law(problem, term));
    const Invariance claimed = term.invariance();
    results.push_back(contact_invariance_law(problem, term, RigidMotion::translations, claimed.translations));
    results.push_back(contact_invariance_law(problem, term, RigidMotion::rotations, claimed.rotations));
    if (!has_discrete_gradient(term)) continue;
    results.push_back(contact_work_law(problem, term));
    results.push_back(contact_symmetry_law(problem, term));
    results.push_back(contact_convexity_law(problem, term));
  }
  if (results.empty()) {
    LawResult none;
    none.of = LawOf::contact;
    none.record = kind;
    none.claim = "gradient";
    none.claimed = "yes";
    none.measured = "nothing";
    none.detail = "a kind of contact needs an example in which it pushes (src/laws/contact_examples.cpp)";
    results.push_back(none);
  }
  return results;
}

}  // namespace livens::laws
