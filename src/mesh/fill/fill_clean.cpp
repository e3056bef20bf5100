#include "mesh/fill/fill_clean.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

namespace livens::geometry {

namespace {

constexpr double piece_min = 0.05;  // of the largest piece's tetrahedra

constexpr std::array<std::array<std::size_t, 3>, 4> tet_faces{{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};  // outward

struct Face {
  std::array<int, 3> key;  // sorted nodes
  int tet;
  int side;
  bool operator<(const Face& other) const { return key != other.key ? key < other.key : tet < other.tet; }
};

const int* tet(const Stuffing& mesh, std::size_t e) { return mesh.tets.data() + 4 * e; }
std::size_t tets(const Stuffing& mesh) { return mesh.tets.size() / 4; }

std::vector<Face> marked_faces(const Stuffing& mesh) {
  std::vector<Face> faces;
  for (std::size_t e = 0; e < tets(mesh); ++e) {
    const int* v = tet(mesh, e);
    int marked = 0;
    for (int c = 0; c < 4; ++c) marked += mesh.on_surface[at(v[c])];
    if (marked < 3) continue;
    for (std::size_t f = 0; f < 4; ++f) {
      std::array<int, 3> key{v[tet_faces[f][0]], v[tet_faces[f][1]], v[tet_faces[f][2]]};
      if (!mesh.on_surface[at(key[0])] || !mesh.on_surface[at(key[1])] || !mesh.on_surface[at(key[2])]) continue;
      std::sort(key.begin(), key.end());
      faces.push_back({key, static_cast<int>(e), static_cast<int>(f)});
    }
  }
  std::sort(faces.begin(), faces.end());
  return faces;
}

// Splits sorted faces into pairs, which are inside, and single ones, which are the boundary.
template <class Pair, class Single>
void match(const std::vector<Face>& faces, const Pair& pair, const Single& single) {
  for (std::size_t f = 0; f < faces.size(); ++f)
    if (f + 1 < faces.size() && faces[f].key == faces[f + 1].key) {
      pair(faces[f], faces[f + 1]);
      ++f;
    } else {
      single(faces[f]);
    }
}

class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  int find(int i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  void join(int i, int j) {
    i = find(i);
    j = find(j);
    if (i != j) parent_[at(std::max(i, j))] = std::min(i, j);
  }

 private:
  std::vector<int> parent_;
};

void remove_tets(Stuffing& mesh, const std::vector<std::uint8_t>& gone) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < tets(mesh); ++e) {
    if (gone[e]) continue;
    std::copy_n(mesh.tets.begin() + static_cast<std::ptrdiff_t>(4 * e), 4,
                mesh.tets.begin() + static_cast<std::ptrdiff_t>(4 * kept));
    ++kept;
  }
  mesh.tets.resize(4 * kept);
}

// Pieces are connected by faces. All tetrahedra about an unmarked node are: it is inside.
void drop_loose_pieces(Stuffing& mesh, const std::vector<Face>& faces, Cleaning& cleaning) {
  const std::size_t n = tets(mesh), nodes = mesh.X.size() / 3;
  Groups groups(nodes + n);
  std::vector<int> anchor(n);
  for (std::size_t e = 0; e < n; ++e) {
    int first = -1;
    for (int c = 0; c < 4; ++c) {
      const int node = tet(mesh, e)[c];
      if (mesh.on_surface[at(node)]) continue;
      if (first < 0)
        first = node;
      else
        groups.join(first, node);
    }
    anchor[e] = first >= 0 ? first : static_cast<int>(nodes + e);
  }
  match(
      faces, [&](const Face& f, const Face& g) { groups.join(anchor[at(f.tet)], anchor[at(g.tet)]); },
      [](const Face&) {});
  std::vector<int> count(nodes + n, 0);
  for (std::size_t e = 0; e < n; ++e) ++count[at(groups.find(anchor[e]))];
  const int most = n > 0 ? *std::max_element(count.begin(), count.end()) : 0;

  cleaning.kept.clear();
  bool any = false;
  int largest_dropped = 0;
  for (int& c : count) {
    if (c == 0) continue;
    if (c >= piece_min * most) {
      cleaning.kept.push_back(at(c));
    } else {
      any = true;
      ++cleaning.dropped_pieces;
      cleaning.dropped_tets += at(c);
      largest_dropped = std::max(largest_dropped, c);
      c = -c;
    }
  }
  if (!any) return;
  std::vector<std::uint8_t> gone(n, 0);
  bool placed = false;
  for (std::size_t e = 0; e < n; ++e) {
    const int c = count[at(groups.find(anchor[e]))];
    gone[e] = c < 0;
    if (!placed && c == -largest_dropped) {
      const double* x = mesh.X.data() + 3 * at(tet(mesh, e)[0]);
      cleaning.dropped_near = {x[0], x[1], x[2]};
      placed = true;
    }
  }
  remove_tets(mesh, gone);
}

// A place where the boundary is no manifold: an edge (two nodes) or a node (the second is -1).
using Place = std::pair<int, int>;

std::vector<Place> bad_places(const std::vector<std::array<int, 3>>& skin) {
  std::vector<Place> edges, bad;
  std::vector<std::array<int, 3>> about;  // node, and the edge of a face across from it
  for (const auto& f : skin)
    for (std::size_t c = 0; c < 3; ++c) {
      edges.push_back(std::minmax(f[c], f[(c + 1) % 3]));
      about.push_back({f[c], f[(c + 1) % 3], f[(c + 2) % 3]});
    }
  std::sort(edges.begin(), edges.end());
  for (std::size_t e = 0; e < edges.size();) {
    std::size_t end = e + 1;
    while (end < edges.size() && edges[end] == edges[e]) ++end;
    if (end - e != 2) bad.push_back(edges[e]);
    e = end;
  }
  if (!bad.empty()) return bad;
  // Every edge has two faces: those about a node form rings, and should form one.
  std::sort(about.begin(), about.end());
  for (std::size_t a = 0; a < about.size();) {
    std::size_t end = a + 1;
    while (end < about.size() && about[end][0] == about[a][0]) ++end;
    std::size_t length = 1;
    for (int at_node = about[a][2]; at_node != about[a][1] && length <= end - a; ++length) {
      const auto next = std::lower_bound(about.begin() + static_cast<std::ptrdiff_t>(a),
                                         about.begin() + static_cast<std::ptrdiff_t>(end),
                                         std::array<int, 3>{about[a][0], at_node, -1});
      if (next == about.end() || (*next)[0] != about[a][0] || (*next)[1] != at_node) break;
      at_node = (*next)[2];
    }
    if (length != end - a) bad.emplace_back(about[a][0], -1);
    a = end;
  }
  return bad;
}

// At each place, all tetrahedra but the largest group that is connected by faces there; all if there is one group only.
std::size_t remove_at(Stuffing& mesh, const std::vector<Place>& places) {
  std::map<int, std::vector<int>> tets_at;  // by the first node of a place
  for (const Place& place : places) tets_at[place.first];
  for (std::size_t e = 0; e < tets(mesh); ++e)
    for (int c = 0; c < 4; ++c)
      if (mesh.on_surface[at(tet(mesh, e)[c])])
        if (const auto where = tets_at.find(tet(mesh, e)[c]); where != tets_at.end())
          where->second.push_back(static_cast<int>(e));

  std::vector<std::uint8_t> gone(tets(mesh), 0);
  for (const Place& place : places) {
    std::vector<int> here;
    for (const int e : tets_at[place.first]) {
      const int* v = tet(mesh, at(e));
      if (place.second < 0 || std::count(v, v + 4, place.second) > 0) here.push_back(e);
    }
    Groups groups(here.size());
    for (std::size_t i = 0; i < here.size(); ++i)
      for (std::size_t j = i + 1; j < here.size(); ++j) {
        int shared = 0;
        for (int c = 0; c < 4; ++c)
          shared += static_cast<int>(
              std::count(tet(mesh, at(here[i])), tet(mesh, at(here[i])) + 4, tet(mesh, at(here[j]))[c]));
        if (shared == 3) groups.join(static_cast<int>(i), static_cast<int>(j));
      }
    std::vector<int> count(here.size(), 0);
    for (std::size_t i = 0; i < here.size(); ++i) ++count[at(groups.find(static_cast<int>(i)))];
    int largest = static_cast<int>(std::max_element(count.begin(), count.end()) - count.begin());
    if (count.empty() || at(count[at(largest)]) == here.size()) largest = -1;
    for (std::size_t i = 0; i < here.size(); ++i)
      if (groups.find(static_cast<int>(i)) != largest) gone[at(here[i])] = 1;
  }
  for (std::size_t e = 0; e < tets(mesh); ++e)
    if (gone[e])
      for (int c = 0; c < 4; ++c) mesh.on_surface[at(tet(mesh, e)[c])] = 1;
  const std::size_t before = tets(mesh);
  remove_tets(mesh, gone);
  return before - tets(mesh);
}

void drop_unused_nodes(Stuffing& mesh) {
  const std::size_t nodes = mesh.X.size() / 3;
  std::vector<int> number(nodes, -1);
  for (const int node : mesh.tets) number[at(node)] = 0;
  int used = 0;
  for (std::size_t a = 0; a < nodes; ++a) {
    if (number[a] < 0) continue;
    std::copy_n(mesh.X.data() + 3 * a, 3, mesh.X.data() + 3 * at(used));
    mesh.on_surface[at(used)] = mesh.on_surface[a];
    number[a] = used++;
  }
  mesh.X.resize(3 * at(used));
  mesh.on_surface.resize(at(used));
  for (int& node : mesh.tets) node = number[at(node)];
  for (auto& face : mesh.skin)
    for (int& node : face) node = number[at(node)];
}

}  // namespace

Cleaning clean(Stuffing& mesh) {
  Cleaning cleaning;
  while (true) {
    drop_loose_pieces(mesh, marked_faces(mesh), cleaning);
    const std::vector<Face> faces = marked_faces(mesh);
    mesh.skin.clear();
    match(
        faces, [](const Face&, const Face&) {},
        [&](const Face& f) {
          const int* v = tet(mesh, at(f.tet));
          const auto& side = tet_faces[at(f.side)];
          mesh.skin.push_back({v[side[0]], v[side[1]], v[side[2]]});
        });
    const std::vector<Place> places = bad_places(mesh.skin);
    if (places.empty()) break;
    cleaning.removed_tets += remove_at(mesh, places);
  }
  drop_unused_nodes(mesh);
  return cleaning;
}

}  // namespace livens::geometry
