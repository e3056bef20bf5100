// Potentials between pairs of particles: Lennard-Jones, Morse, and V(r) as it is written down.
#include "forces/interacting.hpp"
#include "forces/pair_term.hpp"
#include "model/part_records.hpp"

namespace livens {
namespace {

constexpr double skin_of_cutoff = 0.12;

void check(const PairRange& range, const Record& record) {
  check_range(record, "cutoff", range.cutoff);
  if (range.switch_from) check_range(record, "switch_from", *range.switch_from);
  if (range.skin) check_range(record, "skin", *range.skin);
  if (range.switch_from && range.cutoff_form != CutOffForm::switched)
    throw AssemblyError("switch_from", "belongs to cutoff_form = \"switched\".");
  if (range.switch_from && !(*range.switch_from < range.cutoff))
    throw AssemblyError("switch_from", "has to be less than the cut-off.");
}

template <class Law>
void add_pairs(Assembly& assembly, const std::string& name, Law law, const PairRange& range) {
  const InteractingParticles particles = interacting_particles(assembly, range.body, range.bodies, range.cutoff);
  const double skin = range.skin.value_or(skin_of_cutoff * range.cutoff);
  const auto lists_to = [&](double cutoff) {
    return std::make_shared<const NeighbourLists>(particles.nodes, particles.group, particles.cross,
                                                  particles.dimension, particles.box, cutoff, skin);
  };
  const auto lists = lists_to(range.cutoff), near = lists_to(near_to * range.cutoff);
  const CutLaw<Law> cut(std::move(law), range);
  auto& terms = assembly.parts.terms;
  switch (particles.dimension) {
    case 1: terms.push_back(std::make_shared<PairTerm<Law, 1>>(name, lists, near, cut, particles.periodic)); break;
    case 2: terms.push_back(std::make_shared<PairTerm<Law, 2>>(name, lists, near, cut, particles.periodic)); break;
    default: terms.push_back(std::make_shared<PairTerm<Law, 3>>(name, lists, near, cut, particles.periodic));
  }
}

std::vector<Parameter> range_keys(Parameter cutoff) {
  return {
      key("body", ValueType::name, "-", "", "body of particles it acts within; default: all particles"),
      of_length(key("bodies", ValueType::names, "-", "", "or two bodies, between which it acts and not within them"),
                {2}),
      std::move(cutoff),
      one_of(key("cutoff_form", ValueType::name, "-", "switched",
                 "switched: V goes to 0 with two continuous derivatives; shifted: V - V(cutoff), whose force jumps; "
                 "plain: V jumps"),
             {"switched", "shifted", "plain"}),
      bounded(number_key("switch_from", "m", "0.9 cutoff", "distance from which V is switched off"), 0),
      positive(number_key("skin", "m", "0.12 cutoff",
                          "how much further lists of neighbours reach: fewer new lists, more in them; results do "
                          "not depend on it"))};
}

PairRange read_range(const Settings& s, double cutoff) {
  PairRange range;
  range.body = given_text(s, "body");
  if (s.given("bodies")) std::copy_n(s.names("bodies").begin(), 2, range.bodies.begin());
  range.cutoff = given_number(s, "cutoff").value_or(cutoff);
  const std::string& form = s.text("cutoff_form");
  range.cutoff_form = form == "shifted" ? CutOffForm::shifted
                      : form == "plain" ? CutOffForm::plain
                                        : CutOffForm::switched;
  range.switch_from = given_number(s, "switch_from");
  range.skin = given_number(s, "skin");
  return range;
}

Parameter cutoff_key() { return required(positive(number_key("cutoff", "m", "", "beyond it there is no force"))); }

}  // namespace

void add(Assembly& assembly, const LennardJones& potential, const std::string& name) {
  const Record& record = force_records().at("lennard_jones");
  check_range(record, "epsilon", potential.epsilon);
  check_range(record, "sigma", potential.sigma);
  check(potential.range, record);
  add_pairs(assembly, name, LennardJonesLaw{potential.epsilon, potential.sigma * potential.sigma}, potential.range);
}

void add(Assembly& assembly, const Morse& potential, const std::string& name) {
  const Record& record = force_records().at("morse");
  check_range(record, "depth", potential.depth);
  check_range(record, "width", potential.width);
  check_range(record, "distance", potential.distance);
  check(potential.range, record);
  add_pairs(assembly, name, MorseLaw{potential.depth, potential.width, potential.distance}, potential.range);
}

void add(Assembly& assembly, const PairPotential& potential, const std::string& name) {
  check(potential.range, force_records().at("pair_potential"));
  static const std::vector<std::string> variables = {"r"};
  Expression V;
  try {
    V = Expression::parse(potential.potential, variables, potential.parameters);
  } catch (const ExpressionError& error) {
    throw AssemblyError("potential", "in '" + potential.potential + "': " + error.what() + ".");
  }
  if (V.constant()) throw AssemblyError("potential", "does not depend on r.");
  add_pairs(assembly, name, WrittenLaw{V}, potential.range);
}

ForceRecord lennard_jones_record() {
  ForceRecord record;
  record.name = "lennard_jones";
  record.brief = "4 epsilon ((sigma/r)^12 - (sigma/r)^6) between all pairs of particles";
  record.citation = "L04 4.1";
  record.parameters = range_keys(positive(number_key("cutoff", "m", "2.5 sigma", "beyond it there is no force")));
  record.parameters.push_back(required(positive(number_key("epsilon", "J", "", "depth of the potential"))));
  record.parameters.push_back(required(positive(number_key("sigma", "m", "", "distance at which it is 0"))));
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    const double sigma = s.number("sigma");
    add(assembly, LennardJones{read_range(s, 2.5 * sigma), s.number("epsilon"), sigma}, name);
  };
  return record;
}

ForceRecord morse_record() {
  ForceRecord record;
  record.name = "morse";
  record.brief = "depth (exp(-2 width (r - distance)) - 2 exp(-width (r - distance))) between all pairs of particles";
  record.parameters = range_keys(cutoff_key());
  record.parameters.push_back(required(positive(number_key("depth", "J", "", "of the potential"))));
  record.parameters.push_back(required(positive(number_key("width", "1/m", "", "inverse length of its well"))));
  record.parameters.push_back(required(positive(number_key("distance", "m", "", "at which it is least"))));
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly, Morse{read_range(s, 0), s.number("depth"), s.number("width"), s.number("distance")}, name);
  };
  return record;
}

ForceRecord pair_potential_record() {
  ForceRecord record;
  record.name = "pair_potential";
  record.brief = "your own V(r) between all pairs of particles";
  record.parameters = range_keys(cutoff_key());
  record.parameters.push_back(
      required(function_of(key("potential", ValueType::function, "J", "", "V of the distance r (m)"), {"r"})));
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly, PairPotential{read_range(s, 0), s.function("potential").text(), s.environment->parameters}, name);
  };
  return record;
}

}  // namespace livens
