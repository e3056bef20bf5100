#include "adapt/adapt_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "adapt/quality.hpp"
#include "files/fields.hpp"
#include "math/parallel.hpp"
#include "mesh/core/topology.hpp"
#include "report/frame_pictures.hpp"
#include "report/picture.hpp"

namespace livens {
namespace {

using Eigen::Vector3d;

double spread_of(const std::vector<ContourChange>& contours, std::size_t first, std::size_t last,
                 double ContourChange::*when) {
  double low = contours[first].*when, high = low, sum = 0;
  for (std::size_t k = first; k <= last; ++k) {
    low = std::min(low, contours[k].*when);
    high = std::max(high, contours[k].*when);
    sum += contours[k].*when;
  }
  return (high - low) / std::abs(sum / static_cast<double>(last - first + 1));
}

// Whether midsides have the mean weight of their corners, as they have in the motions that adaption tries. The node of
// a tip alone does not in quadratic meshes.
bool moves_straight_edges(const Mesh& mesh, const std::vector<double>& weights) {
  const int v = vertices_of(mesh.kind);
  for (int e = 0; e < mesh.elements(); ++e)
    for (int k = v; k < nodes_of(mesh.kind); ++k) {
      const auto& ends = simplex_edges[at(k - v)];
      const auto weight = [&](int a) { return weights[at(mesh.element(e)[a])]; };
      if (weight(k) != 0.5 * (weight(ends[0]) + weight(ends[1]))) return false;
    }
  return true;
}

bool free_between(const AdaptFacts& facts, const ContourChange& inner, const ContourChange& outer) {
  if (!moves_straight_edges(*facts.result.mesh, inner.weights)) return false;
  for (std::size_t a = 0; a < inner.weights.size(); ++a)
    if (inner.weights[a] != outer.weights[a] && (facts.result.active_nodes[a] || facts.result.held_nodes[a]))
      return false;
  return true;
}

// --- pictures --------------------------------------------------------------------------------------------------------

// What the colours mean, at the nodes.
struct Shade {
  std::string label, unit;
  std::vector<double> (*values)(const Model& model, int body, ConstVector q);
  double part;  // of the nodes that the scale has colours for
};

std::vector<double> root_of_energy(const Model& model, int body, ConstVector q) {
  const Body& solid = model.bodies()[at(body)];
  BodyFields fields(model, solid, 0, q, q);
  std::vector<double> values = at_nodes(*solid.mesh, fields.energy_density());
  for (double& value : values) value = std::sqrt(std::max(value, 0.0));
  return values;
}

std::vector<double> size_of_forces(const Model& model, int body, ConstVector q) {
  const Body& solid = model.bodies()[at(body)];
  const std::vector<double> G = BodyFields(model, solid, 0, q, q).configurational_force();
  const auto d = at(solid.dimension);
  std::vector<double> values(G.size() / d, 0.0);
  for (std::size_t i = 0; i < G.size(); ++i) values[i / d] += G[i] * G[i];
  for (double& value : values) value = std::sqrt(value);
  return values;
}

struct Region {
  Vector3d low, high;
};

Region whole(const Mesh& mesh) {
  const int d = mesh.dimension();
  Region region{Vector3d::Zero(), Vector3d::Zero()};
  for (int c = 0; c < d; ++c) {
    region.low[c] = region.high[c] = mesh.X[at(c)];
    for (std::size_t i = at(c); i < mesh.X.size(); i += at(d)) {
      region.low[c] = std::min(region.low[c], mesh.X[i]);
      region.high[c] = std::max(region.high[c], mesh.X[i]);
    }
  }
  return region;
}

// The reference shape, coloured by values of the nodes up to `largest`; of regions smaller than the body, only the
// elements that reach into it.
Picture picture_of(const Mesh& mesh, const std::vector<double>& values, const Region& region, double largest,
                   const std::string& title) {
  const int d = mesh.dimension();
  SurfaceTriangles surface = surface_triangles(mesh);
  PictureBody shown;
  for (int a = 0; a < mesh.nodes(); ++a) {
    Vector3d p = Vector3d::Zero();
    for (int c = 0; c < d; ++c) p[c] = mesh.X[at(a * d + c)];
    shown.positions.push_back(p);
    shown.value.push_back(static_cast<float>(std::min(1.0, values[at(a)] / largest)));
  }
  SurfaceTriangles inside;
  for (std::size_t t = 0; t < surface.element.size(); ++t) {
    bool within = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d& p = shown.positions[at(surface.nodes[3 * t + k])];
      bool in = true;
      // Half as large again, so that elements that extend beyond the picture still fill it.
      for (int c = 0; c < d; ++c) {
        const double more = 0.25 * (region.high[c] - region.low[c]);
        in = in && p[c] >= region.low[c] - more && p[c] <= region.high[c] + more;
      }
      within = within || in;
    }
    if (!within) continue;
    for (std::size_t k = 0; k < 3; ++k) inside.nodes.push_back(surface.nodes[3 * t + k]);
    inside.edges.push_back(surface.edges[t]);
    inside.element.push_back(surface.element[t]);
  }
  shown.surface = &inside;
  const View view = make_view(region.low, region.high, d == 2, Vector3d::UnitZ(), 640);
  Picture picture{title, "", png_bytes(render(view, std::span(&shown, 1), {})), view.width, view.height};
  return picture;
}

// Before and after, with one scale.
ReportSection pair_of(const AdaptFacts& facts, const std::string& title, const Region& region, const Shade& shade) {
  const std::vector<double> before = shade.values(*facts.before, facts.body, facts.q_before);
  const std::vector<double> after = shade.values(*facts.after, facts.body, facts.result.q);
  std::vector<double> sorted = before;
  std::sort(sorted.begin(), sorted.end());
  const auto place = static_cast<std::size_t>(shade.part * static_cast<double>(sorted.size() - 1));
  const double largest = std::max(sorted[place], 1e-300);
  ReportSection section;
  section.title = title;
  section.text = "In the reference shape.";
  section.pictures.resize(2);
  for_each_index(2, [&](std::size_t k) {
    const Model& model = k == 0 ? *facts.before : *facts.after;
    section.pictures[k] = picture_of(*model.bodies()[at(facts.body)].mesh, k == 0 ? before : after, region, largest,
                                     k == 0 ? "before" : "after");
  });
  section.scale = {shade.label, colour_stops(), "0", fmt::format("{:.3g} {} and above", largest, shade.unit)};
  return section;
}

std::vector<ReportSection> pictures_of(const AdaptFacts& facts) {
  const Mesh& mesh = *facts.before->bodies()[at(facts.body)].mesh;
  const int d = mesh.dimension();
  const Region all = whole(mesh);
  const Shade energy{"root of the energy density", "(J/m³)^½", root_of_energy, 0.98};
  const Shade forces{"size of the configurational force", "N", size_of_forces, 0.98};
  std::vector<ReportSection> sections = {pair_of(facts, "The mesh", all, energy)};
  if (facts.tips.empty()) {
    sections.push_back(pair_of(facts, "Configurational forces", all, forces));
    return sections;
  }
  Vector3d tip = Vector3d::Zero();
  for (int c = 0; c < d; ++c) tip[c] = mesh.X[at(facts.tips.front() * d + c)];
  const Vector3d size = all.high - all.low;
  const double reach = 0.15 * (d == 2 ? std::min(size[0], size[1]) : size.minCoeff());
  const Vector3d half(reach, reach, d == 2 ? 0 : reach);
  sections.push_back(pair_of(facts, "Near the tip", {tip - half, tip + half}, energy));
  sections.push_back(pair_of(facts, "Configurational forces near the tip", {tip - half, tip + half}, forces));
  return sections;
}

Table contour_table(const AdaptFacts& facts) {
  Table table;
  table.title = "J on contours";
  table.columns = {"contour", "before, N", "after, N"};
  for (const ContourChange& contour : facts.contours)
    table.rows.push_back({contour.name, fmt::format("{:.8g}", contour.before), fmt::format("{:.8g}", contour.after)});
  const ContourSpread spread = contour_spread(facts);
  if (facts.contours.size() > 1)
    table.rows.push_back({"spread", fmt::format("{:.2e}", spread.before), fmt::format("{:.2e}", spread.after)});
  if (!spread.free.empty())
    table.note = fmt::format(
        "Between {} every node could move and no element is at the quality bound: their spread is {:.1e} before and "
        "{:.1e} "
        "after.",
        fmt::join(spread.free, ", "), spread.free_before, spread.free_after);
  return table;
}

Plot course_plot(const AdaptFacts& facts, const std::string& title, const std::string& unit,
                 double AdaptProgress::*what, bool log) {
  Plot plot;
  plot.title = title;
  plot.x_label = "iteration";
  plot.y_unit = unit;
  plot.y_label = title;
  plot.log_y = log;
  Curve curve;
  for (const AdaptProgress& step : facts.course) {
    curve.x.push_back(step.iteration);
    curve.y.push_back(step.*what);
  }
  plot.curves.push_back(std::move(curve));
  return plot;
}

}  // namespace

