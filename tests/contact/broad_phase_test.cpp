// Pairs found by trees against all pairs, with skins and threads.
#include "contact/broad_phase.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "contact/shapes.hpp"

namespace livens {
namespace {

using testing::random_number;

// Some boxes and tetrahedra, their points scattered; which bodies meet is random, too.
struct Scattered {
  explicit Scattered(int dimension, unsigned seed) : surface(dimension), engine(seed) {
    const int count = 2 + static_cast<int>(engine() % 4);
    for (int b = 0; b < count; ++b) testing::add_shape(surface, static_cast<int>(engine() % 3), {});
    meets.assign(count * count, 0);
    for (int a = 0; a < count; ++a)
      for (int b = a; b < count; ++b) meets[a * count + b] = meets[b * count + a] = engine() % 3 > 0;
    x.resize(surface.points());
    for (Point3& p : x) p = point(3);
  }
  Point3 point(double size) {
    const double z = surface.dimension() == 3 ? random_number(engine, size) : 0;
    return {random_number(engine, size), random_number(engine, size), z};
  }
  std::vector<Box> boxes() {
    std::vector<Box> result(x.size());
    for (std::size_t a = 0; a < x.size(); ++a) {
      result[a].take(x[a]);
      result[a].take(x[a] + point(0.3));
    }
    return result;
  }
  ContactSurface surface;
  std::mt19937_64 engine;
  std::vector<char> meets;
  std::vector<Point3> x;
};

std::vector<CandidatePair> all_facets(const Scattered& s, std::span<const Box> boxes, double reach) {
  std::vector<CandidatePair> pairs;
  const int bodies = static_cast<int>(s.surface.bodies().size());
  const auto corners = static_cast<std::size_t>(s.surface.dimension());
  for (int a = 0; a < s.surface.points(); ++a)
    for (int f = 0; f < static_cast<int>(s.surface.facets().size()); ++f) {
      const auto& facet = s.surface.facets()[f];
      if (!s.meets[s.surface.body_of_point(a) * bodies + s.surface.body_of_facet(f)]) continue;
      if (std::count(facet.begin(), facet.begin() + s.surface.dimension(), a) > 0) continue;
      if (box_of(boxes, {facet.data(), corners}).meets(boxes[a], reach)) pairs.push_back({a, f});
    }
  return pairs;
}

std::vector<CandidatePair> all_edges(const Scattered& s, std::span<const Box> boxes, double reach) {
  std::vector<CandidatePair> pairs;
  const int bodies = static_cast<int>(s.surface.bodies().size()), count = static_cast<int>(s.surface.edges().size());
  for (int e = 0; e < count; ++e)
    for (int f = e + 1; f < count; ++f) {
      const auto &a = s.surface.edges()[e], &b = s.surface.edges()[f];
      if (!s.meets[s.surface.body_of_edge(e) * bodies + s.surface.body_of_edge(f)]) continue;
      if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) continue;
      if (box_of(boxes, b).meets(box_of(boxes, a), reach)) pairs.push_back({e, f});
    }
  return pairs;
}

TEST(BroadPhase, FindsAllPairsAndNoOthers) {
  long found = 0, searches = 0, builds = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Scattered s(seed % 4 == 0 ? 2 : 3, seed);
    BroadPhase broad(s.surface, s.meets, 0.4);
    for (int move = 0; move < 4; ++move) {
      for (Point3& p : s.x) p += s.point(0.1);
      const std::vector<Box> boxes = s.boxes();
      broad.find(boxes, 0.2, 0.1);
      EXPECT_EQ(broad.point_facets(), all_facets(s, boxes, 0.2));
      EXPECT_EQ(broad.edge_edges(), all_edges(s, boxes, 0.1));
      found += static_cast<long>(broad.point_facets().size() + broad.edge_edges().size());
      ++searches;
    }
    builds += broad.builds();
  }
  EXPECT_GT(found, 20000);
  EXPECT_LT(builds, searches) << "skins spare searches";
}

// A long surface, so that there are several tasks.
TEST(BroadPhase, ThreadsDoNotMatter) {
  ContactSurface surface(3);
  std::mt19937_64 engine(5);
  for (int k = 0; k < 600; ++k) testing::add_shape(surface, k % 3, {});
  std::vector<Box> boxes(surface.points());
  for (Box& box : boxes) box.take(Point3{random_number(engine, 9), random_number(engine, 9), random_number(engine, 9)});
  const std::vector<char> meets(600 * 600, 1);
  std::vector<CandidatePair> facets, edges;
  for (const std::size_t threads : {1, 2, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    std::vector<char> few = meets;
    for (std::size_t k = 0; k < few.size(); ++k) few[k] = (k / 600 + k % 600) % 97 == 0;
    BroadPhase broad(surface, few, 0.05);
    broad.find(boxes, 0.1, 0.05);
    if (facets.empty()) facets = broad.point_facets(), edges = broad.edge_edges();
    EXPECT_EQ(broad.point_facets(), facets);
    EXPECT_EQ(broad.edge_edges(), edges);
  }
  EXPECT_GT(facets.size(), 1000u);
}

}  // namespace
}  // namespace livens
