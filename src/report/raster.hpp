// A small software renderer: triangles with a depth buffer through a perspective camera, and layers that are blended
// over them. Everything is drawn at twice the size and averaged.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include <Eigen/Core>

#include "report/image.hpp"

namespace livens {

using Colour = Eigen::Vector3f;  // 0 to 1

struct Camera {
  Eigen::Vector3d eye, right, up, forward;  // forward: into the picture
  double scale = 1, x0 = 0, y0 = 0;         // pixels of the raster

  struct Point {
    double x, y, nearness;  // nearness: 1 / depth, which is linear over a triangle in the picture
  };
  Point project(const Eigen::Vector3d& position) const;
  // Direction of the ray through a pixel, with depth 1.
  Eigen::Vector3d ray(double x, double y) const;
};

// A camera that looks along `forward` and has the whole box in the picture. strength: of the perspective, 0 for none.
Camera make_camera(const Eigen::Vector3d& low, const Eigen::Vector3d& high, const Eigen::Vector3d& forward,
                   const Eigen::Vector3d& up, double strength, int width, int height);
// Height over width of the box as seen so.
double aspect(const Eigen::Vector3d& low, const Eigen::Vector3d& high, const Eigen::Vector3d& forward,
              const Eigen::Vector3d& up);

class Raster {
 public:
  static constexpr int samples = 2;  // along each side of a pixel

  Raster(int width, int height);  // of the finished picture
  int width() const { return width_; }
  int height() const { return height_; }

  struct Corner {
    Camera::Point at;
    Colour colour;
  };
  // Bit k of edges: the side from corner k to the next is drawn as a line, with that opacity.
  void add_triangle(const std::array<Corner, 3>& corners, unsigned edges = 0, float edge_opacity = 0);

  // Blends colour * opacity over every sample for which `layer` gives some opacity, unless something is nearer.
  struct Layer {
    Colour colour = {0, 0, 0};
    float opacity = 0;
    double nearness = 0;
  };
  void add_layer(const std::function<Layer(double x, double y)>& layer);

  Image image() const;

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_, height_;  // in samples
  std::vector<Colour> colour_;
  std::vector<float> opacity_;
  std::vector<double> nearness_;  // 0: nothing there
};

}  // namespace livens
