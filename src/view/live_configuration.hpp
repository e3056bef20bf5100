// What a live session steps: the scene as it is now, its model with the spring that pulls, and their integrator. Made
// anew for every change, away from the thread that steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <livens/scene.hpp>
#include <livens/setup.hpp>

#include "diagnostics/quantities.hpp"
#include "view/hand.hpp"
#include "view/pull.hpp"

namespace livens {

struct LiveConfiguration {
  Scene scene;
  std::shared_ptr<const Model> given;      // of the scene
  std::shared_ptr<const Model> plain;      // with hands, where obstacles have been dragged
  std::shared_ptr<const Model> model;      // and with the spring, if one pulls
  std::shared_ptr<PullTerm> pull;          // null: none
  std::optional<DraggedObstacle> dragged;  // nothing: none
  std::shared_ptr<const Drawing> drawing;
  RunPlan plan;  // points into the scene
  std::unique_ptr<Integrator> integrator;
  std::unique_ptr<Quantities> quantities;  // of the plain model
  std::optional<State> start;              // start again from here; otherwise continue
  std::vector<std::string> changes;        // to tell the user

  bool pulls() const { return pull != nullptr || dragged; }
  void move_to(const std::array<double, 3>& target) {
    if (pull != nullptr) pull->move_to(target);
    if (dragged) dragged->move_to(target);
  }
};

// What a configuration is asked to be. The model and drawing of an earlier one are taken over where they may.
struct LiveWishes {
  Scene scene;
  std::optional<Pull> pull;
  double pace = 1;
  bool begin_anew = false;
  std::shared_ptr<const Model> given;  // null: make it
  std::shared_ptr<const Drawing> drawing;
  Hands hands;
};

// The obstacle that is pulled at; "" if it is something else. Throws ViewError if there is nothing to pull at.
std::string obstacle_at(const Pull& pull, const Drawing& drawing, const Model& model);

// Throws SceneError, and ViewError if there is nothing to pull at. Obstacles that are dragged have their hand.
std::unique_ptr<LiveConfiguration> configure(LiveWishes wishes);

}  // namespace livens
