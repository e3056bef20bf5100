#include <algorithm>
#include <set>
#include <stdexcept>

#include <livens/splitting.hpp>

#include "asynchronous/moving_nodes.hpp"
#include "asynchronous/stencil_impulses.hpp"

namespace livens {
namespace {

std::string refusal(const Model& model) {
  if (std::string reason = StencilSystem::refusal(model); !reason.empty()) return reason;
  if (!model.parts().forces.empty()) return "it needs a conservative system";
  if (model.constraint_count() > 0) return "it cannot hold constraints by multipliers";
  if (model.has_moving_supports()) return "it cannot move supports";
  for (const auto& term : model.parts().terms)
    if (!StencilSystem::covers(model, *term)) return "'" + term->name() + "' is no sum over stencils";
  return "";
}

void drift_all(MovingNodes& nodes, double step) {
  for (MovingNode& node : nodes.all()) {
    const double t = node.time() + step;
    node.x += step * node.inverse_mass() * node.p;
    node.x[3] = t;
  }
}

}  // namespace

double maximum_asynchronicity(std::span<const SplittingPart> sequence, int components) {
  std::vector<double> clock(static_cast<std::size_t>(components) + 1, 0.0);  // the last is that of the drift
  std::multiset<double> sorted(clock.begin(), clock.end());
  double most = 0;
  for (const auto& [component, step] : sequence) {
    double& own = component == SplittingPart::drift ? clock.back() : clock[component];
    sorted.erase(sorted.find(own));
    own += step;
    sorted.insert(own);
    most = std::max({most, *sorted.rbegin() - *sorted.begin(), step});
  }
  return most;
}

struct SplittingMethod::Parts {
  explicit Parts(const Model& model) : system(model), nodes(system), impulses(system) {}

  bool kick(int stencil, double step) {
    const StencilSystem::Set& set = system.set_of(stencil);
    const int* of = system.nodes(set, stencil);
    Pack x[most_nodes], p[most_nodes], impulse[most_nodes];
    for (int a = 0; a < set.per_stencil; ++a) {
      x[a] = nodes[of[a]].x;
      p[a] = nodes[of[a]].p;
    }
    if (!is_finite(impulses.make(set, stencil, {.weight = step}, x, p, impulse))) return false;
    for (int a = 0; a < set.per_stencil; ++a) nodes[of[a]].p += impulse[a];
    return true;
  }

  StencilSystem system;
  MovingNodes nodes;
  StencilImpulses impulses;
};

SplittingMethod::SplittingMethod(const Model& model) {
  if (const std::string reason = refusal(model); !reason.empty()) throw std::invalid_argument("splitting: " + reason);
  parts_ = std::make_unique<Parts>(model);
}

SplittingMethod::~SplittingMethod() = default;

int SplittingMethod::components() const { return parts_->system.size(); }

std::vector<int> SplittingMethod::components_of(const std::string& name) const {
  std::vector<int> found;
  for (const auto& set : parts_->system.sets())
    for (int k = 0; set.name == name && k < set.stencils->count(); ++k) found.push_back(set.first + k);
  return found;
}

bool SplittingMethod::play(State& state, std::span<const SplittingPart> sequence) const {
  parts_->nodes.start(state);
  double t = state.t;
  for (const auto& [component, step] : sequence) {
    if (component == SplittingPart::drift) {
      drift_all(parts_->nodes, step);
      t += step;
    } else if (!parts_->kick(component, step)) {
      return false;
    }
  }
  write_nodes(parts_->system, parts_->nodes.all(), state);
  state.t = t;
  return true;
}

}  // namespace livens
