#include "run/run_book.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <tbb/task_arena.h>

#include "files/state_json.hpp"
#include "integrators/advice.hpp"
#include "run/scene_difference.hpp"
#include "run/start_state.hpp"
#include "scene/files.hpp"

namespace livens {
namespace {

constexpr double progress_interval = 0.2;  // s

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

long peak_memory() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

// Not a damaged checkpoint but another scene: no older checkpoint will do.
struct Mismatch {
  std::string text;
};

StepReport not_finite_report(const State& state, double h) {
  StepReport report;
  report.converged = false;
  report.code = FailureCode::not_finite;
  report.h = h;
  report.message = fmt::format("t = {:.4g} s: the energy is not finite", state.t);
  report.advice = {shorter_step(h / 4)};
  return report;
}

}  // namespace

RunBook::RunBook(const Scene& scene, const RunOptions& options, const Model& model)
    : scene_(scene), options_(options), model_(model), plan_(make_plan(scene, model)), started_(utc_now()) {}

double RunBook::seconds_since(Clock::time_point then) const {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

void RunBook::open() {
  namespace fs = std::filesystem;
  if (options_.resume) {
    const auto found = options_.out.empty() ? newest_run(scene_.name()) : std::optional<fs::path>(options_.out);
    if (!found)
      throw RunError("refused   runs has no run of '" + scene_.name() + "' to go on with. Leave --resume out");
    directory_.emplace(RunDirectory::reopen(*found));
  } else {
    directory_.emplace(options_.out.empty() ? RunDirectory::create(scene_.name())
                                            : RunDirectory::create_at(options_.out));
    if (directory_->replaced()) lines_.push_back("replaced  the run that was in " + directory_->path().string());
  }
}

void RunBook::make_outputs(double t_begin) {
  const OutputContext context{model_, directory_->path(), plan_.t_end - t_begin, scene_.title()};
  for (const PlannedOutput& planned : plan_.outputs) {
    auto output = planned.kind->make(planned.settings, planned.name, context);
    if (frames_.empty() && planned.kind->name == "frames") frames_ = output->files().front();
    outputs_.add(planned.kind->name + " " + planned.name, std::move(output));
  }
}

void RunBook::begin(State& state, Integrator& integrator) {
  if (!options_.from.empty()) start_from(options_.from, state);
  open();
  recorder_.emplace(model_, plan_.probes, directory_->file("history.csv"), (plan_.t_end - state.t) / 1000,
                    plan_.history_every);
  checkpoints_.emplace(directory_->path(), scene_, plan_.checkpoints_kept);
  make_outputs(state.t);
  observers_ = {&*recorder_, &outputs_};
  observers_.insert(observers_.end(), options_.observers.begin(), options_.observers.end());
  if (options_.resume)
    resume(state, integrator);
  else
    for (Observer* observer : observers_) observer->begin({model_, state, StepReport{}, integrator});
  t_begin_ = state.t;
  steps_before_ = integrator.counters().steps;
  checkpoint_schedule_ = Schedule(state.t, plan_.checkpoint_every);
  write_file(directory_->file("scene.toml"), toml_for(scene_, directory_->path()));
  write_file(directory_->file("summary.json"), summary_json(facts(state, integrator)));
}

void RunBook::start_from(const std::filesystem::path& run, State& state) {
  state = last_state(run, model_);
  if (state.t >= plan_.t_end)
    throw RunError(fmt::format(
        "refused   {} is at t = {:.6g} s already, and time.end is {:.6g} s. Set a later one: --set time.end=...",
        run.string(), state.t, plan_.t_end));
  lines_.push_back(fmt::format("from      {} at t = {:.6g} s", run.string(), state.t));
}

void RunBook::resume(State& state, Integrator& integrator) try {
  const std::string run = directory_->path().string();
  const Found found = newest_sound_checkpoint(directory_->path(), [&](const Checkpoint& checkpoint) {
    const auto differences = differences_that_matter(parse_scene(checkpoint.scene, run + "/scene.toml"), scene_);
    if (!differences.empty()) throw Mismatch{fmt::format("{}", fmt::join(differences, ", "))};
    checkpoint.restore(state, integrator, observers_);
    recorder_->resume(state.t);
    outputs_.resume({model_, state, StepReport{}, integrator});
  });
  const std::string damage =
      found.damage.empty() ? ""
                           : fmt::format(" (newest checkpoint damaged: {}; the one before it taken)", found.damage);
  lines_.push_back(
      fmt::format("resumed   {} at step {}, t = {:.6g} s{}", run, integrator.counters().steps, state.t, damage));
  std::error_code ignored;
  for (const char* name : {"failure.json", "failure.vtu"}) std::filesystem::remove(directory_->file(name), ignored);
} catch (const Mismatch& mismatch) {
  const std::string run = directory_->path().string();
  throw RunError(
      fmt::format("refused   {} does not continue {}: {}. Undo that, or begin a new run from its state: --from {}", run,
                  scene_.path.empty() ? scene_.name() : scene_.path, mismatch.text, run));
}

bool RunBook::observe(const Sample& sample) {
  const auto now = Clock::now();
  for (Observer* observer : observers_) observer->observe(sample);
  last_step_ = sample.report;
  if (!recorder_->finite()) return false;
  interrupted_ = options_.interrupted && options_.interrupted();
  if (checkpoint_due(sample, now)) write_checkpoint(sample);
  tell_progress(sample, now);
  output_time_ += seconds_since(now);
  return !interrupted_;
}

double RunBook::next_time() const {
  double t = std::min(plan_.t_end, checkpoint_schedule_.next_time());
  for (const Observer* observer : observers_) t = std::min(t, observer->next_time());
  return t;
}

bool RunBook::checkpoint_due(const Sample& sample, Clock::time_point now) {
  const long steps = sample.integrator.counters().steps;
  const bool by_time = checkpoint_schedule_.due(sample.state.t, sample.report.h);
  const bool by_steps = plan_.checkpoint_every_steps > 0 && steps % plan_.checkpoint_every_steps == 0;
  const bool by_wall = std::chrono::duration<double>(now - last_checkpoint_).count() > plan_.checkpoint_every_wall;
  return by_time || by_steps || by_wall;
}

void RunBook::write_checkpoint(const Sample& sample) {
  recorder_->prepare(sample);
  outputs_.sync();
  checkpoints_->write(sample, observers_);
  last_checkpoint_ = Clock::now();
}

void RunBook::tell_progress(const Sample& sample, Clock::time_point now) {
  if (!options_.progress || std::chrono::duration<double>(now - last_progress_).count() < progress_interval) return;
  last_progress_ = now;
  options_.progress({t_begin_, sample.state.t, plan_.t_end, sample.integrator.counters().steps - steps_before_,
                     seconds_since(began_)});
}

RunFacts RunBook::facts(const State& state, const Integrator& integrator) const {
  RunFacts facts{scene_, plan_, model_, state, integrator, *recorder_, directory_->path().string()};
  facts.output_files = outputs_.files();
  facts.frames = frames_;
  facts.timing.started = started_;
  facts.timing.finished = utc_now();
  facts.timing.wall_time = seconds_since(began_);
  facts.timing.output_time = output_time_;
  facts.timing.threads = options_.threads > 0 ? options_.threads : tbb::this_task_arena::max_concurrency();
  facts.timing.peak_memory = peak_memory();
  return facts;
}

std::string RunBook::status_of(const Sample& sample) const {
  if (!sample.report.converged) return "failed";
  return interrupted_ && sample.state.t < plan_.t_end - 1e-9 * last_step_.h ? "interrupted" : "done";
}

RunResult RunBook::finish(const Sample& sample) {
  if (sample.report.converged && !recorder_->finite())
    return finish({sample.model, sample.state, not_finite_report(sample.state, last_step_.h), sample.integrator});
  if (recorder_->finite()) write_checkpoint(sample);
  for (Observer* observer : observers_) observer->end(sample);
  RunFacts all = facts(sample.state, sample.integrator);
  all.status = status_of(sample);
  all.exit_code = all.status == "done" ? 0 : all.status == "failed" ? 3 : 130;
  all.warnings = warnings_of(all);
  if (all.status == "failed") all.failure = failure_of(all, sample.report);
  if (all.status == "done") all.judgement = judge(plan_, model_, *recorder_, sample.integrator.counters());
  write_files(all);
  RunResult result{all.exit_code, all.status, all.directory, lines_, summary_json(all)};
  for (const std::string& line : closing_lines(all)) result.lines.push_back(line);
  return result;
}

// The summary comes last: it says that all others are there.
void RunBook::write_files(const RunFacts& all) {
  write_state(directory_->file("state.json"), model_, all.state);
  if (all.failure) {
    write_file(directory_->file("failure.json"), failure_json(*all.failure));
    const std::string vtu = failure_vtu(model_, all.state, all.failure->report.worst_coordinate);
    if (!vtu.empty()) write_file(directory_->file("failure.vtu"), vtu);
  }
  write_file(directory_->file("report.html"), report_html(all));
  write_file(directory_->file("summary.json"), summary_json(all));
}

}  // namespace livens
