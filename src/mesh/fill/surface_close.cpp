// From a surface as files have them to one that a body can fill.
#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>

#include <fmt/format.h>

#include "mesh/fill/surface_topology.hpp"

namespace livens {

using namespace geometry;

namespace {

constexpr double weld_tolerance = 1e-6;  // of the diagonal of the box

std::string plural(std::size_t n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string opening_place(const Vec3& p) { return fmt::format("({:.4g}, {:.4g}, {:.4g}) m", p.x, p.y, p.z); }

Vec3 middle_of(const Surface& surface, const std::vector<int>& loop) {
  Vec3 sum;
  for (const int v : loop) sum = sum + vertex(surface, v);
  return (1.0 / static_cast<double>(loop.size())) * sum;
}

void keep_triangles(Surface& surface, const std::vector<bool>& keep) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < keep.size(); ++t) {
    if (!keep[t]) continue;
    for (std::size_t c = 0; c < 3; ++c) surface.triangles[3 * kept + c] = surface.triangles[3 * t + c];
    ++kept;
  }
  surface.triangles.resize(3 * kept);
}

// Triangles with a repeated vertex. Those that are flat with three vertices stay: without them there would be a slit.
std::size_t drop_degenerate(Surface& surface) {
  std::vector<bool> keep(at(triangles(surface)));
  std::size_t dropped = 0;
  for (int t = 0; t < triangles(surface); ++t) {
    const int* v = triangle(surface, t);
    keep[at(t)] = v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
    dropped += !keep[at(t)];
  }
  if (dropped > 0) keep_triangles(surface, keep);
  return dropped;
}

// Of several triangles with the same vertices one stays, with the sense of most. If the senses balance, they are an
// inner wall, and none stays, where its edges are closed without them.
std::size_t drop_duplicates(Surface& surface) {
  struct Key {
    std::array<int, 3> vertices;
    int triangle;
    int sense;
  };
  std::vector<Key> keys;
  keys.reserve(at(triangles(surface)));
  for (int t = 0; t < triangles(surface); ++t) {
    const int* v = triangle(surface, t);
    std::array<int, 3> sorted{v[0], v[1], v[2]};
    std::sort(sorted.begin(), sorted.end());
    const int first = static_cast<int>(std::min_element(v, v + 3) - v);
    keys.push_back({sorted, t, v[(first + 1) % 3] == sorted[1] ? 1 : -1});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& k, const Key& l) {
    return k.vertices != l.vertices ? k.vertices < l.vertices : k.triangle < l.triangle;
  });
  std::vector<bool> keep(keys.size(), true);
  std::vector<int> walls;  // one triangle of each pair with opposite senses
  std::size_t dropped = 0;
  for (std::size_t k = 0; k < keys.size();) {
    std::size_t end = k + 1;
    while (end < keys.size() && keys[end].vertices == keys[k].vertices) ++end;
    if (end > k + 1) {
      int sense = 0;
      for (std::size_t i = k; i < end; ++i) sense += keys[i].sense;
      std::size_t stays = k;
      while (sense != 0 && keys[stays].sense * sense < 0) ++stays;
      for (std::size_t i = k; i < end; ++i) keep[at(keys[i].triangle)] = i == stays;
      dropped += end - k - 1;
      if (sense == 0) walls.push_back(keys[k].triangle);
    }
    k = end;
  }
  if (!walls.empty()) {
    for (const int t : walls) keep[at(t)] = false;
    std::vector<EdgeUse> uses = edge_uses(surface);
    std::erase_if(uses, [&](const EdgeUse& u) { return !keep[at(u.triangle)]; });
    const auto odd = [&](int a, int b) {
      const auto before = [](const EdgeUse& u, const std::pair<int, int>& e) { return std::pair{u.a, u.b} < e; };
      const std::pair<int, int> edge = std::minmax(a, b);
      auto u = std::lower_bound(uses.begin(), uses.end(), edge, before);
      std::size_t count = 0;
      for (; u != uses.end() && u->a == edge.first && u->b == edge.second; ++u) ++count;
      return count % 2 == 1;
    };
    for (const int t : walls) {
      const int* v = triangle(surface, t);
      keep[at(t)] = odd(v[0], v[1]) || odd(v[1], v[2]) || odd(v[2], v[0]);
      dropped += !keep[at(t)];
    }
  }
  if (dropped > 0) keep_triangles(surface, keep);
  return dropped;
}

