#include "run/film.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "report/picture.hpp"
#include "run/recording.hpp"

namespace livens {
namespace {

using Eigen::Vector3d;

constexpr float unknown_value = 0.3f, line_value = 0.1f;  // between 0 and 1, of the colours
constexpr double point_size = 0.008, line_size = 0.0035;  // smallest radii over the size of the whole picture

// The triangles of a drawable that is a surface; none of others.
SurfaceTriangles surface_of(const Drawable& drawable) {
  SurfaceTriangles surface;
  surface.nodes.assign(drawable.triangles.begin(), drawable.triangles.end());
  surface.edges.assign(drawable.edges.begin(), drawable.edges.end());
  surface.element.assign(drawable.edges.size(), 0);
  return surface;
}

// One frame: by drawable, positions and a value between 0 and 1 of each vertex.
struct FilmFrame {
  std::vector<std::vector<Vector3d>> positions;
  std::vector<std::vector<float>> values;
};

// Positions in single precision, as the viewer's page and Blender have them.
std::vector<Vector3d> points_of(const std::vector<float>& x) {
  std::vector<Vector3d> points;
  for (std::size_t v = 0; v + 2 < x.size(); v += 3) points.emplace_back(x[v], x[v + 1], x[v + 2]);
  return points;
}

// Means over the triangles of each vertex.
std::vector<float> means_at_vertices(const Drawable& drawable, const std::vector<float>& of_triangles) {
  std::vector<float> values(drawable.vertices.size(), 0.0f), count(values.size(), 0.0f);
  for (std::size_t k = 0; k < drawable.triangles.size(); ++k) {
    values[drawable.triangles[k]] += of_triangles[k / 3];
    count[drawable.triangles[k]] += 1;
  }
  for (std::size_t v = 0; v < values.size(); ++v) values[v] /= std::max(count[v], 1.0f);
  return values;
}

// What is filmed: a recording and one of its fields.
class Film {
 public:
  Film(const RecordedMotion& motion, const DrawnField& field, double exaggerate)
      : motion_(motion), field_(field), exaggerate_(exaggerate) {
    for (const Drawable& drawable : drawables()) {
      reference_.push_back(points_of(drawn_positions(motion.drawing(), drawable, motion.drawing().reference())));
      surfaces_.push_back(surface_of(drawable));
    }
  }

  FilmFrame frame(int number) const {
    const std::vector<double> x = motion_.coordinates(number);
    FilmFrame frame;
    frame.values = drawn_values_by_drawable(motion_.drawing(), motion_.values(field_, number, x));
    for (std::size_t s = 0; s < drawables().size(); ++s) {
      frame.positions.push_back(points_of(drawn_positions(motion_.drawing(), drawables()[s], x)));
      auto& positions = frame.positions.back();
      for (std::size_t v = 0; v < positions.size(); ++v)
        positions[v] = reference_[s][v] + exaggerate_ * (positions[v] - reference_[s][v]);
      for (float& value : frame.values[s]) value = scaled(value);
      if (field_.per_cell && drawables()[s].kind == Drawable::Kind::surface)
        frame.values[s] = means_at_vertices(drawables()[s], frame.values[s]);
    }
    return frame;
  }

  Image image(const FilmFrame& frame, const View& view, double size) const;

 private:
  const std::vector<Drawable>& drawables() const { return motion_.drawing().drawables; }

  float scaled(float value) const {
    const double low = field_.range.empty() ? 0 : field_.range.least,
                 high = field_.range.empty() ? 0 : field_.range.largest;
    return std::isfinite(value) && high > low ? static_cast<float>(std::clamp((value - low) / (high - low), 0.0, 1.0))
                                              : unknown_value;
  }

  const RecordedMotion& motion_;
  const DrawnField& field_;
  double exaggerate_;
  std::vector<std::vector<Vector3d>> reference_;  // by drawable
  std::vector<SurfaceTriangles> surfaces_;
};

// Triangles that represent points and lines.
struct Glyphs {
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
  static constexpr int rows = 8, columns = 16;  // of points
  void add_disk(const Vector3d& centre, double radius, float value) {
    const int middle = add(centre, value);
    for (int k = 0; k < columns; ++k) {
      const double angle = 2 * M_PI * k / columns;
      add(centre + radius * Vector3d(std::cos(angle), std::sin(angle), 0), value);
    }
    for (int k = 0; k < columns; ++k) add_triangle(middle, middle + 1 + k, middle + 1 + (k + 1) % columns);
  }
  void add_ball(const Vector3d& centre, double radius, float value) {
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

Image Film::image(const FilmFrame& frame, const View& view, double size) const {
  std::vector<Glyphs> glyphs(drawables().size());
  std::vector<PictureBody> bodies;
  for (std::size_t s = 0; s < drawables().size(); ++s) {
    const Drawable& drawable = drawables()[s];
    const auto& x = frame.positions[s];
    if (drawable.kind == Drawable::Kind::surface) {
      bodies.push_back({&surfaces_[s], x, frame.values[s], drawable.obstacle, drawable.room});
      continue;
    }
    Glyphs& own = glyphs[s];
    const double radius = std::max(drawable.radius, point_size * size);
    if (drawable.kind == Drawable::Kind::lines)
      for (std::size_t v = 0; v + 1 < x.size(); v += 2)
        own.add_line(x[v], x[v + 1], line_size * size, line_value, view.flat);
    else
      for (std::size_t v = 0; v < x.size(); ++v)
        view.flat ? own.add_disk(x[v], radius, frame.values[s][v]) : own.add_ball(x[v], radius, frame.values[s][v]);
    own.body.surface = &own.surface;
    bodies.push_back(own.body);
  }
  return render(view, bodies, motion_.obstacles());
}

const DrawnField* field_of(const RecordedMotion& motion, const std::string& wanted) {
  if (!wanted.empty()) return motion.find_field(wanted);
  const DrawnField* stress = motion.find_field("von_mises");
  return stress != nullptr ? stress : motion.find_field("displacement");
}

}  // namespace

std::vector<Image> film(const std::filesystem::path& run, const FilmOptions& options) {
  Recording recording(run);
  const auto motion = recording.motion();
  const int recorded = motion->frames();
  const DrawnField* field = field_of(*motion, options.field);
  if (recorded == 0 || motion->drawing().drawables.empty() || field == nullptr) return {};
  const Film film(*motion, *field, options.exaggerate);
  const int count = std::min(options.frames, recorded);
  std::vector<FilmFrame> frames;
  Vector3d least = Vector3d::Constant(1e300), most = Vector3d::Constant(-1e300);
  for (int k = 0; k < count; ++k) {
    const double place = count == 1 ? 0 : static_cast<double>(k) * (recorded - 1) / (count - 1);
    frames.push_back(film.frame(static_cast<int>(std::lround(place))));
    for (const auto& positions : frames.back().positions)
      for (const Vector3d& p : positions) {
        if (!p.allFinite()) continue;
        least = least.cwiseMin(p);
        most = most.cwiseMax(p);
      }
  }
  const View view = make_view(least, most, motion->drawing().dimension == 2, motion->up(), options.width);
  std::vector<Image> images;
  for (const FilmFrame& frame : frames) images.push_back(film.image(frame, view, (most - least).norm()));
  return images;
}

}  // namespace livens
