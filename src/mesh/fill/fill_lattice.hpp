// The body-centred cubic lattice about a surface: which points are inside, where its edges pass through the surface,
// and which points are moved onto it. F. Labelle, J. R. Shewchuk, Isosurface stuffing: fast tetrahedral meshes with
// good dihedral angles, ACM Trans. Graph. 26 (2007) 57.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "mesh/fill/fill_tree.hpp"

namespace livens::geometry {

// A set of numbers below a bound, and the position of each of its members.
class BitSet {
 public:
  void resize(std::size_t bits) { words_.assign((bits + 63) / 64, 0); }
  bool test(std::size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  std::size_t words() const { return words_.size(); }
  std::uint64_t word(std::size_t w) const { return words_[w]; }
  std::uint64_t& word(std::size_t w) { return words_[w]; }

  void count();  // before size and rank
  std::size_t size() const { return size_; }
  std::size_t rank(std::size_t i) const {
    return before_[i / 64] + at(std::popcount(words_[i / 64] & ((std::uint64_t{1} << (i % 64)) - 1)));
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) visit(64 * w + at(std::countr_zero(rest)));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;
  std::size_t size_ = 0;
};

// A lattice point by its coordinates in half cells: all even (corners of the cells) or all odd (their centres).
struct Site {
  int x, y, z;
};

// The 14 edges of a site: 6 long ones, of a cell's side, then 8 short ones, of half its diagonal.
inline constexpr std::array<Site, 14> directions{{{2, 0, 0},
                                                  {-2, 0, 0},
                                                  {0, 2, 0},
                                                  {0, -2, 0},
                                                  {0, 0, 2},
                                                  {0, 0, -2},
                                                  {-1, -1, -1},
                                                  {1, -1, -1},
                                                  {-1, 1, -1},
                                                  {1, 1, -1},
                                                  {-1, -1, 1},
                                                  {1, -1, 1},
                                                  {-1, 1, 1},
                                                  {1, 1, 1}}};
inline constexpr int long_directions = 6;
constexpr int opposite(int direction) {
  return direction < long_directions ? direction ^ 1 : long_directions + (7 ^ (direction - long_directions));
}
inline Site operator+(const Site& s, const Site& d) { return {s.x + d.x, s.y + d.y, s.z + d.z}; }

struct LatticeSize {
  double cell = 0;
  Vec3 origin;
  std::array<std::size_t, 3> cells{};  // with a margin of at least two on each side
};
// In the middle of the box but for the shift, in cells and less than one.
LatticeSize lattice_about(const Box& box, double cell, const Vec3& shift);

class Lattice {
 public:
  // `sign` is that of the surface's volume. Throws nothing; the surface must be closed.
  Lattice(const TriangleTree& tree, const LatticeSize& size, int sign);

  enum class State { outside, on, inside };
  State state(std::size_t id) const {
    return moved_.test(id) ? State::on : inside_.test(id) ? State::inside : State::outside;
  }
  std::size_t id(const Site& s) const {
    const auto half = [](int c) { return static_cast<std::size_t>(c >> 1); };
    return ((static_cast<std::size_t>(s.x & 1) * nz_ + half(s.z)) * ny_ + half(s.y)) * row_ + half(s.x);
  }
  Site site(std::size_t id) const;
  Vec3 position(const Site& s) const {
    const double h = 0.5 * size_.cell;
    return {size_.origin.x + h * s.x, size_.origin.y + h * s.y, size_.origin.z + h * s.z};
  }

  // The number of the place where the edge leaves the body, or -1.
  int cut(const Site& s, int direction) const;

  // Nodes: the sites inside and on the surface, then the cuts.
  int site_nodes() const { return static_cast<int>(nodes_.size()); }
  int nodes() const { return site_nodes() + live_cuts_; }
  int node(std::size_t id) const { return static_cast<int>(nodes_.rank(id)); }
  int cut_node(int cut) const { return site_nodes() + live_number_[at(cut)]; }
  std::vector<double> positions() const;
  std::vector<std::uint8_t> on_surface() const;  // per node

  // Bits of 64 sites in a row: those inside, from the corners (odd = 0) or centres (odd = 1) of cell row j, layer k.
  std::uint64_t inside_word(int odd, std::size_t w, std::size_t j, std::size_t k) const {
    return inside_.word(first_word(odd, j, k) + w);
  }
  std::size_t nx() const { return size_.cells[0]; }
  std::size_t ny() const { return ny_; }
  std::size_t nz() const { return nz_; }
  std::size_t row_words() const { return row_ / 64; }
  // The word shifted so that each bit is that of the next site along x.
  std::uint64_t next_inside_word(int odd, std::size_t w, std::size_t j, std::size_t k) const {
    const std::uint64_t beyond = w + 1 < row_words() ? inside_word(odd, w + 1, j, k) : 0;
    return inside_word(odd, w, j, k) >> 1 | beyond << 63;
  }

 private:
  std::size_t first_word(int odd, std::size_t j, std::size_t k) const {
    return ((at(odd) * nz_ + k) * ny_ + j) * row_words();
  }
  void classify(const TriangleTree& tree, int sign);
  void find_cuts(const TriangleTree& tree, int sign);
  void move_sites();
  double cut_place(const TriangleTree& tree, const Vec3& in, const Vec3& out, int sign) const;

  LatticeSize size_;
  std::size_t ny_, nz_, row_;  // a row of sites fills whole words
  BitSet inside_, moved_, nodes_;
  std::vector<Vec3> moved_to_;

  BitSet owners_;                        // sites that own cuts: an edge belongs to one of its ends
  std::vector<int> first_cut_;           // of each owner, and the end
  std::vector<std::uint8_t> direction_;  // of each cut, from its owner
  std::vector<double> place_;            // in parts of the edge, from its owner; negative: gone
  std::vector<int> live_number_;
  int live_cuts_ = 0;
};

}  // namespace livens::geometry
