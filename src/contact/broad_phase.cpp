#include "contact/broad_phase.hpp"

#include <algorithm>
#include <array>

#include "math/parallel.hpp"

namespace livens {
namespace {

// Of a task: depend on nothing but the surface.
constexpr std::size_t groups_each = 64, rows_each = 2048;

// boxes[k] = box(k)
template <class Of>
void fill_boxes(std::size_t count, std::vector<Box>& boxes, const Of& of) {
  boxes.resize(count);
  for_chunks(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) boxes[k] = of(k);
  });
}

}  // namespace

Box box_of(std::span<const Box> points, std::span<const int> corners) {
  Box box;
  for (const int a : corners) box.take(points[a]);
  return box;
}

BroadPhase::BroadPhase(const ContactSurface& surface, std::vector<char> meets, double skin)
    : surface_(surface), meets_(std::move(meets)), bodies_(static_cast<int>(surface.bodies().size())), skin_(skin) {
  facet_trees_.resize(bodies_);
  edge_trees_.resize(bodies_);
  point_trees_.resize(bodies_);
  for (const auto& body : surface.bodies()) has_balls_ = has_balls_ || body.radius > 0;
}

bool BroadPhase::skin_holds(std::span<const Box> points, double facet_reach, double edge_reach) const {
  if (fat_points_.size() != points.size() || facet_reach > built_facet_reach_ || edge_reach > built_edge_reach_)
    return false;
  for (std::size_t a = 0; a < points.size(); ++a)
    if (!fat_points_[a].holds(points[a])) return false;
  return true;
}

// Every box has half of the reach, so that two of them meet if one with all of it meets the other.
void BroadPhase::build_trees(double facet_reach, double edge_reach) {
  const auto corners = static_cast<std::size_t>(surface_.dimension());
  fill_boxes(surface_.facets().size(), facet_boxes_, [&](std::size_t f) {
    Box box = box_of(fat_points_, {surface_.facets()[f].data(), corners});
    box.grow(0.5 * facet_reach);
    return box;
  });
  fill_boxes(surface_.edges().size(), edge_boxes_, [&](std::size_t e) {
    Box box = box_of(fat_points_, surface_.edges()[e]);
    box.grow(0.5 * edge_reach);
    return box;
  });
  fill_boxes(fat_points_.size(), point_boxes_, [&](std::size_t a) {
    Box box = fat_points_[a];
    box.grow(surface_.radius(static_cast<int>(a)) + 0.5 * facet_reach);
    return box;
  });
  const auto corner = [&](int f, std::size_t k) { return k < corners ? surface_.facets()[f][k] : -1; };
  const auto end_of = [&](int e, std::size_t k) { return k < 2 ? surface_.edges()[e][k] : -1; };
  const auto itself = [](int a, std::size_t k) { return k == 0 ? a : -1; };
  for_each_index(2 * static_cast<std::size_t>(bodies_), [&](std::size_t k) {
    const std::size_t b = k / 2;
    const auto& body = surface_.bodies()[b];
    if (k % 2 == 0) return build_tree(edge_trees_[b], edge_boxes_, body.edges_begin, body.edges_end, end_of);
    build_tree(facet_trees_[b], facet_boxes_, body.facets_begin, body.facets_end, corner);
    build_tree(point_trees_[b], point_boxes_, body.points_begin, body.samples_end, itself);
  });
}

