// Springs between the nodes of a body, and the record of all springs.
#include "forces/spring.hpp"

#include <cmath>

#include <livens/forces.hpp>

#include "constraints/read_joints.hpp"
#include "model/assembly.hpp"
#include "model/part_records.hpp"

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

std::string pair_fault(const Body& body) {
  return "expected two different nodes of body '" + body.name + "', numbered 0 to " + std::to_string(body.nodes - 1);
}

// The pairs that springs connect within a body: those listed, or its neighbours.
std::vector<Assembly::Pair> pairs_of(const Springs& springs, const Body& body, const Assembly& assembly) {
  std::vector<Assembly::Pair> pairs;
  const auto neighbours = assembly.neighbours.find(body.name);
  if (!springs.pairs && neighbours != assembly.neighbours.end()) pairs = neighbours->second;
  for (const auto& [i, j] : springs.pairs.value_or(std::vector<std::array<int, 2>>{})) {
    if (i < 0 || j < 0 || i >= body.nodes || j >= body.nodes || i == j) throw AssemblyError("pairs", pair_fault(body));
    pairs.push_back({i, j, {0, 0, 0}});
  }
  if (pairs.empty())
    throw AssemblyError(
        "pairs", "body '" + body.name + "' has no neighbours; give pairs = [[0, 1], ...] or a layout with neighbours");
  return pairs;
}

void add_springs(Assembly& assembly, int body_index, const Springs& springs, const std::string& name) {
  const Body& body = assembly.parts.bodies[body_index];
  const SpringLaw law{springs.stiffness, springs.cubic, springs.quartic};
  // Springs of a periodic body that cross its border carry a shift; the others form a block of their own.
  std::vector<SpringElement> inside, across;
  const std::vector<Assembly::Pair> pairs = pairs_of(springs, body, assembly);
  const auto& rests = springs.rest_length;
  if (rests.size() > 1 && rests.size() != pairs.size())
    throw AssemblyError("rest_length", "expected one number, or one for each of the " + std::to_string(pairs.size()) +
                                           " pairs of body '" + body.name + "'; there are " +
                                           std::to_string(rests.size()));
  for (const auto& pair : pairs) {
    SpringElement spring{body.first + pair.i * body.dimension,
                         body.first + pair.j * body.dimension,
                         0,
                         {pair.shift[0], pair.shift[1], pair.shift[2]}};
    const auto k = static_cast<std::size_t>(&pair - pairs.data());
    spring.rest = rests.empty() ? initial_length(assembly, spring.i, spring.j, spring.shift, body.dimension)
                                : rests[rests.size() > 1 ? k : 0];
    const bool shifted = pair.shift[0] != 0 || pair.shift[1] != 0 || pair.shift[2] != 0;
    (shifted ? across : inside).push_back(spring);
  }
  for (auto* part : {&inside, &across}) {
    if (part->empty()) continue;
    auto set = std::make_shared<const SpringSet>(std::move(*part), body.dimension);
    assembly.springs.push_back({body_index, [set, law](const std::string& damping, double time, DampingForm form) {
                                  return make_spring_damping(damping, set, time * law.stiffness, form);
                                }});
    assembly.parts.terms.push_back(springs.linearised ? make_linearised_springs(name, set, law, assembly.q)
                                                      : make_springs(name, set, law));
  }
}

// Pairs written as [[0, 1], [1, 2]]; indices of nodes of the body. Nothing if they are the neighbours.
std::optional<std::vector<std::array<int, 2>>> read_pairs(const Settings& settings, const Assembly& assembly) {
  if (!settings.given("pairs")) return std::nullopt;
  const Node& node = settings.node("pairs");
  if (node.kind != Node::Kind::array) {
    if (node.text != "neighbours")
      settings.refuse("pairs", "expected \"neighbours\", or a list of pairs such as [[0, 1], [1, 2]]");
    return std::nullopt;
  }
  std::vector<std::array<int, 2>> pairs;
  for (const int k : bodies_of(settings, assembly)) {
    const Body& body = assembly.parts.bodies[k];
    pairs.clear();
    for (const Node& item : node.items) {
      const bool two = item.kind == Node::Kind::array && item.items.size() == 2;
      std::array<int, 2> index{-1, -1};
      for (std::size_t end = 0; two && end < 2; ++end)
        if (const Node& number = item.items[end];
            number.kind == Node::Kind::integer && number.number >= 0 && number.number < body.nodes)
          index[end] = static_cast<int>(number.number);
      if (index[0] < 0 || index[1] < 0 || index[0] == index[1])
        throw SceneError({{item.place, settings.path + ".pairs", pair_fault(body)}});
      pairs.push_back(index);
    }
  }
  return pairs;
}

void add_spring(const Settings& s, const std::string& name, Assembly& assembly) {
  if (!s.given("bodies"))
    return add(assembly,
               Springs{given_text(s, "body"), s.number("stiffness"), s.number("cubic"), s.number("quartic"),
                       s.given("rest_length") ? s.vector("rest_length") : std::vector<double>{},
                       read_pairs(s, assembly), s.flag("linearised")},
               name);
  for (const char* key : {"body", "pairs", "linearised"})
    if (s.given(key)) s.refuse(key, "applies to springs within a body, not between bodies.");
  const auto bodies = bodies_of_joint<2>(s);
  if (!s.given("ends")) s.refuse("ends", "where on the bodies? Give two points.");
  std::optional<double> rest;
  if (s.given("rest_length")) {
    if (s.vector("rest_length").size() != 1) s.refuse("rest_length", "one spring has one length.");
    rest = s.vector("rest_length")[0];
  }
  add(assembly,
      Spring{bodies, ends_of_joint<2>(s, assembly), s.number("stiffness"), s.number("cubic"), s.number("quartic"),
             rest},
      name);
}

}  // namespace

void add(Assembly& assembly, const Springs& springs, const std::string& name) {
  const Record& record = force_records().at("spring");
  check_range(record, "stiffness", springs.stiffness);
  for (const double rest : springs.rest_length) check_range(record, "rest_length", rest);
  for (const int k : bodies_of(assembly, springs.body)) add_springs(assembly, k, springs, name);
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
      key("body", ValueType::name, "-", "", "body it acts on; default: all bodies"),
      required(bounded(number_key("stiffness", "N/m", "", "k"), 0)),
      number_key("cubic", "N/m^2", "0", "c"),
      number_key("quartic", "N/m^3", "0", "q"),
      bounded(
          key("rest_length", ValueType::vector, "m", "",
              "length without force: one number for all pairs, or a list with one for each; default: the lengths at "
              "the start"),
          0),
      pairs,
      key("linearised", ValueType::boolean, "-", "false",
          "elongations along the direction at the start: a harmonic system"),
      bodies,
      ends};
  record.add = add_spring;
  return record;
}

}  // namespace livens
