#include "contact/contact_barrier.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "contact/contact_set.hpp"
#include "contact/layered_pairs.hpp"

namespace livens {
namespace {

constexpr double skin_of_edge = 0.25;  // lists of pairs live until a point has moved a quarter of an edge

}  // namespace

struct ContactBarrier::Kept {
  std::mutex mutex;
  const ContactBarrier* owner = nullptr;
  std::unique_ptr<ContactSet> set;
  std::vector<double> q, rest;
};

template <class Use>
auto ContactBarrier::at(ConstVector q, const Use& use) const {
  const std::lock_guard lock(kept_->mutex);
  if (kept_->owner != this) {
    kept_->set = std::make_unique<ContactSet>(*this);
    kept_->owner = this;
    kept_->q.clear();
  }
  if (!std::equal(q.begin(), q.end(), kept_->q.begin(), kept_->q.end())) {
    kept_->q.clear();  // not those of a set that could not be made
    kept_->rest.assign(q.size(), 0.0);
    kept_->set->begin(q, kept_->rest, 0);
    kept_->q.assign(q.begin(), q.end());
  }
  return use(*kept_->set);
}

ContactBarrier::ContactBarrier(ContactSurface surface, std::vector<BarrierPair> pairs, std::vector<BarrierPlane> planes,
                               const FrictionLaw& friction, double restitution)
    : surface_(std::move(surface)),
      pairs_(std::move(pairs)),
      planes_(std::move(planes)),
      friction_(friction),
      restitution_(restitution),
      bodies_(static_cast<int>(surface_.bodies().size())),
      kept_(std::make_shared<Kept>()) {
  for (const BarrierPair& pair : pairs_)
    if (pair.meets) range_ = std::max(range_, pair.range);
  double edge = std::numeric_limits<double>::infinity();
  for (const auto& body : surface_.bodies())
    if (body.edge > 0 && !body.fixed) edge = std::min(edge, body.edge);
  skin_ = std::max(0.5 * range_, std::isfinite(edge) ? skin_of_edge * edge : 0);
  for (int a = 0; a < surface_.points(); ++a)
    for (const auto& part : surface_.parts(a))
      for (int c = 0; c < surface_.dimension(); ++c) coordinates_.push_back(part.first + c);
  std::sort(coordinates_.begin(), coordinates_.end());
  coordinates_.erase(std::unique(coordinates_.begin(), coordinates_.end()), coordinates_.end());
}

std::vector<char> ContactBarrier::meets() const {
  std::vector<char> result;
  for (const BarrierPair& pair : pairs_) result.push_back(pair.meets ? 1 : 0);
  return result;
}

// A_a e_B^4 / (e_A^4 + e_B^4). Nodes of the coarser body push the finer one at single places: by the squares of the
// edges each would push, in space, as hard as a node of the finer one. By higher powers corners of the coarser one
// would have next to no area of their own.
double ContactBarrier::weight(int point, int body) const {
  const double own = surface_.bodies()[surface_.body_of_point(point)].edge, other = surface_.bodies()[body].edge;
  const double ratio = own * own / (other * other);
  return surface_.pushing_area(point) / (1 + ratio * ratio);
}

double ContactBarrier::energy(ConstVector q) const {
  if (form_ == BarrierForm::layers) return layered_state(*this, q).energy;
  return at(q, [](ContactSet& set) { return set.energy(); });
}

void ContactBarrier::add_gradient(ConstVector q, double scale, Vector gradient) const {
  if (form_ == BarrierForm::layers) return surface_.add_back(layered_state(*this, q).forces, -scale, gradient);
  at(q, [&](ContactSet& set) { set.add_start_gradient(scale, gradient); });
}

Point3 ContactBarrier::plane_force(ConstVector q) const {
  if (form_ == BarrierForm::layers) return layered_state(*this, q).plane_force;
  return at(q, [](ContactSet& set) { return set.plane_force(); });
}

ContactGap ContactBarrier::smallest_gap(ConstVector q, const Between& between) const {
  return at(q, [&](ContactSet& set) { return set.smallest_gap(between); });
}

ContactLoad ContactBarrier::load(ConstVector q, const Between& between, const Point3& about) const {
  if (form_ == BarrierForm::rational) return at(q, [&](ContactSet& set) { return set.load(between, about); });
  const LayeredState state = layered_state(*this, q, between);
  ContactLoad load;
  load.count = state.count;
  if (between.body < 0) return load;
  std::vector<Point3> x;
  surface_.positions(q, x);
  const auto& body = surface_.bodies()[between.body];
  for (int a = body.points_begin; a < body.points_end; ++a) {
    load.force += state.forces[a];
    load.moment += cross(x[a] - about, state.forces[a]);
  }
  return load;
}

std::vector<Point3> ContactBarrier::forces(ConstVector q) const {
  if (form_ == BarrierForm::layers) return layered_state(*this, q).forces;
  std::vector<Point3> forces = at(q, [](ContactSet& set) { return set.start_gradient(); });
  for (Point3& force : forces) force = -1 * force;
  return forces;
}

}  // namespace livens
