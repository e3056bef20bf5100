// frames.h5: the motion of all nodes, for the viewer and for exports. The layout is in docs/frames.md.
#include <algorithm>
#include <chrono>
#include <limits>

#include <livens/records.hpp>

#include "files/bytes.hpp"
#include "files/fields.hpp"
#include "files/frames_reader.hpp"
#include "files/hdf5_log.hpp"
#include "files/output.hpp"
#include "files/surface.hpp"

namespace livens {
namespace {

constexpr double default_frames = 250;
constexpr auto commit_interval = std::chrono::seconds(2);  // so that a run can be watched

std::uint64_t length(std::size_t n) { return static_cast<std::uint64_t>(n); }

std::vector<double> three(const double (&values)[3]) { return {values[0], values[1], values[2]}; }

class Frames final : public Output {
 public:
  Frames(const std::string& name, std::optional<double> every, std::vector<std::string> fields,
         const OutputContext& context)
      : Output(name, every, default_frames, context),
        model_(context.model),
        path_(context.directory / (name + ".h5")),
        title_(context.title),
        fields_(std::move(fields)) {}

  std::vector<std::string> files() const override { return {path_.filename().string()}; }

  void sync() override {
    wait();
    if (log_) commit(true);
  }

 protected:
  void start() override {
    log_.emplace(Hdf5Log::create(path_));
    bodies_.clear();
    for (const Body& body : model_.bodies())
      if (body.dimension > 0) bodies_.push_back(begin_body(body));
    box_.assign(6, std::numeric_limits<double>::infinity());
    std::fill_n(box_.begin() + 3, 3, -std::numeric_limits<double>::infinity());
    written_ = {};
    committed_ = -1;
  }

  bool reopen(long frames) override {
    if (!std::filesystem::exists(path_)) return false;
    const FramesFile file(path_);
    if (file.frames() < frames)
      throw RunError(path_.filename().string() + " has fewer frames than the checkpoint records");
    bodies_.clear();
    for (const Body& body : model_.bodies())
      if (body.dimension > 0) bodies_.push_back(found_body(body, file, frames));
    log_.emplace(Hdf5Log::reopen(path_));
    written_ = {t(), steps(), box_};
    committed_ = -1;
    return true;
  }

  void write(const Sample& sample) override {
    Frame frame{t().back(), steps().back(), {}, {}};
    std::size_t bytes = 0;
    for (BodyDatasets& recorded : bodies_) {
      BodyFields at(model_, *recorded.body, sample.state, &sample.integrator);
      for (const Hdf5Dataset& dataset : recorded.moving) {
        const std::vector<double>& values = field_record(dataset.name).values(at);
        frame.values.emplace_back(values.begin(), values.end());
        bytes += values.size() * sizeof(float);
      }
      extend_box(*recorded.body, at.positions());
    }
    frame.box = box_;
    later(bytes, [this, frame = std::move(frame)] { append(frame); });
  }

  void finish() override {
    wait();
    commit(true);
  }

  void visit_own_memory(MemoryVisitor& visitor) override { visitor.visit("box", box_); }

 private:
  struct Frame {
    double t;
    long step;
    std::vector<std::vector<float>> values;  // of the moving datasets, body by body
    std::vector<double> box;
  };
  struct BodyDatasets {
    const Body* body;
    std::vector<Hdf5Dataset> fixed;
    std::vector<Hdf5Dataset> moving;  // displacement, then the fields
  };

  static Hdf5Dataset moving_dataset(const Body& body, const FieldRecord& field) {
    const std::size_t count =
        field.per_cell ? static_cast<std::size_t>(body.mesh->elements()) : static_cast<std::size_t>(body.nodes);
    Hdf5Dataset dataset{field.name, Hdf5Type::float32, {length(count)}, true, 0, {}, {{"unit", field.unit}}};
    dataset.shape.push_back(length(field.components_of(body)));
    return dataset;
  }

  std::vector<Hdf5Dataset> moving_datasets(const Body& body) const {
    std::vector<Hdf5Dataset> datasets = {moving_dataset(body, field_record("displacement"))};
    for (const std::string& name : fields_) {
      const FieldRecord& field = field_record(name);
      if (name != "displacement" && field.applies_to(body)) datasets.push_back(moving_dataset(body, field));
    }
    return datasets;
  }

