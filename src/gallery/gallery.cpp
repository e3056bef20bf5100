#include "gallery/gallery.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <livens/run.hpp>
#include <livens/scene.hpp>

#include "adapt/adapt_scene.hpp"
#include "export/export.hpp"
#include "files/files.hpp"
#include "files/history.hpp"
#include "gallery/gallery_page.hpp"
#include "path/path_scene.hpp"
#include "records/suggest.hpp"
#include "report/report.hpp"
#include "run/film.hpp"
#include "scene/toml.hpp"
#include "study/study.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

struct GalleryEntry {
  std::string name, file, group, title, shows, note;
  std::vector<std::string> set;      // KEY=VALUE
  std::vector<std::string> numbers;  // what to look at, besides what the run says itself
  std::vector<std::string> plot;     // two columns of history.csv, where there is nothing to film
  std::string figure;                // of a study
  FilmOptions film;
};

std::string text_of(const Node& entry, const char* key) {
  const Node* found = entry.find(key);
  return found == nullptr ? "" : found->text;
}

std::vector<std::string> list_of(const Node& entry, const char* key) {
  std::vector<std::string> texts;
  if (const Node* found = entry.find(key))
    for (const Node& item : found->items) texts.push_back(item.text);
  return texts;
}

GalleryEntry read_entry(const Node& node) {
  static const std::vector<std::string> known = {"file", "group", "title",   "shows",  "note",       "set",
                                                 "plot", "field", "numbers", "figure", "exaggerate", "frames"};
  std::vector<SceneFault> faults;
  for (const auto& [key, value] : node.entries)
    if (std::find(known.begin(), known.end(), key) == known.end())
      faults.push_back({value.key_place, "entry." + key, "is not a key of a gallery."});
  if (text_of(node, "file").empty()) faults.push_back({node.place, "entry.file", "is missing: a scene or a study."});
  if (!faults.empty()) throw SceneError(std::move(faults));
  GalleryEntry entry;
  entry.file = text_of(node, "file");
  entry.name = fs::path(entry.file).replace_extension("").string();
  if (entry.name.starts_with("scenes/")) entry.name.erase(0, 7);
  std::replace(entry.name.begin(), entry.name.end(), '/', '_');
  entry.group = text_of(node, "group");
  entry.title = text_of(node, "title");
  entry.shows = text_of(node, "shows");
  entry.note = text_of(node, "note");
  entry.set = list_of(node, "set");
  entry.numbers = list_of(node, "numbers");
  entry.plot = list_of(node, "plot");
  entry.figure = text_of(node, "figure");
  entry.film.field = text_of(node, "field");
  if (const Node* n = node.find("exaggerate")) entry.film.exaggerate = n->number;
  if (const Node* n = node.find("frames")) entry.film.frames = static_cast<int>(n->number);
  return entry;
}

std::pair<std::string, std::string> change_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw RunError("refused   gallery: '" + text + "' in set: expected KEY=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string command_of(const GalleryEntry& entry, const char* verb) {
  std::string text = fmt::format("livens {} {}", verb, entry.file);
  for (const std::string& change : entry.set)
    text += change.find_first_of(" '\"[{") == std::string::npos ? " --set " + change : " --set '" + change + "'";
  return text;
}

