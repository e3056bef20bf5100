// A Lagrangian system as a user writes it: kinetic and potential energy, or one general L(t, q, q_dot).
#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>

#include <livens/systems.hpp>

#include "constraints/expression_constraint.hpp"
#include "math/finite.hpp"
#include "math/scratch.hpp"
#include "records/read.hpp"
#include "records/suggest.hpp"
#include "solve/linear_solver.hpp"
#include "systems/expression_terms.hpp"

namespace livens {
namespace {

constexpr std::size_t most_coordinates = 64;  // derivatives are dense

std::vector<std::string> variables_of(const std::vector<std::string>& coordinates) {
  std::vector<std::string> variables = coordinates;
  for (const auto& name : coordinates) variables.push_back(name + "_dot");
  variables.push_back("t");
  return variables;
}

std::vector<std::size_t> velocity_slots(std::size_t n) {
  std::vector<std::size_t> slots;
  for (std::size_t i = 0; i < n; ++i) slots.push_back(n + i);
  return slots;
}

// What has been parsed: L = kinetic - potential, or lagrangian.
struct Parts {
  std::size_t first = 0;  // coordinate of the assembly
  std::vector<std::string> coordinates;
  Expression kinetic, potential, lagrangian;
  std::vector<Expression> constraints;  // of q, then t
  bool general = false;

  CoordinateRange range() const { return {first, coordinates.size()}; }
};

// Texts of a system as expressions.
class Parser {
 public:
  explicit Parser(const ExpressionLagrangian& system)
      : system_(system), variables_(variables_of(system.coordinates)), of_places_(system.coordinates) {
    of_places_.push_back("t");
  }

  Expression operator()(const std::string& text, const std::string& key) const { return parse(text, variables_, key); }
  Expression constraint(const std::string& text) const { return parse(text, of_places_, "constraints"); }
  std::size_t coordinate(const std::string& name, const std::string& key) const {
    const auto& all = system_.coordinates;
    const auto found = std::find(all.begin(), all.end(), name);
    if (found == all.end())
      throw AssemblyError(key, "there is no coordinate '" + name + "'." + suggestion(name, all, "There are"));
    return static_cast<std::size_t>(found - all.begin());
  }

 private:
  Expression parse(const std::string& text, const std::vector<std::string>& variables, const std::string& key) const {
    try {
      return Expression::parse(text, variables, system_.parameters);
    } catch (const ExpressionError& error) {
      throw AssemblyError(key, error.what() + std::string("\n") + caret(text, error.offset));
    }
  }

  const ExpressionLagrangian& system_;
  std::vector<std::string> variables_, of_places_;
};

// The constant mass matrix of a kinetic energy 1/2 v'Mv, after what is there.
void add_constant_mass(const Expression& kinetic, std::size_t n, Mass& mass) {
  const int first = static_cast<int>(mass.diagonal.size());
  std::vector<double> x(2 * n + 1, 0.0), g(2 * n + 1), H((2 * n + 1) * (2 * n + 1));
  Workspace<Dual> workspace;
  kinetic.hessian(x, g, H, workspace);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double value = H[(n + i) * (2 * n + 1) + n + j];
      if (i == j)
        mass.diagonal.push_back(value);
      else if (value != 0)
        mass.off_diagonal.push_back({first + static_cast<int>(i), first + static_cast<int>(j), value});
    }
}

void add_parts(const Parts& parts, Assembly& assembly) {
  const std::size_t n = parts.coordinates.size();
  Body body;
  body.name = "system";
  body.first = static_cast<int>(parts.first);
  body.nodes = static_cast<int>(n);
  assembly.parts.bodies.push_back(body);
  assembly.parts.coordinates = parts.coordinates;
  const auto slots = velocity_slots(n);
  if (!parts.general && parts.kinetic.structure(slots).quadratic_with_constant_coefficients()) {
    add_constant_mass(parts.kinetic, n, assembly.parts.mass);
    assembly.parts.terms.push_back(make_expression_potential("potential", parts.potential, parts.range()));
    return;
  }
  assembly.parts.mass.diagonal.resize(parts.first + n, 0.0);
  std::vector<SignedExpression> sum;
  if (parts.general)
    sum = {{1, parts.lagrangian}};
  else
    sum = {{1, parts.kinetic}, {-1, parts.potential}};
  assembly.parts.lagrangians.push_back(make_expression_lagrangian("lagrangian", std::move(sum), parts.range()));
}

// d2L/dv2 must be positive definite at the start, or p does not determine v.
bool kinetic_is_definite(const Parts& parts, const Assembly& assembly) {
  const std::size_t n = parts.coordinates.size(), m = 2 * n + 1;
  std::vector<double> x(m), g(m), H(m * m);
  std::copy_n(assembly.q.data() + parts.first, n, x.data());
  std::copy_n(assembly.v.data() + parts.first, n, x.data() + n);
  x[2 * n] = assembly.t_begin;
  Workspace<Dual> workspace;
  (parts.general ? parts.lagrangian : parts.kinetic).hessian(x, g, H, workspace);
  SparsePattern dense;
  std::vector<double> values;
  dense.n = static_cast<int>(n);
  dense.column_start.push_back(0);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t r = 0; r < n; ++r) {
      dense.row.push_back(static_cast<int>(r));
      values.push_back(H[(n + r) * m + n + c]);
    }
    dense.column_start.push_back(static_cast<int>(dense.row.size()));
  }
  return all_finite(values) && make_cholesky(dense)->factorise(values);
}

