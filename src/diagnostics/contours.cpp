#include "diagnostics/contours.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elements/element_block.hpp"
#include "mesh/topology.hpp"

namespace livens {
namespace {

std::array<double, 3> cross(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Forces of a block in a deformation without symmetries, and what they act on: moments and sums tell what W depends on.
std::vector<double> affine(const Body& body) {
  constexpr double A[3][3] = {{1.05, 0.03, -0.02}, {-0.01, 0.97, 0.04}, {0.02, -0.03, 1.02}};
  const auto d = at(body.dimension);
  std::vector<double> x(body.reference.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); i += d)
    for (std::size_t r = 0; r < d; ++r)
      for (std::size_t c = 0; c < d; ++c) x[i + r] += A[r][c] * body.reference[i + c];
  return x;
}

}  // namespace

std::vector<double> Contour::acceleration(const Model& model, const State& state) {
  std::vector<double> force(state.q.size()), gradient(state.q.size()), result(state.q.size());
  model.forces(state.t, state.q, state.v, force);
  model.gradient(state.t, state.q, gradient);
  for (std::size_t i = 0; i < force.size(); ++i) force[i] -= gradient[i];
  model.divide_mass(force, result);
  return result;
}

std::array<double, 3> DefectMotion::at(const double* X, int dimension) const {
  std::array<double, 3> from{};
  for (int c = 0; c < dimension; ++c) from[livens::at(c)] = X[c] - center[livens::at(c)];
  return kind == Kind::translation ? axis : kind == Kind::expansion ? from : cross(axis, from);
}

std::array<double, 3> DefectMotion::displacement(const double* u, int dimension) const {
  std::array<double, 3> whole{};
  if (kind == Kind::translation) return whole;
  std::copy_n(u, dimension, whole.begin());
  if (kind == Kind::rotation) return cross(axis, whole);
  for (double& value : whole) value *= 1 - 0.5 * dimension;
  return whole;
}

Contour::Contour(const Model& model, int body, ContourDomain domain)
    : body_(body), solid_(model.bodies()[at(body)]), domain_(std::move(domain)) {
  const int d = solid_.dimension;
  std::vector<bool> coordinate(at(model.size()), false);
  for (int a = 0; a < solid_.nodes; ++a)
    if (domain_.weights[at(a)] > 0)
      for (int c = 0; c < d; ++c) coordinate[at(solid_.first + a * d + c)] = true;
  for (const auto& term : model.parts().terms) {
    const auto* whole = dynamic_cast<const SolidBlock*>(term.get());
    if (whole == nullptr || whole->part().first != solid_.first) continue;
    auto kept = term->restricted(coordinate);
    if (kept == nullptr) kept = term;
    const auto* block = dynamic_cast<const SolidBlock*>(kept.get());
    const SolidPart& part = block->part();
    if (part.elements.empty()) continue;
    kept_.push_back(std::move(kept));
    blocks_.push_back(block);
    const Mesh& mesh = *part.mesh;
    const auto rule = quadrature_points(mesh.kind);
    std::vector<std::size_t> order(at(nodes_of(mesh.kind)));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> numbers;
    for (const int e : part.elements) {
      reference_gradients(part, e, order, numbers);
      const std::size_t each = 1 + (order.size() - 1) * at(d);
      for (std::size_t g = 0; g < rule.size(); ++g) {
        Point point{numbers[g * each],
                    part.density,
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
        points_.push_back(std::move(point));
      }
    }
  }
}

// V_a in the layout of the body. A midside follows its corners: V_m = 1/2 (zeta V)_i + 1/2 (zeta V)_j, and where edges
// are bent what its own place adds. So V is linear along straight edges, and elements stay straight.
std::vector<double> Contour::moved(const DefectMotion& motion) const {
  const int d = solid_.dimension;
  const Mesh& mesh = *solid_.mesh;
  const auto& zeta = domain_.weights;
  const auto field = [&](int a) { return motion.at(mesh.X.data() + a * d, d); };
  std::vector<double> V(mesh.X.size(), 0.0);
  for (int a = 0; a < mesh.nodes(); ++a) {
    if (zeta[at(a)] == 0) continue;
    const auto own = field(a);
    for (int c = 0; c < d; ++c) V[at(a * d + c)] = zeta[at(a)] * own[at(c)];
  }
  if (!quadratic(mesh.kind) || !domain_.midsides_follow) return V;
  for (const SolidBlock* block : blocks_)
    for (const int e : block->part().elements)
      for (int k = 0; k < edges_of(mesh.kind); ++k) {
        const int i = mesh.element(e)[simplex_edges[at(k)][0]], j = mesh.element(e)[simplex_edges[at(k)][1]],
                  m = mesh.element(e)[vertices_of(mesh.kind) + k];
        const auto at_i = field(i), at_j = field(j), at_m = field(m);
        for (int c = 0; c < d; ++c)
          V[at(m * d + c)] = 0.5 * (zeta[at(i)] * at_i[at(c)] + zeta[at(j)] * at_j[at(c)]) +
                             zeta[at(m)] * (at_m[at(c)] - 0.5 * (at_i[at(c)] + at_j[at(c)]));
      }
  return V;
}

double Contour::released(const Model& model, const State& state, const DefectMotion& motion, bool kinetic) const {
  const std::vector<double> V = moved(motion);
  const auto first = at(solid_.first), d = at(solid_.dimension);
  std::vector<double> G(state.q.size(), 0.0);
  for (const SolidBlock* block : blocks_) block->add_configurational(state.q, 1, G);
  double sum = 0;
  for (std::size_t i = 0; i < V.size(); ++i) sum -= V[i] * G[first + i];
  if (motion.kind != DefectMotion::Kind::translation && at_fixed_displacement()) {
    std::vector<double> r(state.q.size(), 0.0);
    if (kinetic && model.separable()) model.multiply_mass(acceleration(model, state), r);
    for (const SolidBlock* block : blocks_) block->add_gradient(state.t, state.q, 1, r);
    double u[3];
    for (std::size_t i = 0; i < V.size(); i += d) {
      for (std::size_t c = 0; c < d; ++c) u[c] = state.q[first + i + c] - solid_.reference[i + c];
      const auto U = motion.displacement(u, solid_.dimension);
      for (std::size_t c = 0; c < d; ++c) sum -= domain_.weights[i / d] * U[c] * r[first + i + c];
    }
  }
  return kinetic ? sum + inertia(model, state, V) : sum;
}

double Contour::released_outside(const Model& model, const State& state, const DefectMotion& motion) const {
  const std::vector<double> V = moved(motion);
  const auto first = at(solid_.first), d = at(solid_.dimension);
  std::vector<double> G(state.q.size(), 0.0);
  for (const SolidBlock* block : blocks_) block->add_configurational(state.q, 1, G);
  double sum = 0;
  for (std::size_t i = 0; i < V.size(); ++i) sum += (motion.axis[i % d] - V[i]) * G[first + i];
  return sum + inertia(model, state, V);
}

double Contour::inertia(const Model& model, const State& state, const std::vector<double>& moved) const {
  if (!model.separable()) return 0;
  const auto d = at(solid_.dimension), first = at(solid_.first);
  const std::vector<double> a = acceleration(model, state);
  double sum = 0;
  for (const Point& point : points_) {
    double V[3] = {0, 0, 0}, second[3] = {0, 0, 0}, along[3] = {0, 0, 0};  // V, x'' and dx/dX V
    for (std::size_t n = 0; n < point.shape.size(); ++n)
      for (std::size_t c = 0; c < d; ++c) {
        V[c] += point.shape[n] * moved[at(point.nodes[n]) * d + c];
        second[c] += point.shape[n] * a[first + at(point.nodes[n]) * d + c];
      }
    for (std::size_t n = 0; n < point.shape.size(); ++n) {
      double slope = 0;
      for (std::size_t c = 0; c < d; ++c) slope += point.gradient[n * d + c] * V[c];
      for (std::size_t c = 0; c < d; ++c) along[c] += slope * state.q[first + at(point.nodes[n]) * d + c];
    }
    for (std::size_t c = 0; c < d; ++c)
      sum += point.volume * point.density * second[c] * (point.displacement ? along[c] - V[c] : along[c]);
  }
  return sum;
}

bool Contour::at_fixed_displacement() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [](const SolidBlock* b) { return b->at_fixed_displacement(); });
}