// Two columns against each other, as a picture.
std::string plot_of(const fs::path& run, const GalleryEntry& entry) {
  const History history = read_run_history(run, 20'000);
  const std::vector<std::string> columns =
      entry.plot.size() == 2 ? entry.plot : std::vector<std::string>{"t", "energy_error"};
  const auto *x = history.find(columns[0]), *y = history.find(columns[1]);
  if (x == nullptr || y == nullptr)
    throw RunError(fmt::format("refused   gallery: {} has no columns {} and {}", entry.file, columns[0], columns[1]));
  Plot plot;
  plot.x_label = columns[0];
  plot.y_label = columns[1];
  plot.curves.push_back(
      {"", *x, *y, columns[0] != "t" && is_sparse(*x, *y) ? Curve::Style::points : Curve::Style::line});
  return render_svg(plot, 480, 320);
}

class GalleryMaker {
 public:
  GalleryMaker(const fs::path& root, const GalleryOptions& options)
      : root_(root), out_(options.out), options_(options) {}

  GalleryCard make(const GalleryEntry& entry) {
    GalleryCard card;
    card.group = entry.group;
    card.name = entry.name;
    card.shows = entry.shows;
    card.note = entry.note;
    card.numbers = entry.numbers;
    const std::string file = (root_ / entry.file).string();
    const Node text = parse_toml(file_content(file), file);
    const auto began = std::chrono::steady_clock::now();
    if (text.find("sweep") != nullptr)
      make_study(entry, file, card);
    else if (text.find("adapt") != nullptr)
      make_adaption(entry, file, card);
    else if (text.find("path") != nullptr)
      make_path(entry, file, card);
    else
      make_run(entry, file, card);
    if (!entry.title.empty()) card.title = entry.title;
    card.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return card;
  }

 private:
  fs::path directory_of(const GalleryEntry& entry) const { return out_ / "runs" / entry.name; }

  Scene scene_of(const GalleryEntry& entry, const std::string& file) const {
    Scene scene = load_scene(file);
    for (const std::string& change : entry.set) {
      const auto [key, value] = change_of(change);
      scene.set(key, value);
    }
    return scene;
  }

  void make_run(const GalleryEntry& entry, const std::string& file, GalleryCard& card) {
    const Scene scene = scene_of(entry, file);
    RunOptions run_options;
    run_options.out = directory_of(entry).string();
    run_options.threads = options_.threads;
    run_options.interrupted = options_.interrupted;
    const RunResult result = run(scene, run_options);
    card.title = scene.title();
    card.command = command_of(entry, "run");
    card.links.push_back({"report", fmt::format("runs/{}/report.html", entry.name)});
    const json summary = json::parse(result.summary);
    for (const json& finding : summary.value("findings", json::array())) card.findings.push_back(finding);
    card.verdict = summary.value("verdict", "");
    if (result.exit_code != 0)
      card.findings.insert(card.findings.begin(), "The run ended early: " + result.status + ".");
    const std::vector<Image> images = entry.plot.empty() ? film(directory_of(entry), entry.film) : std::vector<Image>{};
    if (options_.pages && !images.empty()) {
      ExportOptions wanted;
      wanted.out = out_ / (entry.name + ".html");
      fs::remove(wanted.out);
      export_runs("html", {directory_of(entry).string()}, wanted);
      card.links.push_back({"animation", entry.name + ".html"});
    }
    if (images.empty())
      add_picture(card, entry.name + ".svg", plot_of(directory_of(entry), entry), 480, 320);
    else
      add_picture(card, entry.name + ".png", apng_bytes(images, 1.0 / 12), images.front().width, images.front().height);
  }

  void make_study(const GalleryEntry& entry, const std::string& file, GalleryCard& card) {
    Study study = load_study(file);
    for (const std::string& change : entry.set) {
      const auto [key, value] = change_of(change);
      study.set(key, value);
    }
    StudyOptions study_options;
    study_options.out = directory_of(entry).string();
    study_options.figures = (directory_of(entry).string() + "_figures");
    study_options.threads = options_.threads;
    study_options.interrupted = options_.interrupted;
    const StudyResult result = run_study(study, study_options);
    card.title = study.file.title();
    card.command = command_of(entry, "study");
    card.findings = {result.lines.back().substr(result.lines.back().find(": ") + 2)};
    card.findings.back() = card.findings.back().substr(0, card.findings.back().find(" See"));
    card.links.push_back({"report", fmt::format("runs/{}/report.html", entry.name)});
    std::vector<fs::path> figures;
    for (const auto& found : fs::directory_iterator(study_options.figures)) figures.push_back(found.path());
    std::sort(figures.begin(), figures.end());
    const auto wanted = std::find_if(figures.begin(), figures.end(), [&](const fs::path& path) {
      return path.filename().string().find(entry.figure) != std::string::npos;
    });
    if (wanted != figures.end()) add_picture(card, entry.name + ".svg", file_content(*wanted), 0, 0);
    fs::remove_all(study_options.figures);
  }

  void make_adaption(const GalleryEntry& entry, const std::string& file, GalleryCard& card) {
    const Scene scene = scene_of(entry, file);
    AdaptSceneOptions adapt_options;
    adapt_options.out = directory_of(entry).string();
    adapt_options.threads = options_.threads;
    adapt_options.interrupted = options_.interrupted;
    const AdaptSceneResult result = adapt_scene(scene, adapt_options);
    card.title = scene.title();
    card.command = command_of(entry, "adapt");
    card.links.push_back({"report", fmt::format("runs/{}/report.html", entry.name)});
    const json numbers = json::parse(file_content(directory_of(entry) / "adapt.json"));
    card.findings = {fmt::format("{:.4g} J gained, spread of J over contours {:.1e} before, {:.1e} after.",
                                 numbers["energy"]["gained"].get<double>(), numbers["spread"]["before"].get<double>(),
                                 numbers["spread"]["after"].get<double>())};
    if (result.exit_code != 0) card.findings.insert(card.findings.begin(), numbers["message"].get<std::string>());
    add_picture(card, entry.name + ".png", file_content(directory_of(entry) / "after.png"), 640, 640);
  }

  void make_path(const GalleryEntry& entry, const std::string& file, GalleryCard& card) {
    const Scene scene = scene_of(entry, file);
    PathSceneOptions path_options;
    path_options.out = directory_of(entry).string();
    path_options.threads = options_.threads;
    path_options.interrupted = options_.interrupted;
    path_scene(scene, path_options);
    card.title = scene.title();
    card.command = command_of(entry, "path");
    card.links.push_back({"report", fmt::format("runs/{}/report.html", entry.name)});
    const json numbers = json::parse(file_content(directory_of(entry) / "summary.json"));
    card.findings = {
        numbers["status"] == "done"
            ? fmt::format("Action {:.6g} J s: {}.", numbers["action"].get<double>(), numbers["kind"].get<std::string>())
            : numbers["message"].get<std::string>()};
    add_picture(card, entry.name + ".svg", file_content(directory_of(entry) / "path.svg"), 480, 320);
  }

  void add_picture(GalleryCard& card, const std::string& name, const std::string& bytes, int width, int height) {
    write_file(out_ / name, bytes);
    card.picture = name;
    card.width = width;
    card.height = height;
  }

  fs::path root_, out_;
  const GalleryOptions& options_;
};

std::vector<std::string> names_of(const std::vector<GalleryEntry>& entries) {
  std::vector<std::string> names;
  for (const GalleryEntry& entry : entries) names.push_back(entry.name);
  return names;
}

// Only what a gallery wrote is replaced.
void prepare(const fs::path& out) {
  std::error_code error;
  const bool own =
      fs::exists(out / "index.html") && file_content(out / "index.html").find("livens gallery") != std::string::npos;
  if (fs::exists(out) && !fs::is_empty(out) && !own)
    throw RunError("refused   '" + out.string() + "' is not empty and holds no gallery of livens. Use another --out");
  fs::create_directories(out / "runs", error);
  if (error) throw RunError("refused   cannot make '" + out.string() + "': " + error.message());
}

}  // namespace

