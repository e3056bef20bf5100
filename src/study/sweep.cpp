#include "study/sweep.hpp"

#include <algorithm>
#include <map>

#include "records/values.hpp"
#include "scene/kinds.hpp"
#include "scene/schema.hpp"
#include "scene/sections.hpp"
#include "scene/set_value.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

using Kind = Node::Kind;

constexpr std::size_t max_cases = 10'000;

struct Sweep {
  std::string key;
  const Node* values;
};

void flatten(const Node& table, const std::string& path, std::vector<std::pair<std::string, Node>>& changes) {
  for (const auto& [key, value] : table.entries) {
    const std::string full = path.empty() ? key : path + "." + key;
    if (value.kind == Kind::table)
      flatten(value, full, changes);
    else
      changes.emplace_back(full, value);
  }
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

const Record* record_of(const Node& table, const std::string& section) {
  const Node* kind = table.find("kind");
  for (const Record* record : records_of(section))
    if (kind != nullptr && kind->text == record->name) return record;
  return nullptr;
}

// Whether "section.key" names a key that the kind of that table does not have.
bool is_foreign(const Scene& scene, const std::string& path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos || path.find('.', dot + 1) != std::string::npos) return false;
  const std::string section = path.substr(0, dot), key = path.substr(dot + 1);
  const Section* found = find_section(section);
  const Node* table = scene.root.find(section);
  if (found == nullptr || found->shape != Section::Shape::table || !found->kinds || table == nullptr) return false;
  const Record* record = record_of(*table, section);
  if (record == nullptr || key == "kind") return false;
  return std::none_of(record->parameters.begin(), record->parameters.end(),
                      [&](const Parameter& p) { return p.key == key; });
}

void apply(Case& made, const Sweep& sweep, const Node& value, std::vector<std::string>& notes) {
  if (is_foreign(made.scene, sweep.key)) {
    add_once(notes, sweep.key + " dropped: integrator '" + made.scene.root.find("integrator")->find("kind")->text +
                        "' has no such key.");
    return;
  }
  const std::size_t before = made.scene.notes.size();
  set_value(made.scene, sweep.key, value, written(value));
  for (std::size_t k = before; k < made.scene.notes.size(); ++k) add_once(notes, made.scene.notes[k]);
  made.values.emplace_back(sweep.key, written(value));
}

// Keys of the integrator that some sweep sets, without kind and step.
std::string swept_settings(const Case& made, const std::vector<Sweep>& sweeps) {
  const Node& table = *made.scene.root.find("integrator");
  std::string text;
  for (const auto& [key, value] : table.entries) {
    const auto sets = [&, name = key](const Sweep& s) {
      if (s.key == "integrator." + name) return true;
      return s.key == "integrator" && std::any_of(s.values->items.begin(), s.values->items.end(),
                                                  [&](const Node& item) { return item.find(name) != nullptr; });
    };
    if (key == "kind" || key == "step" || std::none_of(sweeps.begin(), sweeps.end(), sets)) continue;
    text += ", " + key + " " + written(value);
  }
  return text;
}

bool has_choice(const std::vector<Sweep>& sweeps, const std::string& key) {
  return std::any_of(sweeps.begin(), sweeps.end(),
                     [&](const Sweep& s) { return s.key == key && s.values->items.size() > 1; });
}

// Of a key of a section without kinds, such as time.end.
std::string unit_of(const std::string& path) {
  const std::size_t dot = path.find('.');
  const Section* section = dot == std::string::npos ? nullptr : find_section(path.substr(0, dot));
  if (section == nullptr || section->free_keys) return "";
  for (const Parameter& p : section->parameters)
    if (p.key == path.substr(dot + 1) && p.unit != "-" && p.unit != "any") return " " + p.unit;
  return "";
}

// Label and step of the integrator; `valid` is the validated scene of the case.
void describe(Case& made, const std::vector<Sweep>& sweeps, const ValidatedScene& valid) {
  const Node* table = made.scene.root.find("integrator");
  made.method = table->find("kind")->text + swept_settings(made, sweeps);
  made.problem = made.title;
  for (const auto& [key, text] : made.values)
    if (key.rfind("integrator", 0) != 0 && has_choice(sweeps, key))
      made.problem += (made.problem.empty() ? "" : ", ") + key + " = " + text + unit_of(key);
  const Node* step = table->find("step");
  if (step == nullptr) return;
  made.step = written(*step);
  const Settings& settings = valid.find("integrator")->settings;
  const auto function = settings.functions.find("step");
  if (function != settings.functions.end() && function->second[0].constant()) made.h = settings.number("step");
}

// The value of the sweep that a fault refers to.
Place place_of(const SceneFault& fault, const std::vector<Sweep>& sweeps, const std::vector<std::size_t>& choice) {
  Place place = fault.place;
  for (std::size_t k = 0; k < sweeps.size(); ++k) {
    const std::string& key = sweeps[k].key;
    if (fault.key == key || fault.key.rfind(key + ".", 0) == 0) place = sweeps[k].values->items[choice[k]].place;
  }
  return place;
}

