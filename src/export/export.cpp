#include "export/export.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <livens/run.hpp>

#include "records/suggest.hpp"
#include "run/finished_run.hpp"

namespace livens {
namespace {

void refuse_unused(const ExportFormat& format, const std::string& option, const std::string& use, bool given) {
  if (!given || std::find(format.uses.begin(), format.uses.end(), use) != format.uses.end()) return;
  std::vector<std::string> others;
  for (const ExportFormat& other : export_formats())
    if (std::find(other.uses.begin(), other.uses.end(), use) != other.uses.end()) others.push_back(other.name);
  throw RunError(fmt::format("--format {} has no {}; {} {}", format.name, option, listed(others),
                             others.size() == 1 ? "has" : "have"));
}

}  // namespace

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> formats = {
      {"html", "one page with animation and plots, that any browser opens", {"fields", "frames"}, true, export_html},
      {"blender",
       "surfaces and point caches with a script that opens them in Blender",
       {"body", "frames"},
       false,
       export_blender},
      {"vtu", "bodies with all recorded fields, for ParaView", {"fields", "body", "frames"}, false, export_vtu},
      {"csv",
       "the history as a table with units, or with --body the nodes of a body",
       {"columns", "fields", "body", "frames"},
       false,
       export_csv},
  };
  return formats;
}

ExportResult export_runs(const std::string& format, const std::vector<std::string>& runs,
                         const ExportOptions& options) {
  const auto& formats = export_formats();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const auto& each) { return each.name == format; });
  if (found == formats.end()) {
    std::vector<std::string> names;
    for (const ExportFormat& each : formats) names.push_back(each.name);
    throw RunError("unknown format '" + format + "'." + suggestion(format, names, "There are"));
  }
  refuse_unused(*found, "--fields", "fields", !options.fields.empty());
  refuse_unused(*found, "--body", "body", !options.bodies.empty());
  refuse_unused(*found, "--columns", "columns", !options.columns.empty());
  if (options.choice.every > 0 && options.choice.fps > 0)
    throw RunError("--every and --fps both choose frames: use one of them");
  if (runs.size() > 1 && !found->several_runs)
    throw RunError("--format " + format + " takes one run; --format html takes several");
  for (const std::string& run : runs) require_run(run, "a directory that livens run wrote");
  return found->write(runs, options);
}

void ask_to_go_on(const ExportOptions& options) {
  if (options.interrupted && options.interrupted()) throw ExportInterrupted("interrupted; nothing was written");
}

void require_known(const std::vector<std::string>& names, const std::vector<std::string>& known,
                   const std::string& what, const std::string& run) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw RunError(fmt::format("'{}' has no {} '{}'.{}", run, what, name, suggestion(name, known, "There are")));
  }
}

void refuse_without_frames(const std::string& run) {
  const auto scene = read_scene(run);
  if (scene && scene->root.find("system") != nullptr && scene->root.find("body") == nullptr)
    throw RunError("'" + run + "' is a system in generalised coordinates, without nodes: export --format html or csv");
  throw RunError("'" + run +
                 "' has no recording of frames. Run its scene with output = [{ kind = \"frames\", every = \"1/30\" }], "
                 "or export --format csv or html, which need none");
}

void require_free(const std::filesystem::path& out) {
  if (std::filesystem::exists(std::filesystem::symlink_status(out)))
    throw RunError("'" + out.string() + "' exists: remove it, or use another --out");
}

}  // namespace livens
