#include "diagnostics/contours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "elements/element_block.hpp"
#include "mesh/core/topology.hpp"

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
  for (double& value : whole) value *= 1 - dimension / degree;
  return whole;
}

Contour::Contour(const Model& model, int body, ContourDomain domain, std::shared_ptr<InertialForces> inertial_forces)
    : body_(body),
      solid_(model.bodies()[at(body)]),
      domain_(std::move(domain)),
      inertial_forces_(std::move(inertial_forces)) {
  const int d = solid_.dimension;
  std::vector<bool> coordinate(at(model.size()), false);
  for (int a = 0; a < solid_.nodes; ++a)
    if (domain_.weights[at(a)] > 0)
      for (int c = 0; c < d; ++c) coordinate[at(solid_.first + a * d + c)] = true;
  for (const auto& term : model.parts().terms) {
    const SolidBlock* whole = term->elements();
    if (whole == nullptr || whole->part().first != solid_.first) continue;
    auto kept = term->restricted(coordinate);
    if (kept == nullptr) kept = term;
    const SolidBlock* block = kept->elements();
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
  measure_shares();
}

// V_a in the layout of the body. A midside follows its corners: V_m = 1/2 (zeta V)_i + 1/2 (zeta V)_j, and where edges
// are bent what its own place adds. So V is linear along straight edges, and elements stay straight.
std::vector<double> Contour::moved_by(const DefectMotion& motion) const {
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

const std::vector<double>& Contour::moved(const DefectMotion& motion) const {
  const auto found = std::find_if(moved_.begin(), moved_.end(), [&](const auto& each) { return each.first == motion; });
  return found != moved_.end() ? found->second : moved_.emplace_back(motion, moved_by(motion)).second;
}

const std::vector<double>& InertialForces::at(const Model& model, const State& state) {
  if (state.t == state_.t && state.q == state_.q && state.v == state_.v) return force_;
  state_ = state;
  force_.assign(state.q.size(), 0.0);
  if (!model.separable()) return force_;
  gradient_.resize(state.q.size());
  model.forces(state.t, state.q, state.v, force_);
  model.gradient(state.t, state.q, gradient_);
  for (std::size_t i = 0; i < force_.size(); ++i) force_[i] -= gradient_[i];
  return force_;
}

// du/dX or dx/dX and the configurational forces of a state.
void Contour::look(const State& state) const {
  if (state.q == q_) return;
  q_ = state.q;
  configurational_.assign(q_.size(), 0.0);
  for (const SolidBlock* block : blocks_) block->add_configurational(q_, 1, configurational_);
  measure_slopes(state);
}

double Contour::released(const Model& model, const State& state, const DefectMotion& motion, bool kinetic) const {
  look(state);
  const std::vector<double>& V = moved(motion);
  const auto first = at(solid_.first), d = at(solid_.dimension);
  double sum = 0;
  for (const std::size_t i : coordinates_) sum -= V[i] * configurational_[first + i];
  // At fixed x a rotation of the reference shape needs no U.
  const bool displaces = motion.kind == DefectMotion::Kind::expansion ||
                         (motion.kind == DefectMotion::Kind::rotation && at_fixed_displacement());
  if (displaces) {
    const bool of_u = at_fixed_displacement();
    std::vector<double> r = kinetic ? inertial_forces_->at(model, state) : std::vector<double>(state.q.size(), 0.0);
    for (const SolidBlock* block : blocks_) block->add_gradient(state.t, state.q, 1, r);
    double u[3];
    for (std::size_t i = 0; i < V.size(); i += d) {
      for (std::size_t c = 0; c < d; ++c)
        u[c] = state.q[first + i + c] - (of_u ? solid_.reference[i + c] : motion.center[c]);
      const auto U = motion.displacement(u, solid_.dimension);
      for (std::size_t c = 0; c < d; ++c) sum -= domain_.weights[i / d] * U[c] * r[first + i + c];
    }
  }
  return kinetic ? sum + inertia(model, state, V) : sum;
}

double Contour::released_outside(const Model& model, const State& state, const DefectMotion& motion) const {
  look(state);
  const std::vector<double>& V = moved(motion);
  const auto first = at(solid_.first), d = at(solid_.dimension);
  double sum = 0;
  for (const std::size_t i : coordinates_) sum += (motion.axis[i % d] - V[i]) * configurational_[first + i];
  return sum + inertia(model, state, V);
}

void Contour::measure_slopes(const State& state) const {
  const auto d = at(solid_.dimension), first = at(solid_.first);
  slopes_.assign(points_.size() * d * d, 0.0);
  for (std::size_t g = 0; g < points_.size(); ++g) {
    const Point& point = points_[g];
    double* to = slopes_.data() + g * d * d;
    for (std::size_t n = 0; n < point.shape.size(); ++n)
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j)
          to[i * d + j] += state.q[first + at(point.nodes[n]) * d + i] * point.gradient[n * d + j];
    for (std::size_t i = 0; i < d && point.displacement; ++i) to[i * d + i] -= 1;
  }
}

// The virtual displacement H V has to be one of nodes, to which the equations of motion apply: the mean over the
// elements of a node, where H of quadratic elements is linear between their quadrature points, as it is in straight
// ones.
void Contour::measure_shares() {
  const Mesh& mesh = *solid_.mesh;
  const auto nodes = at(nodes_of(mesh.kind)), corners = at(vertices_of(mesh.kind));
  const auto rule = quadrature_points(mesh.kind);
  std::vector<double> share(nodes * rule.size(), 1.0);
  if (rule.size() > 1) {
    const double most = rule[0][0], least = rule[0][1];
    for (std::size_t n = 0; n < nodes; ++n)
      for (std::size_t g = 0; g < rule.size(); ++g) {
        double L = n == g ? 1 : 0;
        if (n >= corners) {
          const auto& ends = simplex_edges[n - corners];
          L = at(ends[0]) == g || at(ends[1]) == g ? 0.5 : 0;
        }
        share[n * rule.size() + g] = (L - least) / (most - least);
      }
  }
  std::vector<double> volume(points_.size()), weight(at(mesh.nodes()), 0.0);
  for (std::size_t e = 0; e < points_.size(); e += rule.size()) {
    for (std::size_t g = 0; g < rule.size(); ++g) volume[e] += points_[e + g].volume;
    for (std::size_t n = 0; n < nodes; ++n) weight[at(points_[e].nodes[n])] += volume[e];
  }
  for (std::size_t a = 0; a < weight.size(); ++a)
    for (std::size_t c = 0; c < at(solid_.dimension) && weight[a] > 0; ++c)
      coordinates_.push_back(a * at(solid_.dimension) + c);
  shares_.reserve(points_.size() * nodes);
  for (std::size_t e = 0; e < points_.size(); e += rule.size())
    for (std::size_t g = 0; g < rule.size(); ++g)
      for (std::size_t n = 0; n < nodes; ++n)
        shares_.push_back(volume[e] * share[n * rule.size() + g] / weight[at(points_[e].nodes[n])]);
}

const std::vector<double>& Contour::virtual_displacement(const std::vector<double>& H,
                                                         const std::vector<double>& moved) const {
  const auto d = at(solid_.dimension);
  virtual_.resize(moved.size());
  for (const std::size_t i : coordinates_) virtual_[i] = 0;
  const double* share = shares_.data();
  for (std::size_t g = 0; g < points_.size(); ++g) {
    const double* slope = H.data() + g * d * d;
    for (std::size_t n = 0; n < points_[g].shape.size(); ++n, ++share) {
      const std::size_t a = at(points_[g].nodes[n]) * d;
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) virtual_[a + i] += *share * slope[i * d + j] * moved[a + j];
    }
  }
  return virtual_;
}

