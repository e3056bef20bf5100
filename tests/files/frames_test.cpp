// frames.h5: what goes in comes out, at every instant, and a run that goes on has the frames of one that never stopped.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/fake_solid.hpp"
#include "files/fields.hpp"
#include "files/frames_reader.hpp"
#include "files/memory.hpp"
#include "files/output.hpp"
#include "run/plan.hpp"
#include "scene/listing.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

constexpr const char* verlet = "kind = 'stormer_verlet', step = 0.05";
constexpr double single_precision = 1e-7;  // of displacements of about 0.1

std::unique_ptr<Output> make_frames(const Model& model, const fs::path& directory, double every,
                                    std::vector<std::string> fields = {}) {
  const OutputRecord& record = output_records().at("frames");
  Settings settings = default_settings(record);
  settings.values["every"] = every;
  settings.values["fields"] = std::move(fields);
  return record.make(settings, "frames", {model, directory, 1, "a test"});
}

void expect_frame(const FramesFile& file, const Model& model, int frame, long step) {
  const State state = affine_state(model, 0.1 * static_cast<double>(step), stretch_x());
  EXPECT_EQ(file.t().at(frame), state.t);
  EXPECT_EQ(file.steps().at(frame), step);
  const auto positions = file.positions(file.bodies()[0], frame);
  ASSERT_EQ(positions.size(), state.q.size());
  for (std::size_t i = 0; i < positions.size(); ++i) EXPECT_NEAR(positions[i], state.q[i], single_precision);
}

TEST(Frames, ComeOutAsTheyWentIn) {
  for (const Mesh& mesh : {small_box(), small_box(ElementKind::tet10), small_rectangle(ElementKind::tri6)}) {
    const fs::path folder = scratch();
    const Model model = solid_model(mesh);
    const auto frames = make_frames(model, folder, 0.2, {"velocity", "von_mises", "stress"});
    observe_steps(*frames, model, 0, 7);
    end_at(*frames, model, 7);
    const FramesFile file(folder / "frames.h5");
    ASSERT_EQ(file.frames(), 5);  // 0, 2, 4, 6 and the last
    for (int frame = 0; frame < 4; ++frame) expect_frame(file, model, frame, 2 * frame);
    expect_frame(file, model, 4, 7);
    const FrameBody& body = file.bodies().at(0);
    EXPECT_EQ(body.name, "block");
    EXPECT_EQ(body.kind, to_string(mesh.kind));
    EXPECT_EQ(body.reference, mesh.X);
    EXPECT_EQ(body.elements, mesh.connectivity);
    EXPECT_EQ(body.regions, mesh.regions);
    EXPECT_EQ(body.fields, (std::vector<std::string>{"stress", "velocity", "von_mises"}));
    EXPECT_GT(body.surface.size(), 0u);
    for (const int node : body.surface) EXPECT_TRUE(node >= 0 && node < mesh.nodes());
    const auto stress = file.values(body, "von_mises", 2);
    ASSERT_EQ(static_cast<int>(stress.size()), mesh.elements());
    EXPECT_NEAR(stress[0], 0.04 * FakeBlock::stiffness, 1e-4);
    EXPECT_NEAR(file.box().at(3), 2 * 1.07, 1e-12);
    ASSERT_EQ(file.obstacles().size(), 2u);
    EXPECT_EQ(file.obstacles()[0].name, "ground");
    EXPECT_EQ(file.obstacles()[1].radius, 0.25);
    EXPECT_THROW(file.values(body, "velocity", 5), RunError);
  }
}

