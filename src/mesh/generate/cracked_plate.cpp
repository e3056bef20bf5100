// Plates with a crack.
//
// A grid of nearly square cells with a line through the crack is cut like a quadtree: a cell of side s goes
// into four as long as it is nearer to a tip than `rings` s, in the greatest of both distances counted in cells. Then
// cells with a common side differ by one cut at most: where the greater one has d >= rings s, a quarter-size neighbour
// would have come from a cell of side s/2 with d' < rings s/2 and d <= d' + s/2, so d < (rings + 1) s/2 <= rings s. So
// the rule itself says where a side has a node in its middle, and no tree is kept. Every cell is a fan of triangles
// about its centre, which halves of sides do not spoil: legs stay half sides of the cell, and all angles of a square
// one are 45 or 90 degrees. Eight triangles stand around a tip.
//
// Prisms over triangles a < b < c are the tetrahedra a b c c', a b b' c', a a' b' c' (Kuhn): the diagonal of a
// quadrangle between neighbours always begins at the lower number, so that they match.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>

#include <fmt/format.h>

#include <livens/meshes.hpp>

#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"
#include "mesh/generate/refine.hpp"

namespace livens {
namespace {

// Beyond it the cells at the tip vanish in the rounding of positions.
constexpr double greatest_ratio = 1e6;
constexpr double most_places = 9e18;  // of 64 bits
// Cells this near to squares are not made smaller for a better shape.
constexpr double good_aspect = 1.1;

constexpr double rounding = 1e-9;  // of counts that should be whole numbers

// As many of at most `side` as fill the length.
double cells_in(double length, double side) { return std::max(1.0, std::ceil(length / side - rounding)); }

[[noreturn]] void refuse_cracked(const std::string& fault) { throw MeshError("cracked_plate: " + fault); }

void check(const CrackedPlateSpec& spec) {
  const auto usable = [](double x) { return std::isfinite(x) && x > 0; };
  if (!usable(spec.size[0]) || !usable(spec.size[1])) refuse_cracked("width and height must be positive numbers");
  if (!usable(spec.length)) refuse_cracked("the length of the crack must be a positive number");
  if (spec.length >= spec.size[0])
    refuse_cracked(fmt::format("a crack of length {:g} does not end in a plate of width {:g}: the length must be less",
                               spec.length, spec.size[0]));
  if (!usable(spec.tip_size) || !usable(spec.edge_length))
    refuse_cracked("tip_size and edge_length must be positive numbers");
  if (spec.tip_size > spec.edge_length)
    refuse_cracked(fmt::format("tip_size {:g} is greater than edge_length {:g}: elements grow away from the tip",
                               spec.tip_size, spec.edge_length));
  if (spec.tip_size * greatest_ratio < spec.edge_length)
    refuse_cracked("tip_size is less than a millionth of edge_length");
  const double ahead = (spec.size[0] - spec.length) / (spec.crack == CrackKind::edge ? 1 : 2);
  if (2 * spec.tip_size > std::min({spec.length, ahead, spec.size[1] / 2}))
    refuse_cracked(
        fmt::format("tip_size {:g} is more than half of the crack ({:g}), of the plate ahead of it ({:g}) or above "
                    "it ({:g})",
                    spec.tip_size, spec.length, ahead, spec.size[1] / 2));
  if (spec.rings < 1) refuse_cracked("at least one ring of cells of each size is needed");
  if (spec.refine < 0) refuse_cracked("refine must not be negative");
  const bool plane = dimension_of(spec.kind) == 2;
  if (plane && spec.thickness != 0)
    refuse_cracked("an extruded plate has elements tet4 or tet10, not " + to_string(spec.kind));
  if (!plane && !usable(spec.thickness))
    refuse_cracked("elements " + to_string(spec.kind) + " need a positive thickness to extrude by");
  if (!plane && spec.layers < 1) refuse_cracked("at least one layer is needed");
}

// Places are whole numbers: an uncut cell has `unit` of them, two for each of the smallest cells because of its centre.
// x counts from the left end, y from the crack.
struct Grid {
  std::int64_t columns = 0, rows = 0;  // of uncut cells, rows above the crack
  int cuts = 0;                        // of the cells at a tip
  std::vector<double> ends;            // of the pieces of the width: the ends of the plate and the tips
  std::vector<std::int64_t> borders;   // their places
  double half_height = 0;
  double aspect = HUGE_VAL;  // greatest over least side of cells of one size, in either direction

