// Static pictures of plots. Ticks, ranges and marks follow the rules of plot_picture.js, where they are stated.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "report/plot_parts.hpp"
#include "report/plot_ticks.hpp"

namespace livens {

using namespace plot_parts;

namespace {

struct View {
  Range x, y;
  bool empty = true;
};

struct Frame {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

bool has_all_marks(const Curve& curve) {
  return curve.style == Curve::Style::points || curve.style == Curve::Style::line_points;
}

Range padded(Range range, Scale scale, double share) {
  if (!(range.low <= range.high)) return {0, 1};
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  double half = range.span() * share + std::max(0.0, std::ldexp(largest, -50) - range.span());
  if (range.span() == 0) half = scale == Scale::log ? 0.5 : largest * 0.1;
  if (scale == Scale::linear && largest < 1e-290) half = 1;
  return {range.low - half, range.high + half};
}

View full_view(const Plot& plot) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Range x{infinity, -infinity}, y{infinity, -infinity};
  bool marked = false;
  for (const Curve& curve : plot.curves) {
    marked = marked || has_all_marks(curve) || !is_monotonic(curve.x, size(curve));
    for (std::size_t i = 0; i < size(curve); ++i) {
      const double u = scaled(curve.x[i], x_scale(plot)), w = scaled(curve.y[i], y_scale(plot));
      if (std::isnan(u) || std::isnan(w)) continue;
      x = {std::min(x.low, u), std::max(x.high, u)};
      y = {std::min(y.low, w), std::max(y.high, w)};
    }
  }
  return {padded(x, x_scale(plot), marked ? 0.04 : 0.0), padded(y, y_scale(plot), 0.06), !(x.low <= x.high)};
}

View with_equal_units(const View& view, const Frame& frame) {
  const double unit = std::max(view.x.span() / frame.width, view.y.span() / frame.height);
  const auto around = [&](Range range, double length) {
    const double middle = (range.low + range.high) / 2;
    return Range{middle - unit * length / 2, middle + unit * length / 2};
  };
  return {around(view.x, frame.width), around(view.y, frame.height), view.empty};
}

struct Layout {
  Frame frame;
  View view;
  Ticks x, y;
};

// Labels decide the frame, the frame decides equal units, these decide the labels: a few passes settle it.
Layout layout(const Plot& plot, double width, double height, double bottom_space) {
  Layout result;
  Frame& frame = result.frame;
  const View view = full_view(plot);
  result.view = view;
  frame.height = height - 38 - bottom_space - 44;
  for (int pass = 0; pass < 3; ++pass) {
    result.y = ticks_of(y_scale(plot), result.view.y, std::clamp(static_cast<int>(frame.height / 44), 2, 9));
    frame.top = result.y.note.empty() ? 38 : 52;
    frame.left = std::round(widest(result.y) + 34);
    frame.width = std::max(40.0, width - frame.left - 18);
    frame.height = std::max(40.0, height - frame.top - bottom_space - 44);
    if (!plot.equal_axes) break;
    result.view = with_equal_units(view, frame);
  }
  result.x = fitting_ticks(x_scale(plot), result.view.x, frame.width);
  return result;
}

std::string pixel(double value) {
  const double hundredths = std::round(value * 100) / 100;
  return shortest(hundredths == 0 ? 0 : hundredths);
}

constexpr std::string_view font =
    "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif\"";
constexpr std::array<const char*, 8> colours{"#0067a8", "#c84e00", "#00805c", "#a33f85",
                                             "#946500", "#2b95ca", "#3c4450", "#8c1d40"};

struct TextLook {
  const char* colour = "#515d6b";
  double size = 12;
  const char* anchor = "start";
  const char* extra = "";
};

std::string text_at(double x, double y, const std::string& text, const TextLook& look) {
  return "<text x=\"" + pixel(x) + "\" y=\"" + pixel(y) + "\" fill=\"" + look.colour + "\" font-size=\"" +
         pixel(look.size) + "\" text-anchor=\"" + look.anchor + "\"" + look.extra + ">" + escaped(text) + "</text>\n";
}

std::string path(const std::string& d, const std::string& attributes) {
  return d.empty() ? "" : "<path d=\"" + d + "\" " + attributes + "/>\n";
}

std::string grid_svg(const Plot& plot, const Layout& placed) {
  const Frame& frame = placed.frame;
  std::string grid, zero;
  for (const Tick& tick : placed.x.major)
    grid += "M" + pixel(frame.left + tick.place * frame.width) + " " + pixel(frame.top) + "V" + pixel(frame.bottom());
  for (const Tick& tick : placed.y.major) {
    const std::string line =
        "M" + pixel(frame.left) + " " + pixel(frame.bottom() - tick.place * frame.height) + "H" + pixel(frame.right());
    grid += line;
    if (!plot.log_y && tick.value == 0) zero = line;
  }
  return path(grid, "fill=\"none\" stroke=\"#e9edf1\"") +
         path(zero, "fill=\"none\" stroke=\"#8a95a3\" opacity=\".75\"");
}

std::string axes_svg(const Plot& plot, const Layout& placed) {
  const Frame& frame = placed.frame;
  const auto at_x = [&](double place) { return frame.left + place * frame.width; };
  const auto at_y = [&](double place) { return frame.bottom() - place * frame.height; };
  std::string lines =
      "M" + pixel(frame.left) + " " + pixel(frame.top) + "V" + pixel(frame.bottom()) + "H" + pixel(frame.right());
  std::string texts;
  for (const Tick& tick : placed.x.major) {
    lines += "M" + pixel(at_x(tick.place)) + " " + pixel(frame.bottom()) + "v6";
    texts += text_at(at_x(tick.place), frame.bottom() + 19, tick.label, {.anchor = "middle"});
  }
  for (const Tick& tick : placed.y.major) {
    lines += "M" + pixel(frame.left) + " " + pixel(at_y(tick.place)) + "h-6";
    texts += text_at(frame.left - 9, at_y(tick.place) + 4, tick.label, {.anchor = "end"});
  }
  for (const double place : placed.x.minor) lines += "M" + pixel(at_x(place)) + " " + pixel(frame.bottom()) + "v3";
  for (const double place : placed.y.minor) lines += "M" + pixel(frame.left) + " " + pixel(at_y(place)) + "h-3";
  const TextLook title{.colour = "#18212c", .size = 12.5, .anchor = "middle"};
  texts += text_at(frame.left + frame.width / 2, frame.bottom() + 38, with_unit(plot.x_label, plot.x_unit), title);
  texts += "<g transform=\"translate(12 " + pixel(frame.top + frame.height / 2) + ") rotate(-90)\">" +
           text_at(0, 0, with_unit(plot.y_label, plot.y_unit), title) + "</g>\n";
  if (!placed.y.note.empty()) texts += text_at(frame.left, frame.top - 10, placed.y.note, {.size = 11.5});
  if (!placed.x.note.empty())
    texts += text_at(frame.right(), frame.bottom() + 38, placed.x.note, {.size = 11.5, .anchor = "end"});
  return path(lines, "fill=\"none\" stroke=\"#8a95a3\"") + texts;
}

std::string mark_path(std::size_t shape, double x, double y, double r) {
  using Outline = std::vector<std::pair<double, double>>;
  static const std::array<Outline, 8> outlines{
      Outline{},  // a circle
      Outline{{-0.86, -0.86}, {0.86, -0.86}, {0.86, 0.86}, {-0.86, 0.86}},
      Outline{{0, -1.15}, {1.08, 0.8}, {-1.08, 0.8}},
      Outline{{0, -1.25}, {1.1, 0}, {0, 1.25}, {-1.1, 0}},
      Outline{{0, 1.15}, {1.08, -0.8}, {-1.08, -0.8}},
      Outline{{-1.1, -0.35},
              {-0.35, -0.35},
              {-0.35, -1.1},
              {0.35, -1.1},
              {0.35, -0.35},
              {1.1, -0.35},
              {1.1, 0.35},
              {0.35, 0.35},
              {0.35, 1.1},
              {-0.35, 1.1},
              {-0.35, 0.35},
              {-1.1, 0.35}},
      Outline{{-1.15, 0}, {0.8, -1.08}, {0.8, 1.08}},
      Outline{{0, -1.1}, {0.95, -0.55}, {0.95, 0.55}, {0, 1.1}, {-0.95, 0.55}, {-0.95, -0.55}}};
  if (shape % 8 == 0) {
    const std::string arc = "a" + pixel(r) + " " + pixel(r) + " 0 1 0 ";
    return "M" + pixel(x - r) + " " + pixel(y) + arc + pixel(2 * r) + " 0" + arc + pixel(-2 * r) + " 0z";
  }
  std::string d;
  for (const auto& [dx, dy] : outlines[shape % 8])
    d += (d.empty() ? "M" : "L") + pixel(x + r * dx) + " " + pixel(y + r * dy);
  return d + "z";
}

// How a curve looks: the slot says its colour and mark; curves of one slot in one plot differ in dashes and marks.
struct Look {
  std::size_t slot = 0, again = 0;
  double stagger = 0;  // where along an interval the sparse marks of a solid line sit; 0: it needs none
  bool fine = false;   // an orbit of many points, whose turns a fine line shows

