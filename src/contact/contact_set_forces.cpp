// What the pairs of a contact set do: energy and gradient at one position, contacts of a step.
#include <algorithm>
#include <limits>

#include "contact/contact_set.hpp"
#include "contact/rational_barrier.hpp"
#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr std::size_t sets_each = 64, edges_each = 1024;  // of a task

// The place of a point in a contact, which is added if it is new.
int place_of(Contact& contact, int point) {
  for (int i = 0; i < contact.count; ++i)
    if (contact.point[i] == point) return i;
  contact.point[contact.count] = point;
  return contact.count++;
}

// Point against what it is nearest to at both ends; false if both are out of reach.
bool point_contact(const FacetSet& set, int sign, const Target& at0, const Target& at1, const std::vector<Point3>& x0,
                   const std::vector<Point3>& x1, Contact& contact) {
  const double square_range = set.square.scale(), u0 = set.square.u(at0.s), u1 = set.square.u(at1.s);
  if (!(u0 < 1) && !(u1 < 1)) return false;
  Coefficients c0{};
  contact.point[contact.count++] = set.point;
  c0[0] = contact.c1[0] = 1;
  for (int k = 0; k < at0.count; ++k) c0[place_of(contact, at0.point[k])] -= at0.weight[k];
  for (int k = 0; k < at1.count; ++k) {
    const int place = place_of(contact, at1.point[k]);
    contact.c1[place] -= at1.weight[k];
    contact.touched[place] = true;
  }
  Point3 y0[most_contact_points], y1[most_contact_points];
  for (int i = 0; i < contact.count; ++i) {
    y0[i] = x0[contact.point[i]];
    y1[i] = x1[contact.point[i]];
  }
  const MeanClosest mean = mean_closest({c0, at0.r, y0}, {contact.c1, at1.r, y1}, 1, contact.count);
  const auto b = rational_barrier::difference(u0, u1);
  const double scaled = sign * set.strength / square_range;
  contact.c0 = c0;
  contact.c = mean.c;
  contact.theta = mean.theta;
  contact.mean = mean.r0 + mean.r1;
  contact.r1 = at1.r;
  contact.force = scaled * b.slope;
  contact.steep = 2 * scaled * b.by_u1 / square_range;
  return true;
}

}  // namespace

double ContactSet::energy() const {
  double sum = 0;
  std::vector<SignedTarget> terms;
  for (std::size_t k = 0; k < at0_.size(); ++k) {
    if (at0_[k].reach == Reach::idle) continue;
    const FacetSet& set = sets_.sets()[k];
    terms.clear();
    sets_.state(set, x0_, &terms);
    for (const SignedTarget& term : terms)
      sum += term.sign * set.strength * rational_barrier::value(set.square.u(term.target.s));
  }
  for (std::size_t k = 0; k < edges_.size(); ++k)
    if (!out_of_range_at0(k)) sum += edge_pair_energy(edges_[k], edges_at0_[k]);
  for (const BallPair& pair : balls_) sum += ball_pair_energy(pair, x0_);
  for (const PlanePoint& at : planes_) {
    const double y = gap(at, x0_[at.point]) / barrier_.planes()[at.plane].range;
    sum += y > 0 ? at.strength * rational_barrier::value(y * y) : std::numeric_limits<double>::infinity();
  }
  return sum;
}

int ContactSet::side_of(int point) const {
  return barrier_.surface().is_fixed(point) ? Between::plane : barrier_.surface().body_of_point(point);
}

