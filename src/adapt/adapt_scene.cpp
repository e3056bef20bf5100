#include "adapt/adapt_scene.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <livens/run.hpp>
#include <livens/solid_block.hpp>

#include "adapt/adapt_report.hpp"
#include "diagnostics/make_probes.hpp"
#include "files/files.hpp"
#include "mesh/core/topology.hpp"
#include "mesh/files/gmsh_writer.hpp"
#include "model/selections.hpp"
#include "run/plan.hpp"
#include "scene/files.hpp"

namespace livens {
namespace {

// What [adapt] says.
struct AdaptPlan {
  int body = -1;
  std::vector<bool> held;  // nodes of the body
  std::vector<int> tips;   // nodes of cracks, which are held too
  AdaptOptions options;
};

int find_body(const Settings& settings, const Model& model) {
  std::vector<int> solids;
  for (std::size_t k = 0; k < model.bodies().size(); ++k)
    if (model.bodies()[k].mesh != nullptr) solids.push_back(static_cast<int>(k));
  if (settings.has("body")) {
    for (const int k : solids)
      if (model.bodies()[at(k)].name == settings.text("body")) return k;
    settings.refuse("body", "there is no solid '" + settings.text("body") + "'.");
  } else if (solids.size() != 1) {
    settings.refuse("body", solids.empty() ? "the scene has no solid, and so no mesh to adapt."
                                           : "which one? There are " + std::to_string(solids.size()) + " solids.");
  }
  return solids.front();
}

// The nodes that move: those of the selection, if there is one, without the tips of cracks.
void read_held(const ValidatedScene& valid, const Setup& setup, AdaptPlan& plan) {
  const Settings& settings = valid.find("adapt")->settings;
  Assembly assembly;  // what selections refer to
  assembly.parts.bodies = setup.model->bodies();
  assembly.selections = setup.selections;
  plan.held.assign(at(setup.model->bodies()[at(plan.body)].nodes), settings.has("selection"));
  if (settings.has("selection"))
    for (const NodeSet& set : selected_nodes(settings, assembly)) {
      if (set.body != plan.body)
        settings.refuse("selection", "selects nodes of another body than the one that is adapted.");
      for (const int a : set.nodes) plan.held[at(a)] = false;
    }
  for (const Entry* crack : valid.all("crack"))
    for (const NodeSet& set : selected_nodes(crack->settings, assembly))
      if (set.body == plan.body)
        for (const int a : set.nodes) {
          plan.held[at(a)] = true;
          plan.tips.push_back(a);
        }
}

void read_direction(const Settings& settings, int dimension, AdaptOptions& options) {
  if (!settings.has("direction")) return;
  const auto& given = settings.vector("direction");
  if (static_cast<int>(given.size()) != dimension)
    settings.refuse("direction", "needs " + std::to_string(dimension) + " numbers, one per dimension of the body.");
  double square = 0;
  for (const double value : given) square += value * value;
  if (!(square > 0)) settings.refuse("direction", "has no length.");
  for (std::size_t c = 0; c < given.size(); ++c) options.direction[c] = given[c] / std::sqrt(square);
}

AdaptPlan read_plan(const ValidatedScene& valid, const Setup& setup) {
  AdaptPlan plan;
  const Settings& settings = valid.find("adapt")->settings;
  const Entry* integrator = valid.find("integrator");
  if (integrator->kind != "static")
    integrator->settings.refuse(
        "kind", "adaption looks for the least energy of an equilibrium: integrator = { kind = \"static\" }.");
  plan.body = find_body(settings, *setup.model);
  for (const auto& term : setup.model->parts().terms)
    if (const SolidBlock* block = term->elements(); block != nullptr && !block->part().homogeneous() &&
                                                    block->part().first == setup.model->bodies()[at(plan.body)].first)
      settings.refuse("",
                      "the material of the body varies with the place, and what that does to the forces on nodes in "
                      "the reference shape is not known.");
  plan.options.quality = settings.number("quality");
  plan.options.tolerance = settings.number("tolerance");
  plan.options.max_iterations = static_cast<int>(settings.integer("max_iterations"));
  read_direction(settings, setup.model->bodies()[at(plan.body)].dimension, plan.options);
  read_held(valid, setup, plan);
  return plan;
}

// J of the contours of the body.
std::vector<ContourChange> contours_of(const RunPlan& plan, const Model& model, int body, const State& state,
                                       Integrator& integrator) {
  std::vector<ContourChange> contours;
  const StepReport report;
  for (const Probe& probe : plan.probes) {
    const std::string& name = probe.columns().front().name;
    if (probe.target().contour == nullptr || probe.target().body != body || !name.ends_with(".J")) continue;
    ContourChange change;
    change.name = name.substr(std::string("probe.").size(), name.size() - std::string("probe..J").size());
    change.weights = weights_of(*probe.target().contour);
    probe.evaluate({model, state, report, integrator}, &change.after);
    contours.push_back(std::move(change));
  }
  return contours;
}

std::vector<ContourChange> compared(const std::vector<ContourChange>& before, std::vector<ContourChange> after) {
  for (std::size_t k = 0; k < after.size(); ++k) after[k].before = before[k].after;
  const auto size = [](const ContourChange& c) { return std::accumulate(c.weights.begin(), c.weights.end(), 0.0); };
  std::stable_sort(after.begin(), after.end(), [&](const auto& a, const auto& b) { return size(a) < size(b); });
  return after;
}

const std::vector<std::string> own_files = {"adapt.json", "contours.csv", "mesh.msh",   "before.vtu", "after.vtu",
                                            "before.png", "after.png",    "scene.toml", "report.html"};

// A directory that the user asked for may hold an earlier adaption, which is replaced.
RunDirectory make_directory(const std::string& name, const std::string& out) {
  if (out.empty()) return RunDirectory::create(name + "_adapted");
  const bool replaces = std::filesystem::exists(std::filesystem::path(out) / "adapt.json");
  RunDirectory directory = RunDirectory::create_at(out, replaces);
  if (replaces) remove_files(out, own_files);
  return directory;
}

void write_files(const Scene& scene, const AdaptFacts& facts, const RunDirectory& directory) {
  write_file(directory.file("scene.toml"), toml_for(scene, directory.path()));
  write_file(directory.file("mesh.msh"), gmsh_text(*facts.result.mesh));
  write_file(directory.file("before.vtu"), adapt_vtu(*facts.before, facts.body, facts.q_before));
  write_file(directory.file("after.vtu"), adapt_vtu(*facts.after, facts.body, facts.result.q));
  const Report report = adapt_report(facts);
  const auto& pictures = report.sections[facts.tips.empty() ? 0 : 1].pictures;  // near the tip, if there is one
  write_file(directory.file("before.png"), pictures[0].png);
  write_file(directory.file("after.png"), pictures[1].png);
  write_file(directory.file("report.html"), render_html(report));
  if (!facts.contours.empty()) write_file(directory.file("contours.csv"), contours_csv(facts));
  write_file(directory.file("adapt.json"), adapt_json(facts));
}

std::vector<std::string> lines_of(const AdaptFacts& facts, const std::filesystem::path& directory) {
  const AdaptResult& r = facts.result;
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{:<9} {}: energy {:.8g} J to {:.8g} J, {:.4g} J ({:.2g} %) gained in {} iterations, {:.3g} s. {}",
                  r.converged     ? "done"
                  : r.interrupted ? "stopped"
                                  : "failed",
                  directory.string(), r.energy_before, r.energy_after, facts.gained(),
                  100 * facts.gained() / std::abs(r.energy_before), r.iterations, facts.wall_time,
                  r.converged ? "See " + (directory / "report.html").string()
                              : "Not in configurational equilibrium: " + r.message));
  lines.push_back(fmt::format(
      "  mesh    {} elements, lowest quality {:.3f} to {:.3f}, {} held by the bound; farthest move {:.3g} m; "
      "mesh = {{ kind = \"file\", file = \"{}\", repair = [\"keep_double\"] }}",
      r.mesh->elements(), r.quality_before, r.quality_after, r.active, r.farthest, (directory / "mesh.msh").string()));
  if (facts.contours.empty()) return lines;
  for (const ContourChange& contour : facts.contours)
    lines.push_back(fmt::format("  J       {:<12} {:.8g} N to {:.8g} N", contour.name, contour.before, contour.after));
  const ContourSpread spread = contour_spread(facts);
  if (facts.contours.size() > 1)
    lines.push_back(fmt::format("  spread  {:.2e} to {:.2e}", spread.before, spread.after) +
                    (spread.free.empty()
                         ? ""
                         : fmt::format("; {}, with nothing held between them: {:.2e} to {:.2e}",
                                       fmt::join(spread.free, ", "), spread.free_before, spread.free_after)));
  return lines;
}

}  // namespace

