// Recordings that were damaged or made up: an error that names file and dataset, and never a number that does not fit.
#include <fstream>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "files/frames_reader.hpp"
#include "run/recording.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// What a recording of one tetrahedron in two frames has; tests change it.
struct Content {
  std::vector<double> t = {0, 1}, box = {0, 0, 0, 1, 1, 1};
  std::vector<long> step = {0, 1};
  std::vector<double> reference = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::vector<int> elements = {0, 1, 2, 3}, region = {0}, surface = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  std::vector<std::uint64_t> reference_shape = {4, 3}, elements_shape = {1, 4}, moving_shape = {4, 3};
  std::vector<std::string> regions = {"all"};
  std::string name = "b", kind = "tet4", field = "velocity";
  std::vector<float> displacement = std::vector<float>(12, 0.5f);
  int frames = 2;
  long version = frames_version;
};

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
Hdf5Dataset fixed(Hdf5Log& log, const char* name, Hdf5Type type, const std::vector<T>& values,
                  std::vector<std::uint64_t> shape) {
  return {name, type, std::move(shape), false, log.append(bytes_of(values)), {}, {}};
}

Hdf5Dataset moving(Hdf5Log& log, const std::string& name, const Content& c) {
  Hdf5Dataset data{name, Hdf5Type::float32, c.moving_shape, true, 0, {}, {}};
  for (int k = 0; k < c.frames; ++k) data.chunks.push_back(log.append_chunk(bytes_of(c.displacement), sizeof(float)));
  return data;
}

fs::path written(const Content& c, const fs::path& path) {
  Hdf5Log log = Hdf5Log::create(path);
  Hdf5Group root;
  root.attributes = {{"format", std::string(frames_format)}, {"version", std::vector<long>{c.version}}, {"box", c.box}};
  root.datasets = {fixed(log, "t", Hdf5Type::float64, c.t, {c.t.size()}),
                   fixed(log, "step", Hdf5Type::int64, c.step, {c.step.size()})};
  Hdf5Group body{c.name, {{"kind", c.kind}}, {}, {}};
  body.datasets = {fixed(log, "reference", Hdf5Type::float64, c.reference, c.reference_shape),
                   fixed(log, "elements", Hdf5Type::int32, c.elements, c.elements_shape),
                   fixed(log, "region", Hdf5Type::int32, c.region, {c.region.size()}),
                   fixed(log, "surface", Hdf5Type::int32, c.surface, {c.surface.size() / 3, 3})};
  body.datasets[2].attributes = {{"names", c.regions}};
  body.datasets.push_back(moving(log, "displacement", c));
  body.groups = {{"fields", {}, {moving(log, c.field, c)}, {}}};
  root.groups = {{"bodies", {}, {}, {body}}, {"obstacles", {}, {}, {}}};
  log.commit(root, false);
  return path;
}