int ContactSet::gather_start_gradient(const Between& between) {
  const ContactSurface& surface = barrier_.surface();
  forces_.assign(x0_.size(), Point3{});
  int count = 0;
  std::vector<SignedTarget> terms;
  for (std::size_t k = 0; k < at0_.size(); ++k) {
    if (at0_[k].reach == Reach::idle) continue;
    const FacetSet& set = sets_.sets()[k];
    if (!between.has(side_of(set.point), surface.body_of_point(at0_[k].nearest.point[0]))) continue;
    ++count;
    const double square_range = set.square.scale();
    terms.clear();
    sets_.state(set, x0_, &terms);
    for (const auto& [sign, target] : terms) {
      const Point3 force =
          (2 * sign * set.strength / square_range * rational_barrier::first(set.square.u(target.s))) * target.r;
      forces_[set.point] += force;
      for (int i = 0; i < target.count; ++i) forces_[target.point[i]] -= target.weight[i] * force;
    }
  }
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const EdgePair& pair = edges_[k];
    if (out_of_range_at0(k)) continue;
    if (!between.has(surface.body_of_edge(pair.first), surface.body_of_edge(pair.second))) continue;
    if (edge_pair_energy(pair, edges_at0_[k]) > 0) ++count;
    add_edge_pair_gradient(pair, edges_at0_[k], x0_, 1, forces_.data());
  }
  for (const BallPair& pair : balls_) {
    if (!between.has(surface.body_of_point(pair.point), surface.body_of_point(pair.ball))) continue;
    if (ball_pair_energy(pair, x0_) > 0) ++count;
    add_ball_pair_gradient(pair, x0_, forces_.data());
  }
  for (const PlanePoint& at : planes_) {
    if (!between.has(surface.body_of_point(at.point), Between::plane)) continue;
    const BarrierPlane& plane = barrier_.planes()[at.plane];
    const double y = gap(at, x0_[at.point]) / plane.range;
    if (y < 1) ++count;
    forces_[at.point] +=
        (2 * at.strength / plane.range * y * rational_barrier::first(y * y)) * plane.direction(x0_[at.point]);
  }
  surface.take_to_corners(forces_);
  return count;
}

void ContactSet::add_start_gradient(double scale, Vector gradient) {
  gather_start_gradient({});
  barrier_.surface().add_back(forces_, scale, gradient);
}

const std::vector<Point3>& ContactSet::start_gradient() {
  gather_start_gradient({});
  return forces_;
}

ContactLoad ContactSet::load(const Between& between, const Point3& about) {
  ContactLoad load;
  load.count = gather_start_gradient(between);
  if (between.body < 0) return load;
  const auto& body = barrier_.surface().bodies()[between.body];
  for (int a = body.points_begin; a < body.points_end; ++a) {
    load.force -= forces_[a];
    load.moment -= cross(x0_[a] - about, forces_[a]);
  }
  return load;
}

Point3 ContactSet::plane_force() const {
  Point3 sum;
  for (const PlanePoint& at : planes_) {
    const BarrierPlane& plane = barrier_.planes()[at.plane];
    const double y = gap(at, x0_[at.point]) / plane.range;
    sum -= (2 * at.strength / plane.range * y * rational_barrier::first(y * y)) * plane.direction(x0_[at.point]);
  }
  std::vector<SignedTarget> terms;
  for (std::size_t k = 0; k < at0_.size(); ++k) {
    const FacetSet& set = sets_.sets()[k];
    if (at0_[k].reach == Reach::idle || !barrier_.surface().is_fixed(set.point)) continue;
    terms.clear();
    sets_.state(set, x0_, &terms);
    for (const auto& [sign, target] : terms)
      sum +=
          (2 * sign * set.strength / set.square.scale() * rational_barrier::first(set.square.u(target.s))) * target.r;
  }
  return sum;
}

ContactGap ContactSet::smallest_gap(const Between& between) const {
  const ContactSurface& surface = barrier_.surface();
  ContactGap found{std::numeric_limits<double>::infinity(), {}, ""};
  const auto name = [&](int body) { return surface.bodies()[body].name; };
  const auto point = [&](int a) {
    if (surface.is_fixed(a)) return std::string("the sphere");
    return (surface.is_sample(a) ? "a point of a facet of " : "a node of ") + name(surface.body_of_point(a));
  };
  const auto offer = [&](double d, int a, int b, const Point3& place, const auto& names) {
    if (d < found.gap && between.has(a, b)) found = {d, place, names()};
  };
  for (std::size_t k = 0; k < at0_.size(); ++k) {
    const FacetSet& set = sets_.sets()[k];
    const Target& nearest = at0_[k].nearest;
    const int own = side_of(set.point), other = surface.body_of_point(nearest.point[0]);
    offer(set.square.gap(nearest.s), own, other, x0_[set.point],
          [&] { return point(set.point) + " and a facet of " + name(other); });
  }
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const int own = surface.body_of_edge(edges_[k].first), other = surface.body_of_edge(edges_[k].second);
    offer(std::sqrt(edge_state_at0(k).closest.s), own, other, x0_[edges_[k].point[0]],
          [&] { return "an edge of " + name(own) + " and an edge of " + name(other); });
  }
  for (const BallPair& pair : balls_) {
    const int own = surface.body_of_point(pair.point), other = surface.body_of_point(pair.ball);
    offer(pair.square.gap(square(x0_[pair.point] - x0_[pair.ball])), own, other, x0_[pair.point],
          [&] { return point(pair.point) + " and a ball of " + name(other); });
  }
  for (const PlanePoint& at : planes_) {
    const int own = surface.body_of_point(at.point);
    offer(gap(at, x0_[at.point]), own, Between::plane, x0_[at.point], [&] {
      return point(at.point) + (barrier_.planes()[at.plane].radius > 0 ? " and the sphere" : " and the plane");
    });
  }
  return found;
}

