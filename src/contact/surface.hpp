// The surfaces of the bodies of one contact: points, facets and edges between them.
//
// A point of a surface is a linear function of the coordinates, x_a = sum_j w_j q_(j): a node has one part of weight 1,
// a point of a rigid body its three or four nodes with constant weights. A straight path of the coordinates is then a
// straight path of every point, and forces go back by the same weights; nothing else here knows what a body is.
// Obstacles are bodies whose coordinates are given functions of time.
//
// A body without facets is one of balls: its points have a radius.
//
// Facets may have samples: points inside them that push as nodes do, so that forces are integrals over the surface and
// not sums over nodes. Of n a side there are n^2 in the triangles that a facet is cut into (in the plane n in its
// parts), at their centres. They stand for the area but for a share nu that is left to the corners,
//
//   nu = 1/(3 n^2 + 1) in space,   1/(2 n^2 + 1) in the plane,
//
// with which polynomials of degree 2 are integrated exactly, of degree 3 in the plane for n = 1 (Simpson's rule).
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <livens/matrix_sink.hpp>

#include "contact/point3.hpp"

namespace livens {

class ContactSurface {
 public:
  struct Part {
    int first;      // coordinate
    double weight;  // of the point whose coordinates begin there
  };
  struct Body {
    std::string name;
    double edge = 0;     // mean length of its edges, of balls their radius, m
    double radius = 0;   // of balls, m
    bool fixed = false;  // a ball at rest, which no coordinates move
    int points_begin = 0, points_end = 0, facets_begin = 0, facets_end = 0, edges_begin = 0, edges_end = 0;
    int samples_end = 0;   // of points inside facets, from points_end on
    int carriers_end = 0;  // of points that nothing touches, from samples_end on: they show how a ball turns
  };
  // Facets: two points each in the plane (the third is -1), three in space, seen counterclockwise from outside.
  using Facet = std::array<int, 3>;
  using Edge = std::array<int, 2>;  // points, the smaller number first

  // A body that is added.
  struct NewBody {
    std::string name;
    std::vector<std::vector<Part>> points;  // how each is made
    std::vector<Point3> reference;          // where they are at rest, m
    std::vector<Facet> facets;              // by these points; none: balls
    double thickness = 1;                   // m, of facets in the plane
    double radius = 0;                      // m, of balls
    std::vector<std::vector<Part>> carriers;
  };

  explicit ContactSurface(int dimension) : dimension_(dimension) {}

  // A body of nodes: first coordinates and reference positions (m) of its points, and its facets by these points, whose
  // area is made from them, in the plane times `thickness`. Points without facets have the area `bare_area`. Points
  // that no facet names are to be left out by the caller.
  void add_body(std::string name, std::span<const int> first, std::span<const Point3> reference,
                std::span<const Facet> facets, double thickness, double bare_area = 0);
  // The same of points that are made of several nodes. Balls have the area pi radius^2.
  void add_body(const NewBody& body);
  // A ball at rest.
  void add_fixed_ball(std::string name, const Point3& center, double radius);
  // Samples for the facets of the body that was added last, so many a side.
  void add_samples(int each);

  int dimension() const { return dimension_; }
  int points() const { return static_cast<int>(area_.size()); }  // and samples, and carriers
  const std::vector<Body>& bodies() const { return bodies_; }
  int body_of_point(int a) const { return body_of_point_[a]; }
  int body_of_facet(int f) const { return body_of_facet_[f]; }
  int body_of_edge(int e) const { return body_of_edge_[e]; }
  std::span<const Part> parts(int a) const {
    return {parts_.data() + part_start_[a], parts_.data() + part_start_[a + 1]};
  }
  const Point3& reference(int a) const { return reference_[a]; }
  double radius(int a) const { return bodies_[body_of_point_[a]].radius; }  // 0 but of balls

  const std::vector<Facet>& facets() const { return facets_; }
  const std::vector<Edge>& edges() const { return edges_; }                // of facets in space
  const Facet& edges_of_facet(int f) const { return edges_of_facet_[f]; }  // 01, 12, 20

  // Area that a point stands for: what a flat body on one of its facets f sees of all of them, the largest
  // sum_g max(0, A_g n_g.n_f) / dimension. A face has its own area up to its rims, and smooth surfaces count as a
  // whole.
  double area(int a) const { return area_[a]; }
  // The area that it pushes with: less, if samples have the rest.
  double pushing_area(int a) const { return pushing_area_[a]; }
  bool is_sample(int a) const { return samples_[a].facet >= 0; }
  bool has_samples() const { return has_samples_; }
  // Whether a facet has the point as a corner, or shares one with the facet of a sample.
  bool adjoins(int point, int facet) const;
  // Forces on samples go to the corners of their facets, which move them.
  void take_to_corners(std::vector<Point3>& forces) const;
  double edge_area(int e) const { return edge_area_[e]; }  // a third of the facets at the edge
  double edge_length(int e) const { return edge_length_[e]; }
  // The facets at an edge or a point.
  std::span<const int> facets_at_edge(int e) const { return row(facets_at_edge_, facets_at_edge_start_, e); }
  std::span<const int> facets_at_point(int a) const { return row(facets_at_point_, facets_at_point_start_, a); }
  // Surrounded by facets: edges with two or more, points all of whose edges are (in the plane: with two facets or
  // more).
  bool inner_edge(int e) const { return inner_edge_[e] != 0; }
  bool inner_point(int a) const { return inner_point_[a] != 0; }

  bool is_fixed(int a) const { return bodies_[body_of_point_[a]].fixed; }

  void positions(ConstVector q, std::vector<Point3>& x) const;  // x_a of all points
  void movements(ConstVector dq,
                 std::vector<Point3>& dx) const;  // of them, if the coordinates move or have these rates
  // gradient += scale * S' forces
  void add_back(std::span<const Point3> forces, double scale, Vector gradient) const;

 private:
  static std::span<const int> row(const std::vector<int>& values, const std::vector<int>& start, int k) {
    return {values.data() + start[k], values.data() + start[k + 1]};
  }
  void add_point(std::span<const Part> parts, const Point3& reference, int body);
  void finish_body(Body body, std::span<const Facet> facets, double thickness, double bare_area,
                   std::span<const std::vector<Part>> carriers);
  void add_edges(Body& body);
  void measure(const Body& body, double thickness, double bare_area);
  void mark_inner(const Body& body);

  int dimension_;
  struct Sample {
    int facet = -1;  // -1: a point of another kind
    std::array<double, 3> weight{};
  };

  bool plain_ = true;  // every point is a node
  bool has_samples_ = false;
  std::vector<Body> bodies_;
  std::vector<int> part_start_{0}, body_of_point_, body_of_facet_, body_of_edge_;
  std::vector<Part> parts_;
  std::vector<Point3> reference_;
  std::vector<Sample> samples_;
  std::vector<double> area_, pushing_area_, facet_area_, edge_area_, edge_length_;
  std::vector<Facet> facets_, edges_of_facet_;
  std::vector<Edge> edges_;
  std::vector<int> facets_at_edge_, facets_at_edge_start_{0}, facets_at_point_, facets_at_point_start_{0};
  std::vector<char> inner_edge_, inner_point_;
};

}  // namespace livens
