#include "run/session.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "files/state_json.hpp"
#include "integrators/advice.hpp"
#include "run/abandoned.hpp"
#include "run/finished_run.hpp"
#include "run/scene_difference.hpp"
#include "run/start_state.hpp"
#include "run/undefined_step.hpp"
#include "scene/files.hpp"

namespace livens {
namespace {

// Not a damaged checkpoint but another scene: no older checkpoint will do.
struct Mismatch {
  std::string text;
};

// Text of any length, for one line.
std::string shortened(const std::string& text) {
  constexpr std::size_t most = 100, end = 20;
  return text.size() <= most ? text : text.substr(0, most - end - 5) + " ... " + text.substr(text.size() - end);
}

// One difference in the sentence itself, several below each other.
std::string listed(const std::vector<std::string>& differences) {
  constexpr std::size_t most = 20;
  if (differences.size() == 1) return ": " + shortened(differences[0]) + ". ";
  std::string text = fmt::format(": it differs in {} places:\n", differences.size());
  for (std::size_t k = 0; k < std::min(most, differences.size()); ++k)
    text += "            " + shortened(differences[k]) + "\n";
  if (differences.size() > most) text += fmt::format("            and {} more\n", differences.size() - most);
  return text + "          ";
}

// Files that the scene reads and that are not what they were when the run began.
std::vector<std::string> changed_inputs(const Checkpoint& checkpoint, const std::vector<InputFile>& now) {
  std::vector<std::string> changed;
  for (std::size_t k = 0; k < std::max(now.size(), checkpoint.inputs.size()); ++k) {
    if (k < now.size() && k < checkpoint.inputs.size() && now[k].sha256 == checkpoint.inputs_sha256[k]) continue;
    const std::string name = k < now.size() ? now[k].name : checkpoint.inputs[k];
    changed.push_back(fmt::format("the file {} has changed since the run began (SHA-256 {:.12} there, {:.12} here)",
                                  name, k < checkpoint.inputs.size() ? checkpoint.inputs_sha256[k] : "none",
                                  k < now.size() ? now[k].sha256 : "none"));
  }
  return changed;
}

// The run has been further than it shall go.
struct EarlierEnd {
  double t;
};

// What keeps a run from going on with another scene: one sentence each.
std::vector<std::string> differences_that_matter(const Scene& there, const Scene& here, bool may_change_solver) {
  std::vector<std::string> texts;
  for (const SceneDifference& difference : scene_differences(there, here))
    if (!may_change_solver || !may_change(difference))
      texts.push_back(difference.path + " is " + difference.there + " there, " + difference.here + " here");
  return texts;
}

// As summary.cpp writes them.
std::vector<Change> changes_in(const SummaryJson& summary) {
  std::vector<Change> changes;
  for (const SummaryJson& entry : part_of(summary, "changes"))
    if (entry.is_object())
      changes.push_back({std::lround(number_in(entry, "step")), number_in(entry, "t"), text_in(entry, "key"),
                         text_in(entry, "before"), text_in(entry, "after")});
  return changes;
}

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

RunSession::RunSession(Setup& setup, const RunOptions& options, Profile profile)
    : setup_(setup), options_(options), profile_(profile) {}

void RunSession::open() {
  namespace fs = std::filesystem;
  if (options_.resume) {
    const auto found = options_.out.empty() ? newest_run(setup_.scene.name()) : std::optional<fs::path>(options_.out);
    if (!found) throw RunError("refused   runs has no run of '" + setup_.scene.name() + "' to resume. Omit --resume");
    directory_.emplace(RunDirectory::reopen(*found));
  } else {
    directory_.emplace(options_.out.empty() ? RunDirectory::create(setup_.scene.name())
                                            : RunDirectory::create_at(options_.out));
    if (directory_->replaced()) lines_.push_back("replaced  the run that was in " + directory_->path().string());
  }
}

void RunSession::make_outputs(double t_begin) {
  const OutputContext context{*setup_.model, directory_->path(), setup_.plan.t_end - t_begin, setup_.scene.title(),
                              &queue_};
  for (const PlannedOutput& planned : setup_.plan.outputs) {
    auto output = output_records().at(planned.kind).make(planned.settings, planned.name, context);
    if (frames_.empty() && planned.kind == "frames") frames_ = output->files().front();
    outputs_.add(planned.kind + " " + planned.name, std::move(output));
  }
}

void RunSession::begin(State& state) {
  profile_.enter(Profile::Phase::start);
  Integrator& integrator = *setup_.integrator;
  if (!options_.from.empty()) start_from(options_.from, state);
  inputs_ = input_files(setup_.scene);
  open();
  recorder_.emplace(*setup_.model, setup_.plan.probes, directory_->file("history.csv"), setup_.plan.t_end - state.t,
                    setup_.plan.history_every, &queue_);
  checkpoints_.emplace(directory_->path(), setup_.scene, inputs_, setup_.plan);
  make_outputs(state.t);
  // Before any other file: whatever happens from here on, the next run knows the directory as one of ours.
  if (!options_.resume) write_file(directory_->file("summary.json"), first_summary_json(outputs_.files()));
  writes_ = !options_.resume;
  observers_ = {&*recorder_, &outputs_};
  observers_.insert(observers_.end(), options_.observers.begin(), options_.observers.end());
  const StepReport none;
  if (options_.resume)
    resume(state);
  else
    for (Observer* observer : observers_) observer->begin({*setup_.model, state, none, integrator});
  writes_ = true;
  clock_.begin(state.t, integrator.counters().steps);
  checkpoints_->begin(state.t);
  if (recorder_->finite()) checkpoints_->keep({*setup_.model, state, none, integrator}, observers_);
  write_file(directory_->file("scene.toml"), toml_for(setup_.scene, directory_->path()));
  write_file(directory_->file("summary.json"), summary_json(facts(state)));
  profile_.enter(Profile::Phase::integrator);
}

void RunSession::start_from(const std::filesystem::path& run, State& state) {
  state = last_state(run, *setup_.model);
  if (state.t >= setup_.plan.t_end)
    throw RunError(fmt::format(
        "refused   {} is already at t = {:.6g} s, and time.end is {:.6g} s. Set a later one: --set time.end=...",
        run.string(), state.t, setup_.plan.t_end));
  lines_.push_back(fmt::format("from      {} at t = {:.6g} s", run.string(), state.t));
}

// Settings of the solver that replace the earlier ones from here on.
void RunSession::accept_changes(const Scene& there, long step, double t) {
  std::erase_if(changes_, [&](const Change& change) { return change.step >= step; });  // of steps that are done again
  for (const SceneDifference& difference : scene_differences(there, setup_.scene))
    changes_.push_back({step, t, difference.path, difference.there, difference.here});
}

void RunSession::resume(State& state) try {
  Integrator& integrator = *setup_.integrator;
  const std::string run = directory_->path().string();
  const SummaryJson earlier = read_summary(directory_->path());
  changes_ = changes_in(earlier);
  const bool may_change_solver = text_in(earlier, "status") != "done";
  const Found found = newest_sound_checkpoint(directory_->path(), [&](const Checkpoint& checkpoint) {
    const Scene there = parse_scene(checkpoint.scene, run + "/scene.toml");
    auto differences = differences_that_matter(there, setup_.scene, may_change_solver);
    if (differences.empty()) differences = changed_inputs(checkpoint, inputs_);
    if (!differences.empty()) throw Mismatch{listed(differences)};
    refuse_earlier_end(checkpoint);
    checkpoint.restore(state, integrator, observers_);
    accept_changes(there, integrator.counters().steps, state.t);
    recorder_->resume(state.t);
    outputs_.resume({*setup_.model, state, StepReport{}, integrator});
  });
  const std::string damage =
      found.damage.empty() ? ""
                           : fmt::format(" (newest checkpoint damaged: {}; the previous one was used)", found.damage);
  for (const Change& change : changes_)
    if (change.step == integrator.counters().steps)
      lines_.push_back(fmt::format("changed   {} from {} to {}", change.key, change.before, change.after));
  lines_.push_back(
      fmt::format("resumed   {} at step {}, t = {:.6g} s{}", run, integrator.counters().steps, state.t, damage));
  std::error_code ignored;
  for (const char* name : {"failure.json", "failure.vtu"}) std::filesystem::remove(directory_->file(name), ignored);
} catch (const Mismatch& mismatch) {
  const std::string run = directory_->path().string();
  throw RunError(
      fmt::format("refused   {} does not continue {}{}Undo that, or begin a new run from its state: --from {}", run,
                  scene_word(), mismatch.text, run));
} catch (const EarlierEnd& earlier) {
  throw RunError(fmt::format(
      "refused   {} is already at t = {:.6g} s, beyond time.end = {:.6g} s. Set a later time.end to continue "
      "it, or omit --resume to begin anew",
      directory_->path().string(), earlier.t, setup_.plan.t_end));
}

// A run may have passed its own end by a part of a step, but not one that was set to an earlier time since.
void RunSession::refuse_earlier_end(const Checkpoint& checkpoint) const {
  const double t = checkpoint.state().t;
  if (setup_.plan.t_end < checkpoint.t_end && t > setup_.plan.t_end) throw EarlierEnd{t};
}

std::string RunSession::scene_word() const {
  return setup_.scene.path.empty() ? setup_.scene.name() : setup_.scene.path;
}

std::string RunSession::abandon(const std::string& why) {
  queue_.settle();
  if (!writes_) return why;  // refused, or not even begun
  const std::string run = directory_->path().string();
  return abandon_run(directory_->path(), why, fmt::format("livens run {} --resume --out {}", scene_word(), run));
}

void RunSession::observe(const Sample& sample) {
  queue_.check();
  const bool looks = clock_.looks();
  looks_next_ = false;
  if (looks) clock_.begin_output();
  for (Observer* observer : observers_) {
    profile_.enter(observer == &*recorder_ ? Profile::Phase::history
                   : observer == &outputs_ ? Profile::Phase::outputs
                                           : Profile::Phase::observers);
    observer->observe(sample);
  }
  profile_.enter(Profile::Phase::checkpoints);
  last_step_ = sample.report.h;
  const bool stopped = std::any_of(observers_.begin(), observers_.end(), [](const Observer* o) { return o->stop(); });
  interrupted_ = stopped || (options_.interrupted && options_.interrupted());
  if (recorder_->finite()) {
    if (checkpoints_->due(sample, looks)) write_checkpoint(sample);
    if (looks) {
      checkpoints_->keep(sample, observers_);
      clock_.tell(options_, sample, setup_.plan.t_end);
    }
  }
  if (looks) clock_.end_output();
  profile_.enter(Profile::Phase::integrator);
}

bool RunSession::takes_blocks() const {
  return !checkpoints_->counts_steps() &&
         std::all_of(observers_.begin(), observers_.end(), [](const Observer* o) { return o->takes_blocks(); });
}

bool RunSession::observe_block(const StepBlock& block) {
  clock_.begin_output();
  profile_.enter(Profile::Phase::history);
  const bool seen = std::all_of(observers_.begin(), observers_.end(),
                                [&](Observer* observer) { return observer->observe_block(block); });
  looks_next_ = clock_.looks_after_many() || (options_.interrupted && options_.interrupted());
  clock_.end_output_of_many();
  profile_.enter(Profile::Phase::integrator);
  return seen;
}

double RunSession::next_time() const {
  if (looks_next_) return -std::numeric_limits<double>::infinity();
  double t = std::min(setup_.plan.t_end, checkpoints_->next_time());
  for (const Observer* observer : observers_) t = std::min(t, observer->next_time());
  return t;
}

void RunSession::write_checkpoint(const Sample& sample) {
  recorder_->prepare(sample);
  outputs_.sync();
  checkpoints_->write(sample, observers_);
}

RunFacts RunSession::facts(const State& state) const {
  RunFacts facts{
      setup_.scene, setup_.plan, *setup_.model, state, *setup_.integrator, *recorder_, directory_->path().string()};
  facts.inputs = inputs_;
  facts.output_files = outputs_.files();
  facts.frames = frames_;
  facts.timing = clock_.timing(options_.threads);
  facts.timing.profile = profile_;
  facts.changes = changes_;
  return facts;
}

std::string RunSession::status_of(const Sample& sample) const {
  if (!sample.report.converged) return options_.interrupted && options_.interrupted() ? "interrupted" : "failed";
  return interrupted_ && sample.state.t < setup_.plan.t_end - 1e-9 * last_step_ ? "interrupted" : "done";
}

RunResult RunSession::finish(const Sample& sample) {
  profile_.enter(Profile::Phase::checkpoints);
  if (sample.report.converged && !recorder_->finite())
    return finish({sample.model, sample.state, not_finite_report(sample.state, last_step_), sample.integrator});
  if (recorder_->finite()) write_checkpoint(sample);
  profile_.enter(Profile::Phase::outputs);
  for (Observer* observer : observers_) observer->end(sample);
  profile_.enter(Profile::Phase::report);
  if (!recorder_->finite()) checkpoints_->write_kept();  // the last good one: this state is not
  RunFacts all = facts(sample.state);
  all.status = status_of(sample);
  all.exit_code = all.status == "done" ? 0 : all.status == "failed" ? 3 : 130;
  all.warnings = warnings_of(all);
  if (all.status == "failed") all.failure = explained_failure(all, sample.report);
  all.judgement = judge_run(all.status);
  RunResult result{all.exit_code, all.status, all.directory, lines_, write_files(all)};
  for (const std::string& line : closing_lines(all)) result.lines.push_back(line);
  return result;
}

// A run that has not reached its end has kept nothing yet, but it may have broken what it claims.
Judgement RunSession::judge_run(const std::string& status) const {
  Judgement judgement = judge(setup_.plan, *setup_.model, *recorder_, setup_.integrator->counters());
  if (status == "done") return judgement;
  if (judgement.verdict != "broken") return {};
  judgement.findings = judgement.broken;
  return judgement;
}

// An expression without a finite value is the reason, whatever the step met: then no advice about steps helps.
Failure RunSession::explained_failure(const RunFacts& all, const StepReport& report) const {
  Failure failure = failure_of(all, report);
  const auto undefined = undefined_in_step(setup_.scene, *setup_.model, setup_.plan, all.state, report);
  if (!undefined) return failure;
  failure.code = "undefined_expression";
  failure.message = fmt::format("t = {:.4g} s: {}", all.state.t, undefined_text(*undefined, setup_.scene.root));
  failure.why =
      "the expression has no finite value there, whatever the step. Guard it with if(...) or max(...), or let the run "
      "end before";
  failure.advice.clear();
  return failure;
}

// The summary comes last: it says that all others are there. Returns it.
std::string RunSession::write_files(RunFacts& all) {
  write_state(directory_->file("state.json"), *setup_.model, all.state);
  if (all.failure) {
    write_file(directory_->file("failure.json"), failure_json(*all.failure));
    const std::string vtu = failure_vtu(*setup_.model, all.state, all.failure->report.worst_coordinate);
    if (!vtu.empty()) write_file(directory_->file("failure.vtu"), vtu);
  }
  write_file(directory_->file("report.html"), report_html(all));
  profile_.enter(Profile::Phase::report);  // which is written: the time until here is known
  all.timing.profile = profile_;
  std::string summary = summary_json(all);
  write_file(directory_->file("summary.json"), summary);
  return summary;
}

}  // namespace livens
