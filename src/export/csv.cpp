// --format csv: columns of the history as in history.csv, with units; or the nodes of a body over its
// frames.
#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "export/export.hpp"
#include "files/fields.hpp"
#include "files/files.hpp"
#include "files/frames_reader.hpp"
#include "files/history.hpp"
#include "mesh/core/words.hpp"
#include "run/finished_run.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// Written beside its place in pieces.
class TableFile {
 public:
  explicit TableFile(const fs::path& path) : file_((require_free(path), path)) {}
  std::string& text() { return text_; }
  void line_done() {
    text_ += '\n';
    if (text_.size() > buffer_bytes) flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(text_);
    text_.clear();
  }
  AtomicFile file_;
  std::string text_;
};

std::string heading(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "-" || unit == "any" ? name : name + " (" + unit + ")";
}

bool is_between(double t, const FrameChoice& choice) {
  return (!choice.from || t >= *choice.from) && (!choice.to || t <= *choice.to);
}

ExportResult export_history(const fs::path& run, const fs::path& out, const ExportOptions& options) {
  if (!options.fields.empty()) throw RunError("--fields goes with --body: the history has --columns instead");
  if (options.choice.fps > 0) throw RunError("--fps needs --body: use --every for the history");
  std::ifstream history(run / "history.csv", std::ios::binary);
  std::string line;
  if (!history || !std::getline(history, line)) throw RunError("'" + run.string() + "' has no history.csv");
  const auto names_seen = cells_of(line);
  const std::vector<std::string> names(names_seen.begin(), names_seen.end());
  require_known(options.columns, names, "column", run.string());
  std::vector<std::size_t> taken;
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const std::size_t time = index("t");
  for (const std::string& name : options.columns.empty() ? names : options.columns) taken.push_back(index(name));
  const bool has_time = std::find(taken.begin(), taken.end(), time) != taken.end();
  if (!has_time && time < names.size()) taken.insert(taken.begin(), time);

  TableFile file(out);
  const std::vector<Column> columns = columns_of(read_summary(run), run);
  for (std::size_t k = 0; k < taken.size(); ++k) {
    const auto known = std::find_if(columns.begin(), columns.end(),
                                    [&](const Column& column) { return column.name == names[taken[k]]; });
    if (k > 0) file.text() += ',';
    file.text() += heading(names[taken[k]], known != columns.end() ? known->unit : "");
  }
  file.line_done();
  const long every = std::max(1, options.choice.every);
  long rows = 0;
  for (long seen = 0; std::getline(history, line);) {
    const auto cells = cells_of(line);
    if (cells.size() != names.size()) continue;  // half a row of a run that is being written
    if (time < cells.size() && !is_between(number_of_cell(cells[time]), options.choice)) continue;
    if (seen++ % every != 0) continue;
    if (rows % 1000 == 0) ask_to_go_on(options);
    for (std::size_t k = 0; k < taken.size(); ++k) {
      if (k > 0) file.text() += ',';
      file.text() += cells[taken[k]];
    }
    file.line_done();
    ++rows;
  }
  file.commit();
  return {fmt::format("{} has {} rows of {} columns", out.string(), grouped(rows), taken.size()), {}};
}

// The fields of nodes; of elements there are others, which VTU files have.
std::vector<std::string> nodal_fields(const FrameBody& body) {
  std::vector<std::string> names;
  for (const std::string& name : body.fields)
    if (!field_record(name).per_cell && name != "displacement") names.push_back(name);
  return names;
}

std::string node_headings(const FrameBody& body, const std::vector<std::string>& fields) {
  const char* axes = "xyz";
  std::string text = "t (s),node";
  for (int c = 0; c < body.dimension; ++c) text += fmt::format(",reference_{} (m)", axes[c]);
  for (int c = 0; c < body.dimension; ++c) text += fmt::format(",{} (m)", axes[c]);
  for (const std::string& name : fields) {
    const FieldRecord& record = field_record(name);
    if (record.components == 1) text += "," + heading(name, record.unit);
    if (record.components == 0)
      for (int c = 0; c < body.dimension; ++c) text += "," + heading(fmt::format("{}_{}", name, axes[c]), record.unit);
    for (int c = 0; record.components > 1 && c < record.components; ++c)
      text += "," + heading(fmt::format("{}_{}", name, c), record.unit);
  }
  return text;
}

ExportResult export_nodes(const fs::path& run, const fs::path& out, const ExportOptions& options) {
  if (!options.columns.empty()) throw RunError("--columns are those of the history: leave --body out");
  if (options.bodies.size() > 1) throw RunError("--format csv takes one --body");
  const auto path = frames_file(read_summary(run), run);
  if (!path) refuse_without_frames(run.string());
  const FramesFile frames(*path);
  if (frames.frames() == 0) refuse_without_frames(run.string());
  std::vector<std::string> names;
  for (const FrameBody& body : frames.bodies()) names.push_back(body.name);
  require_known(options.bodies, names, "body", run.string());
  const FrameBody& body = *std::find_if(frames.bodies().begin(), frames.bodies().end(),
                                        [&](const FrameBody& each) { return each.name == options.bodies.front(); });
  const std::vector<std::string> nodal = nodal_fields(body);
  require_known(options.fields, nodal, "field of nodes", run.string());
  const std::vector<std::string> fields = options.fields.empty() ? nodal : options.fields;

  const std::vector<int> chosen = select_frames(frames.t(), options.choice);
  TableFile file(out);
  file.text() += node_headings(body, fields);
  file.line_done();
  const auto d = static_cast<std::size_t>(body.dimension), nodes = static_cast<std::size_t>(body.nodes);
  for (const int frame : chosen) {
    ask_to_go_on(options);
    const std::vector<double> x = frames.positions(body, frame);
    std::vector<std::vector<float>> values;
    for (const std::string& name : fields) values.push_back(frames.values(body, name, frame));
    for (std::size_t a = 0; a < nodes; ++a) {
      auto end = std::back_inserter(file.text());
      fmt::format_to(end, "{:.17g},{}", frames.t()[frame], a);
      for (std::size_t c = 0; c < d; ++c) fmt::format_to(end, ",{:.17g}", body.reference[d * a + c]);
      for (std::size_t c = 0; c < d; ++c) fmt::format_to(end, ",{:.17g}", x[d * a + c]);
      for (const auto& list : values) {
        const std::size_t components = list.size() / nodes;
        for (std::size_t c = 0; c < components; ++c) fmt::format_to(end, ",{:.9g}", list[components * a + c]);
      }
      file.line_done();
    }
  }
  file.commit();
  return {fmt::format("{} has {} nodes at {} times, numbered from 0 as in frames.h5", out.string(), grouped(body.nodes),
                      chosen.size()),
          {}};
}

}  // namespace

ExportResult export_csv(const std::vector<std::string>& runs, const ExportOptions& options) {
  const fs::path run = runs.front();
  const std::string name = run_name(run);
  const std::string usual = options.bodies.empty() ? name + ".csv" : name + "_" + options.bodies.front() + ".csv";
  const fs::path out = options.out.empty() ? fs::path(usual) : options.out;
  return options.bodies.empty() ? export_history(run, out, options) : export_nodes(run, out, options);
}

}  // namespace livens
