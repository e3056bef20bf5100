// The cases, then the references at the times at which the cases were read.
#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>

#include "scene/write_toml.hpp"
#include "study/pool.hpp"
#include "study/read_own_tables.hpp"
#include "study/study.hpp"

namespace livens {
namespace {

using Clock = std::chrono::steady_clock;

bool asks_for(const StudyPlan& plan, std::initializer_list<const char*> names) {
  const auto has = [&](const std::optional<std::vector<std::string>>& list, const char* name) {
    return list && std::find(list->begin(), list->end(), name) != list->end();
  };
  return std::any_of(names.begin(), names.end(), [&](const char* name) {
    return has(plan.tables, name) || has(plan.plots, name) || has(plan.tables_used, name);
  });
}

// Calls the user's function from one thread at a time.
class Teller {
 public:
  Teller(const StudyOptions& options, std::size_t total) : options_(options), total_(total), start_(Clock::now()) {}
  void show() { tell(0); }
  void finish_one() { tell(1); }

 private:
  void tell(std::size_t more) {
    const std::lock_guard lock(mutex_);
    done_ += more;
    if (options_.progress)
      options_.progress({done_, total_, std::chrono::duration<double>(Clock::now() - start_).count()});
  }

  const StudyOptions& options_;
  std::size_t done_ = 0, total_;
  Clock::time_point start_;
  std::mutex mutex_;
};

// The longest first, so that no core is left alone with one at the end.
std::vector<std::size_t> by_cost(const StudyPlan& plan) {
  std::vector<double> cost;
  for (const Case& made : plan.cases) cost.push_back(made.h > 0 ? end_time(made.scene) / made.h : 0);
  std::vector<std::size_t> order(plan.cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost[a] > cost[b]; });
  return order;
}

CaseResult measure_case(const StudyPlan& plan, const Case& made, const StudyOptions& options) {
  CaseResult result;
  result.made = &made;
  MeasureOptions how;
  how.interrupted = options.interrupted;
  how.timed = (!plan.tables && !plan.plots) ||
              asks_for(plan, {"timing", "work_precision_time", "field_error", "field_error_time"});
  how.tables = &plan.own;
  if (!plan.own.empty()) how.constants = given_numbers(made);
  result.measured = measure(made.scene, how);
  PatchOptions patch;
  patch.interrupted = options.interrupted;
  if (result.measured.ok && asks_for(plan, {"area", "area_by_method", "patch"}))
    result.patch = carry_patch(made.scene, patch);
  return result;
}

std::vector<double> sampled_times(const Results& results, std::size_t group) {
  std::set<double> times;
  for (const CaseResult& result : results.cases)
    if (result.made->group == group)
      for (const State& state : result.measured.samples.states) times.insert(state.t);
  return {times.begin(), times.end()};
}

const Case& first_of(const StudyPlan& plan, std::size_t group) {
  return *std::find_if(plan.cases.begin(), plan.cases.end(), [&](const Case& c) { return c.group == group; });
}

std::optional<HarmonicModes> modes_of(const Scene& scene) try {
  const Setup setup = make_setup(scene);
  return harmonic_modes(*setup.model, setup.start);
} catch (const SceneError&) {
  return std::nullopt;
}

GroupResult measure_group(const Results& results, std::size_t group, const StudyOptions& options) {
  const StudyPlan& plan = *results.plan;
  const Scene& scene = first_of(plan, group).scene;
  GroupResult result{plan.groups[group], std::nullopt, modes_of(scene)};
  MeasureOptions how;
  how.interrupted = options.interrupted;
  if (!plan.reference_changes.empty()) return result;  // fields are compared at the end
  const auto times = sampled_times(results, group);
  if (plan.reference_integrator)
    result.reference = tight_reference(scene, *plan.reference_integrator, times, how);
  else if (!plan.exact.empty())
    result.reference = exact_reference(scene, plan.exact, times);
  return result;
}

// Runs on finer meshes, each once, and which of them each group is compared with.
struct FieldRuns {
  std::vector<Scene> scenes;
  std::vector<std::size_t> of_group;
};

FieldRuns field_runs(const StudyPlan& plan) {
  FieldRuns runs;
  if (plan.reference_changes.empty()) return runs;
  std::map<std::string, std::size_t> seen;
  for (std::size_t group = 0; group < plan.groups.size(); ++group) {
    Scene scene = field_reference_scene(first_of(plan, group).scene, plan);
    const auto [place, is_new] = seen.emplace(toml_document(scene.root), runs.scenes.size());
    if (is_new) runs.scenes.push_back(std::move(scene));
    runs.of_group.push_back(place->second);
  }
  return runs;
}

void compare_fields(Results& results, const FieldRuns& runs,
                    const std::vector<std::shared_ptr<const FieldReference>>& references, int threads) {
  if (references.empty()) return;
  for (std::size_t group = 0; group < results.groups.size(); ++group)
    results.groups[group].fields = references[runs.of_group[group]];
  run_jobs(results.cases.size(), threads, [&](std::size_t k) {
    CaseResult& result = results.cases[k];
    result.fields =
        field_errors_of(result.made->scene, result.measured, *results.group(result).fields, result.field_note);
  });
}

}  // namespace

Results measure_all(const StudyPlan& plan, const StudyOptions& options) {
  Results results;
  results.plan = &plan;
  results.cases.resize(plan.cases.size());
  results.groups.resize(plan.groups.size());
  const FieldRuns runs = field_runs(plan);
  std::vector<std::shared_ptr<const FieldReference>> fine(runs.scenes.size());
  const bool own_references = plan.reference_changes.empty() && (plan.reference_integrator || !plan.exact.empty());
  Teller report(options, fine.size() + plan.cases.size() + (own_references ? plan.groups.size() : 0));
  report.show();
  MeasureOptions how;
  how.interrupted = options.interrupted;
  const auto order = by_cost(plan);
  run_jobs(fine.size() + order.size(), options.threads, [&](std::size_t job) {
    if (job < fine.size()) {  // the longest
      fine[job] = std::make_shared<const FieldReference>(measure_field_reference(runs.scenes[job], plan, how));
    } else {
      const std::size_t k = order[job - fine.size()];
      results.cases[k] = measure_case(plan, plan.cases[k], options);
    }
    report.finish_one();
  });
  run_jobs(plan.groups.size(), options.threads, [&](std::size_t group) {
    results.groups[group] = measure_group(results, group, options);
    if (own_references) report.finish_one();
  });
  compare_fields(results, runs, fine, options.threads);
  for (CaseResult& result : results.cases) {
    const auto& reference = results.group(result).reference;
    if (reference && result.measured.ok) result.errors = errors_of(result.measured, *reference);
  }
  return results;
}

}  // namespace livens
