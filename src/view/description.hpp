// The JSON texts of docs/view_protocol.md that finished runs and live sessions share.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include <livens/energy.hpp>
#include <livens/probe.hpp>
#include <livens/scene.hpp>

#include "draw/drawn_field.hpp"
#include "draw/obstacle_json.hpp"

namespace livens {

using ViewJson = nlohmann::ordered_json;

ViewJson drawables_json(const Drawing& drawing);
ViewJson three(const Eigen::Vector3d& v);
ViewJson fields_json(const std::vector<DrawnField>& fields);
// Columns with their group; each has name, unit and meaning.
ViewJson columns_json(const std::vector<Column>& columns);
// Pairs that make phase portraits, each once: those that report.portraits of the scene, if there is one, asks for, and
// coordinates with their velocities.
ViewJson phase_json(const std::vector<Column>& columns, const Scene* scene);
std::string text_of(const ViewJson& json);  // on one line; what is no UTF-8 is replaced

}  // namespace livens