// --- symmetries ---------------------------------------------------------------------------------------------------

void add_cyclic_coordinates(const Parts& parts, Assembly& assembly) {
  for (std::size_t i = 0; i < parts.coordinates.size(); ++i) {
    const auto held = [&](const Expression& g) { return g.uses(i); };
    if (std::any_of(parts.constraints.begin(), parts.constraints.end(), held)) continue;
    const bool used = parts.general ? parts.lagrangian.uses(i) : parts.kinetic.uses(i) || parts.potential.uses(i);
    if (used) continue;
    assembly.parts.symmetries.push_back(
        {"shift_" + parts.coordinates[i], [k = parts.first + i](ConstVector, Vector xi) {
           std::fill(xi.begin(), xi.end(), 0.0);
           xi[k] = 1;
         }});
  }
}

// Rate of change of L along xi: L_q.xi + L_v.(dxi/dq v), over the size of its summands; sampled near the start.
double change_along(const Parts& parts, const std::vector<Expression>& direction, const Assembly& assembly) {
  const std::size_t n = parts.coordinates.size(), m = 2 * n + 1;
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> offset(-0.3, 0.3);
  Workspace<double> workspace;
  std::vector<double> x(m), g(m), sum(m), dxi(m);
  double worst = 0;
  for (int sample = 0; sample < 8; ++sample) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = assembly.q[parts.first + i] + (sample == 0 ? 0 : offset(engine));
      x[n + i] = assembly.v[parts.first + i] + (sample == 0 ? 0 : offset(engine));
    }
    x[2 * n] = assembly.t_begin;
    if (parts.general) {
      parts.lagrangian.gradient(x, sum, workspace);
    } else {
      parts.kinetic.gradient(x, sum, workspace);
      parts.potential.gradient(x, g, workspace);
      for (std::size_t i = 0; i < m; ++i) sum[i] -= g[i];
    }
    double change = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double xi = direction[i].gradient(x, dxi, workspace);
      double xi_dot = 0;
      for (std::size_t j = 0; j < n; ++j) xi_dot += dxi[j] * x[n + j];
      change += sum[i] * xi + sum[n + i] * xi_dot;
      size += std::abs(sum[i] * xi) + std::abs(sum[n + i] * xi_dot);
    }
    if (std::isfinite(change) && size > 0) worst = std::max(worst, std::abs(change) / size);
  }
  return worst;
}

Symmetry make_symmetry(std::string name, std::vector<Expression> direction, std::size_t first) {
  return {std::move(name), [direction = std::move(direction), first](ConstVector q, Vector xi) {
            const std::size_t n = direction.size();
            ScratchVector x(2 * n + 1, 0.0);
            std::copy_n(q.data() + first, n, x.data());
            std::fill(xi.begin(), xi.end(), 0.0);
            for (std::size_t i = 0; i < n; ++i) xi[first + i] = direction[i].evaluate(x);
          }};
}

void add_given_symmetries(const ExpressionLagrangian& system, const Parser& parse, const Parts& parts,
                          Assembly& assembly) {
  for (const auto& [name, components] : system.symmetries) {
    std::vector<Expression> direction(parts.coordinates.size());
    for (const auto& [coordinate, text] : components)
      direction[parse.coordinate(coordinate, "symmetries." + name)] = parse(text, "symmetries." + name);
    const double change = change_along(parts, direction, assembly);
    if (change > 1e-9)
      throw AssemblyError("symmetries." + name, "L changes along this direction, by " + std::to_string(change) +
                                                    " of the size of its terms; it is not a symmetry");
    // A cyclic coordinate that was found may be given its own name.
    const bool known = std::any_of(assembly.parts.symmetries.begin(), assembly.parts.symmetries.end(),
                                   [&, given = name](const Symmetry& s) { return s.name == given; });
    if (!known) assembly.parts.symmetries.push_back(make_symmetry(name, std::move(direction), parts.first));
  }
}

// --- checks ---------------------------------------------------------------------------------------------------------

