#include "view/live_session.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <livens/version.hpp>

#include "draw/up.hpp"
#include "mesh/core/words.hpp"
#include "view/bytes.hpp"
#include "view/controls.hpp"

namespace livens {
namespace {

constexpr double shortest = 2, longest = 120, usual = 20;  // s of the clock, of a whole scene

// Those that need no integrator; the stress is shown as its equivalent one.
std::vector<DrawnField> fields_of(const Drawing& drawing) {
  std::vector<DrawnField> fields;
  for (const FieldRecord& record : field_records()) {
    const auto applies = [&](const Body& body) { return body.dimension > 0 && record.applies_to(body); };
    if (record.name == "stress" || record.name == "updates" || drawing.coordinates) continue;
    if (std::any_of(drawing.bodies.begin(), drawing.bodies.end(), applies)) fields.push_back(drawn_field(record));
  }
  return fields;
}

FieldValues values_of(const LiveSnapshot& now, const std::string& name) {
  const FieldRecord& record = field_record(name);
  FieldValues field{record.per_cell, record.components, {}};
  for (const Body& body : now.model->bodies()) {
    std::vector<double> values;
    if (body.dimension > 0 && record.applies_to(body)) {
      BodyFields at(*now.model, body, now.state);
      values = record.values(at);
      field.components = record.components_of(body);
    }
    field.of_body.emplace_back(values.begin(), values.end());
  }
  return field;
}

std::vector<double> coordinates_of(const LiveSnapshot& now) {
  return now.drawing->coordinates ? now.drawing->coordinates(now.state.q) : now.state.q;
}

const DrawnField& find_field(const std::vector<DrawnField>& fields, const std::string& name) {
  for (const DrawnField& field : fields)
    if (field.name == name) return field;
  throw ViewError(404, "there is no field '" + name + "'");
}

ViewJson number_or_null(double value) { return std::isfinite(value) ? ViewJson(value) : ViewJson(nullptr); }

ViewJson controls_json(const Scene& scene, const Scene& original) {
  ViewJson list = ViewJson::array();
  for (const Control& control : controls_of(scene, original))
    list.push_back({{"key", control.key},
                    {"label", control.label},
                    {"unit", control.unit == "-" ? "" : control.unit},
                    {"value", number_or_null(control.value)},
                    {"least", number_or_null(control.least)},
                    {"largest", number_or_null(control.largest)},
                    {"log", control.logarithmic}});
  return list;
}

ViewJson ledger_json(const LiveSnapshot& now) {
  const LiveLedger& books = now.ledger;
  const double total = energy(*now.model, now.state).total;
  return {{"energy", number_or_null(total)},
          {"start", number_or_null(books.start)},
          {"pull", number_or_null(books.pull)},
          {"changes", number_or_null(books.changes)},
          {"dissipated", number_or_null(books.dissipated)},
          {"work", number_or_null(books.work)},
          {"error", number_or_null(total + books.dissipated - books.work - books.pull - books.changes - books.start)}};
}

std::string what_of(const SceneError& error) {
  const auto& faults = error.faults();
  return faults.empty() ? error.what() : faults.front().key + ": " + faults.front().message;
}

double number_of(const ViewJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number() || !std::isfinite(found->get<double>()))
    throw ViewError(400, fmt::format("\"{}\": expected a number", key));
  return found->get<double>();
}

int index_of(const ViewJson& json, const char* key) {
  const double value = number_of(json, key);
  if (value < 0 || value > 1e9 || value != std::floor(value))
    throw ViewError(400, fmt::format("\"{}\": expected a whole number from 0 on", key));
  return static_cast<int>(value);
}

std::array<double, 3> point_of(const ViewJson& json, const char* key) {
  const auto found = json.find(key);
  std::array<double, 3> point{};
  const bool list = found != json.end() && found->is_array() && found->size() == 3;
  for (std::size_t c = 0; c < 3; ++c) {
    if (!list || !(*found)[c].is_number() || !(std::abs((*found)[c].get<double>()) < 1e30))
      throw ViewError(400, fmt::format("\"{}\": expected three numbers", key));
    point[c] = (*found)[c].get<double>();
  }
  return point;
}

std::string text_of(const ViewJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) throw ViewError(400, fmt::format("\"{}\": expected a text", key));
  return found->get<std::string>();
}

}  // namespace

double suitable_pace(double duration) {
  if (duration >= shortest && duration <= longest) return 1;
  const double exact = duration / usual, power = std::pow(10, std::floor(std::log10(exact)));
  for (const double digit : {5.0, 2.0})
    if (exact >= digit * power) return digit * power;
  return power;
}

LiveSession::LiveSession(const Scene& scene, const Options& options)
    : original_(scene), waits_(options.waits), scene_(scene) {
  using Limit = tbb::global_control;
  if (options.threads > 0)
    thread_limit_ = std::make_shared<Limit>(Limit::max_allowed_parallelism, static_cast<std::size_t>(options.threads));
  LiveWishes wishes;
  wishes.scene = scene;
  wishes.begin_anew = true;
  auto first = configure(std::move(wishes));
  given_ = first->given;
  drawing_ = first->drawing;
  t_end_ = first->plan.t_end;
  const double pace = options.pace.value_or(suitable_pace(t_end_ - first->plan.t_begin));
  simulation_ = std::make_unique<LiveSimulation>(std::move(first), pace, options.paused || options.waits);
}

