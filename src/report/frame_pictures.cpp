#include "report/frame_pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "draw/contact_shapes.hpp"
#include "draw/up.hpp"
#include "files/fields.hpp"
#include "files/frames_reader.hpp"
#include "math/parallel.hpp"
#include "model/assembly.hpp"
#include "report/picture.hpp"

namespace livens {
namespace {

using Eigen::Vector3d;

// A solid, what can be seen of it, and its place in the file.
struct VisibleBody {
  const Body* body;
  const FrameBody* recorded;
  SurfaceTriangles surface;
  std::vector<std::array<double, 4>> corners;  // of the surface of a rigid body, as weights of its nodes
  bool obstacle = false, room = false;
};

// The surface that touches others, or the box of its inertia.
VisibleBody visible_rigid(const Model& model, const Body& body, const FrameBody& recorded) {
  const std::optional<Drawable> shape = contact_shape(model, body);
  if (!shape) {
    RigidBox box = rigid_box(*body.rigid);
    return {&body, &recorded, std::move(box.surface), std::move(box.corners)};
  }
  VisibleBody result{&body, &recorded, {}, {}, is_obstacle(body, model.parts().supports), shape->room};
  for (const DrawnVertex& vertex : shape->vertices) result.corners.push_back(vertex.weight);
  result.surface.nodes.assign(shape->triangles.begin(), shape->triangles.end());
  result.surface.edges.assign(shape->edges.begin(), shape->edges.end());
  result.surface.element.assign(shape->edges.size(), 0);
  return result;
}

std::vector<VisibleBody> shown_bodies(const Model& model, const FramesFile& file) {
  std::vector<VisibleBody> shown;
  for (const Body& body : model.bodies())
    for (const FrameBody& recorded : file.bodies())
      if (recorded.name == body.name && recorded.nodes == body.nodes) {
        if (body.mesh != nullptr) shown.push_back({&body, &recorded, surface_triangles(*body.mesh), {}});
        if (body.rigid) shown.push_back(visible_rigid(model, body, recorded));
      }
  return shown;
}

std::vector<double> coordinates_at(const Model& model, const FramesFile& file, int frame) {
  std::vector<double> q(model.size(), 0.0);
  for (const Body& body : model.bodies())
    for (const FrameBody& recorded : file.bodies())
      if (body.dimension > 0 && recorded.name == body.name && recorded.nodes == body.nodes) {
        const auto positions = file.positions(recorded, frame);
        std::copy(positions.begin(), positions.end(), q.begin() + body.first);
      }
  return q;
}

Vector3d up_of(const Model& model, const std::vector<double>& q, const std::vector<Obstacle>& obstacles) {
  return up_direction(model.dimension(), against_gravity(model, q), obstacles);
}

std::vector<double> node_values(const Model& model, const Body& body, const std::vector<double>& q, bool by_stress) {
  BodyFields at(model, body, 0, q, q);
  if (by_stress) return at_nodes(*body.mesh, field_record("von_mises").values(at));
  const auto u = field_record("displacement").values(at);
  const auto d = static_cast<std::size_t>(body.dimension);
  std::vector<double> lengths(u.size() / d, 0.0);
  for (std::size_t i = 0; i < u.size(); ++i) lengths[i / d] += u[i] * u[i];
  for (double& length : lengths) length = std::sqrt(length);
  return lengths;
}

ConstVector own_coordinates(const Body& body, const std::vector<double>& q) {
  return ConstVector(q).subspan(static_cast<std::size_t>(body.first), static_cast<std::size_t>(body.size()));
}

Vector3d corner_at(const VisibleBody& shown, std::size_t corner, ConstVector x) {
  Vector3d p = Vector3d::Zero();
  const int d = shown.body->dimension;
  for (int a = 0; a < shown.body->nodes; ++a)
    for (int c = 0; c < d; ++c) p[c] += shown.corners[corner][a] * x[d * a + c];
  return p;
}

// How far each corner of a rigid body has come, or nothing where solids are coloured by their stress.
std::vector<double> rigid_values(const VisibleBody& shown, const std::vector<double>& q, bool by_stress) {
  std::vector<double> values(shown.corners.size(), 0.0);
  const ConstVector now = own_coordinates(*shown.body, q);
  for (std::size_t corner = 0; corner < values.size() && !by_stress; ++corner)
    values[corner] = (corner_at(shown, corner, now) - corner_at(shown, corner, shown.body->reference)).norm();
  return values;
}

PictureBody picture_body(const VisibleBody& shown, const std::vector<double>& q, const std::vector<double>& values,
                         double largest) {
  PictureBody picture{&shown.surface, {}, {}, shown.obstacle, shown.room};
  if (shown.body->rigid) {
    const ConstVector now = own_coordinates(*shown.body, q);
    for (std::size_t corner = 0; corner < shown.corners.size(); ++corner) {
      picture.positions.push_back(corner_at(shown, corner, now));
      picture.value.push_back(largest > 0 ? static_cast<float>(values[corner] / largest) : 0.0f);
    }
    return picture;
  }
  const auto d = static_cast<std::size_t>(shown.body->dimension);
  for (std::size_t a = 0; a < values.size(); ++a) {
    Vector3d p = Vector3d::Zero();
    for (std::size_t k = 0; k < d; ++k) p[static_cast<Eigen::Index>(k)] = q[shown.body->first + a * d + k];
    picture.positions.push_back(p);
    picture.value.push_back(largest > 0 ? static_cast<float>(values[a] / largest) : 0.0f);
  }
  return picture;
}

// 2130000 Pa -> "2.13 MPa"
std::string with_prefix(double value, const std::string& unit) {
  static constexpr const char* prefixes[] = {"n", "µ", "m", "", "k", "M", "G"};
  int k = 3;
  for (; k < 6 && std::abs(value) >= 1000; ++k) value /= 1000;
  for (; k > 0 && value != 0 && std::abs(value) < 1; --k) value *= 1000;
  return fmt::format("{:.3g} {}{}", value, prefixes[k], unit);
}

struct Extent {
  Vector3d low, high;
  double longest() const { return (high - low).maxCoeff(); }
};

Extent extent_of(const std::vector<PictureBody>& bodies) {
  Extent extent{Vector3d::Constant(std::numeric_limits<double>::infinity()),
                Vector3d::Constant(-std::numeric_limits<double>::infinity())};
  for (const PictureBody& body : bodies)
    for (const Vector3d& p : body.positions)
      if (p.allFinite()) {
        extent.low = extent.low.cwiseMin(p);
        extent.high = extent.high.cwiseMax(p);
      }
  return extent;
}

// One view of all that moves; of bodies that travel many times their size, views of one scale that follow them.
constexpr double far_travel = 6;

std::vector<View> views_of(const Extent& all, const std::vector<std::vector<PictureBody>>& pictures, bool flat,
                           const Vector3d& up, int width) {
  double largest = 0;
  for (const auto& bodies : pictures) largest = std::max(largest, extent_of(bodies).longest());
  if (!(largest > 0) || all.longest() < far_travel * largest)
    return std::vector<View>(pictures.size(), make_view(all.low, all.high, flat, up, width));
  std::vector<View> views;
  for (const auto& bodies : pictures) {
    const Extent extent = extent_of(bodies);
    const Vector3d middle = 0.5 * (extent.low + extent.high);
    Vector3d half = Vector3d::Constant(0.5 * largest);
    if (flat) half.z() = 0;
    views.push_back(make_view(middle - half, middle + half, flat, up, width));
  }
  return views;
}

std::vector<int> chosen_frames(int frames) {
  std::vector<int> chosen = {0, (frames - 1) / 2, frames - 1};
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

std::vector<double> at_nodes(const Mesh& mesh, const std::vector<double>& of_elements) {
  std::vector<double> sum(mesh.nodes(), 0.0), count(sum.size(), 0.0);
  for (int e = 0; e < mesh.elements(); ++e)
    for (int a = 0; a < nodes_of(mesh.kind); ++a) {
      const auto node = static_cast<std::size_t>(mesh.element(e)[a]);
      sum[node] += of_elements[e];
      count[node] += 1;
    }
  for (std::size_t a = 0; a < sum.size(); ++a) sum[a] /= std::max(count[a], 1.0);
  return sum;
}

std::optional<ReportSection> frame_pictures(const Model& model, const std::filesystem::path& path, int width) {
  const FramesFile file(path);
  const std::vector<VisibleBody> shown = shown_bodies(model, file);
  if (shown.empty() || file.frames() == 0) return std::nullopt;
  const bool solids =
      std::any_of(shown.begin(), shown.end(), [](const VisibleBody& each) { return !each.body->rigid; });
  const bool by_stress = solids && std::all_of(shown.begin(), shown.end(), [&](const VisibleBody& each) {
                           return each.body->rigid || !blocks_of(model, *each.body).empty();
                         });

  const std::vector<int> frames = chosen_frames(file.frames());
  std::vector<std::vector<double>> q;
  std::vector<std::vector<std::vector<double>>> values;  // by frame and body
  double largest = 0;
  for (const int frame : frames) {
    q.push_back(coordinates_at(model, file, frame));
    values.emplace_back();
    for (const VisibleBody& each : shown) {
      values.back().push_back(each.body->rigid ? rigid_values(each, q.back(), by_stress)
                                               : node_values(model, *each.body, q.back(), by_stress));
      for (const double value : values.back().back())
        if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }

  std::vector<std::vector<PictureBody>> pictures(frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f)
    for (std::size_t k = 0; k < shown.size(); ++k)
      pictures[f].push_back(picture_body(shown[k], q[f], values[f][k], largest));
  // The box of the file is that of nodes, which are not at the corners of rigid bodies.
  const auto& box = file.box();
  Extent all{{box[0], box[1], box[2]}, {box[3], box[4], box[5]}};
  for (const auto& bodies : pictures) {
    const Extent extent = extent_of(bodies);
    all.low = all.low.cwiseMin(extent.low);
    all.high = all.high.cwiseMax(extent.high);
  }
  const std::vector<View> views =
      views_of(all, pictures, model.dimension() == 2, up_of(model, q.front(), file.obstacles()), width);
  ReportSection section;
  section.title = "Motion";
  section.pictures.resize(frames.size());
  for_each_index(frames.size(), [&](std::size_t f) {
    const auto frame = static_cast<std::size_t>(frames[f]);
    section.pictures[f] = {fmt::format("t = {:.4g} s", file.t()[frame]),
                           fmt::format("frame {} of {}, step {}", frame + 1, file.frames(), file.steps()[frame]),
                           png_bytes(render(views[f], pictures[f], file.obstacles())), views[f].width, views[f].height};
  });
  section.scale = {by_stress ? "von Mises stress" : "displacement", colour_stops(), "0",
                   with_prefix(largest, by_stress ? "Pa" : "m")};
  return section;
}

std::vector<std::string> picture_colours() { return colour_stops(); }

std::optional<Picture> element_picture(const Model& model, const std::filesystem::path& path,
                                       const std::vector<std::vector<double>>& values, double low, double high,
                                       int width) {
  const FramesFile file(path);
  if (file.frames() == 0 || values.size() != model.bodies().size()) return std::nullopt;
  const int frame = file.frames() - 1;
  const std::vector<double> q = coordinates_at(model, file, frame);
  const std::vector<VisibleBody> shown = shown_bodies(model, file);
  std::vector<std::vector<PictureBody>> pictures(1);
  for (const VisibleBody& each : shown) {
    std::vector<double> of_elements = values[each.body - model.bodies().data()];
    if (of_elements.empty()) continue;
    for (double& value : of_elements) value = high > low ? (value - low) / (high - low) : 0;
    pictures[0].push_back(picture_body(each, q, at_nodes(*each.body->mesh, of_elements), 1));
  }
  if (pictures[0].empty()) return std::nullopt;
  const View view =
      views_of(extent_of(pictures[0]), pictures, model.dimension() == 2, up_of(model, q, file.obstacles()), width)
          .front();
  return Picture{"", "", png_bytes(render(view, pictures[0], file.obstacles())), view.width, view.height};
}

}  // namespace livens