void check_coordinates(const std::vector<std::string>& names) {
  if (names.empty() || names.size() > most_coordinates)
    throw AssemblyError("coordinates", "expected 1 to " + std::to_string(most_coordinates) + " names");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const bool word =
        !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_') &&
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    const bool twice = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), name) !=
                       names.begin() + static_cast<std::ptrdiff_t>(i);
    const bool taken = name == "t" || name == "pi" || std::any_of(names.begin(), names.end(), [&](const auto& other) {
                         return name == other + "_dot";
                       });
    if (word && !twice && !taken) continue;
    throw AssemblyError("coordinates", twice   ? "'" + name + "' appears twice"
                                       : taken ? "'" + name + "' already has a meaning"
                                               : "'" + name + "' is not a valid name: letters, digits and _ only");
  }
}

void check_energies(const ExpressionLagrangian& system) {
  const bool pair = !system.kinetic.empty() || !system.potential.empty();
  if (pair == !system.lagrangian.empty() || (pair && system.kinetic.empty()))
    throw AssemblyError(pair ? "potential" : "lagrangian", "expected either kinetic and potential, or one lagrangian" +
                                                               std::string(pair ? "" : ": none is given"));
}

void check_start(const ExpressionLagrangian& system) {
  const std::size_t n = system.coordinates.size();
  const auto check = [&](const std::vector<double>& values, const char* key, bool may_lack) {
    if (values.size() != n && !(may_lack && values.empty()))
      throw AssemblyError(key, "expected " + std::to_string(n) + " numbers, one for each coordinate");
  };
  check(system.q, "q", false);
  check(system.v, "v", true);
  check(system.second, "second", true);
}

Parts parsed(const ExpressionLagrangian& system, const Parser& parse) {
  Parts parts;
  parts.coordinates = system.coordinates;
  parts.general = !system.lagrangian.empty();
  if (parts.general) {
    parts.lagrangian = parse(system.lagrangian, "lagrangian");
  } else {
    parts.kinetic = parse(system.kinetic, "kinetic");
    if (!system.potential.empty()) parts.potential = parse(system.potential, "potential");
    for (std::size_t i = 0; i < parts.coordinates.size(); ++i)
      if (parts.potential.uses(parts.coordinates.size() + i))
        throw AssemblyError("potential",
                            "depends on the velocity " + parts.coordinates[i] + "_dot; write one lagrangian instead");
  }
  for (const std::string& g : system.constraints) parts.constraints.push_back(parse.constraint(g));
  return parts;
}

void add_constraints(const Parts& parts, Assembly& assembly) {
  if (parts.constraints.empty()) return;
  std::vector<AffineForm> coordinates;
  for (std::size_t i = 0; i < parts.coordinates.size(); ++i)
    coordinates.push_back({0, {{static_cast<int>(parts.first + i), 1.0}}});
  assembly.parts.constraints.push_back(make_expression_constraint("constraints", parts.constraints, coordinates));
}

void add_forces(const ExpressionLagrangian& system, const Parser& parse, const Parts& parts, Assembly& assembly) {
  if (!system.dissipation.empty())
    assembly.parts.forces.push_back(
        make_expression_dissipation("dissipation", parse(system.dissipation, "dissipation"), parts.range()));
  if (system.forces.empty()) return;
  std::vector<std::shared_ptr<const Expression>> forces(system.coordinates.size());
  for (const auto& [coordinate, text] : system.forces)
    forces[parse.coordinate(coordinate, "forces")] =
        std::make_shared<const Expression>(parse(text, "forces." + coordinate));
  assembly.parts.forces.push_back(make_expression_forces("forces", std::move(forces), parts.range()));
}

// --- the record -----------------------------------------------------------------------------------------------------

void read_start(const Settings& settings, ExpressionLagrangian& system) {
  std::vector<Parameter> keys;
  for (const auto& name : system.coordinates) {
    keys.push_back(required(number_key(name, "any", "", "where it starts")));
    keys.push_back(number_key(name + "_dot", "any", "0", "its velocity at the start"));
  }
  const Settings start = read_nested(settings, "initial", keys);
  for (const auto& name : system.coordinates) {
    system.q.push_back(start.number(name));
    system.v.push_back(start.number(name + "_dot"));
  }
  if (!settings.given("second")) return;
  for (const auto& name : system.coordinates)
    if (start.given(name + "_dot")) start.refuse(name + "_dot", "`second` gives the velocities: leave this one out.");
  for (Parameter& key : keys) key = required(number_key(key.key, "any", "", "where it is after the first step"));
  std::erase_if(keys, [](const Parameter& key) { return key.key.ends_with("_dot"); });
  const Settings second = read_nested(settings, "second", keys);
  for (const auto& name : system.coordinates) system.second.push_back(second.number(name));
}

