#include "simbody_chain.hpp"

#include <cmath>
#include <cstdio>

#include <Simbody.h>

#include "../table.hpp"

namespace peers {

using namespace SimTK;

struct SimbodyChain::Parts {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::vector<MobilizedBody> beads;
};

SimbodyChain::SimbodyChain(int n, double gravity) : parts_(std::make_unique<Parts>()) {
  Force::UniformGravity weight(parts_->forces, parts_->matter, Vec3(0, -gravity, 0));
  const double length = 1.0 / n;
  const Body::Rigid bead(MassProperties(length, Vec3(0), Inertia(0)));
  for (int i = 0; i < n; ++i) {
    MobilizedBody parent = i == 0 ? static_cast<MobilizedBody>(parts_->matter.Ground()) : parts_->beads.back();
    parts_->beads.push_back(MobilizedBody::Pin(parent, Transform(Vec3(0)), bead, Transform(Vec3(-length, 0, 0))));
  }
  parts_->system.realizeTopology();
}

SimbodyChain::~SimbodyChain() = default;

SimbodyChain::Run SimbodyChain::run(const std::string& method, double accuracy, double end) const try {
  const MultibodySystem& system = parts_->system;
  std::unique_ptr<Integrator> integrator;
  if (method == methods[0]) integrator = std::make_unique<RungeKuttaMersonIntegrator>(system);
  if (method == methods[1]) integrator = std::make_unique<VerletIntegrator>(system);
  if (method == methods[2]) integrator = std::make_unique<CPodesIntegrator>(system, CPodes::BDF);
  if (method == methods[3]) integrator = std::make_unique<CPodesIntegrator>(system, CPodes::Adams);
  integrator->setAccuracy(accuracy);
  State state = system.getDefaultState();
  system.realize(state, Stage::Dynamics);
  const double E = system.calcEnergy(state);
  const double since = processor_seconds();
  integrator->setFinalTime(end);
  integrator->initialize(state);
  while (integrator->getTime() < end && integrator->stepTo(end) != Integrator::EndOfSimulation) {}
  Run run;
  run.seconds = processor_seconds() - since;
  const State& last = integrator->getState();
  system.realize(last, Stage::Dynamics);
  run.energy_error = std::abs(system.calcEnergy(last) - E);
  for (const MobilizedBody& bead : parts_->beads) {
    const Vec3 at = bead.getBodyOriginLocation(last);
    run.places.insert(run.places.end(), {at[0], at[1]});
  }
  run.done = true;
  return run;
} catch (const std::exception& error) {
  std::fprintf(stderr, "simbody, %s at %g: %s\n", method.c_str(), accuracy, error.what());
  return {};
}

}  // namespace peers
