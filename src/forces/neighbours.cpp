#include "forces/neighbours.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr std::size_t particles_at_once = 256;

template <class Body>
void for_particles(std::size_t n, const Body& body) {
  for_each_index((n + particles_at_once - 1) / particles_at_once, [&](std::size_t k) {
    for (std::size_t i = k * particles_at_once; i < std::min(n, (k + 1) * particles_at_once); ++i) body(i);
  });
}

// A grid of cells no smaller than the reach, so that neighbours are in the same or in adjacent cells.
struct Cells {
  std::array<double, 3> low{}, inverse{};  // of open axes: least coordinate, 1/side of a cell
  std::array<int, 3> count{1, 1, 1};
  std::array<bool, 3> periodic{};

  int along(double x, std::size_t c, const PeriodicBox& box) const {
    double part = (x - low[c]) * inverse[c];  // in cells
    if (periodic[c]) {
      const double turns = x * box.inverse[c];
      part = (turns - std::floor(turns)) * count[c];
    }
    return std::clamp(static_cast<int>(part), 0, count[c] - 1);
  }
  int index(const std::array<int, 3>& k) const { return (k[2] * count[1] + k[1]) * count[0] + k[0]; }
};

// At most about one cell a particle: far apart particles would make more than there is memory for.
Cells cells_for(const std::vector<double>& x, double reach, const PeriodicBox& box, std::size_t dimension) {
  Cells cells;
  const std::size_t n = x.size() / 3;
  std::array<double, 3> extent{};
  for (std::size_t c = 0; c < dimension; ++c) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < n; ++i) {
      low = std::min(low, x[3 * i + c]);
      high = std::max(high, x[3 * i + c]);
    }
    cells.periodic[c] = box.side[c] > 0;
    cells.low[c] = low;
    extent[c] = cells.periodic[c] ? box.side[c] : high - low;
    const double most = std::min(extent[c] / reach, 1e6);
    cells.count[c] = most > 1 ? static_cast<int>(most) : 1;  // also where places are not finite
  }
  const auto total = [&] { return static_cast<double>(cells.count[0]) * cells.count[1] * cells.count[2]; };
  while (total() > 8 + static_cast<double>(n)) {
    int& largest = *std::max_element(cells.count.begin(), cells.count.end());
    largest = (largest + 1) / 2;
  }
  for (std::size_t c = 0; c < dimension; ++c) cells.inverse[c] = extent[c] > 0 ? cells.count[c] / extent[c] : 0;
  return cells;
}

// body(cell) for a cell and those around it, each once.
template <class Body>
void around(const Cells& cells, int cell, const Body& body) {
  const std::array<int, 3> at{cell % cells.count[0], cell / cells.count[0] % cells.count[1],
                              cell / cells.count[0] / cells.count[1]};
  std::array<std::array<int, 3>, 3> near{};
  std::array<std::size_t, 3> many{};
  for (std::size_t c = 0; c < 3; ++c)
    for (int step = -1; step <= 1; ++step) {
      int k = at[c] + step;
      if (cells.periodic[c]) k = (k + cells.count[c]) % cells.count[c];
      const bool inside = k >= 0 && k < cells.count[c];
      const bool seen = std::find(near[c].begin(), near[c].begin() + static_cast<std::ptrdiff_t>(many[c]), k) !=
                        near[c].begin() + static_cast<std::ptrdiff_t>(many[c]);
      if (inside && !seen) near[c][many[c]++] = k;
    }
  for (std::size_t z = 0; z < many[2]; ++z)
    for (std::size_t y = 0; y < many[1]; ++y)
      for (std::size_t x = 0; x < many[0]; ++x) body(cells.index({near[0][x], near[1][y], near[2][z]}));
}

}  // namespace

PeriodicBox periodic_box(const std::array<double, 3>& side) {
  PeriodicBox box{side, {}};
  for (std::size_t c = 0; c < 3; ++c) box.inverse[c] = side[c] > 0 ? 1 / side[c] : 0;
  return box;
}

