#include "report/raster.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace livens {
namespace {

constexpr double margin = 0.06;  // of the picture, around the box
constexpr float edge_width = 0.9f * Raster::samples;

struct CameraAxes {
  Eigen::Vector3d right, up, forward;
};

CameraAxes frame_of(const Eigen::Vector3d& forward, const Eigen::Vector3d& up) {
  CameraAxes frame;
  frame.forward = forward.normalized();
  frame.right = frame.forward.cross(up).normalized();
  frame.up = frame.right.cross(frame.forward);
  return frame;
}

Eigen::Vector3d corner(const Eigen::Vector3d& low, const Eigen::Vector3d& high, int k) {
  return {(k & 1) != 0 ? high.x() : low.x(), (k & 2) != 0 ? high.y() : low.y(), (k & 4) != 0 ? high.z() : low.z()};
}

// Twice the signed area of the triangle abc.
double twice_area(const Camera::Point& a, const Camera::Point& b, const Camera::Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

}  // namespace

Camera::Point Camera::project(const Eigen::Vector3d& position) const {
  const Eigen::Vector3d d = position - eye;
  const double nearness = 1 / std::max(d.dot(forward), 1e-12);
  return {x0 + scale * d.dot(right) * nearness, y0 - scale * d.dot(up) * nearness, nearness};
}

Eigen::Vector3d Camera::ray(double x, double y) const {
  return forward + right * ((x - x0) / scale) - up * ((y - y0) / scale);
}

Camera make_camera(const Eigen::Vector3d& low, const Eigen::Vector3d& high, const Eigen::Vector3d& forward,
                   const Eigen::Vector3d& up, double strength, int width, int height) {
  const CameraAxes frame = frame_of(forward, up);
  const double radius = std::max((high - low).norm() / 2, 1e-9);
  Camera camera;
  camera.forward = frame.forward;
  camera.right = frame.right;
  camera.up = frame.up;
  camera.eye = (low + high) / 2 - frame.forward * (radius / std::max(strength, 1e-4));
  double x_low = 1e300, x_high = -1e300, y_low = 1e300, y_high = -1e300;
  for (int k = 0; k < 8; ++k) {
    const Camera::Point p = camera.project(corner(low, high, k));
    x_low = std::min(x_low, p.x), x_high = std::max(x_high, p.x);
    y_low = std::min(y_low, p.y), y_high = std::max(y_high, p.y);
  }
  const double w = width * Raster::samples, h = height * Raster::samples, tiny = 1e-9;
  camera.scale = (1 - 2 * margin) * std::min(w / std::max(x_high - x_low, tiny), h / std::max(y_high - y_low, tiny));
  camera.x0 = w / 2 - camera.scale * (x_low + x_high) / 2;
  camera.y0 = h / 2 - camera.scale * (y_low + y_high) / 2;
  return camera;
}

double aspect(const Eigen::Vector3d& low, const Eigen::Vector3d& high, const Eigen::Vector3d& forward,
              const Eigen::Vector3d& up) {
  const CameraAxes frame = frame_of(forward, up);
  const Eigen::Vector3d size = high - low;
  const double w = size.cwiseProduct(frame.right.cwiseAbs()).sum(), h = size.cwiseProduct(frame.up.cwiseAbs()).sum();
  return h / std::max(w, 1e-9);
}

Raster::Raster(int width, int height)
    : width_(width * samples),
      height_(height * samples),
      colour_(index(0, height_), Colour::Zero()),
      opacity_(index(0, height_), 0.0f),
      nearness_(index(0, height_), 0.0) {}

void Raster::add_triangle(const std::array<Corner, 3>& c, unsigned edges, float edge_opacity) {
  const Camera::Point &a = c[0].at, &b = c[1].at, &d = c[2].at;
  const double area = twice_area(a, b, d);
  if (!(std::abs(area) > 1e-12)) return;
  const auto first = [](double low) { return std::max(0, static_cast<int>(std::floor(std::max(low, -1.0) - 0.5))); };
  const auto last = [](double high, int size) {
    return std::min(size - 1, static_cast<int>(std::ceil(std::min(high, 1.0 * size))));
  };
  // Distance in samples from a side is its barycentric coordinate times the height over it.
  float height_over[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const Camera::Point &p = c[k].at, &q = c[(k + 1) % 3].at;
    height_over[k] = static_cast<float>(std::abs(area) / std::max(std::hypot(q.x - p.x, q.y - p.y), 1e-9));
  }
  for (int y = first(std::min({a.y, b.y, d.y})); y <= last(std::max({a.y, b.y, d.y}), height_); ++y)
    for (int x = first(std::min({a.x, b.x, d.x})); x <= last(std::max({a.x, b.x, d.x}), width_); ++x) {
      const Camera::Point p{x + 0.5, y + 0.5, 0};
      const double u = twice_area(b, d, p) / area, v = twice_area(d, a, p) / area, w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      const double nearness = u * a.nearness + v * b.nearness + w * d.nearness;
      const std::size_t k = index(x, y);
      if (nearness <= nearness_[k]) continue;
      nearness_[k] = nearness;
      const auto fu = static_cast<float>(u), fv = static_cast<float>(v), fw = static_cast<float>(w);
      Colour colour = fu * c[0].colour + fv * c[1].colour + fw * c[2].colour;
      const float to_side[3] = {fw * height_over[0], fu * height_over[1], fv * height_over[2]};
      float line = 0;
      for (unsigned side = 0; side < 3; ++side)
        if ((edges >> side & 1u) != 0) line = std::max(line, 1 - to_side[side] / edge_width);
      colour *= 1 - edge_opacity * std::clamp(line, 0.0f, 1.0f);
      colour_[k] = colour;
      opacity_[k] = 1;
    }
}

void Raster::add_layer(const std::function<Layer(double x, double y)>& layer) {
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      const Layer over = layer(x + 0.5, y + 0.5);
      const std::size_t k = index(x, y);
      if (!(over.opacity > 0) || over.nearness < nearness_[k]) continue;
      colour_[k] = over.colour * over.opacity + colour_[k] * (1 - over.opacity);
      opacity_[k] = over.opacity + opacity_[k] * (1 - over.opacity);
    }
}

Image Raster::image() const {
  Image image{width_ / samples, height_ / samples, {}};
  image.rgba.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  for (int y = 0; y < height_; y += samples)
    for (int x = 0; x < width_; x += samples) {
      Colour colour = Colour::Zero();
      float opacity = 0;
      for (int k = 0; k < samples * samples; ++k) {
        const std::size_t at = index(x + k % samples, y + k / samples);
        colour += colour_[at];
        opacity += opacity_[at];
      }
      if (opacity > 0) colour /= opacity;
      const auto byte = [](float value) {
        return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f)));
      };
      for (int k = 0; k < 3; ++k) image.rgba.push_back(byte(colour[k]));
      image.rgba.push_back(byte(opacity / (samples * samples)));
    }
  return image;
}

}  // namespace livens
