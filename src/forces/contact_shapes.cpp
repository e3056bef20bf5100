// Boxes and cylinders at rest that nothing passes through: the surface of an obstacle, from outside or from inside.
#include <algorithm>

#include "forces/contact_keys.hpp"
#include "forces/make_barrier.hpp"
#include "model/assembly.hpp"
#include "records/values.hpp"

namespace livens {

void add(Assembly& assembly, const ContactShape& contact, const std::string& name) {
  if (!assembly.parts.bodies.empty() && assembly.parts.bodies.back().dimension == 0)
    throw AssemblyError("kind",
                        "cannot stand beside a [system], whose coordinates come last. Use a [[body]] of kind = "
                        "\"obstacle\" with this shape, and kind = \"bodies\".");
  std::vector<int> bodies = bodies_of(assembly, contact.body);
  if (contact.body.empty()) std::erase_if(bodies, [&](int k) { return is_held(assembly, k); });
  if (bodies.empty()) throw AssemblyError("body", "there is no body that could touch it.");
  BodyShape shape = contact.shape;
  for (auto& facet : shape.facets)  // turned inside out: what it encloses is outside
    if (contact.inside) std::swap(facet[shape.dimension == 3 ? 2 : 0], facet[1]);
  add(assembly, MovingObstacle{std::move(shape)}, name);
  const std::size_t touching = bodies.size(), count = touching + 1;
  bodies.push_back(static_cast<int>(assembly.parts.bodies.size()) - 1);
  std::vector<BarrierPair> pairs(count * count);
  for (std::size_t a = 0; a < touching; ++a) {
    const BarrierLaw law = barrier_law(assembly, contact.barrier, bodies[a], bodies.back());
    pairs[a * count + touching] = pairs[touching * count + a] = {true, law.range, law.pressure};
  }
  ContactBarrier barrier(make_surface(assembly, bodies, contact.barrier), std::move(pairs), {},
                         friction_law(assembly, contact.barrier), contact.barrier.restitution);
  add_barrier(assembly, name, std::move(barrier), {}, contact.barrier);
  assembly.shapes.erase(name);  // it belongs to this contact: others leave it out
}

namespace {

// The shape where the keys point and rotation put it.
BodyShape placed(BodyShape shape, const Settings& settings, const Assembly& assembly) {
  Vec3 point{}, rotation{};
  const auto& values = settings.vector("point");
  if (static_cast<int>(values.size()) != assembly.dimension())
    settings.refuse("point", "has " + std::to_string(values.size()) + " numbers, but the bodies are of " +
                                 std::to_string(assembly.dimension()) + " dimensions.");
  std::copy(values.begin(), values.end(), point.begin());
  if (settings.given("rotation")) {
    const auto& turn = settings.vector("rotation");
    if (turn.size() != (shape.dimension == 3 ? 3u : 1u))
      settings.refuse("rotation", shape.dimension == 3 ? "expected 3 numbers, axis times angle (rad)."
                                                       : "expected 1 number, the angle (rad).");
    if (turn.size() == 3)
      std::copy(turn.begin(), turn.end(), rotation.begin());
    else
      rotation[2] = turn[0];
  }
  return moved(std::move(shape), rotation, point);
}

ContactRecord shape_record(std::string name, std::string brief, std::vector<Parameter> own) {
  ContactRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief);
  made.citation = "Li et al. 2020, 2023";
  made.parameters = {key("body", ValueType::name, "-", "", "body that touches it; default: all that are not held"),
                     required(of_length(key("point", ValueType::vector, "m", "", "its centre"), {2, 3})),
                     of_length(key("rotation", ValueType::vector, "rad", "",
                                   "about its centre: axis times angle; in the plane one number"),
                               {1, 3})};
  made.parameters.insert(made.parameters.end(), own.begin(), own.end());
  made.parameters.push_back(key("inside", ValueType::boolean, "-", "false", "bodies are in it"));
  for (Parameter& parameter : barrier_keys()) made.parameters.push_back(std::move(parameter));
  made.parameters.push_back(
      positive(number_key("particle_radius", "m", "", "of each particle, for bodies of particles")));
  return made;
}

void add_placed(const Settings& s, const std::string& name, BodyShape shape, Assembly& assembly) {
  if (shape.dimension != assembly.dimension())
    s.refuse("kind", "is a shape in space, and the bodies are in the plane. Use a box with two sizes, or a sphere.");
  ContactShape contact;
  contact.body = s.given("body") ? s.text("body") : "";
  contact.shape = placed(std::move(shape), s, assembly);
  contact.inside = s.flag("inside");
  contact.barrier = read_barrier(s);
  if (s.given("particle_radius")) contact.barrier.radius = s.number("particle_radius");
  add(assembly, contact, name);
}

}  // namespace

ContactRecord contact_box_record() {
  ContactRecord made = shape_record(
      "box", "a rigid box at rest, in the plane a rectangle, by a barrier, for bodies outside or inside",
      {required(positive(of_length(key("size", ValueType::vector, "m", "", "lengths of its sides"), {2, 3})))});
  made.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    const auto& size = s.vector("size");
    if (static_cast<int>(size.size()) != assembly.dimension())
      s.refuse("size", "has " + std::to_string(size.size()) + " numbers, but the bodies are of " +
                           std::to_string(assembly.dimension()) + " dimensions.");
    add_placed(s, name, box_shape({size[0], size[1], size.size() == 3 ? size[2] : 0}), assembly);
  };
  return made;
}

ContactRecord contact_cylinder_record() {
  ContactRecord made =
      shape_record("cylinder",
                   "a rigid cylinder at rest, along z before it is turned, of flat triangles, by a barrier, for bodies "
                   "outside or inside",
                   {required(positive(number_key("radius", "m", "", "of the cylinder"))),
                    required(positive(number_key("length", "m", "", "along its axis"))),
                    bounded(key("segments", ValueType::integer, "-", "24", "flat sides around its axis"), 3, 1000)});
  made.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add_placed(s, name, cylinder_shape(s.number("radius"), s.number("length"), static_cast<int>(s.integer("segments"))),
               assembly);
  };
  return made;
}

}  // namespace livens