std::string LiveSession::session() {
  const ViewJson run = {{"id", 0}, {"name", original_.name()}, {"title", original_.title()}};
  return livens::text_of({{"version", std::string(version())}, {"live", true}, {"runs", ViewJson::array({run})}});
}

std::string LiveSession::description(int id) {
  const auto now = simulation_->board().snapshot();
  std::vector<DrawnField> fields = fields_of(*now->drawing);
  for (DrawnField& field : fields) field.range.add(drawn_values(*now->drawing, values_of(*now, field.name)));
  const std::vector<Obstacle> obstacles = obstacles_of(*now->model);
  const std::lock_guard lock(mutex_);
  const Node* integrator = scene_.root.find("integrator");
  const Node* kind = integrator != nullptr ? integrator->find("kind") : nullptr;
  const std::string method = kind != nullptr ? kind->text : "";
  const std::string path = original_.path.empty() ? original_.name() : original_.path;
  const ViewJson facts = {{"Integrator", method},
                          {"Time", fmt::format("to {:.6g} s", t_end_)},
                          {"Unknowns", grouped(now->model->size())},
                          {"Scene", path}};
  ViewJson listed = ViewJson::array();
  for (const auto& [label, value] : facts.items()) listed.push_back({label, value});
  ViewJson notes = ViewJson::array();
  for (const std::string& note : now->model->parts().notes) notes.push_back(note);
  return livens::text_of({{"id", id},
                          {"name", original_.name()},
                          {"title", original_.title()},
                          {"directory", ""},
                          {"status", "running"},
                          {"verdict", ""},
                          {"integrator", method},
                          {"command", "livens view " + path},
                          {"facts", listed},
                          {"findings", ViewJson::array()},
                          {"warnings", notes},
                          {"differs", ViewJson::array()},
                          {"dimension", now->drawing->dimension},
                          {"up", three(up_direction(now->drawing->dimension, against_gravity(original_), obstacles))},
                          {"frames", 0},
                          {"t", ViewJson::array()},
                          {"box", box_of(*now->drawing, coordinates_of(*now))},
                          {"drawables", drawables_json(*now->drawing)},
                          {"obstacles", obstacles_json(obstacles, *now->drawing)},
                          {"fields", fields_json(fields)},
                          {"columns", columns_json(simulation_->history().columns())},
                          {"phase", phase_json(simulation_->history().columns(), &original_)}});
}

std::string LiveSession::mesh(int) { return mesh_bytes(*simulation_->board().snapshot()->drawing); }

std::string LiveSession::frames(int, const FrameRequest&) {
  throw ViewError(404, "a live session keeps no frames: ask for /api/live/frame");
}

std::string LiveSession::history(int, std::optional<long> after) {
  const long first = after ? *after + 1 : 0;
  std::vector<std::string> names;
  for (const Column& column : simulation_->history().columns()) names.push_back(column.name);
  return history_bytes(names, simulation_->history().rows(first), first);
}

void LiveSession::begin_for_viewer() {
  if (waits_.exchange(false)) simulation_->requests().play();
}

std::optional<std::string> LiveSession::live_frame(long after, const FrameRequest& request) {
  begin_for_viewer();
  const auto now = simulation_->board().snapshot();
  if (now->seq <= after) return std::nullopt;
  const std::vector<DrawnField> fields = fields_of(*now->drawing);
  if (!request.field.empty()) find_field(fields, request.field);
  if (!request.arrows.empty() && !find_field(fields, request.arrows).vectors)
    throw ViewError(400, "'" + request.arrows + "' is not a field of vectors");
  const double head[3] = {static_cast<double>(now->seq), static_cast<double>(now->rows), now->state.t};
  std::string bytes;
  append_bytes(head, 3, bytes);
  append_bytes(drawn_positions(*now->drawing, coordinates_of(*now)), bytes);
  if (!request.field.empty()) append_bytes(drawn_values(*now->drawing, values_of(*now, request.field)), bytes);
  if (!request.arrows.empty()) append_bytes(drawn_vectors(*now->drawing, values_of(*now, request.arrows)), bytes);
  return bytes;
}

std::string LiveSession::live_state() {
  const auto now = simulation_->board().snapshot();
  const LiveBoard::Standing standing = simulation_->board().standing();
  const bool paused = simulation_->requests().paused();
  using Phase = LivePhase;
  const char* state = standing.phase == Phase::ended    ? "ended"
                      : standing.phase == Phase::failed ? "failed"
                      : paused                          ? "paused"
                                                        : "running";
  ViewJson interventions = ViewJson::array();
  for (const LiveIntervention& each : standing.interventions)
    interventions.push_back({{"t", number_or_null(each.t)}, {"text", each.text}});
  const bool runs = standing.phase == Phase::running && !paused;
  const std::lock_guard lock(mutex_);
  return livens::text_of({{"state", state},
                          {"message", standing.message},
                          {"t", number_or_null(now->state.t)},
                          {"t_end", number_or_null(t_end_)},
                          {"steps", now->steps},
                          {"speed", runs ? number_or_null(now->speed) : number_or_null(0)},
                          {"pace", number_or_null(simulation_->requests().pace())},
                          {"seq", now->seq},
                          {"generation", now->generation},
                          {"pulling", pull_.has_value()},
                          {"controls", controls_json(scene_, original_)},
                          {"ledger", ledger_json(*now)},
                          {"interventions", interventions}});
}