  std::int64_t unit() const { return std::int64_t{2} << cuts; }
  std::int64_t top() const { return rows * unit(); }
};

// The grid of that many columns; the tips go to the nearest corners of smallest cells, and the cells
// between are stretched a little. Aspect infinite where a piece has no room for its cells: the crack in the middle has
// at least two, with one both faces would have their ends in common, and so one midside.
Grid grid_of(const CrackedPlateSpec& spec, std::int64_t columns) {
  const double width = spec.size[0], a = spec.length;
  Grid grid;
  grid.columns = columns;
  grid.half_height = spec.size[1] / 2;
  const double side = width / static_cast<double>(columns);
  grid.rows = std::llround(std::max(std::round(grid.half_height / side), cells_in(grid.half_height, spec.edge_length)));
  const double greatest = std::max(side, grid.half_height / static_cast<double>(grid.rows));
  grid.cuts = static_cast<int>(std::max(std::ceil(std::log2(greatest / spec.tip_size) - rounding), 0.0));
  const double smallest = std::ldexp(side, -grid.cuts);
  const std::int64_t whole = columns * grid.unit();
  if (spec.crack == CrackKind::edge) {
    grid.ends = {0, a, width};
    grid.borders = {0, 2 * std::llround(a / smallest), whole};
  } else {
    grid.ends = {0, width / 2 - a / 2, width / 2 + a / 2, width};
    const std::int64_t left = 2 * std::llround(grid.ends[1] / smallest);
    grid.borders = {0, left, whole - left, whole};
    if (whole - 2 * left < 4) return grid;
  }
  double least = grid.half_height / static_cast<double>(grid.top()), most = least;
  for (std::size_t k = 1; k < grid.ends.size(); ++k) {
    const std::int64_t places = grid.borders[k] - grid.borders[k - 1];
    if (places < 2) return grid;
    const double each = (grid.ends[k] - grid.ends[k - 1]) / static_cast<double>(places);
    least = std::min(least, each);
    most = std::max(most, each);
  }
  grid.aspect = most / least;
  return grid;
}

// Out of up to about twice as many columns as are needed the first whose cells are square enough, or the squarest. No
// cell is wider than the height above the crack, which would make it flat.
Grid squarest_grid(const CrackedPlateSpec& spec) {
  const double fewest = cells_in(spec.size[0], std::min(spec.edge_length, spec.size[1] / 2));
  if (!(fewest * cells_in(spec.size[1], spec.edge_length) < most_entries))
    refuse_cracked("that many cells have more nodes than can be numbered");
  Grid best;
  const std::int64_t first = std::llround(fewest);
  for (std::int64_t columns = first; columns <= 2 * first + 2 && best.aspect > good_aspect; ++columns)
    if (Grid grid = grid_of(spec, columns); grid.aspect < best.aspect) best = std::move(grid);
  if (best.aspect == HUGE_VAL)
    refuse_cracked(
        fmt::format("elements of {:g} at the tip leave no two of them on the crack and ahead of it: make tip_size less",
                    spec.tip_size));
  return best;
}

class Plate {
 public:
  explicit Plate(const CrackedPlateSpec& spec)
      : spec_(spec),
        grid_(squarest_grid(spec)),
        unit_(grid_.unit()),
        right_(grid_.borders.back()),
        top_(grid_.top()),
        tips_(grid_.borders.begin() + 1, grid_.borders.end() - 1) {
    refuse_numbers();
  }

