#include "adapt/adapt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <livens/mesh.hpp>
#include <livens/solid_block.hpp>

#include "adapt/freedom.hpp"
#include "adapt/joint_hessian.hpp"
#include "adapt/quality.hpp"
#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"
#include "model/equilibrium.hpp"
#include "solve/linear_solver.hpp"

namespace livens {
namespace {

constexpr double longest_move = 0.5;      // of the size of an element, in one iteration
constexpr double barrier_weight = 0.05;   // of the energy of an element
constexpr double enough_decrease = 1e-4;  // of what is predicted
constexpr double least_damping = 1e-6;
constexpr double rounding = 1e-12;  // of the energy
constexpr int most_attempts = 40;

// Elements of the body's blocks: energy of each, J.
std::vector<double> element_energies(const Model& model, int body, ConstVector q) {
  const Mesh& mesh = *model.bodies()[at(body)].mesh;
  std::vector<double> energy(at(mesh.elements()), 0.0);
  for (const auto& term : model.parts().terms) {
    const SolidBlock* block = term->elements();
    if (block == nullptr || block->part().first != model.bodies()[at(body)].first) continue;
    const SolidPart& part = block->part();
    std::vector<double> stress(6 * part.elements.size()), density(part.elements.size());
    block->fields(q, stress, density);
    for (std::size_t k = 0; k < part.elements.size(); ++k) {
      const int e = part.elements[k];
      const double thickness = mesh.dimension() == 2 ? part.thickness : 1;
      energy[at(e)] = density[k] * thickness * signed_volume(mesh, e);
    }
  }
  return energy;
}

// Smallest edge at each node.
std::vector<double> sizes_at_nodes(const Mesh& mesh) {
  const int d = mesh.dimension();
  std::vector<double> size(at(mesh.nodes()), std::numeric_limits<double>::infinity());
  for (int e = 0; e < mesh.elements(); ++e)
    for (int a = 0; a <= d; ++a)
      for (int b = 0; b < a; ++b) {
        const int i = mesh.element(e)[a], j = mesh.element(e)[b];
        double square = 0;
        for (int c = 0; c < d; ++c) square += std::pow(mesh.X[at(i * d + c)] - mesh.X[at(j * d + c)], 2);
        size[at(i)] = std::min(size[at(i)], std::sqrt(square));
        size[at(j)] = std::min(size[at(j)], std::sqrt(square));
      }
  return size;
}

// A mesh, the equilibrium on it, and the derivatives of its energy by the reference nodes.
struct Placement {
  std::shared_ptr<const Mesh> mesh;
  std::shared_ptr<const Model> model;
  std::vector<std::shared_ptr<const SolidBlock>> blocks;  // of the body
  std::vector<double> q;
  std::vector<double> G;      // configurational forces of the body's nodes, without the barrier
  std::vector<double> slope;  // of energy and barrier, by the variables
  double energy = 0, barrier = 0;
  double residual = 0;  // sum of |slope|
  double value() const { return energy + barrier; }
};

class Adaption {
 public:
  Adaption(const Model& model, int body, double t, const Freedom& freedom, const AdaptOptions& options)
      : first_model_(model),
        body_(body),
        t_(t),
        freedom_(freedom),
        options_(options),
        first_(model.bodies()[at(body)].first),
        problem_(linearisation(model)),
        newton_(linearisation(model).pattern(), Matrices::without_mass),
        hessian_(model, body, freedom, linearisation(model).pattern()),
        cholesky_(make_cholesky(hessian_.pattern())),
        stiffness_(at(linearisation(model).pattern().nonzeros())) {
    options_.solver.tolerance = 0;  // down to rounding: second-order forces depend on it
  }

