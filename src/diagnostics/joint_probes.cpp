// Quantities of joints and rigid bodies.
#include <algorithm>
#include <cmath>
#include <limits>

#include "diagnostics/make_probes.hpp"
#include "diagnostics/probe_parts.hpp"
#include "model/projection.hpp"
#include "model/rigid_shape.hpp"
#include "model/system.hpp"

namespace livens {
namespace {

// All multipliers of the instant; nan if there are none.
std::vector<double> multipliers(const ProbeTarget& target, const Sample& sample) {
  std::vector<double> lambda(sample.model.constraint_count());
  const bool solved = target.projection->multipliers(sample.model, sample.state, lambda).converged;
  if (!solved) std::fill(lambda.begin(), lambda.end(), std::numeric_limits<double>::quiet_NaN());
  return lambda;
}

ProbeRecord multiplier() {
  ProbeRecord made = probe_record(ProbeRecord::Of::joint, "multiplier", "N", ProbeRecord::Shape::vector,
                                  "of each equation of a constraint; its force is -(dg/dq)'lambda");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    const std::vector<double> lambda = multipliers(t, s);
    std::copy_n(lambda.begin() + t.equation, t.count, out);
  };
  return made;
}

// omega = 1/2 sum_i d_i x d_i', d_i the axes of the body and d_i' their rates; in the plane along z.
ProbeRecord angular_velocity() {
  ProbeRecord made = probe_record(ProbeRecord::Of::rigid, "angular_velocity", "rad/s", ProbeRecord::Shape::vector,
                                  "of a rigid body, in the axes of the world");
  made.moment = true;
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    const Body& body = s.model.bodies()[t.body];
    const RigidShape& shape = *body.rigid;
    const auto dimension = static_cast<std::size_t>(body.dimension);
    double omega[3] = {0, 0, 0};
    for (std::size_t i = 0; i < dimension; ++i) {
      const auto weights = shape.vector({shape.axes[3 * i], shape.axes[3 * i + 1], shape.axes[3 * i + 2]});
      double d[3] = {0, 0, 0}, rate[3] = {0, 0, 0};
      for (std::size_t a = 0; a < nodes_of(shape); ++a)
        for (std::size_t c = 0; c < dimension; ++c) {
          d[c] += weights[a] * s.state.q[body.first + dimension * a + c];
          rate[c] += weights[a] * s.state.v[body.first + dimension * a + c];
        }
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t j = (c + 1) % 3, k = (c + 2) % 3;
        omega[c] += 0.5 * (d[j] * rate[k] - d[k] * rate[j]);
      }
    }
    std::copy_n(omega + (t.count == 1 ? 2 : 0), t.count, out);
  };
  return made;
}

}  // namespace

JointReaction joint_reaction(const ProbeTarget& target, const Sample& sample) {
  JointReaction result;
  const Constraint& constraint = *sample.model.parts().constraints[target.constraint];
  const State& state = sample.state;
  const JointPlace* joint = constraint.joint();
  const std::vector<double> lambda = multipliers(target, sample);
  std::vector<double> force(state.q.size(), 0.0);
  constraint.add_force(state.t, state.q,
                       ConstVector(lambda).subspan(static_cast<std::size_t>(target.equation),
                                                   static_cast<std::size_t>(constraint.count())),
                       -1, force);
  const int d = sample.model.dimension(), first = joint != nullptr ? joint->first : 0,
            nodes_end = node_coordinates(sample.model), last = joint != nullptr ? joint->last : nodes_end;
  double point[3] = {0, 0, 0};
  for (std::size_t c = 0; joint != nullptr && c < joint->point.size(); ++c) point[c] = joint->point[c].value(state.q);
  for (int i = first; i < last && d > 0; i += d) {
    double r[3] = {0, 0, 0}, f[3] = {0, 0, 0};
    for (int c = 0; c < d; ++c) {
      f[c] = force[i + c];
      r[c] = state.q[i + c] - point[c];
      result.force[c] += f[c];
    }
    for (int c = 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      result.moment[c] += r[a] * f[b] - r[b] * f[a];
    }
  }
  return result;
}

std::vector<ProbeRecord> joint_probe_records() { return {multiplier(), angular_velocity()}; }

}  // namespace livens
