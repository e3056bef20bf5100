// --format html: the viewer's page with the texts and bytes of its protocol inside (docs/view_protocol.md,
// "ExportResult pages").
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <livens/version.hpp>

#include "export/export.hpp"
#include "files/deflate.hpp"
#include "files/files.hpp"
#include "mesh/core/words.hpp"
#include "report/image.hpp"
#include "run/finished_run.hpp"
#include "view/bytes.hpp"
#include "view/description.hpp"
#include "view/page.hpp"
#include "view/recording_view.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

// Unless frames are chosen: what a browser opens without waiting.
constexpr std::size_t most_frames = 300, least_frames = 20;
constexpr double most_bytes = 64e6;       // of all frames of a run, before compression
constexpr std::size_t piece_bytes = 1e6;  // before compression
constexpr std::size_t most_in_piece = 64;
constexpr const char* place_of_data = "<!--livens-data-->";

std::string data_element(const std::string& id, const std::string& bytes) {
  return fmt::format("<script type=\"application/octet-stream\" id=\"{}\">{}</script>\n", id, base64(gzipped(bytes)));
}

// JSON within HTML: nothing in it may end the element.
std::string session_element(const ViewJson& session) {
  std::string text = text_of(session);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return "<script type=\"application/json\" id=\"livens-data\">\n" + text + "</script>\n";
}

// One run: which frames and fields of it go into the page.
struct PageRun {
  std::shared_ptr<const RecordedMotion> motion;
  ViewJson description;
  std::vector<int> frames;
  std::vector<double> t;
  std::vector<DrawnField> fields;
  std::size_t frame_bytes = 0;  // of one frame with all fields
};

class PageExport {
 public:
  PageExport(const std::vector<std::string>& runs, const ExportOptions& options) : runs_(runs), options_(options) {
    for (int id = 0; id < runs_.runs(); ++id) {
      pages_.push_back(page_run(id, runs[id]));
      const std::size_t in_piece = piece_bytes / std::max<std::size_t>(1, pages_.back().frame_bytes);
      in_piece_ = std::min(in_piece_, std::clamp<std::size_t>(in_piece, 1, most_in_piece));
    }
  }

  const std::vector<std::string>& notes() const { return notes_; }
  std::size_t frames() const { return pages_.front().frames.size(); }

  void write(AtomicFile& file) {
    const std::string_view page = viewer_page();
    const std::size_t place = page.find(place_of_data);
    if (place == std::string_view::npos)
      throw RunError("this program was built without the viewer's page: --format html needs it");
    file.write(page.substr(0, place));
    ViewJson list = ViewJson::array();
    for (std::size_t id = 0; id < pages_.size(); ++id) {
      const ViewJson& run = pages_[id].description;
      list.push_back(
          {{"id", id}, {"name", run["name"]}, {"title", run["title"]}, {"frames", pages_[id].frames.size()}});
    }
    file.write(session_element(
        {{"version", std::string(version())}, {"frames_in_piece", in_piece_}, {"runs", std::move(list)}}));
    for (int id = 0; id < runs_.runs(); ++id) write_run(id, file);
    file.write(page.substr(place + std::strlen(place_of_data)));
  }