  AdaptResult run(std::vector<double> q, const std::function<bool(const AdaptProgress&)>& told) {
    AdaptResult result;
    const auto mesh = first_model_.bodies()[at(body_)].mesh;
    std::vector<double> weight = element_energies(first_model_, body_, q);
    const double mean = std::accumulate(weight.begin(), weight.end(), 0.0) / static_cast<double>(weight.size());
    for (double& w : weight) w = barrier_weight * std::max(w, 1e-3 * mean);
    barrier_ = std::make_unique<QualityBarrier>(*mesh, options_.quality, std::move(weight));
    Placement now;
    if (!settle(mesh, std::move(q), now)) {
      result.message = "the equilibrium of the original mesh was not found";
      return result;
    }
    result.energy_before = now.energy;
    result.moving_nodes = freedom_.moving_nodes();
    scale_ = largest_force(now);
    local_.assign(now.slope.size(), 1.0);
    result.residual_before = now.residual / scale_;
    result.quality_before = lowest_quality(*mesh);
    for (;; ++result.iterations) {
      if (told && !told({result.iterations, result.energy_before - now.energy, now.residual / scale_,
                         barrier_->active(now.mesh->X)})) {
        result.interrupted = true;
        result.message = "interrupted";
        break;
      }
      result.converged = now.residual <= options_.tolerance * scale_;
      if (result.converged) break;
      if (result.iterations == options_.max_iterations) {
        result.message = "not in equilibrium after " + std::to_string(result.iterations) + " iterations";
        break;
      }
      if (!improve(now)) {
        result.message = "no further decrease";
        break;
      }
    }
    finish(*mesh, now, result);
    return result;
  }

 private:
  void finish(const Mesh& before, const Placement& now, AdaptResult& result) const {
    result.mesh = now.mesh;
    result.q = now.q;
    result.energy_after = now.energy;
    result.residual_after = now.residual / scale_;
    result.quality_after = lowest_quality(*now.mesh);
    result.solves = solves_;
    result.factorisations = factorisations_;
    result.active = barrier_->active(now.mesh->X);
    result.active_nodes = barrier_->active_nodes(now.mesh->X);
    result.held_nodes.assign(at(before.nodes()), false);
    for (int e = 0; e < before.elements(); ++e)
      for (int a = 0; a < vertices_of(before.kind); ++a) result.held_nodes[at(before.element(e)[a])] = true;
    for (int k = 0; k < freedom_.variables(); ++k) result.held_nodes[at(freedom_.node(k))] = false;
    const auto d = at(before.dimension());
    for (std::size_t a = 0; a < before.X.size(); a += d) {
      double square = 0;
      for (std::size_t c = 0; c < d; ++c) square += std::pow(now.mesh->X[a + c] - before.X[a + c], 2);
      result.farthest = std::max(result.farthest, std::sqrt(square));
    }
  }

  static double lowest_quality(const Mesh& mesh) {
    const std::vector<double> quality = mean_ratios(mesh, mesh.X);
    return *std::min_element(quality.begin(), quality.end());
  }

  static double largest_force(const Placement& place) {
    const auto d = at(place.mesh->dimension());
    double most = 1e-300;
    for (std::size_t a = 0; a < place.G.size(); a += d) {
      double square = 0;
      for (std::size_t c = 0; c < d; ++c) square += place.G[a + c] * place.G[a + c];
      most = std::max(most, std::sqrt(square));
    }
    return most;
  }

  // The equilibrium on a mesh, from q; false where an element is out of bounds or there is none.
  bool settle(std::shared_ptr<const Mesh> mesh, std::vector<double> q, Placement& place) {
    Placement next;
    std::vector<double> push(mesh->X.size(), 0.0);
    next.barrier = barrier_->add_gradient(mesh->X, push);
    if (!std::isfinite(next.barrier)) return false;
    next.mesh = mesh;
    next.model = std::make_shared<Model>(with_mesh(first_model_, body_, std::move(mesh)));
    problem_.set(*next.model, t_);
    ++solves_;
    if (!newton_.minimise(problem_, q, options_.solver).converged) return false;
    next.q = std::move(q);
    next.energy = next.model->potential(t_, next.q);
    for (const auto& term : next.model->parts().terms)
      if (auto block = std::dynamic_pointer_cast<const SolidBlock>(term))
        if (block->part().first == first_) next.blocks.push_back(std::move(block));
    next.G = forces_on(next.blocks, first_, static_cast<int>(next.mesh->X.size()), next.q).configurational;
    for (std::size_t i = 0; i < push.size(); ++i) push[i] += next.G[i];
    next.slope.resize(at(freedom_.variables()));
    freedom_.reduce(push, next.slope);
    for (const double g : next.slope) next.residual += std::abs(g);
    place = std::move(next);
    return true;
  }

