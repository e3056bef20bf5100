#include "run/contact_advice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "contact/bounding_tree.hpp"
#include "contact/contact_barrier.hpp"

namespace livens {
namespace {

constexpr double steps_across = 8;    // of a wave: a rule of thumb (docs/contact.md)
constexpr double of_limit = 0.1;      // of explicit steps with contact in layers (docs/contact.md)
constexpr double of_distance = 0.5;   // that bodies may close in a step, for impacts in their order
constexpr double shortest_run = 1e6;  // steps of a run: shorter steps are no advice

struct Meeting {
  double distance = std::numeric_limits<double>::infinity();  // the shortest
  double speed = 0;                                           // between the fastest points and what is at rest
  double crossing = std::numeric_limits<double>::infinity();  // s, of a wave through the smallest body
};

// A wave passes an element in about 2/omega_max, or somewhat more.
Meeting meeting_of(const ContactBarrier& barrier, const State& state, double omega) {
  Meeting found;
  const ContactSurface& surface = barrier.surface();
  const int bodies = static_cast<int>(surface.bodies().size());
  for (int a = 0; a < bodies; ++a)
    for (int b = 0; b < bodies; ++b)
      if (barrier.pair(a, b).meets) found.distance = std::min(found.distance, barrier.pair(a, b).range);
  for (const BarrierPlane& plane : barrier.planes()) found.distance = std::min(found.distance, plane.range);
  std::vector<Point3> x, v;
  surface.positions(state.q, x);
  surface.positions(state.v, v);
  for (const auto& body : surface.bodies()) {
    Box box;
    for (int a = body.points_begin; a < body.points_end; ++a) {
      box.take(x[a]);
      found.speed = std::max(found.speed, length(v[a]));
    }
    // Waves cross bodies of nodes; rigid ones have points that are made of several.
    if (body.points_begin == body.points_end || surface.parts(body.points_begin).size() > 1) continue;
    const Point3 size = box.high - box.low;
    const double least = surface.dimension() == 2 ? std::min(size.x, size.y) : std::min({size.x, size.y, size.z});
    if (body.edge > 0 && omega > 0) found.crossing = std::min(found.crossing, least / body.edge * 2 / omega);
  }
  return found;
}

std::string advised(const RunPlan& plan, const Meeting& meeting, double h) {
  const double duration = plan.t_end - plan.t_begin;
  double step = std::isfinite(meeting.crossing) ? meeting.crossing / steps_across
                                                : of_distance * meeting.distance / std::max(meeting.speed, 1e-300);
  step = std::max(step, duration / shortest_run);
  std::string text;
  if (plan.claims.energy != EnergyClaim::exact)
    text = "energy_momentum keeps the energy at every step (--set integrator.kind=energy_momentum)";
  if (h > step)
    text +=
        fmt::format("{}steps up to {:.2g} s take a wave through a body in 8, for rebounds that do not depend on them",
                    text.empty() ? "" : "; ", step);
  return text.empty() ? "method and step suit it" : text;
}

}  // namespace

std::vector<ContactAdvice> contact_advice(const RunPlan& plan, const Model& model, const State& state, double omega) {
  std::vector<ContactAdvice> all;
  const auto h = plan.step(plan.t_begin);
  for (const auto& term : model.parts().terms) {
    if (term->barrier() == nullptr || !h) continue;
    const Meeting meeting = meeting_of(*term->barrier(), state, omega);
    ContactAdvice next;
    next.facts = fmt::format("'{}' acts below {:.3g} m", term->name(), meeting.distance);
    if (meeting.speed > 0)
      next.facts += fmt::format("; at the start bodies close up to {:.2g} of that in a step",
                                meeting.speed * *h / meeting.distance);
    if (std::isfinite(meeting.crossing))
      next.facts += fmt::format("; a wave crosses the smallest body in about {:.2g} steps", meeting.crossing / *h);
    next.advice = advised(plan, meeting, *h);
    const double resolved = omega > 0 ? of_limit * 2 / omega : *h;  // with layers
    if (term->barrier()->form() == BarrierForm::layers)
      next.advice = *h > resolved ? fmt::format(
                                        "steps up to {:.2g} s, a tenth of the limit, keep the energy of impacts "
                                        "within a hundredth",
                                        resolved)
                                  : "in layers on parts of the step; the step suits it";
    all.push_back(std::move(next));
  }
  return all;
}

}  // namespace livens