  Mesh mesh() {
    mesh_.kind = ElementKind::tri3;
    mesh_.regions = {"all"};
    for (std::int64_t y = -top_; y < top_; y += unit_)
      for (std::int64_t x = 0; x < right_; x += unit_) add_cell(x, y, unit_);
    mesh_.region.assign(mesh_.connectivity.size() / 3, 0);
    return std::move(mesh_);
  }

 private:
  // Cells of one size lie within rings + 1 cells of twice that size about a tip; a cell has at most 8 triangles.
  void refuse_numbers() const {
    const double coarse = 2.0 * static_cast<double>(grid_.columns) * static_cast<double>(grid_.rows);
    const double around = grid_.cuts * static_cast<double>(tips_.size()) * std::pow(4.0 * spec_.rings + 4, 2);
    const double prisms = spec_.thickness > 0 ? 3.0 * spec_.layers : 1.0;
    const double places = 4 * static_cast<double>(right_ + 1) * static_cast<double>(top_ + 1);
    if ((coarse + around) * 8 * prisms * nodes_of(spec_.kind) > most_entries || places > most_places)
      refuse_cracked("that many cells have more nodes than can be numbered");
  }

  bool cut(std::int64_t x, std::int64_t y, std::int64_t side) const {
    if (side <= 2) return false;
    return std::any_of(tips_.begin(), tips_.end(), [&](std::int64_t tip) {
      const std::int64_t dx = std::max({x - tip, tip - x - side, std::int64_t{0}});
      const std::int64_t dy = std::max({y, -y - side, std::int64_t{0}});
      return std::max(dx, dy) < spec_.rings * side;
    });
  }
  bool inside(std::int64_t x, std::int64_t y) const { return x >= 0 && x < right_ && y >= -top_ && y < top_; }

  void add_cell(std::int64_t x, std::int64_t y, std::int64_t side) {
    const std::int64_t half = side / 2;
    if (cut(x, y, side)) {
      for (const std::int64_t up : {std::int64_t{0}, half})
        for (const std::int64_t right : {std::int64_t{0}, half}) add_cell(x + right, y + up, half);
      return;
    }
    // Around the cell: corners, and the middles of sides that the neighbour cuts.
    constexpr int round[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};  // to the neighbours below, right, above, left
    constexpr int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int ring[8], count = 0;
    const bool upper = y >= 0;
    for (int k = 0; k < 4; ++k) {
      const std::int64_t from_x = x + corner[k][0] * side, from_y = y + corner[k][1] * side;
      ring[count++] = node(from_x, from_y, upper);
      const std::int64_t next_x = x + round[k][0] * side, next_y = y + round[k][1] * side;
      if (inside(next_x, next_y) && cut(next_x, next_y, side))
        ring[count++] = node(from_x - round[k][1] * half, from_y + round[k][0] * half, upper);
    }
    const int centre = node(x + half, y + half, upper);
    for (int k = 0; k < count; ++k)
      mesh_.connectivity.insert(mesh_.connectivity.end(), {ring[k], ring[(k + 1) % count], centre});
  }

  // Between the tips, or left of the only one, the crack has a node on each face.
  bool open(std::int64_t x, std::int64_t y) const {
    return y == 0 && x < tips_.back() && (tips_.size() == 1 || x > tips_.front());
  }

  int node(std::int64_t x, std::int64_t y, bool upper) {
    const std::int64_t key = 2 * ((y + top_) * (right_ + 1) + x) + (open(x, y) && upper ? 1 : 0);
    const auto [place, is_new] = numbers_.try_emplace(key, mesh_.nodes());
    if (is_new) {
      mesh_.X.insert(mesh_.X.end(),
                     {position(x), static_cast<double>(y) / static_cast<double>(top_) * grid_.half_height});
      name(place->second, x, y, upper);
    }
    return place->second;
  }

  double position(std::int64_t x) const {
    std::size_t piece = 0;
    while (x > grid_.borders[piece + 1]) ++piece;
    const auto whole = static_cast<double>(grid_.borders[piece + 1] - grid_.borders[piece]);
    return std::lerp(grid_.ends[piece], grid_.ends[piece + 1], static_cast<double>(x - grid_.borders[piece]) / whole);
  }

