#include "bodies/layouts.hpp"

#include <algorithm>
#include <cmath>

#include "records/values.hpp"

namespace livens {
namespace {

constexpr double most_nodes = 5e7;

void check_total(double total) {
  if (total > most_nodes)
    throw AssemblyError(
        "count", "asks for " + std::to_string(static_cast<long>(total)) + " particles; at most 50 000 000 are made");
}

template <std::size_t N>
void check_counts(const std::array<double, N>& counts) {
  double total = 1;
  for (const double count : counts) {
    if (count != std::floor(count) || count < 2) throw AssemblyError("count", "expected whole numbers from 2 up");
    total *= count;
  }
  check_total(total);
}

void check_spacing(double spacing) {
  if (!(spacing > 0)) throw AssemblyError("spacing", "has to be above 0 m, is " + shown(spacing) + ".");
}

// A lattice of points sum_k n_k a_k with neighbours at the given index offsets.
template <std::size_t dim>
Layout lattice(const std::array<int, dim>& counts, const std::vector<std::array<double, dim>>& basis,
               const std::vector<std::array<int, dim>>& offsets, bool periodic) {
  std::array<double, dim> checked;
  std::copy(counts.begin(), counts.end(), checked.begin());
  check_counts(checked);
  Layout layout;
  int total = 1;
  for (const int count : counts) total *= count;
  layout.dimension = static_cast<int>(dim);
  layout.periodic = periodic;
  bool along_axes = true;
  for (std::size_t k = 0; k < dim; ++k)
    for (std::size_t c = 0; c < dim; ++c) along_axes = along_axes && (c == k || basis[k][c] == 0);
  for (std::size_t k = 0; periodic && along_axes && k < dim; ++k) layout.box[k] = counts[k] * basis[k][k];
  layout.positions.reserve(static_cast<std::size_t>(total) * dim);
  layout.neighbours.reserve(static_cast<std::size_t>(total) * offsets.size());
  std::vector<int> n(dim);
  for (int node = 0; node < total; ++node) {
    int rest = node;
    for (std::size_t k = 0; k < dim; ++k) {
      n[k] = rest % counts[k];
      rest /= counts[k];
    }
    for (std::size_t c = 0; c < dim; ++c) {
      double x = 0;
      for (std::size_t k = 0; k < dim; ++k) x += n[k] * basis[k][c];
      layout.positions.push_back(x);
    }
    for (const auto& offset : offsets) {
      Assembly::Pair pair{node, 0, {0, 0, 0}};
      bool inside = true;
      int stride = 1;
      for (std::size_t k = 0; k < dim; ++k) {
        int m = n[k] + offset[k];
        const int wrap = m >= counts[k] ? 1 : m < 0 ? -1 : 0;
        if (wrap != 0) {
          inside = inside && periodic;
          m -= wrap * counts[k];
          for (std::size_t c = 0; c < dim; ++c) pair.shift[c] += wrap * counts[k] * basis[k][c];
        }
        pair.j += m * stride;
        stride *= counts[k];
      }
      if (inside && pair.j != pair.i) layout.neighbours.push_back(pair);
    }
  }
  return layout;
}

// Cubic cells with a basis, in units of their side a; neighbours are those at distance near (a = 1).
Layout crystal(const std::array<int, 3>& counts, double a, const std::vector<std::array<double, 3>>& basis, double near,
               bool periodic) {
  double total = static_cast<double>(basis.size());
  for (const int count : counts) {
    if (count < 1) throw AssemblyError("count", "expected whole numbers from 1 up");
    total *= count;
  }
  check_total(total);
  if (!(a > 0)) throw AssemblyError("lattice_constant", "has to be above 0 m, is " + shown(a) + ".");
  Layout layout;
  layout.dimension = 3;
  layout.periodic = periodic;
  const auto index = [&](const std::array<int, 3>& cell, std::size_t b) {
    return static_cast<int>(
        static_cast<std::size_t>((cell[2] * counts[1] + cell[1]) * counts[0] + cell[0]) * basis.size() + b);
  };
  const auto add_neighbours = [&](const std::array<int, 3>& cell, std::size_t b, const std::array<int, 3>& step) {
    Assembly::Pair pair{index(cell, b), 0, {0, 0, 0}};
    std::array<int, 3> other{};
    for (std::size_t c = 0; c < 3; ++c) {
      other[c] = cell[c] + step[c];
      const int wrap = other[c] >= counts[c] ? 1 : other[c] < 0 ? -1 : 0;
      if (wrap != 0 && !periodic) return;
      other[c] -= wrap * counts[c];
      pair.shift[c] = wrap * counts[c] * a;
    }
    for (std::size_t e = 0; e < basis.size(); ++e) {
      double r2 = 0, side = 0;  // side: every pair once, from the lower end
      for (std::size_t c = 3; c-- > 0;) {
        const double d = basis[e][c] + step[c] - basis[b][c];
        r2 += d * d;
        if (side == 0) side = d;
      }
      pair.j = index(other, e);
      if (std::abs(std::sqrt(r2) - near) < 1e-9 && side > 0 && pair.i != pair.j) layout.neighbours.push_back(pair);
    }
  };
  for (int z = 0; z < counts[2]; ++z)
    for (int y = 0; y < counts[1]; ++y)
      for (int x = 0; x < counts[0]; ++x)
        for (std::size_t b = 0; b < basis.size(); ++b) {
          const std::array<int, 3> cell{x, y, z};
          for (std::size_t c = 0; c < 3; ++c) layout.positions.push_back((cell[c] + basis[b][c]) * a);
          for (int k = 0; k < 27; ++k) add_neighbours(cell, b, {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1});
        }
  for (std::size_t c = 0; periodic && c < 3; ++c) layout.box[c] = counts[c] * a;
  return layout;
}

// Counts of a scene, which has numbers only.
template <std::size_t N>
std::array<int, N> counts_of(const Settings& settings) {
  std::array<double, N> counts;
  std::copy_n(settings.vector("count").begin(), N, counts.begin());
  check_counts(counts);
  std::array<int, N> whole;
  std::copy(counts.begin(), counts.end(), whole.begin());
  return whole;
}

Parameter count_key(std::vector<int> lengths) {
  return required(
      of_length(key("count", ValueType::vector, "-", "", "number of particles in each direction"), std::move(lengths)));
}
Parameter spacing_key() { return positive(number_key("spacing", "m", "1", "distance between neighbours")); }
Parameter periodic_key() {
  return key("periodic", ValueType::boolean, "-", "false", "the last particle is a neighbour of the first");
}

LayoutRecord lattice_record(std::string name, std::string brief, int dimension) {
  LayoutRecord record;
  record.name = std::move(name);
  record.brief = std::move(brief);
  record.parameters = {count_key({dimension}), spacing_key(), periodic_key()};
  return record;
}

LayoutRecord chain_record() {
  LayoutRecord record = lattice_record("chain", "particles in a row, along x", 1);
  record.parameters = {
      required(bounded(key("count", ValueType::integer, "-", "", "number of particles"), 2, most_nodes)), spacing_key(),
      periodic_key(), bounded(key("dimension", ValueType::integer, "-", "1", "of the space the chain moves in"), 1, 3)};
  record.make = [](const Settings& s) {
    return chain(static_cast<int>(s.integer("count")), s.number("spacing"), s.flag("periodic"),
                 static_cast<int>(s.integer("dimension")));
  };
  return record;
}

LayoutRecord square_record() {
  LayoutRecord record = lattice_record("square_lattice", "plane square lattice, 4 neighbours", 2);
  record.make = [](const Settings& s) {
    return square_lattice(counts_of<2>(s), s.number("spacing"), s.flag("periodic"));
  };
  return record;
}

LayoutRecord triangular_record() {
  LayoutRecord record = lattice_record("triangular_lattice", "plane triangular lattice, 6 neighbours", 2);
  record.make = [](const Settings& s) {
    return triangular_lattice(counts_of<2>(s), s.number("spacing"), s.flag("periodic"));
  };
  return record;
}

LayoutRecord cubic_record() {
  LayoutRecord record = lattice_record("cubic_lattice", "cubic lattice with face diagonals, 18 neighbours", 3);
  record.make = [](const Settings& s) {
    return cubic_lattice(counts_of<3>(s), s.number("spacing"), s.flag("periodic"));
  };
  return record;
}

template <Layout (*make)(const std::array<int, 3>&, double, bool)>
LayoutRecord crystal_record(std::string name, std::string brief) {
  LayoutRecord record = lattice_record(std::move(name), std::move(brief), 3);
  record.parameters = {
      required(of_length(key("count", ValueType::vector, "-", "", "number of cells in each direction"), {3})),
      required(positive(number_key("lattice_constant", "m", "", "side of the cubic cell"))), periodic_key()};
  record.make = [](const Settings& s) {
    std::array<int, 3> count{};
    for (std::size_t c = 0; c < 3; ++c) {
      const double given = s.vector("count")[c];
      if (given != std::floor(given) || given < 1 || given > most_nodes)
        throw AssemblyError("count", "expected whole numbers from 1 up");
      count[c] = static_cast<int>(given);
    }
    return make(count, s.number("lattice_constant"), s.flag("periodic"));
  };
  return record;
}

LayoutRecord points_record() {
  LayoutRecord record;
  record.name = "points";
  record.brief = "particles where you put them";
  Parameter points = required(key("points", ValueType::table, "m", "", "list of positions, each of 1, 2 or 3 numbers"));
  points.choices = {"list"};
  Parameter box = of_length(key("box", ValueType::vector, "m", "",
                                "sides of the box that they repeat in, along x, y, z; 0: not along this axis"),
                            {1, 2, 3});
  record.parameters = {points, box};
  record.make = [](const Settings& settings) {
    const auto rows = read_rows(settings, "points");
    Layout layout;
    layout.dimension = static_cast<int>(rows.front().size());
    if (settings.given("box")) {
      const auto& sides = settings.vector("box");
      if (sides.size() != rows.front().size())
        throw AssemblyError("box", "expected " + std::to_string(layout.dimension) + " sides, found " +
                                       std::to_string(sides.size()) + ".");
      std::copy(sides.begin(), sides.end(), layout.box.begin());
      layout.periodic = true;
    }
    for (const auto& row : rows) layout.positions.insert(layout.positions.end(), row.begin(), row.end());
    return layout;
  };
  return record;
}

}  // namespace

Layout chain(int count, double a, bool periodic, int dimension) {
  check_counts(std::array<double, 1>{static_cast<double>(count)});
  check_spacing(a);
  if (dimension < 1 || dimension > 3) throw AssemblyError("dimension", "expected 1, 2 or 3");
  Layout layout;
  layout.dimension = dimension;
  for (int i = 0; i < count; ++i) {
    layout.positions.push_back(i * a);
    for (int c = 1; c < dimension; ++c) layout.positions.push_back(0);
    if (i + 1 < count) layout.neighbours.push_back({i, i + 1, {0, 0, 0}});
  }
  layout.periodic = periodic && count > 2;
  if (!layout.periodic) return layout;
  layout.neighbours.push_back({count - 1, 0, {count * a, 0, 0}});
  layout.box[0] = count * a;
  return layout;
}

Layout square_lattice(const std::array<int, 2>& count, double a, bool periodic) {
  check_spacing(a);
  return lattice<2>(count, {{a, 0}, {0, a}}, {{1, 0}, {0, 1}}, periodic);
}

Layout triangular_lattice(const std::array<int, 2>& count, double a, bool periodic) {
  check_spacing(a);
  return lattice<2>(count, {{a, 0}, {0.5 * a, std::sqrt(0.75) * a}}, {{1, 0}, {0, 1}, {-1, 1}}, periodic);
}

Layout cubic_lattice(const std::array<int, 3>& count, double a, bool periodic) {
  check_spacing(a);
  return lattice<3>(
      count, {{a, 0, 0}, {0, a, 0}, {0, 0, a}},
      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}}, periodic);
}

Layout face_centred_cubic(const std::array<int, 3>& count, double a, bool periodic) {
  return crystal(count, a, {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}, std::sqrt(0.5), periodic);
}

Layout diamond(const std::array<int, 3>& count, double a, bool periodic) {
  std::vector<std::array<double, 3>> basis = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  for (std::size_t b = 0; b < 4; ++b) basis.push_back({basis[b][0] + 0.25, basis[b][1] + 0.25, basis[b][2] + 0.25});
  return crystal(count, a, basis, std::sqrt(3.0) / 4, periodic);
}

Registry<LayoutRecord>& layout_records() {
  static Registry<LayoutRecord> records(
      "layout",
      {chain_record(), square_record(), triangular_record(), cubic_record(),
       crystal_record<face_centred_cubic>("face_centred_cubic", "cubic cells of four particles, 12 neighbours"),
       crystal_record<diamond>("diamond", "cubic cells of eight particles, 4 neighbours"), points_record()});
  return records;
}

}  // namespace livens
