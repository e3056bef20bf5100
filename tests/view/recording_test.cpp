// Finished runs as the viewer gets them: the same numbers as in their files.
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "draw/drawing.hpp"
#include "files/frames_reader.hpp"
#include "files/history.hpp"
#include "files/surface.hpp"
#include "run/finished_run.hpp"
#include "support/scratch.hpp"
#include "view/recording_view.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* solid_text = R"toml(
time = { end = 0.2 }
integrator = { kind = "implicit_midpoint", step = 0.02 }
output = [{ kind = "frames", every = 0.04, fields = ["velocity", "stress"] }]
material = [{ name = "rubber", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
force = [{ kind = "gravity", acceleration = [0, -9.81, 0] }]
[[body]]
name = "bar"
kind = "solid"
material = "rubber"
mesh = { kind = "box", size = [0.4, 0.1, 0.1], cells = [4, 2, 2] }
initial = { velocity = ["0", "0", "X"] }
)toml";

std::vector<float> floats(const std::string& bytes, std::size_t at, std::size_t count) {
  std::vector<float> values(count);
  EXPECT_LE(at + 4 * count, bytes.size());
  if (at + 4 * count <= bytes.size()) std::memcpy(values.data(), bytes.data() + at, 4 * count);
  return values;
}

double double_at(const std::string& bytes, std::size_t at) {
  double value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

json described(RecordingView& run) { return json::parse(run.description(0, {})); }

TEST(ViewRecording, HasTheNumbersOfItsFiles) {
  const fs::path folder = scratch() / "bar";
  run_text(solid_text, folder);
  RecordingView run(folder);
  const FramesFile file(folder / "frames.h5");
  const FrameBody& body = file.bodies().at(0);
  const json info = described(run);
  ASSERT_EQ(info["frames"], file.frames());
  EXPECT_EQ(info["t"].get<std::vector<double>>(), file.t());
  EXPECT_EQ(info["box"].get<std::vector<double>>(), file.box());
  EXPECT_EQ(info["name"], "bar");
  EXPECT_EQ(info["status"], "done");
  EXPECT_EQ(info["up"], json({0.0, 1.0, 0.0}));
  ASSERT_EQ(info["drawables"].size(), 1u);
  const std::size_t V = info["drawables"][0]["vertices"], T = info["drawables"][0]["triangles"];
  EXPECT_EQ(T, body.surface.size() / 3);
  EXPECT_LT(V, body.nodes);  // only those of the surface

  // The triangles have the reference positions of those in the file.
  const std::string mesh = run.mesh();
  ASSERT_EQ(mesh.size(), 12 * V + 12 * T + (T + 3) / 4 * 4);
  const auto reference = floats(mesh, 0, 3 * V);
  std::vector<std::uint32_t> triangles(3 * T);
  std::memcpy(triangles.data(), mesh.data() + 12 * V, 12 * T);
  for (std::size_t k = 0; k < 3 * T; ++k) {
    ASSERT_LT(triangles[k], V);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(reference[3 * triangles[k] + c], static_cast<float>(body.reference[3 * body.surface[k] + c]));
  }
  for (std::size_t k = 0; k < T; ++k) EXPECT_EQ(mesh[12 * V + 12 * T + k], 0b111);

  const std::size_t size = 8 + 12 * V + 4 * T + 12 * V;
  const std::string frames = run.frames({2, 3, "von_mises", "velocity"});
  ASSERT_EQ(frames.size(), 3 * size);
  for (int frame = 2; frame < 5; ++frame) {
    const std::size_t at = static_cast<std::size_t>(frame - 2) * size;
    EXPECT_EQ(double_at(frames, at), file.t()[frame]);
    const auto x = floats(frames, at + 8, 3 * V), stress = floats(frames, at + 8 + 12 * V, T),
               v = floats(frames, at + 8 + 12 * V + 4 * T, 3 * V);
    const auto positions = file.positions(body, frame);
    const auto velocity = file.values(body, "velocity", frame), s = file.values(body, "stress", frame);
    for (std::size_t k = 0; k < 3 * T; ++k)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t there = 3 * static_cast<std::size_t>(body.surface[k]) + c, here = 3 * triangles[k] + c;
        EXPECT_EQ(x[here], static_cast<float>(positions[there]));
        EXPECT_EQ(v[here], velocity[there]);
      }
    // The equivalent stress of some element at each triangle; the largest is that of an element at the surface.
    for (const float value : stress) EXPECT_TRUE(std::isfinite(value) && value >= 0);
    EXPECT_GT(*std::max_element(stress.begin(), stress.end()), 0);
  }
  EXPECT_EQ(run.frames({0, 64, "", ""}).size(), static_cast<std::size_t>(file.frames()) * (8 + 12 * V));
  EXPECT_EQ(run.frames({0, 1, "displacement", ""}).size(), 8 + 16 * V);
  EXPECT_THROW(run.frames({file.frames(), 1, "", ""}), ViewError);
  EXPECT_THROW(run.frames({0, 1, "nonsense", ""}), ViewError);
  EXPECT_THROW(run.frames({0, 1, "", "von_mises"}), ViewError);
}

TEST(ViewRecording, DescribesFieldsAndColumns) {
  const fs::path folder = scratch() / "bar";
  run_text(solid_text, folder);
  RecordingView run(folder);
  const json info = described(run);
  std::map<std::string, json> fields;
  for (const json& field : info["fields"]) fields[field["name"]] = field;
  ASSERT_EQ(fields.size(), 3u);  // stress is shown as von_mises
  EXPECT_EQ(fields["von_mises"]["per"], "triangle");
  EXPECT_EQ(fields["velocity"]["per"], "vertex");
  EXPECT_TRUE(fields["velocity"]["arrows"]);
  // The fastest node at the start is at X = 0.4 and has that speed.
  EXPECT_GE(fields["velocity"]["range"][1].get<double>(), 0.4f);
  EXPECT_EQ(fields["displacement"]["range"][0], 0.0);
  std::map<std::string, std::string> groups;
  for (const json& column : info["columns"]) groups[column["name"]] = column["group"];
  EXPECT_EQ(groups["energy"], "energy");
  EXPECT_EQ(groups["linear_momentum_x"], "momentum");
  EXPECT_EQ(groups["dissipated"], "dissipation");
  EXPECT_EQ(groups["t"], "other");

  const std::string history = run.history();
  const std::size_t line = history.find('\n');
  const json head = json::parse(history.substr(0, line));
  const History whole = read_history(folder / "history.csv", 100'000);
  ASSERT_EQ(head["columns"].get<std::vector<std::string>>(), whole.columns);
  const std::size_t rows = head["rows"];
  ASSERT_EQ(rows, whole.values[0].size());
  ASSERT_EQ(history.size(), line + 1 + 8 * rows * whole.columns.size());
  for (std::size_t c = 0; c < whole.columns.size(); ++c)
    for (std::size_t r = 0; r < rows; ++r) {
      const double value = double_at(history, line + 1 + 8 * (c * rows + r));
      EXPECT_TRUE(value == whole.values[c][r] || (std::isnan(value) && std::isnan(whole.values[c][r])));
    }
}

TEST(ViewRecording, ThinsHistoriesButKeepsPeaks) {
  const fs::path file = scratch() / "history.csv";
  {
    std::ofstream out(file);
    out << "t,a,b\n";
    for (int k = 0; k < 50'000; ++k) out << k << ',' << (k == 31'234 ? 7 : 0) << ',' << (k == 3 ? -5 : k % 7) << '\n';
  }
  const History thin = read_history_with_extremes(file, 4000);
  const auto &t = thin.values[0], &a = thin.values[1], &b = thin.values[2];
  EXPECT_LE(t.size(), 4000u);
  EXPECT_GT(t.size(), 1900u);
  EXPECT_EQ(t.front(), 0);
  EXPECT_EQ(t.back(), 49'999);
  EXPECT_TRUE(std::is_sorted(t.begin(), t.end()));
  for (std::size_t k = 0; k < t.size(); ++k) {  // whole rows
    EXPECT_EQ(a[k], t[k] == 31'234 ? 7 : 0);
    EXPECT_EQ(b[k], t[k] == 3 ? -5 : static_cast<int>(t[k]) % 7);
  }
  EXPECT_EQ(*std::max_element(a.begin(), a.end()), 7);
  EXPECT_EQ(*std::min_element(b.begin(), b.end()), -5);
  const History plain = read_history(file, 4000);  // which loses them
  EXPECT_EQ(*std::max_element(plain.values[1].begin(), plain.values[1].end()), 0);
}

// A scene of solids alone, whose contacts have shapes.
TEST(ViewRecording, ShowsBoxesAndCylindersOfContacts) {
  const fs::path folder = scratch() / "stairs";
  run_text(R"toml(
time = { end = 0.02 }
integrator = { kind = "energy_momentum", step = 0.01 }
output = [{ kind = "frames", every = 0.01 }]
material = [{ name = "rubber", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
body = [{ name = "block", kind = "solid", material = "rubber", mesh = { kind = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }]
contact = [{ name = "stair", kind = "box", point = [0, 0, -0.2], size = [1, 0.5, 0.2] },
           { name = "post", kind = "cylinder", point = [0.3, 0, 0.1], radius = 0.05, length = 0.2 }]
)toml",
           folder);
  RecordingView run(folder);
  const json info = described(run);
  ASSERT_EQ(info["drawables"].size(), 3u);
  for (const int k : {1, 2}) {
    EXPECT_EQ(info["drawables"][k]["name"], k == 1 ? "stair" : "post");
    EXPECT_EQ(info["drawables"][k]["kind"], "surface");
    EXPECT_EQ(info["drawables"][k]["obstacle"], true);
  }
  EXPECT_EQ(info["drawables"][1]["triangles"], 12);
  const auto box = info["box"].get<std::vector<double>>();
  EXPECT_LE(box[0], -0.5 + 1e-6) << "corners of the stair are out of the picture";
  EXPECT_LE(box[2], -0.3 + 1e-6);
  EXPECT_GE(box[3], 0.5 - 1e-6);
}

TEST(ViewRecording, ShowsSpringsRodsJointsAndRigidBodies) {
  const fs::path folder = scratch();
  run_text(lattice_text("kind = 'stormer_verlet', step = 0.05", "0.2"), folder / "lattice");
  RecordingView lattice(folder / "lattice");
  json info = described(lattice);
  ASSERT_EQ(info["drawables"].size(), 2u);
  EXPECT_EQ(info["drawables"][0]["kind"], "points");
  EXPECT_EQ(info["drawables"][0]["vertices"], 9);
  EXPECT_EQ(info["drawables"][1]["style"], "spring");
  EXPECT_GT(info["drawables"][1]["vertices"], 20);
  EXPECT_EQ(info["dimension"], 2);

  run_text(R"toml(
time = { end = 0.2 }
integrator = { kind = "rattle", step = 0.02 }
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
body = [{ name = "rod", kind = "rigid", mass = 2, inertia = [0.1, 0.1, 0.05], center = [0.5, 0, 0] },
        { name = "bob", kind = "particles", mass = 1, layout = { kind = "points", points = [[1, 0, 1]] } }]
constraint = [{ kind = "spherical", bodies = ["ground", "rod"], point = [0, 0, 0] },
              { kind = "distance", bodies = ["rod", "bob"], ends = [[1, 0, 0], [1, 0, 1]] }]
)toml",
           folder / "mechanism");
  RecordingView mechanism(folder / "mechanism");
  info = described(mechanism);
  ASSERT_EQ(info["drawables"].size(), 4u) << info["warnings"].dump();
  EXPECT_EQ(info["drawables"][0]["vertices"], 8);
  EXPECT_EQ(info["drawables"][0]["triangles"], 12);
  EXPECT_EQ(info["drawables"][2]["style"], "rod");
  EXPECT_EQ(info["drawables"][3]["style"], "joint");
  // The rod keeps its length in every frame, and the joint stays in the origin.
  const std::string bytes = mechanism.frames({0, 64, "", ""});
  const std::size_t V = 8 + 1 + 2 + 2, size = 8 + 12 * V, frames = info["frames"];
  ASSERT_EQ(bytes.size(), frames * size);
  for (std::size_t f = 0; f < frames; ++f) {
    const auto x = floats(bytes, f * size + 8, 3 * V);
    const float* rod = x.data() + 27;
    EXPECT_NEAR(std::hypot(rod[3] - rod[0], rod[4] - rod[1], rod[5] - rod[2]), 1, 1e-6);
    const float* joint = x.data() + 33;
    EXPECT_NEAR(std::hypot(joint[3], joint[4], joint[5]), 0, 1e-6);
    EXPECT_NEAR(std::hypot(joint[0], joint[1], joint[2]), 0.5, 1e-6);
  }
}

TEST(ViewRecording, DrawsSystemsFromTheirHistory) {
  const fs::path folder = scratch();
  run_text(
      "time = { end = 2 }\nintegrator = { kind = 'stormer_verlet', step = 0.01 }\n"
      "system = { kind = 'double_pendulum', lengths = [1, 0.5], angles = [-1, -1.2] }\n",
      folder / "pendulum");
  RecordingView run(folder / "pendulum");
  const json info = described(run);
  EXPECT_EQ(info["phase"], json::array({{"a", "a_dot"}, {"b", "b_dot"}}));
  const History history = read_history(folder / "pendulum" / "history.csv", 10'000);
  ASSERT_EQ(info["frames"], history.values[0].size());
  const std::string bytes = run.frames({50, 1, "", ""});
  ASSERT_EQ(bytes.size(), 8 + 12 * 6u);
  const auto x = floats(bytes, 8, 18);
  const double a = (*history.find("a"))[50], b = (*history.find("b"))[50];
  EXPECT_NEAR(x[0], std::sin(a), 1e-6);
  EXPECT_NEAR(x[3], std::sin(a) + 0.5 * std::sin(b), 1e-6);
  EXPECT_NEAR(x[4], -std::cos(a) - 0.5 * std::cos(b), 1e-6);
  // The box holds both masses at all times, and is not larger: they touch every side of it.
  const std::vector<double> box = info["box"];
  std::vector<double> least = {0, 0}, largest = {0, 0};  // the rods end in the origin
  for (std::size_t row = 0; row < history.values[0].size(); ++row) {
    const double first = (*history.find("a"))[row], second = (*history.find("b"))[row];
    const double X[2] = {std::sin(first), std::sin(first) + 0.5 * std::sin(second)};
    const double Y[2] = {-std::cos(first), -std::cos(first) - 0.5 * std::cos(second)};
    least = {std::min({least[0], X[0], X[1]}), std::min({least[1], Y[0], Y[1]})};
    largest = {std::max({largest[0], X[0], X[1]}), std::max({largest[1], Y[0], Y[1]})};
  }
  for (std::size_t c = 0; c < 2; ++c) {
    constexpr double rounding = 1e-12;  // of sums of sines of order 1
    EXPECT_NEAR(box[c], least[c], rounding);
    EXPECT_NEAR(box[3 + c], largest[c], rounding);
  }
}

// A pair that the scene asks for comes first, and once.
TEST(ViewRecording, HasNoPortraitTwice) {
  const fs::path folder = scratch();
  run_text(
      "time = { end = 0.1 }\nintegrator = { kind = 'stormer_verlet', step = 0.01 }\n"
      "system = { kind = 'double_pendulum' }\n"
      "report = { portraits = [['b', 'b_dot'], ['a', 'b'], ['b', 'b_dot']] }\n",
      folder / "run");
  RecordingView run(folder / "run");
  EXPECT_EQ(described(run)["phase"], json::array({{"b", "b_dot"}, {"a", "b"}, {"a", "a_dot"}}));
}

// A directory of a study stands for the runs that it has kept.
TEST(ViewRecording, FindsTheRunsOfAStudy) {
  const fs::path folder = scratch();
  EXPECT_FALSE(runs_of_study(folder));
  write_file(folder / "study.json", "{}");
  EXPECT_THROW(runs_of_study(folder), RunError);
  for (const char* name : {"case-002", "case-001"})
    run_text(
        "time = { end = 0.1 }\nintegrator = { kind = 'stormer_verlet', step = 0.01 }\nsystem = { kind = 'pendulum' }\n",
        folder / "runs" / name);
  fs::create_directories(folder / "runs/other");
  EXPECT_EQ(runs_of_study(folder),
            (std::vector<std::string>{(folder / "runs/case-001").string(), (folder / "runs/case-002").string()}));
  EXPECT_FALSE(runs_of_study(folder / "runs/case-001"));
}

TEST(ViewRecording, SaysWhatIsMissing) {
  const fs::path folder = scratch();
  EXPECT_THROW(RecordingView(folder / "nothing"), RunError);
  EXPECT_THROW(RecordingView{folder}, RunError);
  run_text(lattice_text("kind = 'stormer_verlet', step = 0.05", "0.2"), folder / "run");
  fs::remove(folder / "run" / "frames.h5");
  RecordingView without(folder / "run");
  ASSERT_EQ(without.warnings().size(), 1u);
  EXPECT_NE(without.warnings()[0].find("kind = \"frames\""), std::string::npos);
  const json info = described(without);
  EXPECT_EQ(info["frames"], 0);
  EXPECT_TRUE(info["drawables"].empty());
  EXPECT_EQ(without.mesh(), "");
  EXPECT_GT(without.history().size(), 1000u);
  std::ofstream(folder / "run" / "frames.h5") << "not a recording";
  RecordingView damaged(folder / "run");
  EXPECT_EQ(described(damaged)["frames"], 0);
  std::ofstream(folder / "run" / "scene.toml") << "not = [ a scene";
  RecordingView unknown(folder / "run");
  EXPECT_EQ(described(unknown)["title"], "run");
  std::ofstream(folder / "run" / "summary.json") << "{\"schema\": \"livens.summary/1\", cut off";
  RecordingView cut(folder / "run");
  EXPECT_EQ(described(cut)["status"], "running");
}

TEST(ViewRecording, TellsRunsApart) {
  const fs::path folder = scratch();
  run_text(pendulum_text("kind = 'stormer_verlet', step = 0.05", "1"), folder / "a");
  run_text(pendulum_text("kind = 'stormer_verlet', step = 0.1", "1"), folder / "b");
  RecordedRuns runs({(folder / "a").string(), (folder / "b").string()});
  EXPECT_EQ(json::parse(runs.description(0))["differs"], json::array({{"integrator.step", "0.05"}}));
  EXPECT_EQ(json::parse(runs.description(1))["differs"], json::array({{"integrator.step", "0.1"}}));
  EXPECT_EQ(json::parse(runs.session())["runs"].size(), 2u);
}

TEST(ViewRecording, BoundsReplies) {
  const fs::path folder = scratch() / "run";
  run_text(lattice_text("kind = 'stormer_verlet', step = 0.05", "0.5"), folder);
  RecordingView run(folder);
  const std::size_t one = run.frames({0, 1, "", ""}).size();
  EXPECT_EQ(run.frames({0, 5, "", "", 3 * one}).size(), 3 * one);
  EXPECT_EQ(run.frames({0, 5, "", "", 3 * one - 1}).size(), 2 * one);
  EXPECT_EQ(run.frames({0, 5, "", "", 1}).size(), one);  // at least one
}

}  // namespace
}  // namespace livens