ContourSpread contour_spread(const AdaptFacts& facts) {
  ContourSpread result;
  const auto& contours = facts.contours;
  if (contours.size() < 2) return result;
  result.before = spread_of(contours, 0, contours.size() - 1, &ContourChange::before);
  result.after = spread_of(contours, 0, contours.size() - 1, &ContourChange::after);
  std::size_t first = 0, best_first = 0, best_last = 0;
  for (std::size_t k = 1; k < contours.size(); ++k) {
    if (!free_between(facts, contours[k - 1], contours[k])) first = k;
    if (k - first > best_last - best_first) {
      best_first = first;
      best_last = k;
    }
  }
  if (best_last == best_first) return result;
  for (std::size_t k = best_first; k <= best_last; ++k) result.free.push_back(contours[k].name);
  result.free_before = spread_of(contours, best_first, best_last, &ContourChange::before);
  result.free_after = spread_of(contours, best_first, best_last, &ContourChange::after);
  return result;
}

std::string contours_csv(const AdaptFacts& facts) {
  std::string text = "contour,J before (N),J after (N)\n";
  const auto add = [&](const std::string& name, double before, double after) {
    text += fmt::format("{},{:.17g},{:.17g}\n", name, before, after);
  };
  for (const ContourChange& contour : facts.contours) add(contour.name, contour.before, contour.after);
  const ContourSpread spread = contour_spread(facts);
  if (facts.contours.size() > 1) add("spread of all", spread.before, spread.after);
  if (!spread.free.empty()) add("spread of those free of bounds", spread.free_before, spread.free_after);
  return text;
}

