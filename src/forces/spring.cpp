// The records of springs and of the damping along them.
#include "forces/spring.hpp"

#include <cmath>

#include "bodies/solid.hpp"
#include "constraints/read_joints.hpp"
#include "forces/add_springs.hpp"
#include "forces/drag.hpp"
#include "forces/joint_spring.hpp"

namespace livens {
namespace {

double initial_length(const Assembly& assembly, int i, int j, const double* shift, int dimension) {
  double l2 = 0;
  for (int c = 0; c < dimension; ++c) {
    const double d = assembly.q[j + c] - assembly.q[i + c] + shift[c];
    l2 += d * d;
  }
  return std::sqrt(l2);
}

// Pairs written as [[0, 1], [1, 2]]; indices of nodes of the body.
std::vector<Assembly::Pair> listed_pairs(const Settings& settings, const Body& body) {
  const Node& node = settings.node("pairs");
  std::vector<Assembly::Pair> pairs;
  for (const Node& item : node.items) {
    const bool two = item.kind == Node::Kind::array && item.items.size() == 2;
    int index[2] = {-1, -1};
    for (std::size_t k = 0; two && k < 2; ++k)
      if (item.items[k].kind == Node::Kind::integer && item.items[k].number >= 0 && item.items[k].number < body.nodes)
        index[k] = static_cast<int>(item.items[k].number);
    if (index[0] < 0 || index[1] < 0 || index[0] == index[1]) {
      throw SceneError({{item.place, settings.path + ".pairs",
                         "expected two different nodes of body '" + body.name + "', numbered 0 to " +
                             std::to_string(body.nodes - 1)}});
    }
    pairs.push_back({index[0], index[1], {0, 0, 0}});
  }
  return pairs;
}

// One spring between points of two bodies.
void add_between_bodies(const Settings& settings, const std::string& name, const SpringOptions& options,
                        Assembly& assembly) {
  for (const char* key : {"body", "pairs", "linearised"})
    if (settings.given(key)) settings.refuse(key, "applies to springs within a body, not between bodies.");
  if (const auto ends = read_spring_ends(settings, assembly))
    assembly.parts.terms.push_back(make_joint_spring(name, ends->a, ends->b, options.law,
                                                     options.rest_length.value_or(ends->length), ends->invariance));
}

void add(const Settings& settings, const std::string& name, Assembly& assembly) {
  SpringOptions options;
  options.law = {settings.number("stiffness"), settings.number("cubic"), settings.number("quartic")};
  options.linearised = settings.flag("linearised");
  if (settings.given("rest_length")) options.rest_length = settings.number("rest_length");
  if (settings.given("bodies")) return add_between_bodies(settings, name, options, assembly);
  for (const int k : bodies_of(settings, assembly)) {
    const Body& body = assembly.parts.bodies[k];
    std::vector<Assembly::Pair> pairs;
    const bool listed = settings.given("pairs") && settings.nodes.at("pairs")->kind == Node::Kind::array;
    if (listed) {
      pairs = listed_pairs(settings, body);
    } else {
      if (settings.given("pairs") && settings.nodes.at("pairs")->text != "neighbours")
        settings.refuse("pairs", "expected \"neighbours\", or a list of pairs such as [[0, 1], [1, 2]]");
      pairs = assembly.neighbours[body.name];
    }
    if (pairs.empty())
      settings.refuse("pairs", "body '" + body.name +
                                   "' has no neighbours; give pairs = [[0, 1], ...] or a layout with neighbours");
    add_springs(name, k, pairs, options, assembly);
  }
}

void add_strain_damping(const Settings& settings, const std::string& name, Assembly& assembly) {
  const double time = settings.number("damping_time");
  const bool published = settings.text("damping_form") == "published";
  const std::size_t before = assembly.parts.forces.size();
  for (const int k : bodies_of(settings, assembly)) {
    for (const auto& block : assembly.springs)
      if (block.body == k)
        assembly.parts.forces.push_back(make_spring_damping(name, block.set, time * block.stiffness, published));
    const SolidBody* solid = solid_of(assembly, k);
    if (solid == nullptr) continue;
    for (const auto& block : solid->blocks) assembly.parts.forces.push_back(block->make_damping(name, time, published));
  }
  if (assembly.parts.forces.size() == before)
    settings.refuse("", "nothing can be strained: no solid, and no spring on that body");
}

Parameter body_key() { return key("body", ValueType::name, "-", "", "body it acts on; default: all bodies"); }

std::vector<Parameter> strain_keys() {
  return {
      body_key(),
      required(bounded(
          number_key("damping_time", "s", "", "kD: a mode of omega rad/s decays as exp(-kD omega^2 t / 2)"), 0)),
      one_of(key("damping_form", ValueType::name, "-", "exact",
                 "exact: keeps momenta (lagged in explicit, symmetric in implicit steps); published: placed as in K06"),
             {"exact", "published"})};
}

}  // namespace

void add_springs(const std::string& name, int body_index, const std::vector<Assembly::Pair>& pairs,
                 const SpringOptions& options, Assembly& assembly) {
  const Body& body = assembly.parts.bodies[body_index];
  // Springs of a periodic body that cross its border carry a shift; the others form a block of their own.
  std::vector<Spring> inside, across;
  for (const auto& pair : pairs) {
    Spring spring{body.first + pair.i * body.dimension,
                  body.first + pair.j * body.dimension,
                  0,
                  {pair.shift[0], pair.shift[1], pair.shift[2]}};
    const double length = initial_length(assembly, spring.i, spring.j, spring.shift, body.dimension);
    spring.rest = options.rest_length.value_or(length);
    const bool shifted = pair.shift[0] != 0 || pair.shift[1] != 0 || pair.shift[2] != 0;
    (shifted ? across : inside).push_back(spring);
  }
  for (auto* part : {&inside, &across}) {
    if (part->empty()) continue;
    auto set = std::make_shared<const SpringSet>(std::move(*part), body.dimension);
    assembly.springs.push_back({body_index, set, options.law.stiffness});
    assembly.parts.terms.push_back(options.linearised ? make_linearised_springs(name, set, options.law, assembly.q)
                                                      : make_springs(name, set, options.law));
  }
}

ForceRecord spring_record() {
  ForceRecord record;
  record.name = "spring";
  record.brief = "springs between nodes, k/2 e^2 + c/3 e^3 + q/4 e^4 with e the elongation";
  Parameter pairs =
      key("pairs", ValueType::table, "-", "neighbours", "\"neighbours\" of the layout, or a list of pairs of nodes");
  pairs.choices = {"text", "list"};
  Parameter bodies = bodies_key("two bodies that one spring connects; \"ground\" is a body"),
            ends = ends_key("its ends at the start, one on each body");
  bodies.required = ends.required = false;
  record.parameters = {
      body_key(),
      required(bounded(number_key("stiffness", "N/m", "", "k"), 0)),
      number_key("cubic", "N/m^2", "0", "c"),
      number_key("quartic", "N/m^3", "0", "q"),
      bounded(number_key("rest_length", "m", "", "length without force; default: the length at the start"), 0),
      pairs,
      key("linearised", ValueType::boolean, "-", "false",
          "elongations along the direction at the start: a harmonic system"),
      bodies,
      ends};
  record.add = add;
  return record;
}

ForceRecord strain_damping_record() {
  ForceRecord record;
  record.after_springs = true;
  record.name = "strain_damping";
  record.brief = "damping proportional to stiffness, of solids and along springs; keeps momenta";
  record.citation = "K06 5.2";
  record.parameters = strain_keys();
  record.add = add_strain_damping;
  return record;
}

ForceRecord rayleigh_damping_record() {
  ForceRecord record;
  record.after_springs = true;
  record.name = "rayleigh_damping";
  record.brief = "strain_damping and mass_damping together";
  record.parameters = strain_keys();
  record.parameters.push_back(
      required(bounded(number_key("damping_rate", "1/s", "", "of the part proportional to mass"), 0)));
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    add_strain_damping(settings, name, assembly);
    add_mass_damping(settings, name, assembly);
  };
  return record;
}

}  // namespace livens
