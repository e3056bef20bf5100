// Stormer-Verlet with contact in layers: all elements on one clock, that of the step, and every pair that is near on
// the clocks of its layers, powers of two of it (src/asynchronous/layered_contact.hpp). Without contact it is Verlet's
// method; drag acts exactly between impulses, damping along elements lags, as in asynchronous steps.
#pragma once

#include <memory>
#include <string>

#include <livens/integrator.hpp>
#include <livens/settings.hpp>

namespace livens {

// Why a method of clocks cannot keep the surfaces of this model apart; empty if it can.
std::string layered_contact_refusal(const Model& model);

std::string layered_verlet_refusal(const Settings& settings, const Model& model);
std::unique_ptr<Integrator> make_layered_verlet(const Settings& settings, const Model& model);

}  // namespace livens