// points(item, k): the k-th of at most three.
template <class Points>
void BroadPhase::build_tree(BodyTree& made, std::span<const Box> boxes, int begin, int end,
                            const Points& points) const {
  made.first = begin;
  made.tree.build(boxes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  made.groups.resize(made.tree.groups());
  for (std::size_t g = 0; g < made.groups.size(); ++g)
    for (int i = 0; i < 8; ++i) {
      const bool here = i < made.tree.items(g);
      const int number = here ? begin + made.tree.item(g, i) : -1;
      made.groups[g].number[i] = number;
      for (std::size_t k = 0; k < 3; ++k) made.groups[g].point[k][i] = here ? points(number, k) : -1;
    }
}

// Pairs of items of the trees that ask with those of the others that have no point in common; those of a list with
// itself once, the smaller number first.
void BroadPhase::search(const Trees& asking, const Trees& asked, Asked what, FatPairs& pairs) {
  const bool once = what == Asked::itself;
  tasks_.clear();
  for (int b = 0; b < bodies_; ++b)
    for (std::size_t k = 0; k < asking[b].tree.groups(); k += groups_each)
      tasks_.push_back({b, k, std::min(asking[b].tree.groups(), k + groups_each)});
  if (pairs.lists.size() < tasks_.size()) pairs.lists.resize(tasks_.size());
  for_each_index(tasks_.size(), [&](std::size_t t) {
    const Task& task = tasks_[t];
    const BodyTree& own = asking[task.body];
    std::vector<int>& list = pairs.lists[t];
    list.clear();
    thread_local std::array<std::vector<int>, 8> found;  // by the items of a group
    for (std::size_t group = task.begin; group < task.end; ++group) {
      for (std::vector<int>& row : found) row.clear();
      const BodyTree::Group& mine = own.groups[group];
      for (int other = once ? task.body : 0; other < bodies_; ++other) {
        if (!meet(task.body, other)) continue;
        if (what == Asked::balls && !(surface_.bodies()[other].radius > 0)) continue;
        const BodyTree& near = asked[other];
        near.tree.visit(own.tree, group, [&](int k, std::size_t place, unsigned bits) {
          const BodyTree::Group& theirs = near.groups[place];
          EightNumbers out = once ? theirs.number <= mine.number[k] : EightNumbers{};
          for (int i = 0; i < 3 && mine.point[i][k] >= 0; ++i)
            for (const EightNumbers& point : theirs.point) out |= point == mine.point[i][k];
          const bool sample = what == Asked::others && surface_.is_sample(mine.number[k]);
          for (bits &= ~bits_of(out); bits != 0; bits &= bits - 1) {
            const int number = theirs.number[std::countr_zero(bits)];
            if (!sample || !surface_.adjoins(mine.number[k], number)) found[k].push_back(number);
          }
        });
      }
      for (int k = 0; k < own.tree.items(group); ++k) {
        std::sort(found[k].begin(), found[k].end());
        const std::size_t begin = list.size();
        list.insert(list.end(), found[k].begin(), found[k].end());
        pairs.rows[mine.number[k]] = {t, begin, list.size()};
      }
    }
  });
}

void BroadPhase::build(std::span<const Box> points, double facet_reach, double edge_reach) {
  ++builds_;
  built_facet_reach_ = facet_reach;
  built_edge_reach_ = edge_reach;
  fat_points_.assign(points.begin(), points.end());
  for (Box& box : fat_points_) box.grow(skin_);
  build_trees(facet_reach, edge_reach);
  fat_point_facets_.rows.assign(points.size(), {});
  fat_point_balls_.rows.assign(points.size(), {});
  fat_edge_edges_.rows.assign(surface_.edges().size(), {});
  search(point_trees_, facet_trees_, Asked::others, fat_point_facets_);
  search(edge_trees_, edge_trees_, Asked::itself, fat_edge_edges_);
  if (has_balls_) search(point_trees_, point_trees_, Asked::balls, fat_point_balls_);
}

// Those of `all` for which keep(first, second), in order.
template <class Keep>
void BroadPhase::select(const FatPairs& all, std::vector<CandidatePair>& pairs, const Keep& keep) {
  const std::size_t items = all.rows.size(), tasks = (items + rows_each - 1) / rows_each;
  if (chunks_.size() < tasks) chunks_.resize(tasks);
  for_each_index(tasks, [&](std::size_t k) {
    chunks_[k].clear();
    for (std::size_t i = k * rows_each; i < std::min(items, (k + 1) * rows_each); ++i) {
      const FatPairs::Row& row = all.rows[i];
      const int first = static_cast<int>(i);
      for (std::size_t place = row.begin; place < row.end; ++place)
        if (const int second = all.lists[row.list][place]; keep(first, second)) chunks_[k].push_back({first, second});
    }
  });
  pairs.clear();
  for (std::size_t k = 0; k < tasks; ++k) pairs.insert(pairs.end(), chunks_[k].begin(), chunks_[k].end());
}

void BroadPhase::find(std::span<const Box> points, double facet_reach, double edge_reach) {
  if (!skin_holds(points, facet_reach, edge_reach)) build(points, facet_reach, edge_reach);
  const auto corners = static_cast<std::size_t>(surface_.dimension());
  fill_boxes(surface_.facets().size(), facet_boxes_, [&](std::size_t f) {
    return box_of(points, {surface_.facets()[f].data(), corners});
  });
  fill_boxes(surface_.edges().size(), edge_boxes_, [&](std::size_t e) { return box_of(points, surface_.edges()[e]); });
  select(fat_point_facets_, point_facets_,
         [&](int a, int f) { return facet_boxes_[f].meets(points[a], facet_reach + surface_.radius(a)); });
  select(fat_edge_edges_, edge_edges_, [&](int e, int f) { return edge_boxes_[f].meets(edge_boxes_[e], edge_reach); });
  select(fat_point_balls_, point_balls_, [&](int a, int b) {
    return points[b].meets(points[a], facet_reach + surface_.radius(a) + surface_.radius(b));
  });
}

}  // namespace livens
