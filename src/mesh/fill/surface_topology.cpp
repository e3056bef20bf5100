#include "mesh/fill/surface_topology.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "mesh/fill/fill_tree.hpp"

namespace livens::geometry {

std::vector<EdgeUse> edge_uses(const Surface& surface) {
  std::vector<EdgeUse> uses;
  uses.reserve(surface.triangles.size());
  for (int t = 0; t < triangles(surface); ++t) {
    const int* v = triangle(surface, t);
    for (int c = 0; c < 3; ++c) {
      const int from = v[c], to = v[(c + 1) % 3];
      uses.push_back({std::min(from, to), std::max(from, to), t, from < to});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& u, const EdgeUse& w) {
    return u.a != w.a ? u.a < w.a : u.b != w.b ? u.b < w.b : u.triangle < w.triangle;
  });
  return uses;
}

int open_edges(const Surface& surface) {
  const std::vector<EdgeUse> uses = edge_uses(surface);
  int open = 0;
  for_each_edge(uses, [&](std::size_t begin, std::size_t end) {
    int net = 0;
    for (std::size_t k = begin; k < end; ++k) net += uses[k].forward ? 1 : -1;
    open += net != 0 && uses[begin].a != uses[begin].b;
  });
  return open;
}

std::vector<std::vector<int>> hole_loops(const Surface& surface) {
  const std::vector<EdgeUse> uses = edge_uses(surface);
  std::vector<std::pair<int, int>> edges;  // from, to: against the triangle
  for_each_edge(uses, [&](std::size_t begin, std::size_t end) {
    if (end - begin == 1)
      edges.emplace_back(uses[begin].forward ? uses[begin].b : uses[begin].a,
                         uses[begin].forward ? uses[begin].a : uses[begin].b);
  });
  std::sort(edges.begin(), edges.end());
  std::vector<bool> used(edges.size(), false);
  const auto next_from = [&](int v) {
    auto e = std::lower_bound(edges.begin(), edges.end(), std::pair{v, -1});
    while (e != edges.end() && e->first == v && used[at(static_cast<int>(e - edges.begin()))]) ++e;
    return e != edges.end() && e->first == v ? static_cast<int>(e - edges.begin()) : -1;
  };
  std::vector<std::vector<int>> loops;
  std::unordered_map<int, std::size_t> on_path;
  for (std::size_t first = 0; first < edges.size(); ++first) {
    if (used[first]) continue;
    // Walk; whenever the walk comes back to itself, that part is a loop.
    std::vector<int> path{edges[first].first};
    on_path.clear();
    on_path[path[0]] = 0;
    for (int e = static_cast<int>(first); e >= 0; e = next_from(path.back())) {
      used[at(e)] = true;
      const int to = edges[at(e)].second;
      const auto met = on_path.find(to);
      if (met == on_path.end()) {
        on_path[to] = path.size();
        path.push_back(to);
        continue;
      }
      const auto from = path.begin() + static_cast<std::ptrdiff_t>(met->second);
      loops.emplace_back(from, path.end());
      for (auto v = from + 1; v != path.end(); ++v) on_path.erase(*v);
      path.erase(from + 1, path.end());
    }
    // What does not come back ends at an edge of three triangles or more: reported as it is.
    if (path.size() > 1) loops.push_back(path);
  }
  return loops;
}

void check_indices(const Surface& surface, const std::string& name) {
  if (surface.X.size() % 3 != 0 || surface.triangles.size() % 3 != 0 || surface.X.size() / 3 > 0x7fffffff ||
      surface.triangles.size() > 0x7fffffff)
    throw MeshError(name + ": coordinates and triangles must be three numbers each, and fewer than 2^31.");
  for (int v = 0; v < vertices(surface); ++v)
    for (int c = 0; c < 3; ++c)
      if (!(std::abs(surface.X[3 * at(v) + at(c)]) < coordinate_max))
        throw MeshError(fmt::format("{}: vertex {}: a coordinate is not a number below 1e30.", name, v + 1));
  for (int t = 0; t < triangles(surface); ++t)
    for (int c = 0; c < 3; ++c)
      if (triangle(surface, t)[c] < 0 || triangle(surface, t)[c] >= vertices(surface))
        throw MeshError(fmt::format("{}: triangle {} refers to vertex {}, but there are {}.", name, t + 1,
                                    triangle(surface, t)[c] + 1, vertices(surface)));
}

namespace {

void renumber(Surface& surface, const std::vector<int>& leader) {
  const int n = vertices(surface);
  std::vector<int> number(at(n));
  int kept = 0;
  for (int v = 0; v < n; ++v) {
    if (leader[at(v)] != v) continue;
    std::copy_n(surface.X.data() + 3 * at(v), 3, surface.X.data() + 3 * at(kept));
    number[at(v)] = kept++;
  }
  surface.X.resize(3 * at(kept));
  for (int& v : surface.triangles) v = number[at(leader[at(v)])];
}

std::uint64_t hash(std::int64_t i, std::int64_t j, std::int64_t k) {
  std::uint64_t h = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 29)) + static_cast<std::uint64_t>(j) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 31)) + static_cast<std::uint64_t>(k) * 0x94d049bb133111ebu;
  return h ^ (h >> 30);
}

}  // namespace

