#include "forces/impact_contact.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bodies/solid.hpp"
#include "forces/components.hpp"
#include "forces/make_barrier.hpp"
#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"

namespace livens {
namespace {

void check_rule(const ImpactRule& rule) {
  if (!(rule.restitution >= 0 && rule.restitution <= 1))
    throw AssemblyError("restitution", "expected a number from 0 to 1: speed after over speed before of an impact.");
  if (!(rule.friction >= 0)) throw AssemblyError("friction", "must not be negative.");
}

// Surfaces are made as those of barriers; of that rule they need the radius of particles alone.
BarrierRule surface_rule(const ImpactRule& rule) {
  BarrierRule barrier;
  barrier.radius = rule.radius;
  return barrier;
}

void refuse_solid(const Assembly& assembly, int body) {
  if (solid_of(assembly, body) != nullptr)
    throw AssemblyError("rule", "'" + assembly.parts.bodies[at(body)].name +
                                    "' is a solid, whose impacts last: waves run through it. Use rule = \"barrier\".");
}

}  // namespace

void add_impacts(Assembly& assembly, const std::string& name, ContactImpacts impacts, std::vector<Obstacle> obstacles) {
  auto term = std::make_shared<ImpactTerm>(name, std::move(impacts), std::move(obstacles));
  const ContactImpacts& added = *std::as_const(*term).impacts();
  ImpactSearch search(added);
  if (const auto found = search.overlap(assembly.q))
    throw AssemblyError("", fmt::format("{} overlap at the start by {:.3g} m. Move them apart.", search.names(*found),
                                        -search.gap(*found, assembly.q)));
  if (added.friction() > 0) assembly.parts.forces.push_back(std::make_shared<ImpactLoss>(name + "_friction"));
  if (added.restitution() < 1) assembly.parts.forces.push_back(std::make_shared<ImpactLoss>(name + "_restitution"));
  assembly.parts.terms.push_back(std::move(term));
}

void add_impact_walls(Assembly& assembly, const std::string& name, const std::string& body, const ImpactRule& rule,
                      Obstacle obstacle, bool inside) {
  check_rule(rule);
  std::vector<int> bodies = bodies_of(assembly, body);
  if (body.empty()) std::erase_if(bodies, [&](int k) { return is_held(assembly, k); });
  std::vector<BarrierPlane> walls;
  for (const int k : bodies) {
    refuse_solid(assembly, k);
    BarrierPlane wall;
    wall.body = static_cast<int>(walls.size());
    wall.point = {obstacle.point[0], obstacle.point[1], obstacle.point[2]};
    wall.normal = {obstacle.normal[0], obstacle.normal[1], obstacle.normal[2]};
    wall.thickness = radius_of(assembly, surface_rule(rule), k);
    wall.radius = obstacle.radius;
    wall.inside = inside;
    if (obstacle.kind == Obstacle::Kind::sphere && !inside && wall.thickness == 0)
      throw AssemblyError("rule", "'" + assembly.parts.bodies[at(k)].name +
                                      "' is not a ball: its faces may meet a sphere between its corners, which impacts "
                                      "do not see. Use rule = \"barrier\".");
    walls.push_back(wall);
  }
  ContactImpacts impacts(make_surface(assembly, bodies, surface_rule(rule)),
                         std::vector<char>(bodies.size() * bodies.size(), 0), std::move(walls), rule.restitution,
                         rule.friction);
  add_impacts(assembly, name, std::move(impacts), {std::move(obstacle)});
}

void add_impacts_between(Assembly& assembly, const ContactBodies& contact, const std::vector<int>& bodies,
                         const std::vector<char>& excluded, const std::string& name) {
  const ImpactRule& rule = *contact.impact;
  check_rule(rule);
  const std::size_t count = bodies.size();
  std::vector<char> meets(count * count, 0);
  for (std::size_t a = 0; a < count; ++a) {
    refuse_solid(assembly, bodies[a]);
    if (!(radius_of(assembly, surface_rule(rule), bodies[a]) > 0))
      throw AssemblyError("rule",
                          "'" + assembly.parts.bodies[at(bodies[a])].name +
                              "' is not a ball: impacts of bodies with each other are those of particles with a "
                              "radius and of rigid spheres. Use rule = \"barrier\" for other shapes.");
    for (std::size_t b = 0; b < count; ++b) {
      const bool held = is_held(assembly, bodies[a]) && is_held(assembly, bodies[b]);
      const bool alone = a == b && assembly.parts.bodies[at(bodies[a])].rigid != nullptr;
      if (held || alone || excluded[a * count + b] != 0) continue;
      meets[a * count + b] = 1;
      if (rule.friction > 0 && assembly.parts.bodies[at(bodies[a])].rigid == nullptr &&
          assembly.parts.bodies[at(bodies[b])].rigid == nullptr)
        throw AssemblyError("friction",
                            "particles do not turn, and friction between two of them would have a moment "
                            "that nothing carries. Make them rigid bodies with shape.kind = \"sphere\", or "
                            "set friction = 0.");
    }
  }
  ContactImpacts impacts(make_surface(assembly, bodies, surface_rule(rule)), std::move(meets), {}, rule.restitution,
                         rule.friction);
  add_impacts(assembly, name, std::move(impacts), {});
}

}  // namespace livens
