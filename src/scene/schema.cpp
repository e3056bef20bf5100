// A whole scene against its sections.
#include "scene/schema.hpp"

#include <algorithm>
#include <tuple>

#include <livens/probe.hpp>

#include "records/suggest.hpp"
#include "records/values.hpp"
#include "scene/evaluate_parameters.hpp"
#include "scene/kinds.hpp"
#include "scene/sections.hpp"
#include "scene/toml.hpp"

namespace livens {
namespace {

using Kind = Node::Kind;
using Shape = Section::Shape;
using Use = Section::Use;

bool serves(const Section& section, Use use) { return section.use == Use::both || section.use == use; }

std::vector<std::string> section_names(Use use) {
  std::vector<std::string> names;
  for (const Section& section : sections())
    if (serves(section, use)) names.push_back(section.name);
  return names;
}

bool is_enabled(const Node& entry) {
  const Node* enabled = entry.find("enabled");
  return enabled == nullptr || enabled->kind != Kind::boolean || enabled->flag;
}

bool has_tables(const Node& node) {
  return node.kind == Kind::table || (!node.items.empty() && node.items[0].kind == Kind::table);
}

// The section among whose keys this one is.
std::string home_of(const std::string& key) {
  const auto has = [&](const std::vector<Parameter>& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.key == key; });
  };
  for (const Section& section : sections()) {
    if (section.shape == Shape::key || section.free_keys) continue;
    if (has(section.parameters)) return section.name;
    for (const Record* record : section.kinds ? records_of(section.name) : std::vector<const Record*>{})
      if (has(record->parameters)) return section.name;
  }
  return "";
}

// A key that is a section of its own slid below a header: TOML gives it to the table above.
std::string section_of_its_own(const std::string& key, const std::string& path) {
  const Section* section = find_section(key);
  const Section* above = find_section(path.substr(0, path.find('.')));
  if (section == nullptr || above == nullptr) return "";
  const bool top = section->shape == Section::Shape::key;
  return "'" + key + "' is a " + (top ? "key" : "section") + " of its own, but stands below the header " +
         above->header() + ". " + (top ? "Write it above the first header." : "Write " + section->header() + ".");
}

class Validation {
 public:
  Validation(const Scene& scene, Use use, std::vector<SceneFault>& faults)
      : scene_(scene),
        use_(use),
        parameters_(evaluate_parameters(scene.root.find("parameters"), faults)),
        environment_(std::make_shared<Environment>()),
        context_{environment_, faults} {
    environment_->parameters = parameters_.values;
    environment_->elsewhere = section_of_its_own;
    context_.broken = parameters_.broken;
  }

  void without_mechanics() { mechanics_ = false; }

  ValidatedScene run() {
    report_not_finite(scene_.root, "", context_.faults);
    report_unknown_sections();
    collect_names();
    read_top_keys();
    for (const Section& section : sections())
      if (serves(section, use_) && section.shape != Shape::key) read_section(section);
    if (use_ == Use::scene) check_time();
    if (use_ == Use::scene && mechanics_) report_nothing_to_move();
    if (use_ == Use::study) check_cases();
    if (use_ == Use::study) check_reference();
    check_probes();
    result_.notes = check_parameters(scene_, parameters_, context_);
    result_.environment = environment_;
    return std::move(result_);
  }

 private:
  void fail(const Place& place, const std::string& path, const std::string& message) {
    context_.fail(place, path, message);
  }

  // For what is missing altogether, the file alone is the place.
  Place file() const { return {scene_.root.place.file, 0, 0}; }

  void report_unknown_sections() {
    for (const auto& [key, value] : scene_.root.entries) {
      const Section* section = find_section(key);
      if (section != nullptr && serves(*section, use_)) continue;
      fail(value.key_place, key, section != nullptr ? wrong_use(key) : unknown_section(key, value));
      mark_uses(value, context_);
    }
  }

  std::string wrong_use(const std::string& key) const {
    if (use_ == Use::study) return "belongs in the scene that the study names, not in the study.";
    return "belongs to a study. Run this file with: livens study" + (scene_.path.empty() ? "" : " " + scene_.path) +
           (key == "scene" ? "" : ", and give it a scene") + ".";
  }

