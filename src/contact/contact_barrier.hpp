// A barrier that keeps surfaces apart: a fixed potential of the coordinates, with a range and a pressure.
//
//   B = sum over points a and bodies of the sums of point_facets.hpp  +  sum over pairs of edges m(c) b,
//   b = k b(u),   u = (distance / range)^2,   k = (2/27) w pressure range,   b(u) of rational_barrier.hpp
//
// so that the pressure at gap y range is pressure (4/27) (1 - y^2)^2 (1 + 2 y^2) / y^3: `pressure` at half the range,
// and without bound towards the surface. w is the area that a point stands for, shared between the two bodies by the
// fourth powers of their edges: the finer one integrates the pressure. Pairs of edges act below half the range only,
// and less where they are nearly parallel (m), which is where their distance has kinks. Nothing here is adapted during
// a run: B is a function of q alone, of class C1, and invariant under rigid motions but for planes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contact/friction.hpp"
#include "contact/restitution.hpp"
#include "contact/surface.hpp"

namespace livens {

// How two bodies meet.
struct BarrierPair {
  bool meets = false;
  double range = 0, pressure = 0;  // m, Pa
};

// A half space, or a sphere at rest, that a body meets.
struct BarrierPlane {
  int body = 0;
  Point3 point, normal;  // m, of the plane, or the centre; of length 1, towards the free side
  double range = 0, pressure = 0;
  double thickness = 0;  // m, of the points: radius of particles
  double radius = 0;     // m, of the sphere; 0: a plane
  bool inside = false;   // bodies are in the sphere

  // Of a point of the surface, m; negative beyond it.
  double gap(const Point3& x) const {
    if (radius == 0) return dot(normal, x - point) - thickness;
    return (inside ? -1 : 1) * (length(x - point) - radius) - thickness;
  }
  // Its gradient.
  Point3 direction(const Point3& x) const {
    if (radius == 0) return normal;
    const Point3 r = x - point;
    return ((inside ? -1 : 1) / length(r)) * r;
  }
};

// A gap and where it is.
struct ContactGap {
  double gap = 0;  // m; infinite if nothing is near
  Point3 place;
  std::string names;  // "point 12 of a, facet 7 of b"
};

// Which pairs of bodies to look at: all, those of one body, or those of two, of which the other may be the planes.
struct Between {
  static constexpr int any = -2, plane = -1;
  int body = any, other = any;
  bool has(int a, int b) const {
    return body == any || (a == body && (other == any || b == other)) || (b == body && (other == any || a == other));
  }
};

// What contacts do to one body.
struct ContactLoad {
  Point3 force, moment;  // N, N m about a given point
  int count = 0;         // pairs within their range
};

// The function of the gap: the rational one above, or a sum of nested layers for clocks (contact/layer_law.hpp).
enum class BarrierForm { rational, layers };

class ContactBarrier {
 public:
  // pairs: bodies x bodies, symmetric.
  ContactBarrier(ContactSurface surface, std::vector<BarrierPair> pairs, std::vector<BarrierPlane> planes,
                 const FrictionLaw& friction = {}, double restitution = 1);

  const ContactSurface& surface() const { return surface_; }
  const BarrierPair& pair(int a, int b) const { return pairs_[a * bodies_ + b]; }
  const std::vector<BarrierPlane>& planes() const { return planes_; }
  const FrictionLaw& friction() const { return friction_; }
  BarrierForm form() const { return form_; }
  void take_form(BarrierForm form) { form_ = form; }
  RestitutionLaw restitution() const { return {restitution_, friction_.stick_speed}; }
  double largest_range() const { return range_; }
  double skin() const { return skin_; }
  std::vector<char> meets() const;
  // w of a point against a body.
  double weight(int point, int body) const;
  // Coordinates that its points are made of, sorted.
  const std::vector<int>& coordinates() const { return coordinates_; }

  // Infinite or not a number where surfaces touch; where they have passed through each other it means nothing.
  double energy(ConstVector q) const;
  void add_gradient(ConstVector q, double scale, Vector gradient) const;
  // Force on the bodies by all planes and spheres, N.
  Point3 plane_force(ConstVector q) const;
  // The smallest gap between what meets, of those within the range.
  ContactGap smallest_gap(ConstVector q, const Between& between = {}) const;
  // What contacts do to between.body, moments about a point.
  ContactLoad load(ConstVector q, const Between& between, const Point3& about) const;
  // Force on every point of the surface, N; those on samples are on the corners of their facets.
  std::vector<Point3> forces(ConstVector q) const;

 private:
  // use(set) with the pairs at q, which are kept until another q is asked for: a row of a history wants energy, forces
  // and gaps of the same positions. One thread at a time.
  template <class Use>
  auto at(ConstVector q, const Use& use) const;
  struct Kept;

  ContactSurface surface_;
  std::vector<BarrierPair> pairs_;
  std::vector<BarrierPlane> planes_;
  FrictionLaw friction_;
  double restitution_;
  int bodies_;
  BarrierForm form_ = BarrierForm::rational;
  double range_ = 0, skin_ = 0;
  std::vector<int> coordinates_;
  std::shared_ptr<Kept> kept_;
};

// (2/27) w pressure range
inline double barrier_strength(double weight, double pressure, double range) {
  return 2.0 / 27 * weight * pressure * range;
}

}  // namespace livens