void ContactSet::add_set_contacts(std::size_t number, std::vector<Contact>& list) const {
  const FacetSet& set = sets_.sets()[number];
  const SetState at1 = sets_.state(set, x1_, nullptr);
  const SetState& at0 = stands_ ? at1 : at0_[number];
  if (at0.reach == Reach::idle && at1.reach == Reach::idle) return;
  const auto add = [&](int sign, const Target& target0, const Target& target1) {
    Contact& contact = list.emplace_back();
    if (!point_contact(set, sign, target0, target1, start(), x1_, contact)) return list.pop_back();
    contact.gap = set.square.gap(std::min(target0.s, target1.s));
    withhold(contact, barrier_.restitution(), step_, std::sqrt(target0.s), std::sqrt(target1.s));
    contact.body = barrier_.surface().body_of_point(target1.point[0]);
  };
  if (at0.reach != Reach::several && at1.reach != Reach::several) {
    const std::size_t before = list.size();
    add(1, at0.nearest, sets_.widened(set, at1.nearest, x1_));
    if (list.size() > before) {
      take_normal_force(list.back());
      take_own_arm(list.back());
    }
    return;
  }
  const std::size_t first = list.size();
  thread_local std::vector<SignedTarget> before, after;
  sets_.features(set, start(), before);
  sets_.features(set, x1_, after);
  for (std::size_t k = 0; k < before.size(); ++k) add(before[k].sign, before[k].target, after[k].target);
  // Friction is that of the sum of their forces, at the nearest point of all.
  Contact sum;
  sum.count = 1 + at1.nearest.count;
  sum.body = barrier_.surface().body_of_point(at1.nearest.point[0]);
  sum.point[0] = set.point;
  sum.c1[0] = 1;
  for (int k = 0; k < at1.nearest.count; ++k) {
    sum.point[k + 1] = at1.nearest.point[k];
    sum.c1[k + 1] = -at1.nearest.weight[k];
  }
  Point3 push;
  for (std::size_t k = first; k < list.size(); ++k) push -= list[k].force * list[k].mean;
  sum.normal = length(push);
  if (sum.normal > 0) sum.direction = (1 / sum.normal) * push;
  take_own_arm(sum);
  list.push_back(sum);
}

void ContactSet::end_at(ConstVector q1) {
  stands_ = false;
  barrier_.surface().positions(q1, x1_);
  make_contacts();
}

void ContactSet::stand_at(ConstVector q1) {
  stands_ = true;
  barrier_.surface().positions(q1, x1_);
  make_contacts();
}

void ContactSet::find_reach() {
  reach_.resize(x1_.size());
  for (std::size_t a = 0; a < x1_.size(); ++a) reach_[a] = length(x1_[a] - x0_[a]);
  farthest_reach_ = 0;
  reach_of_body_.clear();
  for (const auto& body : barrier_.surface().bodies()) {
    double most = 0;
    for (int a = body.points_begin; a < body.points_end; ++a) most = std::max(most, reach_[a]);
    reach_of_body_.push_back(most);
    farthest_reach_ = std::max(farthest_reach_, most);
  }
}

bool ContactSet::stays_idle(std::size_t number) const {
  const FacetSet& set = sets_.sets()[number];
  const SetState& at0 = at0_[number];
  if (stands_ || at0.reach != Reach::idle) return false;
  const int other = barrier_.surface().body_of_point(at0.nearest.point[0]);
  const double closed = reach_[set.point] + reach_of_body_[other], left = std::sqrt(at0.nearest.s) - closed;
  return left > 0 && left * left > set.square.reach();
}