// The functions of a table { coordinate = function }.
std::map<std::string, std::string> functions_of(const Node& table, const std::string& path, const Settings& settings,
                                                const ExpressionLagrangian& system, const Parameter& like) {
  std::vector<Parameter> keys;
  for (const auto& name : system.coordinates) {
    keys.push_back(like);
    keys.back().key = name;
  }
  const Settings given = read_settings(table, path, keys, settings);
  std::map<std::string, std::string> texts;
  for (const auto& name : system.coordinates)
    if (given.given(name)) texts[name] = given.text(name);
  return texts;
}

void add_record(const Settings& settings, const std::string&, Assembly& assembly) {
  ExpressionLagrangian system;
  system.coordinates = settings.names("coordinates");
  check_coordinates(system.coordinates);
  if (settings.environment) system.parameters = settings.environment->parameters;
  const auto text = [&](const char* key) { return settings.given(key) ? settings.text(key) : std::string(); };
  system.kinetic = text("kinetic");
  system.potential = text("potential");
  system.lagrangian = text("lagrangian");
  system.dissipation = text("dissipation");
  check_energies(system);
  if (settings.given("constraints")) system.constraints = settings.names("constraints");
  read_start(settings, system);
  if (settings.given("symmetries"))
    for (const auto& [name, table] : settings.node("symmetries").entries)
      system.symmetries.emplace_back(
          name, functions_of(table, settings.path + ".symmetries." + name, settings, system,
                             function_of(key("", ValueType::function, "-", "", "direction of the symmetry"),
                                         system.coordinates)));
  if (settings.given("forces"))
    system.forces = functions_of(settings.node("forces"), settings.path + ".forces", settings, system,
                                 function_of(key("", ValueType::function, "N, N m", "", "generalised force on it"),
                                             variables_of(system.coordinates)));
  add(assembly, system);
}

}  // namespace

void add(Assembly& assembly, const ExpressionLagrangian& system) {
  if (const int other = assembly.body_index("system"); other >= 0)
    throw AssemblyError("", assembly.parts.bodies[other].dimension == 0
                                ? "there is a system in generalised coordinates already: write both into one"
                                : "a body is called 'system', which is the name of the generalised coordinates");
  check_coordinates(system.coordinates);
  check_energies(system);
  check_start(system);
  const Parser parse(system);
  Parts parts = parsed(system, parse);
  parts.first = assembly.q.size();
  assembly.q.insert(assembly.q.end(), system.q.begin(), system.q.end());
  assembly.v.insert(assembly.v.end(), system.v.begin(), system.v.end());
  assembly.v.resize(assembly.q.size(), 0.0);
  if (!system.second.empty()) {
    assembly.second.resize(parts.first);
    assembly.second.insert(assembly.second.end(), system.second.begin(), system.second.end());
  }
  add_parts(parts, assembly);
  add_constraints(parts, assembly);
  if (!kinetic_is_definite(parts, assembly))
    throw AssemblyError(
        parts.general ? "lagrangian" : "kinetic",
        "has no positive definite mass matrix at the start: the momenta do not determine the velocities");
  add_cyclic_coordinates(parts, assembly);
  add_given_symmetries(system, parse, parts, assembly);
  add_forces(system, parse, parts, assembly);
}

SystemRecord lagrangian_record() {
  using enum ValueType;
  SystemRecord record;
  record.name = "lagrangian";
  record.brief = "a system in generalised coordinates: kinetic and potential energy, or a general Lagrangian";
  const std::vector<std::string> all = {"q", "q_dot", "t"};
  record.parameters = {
      required(key("coordinates", names, "-", "", "names of the coordinates q; the velocity of x is x_dot")),
      function_of(key("kinetic", function, "J", "", "kinetic energy, a function of q and q_dot"), all),
      function_of(key("potential", function, "J", "", "potential energy, a function of q and t"), all),
      function_of(key("lagrangian", function, "J", "", "general L of t, q and q_dot, instead of these two"), all),
      function_of(
          key("dissipation", function, "W", "", "Rayleigh's function D of q and q_dot; the force is -dD/dq_dot"), all),
      key("forces", table, "N, N m", "",
          "generalised force on a coordinate, by its name, a function of t, q and q_dot"),
      function_of(key("constraints", functions, "any", "", "functions of q and t that stay 0"), {"q", "t"}),
      key("symmetries", table, "-", "", "directions in which L does not change, by name: { x = \"-y\", y = \"x\" }"),
      required(key("initial", table, "any", "", "start: x and x_dot of every coordinate")),
      key("second", table, "any", "", "instead of velocities: every coordinate after the first step")};
  record.add = add_record;
  return record;
}

}  // namespace livens
