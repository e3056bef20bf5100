// --format blender: surfaces as PLY, their motion as PC2 point caches, and open.py, which puts them into Blender.
// Points stay points, of which the script makes spheres; springs and rods become thin tubes.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "blender_assets.hpp"
#include "draw/obstacle_json.hpp"
#include "export/export.hpp"
#include "export/fresh_directory.hpp"
#include "files/exchange_files.hpp"
#include "files/files.hpp"
#include "mesh/core/words.hpp"
#include "run/recording.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3f;
using Json = nlohmann::ordered_json;

constexpr int first_frame = 1;  // where Blender's time begins
constexpr int tube_sides = 8;
constexpr float tube_radius = 0.004f;  // of the diagonal of the box of all frames

using Positions = std::vector<float>;  // 3 per vertex

// A drawable as a mesh of its own.
struct BlenderObject {
  const Drawable* drawable;
  std::string stem;   // of its files
  double radius = 0;  // m, of points and tubes
  std::vector<int> triangles;

  bool tubes() const { return drawable->kind == Drawable::Kind::lines; }
  const char* kind() const {
    return tubes() ? "tubes" : drawable->kind == Drawable::Kind::points ? "points" : "surface";
  }
};

// Rings about both ends of each line.
Positions tubes(const Positions& ends, float radius) {
  Positions rings;
  for (std::size_t k = 0; k + 5 < ends.size(); k += 6) {
    const Vector3f a(&ends[k]), b(&ends[k + 3]);
    const float length = (b - a).norm();
    const Vector3f along = length > 0 ? Vector3f((b - a) / length) : Vector3f::UnitZ();
    const Vector3f u = along.unitOrthogonal(), v = along.cross(u);
    for (const Vector3f& end : {a, b})
      for (int side = 0; side < tube_sides; ++side) {
        const float angle = 6.2831853f * static_cast<float>(side) / tube_sides;
        const Vector3f x = end + radius * (std::cos(angle) * u + std::sin(angle) * v);
        rings.insert(rings.end(), {x.x(), x.y(), x.z()});
      }
  }
  return rings;
}

std::vector<int> tube_triangles(std::size_t lines) {
  std::vector<int> triangles;
  for (int line = 0; line < static_cast<int>(lines); ++line) {
    const int a = 2 * tube_sides * line, b = a + tube_sides;
    for (int side = 0; side < tube_sides; ++side) {
      const int next = (side + 1) % tube_sides;
      triangles.insert(triangles.end(), {a + side, a + next, b + side, a + next, b + next, b + side});
      if (side > 0 && next > 0) triangles.insert(triangles.end(), {a, a + next, a + side, b, b + side, b + next});
    }
  }
  return triangles;
}

std::string stem_of(const std::string& name, std::set<std::string>& taken) {
  std::string stem = name.empty() ? "object" : name;
  for (char& c : stem)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  std::string free = stem;
  for (int number = 2; !taken.insert(free).second; ++number) free = fmt::format("{}-{}", stem, number);
  return free;
}