GalleryResult make_gallery(const std::string& list, const GalleryOptions& options) {
  const Node file = parse_toml(file_content(list), list);
  std::vector<GalleryEntry> entries;
  if (const Node* all = file.find("entry"))
    for (const Node& node : all->items) entries.push_back(read_entry(node));
  if (!options.only.empty()) {
    for (const std::string& name : options.only)
      if (std::none_of(entries.begin(), entries.end(), [&](const GalleryEntry& e) { return e.name == name; }))
        throw RunError("refused   '" + list + "' has no entry '" + name + "'." +
                       suggestion(name, names_of(entries), "There are"));
    std::erase_if(entries, [&](const GalleryEntry& e) {
      return std::find(options.only.begin(), options.only.end(), e.name) == options.only.end();
    });
  }
  if (entries.empty()) throw RunError("refused   '" + list + "' has no [[entry]]");
  const fs::path out = options.out;
  prepare(out);
  // The list is in docs/; what it names is relative to the project.
  GalleryMaker maker(fs::path(list).parent_path() / text_of(file, "root"), options);
  GalleryResult result;
  std::vector<GalleryCard> cards;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (options.interrupted && options.interrupted()) {
      result.exit_code = 130;
      break;
    }
    if (options.progress) options.progress(entries[k].name, k, entries.size());
    try {
      cards.push_back(maker.make(entries[k]));
    } catch (const std::exception& error) {  // the others are made nevertheless
      result.exit_code = 2;
      result.lines.push_back("failed    " + entries[k].file + ": " + error.what());
    }
  }
  write_file(out / "index.html", gallery_page(text_of(file, "title"), text_of(file, "intro"), cards));
  result.lines.push_back(fmt::format("{:<9} {}: {} of {} scenes. Open {}", result.exit_code == 130 ? "stopped" : "done",
                                     out.string(), cards.size(), entries.size(), (out / "index.html").string()));
  return result;
}

}  // namespace livens
