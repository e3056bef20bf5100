// What a path leaves behind: its points, numbers and a page.
#pragma once

#include <string>
#include <vector>

#include <livens/path.hpp>

#include "report/report.hpp"

namespace livens {

// The action along one variation: q + a eta, a from -amplitude to amplitude.
struct Perturbation {
  std::vector<double> amplitude;  // in the unit of the coordinates
  std::vector<double> action;     // S(q + a eta) - S(q), J s; not a number where L has none
};

struct PathFacts {
  std::string scene, title, integrator;
  const Model* model = nullptr;
  Path path;
  SecondVariation second;
  std::vector<Perturbation> perturbations;  // along the lowest eigenvectors
  std::vector<double> v_begin, v_end;
  double extent = 0;     // of the path: the largest change of a coordinate
  double amplitude = 0;  // of perturbed paths, over the extent
  double retraced = -1;  // largest difference between the path and the integrator's motion from its start; -1: unknown
  double wall_time = 0;  // s

  std::string kind() const;  // "a minimum", "a saddle of index 2"
};

std::string path_csv(const PathFacts& facts);
std::string path_json(const PathFacts& facts);
Report path_report(const PathFacts& facts);
// The path with two perturbed ones on each side, for galleries.
Plot path_plot(const PathFacts& facts);

}  // namespace livens
