// What may meet in one step, and what it does: a value of those who step. Nothing of it outlives the step, but memory
// and lists that are functions of the positions.
//
// Every point has a box that it may not leave while the step is solved for; the pairs that are looked at are those
// whose boxes meet. A set of facets (point_facets.hpp) that is idle or simple at both ends of the step has one discrete
// gradient, with the nearest points of the whole set, on whatever facets they lie: the force on a point that slides
// over facets is then along the normal. Otherwise every feature has its own. Both give B(q1) - B(q0) exactly.
#pragma once

#include <vector>

#include "contact/ball_pairs.hpp"
#include "contact/broad_phase.hpp"
#include "contact/contact.hpp"
#include "contact/contact_barrier.hpp"
#include "contact/contact_tangent.hpp"
#include "contact/edge_pairs.hpp"
#include "contact/point_facets.hpp"

namespace livens {

class ContactSet {
 public:
  explicit ContactSet(const ContactBarrier& barrier);

  // A step from q0 begins: boxes around the ways from q0 to q0 + way, blown up by margin (m). h: its length, for
  // restitution; 0: contacts give back all that they release.
  void begin(ConstVector q0, ConstVector way, double margin, double h = 0);
  // The same boxes, 2.5-fold.
  void widen();
  // Whether all points are inside their boxes at q.
  bool holds(ConstVector q);
  // The part of the way dq from q, at most 1, that is inside the boxes and free of collisions.
  struct Way {
    double inside = 1, free = 1;
  };
  Way way(ConstVector q, ConstVector dq);

  // At q0.
  double energy() const;
  void add_start_gradient(double scale, Vector gradient);
  ContactGap smallest_gap(const Between& between = {}) const;
  // On between.body, about a point.
  ContactLoad load(const Between& between, const Point3& about);
  // Of every point, N, those of samples at the corners of their facets; valid until the next call.
  const std::vector<Point3>& start_gradient();
  Point3 plane_force() const;

  // The contacts of the step to q1, and their discrete gradient.
  void end_at(ConstVector q1);
  // Those of B alone at q1: the discrete gradient of no step is dB/dq, and half of d2B/dq2 its derivative by the end.
  void stand_at(ConstVector q1);
  const std::vector<Contact>& contacts() const { return contacts_; }
  // d DB / d q1 of one of them (contact.hpp).
  bool tangent(const Contact& contact, bool symmetric, double* matrix) const {
    return contact_tangent(contact, 1, symmetric, start().data(), x1_.data(), matrix);
  }
  // The same of contact number k, as an operator; count() is 0 where there is nothing.
  void take_tangent(std::size_t k, bool symmetric, ContactTangent& tangent) const {
    tangent.begin(contacts_[k], symmetric, start().data(), x1_.data());
  }
  void add_gradient(double scale, Vector gradient);
  // J, that they keep of what they release (restitution.hpp).
  double withheld() const;
  // How far the step goes through an impact: the largest change of a gap with the velocities v0 or v1 at its ends, over
  // the gap itself, and the square root of that where a contact turns round, whose speed is then small in any case.
  double largest_travel(ConstVector v0, ConstVector v1);
  // force += scale * friction of those contacts, with the velocities v1 at the end of the step and the mean ones.
  void add_friction(ConstVector v1, ConstVector mean, double scale, Vector force);
  // visit(contact, rubbing) for every contact that rubs, of all or of [begin, end), with the velocities of the last
  // add_friction.
  template <class Visit>
  void visit_rubbing(const Visit& visit) const {
    visit_rubbing(0, contacts_.size(), visit);
  }
  template <class Visit>
  void visit_rubbing(std::size_t begin, std::size_t end, const Visit& visit) const {
    Rubbing rubbing;
    if (barrier_.friction().coefficient == 0) return;
    for (std::size_t k = begin; k < end; ++k) {
      const Contact& contact = contacts_[k];
      if (!rubbing.begin(contact, law_, spins_, x0_.data(), x1_.data(), v1_.data(), mean_.data(), mean_rates_))
        continue;
      for (const int body : {contact.own, contact.body}) add_carriers(body, rubbing);
      visit(contact, rubbing);
    }
  }

  // Friction with a stick speed that is so many times that of the barrier: easier to solve.
  void soften_friction(double factor) { law_.stick_speed = factor * barrier_.friction().stick_speed; }

