// A patch of phase space, carried along: a disc of starts around the start of a scene, each stepped on its own.
//
// The area is that of the smooth closed curve through the carried points, summed over the planes (q_i, p_i): Poincare's
// invariant, which symplectic maps keep. With z_j = q(theta_j) + i p(theta_j) and its Fourier coefficients c_k it is
//   A = pi sum_k k |c_k|^2,
// so that the error falls faster than any power of the number of points while they resolve the curve.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <livens/setup.hpp>

namespace livens {

struct PatchOptions {
  int points = 256;
  double radius = 0;  // in q of the first coordinate, and in p; 0: a fifth of the distance of the start from the origin
  int samples = 100;
  std::function<bool()> interrupted = {};
};

struct Patch {
  bool ok = false;
  std::string failure;
  double radius = 0;
  std::vector<double> t, area;
  // The curve in the first plane at a few times.
  struct Outline {
    double t = 0;
    std::vector<double> q, p;
  };
  std::vector<Outline> outlines;
};

Patch carry_patch(const Scene& scene, const PatchOptions& options = {});

// Area within the closed smooth curve through points at equal steps of its parameter.
double enclosed_area(const std::vector<double>& q, const std::vector<double>& p);

}  // namespace livens
