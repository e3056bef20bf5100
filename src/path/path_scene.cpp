#include "path/path_scene.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <livens/run.hpp>

#include "files/files.hpp"
#include "path/path_plan.hpp"
#include "path/path_report.hpp"
#include "run/plan.hpp"
#include "scene/files.hpp"

namespace livens {
namespace {

constexpr int samples_of_amplitude = 41;
constexpr std::size_t most_perturbations = 4;  // along the lowest eigenvectors

double extent_of(const Path& path) {
  const std::size_t n = path.ends.from.size();
  double extent = 0;
  for (std::size_t i = 0; i < path.q.size(); ++i)
    extent = std::max(extent, std::abs(path.q[i] - path.ends.from[i % n]));
  return extent > 0 ? extent : 1;
}

std::vector<Perturbation> perturbed(const Model& model, const Path& path, const SecondVariation& second,
                                    double amplitude) {
  std::vector<Perturbation> result;
  std::vector<double> q(path.q.size());
  for (std::size_t k = 0; k < std::min(most_perturbations, second.eigenvectors.size()); ++k) {
    Perturbation perturbation;
    for (int i = 0; i < samples_of_amplitude; ++i) {
      const double a = amplitude * (2.0 * i / (samples_of_amplitude - 1) - 1);
      for (std::size_t j = 0; j < q.size(); ++j) q[j] = path.q[j] + a * second.eigenvectors[k][j];
      perturbation.amplitude.push_back(a);
      perturbation.action.push_back(action(model, path.ends.rule, path.ends.t_begin, path.h, q) - path.action);
    }
    result.push_back(std::move(perturbation));
  }
  return result;
}

// Steps of the integrator from the start of the path: they have to take the same one.
double retraced(const Model& model, Integrator& integrator, const Path& path, const std::vector<double>& v) {
  State state{path.ends.t_begin, path.ends.from, path.p_begin, v, {}};
  double largest = 0;
  for (int k = 1; k <= path.ends.steps; ++k) {
    const auto report = integrator.apply_step(model, state, path.h);
    if (!report || !report->converged) return std::numeric_limits<double>::infinity();
    const ConstVector q = path.at(static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < q.size(); ++i)
      if (!model.supported(static_cast<int>(i))) largest = std::max(largest, std::abs(state.q[i] - q[i]));
  }
  return largest;
}

std::vector<double> velocity_of(const Model& model, double t, ConstVector q, const std::vector<double>& p) {
  std::vector<double> v(p.size(), 0.0);
  model.velocity(t, q, p, v);
  return v;
}

const std::vector<std::string> path_files = {"path.csv", "summary.json", "scene.toml", "report.html", "path.svg"};

// A directory that the user asked for may hold an earlier path, which is replaced.
RunDirectory make_path_directory(const std::string& name, const std::string& out) {
  if (out.empty()) return RunDirectory::create(name + "_path");
  const std::filesystem::path summary = std::filesystem::path(out) / "summary.json";
  const bool replaces =
      std::filesystem::exists(summary) && file_content(summary).find("\"livens.path/") != std::string::npos;
  RunDirectory directory = RunDirectory::create_at(out, replaces);
  if (replaces) remove_files(out, path_files);
  return directory;
}

void write_files(const Scene& scene, const PathFacts& facts, const RunDirectory& directory) {
  write_file(directory.file("scene.toml"), toml_for(scene, directory.path()));
  write_file(directory.file("path.csv"), path_csv(facts));
  write_file(directory.file("report.html"), render_html(path_report(facts)));
  write_file(directory.file("path.svg"), render_svg(path_plot(facts), 480, 320));
  write_file(directory.file("summary.json"), path_json(facts));
}

std::string conjugate_text(const SecondVariation& second) {
  if (second.conjugate_points.empty()) return "no conjugate point on the way";
  const ConjugatePoint& first = second.conjugate_points.front();
  return fmt::format("{} conjugate point{} on the way, the first between {:.6g} and {:.6g} s",
                     second.conjugate_points.size(), second.conjugate_points.size() == 1 ? "" : "s", first.after,
                     first.before);
}

std::vector<std::string> lines_of(const PathFacts& facts, const std::filesystem::path& directory) {
  const Path& path = facts.path;
  if (!path.converged)
    return {fmt::format("{:<9} {}: {}", path.interrupted ? "stopped" : "failed", directory.string(), path.message)};
  return {fmt::format("{:<9} {}: action {:.10g} J s, {}; {} steps, {} iterations, {:.3g} s. See {}", "done",
                      directory.string(), path.action, facts.kind(), path.ends.steps, path.iterations, facts.wall_time,
                      (directory / "report.html").string()),
          fmt::format("  first variation   {:.1e} of its summands", path.residual / path.scale),
          fmt::format("  second variation  lowest eigenvalue {:.6g} 1/s^2; {}",
                      facts.second.eigenvalues.empty() ? 0 : facts.second.eigenvalues.front(),
                      conjugate_text(facts.second)),
          fmt::format("  retraced by {} to {:.1e} of the extent {:.4g}", facts.integrator,
                      facts.retraced / facts.extent, facts.extent)};
}

Path found_path(const Model& model, PathPlan& plan, const PathSceneOptions& options,
                const std::function<double()>& clock) {
  plan.options.told = [&](const PathProgress& now) {
    if (options.progress) options.progress(now, clock());
    return !options.interrupted || !options.interrupted();
  };
  try {
    return stationary_path(model, plan.ends, plan.options);
  } catch (const std::invalid_argument& error) {
    throw RunError(std::string("refused   ") + error.what());
  }
}

}  // namespace

PathSceneResult path_scene(const Scene& scene, const PathSceneOptions& options) {
  std::optional<tbb::global_control> limit;
  if (options.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, options.threads);
  const ValidatedScene valid = validated(scene);
  Setup setup = make_setup(scene, valid);
  const Model& model = *setup.model;
  PathPlan plan = path_plan(valid, setup);
  const auto began = std::chrono::steady_clock::now();
  const auto clock = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };

  PathFacts facts;
  facts.scene = scene.path.empty() ? scene.name() : scene.path;
  facts.title = scene.title();
  facts.integrator = setup.plan.integrator_name();
  facts.model = &model;
  facts.amplitude = plan.amplitude;
  facts.path = found_path(model, plan, options, clock);
  const Path& path = facts.path;
  facts.extent = extent_of(path);
  if (path.converged) {
    facts.v_begin = velocity_of(model, path.ends.t_begin, path.ends.from, path.p_begin);
    facts.v_end = velocity_of(model, path.ends.t_end, path.ends.to, path.p_end);
    facts.second = second_variation(model, path, plan.eigenvalues);
    facts.perturbations = perturbed(model, path, facts.second, plan.amplitude * facts.extent);
    facts.retraced = retraced(model, *setup.integrator, path, facts.v_begin);
  }
  facts.wall_time = clock();
  const RunDirectory directory = make_path_directory(scene.name(), options.out);
  write_files(scene, facts, directory);
  PathSceneResult result;
  result.exit_code = path.converged ? 0 : path.interrupted ? 130 : 3;
  result.directory = directory.path().string();
  result.lines = lines_of(facts, directory.path());
  return result;
}

}  // namespace livens