bool Contour::isotropic() const {
  constexpr double rounding = 1e-9;
  const auto first = at(solid_.first), d = at(solid_.dimension);
  const std::vector<double> x = affine(solid_);
  for (const SolidBlock* block : blocks_) {
    std::vector<double> q(first, 0.0);
    q.insert(q.end(), x.begin(), x.end());
    std::vector<double> G(q.size(), 0.0), g(q.size(), 0.0);
    block->add_configurational(q, 1, G);
    if (block->at_fixed_displacement()) block->add_gradient(0, q, 1, g);
    std::array<double, 3> moment{};
    double scale = 0;
    for (std::size_t i = 0; i < x.size(); i += d) {
      std::array<double, 3> X{}, u{}, at_X{}, at_x{};
      for (std::size_t c = 0; c < d; ++c) {
        X[c] = solid_.reference[i + c];
        u[c] = x[i + c] - X[c];
        at_X[c] = G[first + i + c];
        at_x[c] = g[first + i + c];
      }
      const auto one = cross(X, at_X), two = cross(u, at_x);
      for (std::size_t c = 0; c < 3; ++c) {
        moment[c] += one[c] + two[c];
        scale += std::abs(one[c]) + std::abs(two[c]);
      }
    }
    for (const double value : moment)
      if (std::abs(value) > rounding * scale) return false;
  }
  return true;
}

}  // namespace livens