  // One step of Newton's method, made shorter by a multiple of the scaling until the matrix is positive definite and
  // the energy falls as predicted. False if it does not.
  bool improve(Placement& now) {
    std::fill(stiffness_.begin(), stiffness_.end(), 0.0);
    problem_.set(*now.model, t_);
    problem_.jacobian(now.q, stiffness_);
    sizes_ = sizes_at_nodes(*now.mesh);
    find_scaling(now);
    hessian_.assemble(*now.mesh, now.blocks, now.q, *barrier_, sizes_, stiffness_, values_);
    const std::vector<double> diagonal = diagonal_values();
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      for (std::size_t k = 0; k < scaling_.size(); ++k)
        values_[hessian_.diagonal(static_cast<int>(k))] = diagonal[k] + damping_ * local_[k] * scaling_[k];
      std::vector<double> step(at(hessian_.pattern().n), 0.0);
      ++factorisations_;
      if (!cholesky_->factorise(values_)) {
        damping_ = std::max(4 * damping_, least_damping);
        continue;
      }
      const std::size_t begin = at(hessian_.first_variable());
      for (std::size_t k = 0; k < now.slope.size(); ++k) step[begin + k] = -now.slope[k];
      cholesky_->solve(step);
      double slope = 0, damped = 0;
      for (std::size_t k = 0; k < now.slope.size(); ++k) {
        slope += now.slope[k] * step[begin + k];
        damped += damping_ * local_[k] * scaling_[k] * step[begin + k] * step[begin + k];
      }
      const double foreseen = 0.5 * (damped - slope);
      Placement next;
      if (hold_back(now, std::span(step).subspan(begin))) continue;
      if (!try_step(now, step, next)) {
        damping_ = std::max(4 * damping_, least_damping);
        continue;
      }
      // Below rounding the energy carries no information, and the forces decide.
      const double decrease = now.value() - next.value();
      const bool silent = foreseen < rounding * std::abs(now.energy);
      if (silent ? next.residual < now.residual : decrease > enough_decrease * foreseen) {
        if (silent || decrease > 0.7 * foreseen) damping_ *= 0.2;
        if (!silent && decrease < 0.25 * foreseen) damping_ *= 4;
        for (double& more : local_) more = std::max(1.0, 0.5 * more);
        now = std::move(next);
        return true;
      }
      damping_ = std::max(4 * damping_, least_damping);
    }
    return false;
  }

  std::vector<double> diagonal_values() const {
    std::vector<double> values;
    for (int k = 0; k < freedom_.variables(); ++k) values.push_back(values_[hessian_.diagonal(k)]);
    return values;
  }

  // step: of x relative to X, then of the variables.
  bool try_step(const Placement& now, ConstVector step, Placement& next) {
    auto mesh = std::make_shared<Mesh>(*now.mesh);
    std::vector<double> motion(mesh->X.size()), q = now.q;
    freedom_.expand(step.subspan(at(hessian_.first_variable())), motion);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += step[i];
    for (std::size_t i = 0; i < motion.size(); ++i) {
      mesh->X[i] += motion[i];
      q[at(first_) + i] += motion[i];
    }
    return settle(std::move(mesh), std::move(q), next);
  }

