// The free bar of K06 5.4, one step at a time: the same steps for every solver, the same stop, and the clock.
//
//   R(v) = M v + h/2 dW(q0 + h/2 v) - p0,   stop at |R|_2 <= tolerance * |M 1|_2 * 1 m/s
//
// The midpoint rule at h = 0.01 s; 1 x 1/3 x 1/3 m of linear tetrahedra, six a cube, neo-Hookean with nu = 0.45 and
// 1000 kg/m^3, lumped mass; stretched by 1.4, twisted by half a turn, spinning, with random velocities on top.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <tbb/global_control.h>

#include <livens/materials.hpp>
#include <livens/meshes.hpp>
#include <livens/model.hpp>

#include "math/parallel.hpp"
#include "mesh/core/shape.hpp"
#include "model/linearisation.hpp"
#include "solve/newton.hpp"

namespace bar {

using livens::ConstVector;
using livens::Vector;

constexpr double h = 0.01;  // s

struct Case {
  std::array<int, 3> cells;
  double young;  // Pa
  int steps;     // of the trajectory
};

struct Bar {
  std::shared_ptr<const livens::Mesh> mesh;
  std::shared_ptr<livens::SolidBlock> block;
  std::unique_ptr<livens::Model> model;
  std::vector<double> q, v;  // at the start
  double unit = 0;           // |M 1|_2 * 1 m/s
  const std::vector<double>& mass() const { return model->parts().mass.diagonal; }
};

inline Bar make_bar(const Case& setting) {
  Bar bar;
  livens::BoxSpec spec;
  spec.size = {1, 1.0 / 3, 1.0 / 3};
  spec.corner = {-0.5, -1.0 / 6, -1.0 / 6};
  spec.cells = setting.cells;
  bar.mesh = std::make_shared<livens::Mesh>(livens::box_mesh(spec));
  const livens::Mesh& mesh = *bar.mesh;

  const double poisson = 0.45, density = 1000;
  livens::MaterialConstants constants;
  constants.moduli.mu = setting.young / (2 * (1 + poisson));
  constants.moduli.lambda = setting.young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  livens::SolidPart part;
  part.name = "bar";
  part.mesh = bar.mesh;
  part.elements.resize(mesh.elements());
  std::iota(part.elements.begin(), part.elements.end(), 0);
  bar.block = livens::material_records().at("neo_hookean").make(constants, part);

  livens::ModelParts parts;
  livens::Body body;
  body.name = "bar";
  body.nodes = mesh.nodes();
  body.dimension = 3;
  body.reference = mesh.X;
  body.mesh = bar.mesh;
  parts.mass.diagonal.assign(mesh.X.size(), 0.0);
  for (int e = 0; e < mesh.elements(); ++e)
    for (int a = 0; a < 4; ++a)
      for (int c = 0; c < 3; ++c)
        parts.mass.diagonal[mesh.element(e)[a] * 3 + c] += density * livens::signed_volume(mesh, e) / 4;
  body.mass = std::accumulate(parts.mass.diagonal.begin(), parts.mass.diagonal.end(), 0.0) / 3;
  for (const double m : parts.mass.diagonal) bar.unit += m * m;
  bar.unit = std::sqrt(bar.unit);
  parts.bodies.push_back(body);
  parts.terms.push_back(bar.block);
  bar.model = std::make_unique<livens::Model>(std::move(parts));

  const double stretch = 1.4, twist = std::numbers::pi, spin = 3.0, noise = 0.3;
  std::mt19937_64 generator(1);
  const auto random = [&] { return noise * (2 * static_cast<double>(generator() >> 11) * 0x1p-53 - 1); };
  for (std::size_t a = 0; a < mesh.X.size(); a += 3) {
    const double x = mesh.X[a], y = mesh.X[a + 1], z = mesh.X[a + 2], c = std::cos(twist * x), s = std::sin(twist * x);
    for (const double position : {stretch * x, y * c - z * s, y * s + z * c}) bar.q.push_back(position);
    for (const double velocity : {0.0, -spin * z, spin * y}) bar.v.push_back(velocity + random());
  }
  return bar;
}

// One step of the trajectory: where it starts, and the momentum scale there.
struct Step {
  std::vector<double> q0, p0;
  std::vector<double> v0;  // the guess of every solver
  double scale = 0;
};

// The problem of one step. With bound > 0 a residual of |R|_2 <= bound is handed over as zero: that makes Newton's own
// stop, which is on the largest component, the stop that all solvers share.
class StepProblem final : public livens::MinimumProblem {
 public:
  explicit StepProblem(const Bar& bar)
      : bar_(bar), mass_(bar.mass()), point_(bar.q.size()), gradient_(bar.q.size()), chunks_(bar.q.size()) {}

  void begin(const Step& step, double bound) {
    step_ = &step;
    bound_ = bound;
  }
  const Bar& bar() const { return bar_; }

