// The gallery: films of runs, animated pictures, the page, and what is refused.
#include "gallery/gallery.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <livens/run.hpp>
#include <livens/scene.hpp>

#include "files/files.hpp"
#include "gallery/gallery_page.hpp"
#include "report/image.hpp"
#include "run/film.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

fs::path fresh(const std::string& name) {
  const fs::path path = testing::scratch() / name;
  fs::create_directories(path);
  return path;
}

const char* bar =
    "title = 'A <bar> & more'\ntime = { end = 0.2 }\nintegrator = { kind = 'hamilton_pontryagin', step = 0.02 }\n"
    "material = [{ name = 'rubber', kind = 'neo_hookean', young = 1e5, poisson = 0.3, density = 1000 }]\n"
    "body = [{ name = 'bar', kind = 'solid', material = 'rubber', mesh = { kind = 'box', size = [1, 0.2, 0.2], cells = "
    "[4, 1, 1] } }]\n"
    "constraint = [{ name = 'wall', kind = 'fixed', selection = 'bar.x_min' }]\n"
    "force = [{ name = 'weight', kind = 'gravity', acceleration = [0, 0, -9.81] }]\n";

std::size_t drawn(const Image& image) {
  std::size_t count = 0;
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) count += image.rgba[i] > 0 ? 1 : 0;
  return count;
}

TEST(Film, ShowsSomethingThatMoves) {
  const fs::path directory = fresh("film");
  RunOptions options;
  options.out = (directory / "run").string();
  ASSERT_EQ(run(parse_scene(bar), options).exit_code, 0);
  FilmOptions wanted;
  wanted.width = 120;
  wanted.frames = 5;
  const std::vector<Image> images = film(directory / "run", wanted);
  ASSERT_EQ(images.size(), 5u);
  for (const Image& image : images) {
    EXPECT_EQ(image.width, 120);
    EXPECT_GT(drawn(image), image.rgba.size() / 4 / 50);
  }
  EXPECT_NE(images.front().rgba, images.back().rgba);
  wanted.exaggerate = 0;  // nothing moves then but the colours
  const std::vector<Image> still = film(directory / "run", wanted);
  EXPECT_EQ(drawn(still.front()), drawn(still.back()));
}

// A column along y: upright under gravity along -y, so that its picture is high; lying under gravity along -z.
TEST(Film, HasGravityPointDown) {
  const auto shape_under = [](const std::string& acceleration) {
    const fs::path directory = fresh("upright");
    RunOptions options;
    options.out = (directory / "run").string();
    const std::string column =
        "time = { end = 0.02 }\nintegrator = { kind = 'hamilton_pontryagin', step = 0.01 }\n"
        "material = [{ name = 'rubber', kind = 'neo_hookean', young = 1e5, poisson = 0.3, density = 1000 }]\n"
        "body = [{ name = 'column', kind = 'solid', material = 'rubber', mesh = { kind = 'box', size = [0.2, 1, 0.2], "
        "cells = [1, 4, 1] } }]\n"
        "force = [{ name = 'weight', kind = 'gravity', acceleration = [" +
        acceleration + "] }]\n";
    EXPECT_EQ(run(parse_scene(column), options).exit_code, 0);
    FilmOptions wanted;
    wanted.width = 120;
    wanted.frames = 1;
    const std::vector<Image> images = film(directory / "run", wanted);
    return images.empty() ? 0.0 : static_cast<double>(images.front().height) / images.front().width;
  };
  const double upright = shape_under("0, -9.81, 0"), lying = shape_under("0, 0, -9.81");
  EXPECT_GT(upright, 0.9);
  EXPECT_LT(lying, 0.7);
  EXPECT_GT(lying, 0);
}