 private:
  PageRun page_run(int id, const std::string& run) {
    PageRun page;
    page.motion = runs_.recording(id).motion();
    page.description = ViewJson::parse(runs_.description(id));
    std::vector<std::string> known;
    for (const DrawnField& field : page.motion->fields()) known.push_back(field.name);
    require_known(options_.fields, known, "field", run);
    if (!page.motion->fault().empty()) throw RunError(page.motion->fault());
    if (page.motion->frames() == 0) return page;
    const Drawing& drawing = page.motion->drawing();
    const std::size_t vertices = drawn_value_count(drawing, false);
    page.frame_bytes = sizeof(double) + 3 * sizeof(float) * vertices;
    for (const DrawnField& field : page.motion->fields()) {
      const auto& wanted = options_.fields;
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), field.name) == wanted.end()) continue;
      page.frame_bytes += sizeof(float) * drawn_value_count(drawing, field.per_cell);
      if (has_arrows(field)) page.frame_bytes += 3 * sizeof(float) * vertices;
      page.fields.push_back(field);
    }
    choose(page);
    return page;
  }

  // Only where fields are asked for by name: vectors are the largest part of a page.
  bool has_arrows(const DrawnField& field) const { return field.vectors && !options_.fields.empty(); }

  void choose(PageRun& page) {
    const std::vector<double>& t = page.motion->t();
    page.frames = select_frames(t, options_.choice);
    if (options_.choice.every == 0 && options_.choice.fps == 0) {
      const auto affordable = static_cast<std::size_t>(most_bytes / static_cast<double>(page.frame_bytes));
      const std::size_t most = std::clamp(affordable, least_frames, most_frames);
      const std::size_t before = page.frames.size();
      page.frames = thinned_frames(page.frames, most);
      if (page.frames.size() < before)
        notes_.push_back(fmt::format("{}: {} of {} frames, so that the page stays small; --every 1 includes all",
                                     page.description["name"].get<std::string>(), page.frames.size(), before));
    }
    for (const int frame : page.frames) page.t.push_back(t[frame]);
  }

  // Calls write(piece, bytes) with the bytes of all frames of each piece.
  template <class Bytes, class Write>
  void by_pieces(const PageRun& page, const Bytes& bytes_of, const Write& write) {
    for (std::size_t first = 0, piece = 0; first < page.frames.size(); first += in_piece_, ++piece) {
      std::string bytes;
      for (std::size_t k = first; k < std::min(first + in_piece_, page.frames.size()); ++k) {
        ask_to_go_on(options_);
        bytes += bytes_of(page.frames[k]);
      }
      write(piece, bytes);
    }
  }

  void write_run(int id, AtomicFile& file) {
    PageRun& page = pages_[id];
    const std::string stem = fmt::format("livens-{}-", id);
    file.write(data_element(stem + "history", runs_.history(id, std::nullopt)));
    if (!page.frames.empty()) {
      file.write(data_element(stem + "mesh", runs_.mesh(id)));
      by_pieces(
          page,
          [&](int frame) {
            return runs_.frames(id, {frame, 1, "", ""});
          },
          [&](std::size_t piece, const std::string& bytes) {
            file.write(data_element(fmt::format("{}motion-{}", stem, piece), bytes));
          });
    }
    for (DrawnField& field : page.fields) write_field(stem, page, field, file);
    page.description["frames"] = page.frames.size();
    page.description["t"] = page.t;
    page.description["fields"] = fields_json(page.fields);
    file.write(data_element(stem + "run", text_of(page.description)));
  }

  // The range is that of the frames in the page, if any of their numbers is finite.
  void write_field(const std::string& stem, const PageRun& page, DrawnField& field, AtomicFile& file) {
    const RecordedMotion& motion = *page.motion;
    const auto values_of = [&](int frame) { return motion.values(field, frame, motion.coordinates(frame)); };
    const auto bytes_of = [](const std::vector<float>& numbers) {
      std::string bytes;
      append_bytes(numbers, bytes);
      return bytes;
    };
    const auto write = [&](const char* part) {
      return [&, part](std::size_t piece, const std::string& bytes) {
        file.write(data_element(fmt::format("{}{}-{}-{}", stem, part, field.name, piece), bytes));
      };
    };
    FieldRange range;
    const auto numbers_of = [&](int frame) {
      const std::vector<float> numbers = drawn_values(motion.drawing(), values_of(frame));
      range.add(numbers);
      return bytes_of(numbers);
    };
    by_pieces(page, numbers_of, write("field"));
    if (!range.empty()) field.range = range;
    if (has_arrows(field))
      by_pieces(
          page, [&](int frame) { return bytes_of(drawn_vectors(motion.drawing(), values_of(frame))); },
          write("arrows"));
  }

  RecordedRuns runs_;
  const ExportOptions& options_;
  std::vector<PageRun> pages_;
  std::vector<std::string> notes_;
  std::size_t in_piece_ = most_in_piece;
};

}  // namespace

ExportResult export_html(const std::vector<std::string>& runs, const ExportOptions& options) {
  const fs::path out = options.out.empty() ? fs::path(run_name(runs.front()) + ".html") : options.out;
  require_free(out);
  PageExport page(runs, options);
  AtomicFile file(out);
  page.write(file);
  file.commit();
  const auto size = static_cast<double>(fs::file_size(out));
  const std::string runs_shown = runs.size() == 1 ? "" : fmt::format("{} runs, ", runs.size());
  const std::string frames = page.frames() == 0 ? "plots only" : fmt::format("{} frames", page.frames());
  return {fmt::format("{} has {}{} ({:.1f} MB). Open it in a browser; it needs no other file and no network",
                      out.string(), runs_shown, frames, size / 1e6),
          page.notes()};
}

}  // namespace livens
