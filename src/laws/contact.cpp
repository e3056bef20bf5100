#include "laws/contact.hpp"

#include <cmath>
#include <random>
#include <utility>

#include <livens/assembly.hpp>

#include "contact/contact_set.hpp"
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
// Steps with losses: of their length; velocities at their ends are up to so many times the mean ones away from these,
// so that contacts slide, stick and turn round.
constexpr double seconds = 1e-3, turn = 3, friction_coefficient = 0.3, restitution = 0.6;

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

ContactLoss contact_loss(const EnergyTerm& term, const LossyStep& step) {
  const ContactBarrier& barrier = *term.barrier();
  Numbers way = step.x, mean = step.x;
  for (std::size_t i = 0; i < way.size(); ++i) {
    way[i] = step.y[i] - step.x[i];
    mean[i] = way[i] / step.h;
  }
  ContactSet set(barrier);
  set.begin(step.x, way, 0, step.h);
  set.end_at(step.y);
  ContactLoss loss;
  loss.friction.assign(way.size(), 0.0);
  set.add_friction(step.v1, mean, 1, loss.friction);
  Numbers D(way.size(), 0.0);
  set.add_gradient(1, D);
  for (std::size_t i = 0; i < D.size(); ++i) loss.work += D[i] * way[i];
  loss.withheld = set.withheld();
  std::vector<Point3> on(static_cast<std::size_t>(barrier.surface().points())),
      moments(barrier.surface().bodies().size());
  set.visit_rubbing([&](const Contact& contact, const Rubbing& rubbing) {
    std::fill(on.begin(), on.end(), Point3{});
    rubbing.add_forces(on.data(), moments);
    for (int i = 0; i < contact.count; ++i)
      if (std::abs(contact.c1[i]) > 0.5)
        loss.share = worse(loss.share, length(on[contact.point[i]]) /
                                           (std::abs(contact.c1[i]) * contact.normal * barrier.friction().coefficient));
  });
  return loss;
}

ContactProblem with_losses(const ContactExample& example, double e) {
  ContactExample lossy = example;
  lossy.keys += ", friction = " + number_text(friction_coefficient) + ", restitution = " + number_text(e) +
                ", stick_speed = " + number_text(0.5 * way_of_step * example.size / seconds);
  return ContactProblem(lossy);
}

namespace {

// visit(step) for the shapes of a contact, with velocities at the end that are anything.
template <class Visit>
void each_lossy_step(const ContactProblem& problem, const Visit& visit) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(-turn, turn);
  each_shape(problem, [&](const Numbers& x, const Numbers& y) {
    Numbers v1 = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      v1[i] = (y[i] - x[i] + uniform(engine) * way_of_step * problem.example().size) / seconds;
    visit(LossyStep{x, y, v1, seconds});
  });
}

}  // namespace

// The largest power over the sum of its absolute summands: that of what turns round may be next to nothing.
LawResult contact_friction_law(const ContactProblem& lossy, const ContactLossOf& loss) {
  double most = -INFINITY, share = 0;
  each_lossy_step(lossy, [&](const LossyStep& step) {
    const ContactLoss found = loss(lossy.term(), step);
    double power = 0, size = 0;
    for (std::size_t i = 0; i < step.x.size(); ++i) {
      const double part = found.friction[i] * (step.y[i] - step.x[i]);
      power += part;
      size += std::abs(part);
    }
    if (size != 0) most = worse(most, power / size);  // a single contact that turns round has no friction
    share = worse(share, found.share);
  });
  LawResult result = contact_result(lossy, "friction", "takes", most);
  result.holds = most <= rounding_of_sums && share <= 1 + rounding_of_sums && share >= 0.5;
  result.detail += "; at most " + number_text(share, "%.3f") + " of mu N";
  return result;
}

LawResult contact_friction_balance_law(const ContactProblem& lossy, const ContactLossOf& loss) {
  double most = 0;
  each_lossy_step(lossy, [&](const LossyStep& step) {
    Numbers middle = step.x;
    for (std::size_t i = 0; i < middle.size(); ++i) middle[i] = 0.5 * (step.x[i] + step.y[i]);
    const ContactLoss found = loss(lossy.term(), step);
    if (largest(found.friction) == 0) return;
    for (const RigidMotion motion : {RigidMotion::translations, RigidMotion::rotations})
      most = worse(most, unbalance(lossy.model(), found.friction, middle, motion));
  });
  LawResult result = contact_result(lossy, "friction balance", "exact", most);
  result.holds = most <= rounding_of_sums;
  return result;
}

// Of D.z - (B1 - B0) - withheld, and of what e keeps beside what 0 keeps.
LawResult contact_restitution_law(const ContactExample& example, const ContactLossOf& loss) {
  const ContactProblem some = with_losses(example, restitution), none = with_losses(example, 0);
  double error = 0, most = 0, least = INFINITY;
  each_lossy_step(some, [&](const LossyStep& step) {
    const ContactLoss found = loss(some.term(), step), all = loss(none.term(), step);
    const double before = some.term().energy(0, step.x), after = some.term().energy(0, step.y), size = before + after;
    error = worse(error, std::abs(found.work - (after - before) - found.withheld) / size);
    error = worse(error, std::abs(found.withheld - (1 - restitution * restitution) * all.withheld) / size);
    most = worse(most, found.withheld / size);
    least = std::min(least, found.withheld / size);
  });
  LawResult result = contact_result(some, "restitution", "exact", error);
  result.holds = error <= rounding_of_sums && least >= 0 && most >= surely;
  result.detail += "; up to " + number_text(most, "%.2f") + " of the energies is withheld";
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
    if (term.barrier() == nullptr || !example.rubs) continue;
    const ContactProblem lossy = with_losses(example, 1);
    results.push_back(contact_friction_law(lossy));
    if (claimed.translations && claimed.rotations) results.push_back(contact_friction_balance_law(lossy));
    results.push_back(contact_restitution_law(example));
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