  const char* colour() const { return colours[slot % colours.size()]; }
  std::size_t mark() const { return slot + again; }
};

constexpr std::size_t many_points = 1500;

std::vector<Look> looks_of(const Plot& plot) {
  const auto lines = std::count_if(plot.curves.begin(), plot.curves.end(),
                                   [](const Curve& curve) { return curve.style == Curve::Style::line; });
  std::vector<Look> looks(plot.curves.size());
  double rank = 0.5;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const Curve& curve = plot.curves[i];
    looks[i].slot = curve.slot < 0 ? i : static_cast<std::size_t>(curve.slot);
    for (std::size_t k = 0; k < i; ++k)
      if (looks[k].slot == looks[i].slot && plot.curves[k].style == curve.style) ++looks[i].again;
    if (lines > 1 && curve.style == Curve::Style::line) looks[i].stagger = rank++ / static_cast<double>(lines);
    looks[i].fine = size(curve) > many_points && !is_monotonic(curve.x, size(curve));
  }
  return looks;
}

std::string line_attributes(const Look& look, Curve::Style style) {
  static constexpr std::array<std::array<const char*, 3>, 3> dashes{std::array{"", "8 3", "8 3 2 3"},
                                                                    std::array{"7 4", "7 4 2 4", "7 3 2 3 2 3"},
                                                                    std::array{"1.5 4", "1.5 7", "1.5 4 1.5 9"}};
  const std::size_t family = style == Curve::Style::dashed ? 1 : style == Curve::Style::dotted ? 2 : 0;
  const std::string dash = dashes[family][(look.slot / colours.size() + look.again) % 3];
  const std::string cap = dash.empty() || style == Curve::Style::dotted ? "round" : "butt";
  return std::string("fill=\"none\" stroke=\"") + look.colour() + "\" stroke-width=\"" + (look.fine ? ".8" : "1.7") +
         "\" stroke-linejoin=\"round\" stroke-linecap=\"" + cap + "\"" +
         (dash.empty() ? "" : " stroke-dasharray=\"" + dash + "\"");
}

std::string mark_attributes(const Look& look, bool filled) {
  const std::string colour = look.colour();
  return "fill=\"" + (filled ? colour : "#ffffff") + "\" stroke=\"" + colour + "\" stroke-width=\"" +
         (filled ? ".8" : "1.5") + "\" stroke-linejoin=\"round\"";
}

// A curve in pixels; NaN where it is interrupted.
struct Trace {
  std::vector<double> x, y;
};

Trace traced(const Plot& plot, const Curve& curve, const Layout& placed) {
  Trace trace;
  const Frame& frame = placed.frame;
  for (std::size_t i = 0; i < size(curve); ++i) {
    const double u = scaled(curve.x[i], x_scale(plot)), w = scaled(curve.y[i], y_scale(plot));
    const bool gap = std::isnan(u) || std::isnan(w);
    trace.x.push_back(gap ? not_a_number : frame.left + (u - placed.view.x.low) / placed.view.x.span() * frame.width);
    trace.y.push_back(gap ? not_a_number
                          : frame.bottom() - (w - placed.view.y.low) / placed.view.y.span() * frame.height);
  }
  return trace;
}

std::string line_path(const Trace& trace) {
  std::string d;
  std::size_t run = 0;
  const std::size_t n = trace.x.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(trace.x[i])) {
      run = 0;
      continue;
    }
    const bool alone = run == 0 && (i + 1 == n || std::isnan(trace.x[i + 1]));
    if (alone)
      d += mark_path(0, trace.x[i], trace.y[i], 1.2);
    else
      d += (run == 0 ? "M" : "L") + pixel(trace.x[i]) + " " + pixel(trace.y[i]);
    ++run;
  }
  return d;
}