  // R, its norm and E = 1/2 v'Mv + W(q0 + h/2 v) - p0.v; false where an element is inverted.
  bool evaluate(ConstVector v, Vector r, double& scale, double& objective) override {
    place(v);
    const double potential = bar_.model->gradient_and_potential(0, point_, gradient_);
    objective = potential + combine(v, r, scale);
    if (norm_ <= bound_) std::fill(r.begin(), r.end(), 0.0);
    return std::isfinite(objective);
  }
  bool residual(ConstVector v, Vector r, double& scale) override {
    place(v);
    bar_.model->gradient(0, point_, gradient_);
    combine(v, r, scale);
    if (norm_ <= bound_) std::fill(r.begin(), r.end(), 0.0);
    return std::isfinite(norm_);
  }
  double objective(ConstVector v) {
    place(v);
    const double* p0 = step_->p0.data();
    return bar_.model->potential(0, point_) + livens::sum_chunks(v.size(), [&](std::size_t a, std::size_t b) {
             double sum = 0;
             for (std::size_t i = a; i < b; ++i) sum += (0.5 * mass_[i] * v[i] - p0[i]) * v[i];
             return sum;
           });
  }
  void jacobian(ConstVector v, Vector values) override { add(v, values, false); }
  bool convex_jacobian(ConstVector v, Vector values) override {
    add(v, values, true);
    return true;
  }
  bool symmetric() const override { return true; }
  void add_metric(double scale, Vector values) override {
    linearisation(*bar_.model).add_mass(*bar_.model, scale, values);
  }
  double norm() const { return norm_; }  // |R|_2 of the last evaluation

 private:
  void place(ConstVector v) {
    const double* q0 = step_->q0.data();
    livens::for_chunks(v.size(), [&](std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) point_[i] = q0[i] + 0.5 * h * v[i];
    });
  }
  // r = M v + h/2 g - p0; returns 1/2 v'Mv - p0.v.
  double combine(ConstVector v, Vector r, double& scale) {
    const double* p0 = step_->p0.data();
    const std::size_t width = livens::chunk_length;
    const double value = livens::sum_chunks(v.size(), [&](std::size_t a, std::size_t b) {
      double sum = 0, square = 0, largest = 0;
      for (std::size_t i = a; i < b; ++i) {
        const double inertia = mass_[i] * v[i], impulse = 0.5 * h * gradient_[i];
        r[i] = inertia + impulse - p0[i];
        sum += (0.5 * inertia - p0[i]) * v[i];
        square += r[i] * r[i];
        largest = std::max(largest, std::abs(inertia) + std::abs(impulse) + std::abs(p0[i]));
      }
      chunks_[a / width] = {square, largest};
      return sum;
    });
    double square = 0;
    scale = 0;
    for (std::size_t k = 0; k * width < v.size(); ++k) {
      square += chunks_[k].square;
      scale = std::max(scale, chunks_[k].largest);
    }
    if (bound_ > 0) scale = step_->scale;  // that of the guess, so that no trial loosens the stop
    norm_ = std::sqrt(square);
    return value;
  }
  void add(ConstVector v, Vector values, bool convex) {
    place(v);
    const livens::Linearisation& lin = linearisation(*bar_.model);
    lin.add_mass(*bar_.model, 1, values);
    lin.add_potential(*bar_.model, 0, point_, 0.25 * h * h, values, convex);
  }

  struct Part {
    double square = 0, largest = 0;
  };
  const Bar& bar_;
  const std::vector<double>& mass_;
  std::vector<double> point_, gradient_;
  std::vector<Part> chunks_;
  const Step* step_ = nullptr;
  double bound_ = 0, norm_ = 0;
};

struct Outcome {
  bool converged = false;
  long newton = 0, evaluations = 0, linear = 0;
};

class StepSolver {
 public:
  StepSolver(std::string name, int threads = 1) : name_(std::move(name)), threads_(threads) {}
  virtual ~StepSolver() = default;
  const std::string& name() const { return name_; }
  int threads() const { return threads_; }
  // v from the guess in v, to |R|_2 <= bound.
  virtual Outcome solve(const Step& step, double bound, Vector v) = 0;
  // What solves the linear systems, where that is known.
  virtual std::string inner() const { return ""; }

 private:
  std::string name_;
  int threads_;
};

class OwnSolver final : public StepSolver {
 public:
  OwnSolver(const Bar& bar, bool minimise, int threads = 1)
      : StepSolver(minimise ? "minimiser" : "root finder", threads),
        minimise_(minimise),
        problem_(bar),
        newton_(linearisation(*bar.model).pattern()) {}

