// Finished runs as files for other programs: a page with animation and plots, Blender, ParaView, tables. To add a
// format, write its function and add its record to the list in export.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "export/frame_choice.hpp"

namespace livens {

struct ExportOptions {
  std::filesystem::path out;                         // empty: beside the working directory, by the name of the run
  FrameChoice choice;                                // which frames
  std::vector<std::string> fields, bodies, columns;  // empty: all
  std::function<bool()> interrupted = {};            // asked before every frame
};

struct ExportResult {
  std::string text;                // what there is now, and how to open it
  std::vector<std::string> notes;  // what was left out, and why
};

// Ended by ExportOptions::interrupted: nothing is left behind.
class ExportInterrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ExportFormat {
  std::string name, brief;
  std::vector<std::string> uses;  // of fields, body, columns, frames: the options it knows
  bool several_runs = false;
  ExportResult (*write)(const std::vector<std::string>& runs, const ExportOptions& options) = nullptr;
};

const std::vector<ExportFormat>& export_formats();
// Throws RunError: no such format, an option that the format does not know, no run, nothing to export, no place.
ExportResult export_runs(const std::string& format, const std::vector<std::string>& runs, const ExportOptions& options);

// The formats, each in a file of its own.
ExportResult export_html(const std::vector<std::string>& runs, const ExportOptions& options);
ExportResult export_blender(const std::vector<std::string>& runs, const ExportOptions& options);
ExportResult export_vtu(const std::vector<std::string>& runs, const ExportOptions& options);
ExportResult export_csv(const std::vector<std::string>& runs, const ExportOptions& options);

// What they share.
void ask_to_go_on(const ExportOptions& options);  // throws ExportInterrupted
// Throws RunError that names the known ones if one of the names is not among them.
void require_known(const std::vector<std::string>& names, const std::vector<std::string>& known,
                   const std::string& what, const std::string& run);
[[noreturn]] void refuse_without_frames(const std::string& run);
// Throws RunError if there is something.
void require_free(const std::filesystem::path& out);

}  // namespace livens