TEST(Film, DrawsPointsAndLines) {
  const fs::path directory = fresh("points");
  RunOptions options;
  options.out = (directory / "run").string();
  const char* chain =
      "time = { end = 0.5 }\nintegrator = { kind = 'rattle', step = 0.01 }\n"
      "body = [{ name = 'bob', kind = 'particles', mass = 1, layout = { kind = 'points', points = [[1, 0, 0]] } }]\n"
      "constraint = [{ name = 'rod', kind = 'distance', bodies = ['ground', 'bob'], ends = [[0, 0, 0], [1, 0, 0]] }]\n"
      "force = [{ name = 'weight', kind = 'gravity', acceleration = [0, 0, -9.81] }]\n";
  try {
    run(parse_scene(chain), options);
  } catch (const SceneError& error) {
    FAIL() << error.what();
  }
  FilmOptions wanted;
  wanted.width = 100;
  wanted.frames = 3;
  const std::vector<Image> images = film(directory / "run", wanted);
  ASSERT_EQ(images.size(), 3u);
  EXPECT_GT(drawn(images[1]), 50u);
}

// Lengths, types and the order of the pieces; programs without animation see the first image.
TEST(AnimatedPng, HasItsPiecesInOrder) {
  Image image;
  image.width = 3;
  image.height = 2;
  image.rgba.assign(24, 200);
  Image other = image;
  other.rgba[0] = 0;
  const std::string bytes = apng_bytes({image, other, image}, 0.1);
  std::vector<std::string> types;
  for (std::size_t place = 8; place + 12 <= bytes.size();) {
    std::size_t length = 0;
    for (std::size_t k = 0; k < 4; ++k) length = length << 8 | static_cast<unsigned char>(bytes[place + k]);
    types.push_back(bytes.substr(place + 4, 4));
    place += length + 12;
  }
  const std::vector<std::string> expected = {"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"};
  EXPECT_EQ(types, expected);
  EXPECT_EQ(apng_bytes({image}, 0.1), png_bytes(image));
}

TEST(Gallery, MakesAPageOfRunsAndTellsWhatFailed) {
  const fs::path directory = fresh("page");
  write_file(directory / "bar.toml", bar);
  write_file(directory / "list.toml",
             "title = 'All'\nintro = 'a < b'\n"
             "[[entry]]\nfile = 'bar.toml'\ngroup = 'Solids'\nshows = 'It bends.'\nset = ['time.end=0.1']\nframes = 3\n"
             "[[entry]]\nfile = 'missing.toml'\ngroup = 'Solids'\nshows = 'Nothing.'\n");
  GalleryOptions options;
  options.out = (directory / "gallery").string();
  const GalleryResult result = make_gallery((directory / "list.toml").string(), options);
  EXPECT_EQ(result.exit_code, 2);
  ASSERT_EQ(result.lines.size(), 2u);
  EXPECT_NE(result.lines[0].find("missing.toml"), std::string::npos);
  const std::string page = file_content(directory / "gallery/index.html");
  EXPECT_NE(page.find("A &lt;bar&gt; &amp; more"), std::string::npos);
  EXPECT_NE(page.find("livens run bar.toml --set time.end=0.1"), std::string::npos);
  EXPECT_NE(page.find("<img src=\"bar.png\""), std::string::npos);
  EXPECT_TRUE(fs::exists(directory / "gallery/bar.png"));
  EXPECT_TRUE(fs::exists(directory / "gallery/runs/bar/report.html"));
  // Again into its own directory, but never over something else.
  options.only = {"bar"};
  EXPECT_EQ(make_gallery((directory / "list.toml").string(), options).exit_code, 0);
  options.out = directory.string();
  EXPECT_THROW(make_gallery((directory / "list.toml").string(), options), RunError);
  options.only = {"no such"};
  EXPECT_THROW(make_gallery((directory / "list.toml").string(), options), RunError);
}

TEST(Gallery, RefusesKeysThatItDoesNotKnow) {
  const fs::path directory = fresh("keys");
  write_file(directory / "list.toml", "[[entry]]\nfile = 'a.toml'\nshow = 'typo'\n");
  try {
    make_gallery((directory / "list.toml").string(), {});
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_NE(std::string(error.what()).find(":3:1: entry.show: is not a key of a gallery"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace livens
