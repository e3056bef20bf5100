// A Lagrangian system as a user writes it: kinetic and potential energy, or one general L(t, q, q_dot).
#include "systems/lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "constraints/expression_constraint.hpp"
#include "math/finite.hpp"
#include "math/scratch.hpp"
#include "records/read.hpp"
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
  std::vector<std::string> coordinates;
  Expression kinetic, potential, lagrangian;
  std::vector<Expression> constraints;  // of q, then t
  bool general = false;
};

// The constant mass matrix of a kinetic energy 1/2 v'Mv.
void add_constant_mass(const Expression& kinetic, std::size_t n, Mass& mass) {
  std::vector<double> x(2 * n + 1, 0.0), g(2 * n + 1), H((2 * n + 1) * (2 * n + 1));
  Workspace<Dual> workspace;
  kinetic.hessian(x, g, H, workspace);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double value = H[(n + i) * (2 * n + 1) + n + j];
      if (i == j)
        mass.diagonal.push_back(value);
      else if (value != 0)
        mass.off_diagonal.push_back({static_cast<int>(i), static_cast<int>(j), value});
    }
}

void add_parts(const Parts& parts, Assembly& assembly) {
  const std::size_t n = parts.coordinates.size();
  Body body;
  body.name = "system";
  body.nodes = static_cast<int>(n);
  assembly.parts.bodies.push_back(body);
  assembly.parts.coordinates = parts.coordinates;
  const auto slots = velocity_slots(n);
  if (!parts.general && parts.kinetic.structure(slots).quadratic_with_constant_coefficients()) {
    add_constant_mass(parts.kinetic, n, assembly.parts.mass);
    assembly.parts.terms.push_back(make_expression_potential("potential", parts.potential, n));
    return;
  }
  assembly.parts.mass.diagonal.assign(n, 0.0);
  std::vector<SignedExpression> sum;
  if (parts.general)
    sum = {{1, parts.lagrangian}};
  else
    sum = {{1, parts.kinetic}, {-1, parts.potential}};
  assembly.parts.lagrangians.push_back(make_expression_lagrangian("lagrangian", std::move(sum), n));
}

