#include "view/live_configuration.hpp"

#include "draw/system_picture.hpp"
#include "view/view_source.hpp"

namespace livens {
namespace {

std::shared_ptr<const Drawing> drawing_of(const Scene& scene, const Model& model) {
  if (model.dimension() > 0) return std::make_shared<Drawing>(draw(model));
  auto picture = system_picture(scene);
  return std::make_shared<Drawing>(picture ? std::move(picture->drawing) : Drawing{});
}

double extent_of(const Drawing& drawing) {
  const auto box = box_of(drawing, drawing.reference());
  return std::max({box[3] - box[0], box[4] - box[1], box[5] - box[2], 1e-9});
}

std::shared_ptr<PullTerm> pull_term(const Pull& pull, const LiveConfiguration& now, double pace) {
  const Drawing& drawing = *now.drawing;
  const auto number = static_cast<std::size_t>(pull.drawable), place = static_cast<std::size_t>(pull.vertex);
  if (pull.drawable < 0 || number >= drawing.drawables.size()) throw ViewError(400, "there is no such drawable");
  const Drawable& drawable = drawing.drawables[number];
  if (!drawable.pullable) throw ViewError(400, "'" + drawable.name + "' cannot be pulled");
  if (pull.vertex < 0 || place >= drawable.vertices.size())
    throw ViewError(400, "'" + drawable.name + "' has no such vertex");
  const DrawnVertex& vertex = drawable.vertices[place];
  if (now.plain->supported(vertex.node[0])) throw ViewError(400, "this point is held by a support");
  PullScales scales{pace, now.plan.step(now.plan.t_begin).value_or(0), now.plan.claims.explicit_steps};
  const Body& body = now.plain->bodies()[drawable.body];
  PullGrip grip = grip_at(*now.plain, body, vertex);
  const double stiffness = pull_stiffness(*now.plain, body, grip, scales);
  const double reach = pull_reach(*now.plain, body, grip, stiffness, extent_of(drawing));
  return std::make_shared<PullTerm>(std::move(grip), body.dimension, stiffness, reach, pull.target);
}

}  // namespace

std::unique_ptr<LiveConfiguration> configure(LiveWishes wishes) {
  auto made = std::make_unique<LiveConfiguration>();
  made->scene = std::move(wishes.scene);
  const bool anew = wishes.plain == nullptr;
  Setup setup = anew ? make_setup(made->scene) : make_setup(made->scene, std::move(wishes.plain), State{});
  made->plain = setup.model;
  made->drawing = wishes.drawing != nullptr ? std::move(wishes.drawing) : drawing_of(made->scene, *made->plain);
  made->plan = std::move(setup.plan);
  made->model = made->plain;
  if (wishes.pull) {
    made->pull = pull_term(*wishes.pull, *made, wishes.pace);
    ModelParts parts = made->plain->parts();
    parts.terms.push_back(made->pull);
    made->model = std::make_shared<Model>(std::move(parts));
  }
  made->integrator = wishes.pull ? make_integrator(made->scene, *made->model) : std::move(setup.integrator);
  made->quantities = std::make_unique<Quantities>(*made->plain, made->plan.probes);
  if (wishes.begin_anew) made->start = anew ? std::move(setup.start) : initial_state(made->scene, *made->plain);
  return made;
}

}  // namespace livens
