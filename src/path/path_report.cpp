#include "path/path_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace livens {
namespace {

constexpr std::size_t most_listed = 60;  // coordinates whose ends are in the summary
constexpr std::size_t most_curves = 6;   // coordinates or nodes that are drawn over time

std::size_t size_of(const PathFacts& facts) { return facts.path.ends.from.size(); }

// What is drawn of a path: coordinates of a system, or centres of mass of bodies, each with a name and a unit.
struct Drawn {
  std::string name, unit;
  std::vector<std::pair<std::size_t, double>> weights;  // coordinate and its share
};

std::vector<Drawn> drawn_of_body(const Model& model, const Body& body) {
  static constexpr const char* axes[] = {"x", "y", "z"};
  std::vector<Drawn> drawn;
  const auto d = static_cast<std::size_t>(body.dimension), first = static_cast<std::size_t>(body.first);
  const bool single = body.nodes == 1;
  for (std::size_t c = 0; c < d; ++c) {
    Drawn one{(single ? "" : "centre of ") + body.name + (single ? " " : ", ") + axes[c], "m", {}};
    double total = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(body.nodes); ++a) {
      const double mass = model.parts().mass.diagonal[first + a * d + c];
      one.weights.emplace_back(first + a * d + c, mass);
      total += mass;
    }
    for (auto& weight : one.weights) weight.second /= total;
    drawn.push_back(std::move(one));
  }
  return drawn;
}

std::vector<Drawn> drawn_of(const Model& model) {
  std::vector<Drawn> drawn;
  for (const Body& body : model.bodies()) {
    for (std::size_t i = 0; body.dimension == 0 && i < model.parts().coordinates.size(); ++i)
      drawn.push_back({model.parts().coordinates[i], "", {{body.first + i, 1.0}}});
    if (body.dimension == 0) continue;
    const auto more = drawn_of_body(model, body);
    drawn.insert(drawn.end(), more.begin(), more.end());
  }
  return drawn;
}

// The path moved by `a` along an eigenvector; the path itself for a = 0.
std::vector<double> values(const PathFacts& facts, const Drawn& drawn, std::size_t mode, double a) {
  const Path& path = facts.path;
  const std::size_t n = size_of(facts), s = path.ends.rule.nodes.size() - 1;
  std::vector<double> result;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(path.ends.steps); ++k) {
    double value = 0;
    for (const auto& [i, weight] : drawn.weights) {
      const std::size_t at = k * s * n + i;
      value += weight * (path.q[at] + (a != 0 ? a * facts.second.eigenvectors[mode][at] : 0));
    }
    result.push_back(value);
  }
  return result;
}

std::vector<double> times(const Path& path) {
  std::vector<double> t;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(path.ends.steps); ++k) t.push_back(path.time(k));
  return t;
}

struct Shown {
  std::string label;
  std::size_t mode;
  double a;
  Curve::Style style;
};

std::vector<Shown> shown_paths(const PathFacts& facts) {
  std::vector<Shown> shown = {{"stationary path", 0, 0, Curve::Style::line}};
  const double a = facts.amplitude * facts.extent;
  for (std::size_t k = 0; k < std::min<std::size_t>(2, facts.second.eigenvectors.size()); ++k)
    for (const double sign : {1.0, -1.0})
      shown.push_back({fmt::format("perturbed, mode {} {}", k + 1, sign > 0 ? "+" : "-"), k, sign * a,
                       k == 0 ? Curve::Style::dashed : Curve::Style::dotted});
  return shown;
}

Plot over_time(const PathFacts& facts, const Drawn& drawn) {
  Plot plot;
  plot.title = drawn.name + " over time";
  plot.x_label = "t";
  plot.x_unit = "s";
  plot.y_label = drawn.name;
  plot.y_unit = drawn.unit;
  for (const Shown& shown : shown_paths(facts))
    plot.curves.push_back({shown.label, times(facts.path), values(facts, drawn, shown.mode, shown.a), shown.style});
  return plot;
}

