#include "draw/up.hpp"

#include <cmath>

#include "files/fields.hpp"
#include "model/system.hpp"

namespace livens {

using Eigen::Vector3d;

Vector3d up_direction(int dimension, const std::optional<Vector3d>& against_gravity,
                      const std::vector<Obstacle>& obstacles) {
  if (dimension != 3) return Vector3d::UnitY();
  if (against_gravity) return *against_gravity;
  for (const Obstacle& obstacle : obstacles)
    if (obstacle.kind == Obstacle::Kind::plane) return Vector3d(obstacle.normal);
  return Vector3d::UnitZ();
}

std::optional<Vector3d> against_gravity(const Scene& scene) {
  const Node* forces = scene.root.find("force");
  if (forces == nullptr) return std::nullopt;
  for (const Node& force : forces->items) {
    const Node *kind = force.find("kind"), *acceleration = force.find("acceleration");
    if (kind == nullptr || kind->text != "gravity" || acceleration == nullptr || acceleration->items.size() != 3)
      continue;
    const auto& a = acceleration->items;
    const double size = std::hypot(a[0].number, a[1].number, a[2].number);
    if (size > 0) return Vector3d(0 - a[0].number / size, 0 - a[1].number / size, 0 - a[2].number / size);
  }
  return std::nullopt;
}

std::optional<Vector3d> against_gravity(const Model& model, ConstVector q) {
  constexpr double parallel = 1 - 1e-9;  // |sum of forces| over the sum of their sizes, less rounding
  if (model.dimension() != 3) return std::nullopt;
  for (const auto& term : model.parts().terms) {
    if (term->invariance().translations || is_contact(*term)) continue;
    std::vector<double> gradient(q.size(), 0.0);
    term->add_gradient(0, q, 1, gradient);
    Vector3d sum = Vector3d::Zero();
    double sizes = 0;
    const auto end = static_cast<std::size_t>(node_coordinates(model));
    for (std::size_t i = 0; i + 2 < end; i += 3) {
      const Vector3d g(gradient[i], gradient[i + 1], gradient[i + 2]);
      sum += g;
      sizes += g.norm();
    }
    if (sizes > 0 && sum.norm() > parallel * sizes) return sum.normalized();
  }
  return std::nullopt;
}

}  // namespace livens
