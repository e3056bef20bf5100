#include "view/live_configuration.hpp"

#include <algorithm>

#include "draw/system_picture.hpp"
#include "view/view_source.hpp"

namespace livens {
namespace {

// Of obstacles that are dragged.
constexpr double follow_time = 0.05;    // s of the clock
constexpr double follow_steps = 2;      // at least
constexpr double extents_a_second = 2;  // of all that is drawn, in a second of the clock: the largest speed

std::shared_ptr<const Drawing> drawing_of(const Scene& scene, const Model& model) {
  if (model.dimension() > 0) return std::make_shared<Drawing>(draw(model));
  auto picture = system_picture(scene);
  return std::make_shared<Drawing>(picture ? std::move(picture->drawing) : Drawing{});
}

double extent_of(const Drawing& drawing) {
  const auto box = box_of(drawing, drawing.reference());
  return std::max({box[3] - box[0], box[4] - box[1], box[5] - box[2], 1e-9});
}

const Drawable& drawable_of(const Pull& pull, const Drawing& drawing) {
  const auto number = static_cast<std::size_t>(pull.drawable), place = static_cast<std::size_t>(pull.vertex);
  if (pull.drawable < 0 || number >= drawing.drawables.size()) throw ViewError(400, "there is no such drawable");
  const Drawable& drawable = drawing.drawables[number];
  if (!drawable.pullable) throw ViewError(400, "'" + drawable.name + "' cannot be pulled");
  if (pull.vertex < 0 || place >= drawable.vertices.size())
    throw ViewError(400, "'" + drawable.name + "' has no such vertex");
  return drawable;
}

std::shared_ptr<PullTerm> pull_term(const Pull& pull, const LiveConfiguration& now, double pace) {
  const Drawable& drawable = drawable_of(pull, *now.drawing);
  const DrawnVertex& vertex = drawable.vertices[pull.vertex];
  if (now.plain->supported(vertex.node[0])) throw ViewError(400, "this point is held by a support");
  PullScales scales{pace, now.plan.step(now.plan.t_begin).value_or(0), now.plan.claims.explicit_steps};
  const Body& body = now.plain->bodies()[drawable.body];
  PullGrip grip = grip_at(*now.plain, body, vertex);
  const double stiffness = pull_stiffness(*now.plain, body, grip, scales);
  const double reach = pull_reach(*now.plain, body, grip, stiffness, extent_of(*now.drawing));
  return std::make_shared<PullTerm>(std::move(grip), body.dimension, stiffness, reach, pull.target);
}

// The rate, and the speed that it may have, are those of somebody who looks on.
DraggedObstacle dragged_obstacle(const Pull& pull, const LiveConfiguration& now, const Hands& hands, double pace) {
  const Drawable& drawable = drawable_of(pull, *now.drawing);
  const Body& body = now.given->bodies()[drawable.body];
  const double second = pace > 0 ? pace : 1;  // of the clock, simulated
  DraggedObstacle dragged;
  dragged.name = body.name;
  dragged.hand = hands.at(body.name);
  dragged.vertex = drawable.vertices[pull.vertex];
  dragged.dimension = body.dimension;
  const double steps = follow_steps * now.plan.step(now.plan.t_begin).value_or(0);
  dragged.rate = 1 / std::max(follow_time * second, steps);
  dragged.brake = std::min(1 / steps, 10 * dragged.rate);
  dragged.surfaces = surfaces_of(*now.given, body.name);
  dragged.speed = extents_a_second * extent_of(*now.drawing) / second;
  dragged.target = pull.target;
  return dragged;
}

}  // namespace

std::string obstacle_at(const Pull& pull, const Drawing& drawing, const Model& model) {
  const Drawable& drawable = drawable_of(pull, drawing);
  return drawable.obstacle ? model.bodies()[drawable.body].name : "";
}

std::unique_ptr<LiveConfiguration> configure(LiveWishes wishes) {
  auto made = std::make_unique<LiveConfiguration>();
  made->scene = std::move(wishes.scene);
  const bool anew = wishes.given == nullptr;
  Setup setup = anew ? make_setup(made->scene) : make_setup(made->scene, std::move(wishes.given), State{});
  made->given = made->plain = setup.model;
  made->drawing = wishes.drawing != nullptr ? std::move(wishes.drawing) : drawing_of(made->scene, *made->given);
  made->plan = std::move(setup.plan);
  if (!wishes.hands.empty()) made->plain = with_hands(*made->given, wishes.hands);
  made->model = made->plain;
  if (wishes.pull && !obstacle_at(*wishes.pull, *made->drawing, *made->given).empty()) {
    made->dragged = dragged_obstacle(*wishes.pull, *made, wishes.hands, wishes.pace);
  } else if (wishes.pull) {
    made->pull = pull_term(*wishes.pull, *made, wishes.pace);
    ModelParts parts = made->plain->parts();
    parts.terms.push_back(made->pull);
    made->model = std::make_shared<Model>(std::move(parts));
  }
  made->integrator =
      made->model == made->given ? std::move(setup.integrator) : make_integrator(made->scene, *made->model);
  made->quantities = std::make_unique<Quantities>(*made->plain, made->plan.probes);
  if (wishes.begin_anew) made->start = anew ? std::move(setup.start) : initial_state(made->scene, *made->given);
  return made;
}

}  // namespace livens
