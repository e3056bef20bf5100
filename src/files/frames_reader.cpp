#include "files/frames_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <livens/mesh.hpp>

#include "files/fields.hpp"
#include "math/finite.hpp"

namespace livens {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) { throw RunError(path + ": " + what); }

const Hdf5Value& attribute_of(const Hdf5Object& object, const std::string& name) {
  const auto found = object.attributes.find(name);
  if (found == object.attributes.end()) fail(object.path, "the attribute '" + name + "' is missing");
  return found->second;
}

template <class T>
std::vector<T> numbers(const Hdf5Object& object, const std::string& name, std::size_t count) {
  const Hdf5Value& value = attribute_of(object, name);
  if (value.element.kind == Hdf5Element::Kind::text || value.count() != count)
    fail(object.path, fmt::format("the attribute '{}' does not have {} numbers", name, count));
  return numbers_of<T>(value, value.bytes);
}

std::vector<std::string> texts(const Hdf5Object& object, const std::string& name) {
  const Hdf5Value& value = attribute_of(object, name);
  if (value.element.kind != Hdf5Element::Kind::text) fail(object.path, "the attribute '" + name + "' is no text");
  return texts_of(value);
}

std::string text(const Hdf5Object& object, const std::string& name) {
  const auto all = texts(object, name);
  return all.empty() ? "" : all[0];
}

// A dataset with this number of axes.
const Hdf5Stored& stored(const Hdf5Object& object, Hdf5Element::Kind kind, std::size_t axes) {
  if (!object.is_dataset) fail(object.path, "it is no dataset");
  if (object.data.element.kind != kind)
    fail(object.path,
         kind == Hdf5Element::Kind::whole ? "its values are no whole numbers" : "its values are no numbers");
  if (object.data.shape.size() != axes)
    fail(object.path, fmt::format("it has {} axes instead of {}", object.data.shape.size(), axes));
  return object.data;
}

void require_finite(const std::string& path, ConstVector values) {
  if (!all_finite(values)) fail(path, "it has numbers that are not finite");
}

// Names become names of files.
void require_name(const std::string& group, const std::string& name) {
  const bool is_plain =
      !name.empty() && name != "." && name != ".." && std::none_of(name.begin(), name.end(), [](char c) {
        return c == '/' || c == '\\' || (c >= 0 && c < ' ') || c == '\x7f';
      });
  if (!is_plain) fail(group, "a member has a name that no body or field can have");
}

std::optional<ElementKind> element_kind(const std::string& name) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10})
    if (to_string(kind) == name) return kind;
  return std::nullopt;
}

std::uint64_t unsigned_of(int value) { return static_cast<std::uint64_t>(value); }

class BodyReader {
 public:
  BodyReader(const Hdf5Reader& file, const Hdf5Object& group, std::uint64_t frames,
             std::map<std::string, Hdf5Stored>& moving)
      : file_(file), group_(group), frames_(frames), moving_(moving) {}

  FrameBody read(const std::string& name) {
    body_.name = name;
    body_.kind = text(group_, "kind");
    read_nodes();
    const auto kind = element_kind(body_.kind);
    if (!kind && body_.kind != "points") fail(group_.path, "its elements are of an unknown kind");
    if (kind) read_elements(*kind);
    add_moving(group_, "displacement", unsigned_of(body_.nodes), unsigned_of(body_.dimension));
    if (group_.members.count("fields") != 0) read_fields();
    return std::move(body_);
  }

 private:
  void read_nodes() {
    constexpr std::uint64_t most = std::numeric_limits<int>::max() / 4;
    const Hdf5Object object = file_.member(group_, "reference");
    const Hdf5Stored& data = stored(object, Hdf5Element::Kind::floating, 2);
    if (data.shape[0] > most || data.shape[1] < 1 || data.shape[1] > 3)
      fail(data.path, fmt::format("{} nodes in {} dimensions do not form a body", data.shape[0], data.shape[1]));
    body_.nodes = static_cast<int>(data.shape[0]);
    body_.dimension = static_cast<int>(data.shape[1]);
    body_.reference = file_.numbers<double>(data);
    require_finite(data.path, body_.reference);
  }

