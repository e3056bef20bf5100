// Probabilistic sorting of L04 4.7: from a random element to the adjacent one with the smallest time, until none is
// smaller. (66) bounds the mean number of moves by 2^(r-1) - 1/2 for r adjacent elements, 7.5 for the faces of
// tetrahedra, whatever the size of the mesh.
#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "asynchronous/event_loop.hpp"
#include "asynchronous/scenes.hpp"

namespace livens {
namespace {

using Adjacent = std::vector<std::vector<int>>;

// Elements that share at least so many nodes: 1, or the 3 of a face.
Adjacent adjacent_elements(const StencilSystem& system, int shared) {
  Adjacent adjacent(system.size());
  const auto at_nodes = system.stencils_at_nodes();
  for (const auto& set : system.sets())
    for (int k = set.first; k < set.first + set.stencils->count(); ++k) {
      std::map<int, int> common;
      for (int a = 0; a < set.per_stencil; ++a)
        for (const int other : at_nodes[system.nodes(set, k)[a]]) ++common[other];
      for (const auto& [other, count] : common)
        if (other != k && count >= shared) adjacent[k].push_back(other);
    }
  return adjacent;
}

// Mean number of moves until an element is found that may go, over `each` updates per element after as many to begin
// with.
double mean_moves(const EventLoop& loop, const Adjacent& adjacent, int each) {
  const int n = loop.system().size();
  std::vector<double> time(n, 0.0);
  std::mt19937 random(11);
  const auto before = [&](int a, int b) { return time[a] < time[b] || (time[a] == time[b] && a < b); };
  long moves = 0;
  for (int update = 0; update < 2 * each * n; ++update) {
    if (update == each * n) moves = 0;
    int k = static_cast<int>(random() % static_cast<unsigned>(n));
    for (;;) {
      int first = k;
      for (const int other : adjacent[k])
        if (before(other, first)) first = other;
      if (first == k) break;
      k = first;
      ++moves;
    }
    time[k] += loop.step(k);
  }
  return static_cast<double>(moves) / (static_cast<double>(each) * n);
}

TEST(ProbabilisticSorting, MovesDoNotGrowWithTheMesh) {
  double by_faces[2], by_nodes[2];
  for (const int fine : {0, 1}) {
    SolidScene scene;
    scene.size = "[1, 1, 1]";
    scene.cells = fine == 1 ? "[12, 12, 12]" : "[6, 6, 6]";
    scene.grading = "[4, 2, 1]";
    const Scene parsed = solid_scene(scene);
    const Model model = make_model(parsed);
    EventLoop loop(model, StepRule{StepRule::Kind::courant, 0.3});
    ASSERT_TRUE(loop.start(initial_state(parsed, model)));
    by_faces[fine] = mean_moves(loop, adjacent_elements(loop.system(), 3), 10);
    by_nodes[fine] = mean_moves(loop, adjacent_elements(loop.system(), 1), 10);
    std::printf("%d tetrahedra: %.2f moves by faces, %.2f by nodes\n", loop.system().size(), by_faces[fine],
                by_nodes[fine]);
    EXPECT_LT(by_faces[fine], 7.5);  // the paper's bound, which takes the tests for independent
    EXPECT_GT(by_faces[fine], 0.5);  // and it has to look
  }
  EXPECT_NEAR(by_faces[1], by_faces[0], 0.3);
  EXPECT_NEAR(by_nodes[1], by_nodes[0], 0.3);
}

}  // namespace
}  // namespace livens
