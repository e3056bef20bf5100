// Quantities of contacts. What a barrier does to one body, or one of two to the other, is told from the positions:
// without friction.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "contact/contact_barrier.hpp"
#include "diagnostics/make_probes.hpp"
#include "diagnostics/probe_parts.hpp"

namespace livens {
namespace {

constexpr const char* on_one_body = "; by a barrier with `body`: on that body, with `other`: by that one";

const EnergyTerm& term_of(const ProbeTarget& target, const Sample& sample) {
  return *sample.model.parts().terms[target.contact];
}

int surface_of(const ContactBarrier& barrier, const std::string& name) {
  const auto& bodies = barrier.surface().bodies();
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (bodies[k].name == name) return static_cast<int>(k);
  return Between::any;
}

Between between(const ProbeTarget& target, const ContactBarrier& barrier) {
  return {surface_of(barrier, target.touched), surface_of(barrier, target.other)};
}

// sum M q / m
Point3 centre_of_mass(const Body& body, const Sample& sample) {
  std::vector<double> product(sample.state.q.size());
  sample.model.multiply_mass(sample.state.q, product);
  double sum[3] = {0, 0, 0};
  for (int k = 0; k < body.size(); ++k) sum[k % body.dimension] += product[body.first + k] / body.mass;
  return {sum[0], sum[1], sum[2]};
}

ContactLoad load_of(const ProbeTarget& target, const Sample& sample) {
  const ContactBarrier& barrier = *term_of(target, sample).barrier();
  const Point3 centre = target.body >= 0 ? centre_of_mass(sample.model.bodies()[target.body], sample) : Point3{};
  return barrier.load(sample.state.q, between(target, barrier), centre);
}

ProbeRecord contact_force() {
  ProbeRecord made = probe_record(ProbeRecord::Of::contact, "contact_force", "N", ProbeRecord::Shape::vector,
                                  std::string("total force of a contact on the bodies") + on_one_body);
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    if (!t.touched.empty()) {
      const Point3 f = load_of(t, s).force;
      return std::copy_n(std::array{f.x, f.y, f.z}.begin(), t.count, out), void();
    }
    std::copy_n(term_of(t, s).contact(s.state.q).force.begin(), t.count, out);
  };
  return made;
}

ProbeRecord contact_moment() {
  ProbeRecord made = probe_record(
      ProbeRecord::Of::contact, "contact_moment", "N m", ProbeRecord::Shape::vector,
      "of the forces of a barrier on a body, about its centre of mass; with `other`: of those by that body");
  made.moment = true;
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    const Point3 m = load_of(t, s).moment;
    if (t.count == 1) *out = m.z;
    if (t.count == 3) std::copy_n(std::array{m.x, m.y, m.z}.begin(), 3, out);
  };
  return made;
}

ProbeRecord gap() {
  ProbeRecord made =
      probe_record(ProbeRecord::Of::contact, "gap", "m", ProbeRecord::Shape::scalar,
                   "smallest gap of a contact by a barrier, of `body` and `other` if they are given; empty where "
                   "nothing is near");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    const ContactBarrier& barrier = *term_of(t, s).barrier();
    const double smallest = barrier.smallest_gap(s.state.q, between(t, barrier)).gap;
    *out = std::isfinite(smallest) ? smallest : undefined;
  };
  return made;
}

ProbeRecord contacts() {
  ProbeRecord made = probe_record(ProbeRecord::Of::contact, "contacts", "-", ProbeRecord::Shape::scalar,
                                  "number of points and edges of a contact by a barrier that are within its distance");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) { *out = load_of(t, s).count; };
  return made;
}

ProbeRecord depth() {
  ProbeRecord made = probe_record(ProbeRecord::Of::contact, "depth", "m", ProbeRecord::Shape::scalar,
                                  "largest depth of a node in a contact by a penalty");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    *out = term_of(t, s).contact(s.state.q).largest_depth;
  };
  return made;
}

}  // namespace

std::vector<ProbeRecord> contact_probe_records() {
  return {contact_force(), contact_moment(), gap(), contacts(), depth()};
}

void aim_at_contact(const ProbePlace& place, const ProbeRecord& record, const Model& model, ProbeTarget& target) {
  const ContactBarrier* barrier = model.parts().terms[target.contact]->barrier();
  const bool of_barriers = record.name == "gap" || record.name == "contacts" || record.name == "contact_moment";
  if (barrier == nullptr) {
    if (of_barriers)
      throw AssemblyError("contact", "'" + place.contact + "' is a penalty, and " + record.name +
                                         " is a quantity of barriers; a penalty has contact_force and depth.");
    if (!place.other.empty())
      throw AssemblyError("other", "is for contacts by a barrier; '" + place.contact + "' is a penalty.");
    return;
  }
  if (record.name == "depth")
    throw AssemblyError("contact", "nothing sinks into '" + place.contact + "', which is a barrier: record gap.");
  const bool acts_on_one = record.shape == ProbeRecord::Shape::vector;
  if (place.body.empty() && (record.name == "contact_moment" || (acts_on_one && barrier->planes().empty())))
    throw AssemblyError("body", record.name + " of '" + place.contact + "' is that on one of its bodies: give body.");
  if (place.body.empty() && !place.other.empty())
    throw AssemblyError("other", "needs body: the force is that on `body` by `other`.");
  for (const auto& [key, name] : {std::pair("body", &place.body), std::pair("other", &place.other)})
    if (!name->empty() && surface_of(*barrier, *name) < 0)
      throw AssemblyError(key, "body '" + *name + "' does not take part in contact '" + place.contact + "'.");
  target.touched = place.body;
  target.other = place.other;
}

}  // namespace livens
