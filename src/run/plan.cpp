#include "run/plan.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "diagnostics/make_probes.hpp"
#include "diagnostics/quantities.hpp"
#include "files/output.hpp"
#include "integrators/step_control.hpp"
#include "records/suggest.hpp"
#include "scene/listing.hpp"

namespace livens {
namespace {

using Faults = std::vector<SceneFault>;

void read_time(const ValidatedScene& scene, RunPlan& plan, Faults& faults) {
  const Settings& time = scene.find("time")->settings;
  plan.t_begin = time.number("begin");
  plan.t_end = time.number("end");
  if (!(plan.t_end > plan.t_begin)) faults.push_back(time.fault("end", "must be later than time.begin."));
}

constexpr double default_frames_limit = 500e6;  // bytes

bool mentions_frames(const Scene& scene) {
  const Node* outputs = scene.root.find("output");
  if (outputs == nullptr) return false;
  return std::any_of(outputs->items.begin(), outputs->items.end(), [](const Node& item) {
    const Node* kind = item.find("kind");
    return kind != nullptr && kind->text == "frames";
  });
}

// Frames of a run that takes one every `every`: no more than its steps, its start and its end.
double frame_count(const RunPlan& plan, double every) {
  const double duration = plan.t_end - plan.t_begin;
  double count = duration / every;
  if (plan.constant_step()) count = std::min(count, std::ceil(duration / *plan.step(plan.t_begin)));
  return count + 2;
}

// Frames are recorded unless the scene configures them, or they would fill the disk.
void add_default_frames(const Scene& scene, const Model& model, RunPlan& plan) {
  const auto has_nodes = [](const Body& body) { return body.dimension > 0; };
  if (mentions_frames(scene) || std::none_of(model.bodies().begin(), model.bodies().end(), has_nodes)) return;
  const double bytes = frames_bytes(model, {}, frame_count(plan, (plan.t_end - plan.t_begin) / 250));
  const OutputRecord& record = output_records().at("frames");
  if (bytes <= default_frames_limit) {
    plan.outputs.push_back({record.name, record.name, default_settings(record)});
    return;
  }
  plan.frames_left_out = fmt::format(
      "frames.h5 is omitted: it could take {:.3g} GB, and more than {:.0f} MB are written only on request: "
      "output = [{{ kind = \"frames\" }}]",
      bytes / 1e9, default_frames_limit / 1e6);
}

void read_outputs(const ValidatedScene& scene, RunPlan& plan, Faults& faults) {
  for (const Entry* entry : scene.all("output")) {
    const OutputRecord& record = output_records().at(entry->kind);
    if (record.name == "history" && entry->settings.has("every")) plan.history_every = entry->settings.number("every");
    if (record.make == nullptr) continue;
    if (entry->name == "checkpoints")
      faults.push_back(entry->settings.fault("name", "the run already has a folder of that name. Use another one."));
    plan.outputs.push_back({record.name, entry->name, entry->settings});
  }
}

void read_checkpoints(const ValidatedScene& scene, RunPlan& plan) {
  const Settings& settings = scene.find("checkpoint")->settings;
  if (settings.has("every")) plan.checkpoint_every = settings.number("every");
  if (settings.has("every_steps")) plan.checkpoint_every_steps = settings.integer("every_steps");
  plan.checkpoint_every_wall = settings.number("every_wall");
  plan.checkpoints_kept = static_cast<int>(settings.integer("keep"));
}

bool is_pair_of_names(const Node& node) {
  return node.kind == Node::Kind::array && node.items.size() == 2 && node.items[0].kind == Node::Kind::text &&
         node.items[1].kind == Node::Kind::text;
}

void read_portraits(const ValidatedScene& scene, const Model& model, RunPlan& plan, Faults& faults) {
  const Settings& report = scene.find("report")->settings;
  const auto node = report.nodes.find("portraits");
  if (node == report.nodes.end()) return;
  const Quantities quantities(model, plan.probes);
  std::vector<std::string> known;
  for (const Column& column : quantities.columns()) known.push_back(column.name);
  for (const Node& item : node->second->items) {
    if (!is_pair_of_names(item)) {
      faults.push_back(
          {item.place, "report.portraits", "expected a pair of columns of history.csv, such as [\"x\", \"y\"]."});
      continue;
    }
    for (const Node& name : item.items)
      if (!quantities.has(name.text))
        faults.push_back(
            {name.place, "report.portraits",
             "history.csv has no column '" + name.text + "'." + suggestion(name.text, known, "There are")});
    plan.portraits.emplace_back(item.items[0].text, item.items[1].text);
  }
}

// The longest damping_time of what damps in proportion to stiffness, forces and penalties, of all or of one form; 0
// without.
double damping_time_of(const ValidatedScene& scene, const std::string& form = "") {
  double longest = 0;
  for (const Entry* force : scene.all("force")) {
    const Settings& settings = force->settings;
    if (!settings.has("damping_time") || (!form.empty() && settings.text("damping_form") != form)) continue;
    longest = std::max(longest, settings.number("damping_time"));
  }
  for (const Entry* constraint : scene.all("constraint"))
    if (form.empty() && constraint->settings.has("damping_time"))
      longest = std::max(longest, constraint->settings.number("damping_time"));
  return longest;
}

// What hits do to the energy of a method depends on the curvature of the potential where they are (docs/contact.md).
bool bounces_under_constant_forces(const Model& model) {
  if (!model.model_class().impacts || model.constraint_count() > 0) return false;
  std::vector<double> load(static_cast<std::size_t>(model.size()), 0.0);
  const auto& terms = model.parts().terms;
  return std::all_of(terms.begin(), terms.end(),
                     [&](const auto& term) { return term->impacts() != nullptr || term->add_constant_load(load); });
}

}  // namespace

std::optional<double> RunPlan::step(double t) const {
  // At most a first step, or none.
  if (integrator.functions.count("step") == 0 || has_step_control(integrator)) return std::nullopt;
  return integrator.function("step")(std::span<const double>(&t, 1));
}

bool RunPlan::constant_step() const { return step(t_begin).has_value() && integrator.function("step").constant(); }

RunPlan make_plan(const Scene& scene, const ValidatedScene& validated, const Model& model,
                  const std::map<std::string, NodeSet>& selections) {
  Faults faults;
  RunPlan plan;
  read_time(validated, plan, faults);
  read_outputs(validated, plan, faults);
  read_checkpoints(validated, plan);
  plan.probes = make_probes({validated.all("probe"), validated.all("crack"), validated.all("contour"), selections},
                            model, faults);
  if (faults.empty()) read_portraits(validated, model, plan, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  plan.integrator = validated.find("integrator")->settings;
  plan.solver = validated.find("solver")->settings;
  plan.damping_time = damping_time_of(validated);
  plan.halved_damping_time = damping_time_of(validated, "second_order");
  add_default_frames(scene, model, plan);
  plan.claims = claims_of(integrator_records().at(plan.integrator_name()), plan.integrator, model.model_class());
  if (bounces_under_constant_forces(model)) {
    ModelClass between_hits = model.model_class();
    between_hits.impacts = false;
    plan.claims.energy =
        claims_of(integrator_records().at(plan.integrator_name()), plan.integrator, between_hits).energy;
    plan.claims.note = "symplectic between impacts, which keep the energy";
  }
  return plan;
}

std::string halved_damping_warning(const RunPlan& plan, double step, double omega) {
  const double ratio = step * plan.halved_damping_time * omega * omega;
  if (plan.claims.explicit_steps || !(ratio > 2)) return "";
  return fmt::format(
      "h damping_time omega_max^2 is {:.3g}, and damping_form = \"second_order\" needs less than 2: the "
      "stiffest motions are not damped, and energies and velocities at the ends of steps are wrong. Take "
      "steps up to {:.2g} s, or damping_form = \"exact\"",
      ratio, 2 / (plan.halved_damping_time * omega * omega));
}

}  // namespace livens
