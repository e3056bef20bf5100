// failure.vtu: the last good state of a run that failed, with what looks wrong in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <livens/model.hpp>

namespace livens {

// The element with the smallest J = det F.
struct WorstElement {
  std::string body;
  int element = -1;
  long tag = 0;  // number in the file of the mesh
  double volume_ratio = 0;
};
std::optional<WorstElement> worst_element(const Model& model, const State& state);

// The node that a coordinate belongs to; nothing for generalised coordinates.
struct NodePlace {
  std::string body;
  int node = -1;
  long tag = 0;
  std::vector<double> position;
};
std::optional<NodePlace> node_of(const Model& model, const State& state, int coordinate);

// Bytes of the file; empty if there is no solid. Cells: volume_ratio, inverted, worst (the smallest J); points:
// displacement, velocity, largest_residual.
std::string failure_vtu(const Model& model, const State& state, int worst_coordinate);

}  // namespace livens
