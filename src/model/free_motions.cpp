// The rigid motions of every piece of a body are a few vectors r_k of displacements of its nodes, three translations
// and three rotations. Of their combinations y those are free for which every row of
//   r(supported coordinates) y = 0,   dg/dq r y = 0,   d2W/dq2 r y = 0
// holds, W without the elastic energy of solids, which no rigid motion changes. Each row that is not fulfilled yet
// takes one dimension away.
#include "model/free_motions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include <livens/solid_block.hpp>

#include "model/rigid_motions.hpp"

namespace livens {
namespace {

constexpr double cancelled = 1e-9;  // of the sum of absolute values: rounding of a sum that is 0

// Rows of some matrix times the motions, from the blocks of the matrix.
class RowSink final : public MatrixSink {
 public:
  RowSink(const RigidMotions& motions, int rows) : motions_(motions), row_(at_least_one(rows)), size_(row_.size()) {}

  void add_block(std::span<const int> rows, std::span<const int> columns, const double* values) override {
    for (const int i : rows)
      for (const int j : columns) add(i, j, *values++);
  }
  BlockAccess blocks(std::span<const int> first, int per_stencil, int dimension) override {
    Threaded& threaded = threaded_.emplace_back();
    threaded.first.assign(first.begin(), first.end());
    threaded.per_stencil = per_stencil;
    threaded.dimension = dimension;
    const std::size_t count = first.size() * static_cast<std::size_t>(per_stencil), each = square(dimension);
    threaded.values.assign(count * each, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      threaded.slot.push_back(static_cast<int>(k * each));
      threaded.slot.push_back(dimension);
    }
    return {threaded.values.data(), threaded.slot.data()};
  }

  // Takes from the space what the rows do not allow.
  void restrict(Subspace& space) {
    for (const Threaded& threaded : threaded_) add_threaded(threaded);
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (!row_[i].empty()) space.require_zero(row_[i], cancelled * size_[i]);
  }

 private:
  struct Threaded {
    std::vector<int> first, slot;
    int per_stencil = 0, dimension = 0;
    std::vector<double> values;
  };
  using Row = std::vector<double>;
  static std::size_t square(int n) { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
  static std::vector<Row> at_least_one(int rows) { return std::vector<Row>(std::max(rows, 1)); }

  void add(int i, int j, double value) {
    if (value == 0) return;
    Row& row = row_[i];
    if (row.empty()) row.assign(motions_.count(), 0.0);
    motions_.for_each(j, [&](std::size_t k, double r) {
      row[k] += value * r;
      size_[i] += std::abs(value * r);
    });
  }
  void add_threaded(const Threaded& t) {
    const std::size_t per = t.per_stencil;
    for (std::size_t k = 0; k < t.first.size() * per; ++k) {
      const std::size_t stencil = k / (per * per), a = k / per % per, b = k % per;
      const int row = t.first[stencil * per + a], column = t.first[stencil * per + b];
      const double* const value = &t.values[k * square(t.dimension)];
      for (int c = 0; c < t.dimension; ++c)
        for (int r = 0; r < t.dimension; ++r) add(row + r, column + c, value[c * t.dimension + r]);
    }
  }

  const RigidMotions& motions_;
  std::vector<Row> row_;
  std::vector<double> size_;
  std::vector<Threaded> threaded_;
};

Subspace free_space(const Model& model, const RigidMotions& motions, double t, ConstVector q) {
  Subspace space(motions.count());
  std::vector<double> row(motions.count());
  for (int i = 0; i < model.size(); ++i) {
    if (!model.supported(i)) continue;
    std::fill(row.begin(), row.end(), 0.0);
    motions.for_each(i, [&](std::size_t k, double r) { row[k] = r; });
    space.require_zero(row, 0);
  }
  for (const auto& constraint : model.parts().constraints) {
    RowSink sink(motions, constraint->count());
    constraint->add_jacobian(t, q, 1, sink);
    sink.restrict(space);
  }
  RowSink sink(motions, model.size());
  for (const auto& term : model.parts().terms)
    if (term->elements() == nullptr) term->add_hessian(t, q, 1, sink);
  sink.restrict(space);
  return space;
}

// With what does not move: planes and spheres, or bodies of which some are held.
bool has_contact(const Model& model) {
  const auto& terms = model.parts().terms;
  const bool held = !model.parts().supports.empty();
  return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
    return !term->obstacles().empty() || (held && term->barrier() != nullptr);
  });
}

// Largest force of the loads along the space, 0 where they cancel.
double push_along(const Model& model, const RigidMotions& motions, const Subspace& space, double t, ConstVector q) {
  std::vector<double> g(model.size(), 0.0), along(motions.count(), 0.0), size(motions.count(), 0.0);
  for (const auto& term : model.parts().terms)
    if (term->elements() == nullptr) term->add_gradient(t, q, 1, g);
  for (int i = 0; i < model.size(); ++i)
    motions.for_each(i, [&](std::size_t k, double r) {
      along[k] += g[i] * r;
      size[k] += std::abs(g[i] * r);
    });
  const double force = space.norm_along(along);
  return force > cancelled * *std::max_element(size.begin(), size.end()) ? force : 0;
}

}  // namespace

std::string FreeMotions::text() const {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

FreeMotions free_motions(const Model& model, ConstVector q, double t_begin, double t_end) {
  FreeMotions result;
  const RigidMotions motions(model, q);
  if (motions.count() == 0) return result;
  Subspace space = free_space(model, motions, t_begin, q);
  result.texts = motions.describe(space);
  if (space.dimension() == 0 || has_contact(model)) return result;
  for (std::size_t k = 0; k < motions.count(); ++k)
    if (motions.returns(k)) space.require_zero(k);
  constexpr int looks = 8;
  for (int k = 0; k <= looks; ++k)
    result.push = std::max(result.push, push_along(model, motions, space, t_begin + (t_end - t_begin) * k / looks, q));
  return result;
}

std::string no_equilibrium(const Model& model, ConstVector q, double t_begin, double t_end) {
  const FreeMotions free = free_motions(model, q, t_begin, t_end);
  if (free.push == 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", free.push);
  return "there is no equilibrium: nothing holds " + free.text() + ", and the loads push there with " + text +
         " N. Hold it with a [[constraint]] (fixed, prescribed) or springs, or balance the loads";
}

}  // namespace livens