  const ContactBarrier& barrier() const { return barrier_; }
  // Pairs that are looked at, without those of samples and facets.
  const std::vector<CandidatePair>& point_facets() const { return point_facets_; }
  const std::vector<EdgePair>& edge_pairs() const { return edges_; }
  const std::vector<BallPair>& ball_pairs() const { return balls_; }
  const PointFacets& facet_sets() const { return sets_; }
  struct PlanePoint {
    int plane, point;
    double strength;
  };
  const std::vector<PlanePoint>& plane_points() const { return planes_; }

 private:
  const std::vector<Point3>& start() const { return stands_ ? x1_ : x0_; }
  void make_contacts();
  void find_pairs();
  void keep_apart(int point, int facet);
  void add_sets(int point, int body, std::span<const int> facets);
  void add_own_sets(int point, int body, std::span<const int> facets);
  double reference_distance(int point, int facet) const;
  void find_edge_pairs();
  void find_edge_states();
  bool out_of_range_at0(std::size_t edge_pair) const;
  EdgePairState edge_state_at0(std::size_t edge_pair) const {
    return out_of_range_at0(edge_pair) ? edge_pair_state(edges_[edge_pair], x0_) : edges_at0_[edge_pair];
  }
  void add_edge_pair(const CandidatePair& pair, double apart);
  void add_ball_pair(const CandidatePair& pair);
  void add_plane_points();
  void take_own_arm(Contact& contact) const;
  void add_carriers(int body, Rubbing& rubbing) const;
  double gap(const PlanePoint& at, const Point3& x) const { return barrier_.planes()[at.plane].gap(x); }
  bool plane_contact(const PlanePoint& at, Contact& contact) const;
  // Fills forces_ with the gradient at q0; returns how many pairs are within their range.
  int gather_start_gradient(const Between& between);
  void add_set_contacts(std::size_t set, std::vector<Contact>& list) const;
  void add_edge_contact(std::size_t pair, std::vector<Contact>& list) const;
  // Whether a set was further from its point at q0 than they can have come since, less its range.
  bool stays_idle(std::size_t set) const;
  // What a part of the way dx may have closed a pair of a point and a facet by since q0, m.
  double closed(const CandidatePair& pair, const std::vector<Point3>& dx, double part) const;
  void find_gaps();
  bool reaches(const CandidatePair& pair, double range) const;
  int side_of(int point) const;  // its body, or that of the planes
  void find_reach();
  template <class Fraction>
  double least(std::size_t count, const Fraction& fraction);

  const ContactBarrier& barrier_;
  FrictionLaw law_;
  BroadPhase broad_;
  PointFacets sets_;
  std::vector<CandidatePair> point_facets_;
  std::vector<EdgePair> edges_;
  std::vector<BallPair> balls_;
  std::vector<PlanePoint> planes_;
  std::vector<Box> boxes_, tight_;
  std::vector<Point3> x0_, x1_, dx_, v0_, v1_, mean_, middle_, forces_;
  std::vector<BodySpin> spins_;     // of the bodies, of the last add_friction
  std::vector<Point3> mean_rates_;  // their spins by the mean velocities, rad/s
  std::vector<Point3> moments_;
  std::vector<SetState> at0_;             // of the sets, at q0
  std::vector<EdgePairState> edges_at0_;  // of those within their range
  std::vector<Contact> contacts_;
  std::vector<std::vector<Contact>> chunks_;   // of tasks
  std::vector<std::size_t> first_of_chunk_;    // in contacts_
  std::vector<int> facets_, full_;             // of one point and body
  std::vector<double> reach_, reach_of_body_;  // m, that a point, and any of a body, may have gone from q0
  double farthest_reach_ = 0;                  // m, the largest of all points
  std::vector<double> gaps_at0_;               // m, of point_facets_, at least
  std::vector<double> edge_gaps_at0_;          // m, of edges_, at least; exact within their range
  std::vector<double> least_;                  // of tasks
  std::vector<double> edges_apart_;            // m, of the pairs that trees find, at least; negative: left out
  double margin_ = 0;
  bool moves_ = false;   // within boxes that are larger than their points
  double step_ = 0;      // s
  bool stands_ = false;  // the contacts are those of B alone
};

}  // namespace livens
