#include "run/abandoned.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/files.hpp"
#include "run/checkpoint.hpp"
#include "run/finished_run.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

constexpr int cannot_write = 2;  // the exit code

SummaryJson summary_so_far(const fs::path& directory) {
  SummaryJson summary;
  try {
    summary = read_summary(directory);
  } catch (const RunError&) {
    summary = SummaryJson::object();
  }
  if (!summary.contains("schema")) summary["schema"] = "livens.summary/1";
  return summary;
}

std::vector<std::string> listed_files(const SummaryJson& summary) {
  std::vector<std::string> files;
  for (const SummaryJson& file : part_of(summary, "files"))
    if (file.is_string()) files.push_back(file.get<std::string>());
  for (const char* name : {"state.json", "report.html"})
    if (std::find(files.begin(), files.end(), name) == files.end()) files.emplace_back(name);
  return files;
}

// The old file has its place on the disk already; what is shorter fits into it.
void overwrite(const fs::path& path, std::string text) {
  File file(path, File::Mode::update);
  const auto room = static_cast<std::size_t>(file.size());
  if (text.size() + 1 > room) return;
  text.resize(room - 1, ' ');
  file.write_at(0, text + "\n");
  file.sync();
}

void write_summary(const fs::path& path, const SummaryJson& summary) {
  constexpr auto replace = SummaryJson::error_handler_t::replace;
  try {
    write_file(path, summary.dump(2, ' ', false, replace) + "\n");
  } catch (const RunError&) {
    try {
      overwrite(path, summary.dump(-1, ' ', false, replace));
    } catch (const RunError&) {
      return;  // the terminal says it
    }
  }
}

}  // namespace

std::string abandon_run(const fs::path& directory, const std::string& why, const std::string& resume) {
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored))
    return fmt::format("{}. The directory {} is gone, and the run with it", why, directory.string());
  SummaryJson summary = summary_so_far(directory);
  std::vector<std::string> there, missing;
  for (const std::string& file : listed_files(summary))
    (fs::exists(directory / file, ignored) ? there : missing).push_back(file);
  const std::string lacks =
      missing.empty() ? "" : fmt::format(". {} lacks {}", directory.string(), fmt::join(missing, ", "));
  const std::string next = checkpoints_of(directory).empty() ? "It has no checkpoint to go on from"
                                                             : "To go on from its last checkpoint: " + resume;
  summary["status"] = "failed";
  summary["exit_code"] = cannot_write;
  summary["failure"] = {{"code", "cannot_write"}, {"message", why + lacks}, {"why", why}, {"advice", {next}}};
  summary["files"] = there;
  summary["missing"] = missing;
  write_summary(directory / "summary.json", summary);
  return fmt::format("{}{}. {}", why, lacks, next);
}

}  // namespace livens
