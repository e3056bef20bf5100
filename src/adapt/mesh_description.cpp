#include "adapt/mesh_description.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>

#include "adapt/quality.hpp"
#include "mesh/core/words.hpp"

namespace livens {
namespace {

// Speeds of pressure waves, m/s, for which the longest explicit step is told.
constexpr std::pair<const char*, double> materials[] = {{"steel", 5900}, {"soft rubber", 50}};
constexpr int bar_width = 40;

// Number of sets that `pairs` joins n things into.
class Joined {
 public:
  explicit Joined(int n) : parent_(static_cast<std::size_t>(n)) { std::iota(parent_.begin(), parent_.end(), 0); }
  void join(int a, int b) { parent_[root(a)] = root(b); }
  int root(int a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }

 private:
  std::vector<int> parent_;
};

// Edges from the first corner, as columns.
Eigen::MatrixXd edges(const Mesh& mesh, int e) {
  const int d = mesh.dimension();
  Eigen::MatrixXd result(d, d);
  for (int k = 0; k < d; ++k)
    for (int c = 0; c < d; ++c)
      result(c, k) = mesh.X[mesh.element(e)[k + 1] * d + c] - mesh.X[mesh.element(e)[0] * d + c];
  return result;
}

std::string length_text(const std::vector<double>& low, const std::vector<double>& high) {
  std::string text;
  for (std::size_t c = 0; c < low.size(); ++c) text += fmt::format("{}{:.4g}", c == 0 ? "" : " x ", high[c] - low[c]);
  return text + " m";
}

void widen(std::vector<double>& low, std::vector<double>& high, const double* x, std::size_t d) {
  low.resize(d, std::numeric_limits<double>::infinity());
  high.resize(d, -std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < d; ++c) {
    low[c] = std::min(low[c], x[c]);
    high[c] = std::max(high[c], x[c]);
  }
}

void add_notes(const MeshNotes& notes, std::vector<std::string>& lines) {
  for (const std::string& warning : notes.warnings) lines.push_back("  note      " + warning);
  for (const std::string& repair : notes.repairs) lines.push_back("  repaired  " + repair);
}

}  // namespace

MeshDescription describe(const Mesh& mesh) {
  MeshDescription result;
  const int d = mesh.dimension();
  for (int a = 0; a < mesh.nodes(); ++a) widen(result.low, result.high, &mesh.X[a * d], static_cast<std::size_t>(d));
  result.regions.assign(mesh.regions.size(), {0, 0.0});
  result.shortest_altitude = std::numeric_limits<double>::infinity();
  Joined joined(mesh.nodes());
  for (int e = 0; e < mesh.elements(); ++e) {
    for (int a = 1; a < nodes_of(mesh.kind); ++a) joined.join(mesh.element(e)[0], mesh.element(e)[a]);
    const Eigen::MatrixXd D = edges(mesh, e), inverse = D.inverse();
    const double content = std::abs(D.determinant()) / (d == 3 ? 6 : 2);
    result.content += content;
    auto& [elements, part] = result.regions[mesh.region[e]];
    ++elements;
    part += content;
    // Rows of the inverse are gradients of the corners' shape functions: 1 / altitude long.
    double steepest = inverse.colwise().sum().norm();
    for (int k = 0; k < d; ++k) steepest = std::max(steepest, inverse.row(k).norm());
    result.shortest_altitude = std::min(result.shortest_altitude, 1 / steepest);
  }
  std::vector<char> seen(static_cast<std::size_t>(mesh.nodes()), 0);
  for (const int a : mesh.connectivity)
    if (char& here = seen[joined.root(a)]; here == 0) {
      here = 1;
      ++result.pieces;
    }
  std::vector<double> quality = mean_ratios(mesh, mesh.X);
  result.worst = static_cast<int>(std::min_element(quality.begin(), quality.end()) - quality.begin());
  for (const double q : quality) ++result.histogram[std::clamp(static_cast<int>(10 * q), 0, 9)];
  std::sort(quality.begin(), quality.end());
  result.lowest = quality.front();
  result.median = quality[quality.size() / 2];
  return result;
}

std::vector<std::string> described(const Mesh& mesh, const MeshNotes& notes) {
  const MeshDescription about = describe(mesh);
  std::vector<std::string> lines;
  const bool plane = mesh.dimension() == 2;
  lines.push_back(fmt::format("  mesh      {} {}, {} nodes, {} on the surface{}", grouped(mesh.elements()),
                              to_string(mesh.kind), grouped(mesh.nodes()), grouped(boundary_facets(mesh).count()),
                              about.pieces == 1 ? "" : fmt::format(", in {} pieces that share no node", about.pieces)));
  lines.push_back(fmt::format("  size      {}; {} {:.6g} {}", length_text(about.low, about.high),
                              plane ? "area" : "volume", about.content, plane ? "m^2" : "m^3"));
  for (std::size_t r = 0; r < mesh.regions.size(); ++r)
    lines.push_back(fmt::format("  region    {}: {} elements, {:.4g} {}", mesh.regions[r],
                                grouped(about.regions[r].first), about.regions[r].second, plane ? "m^2" : "m^3"));
  for (const auto& [name, nodes] : mesh.groups)
    lines.push_back(fmt::format("  group     {}: {} nodes", name, grouped(static_cast<long>(nodes.size()))));
  if (mesh.groups.empty()) lines.push_back("  group     none");
  const int worst = about.worst, d = mesh.dimension(), corner = mesh.element(worst)[0];
  std::string place;
  for (int c = 0; c < d; ++c) place += fmt::format("{}{:.4g}", c == 0 ? "" : ", ", mesh.X[corner * d + c]);
  lines.push_back(
      fmt::format("  quality   mean ratio (1: equal sides) at least {:.3f}, median {:.3f}; the worst is element "
                  "{} at ({}) m",
                  about.lowest, about.median, mesh.element_tag(worst), place));
  const int most = *std::max_element(about.histogram.begin(), about.histogram.end());
  for (std::size_t k = 0; k < about.histogram.size(); ++k)
    if (const int n = about.histogram[k]; n > 0)
      lines.push_back(fmt::format(
          "    {:.1f} to {:.1f}  {:<{}} {}", 0.1 * static_cast<double>(k), 0.1 * static_cast<double>(k + 1),
          std::string(static_cast<std::size_t>(std::max(1, bar_width * n / most)), '#'), bar_width, grouped(n)));
  std::string steps;
  for (const auto& [name, speed] : materials)
    steps += fmt::format("{}{:.2g} s in {}", steps.empty() ? "" : ", ", about.shortest_altitude / speed, name);
  lines.push_back(
      fmt::format("  explicit  shortest altitude {:.3g} m: steps of about {} (the time of a wave across it)",
                  about.shortest_altitude, steps));
  add_notes(notes, lines);
  return lines;
}

std::vector<std::string> described(const Surface& surface, const std::string& name, const MeshNotes& notes) {
  std::vector<double> low, high;
  for (std::size_t i = 0; i + 2 < surface.X.size(); i += 3) widen(low, high, &surface.X[i], 3);
  std::vector<std::string> lines = {
      fmt::format("  surface   {} triangles, {} vertices", grouped(static_cast<long>(surface.triangles.size() / 3)),
                  grouped(static_cast<long>(surface.X.size() / 3))),
      "  size      " + length_text(low, high)};
  add_notes(notes, lines);
  Surface closed = surface;
  MeshNotes mended;
  try {
    close_surface(closed, name, {}, mended);
    double volume = 0;
    for (std::size_t t = 0; t + 2 < closed.triangles.size(); t += 3) {
      const auto point = [&](std::size_t k) {
        return Eigen::Map<const Eigen::Vector3d>(&closed.X[3 * closed.triangles[t + k]]);
      };
      volume += point(0).dot(point(1).cross(point(2))) / 6;
    }
    lines.push_back(fmt::format("  closed    yes, around {:.6g} m^3: mesh = {{ kind = \"fill\", file = \"{}\", ... }}",
                                volume, name));
    add_notes(mended, lines);
  } catch (const MeshError& error) {
    lines.push_back(std::string("  closed    no: ") + error.what());
  }
  return lines;
}

}  // namespace livens
