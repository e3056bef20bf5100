// Outputs of one file per body and frame: VTU files for ParaView, surfaces as OBJ and PLY for renderers.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <livens/records.hpp>

#include "files/exchange_files.hpp"
#include "files/fields.hpp"
#include "files/files.hpp"
#include "files/output.hpp"
#include "files/surface.hpp"
#include "mesh/files/vtu_grid.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

constexpr double default_files = 50;
constexpr std::size_t bytes_each = 300;  // a coordinate, about: what waits to be written

// The files NAME/BODY_000012.EXTENSION.
class FileSeries : public Output {
 public:
  FileSeries(const std::string& name, std::string extension, std::optional<double> every, const OutputContext& context)
      : Output(name, every, default_files, context),
        model_(context.model),
        directory_(context.directory),
        extension_(std::move(extension)) {}

  std::vector<std::string> files() const override { return {name() + "/"}; }

 protected:
  virtual bool shows(const Body& body) const { return body.dimension > 0; }
  // Takes what it needs of the sample; makes the bytes of the file later.
  virtual std::function<std::string()> content(const Body& body, const Sample& sample) = 0;
  virtual void written(const std::vector<double>&) {}  // t of all frames

  void start() override {
    make_folder(directory_ / name());
    remove_from(0);
  }

  bool reopen(long frames) override {
    if (!fs::is_directory(directory_ / name())) return false;
    make_folder(directory_ / name());  // unless it is a link
    for (const Body& body : model_.bodies())
      if (shows(body) && frames > 0 && !fs::exists(directory_ / file_of(body, frames - 1)))
        throw RunError(file_of(body, frames - 1) + " is missing");
    remove_from(frames);
    written(t());
    return true;
  }

  void write(const Sample& sample) override {
    for (const Body& body : model_.bodies())
      if (shows(body))
        later(bytes_each * static_cast<std::size_t>(body.size()),
              [path = directory_ / file_of(body, frames() - 1), make = content(body, sample)] {
                write_file(path, make());
              });
    later(t().size() * sizeof(double), [this, times = t()] { written(times); });
  }
  void finish() override { wait(); }

  std::string file_of(const Body& body, long frame) const {
    return fmt::format("{}/{}_{:06}.{}", name(), body.name, frame, extension_);
  }
  const Model& model() const { return model_; }
  const fs::path& directory() const { return directory_; }

 private:
  // Frames of an earlier course of this run.
  void remove_from(long first) {
    std::vector<fs::path> stale;
    for (const auto& entry : fs::directory_iterator(directory_ / name())) {
      const std::string stem = entry.path().stem().string();
      const std::size_t underscore = stem.rfind('_');
      if (entry.path().extension() != "." + extension_ || underscore == std::string::npos) continue;
      long frame = -1;
      const char* end = stem.data() + stem.size();
      const auto parsed = std::from_chars(stem.data() + underscore + 1, end, frame);
      if (parsed.ec == std::errc() && parsed.ptr == end && frame >= first) stale.push_back(entry.path());
    }
    std::error_code ignored;
    for (const fs::path& path : stale) fs::remove(path, ignored);
  }

  const Model& model_;
  fs::path directory_;
  std::string extension_;
};

// ----------------------------------------------------------------------------------------------------------------- vtu

// The numbers of the nodes in the file of the mesh.
MeshField node_ids(const Mesh& mesh) { return {"node_id", 1, false, {mesh.node_tags.begin(), mesh.node_tags.end()}}; }

class VtuSeries final : public FileSeries {
 public:
  VtuSeries(const std::string& name, std::optional<double> every, std::vector<std::string> fields,
            const OutputContext& context)
      : FileSeries(name, "vtu", every, context), fields_(std::move(fields)) {}

  std::vector<std::string> files() const override { return {name() + ".pvd", name() + "/"}; }

 protected:
  std::function<std::string()> content(const Body& body, const Sample& sample) override {
    BodyFields at(model(), body, sample.state, &sample.integrator);
    VtuGrid grid;
    if (body.mesh != nullptr)
      grid.add_mesh(*body.mesh, at.positions());
    else
      grid.add_points(body.dimension, at.positions());
    std::vector<MeshField> fields = evaluate_fields(at, fields_);
    if (body.mesh != nullptr && !body.mesh->node_tags.empty()) fields.push_back(node_ids(*body.mesh));
    return [grid = std::move(grid), fields = std::move(fields), t = sample.state.t] { return grid.bytes(fields, t); };
  }

  // The list of all files with their times, which ParaView opens.
  void written(const std::vector<double>& t) override {
    PvdList list;
    for (std::size_t k = 0; k < t.size(); ++k) {
      int part = 0;
      for (const Body& body : model().bodies())
        if (shows(body)) list.add(t[k], part++, body.name, file_of(body, static_cast<long>(k)));
    }
    write_file(directory() / (name() + ".pvd"), list.text());
  }

 private:
  std::vector<std::string> fields_;
};

// ------------------------------------------------------------------------------------------------------------ surfaces

