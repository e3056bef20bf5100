// A setup: all that a run begins with. It comes from a scene by one validation and one build, or from a model of one's
// own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <livens/assembly.hpp>
#include <livens/probe.hpp>
#include <livens/scene.hpp>

namespace livens {

struct PlannedOutput {
  std::string kind;  // frames, vtu, ...; see `livens list outputs`
  std::string name;
  Settings settings;
};

// What a run writes, and how long it takes, besides model and integrator.
struct RunPlan {
  double t_begin = 0, t_end = 0;
  std::optional<double> history_every;  // s; a thousandth of the run if not given
  std::vector<PlannedOutput> outputs;   // besides history
  std::string frames_left_out;          // why there are none though nobody said so; "" if there are
  double checkpoint_every = 0;          // s; 0: never
  long checkpoint_every_steps = 0;      // 0: never
  double checkpoint_every_wall = 300;   // s
  int checkpoints_kept = 2;
  std::vector<std::pair<std::string, std::string>> portraits;  // columns of history.csv
  std::vector<Probe> probes;
  Settings integrator, solver;
  Claims claims;
  double damping_time = 0;         // s, of the strongest damping in proportion to stiffness
  double halved_damping_time = 0;  // s, of those that implicit steps place half at each end

  std::string integrator_name() const { return integrator.text("kind"); }
  // The step at a time; nothing for methods that choose it.
  std::optional<double> step(double t) const;
  bool constant_step() const;
};

struct Setup {
  Scene scene;  // what it was made from: its name, title and text go into the files of a run
  std::shared_ptr<const Model> model;
  State start;
  std::unique_ptr<Integrator> integrator;
  RunPlan plan;
  std::map<std::string, NodeSet> selections;
};

// Throws SceneError with all faults.
Setup make_setup(const Scene& scene);
// A model of one's own; `run` has all that a scene has besides mechanics: time, integrator, and what it likes of title,
// solver, output, probe, checkpoint and report.
Setup make_setup(const Scene& run, std::shared_ptr<const Model> model, State start);

}  // namespace livens