// d2L/dv2 must be positive definite at the start, or p does not determine v.
bool kinetic_is_definite(const Parts& parts, const Assembly& assembly) {
  const std::size_t n = parts.coordinates.size(), m = 2 * n + 1;
  std::vector<double> x(m), g(m), H(m * m);
  std::copy(assembly.q.begin(), assembly.q.end(), x.begin());
  std::copy(assembly.v.begin(), assembly.v.end(), x.begin() + static_cast<std::ptrdiff_t>(n));
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
    assembly.parts.symmetries.push_back({"shift_" + parts.coordinates[i], [i](ConstVector, Vector xi) {
                                           std::fill(xi.begin(), xi.end(), 0.0);
                                           xi[i] = 1;
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
      x[i] = assembly.q[i] + (sample == 0 ? 0 : offset(engine));
      x[n + i] = assembly.v[i] + (sample == 0 ? 0 : offset(engine));
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

Symmetry make_symmetry(std::string name, std::vector<Expression> direction) {
  return {std::move(name), [direction = std::move(direction)](ConstVector q, Vector xi) {
            const std::size_t n = direction.size();
            ScratchVector x(2 * n + 1, 0.0);
            std::copy(q.begin(), q.end(), x.begin());
            for (std::size_t i = 0; i < n; ++i) xi[i] = direction[i].evaluate(x);
          }};
}

// system.symmetries.NAME = { x = "-y", y = "x" }
void add_given_symmetries(const Settings& settings, const Parts& parts, Assembly& assembly) {
  if (!settings.given("symmetries")) return;
  for (const auto& [name, table] : settings.nodes.at("symmetries")->entries) {
    std::vector<Parameter> keys;
    for (const auto& coordinate : parts.coordinates)
      keys.push_back(
          function_of(key(coordinate, ValueType::function, "-", "", "direction of the symmetry"), parts.coordinates));
    const Settings given = read_settings(table, settings.path + ".symmetries." + name, keys, settings);
    std::vector<Expression> direction(parts.coordinates.size());
    for (std::size_t i = 0; i < direction.size(); ++i)
      if (given.given(parts.coordinates[i])) direction[i] = given.function(parts.coordinates[i]);
    const double change = change_along(parts, direction, assembly);
    if (change > 1e-9)
      throw SceneError({{table.key_place, settings.path + ".symmetries." + name,
                         "L changes along this direction, by " + std::to_string(change) +
                             " of the size of its terms; it is not a symmetry"}});
    // A cyclic coordinate that was found may be given its own name.
    const bool known = std::any_of(assembly.parts.symmetries.begin(), assembly.parts.symmetries.end(),
                                   [&](const Symmetry& s) { return s.name == name; });
    if (!known) assembly.parts.symmetries.push_back(make_symmetry(name, std::move(direction)));
  }
}

// --- the record ---------------------------------------------------------------------------------------------------

bool read_start(const Settings& settings, const std::vector<std::string>& coordinates, Assembly& assembly) {
  std::vector<Parameter> keys;
  for (const auto& name : coordinates) {
    keys.push_back(number_key(name, "any", "", "where it starts"));
    keys.push_back(number_key(name + "_dot", "any", "0", "its velocity at the start"));
  }
  for (std::size_t i = 0; i < coordinates.size(); ++i) keys[2 * i] = required(keys[2 * i]);
  const Settings start = read_nested(settings, "initial", keys);
  for (const auto& name : coordinates) {
    assembly.q.push_back(start.number(name));
    assembly.v.push_back(start.number(name + "_dot"));
  }
  return true;
}

// True if the coordinates are usable names.
bool check_coordinates(const Settings& settings, const std::vector<std::string>& names) {
  if (names.empty() || names.size() > most_coordinates) {
    settings.refuse("coordinates", "expected 1 to " + std::to_string(most_coordinates) + " names");
    return false;
  }
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
    settings.refuse("coordinates", twice   ? "'" + name + "' appears twice"
                                   : taken ? "'" + name + "' already has a meaning"
                                           : "'" + name + "' is not a valid name: letters, digits and _ only");
    return false;
  }
  return true;
}

void add_forces(const Settings& settings, const std::vector<std::string>& coordinates, Assembly& assembly) {
  const std::size_t n = coordinates.size();
  if (settings.given("dissipation"))
    assembly.parts.forces.push_back(make_expression_dissipation("dissipation", settings.function("dissipation"), n));
  if (!settings.given("forces")) return;
  std::vector<Parameter> keys;
  for (const auto& name : coordinates)
    keys.push_back(function_of(key(name, ValueType::function, "N, N m", "", "generalised force on it"),
                               variables_of(coordinates)));
  const Settings given = read_nested(settings, "forces", keys);
  std::vector<std::shared_ptr<const Expression>> forces(n);
  for (std::size_t i = 0; i < n; ++i)
    if (given.given(coordinates[i])) forces[i] = given.functions.at(coordinates[i]).front();
  assembly.parts.forces.push_back(make_expression_forces("forces", std::move(forces), n));
}

void add(const Settings& settings, const std::string&, Assembly& assembly) {
  Parts parts;
  parts.coordinates = settings.names("coordinates");
  if (!check_coordinates(settings, parts.coordinates)) return;
  const bool pair = settings.given("kinetic") || settings.given("potential");
  parts.general = settings.given("lagrangian");
  if (pair == parts.general || (pair && !settings.given("kinetic")))
    settings.refuse(pair ? "potential" : "lagrangian", "expected either kinetic and potential, or one lagrangian" +
                                                           std::string(pair ? "" : ": none is given"));
  if (parts.general) {
    parts.lagrangian = settings.function("lagrangian");
  } else {
    parts.kinetic = settings.function("kinetic");
    if (settings.given("potential")) parts.potential = settings.function("potential");
    for (std::size_t i = 0; i < parts.coordinates.size(); ++i)
      if (parts.potential.uses(parts.coordinates.size() + i))
        settings.refuse("potential",
                        "depends on the velocity " + parts.coordinates[i] + "_dot; write one lagrangian instead");
  }
  if (settings.given("constraints"))
    for (const auto& g : settings.functions.at("constraints")) parts.constraints.push_back(*g);
  if (!read_start(settings, parts.coordinates, assembly)) return;
  add_parts(parts, assembly);
  if (!parts.constraints.empty()) {
    std::vector<AffineForm> coordinates;
    for (std::size_t i = 0; i < parts.coordinates.size(); ++i) coordinates.push_back({0, {{static_cast<int>(i), 1.0}}});
    assembly.parts.constraints.push_back(make_expression_constraint("constraints", parts.constraints, coordinates));
  }
  if (!kinetic_is_definite(parts, assembly))
    settings.refuse(parts.general ? "lagrangian" : "kinetic",
                    "has no positive definite mass matrix at the start: the momenta do not determine the velocities");
  add_cyclic_coordinates(parts, assembly);
  add_given_symmetries(settings, parts, assembly);
  add_forces(settings, parts.coordinates, assembly);
}

}  // namespace

void add_lagrangian(const LagrangianText& text, Assembly& assembly) {
  const auto variables = variables_of(text.coordinates);
  const auto parse = [&](const std::string& expression) { return Expression::parse(expression, variables, {}); };
  Parts parts;
  parts.coordinates = text.coordinates;
  parts.general = !text.lagrangian.empty();
  if (parts.general) {
    parts.lagrangian = parse(text.lagrangian);
  } else {
    parts.kinetic = parse(text.kinetic);
    parts.potential = parse(text.potential);
  }
  assembly.q = text.q;
  assembly.v = text.v;
  add_parts(parts, assembly);
  add_cyclic_coordinates(parts, assembly);
  for (const auto& [name, direction] : text.symmetries) {
    std::vector<Expression> expressions;
    for (const auto& component : direction) expressions.push_back(parse(component));
    assembly.parts.symmetries.push_back(make_symmetry(name, std::move(expressions)));
  }
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
      required(key("initial", table, "any", "", "start: x and x_dot of every coordinate"))};
  record.add = add;
  return record;
}

}  // namespace livens