int merge_points(Surface& surface, double tolerance) {
  const int n = vertices(surface);
  std::vector<int> leader(at(n));
  std::iota(leader.begin(), leader.end(), 0);
  for (double& x : surface.X) x += 0.0;  // -0 is 0
  if (tolerance > 0) {
    // Each point looks for an earlier leader in its cell and those around it.
    const Vec3 from = box_of(surface).min;
    std::unordered_map<std::uint64_t, std::vector<int>> cells;
    const auto cell = [&](double x, double origin) { return static_cast<std::int64_t>((x - origin) / tolerance); };
    for (int v = 0; v < n; ++v) {
      const Vec3 p = vertex(surface, v);
      const std::int64_t i = cell(p.x, from.x), j = cell(p.y, from.y), k = cell(p.z, from.z);
      for (int around = 0; around < 27 && leader[at(v)] == v; ++around) {
        const auto found = cells.find(hash(i + around % 3 - 1, j + around / 3 % 3 - 1, k + around / 9 - 1));
        if (found == cells.end()) continue;
        for (const int w : found->second)
          if (norm(vertex(surface, w) - p) <= tolerance) {
            leader[at(v)] = w;
            break;
          }
      }
      if (leader[at(v)] == v) cells[hash(i, j, k)].push_back(v);
    }
  } else {
    std::vector<int> order(at(n));
    std::iota(order.begin(), order.end(), 0);
    const auto compare = [&](int v, int w) {
      const double* x = surface.X.data() + 3 * at(v);
      const double* y = surface.X.data() + 3 * at(w);
      for (int c = 0; c < 3; ++c)
        if (x[c] != y[c]) return x[c] < y[c] ? -1 : 1;
      return 0;
    };
    std::sort(order.begin(), order.end(), [&](int v, int w) {
      const int c = compare(v, w);
      return c != 0 ? c < 0 : v < w;
    });
    for (std::size_t k = 1; k < order.size(); ++k)
      if (compare(order[k - 1], order[k]) == 0) leader[at(order[k])] = leader[at(order[k - 1])];
  }
  renumber(surface, leader);
  return n - vertices(surface);
}

