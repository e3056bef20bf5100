// What an adaption leaves behind: numbers, meshes and a page.
#pragma once

#include <string>
#include <vector>

#include <livens/model.hpp>

#include "adapt/adapt.hpp"
#include "report/report.hpp"

namespace livens {

// J of one contour.
struct ContourChange {
  std::string name;
  std::vector<double> weights;  // of the nodes, after
  double before = 0, after = 0;
};

struct AdaptFacts {
  std::string scene, title;
  const Model* before = nullptr;
  const Model* after = nullptr;
  int body = 0;
  std::vector<double> q_before;
  AdaptResult result;
  std::vector<AdaptProgress> course;
  std::vector<ContourChange> contours;  // from small to large
  std::vector<int> tips;                // nodes of cracks
  double wall_time = 0;                 // s

  double gained() const { return result.energy_before - result.energy_after; }
};

// (largest - least)/mean of the contours, and of the longest run of contours, from small to large, between which every
// node could move and none is held by the quality bound: those have to agree.
struct ContourSpread {
  double before = 0, after = 0;
  std::vector<std::string> free;  // names of the run; at least two, or none
  double free_before = 0, free_after = 0;
};
ContourSpread contour_spread(const AdaptFacts& facts);

std::string adapt_json(const AdaptFacts& facts);
std::string contours_csv(const AdaptFacts& facts);  // J of contours before and after, and their spread
// A body in its reference shape, with displacement, energy density, stress, configurational force and quality.
std::string adapt_vtu(const Model& model, int body, ConstVector q);
Report adapt_report(const AdaptFacts& facts);

}  // namespace livens
