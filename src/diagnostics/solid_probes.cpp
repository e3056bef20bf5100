// Quantities of solids and constraints.
#include <algorithm>
#include <array>
#include <limits>

#include "bodies/solid.hpp"
#include "diagnostics/make_probes.hpp"
#include "diagnostics/probe_parts.hpp"

namespace livens {
namespace {

using Shape = ProbeRecord::Shape;

const Body& body_of(const ProbeTarget& target, const Sample& sample) { return sample.model.bodies()[target.body]; }

// body(block) for the blocks of elements of the target.
template <class Visit>
void for_blocks(const ProbeTarget& target, const Sample& sample, const Visit& visit) {
  const Body& body = body_of(target, sample);
  for (const auto& term : sample.model.parts().terms)
    if (const SolidBlock* block = term->elements())
      if (block->part().first == body.first) visit(*block);
}

ProbeRecord displacement() {
  ProbeRecord made =
      probe_record(ProbeRecord::Of::node, "displacement", "m", Shape::vector, "of a node, from the reference shape");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    for (int k = 0; k < t.count; ++k) {
      const auto i = static_cast<std::size_t>(t.first + k);
      out[k] = s.state.q[i];
      if (t.body < 0) continue;
      const Body& body = body_of(t, s);
      if (!body.reference.empty()) out[k] -= body.reference[i - body.first];
    }
  };
  return made;
}

ProbeRecord strain_energy() {
  ProbeRecord made = probe_record(ProbeRecord::Of::solid, "strain_energy", "J", Shape::scalar, "of a solid");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    *out = 0;
    for_blocks(t, s, [&](const SolidBlock& block) { *out += block.energy(s.state.t, s.state.q); });
  };
  return made;
}

ProbeRecord grad_u_squared() {
  ProbeRecord made = probe_record(ProbeRecord::Of::solid, "grad_u_squared", "m^3", Shape::scalar,
                                  "integral of |grad u|^2 over a solid, u = x - X");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    *out = 0;
    for_blocks(t, s, [&](const SolidBlock& block) { *out += block.grad_u_squared(s.state.q); });
  };
  return made;
}

ProbeRecord volume() {
  ProbeRecord made =
      probe_record(ProbeRecord::Of::solid, "volume", "m^3", Shape::scalar, "of a deformed solid; in 2D its area");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    const Body& body = body_of(t, s);
    *out = 0;
    for (int e = 0; e < body.mesh->elements(); ++e)
      *out += element_volume(*body.mesh, e, s.state.q.data() + body.first);
  };
  return made;
}

ProbeRecord smallest_j() {
  ProbeRecord made =
      probe_record(ProbeRecord::Of::solid, "smallest_j", "-", Shape::scalar,
                   "smallest volume ratio det F over the elements of a solid; below 0 one is inside out");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    *out = std::numeric_limits<double>::infinity();
    std::vector<double> ratios;
    for_blocks(t, s, [&](const SolidBlock& block) {
      ratios.resize(block.part().elements.size());
      block.volume_ratio(s.state.q, ratios);
      for (const double ratio : ratios) *out = std::min(*out, ratio);
    });
  };
  return made;
}

// Force of a support on its nodes, one vector per node: (reference position, position, force).
struct Held {
  std::array<double, 3> X{0, 0, 0}, x{0, 0, 0}, f{0, 0, 0};
};

std::vector<Held> held_nodes(const ProbeTarget& target, const Sample& sample) {
  const Support& support = sample.model.parts().supports[target.support];
  std::vector<double> force(support.coordinates.size());
  sample.model.reaction(support, sample.state.t, sample.state.q, sample.state.v, force);
  std::vector<Held> held;
  std::vector<std::pair<int, std::size_t>> place;  // first coordinate of a node, and where in held
  for (std::size_t k = 0; k < force.size(); ++k) {
    const int i = support.coordinates[k];
    for (const Body& body : sample.model.bodies()) {
      if (i < body.first || i >= body.first + body.size()) continue;
      const int c = (i - body.first) % body.dimension, first = i - c;
      // Coordinates of a node follow each other.
      if (place.empty() || place.back().first != first) {
        place.emplace_back(first, held.size());
        held.emplace_back();
        for (int a = 0; a < body.dimension; ++a) {
          held.back().X[a] = body.reference[first - body.first + a];
          held.back().x[a] = sample.state.q[first + a];
        }
      }
      held.back().f[c] += force[k];
    }
  }
  return held;
}

ProbeRecord reaction() {
  ProbeRecord made = probe_record(ProbeRecord::Of::constraint, "reaction", "N", Shape::vector,
                                  "total force of a constraint on its nodes, of a joint on its last body");
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    std::fill_n(out, t.count, 0.0);
    if (t.constraint >= 0) return std::copy_n(joint_reaction(t, s).force, t.count, out), void();
    for (const Held& node : held_nodes(t, s))
      for (int c = 0; c < t.count; ++c) out[c] += node.f[c];
  };
  return made;
}

ProbeRecord moment() {
  ProbeRecord made =
      probe_record(ProbeRecord::Of::constraint, "moment", "N m", Shape::vector,
                   "of the forces of a constraint, about the centroid of its nodes in the reference shape, of a joint "
                   "about its point");
  made.moment = true;
  made.evaluate = [](const ProbeTarget& t, const Sample& s, double* out) {
    if (t.constraint >= 0) {
      const JointReaction reaction = joint_reaction(t, s);
      return std::copy_n(reaction.moment + (t.count == 1 ? 2 : 0), t.count, out), void();
    }
    const std::vector<Held> held = held_nodes(t, s);
    std::array<double, 3> centre{0, 0, 0}, sum{0, 0, 0};
    for (const Held& node : held)
      for (std::size_t c = 0; c < 3; ++c) centre[c] += node.X[c] / static_cast<double>(held.size());
    for (const Held& node : held)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t a = (c + 1) % 3, b = (c + 2) % 3;
        sum[c] += (node.x[a] - centre[a]) * node.f[b] - (node.x[b] - centre[b]) * node.f[a];
      }
    if (t.count == 1) *out = sum[2];
    if (t.count == 3) std::copy(sum.begin(), sum.end(), out);
  };
  return made;
}

}  // namespace

std::vector<ProbeRecord> solid_probe_records() {
  return {displacement(), strain_energy(), grad_u_squared(), volume(), smallest_j(), reaction(), moment()};
}

}  // namespace livens
