// r-adaption [L04 6.4; Thoutireddy and Ortiz]: of all positions of the reference nodes, find those that make the energy
// of the equilibrium least.
//
//   min_X E(X) + barrier(X),   E(X) = min_x W(x, X) - f.x,   dE/dX = G
//
// by Newton's method on x and X together, damped where the energy is not convex (joint_hessian.hpp).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <livens/integrator.hpp>
#include <livens/model.hpp>

namespace livens {

struct AdaptOptions {
  double quality = 0.2;     // no element falls below it, or below 0.8 of its own quality if it starts there
  double tolerance = 1e-7;  // sum of the remaining configurational forces, over the largest of the mesh
  int max_iterations = 200;
  std::array<double, 3> direction{};  // of unit length: nodes move along it only; zero: along any direction
  SolverOptions solver;
};

struct AdaptProgress {
  int iteration = 0;
  double gained = 0;    // J
  double residual = 0;  // as compared with the tolerance
  int active = 0;       // elements that the quality bound holds
};

struct AdaptResult {
  bool converged = false, interrupted = false;
  std::string message;  // why not
  std::shared_ptr<const Mesh> mesh;
  std::vector<double> q;  // equilibrium on it
  double energy_before = 0, energy_after = 0;
  double residual_before = 0, residual_after = 0;
  double quality_before = 0, quality_after = 0;  // lowest mean ratio
  int iterations = 0, solves = 0, factorisations = 0;
  int moving_nodes = 0, active = 0;
  double farthest = 0;             // m that a node moved
  std::vector<bool> active_nodes;  // that have an element held by the bound
  std::vector<bool> held_nodes;    // corners that could not move at all
};

// The model with the mesh of one body exchanged for one that differs in reference positions only.
Model with_mesh(const Model& model, int body, std::shared_ptr<const Mesh> mesh);

// q: equilibrium of the model at time t. held: reference nodes of the body that stay, besides those that are supported
// or loaded. `told` is called after every iteration; returning false ends the adaption. Throws std::invalid_argument if
// nothing can move.
AdaptResult adapt_mesh(const Model& model, int body, double t, std::vector<double> q, std::vector<bool> held,
                       const AdaptOptions& options, const std::function<bool(const AdaptProgress&)>& told = {});

}  // namespace livens
