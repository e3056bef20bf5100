#include "model/saddle_system.hpp"

#include <algorithm>
#include <cmath>

#include "model/linearisation.hpp"

namespace livens {
namespace {

// Writes down which entries constraints emit, or their values.
class Tape final : public MatrixSink {
 public:
  void add_block(std::span<const int> rows, std::span<const int> columns, const double* block) override {
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (values == nullptr)
          entries.push_back({first + rows[r], columns[c]});
        else
          *values++ = block[r * columns.size() + c];
      }
  }
  BlockAccess blocks(std::span<const int>, int, int) override { return {}; }

  std::vector<std::pair<int, int>> entries;
  double* values = nullptr;
  int first = 0;
};

void emit(const Model& model, double t, ConstVector q, Tape& tape) {
  for (const auto& constraint : model.parts().constraints) {
    constraint->add_jacobian(t, q, 1, tape);
    tape.first += constraint->count();
  }
}

}  // namespace

SaddleSystem::SaddleSystem(const Model& model, int stages)
    : n_(model.size()), m_(model.constraint_count()), stages_(stages) {
  Tape tape;
  const std::vector<double> anywhere(n_, 0.0);
  emit(model, 0, anywhere, tape);
  for (const auto& [constraint, coordinate] : tape.entries) entries_.push_back({constraint, coordinate});
  tape_.resize(entries_.size());

  const SparsePattern& base = linearisation(model).pattern();
  const auto s = static_cast<std::size_t>(stages);
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(n_ + m_) * s);
  for (std::size_t c = 0; c < static_cast<std::size_t>(n_); ++c)
    for (std::size_t k = 0; k < s; ++k)
      for (int e = base.column_start[c]; e < base.column_start[c + 1]; ++e)
        for (int j = 0; j < stages; ++j) columns[c * s + k].push_back(base.row[e] * stages + j);
  for (const Entry& entry : entries_)
    for (int j = 0; j < stages; ++j) {
      const int row = (n_ + entry.constraint) * stages + j, column = entry.coordinate * stages + j;
      columns[column].push_back(row);
      columns[row].push_back(column);
    }
  for (int k = n_ * stages; k < (n_ + m_) * stages; ++k) columns[k].push_back(k);
  pattern_.n = (n_ + m_) * stages;
  pattern_.column_start.push_back(0);
  for (auto& column : columns) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    pattern_.row.insert(pattern_.row.end(), column.begin(), column.end());
    pattern_.column_start.push_back(static_cast<int>(pattern_.row.size()));
  }
  for (const Entry& entry : entries_)
    for (int j = 0; j < stages; ++j) {
      const int row = (n_ + entry.constraint) * stages + j, column = entry.coordinate * stages + j;
      row_slots_.push_back(pattern_.slot(row, column));
      column_slots_.push_back(pattern_.slot(column, row));
    }
  if (stages == 1)
    for (int c = 0; c < n_; ++c)
      for (int e = base.column_start[c]; e < base.column_start[c + 1]; ++e)
        base_slots_.push_back(pattern_.slot(base.row[e], c));
}

ConstVector SaddleSystem::evaluate(const Model& model, double t, ConstVector q) const {
  Tape tape;
  tape.values = tape_.data();
  const Placed x = model.placed(t, q);
  emit(model, t, x, tape);
  if (model.supported_count() > 0)
    for (std::size_t k = 0; k < entries_.size(); ++k)
      if (model.supported(entries_[k].coordinate)) tape_[k] = 0;
  return tape_;
}

void SaddleSystem::add_base(ConstVector base, Vector values) const {
  for (std::size_t k = 0; k < base.size(); ++k) values[base_slots_[k]] += base[k];
}

void SaddleSystem::add_rows(const Model& model, double t, ConstVector q, int stage, double scale, Vector values) const {
  const ConstVector jacobian = evaluate(model, t, q);
  for (std::size_t k = 0; k < jacobian.size(); ++k) values[row_slots_[k * stages_ + stage]] += scale * jacobian[k];
}

void SaddleSystem::add_columns(const Model& model, double t, ConstVector q, int stage, double scale,
                               Vector values) const {
  const ConstVector jacobian = evaluate(model, t, q);
  for (std::size_t k = 0; k < jacobian.size(); ++k) values[column_slots_[k * stages_ + stage]] += scale * jacobian[k];
}

void SaddleSystem::row_sums(const Model& model, double t, ConstVector q, Vector sums) const {
  const ConstVector jacobian = evaluate(model, t, q);
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t k = 0; k < jacobian.size(); ++k) sums[entries_[k].constraint] += std::abs(jacobian[k]);
}

void SaddleSystem::add_diagonal(int constraint, int stage, double value, Vector values) const {
  const int k = (n_ + constraint) * stages_ + stage;
  values[pattern_.slot(k, k)] += value;
}

}  // namespace livens
