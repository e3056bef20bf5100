#include "contact/impacts.hpp"

#include "contact/friction.hpp"
#include "math/first_crossing.hpp"

namespace livens {
namespace {

constexpr double overlap_allowed = 1e-12;  // of the places: rounding
constexpr double no_approach = 1e-13;      // of the places: gaps that change by no more in a step are at rest

// r(s) = r0 + s r1 + s^2 r2 on [0, 1].
struct Parabola {
  Point3 r0, r1, r2;
};

Parabola parabola(const Point3& x0, const Point3& v0, const Point3& x1, double h) {
  return {x0, h * v0, x1 - x0 - h * v0};
}

// |r|^2 - xi^2
std::array<double, 5> square_less(const Parabola& p, double xi) {
  const double d0 = length(p.r0);
  return {(d0 - xi) * (d0 + xi), 2 * dot(p.r0, p.r1), square(p.r1) + 2 * dot(p.r0, p.r2), 2 * dot(p.r1, p.r2),
          square(p.r2)};
}

double skin_of(const ContactSurface& surface) {
  double radius = 0;
  for (const auto& body : surface.bodies()) radius = std::max(radius, body.radius);
  return radius;
}

}  // namespace

ImpactSearch::ImpactSearch(const ContactImpacts& impacts)
    : impacts_(impacts), broad_(impacts.surface(), impacts.meets(), skin_of(impacts.surface())) {}

// |r|^2 - xi^2 has twice the distance as its slope.
std::optional<double> ImpactSearch::wall_part(const BarrierPlane& wall, int a, double h) const {
  Parabola p = parabola(x0_[a], v0_[a], x1_[a], h);
  const double rest = no_approach * (largest_of(x0_[a]) + wall.thickness + wall.radius);
  if (wall.radius == 0)
    return first_crossing<2>({wall.gap(x0_[a]), dot(wall.normal, p.r1), dot(wall.normal, p.r2)}, rest);
  p.r0 -= wall.point;
  if (!wall.inside)
    return first_crossing<4>(square_less(p, wall.radius + wall.thickness), 2 * rest * (wall.radius + wall.thickness));
  std::array<double, 5> f = square_less(p, wall.radius - wall.thickness);
  for (double& coefficient : f) coefficient = -coefficient;
  return first_crossing<4>(f, 2 * rest * wall.radius);
}

std::optional<double> ImpactSearch::ball_part(int a, int b, double h) const {
  const ContactSurface& surface = impacts_.surface();
  const double xi = surface.radius(a) + surface.radius(b);
  const double rest = no_approach * (largest_of(x0_[a]) + xi);
  return first_crossing<4>(square_less(parabola(x0_[a] - x0_[b], v0_[a] - v0_[b], x1_[a] - x1_[b], h), xi),
                           2 * rest * xi);
}

std::optional<Impact> ImpactSearch::first(ConstVector q0, ConstVector v0, ConstVector q1, double h) {
  const ContactSurface& surface = impacts_.surface();
  surface.positions(q0, x0_);
  surface.positions(v0, v0_);
  surface.positions(q1, x1_);
  std::optional<Impact> found;
  const auto offer = [&](const std::optional<double>& part, int point, int ball, int wall) {
    if (part && (!found || *part < found->part)) found = Impact{*part, point, ball, wall};
  };
  for (std::size_t k = 0; k < impacts_.walls().size(); ++k) {
    const BarrierPlane& wall = impacts_.walls()[k];
    const auto& body = surface.bodies()[wall.body];
    for (int a = body.points_begin; a < body.points_end; ++a) offer(wall_part(wall, a, h), a, -1, static_cast<int>(k));
  }
  boxes_.assign(x0_.size(), Box{});
  for (std::size_t a = 0; a < x0_.size(); ++a)  // a parabola is within the triangle of its ends and their tangents
    for (const Point3& corner : {x0_[a], x0_[a] + (0.5 * h) * v0_[a], x1_[a]}) boxes_[a].take(corner);
  broad_.find(boxes_, 0, 0);
  for (const CandidatePair& pair : broad_.point_balls())
    offer(ball_part(pair.first, pair.second, h), pair.first, pair.second, -1);
  return found;
}

double ImpactSearch::gap(const Impact& impact, ConstVector q) {
  const ContactSurface& surface = impacts_.surface();
  surface.positions(q, x1_);
  if (impact.wall >= 0) return impacts_.walls()[impact.wall].gap(x1_[impact.point]);
  return length(x1_[impact.point] - x1_[impact.ball]) - surface.radius(impact.point) - surface.radius(impact.ball);
}

Point3 ImpactSearch::direction(const Impact& impact, ConstVector q) {
  impacts_.surface().positions(q, x1_);
  if (impact.wall >= 0) return normal_ = impacts_.walls()[impact.wall].direction(x1_[impact.point]);
  const Point3 r = x1_[impact.point] - x1_[impact.ball];
  return normal_ = (1 / length(r)) * r;
}

// A ball's surface goes with v - w x arm, the arm from there to its centre (friction.hpp).
void ImpactSearch::add_point(int point, const Point3& t, double scale, bool at_surface, Vector gradient) {
  const ContactSurface& surface = impacts_.surface();
  const int d = surface.dimension();
  const auto add = [&](int a, const Point3& along) {
    const double components[3] = {along.x, along.y, along.z};
    for (const auto& part : surface.parts(a))
      for (int c = 0; c < d; ++c) gradient[part.first + c] += scale * part.weight * components[c];
  };
  add(point, t);
  const auto& body = surface.bodies()[surface.body_of_point(point)];
  if (!at_surface || body.carriers_end == body.samples_end) return;
  const std::span<const Point3> carriers(x1_.data() + body.samples_end, x1_.data() + body.carriers_end);
  const std::vector<Point3> rest(carriers.size());
  BodySpin spin;
  spin.begin(carriers, rest, d);
  const Point3 arm = (scale * body.radius) * normal_;  // of the second one the other way
  for (std::size_t k = 0; k < carriers.size(); ++k) {
    const Matrix3 G = spin.lever(carriers[k], arm);
    add(body.samples_end + static_cast<int>(k),
        {G[0] * t.x + G[3] * t.y + G[6] * t.z, G[1] * t.x + G[4] * t.y + G[7] * t.z,
         G[2] * t.x + G[5] * t.y + G[8] * t.z});
  }
}

void ImpactSearch::add_velocity_gradient(const Impact& impact, const Point3& t, bool at_surface, Vector gradient) {
  add_point(impact.point, t, 1, at_surface, gradient);
  if (impact.ball >= 0) add_point(impact.ball, t, -1, at_surface, gradient);
}

std::string ImpactSearch::names(const Impact& impact) const {
  const ContactSurface& surface = impacts_.surface();
  const auto name = [&](int point) {
    const auto& body = surface.bodies()[surface.body_of_point(point)];
    const bool several = body.points_end - body.points_begin > 1;
    return (several ? "node " + std::to_string(point - body.points_begin) + " of '" : "'") + body.name + "'";
  };
  return name(impact.point) + " and " + (impact.wall >= 0 ? "the wall" : name(impact.ball));
}

std::optional<Impact> ImpactSearch::overlap(ConstVector q) {
  const ContactSurface& surface = impacts_.surface();
  surface.positions(q, x0_);
  for (std::size_t k = 0; k < impacts_.walls().size(); ++k) {
    const BarrierPlane& wall = impacts_.walls()[k];
    const auto& body = surface.bodies()[wall.body];
    for (int a = body.points_begin; a < body.points_end; ++a)
      if (wall.gap(x0_[a]) < -overlap_allowed * (largest_of(x0_[a]) + wall.radius + wall.thickness))
        return Impact{0, a, -1, static_cast<int>(k)};
  }
  boxes_.assign(x0_.size(), Box{});
  for (std::size_t a = 0; a < x0_.size(); ++a) boxes_[a].take(x0_[a]);
  broad_.find(boxes_, 0, 0);
  for (const CandidatePair& pair : broad_.point_balls()) {
    const double radii = surface.radius(pair.first) + surface.radius(pair.second);
    if (length(x0_[pair.first] - x0_[pair.second]) < radii - overlap_allowed * (radii + largest_of(x0_[pair.first])))
      return Impact{0, pair.first, pair.second, -1};
  }
  return std::nullopt;
}

}  // namespace livens