// A few marks tell lines apart without colour.
std::string sparse_marks(const Trace& trace, const Frame& frame, bool monotonic, std::size_t shape, double stagger) {
  constexpr int count = 7;
  std::string d;
  for (int j = 0; j < count && !trace.x.empty(); ++j) {
    const double share = (j + stagger) / count;
    auto chosen = static_cast<std::size_t>(share * static_cast<double>(trace.x.size()));
    if (monotonic) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < trace.x.size(); ++i) {
        const double distance = std::abs(trace.x[i] - frame.left - share * frame.width);
        if (distance < least) least = distance, chosen = i;
      }
    }
    if (!std::isnan(trace.x[chosen])) d += mark_path(shape, trace.x[chosen], trace.y[chosen], 3.4);
  }
  return d;
}

std::string all_marks(const Trace& trace, std::size_t shape) {
  const double r = trace.x.size() <= 150 ? 3.6 : trace.x.size() <= 1500 ? 2.2 : 1.1;
  std::string d;
  for (std::size_t i = 0; i < trace.x.size(); ++i)
    if (!std::isnan(trace.x[i])) d += mark_path(shape, trace.x[i], trace.y[i], r);
  return d;
}

std::string curves_svg(const Plot& plot, const Layout& placed) {
  std::string svg;
  const std::vector<Look> looks = looks_of(plot);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const Curve& curve = plot.curves[i];
    const Look& look = looks[i];
    const Trace trace = traced(plot, curve, placed);
    if (curve.style != Curve::Style::points) svg += path(line_path(trace), line_attributes(look, curve.style));
    if (has_all_marks(curve))
      svg += path(all_marks(trace, look.mark()), mark_attributes(look, true));
    else if (look.stagger > 0)
      svg += path(sparse_marks(trace, placed.frame, is_monotonic(curve.x, size(curve)), look.mark(), look.stagger),
                  mark_attributes(look, false));
  }
  return svg;
}