// More frames than one node of the tree of chunks has entries, and more than one level.
TEST(Frames, AreFoundInLongRecordings) {
  const fs::path folder = scratch();
  Mesh mesh;
  mesh.kind = ElementKind::tri3;
  mesh.X = {0, 0, 1, 0, 0, 1};
  mesh.connectivity = {0, 1, 2};
  mesh.regions = {"all"};
  const Model model = solid_model(mesh);
  const auto frames = make_frames(model, folder, 0.1);
  observe_steps(*frames, model, 0, 4200);
  end_at(*frames, model, 4200);
  const FramesFile file(folder / "frames.h5");
  ASSERT_EQ(file.frames(), 4201);
  for (const int frame : {0, 63, 64, 65, 2047, 4095, 4096, 4200})
    EXPECT_NEAR(file.positions(file.bodies()[0], frame)[2], 1 + 0.01 * frame, 1e-5) << frame;
}

// What is on the disk is complete at every moment: here, after every step.
TEST(Frames, CanBeReadAfterAKill) {
  const fs::path folder = scratch();
  const Model model = solid_model(small_box());
  const auto frames = make_frames(model, folder, 0.1);
  std::set<int> seen;
  for (long step = 0; step <= 6; ++step) {
    observe_steps(*frames, model, step, step);
    if (step % 2 == 0) frames->sync();
    fs::copy_file(folder / "frames.h5", folder / "copy.h5", fs::copy_options::overwrite_existing);
    // A write that was cut off leaves bytes behind the end, which nobody refers to.
    std::ofstream(folder / "copy.h5", std::ios::app | std::ios::binary) << std::string(777, 'x');
    const FramesFile copy(folder / "copy.h5");
    EXPECT_EQ(copy.frames(), step / 2 * 2 + 1);
    for (int frame = 0; frame < copy.frames(); ++frame) expect_frame(copy, model, frame, frame);
    seen.insert(copy.frames());
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(Frames, GoOnFromACheckpoint) {
  const fs::path folder = scratch();
  const Model model = solid_model(small_box());
  const auto first = make_frames(model, folder, 0.1, {"velocity"});
  observe_steps(*first, model, 0, 5);
  first->sync();
  MemoryWriter memory;
  first->visit_memory(memory);
  observe_steps(*first, model, 6, 9);  // after the checkpoint: taken again below
  end_at(*first, model, 9);
  EXPECT_EQ(FramesFile(folder / "frames.h5").frames(), 10);

  const auto second = make_frames(model, folder, 0.1, {"velocity"});
  MemoryReader reader(memory.bytes());
  second->visit_memory(reader);
  CountingIntegrator integrator;
  const State state = affine_state(model, 0.5, stretch_x());
  second->resume({model, state, StepReport{}, integrator});
  second->sync();
  EXPECT_EQ(FramesFile(folder / "frames.h5").frames(), 6);
  observe_steps(*second, model, 6, 12);
  end_at(*second, model, 12);
  const FramesFile file(folder / "frames.h5");
  ASSERT_EQ(file.frames(), 13);
  for (int frame = 0; frame < 13; ++frame) expect_frame(file, model, frame, frame);
  EXPECT_EQ(file.bodies()[0].elements, model.bodies()[0].mesh->connectivity);
  EXPECT_EQ(file.bodies()[0].fields, std::vector<std::string>{"velocity"});
  EXPECT_EQ(file.values(file.bodies()[0], "velocity", 12).size(), model.bodies()[0].reference.size());
}

TEST(Frames, ThatAreTooFewForACheckpointAreRefused) {
  const fs::path folder = scratch();
  const Model model = solid_model(small_box());
  const auto frames = make_frames(model, folder, 0.1);
  observe_steps(*frames, model, 0, 5);
  MemoryWriter memory;
  frames->visit_memory(memory);  // without sync
  const auto again = make_frames(model, folder, 0.1);
  MemoryReader reader(memory.bytes());
  again->visit_memory(reader);
  CountingIntegrator integrator;
  const State state = affine_state(model, 0.5, stretch_x());
  EXPECT_THROW(again->resume({model, state, StepReport{}, integrator}), RunError);
}

TEST(Frames, StatesThatAreNotFiniteAreLeftOut) {
  const fs::path folder = scratch();
  const Model model = solid_model(small_box());
  const auto frames = make_frames(model, folder, 0.1);
  observe_steps(*frames, model, 0, 1);
  CountingIntegrator integrator;
  integrator.count(2);
  State state = affine_state(model, 0.2, stretch_x());
  state.q[0] = std::nan("");
  StepReport report;
  report.h = 0.1;
  frames->observe({model, state, report, integrator});
  frames->end({model, state, report, integrator});
  EXPECT_EQ(FramesFile(folder / "frames.h5").frames(), 2);
}

TEST(FramesFile, RefusesWhatIsNone) {
  const fs::path folder = scratch();
  EXPECT_THROW(FramesFile(folder / "none.h5"), RunError);
  write_file(folder / "text.h5", "this is no recording");
  EXPECT_THROW(FramesFile(folder / "text.h5"), RunError);
  Hdf5Log::create(folder / "empty.h5");  // HDF5, but of nobody
  EXPECT_THROW(FramesFile(folder / "empty.h5"), RunError);
}

// ------------------------------------------------------------------------------------------------------------ whole
// runs

void expect_equal_frames(const fs::path& a, const fs::path& b) {
  const FramesFile first(a / "frames.h5"), second(b / "frames.h5");
  EXPECT_EQ(first.t(), second.t());
  EXPECT_EQ(first.steps(), second.steps());
  EXPECT_EQ(first.box(), second.box());
  ASSERT_EQ(first.bodies().size(), second.bodies().size());
  for (std::size_t k = 0; k < first.bodies().size(); ++k)
    for (int frame = 0; frame < std::min(first.frames(), second.frames()); ++frame)
      EXPECT_EQ(first.values(first.bodies()[k], "displacement", frame),
                second.values(second.bodies()[k], "displacement", frame));
}

TEST(FramesOfARun, AreThereByDefaultForNodes) {
  const fs::path folder = scratch();
  run_text(lattice_text(verlet, "2"), folder / "lattice");
  const FramesFile file(folder / "lattice/frames.h5");
  EXPECT_EQ(file.frames(), 41);  // every step: a 250th of the run is less
  EXPECT_EQ(file.bodies().at(0).kind, "points");
  EXPECT_EQ(file.t().back(), summary_without_timing(folder / "lattice")["t_reached"]);
  run_text(pendulum_text(verlet, "1"), folder / "pendulum");
  EXPECT_FALSE(fs::exists(folder / "pendulum/frames.h5"));
}

TEST(FramesOfARun, CanBeSwitchedOff) {
  const fs::path out = scratch() / "run";
  run_text(lattice_text(verlet, "1"), out);
  EXPECT_TRUE(fs::exists(out / "frames.h5"));
  run_text(lattice_text(verlet, "1", "output = [{ kind = \"frames\", enabled = false }]\n"), out);
  EXPECT_FALSE(fs::exists(out / "frames.h5")) << "of the run that was replaced";
}

TEST(FramesOfARun, TakeTheFirstStepAtOrAfterTheirTime) {
  const fs::path out = scratch() / "run";
  run_text(lattice_text(verlet, "1", "output = [{ kind = \"frames\", every = \"1/3\" }]\n"), out);
  EXPECT_EQ(FramesFile(out / "frames.h5").steps(), (std::vector<long>{0, 7, 14, 20}));
}

TEST(FramesOfARun, AreTheSameAfterInterruptions) {
  const fs::path folder = scratch();
  const std::string text =
      lattice_text(verlet, "4", "output = [{ kind = \"frames\", every = 0.13 }, { kind = \"vtu\", every = 0.5 }]\n");
  run_text(text, folder / "whole");
  run_interrupted(text, folder / "parts", 17);
  EXPECT_LT(FramesFile(folder / "parts/frames.h5").frames(), FramesFile(folder / "whole/frames.h5").frames());
  run_text(text, folder / "parts", true);
  expect_equal_runs(folder / "whole", folder / "parts", "interrupted");
  expect_equal_frames(folder / "whole", folder / "parts");
  EXPECT_EQ(file_content(folder / "whole/vtu.pvd"), file_content(folder / "parts/vtu.pvd"));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder / "whole/vtu")) {
    EXPECT_EQ(file_content(entry.path()), file_content(folder / "parts/vtu" / entry.path().filename()));
    ++files;
  }
  EXPECT_EQ(files, 9);
}

