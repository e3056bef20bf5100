#include "mesh/fill/fill_lattice.hpp"

#include <algorithm>

#include "math/parallel.hpp"

namespace livens::geometry {

namespace {

// A site nearer to a cut than these parts of the edge moves onto it; the values that make the smallest dihedral angle
// largest: Labelle & Shewchuk, table 1: 10.78 to 164.74 degrees for any surface.
constexpr double near_long = 0.24999, near_short = 0.41189;

// An edge belongs to its lower end, or to the centre of the cell if it is short.
bool owns(const Site& s, int direction) { return direction < long_directions ? direction % 2 == 0 : (s.x & 1) != 0; }

}  // namespace

void BitSet::count() {
  before_.resize(words_.size());
  std::uint32_t sum = 0;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    before_[w] = sum;
    sum += static_cast<std::uint32_t>(std::popcount(words_[w]));
  }
  size_ = sum;
}

LatticeSize lattice_about(const Box& box, double cell, const Vec3& shift) {
  LatticeSize size;
  size.cell = cell;
  const Vec3 extent = box.size(), middle = box.centre();
  const auto along = [&](double length, double centre, std::size_t& cells) {
    cells = static_cast<std::size_t>(std::ceil(length / cell)) + 6;
    return centre - 0.5 * cell * static_cast<double>(cells);
  };
  size.origin = {along(extent.x, middle.x, size.cells[0]), along(extent.y, middle.y, size.cells[1]),
                 along(extent.z, middle.z, size.cells[2])};
  size.origin = size.origin + cell * shift;
  for (std::size_t& n : size.cells) ++n;  // as many corners as centres, one more than cells
  return size;
}

Lattice::Lattice(const TriangleTree& tree, const LatticeSize& size, int sign)
    : size_(size), ny_(size.cells[1]), nz_(size.cells[2]), row_((size.cells[0] + 63) / 64 * 64) {
  const std::size_t bits = 2 * row_ * ny_ * nz_;
  inside_.resize(bits);
  moved_.resize(bits);
  owners_.resize(bits);
  classify(tree, sign);
  find_cuts(tree, sign);
  move_sites();

  nodes_.resize(bits);
  for (std::size_t w = 0; w < nodes_.words(); ++w) nodes_.word(w) = inside_.word(w) | moved_.word(w);
  nodes_.count();
  live_number_.assign(place_.size(), -1);
  for (std::size_t c = 0; c < place_.size(); ++c)
    if (place_[c] >= 0) live_number_[c] = live_cuts_++;
}

Site Lattice::site(std::size_t id) const {
  const std::size_t i = id % row_, line = id / row_, j = line % ny_, layer = line / ny_, k = layer % nz_;
  const int odd = layer >= nz_ ? 1 : 0;
  return {2 * static_cast<int>(i) + odd, 2 * static_cast<int>(j) + odd, 2 * static_cast<int>(k) + odd};
}

// Along each row of sites, the winding number changes where the row crosses the surface.
void Lattice::classify(const TriangleTree& tree, int sign) {
  for_each_index(2 * nz_, [&](std::size_t layer) {
    const int odd = layer >= nz_ ? 1 : 0;
    const std::size_t k = layer % nz_;
    std::vector<std::pair<double, int>> hits;
    for (std::size_t j = 0; j < ny_; ++j) {
      const Vec3 first = position({odd, 2 * static_cast<int>(j) + odd, 2 * static_cast<int>(k) + odd});
      find_crossings(tree, first.y, first.z, hits);
      const auto site_after = [&](double x) {
        const double i = std::ceil((x - first.x) / size_.cell);
        return static_cast<std::size_t>(std::clamp(i, 0.0, static_cast<double>(nx())));
      };
      const std::size_t base = 64 * first_word(odd, j, k);
      int winding = 0;
      for (std::size_t h = 0; h + 1 < hits.size(); ++h) {
        winding -= sign * hits[h].second;
        if (winding <= 0) continue;
        const std::size_t end = site_after(hits[h + 1].first);
        for (std::size_t i = site_after(hits[h].first); i < end; ++i) inside_.insert(base + i);
      }
    }
  });
}

void Lattice::find_cuts(const TriangleTree& tree, int sign) {
  for_each_index(2 * nz_, [&](std::size_t layer) {
    const int odd = layer >= nz_ ? 1 : 0;
    const std::size_t k = layer % nz_;
    if (k + 1 >= nz_) return;  // the margin
    for (std::size_t j = 0; j + 1 < ny_; ++j)
      for (std::size_t w = 0; w < row_words(); ++w) {
        const std::uint64_t here = inside_word(odd, w, j, k);
        std::uint64_t differ = here ^ next_inside_word(odd, w, j, k);
        differ |= here ^ inside_word(odd, w, j + 1, k);
        differ |= here ^ inside_word(odd, w, j, k + 1);
        for (std::size_t d = 0; odd == 1 && d < 4; ++d) {
          differ |= here ^ inside_word(0, w, j + d % 2, k + d / 2);
          differ |= here ^ next_inside_word(0, w, j + d % 2, k + d / 2);
        }
        owners_.word(first_word(odd, j, k) + w) = differ;
      }
  });
  owners_.count();

  std::vector<std::size_t> ids;
  ids.reserve(owners_.size());
  owners_.for_each([&](std::size_t id) { ids.push_back(id); });
  first_cut_.reserve(ids.size() + 1);
  for (const std::size_t id : ids) {
    first_cut_.push_back(static_cast<int>(direction_.size()));
    const Site s = site(id);
    for (int d = 0; d < 14; ++d)
      if (owns(s, d) && inside_.test(id) != inside_.test(this->id(s + directions[at(d)])))
        direction_.push_back(static_cast<std::uint8_t>(d));
  }
  first_cut_.push_back(static_cast<int>(direction_.size()));

  place_.resize(direction_.size());
  for_each_index(ids.size(), [&](std::size_t n) {
    const Site s = site(ids[n]);
    const Vec3 from = position(s);
    for (int c = first_cut_[n]; c < first_cut_[n + 1]; ++c) {
      const Vec3 to = position(s + directions[direction_[at(c)]]);
      place_[at(c)] = inside_.test(ids[n]) ? cut_place(tree, from, to, sign) : 1 - cut_place(tree, to, from, sign);
    }
  });
}

