#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include <livens/scene.hpp>

#include "scene/set_value.hpp"
#include "scene/sha256.hpp"
#include "scene/toml.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

class SceneFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / ("livens_scene_" + std::to_string(::getpid()) + test->name());
    fs::create_directories(folder_ / "inner");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

const Node& at(const Scene& scene, const std::string& section, const std::string& key) {
  return *scene.root.find(section)->find(key);
}

std::string fault_of(const std::function<void()>& action) try {
  action();
  return "";
} catch (const SceneError& error) {
  return error.what();
}

TEST_F(SceneFiles, IncludesMerge) {
  write("inner/base.toml",
        "title = 'base'\ntime = { begin = 1, end = 2 }\n[solver]\ntolerance = 1e-8\n"
        "[integrator]\nkind = 'galerkin'\nstep = 0.1\ndegree = 3\n"
        "[[force]]\nname = 'pull'\nkind = 'gravity'\nacceleration = [1]\n"
        "[[force]]\nkind = 'drag'\ndrag_coefficient = 1\n");
  const Scene scene =
      load_scene(write("top.toml",
                       "include = 'inner/base.toml'\ntime.end = 3\n"
                       "integrator = { kind = 'rk4', step = 0.5 }\n"
                       "force = [{ name = 'pull', enabled = false }, { name = 'new', kind = 'drag' }]\n"));
  EXPECT_EQ(scene.title(), "base");
  EXPECT_EQ(scene.name(), "top");
  EXPECT_EQ(scene.root.find("include"), nullptr);
  EXPECT_EQ(at(scene, "time", "begin").number, 1);
  EXPECT_EQ(at(scene, "time", "end").number, 3);
  EXPECT_EQ(at(scene, "integrator", "kind").text, "rk4");
  EXPECT_EQ(scene.root.find("integrator")->find("degree"), nullptr) << "a table with its own kind replaces the old one";
  const auto& forces = scene.root.find("force")->items;
  ASSERT_EQ(forces.size(), 3u);
  EXPECT_FALSE(forces[0].find("enabled")->flag);
  EXPECT_NE(forces[0].find("acceleration"), nullptr) << "entries merge by name";
  EXPECT_EQ(forces[1].find("kind")->text, "drag");
  EXPECT_EQ(forces[2].find("name")->text, "new");
}

TEST_F(SceneFiles, PlacesNameTheRightFile) {
  write("inner/deep.toml", "[solver]\ntolerance = 1\n");
  write("inner/base.toml", "include = ['deep.toml']\n[time]\nend = 2\n");
  const Scene scene = load_scene(write("top.toml", "include = 'inner/base.toml'\ntitle = 'x'\n"));
  EXPECT_EQ(scene.root.place.file, (folder_ / "top.toml").string());
  EXPECT_EQ(at(scene, "time", "end").place.file, (folder_ / "inner/base.toml").string());
  EXPECT_EQ(at(scene, "solver", "tolerance").place.file, (folder_ / "inner/deep.toml").string());
}

TEST_F(SceneFiles, IncludeCyclesAndDepthAreRefused) {
  write("a.toml", "include = 'b.toml'\n");
  const std::string b = write("b.toml", "include = './inner/../a.toml'\n");
  EXPECT_NE(fault_of([&] { load_scene(b); }).find("a.toml:1:11: include: "), std::string::npos);
  for (int i = 0; i < 30; ++i)
    write("d" + std::to_string(i) + ".toml", "include = 'd" + std::to_string(i + 1) + ".toml'\n");
  EXPECT_NE(fault_of([&] { load_scene((folder_ / "d0.toml").string()); }).find("deep"), std::string::npos);
}

TEST_F(SceneFiles, ManyFilesAreRefused) {
  // Each level includes the next twice: without a bound, 2^18 files.
  for (int i = 0; i < 18; ++i) {
    const std::string next = "'d" + std::to_string(i + 1) + ".toml'";
    write("d" + std::to_string(i) + ".toml", "include = [" + next + ", " + next + "]\n");
  }
  write("d18.toml", "title = 'x'\n");
  EXPECT_NE(fault_of([&] { load_scene((folder_ / "d0.toml").string()); }).find("more than 100"), std::string::npos);
}

TEST_F(SceneFiles, FilesThatCannotBeRead) {
  const std::string missing = (folder_ / "missing.toml").string();
  EXPECT_EQ(fault_of([&] { load_scene(missing); }),
            missing + ": cannot read '" + missing + "': No such file or directory.");
  EXPECT_NE(fault_of([&] { load_scene(folder_.string()); }).find("is a directory"), std::string::npos);
}

