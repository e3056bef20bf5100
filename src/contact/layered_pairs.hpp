// Pairs of a barrier in layers: which may come near each other, and what each of them does at given positions.
//
// A pair is a point against a body (all of its facets that are near, with the signs of point_facets.hpp), two edges, a
// point and a ball, or a point and a plane. What it does is a list of terms, each a function of one gap; their order,
// and hence every bit of their sum, depends on the positions alone, not on which other pairs are in the list.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_set.hpp"
#include "contact/layer_law.hpp"

namespace livens {

class LayeredPairs {
 public:
  explicit LayeredPairs(const ContactBarrier& barrier) : barrier_(barrier), set_(barrier) {}

  enum class Kind { facets, edges, ball, plane };
  // Something of a pair with a law of its own: connected facets of a body, or the pair itself.
  struct Part {
    LayerLaw law;
    int item = 0;   // of the lists of the set
    int clock = 0;  // of those who tick: the step of its first layer is 2^-clock of their unit
  };
  struct Pair {
    Kind kind = Kind::facets;
    int first = 0, second = 0;  // point and body, edges, points, point and plane
    int parts_begin = 0, parts_end = 0, points_begin = 0, points_end = 0;
  };
  // A gap that is within its range: coefficients of the points, with sum 0 but for planes.
  struct Term {
    int part = 0;
    double factor = 1;  // sign, or how much edges are weakened
    double gap = 0;     // m
    Point3 normal;      // of length 1, towards the first point
    int count = 0;
    std::array<int, 4> point{};
    std::array<double, 4> c{};
    bool bent = false;
    std::array<Point3, 4> by_point{};  // derivative of the factor
  };
  // What a pair is at given positions.
  struct Sight {
    std::vector<Term> terms;
    std::vector<double> gaps;  // of the parts: the smallest, at most what is further away than their range
  };

  // Pairs that can come within their range while no point moves further than margin (m) from where it is at q.
  void find(ConstVector q, double margin);

  const ContactBarrier& barrier() const { return barrier_; }
  const std::vector<Pair>& pairs() const { return pairs_; }
  std::vector<Part>& parts() { return parts_; }
  const std::vector<Part>& parts() const { return parts_; }
  std::span<const int> points(const Pair& pair) const {
    return {points_.data() + pair.points_begin, points_.data() + pair.points_end};
  }
  // x: of all points of the surfaces; those of the pair are read.
  void see(const Pair& pair, const std::vector<Point3>& x, Sight& sight) const;
  // Corners of a facet that has the nearest point of a pair with a body: what friction holds on to. Of two edges their
  // points, of a point and a ball those of a facet at the point.
  struct Corners {
    int count = 0;
    std::array<int, 4> point{};
  };
  Corners held(const Pair& pair, const Term& nearest) const;

 private:
  void begin_pair(Kind kind, int first, int second);
  void end_pair();
  void add_facet_pairs();
  void see_facets(const Pair& pair, const std::vector<Point3>& x, Sight& sight) const;
  void see_edges(const Pair& pair, const std::vector<Point3>& x, Sight& sight) const;

  const ContactBarrier& barrier_;
  ContactSet set_;
  std::vector<Pair> pairs_;
  std::vector<Part> parts_;
  std::vector<int> points_;
  std::vector<double> rest_;
};

// forces of the points of a term += scale * { factor push c n - energy dfactor }.
void add_term_forces(const LayeredPairs::Term& term, const LayerSum& sum, double scale, Point3* forces);

// Of a barrier in layers at q, by pairs of its own.
struct LayeredState {
  double energy = 0;           // J; infinite where surfaces touch
  std::vector<Point3> forces;  // N, on every point
  Point3 plane_force;          // N, by all planes
  int count = 0;               // pairs within their range
};
LayeredState layered_state(const ContactBarrier& barrier, ConstVector q, const Between& between = {});

}  // namespace livens
