#include "diagnostics/contours.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elements/element_block.hpp"

namespace livens {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Contour::Contour(const Model& model, int body, const std::vector<int>& inside, std::array<double, 3> direction)
    : body_(body), inside_(inside), direction_(direction) {
  const Body& solid = model.bodies()[at(body)];
  const int d = solid.dimension;
  std::vector<bool> node(at(solid.nodes), false), coordinate(at(model.size()), false);
  for (const int a : inside_) {
    node[at(a)] = true;
    for (int c = 0; c < d; ++c) coordinate[at(solid.first + a * d + c)] = true;
  }
  for (const auto& term : model.parts().terms) {
    const auto* whole = dynamic_cast<const SolidBlock*>(term.get());
    if (whole == nullptr || whole->part().first != solid.first) continue;
    kept_.push_back(term->restricted(coordinate));
    if (kept_.back() == nullptr) kept_.back() = term;
    const auto* block = dynamic_cast<const SolidBlock*>(kept_.back().get());
    blocks_.push_back(block);
    // What inertia needs.
    const SolidPart& part = block->part();
    const Mesh& mesh = *part.mesh;
    const auto rule = quadrature_points(mesh.kind);
    std::vector<std::size_t> order(at(nodes_of(mesh.kind)));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> numbers;
    for (const int e : part.elements) {
      reference_gradients(part, e, order, numbers);
      const std::size_t each = 1 + (order.size() - 1) * at(d);
      for (std::size_t g = 0; g < rule.size(); ++g) {
        Point point{numbers[g * each] * part.density,
                    block->at_fixed_displacement(),
                    mesh.element(e),
                    shape_functions(mesh.kind, rule[g]),
                    {}};
        // The gradients sum to zero: that of the first node is minus the sum of the others.
        point.gradient.assign(order.size() * at(d), 0.0);
        for (std::size_t i = 0; i + 1 < each; ++i) {
          point.gradient[at(d) + i] = numbers[g * each + 1 + i];
          point.gradient[i % at(d)] -= numbers[g * each + 1 + i];
        }
        double zeta = 0;
        for (std::size_t a = 0; a < order.size(); ++a) zeta += node[at(point.nodes[a])] ? point.shape[a] : 0;
        point.weight *= zeta;
        points_.push_back(std::move(point));
      }
    }
  }
}

double Contour::j(const Model& model, const State& state, bool kinetic) const {
  const Body& solid = model.bodies()[at(body_)];
  std::vector<double> G(state.q.size(), 0.0);
  for (const SolidBlock* block : blocks_) block->add_configurational(state.q, 1, G);
  double sum = 0;
  for (const int a : inside_)
    for (int c = 0; c < solid.dimension; ++c) sum -= G[at(solid.first + a * solid.dimension + c)] * direction_[at(c)];
  return kinetic ? sum + inertia(model, state) : sum;
}

// x'' from the equations of motion at the state; nodes that are held do not move.
double Contour::inertia(const Model& model, const State& state) const {
  if (!model.separable()) return 0;
  const Body& solid = model.bodies()[at(body_)];
  const auto d = at(solid.dimension);
  std::vector<double> force(state.q.size()), gradient(state.q.size()), acceleration(state.q.size());
  model.forces(state.t, state.q, state.v, force);
  model.gradient(state.t, state.q, gradient);
  for (std::size_t i = 0; i < force.size(); ++i) force[i] -= gradient[i];
  model.divide_mass(force, acceleration);
  double sum = 0;
  for (const Point& point : points_) {
    double a[3] = {0, 0, 0}, along[3] = {0, 0, 0};  // x'' and dx/dX_e
    for (std::size_t n = 0; n < point.shape.size(); ++n) {
      double slope = 0;
      for (std::size_t c = 0; c < d; ++c) slope += point.gradient[n * d + c] * direction_[c];
      for (std::size_t c = 0; c < d; ++c) {
        const std::size_t i = at(solid.first) + at(point.nodes[n]) * d + c;
        a[c] += point.shape[n] * acceleration[i];
        along[c] += slope * state.q[i];
      }
    }
    for (std::size_t c = 0; c < d; ++c)
      sum += point.weight * a[c] * (point.displacement ? along[c] - direction_[c] : along[c]);
  }
  return sum;
}

}  // namespace livens