  template <class T>
  Hdf5Dataset fixed_dataset(const char* name, Hdf5Type type, std::size_t columns, const std::vector<T>& values) {
    Hdf5Dataset dataset{name, type, {length(values.size() / columns)}, false, log_->append(bytes_of(values)), {}, {}};
    if (columns > 1) dataset.shape.push_back(length(columns));
    return dataset;
  }

  BodyDatasets begin_body(const Body& body) {
    BodyDatasets recorded{&body, {}, moving_datasets(body)};
    const auto dimension = static_cast<std::size_t>(body.dimension);
    Hdf5Dataset reference = fixed_dataset("reference", Hdf5Type::float64, dimension, body.reference);
    reference.shape = {length(body.nodes), length(dimension)};
    recorded.fixed.push_back(std::move(reference));
    if (body.mesh == nullptr) return recorded;
    const Mesh& mesh = *body.mesh;
    std::vector<int> region = mesh.region;
    region.resize(mesh.elements(), 0);
    recorded.fixed.push_back(fixed_dataset("elements", Hdf5Type::int32, nodes_of(mesh.kind), mesh.connectivity));
    recorded.fixed.push_back(fixed_dataset("region", Hdf5Type::int32, 1, region));
    recorded.fixed.back().attributes = {{"names", mesh.regions}};
    recorded.fixed.push_back(fixed_dataset("surface", Hdf5Type::int32, 3, surface_triangles(mesh).nodes));
    return recorded;
  }

  // The same from what is in the file. Fields stay those the recording began with.
  BodyDatasets found_body(const Body& body, const FramesFile& file, std::size_t frames) {
    const auto found = std::find_if(file.bodies().begin(), file.bodies().end(),
                                    [&](const FrameBody& each) { return each.name == body.name; });
    const std::size_t connected = body.mesh != nullptr ? body.mesh->connectivity.size() : 0;
    if (found == file.bodies().end() || found->nodes != body.nodes || found->dimension != body.dimension ||
        found->elements.size() != connected)
      throw RunError(path_.filename().string() + " is of another model");
    BodyDatasets recorded{&body, {}, {moving_dataset(body, field_record("displacement"))}};
    for (const std::string& name : found->fields) recorded.moving.push_back(moving_dataset(body, field_record(name)));
    for (Hdf5Dataset& dataset : recorded.moving) {
      dataset.chunks = file.chunks(*found, dataset.name);
      dataset.chunks.resize(std::min(frames, dataset.chunks.size()));
    }
    const auto add = [&](const char* name, Hdf5Type type, std::vector<std::uint64_t> shape) {
      recorded.fixed.push_back({name, type, std::move(shape), false, file.address(*found, name), {}, {}});
    };
    add("reference", Hdf5Type::float64, {length(body.nodes), length(body.dimension)});
    if (body.mesh == nullptr) return recorded;
    const auto elements = static_cast<std::size_t>(body.mesh->elements());
    add("elements", Hdf5Type::int32, {length(elements), length(nodes_of(body.mesh->kind))});
    add("region", Hdf5Type::int32, {length(elements)});
    recorded.fixed.back().attributes = {{"names", body.mesh->regions}};
    add("surface", Hdf5Type::int32, {length(found->surface.size() / 3), 3});
    return recorded;
  }

  void append(const Frame& frame) {
    auto values = frame.values.begin();
    for (BodyDatasets& recorded : bodies_)
      for (Hdf5Dataset& dataset : recorded.moving)
        dataset.chunks.push_back(log_->append_chunk(bytes_of(*values++), sizeof(float)));
    written_.t.push_back(frame.t);
    written_.steps.push_back(frame.step);
    written_.box = frame.box;
    if (std::chrono::steady_clock::now() - last_commit_ > commit_interval) commit(false);
  }

  void extend_box(const Body& body, ConstVector positions) {
    const auto dimension = static_cast<std::size_t>(body.dimension);
    for (std::size_t k = 0; k < 3; ++k) {
      double low = k < dimension ? box_[k] : 0, high = k < dimension ? box_[3 + k] : 0;
      for (std::size_t a = k; k < dimension && a < positions.size(); a += dimension) {
        low = std::min(low, positions[a]);
        high = std::max(high, positions[a]);
      }
      box_[k] = low;
      box_[3 + k] = high;
    }
  }