struct LegendEntry {
  std::size_t curve, row;
  double x;
};

std::vector<LegendEntry> legend_entries(const Plot& plot, double width) {
  std::vector<LegendEntry> entries;
  if (plot.curves.size() < 2) return entries;
  double x = 0;
  std::size_t row = 0;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const double needed = 60 + text_width(plot.curves[i].label);
    if (x > 0 && x + needed > width) ++row, x = 0;
    entries.push_back({i, row, x});
    x += needed;
  }
  return entries;
}

std::string legend_svg(const Plot& plot, const std::vector<LegendEntry>& entries, double height) {
  std::string svg;
  const std::vector<Look> looks = looks_of(plot);
  for (const auto& [i, row, offset] : entries) {
    const Curve& curve = plot.curves[i];
    const Look& look = looks[i];
    const double x = 12 + offset, y = height - 12 - 20 * static_cast<double>(entries.back().row - row);
    if (curve.style != Curve::Style::points)
      svg += path("M" + pixel(x) + " " + pixel(y) + "h36", line_attributes(look, curve.style));
    if (has_all_marks(curve) || look.stagger > 0)
      svg += path(mark_path(look.mark(), x + 18, y, 3.4), mark_attributes(look, has_all_marks(curve)));
    svg += text_at(x + 42, y + 4, curve.label, {.colour = "#18212c", .size = 12.5});
  }
  return svg;
}

}  // namespace

std::string render_svg(const Plot& full, int width, int height) {
  Plot plot = full;
  for (Curve& curve : plot.curves) curve = thinned(curve, x_scale(plot), y_scale(plot));
  const std::vector<LegendEntry> legend = legend_entries(plot, width - 24);
  const double legend_space = legend.empty() ? 0 : 26 + 20 * static_cast<double>(legend.back().row);
  const Layout placed = layout(plot, width, height, legend_space);
  const Frame& frame = placed.frame;
  const std::string w = std::to_string(width), h = std::to_string(height);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + w + " " + h + "\" width=\"" + w +
                    "\" height=\"" + h + "\" role=\"img\" " + std::string(font) + ">\n<title>" + escaped(plot.title) +
                    "</title>\n<desc>" + escaped(summary(plot)) + "</desc>\n<rect width=\"" + w + "\" height=\"" + h +
                    "\" fill=\"#ffffff\"/>\n";
  svg += text_at(12, 22, plot.title, {.colour = "#18212c", .size = 15, .extra = " font-weight=\"600\""});
  svg += grid_svg(plot, placed) + curves_svg(plot, placed) + axes_svg(plot, placed);
  if (placed.view.empty)
    svg += text_at(frame.left + frame.width / 2, frame.top + frame.height / 2, "no data to draw",
                   {.size = 14, .anchor = "middle"});
  return svg + legend_svg(plot, legend, height) + "</svg>\n";
}

}  // namespace livens