TEST(FramesOfARun, AreTheSameAfterACrash) {
  const fs::path folder = scratch();
  const std::string text = lattice_text(verlet, "2", "checkpoint = { every_steps = 8 }\n");
  run_text(text, folder / "whole");
  Crash crash(21);
  RunOptions options;
  options.out = (folder / "parts").string();
  options.observers = {&crash};
  EXPECT_THROW(run(parse_scene(text, "scene"), options), std::runtime_error);
  EXPECT_GE(FramesFile(folder / "parts/frames.h5").frames(), 17);
  run_text(text, folder / "parts", true);
  expect_equal_frames(folder / "whole", folder / "parts");
}

TEST(FramesOfARun, OutputsMayComeAndGoOnResume) {
  const fs::path folder = scratch();
  run_interrupted(lattice_text(verlet, "2"), folder / "run", 10);
  const std::string more = "output = [{ kind = \"frames\", every = 0.5 }, { kind = \"vtu\", every = 0.5 }]\n";
  EXPECT_EQ(run_text(lattice_text(verlet, "2", more), folder / "run", true).exit_code, 0);
  EXPECT_EQ(FramesFile(folder / "run/frames.h5").steps(),
            (std::vector<long>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40}));
  EXPECT_NE(file_content(folder / "run/vtu.pvd").find("timestep=\"0.5"), std::string::npos);
}

