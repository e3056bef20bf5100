// What a run removes from a directory that it replaces: files that runs write, in it, and nothing through links.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

constexpr const char* verlet = "kind = 'stormer_verlet', step = 0.05";

void put(const fs::path& path, const std::string& content = "precious") {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

// A summary that names these as files of the run.
void forge_summary(const fs::path& run, const std::vector<std::string>& names, bool compact = false) {
  nlohmann::ordered_json summary = {{"schema", "livens.summary/1"}, {"files", names}};
  put(run / "summary.json", compact ? summary.dump() : summary.dump(2));
}

std::string refusal(const fs::path& out) {
  try {
    run_text(pendulum_text(verlet, "0.1"), out);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST(RunDirectory, NothingOutsideIsRemoved) {
  const fs::path folder = scratch(), out = folder / "run", home = folder / "home";
  const std::vector<fs::path> precious = {
      home / "data.h5",    home / "series.pvd",         home / "meshes/bar_000001.vtu", home / "meshes/notes.txt",
      folder / "above.h5", home / "checkpoints/step-1", out / "deep/below.h5",          out / "deep/a_0001.vtu",
      out / "mine.h5",     out / "meshes/part.vtu",     out / "meshes/x_1.txt",         out / "vtu/readme_1"};
  for (const fs::path& path : precious) put(path);
  for (const bool compact : {false, true}) {
    put(out / "frames.h5");
    put(out / "vtu.pvd");
    put(out / "vtu/bar_000012.vtu");
    put(out / "meshes/bar_000012.obj");
    put(out / "checkpoints/step-000000000012");
    put(out / "checkpoints/step-mine");
    forge_summary(
        out,
        {(home / "data.h5").string(), (home / "meshes/").string(), (home / "series.pvd").string(), "../above.h5",
         "../home/", "deep/below.h5", "deep/x/", "./", ".", "..", "/", "", "vtu.pvd", "vtu/", "meshes/", "frames.h5"},
        compact);
    EXPECT_EQ(refusal(out), "");
    for (const fs::path& path : precious) EXPECT_EQ(file_content(path), "precious") << path;
    EXPECT_EQ(file_content(out / "checkpoints/step-mine"), "precious");
    for (const char* gone : {"frames.h5", "vtu.pvd", "vtu/bar_000012.vtu", "meshes/bar_000012.obj"})
      EXPECT_FALSE(fs::exists(out / gone)) << gone;  // guard: what runs write is removed
    EXPECT_FALSE(fs::exists(out / "checkpoints/step-000000000012"));
  }
}

TEST(RunDirectory, LinksAreNeitherFollowedNorReplaced) {
  const fs::path folder = scratch(), home = folder / "home";
  int number = 0;
  for (const char* name : {"history.csv", "summary.json", "state.json", "checkpoints", "frames.h5", "vtu"}) {
    const fs::path out = folder / ("run" + std::to_string(++number));
    run_text(lattice_text(verlet, "0.2", "output = [{ kind = 'frames' }, { kind = 'vtu' }]\n"), out);
    const bool is_folder = fs::is_directory(out / name);
    fs::remove_all(home);
    if (is_folder) {
      put(home / "kept/step-000000000001");
      put(home / "kept/lattice_000001.vtu");
    } else {
      put(home / "kept", name == std::string("summary.json") ? file_content(out / name) : "precious");
    }
    const std::string before = is_folder ? "" : file_content(home / "kept");
    fs::remove_all(out / name);
    fs::create_symlink(home / "kept", out / name);
    const std::string text = refusal(out);
    EXPECT_NE(text.find(std::string(name) + "' is a link"), std::string::npos) << name << ": " << text;
    EXPECT_TRUE(fs::is_symlink(out / name)) << name;
    if (is_folder) {
      EXPECT_EQ(file_content(home / "kept/step-000000000001"), "precious");
      EXPECT_EQ(file_content(home / "kept/lattice_000001.vtu"), "precious");
    } else {
      EXPECT_EQ(file_content(home / "kept"), before) << name;
    }
    EXPECT_THROW(run_text(lattice_text(verlet, "0.4"), out, true), RunError) << name;  // nor on --resume
  }
}

// A file of another name for the same bytes keeps them, and so does whoever has it open.
TEST(RunDirectory, ReplacedFilesAreNewOnes) {
  const fs::path folder = scratch();
  run_text(pendulum_text(verlet, "0.1"), folder / "run");
  const std::string before = file_content(folder / "run/history.csv");
  fs::create_hard_link(folder / "run/history.csv", folder / "kept.csv");
  run_text(pendulum_text(verlet, "0.3"), folder / "run");
  EXPECT_EQ(file_content(folder / "kept.csv"), before);
  EXPECT_NE(file_content(folder / "run/history.csv"), before);
}

// A kill while a run begins leaves one of these; the next run takes the directory.
TEST(RunDirectory, OfARunThatWasKilledAtOnceCanBeTaken) {
  const fs::path folder = scratch();
  put(folder / "first/summary.json.part", "{\"sch");
  EXPECT_EQ(refusal(folder / "first"), "");
  EXPECT_FALSE(fs::exists(folder / "first/summary.json.part"));

  // Whatever was written before the kill: the summary comes first.
  class Files final : public Observer {
   public:
    explicit Files(fs::path run) : run_(std::move(run)) {}
    void begin(const Sample&) override {
      EXPECT_TRUE(fs::exists(run_ / "history.csv"));
      EXPECT_FALSE(fs::exists(run_ / "scene.toml"));
      EXPECT_TRUE(is_run_directory(run_));
      throw std::runtime_error("killed");
    }

   private:
    fs::path run_;
  } kill(folder / "second");
  RunOptions options;
  options.out = (folder / "second").string();
  options.observers = {&kill};
  EXPECT_THROW(run(parse_scene(lattice_text(verlet, "1"), "scene"), options), std::runtime_error);
  EXPECT_TRUE(fs::exists(folder / "second/frames.h5"));
  EXPECT_EQ(refusal(folder / "second"), "");
  EXPECT_FALSE(fs::exists(folder / "second/frames.h5"));  // a pendulum has none
  put(folder / "third/summary.json.part");
  put(folder / "third/mine");
  EXPECT_NE(refusal(folder / "third").find("holds no run"), std::string::npos);
}

}  // namespace
}  // namespace livens
