#include "files/failure_vtu.hpp"

#include <algorithm>

#include "files/fields.hpp"
#include "mesh/files/vtu_grid.hpp"

namespace livens {
namespace {

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

void append_vectors(std::vector<double>& all, const std::vector<double>& more, int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  for (std::size_t a = 0; a + d <= more.size(); a += d)
    for (std::size_t k = 0; k < 3; ++k) all.push_back(k < d ? more[a + k] : 0.0);
}

}  // namespace

std::optional<WorstElement> worst_element(const Model& model, const State& state) {
  std::optional<WorstElement> worst;
  for (const Body& body : model.bodies()) {
    if (blocks_of(model, body).empty()) continue;
    const std::vector<double> ratios = BodyFields(model, body, state).volume_ratio();
    const auto least = std::min_element(ratios.begin(), ratios.end());
    if (least == ratios.end() || (worst && worst->volume_ratio <= *least)) continue;
    const auto element = static_cast<int>(least - ratios.begin());
    worst = {body.name, element, body.mesh->element_tag(element), *least};
  }
  return worst;
}

std::optional<NodePlace> node_of(const Model& model, const State& state, int coordinate) {
  for (const Body& body : model.bodies()) {
    if (body.dimension == 0 || coordinate < body.first || coordinate >= body.first + body.size()) continue;
    const int node = (coordinate - body.first) / body.dimension;
    const auto first = state.q.begin() + body.first + node * body.dimension;
    return NodePlace{body.name, node, body.mesh != nullptr ? body.mesh->node_tag(node) : node + 1,
                     std::vector<double>(first, first + body.dimension)};
  }
  return std::nullopt;
}

std::string failure_vtu(const Model& model, const State& state, int worst_coordinate) {
  const auto& bodies = model.bodies();
  if (std::none_of(bodies.begin(), bodies.end(), [](const Body& body) { return body.mesh != nullptr; })) return "";
  const auto worst = worst_element(model, state);
  const auto node = node_of(model, state, worst_coordinate);
  VtuGrid grid;
  std::vector<double> displacement, velocity, residual, ratio, inverted, is_worst;
  for (const Body& body : bodies) {
    BodyFields at(model, body, state);
    append_vectors(displacement, field_record("displacement").values(at), body.dimension);
    append_vectors(velocity, field_record("velocity").values(at), body.dimension);
    for (int a = 0; a < body.nodes; ++a) residual.push_back(node && node->body == body.name && node->node == a ? 1 : 0);
    const std::size_t cells = grid.cells();
    if (body.mesh != nullptr) {
      grid.add_mesh(*body.mesh, at.positions());
      append(ratio, at.volume_ratio());
    } else {
      grid.add_points(body.dimension, at.positions());
      ratio.resize(grid.cells(), 1.0);
    }
    for (std::size_t k = cells; k < grid.cells(); ++k) {
      inverted.push_back(ratio[k] > 0 ? 0 : 1);
      is_worst.push_back(worst && worst->body == body.name && static_cast<int>(k - cells) == worst->element ? 1 : 0);
    }
  }
  const MeshField fields[] = {
      {"displacement", 3, false, std::move(displacement)}, {"velocity", 3, false, std::move(velocity)},
      {"largest_residual", 1, false, std::move(residual)}, {"volume_ratio", 1, true, std::move(ratio)},
      {"inverted", 1, true, std::move(inverted)},          {"worst", 1, true, std::move(is_worst)}};
  return grid.bytes(fields, state.t);
}

}  // namespace livens