  std::vector<int> whole_numbers(const char* name, std::size_t axes, std::uint64_t columns, std::uint64_t below,
                                 const char* what) {
    const Hdf5Object object = file_.member(group_, name);
    const Hdf5Stored& data = stored(object, Hdf5Element::Kind::whole, axes);
    if (axes == 2 && data.shape[1] != columns)
      fail(data.path, fmt::format("it has {} columns instead of {}", data.shape[1], columns));
    if (data.count() > unsigned_of(std::numeric_limits<int>::max())) fail(data.path, "its size is absurd");
    std::vector<int> values = file_.numbers<int>(data);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k] < 0 || unsigned_of(values[k]) >= below)
        fail(data.path, fmt::format("row {} has {} {}, and there are {}", k / std::max<std::uint64_t>(columns, 1), what,
                                    values[k], below));
    return values;
  }

  void read_elements(ElementKind kind) {
    if (dimension_of(kind) != body_.dimension)
      fail(group_.path, fmt::format("{} in {} dimensions", body_.kind, body_.dimension));
    const auto nodes = unsigned_of(nodes_of(kind));
    body_.elements = whole_numbers("elements", 2, nodes, unsigned_of(body_.nodes), "node");
    body_.regions = texts(file_.member(group_, "region"), "names");
    body_.region = whole_numbers("region", 1, 1, std::max<std::uint64_t>(body_.regions.size(), 1), "region");
    if (body_.region.size() * nodes != body_.elements.size())
      fail(group_.path + "/region", "it does not have one number for each element");
    body_.surface = whole_numbers("surface", 2, 3, unsigned_of(body_.nodes), "node");
  }

  void read_fields() {
    const Hdf5Object fields = file_.member(group_, "fields");
    for (const auto& [name, address] : fields.members) {
      const FieldRecord* record = find_field_record(name);
      if (record == nullptr) continue;  // of a newer version
      const std::uint64_t elements = body_.region.size();
      add_moving(fields, name, record->per_cell ? elements : unsigned_of(body_.nodes),
                 unsigned_of(record->components == 0 ? body_.dimension : record->components));
      body_.fields.push_back(name);
    }
  }

  void add_moving(const Hdf5Object& group, const std::string& name, std::uint64_t rows, std::uint64_t columns) {
    const Hdf5Object object = file_.member(group, name);
    const Hdf5Stored& data = stored(object, Hdf5Element::Kind::floating, 3);
    if (data.shape != std::vector<std::uint64_t>{frames_, rows, columns})
      fail(data.path, fmt::format("it has {} x {} x {} numbers instead of {} x {} x {}", data.shape[0], data.shape[1],
                                  data.shape[2], frames_, rows, columns));
    if (!data.chunked && data.count() > 0) fail(data.path, "its frames are not stored one by one");
    moving_[data.path] = data;
  }

  const Hdf5Reader& file_;
  const Hdf5Object& group_;
  std::uint64_t frames_;
  std::map<std::string, Hdf5Stored>& moving_;
  FrameBody body_;
};

void copy_three(const Hdf5Object& object, const char* name, double (&to)[3]) {
  const auto values = numbers<double>(object, name, 3);
  require_finite(object.path, values);
  std::copy(values.begin(), values.end(), to);
}

Obstacle obstacle_of(const Hdf5Object& object) {
  Obstacle obstacle;
  obstacle.name = text(object, "name");
  obstacle.kind = text(object, "kind") == "sphere" ? Obstacle::Kind::sphere : Obstacle::Kind::plane;
  copy_three(object, "point", obstacle.point);
  if (obstacle.kind == Obstacle::Kind::plane)
    copy_three(object, "normal", obstacle.normal);
  else
    obstacle.radius = numbers<double>(object, "radius", 1)[0];
  return obstacle;
}

