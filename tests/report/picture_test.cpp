// Pictures: something is in them, in the right place and colour, and the background is transparent.
#include "report/picture.hpp"

#include <gtest/gtest.h>

#include "files/fake_solid.hpp"
#include "files/output.hpp"
#include "report/frame_pictures.hpp"
#include "scene/listing.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

struct Shares {
  double opaque = 0, transparent = 0, red = 0, blue = 0;
};

Shares shares_of(const Image& image) {
  Shares shares;
  const double pixels = static_cast<double>(image.rgba.size()) / 4;
  for (std::size_t k = 0; k < image.rgba.size(); k += 4) {
    const auto* p = image.rgba.data() + k;
    shares.opaque += (p[3] == 255) / pixels;
    shares.transparent += (p[3] == 0) / pixels;
    if (p[3] == 255) (p[0] > p[2] ? shares.red : shares.blue) += 1 / pixels;
  }
  return shares;
}

PictureBody body_of(const Mesh& mesh, const SurfaceTriangles& surface, float value) {
  PictureBody body{&surface, {}, {}};
  for (int a = 0; a < mesh.nodes(); ++a) {
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    for (int k = 0; k < mesh.dimension(); ++k) p[k] = mesh.X[a * mesh.dimension() + k];
    body.positions.push_back(p);
    body.value.push_back(value);
  }
  return body;
}

TEST(Picture, OfABlockIsNotBlank) {
  for (const bool flat : {false, true})
    for (const float value : {0.0f, 1.0f}) {
      const Mesh mesh = flat ? small_rectangle() : small_box();
      const SurfaceTriangles surface = surface_triangles(mesh);
      const PictureBody body = body_of(mesh, surface, value);
      const View view = make_view({0, 0, 0}, {2, 0.5, flat ? 0 : 0.5}, flat, Eigen::Vector3d::UnitZ(), 200);
      const Image image = render(view, std::span(&body, 1), {});
      ASSERT_EQ(image.rgba.size(), 4 * image.width * image.height);
      const Shares shares = shares_of(image);
      EXPECT_GT(shares.opaque, 0.2);
      EXPECT_GT(shares.transparent, 0.2);
      EXPECT_GT(value > 0 ? shares.red : shares.blue, 0.95 * shares.opaque);
      EXPECT_EQ(image.rgba[3], 0) << "the corner is background";
    }
}

TEST(Picture, NearThingsHideFarOnes) {
  const Mesh mesh = small_box();
  const SurfaceTriangles surface = surface_triangles(mesh);
  const View view = make_view({0, 0, 0}, {2, 0.5, 0.5}, false, Eigen::Vector3d::UnitZ(), 200);
  PictureBody bodies[] = {body_of(mesh, surface, 0), body_of(mesh, surface, 1)};
  for (auto& p : bodies[1].positions) p += 3 * view.camera.forward;
  const double alone = shares_of(render(view, std::span(bodies, 1), {})).blue;
  EXPECT_GT(alone, 0.2);
  EXPECT_NEAR(shares_of(render(view, bodies, {})).blue, alone, 0.01);
  for (auto& p : bodies[1].positions) p -= 5 * view.camera.forward;
  EXPECT_LT(shares_of(render(view, bodies, {})).blue, 0.5 * alone);
}

TEST(Picture, GroundIsSeenThrough) {
  const Mesh mesh = small_box();
  const SurfaceTriangles surface = surface_triangles(mesh);
  const PictureBody body = body_of(mesh, surface, 0);
  const View view = make_view({0, 0, 0}, {2, 0.5, 0.5}, false, Eigen::Vector3d::UnitZ(), 200);
  const Obstacle ground;
  const Shares without = shares_of(render(view, std::span(&body, 1), {})),
               with = shares_of(render(view, std::span(&body, 1), std::span(&ground, 1)));
  EXPECT_LT(with.transparent, 0.7 * without.transparent);
  EXPECT_NEAR(with.opaque, without.opaque, 0.02);
}

TEST(Picture, PngHasItsPieces) {
  const std::string png = png_bytes({2, 1, {255, 0, 0, 255, 0, 255, 0, 128}});
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(png[19], 2);
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  EXPECT_EQ(static_cast<unsigned char>(png.back()), 0x82);  // the checksum of IEND is ae426082
  EXPECT_EQ(base64("livens"), "bGl2ZW5z");
  EXPECT_EQ(base64("liven"), "bGl2ZW4=");
  EXPECT_EQ(base64("live"), "bGl2ZQ==");
}

TEST(Picture, ThreeFramesOfARecordingForTheReport) {
  const fs::path folder = scratch();
  const Model model = solid_model(small_box());
  const OutputRecord& record = output_records().at("frames");
  Settings settings = default_settings(record);
  settings.values["every"] = 0.1;
  const auto frames = record.make(settings, "frames", {model, folder, 1, ""});
  observe_steps(*frames, model, 0, 10);
  end_at(*frames, model, 10);
  const auto section = frame_pictures(model, folder / "frames.h5", 120);
  ASSERT_TRUE(section.has_value());
  ASSERT_EQ(section->pictures.size(), 3u);
  EXPECT_EQ(section->pictures[1].title, "t = 0.5 s");
  EXPECT_EQ(section->pictures[2].text, "frame 11 of 11, step 10");
  EXPECT_NE(section->pictures[0].png, section->pictures[2].png);
  EXPECT_EQ(section->scale->label, "von Mises stress");
  EXPECT_EQ(section->scale->high, "20 Pa");
  Report report;
  report.sections = {*section};
  const std::string html = render_html(report);
  EXPECT_NE(html.find("<img width=\"120\""), std::string::npos);
  EXPECT_NE(html.find("linear-gradient(to right, #"), std::string::npos);
}

}  // namespace
}  // namespace livens