// A fan about the middle of each loop.
void close_loops(Surface& surface, const std::vector<std::vector<int>>& loops) {
  for (const std::vector<int>& loop : loops) {
    if (loop.size() == 3) {
      surface.triangles.insert(surface.triangles.end(), loop.begin(), loop.end());
      continue;
    }
    const Vec3 middle = middle_of(surface, loop);
    const int hub = vertices(surface);
    surface.X.insert(surface.X.end(), {middle.x, middle.y, middle.z});
    for (std::size_t k = 0; k < loop.size(); ++k)
      surface.triangles.insert(surface.triangles.end(), {loop[k], loop[(k + 1) % loop.size()], hub});
  }
}

std::string list_of_sizes(std::vector<std::size_t> sizes) {
  constexpr std::size_t shown = 5;
  const bool all = sizes.size() <= shown;
  if (!all) std::sort(sizes.begin(), sizes.end(), std::greater<>());
  std::string text = all ? "" : "the largest of ";
  const std::size_t n = std::min(sizes.size(), shown);
  for (std::size_t k = 0; k < n; ++k) text += fmt::format("{}{}", k == 0 ? "" : k + 1 == n ? " and " : ", ", sizes[k]);
  return text;
}

// Loops as lines, in the current directory; false if it cannot be written.
bool write_loops(const std::filesystem::path& file, const Surface& surface,
                 const std::vector<std::vector<int>>& loops) {
  std::string text = "# holes of a surface, one line each\n", lines;
  int count = 0;
  for (const std::vector<int>& loop : loops) {
    lines += "l";
    const int first = count + 1;
    for (const int v : loop) {
      const Vec3 p = vertex(surface, v);
      text += fmt::format("v {} {} {}\n", p.x, p.y, p.z);
      lines += fmt::format(" {}", ++count);
    }
    lines += fmt::format(" {}\n", first);
  }
  std::ofstream out(file, std::ios::binary);
  out << text << lines;
  out.close();
  return static_cast<bool>(out);
}

[[noreturn]] void refuse_holes(const Surface& surface, const std::string& name,
                               const std::vector<std::vector<int>>& loops, bool welded) {
  std::vector<std::size_t> sizes;
  for (const std::vector<int>& loop : loops) sizes.push_back(loop.size());
  const auto largest = std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
  const std::filesystem::path faults = std::filesystem::path(name).stem().string() + ".faults.obj";
  std::string message;
  if (loops.size() == 1)
    message = fmt::format("{}: not closed: a hole of {} edges near ", name, sizes[0]);
  else if (sizes.size() <= 5)
    message = fmt::format("{}: not closed: {} holes of {} edges, the largest near ", name, sizes.size(),
                          list_of_sizes(sizes));
  else
    message =
        fmt::format("{}: not closed: {} holes, {} edges, the largest near ", name, sizes.size(), list_of_sizes(sizes));
  message += opening_place(middle_of(surface, loops[at(static_cast<int>(largest))]));
  message += write_loops(faults, surface, loops) ? ": see " + faults.string() + "." : ".";
  const std::string them = loops.size() == 1 ? "it" : "them";
  bool weld_helps = false;
  if (!welded) {
    Surface trial = surface;
    merge_points(trial, weld_tolerance * norm(box_of(trial).size()));
    drop_degenerate(trial);
    drop_duplicates(trial);
    orient(trial);
    weld_helps = triangles(trial) > 0 && open_edges(trial) == 0;
  }
  message += weld_helps ? fmt::format(" Points there nearly coincide: mesh.repair = [\"weld\"] closes {}.", them)
                        : fmt::format(" Close {}, or mesh.repair = [\"close_holes\"].", them);
  throw MeshError(message);
}

void drop_unused_vertices(Surface& surface) {
  std::vector<int> number(at(vertices(surface)), -1);
  for (const int v : surface.triangles) number[at(v)] = 0;
  int used = 0;
  for (int v = 0; v < vertices(surface); ++v) {
    if (number[at(v)] < 0) continue;
    std::copy_n(surface.X.data() + 3 * at(v), 3, surface.X.data() + 3 * at(used));
    number[at(v)] = used++;
  }
  surface.X.resize(3 * at(used));
  for (int& v : surface.triangles) v = number[at(v)];
}

