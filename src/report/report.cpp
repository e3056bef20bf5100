// report.html: the page carries its numbers as JSON, drawn by its scripts.
#include "report/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "report/image.hpp"
#include "report/plot_parts.hpp"
#include "report_assets.hpp"
#include "scene/sha256.hpp"

namespace livens {

using namespace plot_parts;

namespace {

// ---------------------------------------------------------------------------------------------------------------- text

// Running text, in which a line does not break inside a number such as 2e-13.
std::string prose(std::string_view text) {
  constexpr std::string_view spaces = " \t\n";
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(spaces), text.size());
    const std::string_view word = text.substr(0, end), rest = text.substr(end);
    const bool fragile =
        word.size() < 30 && word.find("e-") != word.npos && word.find_first_of("0123456789") != word.npos;
    result += fragile ? "<span class=\"whole\">" + escaped(word) + "</span>" : escaped(word);
    const std::size_t next = std::min(rest.find_first_not_of(spaces), rest.size());
    result += rest.substr(0, next);
    text = rest.substr(next);
  }
  return result;
}

// A JSON string that is safe inside a script element: no '<', so neither "</script>" nor "<!--".
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += code.data();
    } else {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result + '"';
}

std::string grouped(std::size_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, "\u00A0");
  return digits;
}

// ---------------------------------------------------------------------------------------------------------------- data

// All plots as one JSON value. Equal arrays, such as the times of a run, are written once.
class PlotData {
 public:
  std::size_t add(const Plot& plot) {
    std::string json = "{\"title\":" + in_quotes(plot.title) + ",\"summary\":" + in_quotes(summary(plot)) +
                       ",\"x_label\":" + in_quotes(plot.x_label) + ",\"x_unit\":" + in_quotes(plot.x_unit) +
                       ",\"y_label\":" + in_quotes(plot.y_label) + ",\"y_unit\":" + in_quotes(plot.y_unit);
    if (plot.log_x) json += ",\"log_x\":true";
    if (plot.log_y) json += ",\"log_y\":true";
    if (plot.equal_axes) json += ",\"equal_axes\":true";
    json += ",\"curves\":[";
    for (std::size_t i = 0; i < plot.curves.size(); ++i) json += (i == 0 ? "" : ",") + curve_json(plot, plot.curves[i]);
    plots_ += (count_ == 0 ? "\n" : ",\n") + json + "]}";
    return count_++;
  }

  std::string json() const { return "{\"arrays\":[" + arrays_ + "],\n\"plots\":[" + plots_ + "]}"; }

 private:
  static const char* name(Curve::Style style) {
    switch (style) {
      case Curve::Style::line: return "line";
      case Curve::Style::dashed: return "dashed";
      case Curve::Style::dotted: return "dotted";
      case Curve::Style::points: return "points";
      case Curve::Style::line_points: return "line_points";
    }
    return "line";
  }

  std::string curve_json(const Plot& plot, const Curve& full) {
    const Curve curve = thinned(full, x_scale(plot), y_scale(plot));
    const std::size_t x = place(curve.x), y = place(curve.y);
    return "{\"label\":" + in_quotes(curve.label) + ",\"style\":\"" + name(curve.style) +
           "\",\"x\":" + std::to_string(x) + ",\"y\":" + std::to_string(y) +
           (curve.slot < 0 ? "" : ",\"slot\":" + std::to_string(curve.slot)) + "}";
  }

  std::size_t place(const std::vector<double>& values) {
    std::string text = "[";
    for (const double value : values) {
      if (text.size() > 1) text += ',';
      text += std::isfinite(value) ? shortest(value) : "null";
    }
    text += ']';
    const auto [known, is_new] = places_.try_emplace(std::move(text), places_.size());
    if (is_new) arrays_ += (known->second == 0 ? "\n" : ",\n") + known->first;
    return known->second;
  }