class BlenderExport {
 public:
  BlenderExport(const std::string& run, const ExportOptions& options) : recording_(run), motion_(recording_.motion()) {
    const Drawing& drawing = motion_->drawing();
    if (!motion_->fault().empty()) throw RunError(motion_->fault());
    if (motion_->frames() == 0 || drawing.drawables.empty()) refuse_without_frames(run);
    std::vector<std::string> bodies;
    for (const Drawable& drawable : drawing.drawables)
      if (drawable.body >= 0) bodies.push_back(body_of(drawable));
    require_known(options.bodies, bodies, "body", run);
    std::set<std::string> stems = {"open"};
    for (const Drawable& drawable : drawing.drawables) {
      const auto& wanted = options.bodies;
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), body_of(drawable)) != wanted.end())
        objects_.push_back(object_of(drawable, stem_of(drawable.name, stems)));
    }
  }

  const std::vector<BlenderObject>& objects() const { return objects_; }
  const std::vector<double>& times() const { return motion_->t(); }
  std::string name() const { return recording_.name(); }

  // Calls use(object, positions) for every object.
  template <class Use>
  void visit_frame(int frame, const Use& use) const {
    const std::vector<double> x = motion_->coordinates(frame);
    for (const BlenderObject& object : objects_) {
      const Positions own = drawn_positions(motion_->drawing(), *object.drawable, x);
      use(object, object.tubes() ? tubes(own, static_cast<float>(object.radius)) : own);
    }
  }

  std::string script(const ChosenFrames& chosen) const {
    Json objects = Json::array();
    for (const BlenderObject& object : objects_)
      objects.push_back({{"name", object.drawable->name},
                         {"file", object.stem},
                         {"kind", object.kind()},
                         {"radius", object.radius},
                         {"obstacle", object.drawable->obstacle},
                         {"room", object.drawable->room}});
    const Eigen::Vector3d& up = motion_->up();
    const Json scene = {{"name", recording_.name()},
                        {"title", recording_.title()},
                        {"fps", chosen.fps},
                        {"first_frame", first_frame},
                        {"frames", chosen.frames.size()},
                        {"dimension", motion_->drawing().dimension},
                        {"up", {up[0], up[1], up[2]}},
                        {"box", motion_->box()},
                        {"objects", objects},
                        {"obstacles", obstacles_json(motion_->obstacles(), motion_->drawing())}};
    // ASCII, and nothing in it that ends a raw text of Python.
    std::string text = scene.dump(1, ' ', true, Json::error_handler_t::replace);
    for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at))
      text.replace(at, 1, "\\u0027");
    std::string script(blender_assets::open_py());
    const std::string place = "@SCENE@";
    return script.replace(script.find(place), place.size(), text);
  }

 private:
  std::string body_of(const Drawable& drawable) const {
    return drawable.body >= 0 ? motion_->drawing().bodies[drawable.body].name : "";
  }

  BlenderObject object_of(const Drawable& drawable, std::string stem) const {
    const std::vector<double>& box = motion_->box();
    const double diagonal = std::hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
    BlenderObject object{&drawable, std::move(stem), drawable.radius, {}};
    object.triangles.assign(drawable.triangles.begin(), drawable.triangles.end());
    if (object.tubes()) {
      object.radius = tube_radius * diagonal;
      object.triangles = tube_triangles(drawable.vertices.size() / 2);
    }
    return object;
  }

  Recording recording_;
  std::shared_ptr<const RecordedMotion> motion_;
  std::vector<BlenderObject> objects_;
};

// The surface at the first frame, and the begin of its cache.
void begin_files(const FreshDirectory& folder, const BlenderObject& object, const Positions& positions,
                 const std::string& time, std::size_t frames) {
  File(folder.file(object.stem + ".ply"), File::Mode::create).write(ply_bytes(positions, object.triangles, time));
  File(folder.file(object.stem + ".pc2"), File::Mode::create)
      .write(pc2_header(static_cast<int>(positions.size() / 3), static_cast<int>(frames), first_frame));
}

std::string message_of(const BlenderExport& run, const ChosenFrames& chosen, const fs::path& out) {
  const std::string rate =
      fmt::format("{} frames, {:.6g} per second", grouped(static_cast<long>(chosen.frames.size())), chosen.fps);
  const std::string& stem = run.objects().front().stem;
  const std::string files =
      run.objects().size() == 1
          ? fmt::format("{0}.ply, {0}.pc2 ({1}), open.py", stem, rate)
          : fmt::format("open.py and {} objects of NAME.ply and NAME.pc2 each ({})", run.objects().size(), rate);
  return fmt::format("{}/ has {}. Run: blender --python {}", out.string(), files, (out / "open.py").string());
}

}  // namespace

ExportResult export_blender(const std::vector<std::string>& runs, const ExportOptions& options) {
  BlenderExport run(runs.front(), options);
  const std::vector<double>& t = run.times();
  const ChosenFrames chosen = choose_frames(t, options.choice);
  const fs::path out = options.out.empty() ? fs::path(run.name() + "_blender") : options.out;
  FreshDirectory folder(out);
  for (std::size_t k = 0; k < chosen.frames.size(); ++k) {
    ask_to_go_on(options);
    run.visit_frame(chosen.frames[k], [&](const BlenderObject& object, const Positions& positions) {
      if (k == 0)
        begin_files(folder, object, positions, fmt::format("t = {:.17g} s", t[chosen.frames[0]]), chosen.frames.size());
      const auto bytes = std::as_bytes(std::span(positions));
      File(folder.file(object.stem + ".pc2"), File::Mode::append)
          .write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    });
  }
  write_file(folder.file("open.py"), run.script(chosen));
  folder.commit();
  return {message_of(run, chosen, out), chosen.notes};
}

}  // namespace livens
