#include "modes/modes_scene.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <livens/run.hpp>

#include "files/files.hpp"
#include "modes/modes_report.hpp"
#include "run/film.hpp"
#include "run/plan.hpp"
#include "scene/files.hpp"
#include "solve/stop_request.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_pictures = 24;  // modes that the report shows
constexpr int picture_width = 320, picture_frames = 13;

const std::vector<std::string> modes_files = {"modes.csv", "summary.json", "scene.toml", "report.html"};

// A directory that the user asked for may hold earlier modes, which are replaced.
RunDirectory make_modes_directory(const std::string& name, const std::string& out) {
  if (out.empty()) return RunDirectory::create(name + "_modes");
  const fs::path path = out, summary = path / "summary.json";
  const bool replaces = fs::exists(summary) && file_content(summary).find("\"livens.modes/") != std::string::npos;
  RunDirectory directory = RunDirectory::create_at(path, replaces);
  if (!replaces) return directory;
  remove_files(path, modes_files);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(path, none))
    if (entry.path().extension() == ".vtu") remove_files(path, {entry.path().filename().string()});
  for (const auto& entry : fs::directory_iterator(path / "runs", none)) remove_run(entry.path());
  return directory;
}

std::vector<Picture> write_swings(const ModesFacts& facts, const Scene& scene, Integrator& integrator,
                                  const RunDirectory& directory) {
  std::vector<Picture> pictures;
  const fs::path runs = directory.path() / "runs";
  make_folder(runs);
  for (const std::size_t k : facts.shown()) {
    const fs::path path = runs / facts.name(k);
    write_swing(facts, k, integrator, toml_for(scene, path), path);
    if (pictures.size() >= most_pictures) continue;
    FilmOptions wanted;
    wanted.width = picture_width;
    wanted.frames = picture_frames;
    const std::vector<Image> images = film(path, wanted);
    if (images.empty()) continue;
    const Mode& mode = facts.modes.modes[k];
    const std::string what = mode.zero         ? "zero mode"
                             : mode.growth > 0 ? fmt::format("grows by e in {:.4g} s", 1 / mode.growth)
                                               : fmt::format("{:.6g} Hz", mode.frequency);
    pictures.push_back({fmt::format("{}: {}", k + 1, what), "", apng_bytes(images, 1.0 / 12), images.front().width,
                        images.front().height});
  }
  return pictures;
}

void write_files(const Scene& scene, const ModesFacts& facts, Integrator& integrator, const RunDirectory& directory) {
  write_file(directory.file("scene.toml"), toml_for(scene, directory.path()));
  write_file(directory.file("modes.csv"), modes_csv(facts));
  for (std::size_t b = 0; b < facts.model->bodies().size(); ++b)
    if (const Body& body = facts.model->bodies()[b]; body.mesh != nullptr)
      write_file(directory.file(body.name + ".vtu"), modes_vtu(facts, static_cast<int>(b)));
  write_file(directory.file("report.html"),
             render_html(modes_report(facts, write_swings(facts, scene, integrator, directory))));
  write_file(directory.file("summary.json"), modes_json(facts));
}

std::vector<std::string> lines_of(const ModesFacts& facts, const fs::path& directory) {
  const Modes& modes = facts.modes;
  std::vector<std::string> lines = {fmt::format(
      "{:<9} {}: {} modes about {}, {} unknowns, {} factorisations and {} solves, {:.3g} s. See {}", "done",
      directory.string(), modes.modes.size(), facts.state, facts.model->size() - facts.model->supported_count(),
      modes.factorisations, modes.solves, facts.wall_time, (directory / "report.html").string())};
  for (std::size_t k = 0; k < modes.modes.size(); ++k) {
    const Mode& mode = modes.modes[k];
    std::string line = fmt::format("  {:>4}  ", k + 1);
    if (mode.zero)
      line += fmt::format("{:>14}", "zero");
    else if (mode.growth > 0)
      line += fmt::format("{:>14}", fmt::format("grows {:.4g}/s", mode.growth));
    else
      line += fmt::format("{:>11.6g} Hz", mode.frequency);
    if (mode.damping != 0) line += fmt::format("  damping ratio {:.3g}", mode.damping);
    lines.push_back(line);
  }
  lines.push_back(modes.complete ? "  complete  the modes below the highest were counted: none is missing"
                                 : "  not counted: modes may be missing");
  for (const std::string& sentence : sentences(facts)) lines.push_back("  warning   " + sentence);
  return lines;
}

ModesOptions options_of(const ValidatedScene& valid, const ModesSceneOptions& options,
                        const std::function<double()>& clock) {
  const Settings& settings = valid.find("modes")->settings;
  ModesOptions result;
  result.count = static_cast<int>(settings.integer("count"));
  result.near = settings.number("near");
  result.counted = settings.flag("counted");
  result.told = [&options, clock](const std::string& what) {
    if (options.progress) options.progress(what, clock());
    return !options.interrupted || !options.interrupted();
  };
  return result;
}

}  // namespace

ModesSceneResult modes_scene(const Scene& scene, const ModesSceneOptions& options) {
  std::optional<tbb::global_control> limit;
  if (options.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, options.threads);
  const ValidatedScene valid = validated(scene);
  Setup setup = make_setup(scene, valid);
  const auto began = std::chrono::steady_clock::now();
  const auto clock = [=] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };

  ModesSceneResult result;
  ModesFacts facts;
  facts.scene = scene.path.empty() ? scene.name() : scene.path;
  facts.title = scene.title();
  facts.model = setup.model.get();
  facts.at = setup.start;
  facts.near = valid.find("modes")->settings.number("near");
  facts.amplitude = valid.find("modes")->settings.number("amplitude");
  facts.state = "the start";
  if (setup.plan.integrator_name() == "static") {
    facts.state = "the equilibrium";
    if (options.progress) options.progress("looking for the equilibrium", clock());
    const StopScope stops(options.interrupted);
    StepFunction goes_on([&](const Sample&) { return !options.interrupted || !options.interrupted(); });
    Observer* const observers[] = {&goes_on};
    const StepReport report = advance_observed(*setup.model, facts.at, *setup.integrator, setup.plan.t_end, observers);
    if (options.interrupted && options.interrupted()) {
      result.exit_code = 130;
      result.lines.push_back("stopped   nothing was written");
      return result;
    }
    if (!report.converged) {
      result.exit_code = 3;
      result.lines.push_back("failed    no equilibrium: " + report.message);
      return result;
    }
  }
  try {
    facts.modes = normal_modes(*setup.model, facts.at, options_of(valid, options, clock));
  } catch (const std::invalid_argument& error) {
    throw RunError(std::string("refused   ") + error.what());
  }
  if (!facts.modes.converged) {
    result.exit_code = facts.modes.interrupted ? 130 : 3;
    result.lines.push_back(fmt::format("{:<9} {}", facts.modes.interrupted ? "stopped" : "failed",
                                       facts.modes.interrupted ? "nothing was written" : facts.modes.message));
    return result;
  }
  facts.wall_time = clock();
  const RunDirectory directory = make_modes_directory(scene.name(), options.out);
  write_files(scene, facts, *setup.integrator, directory);
  result.directory = directory.path().string();
  result.lines = lines_of(facts, directory.path());
  return result;
}

}  // namespace livens