  std::string arrays_, plots_;
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t count_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------- page

std::string section_id(std::size_t index) { return "section-" + std::to_string(index + 1); }

std::string facts_html(const std::vector<Fact>& facts) {
  if (facts.empty()) return "";
  std::string html = "<dl class=\"facts\">\n";
  for (const Fact& fact : facts)
    html += "<div><dt>" + escaped(fact.label) + "</dt><dd>" + escaped(fact.value) + "</dd></div>\n";
  return html + "</dl>\n";
}

std::string paragraphs_html(const std::string& text) {
  std::string html;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", from), text.size());
    if (end > from)
      html += "<p class=\"wide-text\">" + prose(std::string_view(text).substr(from, end - from)) + "</p>\n";
    from = end + 2;
  }
  return html;
}

std::string notice_html(const char* kind, const char* mark, const char* title,
                        const std::vector<std::string>& sentences) {
  std::string html = std::string("<section class=\"notice ") + kind + "\" aria-label=\"" + title +
                     "\">\n<svg class=\"mark\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">" + mark + "</svg>\n<h2>" +
                     title + "</h2>\n";
  if (!sentences.empty()) html += "<ul>\n";
  for (const std::string& sentence : sentences) html += "<li class=\"wide-text\">" + prose(sentence) + "</li>\n";
  return html + (sentences.empty() ? "" : "</ul>\n") + "</section>\n";
}

std::string verdict_html(const Verdict& verdict) {
  const char* circle_tick = "<circle cx=\"12\" cy=\"12\" r=\"10\"/><path d=\"M7.5 12.5l3 3 6-7\"/>";
  const char* circle_cross = "<circle cx=\"12\" cy=\"12\" r=\"10\"/><path d=\"M8.5 8.5l7 7m0-7l-7 7\"/>";
  const char* circle_dash = "<circle cx=\"12\" cy=\"12\" r=\"10\"/><path d=\"M8 12h8\"/>";
  const char* octagon = "<path d=\"M8 2h8l6 6v8l-6 6H8l-6-6V8z\"/><path d=\"M12 7v6m0 3.6v.1\"/>";
  const char* circle_pause = "<circle cx=\"12\" cy=\"12\" r=\"10\"/><path d=\"M9.7 8.5v7m4.6-7v7\"/>";
  switch (verdict.kind) {
    case Verdict::Kind::kept: return notice_html("kept", circle_tick, "Verdict: kept", verdict.sentences);
    case Verdict::Kind::broken: return notice_html("broken", circle_cross, "Verdict: broken", verdict.sentences);
    case Verdict::Kind::not_judged: return notice_html("not-judged", circle_dash, "Verdict: none", verdict.sentences);
    case Verdict::Kind::failed: return notice_html("failed", octagon, "Run failed", verdict.sentences);
    case Verdict::Kind::interrupted:
      return notice_html("interrupted", circle_pause, "Run interrupted", verdict.sentences);
  }
  return "";
}

std::string warnings_html(const std::vector<std::string>& warnings) {
  if (warnings.empty()) return "";
  return notice_html("warning", "<path d=\"M12 3L1.8 21h20.4z\"/><path d=\"M12 10v5m0 2.9v.1\"/>",
                     warnings.size() == 1 ? "Warning" : "Warnings", warnings);
}

bool looks_numeric(const std::string& cell) {
  static constexpr std::string_view minus = "−";
  std::string_view text = cell;
  if (text.starts_with(minus)) text.remove_prefix(minus.size());
  while (!text.empty() && (text.front() == '-' || text.front() == '+' || text.front() == '.')) text.remove_prefix(1);
  if (text.empty()) return cell == "-" || cell == minus;
  return text.front() >= '0' && text.front() <= '9';
}

// A column is one of numbers when every cell that says something starts like a number.
std::vector<bool> numeric_columns(const Table& table, std::size_t width) {
  std::vector<bool> numeric(width, false);
  for (std::size_t j = 0; j < width; ++j) {
    const auto is_text = [j](const auto& row) { return j < row.size() && !row[j].empty() && !looks_numeric(row[j]); };
    const auto has_cell = [j](const auto& row) { return j < row.size() && !row[j].empty(); };
    numeric[j] = std::none_of(table.rows.begin(), table.rows.end(), is_text) &&
                 std::any_of(table.rows.begin(), table.rows.end(), has_cell);
  }
  return numeric;
}