class Expansion {
 public:
  Expansion(const Study& study, std::vector<Sweep> sweeps, std::vector<std::string>& notes,
            std::vector<SceneFault>& faults)
      : study_(study), sweeps_(std::move(sweeps)), notes_(notes), faults_(faults) {}

  std::vector<Case> run() {
    const Node* entries = study_.file.root.find("case");
    if (entries == nullptr) combine(nullptr, study_.scene);
    for (std::size_t k = 0; entries != nullptr && k < entries->items.size(); ++k)
      combine(&entries->items[k], study_.scenes[k]);
    return std::move(cases_);
  }

 private:
  void combine(const Node* entry, const Scene& scene) {
    std::vector<std::size_t> choice(sweeps_.size(), 0);
    do add_case(entry, scene, choice);
    while (advance(choice));
  }

  // The last sweep runs fastest.
  bool advance(std::vector<std::size_t>& choice) const {
    for (std::size_t k = sweeps_.size(); k-- > 0;) {
      if (++choice[k] < sweeps_[k].values->items.size()) return true;
      choice[k] = 0;
    }
    return false;
  }

  void add_numbers(const Node& table, Case& made) {
    for (const auto& [name, value] : table.entries) {
      if (value.kind == Kind::number || value.kind == Kind::integer)
        made.numbers[name] = value.number;
      else if (seen_faults_.emplace(made.name + name, 1).second)
        faults_.push_back({value.place, "case." + made.name + ".numbers." + name,
                           "expected a number, found " + livens::found(value) + "."});
    }
  }

  // What an entry of [[case]] says, before the sweeps.
  void begin_case(const Node& entry, Case& made) {
    made.name = entry.find("name")->text;
    made.title = entry.find("title") != nullptr ? entry.find("title")->text : made.name;
    made.values.emplace_back("case", made.name);
    if (const Node* numbers = entry.find("numbers")) add_numbers(*numbers, made);
    if (const Node* set = entry.find("set"))
      for (const auto& [path, value] : flattened(*set)) {
        set_value(made.scene, path, value, written(value));
        made.values.emplace_back(path, written(value));
      }
  }

  void add_case(const Node* entry, const Scene& scene, const std::vector<std::size_t>& choice) {
    Case made;
    made.scene = scene;
    std::vector<SceneFault> found;
    try {
      if (entry != nullptr) begin_case(*entry, made);
      for (std::size_t k = 0; k < sweeps_.size(); ++k)
        apply(made, sweeps_[k], sweeps_[k].values->items[choice[k]], notes_);
    } catch (const SceneError& error) {
      found = error.faults();
    }
    const ValidatedScene valid = found.empty() ? validate(made.scene, found) : ValidatedScene{};
    for (SceneFault fault : found) {
      if (fault.place.file == override_file) fault.place = place_of(fault, sweeps_, choice);
      if (fault.place.file == override_file && entry != nullptr) fault.place = entry->place;
      if (seen_faults_.emplace(fault.to_string(), 1).second) faults_.push_back(fault);
    }
    if (!found.empty() || !seen_.emplace(made.name + "\n" + made.scene.to_toml(), 1).second) return;
    describe(made, sweeps_, valid);
    cases_.push_back(std::move(made));
  }

  const Study& study_;
  std::vector<Sweep> sweeps_;
  std::vector<std::string>& notes_;
  std::vector<SceneFault>& faults_;
  std::vector<Case> cases_;
  std::map<std::string, int> seen_, seen_faults_;
};

}  // namespace

std::string written(const Node& value) { return value.kind == Kind::text ? value.text : toml_value(value); }

std::vector<std::pair<std::string, Node>> flattened(const Node& table) {
  std::vector<std::pair<std::string, Node>> changes;
  flatten(table, "", changes);
  return changes;
}

bool is_swept(const StudyPlan& plan, const std::string& key) {
  return std::any_of(plan.cases.begin(), plan.cases.end(), [&](const Case& made) {
    return std::any_of(made.values.begin(), made.values.end(), [&](const auto& value) { return value.first == key; });
  });
}

std::string Case::label() const {
  return method + (step.empty() ? "" : ", h = " + step + " s") + (problem.empty() ? "" : ", " + problem);
}

std::vector<Case> expand_sweeps(const Study& study, std::vector<std::string>& notes, std::vector<SceneFault>& faults) {
  std::vector<Sweep> sweeps;
  const std::size_t before = faults.size();
  std::size_t count = 1;
  const Node* list = study.file.root.find("sweep");
  static const std::vector<Node> none;
  for (const Node& entry : list != nullptr ? list->items : none) {
    const Node& values = *entry.find("values");
    if (values.items.empty()) faults.push_back({values.place, "sweep.values", "is empty: give at least one value."});
    sweeps.push_back({entry.find("key")->text, &values});
    count = std::min(count * std::max<std::size_t>(values.items.size(), 1), max_cases + 1);
  }
  if (count > max_cases)
    faults.push_back({list->place, "sweep", "makes more than " + std::to_string(max_cases) + " cases."});
  if (faults.size() > before) return {};
  return Expansion(study, std::move(sweeps), notes, faults).run();
}

}  // namespace livens