void check_format(const Hdf5Object& root) {
  if (root.attributes.count("format") == 0 || text(root, "format") != frames_format)
    throw RunError("not a recording of frames");
  if (numbers<long>(root, "version", 1)[0] != frames_version)
    throw RunError("of another version; this program reads version " + std::to_string(frames_version));
}

std::string path_of(const FrameBody& body, const std::string& field) {
  return "/bodies/" + body.name + (field == "displacement" ? "/" : "/fields/") + field;
}

}  // namespace

FramesFile::FramesFile(const std::filesystem::path& path) try : file_(path) {
  const Hdf5Object root = file_.root();
  check_format(root);
  read_times(root);
  const auto box = numbers<double>(root, "box", 6);
  if (all_finite(box)) box_ = box;
  const Hdf5Object bodies = file_.member(root, "bodies");
  std::int64_t coordinates = 0;
  for (const auto& [name, address] : bodies.members) {
    require_name(bodies.path, name);
    const Hdf5Object group = file_.member(bodies, name);
    bodies_.push_back(BodyReader(file_, group, t_.size(), moving_).read(name));
    coordinates += std::int64_t{bodies_.back().nodes} * bodies_.back().dimension;
    if (coordinates > std::numeric_limits<int>::max()) fail(bodies.path, "they have too many nodes");
  }
  const Hdf5Object obstacles = file_.member(root, "obstacles");
  for (const auto& [name, address] : obstacles.members)
    obstacles_.push_back(obstacle_of(file_.member(obstacles, name)));
} catch (const RunError& error) {
  throw RunError("cannot read '" + path.string() + "': " + error.what());
}

void FramesFile::read_times(const Hdf5Object& root) {
  const Hdf5Object t = file_.member(root, "t"), step = file_.member(root, "step");
  t_ = file_.numbers<double>(stored(t, Hdf5Element::Kind::floating, 1));
  steps_ = file_.numbers<long>(stored(step, Hdf5Element::Kind::whole, 1));
  require_finite(t.path, t_);
  if (t_.size() != steps_.size() || t_.size() > unsigned_of(std::numeric_limits<int>::max()))
    fail(step.path, fmt::format("it has {} numbers, and /t has {}", steps_.size(), t_.size()));
}

const Hdf5Stored& FramesFile::moving(const FrameBody& body, const std::string& field) const {
  const auto found = moving_.find(path_of(body, field));
  if (found == moving_.end()) throw RunError(file_.path().string() + " has no field " + field + " of " + body.name);
  return found->second;
}

std::vector<float> FramesFile::values(const FrameBody& body, const std::string& field, int frame) const {
  const Hdf5Stored& data = moving(body, field);
  if (frame < 0 || frame >= frames())
    throw RunError(fmt::format("{} has no frame {} of {}", file_.path().string(), frame, data.path));
  try {
    if (data.count() == 0) return {};
    return file_.row<float>(data, static_cast<std::uint64_t>(frame));
  } catch (const RunError& error) {
    throw RunError("cannot read '" + file_.path().string() + "': " + error.what());
  }
}

std::vector<double> FramesFile::positions(const FrameBody& body, int frame) const {
  const auto moved = values(body, "displacement", frame);
  std::vector<double> result = body.reference;
  for (std::size_t k = 0; k < result.size() && k < moved.size(); ++k) result[k] += moved[k];
  if (!all_finite(result))
    throw RunError(fmt::format("cannot read '{}': {}: frame {} has numbers that are not finite", file_.path().string(),
                               path_of(body, "displacement"), frame));
  return result;
}

std::uint64_t FramesFile::address(const FrameBody& body, const std::string& dataset) const {
  const Hdf5Object group = file_.member(file_.member(file_.root(), "bodies"), body.name);
  return file_.member(group, dataset).data.address;
}

std::vector<Hdf5Chunk> FramesFile::chunks(const FrameBody& body, const std::string& field) const {
  const Hdf5Stored& data = moving(body, field);
  if (data.rows_of_chunk != 1 && !data.chunks.empty())
    throw RunError(file_.path().string() + " was not written by livens, and cannot be continued");
  return data.chunks;
}

}  // namespace livens
