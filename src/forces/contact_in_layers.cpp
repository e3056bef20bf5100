#include "forces/contact_in_layers.hpp"

#include "forces/barrier_contact.hpp"

namespace livens {

void put_contact_in_layers(Assembly& assembly) {
  for (auto& term : assembly.parts.terms) {
    const auto rational = std::dynamic_pointer_cast<const BarrierTerm>(term);
    if (rational == nullptr || rational->surfaces().form() == BarrierForm::layers) continue;
    ContactBarrier barrier = rational->surfaces();
    barrier.take_form(BarrierForm::layers);
    const auto obstacles = rational->obstacles();
    const auto layered = std::make_shared<BarrierTerm>(rational->name(), std::move(barrier),
                                                       std::vector<Obstacle>(obstacles.begin(), obstacles.end()));
    for (auto& force : assembly.parts.forces)
      if (force->friction_of() == &rational->surfaces())
        force = std::make_shared<BarrierFriction>(force->name(), layered);
    term = layered;
  }
}

}  // namespace livens
