// Pictures of solids: shaded, coloured by a value of the nodes, with the obstacles they touch. The background is
// transparent, and nothing in them depends on whether the page is light or dark.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <livens/energy.hpp>

#include "files/surface.hpp"
#include "report/raster.hpp"

namespace livens {

struct PictureBody {
  const SurfaceTriangles* surface = nullptr;
  std::vector<Eigen::Vector3d> positions;  // of the nodes
  std::vector<float> value;                // of the nodes, 0 to 1
  bool obstacle = false;                   // has the colour of obstacles instead
  bool room = false;                       // sides that face away are left out
};

struct View {
  bool flat = false;  // a 2D scene
  int width = 0, height = 0;
  Eigen::Vector3d low, high, up;
  Camera camera;
};

// The view of a box. A 3D scene is seen from the side and a little from above, its longest side across.
View make_view(const Eigen::Vector3d& low, const Eigen::Vector3d& high, bool flat, const Eigen::Vector3d& up,
               int width);

Image render(const View& view, std::span<const PictureBody> bodies, std::span<const Obstacle> obstacles);

Colour colour_of(float value);            // 0: blue, 1: red
std::vector<std::string> colour_stops();  // of the legend, as #rrggbb, evenly spaced

}  // namespace livens
