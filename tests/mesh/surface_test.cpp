// Surface files, legal, malformed, cut short and forged; and what closing a surface mends or refuses.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "mesh/files/surface_file.hpp"
#include "mesh/fill/surface_geometry.hpp"
#include "mesh/fill/surface_topology.hpp"
#include "mesh/surface_shapes.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;
using namespace geometry;

class Surfaces : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    scratch_ = fs::temp_directory_path() / ("livens_surface_" + std::to_string(::getpid()));
    fs::create_directories(scratch_);
    fs::current_path(scratch_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(scratch_);
  }

  static void write(const std::string& name, const std::string& bytes) {
    std::ofstream(name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  Surface read(const std::string& name, const std::string& bytes) {
    notes_ = {};
    return read_surface_bytes({name, bytes}, notes_);
  }
  std::string error_of(const std::string& name, const std::string& bytes) {
    try {
      read(name, bytes);
    } catch (const MeshError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string closing_error(Surface surface, const MeshRepair& repair = {}) {
    notes_ = {};
    try {
      close_surface(surface, "part.obj", repair, notes_);
    } catch (const MeshError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path before_, scratch_;
  MeshNotes notes_;
};

double volume(const Surface& surface) { return volume_of(surface, {}); }

void append(std::string& bytes, std::uint64_t bits, std::size_t size, bool big) {
  for (std::size_t k = 0; k < size; ++k) bytes.push_back(static_cast<char>(bits >> (8 * (big ? size - 1 - k : k))));
}

std::string obj_of(const Surface& s) {
  std::ostringstream out;
  for (int v = 0; v < vertices(s); ++v)
    out << "v " << vertex(s, v).x << ' ' << vertex(s, v).y << ' ' << vertex(s, v).z << '\n';
  for (int t = 0; t < triangles(s); ++t)
    out << "f " << triangle(s, t)[0] + 1 << ' ' << triangle(s, t)[1] + 1 << ' ' << triangle(s, t)[2] + 1 << '\n';
  return out.str();
}

std::string stl_text_of(const Surface& s) {
  std::ostringstream out;
  out << "solid part\n";
  for (int t = 0; t < triangles(s); ++t) {
    out << "facet normal 0 0 nan\nouter loop\n";
    for (int c = 0; c < 3; ++c)
      out << "vertex " << corner(s, t, c).x << ' ' << corner(s, t, c).y << ' ' << corner(s, t, c).z << '\n';
    out << "endloop\nendfacet\n";
  }
  out << "endsolid part\n";
  return out.str();
}

std::string stl_binary_of(const Surface& s) {
  std::string bytes = "solid, but binary";
  bytes.resize(80, ' ');
  append(bytes, static_cast<std::uint64_t>(triangles(s)), 4, false);
  for (int t = 0; t < triangles(s); ++t) {
    bytes.append(12, '\0');
    for (int c = 0; c < 3; ++c)
      for (const double x : {corner(s, t, c).x, corner(s, t, c).y, corner(s, t, c).z})
        append(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(x)), 4, false);
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string ply_of(const Surface& s, const std::string& format) {
  const bool text = format == "ascii", big = format == "binary_big_endian";
  std::ostringstream header;
  header << "ply\nformat " << format
         << " 1.0\ncomment made for a test\nelement note 1\nproperty uchar kind\nelement vertex " << vertices(s)
         << "\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\nelement face "
         << triangles(s) << "\nproperty list uchar int vertex_indices\nend_header\n";
  std::string bytes = header.str();
  std::ostringstream body;
  if (text)
    body << "7\n";
  else
    append(bytes, 7, 1, big);
  for (int v = 0; v < vertices(s); ++v) {
    const Vec3 p = vertex(s, v);
    if (text) body << p.x << ' ' << p.y << ' ' << p.z << " 255\n";
    for (const double x : {p.x, p.y, p.z})
      if (!text) append(bytes, std::bit_cast<std::uint64_t>(x), 8, big);
    if (!text) append(bytes, 255, 1, big);
  }
  for (int t = 0; t < triangles(s); ++t) {
    const int* v = triangle(s, t);
    if (text) body << "3 " << v[0] << ' ' << v[1] << ' ' << v[2] << '\n';
    if (!text) append(bytes, 3, 1, big);
    for (int c = 0; c < 3; ++c)
      if (!text) append(bytes, static_cast<std::uint64_t>(v[c]), 4, big);
  }
  return bytes + body.str();
}

std::vector<std::pair<std::string, std::string>> files_of(const Surface& s) {
  return {{"part.obj", obj_of(s)},
          {"text.stl", stl_text_of(s)},
          {"binary.stl", stl_binary_of(s)},
          {"text.ply", ply_of(s, "ascii")},
          {"little.ply", ply_of(s, "binary_little_endian")},
          {"big.ply", ply_of(s, "binary_big_endian")}};
}

TEST_F(Surfaces, EveryFormatGivesTheSameBody) {
  const Surface box = box_surface({1, 2, 4}, {0.5, -1, 0});
  for (const auto& [name, bytes] : files_of(box)) {
    SCOPED_TRACE(name);
    write(name, bytes);
    Surface surface = read_surface(name, notes_);
    EXPECT_EQ(vertices(surface), 8);
    EXPECT_EQ(triangles(surface), 12);
    EXPECT_DOUBLE_EQ(volume(surface), 8);
    close_surface(surface, name, {}, notes_);
    EXPECT_DOUBLE_EQ(volume(surface), 8);
    EXPECT_TRUE(notes_.repairs.empty());
    EXPECT_TRUE(notes_.warnings.empty());
  }
}

TEST_F(Surfaces, ObjDialects) {
  // Negative and slashed indices, a polygon with a notch, comments, blanks, CRLF, a continued line, faces first.
  const Surface quad = read(
      "a.obj",
      "# x\r\nv 0 0 0 1.0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\n\r\ng side\r\nf -4/1/1 -3//2 \\\r\n -2/7 -1 # c\r\n");
  EXPECT_EQ(triangles(quad), 2);
  const Surface early = read("b.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
  EXPECT_EQ(triangles(early), 1);
  const Surface notch = read("c.obj", "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\nf 1 2 3 4 5\n");
  ASSERT_EQ(triangles(notch), 3);
  double area = 0;
  for (int t = 0; t < 3; ++t) {
    const Vec3 n = cross(corner(notch, t, 1) - corner(notch, t, 0), corner(notch, t, 2) - corner(notch, t, 0));
    EXPECT_GT(n.z, 0);  // a fan about the first corner would turn one over
    area += n.z / 2;
  }
  EXPECT_DOUBLE_EQ(area, 2.5);
  read("d.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ncurv 0 1\n");
  ASSERT_EQ(notes_.warnings.size(), 1u);
  EXPECT_EQ(notes_.warnings[0], "d.obj: 1 line with words that mean nothing here skipped, the first line 5: 'curv'.");
}

TEST_F(Surfaces, MistakesAreNamedWithTheirPlace) {
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string face = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  std::string forged = stl_binary_of(box_surface({1, 1, 1}, {0, 0, 0})), nan = forged;
  forged[83] = '\x7f';
  nan[84 + 12 + 3] = '\x7f';
  nan[84 + 12 + 2] = '\xc0';
  const std::vector<std::array<std::string, 3>> goldens{
      {"a.obj", v + "f 1 2 4\n", "a.obj:4: the face refers to vertex 4, but there are 3 vertices."},
      {"a.obj", v + "f 1 2 -4\n",
       "a.obj:4: the face refers to vertex -4, that is 4 before the last, but there are 3 vertices so far."},
      {"a.obj", v + "f 0 1 2\n", "a.obj:4: vertex 0: vertices count from 1."},
      {"a.obj", v + "f 1 2\n", "a.obj:4: a face needs at least 3 vertices, here are 2."},
      {"a.obj", v + "f 1 2 x\n", "a.obj:4: expected a vertex of the face such as 3, 3/1 or 3//2, found 'x'."},
      {"a.obj", v + "f 1 2 99999999999999999999\n",
       "a.obj:4: expected a vertex of the face such as 3, 3/1 or 3//2, found '99999999999999999999'."},
      {"a.obj", v + "f 1 2 9223372036854775807\n",
       "a.obj:4: the face refers to vertex 9223372036854775807, but there are 3 vertices."},
      {"a.obj", "v 0 nan 0\n", "a.obj:1: 'nan' is not a coordinate: must be finite and below 1e30."},
      {"a.obj", "v 0 1e999 0\n", "a.obj:1: '1e999' is not a coordinate: must be finite and below 1e30."},
      {"a.obj", "v 0 0\n", "a.obj:1: a vertex needs 3 coordinates, here are 2."},
      {"a.obj", "v 0 0 1,5\n", "a.obj:1: expected a number, found '1,5'."},
      {"a.obj", v, "a.obj: has no triangles."},
      {"a.obj", "", "a.obj: is empty."},
      {"a.txt", "Dear reader,\n",
       "a.txt: is not a surface: neither OBJ nor STL nor PLY. It begins with 'Dear reader,?'."},
      {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n",
       "a.stl:5: the file ends where 'vertex' should follow."},
      {"a.stl", "solid x\nfacet normal 0 0\nouter loop\n", "a.stl:3: a normal needs 3 numbers, found 'outer'."},
      {"a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n",
       "a.stl:4: 'inf' is not a coordinate: must be finite and below 1e30."},
      {"a.stl", forged,
       "a.stl: byte 80: 2130706444 triangles need 106535322284 bytes, the file has 684: cut short, or a wrong count."},
      {"a.stl", nan, "a.stl: byte 96: triangle 1: a coordinate is nan: must be finite and below 1e30."},
      {"a.ply", ply + face + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
       "a.ply:13: face 1 refers to vertex 3, but there are 3, counted from 0."},
      {"a.ply", ply + face + "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n",
       "a.ply:13: face 1 refers to vertex -1, but there are 3, counted from 0."},
      {"a.ply", ply + face + "0 0 0\n1 0 0\n0 1 0\n200 0 1 2\n",
       "a.ply:13: face 1: a list of 200 values is longer than the rest of the file."},
      {"a.ply", ply + face + "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n",
       "a.ply:11: vertex 2: y is nan: must be finite and below 1e30."},
      {"a.ply",
       "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\n" +
           face,
       "a.ply:3: 4000000000 rows of 'vertex' need at least 23999999999 bytes, but 0 are left: cut short, or a wrong "
       "count."},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex -4\n",
       "a.ply:3: expected 'element NAME COUNT', found the count '-4'."},
      {"a.ply", "ply\nformat binary 1.0\n",
       "a.ply:2: expected ascii, binary_little_endian or binary_big_endian, found 'binary'."},
      {"a.ply", "ply\nformat ascii 1.0\nelement face 1\n",
       "a.ply:4: the file ends in its header, before 'end_header'."},
  };
  for (const auto& [name, bytes, message] : goldens) EXPECT_EQ(error_of(name, bytes), message);
  EXPECT_THROW(read_surface("nowhere.obj", notes_), MeshError);
  EXPECT_THROW(read_surface(".", notes_), MeshError);
}

TEST_F(Surfaces, FilesCutShort) {
  const Surface box = box_surface({1, 1, 1}, {0, 0, 0});
  for (const auto& [name, bytes] : files_of(box)) {
    SCOPED_TRACE(name);
    int refused = 0;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::string error = error_of(name, bytes.substr(0, size));
      refused += error != "no error";
      // Every cut of a binary file shows; of a text, those before the last line.
      if (name == "binary.stl" || name == "little.ply" || name == "big.ply") {
        EXPECT_NE(error, "no error") << size;
      }
    }
    EXPECT_GT(refused, static_cast<int>(bytes.size() / 3));
  }
}

TEST_F(Surfaces, DamagedFilesNeverCrash) {
  const Surface box = box_surface({1, 1, 1}, {0, 0, 0});
  const auto files = files_of(box);
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  constexpr const char* words[] = {"-1", "0", "4294967295", "9999999999999999999", "nan", "1e308", "list",
                                   "\n", "e", "f"};
  int read_well = 0, closed = 0, filled = 0;
  for (int round = 0; round < 4000; ++round) {
    auto [name, bytes] = files[below(files.size())];
    for (std::size_t change = 0, n = 1 + below(4); change < n && !bytes.empty(); ++change) {
      const std::size_t where = below(bytes.size());
      switch (below(5)) {
        case 0: bytes[where] = static_cast<char>(below(256)); break;
        case 1: bytes[where] = static_cast<char>(bytes[where] ^ (1 << below(8))); break;
        case 2: bytes.erase(where, 1 + below(8)); break;
        case 3: bytes.insert(where, words[below(std::size(words))]); break;
        default: bytes.insert(where, bytes.substr(below(bytes.size()), 1 + below(60)));
      }
    }
    try {
      Surface surface = read(name, bytes);
      ++read_well;
      MeshRepair repair;
      repair.close_holes = round % 3 != 0;
      repair.weld = round % 2 != 0;
      close_surface(surface, name, repair, notes_);
      ++closed;
      EXPECT_EQ(open_edges(surface), 0);
      if (round % 4 == 0) fill_surface(surface, norm(box_of(surface).size()) / 8, notes_);
      ++filled;
    } catch (const MeshError&) {}
  }
  EXPECT_GT(read_well, 300);
  EXPECT_GT(closed, 200);
  EXPECT_GT(filled, 100);
}

TEST_F(Surfaces, SmallFlawsAreMended) {
  Surface box = box_surface({1, 1, 1}, {0, 0, 0});
  std::swap(box.triangles[0], box.triangles[1]);                                                        // turned
  box.triangles.insert(box.triangles.end(), {box.triangles[6], box.triangles[7], box.triangles[8]});    // doubled
  box.triangles.insert(box.triangles.end(), {box.triangles[10], box.triangles[9], box.triangles[11]});  // and turned
  box.triangles.insert(box.triangles.end(), {3, 3, 5});
  close_surface(box, "part.obj", {}, notes_);
  EXPECT_EQ(triangles(box), 12);
  EXPECT_DOUBLE_EQ(volume(box), 1);
  EXPECT_EQ(notes_.repairs,
            (std::vector<std::string>{"part.obj: dropped 1 triangle without area.",
                                      "part.obj: dropped 2 triangles that appeared twice.",
                                      "part.obj: flipped 1 triangle to the orientation of the others."}));

  Surface inward = box_surface({1, 1, 1}, {0, 0, 0});
  for (std::size_t t = 0; t < inward.triangles.size(); t += 3) std::swap(inward.triangles[t], inward.triangles[t + 1]);
  notes_ = {};
  close_surface(inward, "part.obj", {}, notes_);
  EXPECT_DOUBLE_EQ(volume(inward), 1);
  EXPECT_EQ(notes_.repairs, std::vector<std::string>{"part.obj: turned inside out: its triangles faced inwards."});
}

Surface joined(Surface a, const Surface& b, bool turn) {
  const int shift = vertices(a);
  a.X.insert(a.X.end(), b.X.begin(), b.X.end());
  for (std::size_t t = 0; t < b.triangles.size(); t += 3)
    for (const int c : {0, turn ? 2 : 1, turn ? 1 : 2}) a.triangles.push_back(b.triangles[t + at(c)] + shift);
  return a;
}

TEST_F(Surfaces, CavitiesStayAndWallsGo) {
  const Surface outer = box_surface({4, 4, 4}, {0, 0, 0}), inner = box_surface({1, 1, 1}, {1, 1, 1});
  Surface hollow = joined(outer, inner, true);
  close_surface(hollow, "part.obj", {}, notes_);
  EXPECT_DOUBLE_EQ(volume(hollow), 63);
  for (std::size_t t = 0; t < hollow.triangles.size(); t += 3) std::swap(hollow.triangles[t], hollow.triangles[t + 1]);
  close_surface(hollow, "part.obj", {}, notes_);
  EXPECT_DOUBLE_EQ(volume(hollow), 63);

  // Two boxes with a side in common, as one set of points: the wall between them goes.
  Surface two = joined(box_surface({1, 1, 1}, {0, 0, 0}), box_surface({1, 1, 1}, {1, 0, 0}), false);
  merge_points(two, 0);
  close_surface(two, "part.obj", {}, notes_);
  EXPECT_DOUBLE_EQ(volume(two), 2);
  EXPECT_EQ(triangles(two), 20);
  // Two that touch along an edge: four triangles there, and a body all the same.
  Surface edge = joined(box_surface({1, 1, 1}, {0, 0, 0}), box_surface({1, 1, 1}, {1, 1, 0}), false);
  merge_points(edge, 0);
  EXPECT_EQ(closing_error(edge), "no error");
}

TEST_F(Surfaces, HolesAreRefusedOrClosed) {
  Surface box = box_surface({1, 1, 1}, {0, 0, 0});
  box.triangles.erase(box.triangles.begin(), box.triangles.begin() + 6);  // the side z = 0
  box.triangles.erase(box.triangles.begin(), box.triangles.begin() + 3);  // and a triangle of z = 1
  EXPECT_EQ(closing_error(box),
            "part.obj: not closed: 2 holes of 4 and 3 edges, the largest near (0.5, 0.5, 0) m: see part.faults.obj. "
            "Close them, or mesh.repair = [\"close_holes\"].");
  std::ifstream faults("part.faults.obj");
  const std::string text((std::istreambuf_iterator<char>(faults)), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), 'v'), 7);
  EXPECT_NE(text.find("\nl 1 2 3 4 1\nl 5 6 7 5\n"), std::string::npos) << text;

  MeshRepair repair;
  repair.close_holes = true;
  notes_ = {};
  close_surface(box, "part.obj", repair, notes_);
  EXPECT_DOUBLE_EQ(volume(box), 1);
  EXPECT_EQ(notes_.repairs, std::vector<std::string>{"part.obj: closed 2 holes of 4 and 3 edges."});
}

TEST_F(Surfaces, NearlyEqualPointsAreWeldedOnlyIfAsked) {
  const Surface sphere = sphere_surface(1, {0, 0, 0}, 2);
  Surface loose;
  for (int t = 0; t < triangles(sphere); ++t)
    for (int c = 0; c < 3; ++c) {
      const Vec3 p = corner(sphere, t, c);
      loose.triangles.push_back(vertices(loose));
      loose.X.insert(loose.X.end(), {p.x + 1e-8 * (t % 7), p.y, p.z});
    }
  EXPECT_NE(closing_error(loose).find("Points there nearly coincide: mesh.repair = [\"weld\"] closes them."),
            std::string::npos);
  MeshRepair repair;
  repair.weld = true;
  close_surface(loose, "part.obj", repair, notes_);
  EXPECT_EQ(vertices(loose), vertices(sphere));
  EXPECT_NEAR(volume(loose), volume(sphere), 1e-6);
}

TEST_F(Surfaces, WhatIsNoBodyIsRefused) {
  // A box with an inner wall
  Surface wall = box_surface({1, 1, 1}, {0, 0, 0});
  wall.triangles.insert(wall.triangles.end(), {0, 1, 7, 0, 7, 6});
  EXPECT_NE(closing_error(wall).find("3 triangles meet at the edge near"), std::string::npos);
  // A Moebius strip
  Surface strip;
  constexpr int n = 12;
  for (int i = 0; i < n; ++i)
    for (int s = -1; s <= 1; s += 2) {
      const double u = 2 * M_PI * i / n, r = 1 + 0.3 * s * std::cos(u / 2);
      strip.X.insert(strip.X.end(), {r * std::cos(u), r * std::sin(u), 0.3 * s * std::sin(u / 2)});
    }
  for (int i = 0; i < n; ++i) {
    const int a = 2 * i, b = 2 * i + 1, c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? b + 2 : 0;
    strip.triangles.insert(strip.triangles.end(), {a, b, c, b, d, c});
  }
  EXPECT_NE(closing_error(strip).find("has no inside"), std::string::npos);
  EXPECT_EQ(closing_error({{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 1, 2, 0, 2, 1}}).find("part.obj: no"), 0u);
  EXPECT_EQ(closing_error({}), "part.obj: no triangles.");
}

// Rhino ends the lines of PLY files in a carriage return alone, ZBrush an OBJ in a NUL.
TEST_F(Surfaces, LinesAndFilesMayEndAsOldProgramsEndThem) {
  const Surface box = box_surface({1, 2, 3}, {0, 0, 0});
  const auto with_returns = [](std::string text) {
    std::replace(text.begin(), text.end(), '\n', '\r');
    return text;
  };
  std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 12\nproperty list uchar int vertex_indices\nend_header\n";
  for (int v = 0; v < 8; ++v)
    ply += std::to_string(vertex(box, v).x) + " " + std::to_string(vertex(box, v).y) + " " +
           std::to_string(vertex(box, v).z) + "\n";
  for (int t = 0; t < 12; ++t)
    ply += "3 " + std::to_string(box.triangles[at(3 * t)]) + " " + std::to_string(box.triangles[at(3 * t + 1)]) + " " +
           std::to_string(box.triangles[at(3 * t + 2)]) + "\n";
  for (const std::string& bytes : {ply, with_returns(ply), with_returns(ply) + '\0'})
    EXPECT_DOUBLE_EQ(volume(read("part.ply", bytes)), 6);
  for (const std::string& bytes : {obj_of(box), with_returns(obj_of(box)), obj_of(box) + '\0'})
    EXPECT_DOUBLE_EQ(volume(read("part.obj", bytes)), 6);
}

TEST_F(Surfaces, WhatIsNoSurfaceIsRefusedByItsFirstBytes) {
  const auto refusal = [](const std::string& name) {
    MeshNotes notes;
    try {
      read_surface(name, notes);
    } catch (const MeshError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  write("part.obj", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
  EXPECT_EQ(refusal("part.obj"),
            "cannot read 'part.obj': it is a pointer of Git LFS, not the file itself. Fetch that with: git lfs pull");
  write("huge.obj", "PK");
  fs::resize_file("huge.obj", std::uintmax_t{1} << 43);
  EXPECT_EQ(refusal("huge.obj"), "huge.obj: is not a surface: neither OBJ nor STL nor PLY. It begins with 'PK" +
                                     std::string(14, '?') + "'.");
}

}  // namespace
}  // namespace livens
