// --format blender: surfaces as PLY, their motion as PC2 point caches, and open.py, which puts them into Blender.
// Points stay points, of which the script makes spheres; springs and rods become thin tubes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "blender_assets.hpp"
#include "export/export.hpp"
#include "export/fresh_directory.hpp"
#include "files/exchange_files.hpp"
#include "files/files.hpp"
#include "mesh/core/words.hpp"
#include "run/finished_run.hpp"
#include "view/description.hpp"
#include "view/recording.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3f;

constexpr int first_frame = 1;  // where Blender's time begins
constexpr int tube_sides = 8;
constexpr float tube_radius = 0.004f;  // of the diagonal of the box of all frames

using Positions = std::vector<float>;  // 3 a vertex

// A drawable of the page's protocol as a mesh of its own.
struct BlenderObject {
  std::string name, stem, kind;         // kind: surface, points, tubes
  std::size_t first = 0, vertices = 0;  // among those of the protocol
  double radius = 0;                    // m, of points and tubes
  std::vector<int> triangles;
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
  BlenderExport(const std::string& run, const ExportOptions& options)
      : recording_(run), run_(ViewJson::parse(recording_.description(0, {}))) {
    std::vector<double> box = run_["box"];
    const double diagonal = std::hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
    if (run_["frames"] == 0 || run_["drawables"].empty()) refuse_without_frames(run);
    std::vector<std::string> bodies;
    for (const ViewJson& drawable : run_["drawables"])
      if (drawable.contains("body")) bodies.push_back(drawable["body"]);
    require_known(options.bodies, bodies, "body", run);
    const std::string mesh = recording_.mesh();
    std::size_t at = 0;
    std::set<std::string> stems = {"open"};
    for (const ViewJson& drawable : run_["drawables"]) {
      BlenderObject object;
      object.name = drawable["name"];
      object.kind = drawable["kind"] == "lines" ? "tubes" : drawable["kind"];
      object.first = vertices_;
      object.vertices = drawable["vertices"];
      object.radius = object.kind == "tubes" ? tube_radius * diagonal : drawable.value("radius", 0.0);
      vertices_ += object.vertices;
      at += 3 * sizeof(float) * object.vertices;
      if (object.kind == "tubes") object.triangles = tube_triangles(object.vertices / 2);
      if (object.kind == "surface") {
        const std::size_t triangles = drawable["triangles"];
        object.triangles.resize(3 * triangles);
        std::memcpy(object.triangles.data(), mesh.data() + at, 3 * triangles * sizeof(int));
        at += 3 * triangles * sizeof(int) + (triangles + 3) / 4 * 4;
      }
      const std::string body = drawable.value("body", "");
      if (!options.bodies.empty() &&
          std::find(options.bodies.begin(), options.bodies.end(), body) == options.bodies.end())
        continue;
      object.stem = stem_of(object.name, stems);
      objects_.push_back(std::move(object));
    }
  }

  const std::vector<BlenderObject>& objects() const { return objects_; }
  std::vector<double> times() const { return run_["t"]; }
  std::string name() const { return recording_.name(); }

  Positions frame(int number) {
    FrameRequest request;
    request.from = number;
    const std::string bytes = recording_.frames(request);
    Positions positions(3 * vertices_);
    std::memcpy(positions.data(), bytes.data() + sizeof(double), positions.size() * sizeof(float));
    return positions;
  }

  static Positions of(const BlenderObject& object, const Positions& all) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(3 * object.first);
    Positions own(begin, begin + static_cast<std::ptrdiff_t>(3 * object.vertices));
    return object.kind == "tubes" ? tubes(own, static_cast<float>(object.radius)) : own;
  }

  std::string script(const ChosenFrames& chosen) const {
    ViewJson objects = ViewJson::array();
    for (const BlenderObject& object : objects_)
      objects.push_back(
          {{"name", object.name}, {"file", object.stem}, {"kind", object.kind}, {"radius", object.radius}});
    const ViewJson scene = {{"name", recording_.name()},
                            {"title", run_["title"]},
                            {"fps", chosen.fps},
                            {"first_frame", first_frame},
                            {"frames", chosen.frames.size()},
                            {"dimension", run_["dimension"]},
                            {"up", run_["up"]},
                            {"box", run_["box"]},
                            {"objects", objects},
                            {"obstacles", run_["obstacles"]}};
    // ASCII, and nothing in it that ends a raw text of Python.
    std::string text = scene.dump(1, ' ', true, ViewJson::error_handler_t::replace);
    for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at))
      text.replace(at, 1, "\\u0027");
    std::string script(blender_assets::open_py());
    const std::string place = "@SCENE@";
    return script.replace(script.find(place), place.size(), text);
  }

 private:
  Recording recording_;
  ViewJson run_;
  std::vector<BlenderObject> objects_;
  std::size_t vertices_ = 0;  // of all drawables
};

}  // namespace

Exported export_blender(const std::vector<std::string>& runs, const ExportOptions& options) {
  BlenderExport run(runs.front(), options);
  const std::vector<double> t = run.times();
  const ChosenFrames chosen = choose_frames(t, options.choice);
  const fs::path out = options.out.empty() ? fs::path(run.name() + "_blender") : options.out;
  FreshDirectory folder(out);
  for (std::size_t k = 0; k < chosen.frames.size(); ++k) {
    ask_to_go_on(options);
    const Positions all = run.frame(chosen.frames[k]);
    for (const BlenderObject& object : run.objects()) {
      const Positions positions = BlenderExport::of(object, all);
      const fs::path cache = folder.file(object.stem + ".pc2");
      if (k == 0) {
        const double begin = t[chosen.frames[0]];
        File(folder.file(object.stem + ".ply"), File::Mode::create)
            .write(ply_bytes(positions, object.triangles, fmt::format("t = {:.17g} s", begin)));
        File(cache, File::Mode::create)
            .write(pc2_header(static_cast<int>(positions.size() / 3), static_cast<int>(chosen.frames.size()),
                              first_frame));
      }
      std::string bytes;
      append_bytes(positions.data(), positions.size(), bytes);
      File(cache, File::Mode::append).write(bytes);
    }
  }
  write_file(folder.file("open.py"), run.script(chosen));
  folder.commit();
  const std::string rate =
      fmt::format("{} frames, {:.6g} per second", grouped(static_cast<long>(chosen.frames.size())), chosen.fps);
  const std::string& stem = run.objects().front().stem;
  const std::string files =
      run.objects().size() == 1
          ? fmt::format("{0}.ply, {0}.pc2 ({1}), open.py", stem, rate)
          : fmt::format("open.py and {} objects of NAME.ply and NAME.pc2 each ({})", run.objects().size(), rate);
  return {fmt::format("{}/ has {}. Run: blender --python {}", out.string(), files, (out / "open.py").string()),
          chosen.notes};
}

}  // namespace livens
