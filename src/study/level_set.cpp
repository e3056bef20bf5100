#include "study/level_set.hpp"

#include <cmath>
#include <numbers>
#include <optional>

namespace livens {
namespace {

constexpr int rays = 360;
constexpr int bisections = 60;

// The first radius along a ray at which E passes the level.
std::optional<double> radius_of(const std::function<double(double)>& excess, double reach) {
  constexpr int steps = 200;
  double inside = 0;
  for (int k = 1; k <= steps; ++k) {
    double outside = reach * k / steps;
    if (!(excess(outside) >= 0)) {
      inside = outside;
      continue;
    }
    for (int i = 0; i < bisections; ++i) {
      const double middle = 0.5 * (inside + outside);
      (excess(middle) >= 0 ? outside : inside) = middle;
    }
    return 0.5 * (inside + outside);
  }
  return std::nullopt;
}

}  // namespace

LevelSet level_set(const std::function<double(double, double)>& E, double level, double q_centre, double reach) {
  LevelSet set;
  for (int k = 0; k <= rays; ++k) {
    const double angle = 2 * std::numbers::pi * (k % rays) / rays, c = std::cos(angle), s = std::sin(angle);
    const auto radius = radius_of([&](double r) { return E(q_centre + r * c, r * s) - level; }, reach);
    if (!radius) return {};
    set.q.push_back(q_centre + *radius * c);
    set.v.push_back(*radius * s);
  }
  return set;
}

SceneLevels scene_levels(const Scene& scene, double q_centre, double reach) {
  const Setup setup = make_setup(scene);
  const Model& model = *setup.model;
  const State& start = setup.start;
  const auto& integrator = setup.integrator;
  const auto at = [&](double q, double v) { return make_state(model, start.t, {q}, {v}); };
  const auto H = [&](double q, double v) { return energy(model, at(q, v)).total; };
  const auto modified = [&](double q, double v) { return integrator->modified_energy(model, at(q, v)).value_or(NAN); };
  SceneLevels levels;
  levels.energy = level_set(H, H(start.q[0], start.v[0]), q_centre, reach);
  if (integrator->modified_energy(model, start))
    levels.modified = level_set(modified, modified(start.q[0], start.v[0]), q_centre, reach);
  return levels;
}

}  // namespace livens