// Reads all that there is, as viewer and exports do.
std::string fault(const fs::path& path) {
  try {
    const FramesFile file(path);
    for (const FrameBody& body : file.bodies())
      for (int frame = 0; frame < file.frames(); ++frame) {
        file.positions(body, frame);
        for (const std::string& field : body.fields) file.values(body, field, frame);
        for (const int node : body.elements) EXPECT_TRUE(node >= 0 && node < body.nodes);
        for (const int node : body.surface) EXPECT_TRUE(node >= 0 && node < body.nodes);
      }
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

struct Forgery {
  const char* expected;  // in the message; "": none
  std::function<void(Content&)> change;
};

std::vector<Forgery> forgeries() {
  return {
      {"", [](Content&) {}},  // guard
      {"/bodies/b/elements: row 0 has node 2000000000, and there are 4",
       [](Content& c) { c.elements[0] = 2000000000; }},
      {"/bodies/b/elements: row 0 has node -1", [](Content& c) { c.elements[3] = -1; }},
      {"/bodies/b/elements: row 0 has node 1, and there are 1",
       [](Content& c) {
         c.reference_shape = {1, 3};
       }},
      {"/bodies/b/surface: row 1 has node 4", [](Content& c) { c.surface[5] = 4; }},
      {"/bodies/b/region: row 0 has region 1, and there are 1", [](Content& c) { c.region[0] = 1; }},
      {"/bodies/b/region: it does not have one number for each element",
       [](Content& c) {
         c.region = {0, 0};
       }},
      {"/bodies/b/elements: it has 2 columns",
       [](Content& c) {
         c.elements_shape = {2, 2};
       }},
      {"/bodies/b/elements: it has 1 axes instead of 2", [](Content& c) { c.elements_shape = {4}; }},
      {"/bodies/b: tri3 in 3 dimensions", [](Content& c) { c.kind = "tri3"; }},
      {"/bodies/b: its elements are of an unknown kind", [](Content& c) { c.kind = "hex8"; }},
      {"/bodies/b/reference: it has fewer numbers than it says",
       [](Content& c) {
         c.reference_shape = {1u << 27, 3};
       }},
      {"its size is absurd",
       [](Content& c) {
         c.reference_shape = {std::uint64_t{1} << 62, 3};
       }},
      {"/bodies/b/reference: 2 nodes in 6 dimensions",
       [](Content& c) {
         c.reference_shape = {2, 6};
       }},
      {"/bodies/b/reference: it has numbers that are not finite", [](Content& c) { c.reference[3] = 1e308 * 10; }},
      {"/bodies/b/displacement: it has 2 x 3 x 4 numbers instead of 2 x 4 x 3",
       [](Content& c) {
         c.moving_shape = {3, 4};
       }},
      {"/bodies/b/displacement: it has 1 x 4 x 3 numbers instead of 2 x 4 x 3", [](Content& c) { c.frames = 1; }},
      {"/bodies/b/displacement: its numbers are damaged", [](Content& c) { c.displacement.resize(11); }},
      {"frame 0 has numbers that are not finite", [](Content& c) { c.displacement[2] = std::nanf(""); }},
      {"/step: it has 1 numbers, and /t has 2", [](Content& c) { c.step.pop_back(); }},
      {"/t: it has numbers that are not finite", [](Content& c) { c.t[1] = 1e308 * 10; }},
      {"the attribute 'box' does not have 6 numbers", [](Content& c) { c.box.pop_back(); }},
      {"of another version", [](Content& c) { c.version = 2; }},
      {"a name that no body or field can have", [](Content& c) { c.name = "../../escaped"; }},
      {"a name that no body or field can have", [](Content& c) { c.name = ".."; }},
      {"", [](Content& c) { c.field = "of_a_newer_version"; }},
  };
}

TEST(ForgedFrames, AreRefusedByName) {
  const fs::path folder = scratch();
  for (const Forgery& each : forgeries()) {
    Content content;
    each.change(content);
    const std::string said = fault(written(content, folder / "frames.h5"));
    EXPECT_NE(said.find(each.expected), std::string::npos) << each.expected << "\n  but: " << said;
    EXPECT_EQ(said.empty(), std::string(each.expected).empty()) << said;
    EXPECT_TRUE(said.empty() || said.find("frames.h5") != std::string::npos) << said;
  }
}

// Bytes all over the file changed, and ends cut off: an error or other numbers, never a fault of memory (the sanitizers
// watch).
TEST(ForgedFrames, DamagedBytesDoNoHarm) {
  const fs::path folder = scratch();
  const std::string sound = file_content(written(Content{}, folder / "sound.h5"));
  std::mt19937 random(3);
  long tried = 0, refused = 0;
  for (std::size_t at = 0; at < sound.size(); at += 5, ++tried) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    if (at % 7 == 0) bytes[at] = static_cast<char>(random());
    if (at % 50 == 0) bytes.resize(at);
    std::ofstream(folder / "frames.h5", std::ios::binary) << bytes;
    refused += fault(folder / "frames.h5").empty() ? 0 : 1;
  }
  EXPECT_GT(refused, tried / 8);  // guard; much of a small file is room for the list of frames
}

// The viewer has a file open, and something is done to it.
TEST(ForgedFrames, DamageToAnOpenFileIsAnError) {
  const fs::path folder = scratch();
  written(Content{}, folder / "frames.h5");
  const FramesFile open(folder / "frames.h5");
  EXPECT_EQ(open.positions(open.bodies()[0], 1).size(), 12u);
  fs::resize_file(folder / "frames.h5", 100);
  EXPECT_THROW(open.positions(open.bodies()[0], 1), RunError);
  std::ofstream(folder / "frames.h5", std::ios::binary) << std::string(100000, 'x');
  EXPECT_THROW(open.positions(open.bodies()[0], 1), RunError);
}

}  // namespace
}  // namespace livens
