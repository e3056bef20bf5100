// The derivatives of contacts beside the pattern of the model: a symmetric matrix S for conjugate gradients, and
// products with the Jacobian J. While the elastic part of J is that of S, J x = S x + (contacts - those in S) x, where
// conjugate gradients know S x.
#include <algorithm>

#include "integrators/contact_entries.hpp"
#include "integrators/contact_steps.hpp"

namespace livens {
namespace {

constexpr std::size_t contacts_each = 64;  // of a task

}  // namespace

// values: the symmetric part of the Jacobian of the model. Where there is another part base_values_ have the whole.
void ContactSteps::take_base(ConstVector z, Base base_form, Vector values) {
  base_is_general_ = base_form == Base::general;
  if (!base_is_general_) return held_.jacobian(z, values);
  std::fill(base_values_.begin(), base_values_.end(), 0.0);
  held_.general_jacobian(z, base_values_);
  const SparsePattern& base = held_.pattern();
  if (transposed_.empty()) {
    transposed_.resize(base.row.size());
    for (int c = 0; c < base.n; ++c)
      for (int k = base.column_start[c]; k < base.column_start[c + 1]; ++k) transposed_[k] = base.slot(c, base.row[k]);
  }
  for (std::size_t k = 0; k < base_values_.size(); ++k)
    values[k] = 0.5 * (base_values_[k] + base_values_[transposed_[k]]);
}

// entries(set, begin, end, entry) for all contacts, in tasks.
template <class Entries>
void ContactSteps::gather_blocks(bool symmetric, ScatteredBlocks& blocks, const Entries& entries) {
  const int d = model_->dimension();
  ranges_.clear();
  for (const ContactSet& set : sets_)
    for (std::size_t begin = 0; begin < set.contacts().size(); begin += contacts_each)
      ranges_.push_back({&set, begin, std::min(set.contacts().size(), begin + contacts_each)});
  blocks.gather(ranges_.size(), held_.pattern().n / d, d, [&](std::size_t k, auto& list) {
    const ContactRange& range = ranges_[k];
    entries(*range.set, range.begin, range.end,
            [&](int row, int column, double weight, const double* block, int width) {
              list.push_back({row / d, column / d, {}});
              add_block(0, d, row, column, factor_ * weight, block, width, list.back().values.data(), symmetric);
            });
  });
}

void ContactSteps::gather_friction(bool symmetric, ScatteredBlocks& blocks) {
  if (!has_friction()) return;
  gather_blocks(symmetric, blocks, [&](const ContactSet& set, std::size_t begin, std::size_t end, const auto& entry) {
    for_friction_entries(set, begin, end, slip_rate_, symmetric, entry);
  });
}

Couplings ContactSteps::jacobian_beside(ConstVector z, Base base_form, Vector values) {
  take_base(z, base_form, values);
  gather_blocks(true, symmetric_blocks_,
                [&](const ContactSet& set, std::size_t begin, std::size_t end, const auto& entry) {
                  for_contact_entries(set, begin, end, slip_rate_, true, entry);
                });
  symmetric_.resize(sets_.size());
  for (std::size_t k = 0; k < sets_.size(); ++k) symmetric_[k].take(sets_[k], true);
  gather_friction(true, symmetric_friction_);
  const SparsePattern& base = held_.pattern();
  const int d = model_->dimension();
  beside_.resize(symmetric_blocks_.rows());
  symmetric_blocks_.for_each_row([&](std::size_t r, std::span<const ScatteredBlocks::Block* const> blocks) {
    std::vector<const ScatteredBlocks::Block*>& beside = beside_[r];
    beside.clear();
    for (const ScatteredBlocks::Block* block : blocks) {
      const int column = block->column * d, slot = base.slot(block->row * d, column);
      const int stride = base.column_start[column + 1] - base.column_start[column];
      if (slot < 0 && block->row < block->column) beside.push_back(block);
      for (int b = 0; b < d && slot >= 0; ++b)
        for (int a = 0; a < d; ++a) values[slot + b * stride + a] += block->values[b * d + a];
    }
    std::stable_sort(beside.begin(), beside.end(), [](const auto* a, const auto* b) { return a->column < b->column; });
  });
  merge_couplings();
  return {beside_nodes_, beside_blocks_};
}

// Sums of the blocks of equal pairs, in the order in which they came; in rows.
void ContactSteps::merge_couplings() {
  const int d = model_->dimension();
  const auto size = static_cast<std::size_t>(d * d);
  beside_nodes_.clear();
  beside_blocks_.clear();
  for (const auto& row : beside_)
    for (const ScatteredBlocks::Block* next : row) {
      const NodeCoupling nodes{next->row, next->column};
      if (beside_nodes_.empty() || beside_nodes_.back() != nodes) {
        beside_nodes_.push_back(nodes);
        beside_blocks_.resize(beside_blocks_.size() + size, 0.0);
      }
      double* to = beside_blocks_.data() + beside_blocks_.size() - size;
      for (int a = 0; a < d; ++a)
        for (int b = 0; b < d; ++b) to[a * d + b] += next->values[b * d + a];
    }
}

void ContactSteps::take_contacts() {
  exact_.resize(sets_.size());
  for (std::size_t k = 0; k < sets_.size(); ++k) exact_[k].take(sets_[k], false);
  gather_friction(false, exact_friction_);
}

// There are no contacts in the rows of supports, and in their columns x is 0.
void ContactSteps::multiply(ConstVector x, ConstVector image, Vector y) const {
  if (base_is_general_)
    held_.pattern().multiply(base_values_, x, y);
  else
    std::copy(image.begin(), image.end(), y.begin());
  const auto supported = [&](int coordinate) { return model_->supported(coordinate); };
  for (std::size_t k = 0; k < sets_.size(); ++k) {
    const ContactSurface& surface = sets_[k].barrier().surface();
    exact_[k].add_product(surface, x, factor_, y, supported);
    if (!base_is_general_) symmetric_[k].add_product(surface, x, -factor_, y, supported);
  }
  if (!has_friction()) return;
  exact_friction_.add_product(x, 1, y);
  if (!base_is_general_) symmetric_friction_.add_product(x, -1, y);
}

}  // namespace livens
