// The hand that drags an obstacle of a live session: offsets from the motion that the scene gives it,
//
//   o(t) = target + (A + B s) e^(-w s),   s = t - t_k,   A = o(t_k) - target,   B = o'(t_k) + w A
//
// critically damped towards where the pointer is, so that position and velocity go on without a jump when it moves. The
// target is never further away than 2 U / w, which bounds the speed by U.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "draw/drawing.hpp"

namespace livens {

// Any thread may ask; the one that steps leads it. The past stays as it was.
class Hand {
 public:
  using Way = std::array<double, 3>;
  struct Offset {
    Way way{}, velocity{};  // m, m/s
  };
  Offset at(double t) const;

  // From t on: by `way` further than it is then, with the rate w (1/s) and a speed of at most U (m/s).
  void follow(double t, Way way, double rate, double speed);
  void let_go(double t, double rate);  // comes to rest
  void halt(double t);                 // at once

 private:
  struct Piece {
    double t, rate;
    Way target, lag, drift;  // m; A, m; B, m/s
  };
  bool leads_to(const Way& target, double within) const;
  void add(const Piece& piece);

  mutable std::mutex mutex_;
  std::vector<Piece> pieces_;
};

using Hands = std::map<std::string, std::shared_ptr<Hand>>;  // by the bodies that they hold, or held

// The model with the supports of these obstacles moved by their hands.
std::shared_ptr<const Model> with_hands(const Model& model, const Hands& hands);

// Where an obstacle touches others.
struct ObstacleSurface {
  std::shared_ptr<const EnergyTerm> term;  // with a barrier
  int body = 0;                            // of its surface
  double range = 0;                        // m, the largest
};
std::vector<ObstacleSurface> surfaces_of(const Model& model, const std::string& obstacle);

// An obstacle while it is dragged at one of its vertices. Against what presses on it with ten times the pressure of the
// contact it goes no further: what cannot get out of its way is not crushed.
class DraggedObstacle {
 public:
  std::string name;
  std::shared_ptr<Hand> hand;
  DrawnVertex vertex;
  int dimension = 3;
  double rate = 1, speed = 1;  // 1/s, m/s
  double brake = 10;           // 1/s, with which it stops
  std::vector<ObstacleSurface> surfaces;
  std::array<double, 3> target{};  // m, where the vertex is to go
  bool blocked = false;

  void move_to(const std::array<double, 3>& to) { target = to, blocked = false; }
  void follow(const State& state) const;  // between steps
  // A step has failed: it stands still, until it is moved to somewhere else. False if it did already.
  bool give_way(const State& state);

 private:
  bool is_pressed(const State& state, const Hand::Way& way) const;  // and would go on against that
};

}  // namespace livens