void ContactSet::add_edge_contact(std::size_t k, std::vector<Contact>& list) const {
  const double least = edge_gaps_at0_[k];
  // Out of reach at both ends; no edge has more than half of the largest range.
  if (least - 2 * farthest_reach_ > 0.5 * barrier_.largest_range()) return;
  const auto& p = edges_[k].point;
  const double range = edges_[k].range,
               closed = std::max(reach_[p[0]], reach_[p[1]]) + std::max(reach_[p[2]], reach_[p[3]]);
  if (least > range && least - closed > range) return;
  const EdgePairState at1 = edge_pair_state(edges_[k], x1_), at0 = stands_ ? at1 : edge_state_at0(k);
  Contact& contact = list.emplace_back();
  if (!edge_pair_contact(edges_[k], at0, at1, start(), x1_, contact)) return list.pop_back();
  const double d0 = std::sqrt(at0.closest.s), d1 = std::sqrt(at1.closest.s);
  contact.gap = std::min(d0, d1);
  withhold(contact, barrier_.restitution(), step_, d0, d1);
  contact.body = barrier_.surface().body_of_edge(edges_[k].second);
  contact.own = barrier_.surface().body_of_edge(edges_[k].first);
  contact.alike = true;
  take_normal_force(contact);
}

void ContactSet::make_contacts() {
  find_reach();
  const std::size_t of_sets = (at0_.size() + sets_each - 1) / sets_each,
                    tasks = of_sets + (edges_.size() + edges_each - 1) / edges_each;
  if (chunks_.size() < tasks) chunks_.resize(tasks);
  for_each_index(tasks, [&](std::size_t k) {
    chunks_[k].clear();
    if (k < of_sets) {
      for (std::size_t i = k * sets_each; i < std::min(at0_.size(), (k + 1) * sets_each); ++i)
        if (!stays_idle(i)) add_set_contacts(i, chunks_[k]);
    } else {
      const std::size_t from = (k - of_sets) * edges_each;
      for (std::size_t i = from; i < std::min(edges_.size(), from + edges_each); ++i) add_edge_contact(i, chunks_[k]);
    }
  });
  first_of_chunk_.assign(1, 0);
  for (std::size_t k = 0; k < tasks; ++k) first_of_chunk_.push_back(first_of_chunk_.back() + chunks_[k].size());
  contacts_.resize(first_of_chunk_.back());
  for_each_index(
      tasks, [&](std::size_t k) { std::copy(chunks_[k].begin(), chunks_[k].end(), &contacts_[first_of_chunk_[k]]); });
  for (const BallPair& pair : balls_) {
    Contact contact;
    if (!ball_pair_contact(pair, start(), x1_, contact)) continue;
    const double d0 = length(start()[pair.point] - start()[pair.ball]), d1 = length(contact.r1);
    contact.gap = std::min(d0, d1) - pair.square.thickness;
    withhold(contact, barrier_.restitution(), step_, d0, d1);
    contact.body = barrier_.surface().body_of_point(pair.ball);
    take_normal_force(contact);
    take_own_arm(contact);
    contact.other_arm = barrier_.surface().radius(pair.ball);
    contact.alike = contact.own >= 0 && std::isfinite(contact.own_arm);
    contacts_.push_back(contact);
  }
  for (const PlanePoint& at : planes_) {
    Contact contact;
    if (!plane_contact(at, contact)) continue;
    take_normal_force(contact);
    take_own_arm(contact);
    contacts_.push_back(contact);
  }
}

// D of a function of d^2: (k / range^2) b[u0, u1] (d0 + d1) D(d), D(d) = n, or (r0 + r1) / (|r0| + |r1|)
bool ContactSet::plane_contact(const PlanePoint& at, Contact& contact) const {
  const BarrierPlane& plane = barrier_.planes()[at.plane];
  const Point3 &x0 = start()[at.point], &x1 = x1_[at.point];
  const double d0 = plane.gap(x0), d1 = plane.gap(x1), range = plane.range;
  if (d0 >= range && d1 >= range) return false;
  const auto b = rational_barrier::difference(d0 * d0 / (range * range), d1 * d1 / (range * range));
  contact.count = 1;
  contact.point[0] = at.point;
  contact.c[0] = contact.c1[0] = 1;
  contact.gap = std::min(d0, d1);
  contact.gaps = d0 + d1;
  Point3 D = plane.normal;
  if (plane.radius > 0) {
    const Point3 r0 = x0 - plane.point, r1 = x1 - plane.point;
    const double across = (plane.inside ? -1 : 1) / (length(r0) + length(r1));
    D = across * (r0 + r1);
    contact.curved = contact.gaps * across;
  }
  contact.mean = contact.gaps * D;
  contact.r1 = d1 * plane.direction(x1);
  contact.force = at.strength / (range * range) * b.slope;
  contact.steep = 2 * at.strength * b.by_u1 / (range * range * range * range);
  withhold(contact, barrier_.restitution(), step_, d0, d1);
  return true;
}

