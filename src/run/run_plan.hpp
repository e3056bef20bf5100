// What a scene says about its run, besides model and integrator.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <livens/scene.hpp>

#include "diagnostics/probes.hpp"
#include "files/output.hpp"
#include "scene/schema.hpp"

namespace livens {

struct PlannedOutput {
  const OutputRecord* kind = nullptr;
  std::string name;
  Settings settings;
};

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
  Settings integrator, solver;  // they point into the scene
  Claims claims;
  double damping_time = 0;  // s, of the strongest damping in proportion to stiffness

  std::string integrator_name() const { return integrator.text("kind"); }
  // The step at a time; nothing for methods that choose it.
  std::optional<double> step(double t) const;
  bool constant_step() const;
};

// Throws SceneError with all faults.
RunPlan make_plan(const Scene& scene, const Model& model);

}  // namespace livens