  std::string inner() const override { return "block CG + SSOR"; }
  Outcome solve(const Step& step, double bound, Vector v) override {
    problem_.begin(step, bound);
    livens::SolverOptions options;
    options.linear = livens::SolverOptions::Linear::cg;
    options.max_iterations = 100;
    // No component may exceed this when |R|_2 is to meet the bound; the problem sees to the rest.
    options.tolerance = bound / (std::sqrt(static_cast<double>(v.size())) * step.scale);
    const livens::SolveResult& result =
        minimise_ ? newton_.minimise(problem_, v, options) : newton_.find_root(problem_, v, options);
    return {result.converged, result.iterations, result.evaluations, result.linear_iterations};
  }

 private:
  bool minimise_;
  StepProblem problem_;
  livens::NewtonSolver newton_;
};

// The first steps of one trajectory, by the minimiser at 1e-10. The guess is that of a run: M^-1 p0, or back to the
// last midpoint if E is lower there or the other inverts an element.
inline std::vector<Step> make_trajectory(const Bar& bar, int count) {
  std::vector<Step> steps;
  StepProblem problem(bar);
  OwnSolver solver(bar, true);
  const std::size_t n = bar.q.size();
  std::vector<double> r(n), gradient(n), point(n), v(n);
  Step step;
  step.q0 = bar.q;
  step.v0 = bar.v;
  for (std::size_t i = 0; i < n; ++i) step.p0.push_back(bar.mass()[i] * bar.v[i]);
  for (int k = 0; k < count; ++k) {
    problem.begin(step, 0);
    double objective = 0, other = 0, scale = 0;
    const bool feasible = problem.evaluate(step.v0, r, step.scale, objective);
    for (double& x : v) x = -x;
    if (k > 0 && problem.evaluate(v, r, scale, other) && (!feasible || other < objective)) {
      step.v0 = v;
      step.scale = scale;
    }
    steps.push_back(step);
    v = step.v0;
    if (!solver.solve(steps.back(), 1e-10 * bar.unit, v).converged) {
      std::printf("  step %d: not solved to 1e-10\n", k);
      break;
    }
    for (std::size_t i = 0; i < n; ++i) point[i] = step.q0[i] + 0.5 * h * v[i];
    bar.model->gradient(0, point, gradient);
    for (std::size_t i = 0; i < n; ++i) {
      step.q0[i] += h * v[i];
      step.p0[i] -= h * gradient[i];
      step.v0[i] = step.p0[i] / bar.mass()[i];
    }
  }
  return steps;
}

struct Clock {
  double cpu, wall;
  static Clock now() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return {static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec),
            std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count()};
  }
};

// What a solver did on the steps of a trajectory.
struct Record {
  std::vector<double> cpu, wall;  // per step, best of the rounds
  std::vector<bool> solved;
  long newton = 0, linear = 0, evaluations = 0;  // of one round
  int failures = 0;
  std::uint64_t hash = 0;  // of all velocities
  double cpu_ms() const { return mean(cpu); }
  double wall_ms() const { return mean(wall); }
  static double mean(const std::vector<double>& x) {
    return 1e3 * std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  }
};

inline std::uint64_t add_hash(std::uint64_t hash, ConstVector v) {
  for (const double x : v) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 1099511628211ULL;
  }
  return hash;
}

inline void run_once(const Bar& bar, const std::vector<Step>& steps, StepSolver& solver, double tolerance,
                     Record& record) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, solver.threads());
  const double bound = tolerance * bar.unit;
  StepProblem check(bar);
  const std::size_t count = steps.size();
  if (record.cpu.empty()) {
    record.cpu.assign(count, std::numeric_limits<double>::infinity());
    record.wall = record.cpu;
  }
  record.solved.assign(count, false);
  record.newton = record.linear = record.evaluations = record.failures = 0;
  record.hash = 14695981039346656037ULL;
  std::vector<double> v, r(bar.q.size());
  for (std::size_t k = 0; k < count; ++k) {
    v = steps[k].v0;
    const Clock start = Clock::now();
    const Outcome outcome = solver.solve(steps[k], bound, v);
    const Clock end = Clock::now();
    record.cpu[k] = std::min(record.cpu[k], end.cpu - start.cpu);
    record.wall[k] = std::min(record.wall[k], end.wall - start.wall);
    record.newton += outcome.newton;
    record.linear += outcome.linear;
    record.evaluations += outcome.evaluations;
    record.hash = add_hash(record.hash, v);
    // Whatever the solver says: its result is evaluated again.
    check.begin(steps[k], 0);
    double scale = 0;
    record.solved[k] = outcome.converged && check.residual(v, r, scale) && check.norm() <= 1.000001 * bound;
    if (!record.solved[k]) ++record.failures;
  }
}

// How much longer `other` takes than `own` on the steps that both solve.
inline double ratio(const Record& own, const Record& other) {
  double a = 0, b = 0;
  for (std::size_t k = 0; k < own.cpu.size(); ++k)
    if (own.solved[k] && other.solved[k]) {
      a += own.cpu[k];
      b += other.cpu[k];
    }
  return b / a;
}

}  // namespace bar