TEST(Scene, WritesItselfExactly) {
  const Scene scene = parse_scene(
      "x = [1, 2.0, 'a\\\"b', { u = 1e-7 }]\nempty = []\n[time]\nend = 0.1\n\"odd key\" = true\n"
      "[[body]]\nname = 'b'\ninitial.velocity = [0.30000000000000004, -0.0]\n[[body]]\nname = 'c'\n[solver]\n");
  const std::string text = scene.to_toml();
  const Scene again = parse_scene(text);
  EXPECT_EQ(again.to_toml(), text);
  EXPECT_EQ(again.sha256(), scene.sha256());
  EXPECT_EQ(again.root.find("body")->items[0].find("initial")->find("velocity")->items[0].number, 0.30000000000000004);
  EXPECT_EQ(again.root.find("x")->items[0].kind, Node::Kind::integer);
  EXPECT_EQ(again.root.find("x")->items[1].kind, Node::Kind::number);
  EXPECT_NE(again.root.find("solver"), nullptr);
}

TEST(Scene, TitleAndName) {
  EXPECT_EQ(parse_scene("title = 'T'").title(), "T");
  EXPECT_EQ(parse_scene("format = 1", "dir/some.toml").title(), "some");
  EXPECT_EQ(parse_scene("format = 1").name(), "scene");
}

Scene settable() {
  return parse_scene(
      "title = 'x'\n[integrator]\nkind = 'galerkin'\nstep = 0.1\ndegree = 3\n"
      "[[force]]\nkind = 'drag'\ndrag_coefficient = 1\n"
      "[[body]]\nname = 'b'\nlayout = { kind = 'chain', count = [3] }\n");
}

TEST(Set, ReachesEveryValue) {
  Scene scene = settable();
  scene.set("integrator.step", 0.25);
  scene.set("force.drag.drag_coefficient", "2^-6");
  scene.set("force.drag.enabled", false);
  scene.set("body.b.layout.count", "[4]");
  scene.set("parameters.k", "3");
  scene.set("title", "plain words");
  EXPECT_EQ(at(scene, "integrator", "step").number, 0.25);
  const Node& drag = scene.root.find("force")->items[0];
  EXPECT_EQ(drag.find("drag_coefficient")->text, "2^-6");
  EXPECT_FALSE(drag.find("enabled")->flag);
  EXPECT_EQ(scene.root.find("body")->items[0].find("layout")->find("count")->items[0].number, 4);
  EXPECT_EQ(at(scene, "parameters", "k").kind, Node::Kind::integer);
  EXPECT_EQ(scene.title(), "plain words");
  ASSERT_EQ(scene.overrides.size(), 6u);
  EXPECT_EQ(scene.overrides[1], (std::pair<std::string, std::string>("force.drag.drag_coefficient", "2^-6")));
  EXPECT_TRUE(scene.notes.empty());
  EXPECT_EQ(parse_scene(scene.to_toml()).to_toml(), scene.to_toml());
}

TEST(Set, AChangedKindDropsForeignKeysWithANote) {
  Scene scene = settable();
  scene.set("integrator.kind", "rk4");
  EXPECT_EQ(scene.root.find("integrator")->find("degree"), nullptr);
  EXPECT_EQ(at(scene, "integrator", "step").number, 0.1);
  ASSERT_EQ(scene.notes.size(), 1u);
  EXPECT_EQ(scene.notes[0], "integrator.degree dropped: integrator 'rk4' has no such key.");
}

TEST(Set, ATableMergesAsASweepNeedsIt) {
  Scene scene = settable();
  set_value(scene, "integrator", *parse_toml_value("{ degree = 2, kind = 'galerkin' }", {}), "galerkin 2");
  EXPECT_EQ(at(scene, "integrator", "degree").number, 2);
  EXPECT_EQ(at(scene, "integrator", "step").number, 0.1);
  set_value(scene, "integrator", *parse_toml_value("{ kind = 'hamilton_pontryagin', alpha = 0.3 }", {}), "");
  EXPECT_EQ(at(scene, "integrator", "alpha").number, 0.3);
  EXPECT_EQ(scene.root.find("integrator")->find("degree"), nullptr);
}

TEST(Set, OutputsThatAreThereByDefaultCanBeSet) {
  Scene scene = settable();
  scene.set("output.history.every", 0.5);
  ASSERT_EQ(scene.root.find("output")->items.size(), 1u);
  EXPECT_EQ(scene.root.find("output")->items[0].find("kind")->text, "history");
}

TEST(Set, PathsThatLeadNowhereAreRefusedAndChangeNothing) {
  Scene scene = settable();
  const std::string before = scene.to_toml();
  const auto set = [&](const std::string& path) { return fault_of([&] { scene.set(path, 1.0); }); };
  EXPECT_EQ(set("force.darg.drag_coefficient"),
            "--set: force.darg.drag_coefficient: the scene has no force 'darg'. Did you mean 'drag'?");
  EXPECT_EQ(set("integrater.step"), "--set: integrater.step: unknown section. Did you mean 'integrator'?");
  EXPECT_EQ(set("title.x"), "--set: title.x: cannot be reached: title is the text 'x'.");
  EXPECT_NE(set("force.drag"), "");
  EXPECT_NE(set("probe.p.record"), "");
  for (const char* path : {"", ".", "integrator.", "..", ".step"}) EXPECT_NE(set(path), "") << path;
  EXPECT_EQ(scene.to_toml(), before);
  EXPECT_TRUE(scene.overrides.empty());
}

TEST(Sha256, AgreesWithThePublishedExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace livens