  std::string unknown_section(const std::string& key, const Node& value) const {
    const auto names = section_names(use_);
    const std::string near = nearest(key, names), home = has_tables(value) ? "" : home_of(key);
    if (near.empty() && !home.empty())
      return "unknown key. It belongs below " + find_section(home)->header() + ": " + home + "." + key + ".";
    return std::string("unknown ") + (has_tables(value) ? "section." : "key.") + suggestion(key, names, "There are");
  }

  void collect_names() {
    for (const Section& section : sections()) {
      if (section.shape != Shape::list || !serves(section, use_)) continue;
      auto& names = environment_->names[section.name];
      const Node* list = scene_.root.find(section.name);
      if (list == nullptr || list->kind != Kind::array) continue;
      for (const Node& entry : list->items)
        if (is_enabled(entry)) names.push_back(entry_name(entry));
    }
    // The coordinates of a system form a body of that name.
    if (scene_.root.find("system") != nullptr) environment_->names["body"].push_back("system");
  }

  void read_top_keys() {
    Entry top;
    top.settings.place = scene_.root.place;
    for (const Section& section : sections()) {
      if (section.shape != Shape::key || !serves(section, use_)) continue;
      const Parameter& parameter = section.parameters[0];
      const Node* node = scene_.root.find(section.name);
      if (node != nullptr) {
        top.settings.nodes[section.name] = std::make_shared<const Node>(*node);
        read_value(*node, parameter, section.name, top.settings, context_);
      } else if (section.required) {
        fail(file(), section.name, "required key is missing: " + expected(parameter) + ", " + parameter.brief + ".");
      }
    }
    result_.entries.push_back(std::move(top));
  }

  void read_section(const Section& section) {
    const Node* node = scene_.root.find(section.name);
    if (node == nullptr) return read_absent(section);
    if (section.shape == Shape::list) return read_list(section, *node);
    if (node->kind == Kind::array)
      return fail(node->place, section.name,
                  "there is only one: write " + section.header() + ", not [[" + section.name + "]].");
    if (node->kind != Kind::table)
      return fail(node->place, section.name, "expected a table, " + section.header() + ", found " + found(*node) + ".");
    if (section.name == "markers") return read_markers(section, *node);
    if (!section.free_keys) read_entry(section, *node, section.name, section.name);
  }

  // Before the sections that name them: markers come early in sections().
  void read_markers(const Section& section, const Node& table) {
    for (const auto& [name, node] : table.entries) {
      Settings settings;
      Parameter place = section.parameters.front();
      place.key = name;
      read_value(node, place, "markers." + name, settings, context_);
      if (settings.has(name)) environment_->markers[name] = settings.vector(name);
    }
  }

  void read_absent(const Section& section) {
    if (section.required) {
      std::string keys = section.kinds ? " kind" : "";
      for (const Parameter& p : section.parameters)
        if (p.required) keys += (keys.empty() ? " " : ", ") + p.key;
      fail(file(), section.name, "required section is missing. Write " + section.header() + " with" + keys + ".");
    } else if (section.shape == Shape::table && !section.kinds && !section.free_keys) {
      Node nothing;
      nothing.place = file();
      add_entry(section, nothing, section.name, section.name, section.parameters, "");
      result_.entries.back().written = false;
    }
  }

  void read_list(const Section& section, const Node& list) {
    if (list.kind != Kind::array)
      return fail(
          list.place, section.name,
          "is a list. Write " + section.header() +
              (list.kind == Kind::table ? " instead of [" + section.name + "]." : ", found " + found(list) + "."));
    std::map<std::string, const Node*> seen;
    for (std::size_t i = 0; i < list.items.size(); ++i) read_item(section, list.items[i], i, seen);
  }

  void read_item(const Section& section, const Node& item, std::size_t index,
                 std::map<std::string, const Node*>& seen) {
    const std::string name = item.kind == Kind::table ? entry_name(item) : "";
    const std::string path = section.name + (name.empty() ? "[" + std::to_string(index + 1) + "]" : "." + name);
    if (item.kind != Kind::table)
      return fail(item.place, path, "expected a table, " + section.header() + ", found " + found(item) + ".");
    if (section.names && !check_name(section, item, name, path, seen)) return;
    read_entry(section, item, name, path);
  }

