// The only file that sees the HDF5 library.
#include "files/frames_reader.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <hdf5.h>

namespace livens {
namespace {

// The library keeps global state and need not have been built for threads.
std::mutex& library() {
  static std::mutex mutex;
  return mutex;
}

// An identifier of the library, closed at the end; none of the library's own messages reach the terminal.
class Id {
 public:
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id_ < 0) throw RunError("not the content of recorded frames");
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  ~Id() { close_(id_); }
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t status) {
  if (status < 0) throw RunError("damaged");
}

template <class T>
hid_t memory_type();
template <>
hid_t memory_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t memory_type<int>() {
  return H5T_NATIVE_INT;
}
template <>
hid_t memory_type<long>() {
  return H5T_NATIVE_LONG;
}

std::vector<hsize_t> shape_of(hid_t space) {
  std::vector<hsize_t> shape(std::max(0, H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  return shape;
}

std::size_t count_of(hid_t space) {
  return static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
}

bool has(hid_t file, const std::string& path) { return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0; }

template <class T>
std::vector<T> dataset(hid_t file, const std::string& path) {
  const Id data(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Id space(H5Dget_space(data.get()), H5Sclose);
  std::vector<T> values(count_of(space.get()));
  if (!values.empty()) check(H5Dread(data.get(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  return values;
}

std::vector<hsize_t> dataset_shape(hid_t file, const std::string& path) {
  const Id data(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Id space(H5Dget_space(data.get()), H5Sclose);
  return shape_of(space.get());
}

template <class T>
std::vector<T> attribute(hid_t file, const std::string& object, const std::string& name) {
  const Id id(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Id space(H5Aget_space(id.get()), H5Sclose);
  std::vector<T> values(count_of(space.get()));
  if (!values.empty()) check(H5Aread(id.get(), memory_type<T>(), values.data()));
  return values;
}

std::vector<std::string> texts(hid_t file, const std::string& object, const std::string& name) {
  const Id id(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Id space(H5Aget_space(id.get()), H5Sclose), type(H5Aget_type(id.get()), H5Tclose);
  const std::size_t size = H5Tget_size(type.get());
  std::string bytes(size * count_of(space.get()), '\0');
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) throw RunError("damaged");
  if (!bytes.empty()) check(H5Aread(id.get(), type.get(), bytes.data()));
  std::vector<std::string> result;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const std::string text = bytes.substr(at, size);
    result.push_back(text.substr(0, text.find('\0')));
  }
  return result;
}

std::string text(hid_t file, const std::string& object, const std::string& name) {
  const auto all = texts(file, object, name);
  return all.empty() ? "" : all[0];
}

std::vector<std::string> members(hid_t file, const std::string& group) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  const Id id(H5Gopen2(file, group.c_str(), H5P_DEFAULT), H5Gclose);
  check(H5Literate(id.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names));
  return names;
}

std::string path_of(const FrameBody& body) { return "/bodies/" + body.name; }

FrameBody read_body(hid_t file, const std::string& name) {
  FrameBody body;
  body.name = name;
  const std::string path = path_of(body);
  body.kind = text(file, path, "kind");
  const auto shape = dataset_shape(file, path + "/reference");
  if (shape.size() != 2) throw RunError("damaged");
  body.nodes = static_cast<int>(shape[0]);
  body.dimension = static_cast<int>(shape[1]);
  body.reference = dataset<double>(file, path + "/reference");
  if (has(file, path + "/elements")) {
    body.elements = dataset<int>(file, path + "/elements");
    body.region = dataset<int>(file, path + "/region");
    body.regions = texts(file, path + "/region", "names");
    body.surface = dataset<int>(file, path + "/surface");
  }
  if (has(file, path + "/fields")) body.fields = members(file, path + "/fields");
  return body;
}

void copy_three(const std::vector<double>& from, double (&to)[3]) {
  if (from.size() != 3) throw RunError("damaged");
  std::copy(from.begin(), from.end(), to);
}

Obstacle read_obstacle(hid_t file, const std::string& name) {
  const std::string path = "/obstacles/" + name;
  Obstacle obstacle;
  obstacle.name = text(file, path, "name");
  obstacle.kind = text(file, path, "kind") == "sphere" ? Obstacle::Kind::sphere : Obstacle::Kind::plane;
  copy_three(attribute<double>(file, path, "point"), obstacle.point);
  if (obstacle.kind == Obstacle::Kind::plane)
    copy_three(attribute<double>(file, path, "normal"), obstacle.normal);
  else
    obstacle.radius = attribute<double>(file, path, "radius").at(0);
  return obstacle;
}

void check_format(hid_t file) {
  if (H5Aexists(file, "format") <= 0 || text(file, "/", "format") != frames_format)
    throw RunError("not a recording of frames");
  const auto version = attribute<long>(file, "/", "version");
  if (version.empty() || version[0] != frames_version)
    throw RunError("of another version; this program reads version " + std::to_string(frames_version));
}

}  // namespace

class FramesFile::Handle {
 public:
  explicit Handle(const std::filesystem::path& path)
      : path_(path),
        file_((H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr), H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)),
              H5Fclose) {}
  hid_t get() const { return file_.get(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Id file_;
};

FramesFile::FramesFile(FramesFile&&) noexcept = default;
FramesFile& FramesFile::operator=(FramesFile&&) noexcept = default;

FramesFile::~FramesFile() {
  const std::lock_guard lock(library());
  handle_.reset();
}

FramesFile::FramesFile(const std::filesystem::path& path) try {
  const std::lock_guard lock(library());
  handle_ = std::make_unique<Handle>(path);
  const hid_t file = handle_->get();
  check_format(file);
  t_ = dataset<double>(file, "/t");
  steps_ = dataset<long>(file, "/step");
  box_ = attribute<double>(file, "/", "box");
  for (const std::string& name : members(file, "/bodies")) bodies_.push_back(read_body(file, name));
  for (const std::string& name : members(file, "/obstacles")) obstacles_.push_back(read_obstacle(file, name));
} catch (const RunError& error) {
  throw RunError("cannot read '" + path.string() + "': " + error.what());
}

std::vector<float> FramesFile::values(const FrameBody& body, const std::string& field, int frame) const {
  const std::lock_guard lock(library());
  const std::string path = path_of(body) + (field == "displacement" ? "/" : "/fields/") + field;
  const Id data(H5Dopen2(handle_->get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  const Id space(H5Dget_space(data.get()), H5Sclose);
  std::vector<hsize_t> count = shape_of(space.get()), start(count.size(), 0);
  if (count.size() < 2 || frame < 0 || static_cast<hsize_t>(frame) >= count[0])
    throw RunError(handle_->path().string() + " has no frame " + std::to_string(frame) + " of " + path);
  start[0] = static_cast<hsize_t>(frame);
  count[0] = 1;
  check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
  const Id memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  std::vector<float> values(count_of(memory.get()));
  check(H5Dread(data.get(), H5T_NATIVE_FLOAT, memory.get(), space.get(), H5P_DEFAULT, values.data()));
  return values;
}

std::vector<double> FramesFile::positions(const FrameBody& body, int frame) const {
  const auto moved = values(body, "displacement", frame);
  std::vector<double> result = body.reference;
  for (std::size_t k = 0; k < result.size() && k < moved.size(); ++k) result[k] += moved[k];
  return result;
}

std::uint64_t FramesFile::address(const std::string& path) const {
  const std::lock_guard lock(library());
  const Id data(H5Dopen2(handle_->get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  const haddr_t address = H5Dget_offset(data.get());
  return address == HADDR_UNDEF ? 0 : static_cast<std::uint64_t>(address);
}

std::vector<Hdf5Chunk> FramesFile::chunks(const std::string& path) const {
  const std::lock_guard lock(library());
  const Id data(H5Dopen2(handle_->get(), path.c_str(), H5P_DEFAULT), H5Dclose);
  const Id space(H5Dget_space(data.get()), H5Sclose);
  std::vector<hsize_t> offset = shape_of(space.get());
  std::vector<Hdf5Chunk> result(offset.empty() ? 0 : static_cast<std::size_t>(offset[0]));
  std::fill(offset.begin(), offset.end(), hsize_t{0});
  for (std::size_t k = 0; k < result.size(); ++k) {
    offset[0] = k;
    haddr_t address = 0;
    hsize_t size = 0;
    check(H5Dget_chunk_info_by_coord(data.get(), offset.data(), nullptr, &address, &size));
    result[k] = {static_cast<std::uint64_t>(address), static_cast<std::uint32_t>(size)};
  }
  return result;
}

}  // namespace livens