Plot in_plane(const PathFacts& facts, const Drawn& x, const Drawn& y) {
  Plot plot;
  plot.title = y.name + " against " + x.name;
  plot.x_label = x.name;
  plot.x_unit = x.unit;
  plot.y_label = y.name;
  plot.y_unit = y.unit;
  plot.equal_axes = facts.model->dimension() > 0;
  for (const Shown& shown : shown_paths(facts))
    plot.curves.push_back(
        {shown.label, values(facts, x, shown.mode, shown.a), values(facts, y, shown.mode, shown.a), shown.style});
  return plot;
}

// The two directions in which the path extends most.
std::array<std::size_t, 2> widest(const PathFacts& facts, const Body& body) {
  const auto d = static_cast<std::size_t>(body.dimension), first = static_cast<std::size_t>(body.first);
  const std::size_t n = size_of(facts);
  std::array<double, 3> low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (std::size_t at = 0; at < facts.path.q.size(); at += n)
    for (std::size_t i = 0; i < static_cast<std::size_t>(body.size()); ++i) {
      low[i % d] = std::min(low[i % d], facts.path.q[at + first + i]);
      high[i % d] = std::max(high[i % d], facts.path.q[at + first + i]);
    }
  if (d == 2 || high[2] - low[2] <= std::min(high[0] - low[0], high[1] - low[1])) return {0, 1};
  return high[0] - low[0] >= high[1] - low[1] ? std::array<std::size_t, 2>{0, 2} : std::array<std::size_t, 2>{1, 2};
}

