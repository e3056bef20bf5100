#include "report/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>
#include <fmt/format.h>

namespace livens {
namespace {

using Eigen::Vector3d;

// Blue, green-blue, pale, orange, red: apart in lightness from both backgrounds, and in hue for the colour-blind.
constexpr std::array<std::array<int, 3>, 7> stops = {
    {{43, 90, 168}, {58, 142, 192}, {113, 190, 186}, {236, 226, 153}, {245, 173, 96}, {226, 100, 62}, {165, 28, 48}}};
const Colour ground_colour(0.50f, 0.56f, 0.62f), line_colour(0.46f, 0.52f, 0.59f), obstacle_colour(0.63f, 0.67f, 0.72f);
constexpr double crease = 0.8;  // cosine between a facet and the mean normal beyond which the facet keeps its own
constexpr double perspective = 0.28;
constexpr double fine_mesh = 5, coarse_mesh = 14;  // pixels of an edge between which the edges fade in
constexpr float strongest_edge = 0.34f;

float smooth_step(double low, double high, double x) {
  const auto s = static_cast<float>(std::clamp((x - low) / (high - low), 0.0, 1.0));
  return s * s * (3 - 2 * s);
}

// Lambert's law with one lamp over the left shoulder, a weak one from the right, and light from everywhere that is
// stronger from above.
class Light {
 public:
  explicit Light(const View& view)
      : up_(view.up),
        lamp_((0.75 * view.camera.up - 0.55 * view.camera.right - 0.75 * view.camera.forward).normalized()),
        fill_((0.8 * view.camera.right - 0.5 * view.camera.forward).normalized()) {}
  Colour shaded(const Colour& colour, const Vector3d& normal) const {
    const double light = 0.56 + 0.09 * normal.dot(up_) + 0.48 * std::max(0.0, normal.dot(lamp_)) +
                         0.12 * std::max(0.0, normal.dot(fill_));
    return (colour * static_cast<float>(light)).cwiseMin(1.0f);
  }
  const Vector3d& lamp() const { return lamp_; }

 private:
  Vector3d up_, lamp_, fill_;
};

std::array<std::size_t, 3> corners_of(const PictureBody& body, std::size_t triangle) {
  const auto at = [&](std::size_t k) { return static_cast<std::size_t>(body.surface->nodes[3 * triangle + k]); };
  return {at(0), at(1), at(2)};
}

Vector3d area_vector(const PictureBody& body, const std::array<std::size_t, 3>& n) {
  const Vector3d &a = body.positions[n[0]], &b = body.positions[n[1]], &c = body.positions[n[2]];
  return (b - a).cross(c - a);
}

std::vector<Vector3d> mean_normals(const PictureBody& body) {
  std::vector<Vector3d> normals(body.positions.size(), Vector3d::Zero());
  for (std::size_t f = 0; f < body.surface->edges.size(); ++f) {
    const auto n = corners_of(body, f);
    const Vector3d area = area_vector(body, n);
    for (const std::size_t k : n) normals[k] += area;
  }
  for (Vector3d& normal : normals)
    if (const double length = normal.norm(); length > 0) normal /= length;
  return normals;
}

// Edges of elements help where there are few of them and make mud where there are many.
float edge_opacity(const View& view, std::span<const PictureBody> bodies) {
  double length = 0;
  long count = 0;
  for (const PictureBody& body : bodies)
    for (std::size_t f = 0; f < body.surface->edges.size(); ++f) {
      const auto n = corners_of(body, f);
      for (std::size_t k = 0; k < 3; ++k) {
        if ((body.surface->edges[f] >> k & 1u) == 0) continue;
        const auto p = view.camera.project(body.positions[n[k]]),
                   q = view.camera.project(body.positions[n[(k + 1) % 3]]);
        length += std::hypot(p.x - q.x, p.y - q.y) / Raster::samples;
        ++count;
      }
    }
  return count == 0 ? 0 : strongest_edge * smooth_step(fine_mesh, coarse_mesh, length / static_cast<double>(count));
}

void draw_body(Raster& raster, const View& view, const Light& light, const PictureBody& body, float edges) {
  const std::vector<Vector3d> normals = view.flat ? std::vector<Vector3d>{} : mean_normals(body);
  for (std::size_t f = 0; f < body.surface->edges.size(); ++f) {
    const auto n = corners_of(body, f);
    const Vector3d facet = area_vector(body, n).normalized();
    if (body.room && !view.flat && facet.dot(body.positions[n[0]] - view.camera.eye) > 0) continue;
    std::array<Raster::Corner, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
      corners[k].at = view.camera.project(body.positions[n[k]]);
      corners[k].colour = body.obstacle ? obstacle_colour : colour_of(body.value[n[k]]);
      if (view.flat) continue;
      Vector3d normal = normals[n[k]].dot(facet) > crease ? normals[n[k]] : facet;
      // The inside of an open or inverted surface is lit like its outside.
      if (facet.dot(body.positions[n[k]] - view.camera.eye) > 0) normal = -normal;
      corners[k].colour = light.shaded(corners[k].colour, normal);
    }
    raster.add_triangle(corners, body.surface->edges[f], edges);
  }
}

// Whether some body is in a sphere.
bool is_room(const Obstacle& sphere, std::span<const PictureBody> bodies) {
  const Vector3d centre(sphere.point[0], sphere.point[1], sphere.point[2]);
  return std::any_of(bodies.begin(), bodies.end(), [&](const PictureBody& body) {
    const auto is_in = [&](const Vector3d& p) { return (p - centre).norm() < sphere.radius; };
    return !body.positions.empty() && std::all_of(body.positions.begin(), body.positions.end(), is_in);
  });
}

// Of a room the half behind what is in it.
void draw_sphere(Raster& raster, const View& view, const Light& light, const Obstacle& sphere, bool room) {
  constexpr int rows = 32, columns = 64;
  const Vector3d centre(sphere.point[0], sphere.point[1], sphere.point[2]);
  const auto corner = [&](int row, int column) {
    const double polar = M_PI * row / rows, around = 2 * M_PI * column / columns;
    const Vector3d normal(std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around), std::cos(polar));
    return Raster::Corner{view.camera.project(centre + sphere.radius * normal), light.shaded(obstacle_colour, normal)};
  };
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const double polar = M_PI * (row + 0.5) / rows, around = 2 * M_PI * (column + 0.5) / columns;
      const Vector3d out(std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around), std::cos(polar));
      if (room && out.dot(centre + sphere.radius * out - view.camera.eye) < 0) continue;
      const auto a = corner(row, column), b = corner(row + 1, column), c = corner(row + 1, column + 1),
                 d = corner(row, column + 1);
      raster.add_triangle({a, b, c});
      raster.add_triangle({a, c, d});
    }
}