// Edges that cannot be run through as often forwards as backwards: inner walls and flaps.
void refuse_walls(const Surface& surface, const std::string& name) {
  const std::vector<EdgeUse> uses = edge_uses(surface);
  std::size_t bad = 0, count = 0;
  Vec3 where;
  for_each_edge(uses, [&](std::size_t begin, std::size_t end) {
    int net = 0;
    for (std::size_t k = begin; k < end; ++k) net += uses[k].forward ? 1 : -1;
    if (net == 0 || end - begin < 2) return;
    if (bad++ > 0) return;
    count = end - begin;
    where = 0.5 * (vertex(surface, uses[begin].a) + vertex(surface, uses[begin].b));
  });
  if (bad > 0)
    throw MeshError(fmt::format(
        "{}: not the surface of a body: {} triangles meet at the edge near {}{}. Remove inner walls, flaps and "
        "doubled parts.",
        name, count, opening_place(where), bad > 1 ? fmt::format(" and at {}", plural(bad - 1, "other edge")) : ""));
}

}  // namespace

void close_surface(Surface& surface, const std::string& name, const MeshRepair& repair, MeshNotes& notes) {
  check_indices(surface, name);
  const auto note = [&](const std::string& text) { notes.repairs.push_back(name + ": " + text); };
  if (triangles(surface) == 0) throw MeshError(name + ": no triangles.");
  drop_unused_vertices(surface);
  const double extent = norm(box_of(surface).size());
  if (!(extent > 1e-30)) throw MeshError(name + ": all triangles lie in one point.");

  if (repair.weld) {
    if (const int merged = merge_points(surface, weld_tolerance * extent); merged > 0)
      note(fmt::format("merged {} nearer than {:.2g} m to another.", plural(at(merged), "point"),
                       weld_tolerance * extent));
  } else if (open_edges(surface) > 0) {
    if (const int merged = merge_points(surface, 0); merged > 0)
      note(fmt::format("merged {} equal to another.", plural(at(merged), "point")));
  }
  if (const std::size_t dropped = drop_degenerate(surface); dropped > 0)
    note(fmt::format("dropped {} without area.", plural(dropped, "triangle")));
  if (const std::size_t dropped = drop_duplicates(surface); dropped > 0)
    note(fmt::format("dropped {} that appeared twice.", plural(dropped, "triangle")));
  if (triangles(surface) == 0) throw MeshError(name + ": no triangles are left without doubled and degenerate ones.");

  Orientation orientation = orient(surface);
  if (orientation.conflict >= 0)
    throw MeshError(fmt::format("{}: has no inside: its triangles cannot be oriented alike near {}.", name,
                                opening_place(centroid(surface, orientation.conflict))));
  if (orientation.flipped > 0)
    note(fmt::format("flipped {} to the orientation of the others.", plural(at(orientation.flipped), "triangle")));

  if (const auto loops = hole_loops(surface); !loops.empty()) {
    if (!repair.close_holes) refuse_holes(surface, name, loops, repair.weld);
    close_loops(surface, loops);
    std::vector<std::size_t> sizes;
    for (const std::vector<int>& loop : loops) sizes.push_back(loop.size());
    note(fmt::format("closed {}{} {} edges.", plural(loops.size(), "hole"), sizes.size() > 5 ? "," : " of",
                     list_of_sizes(sizes)));
    orientation = orient(surface);
  }
  if (const int flipped = orient_outwards(surface, orientation); flipped > 0)
    note(orientation.pieces == 1 ? std::string("turned inside out: its triangles faced inwards.")
                                 : fmt::format("turned {} of {} pieces inside out: their triangles faced inwards.",
                                               flipped, orientation.pieces));
  refuse_walls(surface, name);
  drop_unused_vertices(surface);
  const double volume = volume_of(surface, box_of(surface).centre());
  if (!(volume > 1e-12 * extent * extent * extent))
    throw MeshError(fmt::format("{}: encloses no volume ({:.3g} m^3).", name, volume));
}

}  // namespace livens
