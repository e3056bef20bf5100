#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "diagnostics/make_probes.hpp"
#include "diagnostics/probe_parts.hpp"
#include "diagnostics/quantities.hpp"
#include "math/parallel.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

void copy_target(const std::vector<double>& values, const ProbeTarget& target, double* out) {
  if (!target.weights.empty()) {
    std::fill_n(out, target.count, 0.0);
    for (std::size_t a = 0; a < target.weights.size(); ++a)
      for (int k = 0; k < target.count; ++k) out[k] += target.weights[a] * values[target.first + k + target.count * a];
    return;
  }
  for (int k = 0; k < target.count; ++k) out[k] = values[target.first + k];
}

// 1/2 p.v over the coordinates of the target: the kinetic energy for a constant mass matrix.
double kinetic_energy(const ProbeTarget& target, const Sample& sample) {
  if (target.everything) return energy(sample.model, sample.state).kinetic;
  if (!has_constant_mass(sample.model, sample.model.bodies()[target.body])) return undefined;
  const double* p = sample.state.p.data() + target.first;
  const double* v = sample.state.v.data() + target.first;
  return 0.5 * sum_chunks(target.count, [&](std::size_t a, std::size_t b) {
           double sum = 0;
           for (std::size_t i = a; i < b; ++i) sum += p[i] * v[i];
           return sum;
         });
}

// Whether the total momentum is kept, so that its directions carry no heat.
bool momentum_is_kept(const Model& model) {
  const auto keeps = [](const auto& part) { return part->invariance().translations; };
  const auto all = [&](const auto& list) { return std::all_of(list.begin(), list.end(), keeps); };
  const ModelParts& parts = model.parts();
  return model.dimension() > 0 && parts.lagrangians.empty() && model.supported_count() == 0 && all(parts.terms) &&
         all(parts.forces) && all(parts.constraints);
}

// Coordinates that move freely, less the equations between them.
int freedoms(const ProbeTarget& target, const Model& model) {
  const int last = target.first + target.count;
  int count = target.count;
  for (int i = target.first; model.supported_count() > 0 && i < last; ++i) count -= model.supported(i) ? 1 : 0;
  for (const auto& constraint : model.parts().constraints) {
    const std::vector<int> coordinates = constraint->coordinates();
    if (coordinates.front() >= target.first && coordinates.back() < last) count -= constraint->count();
  }
  return count;
}

// 2 K/(n k), n the degrees of freedom. If the total momentum P is kept, K and n exclude it: K - P^2/(2 M),
// n less the dimension.
double temperature_of(const ProbeTarget& target, const Sample& sample) {
  constexpr double boltzmann = 1.380649e-23;  // J/K
  const Model& model = sample.model;
  double kinetic = kinetic_energy(target, sample);
  int n = freedoms(target, model);
  if (target.everything && momentum_is_kept(model)) {
    double mass = 0;
    for (const Body& body : model.bodies()) mass += body.mass;
    const Momenta whole = momenta(model, sample.state.q, sample.state.p);
    for (int c = 0; c < model.dimension(); ++c) kinetic -= whole.linear[c] * whole.linear[c] / (2 * mass);
    n -= model.dimension();
  }
  return n > 0 ? 2 * kinetic / (n * boltzmann) : undefined;
}

ProbeRecord position() {
  ProbeRecord made = probe_record(ProbeRecord::Of::node, "position", "m", ProbeRecord::Shape::vector,
                                  "of a node, or the generalised coordinates");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) { copy_target(s.state.q, t, out); };
  return made;
}

ProbeRecord velocity() {
  ProbeRecord made = probe_record(ProbeRecord::Of::node, "velocity", "m/s", ProbeRecord::Shape::vector,
                                  "of a node, or the generalised velocities");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) { copy_target(s.state.v, t, out); };
  return made;
}

ProbeRecord momentum() {
  ProbeRecord made = probe_record(ProbeRecord::Of::node, "momentum", "N s", ProbeRecord::Shape::vector,
                                  "of a node, or the generalised momenta dL/dv");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    ProbeTarget whole = t;  // a rigid body has one momentum
    std::fill(whole.weights.begin(), whole.weights.end(), 1.0);
    copy_target(s.state.p, whole, out);
  };
  return made;
}