  Hdf5Group body_group(const BodyDatasets& recorded) const {
    const Body& body = *recorded.body;
    Hdf5Group group{body.name,
                    {{"kind", body.mesh != nullptr ? to_string(body.mesh->kind) : std::string("points")},
                     {"periodic", std::vector<long>{body.periodic ? 1 : 0}}},
                    recorded.fixed,
                    {}};
    group.datasets.push_back(recorded.moving[0]);
    if (recorded.moving.size() > 1)
      group.groups.push_back({"fields", {}, {recorded.moving.begin() + 1, recorded.moving.end()}, {}});
    return group;
  }

  static Hdf5Group obstacle_group(const Obstacle& obstacle, std::size_t index) {
    const bool is_plane = obstacle.kind == Obstacle::Kind::plane;
    Hdf5Group group{std::to_string(index), {}, {}, {}};
    group.attributes = {{"name", obstacle.name},
                        {"kind", std::string(is_plane ? "plane" : "sphere")},
                        {"point", three(obstacle.point)}};
    if (is_plane)
      group.attributes.push_back({"normal", three(obstacle.normal)});
    else
      group.attributes.push_back({"radius", std::vector<double>{obstacle.radius}});
    return group;
  }

  void commit(bool durable) {
    last_commit_ = std::chrono::steady_clock::now();
    const auto count = static_cast<long>(written_.t.size());
    if (committed_ == count) return;
    Hdf5Group root;
    root.attributes = {{"format", std::string(frames_format)},
                       {"version", std::vector<long>{frames_version}},
                       {"title", title_},
                       {"dimension", std::vector<long>{model_.dimension()}},
                       {"box", written_.box}};
    root.datasets = {
        {"t", Hdf5Type::float64, {length(written_.t.size())}, false, log_->append(bytes_of(written_.t)), {}, {}},
        {"step", Hdf5Type::int64, {length(written_.t.size())}, false, log_->append(bytes_of(written_.steps)), {}, {}}};
    root.datasets[0].attributes = {{"unit", std::string("s")}};
    Hdf5Group bodies{"bodies", {}, {}, {}}, obstacles{"obstacles", {}, {}, {}};
    for (const BodyDatasets& recorded : bodies_) bodies.groups.push_back(body_group(recorded));
    for (const Obstacle& obstacle : obstacles_of(model_))
      obstacles.groups.push_back(obstacle_group(obstacle, obstacles.groups.size()));
    root.groups = {std::move(bodies), std::move(obstacles)};
    log_->commit(root, durable);
    committed_ = count;
  }

  const Model& model_;
  std::filesystem::path path_;
  std::string title_;
  std::vector<std::string> fields_;
  std::vector<double> box_;
  // Of the thread that writes; of the run while that has nothing to do.
  std::optional<Hdf5Log> log_;
  std::vector<BodyDatasets> bodies_;  // their chunks
  struct {
    std::vector<double> t;
    std::vector<long> steps;
    std::vector<double> box;
  } written_;
  long committed_ = -1;
  std::chrono::steady_clock::time_point last_commit_{};
};

std::unique_ptr<Output> make(const Settings& settings, const std::string& name, const OutputContext& context) {
  const auto every = settings.has("every") ? std::optional(settings.number("every")) : std::nullopt;
  const auto fields = settings.has("fields") ? settings.names("fields") : std::vector<std::string>{};
  return std::make_unique<Frames>(name, every, fields, context);
}

}  // namespace

double frames_bytes(const Model& model, const std::vector<std::string>& fields, double frames) {
  double numbers = 0;
  for (const Body& body : model.bodies()) {
    if (body.dimension == 0) continue;
    numbers += body.size();
    for (const std::string& name : fields) {
      const FieldRecord& field = field_record(name);
      const int count = field.per_cell && body.mesh != nullptr ? body.mesh->elements() : body.nodes;
      if (name != "displacement" && field.applies_to(body)) numbers += 1.0 * count * field.components_of(body);
    }
  }
  return numbers * sizeof(float) * frames;
}

OutputRecord frames_record() {
  OutputRecord record;
  record.name = "frames";
  record.brief = "NAME.h5: the motion of all nodes, for viewer and exports; written by default, up to 500 MB";
  record.parameters = {positive(number_key("every", "s", "end/250", "simulated time between frames")),
                       fields_key("[]", "recorded in addition to the displacement: `livens list fields`")};
  record.make = make;
  return record;
}

}  // namespace livens
