// Exports: the same numbers as in the files of the run, in the layouts that other programs read.
#include "export/export.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "files/deflate.hpp"
#include "files/exchange_files.hpp"
#include "files/frames_reader.hpp"
#include "files/history.hpp"
#include "report/image.hpp"
#include "support/scratch.hpp"
#include "view/page.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

constexpr const char* solid_text = R"toml(
time = { end = 0.2 }
integrator = { kind = "implicit_midpoint", step = 0.02 }
output = [{ kind = "frames", every = 0.02, fields = ["velocity", "stress"] }]
material = [{ name = "rubber", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
force = [{ kind = "gravity", acceleration = [0, -9.81, 0] }]
contact = [{ name = "floor", kind = "plane", point = [0, -1, 0], normal = [0, 1, 0] }]
[[body]]
name = "bar"
kind = "solid"
material = "rubber"
mesh = { kind = "box", size = [0.4, 0.1, 0.1], cells = [4, 2, 2] }
initial = { velocity = ["0", "0", "X"] }
)toml";

fs::path solid_run(const fs::path& folder) {
  const fs::path run = folder / "bar";
  run_text(solid_text, run);
  return run;
}

template <class T>
T read_at(const std::string& bytes, std::size_t at) {
  T value{};
  EXPECT_LE(at + sizeof value, bytes.size());
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string error_of(const std::string& format, const std::vector<std::string>& runs, const ExportOptions& options) {
  try {
    export_runs(format, runs, options);
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ExchangeFiles, PointCacheHasItsHeader) {
  const std::string header = pc2_header(7, 3, 1);
  ASSERT_EQ(header.size(), 32u);
  EXPECT_EQ(header.substr(0, 12), std::string("POINTCACHE2\0", 12));
  EXPECT_EQ(read_at<std::int32_t>(header, 12), 1);
  EXPECT_EQ(read_at<std::int32_t>(header, 16), 7);
  EXPECT_EQ(read_at<float>(header, 20), 1.0f);
  EXPECT_EQ(read_at<float>(header, 24), 1.0f);
  EXPECT_EQ(read_at<std::int32_t>(header, 28), 3);
}

TEST(ExchangeFiles, Base64AsInItsStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xef\xbe"), "/+++");
}

TEST(ExportBlender, CacheAndSurfaceHaveTheFramesOfTheRun) {
  const fs::path folder = scratch(), run = solid_run(folder);
  ExportOptions options;
  options.out = folder / "out";
  const ExportResult exported = export_runs("blender", {run.string()}, options);
  EXPECT_NE(exported.text.find("bar.ply, bar.pc2 (11 frames, 50 per second), open.py"), std::string::npos)
      << exported.text;
  EXPECT_FALSE(fs::exists(folder / "out.part"));

  const std::string ply = file_content(folder / "out/bar.ply"), cache = file_content(folder / "out/bar.pc2");
  const FramesFile file(run / "frames.h5");
  const FrameBody& body = file.bodies().at(0);
  const std::size_t head = ply.find("end_header\n") + 11;
  const auto points = static_cast<std::size_t>(read_at<std::int32_t>(cache, 16));
  const std::size_t triangles = body.surface.size() / 3;
  ASSERT_EQ(ply.size(), head + 12 * points + 13 * triangles);
  ASSERT_EQ(read_at<std::int32_t>(cache, 28), file.frames());
  ASSERT_EQ(cache.size(), 32 + static_cast<std::size_t>(file.frames()) * 12 * points);
  // The surface is the first frame, vertex by vertex.
  EXPECT_EQ(ply.substr(head, 12 * points), cache.substr(32, 12 * points));
  // Corners of triangles are where the recording has them, in all frames.
  for (int frame = 0; frame < file.frames(); ++frame) {
    const std::vector<double> x = file.positions(body, frame);
    for (std::size_t k = 0; k < 3 * triangles; ++k) {
      const auto vertex =
          static_cast<std::size_t>(read_at<std::int32_t>(ply, head + 12 * points + 13 * (k / 3) + 1 + 4 * (k % 3)));
      ASSERT_LT(vertex, points);
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_EQ(read_at<float>(cache, 32 + 12 * (static_cast<std::size_t>(frame) * points + vertex) + 4 * c),
                  static_cast<float>(x[3 * body.surface[k] + c]));
    }
  }
  const std::string script = file_content(folder / "out/open.py");
  EXPECT_EQ(script.find("@SCENE@"), std::string::npos);
  const std::size_t begin = script.find("r'''") + 4;
  const auto scene = nlohmann::json::parse(script.substr(begin, script.find("'''", begin) - begin));
  EXPECT_EQ(scene["fps"], 50);
  EXPECT_EQ(scene["frames"], 11);
  EXPECT_EQ(scene["up"], nlohmann::json({0.0, 1.0, 0.0}));
  EXPECT_EQ(scene["obstacles"].at(0)["normal"], nlohmann::json({0.0, 1.0, 0.0}));
}

TEST(ExportBlender, LinesBecomeTubesAndPointsStayPoints) {
  const fs::path folder = scratch(), run = folder / "lattice";
  run_text(lattice_text("kind = 'stormer_verlet', step = 0.05", "1"), run);
  ExportOptions options;
  options.out = folder / "out";
  const ExportResult exported = export_runs("blender", {run.string()}, options);
  EXPECT_NE(exported.text.find("open.py and 2 objects"), std::string::npos) << exported.text;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder / "out")) names.insert(entry.path().filename().string());
  EXPECT_EQ(names.size(), 5u);
  ASSERT_TRUE(names.count("lattice.pc2") == 1);
  EXPECT_EQ(read_at<std::int32_t>(file_content(folder / "out/lattice.pc2"), 16), 9);
  for (const std::string& name : names) {
    if (name.find(".pc2") == std::string::npos || name == "lattice.pc2") continue;
    // Two rings of eight about the ends of each spring: the middle of a ring is an end.
    const std::string cache = file_content(folder / "out" / name), points = file_content(folder / "out/lattice.pc2");
    ASSERT_EQ(read_at<std::int32_t>(cache, 16) % 16, 0);
    double middle[3] = {0, 0, 0}, nearest = 1;
    for (std::size_t v = 0; v < 8; ++v)
      for (std::size_t c = 0; c < 3; ++c) middle[c] += read_at<float>(cache, 32 + 12 * v + 4 * c) / 8;
    for (std::size_t a = 0; a < 9; ++a)
      nearest = std::min(nearest, std::hypot(middle[0] - read_at<float>(points, 32 + 12 * a),
                                             middle[1] - read_at<float>(points, 36 + 12 * a),
                                             middle[2] - read_at<float>(points, 40 + 12 * a)));
    EXPECT_LT(nearest, 1e-6);
  }
}

TEST(ExportVtu, IsReadBackWithAllFields) {
  const fs::path folder = scratch(), run = solid_run(folder);
  ExportOptions options;
  options.out = folder / "out";
  options.choice.every = 5;
  export_runs("vtu", {run.string()}, options);
  const std::string list = file_content(folder / "out/bar.pvd");
  const FramesFile file(run / "frames.h5");
  const FrameBody& body = file.bodies().at(0);
  for (int k = 0; k < 3; ++k) {
    const int frame = 5 * k;
    const std::string entry =
        fmt::format("timestep=\"{:.17g}\" part=\"0\" name=\"bar\" file=\"bar_{:06}.vtu\"", file.t()[frame], k);
    EXPECT_NE(list.find(entry), std::string::npos) << entry << list;
    const fs::path path = folder / fmt::format("out/bar_{:06}.vtu", k);
    const std::string bytes = file_content(path);
    for (const char* name : {"displacement", "velocity", "stress", "region"})
      EXPECT_NE(bytes.find(fmt::format("Name=\"{}\"", name)), std::string::npos) << name;
    // The points stand in the file as they are in the frame.
    const std::vector<double> x = file.positions(body, frame);
    std::string wanted;
    for (const double value : x) wanted.append(reinterpret_cast<const char*>(&value), sizeof value);
    EXPECT_NE(bytes.find(wanted), std::string::npos);
    const std::vector<float> velocity = file.values(body, "velocity", frame);
    wanted.clear();
    for (const double value : velocity) wanted.append(reinterpret_cast<const char*>(&value), sizeof value);
    EXPECT_NE(bytes.find(wanted), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(folder / "out/bar_000003.vtu"));
}

TEST(ExportCsv, HasTheCellsOfTheHistory) {
  const fs::path folder = scratch(), run = solid_run(folder);
  ExportOptions options;
  options.out = folder / "all.csv";
  export_runs("csv", {run.string()}, options);
  const std::string all = file_content(options.out), history = file_content(run / "history.csv");
  EXPECT_EQ(all.substr(all.find('\n')), history.substr(history.find('\n')));
  EXPECT_NE(all.find("t (s),"), std::string::npos);

  options.out = folder / "some.csv";
  options.columns = {"kinetic", "energy"};
  options.choice.from = 0.1;
  options.choice.every = 2;
  export_runs("csv", {run.string()}, options);
  const History some = read_history(options.out, 1000), full = read_history(run / "history.csv", 1000);
  EXPECT_EQ(some.columns, (std::vector<std::string>{"t (s)", "kinetic (J)", "energy (J)"}));
  std::size_t row = 0;
  while (full.find("t")->at(row) < 0.1) ++row;
  ASSERT_GT(some.values[0].size(), 2u);
  for (std::size_t k = 0; k < some.values[0].size(); ++k) {
    EXPECT_EQ(some.values[0][k], full.find("t")->at(row + 2 * k));
    EXPECT_EQ(some.values[1][k], full.find("kinetic")->at(row + 2 * k));
  }

  options = {};
  options.out = folder / "nodes.csv";
  options.bodies = {"bar"};
  export_runs("csv", {run.string()}, options);
  const FramesFile file(run / "frames.h5");
  const FrameBody& body = file.bodies().at(0);
  const History nodes = read_history(options.out, 100000);
  ASSERT_EQ(nodes.values[0].size(), body.nodes * file.frames());
  const std::vector<double> last = file.positions(body, file.frames() - 1);
  EXPECT_EQ(nodes.find("y (m)")->back(), last[last.size() - 2]);
  EXPECT_EQ(static_cast<float>(nodes.find("velocity_z (m/s)")->back()),
            file.values(body, "velocity", file.frames() - 1).back());
}

std::string unpacked(const std::string& page, const std::string& id) {
  const std::string head = "<script type=\"application/octet-stream\" id=\"" + id + "\">";
  const std::size_t begin = page.find(head);
  if (begin == std::string::npos) return "";
  const std::size_t first = begin + head.size();
  const std::string text = page.substr(first, page.find('<', first) - first);
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string packed;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6 | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    packed += static_cast<char>(group >> bits & 255u);
  }
  std::string bytes(std::size_t{1} << 22, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 31), Z_OK);  // 31: gzip
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END) << id;
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return bytes;
}

