#include "model/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "records/suggest.hpp"

namespace livens {

int Assembly::body_index(const std::string& name) const {
  const auto found =
      std::find_if(parts.bodies.begin(), parts.bodies.end(), [&](const Body& b) { return b.name == name; });
  return found == parts.bodies.end() ? -1 : static_cast<int>(found - parts.bodies.begin());
}

bool Assembly::has_consistent_mass(int body) const {
  const int first = parts.bodies[body].first, last = first + parts.bodies[body].size();
  const auto& entries = parts.mass.off_diagonal;
  return std::any_of(entries.begin(), entries.end(),
                     [&](const MassEntry& e) { return e.row >= first && e.row < last; });
}

std::vector<double> Assembly::row_masses() const {
  std::vector<double> sums = parts.mass.diagonal;
  for (const MassEntry& entry : parts.mass.off_diagonal) sums[entry.row] += entry.value;
  return sums;
}

State Assembly::start(const Model& model) const {
  for (std::size_t i = 0; i < q.size(); ++i)
    if (!std::isfinite(q[i]) || !std::isfinite(v[i]))
      throw AssemblyError("initial", "coordinate " + std::to_string(i) + " does not start at a finite number");
  return make_state(model, t_begin, q, v);
}

std::vector<std::string> names_of_bodies(const Assembly& assembly) {
  std::vector<std::string> names;
  for (const Body& body : assembly.parts.bodies) names.push_back(body.name);
  return names;
}

bool is_obstacle(const Body& body, const std::vector<Support>& supports) {
  return body.rigid != nullptr && std::any_of(supports.begin(), supports.end(), [&](const Support& support) {
           return support.name == body.name && static_cast<int>(support.coordinates.size()) == body.size() &&
                  support.coordinates.front() == body.first;
         });
}

std::vector<int> bodies_of(const Assembly& assembly, const std::string& wanted) {
  std::vector<int> result;
  for (std::size_t k = 0; k < assembly.parts.bodies.size(); ++k) {
    const Body& body = assembly.parts.bodies[k];
    if (wanted.empty() ? is_obstacle(body, assembly.parts.supports) : body.name != wanted) continue;
    if (body.dimension == 0 && wanted.empty() && assembly.dimension() > 0) continue;  // it is for the others
    if (body.dimension == 0)
      throw AssemblyError(
          wanted.empty() ? "kind" : "body",
          "acts on nodes, and '" + body.name +
              "' has generalised coordinates; write it into the system's potential, dissipation or forces");
    result.push_back(static_cast<int>(k));
  }
  if (!wanted.empty() && result.empty())
    throw AssemblyError("body",
                        "no body '" + wanted + "'." + suggestion(wanted, names_of_bodies(assembly), "There are"));
  return result;
}

std::vector<int> bodies_of(const Settings& settings, const Assembly& assembly) {
  try {
    return bodies_of(assembly, settings.given("body") ? settings.text("body") : "");
  } catch (const AssemblyError& error) {
    settings.refuse(error.key, error.what());
  }
}

}  // namespace livens