double ContactSet::withheld() const {
  double sum = 0;
  for (const Contact& contact : contacts_) sum += contact.withheld;
  return sum;
}

double ContactSet::largest_travel(ConstVector v0, ConstVector v1) {
  barrier_.surface().movements(v0, v0_);
  barrier_.surface().movements(v1, forces_);
  double largest = 0;
  for (const Contact& contact : contacts_) {
    const double d1 = length(contact.r1);
    if (!(d1 > 0) || !(contact.gap > 0)) continue;
    double before = 0, after = 0;
    for (int i = 0; i < contact.count; ++i) {
      before += contact.c1[i] * dot(contact.r1, v0_[contact.point[i]]) / d1;
      after += contact.c1[i] * dot(contact.r1, forces_[contact.point[i]]) / d1;
    }
    const double travel = step_ * std::max(std::abs(before), std::abs(after)) / contact.gap;
    largest = std::max(largest, before < 0 && after > 0 ? std::sqrt(travel) : travel);
  }
  return largest;
}

void ContactSet::add_gradient(double scale, Vector gradient) {
  forces_.assign(x1_.size(), Point3{});
  for (const Contact& contact : contacts_) add_forces(contact, 1, forces_.data());
  barrier_.surface().add_back(forces_, scale, gradient);
}

// Of balls that turn; and of anything that rubs on a ball that does not.
void ContactSet::take_own_arm(Contact& contact) const {
  const ContactSurface& surface = barrier_.surface();
  const auto turns = [](const ContactSurface::Body& body) {
    return body.radius == 0 || body.fixed || body.carriers_end > body.samples_end;
  };
  const int first = surface.body_of_point(contact.point[0]);
  const auto& own = surface.bodies()[first];
  if (contact.body >= 0 && !turns(surface.bodies()[contact.body])) {
    contact.own = first;
    contact.own_arm = std::numeric_limits<double>::infinity();
  } else if (own.radius > 0 && turns(own)) {
    contact.own = first;
    contact.own_arm = own.radius;
  }
}

void ContactSet::add_carriers(int number, Rubbing& rubbing) const {
  if (number < 0) return;
  const auto& body = barrier_.surface().bodies()[number];
  rubbing.add_carriers(number, body.samples_end,
                       {middle_.data() + body.samples_end, middle_.data() + body.carriers_end}, spins_);
}

void ContactSet::add_friction(ConstVector v1, ConstVector mean, double scale, Vector force) {
  if (barrier_.friction().coefficient == 0) return;
  const ContactSurface& surface = barrier_.surface();
  surface.movements(v1, v1_);
  surface.movements(mean, mean_);
  middle_.resize(x1_.size());
  for (std::size_t a = 0; a < x1_.size(); ++a) middle_[a] = 0.5 * (x0_[a] + x1_[a]);
  const auto own = [](std::vector<Point3>& all, const ContactSurface::Body& body) {
    const bool carried = body.carriers_end > body.samples_end;
    return std::span<Point3>(all.data() + (carried ? body.samples_end : body.points_begin),
                             all.data() + (carried ? body.carriers_end : body.points_end));
  };
  spins_.resize(surface.bodies().size());
  mean_rates_.resize(spins_.size());
  moments_.assign(spins_.size(), Point3{});
  for (std::size_t b = 0; b < spins_.size(); ++b) {
    const auto& body = surface.bodies()[b];
    spins_[b].begin(own(middle_, body), own(v1_, body), surface.dimension());
    mean_rates_[b] = spins_[b].rate_of(own(middle_, body), own(mean_, body));
  }
  forces_.assign(x1_.size(), Point3{});
  visit_rubbing([&](const Contact&, const Rubbing& rubbing) { rubbing.add_forces(forces_.data(), moments_); });
  for (std::size_t b = 0; b < spins_.size(); ++b)
    spins_[b].take_moment(moments_[b], own(middle_, surface.bodies()[b]), own(forces_, surface.bodies()[b]));
  surface.add_back(forces_, scale, force);
}

}  // namespace livens