double round_length(double length) {
  const double power = std::pow(10.0, std::floor(std::log10(length)));
  return length / power < 2 ? power : length / power < 5 ? 2 * power : 5 * power;
}

// The shadow that the bodies throw on a plane, as a map over the plane's own coordinates.
class Shadow {
 public:
  Shadow(const Vector3d& origin, const Vector3d& x, const Vector3d& y, const Vector3d& towards_light, double half)
      : origin_(origin), x_(x), y_(y), light_(towards_light), half_(half), map_(size * size, 0.0f) {}

  void add(const PictureBody& body) {
    const Vector3d normal = x_.cross(y_);
    std::vector<std::array<double, 2>> places;
    for (const Vector3d& p : body.positions) {
      const double distance = (p - origin_).dot(normal);
      const Vector3d foot = p - light_ * (distance / light_.dot(normal)) - origin_;
      places.push_back({cell(foot.dot(x_)), cell(foot.dot(y_))});
    }
    for (std::size_t f = 0; f < body.surface->edges.size(); ++f) {
      const auto n = corners_of(body, f);
      fill(places[n[0]], places[n[1]], places[n[2]]);
    }
  }

  void soften() {
    for (int pass = 0; pass < 3; ++pass) blur(1), blur(size);
  }

  float at(double u, double v) const {
    const double x = cell(u), y = cell(v);
    if (!(x >= 0 && y >= 0 && x < size - 1 && y < size - 1)) return 0;
    const int i = static_cast<int>(x), j = static_cast<int>(y);
    const auto fx = static_cast<float>(x - i), fy = static_cast<float>(y - j);
    return (1 - fy) * ((1 - fx) * value(i, j) + fx * value(i + 1, j)) +
           fy * ((1 - fx) * value(i, j + 1) + fx * value(i + 1, j + 1));
  }

 private:
  static constexpr int size = 384, radius = 5;

  double cell(double distance) const { return (distance / half_ + 1) / 2 * size; }
  float value(int i, int j) const { return map_[j * size + i]; }

