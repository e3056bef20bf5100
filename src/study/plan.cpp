#include "study/plan.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "math/expression.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"
#include "scene/schema.hpp"
#include "scene/sections.hpp"
#include "scene/set_value.hpp"
#include "scene/toml.hpp"
#include "scene/write_toml.hpp"
#include "study/read_own_tables.hpp"
#include "study/sweep.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;
using Faults = std::vector<SceneFault>;

[[noreturn]] void fail(const Place& place, const std::string& key, const std::string& message) {
  Faults faults(1);
  faults[0].place = place;
  faults[0].key = key;
  faults[0].message = message;
  throw SceneError(std::move(faults));
}

Node value_of(const std::string& text) {
  const auto value = parse_toml_value(text, {override_file, 0, 0});
  return value ? *value : make_node(text);
}

Scene scene_beside(const std::string& study, const Node& name) {
  const std::string scene = (fs::path(study).parent_path() / name.text).lexically_normal().string();
  if (!fs::exists(scene)) fail(name.place, "scene", "cannot read '" + scene + "'.");
  return load_scene(scene);
}

// sweep.KEY.values, where KEY has dots of its own.
bool set_sweep(Scene& file, const std::string& key, const std::string& value) {
  constexpr std::string_view head = "sweep.", tail = ".values";
  if (!key.starts_with(head) || !key.ends_with(tail) || key.size() <= head.size() + tail.size()) return false;
  const std::string name = key.substr(head.size(), key.size() - head.size() - tail.size());
  Node* sweeps = file.root.find("sweep");
  if (sweeps != nullptr)
    for (Node& entry : sweeps->items) {
      const Node* swept = entry.find("key");
      if (swept == nullptr || swept->text != name) continue;
      *entry.find("values") = value_of(value);
      file.overrides.emplace_back(key, value);
      return true;
    }
  fail({override_file, 0, 0}, key, "the study sweeps no '" + name + "'.");
}

void check_names(const Entry& report, const std::string& key, const std::vector<std::string>& known,
                 std::optional<std::vector<std::string>>& wanted, Faults& faults) {
  if (!report.settings.given(key)) return;
  wanted = report.settings.names(key);
  for (const std::string& name : *wanted)
    if (std::find(known.begin(), known.end(), name) == known.end())
      faults.push_back(
          report.settings.fault(key, "there is no '" + name + "'." + suggestion(name, known, "There are")));
}

void check_changes(const Study& study, const StudyPlan& plan, Faults& faults) {
  Faults found;
  try {
    Scene scene = study.scene;
    for (const auto& [path, value] : plan.reference_changes) set_value(scene, path, value, toml_value(value));
    validate(scene, found);
  } catch (const SceneError& error) {
    found = error.faults();
  }
  const Node& set = *study.file.root.find("reference")->find("set");
  for (SceneFault fault : found) {
    if (fault.place.file != override_file) continue;  // a fault of the scene itself
    fault.place = set.place;
    fault.key = "reference.set." + fault.key;
    faults.push_back(fault);
  }
}

// With the reference's integrator in place of the scene's own.
void check_integrator(const Study& study, const Node& table, Faults& faults) {
  Scene scene = study.scene;
  if (Node* old = scene.root.find("integrator"))
    *old = table;
  else
    scene.root.entries.emplace_back("integrator", table);
  Faults found;
  validate(scene, found);
  for (SceneFault fault : found)
    if (fault.key.rfind("integrator", 0) == 0) {
      fault.key = "reference." + fault.key;
      faults.push_back(fault);
    }
}

void check_expression(const std::string& key, const Node& node, const ParameterValues& parameters, Faults& faults) {
  static const std::array<std::string, 1> time = {"t"};
  if (node.kind == Node::Kind::number || node.kind == Node::Kind::integer) return;
  if (node.kind != Node::Kind::text) {
    faults.push_back({node.place, "reference.exact." + key, "expected an expression of t in quotes."});
    return;
  }
  try {
    Expression::parse(node.text, time, parameters);
  } catch (const ExpressionError& error) {
    faults.push_back({node.place, "reference.exact." + key, error.what()});
  }
}

void read_reference(const Study& study, const ParameterValues& parameters, StudyPlan& plan, Faults& faults) {
  const Node* reference = study.file.root.find("reference");
  if (reference == nullptr) return;
  if (const Node* table = reference->find("integrator")) {
    plan.reference_integrator = *table;
    check_integrator(study, *table, faults);
  }
  if (const Node* set = reference->find("set")) {
    plan.reference_changes = flattened(*set);
    check_changes(study, plan, faults);
  }
  if (const Node* check = reference->find("check")) plan.reference_check = check->flag;
  if (const Node* exact = reference->find("exact"))
    for (const auto& [key, node] : exact->entries) {
      check_expression(key, node, parameters, faults);
      plan.exact.emplace_back(key, node);
    }
}

// A case belongs to the group of those that have the same scene but for the integrator.
void group_cases(StudyPlan& plan) {
  std::map<std::string, std::size_t> groups;
  for (Case& made : plan.cases) {
    Node root = made.scene.root;
    std::erase_if(root.entries, [](const auto& entry) { return entry.first == "integrator"; });
    made.group = groups.emplace(made.name + "\n" + toml_document(root), groups.size()).first->second;
    if (made.group == plan.groups.size()) plan.groups.push_back(made.problem);
  }
}

}  // namespace

Study load_study(const std::string& path) {
  Study study;
  study.file = load_scene(path);
  Faults faults;
  validate_study(study.file, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  const Node *shared = study.file.root.find("scene"), *entries = study.file.root.find("case");
  if (shared != nullptr) study.scene = scene_beside(path, *shared);
  if (entries == nullptr) return study;
  for (const Node& entry : entries->items) {
    const Node* own = entry.find("scene");
    study.scenes.push_back(own != nullptr ? scene_beside(path, *own) : study.scene);
  }
  if (shared == nullptr) study.scene = study.scenes.front();
  return study;
}

void Study::set(const std::string& key, const std::string& value) {
  if (set_sweep(file, key, value)) return;
  const Section* section = find_section(key.substr(0, key.find('.')));
  if (section != nullptr && section->use != Section::Use::scene) return file.set(key, value);
  scene.set(key, value);
  for (Scene& other : scenes) other.set(key, value);
}

StudyPlan plan_study(const Study& study) {
  Faults faults;
  const ValidatedScene valid = validate_study(study.file, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  StudyPlan plan;
  plan.title = study.file.title();
  plan.name = study.file.name();
  if (const Entry* report = valid.find("report")) {
    check_names(*report, "tables", study_tables(), plan.tables, faults);
    check_names(*report, "plots", study_plots(), plan.plots, faults);
  }
  Faults scene_faults;
  const ValidatedScene scene = validate(study.scene, scene_faults);
  read_reference(study, scene.environment->parameters, plan, faults);
  plan.cases = expand_sweeps(study, plan.notes, faults);
  plan.own = read_own_tables(study, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  group_cases(plan);
  check_own_tables(plan, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  plan.tables_used = built_in_tables_of(plan.own);
  return plan;
}

}  // namespace livens
