// The spring with which the mouse pulls at a point of a body:
//
//   W = k D^2 (sqrt(1 + |d|^2 / D^2) - 1),  d = sum_a w_a x_a - target
//
// k/2 |d|^2 for short pulls and never more force than k D. It is a potential like others, convex, so that every method
// that solves or minimises goes on doing so; the energy that goes in by moving the target is booked by who moves it.
#pragma once

#include <array>
#include <vector>

#include "draw/drawing.hpp"

namespace livens {

struct Pull {
  int drawable = 0, vertex = 0;
  std::array<double, 3> target{};  // m
};

// Where the spring acts: shares of nodes, by their first coordinates, that sum up to 1. A solid is held by a patch
// around the vertex, since one node alone would be torn out of its elements.
struct PullGrip {
  std::vector<int> node;
  std::vector<double> weight;
  double radius = 0;  // m, of the patch; 0: none
};
PullGrip grip_at(const Model& model, const Body& body, const DrawnVertex& vertex);

class PullTerm final : public EnergyTerm {
 public:
  PullTerm(PullGrip grip, int dimension, double stiffness, double reach, std::array<double, 3> target);

  // Between steps only.
  void move_to(const std::array<double, 3>& target) { target_ = target; }

  double energy(double t, ConstVector q) const override;
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override;
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override;
  bool add_discrete_gradient(double t, ConstVector x, ConstVector y, double scale, Vector gradient) const override;
  bool depends_on_time() const override { return false; }
  std::vector<int> coordinates() const override { return coordinates_; }

 private:
  using Point = std::array<double, 3>;
  Point distance(ConstVector q) const;
  double stretch(const Point& d) const;  // sqrt(1 + |d|^2 / D^2)
  void add(const Point& force, double scale, Vector gradient) const;

  PullGrip grip_;
  int dimension_;
  double stiffness_, reach_;
  Point target_;
  std::vector<int> coordinates_;
};

// How stiff a spring is that moves the body at a pace that can be followed, and that the step can take.
struct PullScales {
  double pace = 1;  // simulated seconds for one of the clock
  double step = 0;  // s; 0: not known
  bool explicit_steps = false;
};
double pull_stiffness(const Model& model, const Body& body, const PullGrip& grip, const PullScales& scales);
// D: at most `extent`, and so that the force k D moves the patch by a part of its size against the stiffness around it.
double pull_reach(const Model& model, const Body& body, const PullGrip& grip, double stiffness, double extent);

}  // namespace livens