NeighbourLists::NeighbourLists(std::vector<int> nodes, std::vector<int> group, bool cross, int dimension,
                               const PeriodicBox& box, double cutoff, double skin)
    : nodes_(std::move(nodes)),
      group_(std::move(group)),
      cross_(cross),
      dimension_(dimension),
      box_(box),
      reach_(cutoff + skin),
      skin_(skin) {}

NeighbourLists::Lease::~Lease() {
  const std::lock_guard lock(owner_.mutex_);
  owner_.spare_.push_back(std::move(list_));
}

NeighbourLists::Lease NeighbourLists::at(ConstVector q) const {
  std::unique_ptr<List> list;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      list = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (list == nullptr) list = std::make_unique<List>();
  if (!serves(*list, q)) make(*list, q);
  return {*this, std::move(list)};
}

bool NeighbourLists::serves(const List& list, ConstVector q) const {
  if (list.made_at.empty()) return false;
  const double most = 0.25 * skin_ * skin_;
  std::atomic<bool> served = true;
  for_particles(nodes_.size(), [&](std::size_t i) {
    double moved = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(dimension_); ++c) {
      const double d = q[nodes_[i] + c] - list.made_at[3 * i + c];
      moved += d * d;
    }
    if (!(moved <= most)) served = false;
  });
  return served;
}

void NeighbourLists::make(List& list, ConstVector q) const {
  const std::size_t n = nodes_.size(), dimension = static_cast<std::size_t>(dimension_);
  list.made_at.assign(3 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < dimension; ++c) list.made_at[3 * i + c] = q[nodes_[i] + c];
  const double* x = list.made_at.data();
  const Cells cells = cells_for(list.made_at, reach_, box_, dimension);
  const std::size_t total = static_cast<std::size_t>(cells.count[0]) * static_cast<std::size_t>(cells.count[1]) *
                            static_cast<std::size_t>(cells.count[2]);
  list.cell_of.resize(n);
  list.cell_start.assign(total + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::array<int, 3> k{};
    for (std::size_t c = 0; c < dimension; ++c) k[c] = cells.along(x[3 * i + c], c, box_);
    list.cell_of[i] = cells.index(k);
    ++list.cell_start[list.cell_of[i] + 1];
  }
  for (std::size_t k = 0; k < total; ++k) list.cell_start[k + 1] += list.cell_start[k];
  list.cell_member.resize(n);
  for (std::size_t i = n; i-- > 0;)  // backwards, so that each cell has its particles in ascending order
    list.cell_member[--list.cell_start[list.cell_of[i] + 1]] = static_cast<int>(i);
  // The starts have moved by one cell: those of cell k are [cell_start[k + 1], cell_start[k + 2]).
  const auto members = [&](int cell) {
    const auto k = static_cast<std::size_t>(cell);
    const auto first = static_cast<std::size_t>(list.cell_start[k + 1]);
    const auto last = k + 1 < total ? static_cast<std::size_t>(list.cell_start[k + 2]) : n;
    return std::span<const int>(list.cell_member).subspan(first, last - first);
  };
  const double reach2 = reach_ * reach_;
  const auto each_near = [&](std::size_t i, const auto& body) {
    around(cells, list.cell_of[i], [&](int cell) {
      for (const int j : members(cell)) {
        double r2 = 0;
        for (std::size_t c = 0; c < dimension; ++c) {
          const double d = box_.nearest(x[3 * j + c] - x[3 * i + c], c);
          r2 += d * d;
        }
        if (r2 <= reach2 && neighbours(i, static_cast<std::size_t>(j))) body(j);
      }
    });
  };
  list.start.assign(n + 1, 0);
  for_particles(n, [&](std::size_t i) { each_near(i, [&](int) { ++list.start[i + 1]; }); });
  for (std::size_t i = 0; i < n; ++i) list.start[i + 1] += list.start[i];
  const auto needed = static_cast<std::size_t>(list.start[n]);
  if (list.neighbour.capacity() < needed) list.neighbour.reserve(needed + needed / 4);
  list.neighbour.resize(needed);
  for_particles(n, [&](std::size_t i) {
    int* next = list.neighbour.data() + list.start[i];
    int* const first = next;
    each_near(i, [&](int j) { *next++ = j; });
    std::sort(first, next);
  });
}

}  // namespace livens