// All nodes of a body at five times.
Plot shapes(const PathFacts& facts, const Body& body) {
  static constexpr const char* axes[] = {"x", "y", "z"};
  const auto [x, y] = widest(facts, body);
  Plot plot;
  plot.title = "Nodes of " + body.name + " at five times";
  plot.x_label = axes[x];
  plot.y_label = axes[y];
  plot.x_unit = plot.y_unit = "m";
  plot.equal_axes = true;
  const auto d = static_cast<std::size_t>(body.dimension), first = static_cast<std::size_t>(body.first);
  for (int part = 0; part <= 4; ++part) {
    const auto step = static_cast<std::size_t>(facts.path.ends.steps * part / 4);
    const ConstVector q = facts.path.at(step);
    Curve curve{fmt::format("t = {:.4g} s", facts.path.time(step)), {}, {}, Curve::Style::points};
    for (std::size_t a = 0; a < static_cast<std::size_t>(body.nodes); ++a) {
      curve.x.push_back(q[first + a * d + x]);
      curve.y.push_back(q[first + a * d + y]);
    }
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

// Nodes of a body on a line, over time.
Plot nodes_over_time(const PathFacts& facts, const Body& body) {
  Plot plot;
  plot.title = "Nodes of " + body.name + " over time";
  plot.x_label = "t";
  plot.x_unit = "s";
  plot.y_label = "x";
  plot.y_unit = "m";
  const std::size_t nodes = static_cast<std::size_t>(body.nodes), shown = std::min(nodes, 2 * most_curves);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t node = shown > 1 ? k * (nodes - 1) / (shown - 1) : 0;
    const Drawn drawn{"", "m", {{static_cast<std::size_t>(body.first) + node, 1.0}}};
    plot.curves.push_back(
        {"node " + std::to_string(node), times(facts.path), values(facts, drawn, 0, 0), Curve::Style::line});
  }
  return plot;
}

ReportSection path_section(const PathFacts& facts) {
  ReportSection section;
  section.title = "The path";
  section.text = facts.second.eigenvectors.empty()
                     ? ""
                     : fmt::format(
                           "Perturbed paths have the same ends and times. They are moved by {:.3g} of the "
                           "extent along the two lowest eigenvectors of the second variation.",
                           facts.amplitude);
  const Model& model = *facts.model;
  const std::vector<Drawn> drawn = drawn_of(model);
  if (model.dimension() != 1 && drawn.size() > 1) section.plots.push_back(path_plot(facts));
  for (std::size_t i = 0; i < std::min(drawn.size(), most_curves); ++i)
    section.plots.push_back(over_time(facts, drawn[i]));
  for (const Body& body : model.bodies()) {
    if (body.dimension > 1 && body.nodes > 1) section.plots.push_back(shapes(facts, body));
    if (body.dimension == 1 && body.nodes > 1) section.plots.push_back(nodes_over_time(facts, body));
  }
  return section;
}

ReportSection action_section(const PathFacts& facts) {
  ReportSection section;
  section.title = "The action of perturbed paths";
  section.text =
      "S(q + a η) - S(q) along the lowest eigenvectors η of the second variation, the largest component of η being 1. "
      "The first variation is the slope at a = 0; where a curve falls on both sides, the path is no minimum.";
  Plot plot;
  plot.title = "Action against the amplitude of the perturbation";
  plot.x_label = "amplitude a";
  plot.x_unit = facts.model->dimension() > 0 ? "m" : "";
  plot.y_label = "S(q + a η) - S(q)";
  plot.y_unit = "J s";
  for (std::size_t k = 0; k < facts.perturbations.size(); ++k)
    plot.curves.push_back({fmt::format("mode {}, {:.4g} 1/s²", k + 1, facts.second.eigenvalues[k]),
                           facts.perturbations[k].amplitude, facts.perturbations[k].action, Curve::Style::line});
  section.plots.push_back(std::move(plot));
  return section;
}

ReportSection second_section(const PathFacts& facts) {
  ReportSection section;
  section.title = "The second variation";
  section.text =
      "Eigenvalues λ of δ²S η = λ h L_vv η. Each negative one belongs to a conjugate point on the way, counted with "
      "its "
      "multiplicity (Morse); without any the path has the least action of all nearby.";
  Plot plot;
  plot.title = "Lowest eigenvalues of the second variation";
  plot.x_label = "number";
  plot.y_label = "λ";
  plot.y_unit = "1/s²";
  Curve curve{"", {}, {}, Curve::Style::line_points};
  Table table;
  table.title = "Lowest eigenvalues";
  table.columns = {"number", "λ, 1/s²", "along it the path is"};
  for (std::size_t k = 0; k < facts.second.eigenvalues.size(); ++k) {
    const double lambda = facts.second.eigenvalues[k];
    curve.x.push_back(static_cast<double>(k + 1));
    curve.y.push_back(lambda);
    table.rows.push_back(
        {std::to_string(k + 1), fmt::format("{:.8g}", lambda), lambda < 0 ? "a maximum" : "a minimum"});
  }
  plot.curves.push_back(std::move(curve));
  section.plots.push_back(std::move(plot));
  section.tables.push_back(std::move(table));
  if (facts.second.conjugate_points.empty()) return section;
  Table conjugate;
  conjugate.title = "Points conjugate to the start";
  conjugate.columns = {"after t, s", "before t, s", "multiplicity"};
  for (const ConjugatePoint& point : facts.second.conjugate_points)
    conjugate.rows.push_back(
        {fmt::format("{:.8g}", point.after), fmt::format("{:.8g}", point.before), std::to_string(point.multiplicity)});
  section.tables.push_back(std::move(conjugate));
  return section;
}

std::vector<std::string> names_of(const Model& model) {
  static constexpr const char* axes[] = {"x", "y", "z"};
  std::vector<std::string> names;
  for (const Body& body : model.bodies())
    for (int i = 0; i < body.size(); ++i)
      names.push_back(body.dimension == 0
                          ? model.parts().coordinates[i]
                          : fmt::format("{}.{}.{}", body.name, i / body.dimension, axes[i % body.dimension]));
  return names;
}

}  // namespace

std::string PathFacts::kind() const {
  if (!path.converged) return "not found";
  if (second.singular) return "degenerate: the ends are conjugate";
  if (second.index == 0) return "a minimum";
  return fmt::format("a saddle of index {}", second.index);
}

std::string path_csv(const PathFacts& facts) {
  std::string text = "t";
  for (const std::string& name : names_of(*facts.model)) text += "," + name;
  text += "\n";
  for (std::size_t k = 0; k <= static_cast<std::size_t>(facts.path.ends.steps); ++k) {
    State state{facts.path.time(k), {}, std::vector<double>(size_of(facts)), std::vector<double>(size_of(facts)), {}};
    const ConstVector q = facts.path.at(k);
    state.q.assign(q.begin(), q.end());
    facts.model->place_supports(state.t, state);
    text += fmt::format("{:.17g}", state.t);
    for (const double value : state.q) text += fmt::format(",{:.17g}", value);
    text += "\n";
  }
  return text;
}

