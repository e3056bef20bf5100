#include "run/asynchronous_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <livens/asynchronous.hpp>

#include "files/fields.hpp"
#include "report/frame_pictures.hpp"

namespace livens {
namespace {

constexpr int bins_a_decade = 10;

// Elements by how often they went, in tenths of decades, as steps.
Plot histogram(const std::vector<double>& updates) {
  Plot plot;
  plot.title = "Updates per element";
  plot.x_label = "updates";
  plot.y_label = "elements";
  plot.log_x = true;
  plot.note = "in bins of a tenth of a decade";
  const auto [least, most] = std::minmax_element(updates.begin(), updates.end());
  const auto bin_of = [](double value) {
    return static_cast<int>(std::floor(bins_a_decade * std::log10(std::max(1.0, value))));
  };
  const int first = bin_of(*least), last = bin_of(*most);
  std::vector<double> counts(last - first + 1, 0.0);
  for (const double value : updates) counts[bin_of(value) - first] += 1;
  Curve curve;
  const auto edge = [](int bin) { return std::pow(10.0, static_cast<double>(bin) / bins_a_decade); };
  curve.x = {edge(first)};
  curve.y = {0};
  for (int bin = first; bin <= last; ++bin)
    for (const int side : {bin, bin + 1}) {
      curve.x.push_back(edge(side));
      curve.y.push_back(counts[bin - first]);
    }
  curve.x.push_back(edge(last + 1));
  curve.y.push_back(0);
  plot.curves.push_back(std::move(curve));
  return plot;
}

Plot over_time(const WatchedElement& watched, const std::string& what, const std::vector<double>& values) {
  Plot plot;
  plot.title = watched.name + ": " + what;
  plot.x_label = "t";
  plot.x_unit = "s";
  plot.y_label = what;
  plot.y_unit = "J";
  plot.curves.push_back({"", watched.t, values, Curve::Style::line});
  return plot;
}

// [L04 Fig. 6] World lines of the nodes, and a bar over the nodes of a stencil wherever it is activated.
Plot space_time(const AsynchronousFacts& clocks) {
  Plot plot;
  plot.title = "The first activations in space and time";
  plot.x_label = "x";
  plot.x_unit = "m";
  plot.y_label = "t";
  plot.y_unit = "s";
  plot.note = "a bar is an activation; between those of its stencils a node moves in a straight line";
  const double gap = std::nan("");
  std::map<int, Curve> stencils, nodes;
  for (const Activation& event : clocks.first) {
    Curve& bar = stencils[event.stencil];
    bar.label = fmt::format("stencil {}", event.stencil);
    for (std::size_t a = 0; a < event.nodes.size(); ++a) {
      bar.x.push_back(event.x[a]);
      bar.y.push_back(event.t);
      Curve& line = nodes[event.nodes[a]];
      line.x.push_back(event.x[a]);
      line.y.push_back(event.t);
    }
    bar.x.push_back(gap);
    bar.y.push_back(gap);
  }
  for (auto& [stencil, bar] : stencils) plot.curves.push_back(std::move(bar));
  Curve world;
  world.label = "nodes";
  world.style = Curve::Style::dotted;
  for (auto& [node, line] : nodes) {
    world.x.insert(world.x.end(), line.x.begin(), line.x.end());
    world.y.insert(world.y.end(), line.y.begin(), line.y.end());
    world.x.push_back(gap);
    world.y.push_back(gap);
  }
  plot.curves.push_back(std::move(world));
  return plot;
}

void add_picture(const RunFacts& facts, const std::vector<std::vector<double>>& of_bodies, ReportSection& section) {
  if (facts.frames.empty()) return;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::vector<std::vector<double>> logs = of_bodies;
  for (auto& values : logs)
    for (double& value : values) {
      value = std::log10(std::max(1.0, value));
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (!(high >= low)) return;
  try {
    auto picture = element_picture(facts.model, facts.directory + "/" + facts.frames, logs, low, high);
    if (!picture) return;
    picture->title = "Updates per element";
    picture->text = "on the last shape, logarithmic";
    section.pictures.push_back(std::move(*picture));
    section.scale = {"updates", picture_colours(), fmt::format("{:.3g}", std::pow(10, low)),
                     fmt::format("{:.3g}", std::pow(10, high))};
  } catch (const RunError&) {  // already reported in the section on the motion
  }
}

// "5, of 3.7e-05 s to 0.00059 s"
std::string levels_text(const Counters& counters) {
  const long levels = 1 + std::lround(std::log2(counters.step_max / counters.step_min));
  return levels == 1 ? fmt::format("1, of {:.3g} s", counters.step_max)
                     : fmt::format("{}, of {:.3g} s to {:.3g} s", levels, counters.step_min, counters.step_max);
}

}  // namespace

std::optional<ReportSection> asynchronous_section(const RunFacts& facts) {
  if (facts.integrator.asynchronous() == nullptr) return std::nullopt;
  const AsynchronousFacts clocks = facts.integrator.asynchronous()->facts();
  if (clocks.updates == 0) return std::nullopt;
  ReportSection section;
  section.title = "Clocks";
  section.facts = {{"Stencils", std::to_string(clocks.stencils)},
                   {"Updates", fmt::format("{:.4g}", static_cast<double>(clocks.updates))},
                   {"Least and most of one", fmt::format("{} and {}", clocks.least_updates, clocks.most_updates)},
                   {"Ideal speed-up", fmt::format("{:.3g}", clocks.ideal_speedup)},
                   {"Attained", fmt::format("{:.3g}", clocks.attained_speedup)},
                   {"An update alone", fmt::format("{:.0f} ns", 1e9 * clocks.update_time)}};
  const bool levels = clocks.base > 0;
  section.facts.push_back(levels ? Fact{"Levels", levels_text(facts.integrator.counters())}
                                 : Fact{"A turn of the queue", fmt::format("{:.0f} ns", 1e9 * clocks.queue_time)});
  section.text =
      "Ideal: updates if every stencil were activated as often as the most frequent one, over the updates made. "
      "Attained: the same in time, against as many updates one after the other on one thread, without a queue";
  section.text += levels ? "; elements that go four at a time, or on several threads, can exceed the ideal." : ".";
  std::vector<std::vector<double>> of_bodies;
  std::vector<double> all;
  for (const Body& body : facts.model.bodies()) {
    of_bodies.emplace_back();
    if (body.mesh == nullptr) continue;
    of_bodies.back() = BodyFields(facts.model, body, facts.state, &facts.integrator).updates();
    all.insert(all.end(), of_bodies.back().begin(), of_bodies.back().end());
  }
  if (!all.empty()) section.plots.push_back(histogram(all));
  if (!clocks.first.empty()) section.plots.push_back(space_time(clocks));
  for (const WatchedElement& watched : clocks.watched) {
    section.plots.push_back(over_time(watched, "energy", watched.energy));
    section.plots.push_back(over_time(watched, "imbalance of energy", watched.residual));
  }
  add_picture(facts, of_bodies, section);
  return section;
}

}  // namespace livens
