#include "forces/dead_load.hpp"

#include <algorithm>
#include <numeric>

#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"
#include "model/selections.hpp"

namespace livens {
namespace {

// Modes that do not change become one: a face of a thousand quadrature points costs one pass over its nodes.
std::vector<LoadMode> merged(std::vector<LoadMode> modes, std::size_t coordinates) {
  std::vector<LoadMode> result;
  std::vector<double> steady(coordinates, 0.0);
  for (LoadMode& mode : modes) {
    if (!mode.f->steady()) {
      result.push_back(std::move(mode));
      continue;
    }
    const double f = mode.f->value(mode.X, 0);
    for (const auto& [i, share] : mode.shares) steady[i] += f * share;
  }
  LoadMode one;
  one.f = std::make_shared<const LoadFunction>(1.0);
  for (std::size_t i = 0; i < coordinates; ++i)
    if (steady[i] != 0) one.shares.emplace_back(static_cast<int>(i), steady[i]);
  if (!one.shares.empty()) result.push_back(std::move(one));
  return result;
}

std::vector<double> reference_of(const Assembly& assembly) {
  std::vector<double> reference = assembly.q;
  for (const Body& body : assembly.parts.bodies)
    std::copy(body.reference.begin(), body.reference.end(), reference.begin() + body.first);
  return reference;
}

}  // namespace

DeadLoad::DeadLoad(std::string name, std::vector<LoadMode> modes, std::vector<double> reference)
    : EnergyTerm(std::move(name)),
      modes_(merged(std::move(modes), reference.size())),
      reference_(std::move(reference)) {}

double DeadLoad::work_of(const LoadMode& mode, ConstVector q) const {
  double sum = 0;
  for (const auto& [i, share] : mode.shares) {
    const auto k = static_cast<std::size_t>(i);
    sum += share * (q[k] - reference_[k]);
  }
  return sum;
}

double DeadLoad::energy(double t, ConstVector q) const {
  double sum = 0;
  for (const LoadMode& mode : modes_) sum -= mode.f->value(mode.X, t) * work_of(mode, q);
  return sum;
}

void DeadLoad::add_gradient(double t, ConstVector, double scale, Vector gradient) const {
  for (const LoadMode& mode : modes_) {
    const double f = scale * mode.f->value(mode.X, t);
    for (const auto& [i, share] : mode.shares) gradient[i] -= f * share;
  }
}

std::vector<int> DeadLoad::coordinates() const {
  std::vector<int> all;
  for (const LoadMode& mode : modes_)
    for (const auto& share : mode.shares) all.push_back(share.first);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool DeadLoad::add_constant_load(Vector f) const {
  for (const LoadMode& mode : modes_)
    if (!mode.f->steady()) return false;
  for (const LoadMode& mode : modes_)
    for (const auto& [i, share] : mode.shares) f[i] += mode.f->value(mode.X, 0) * share;
  return true;
}

double DeadLoad::time_derivative(double t, ConstVector q) const {
  double sum = 0;
  for (const LoadMode& mode : modes_) {
    const double rate = mode.f->rate(mode.X, t);
    if (rate != 0) sum -= rate * work_of(mode, q);
  }
  return sum;
}

void add_dead_load(Assembly& assembly, const std::string& name, std::vector<LoadMode> modes) {
  if (!modes.empty())
    assembly.parts.terms.push_back(std::make_shared<DeadLoad>(name, std::move(modes), reference_of(assembly)));
}

std::vector<NodeSet> loaded_nodes(const std::string& selection, const std::string& body, const Assembly& assembly) {
  if (!selection.empty()) return {selected_nodes(assembly, selection)};
  std::vector<NodeSet> sets;
  for (const int k : bodies_of(assembly, body)) {
    sets.push_back({k, std::vector<int>(at(assembly.parts.bodies[at(k)].nodes))});
    std::iota(sets.back().nodes.begin(), sets.back().nodes.end(), 0);
  }
  return sets;
}

std::vector<Parameter> where_keys() {
  return {key("selection", ValueType::name, "-", "", "a [[selection]], or body.group"),
          key("body", ValueType::name, "-", "", "or all of a body; default: all bodies")};
}

}  // namespace livens