Orientation orient(Surface& surface) {
  const int n = triangles(surface);
  struct Link {
    int other;
    bool agree;
  };
  std::vector<std::array<Link, 3>> links(at(n), {Link{-1, true}, Link{-1, true}, Link{-1, true}});
  std::vector<std::uint8_t> linked(at(n), 0);
  const std::vector<EdgeUse> uses = edge_uses(surface);
  for_each_edge(uses, [&](std::size_t begin, std::size_t end) {
    if (end - begin != 2 || uses[begin].triangle == uses[begin + 1].triangle) return;
    const EdgeUse &u = uses[begin], &w = uses[begin + 1];
    links[at(u.triangle)][linked[at(u.triangle)]++] = {w.triangle, u.forward != w.forward};
    links[at(w.triangle)][linked[at(w.triangle)]++] = {u.triangle, u.forward != w.forward};
  });
  Orientation result;
  result.piece.assign(at(n), -1);
  std::vector<std::uint8_t> turned(at(n), 0);
  std::vector<int> members;
  for (int start = 0; start < n; ++start) {
    if (result.piece[at(start)] >= 0) continue;
    members.assign(1, start);
    result.piece[at(start)] = result.pieces;
    int turns = 0;
    for (std::size_t m = 0; m < members.size(); ++m) {
      const int t = members[m];
      for (const Link& link : links[at(t)]) {
        if (link.other < 0) continue;
        const std::uint8_t wanted = turned[at(t)] ^ (link.agree ? 0 : 1);
        if (result.piece[at(link.other)] < 0) {
          result.piece[at(link.other)] = result.pieces;
          turned[at(link.other)] = wanted;
          turns += wanted;
          members.push_back(link.other);
        } else if (turned[at(link.other)] != wanted && result.conflict < 0) {
          result.conflict = t;
        }
      }
    }
    const std::uint8_t majority = 2 * at(turns) > members.size() ? 1 : 0;
    for (const int t : members)
      if (turned[at(t)] != majority) {
        std::swap(surface.triangles[3 * at(t) + 1], surface.triangles[3 * at(t) + 2]);
        ++result.flipped;
      }
    ++result.pieces;
  }
  return result;
}

int orient_outwards(Surface& surface, const Orientation& orientation) {
  const std::size_t n = at(orientation.pieces);
  std::vector<double> volume(n, 0);
  std::vector<Box> boxes(n);
  std::vector<int> sample(n, -1);
  const Vec3 about = box_of(surface).centre();
  for (int t = 0; t < triangles(surface); ++t) {
    const std::size_t piece = at(orientation.piece[at(t)]);
    volume[piece] += det(about, corner(surface, t, 0), corner(surface, t, 1), corner(surface, t, 2));
    for (int c = 0; c < 3; ++c) boxes[piece].add(corner(surface, t, c));
    if (sample[piece] < 0) sample[piece] = t;
  }
  // The pieces around a piece: those that wind around one of its points.
  std::vector<int> outermost(n, -1);
  if (n > 1) {
    const TriangleTree tree(surface);
    for (std::size_t p = 0; p < n; ++p) {
      const Vec3 point = corner(surface, sample[p], 0);
      std::map<int, int> winding;
      tree.near_line(point.y, point.z, [&](int t) {
        const std::size_t other = at(orientation.piece[at(t)]);
        if (other == p) return;
        const Vec3 a = corner(surface, t, 0), b = corner(surface, t, 1), c = corner(surface, t, 2);
        const int turns = crossing(a, b, c, point.y, point.z);
        if (turns != 0 && crossing_place(a, b, c, point.y, point.z) > point.x)
          winding[static_cast<int>(other)] += turns;
      });
      for (const auto& [other, w] : winding)
        if (w != 0 && std::abs(volume[at(other)]) > std::abs(volume[p]) &&
            (outermost[p] < 0 || std::abs(volume[at(other)]) > std::abs(volume[at(outermost[p])])))
          outermost[p] = other;
    }
  }
  int flipped = 0;
  std::vector<bool> flip(n, false);
  for (std::size_t p = 0; p < n; ++p) {
    flip[p] = volume[outermost[p] < 0 ? p : at(outermost[p])] < 0;
    flipped += flip[p];
  }
  for (int t = 0; t < triangles(surface); ++t)
    if (flip[at(orientation.piece[at(t)])])
      std::swap(surface.triangles[3 * at(t) + 1], surface.triangles[3 * at(t) + 2]);
  return flipped;
}

}  // namespace livens::geometry
