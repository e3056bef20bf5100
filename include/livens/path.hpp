// Paths: the action of a motion, and the motion between two positions at two times as a stationary action.
//
//   S(q_1 ... q_N-1) = sum_k Ld(q_k, q_k+1),   q_0 and q_N given:   D2 Ld(q_k-1, q_k) + D1 Ld(q_k, q_k+1) = 0
//
// These are the equations of the integrator's steps, all at once: started with p_0 = -D1 Ld(q_0, q_1) it takes the same
// path.
//
//   const DiscreteLagrangian Ld = discrete_lagrangian("kind = 'stormer_verlet', step = 0.01");
//   const Path path = stationary_path(model, {.rule = Ld, .t_begin = 0, .t_end = 1, .steps = 100, .from = a, .to = b});
//   const SecondVariation second = second_variation(model, path);   // second.index == 0: it is a minimum
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <livens/discrete_lagrangian.hpp>
#include <livens/model.hpp>
#include <livens/solver_options.hpp>

namespace livens {

// Reads and validates an integrator table given as text; throws SceneError if that method has no discrete Lagrangian.
DiscreteLagrangian discrete_lagrangian(const std::string& inline_table);

// J s: of the path through q, control points x coordinates, degree * steps + 1 control points, with steps of length h
// from t on.
double action(const Model& model, const DiscreteLagrangian& rule, double t, double h, const std::vector<double>& q);

// From where and when to where and when.
struct PathEnds {
  DiscreteLagrangian rule;
  double t_begin = 0, t_end = 0;  // s
  int steps = 0;                  // of equal length
  std::vector<double> from, to;   // all coordinates; supports are where the model has them
};

// How far a search is; false ends it.
struct PathProgress {
  int iteration = 0;
  double residual = 0;  // of the first variation, over its scale
};

struct PathOptions {
  bool minimise = false;        // go downhill only: finds minima of the action, and nothing where there is none
  double tolerance = 0;         // of the first variation over its scale; 0: down to rounding
  int max_iterations = 100;     // of Newton's method
  std::vector<double> guess{};  // control points x coordinates; empty: the straight line
  std::function<bool(const PathProgress&)> told{};
};

struct Path {
  bool converged = false, interrupted = false;
  std::string message;  // why not
  PathEnds ends;
  double h = 0;                        // s
  std::vector<double> q;               // control points x coordinates
  std::vector<double> p_begin, p_end;  // momenta of the ends: the throw and the catch
  double action = 0;                   // J s
  double residual = 0, scale = 0;      // kg m/s: largest component of the first variation, and size of its summands
  int iterations = 0;

  double time(std::size_t step) const { return ends.t_begin + static_cast<double>(step) * h; }
  ConstVector at(std::size_t step) const;  // q after that many steps
};

// Throws std::invalid_argument for ends that do not fit the model, or a model with forces or multipliers, whose motions
// are no stationary paths of an action alone.
Path stationary_path(const Model& model, const PathEnds& ends, const PathOptions& options = {});

// Between these times the motion from t_begin on has a point conjugate to its start: neighbouring motions from the same
// place meet it there again, and from there on it is no minimum.
struct ConjugatePoint {
  double after = 0, before = 0;  // s, one step apart
  int multiplicity = 1;
};

// Of a path, among all with the same ends. Eigenvalues lambda of d2S x = lambda h diag(L_vv) x, in 1/s^2: of a particle
// with potential k q^2 / 2 they are (j pi / T)^2 - k/m, whatever the step.
struct SecondVariation {
  int index = 0;                                  // number of negative eigenvalues; 0: the path is a minimum
  bool singular = false;                          // the ends are conjugate to rounding: the index is not reliable
  std::vector<double> eigenvalues;                // the lowest, ascending
  std::vector<std::vector<double>> eigenvectors;  // control points x coordinates, 0 at the ends; largest component 1
  std::vector<ConjugatePoint> conjugate_points;   // to t_begin, in order
};
SecondVariation second_variation(const Model& model, const Path& path, int eigenvalues = 6);

// The state at t from which the method takes its first step, of length h, from q0 to q1 [K06 1.1, L04 2.2]:
// p0 = -D1 Ld(q0, q1) - F-. Throws std::invalid_argument where that is not defined: with multipliers, with forces and
// inner control points, or if no inner points are found.
State start_from_positions(const Model& model, const DiscreteLagrangian& rule, double t, double h,
                           const std::vector<double>& q0, const std::vector<double>& q1);

}  // namespace livens
