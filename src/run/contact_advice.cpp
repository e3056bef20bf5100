#include "run/contact_advice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include <livens/solid_block.hpp>

#include "contact/contact_barrier.hpp"
#include "diagnostics/stiffness.hpp"
#include "integrators/layered_verlet.hpp"

namespace livens {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double steps_across = 8;    // of a wave: a rule of thumb (docs/contact.md)
constexpr double of_limit = 0.1;      // of explicit steps with contact in layers (docs/contact.md)
constexpr double of_distance = 0.5;   // that bodies may close in a step, for impacts in their order
constexpr double shortest_run = 1e6;  // steps of a run: shorter steps are no advice
// Of an implicit step, in explicit ones whose layers tick: contact_two_blocks 8, contact_mat 7, contact_pile 4.
constexpr double implicit_cost = 6;
constexpr double clearly = 2;  // times that a method is to be cheaper to be recommended

// Of the fastest element, m/s: from the time that the corner of a unit cube or square, whose inradius is known, has.
double wave_speed(const Stencils& stencils, int dimension) {
  alignas(32) double x[4 * 10] = {};
  for (int c = 0; c < dimension; ++c) x[4 * (c + 1) + c] = 1;
  const double inradius = dimension == 2 ? 1 - std::sqrt(0.5) : 1 / (3 + std::sqrt(3.0));
  double fastest = 0;
  for (int k = 0; k < stencils.count(); ++k)
    if (const double time = stencils.courant_time(k, x); time > 0) fastest = std::max(fastest, inradius / time);
  return fastest;
}

double least_extent(const Body& body, const State& state) {
  double least = infinite;
  for (int c = 0; c < body.dimension; ++c) {
    double low = infinite, high = -infinite;
    for (int a = 0; a < body.nodes; ++a) {
      const double x = state.q[body.first + a * body.dimension + c];
      low = std::min(low, x);
      high = std::max(high, x);
    }
    least = std::min(least, high - low);
  }
  return least;
}

struct Meeting {
  double distance = infinite;  // the shortest
  double speed = 0;            // between the fastest points and what is at rest
};

Meeting meeting_of(const ContactBarrier& barrier, const State& state) {
  Meeting found;
  const ContactSurface& surface = barrier.surface();
  const int bodies = static_cast<int>(surface.bodies().size());
  for (int a = 0; a < bodies; ++a)
    for (int b = 0; b < bodies; ++b)
      if (barrier.pair(a, b).meets && !surface.bodies()[a].fixed && !surface.bodies()[b].fixed)
        found.distance = std::min(found.distance, barrier.pair(a, b).range);
  for (const BarrierPlane& plane : barrier.planes()) found.distance = std::min(found.distance, plane.range);
  std::vector<Point3> v;
  surface.movements(state.v, v);
  for (const auto& body : surface.bodies())
    for (int a = body.points_begin; a < body.points_end; ++a) found.speed = std::max(found.speed, length(v[a]));
  return found;
}

std::string facts_of(const std::string& name, const Meeting& meeting, const FrictionLaw& friction,
                     std::optional<double> h, double crossing) {
  std::string text = fmt::format("'{}' acts below {:.3g} m", name, meeting.distance);
  if (friction.coefficient > 0)
    text += fmt::format("; what slides by less than {:.2g} m/s sticks", friction.stick_speed);
  if (meeting.speed > 0 && h)
    text += fmt::format("; at the start bodies close up to {:.2g} of that in a step",
                        meeting.speed * *h / meeting.distance);
  if (std::isfinite(crossing))
    text += h ? fmt::format("; a wave crosses the smallest body in about {:.2g} steps", crossing / *h)
              : fmt::format("; a wave crosses the smallest body in about {:.2g} s", crossing);
  return text;
}

// Steps, their number in a run, and why they are the longest.
struct Steps {
  double h, count;
  const char* reason = "";
  Steps(const RunPlan& plan, double step, const char* why = "")
      : h(step), count(std::ceil((plan.t_end - plan.t_begin) / step)), reason(why) {}
};

Steps resolving(const RunPlan& plan, const Meeting& meeting, std::optional<double> h, double crossing) {
  const double duration = plan.t_end - plan.t_begin, shortest = duration / shortest_run;
  if (std::isfinite(crossing))
    return {plan, std::max(crossing / steps_across, shortest),
            "take a wave through a body in 8, for rebounds that do not depend on them"};
  if (meeting.speed > 0)
    return {plan, std::max(of_distance * meeting.distance / meeting.speed, shortest),
            "close gaps by half the distance at most, for impacts in their order"};
  return {plan, h.value_or(duration)};
}

// To one digit: more would be pretended.
std::string as_times(double ratio) {
  const double power = std::pow(10, std::floor(std::log10(ratio)));
  return fmt::format("about {:g} times", std::round(ratio / power) * power);
}

std::vector<std::string> implicit_advice(const RunPlan& plan, const Model& model, double h, const Steps& resolved,
                                         const std::optional<Steps>& explicit_steps) {
  std::vector<std::string> all;
  if (plan.claims.energy != EnergyClaim::exact)
    all.push_back("energy_momentum keeps the energy at every step (--set integrator.kind=energy_momentum)");
  if (h > resolved.h) all.push_back(fmt::format("steps up to {:.2g} s {}", resolved.h, resolved.reason));
  const Steps used(plan, std::min(h, resolved.h));
  const bool possible = explicit_steps && model.constraint_count() == 0 && layered_contact_refusal(model).empty();
  if (possible && explicit_steps->count * clearly < implicit_cost * used.count)
    all.push_back(fmt::format("stormer_verlet at {:.2g} s ({:.0f} steps) takes {} less time, with the energy in a band",
                              explicit_steps->h, explicit_steps->count,
                              as_times(implicit_cost * used.count / explicit_steps->count)));
  if (all.empty()) all.push_back(fmt::format("method and step suit contact: {:.0f} steps", used.count));
  return all;
}

// With layers. sweeps: evaluations of all elements.
std::vector<std::string> layered_advice(const RunPlan& plan, std::optional<double> h, double sweeps,
                                        const Steps& resolved, const std::optional<Steps>& explicit_steps) {
  std::vector<std::string> all;
  const double courant = plan.integrator.has("courant") ? plan.integrator.number("courant") : of_limit;
  if (h && explicit_steps && *h > explicit_steps->h)
    all.push_back(
        fmt::format("steps up to {:.2g} s, a tenth of the limit, keep the energy of impacts within a "
                    "hundredth (--set integrator.step={:.2g})",
                    explicit_steps->h, explicit_steps->h));
  else if (!h && courant > of_limit)
    all.push_back(
        fmt::format("courant = {:.2g} lets the energy of impacts err by more than a hundredth: {:.2g} does "
                    "not (--set integrator.courant={:.2g})",
                    courant, of_limit, of_limit));
  else
    all.push_back(h ? "layers on parts of the step; the step suits contact"
                    : "layers on clocks of their own; the clocks suit contact");
  if (h && explicit_steps) sweeps = std::max(explicit_steps->count, Steps(plan, *h).count);
  if (sweeps == 0) return all;
  const double ratio = sweeps / (implicit_cost * resolved.count);
  const std::string implicit = fmt::format("energy_momentum at {:.2g} s ({:.0f} steps)", resolved.h, resolved.count);
  all.push_back(fmt::format("every element is updated {:.2g} times; {} takes {} {} time{}", sweeps, implicit,
                            as_times(std::max(ratio, 1 / ratio)), ratio > 1 ? "less" : "more",
                            ratio > clearly ? ", and has the energy exactly: better here" : ""));
  return all;
}

}  // namespace