  // Nodes that would go too far, or leave an element below its floor, are damped more. Whether there were any.
  bool hold_back(const Placement& now, ConstVector y) {
    damping_ = std::max(damping_, least_damping);
    std::vector<double> X(now.mesh->X.size());
    freedom_.expand(y, X);
    for (std::size_t i = 0; i < X.size(); ++i) X[i] += now.mesh->X[i];
    const std::vector<bool> bad = barrier_->broken_nodes(X);
    bool any = false;
    for (std::size_t k = 0; k < y.size(); ++k) {
      const auto node = at(freedom_.node(static_cast<int>(k)));
      const double part = std::abs(y[k]) / sizes_[node];
      if (part <= longest_move && !bad[node]) continue;
      local_[k] *= std::clamp(2 * part / longest_move, 4.0, 1e3);
      any = true;
    }
    return any;
  }

  // Scale of the second derivative of the energy by a node: the energy of its elements over their size
  // squared.
  void find_scaling(const Placement& now) {
    const Mesh& mesh = *now.mesh;
    const std::vector<double> energy = element_energies(*now.model, body_, now.q);
    std::vector<double> of_nodes(at(mesh.nodes()), 0.0);
    double most = 0;
    for (int e = 0; e < mesh.elements(); ++e)
      for (int a = 0; a < vertices_of(mesh.kind); ++a) {
        double& sum = of_nodes[at(mesh.element(e)[a])];
        sum += energy[at(e)] / std::pow(sizes_[at(mesh.element(e)[a])], 2);
        most = std::max(most, sum);
      }
    scaling_.resize(now.slope.size());
    for (std::size_t k = 0; k < scaling_.size(); ++k)
      scaling_[k] = std::max(of_nodes[at(freedom_.node(static_cast<int>(k)))], 1e-12 * most);
  }

  const Model& first_model_;
  int body_;
  double t_;
  const Freedom& freedom_;
  AdaptOptions options_;
  int first_;
  EquilibriumProblem problem_;
  NewtonSolver newton_;
  JointHessian hessian_;
  std::unique_ptr<LinearSolver> cholesky_;
  std::vector<double> stiffness_, values_, sizes_, scaling_;
  std::vector<double> local_;  // of each variable: times the damping
  std::unique_ptr<QualityBarrier> barrier_;
  double scale_ = 1, damping_ = 1e-2;
  int solves_ = 0, factorisations_ = 0;
};

// Nodes of the body that a load acts on, or a support.
void hold_loaded(const Model& model, int body, double t, ConstVector q, std::vector<bool>& held) {
  const Body& solid = model.bodies()[at(body)];
  const auto d = at(solid.dimension), first = at(solid.first);
  std::vector<double> load(q.size(), 0.0);
  for (const auto& term : model.parts().terms)
    if (term->elements() == nullptr) term->add_gradient(t, q, 1, load);
  for (std::size_t a = 0; a < held.size(); ++a)
    for (std::size_t c = 0; c < d; ++c) {
      const std::size_t i = first + a * d + c;
      if (load[i] != 0 || model.supported(static_cast<int>(i))) held[a] = true;
    }
}

}  // namespace

Model with_mesh(const Model& model, int body, std::shared_ptr<const Mesh> mesh) {
  ModelParts parts = model.parts();
  Body& solid = parts.bodies[at(body)];
  solid.mesh = mesh;
  solid.reference = mesh->X;
  for (auto& term : parts.terms) {
    const SolidBlock* block = term->elements();
    if (block != nullptr && block->part().first == solid.first) term = block->on_mesh(mesh);
  }
  return Model(std::move(parts));
}

AdaptResult adapt_mesh(const Model& model, int body, double t, std::vector<double> q, std::vector<bool> held,
                       const AdaptOptions& options, const std::function<bool(const AdaptProgress&)>& told) {
  hold_loaded(model, body, t, q, held);
  const Freedom freedom(*model.bodies()[at(body)].mesh, held, options.direction);
  if (freedom.variables() == 0)
    throw std::invalid_argument("no node of it can move: all are supported, loaded, held or at corners");
  return Adaption(model, body, t, freedom, options).run(std::move(q), told);
}

}  // namespace livens
