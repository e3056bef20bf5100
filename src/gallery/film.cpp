#include "gallery/film.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "report/picture.hpp"
#include "view/recording.hpp"

namespace livens {
namespace {

using Eigen::Vector3d;
using json = nlohmann::json;

// Numbers one after another, as docs/view_protocol.md has them.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  std::vector<T> take(std::size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes_.data() + place_, count * sizeof(T));
    place_ += count * sizeof(T);
    return values;
  }
  void skip(std::size_t bytes) { place_ += bytes; }

 private:
  const std::string& bytes_;
  std::size_t place_ = 0;
};

struct Shape {
  std::string kind;  // surface, points, lines
  std::size_t vertices = 0, triangles = 0;
  double radius = 0;
  std::vector<float> reference;
  SurfaceTriangles surface;
};

std::vector<Shape> read_shapes(const json& about, const std::string& mesh) {
  std::vector<Shape> shapes;
  Reader reader(mesh);
  for (const json& drawable : about.at("drawables")) {
    Shape shape;
    shape.kind = drawable.at("kind");
    shape.vertices = drawable.at("vertices");
    shape.radius = drawable.value("radius", 0.0);
    shape.reference = reader.take<float>(3 * shape.vertices);
    if (shape.kind == "surface") {
      shape.triangles = drawable.at("triangles");
      for (const std::uint32_t v : reader.take<std::uint32_t>(3 * shape.triangles))
        shape.surface.nodes.push_back(static_cast<int>(v));
      for (const std::uint8_t e : reader.take<std::uint8_t>(shape.triangles)) shape.surface.edges.push_back(e);
      shape.surface.element.assign(shape.triangles, 0);
      reader.skip((4 - shape.triangles % 4) % 4);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// One frame: positions, and a value of each vertex between 0 and 1.
struct Moment {
  std::vector<std::vector<Vector3d>> positions;
  std::vector<std::vector<float>> values;
};

Moment read_moment(const std::string& bytes, const std::vector<Shape>& shapes, bool per_triangle, double low,
                   double high, double exaggerate) {
  Reader reader(bytes);
  reader.take<double>(1);  // t
  Moment moment;
  for (const Shape& shape : shapes) {
    const auto x = reader.take<float>(3 * shape.vertices);
    moment.positions.emplace_back();
    for (std::size_t v = 0; v < shape.vertices; ++v) {
      const Vector3d now(x[3 * v], x[3 * v + 1], x[3 * v + 2]);
      const Vector3d then(shape.reference[3 * v], shape.reference[3 * v + 1], shape.reference[3 * v + 2]);
      moment.positions.back().push_back(then + exaggerate * (now - then));
    }
  }
  const auto scaled = [&](float value) {
    return std::isfinite(value) && high > low ? static_cast<float>(std::clamp((value - low) / (high - low), 0.0, 1.0))
                                              : 0.3f;
  };
  for (const Shape& shape : shapes) {
    std::vector<float> values(shape.vertices, 0.0f);
    if (per_triangle && shape.kind == "surface") {  // means over the triangles of a vertex
      const auto given = reader.take<float>(shape.triangles);
      std::vector<float> count(shape.vertices, 0.0f);
      for (std::size_t t = 0; t < shape.triangles; ++t)
        for (std::size_t k = 0; k < 3; ++k) {
          const auto v = static_cast<std::size_t>(shape.surface.nodes[3 * t + k]);
          values[v] += scaled(given[t]);
          count[v] += 1;
        }
      for (std::size_t v = 0; v < values.size(); ++v) values[v] /= std::max(count[v], 1.0f);
    } else {
      const auto given = reader.take<float>(shape.vertices);
      for (std::size_t v = 0; v < values.size(); ++v) values[v] = scaled(given[v]);
    }
    moment.values.push_back(std::move(values));
  }
  return moment;
}

// Triangles that stand for points and lines.
struct Solid {
  SurfaceTriangles surface;
  PictureBody body;

  void add_triangle(int a, int b, int c) {
    surface.nodes.insert(surface.nodes.end(), {a, b, c});
    surface.edges.push_back(0);
    surface.element.push_back(0);
  }
  int add(const Vector3d& position, float value) {
    body.positions.push_back(position);
    body.value.push_back(value);
    return static_cast<int>(body.positions.size()) - 1;
  }
  // A ball, or a disk in the plane.
  void add_point(const Vector3d& centre, double radius, float value, bool flat) {
    const int rows = flat ? 1 : 8, columns = 16;
    if (flat) {
      const int middle = add(centre, value);
      for (int k = 0; k < columns; ++k) {
        const double angle = 2 * M_PI * k / columns;
        add(centre + radius * Vector3d(std::cos(angle), std::sin(angle), 0), value);
      }
      for (int k = 0; k < columns; ++k) add_triangle(middle, middle + 1 + k, middle + 1 + (k + 1) % columns);
      return;
    }
    const int first = static_cast<int>(body.positions.size());
    for (int r = 0; r <= rows; ++r)
      for (int k = 0; k < columns; ++k) {
        const double polar = M_PI * r / rows, angle = 2 * M_PI * k / columns;
        add(centre + radius * Vector3d(std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle),
                                       std::cos(polar)),
            value);
      }
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < columns; ++k) {
        const int a = first + r * columns + k, b = first + r * columns + (k + 1) % columns;
        add_triangle(a, a + columns, b + columns);
        add_triangle(a, b + columns, b);
      }
  }
  // A square tube, or a band in the plane.
  void add_line(const Vector3d& from, const Vector3d& to, double radius, float value, bool flat) {
    const Vector3d along = to - from;
    if (!(along.norm() > 0)) return;
    const Vector3d axis = along.normalized();
    Vector3d side = flat ? Vector3d(-axis.y(), axis.x(), 0)
                         : axis.cross(std::abs(axis.z()) < 0.9 ? Vector3d::UnitZ() : Vector3d::UnitX()).normalized();
    const Vector3d other = axis.cross(side);
    const int first = static_cast<int>(body.positions.size());
    const int corners = flat ? 2 : 4;
    for (const Vector3d& end : {from, to})
      for (int k = 0; k < corners; ++k) {
        const Vector3d out = flat         ? (k == 0 ? side : Vector3d(-side))
                             : k % 2 == 0 ? (k == 0 ? side : Vector3d(-side))
                                          : (k == 1 ? other : Vector3d(-other));
        add(end + radius * out, value);
      }
    for (int k = 0; k < (flat ? 1 : corners); ++k) {
      const int a = first + k, b = first + (k + 1) % corners;
      add_triangle(a, b, b + corners);
      add_triangle(a, b + corners, a + corners);
    }
  }
};

std::vector<Obstacle> obstacles_in(const json& about) {
  std::vector<Obstacle> obstacles;
  const auto vector = [](const json& from, double* to) {
    for (std::size_t c = 0; c < std::min<std::size_t>(3, from.size()); ++c) to[c] = from[c];
  };
  for (const json& given : about.value("obstacles", json::array())) {
    Obstacle obstacle;
    const bool sphere = given.at("kind") == "sphere";
    obstacle.kind = sphere ? Obstacle::Kind::sphere : Obstacle::Kind::plane;
    vector(given.at("point"), obstacle.point);
    if (sphere)
      obstacle.radius = given.at("radius");
    else
      vector(given.at("normal"), obstacle.normal);
    obstacles.push_back(obstacle);
  }
  return obstacles;
}

const json* find_field(const json& about, const std::string& wanted) {
  const json* found = nullptr;
  for (const json& field : about.at("fields")) {
    const std::string name = field.at("name");
    if (wanted.empty() ? name == "von_mises" || (name == "displacement" && found == nullptr) : name == wanted)
      found = &field;
  }
  return found;
}

}  // namespace