TEST(FramesOfARun, DoNotChangeIt) {
  const fs::path folder = scratch();
  run_text(lattice_text(verlet, "2", "output = [{ kind = \"frames\", enabled = false }]\n"), folder / "without");
  run_text(lattice_text(verlet, "2", "output = [{ kind = \"frames\" }, { kind = \"vtu\" }]\n"), folder / "with");
  for (const char* name : {"history.csv", "state.json"})
    EXPECT_EQ(file_content(folder / "without" / name), file_content(folder / "with" / name));
}

// The scene is small and the model large: building a large one takes long.
Model large_model() {
  ModelParts parts;
  Body body;
  body.name = "lattice";
  body.dimension = 2;
  body.nodes = 250'000;
  body.reference.assign(500'000, 0.0);
  parts.mass.diagonal.assign(500'000, 1.0);
  parts.bodies = {std::move(body)};
  return Model(std::move(parts));
}

TEST(FramesOfARun, AreLeftOutWhereTheyWouldFillTheDisk) {
  const Model model = large_model();
  const Scene scene = parse_scene(lattice_text(verlet, "100"), "scene");
  EXPECT_EQ(make_plan(scene, model).frames_left_out,
            "frames.h5 is omitted: it could take 0.504 GB, and more than 500 MB are written only on request: "
            "output = [{ kind = \"frames\" }]");
  EXPECT_TRUE(make_plan(scene, model).outputs.empty());
  const Scene asked = parse_scene(lattice_text(verlet, "100", "output = [{ kind = \"frames\" }]\n"), "scene");
  EXPECT_EQ(make_plan(asked, model).outputs.size(), 1u);
  EXPECT_EQ(make_plan(asked, model).frames_left_out, "");
  // No more frames than steps.
  const Scene brief = parse_scene(lattice_text(verlet, "10"), "scene");
  EXPECT_EQ(make_plan(brief, model).outputs.size(), 1u);
}

}  // namespace
}  // namespace livens
