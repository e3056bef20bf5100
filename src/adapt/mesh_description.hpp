// What is in a mesh, for `livens mesh`: counts, regions, groups, shapes, and how long explicit steps may be.
#pragma once

#include <string>
#include <vector>

#include <livens/mesh.hpp>
#include <livens/meshes.hpp>

namespace livens {

struct MeshDescription {
  int pieces = 0;      // parts that share no node
  double content = 0;  // m^3, of plane bodies m^2
  std::vector<double> low, high;
  std::vector<std::pair<int, double>> regions;  // elements and content of each
  std::array<int, 10> histogram{};              // of the mean ratio of elements, 0 to 1
  double lowest = 0, median = 0;                // mean ratio
  int worst = 0;                                // element
  double shortest_altitude = 0;                 // m
};
MeshDescription describe(const Mesh& mesh);
// Lines for people.
std::vector<std::string> described(const Mesh& mesh, const MeshNotes& notes);
std::vector<std::string> described(const Surface& surface, const std::string& name, const MeshNotes& notes);

}  // namespace livens
