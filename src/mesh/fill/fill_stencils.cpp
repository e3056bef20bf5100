// The stencils of Labelle & Shewchuk (2007), section 3, from their rules. A tetrahedron of the lattice has two opposite
// long edges and four short ones. What is left of it inside is a tetrahedron, a pyramid or a prism with triangular
// ends; the quadrilaterals on faces that it shares are cut in two by a rule that both sides know.
#include "mesh/fill/fill_stencils.hpp"

#include <algorithm>
#include <numeric>

#include "math/parallel.hpp"

namespace livens::geometry {

namespace {

using State = Lattice::State;

struct Corner {
  Site site;
  State state;
  int node;  // -1 outside
};

int direction_between(const Site& from, const Site& to) {
  const Site d{to.x - from.x, to.y - from.y, to.z - from.z};
  if ((d.x & 1) != 0) return long_directions + (d.x > 0 ? 1 : 0) + (d.y > 0 ? 2 : 0) + (d.z > 0 ? 4 : 0);
  return d.x != 0 ? (d.x > 0 ? 0 : 1) : d.y != 0 ? (d.y > 0 ? 2 : 3) : d.z > 0 ? 4 : 5;
}

bool is_long(const Corner& a, const Corner& b) { return ((a.site.x ^ b.site.x) & 1) == 0; }

// On the face a, b inside, c outside: does the diagonal of (a, b, bc, ac) begin at a? It ends at the cut of the long
// edge; if both cut edges are short, the parity rule decides: at the end that exceeds c in an even number of
// coordinates.
bool diagonal_at_first(const Corner& a, const Corner& b, const Corner& c) {
  if (is_long(a, c)) return false;
  if (is_long(b, c)) return true;
  const int greater = (a.site.x > c.site.x) + (a.site.y > c.site.y) + (a.site.z > c.site.z);
  return greater % 2 == 0;
}

class Stencils {
 public:
  Stencils(const Lattice& lattice, std::vector<int>& tets) : lattice_(lattice), tets_(tets) {}

  // Four corners of a positively oriented tetrahedron of the lattice.
  void fill(std::array<Corner, 4> v) {
    std::array<int, 4> order{0, 1, 2, 3};
    const auto key = [&](int i) {
      return v[at(i)].state == State::inside ? 0 : v[at(i)].state == State::outside ? 1 : 2;
    };
    // Inside first, then outside, then on the surface; two of one kind swap places where the orientation asks for it.
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
    bool odd = false;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) odd ^= order[i] > order[j];
    if (odd) {
      std::size_t i = 0;
      while (key(order[i]) != key(order[i + 1])) ++i;  // four corners, three kinds
      std::swap(order[i], order[i + 1]);
    }
    const Corner &a = v[at(order[0])], &b = v[at(order[1])], &c = v[at(order[2])], &d = v[at(order[3])];
    int inside = 0, outside = 0;
    for (const Corner& p : v) {
      inside += p.state == State::inside;
      outside += p.state == State::outside;
    }
    if (inside == 0) return;
    if (outside == 0) return add(a.node, b.node, c.node, d.node);
    if (inside == 1) return add(a.node, end(a, b), end(a, c), end(a, d));
    if (inside == 2 && outside == 1) {
      const int ac = cut(a, c), bc = cut(b, c);
      if (diagonal_at_first(a, b, c)) {
        add(a.node, b.node, bc, d.node);
        add(a.node, bc, ac, d.node);
      } else {
        add(a.node, b.node, ac, d.node);
        add(b.node, bc, ac, d.node);
      }
    } else if (inside == 2) {
      const int ac = cut(a, c), bc = cut(b, c), ad = cut(a, d), bd = cut(b, d);
      const bool first = diagonal_at_first(a, b, c), last = !diagonal_at_first(a, b, d);
      // The quadrilateral on the surface is nobody else's: its diagonal makes the prism divisible.
      prism({a.node, ac, ad}, {b.node, bc, bd}, {first, !first, last});
    } else {
      prism({a.node, b.node, c.node}, {cut(a, d), cut(b, d), cut(c, d)},
            {diagonal_at_first(a, b, d), diagonal_at_first(b, c, d), diagonal_at_first(c, a, d)});
    }
  }