  bool check_name(const Section& section, const Node& item, const std::string& name, const std::string& path,
                  std::map<std::string, const Node*>& seen) {
    const Node* given = item.find("name");
    const Place place = given != nullptr ? given->place : item.place;
    if (given != nullptr && given->kind != Kind::text) {
      fail(place, path + ".name", "expected text in quotes, found " + found(*given) + ".");
    } else if (given != nullptr && !is_good_name(given->text)) {
      fail(place, path + ".name", "a name is not empty and contains none of . , \" / and no control characters.");
    } else if (given == nullptr && !section.kinds) {
      fail(place, path + ".name", "required key is missing: text in quotes.");
    } else if (!name.empty() && !seen.emplace(name, &item).second) {
      fail(place, path,
           "another " + section.name + " in line " + std::to_string(seen[name]->place.line) + " is called '" + name +
               "' already. Give one of them its own name.");
      mark_uses(item, context_);
      return false;
    }
    return true;
  }

  // Dots separate the parts of paths, commas and quotes the columns of history.csv, slashes the parts of files.
  static bool is_good_name(const std::string& name) {
    return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
      return std::string_view(".,\"/").find(c) != std::string_view::npos || (c >= 0 && c < 0x20) || c == 0x7F;
    });
  }

  void read_entry(const Section& section, const Node& node, const std::string& name, const std::string& path) {
    check_enabled(section, node, path);
    const Record* record = section.kinds ? read_kind(node, path, records_of(section.name), context_) : nullptr;
    if ((section.names && !is_enabled(node)) || (section.kinds && record == nullptr)) return mark_uses(node, context_);
    add_entry(section, node, name, path, record != nullptr ? record->parameters : section.parameters,
              record != nullptr ? record->name : "");
  }

  void check_enabled(const Section& section, const Node& node, const std::string& path) {
    const Node* enabled = node.find("enabled");
    if (section.names && enabled != nullptr && enabled->kind != Kind::boolean)
      fail(enabled->place, path + ".enabled", "expected true or false, found " + found(*enabled) + ".");
  }

  void add_entry(const Section& section, const Node& node, const std::string& name, const std::string& path,
                 std::span<const Parameter> parameters, const std::string& kind) {
    std::vector<std::string> common;
    if (section.kinds) common.push_back("kind");
    if (section.names) common.insert(common.end(), {"name", "enabled"});
    Entry entry{section.name, name, kind, read_settings(node, path, parameters, context_, common)};
    if (section.kinds) entry.settings.values["kind"] = kind;
    result_.entries.push_back(std::move(entry));
  }

  void check_time() {
    const Entry* time = result_.find("time");
    if (time == nullptr || !time->settings.has("begin") || !time->settings.has("end")) return;
    const double begin = time->settings.number("begin"), end = time->settings.number("end");
    if (end > begin) return;
    context_.faults.push_back(
        time->settings.fault("end", "has to be after time.begin = " + shown(begin) + " s, is " + shown(end) + "."));
  }

  void check_cases() {
    const Node *cases = scene_.root.find("case"), *sweep = scene_.root.find("sweep");
    if (sweep == nullptr && (cases == nullptr || cases->items.empty()))
      fail(file(), "sweep", "required section is missing. Write [[sweep]] with key, values, or [[case]] with name.");
    const auto has_scene = [](const Node& entry) { return entry.find("scene") != nullptr; };
    if (scene_.root.find("scene") != nullptr) return;
    if (cases == nullptr || !std::all_of(cases->items.begin(), cases->items.end(), has_scene))
      fail(file(), "scene", "required key is missing: text in quotes, file of the scene to be studied.");
  }

  void check_reference() {
    const Entry* reference = result_.find("reference");
    if (reference == nullptr || !reference->written) return;
    const Settings& settings = reference->settings;
    const int given = settings.given("integrator") + settings.given("exact");
    if (given == 2 || (given == 0 && !settings.given("set")))
      context_.faults.push_back(settings.fault("", "give either integrator or exact, or a finer mesh by set."));
    if (settings.given("set") && settings.given("exact"))
      context_.faults.push_back(settings.fault("set", "cannot be combined with exact."));
  }

  // Here, not where probes are made: other faults would keep them from being made.
  void check_probes() {
    for (const Entry* probe : result_.all("probe")) {
      if (!probe->settings.has("record")) continue;
      for (const std::string& name : probe->settings.names("record"))
        if (probe_records().find(name) == nullptr)
          context_.faults.push_back(probe->settings.fault(
              "record", "no quantity '" + name + "'." + suggestion(name, probe_records().names(), "There are")));
    }
  }

  void report_nothing_to_move() {
    if (scene_.root.find("system") == nullptr && scene_.root.find("body") == nullptr)
      fail(file(), "", "nothing to move: write a [system] or a [[body]].");
  }

  const Scene& scene_;
  Use use_;
  bool mechanics_ = true;
  EvaluatedParameters parameters_;
  std::shared_ptr<Environment> environment_;
  Context context_;
  ValidatedScene result_;
};