  void fill(const std::array<double, 2>& a, const std::array<double, 2>& b, const std::array<double, 2>& c) {
    const auto cross = [](const auto& p, const auto& q, double x, double y) {
      return (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
    };
    const auto clamped = [](double v) { return static_cast<int>(std::clamp(v, 0.0, size - 1.0)); };
    for (int j = clamped(std::min({a[1], b[1], c[1]})); j <= clamped(std::max({a[1], b[1], c[1]})); ++j)
      for (int i = clamped(std::min({a[0], b[0], c[0]})); i <= clamped(std::max({a[0], b[0], c[0]})); ++i) {
        const double u = cross(a, b, i, j), v = cross(b, c, i, j), w = cross(c, a, i, j);
        if ((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) map_[j * size + i] = 1;
      }
  }

  // Means over 2 radius + 1 cells along one direction; three of them are close to a bell curve.
  void blur(int stride) {
    std::vector<float> line(size);
    for (int k = 0; k < size; ++k) {
      const int first = stride == 1 ? k * size : k;
      for (int i = 0; i < size; ++i) line[i] = map_[first + i * stride];
      for (int i = 0; i < size; ++i) {
        float sum = 0;
        for (int j = std::max(0, i - radius); j <= std::min(size - 1, i + radius); ++j) sum += line[j];
        map_[first + i * stride] = sum / (2 * radius + 1);
      }
    }
  }

  Vector3d origin_, x_, y_, light_;
  double half_;
  std::vector<float> map_;
};

// A tinted disc with a grid and the shadows of the bodies, fading out.
void draw_plane(Raster& raster, const View& view, const Light& light, std::span<const PictureBody> bodies,
                const Obstacle& plane) {
  const Vector3d normal = Vector3d(plane.normal[0], plane.normal[1], plane.normal[2]).normalized();
  const Vector3d point(plane.point[0], plane.point[1], plane.point[2]), centre = (view.low + view.high) / 2;
  const Vector3d origin = centre - normal * normal.dot(centre - point);
  const Vector3d x = normal.cross(std::abs(normal.x()) < 0.6 ? Vector3d::UnitX() : Vector3d::UnitY()).normalized();
  const Vector3d y = normal.cross(x);
  const double reach = 0.95 * (view.high - view.low).norm(), spacing = round_length(reach / 5);
  // The lamp, moved towards the normal so that shadows stay below what throws them.
  Shadow shadow(origin, x, y, (light.lamp() + 1.8 * normal).normalized(), reach);
  for (const PictureBody& body : bodies) shadow.add(body);
  shadow.soften();
  const double seen_from = normal.dot(view.camera.eye - point);
  raster.add_layer([&](double px, double py) {
    Raster::Layer layer;
    const Vector3d ray = view.camera.ray(px, py);
    const double depth = -seen_from / normal.dot(ray);
    if (!(depth > 0)) return layer;
    const Vector3d p = view.camera.eye + depth * ray - origin;
    const double u = p.dot(x), v = p.dot(y), radius = std::hypot(u, v) / reach;
    if (radius >= 1) return layer;
    // Width of a sample on the plane, so that lines stay one pixel wide and dissolve far away.
    const double sample = depth / view.camera.scale / std::sqrt(std::max(0.05, std::abs(normal.dot(ray)) / ray.norm()));
    const auto to_line = [&](double s) { return std::abs(s - spacing * std::round(s / spacing)); };
    const double distance = std::min(to_line(u), to_line(v)) / (sample * Raster::samples);
    const auto line =
        static_cast<float>(std::clamp(1.0 - distance, 0.0, 1.0) * std::clamp(spacing / sample / 8, 0.0, 1.0));
    const double to_border =
        std::min({px, py, raster.width() - px, raster.height() - py}) / std::min(raster.width(), raster.height());
    const float fade = (1 - smooth_step(0.45, 1.0, radius)) * smooth_step(0.0, 0.15, to_border),
                dark = seen_from > 0 ? 0.42f * shadow.at(u, v) : 0.0f;
    const float tint = 0.16f * fade, lines = 0.50f * line * fade;
    const float base = tint + lines * (1 - tint);
    layer.opacity = base + dark * fade * (1 - base);
    const Colour bright = lines > 0 ? Colour(ground_colour * (1 - lines) + line_colour * lines) : ground_colour;
    layer.colour = bright * (base / std::max(layer.opacity, 1e-6f));
    layer.nearness = 1 / depth;
    return layer;
  });
}

// In two dimensions obstacles are areas: tinted, with their boundary as a line.
void draw_area(Raster& raster, const View& view, const Obstacle& obstacle, bool room) {
  const double band = 0.12 * (view.high - view.low).norm();
  raster.add_layer([&](double px, double py) {
    const Vector3d ray = view.camera.ray(px, py);
    const Vector3d p = view.camera.eye - ray * (view.camera.eye.z() / ray.z());
    const Vector3d d = p - Vector3d(obstacle.point[0], obstacle.point[1], 0);
    const bool is_plane = obstacle.kind == Obstacle::Kind::plane;
    const double outside = is_plane ? (d.x() * obstacle.normal[0] + d.y() * obstacle.normal[1])
                                    : (room ? -1 : 1) * (std::hypot(d.x(), d.y()) - obstacle.radius);
    const double pixel = std::abs(view.camera.eye.z()) / view.camera.scale * Raster::samples;
    Raster::Layer layer;
    layer.nearness = 1e300;
    layer.colour = line_colour;
    const auto line = static_cast<float>(std::clamp(1.2 - std::abs(outside) / pixel, 0.0, 1.0));
    const float inside = outside < 0 ? 0.35f * (is_plane || room ? 1 - smooth_step(0, band, -outside) : 1.0f) : 0.0f;
    layer.opacity = std::max(0.8f * line, inside);
    return layer;
  });
}

// From the side of the longest horizontal extent, turned by 28 degrees and from 20 degrees above.
Vector3d view_direction(const Vector3d& size, const Vector3d& up) {
  int vertical = 0;
  up.cwiseAbs().maxCoeff(&vertical);
  const int first = vertical == 0 ? 1 : 0, second = vertical == 2 ? 1 : 2;
  const bool is_first_longer = size[first] >= size[second];
  Vector3d along = Vector3d::Unit(is_first_longer ? first : second), across = up.cross(along).normalized();
  along = across.cross(up).normalized();
  const double turn = 28 * M_PI / 180, above = 20 * M_PI / 180;
  return std::cos(above) * (std::cos(turn) * across - std::sin(turn) * along) - std::sin(above) * up;
}

}  // namespace

View make_view(const Vector3d& low, const Vector3d& high, bool flat, const Vector3d& up, int width) {
  View view;
  view.flat = flat;
  view.low = low;
  view.high = high;
  view.up = flat ? Vector3d::UnitY() : up.normalized();
  const Vector3d forward = flat ? -Vector3d::UnitZ() : view_direction(high - low, view.up);
  view.width = width;
  view.height =
      static_cast<int>(std::clamp(width * 1.1 * aspect(low, high, forward, view.up), 0.45 * width, 1.0 * width));
  view.camera = make_camera(low, high, forward, view.up, flat ? 0 : perspective, view.width, view.height);
  return view;
}

Image render(const View& view, std::span<const PictureBody> bodies, std::span<const Obstacle> obstacles) {
  Raster raster(view.width, view.height);
  const Light light(view);
  const float edges = edge_opacity(view, bodies);
  for (const PictureBody& body : bodies) draw_body(raster, view, light, body, edges);
  if (view.flat) {
    for (const Obstacle& obstacle : obstacles) draw_area(raster, view, obstacle, is_room(obstacle, bodies));
    return raster.image();
  }
  for (const Obstacle& obstacle : obstacles)
    if (obstacle.kind == Obstacle::Kind::sphere) draw_sphere(raster, view, light, obstacle, is_room(obstacle, bodies));
  for (const Obstacle& obstacle : obstacles)
    if (obstacle.kind == Obstacle::Kind::plane) draw_plane(raster, view, light, bodies, obstacle);
  return raster.image();
}

Colour colour_of(float value) {
  const float place = std::clamp(value, 0.0f, 1.0f) * static_cast<float>(stops.size() - 1);
  const auto k = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  const float part = place - static_cast<float>(k);
  Colour colour;
  for (std::size_t i = 0; i < 3; ++i)
    colour[static_cast<Eigen::Index>(i)] =
        ((1 - part) * static_cast<float>(stops[k][i]) + part * static_cast<float>(stops[k + 1][i])) / 255;
  return colour;
}

std::vector<std::string> colour_stops() {
  std::vector<std::string> texts;
  for (const auto& stop : stops) texts.push_back(fmt::format("#{:02x}{:02x}{:02x}", stop[0], stop[1], stop[2]));
  return texts;
}

}  // namespace livens
