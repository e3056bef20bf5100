#include "asynchronous/activation_schedule.hpp"

#include "asynchronous/balanced_schedule.hpp"
#include "asynchronous/level_schedule.hpp"
#include "asynchronous/patch_schedule.hpp"
#include "asynchronous/queue_schedule.hpp"

namespace livens {

std::unique_ptr<ActivationSchedule> make_schedule(ScheduleKind kind, Activations& activations) {
  switch (kind) {
    case ScheduleKind::queue: return std::make_unique<QueueSchedule>(activations);
    case ScheduleKind::patches: return std::make_unique<PatchSchedule>(activations);
    case ScheduleKind::levels: return std::make_unique<LevelSchedule>(activations);
    case ScheduleKind::balanced: return std::make_unique<BalancedSchedule>(activations);
  }
  return nullptr;
}

}  // namespace livens
