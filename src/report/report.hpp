// The page a run or a study leaves behind: its content as plain data, and its renderers.
//
// `render_html` makes one file that opens from disk without a network: styles, script and data are inside it. All
// strings are plain text in UTF-8 and are escaped; blank lines in `ReportSection::text` separate paragraphs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace livens {

// Values that are not finite, and values <= 0 on a logarithmic axis, interrupt the curve. Where x and y differ in
// length, the shorter one counts.
struct Curve {
  enum class Style { line, dashed, dotted, points, line_points };
  std::string label;
  std::vector<double> x, y;
  Style style = Style::line;
  int slot = -1;  // of colours and marks; curves of one slot look alike in all plots of a page. -1: place in the plot
};

struct Plot {
  std::string title, x_label, x_unit, y_label, y_unit, note;
  bool log_x = false, log_y = false;
  bool equal_axes = false;  // one unit is equally long on both axes
  std::vector<Curve> curves;
};

struct Table {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // short rows are filled with empty cells
};

struct Fact {
  std::string label, value;
};

// Stands on light and on dark pages, so it should be transparent where nothing is.
struct Picture {
  std::string title, text;  // text: a line below it
  std::string png;
  int width = 0, height = 0;  // pixels
};

// What the colours of a section's pictures mean.
struct ColourScale {
  std::string label;
  std::vector<std::string> colours;  // as #rrggbb, evenly from low to high
  std::string low, high;
};

struct ReportSection {
  std::string title, text;
  std::vector<Fact> facts;
  std::vector<Table> tables;
  std::vector<Plot> plots;
  std::vector<Picture> pictures = {};
  std::optional<ColourScale> scale = {};
};

struct Verdict {
  enum class Kind { kept, broken, not_judged, failed, interrupted };
  Kind kind = Kind::not_judged;
  std::vector<std::string> sentences;
};

struct Report {
  std::string title, subtitle;
  std::optional<Verdict> verdict;
  std::vector<std::string> warnings;
  std::vector<Fact> facts;
  std::vector<ReportSection> sections;
  std::string footer;
};

std::string render_html(const Report& report);

// A static picture of a plot in the light colours, for documents: no script, its own legend and title.
std::string render_svg(const Plot& plot, int width, int height);

// The points of a curve that are worth writing into a page. Along a monotonic x: at most 4000 points, the smallest and
// the largest y of every stretch, so that no peak is lost. Otherwise (phase portraits): at most 20 000, evenly by
// index. The ends and the gaps stay.
enum class Scale { linear, log };
Curve thinned(const Curve& curve, Scale x_scale = Scale::linear, Scale y_scale = Scale::linear);

// Whether lines between the points of an orbit would be a polygon unlike the motion: half of the jumps are
// longer than 15 % of its size.
bool is_sparse(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace livens