AdaptSceneResult adapt_scene(const Scene& scene, const AdaptSceneOptions& options) {
  std::optional<tbb::global_control> limit;
  if (options.threads > 0) limit.emplace(tbb::global_control::max_allowed_parallelism, options.threads);
  const ValidatedScene valid = validated(scene);
  Setup setup = make_setup(scene, valid);
  const Model& model = *setup.model;
  const AdaptPlan plan = read_plan(valid, setup);
  const auto began = std::chrono::steady_clock::now();
  const auto clock = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };

  State state = setup.start;
  StepFunction goes_on([&](const Sample&) { return !options.interrupted || !options.interrupted(); });
  Observer* const observers[] = {&goes_on};
  const StepReport report = advance_observed(model, state, *setup.integrator, setup.plan.t_end, observers);
  AdaptSceneResult result;
  if (!report.converged) {
    result.exit_code = 3;
    result.lines.push_back("failed    no equilibrium of the original mesh: " + report.message);
    return result;
  }
  AdaptFacts facts;
  facts.scene = scene.path.empty() ? scene.name() : scene.path;
  facts.title = scene.title();
  facts.before = &model;
  facts.body = plan.body;
  facts.q_before = state.q;
  facts.tips = plan.tips;
  const auto before = contours_of(setup.plan, model, plan.body, state, *setup.integrator);
  const RunDirectory directory = make_directory(scene.name(), options.out);
  const auto told = [&](const AdaptProgress& now) {
    facts.course.push_back(now);
    if (options.progress) options.progress(now, clock());
    return !options.interrupted || !options.interrupted();
  };
  try {
    facts.result = adapt_mesh(model, plan.body, state.t, state.q, plan.held, plan.options, told);
  } catch (const std::invalid_argument& error) {
    throw RunError("refused   body '" + model.bodies()[at(plan.body)].name + "': " + error.what());
  }
  if (facts.result.mesh == nullptr) {
    result.exit_code = 3;
    result.lines.push_back("failed    " + facts.result.message);
    return result;
  }
  const Model adapted = with_mesh(model, plan.body, facts.result.mesh);
  facts.after = &adapted;
  state.q = facts.result.q;
  facts.contours = compared(before, contours_of(make_plan(scene, valid, adapted, setup.selections), adapted, plan.body,
                                                state, *setup.integrator));
  facts.wall_time = clock();
  write_files(scene, facts, directory);
  result.exit_code = facts.result.converged ? 0 : facts.result.interrupted ? 130 : 3;
  result.directory = directory.path().string();
  result.lines = lines_of(facts, directory.path());
  return result;
}

}  // namespace livens
