#include "math/parallel.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "math/team.hpp"

namespace livens {

void call_on_all_threads(std::size_t n, const void* body, void (*call)(const void* body, std::size_t k)) {
  if (Team* const team = Team::of_this_thread()) return team->run(n, body, call);
  tbb::this_task_arena::isolate([&] { tbb::parallel_for(std::size_t{0}, n, [&](std::size_t k) { call(body, k); }); });
}

}  // namespace livens
