// Impacts at instants (R. C. Fetecau, J. E. Marsden, M. Ortiz, M. West, Nonsmooth Lagrangian mechanics and variational
// collision integrators, 2003): which bodies may hit which, and where a step first does.
//
// What can hit are balls, particles and rigid ones, each other and walls; and points of rigid shapes that are not round
// walls that no face can pass before a corner does: planes, and the inside of spheres. In a step of the length h points
// move on parabolas x0 + tau v0 + tau^2 (x1 - x0 - h v0) / h^2, which is exact for Verlet's method: the gap to a plane
// is a polynomial of degree 2, |r|^2 - xi^2 one of degree 4, and the first zero is found for certain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contact/broad_phase.hpp"
#include "contact/contact_barrier.hpp"

namespace livens {

class ContactImpacts {
 public:
  // meets: bodies x bodies, of balls. walls: without range and pressure.
  ContactImpacts(ContactSurface surface, std::vector<char> meets, std::vector<BarrierPlane> walls, double restitution,
                 double friction)
      : surface_(std::move(surface)),
        meets_(std::move(meets)),
        walls_(std::move(walls)),
        restitution_(restitution),
        friction_(friction) {}

  const ContactSurface& surface() const { return surface_; }
  const std::vector<char>& meets() const { return meets_; }
  const std::vector<BarrierPlane>& walls() const { return walls_; }
  double restitution() const { return restitution_; }
  double friction() const { return friction_; }

 private:
  ContactSurface surface_;
  std::vector<char> meets_;
  std::vector<BarrierPlane> walls_;
  double restitution_, friction_;
};

struct Impact {
  double part = 0;  // of the step
  int point = -1;   // of the surface
  int ball = -1;    // that it hits, or
  int wall = -1;
};

// Looks for impacts; a value of those who step.
class ImpactSearch {
 public:
  explicit ImpactSearch(const ContactImpacts& impacts);

  // The first one on the parabolas from q0 with v0 to q1 in h; of those at one instant walls before balls, then the
  // smaller numbers.
  std::optional<Impact> first(ConstVector q0, ConstVector v0, ConstVector q1, double h);

  // At q: gap (m) and its direction, towards the first point.
  double gap(const Impact& impact, ConstVector q);
  Point3 direction(const Impact& impact, ConstVector q);
  // gradient += the gradient of the velocity along t of the first point against what it hits: of the points themselves,
  // or, at_surface, of where they touch, n away from the first one's centre by its radius: balls turn. After
  // direction().
  void add_velocity_gradient(const Impact& impact, const Point3& t, bool at_surface, Vector gradient);

  const ContactImpacts& impacts() const { return impacts_; }
  std::string names(const Impact& impact) const;  // "'a' and the wall"
  // The first pair that overlaps at q.
  std::optional<Impact> overlap(ConstVector q);

 private:
  void add_point(int point, const Point3& t, double scale, bool at_surface, Vector gradient);
  std::optional<double> wall_part(const BarrierPlane& wall, int point, double h) const;
  std::optional<double> ball_part(int a, int b, double h) const;

  const ContactImpacts& impacts_;
  BroadPhase broad_;
  std::vector<Point3> x0_, v0_, x1_;
  std::vector<Box> boxes_;
  Point3 normal_;  // of the last direction()
};

}  // namespace livens