// Machines without npm, or without a network when they built, have a plain page in its place.
bool has_viewer() { return viewer_page().find("<!--livens-data-->") != std::string_view::npos; }

TEST(ExportHtml, PageHasTheBytesOfTheProtocol) {
  if (!has_viewer()) GTEST_SKIP() << "built without the viewer's page";
  const fs::path folder = scratch(), run = solid_run(folder);
  ExportOptions options;
  options.out = folder / "page.html";
  options.fields = {"velocity"};
  options.choice.every = 2;
  export_runs("html", {run.string()}, options);
  const std::string page = file_content(options.out);
  EXPECT_EQ(page.find("<!--livens-data-->"), std::string::npos);
  const auto info = nlohmann::json::parse(unpacked(page, "livens-0-run"));
  const FramesFile file(run / "frames.h5");
  EXPECT_EQ(info["frames"], 6);
  ASSERT_EQ(info["fields"].size(), 1u);
  const std::size_t vertices = info["drawables"][0]["vertices"];
  const std::string motion = unpacked(page, "livens-0-motion-0");
  ASSERT_EQ(motion.size(), 6 * (8 + 12 * vertices));
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(read_at<double>(motion, k * (8 + 12 * vertices)), file.t()[2 * k]);
    EXPECT_EQ(info["t"][k], file.t()[2 * k]);
  }
  const std::string field = unpacked(page, "livens-0-field-velocity-0");
  ASSERT_EQ(field.size(), 6 * 4 * vertices);
  EXPECT_EQ(unpacked(page, "livens-0-arrows-velocity-0").size(), 6 * 12 * vertices);
  double largest = 0;
  for (std::size_t at = 0; at < field.size(); at += 4) largest = std::max<double>(largest, read_at<float>(field, at));
  EXPECT_EQ(info["fields"][0]["range"][1].get<double>(), largest);
  EXPECT_EQ(unpacked(page, "livens-0-history").substr(0, 8), "{\"rows\":");
  EXPECT_FALSE(unpacked(page, "livens-0-mesh").empty());
}

