// What marks a potential as contact, and what it shows of itself to outputs.
#pragma once

#include <string>
#include <vector>

namespace livens {

// A rigid thing that bodies touch, as the viewer and the pictures draw it.
struct Obstacle {
  enum class Kind { plane, sphere };
  std::string name;
  Kind kind = Kind::plane;
  double point[3] = {0, 0, 0};   // of the plane, or the centre
  double normal[3] = {0, 0, 1};  // of the plane, towards its free side
  double radius = 0;             // of the sphere
};

struct ContactTag {
  virtual ~ContactTag() = default;
  virtual std::vector<Obstacle> obstacles() const { return {}; }
};

}  // namespace livens