std::string adapt_json(const AdaptFacts& facts) {
  using json = nlohmann::ordered_json;
  const AdaptResult& r = facts.result;
  json contours = json::array();
  for (const ContourChange& contour : facts.contours)
    contours.push_back({{"name", contour.name}, {"J_before", contour.before}, {"J_after", contour.after}});
  const ContourSpread spread = contour_spread(facts);
  const json result = {{"schema", "livens.adapt/1"},
                       {"status", r.converged     ? "done"
                                  : r.interrupted ? "interrupted"
                                                  : "not_converged"},
                       {"message", r.message},
                       {"scene", facts.scene},
                       {"body", facts.before->bodies()[at(facts.body)].name},
                       {"energy", {{"before", r.energy_before}, {"after", r.energy_after}, {"gained", facts.gained()}}},
                       {"residual", {{"before", r.residual_before}, {"after", r.residual_after}}},
                       {"quality", {{"before", r.quality_before}, {"after", r.quality_after}}},
                       {"nodes", facts.before->bodies()[at(facts.body)].nodes},
                       {"elements", r.mesh->elements()},
                       {"moving_nodes", r.moving_nodes},
                       {"elements_at_bound", r.active},
                       {"farthest_move", r.farthest},
                       {"iterations", r.iterations},
                       {"equilibria", r.solves},
                       {"factorisations", r.factorisations},
                       {"wall_time", facts.wall_time},
                       {"contours", contours},
                       {"spread",
                        {{"before", spread.before},
                         {"after", spread.after},
                         {"free_of_bounds", spread.free},
                         {"free_before", spread.free_before},
                         {"free_after", spread.free_after}}}};
  return result.dump(2) + "\n";
}

std::string adapt_vtu(const Model& model, int body, ConstVector q) {
  const Body& solid = model.bodies()[at(body)];
  BodyFields at_rest(model, solid, 0, q, q);
  std::vector<MeshField> fields =
      evaluate_fields(at_rest, {"displacement", "configurational_force", "energy_density", "von_mises"});
  fields.push_back({"quality", 1, true, mean_ratios(*solid.mesh, solid.mesh->X)});
  return vtu_bytes(*solid.mesh, solid.mesh->X, fields);
}

Report adapt_report(const AdaptFacts& facts) {
  const AdaptResult& r = facts.result;
  Report report;
  report.title = facts.title;
  report.subtitle = "Mesh adaption: least energy over deformed and reference positions";
  if (!r.converged) report.warnings.push_back("Not in configurational equilibrium: " + r.message + ".");
  report.facts = {
      {"Scene", facts.scene},
      {"Energy before", fmt::format("{:.8g} J", r.energy_before)},
      {"Energy after", fmt::format("{:.8g} J", r.energy_after)},
      {"Gained", fmt::format("{:.4g} J, {:.2g} %", facts.gained(), 100 * facts.gained() / std::abs(r.energy_before))},
      {"Elements", fmt::format("{}, {} of them held by the quality bound", r.mesh->elements(), r.active)},
      {"Lowest quality", fmt::format("{:.3f} before, {:.3f} after", r.quality_before, r.quality_after)},
      {"Nodes that may move", fmt::format("{} of {}", r.moving_nodes, r.mesh->nodes())},
      {"Farthest move", fmt::format("{:.3g} m", r.farthest)},
      {"Forces that are left", fmt::format("{:.1e} before, {:.1e} after", r.residual_before, r.residual_after)},
      {"Work", fmt::format("{} iterations, {} equilibria, {:.3g} s", r.iterations, r.solves, facts.wall_time)}};
  report.sections = pictures_of(facts);
  ReportSection course;
  course.title = "The course";
  if (!facts.contours.empty()) course.tables.push_back(contour_table(facts));
  course.plots = {
      course_plot(facts, "energy gained", "J", &AdaptProgress::gained, false),
      course_plot(facts, "configurational forces that are left", "of the largest", &AdaptProgress::residual, true)};
  report.sections.push_back(std::move(course));
  return report;
}

}  // namespace livens