TEST(ExportHtml, ManyFramesAreThinned) {
  const std::vector<int> few = thinned_frames({0, 1, 2}, 300);
  EXPECT_EQ(few.size(), 3u);
  std::vector<int> many(1000);
  for (int k = 0; k < 1000; ++k) many[k] = k;
  const std::vector<int> kept = thinned_frames(many, 300);
  EXPECT_EQ(kept.size(), 300u);
  EXPECT_EQ(kept.front(), 0);
  EXPECT_EQ(kept.back(), 999);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
}

TEST(ExportFrames, AreChosenByTimesAndRates) {
  std::vector<double> t;
  for (int k = 0; k <= 100; ++k) t.push_back(0.01 * k);
  FrameChoice choice;
  EXPECT_EQ(choose_frames(t, choice).frames.size(), 101u);
  EXPECT_EQ(choose_frames(t, choice).fps, 100);
  choice.fps = 25;
  EXPECT_EQ(choose_frames(t, choice).frames.size(), 26u);
  EXPECT_EQ(choose_frames(t, choice).frames[1], 4);
  choice = {};
  choice.from = 0.5;
  choice.to = 0.6;
  choice.every = 5;
  EXPECT_EQ(select_frames(t, choice), (std::vector<int>{50, 55, 60}));
  choice.from = 2;
  EXPECT_THROW(select_frames(t, choice), RunError);
  // A short process is played slowly, frame by frame.
  for (double& each : t) each *= 1e-3;
  const ChosenFrames slow = choose_frames(t, {});
  EXPECT_EQ(slow.frames.size(), 101u);
  EXPECT_EQ(slow.fps, 30);
  EXPECT_NEAR(slow.speed, 30e-5, 1e-9);
  EXPECT_EQ(slow.notes.size(), 1u);
  // Uneven times go by the clock.
  const ChosenFrames uneven = choose_frames({0, 0.01, 0.02, 0.03, 0.5, 1}, {});
  EXPECT_EQ(uneven.frames.size(), 31u);
  EXPECT_EQ(uneven.frames.back(), 5);
}