ValidatedScene validate_as(const Scene& scene, Use use, std::vector<SceneFault>& faults, bool mechanics = true) {
  std::vector<SceneFault> found_here;
  Validation validation(scene, use, found_here);
  if (!mechanics) validation.without_mechanics();
  ValidatedScene result = validation.run();
  put_in_order(found_here);
  faults.insert(faults.end(), found_here.begin(), found_here.end());
  return result;
}

}  // namespace

void put_in_order(std::vector<SceneFault>& faults) {
  const auto place = [](const SceneFault& f) { return std::tie(f.place.file, f.place.line, f.place.column); };
  std::stable_sort(faults.begin(), faults.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  const auto same = [](const auto& a, const auto& b) { return a.to_string() == b.to_string(); };
  faults.erase(std::unique(faults.begin(), faults.end(), same), faults.end());
}

const Entry* ValidatedScene::find(const std::string& section, const std::string& name) const {
  for (const Entry& entry : entries)
    if (entry.section == section && (name.empty() || entry.name == name)) return &entry;
  return nullptr;
}

std::vector<const Entry*> ValidatedScene::all(const std::string& section) const {
  std::vector<const Entry*> found_entries;
  for (const Entry& entry : entries)
    if (entry.section == section) found_entries.push_back(&entry);
  return found_entries;
}

ValidatedScene validate(const Scene& scene, std::vector<SceneFault>& faults) {
  return validate_as(scene, Use::scene, faults);
}

ValidatedScene validate_run(const Scene& scene, std::vector<SceneFault>& faults) {
  return validate_as(scene, Use::scene, faults, false);
}

ValidatedScene validate_study(const Scene& study, std::vector<SceneFault>& faults) {
  return validate_as(study, Use::study, faults);
}

ValidatedScene validated(const Scene& scene) {
  std::vector<SceneFault> faults;
  ValidatedScene result = validate(scene, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  return result;
}

ValidatedScene validated_run(const Scene& scene) {
  std::vector<SceneFault> faults;
  ValidatedScene result = validate_run(scene, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  return result;
}

bool is_study(const Scene& scene) { return scene.root.find("sweep") != nullptr || scene.root.find("scene") != nullptr; }

Settings integrator_settings(const std::string& inline_table) {
  const std::string file = "integrator";
  const Node root = parse_toml("integrator = { " + inline_table + " }", file);
  std::vector<SceneFault> faults;
  Context context{std::make_shared<const Environment>(), faults};
  const Node& table = *root.find("integrator");
  Settings settings;
  const std::string kind = "kind";
  if (const Record* record = read_kind(table, "integrator", pointers(integrator_records()), context))
    settings = read_settings(table, "integrator", record->parameters, context, std::span(&kind, 1));
  if (!faults.empty()) throw SceneError(faults);
  settings.values["kind"] = table.find("kind")->text;
  return settings;
}

}  // namespace livens
