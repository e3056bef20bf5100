// Tetrahedra inside a closed surface: a body-centred cubic lattice, its points inside by the winding number, its edges
// cut where they leave the body, points near the surface moved onto it, and stencils for what is left (isosurface
// stuffing, Labelle & Shewchuk 2007).
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "mesh/core/size.hpp"
#include "mesh/fill/fill_clean.hpp"
#include "mesh/fill/fill_quality.hpp"
#include "mesh/fill/fill_stencils.hpp"
#include "mesh/fill/surface_topology.hpp"

namespace livens {

using namespace geometry;

namespace {

// The edges of a lattice of unit cells: 6 of length 1 and 8 of sqrt(3)/2 per cell, 0.923 on average; those along the
// surface are shorter, and about one in three is such an edge in bodies of usual fineness.
constexpr double cell_over_edge = 1.12;
constexpr double tets_max = 20e6;
constexpr double sites_max = 5e8;  // 60 megabytes a set of them

std::string place_text(const Vec3& p) { return fmt::format("({:.4g}, {:.4g}, {:.4g}) m", p.x, p.y, p.z); }

void check_input(const Surface& surface, double edge_length) {
  if (!(edge_length > 0) || !std::isfinite(edge_length))
    throw MeshError(fmt::format("fill: edge_length = {:.6g} m: must be positive.", edge_length));
  check_indices(surface, "fill");
  if (triangles(surface) == 0) throw MeshError("fill: the surface has no triangles.");
  const int open = open_edges(surface);
  if (open > 0) throw MeshError(fmt::format("fill: the surface is not closed: {} edges without a counterpart.", open));
}

double area_of(const Surface& surface) {
  double area = 0;
  for (int t = 0; t < triangles(surface); ++t)
    area +=
        0.5 * norm(cross(corner(surface, t, 1) - corner(surface, t, 0), corner(surface, t, 2) - corner(surface, t, 0)));
  return area;
}

// Refuses what would not fit before anything is allocated. Returns about how many tetrahedra it will be.
double checked_count(const Surface& surface, const Box& box, double volume, double edge_length) {
  const double area = area_of(surface);
  const Vec3 extent = box.size();
  // 12 tetrahedra a cell, and about 5 more for each cell's side of surface that cuts them.
  const auto tets = [&](double edge) {
    const double cell = cell_over_edge * edge;
    return 12 * std::abs(volume) / (cell * cell * cell) + 5 * area / (cell * cell);
  };
  const auto sites = [&](double edge) {
    const auto cells = [&](double length) { return std::ceil(length / (cell_over_edge * edge)) + 7; };
    return 2 * (cells(extent.x) + 63) * cells(extent.y) * cells(extent.z);
  };
  // The shortest edge that is allowed, a little longer: both counts fall with it.
  const auto shortest = [&](const auto& count, double most) {
    double low = 0, high = std::max({extent.x, extent.y, extent.z});
    for (int k = 0; k < 60; ++k) (count(0.5 * (low + high)) > most ? low : high) = 0.5 * (low + high);
    return fmt::format("{:.2g}", 1.05 * high);
  };
  const auto number = [](double count, const char* of) {
    return std::isfinite(count) ? fmt::format("about {:.3g} million {}", count / 1e6, of)
                                : fmt::format("more {} than can be counted", of);
  };
  if (const double count = tets(edge_length); !(count <= tets_max))
    throw MeshError(fmt::format(
        "fill: edge_length = {:.4g} m would give {}; at most {:.0f} million are made. Try edge_length = {}.",
        edge_length, number(count, "tetrahedra"), tets_max / 1e6, shortest(tets, tets_max)));
  if (const double count = sites(edge_length); !(count <= sites_max))
    throw MeshError(
        fmt::format("fill: edge_length = {:.4g} m needs a lattice of {} around the surface; at most {:.0f} million are "
                    "made. Try edge_length = {}.",
                    edge_length, number(count, "points"), sites_max / 1e6, shortest(sites, sites_max)));
  require_elements(tets(edge_length), ElementKind::tet4, "fill", "Take a longer edge_length");
  return tets(edge_length);
}

struct Filling {
  Stuffing mesh;
  Cleaning cleaning;
  SurfaceGap gap;  // far: lost, more than an edge away
};

Filling fill(const TriangleTree& tree, const LatticeSize& size, int sign, double edge_length) {
  Filling filling;
  {
    const Lattice lattice(tree, size, sign);
    filling.mesh.tets = stuff(lattice);
    filling.mesh.X = lattice.positions();
    filling.mesh.on_surface = lattice.on_surface();
  }
  filling.cleaning = clean(filling.mesh);
  if (filling.mesh.tets.empty()) return filling;
  Surface skin{filling.mesh.X, {}};
  for (const auto& face : filling.mesh.skin) skin.triangles.insert(skin.triangles.end(), face.begin(), face.end());
  filling.gap = gap_between(tree.surface(), TriangleTree(skin), edge_length, edge_length);
  return filling;
}

// Thin parts are met or missed as the lattice happens to lie: of a few places for it, the one that loses least.
Filling best_filling(const TriangleTree& tree, const Box& box, int sign, double edge_length, double count) {
  constexpr double tets_tried = 1e6;  // in all tries: about a second
  const double cell = cell_over_edge * edge_length;
  Filling best = fill(tree, lattice_about(box, cell, {}), sign, edge_length);
  // What is lost, and what has come off the largest piece.
  const auto lost = [](const Filling& f) {
    if (f.mesh.tets.empty()) return 3.0;
    const std::vector<std::size_t>& kept = f.cleaning.kept;
    const double all = static_cast<double>(std::accumulate(kept.begin(), kept.end(), std::size_t{0}));
    return static_cast<double>(f.gap.far) / static_cast<double>(f.gap.points) +
           2 * (1 - static_cast<double>(*std::max_element(kept.begin(), kept.end())) / all);
  };
  constexpr double lost_enough = 1e-3;
  const int tries = static_cast<int>(std::min(16.0, tets_tried / (count + 1)));
  for (int k = 1; k < tries && lost(best) > lost_enough; ++k) {
    // A sequence that fills the cell evenly (Kronecker, of the root of x^4 = x + 1)
    constexpr double root = 1.2207440846057596;
    const auto part = [&](double step) { return k * step - std::floor(k * step); };
    const Vec3 shift{part(1 / root), part(1 / (root * root)), part(1 / (root * root * root))};
    Filling other = fill(tree, lattice_about(box, cell, shift), sign, edge_length);
    if (lost(other) < lost(best)) best = std::move(other);
  }
  return best;
}

double volume_of(const Stuffing& mesh) {
  double sum = 0;
  const auto point = [&](int a) { return Vec3{mesh.X[3 * at(a)], mesh.X[3 * at(a) + 1], mesh.X[3 * at(a) + 2]}; };
  for (std::size_t k = 0; k + 3 < mesh.tets.size(); k += 4) {
    const Vec3 a = point(mesh.tets[k]);
    sum += dot(cross(point(mesh.tets[k + 1]) - a, point(mesh.tets[k + 2]) - a), point(mesh.tets[k + 3]) - a) / 6;
  }
  return std::abs(sum);
}

// Volume of all that is inside, by lines along x: parts that overlap count once.
double covered_volume(const TriangleTree& tree, const Box& box, int sign) {
  constexpr int lines = 200;  // along y and z
  const Vec3 extent = box.size(), low = box.centre() - 0.5 * extent;
  std::vector<std::pair<double, int>> hits;
  double length = 0;
  for (int k = 0; k < lines * lines; ++k) {
    const double y = low.y + extent.y * (k % lines + 0.5) / lines, z = low.z + extent.z * (k / lines + 0.5) / lines;
    find_crossings(tree, y, z, hits);
    int winding = 0;
    for (std::size_t h = 0; h + 1 < hits.size(); ++h)
      if ((winding -= sign * hits[h].second) > 0) length += hits[h + 1].first - hits[h].first;
  }
  return length * extent.y * extent.z / (lines * lines);
}

// A body that has lost much of itself is another body: not a matter for a note.
void check_volume(const Stuffing& mesh, const TriangleTree& tree, const Box& box, double signed_volume,
                  double edge_length, double most_lost) {
  double volume = std::abs(signed_volume);
  if (1 - volume_of(mesh) / volume <= most_lost) return;
  volume = std::min(volume, covered_volume(tree, box, signed_volume < 0 ? -1 : 1));
  const double lost = 1 - volume_of(mesh) / volume;
  if (lost <= most_lost) return;
  throw MeshError(fmt::format(
      "fill: tetrahedra of edge_length = {:.4g} m lose {:.0f} % of the volume, {:.4g} of {:.4g} m^3: walls and rods "
      "thinner than they are. Try edge_length = {:.2g}, or allow it with most_lost = {:.2g}.",
      edge_length, 100 * lost, lost * volume, volume, edge_length / 2, std::min(1.0, std::ceil(20 * lost) / 20)));
}

void add_notes(const Cleaning& cleaning, const SurfaceGap& gap, double edge_length, MeshNotes& notes) {
  const double rounded = 0.15 * edge_length;
  if (gap.far > 0)
    notes.warnings.push_back(fmt::format(
        "fill: parts thinner than the tetrahedra (edge_length = {:.4g} m) are lost, {:.2g} % of the surface: the "
        "farthest near {}, {:.3g} m from the tetrahedra. A smaller edge_length keeps them.",
        edge_length, 100 * static_cast<double>(gap.far) / static_cast<double>(gap.points), place_text(gap.place),
        gap.largest));
  else if (gap.largest > rounded)
    notes.warnings.push_back(
        fmt::format("fill: sharp edges and corners are rounded at the size of the tetrahedra: up to {:.3g} m, near {}.",
                    gap.largest, place_text(gap.place)));
  if (cleaning.dropped_pieces > 0)
    notes.repairs.push_back(fmt::format("fill: dropped {} loose piece{} with {} tetrahedra, the largest near {}.",
                                        cleaning.dropped_pieces, cleaning.dropped_pieces > 1 ? "s" : "",
                                        cleaning.dropped_tets, place_text(cleaning.dropped_near)));
  if (cleaning.removed_tets > 0)
    notes.repairs.push_back(fmt::format("fill: removed {} tetrahedra connected to the rest only by an edge or a node.",
                                        cleaning.removed_tets));
  if (cleaning.kept.size() > 1) {
    std::string counts;
    for (std::size_t k = 0; k < std::min<std::size_t>(cleaning.kept.size(), 5); ++k)
      counts += fmt::format("{}{}", k > 0 ? ", " : "", cleaning.kept[k]);
    notes.warnings.push_back(fmt::format("fill: {} separate pieces, of {}{} tetrahedra.", cleaning.kept.size(), counts,
                                         cleaning.kept.size() > 5 ? ", ..." : ""));
  }
}

}  // namespace

Mesh fill_surface(const Surface& surface, double edge_length, MeshNotes& notes, double most_lost) {
  check_input(surface, edge_length);
  const Box box = box_of(surface);
  const double volume = volume_of(surface, box.centre());
  const double count = checked_count(surface, box, std::abs(volume), edge_length);
  const TriangleTree tree(surface);
  Filling filling = best_filling(tree, box, volume < 0 ? -1 : 1, edge_length, count);
  if (filling.mesh.tets.empty()) {
    const Vec3 extent = box.size();
    throw MeshError(fmt::format(
        "fill: edge_length = {:.4g} m is too long for a body of {:.3g} x {:.3g} x {:.3g} m: no tetrahedron "
        "fits. Try edge_length = {:.2g}.",
        edge_length, extent.x, extent.y, extent.z, std::min(edge_length / 4, std::cbrt(std::abs(volume)) / 10)));
  }
  check_volume(filling.mesh, tree, box, volume, edge_length, most_lost);
  add_notes(filling.cleaning, filling.gap, edge_length, notes);

  Mesh mesh;
  mesh.kind = ElementKind::tet4;
  mesh.X = std::move(filling.mesh.X);
  mesh.connectivity = std::move(filling.mesh.tets);
  mesh.region.assign(at(mesh.elements()), 0);
  mesh.regions = {"all"};
  order_for_locality(mesh);
  return mesh;
}

Mesh fill_surface(const Surface& surface, double edge_length) {
  MeshNotes notes;
  return fill_surface(surface, edge_length, notes);
}

Surface read_closed_surface(const std::filesystem::path& file, const MeshRepair& repair) {
  MeshNotes notes;
  Surface surface = read_surface(file, notes);
  close_surface(surface, file.string(), repair, notes);
  return surface;
}

}  // namespace livens
