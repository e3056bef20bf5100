#include "forces/interacting.hpp"

#include <algorithm>

#include "records/values.hpp"

namespace livens {
namespace {

void check_box(const Vec3& box, double cutoff) {
  for (std::size_t c = 0; c < 3; ++c)
    if (box[c] > 0 && box[c] < 2 * cutoff)
      throw AssemblyError("cutoff",
                          "of " + shown(cutoff) + " m is more than half the side of the periodic box along " +
                              std::string(1, "xyz"[c]) + ", " + shown(box[c]) +
                              " m: a particle would meet several images of one other. Make the box larger, or "
                              "the cut-off at most " +
                              shown(box[c] / 2) + " m.");
}

Vec3 box_of(const Assembly& assembly, const Body& body, const std::string& key) {
  const auto found = assembly.boxes.find(body.name);
  if (found != assembly.boxes.end()) return found->second;
  if (body.periodic)
    throw AssemblyError(key, "'" + body.name +
                                 "' repeats in a cell that is no box with sides along the axes: potentials "
                                 "between particles need one.");
  return {};
}

void add_body(const Assembly& assembly, const Body& body, int group, const std::string& key,
              InteractingParticles& particles, std::optional<Vec3>& box) {
  if (body.mesh != nullptr || body.rigid != nullptr)
    throw AssemblyError(key, "'" + body.name + "' is no body of particles.");
  const Vec3 side = box_of(assembly, body, key);
  if (box && *box != side)
    throw AssemblyError(key, "'" + body.name + "' repeats in another box than the particles before it.");
  box = side;
  particles.dimension = body.dimension;
  for (int a = 0; a < body.nodes; ++a) {
    particles.nodes.push_back(body.first + a * body.dimension);
    particles.group.push_back(group);
  }
}

}  // namespace

InteractingParticles interacting_particles(const Assembly& assembly, const std::string& body,
                                           const std::array<std::string, 2>& bodies, double cutoff) {
  InteractingParticles particles;
  std::optional<Vec3> box;
  particles.cross = !bodies[0].empty() || !bodies[1].empty();
  if (particles.cross && !body.empty())
    throw AssemblyError("bodies", "give one body, within which it acts, or two, between which it acts.");
  if (particles.cross && bodies[0] == bodies[1])
    throw AssemblyError("bodies", "are the same one; within one body it acts by `body`.");
  for (int side = 0; particles.cross && side < 2; ++side)
    for (const int k : bodies_of(assembly, bodies[side]))
      add_body(assembly, assembly.parts.bodies[k], side, "bodies", particles, box);
  if (!particles.cross)
    for (const int k : bodies_of(assembly, body)) {
      const Body& one = assembly.parts.bodies[k];
      if (body.empty() && (one.mesh != nullptr || one.rigid != nullptr)) continue;
      add_body(assembly, one, 0, body.empty() ? "" : "body", particles, box);
    }
  if (particles.nodes.empty()) throw AssemblyError("body", "there are no particles that it could act between.");
  const Vec3 side = box.value_or(Vec3{});
  check_box(side, cutoff);
  particles.box = periodic_box(side);
  particles.periodic = side != Vec3{};
  return particles;
}

}  // namespace livens
