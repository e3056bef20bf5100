#include "run/finished_run.hpp"

#include <algorithm>
#include <cmath>

#include "files/files.hpp"
#include "files/frames_reader.hpp"
#include "files/history.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

}  // namespace

void require_run(const fs::path& directory, const std::string& what_to_take) {
  if (!fs::exists(directory)) throw RunError("'" + directory.string() + "': there is no such file or directory");
  if (fs::exists(directory / "study.json"))
    throw RunError("'" + directory.string() + "' holds a study, not a run. Open its report.html, or take its runs: " +
                   (fs::exists(directory / "runs") ? (directory / "runs").string() + "/*"
                                                   : "`livens study ... --keep-runs` writes them"));
  if (!is_run_directory(directory))
    throw RunError("'" + directory.string() + "' holds no run of livens: it has no summary.json of one. Use " +
                   what_to_take);
}

std::optional<std::vector<std::string>> runs_of_study(const fs::path& directory) {
  const bool study = fs::exists(directory / "study.json"), modes = fs::exists(directory / "modes.csv");
  if (is_run_directory(directory) || !(study || modes)) return std::nullopt;
  std::vector<std::string> runs;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory / "runs", none))
    if (is_run_directory(entry.path())) runs.push_back(entry.path().string());
  if (runs.empty())
    throw RunError(
        "'" + directory.string() +
        "' holds a study without its runs, which livens study keeps with --keep-runs. Its tables and plots are "
        "in " +
        (directory / "report.html").string());
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::string run_name(const fs::path& directory) {
  const fs::path plain = directory.lexically_normal();
  const std::string name = (plain.has_filename() ? plain : plain.parent_path()).filename().string();
  return name.empty() || name == "." || name == ".." ? fs::canonical(directory).filename().string() : name;
}

SummaryJson read_summary(const fs::path& directory) {
  SummaryJson summary = SummaryJson::parse(file_content(directory / "summary.json"), nullptr, false);
  return summary.is_object() ? summary : SummaryJson::object();
}

std::optional<Scene> read_scene(const fs::path& directory) {
  try {
    return load_scene((directory / "scene.toml").string());
  } catch (const SceneError&) {
    return std::nullopt;
  }
}

std::vector<Column> columns_of(const SummaryJson& summary, const fs::path& directory) {
  std::vector<Column> columns;
  for (const SummaryJson& column : part_of(summary, "columns"))
    if (column.is_object())
      columns.push_back({text_in(column, "name"), text_in(column, "unit"), text_in(column, "meaning")});
  if (!columns.empty()) return columns;
  for (const std::string& name : read_history(directory / "history.csv", 2).columns) columns.push_back({name, "", ""});
  return columns;
}

std::optional<fs::path> frames_file(const SummaryJson& summary, const fs::path& directory) {
  for (const SummaryJson& file : part_of(summary, "files")) {
    if (!file.is_string()) continue;
    const fs::path path = directory / fs::path(file.get<std::string>()).filename();
    if (path.extension() == ".h5" && fs::exists(path)) return path;
  }
  return std::nullopt;
}

std::shared_ptr<const Mesh> recorded_mesh(const FrameBody& body) {
  if (body.elements.empty()) return nullptr;
  auto mesh = std::make_shared<Mesh>();
  mesh->kind = kind_named(body.kind);
  mesh->X = body.reference;
  mesh->connectivity = body.elements;
  return mesh;
}

std::string text_in(const SummaryJson& object, const char* key, const std::string& fallback) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : fallback;
}

double number_in(const SummaryJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : std::nan("");
}

const SummaryJson& part_of(const SummaryJson& object, const char* key) {
  static const SummaryJson none = SummaryJson::object();
  const auto found = object.find(key);
  return found != object.end() && (found->is_object() || found->is_array()) ? *found : none;
}

}  // namespace livens