  // The tips are nodes of both faces until midsides are made, which lie between nodes of a group.
  void name(int a, std::int64_t x, std::int64_t y, bool upper) {
    auto& groups = mesh_.groups;
    if (x == 0) groups["x_min"].push_back(a);
    if (x == right_) groups["x_max"].push_back(a);
    if (y == -top_) groups["y_min"].push_back(a);
    if (y == top_) groups["y_max"].push_back(a);
    if (open(x, y)) groups[upper ? "crack_upper" : "crack_lower"].push_back(a);
    for (std::size_t k = 0; k < tips_.size(); ++k) {
      if (y != 0 || x != tips_[k]) continue;
      groups[tips_.size() == 1 ? "crack_tip" : k == 0 ? "crack_tip_left" : "crack_tip_right"].push_back(a);
      groups["crack_upper"].push_back(a);
      groups["crack_lower"].push_back(a);
    }
  }

  const CrackedPlateSpec& spec_;
  const Grid grid_;
  const std::int64_t unit_, right_, top_;
  const std::vector<std::int64_t> tips_;
  std::unordered_map<std::int64_t, int> numbers_;
  Mesh mesh_;
};

Mesh extruded(const Mesh& plane, double thickness, int layers) {
  Mesh mesh;
  mesh.kind = ElementKind::tet4;
  mesh.regions = plane.regions;
  const int floor = plane.nodes();
  for (int layer = 0; layer <= layers; ++layer)
    for (int a = 0; a < floor; ++a)
      mesh.X.insert(mesh.X.end(), {plane.X[2 * at(a)], plane.X[2 * at(a) + 1], thickness * layer / layers});
  for (int layer = 0; layer < layers; ++layer)
    for (int e = 0; e < plane.elements(); ++e) {
      std::array<int, 3> low, high;
      std::copy_n(plane.element(e), 3, low.begin());
      std::sort(low.begin(), low.end());
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] += layer * floor;
        high[k] = low[k] + floor;
      }
      for (std::size_t k = 3; k-- > 0;) {
        for (std::size_t i = 0; i <= k; ++i) mesh.connectivity.push_back(low[i]);
        for (std::size_t i = k; i < 3; ++i) mesh.connectivity.push_back(high[i]);
        mesh.region.push_back(plane.region[at(e)]);
        if (signed_volume(mesh, mesh.elements() - 1) < 0)
          std::iter_swap(mesh.connectivity.end() - 1, mesh.connectivity.end() - 2);
      }
    }
  for (const auto& [name, nodes] : plane.groups)
    for (int layer = 0; layer <= layers; ++layer)
      for (const int a : nodes) mesh.groups[name].push_back(a + layer * floor);
  for (int a = 0; a < floor; ++a) {
    mesh.groups["z_min"].push_back(a);
    mesh.groups["z_max"].push_back(a + layers * floor);
  }
  return mesh;
}

void take_tips_from_faces(Mesh& mesh) {
  for (const char* face : {"crack_upper", "crack_lower"})
    for (const char* tip : {"crack_tip", "crack_tip_left", "crack_tip_right"}) {
      const auto found = mesh.groups.find(tip);
      if (found == mesh.groups.end()) continue;
      std::erase_if(mesh.groups[face],
                    [&](int a) { return std::binary_search(found->second.begin(), found->second.end(), a); });
    }
}

}  // namespace

Mesh cracked_plate_mesh(const CrackedPlateSpec& spec) {
  check(spec);
  Mesh mesh = Plate(spec).mesh();
  if (spec.thickness > 0) mesh = extruded(mesh, spec.thickness, spec.layers);
  mesh = refined_as(std::move(mesh), spec.refine, spec.kind, "cracked_plate");
  order_for_locality(mesh);
  take_tips_from_faces(mesh);
  return mesh;
}

}  // namespace livens
