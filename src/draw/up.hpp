// Which way is up in pictures of a model, decided here for reports, the viewer, exports and the
// gallery.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include <livens/energy.hpp>
#include <livens/model.hpp>
#include <livens/scene.hpp>

namespace livens {

// The unit vector against gravity, else the normal of the first plane that bodies rest on, else z; in 2D, y.
Eigen::Vector3d up_direction(int dimension, const std::optional<Eigen::Vector3d>& against_gravity,
                             const std::vector<Obstacle>& obstacles);

// Against the first gravity that the scene names: all that is needed where no model is built.
std::optional<Eigen::Vector3d> against_gravity(const Scene& scene);
// Of a model: the opposite of a load whose forces on all nodes are parallel.
std::optional<Eigen::Vector3d> against_gravity(const Model& model, ConstVector q);

}  // namespace livens