double Contour::work(const std::vector<double>& force, const std::vector<double>& virtual_displacement) const {
  double sum = 0;
  for (const std::size_t i : coordinates_) sum += force[at(solid_.first) + i] * virtual_displacement[i];
  return sum;
}

double Contour::inertia(const Model& model, const State& state, const std::vector<double>& moved) const {
  return work(inertial_forces_->at(model, state), virtual_displacement(slopes_, moved));
}

bool Contour::at_fixed_displacement() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [](const SolidBlock* b) { return b->at_fixed_displacement(); });
}

bool Contour::homogeneous() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [](const auto* block) { return block->part().homogeneous(); });
}

// d log W / d log s of W(s F) at s = 0.8, 1 and 1.25 of an affine deformation F and of one that is twice as far from
// rest.
Contour::Degree Contour::degree() const {
  if (at_fixed_displacement()) return {2, 2};
  Degree found{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const std::vector<double> near = affine(solid_);
  std::vector<double> q(at(solid_.first) + near.size(), 0.0), g(q.size());
  for (const SolidBlock* block : blocks_)
    for (const double far : {1.0, 2.0})
      for (const double s : {0.8, 1.0, 1.25}) {
        for (std::size_t i = 0; i < near.size(); ++i)
          q[at(solid_.first) + i] = s * (solid_.reference[i] + far * (near[i] - solid_.reference[i]));
        std::fill(g.begin(), g.end(), 0.0);
        const double W = block->add_gradient_and_energy(0, q, 1, g);
        double along = 0;
        for (std::size_t i = 0; i < q.size(); ++i) along += g[i] * q[i];
        found.least = std::min(found.least, along / W);
        found.most = std::max(found.most, along / W);
      }
  return found;
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
