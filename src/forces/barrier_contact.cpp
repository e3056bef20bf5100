#include "forces/barrier_contact.hpp"

#include "contact/contact_set.hpp"
#include "math/scratch.hpp"

namespace livens {

BarrierTerm::BarrierTerm(std::string name, ContactBarrier barrier, std::vector<Obstacle> obstacles)
    : EnergyTerm(std::move(name)), barrier_(std::move(barrier)), obstacles_(std::move(obstacles)) {}

bool BarrierTerm::add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const {
  if (scale == 0) return true;
  ScratchVector way(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) way[i] = y[i] - x[i];
  ContactSet set(barrier_);
  set.begin(x, way, 0);
  set.end_at(y);
  set.add_gradient(scale, gradient);
  return true;
}

ContactState BarrierTerm::contact(ConstVector q) const {
  const Point3 force = barrier_.plane_force(q);
  return {0, {force.x, force.y, force.z}};
}

}  // namespace livens
