// Potentials and forces of a user's own classes.
#include <livens/forces.hpp>

namespace livens {

void add(Assembly& assembly, std::shared_ptr<const EnergyTerm> term) {
  if (term == nullptr) throw AssemblyError("", "there is no energy term to add.");
  assembly.parts.terms.push_back(std::move(term));
}

void add(Assembly& assembly, std::shared_ptr<const Force> force) {
  if (force == nullptr) throw AssemblyError("", "there is no force to add.");
  assembly.parts.forces.push_back(std::move(force));
}

}  // namespace livens