std::string LiveSession::command(const std::string& text) {
  waits_ = false;  // who commands has begun
  const ViewJson json = ViewJson::parse(text, nullptr, false);
  if (!json.is_object()) throw ViewError(400, "expected an object of JSON such as {\"command\": \"pause\"}");
  const std::string name = text_of(json, "command");
  const auto phase = simulation_->board().phase();
  if ((name == "play" || name == "step") && phase != LivePhase::running)
    throw ViewError(400, phase == LivePhase::ended ? "the time of the scene is over: restart it"
                                                   : "the last step failed: change a value, or restart");
  if (name == "pause")
    simulation_->requests().pause();
  else if (name == "play")
    simulation_->requests().play();
  else if (name == "step")
    simulation_->requests().step();
  else if (name == "restart")
    restart();
  else if (name == "speed")
    set_pace(number_of(json, "value"));
  else if (name == "set")
    set(text_of(json, "key"), number_of(json, "value"));
  else if (name == "pull")
    pull({index_of(json, "drawable"), index_of(json, "vertex"), point_of(json, "to")});
  else if (name == "release")
    release();
  else
    throw ViewError(
        400, "unknown command '" + name + "': there are pause, play, step, restart, speed, set, pull and release");
  return live_state();
}

void LiveSession::set_pace(double pace) {
  if (!(pace >= 0)) throw ViewError(400, "\"value\": expected simulated seconds for one of the clock, or 0");
  simulation_->requests().set_pace(pace);
}

// A configuration is made here, by the thread that was asked, and only what could be made is sent.
void LiveSession::send(LiveWishes wishes, std::string change) {
  wishes.pace = simulation_->requests().pace();
  const Scene scene = wishes.scene;
  const std::optional<Pull> pull_wished = wishes.pull;
  const Hands hands = wishes.hands;
  std::unique_ptr<LiveConfiguration> next;
  try {
    next = configure(std::move(wishes));
  } catch (const SceneError& error) {
    throw ViewError(400, what_of(error));
  }
  if (next->given->size() != given_->size())
    throw ViewError(400, "this changes the number of unknowns: run the scene again");
  next->changes.push_back(std::move(change));
  given_ = next->given;
  hands_ = hands;
  drawing_ = next->drawing;
  {
    const std::lock_guard lock(mutex_);
    t_end_ = next->plan.t_end;
    scene_ = scene;
    pull_ = pull_wished;
  }
  simulation_->requests().configure(std::move(next));
}

void LiveSession::set(const std::string& key, double value) {
  const std::lock_guard lock(edits_);
  LiveWishes wishes{scene_, pull_, 1, false, nullptr, nullptr, hands_};
  double before = 0;
  for (const Control& control : controls_of(scene_, original_))
    if (control.key == key) before = control.value;
  try {
    set_control(wishes.scene, original_, key, value);
  } catch (const SceneError& error) {
    throw ViewError(400, what_of(error));
  }
  // The model does not depend on the integrator, and bodies look the same under other forces.
  if (key.rfind("integrator.", 0) == 0) wishes.given = given_;
  if (!drawing_->coordinates) wishes.drawing = drawing_;
  send(std::move(wishes), fmt::format("{} {:.6g} -> {:.6g}", key, before, value));
}

void LiveSession::pull(const Pull& wished) {
  const std::lock_guard lock(edits_);
  if (pull_ && pull_->drawable == wished.drawable && pull_->vertex == wished.vertex) {
    {
      const std::lock_guard wishes(mutex_);
      pull_->target = wished.target;
    }
    return simulation_->requests().move_pull(wished.target);
  }
  Hands hands = hands_;
  const std::string obstacle = obstacle_at(wished, *drawing_, *given_);
  if (!obstacle.empty() && hands[obstacle] == nullptr) hands[obstacle] = std::make_shared<Hand>();
  const std::string& name = drawing_->drawables[wished.drawable].name;
  send({scene_, wished, 1, false, given_, drawing_, hands},
       obstacle.empty() ? fmt::format("pull at {}, vertex {}", name, wished.vertex) : "drag " + obstacle);
}

void LiveSession::release() {
  const std::lock_guard lock(edits_);
  if (pull_) send({scene_, std::nullopt, 1, false, given_, drawing_, hands_}, "release");
}

void LiveSession::restart() {
  const std::lock_guard lock(edits_);
  send({scene_, std::nullopt, 1, true, given_, drawing_, {}}, "restart");
}

}  // namespace livens