 private:
  int cut(const Corner& in, const Corner& out) const {
    return lattice_.cut_node(lattice_.cut(in.site, direction_between(in.site, out.site)));
  }
  int end(const Corner& in, const Corner& other) const {
    return other.state == State::on ? other.node : cut(in, other);
  }
  void add(int a, int b, int c, int d) { tets_.insert(tets_.end(), {a, b, c, d}); }

  // Between the triangles p and q; diagonal[i] says whether p_i - q_i+1 or p_i+1 - q_i divides the side of i and i+1.
  // The diagonals lead from p_i to q_j for i before j in some order of 0, 1, 2.
  void prism(const std::array<int, 3>& p, const std::array<int, 3>& q, const std::array<bool, 3>& diagonal) {
    std::array<std::size_t, 3> order{};
    for (std::size_t i = 0; i < 3; ++i) order[2 - at(diagonal[i]) - at(!diagonal[(i + 2) % 3])] = i;
    const auto [i, j, k] = order;
    const bool even = (i + 1) % 3 == j;
    const auto put = [&](int a, int b, int c, int d) { even ? add(a, b, c, d) : add(a, c, b, d); };
    put(p[i], p[j], p[k], q[k]);
    put(p[i], p[j], q[k], q[j]);
    put(p[i], q[i], q[j], q[k]);
  }

  const Lattice& lattice_;
  std::vector<int>& tets_;
};

// Twelve tetrahedra a cell: between its centre and the next one along each axis, and an edge of the side between them.
struct Pattern {
  std::array<Site, 4> corners;  // from the centre
};

std::array<Pattern, 12> make_patterns() {
  std::array<Pattern, 12> patterns{};
  std::size_t n = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto along = [axis](int u, int v, int w) {
      return axis == 0 ? Site{u, v, w} : axis == 1 ? Site{w, u, v} : Site{v, w, u};
    };
    const std::array<Site, 4> side{along(1, -1, -1), along(1, 1, -1), along(1, 1, 1), along(1, -1, 1)};
    for (std::size_t e = 0; e < 4; ++e) patterns[n++] = {{Site{0, 0, 0}, along(2, 0, 0), side[e], side[(e + 1) % 4]}};
  }
  return patterns;
}

}  // namespace

std::vector<int> stuff(const Lattice& lattice) {
  const std::array<Pattern, 12> patterns = make_patterns();
  const std::size_t layers = lattice.nz() - 1, rows = lattice.ny() - 1;
  std::vector<std::vector<int>> parts(layers);
  for_each_index(layers, [&](std::size_t k) {
    Stencils stencils(lattice, parts[k]);
    const auto corner_at = [&](const Site& s) -> Corner {
      const std::size_t id = lattice.id(s);
      const State state = lattice.state(id);
      return {s, state, state == State::outside ? -1 : lattice.node(id)};
    };
    for (std::size_t j = 0; j < rows; ++j)
      for (std::size_t w = 0; w < lattice.row_words(); ++w) {
        // Cells with a site inside among those of their tetrahedra.
        std::uint64_t touched = lattice.inside_word(1, w, j, k) | lattice.next_inside_word(1, w, j, k) |
                                lattice.inside_word(1, w, j + 1, k) | lattice.inside_word(1, w, j, k + 1);
        for (std::size_t d = 0; d < 4; ++d)
          touched |=
              lattice.inside_word(0, w, j + d % 2, k + d / 2) | lattice.next_inside_word(0, w, j + d % 2, k + d / 2);
        for (; touched != 0; touched &= touched - 1) {
          const std::size_t i = 64 * w + at(std::countr_zero(touched));
          if (i + 1 >= lattice.nx()) continue;  // the margin
          const Site centre{2 * static_cast<int>(i) + 1, 2 * static_cast<int>(j) + 1, 2 * static_cast<int>(k) + 1};
          for (const Pattern& pattern : patterns) {
            std::array<Corner, 4> v;
            bool any = false;
            for (std::size_t c = 0; c < 4; ++c) {
              v[c] = corner_at(centre + pattern.corners[c]);
              any |= v[c].state == State::inside;
            }
            if (any) stencils.fill(v);
          }
        }
      }
  });
  std::vector<int> tets;
  tets.reserve(std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                               [](std::size_t sum, const std::vector<int>& part) { return sum + part.size(); }));
  for (std::vector<int>& part : parts) {
    tets.insert(tets.end(), part.begin(), part.end());
    std::vector<int>().swap(part);
  }
  return tets;
}

}  // namespace livens::geometry