double crossing_time(const Model& model, const State& state) {
  std::map<int, double> fastest;  // of the bodies, by their first coordinate
  for (const auto& term : model.parts().terms)
    if (const SolidBlock* solid = term->elements(); solid != nullptr)
      if (const auto stencils = term->stencils(); stencils != nullptr) {
        double& speed = fastest[solid->part().first];
        speed = std::max(speed, wave_speed(*stencils, solid->part().mesh->dimension()));
      }
  double least = infinite;
  for (const auto& term : model.parts().terms) {
    if (term->barrier() == nullptr) continue;
    for (const auto& touching : term->barrier()->surface().bodies())
      for (const Body& body : model.bodies())
        if (const auto found = fastest.find(body.first);
            body.name == touching.name && found != fastest.end() && found->second > 0)
          least = std::min(least, least_extent(body, state) / found->second);
  }
  return least;
}

ContactAdvice contact_advice(const RunPlan& plan, const Model& model, const State& state, double omega, double sweeps) {
  ContactAdvice all;
  const auto h = plan.step(plan.t_begin);
  const double crossing = crossing_time(model, state);
  Meeting closest;
  bool layers = false;
  for (const auto& term : model.parts().terms) {
    if (term->barrier() == nullptr) continue;
    const Meeting meeting = meeting_of(*term->barrier(), state);
    closest.distance = std::min(closest.distance, meeting.distance);
    closest.speed = std::max(closest.speed, meeting.speed);
    layers = layers || term->barrier()->form() == BarrierForm::layers;
    const bool by_clocks = term->barrier()->form() == BarrierForm::layers;  // without a stick speed
    all.facts.push_back(
        facts_of(term->name(), meeting, by_clocks ? FrictionLaw{} : term->barrier()->friction(), h, crossing));
  }
  if (all.facts.empty() || (!h && !layers)) return all;
  const Steps resolved = resolving(plan, closest, h, crossing);
  const auto explicit_steps =
      omega > 0 ? std::optional<Steps>({plan, of_limit * explicit_step_limit(omega, plan.damping_time)}) : std::nullopt;
  all.advice = layers ? layered_advice(plan, h, sweeps, resolved, explicit_steps)
                      : implicit_advice(plan, model, *h, resolved, explicit_steps);
  return all;
}

}  // namespace livens
