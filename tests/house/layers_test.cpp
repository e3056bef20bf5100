// Includes point one way: the table below is the plan of the house, and docs/architecture.md names its rooms.
#include <map>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "house/sources.hpp"

namespace livens::house {
namespace {

using Rooms = std::vector<std::string>;

struct Room {
  const char* name;
  Rooms uses;  // besides itself and the public headers
};

const Rooms meshes = {"mesh/core", "mesh/generate", "mesh/fill", "mesh/files"};
// What the parts of a model may use.
const Rooms below_model = {"math",       "records",  "mesh/core", "mesh/generate", "mesh/fill",
                           "mesh/files", "elements", "materials", "model"};

Rooms operator+(Rooms rooms, const Rooms& more) {
  rooms.insert(rooms.end(), more.begin(), more.end());
  return rooms;
}

// From the ground up. "*": every room above it in this list.
const std::vector<Room> plan = {
    {"math", {}},
    {"solve", {"math"}},
    {"records", {"math"}},
    {"mesh/core", {"math"}},
    {"mesh/generate", {"math", "mesh/core"}},
    {"mesh/fill", {"math", "mesh/core"}},
    {"mesh/files", {"math", "mesh/core", "mesh/fill"}},
    {"contact", {"math"}},
    {"elements", {"math", "mesh/core"}},
    {"materials", {"math", "records", "elements"}},
    {"model", {"math", "solve", "records", "mesh/core"}},
    {"constraints", below_model},
    {"bodies", below_model + Rooms{"constraints"}},
    {"forces", below_model + Rooms{"contact", "constraints", "bodies"}},
    {"systems", below_model + Rooms{"solve", "constraints", "bodies", "forces"}},
    {"diagnostics", {"*"}},
    {"asynchronous", {"math", "contact", "model"}},
    {"integrators", {"math", "solve", "records", "contact", "model", "asynchronous"}},
    {"action", {"math", "solve", "model", "integrators"}},
    {"files", {"*"}},
    {"scene", {"*"}},
    {"draw", {"*"}},
    {"report", {"*"}},
    {"run", {"*"}},
    // Neighbours that do not know each other.
    {"study", {"*run"}},
    {"laws", {"*run"}},
    {"adapt", {"*run"}},
    {"modes", {"*run"}},
    {"path", {"*run"}},
    {"view", {"*run"}},
    {"export", {"*run", "view"}},  // a page that is sent around is the viewer's
    {"gallery", {"*"}},
    {"app", {"*"}},
};

std::set<std::string> allowed(const Room& room) {
  std::set<std::string> rooms = {room.name};
  for (const std::string& name : room.uses)
    if (name.front() != '*')
      rooms.insert(name);
    else
      for (const Room& below : plan) {
        if (below.name == std::string(room.name)) break;
        rooms.insert(below.name);
        if (name == "*" + std::string(below.name)) break;
      }
  return rooms;
}

const Room* room_named(const std::string& name) {
  for (const Room& room : plan)
    if (room.name == name) return &room;
  return nullptr;
}

// The room of "src/mesh/core/mesh.hpp", "app/main.cpp", or of what is included as "mesh/core/mesh.hpp"; "" if there is
// none.
std::string room_of(std::string path) {
  if (path.starts_with("src/")) path.erase(0, 4);
  const std::size_t end = path.find('/', path.starts_with("mesh/") ? 5 : 0);
  return end == std::string::npos ? "" : path.substr(0, end);
}

struct Include {
  std::string file, what;
  int line = 0;
  bool own = false;  // "what", not <what>
};

std::vector<Include> includes_of(const std::string& file) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*([<"])([^">]+)[">].*)re");
  std::vector<Include> found;
  int number = 0;
  for (const std::string& line : lines_of(content(file))) {
    ++number;
    if (std::smatch parts; std::regex_match(line, parts, pattern))
      found.push_back({file, parts[2], number, parts[1] == "\""});
  }
  return found;
}

// Headers that the build makes stand in no room.
bool generated(const std::string& header) { return header.find('/') == std::string::npos; }

// "forces -> scene" with the lines that draw the arrow, of arrows that are not in the plan.
std::map<std::string, std::vector<std::string>> wrong_arrows(const std::vector<Include>& includes) {
  std::map<std::string, std::vector<std::string>> arrows;
  for (const Include& include : includes) {
    if (!include.own || generated(include.what)) continue;
    const std::string from = room_of(include.file), to = room_of(include.what);
    const Room* room = room_named(from);
    if (room == nullptr || allowed(*room).count(to) == 0)
      arrows[from + " -> " + to].push_back(include.file + ":" + std::to_string(include.line));
  }
  return arrows;
}

TEST(Layers, IncludesPointDownwards) {
  std::vector<Include> all;
  for (const std::string& file : sources({"src", "app"}))
    for (const Include& include : includes_of(file)) all.push_back(include);
  EXPECT_GT(all.size(), 2000u) << "the tree was looked at";
  for (const auto& [arrow, lines] : wrong_arrows(all)) ADD_FAILURE() << arrow << ::testing::PrintToString(lines);
}

TEST(Layers, WrongArrowsAreFound) {
  const auto arrow_of = [](const char* file, const char* header) {
    const auto arrows = wrong_arrows({{file, header, 1, true}});
    return arrows.empty() ? "" : arrows.begin()->first;
  };
  EXPECT_EQ(arrow_of("src/math/a.cpp", "scene/b.hpp"), "math -> scene");
  EXPECT_EQ(arrow_of("src/mesh/core/a.hpp", "mesh/files/b.hpp"), "mesh/core -> mesh/files");
  EXPECT_EQ(arrow_of("src/view/a.cpp", "export/b.hpp"), "view -> export");
  EXPECT_EQ(arrow_of("src/attic/a.cpp", "math/b.hpp"), "attic -> math");
  EXPECT_EQ(arrow_of("src/view/a.cpp", "run/b.hpp"), "");
  EXPECT_EQ(arrow_of("app/a.cpp", "view/b.hpp"), "");
}

// What users include needs nothing of src.
TEST(Layers, PublicHeadersStandAlone) {
  for (const std::string& file : sources({"include"}))
    for (const Include& include : includes_of(file))
      EXPECT_FALSE(include.own) << file << ":" << include.line << ": " << include.what;
}

std::set<std::string> folders_of_tree() {
  std::set<std::string> folders;
  for (const std::string& file : sources({"src", "app"})) folders.insert(room_of(file));
  return folders;
}

TEST(Layers, ThePlanHasEveryFolder) {
  std::set<std::string> rooms;
  for (const Room& room : plan) {
    EXPECT_TRUE(rooms.insert(room.name).second) << room.name;
    for (const std::string& name : allowed(room)) EXPECT_NE(room_named(name), nullptr) << name;
  }
  EXPECT_EQ(folders_of_tree(), rooms);
}

TEST(Layers, TheDocsNameEveryFolder) {
  static const std::regex pattern("`(src/)?([a-z_]+(/[a-z_]+)?)/`");
  const std::string text = content("docs/architecture.md");
  std::set<std::string> named;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    if ((*at)[1].matched || (*at)[2] == "app") named.insert((*at)[2]);
  EXPECT_EQ(named, folders_of_tree());
}

}  // namespace
}  // namespace livens::house
