// Sequences of files: surfaces, and what a directory holds afterwards.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>

#include <gtest/gtest.h>

#include "files/fake_solid.hpp"
#include "files/output.hpp"
#include "files/surface.hpp"
#include "scene/listing.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

void write_series(const std::string& kind, const Model& model, const fs::path& directory) {
  const OutputRecord& record = output_records().at(kind);
  Settings settings = default_settings(record);
  settings.values["every"] = 0.2;
  const auto series = record.make(settings, "name", {model, directory, 1, ""});
  observe_steps(*series, model, 0, 4);
  end_at(*series, model, 4);
}

int files_in(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

// The volume that a closed surface of triangles holds, if it is oriented outwards.
double enclosed_volume(const std::vector<Eigen::Vector3d>& points, const std::vector<int>& triangles) {
  double volume = 0;
  const auto at = [&](std::size_t k) { return points[triangles[k]]; };
  for (std::size_t f = 0; f < triangles.size(); f += 3) volume += at(f).dot(at(f + 1).cross(at(f + 2))) / 6;
  return volume;
}

TEST(FileSeries, ObjIsTheClosedSurfaceOfTheMovedBody) {
  for (const ElementKind kind : {ElementKind::tet4, ElementKind::tet10}) {
    const fs::path folder = scratch();
    const Model model = solid_model(small_box(kind));
    write_series("obj", model, folder);
    EXPECT_EQ(files_in(folder / "name"), 3);
    std::istringstream text(file_content(folder / "name/block_000002.obj"));
    std::vector<Eigen::Vector3d> points;
    std::vector<int> triangles;
    for (std::string line; std::getline(text, line);) {
      std::istringstream words(line);
      std::string type;
      words >> type;
      double x, y, z;
      if (type == "#") continue;
      words >> x >> y >> z;
      if (type == "v") points.emplace_back(x, y, z);
      if (type == "f")
        for (const double index : {x, y, z}) triangles.push_back(static_cast<int>(index) - 1);
    }
    EXPECT_NEAR(enclosed_volume(points, triangles), 0.5 * 1.04, 1e-7);
  }
}

TEST(FileSeries, PlyIsTheSameInBytes) {
  const fs::path folder = scratch();
  const Model model = solid_model(small_box());
  write_series("ply", model, folder);
  const std::string bytes = file_content(folder / "name/block_000001.ply");
  const std::string end = "end_header\n";
  const std::size_t head = bytes.find(end) + end.size();
  const auto count = [&](const std::string& element) {
    return std::stoul(bytes.substr(bytes.find("element " + element) + element.size() + 9));
  };
  const std::size_t vertices = count("vertex"), faces = count("face");
  ASSERT_EQ(bytes.size(), head + 12 * vertices + 13 * faces);
  std::vector<Eigen::Vector3d> points;
  for (std::size_t k = 0; k < vertices; ++k) {
    float x[3];
    std::memcpy(x, bytes.data() + head + 12 * k, sizeof x);
    points.emplace_back(x[0], x[1], x[2]);
  }
  std::vector<int> triangles;
  for (std::size_t k = 0; k < faces; ++k) {
    const char* face = bytes.data() + head + 12 * vertices + 13 * k;
    EXPECT_EQ(*face, 3);
    std::int32_t nodes[3];
    std::memcpy(nodes, face + 1, sizeof nodes);
    triangles.insert(triangles.end(), nodes, nodes + 3);
  }
  EXPECT_NEAR(enclosed_volume(points, triangles), 0.5 * 1.02, 1e-6);
}

TEST(FileSeries, VtuComesWithAListOfTimes) {
  const fs::path folder = scratch();
  const Model model = solid_model(small_rectangle());
  write_series("vtu", model, folder);
  const std::string list = file_content(folder / "name.pvd");
  for (const char* part : {"timestep=\"0\" part=\"0\" name=\"block\" file=\"name/block_000000.vtu\"",
                           "timestep=\"0.40000000000000002\" part=\"0\" name=\"block\" file=\"name/block_000002.vtu\""})
    EXPECT_NE(list.find(part), std::string::npos) << list;
  EXPECT_NE(file_content(folder / "name/block_000001.vtu").find("Name=\"stress\""), std::string::npos);
}

TEST(FileSeries, SurfacesOfPlaneMeshesAreAllOfThem) {
  EXPECT_EQ(surface_triangles(small_rectangle()).edges.size(), 8u);
  const SurfaceTriangles cut = surface_triangles(small_rectangle(ElementKind::tri6));
  EXPECT_EQ(cut.edges.size(), 32u);
  EXPECT_EQ(std::count(cut.edges.begin(), cut.edges.end(), 0u), 8);
}

TEST(FileSeries, AReplacedRunLeavesNothingBehind) {
  const fs::path out = scratch() / "run";
  const std::string verlet = "kind = 'stormer_verlet', step = 0.05";
  run_text(
      lattice_text(verlet, "1", "output = [{ kind = \"vtu\", name = \"a\" }, { kind = \"frames\", name = \"b\" }]\n"),
      out);
  EXPECT_TRUE(fs::exists(out / "a/lattice_000000.vtu"));
  EXPECT_TRUE(fs::exists(out / "b.h5"));
  write_file(out / "a/notes.txt", "mine");
  run_text(lattice_text(verlet, "1"), out);
  EXPECT_FALSE(fs::exists(out / "a.pvd"));
  EXPECT_FALSE(fs::exists(out / "b.h5"));
  EXPECT_EQ(files_in(out / "a"), 1) << "what is not ours stays";
}

TEST(FileSeries, CannotTakeTheFolderOfCheckpoints) {
  const std::string text = lattice_text("kind = 'stormer_verlet', step = 0.05", "1",
                                        "output = [{ kind = \"vtu\", name = \"checkpoints\" }]\n");
  EXPECT_THROW(run_text(text, scratch() / "run"), SceneError);
}

}  // namespace
}  // namespace livens