// Where the way from inside to outside leaves the body for good, in parts of the way.
double Lattice::cut_place(const TriangleTree& tree, const Vec3& in, const Vec3& out, int sign) const {
  constexpr double slack = 1e-9;  // of the barycentric coordinates: no way slips through between two triangles
  const Vec3 way = out - in;
  double leaving = -1, any = -1;
  tree.near_box({least(in, out), most(in, out)}, [&](int t) {
    const Vec3 a = corner(tree.surface(), t, 0);
    const Vec3 u = corner(tree.surface(), t, 1) - a, v = corner(tree.surface(), t, 2) - a, n = cross(u, v);
    const double slope = dot(n, way);
    if (slope == 0) return;
    // in + s way = a + p u + q v, by Cramer's rule
    const Vec3 from = in - a, turned = cross(way, from);
    const double s = -dot(n, from) / slope, p = dot(v, turned) / slope, q = -dot(u, turned) / slope;
    if (!(s >= -slack && s <= 1 + slack && p >= -slack && q >= -slack && p + q <= 1 + slack)) return;
    any = std::max(any, s);
    if (sign * slope > 0) leaving = std::max(leaving, s);
  });
  if (leaving < 0) leaving = any;
  if (leaving < 0) {
    // Rounding hid the triangle: the distances of the ends say where about it is.
    const double d = tree.closest(in).distance, e = tree.closest(out).distance;
    leaving = d + e > 0 ? d / (d + e) : 0.5;
  }
  return std::clamp(leaving, 0.0, 1.0);
}

int Lattice::cut(const Site& s, int direction) const {
  Site owner = s;
  if (!owns(s, direction)) {
    owner = s + directions[at(direction)];
    direction = opposite(direction);
  }
  const std::size_t i = id(owner);
  if (!owners_.test(i)) return -1;
  const std::size_t n = owners_.rank(i);
  for (int c = first_cut_[n]; c < first_cut_[n + 1]; ++c)
    if (direction_[at(c)] == direction) return place_[at(c)] >= 0 ? c : -1;
  return -1;
}

// One after the other: a site that moves takes the cuts of its edges away from its neighbours.
void Lattice::move_sites() {
  BitSet near;
  near.resize(64 * inside_.words());
  std::size_t n = 0;
  owners_.for_each([&](std::size_t i) {
    near.insert(i);
    for (int c = first_cut_[n]; c < first_cut_[n + 1]; ++c) near.insert(id(site(i) + directions[direction_[at(c)]]));
    ++n;
  });
  near.for_each([&](std::size_t i) {
    const Site s = site(i);
    std::array<int, 14> cuts;
    int nearest = -1;
    double least_way = HUGE_VAL, nearest_part = 0;
    for (int d = 0; d < 14; ++d) {
      const int c = cuts[at(d)] = cut(s, d);
      if (c < 0) continue;
      const double part = owns(s, d) ? place_[at(c)] : 1 - place_[at(c)];
      if (part >= (d < long_directions ? near_long : near_short)) continue;
      const double way = part * (d < long_directions ? 1.0 : std::sqrt(0.75));
      if (way < least_way) {
        least_way = way;
        nearest_part = part;
        nearest = d;
      }
    }
    if (nearest < 0) return;
    moved_.insert(i);
    const Vec3 from = position(s);
    moved_to_.push_back(from + nearest_part * (position(s + directions[at(nearest)]) - from));
    for (const int c : cuts)
      if (c >= 0) place_[at(c)] = -1;
  });
  moved_.count();
}

std::vector<double> Lattice::positions() const {
  std::vector<double> X;
  X.reserve(3 * at(nodes()));
  const auto add = [&](const Vec3& p) { X.insert(X.end(), {p.x, p.y, p.z}); };
  nodes_.for_each([&](std::size_t i) { add(moved_.test(i) ? moved_to_[moved_.rank(i)] : position(site(i))); });
  std::size_t n = 0;
  owners_.for_each([&](std::size_t i) {
    const Site s = site(i);
    const Vec3 from = position(s);
    for (int c = first_cut_[n]; c < first_cut_[n + 1]; ++c)
      if (place_[at(c)] >= 0) add(from + place_[at(c)] * (position(s + directions[direction_[at(c)]]) - from));
    ++n;
  });
  return X;
}

std::vector<std::uint8_t> Lattice::on_surface() const {
  std::vector<std::uint8_t> on(at(nodes()), 1);
  std::size_t n = 0;
  nodes_.for_each([&](std::size_t i) { on[n++] = moved_.test(i) ? 1 : 0; });
  return on;
}

}  // namespace livens::geometry