std::string path_json(const PathFacts& facts) {
  using json = nlohmann::ordered_json;
  const Path& path = facts.path;
  json conjugate = json::array();
  for (const ConjugatePoint& point : facts.second.conjugate_points)
    conjugate.push_back({{"after", point.after}, {"before", point.before}, {"multiplicity", point.multiplicity}});
  json result = {{"schema", "livens.path/1"},
                 {"status", path.converged     ? "done"
                            : path.interrupted ? "interrupted"
                                               : "not_found"},
                 {"message", path.message},
                 {"scene", facts.scene},
                 {"integrator", facts.integrator},
                 {"t_begin", path.ends.t_begin},
                 {"t_end", path.ends.t_end},
                 {"steps", path.ends.steps},
                 {"step", path.h},
                 {"coordinates", size_of(facts)},
                 {"action", path.action},
                 {"first_variation", {{"largest", path.residual}, {"scale", path.scale}}},
                 {"kind", facts.kind()},
                 {"index", facts.second.index},
                 {"eigenvalues", facts.second.eigenvalues},
                 {"conjugate_points", conjugate},
                 {"extent", facts.extent},
                 {"iterations", path.iterations},
                 {"wall_time", facts.wall_time}};
  if (!path.converged) return result.dump(2) + "\n";
  result["retraced"] = {{"largest_difference", facts.retraced}, {"over_extent", facts.retraced / facts.extent}};
  if (size_of(facts) > most_listed) return result.dump(2) + "\n";
  result["names"] = names_of(*facts.model);
  result["begin"] = {{"q", path.ends.from}, {"p", path.p_begin}, {"v", facts.v_begin}};
  result["end"] = {{"q", path.ends.to}, {"p", path.p_end}, {"v", facts.v_end}};
  return result.dump(2) + "\n";
}

Plot path_plot(const PathFacts& facts) {
  const std::vector<Drawn> drawn = drawn_of(*facts.model);
  if (drawn.size() < 2 || facts.model->dimension() == 1) return over_time(facts, drawn.front());
  if (facts.model->dimension() == 0) return in_plane(facts, drawn[0], drawn[1]);
  const auto [x, y] = widest(facts, facts.model->bodies().front());
  return in_plane(facts, drawn[x], drawn[y]);
}

Report path_report(const PathFacts& facts) {
  const Path& path = facts.path;
  Report report;
  report.title = facts.title;
  report.subtitle = "A stationary path of the action between two positions";
  if (!path.converged) report.warnings.push_back("No stationary path: " + path.message + ".");
  if (facts.second.singular)
    report.warnings.push_back("The ends are conjugate to rounding: the path is not isolated, its index not reliable.");
  report.facts = {{"Scene", facts.scene},
                  {"Discrete Lagrangian", facts.integrator},
                  {"From, to", fmt::format("{:.6g} s, {:.6g} s in {} steps of {:.6g} s", path.ends.t_begin,
                                           path.ends.t_end, path.ends.steps, path.h)},
                  {"Action", fmt::format("{:.12g} J s", path.action)},
                  {"Kind", facts.kind()},
                  {"First variation",
                   fmt::format("{:.1e} of its summands, {} iterations", path.residual / path.scale, path.iterations)}};
  if (path.converged)
    report.facts.push_back({"Retraced", fmt::format("stepping from the start takes the same path to {:.1e} of its "
                                                    "extent {:.4g}",
                                                    facts.retraced / facts.extent, facts.extent)});
  report.facts.push_back({"Work", fmt::format("{:.3g} s", facts.wall_time)});
  report.sections.push_back(path_section(facts));
  if (!facts.perturbations.empty()) report.sections.push_back(action_section(facts));
  if (!facts.second.eigenvalues.empty()) report.sections.push_back(second_section(facts));
  return report;
}

}  // namespace livens