ProbeRecord kinetic() {
  ProbeRecord made = probe_record(ProbeRecord::Of::body, "kinetic_energy", "J", ProbeRecord::Shape::scalar,
                                  "of a body, or of everything");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) { *out = kinetic_energy(t, s); };
  return made;
}

ProbeRecord potential() {
  ProbeRecord made =
      probe_record(ProbeRecord::Of::body, "potential_energy", "J", ProbeRecord::Shape::scalar, "of everything");
  made.by_body = false;
  made.evaluate = [](const ProbeTarget&, const Sample& s, double* out) { *out = energy(s.model, s.state).potential; };
  return made;
}

ProbeRecord heat() {
  ProbeRecord made = probe_record(ProbeRecord::Of::body, "heat", "J", ProbeRecord::Shape::scalar,
                                  "kinetic energy of a body or of everything, averaged over the time since the start");
  made.citation = "L04 (6)";
  made.averaged = true;
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) { *out = kinetic_energy(t, s); };
  return made;
}

ProbeRecord temperature(bool averaged) {
  ProbeRecord made = probe_record(
      ProbeRecord::Of::body, averaged ? "mean_temperature" : "temperature", "K", ProbeRecord::Shape::scalar,
      std::string("2 K/(n k) of a body or of everything") +
          (averaged ? ", averaged over the time since the start" : "") +
          ": n counts coordinates, less those of supports, equations of constraints and, where the whole momentum is "
          "kept, its components");
  if (averaged) made.citation = "L04 (6)";
  made.averaged = averaged;
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) { *out = temperature_of(t, s); };
  return made;
}

ProbeRecord modified_energy() {
  ProbeRecord made =
      probe_record(ProbeRecord::Of::body, "modified_energy", "J", ProbeRecord::Shape::scalar,
                   "energy that the method conserves to higher order in the step; empty where it is not known");
  made.citation = "L04 2.6";
  made.by_body = false;
  made.evaluate = [](const ProbeTarget&, const Sample& s, double* out) {
    *out = s.integrator.modified_energy(s.model, s.state).value_or(undefined);
  };
  return made;
}

}  // namespace

Registry<ProbeRecord>& probe_records() {
  static Registry<ProbeRecord> records("probe", [] {
    std::vector<ProbeRecord> all = {position(), velocity(),         momentum(),        kinetic(),        potential(),
                                    heat(),     temperature(false), temperature(true), modified_energy()};
    for (ProbeRecord& more : solid_probe_records()) all.push_back(std::move(more));
    for (ProbeRecord& more : contact_probe_records()) all.push_back(std::move(more));
    for (ProbeRecord& more : joint_probe_records()) all.push_back(std::move(more));
    return all;
  }());
  return records;
}

Probe::Probe(const ProbeRecord& record, ProbeTarget target, const std::string& name)
    : record_(&record), target_(std::move(target)) {
  const std::string base = "probe." + name + "." + record.name;
  if (record.shape == ProbeRecord::Shape::scalar) {
    columns_ = {{base, record.unit, record.brief}};
    return;
  }
  for (const std::string& component : target_.components)
    columns_.push_back({base + "_" + component,
                        record.of != ProbeRecord::Of::node || target_.node ? record.unit : "any", record.brief});
}

void Probe::begin(const Sample& sample) {
  if (!record_->averaged) return;
  t_begin_ = t_ = sample.state.t;
  integral_ = 0;
  record_->evaluate(target_, sample, &value_);
}

void Probe::advance(const Sample& sample) {
  if (!record_->averaged) return;
  double value = 0;
  record_->evaluate(target_, sample, &value);
  integral_ += 0.5 * (sample.state.t - t_) * (value_ + value);
  t_ = sample.state.t;
  value_ = value;
}

void Probe::evaluate(const Sample& sample, double* out) const {
  if (!record_->averaged) return record_->evaluate(target_, sample, out);
  *out = t_ > t_begin_ ? integral_ / (t_ - t_begin_) : value_;
}

void Probe::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("average_begin", t_begin_);
  visitor.visit("average_t", t_);
  visitor.visit("average_value", value_);
  visitor.visit("average_integral", integral_);
}

}  // namespace livens
