#include "adapt/joint_hessian.hpp"

#include <algorithm>

#include "mesh/core/topology.hpp"

namespace livens {
namespace {

constexpr double difference = 3e-5;  // of the size of an element: thirds of the digits for truncation and rounding

}  // namespace

BodyForces forces_on(std::span<const std::shared_ptr<const SolidBlock>> blocks, int first, int size, ConstVector q) {
  std::vector<double> g(q.size(), 0.0), G(q.size(), 0.0);
  for (const auto& block : blocks) {
    block->add_gradient(0, q, 1, g);
    block->add_configurational(q, 1, G);
  }
  BodyForces forces;
  const auto begin = static_cast<std::ptrdiff_t>(first), end = begin + size;
  forces.internal.assign(g.begin() + begin, g.begin() + end);
  forces.configurational.assign(G.begin() + begin, G.begin() + end);
  // At fixed x: moving x along with X adds the force.
  if (!blocks.empty() && !blocks.front()->at_fixed_displacement())
    for (std::size_t i = 0; i < forces.internal.size(); ++i) forces.configurational[i] += forces.internal[i];
  return forces;
}

JointHessian::JointHessian(const Model& model, int body, const Freedom& freedom, const SparsePattern& stiffness)
    : model_(model),
      freedom_(freedom),
      first_(model.bodies()[at(body)].first),
      size_(model.bodies()[at(body)].size()),
      dimension_(model.bodies()[at(body)].dimension),
      stiffness_size_(stiffness.n) {
  find_neighbours(*model.bodies()[at(body)].mesh);
  colour();
  const int n = freedom_.variables();
  std::vector<std::vector<int>> variables_of(neighbours_.size());
  for (int k = 0; k < n; ++k) variables_of[at(freedom_.node(k))].push_back(k);

  PatternSink sink;
  for (int c = 0; c < stiffness.n; ++c)
    for (int s = stiffness.column_start[at(c)]; s < stiffness.column_start[at(c) + 1]; ++s)
      sink.add_entry(stiffness.row[at(s)], c);
  const std::size_t own = sink.mark();
  by_z_.resize(at(n));
  by_y_.resize(at(n));
  for (int k = 0; k < n; ++k)
    for (const int b : neighbours_[at(freedom_.node(k))]) {
      for (int c = 0; c < dimension_; ++c) {
        const int row = b * dimension_ + c;
        if (model_.supported(first_ + row)) continue;
        by_z_[at(k)].push_back({row, 0, 0});
        sink.add_entry(first_ + row, stiffness_size_ + k);
        sink.add_entry(stiffness_size_ + k, first_ + row);
      }
      for (const int other : variables_of[at(b)]) {
        by_y_[at(k)].push_back({other, 0, 0});
        sink.add_entry(stiffness_size_ + other, stiffness_size_ + k);
      }
    }
  pattern_ = sink.make_pattern(stiffness_size_ + n, 1);
  stiffness_slots_ = sink.slots(pattern_, 0, own);
  for (int k = 0; k < n; ++k) {
    for (Entry& entry : by_z_[at(k)]) {
      entry.slot = pattern_.slot(first_ + entry.row, stiffness_size_ + k);
      entry.mirror = pattern_.slot(stiffness_size_ + k, first_ + entry.row);
    }
    for (Entry& entry : by_y_[at(k)]) {
      entry.slot = pattern_.slot(stiffness_size_ + entry.row, stiffness_size_ + k);
      entry.mirror = pattern_.slot(stiffness_size_ + k, stiffness_size_ + entry.row);
    }
    diagonal_.push_back(at(pattern_.slot(stiffness_size_ + k, stiffness_size_ + k)));
  }
}

void JointHessian::find_neighbours(const Mesh& mesh) {
  neighbours_.resize(at(mesh.nodes()));
  const int count = nodes_of(mesh.kind);
  for (int e = 0; e < mesh.elements(); ++e)
    for (int a = 0; a < vertices_of(mesh.kind); ++a)
      for (int b = 0; b < count; ++b) neighbours_[at(mesh.element(e)[a])].push_back(mesh.element(e)[b]);
  for (auto& nodes : neighbours_) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }
}

// Nodes of one colour have no common neighbour, so that every force belongs to one of them.
void JointHessian::colour() {
  std::vector<std::vector<int>> of_node(neighbours_.size());
  for (int k = 0; k < freedom_.variables(); ++k) of_node[at(freedom_.node(k))].push_back(k);
  std::vector<std::vector<char>> taken;  // colour, node: has a neighbour of that colour
  for (std::size_t a = 0; a < neighbours_.size(); ++a) {
    if (of_node[a].empty()) continue;
    std::size_t c = 0;
    for (; c < taken.size(); ++c)
      if (std::none_of(neighbours_[a].begin(), neighbours_[a].end(), [&](int b) { return taken[c][at(b)] != 0; }))
        break;
    if (c == taken.size()) taken.emplace_back(neighbours_.size(), 0);
    for (const int b : neighbours_[a]) taken[c][at(b)] = 1;
    for (std::size_t j = 0; j < of_node[a].size(); ++j) {
      const std::size_t batch = c * at(dimension_) + j;
      if (batches_.size() <= batch) batches_.resize(batch + 1);
      batches_[batch].push_back(of_node[a][j]);
    }
  }
}

void JointHessian::assemble(const Mesh& mesh, std::span<const std::shared_ptr<const SolidBlock>> blocks, ConstVector q,
                            const QualityBarrier& barrier, ConstVector sizes, ConstVector stiffness_values,
                            std::vector<double>& values) const {
  values.assign(at(pattern_.nonzeros()), 0.0);
  for (std::size_t s = 0; s < stiffness_slots_.size(); ++s) values[at(stiffness_slots_[s])] = stiffness_values[s];
  const auto n = at(freedom_.variables());
  std::vector<double> y(n), motion(mesh.X.size()), g(n);
  for (const std::vector<int>& batch : batches_) {
    std::fill(y.begin(), y.end(), 0.0);
    for (const int k : batch) y[at(k)] = difference * sizes[at(freedom_.node(k))];
    freedom_.expand(y, motion);
    BodyForces sides[2];
    std::vector<double> reduced[2];
    for (int side = 0; side < 2; ++side) {
      const double sign = side == 0 ? 1 : -1;
      auto moved = std::make_shared<Mesh>(mesh);
      std::vector<double> x(q.begin(), q.end());
      for (std::size_t i = 0; i < motion.size(); ++i) {
        moved->X[i] += sign * motion[i];
        x[at(first_) + i] += sign * motion[i];
      }
      std::vector<std::shared_ptr<const SolidBlock>> there;
      for (const auto& block : blocks) there.push_back(block->on_mesh(moved));
      sides[side] = forces_on(there, first_, size_, x);
      barrier.add_gradient(moved->X, sides[side].configurational);
      reduced[side].resize(n);
      freedom_.reduce(sides[side].configurational, reduced[side]);
    }
    for (const int k : batch) {
      const double twice = 2 * y[at(k)];
      for (const Entry& entry : by_z_[at(k)]) {
        const double value = (sides[0].internal[at(entry.row)] - sides[1].internal[at(entry.row)]) / twice;
        values[at(entry.slot)] = values[at(entry.mirror)] = value;
      }
      // Each off-diagonal entry is found twice; the matrix holds the mean.
      for (const Entry& entry : by_y_[at(k)]) {
        const double half = 0.5 * (reduced[0][at(entry.row)] - reduced[1][at(entry.row)]) / twice;
        values[at(entry.slot)] += half;
        values[at(entry.mirror)] += half;
      }
    }
  }
}

}  // namespace livens
