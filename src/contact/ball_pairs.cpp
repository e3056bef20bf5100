#include "contact/ball_pairs.hpp"

#include <limits>

namespace livens {

double ball_pair_energy(const BallPair& pair, const std::vector<Point3>& x) {
  const double u = pair.square.u(square(x[pair.point] - x[pair.ball]));
  return u > 0 ? pair.strength * rational_barrier::value(u) : std::numeric_limits<double>::infinity();
}

void add_ball_pair_gradient(const BallPair& pair, const std::vector<Point3>& x, Point3* forces) {
  const Point3 r = x[pair.point] - x[pair.ball];
  const double slope = rational_barrier::first(pair.square.u(square(r)));
  const Point3 force = (2 * pair.strength / pair.square.scale() * slope) * r;
  forces[pair.point] += force;
  forces[pair.ball] -= force;
}

bool ball_pair_contact(const BallPair& pair, const std::vector<Point3>& x0, const std::vector<Point3>& x1,
                       Contact& contact) {
  const Point3 r0 = x0[pair.point] - x0[pair.ball], r1 = x1[pair.point] - x1[pair.ball];
  const double u0 = pair.square.u(square(r0)), u1 = pair.square.u(square(r1));
  if (!(u0 < 1) && !(u1 < 1)) return false;
  const auto b = rational_barrier::difference(u0, u1);
  const double scaled = pair.strength / pair.square.scale();
  contact.count = 2;
  contact.point[0] = pair.point;
  contact.point[1] = pair.ball;
  contact.c0[0] = contact.c[0] = contact.c1[0] = 1;
  contact.c0[1] = contact.c[1] = contact.c1[1] = -1;
  contact.mean = r0 + r1;
  contact.r1 = r1;
  contact.force = scaled * b.slope;
  contact.steep = 2 * scaled * b.by_u1 / pair.square.scale();
  return true;
}

}  // namespace livens
