// What a study will do: its cases (every combination of the swept values), its reference, its tables and plots.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <livens/scene.hpp>

#include "study/own_table.hpp"

namespace livens {

// A study file and the scenes that it studies.
struct Study {
  Scene file, scene;
  std::vector<Scene> scenes{};  // of [[case]], one each; none if there are no such entries

  // Keys of the study (title, report, reference, sweep.KEY.values) go there, all others into the scene.
  void set(const std::string& key, const std::string& value);
};

// Throws SceneError. Scenes are looked for beside the study.
Study load_study(const std::string& path);

// One combination of the swept values, of one entry of [[case]] if there are any.
struct Case {
  Scene scene;
  std::string name{}, title{};                              // of its entry
  Variables numbers{};                                      // that it gives to tables
  std::vector<std::pair<std::string, std::string>> values;  // swept keys as written
  std::string method;     // the integrator without its step, e.g. "hamilton_pontryagin, alpha 0.5"
  std::string problem;    // swept values besides the integrator's, "" if there are none
  std::string step;       // as written; "" if the method has none
  double h = 0;           // s; 0 if the step varies
  std::size_t group = 0;  // cases of one group differ in their integrator only

  std::string label() const;
};

struct StudyPlan {
  std::string title, name;
  std::vector<Case> cases;
  std::vector<std::string> groups;  // problem of each group
  std::vector<std::string> notes;   // keys that were dropped
  std::optional<Node> reference_integrator;
  // What the reference has besides another integrator, by path, such as a finer mesh: fields are then compared, and one
  // run serves all groups that it does not differ for.
  std::vector<std::pair<std::string, Node>> reference_changes;
  bool reference_check = true;                      // a second run at half the step says how good it is
  std::vector<std::pair<std::string, Node>> exact;  // Q or Q_dot, and its expression of t
  // What was asked for; nothing: all that apply.
  std::optional<std::vector<std::string>> tables, plots;
  std::vector<OwnTable> own;             // tables that the study describes
  std::vector<std::string> tables_used;  // built-in ones whose values these contain
};

// Throws SceneError with all faults of the study and of the scenes it makes.
StudyPlan plan_study(const Study& study);

// Names that report.tables and report.plots take.
const std::vector<std::string>& study_tables();
const std::vector<std::string>& study_plots();

}  // namespace livens