std::string row_html(const std::vector<std::string>& row, const std::vector<bool>& numeric) {
  std::string html = "<tr>";
  for (std::size_t j = 0; j < numeric.size(); ++j) {
    html += j == 0 ? "<th scope=\"row\"" : "<td";
    html += numeric[j] ? " class=\"number\">" : ">";
    if (j < row.size()) html += escaped(row[j]);
    html += j == 0 ? "</th>" : "</td>";
  }
  return html + "</tr>\n";
}

std::string table_html(const Table& table) {
  std::size_t width = table.columns.size();
  for (const auto& row : table.rows) width = std::max(width, row.size());
  const std::vector<bool> numeric = numeric_columns(table, width);
  const std::string title = escaped(table.title);
  std::string html = "<div class=\"card table\">\n";
  if (!title.empty()) html += "<h3>" + title + "</h3>\n";
  html += "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table: " + title + "\">\n<table>\n";
  if (!table.columns.empty()) {
    html += "<thead><tr>";
    for (std::size_t j = 0; j < width; ++j)
      html += std::string("<th scope=\"col\"") + (numeric[j] ? " class=\"number\"" : "") + ">" +
              (j < table.columns.size() ? escaped(table.columns[j]) : "") + "</th>";
    html += "</tr></thead>\n";
  }
  html += "<tbody>\n";
  for (const auto& row : table.rows) html += row_html(row, numeric);
  html += "</tbody>\n</table>\n</div>\n";
  if (!table.note.empty()) html += "<p class=\"note wide-text\">" + prose(table.note) + "</p>\n";
  return html + "</div>\n";
}

// "Drawn from 4 000 of 200 000 points": a reader who saves the data must know.
std::string thinning_note(const Plot& plot) {
  std::size_t all = 0, drawn = 0;
  for (const Curve& curve : plot.curves) {
    all += size(curve);
    drawn += thinned(curve, x_scale(plot), y_scale(plot)).x.size();
  }
  return drawn == all ? "" : "Drawn from " + grouped(drawn) + " of " + grouped(all) + " points.";
}

std::string plot_html(const Plot& plot, PlotData& data) {
  const std::string index = std::to_string(data.add(plot)), title_id = "plot-" + index;
  const std::string thinning = thinning_note(plot);
  std::string html = "<figure class=\"card plot\" data-plot=\"" + index + "\" aria-labelledby=\"" + title_id +
                     "\">\n<div class=\"plot-head\"><h3 id=\"" + title_id + "\">" + escaped(plot.title) +
                     "</h3><div class=\"tools\"></div></div>\n<div class=\"canvas\" tabindex=\"0\" role=\"group\" "
                     "aria-label=\"Plot: arrow keys read values, plus and minus zoom, 0 shows everything\"></div>\n"
                     "<ul class=\"legend\" aria-label=\"Curves\"></ul>\n";
  if (!plot.note.empty() || !thinning.empty())
    html += "<figcaption class=\"note\">" + prose(plot.note) + (plot.note.empty() || thinning.empty() ? "" : " ") +
            thinning + "</figcaption>\n";
  return html + "</figure>\n";
}

std::string plots_html(const std::vector<Plot>& plots, PlotData& data) {
  if (plots.empty()) return "";
  std::string html = "<div class=\"plots\">\n";
  for (const Plot& plot : plots) html += plot_html(plot, data);
  return html + "</div>\n";
}

std::string picture_html(const Picture& picture, const std::string& section) {
  const std::string title = escaped(picture.title), text = escaped(picture.text);
  return "<figure class=\"card picture\">\n<h3>" + title + "</h3>\n<img width=\"" + std::to_string(picture.width) +
         "\" height=\"" + std::to_string(picture.height) + "\" alt=\"" + escaped(section) + " at " + title + ", " +
         text + "\" src=\"data:image/png;base64," + base64(picture.png) + "\">\n<figcaption class=\"note\">" + text +
         "</figcaption>\n</figure>\n";
}