TEST(ExportErrors, SayWhatToDo) {
  const fs::path folder = scratch(), run = solid_run(folder);
  ExportOptions options;
  options.out = folder / "out";
  const std::vector<std::string> runs = {run.string()};
  EXPECT_NE(error_of("htm", runs, options).find("Did you mean 'html'?"), std::string::npos);
  EXPECT_NE(error_of("vtu", {folder.string()}, options).find("holds no run of livens"), std::string::npos);
  EXPECT_NE(error_of("vtu", {run.string(), run.string()}, options).find("takes one run"), std::string::npos);
  options.fields = {"stres"};
  EXPECT_NE(error_of("vtu", runs, options).find("Did you mean 'stress'?"), std::string::npos);
  EXPECT_NE(error_of("blender", runs, options).find("has no --fields"), std::string::npos);
  options.fields = {};
  options.columns = {"energi"};
  EXPECT_NE(error_of("csv", runs, options).find("Did you mean 'energy'?"), std::string::npos);
  options.columns = {};
  fs::create_directory(folder / "out");
  for (const char* format : {"html", "blender", "vtu", "csv"})
    EXPECT_NE(error_of(format, runs, options).find("exists: remove it"), std::string::npos) << format;

  const fs::path bare = folder / "bare";
  run_text(
      lattice_text("kind = 'stormer_verlet', step = 0.05", "1", "output = [{ kind = \"frames\", enabled = false }]\n"),
      bare);
  options.out = folder / "none";
  for (const char* format : {"blender", "vtu"})
    EXPECT_NE(error_of(format, {bare.string()}, options).find("kind = \"frames\""), std::string::npos) << format;
  const fs::path pendulum = folder / "pendulum";
  run_text(pendulum_text("kind = 'implicit_midpoint', step = 0.1", "1"), pendulum);
  EXPECT_NE(error_of("vtu", {pendulum.string()}, options).find("without nodes"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "none"));
}

TEST(ExportErrors, AnInterruptedExportLeavesNothing) {
  const fs::path folder = scratch(), run = solid_run(folder);
  for (const char* format : {"html", "blender", "vtu", "csv"}) {
    if (std::string(format) == "html" && !has_viewer()) continue;
    ExportOptions options;
    options.out = folder / "out";
    int asked = 0;
    const bool table = std::string(format) == "csv";
    options.interrupted = [&] { return ++asked > (table ? 0 : 3); };
    EXPECT_THROW(export_runs(format, {run.string()}, options), ExportInterrupted) << format;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1) << format;
  }
}

}  // namespace
}  // namespace livens
