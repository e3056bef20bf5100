// The report page: nothing in it can break out of it, no peak of a curve is lost, and odd numbers give pictures all the
// same.
#include "report/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace livens {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// The numbers and labels a page carries for its script.
std::string data_of(const std::string& html) {
  const std::string opening = "id=\"plot-data\">";
  const std::size_t from = html.find(opening) + opening.size();
  return html.substr(from, html.find("</script>", from) - from);
}

// What is open at the end of an XML text, or the first tag that closes something else; empty when all is well.
std::string unbalanced_tag(std::string_view xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != xml.npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == xml.npos) return "unfinished";
    std::string tag(xml.substr(at + 1, end - at - 1));
    if (tag.find('<') != tag.npos || occurrences(tag, "\"") % 2 != 0) return tag;
    const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
    if (tag.front() == '/') {
      if (open.empty() || "/" + open.back() != tag) return tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : open.back();
}

Curve sampled(std::size_t n, double (*y)(double)) {
  Curve curve{"y", {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    curve.x.push_back(0.001 * static_cast<double>(i));
    curve.y.push_back(y(curve.x.back()));
  }
  return curve;
}

Plot plot_of(std::vector<Curve> curves) {
  Plot plot;
  plot.title = "Energy";
  plot.x_label = "t";
  plot.x_unit = "s";
  plot.y_label = "H";
  plot.y_unit = "J";
  plot.curves = std::move(curves);
  return plot;
}

Report report_of(std::vector<Plot> plots) {
  Report report;
  report.title = "Pendulum";
  report.sections.push_back({"Energy", "", {}, {}, std::move(plots)});
  return report;
}

void expect_picture(const Plot& plot) {
  const std::string svg = render_svg(plot, 640, 400);
  EXPECT_EQ(unbalanced_tag(svg), "");
  EXPECT_FALSE(contains(svg, "nan") || contains(svg, "inf")) << svg.substr(0, 4000);
}

TEST(ReportPage, EscapesEveryString) {
  const std::string evil = "</script><script>alert('1')</script>\"&";
  Plot plot = plot_of({{evil, {0, 1}, {0, 1}}});
  plot.title = plot.x_label = plot.x_unit = plot.y_label = plot.y_unit = plot.note = evil;
  Report report{evil, evil, Verdict{Verdict::Kind::broken, {evil}}, {evil}, {{evil, evil}}, {}, evil};
  report.sections.push_back({evil, evil, {{evil, evil}}, {{evil, evil, {evil, evil}, {{evil, evil}}}}, {plot}});
  const std::string html = render_html(report);
  EXPECT_EQ(occurrences(html, "</script>"), 2u);
  EXPECT_FALSE(contains(html, "<script>alert"));
  EXPECT_FALSE(contains(html.substr(0, html.find(data_of(html))), "alert('1')"));
  EXPECT_GE(occurrences(html, "&lt;/script&gt;"), 15u);
  EXPECT_GE(occurrences(data_of(html), "\\u003c/script\\u003e"), 6u);
  EXPECT_FALSE(contains(data_of(html), "<"));
  EXPECT_EQ(unbalanced_tag(render_svg(plot, 600, 400)), "");
}

TEST(ReportPage, ReplacesControlCharacters) {
  Report report;
  report.title = std::string("a\x01") + "b";
  EXPECT_TRUE(contains(render_html(report),
                       "<h1>a\uFFFD"
                       "b</h1>"));
}

TEST(ReportPage, NeedsNoNetwork) {
  Report report = report_of({plot_of({sampled(100, std::sin)})});
  report.verdict = Verdict{Verdict::Kind::kept, {"As claimed."}};
  const std::string html = render_html(report);
  EXPECT_FALSE(contains(html, "http:"));
  EXPECT_FALSE(contains(html, "https:"));
  EXPECT_FALSE(contains(html, "src="));
  EXPECT_FALSE(contains(html, "@import"));
  EXPECT_FALSE(contains(html, "<link"));
  EXPECT_TRUE(contains(html, "class Figure"));
  EXPECT_TRUE(contains(html, "prefers-color-scheme: dark"));
}

TEST(ReportPage, NamesEveryVerdict) {
  using Kind = Verdict::Kind;
  Report report;
  for (const auto& [kind, title] : {std::pair{Kind::kept, "Verdict: kept"},
                                    {Kind::broken, "Verdict: broken"},
                                    {Kind::not_judged, "Verdict: none"},
                                    {Kind::failed, "Run failed"},
                                    {Kind::interrupted, "Run interrupted"}}) {
    report.verdict = Verdict{kind, {"One sentence."}};
    EXPECT_TRUE(contains(render_html(report), std::string("<h2>") + title + "</h2>"));
  }
  report.verdict.reset();
  EXPECT_FALSE(contains(render_html(report), "class=\"notice"));
}

TEST(ReportPage, FillsShortRowsAndAlignsNumbers) {
  Report report;
  report.sections.push_back(
      {"Orders", "", {}, {{"Orders", "", {"Method", "Order"}, {{"rk4", "3.97"}, {"euler"}}}}, {}});
  const std::string html = render_html(report);
  EXPECT_TRUE(contains(html, "<th scope=\"row\">rk4</th><td class=\"number\">3.97</td>"));
  EXPECT_TRUE(contains(html, "<th scope=\"row\">euler</th><td class=\"number\"></td>"));
}

TEST(ReportPage, KeepsNumbersOfProseWhole) {
  Report report;
  report.warnings = {"Closed to 2e-13: as claimed."};
  EXPECT_TRUE(contains(render_html(report), "Closed to <span class=\"whole\">2e-13:</span> as claimed."));
}

TEST(ReportData, WritesShortestNumbersAndNullForGaps) {
  const std::string data =
      data_of(render_html(report_of({plot_of({{"y", {0, 1, 2, 3}, {0.1, nan, 1.0 / 3, -infinity}}})})));
  EXPECT_TRUE(contains(data, "[0.1,null,0.3333333333333333,null]")) << data;
  EXPECT_FALSE(contains(data, "nan") || contains(data, "inf"));
}

TEST(ReportData, WritesSharedArraysOnce) {
  const Curve curve{"a", {0, 0.125, 7}, {1, 2, 3}};
  const std::string data = data_of(render_html(report_of({plot_of({curve, curve}), plot_of({curve})})));
  EXPECT_EQ(occurrences(data, "[0,0.125,7]"), 1u);
  EXPECT_EQ(occurrences(data, "\"x\":0,\"y\":1"), 3u);
}

TEST(ReportData, StaysSmall) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Plot> plots;
  for (int p = 0; p < 10; ++p) {
    Plot plot = plot_of({});
    for (int c = 0; c < 3; ++c) {
      Curve curve = sampled(1000, std::sin);
      for (double& y : curve.y) y = uniform(random);
      plot.curves.push_back(curve);
    }
    plots.push_back(plot);
  }
  const std::string html = render_html(report_of(plots));
  EXPECT_LT(html.size(), 1'500'000u);
  EXPECT_GT(html.size(), 400'000u);
}

TEST(Thinning, KeepsEndsExtremesAndOrder) {
  Curve curve = sampled(200'000, [](double t) { return std::sin(50 * t); });
  curve.y[123'457] = 9;
  curve.y[77'777] = -7;
  const Curve thin = thinned(curve);
  EXPECT_LE(thin.x.size(), 4000u);
  EXPECT_GE(thin.x.size(), 3000u);
  EXPECT_EQ(thin.x.front(), curve.x.front());
  EXPECT_EQ(thin.x.back(), curve.x.back());
  EXPECT_EQ(*std::max_element(thin.y.begin(), thin.y.end()), 9);
  EXPECT_EQ(*std::min_element(thin.y.begin(), thin.y.end()), -7);
  EXPECT_TRUE(std::is_sorted(thin.x.begin(), thin.x.end(), std::less_equal<>{}));
  EXPECT_EQ(thin.label, curve.label);
}

TEST(Thinning, KeepsFallingOrder) {
  Curve curve = sampled(50'000, std::sin);
  std::reverse(curve.x.begin(), curve.x.end());
  const Curve thin = thinned(curve);
  EXPECT_LE(thin.x.size(), 4000u);
  EXPECT_TRUE(std::is_sorted(thin.x.rbegin(), thin.x.rend()));
}

TEST(Thinning, LeavesSmallCurvesAlone) {
  const Curve curve = sampled(4000, std::cos);
  EXPECT_EQ(thinned(curve).y, curve.y);
  EXPECT_TRUE(thinned({"empty", {}, {}}).x.empty());
}

TEST(Thinning, TakesTheShorterOfTwoLengths) {
  const Curve thin = thinned({"odd", {1, 2, 3}, {4, 5}});
  EXPECT_EQ(thin.x, (std::vector<double>{1, 2}));
}

TEST(Thinning, KeepsGaps) {
  Curve curve = sampled(100'000, std::sin);
  for (std::size_t i = 40'000; i < 60'000; ++i) curve.y[i] = nan;
  curve.y[70'001] = infinity;
  const Curve thin = thinned(curve);
  EXPECT_LE(thin.x.size(), 4000u);
  std::size_t breaks = 0;
  for (std::size_t i = 1; i < thin.y.size(); ++i)
    if (std::isfinite(thin.y[i - 1]) && !std::isfinite(thin.y[i])) ++breaks;
  EXPECT_EQ(breaks, 2u);
}

TEST(Thinning, ThinsPortraitsEvenly) {
  Curve curve{"portrait", {}, {}};
  for (int i = 0; i < 150'000; ++i) {
    curve.x.push_back(std::cos(0.01 * i));
    curve.y.push_back(std::sin(0.01 * i));
  }
  curve.y[75'001] = nan;
  const Curve thin = thinned(curve);
  EXPECT_EQ(thin.x.size(), 20'000u);
  EXPECT_EQ(thin.x.front(), curve.x.front());
  EXPECT_EQ(thin.y.back(), curve.y.back());
  EXPECT_EQ(std::count_if(thin.y.begin(), thin.y.end(), [](double y) { return std::isnan(y); }), 1);
}

TEST(Thinning, SpreadsPointsAlongALogarithmicAxis) {
  Curve curve = sampled(200'000, [](double t) { return t + 1; });
  const Curve thin = thinned(curve, Scale::log);
  EXPECT_LE(thin.x.size(), 4000u);
  const auto below_one = std::count_if(thin.x.begin(), thin.x.end(), [](double x) { return x < 1; });
  EXPECT_GT(below_one, 500);
}

TEST(Thinning, KeepsTheSmallestPositiveOnALogarithmicAxis) {
  Curve curve = sampled(50'000, [](double) { return 1.0; });
  curve.y[30'000] = 1e-12;
  curve.y[30'001] = -5;
  const Curve thin = thinned(curve, Scale::linear, Scale::log);
  EXPECT_TRUE(std::find(thin.y.begin(), thin.y.end(), 1e-12) != thin.y.end());
}

TEST(StaticPlot, CurvesOfOneSlotHaveOneColour) {
  Plot plot;
  plot.curves = {{"a", {0, 1}, {0, 1}, Curve::Style::line, 3},
                 {"b", {0, 1}, {1, 0}, Curve::Style::dashed, 3},
                 {"c", {0, 1}, {1, 1}}};
  const std::string svg = render_svg(plot, 400, 300);
  const auto count = [&](const std::string& part) {
    int n = 0;
    for (std::size_t at = svg.find(part); at != svg.npos; at = svg.find(part, at + 1)) ++n;
    return n;
  };
  EXPECT_GE(count("stroke=\"#a33f85\""), 4);  // two lines, each in picture and legend
  EXPECT_GE(count("stroke=\"#00805c\""), 2);  // by its place
  EXPECT_EQ(count("stroke=\"#0067a8\"") + count("stroke=\"#c84e00\""), 0);
  Report report;
  report.title = "T";
  report.sections = {{"S", "", {}, {}, {plot}}};
  EXPECT_NE(render_html(report).find("\"slot\":3"), std::string::npos);
}

TEST(Orbit, SparseOnesAreTold) {
  std::vector<double> x, y;
  const auto turn = [&](int points) {
    x.clear(), y.clear();
    for (int k = 0; k < 500; ++k) x.push_back(std::cos(6.283 * k / points)), y.push_back(std::sin(6.283 * k / points));
  };
  turn(200);
  EXPECT_FALSE(is_sparse(x, y));
  turn(10);
  EXPECT_TRUE(is_sparse(x, y));
}

TEST(StaticPlot, IsWellFormedForOddData) {
  expect_picture(plot_of({}));
  expect_picture(plot_of({{"empty", {}, {}}}));
  expect_picture(plot_of({{"one", {2}, {3}}}));
  expect_picture(plot_of({{"zero", {0, 1}, {0, 0}}}));
  expect_picture(plot_of({{"constant", {0, 1, 2}, {5, 5, 5}}, {"gaps", {0, 1, 2, 3}, {1, nan, infinity, 2}}}));
  expect_picture(plot_of({{"all gaps", {nan, nan}, {nan, infinity}}}));
  expect_picture(plot_of({{"huge", {0, 1}, {-1e308, 1e308}}, {"large", {0, 1}, {-1e300, 1e300}}}));
  expect_picture(plot_of({{"tiny", {0, 1}, {0, 5e-324}}}));
  Plot twenty = plot_of({});
  for (int i = 0; i < 20; ++i) twenty.curves.push_back(sampled(50, std::sin));
  expect_picture(twenty);
}

TEST(StaticPlot, SkipsWhatALogarithmicAxisCannotShow) {
  Plot plot = plot_of({{"error", {-1, 0, 1, 10, 100}, {1, 1, 1e-3, 0, 1e-9}, Curve::Style::line_points}});
  plot.log_x = plot.log_y = true;
  expect_picture(plot);
  EXPECT_TRUE(contains(render_svg(plot, 640, 400), ">10⁻⁶<"));
  plot.curves = {{"negative", {1, 2}, {-1, -2}}};
  expect_picture(plot);
  EXPECT_TRUE(contains(render_svg(plot, 640, 400), "no data to draw"));
}

TEST(StaticPlot, ReadsSmallDriftsFromAnOffset) {
  const std::string svg = render_svg(plot_of({{"H", {0, 1, 2}, {1e8, 1e8 + 1e-6, 1e8 - 1e-6}}}), 640, 400);
  EXPECT_TRUE(contains(svg, ">10⁸ + tick × 10⁻⁶<"));
  EXPECT_TRUE(contains(svg, ">−1.0<"));
  EXPECT_TRUE(contains(svg, ">0.4<"));
}

TEST(StaticPlot, HasPowersOfTenAsSuperscripts) {
  EXPECT_TRUE(contains(render_svg(plot_of({{"H", {0, 1}, {0, 2e-7}}}), 640, 400), ">× 10⁻⁷<"));
}

TEST(StaticPlot, HasTitlesWithUnits) {
  const std::string svg = render_svg(plot_of({{"H", {0, 1}, {0, 1}}}), 640, 400);
  EXPECT_TRUE(contains(svg, ">t (s)<"));
  EXPECT_TRUE(contains(svg, ">H (J)<"));
}

TEST(StaticPlot, SurvivesEveryMagnitude) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> exponent(-320, 308), share(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const double middle = share(random) * std::pow(10, exponent(random)), span = std::pow(10, exponent(random));
    Curve curve{"y", {}, {}, Curve::Style::line_points};
    for (int i = 0; i < 5; ++i) {
      curve.x.push_back(middle + span * share(random));
      curve.y.push_back(span + middle * (1 + 1e-15 * i));
    }
    Plot plot = plot_of({curve});
    plot.log_x = trial % 3 == 0;
    plot.log_y = trial % 5 == 0;
    plot.equal_axes = trial % 2 == 0;
    expect_picture(plot);
  }
}

}  // namespace
}  // namespace livens