std::string pictures_html(const ReportSection& section) {
  if (section.pictures.empty()) return "";
  std::string html = "<div class=\"pictures\">\n";
  for (const Picture& picture : section.pictures) html += picture_html(picture, section.title);
  html += "</div>\n";
  if (!section.scale) return html;
  html += "<p class=\"scale\"><span>" + escaped(section.scale->label) + "</span> <span>" + escaped(section.scale->low) +
          "</span> <i style=\"background: linear-gradient(to right";
  for (const std::string& colour : section.scale->colours) html += ", " + escaped(colour);
  return html + ")\"></i> <span>" + escaped(section.scale->high) + "</span></p>\n";
}

// A section from top to bottom; pictures stand between the tables and the plots.
std::string section_html(const ReportSection& section, std::size_t index, PlotData& data) {
  std::string html = "<section class=\"section\" id=\"" + section_id(index) + "\">\n<h2>" + escaped(section.title) +
                     "</h2>\n" + paragraphs_html(section.text) + facts_html(section.facts);
  for (const Table& table : section.tables) html += table_html(table);
  return html + pictures_html(section) + plots_html(section.plots, data) + "</section>\n";
}

std::string bar_html(const Report& report) {
  std::string html =
      "<div class=\"bar\"><div class=\"column\">\n<div class=\"brand\"><svg viewBox=\"0 0 32 32\" aria-hidden=\"true\">"
      "<rect width=\"32\" height=\"32\" rx=\"8\"/><path d=\"M5 16c3.5-9 7-9 11 0s7.5 9 11 "
      "0\"/></svg><span>Livens</span></div>\n"
      "<nav aria-label=\"Sections\"><ul>\n";
  for (std::size_t i = 0; i < report.sections.size() && report.sections.size() > 1; ++i)
    html += "<li><a href=\"#" + section_id(i) + "\">" + escaped(report.sections[i].title) + "</a></li>\n";
  return html + "</ul></nav>\n<button type=\"button\" class=\"theme\" hidden>Dark theme</button>\n</div></div>\n";
}

// Only this script runs in the page, and nothing is fetched: whatever a name in a scene may look like.
std::string policy_html(const std::string& script) {
  Sha256 sha;
  sha.add(script);
  const auto digest = sha.digest();
  return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-" +
         base64(std::string(digest.begin(), digest.end())) +
         "'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n";
}

std::string head_html(const Report& report) {
  std::string script = "\n\"use strict\";\n(() => {\n";
  script += report_assets::plot_ticks_js();
  script += report_assets::plot_picture_js();
  script += report_assets::report_js();
  script += "})();\n";
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" + policy_html(script) +
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  html += escaped(report.title) + "</title>\n<style>\n";
  html += report_assets::report_css();
  return html + "</style>\n<script>" + script + "</script>\n</head>\n";
}

}  // namespace

std::string render_html(const Report& report) {
  PlotData data;
  std::string html = head_html(report) + "<body>\n<a class=\"skip\" href=\"#content\">To the content</a>\n" +
                     bar_html(report) + "<main id=\"content\" class=\"column\">\n<header class=\"head\">\n<h1>" +
                     escaped(report.title) + "</h1>\n";
  if (!report.subtitle.empty()) html += "<p class=\"subtitle\">" + escaped(report.subtitle) + "</p>\n";
  html += "</header>\n";
  if (report.verdict) html += verdict_html(*report.verdict);
  html += warnings_html(report.warnings) + facts_html(report.facts);
  html +=
      "<noscript><p class=\"note\">The plots of this page are drawn by its script, which is switched "
      "off.</p></noscript>\n";
  for (std::size_t i = 0; i < report.sections.size(); ++i) html += section_html(report.sections[i], i, data);
  html += "</main>\n";
  if (!report.footer.empty())
    html += "<footer><div class=\"column\"><p>" + escaped(report.footer) + "</p></div></footer>\n";
  return html + "<script type=\"application/json\" id=\"plot-data\">\n" + data.json() +
         "\n</script>\n</body>\n</html>\n";
}

}  // namespace livens
