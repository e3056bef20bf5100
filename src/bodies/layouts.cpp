#include "bodies/layouts.hpp"

#include <cmath>

namespace livens {
namespace {

constexpr double most_nodes = 5e7;

// Counts as integers, 2 or more in each direction.
bool counts_of(const Settings& settings, std::size_t dimension, std::vector<int>& counts) {
  const auto& values = settings.vector("count");
  if (values.size() != dimension) {
    settings.refuse("count", "expected " + std::to_string(dimension) + (dimension == 1 ? " number" : " numbers") +
                                 ", found " + std::to_string(values.size()));
    return false;
  }
  double total = 1;
  for (const double value : values) {
    if (value != std::floor(value) || value < 2) {
      settings.refuse("count", "expected whole numbers from 2 up");
      return false;
    }
    total *= value;
    counts.push_back(static_cast<int>(value));
  }
  if (total > most_nodes) {
    settings.refuse("count",
                    "asks for " + std::to_string(static_cast<long>(total)) + " particles; at most 50 000 000 are made");
    return false;
  }
  return true;
}

// A lattice of points sum_k n_k a_k with neighbours at the given index offsets.
void fill_lattice(const std::vector<int>& counts, const std::vector<std::vector<double>>& basis,
                  const std::vector<std::vector<int>>& offsets, bool periodic, Layout& layout) {
  const std::size_t dim = counts.size();
  int total = 1;
  for (const int count : counts) total *= count;
  layout.dimension = static_cast<int>(dim);
  layout.periodic = periodic;
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
  record.make = [](const Settings& settings, Layout& layout) {
    const auto count = static_cast<int>(settings.integer("count"));
    const double a = settings.number("spacing");
    layout.dimension = static_cast<int>(settings.integer("dimension"));
    for (int i = 0; i < count; ++i) {
      layout.positions.push_back(i * a);
      for (int c = 1; c < layout.dimension; ++c) layout.positions.push_back(0);
      if (i + 1 < count) layout.neighbours.push_back({i, i + 1, {0, 0, 0}});
    }
    layout.periodic = settings.flag("periodic") && count > 2;
    if (layout.periodic) layout.neighbours.push_back({count - 1, 0, {count * a, 0, 0}});
    return true;
  };
  return record;
}

LayoutRecord square_record() {
  LayoutRecord record = lattice_record("square_lattice", "plane square lattice, 4 neighbours", 2);
  record.make = [](const Settings& settings, Layout& layout) {
    std::vector<int> counts;
    if (!counts_of(settings, 2, counts)) return false;
    const double a = settings.number("spacing");
    fill_lattice(counts, {{a, 0}, {0, a}}, {{1, 0}, {0, 1}}, settings.flag("periodic"), layout);
    return true;
  };
  return record;
}

LayoutRecord triangular_record() {
  LayoutRecord record = lattice_record("triangular_lattice", "plane triangular lattice, 6 neighbours", 2);
  record.make = [](const Settings& settings, Layout& layout) {
    std::vector<int> counts;
    if (!counts_of(settings, 2, counts)) return false;
    layout = triangular_lattice(counts[0], counts[1], settings.number("spacing"), settings.flag("periodic"));
    return true;
  };
  return record;
}

LayoutRecord cubic_record() {
  LayoutRecord record = lattice_record("cubic_lattice", "cubic lattice with face diagonals, 18 neighbours", 3);
  record.make = [](const Settings& settings, Layout& layout) {
    std::vector<int> counts;
    if (!counts_of(settings, 3, counts)) return false;
    const double a = settings.number("spacing");
    fill_lattice(counts, {{a, 0, 0}, {0, a, 0}, {0, 0, a}},
                 {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}},
                 settings.flag("periodic"), layout);
    return true;
  };
  return record;
}

LayoutRecord points_record() {
  LayoutRecord record;
  record.name = "points";
  record.brief = "particles where you put them";
  Parameter points = required(key("points", ValueType::table, "m", "", "list of positions, each of 1, 2 or 3 numbers"));
  points.choices = {"list"};
  record.parameters = {points};
  record.make = [](const Settings& settings, Layout& layout) {
    const auto rows = read_rows(settings, "points");
    layout.dimension = static_cast<int>(rows.front().size());
    for (const auto& row : rows) layout.positions.insert(layout.positions.end(), row.begin(), row.end());
    return true;
  };
  return record;
}

}  // namespace

Layout triangular_lattice(int nx, int ny, double a, bool periodic) {
  Layout layout;
  fill_lattice({nx, ny}, {{a, 0}, {0.5 * a, std::sqrt(0.75) * a}}, {{1, 0}, {0, 1}, {-1, 1}}, periodic, layout);
  return layout;
}

Registry<LayoutRecord>& layout_records() {
  static Registry<LayoutRecord> records(
      "layout", {chain_record(), square_record(), triangular_record(), cubic_record(), points_record()});
  return records;
}

}  // namespace livens
