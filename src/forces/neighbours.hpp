// Lists of neighbours of particles, by cells, in open space or in a periodic box.
//
// A list holds, for every particle, all others within `reach` = cut-off + skin, in ascending order. It serves as long
// as no particle has moved more than half the skin since it was made: then everybody within the cut-off is still in it.
// Sums over those within the cut-off alone, in the order of the list, have the same bits whatever list they come from;
// so runs do not depend on when lists were made, nor on the number of threads.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <livens/energy.hpp>

namespace livens {

// Differences of places to the nearest image.
struct PeriodicBox {
  std::array<double, 3> side{};     // m; 0: open
  std::array<double, 3> inverse{};  // 1/side, or 0
  double nearest(double d, std::size_t c) const { return d - side[c] * std::nearbyint(d * inverse[c]); }
};
PeriodicBox periodic_box(const std::array<double, 3>& side);

class NeighbourLists {
 public:
  // nodes: first coordinates. group: of each particle; if `cross`, only those of different groups are neighbours.
  NeighbourLists(std::vector<int> nodes, std::vector<int> group, bool cross, int dimension, const PeriodicBox& box,
                 double cutoff, double skin);

  int count() const { return static_cast<int>(nodes_.size()); }
  const std::vector<int>& nodes() const { return nodes_; }
  int dimension() const { return dimension_; }
  const PeriodicBox& box() const { return box_; }
  bool neighbours(std::size_t i, std::size_t j) const { return i != j && (!cross_ || group_[i] != group_[j]); }

  struct List {
    std::vector<double> made_at;  // positions, three numbers per particle
    std::vector<int> start, neighbour;
    std::vector<int> cell_start, cell_member, cell_of;  // work arrays
    std::span<const int> of(std::size_t i) const {
      return {neighbour.data() + start[i], static_cast<std::size_t>(start[i + 1] - start[i])};
    }
  };
  // A list that serves at q, for the caller alone; it goes back for the next one. No memory is asked for once there are
  // as many lists as callers at one time, and they have grown.
  class Lease {
   public:
    Lease(const NeighbourLists& owner, std::unique_ptr<List> list) : owner_(owner), list_(std::move(list)) {}
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    std::span<const int> of(std::size_t i) const { return list_->of(i); }

   private:
    const NeighbourLists& owner_;
    std::unique_ptr<List> list_;
  };
  Lease at(ConstVector q) const;

 private:
  bool serves(const List& list, ConstVector q) const;
  void make(List& list, ConstVector q) const;

  std::vector<int> nodes_, group_;
  bool cross_;
  int dimension_;
  PeriodicBox box_;
  double reach_, skin_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<List>> spare_;
};

}  // namespace livens