// The nodes that a surface has, in their order, and its triangles in these.
struct CompactSurface {
  const Body* body = nullptr;
  std::vector<int> nodes, triangles;
};

CompactSurface compact_surface(const Body& body) {
  CompactSurface compact{&body, {}, surface_triangles(*body.mesh).nodes};
  compact.nodes = compact.triangles;
  std::sort(compact.nodes.begin(), compact.nodes.end());
  compact.nodes.erase(std::unique(compact.nodes.begin(), compact.nodes.end()), compact.nodes.end());
  for (int& node : compact.triangles)
    node = static_cast<int>(std::lower_bound(compact.nodes.begin(), compact.nodes.end(), node) - compact.nodes.begin());
  return compact;
}

using Position = std::array<double, 3>;

std::vector<Position> positions(const CompactSurface& surface, const State& state) {
  const Body& body = *surface.body;
  std::vector<Position> all;
  for (const int node : surface.nodes) {
    all.push_back({0, 0, 0});
    for (int k = 0; k < body.dimension; ++k) all.back()[k] = state.q[body.first + node * body.dimension + k];
  }
  return all;
}

std::string obj_text(const CompactSurface& surface, const std::vector<Position>& nodes, double t) {
  std::string text = fmt::format("# t = {:.17g} s\n", t);
  auto out = std::back_inserter(text);
  for (const Position& x : nodes) fmt::format_to(out, "v {:.9g} {:.9g} {:.9g}\n", x[0], x[1], x[2]);
  const auto& n = surface.triangles;
  for (std::size_t f = 0; f + 2 < n.size(); f += 3)
    fmt::format_to(out, "f {} {} {}\n", n[f] + 1, n[f + 1] + 1, n[f + 2] + 1);
  return text;
}

std::string ply_of(const CompactSurface& surface, const std::vector<Position>& nodes, double t) {
  std::vector<float> all;
  for (const Position& x : nodes)
    for (const double value : x) all.push_back(static_cast<float>(value));
  return ply_bytes(all, surface.triangles, fmt::format("t = {:.17g} s", t));
}

class SurfaceSeries final : public FileSeries {
 public:
  using Writer = std::string (*)(const CompactSurface& surface, const std::vector<Position>& nodes, double t);
  SurfaceSeries(const std::string& name, const std::string& extension, Writer writer, std::optional<double> every,
                const OutputContext& context)
      : FileSeries(name, extension, every, context), writer_(writer) {
    for (const Body& body : context.model.bodies())
      if (body.mesh != nullptr) surfaces_.push_back(compact_surface(body));
  }

 protected:
  bool shows(const Body& body) const override { return body.mesh != nullptr; }
  std::function<std::string()> content(const Body& body, const Sample& sample) override {
    const auto surface =
        std::find_if(surfaces_.begin(), surfaces_.end(), [&](const auto& each) { return each.body == &body; });
    return [&own = *surface, nodes = positions(*surface, sample.state), t = sample.state.t, writer = writer_] {
      return writer(own, nodes, t);
    };
  }

 private:
  Writer writer_;
  std::vector<CompactSurface> surfaces_;
};

// ------------------------------------------------------------------------------------------------------------- records

std::optional<double> every_of(const Settings& settings) {
  return settings.has("every") ? std::optional(settings.number("every")) : std::nullopt;
}

Parameter every_key() { return positive(number_key("every", "s", "end/50", "simulated time between files")); }

std::unique_ptr<Output> make_vtu(const Settings& settings, const std::string& name, const OutputContext& context) {
  return std::make_unique<VtuSeries>(name, every_of(settings), settings.names("fields"), context);
}
std::unique_ptr<Output> make_obj(const Settings& settings, const std::string& name, const OutputContext& context) {
  return std::make_unique<SurfaceSeries>(name, "obj", obj_text, every_of(settings), context);
}
std::unique_ptr<Output> make_ply(const Settings& settings, const std::string& name, const OutputContext& context) {
  return std::make_unique<SurfaceSeries>(name, "ply", ply_of, every_of(settings), context);
}

}  // namespace

OutputRecord vtu_record() {
  OutputRecord record;
  record.name = "vtu";
  record.brief = "NAME.pvd and NAME/BODY_000000.vtu: bodies with their fields, for ParaView";
  record.parameters = {every_key(), fields_key(R"(["displacement", "velocity", "stress", "energy_density", "region"])",
                                               "fields in the files: `livens list fields`")};
  record.make = make_vtu;
  return record;
}

OutputRecord obj_record() {
  OutputRecord record;
  record.name = "obj";
  record.brief = "NAME/BODY_000000.obj: surfaces of solids as text";
  record.parameters = {every_key()};
  record.make = make_obj;
  return record;
}

OutputRecord ply_record() {
  OutputRecord record;
  record.name = "ply";
  record.brief = "NAME/BODY_000000.ply: surfaces of solids as binary PLY";
  record.parameters = {every_key()};
  record.make = make_ply;
  return record;
}

}  // namespace livens