std::vector<Image> film(const std::filesystem::path& run, const FilmOptions& options) {
  Recording recording(run);
  const json about = json::parse(recording.description(0, {}));
  const int frames = about.at("frames");
  if (frames == 0 || about.at("drawables").empty()) return {};
  const std::vector<Shape> shapes = read_shapes(about, recording.mesh());
  const json* field = find_field(about, options.field);
  if (field == nullptr) return {};
  const bool per_triangle = field->value("per", "vertex") == "triangle";
  const double low = field->at("range")[0], high = field->at("range")[1];
  const bool flat = about.at("dimension") == 2;
  const std::vector<Obstacle> obstacles = obstacles_in(about);
  Vector3d up = Vector3d::UnitZ();
  for (const Obstacle& obstacle : obstacles)
    if (obstacle.kind == Obstacle::Kind::plane)
      up = Vector3d(obstacle.normal[0], obstacle.normal[1], obstacle.normal[2]).normalized();

  const int count = std::min(options.frames, frames);
  std::vector<Moment> moments;
  Vector3d least = Vector3d::Constant(1e300), most = Vector3d::Constant(-1e300);
  for (int k = 0; k < count; ++k) {
    FrameRequest request;
    request.from = count == 1 ? 0 : static_cast<int>(std::lround(static_cast<double>(k) * (frames - 1) / (count - 1)));
    request.field = field->at("name");
    moments.push_back(read_moment(recording.frames(request), shapes, per_triangle, low, high, options.exaggerate));
    for (const auto& positions : moments.back().positions)
      for (const Vector3d& p : positions) {
        if (!p.allFinite()) continue;
        least = least.cwiseMin(p);
        most = most.cwiseMax(p);
      }
  }
  const double size = (most - least).norm();
  const View view = make_view(least, most, flat, up, options.width);
  std::vector<Image> images;
  for (const Moment& moment : moments) {
    std::vector<Solid> solids(shapes.size());
    std::vector<PictureBody> bodies;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const auto& x = moment.positions[s];
      if (shapes[s].kind == "surface") {
        bodies.push_back({&shapes[s].surface, x, moment.values[s]});
        continue;
      }
      Solid& solid = solids[s];
      if (shapes[s].kind == "points")
        for (std::size_t v = 0; v < x.size(); ++v)
          solid.add_point(x[v], std::max(shapes[s].radius, 0.008 * size), moment.values[s][v], flat);
      else
        for (std::size_t v = 0; v + 1 < x.size(); v += 2) solid.add_line(x[v], x[v + 1], 0.0035 * size, 0.1f, flat);
      solid.body.surface = &solid.surface;
      bodies.push_back(solid.body);
    }
    images.push_back(render(view, bodies, obstacles));
  }
  return images;
}

}  // namespace livens
