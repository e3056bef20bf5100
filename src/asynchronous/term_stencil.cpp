#include "asynchronous/term_stencil.hpp"

#include <algorithm>

#include "asynchronous/stencil_kernels.hpp"

namespace livens {
namespace {

class TermStencil final : public Stencils {
 public:
  TermStencil(std::shared_ptr<const EnergyTerm> term, std::vector<int> nodes, int dimension, int size)
      : Stencils(nodes, static_cast<int>(nodes.size())), term_(std::move(term)), dimension_(dimension), size_(size) {}

  // The term wants all coordinates and looks at its own.
  double evaluate(int, const double* x, double* g) const override {
    static thread_local std::vector<double> q, gradient;
    const auto size = static_cast<std::size_t>(size_);
    if (q.size() < size) {
      q.resize(size);
      gradient.resize(size);
    }
    for (int a = 0; a < per_stencil(); ++a)
      for (int c = 0; c < dimension_; ++c) {
        q[nodes(0)[a] + c] = x[4 * a + c];
        gradient[nodes(0)[a] + c] = 0;
      }
    const double energy =
        term_->add_gradient_and_energy(0, ConstVector(q).first(size), 1, Vector(gradient).first(size));
    for (int a = 0; a < per_stencil(); ++a)
      for (int c = 0; c < 4; ++c) g[4 * a + c] = c < dimension_ ? gradient[nodes(0)[a] + c] : 0;
    return energy;
  }

 private:
  std::shared_ptr<const EnergyTerm> term_;
  int dimension_, size_;
};

}  // namespace

std::vector<int> nodes_of_coordinates(const Model& model, const std::vector<int>& coordinates) {
  std::vector<int> nodes;
  for (const int i : coordinates)
    for (const Body& body : model.bodies())
      if (i >= body.first && i < body.first + body.size())
        nodes.push_back(i - (i - body.first) % std::max(1, body.dimension));
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

bool is_one_stencil(const Model& model, const EnergyTerm& term) {
  if (term.depends_on_time()) return false;
  const std::vector<int> nodes = nodes_of_coordinates(model, term.coordinates());
  return is_node_count(static_cast<int>(nodes.size()));
}

std::shared_ptr<const Stencils> make_term_stencil(const Model& model, std::shared_ptr<const EnergyTerm> term) {
  std::vector<int> nodes = nodes_of_coordinates(model, term->coordinates());
  return std::make_shared<TermStencil>(std::move(term), std::move(nodes), model.dimension(), model.size());
}

}  // namespace livens
