#include "diagnostics/extreme_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "math/pack.hpp"

namespace livens {
namespace {

constexpr std::size_t most_rows = 1000;  // about

// Whether one of the values is below or above these.
bool leaves(std::span<const double> values, double low, double high) {
  Pack least = broadcast(low), largest = broadcast(high);
  std::size_t k = 0;
  for (; k + pack_lanes <= values.size(); k += pack_lanes) {
    Pack value;
    std::memcpy(&value, values.data() + k, sizeof value);
    least = value < least ? value : least;
    largest = max(value, largest);
  }
  bool any = false;
  for (std::size_t s = 0; s < pack_lanes; ++s) any = any || least[s] < low || largest[s] > high;
  for (; k < values.size(); ++k) any = any || values[k] < low || values[k] > high;
  return any;
}

}  // namespace

ExtremeRows::ExtremeRows(std::vector<std::size_t> columns) : columns_(std::move(columns)) {
  const std::size_t per_stretch = 2 * std::max<std::size_t>(columns_.size(), 1);
  most_ = std::clamp<std::size_t>(most_rows / per_stretch, 8, 128) / 2 * 2;
}

void ExtremeRows::add(std::span<const double> row) {
  if (count_ % length_ == 0) {
    if (stretches_.size() == most_) merge_pairs();
    stretches_.push_back({std::vector<Place>(columns_.size()), std::vector<Place>(columns_.size())});
    read_extremes();
  }
  Place kept;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const double value = row[columns_[k]];
    const bool low = value<lowest_[k], high = value> highest_[k];
    if (!(low || high) || !std::isfinite(value)) continue;
    if (kept == nullptr) kept = std::make_shared<const Kept>(Kept{count_, Row(row.begin(), row.end())});
    if (low) {
      stretches_.back().low[k] = kept;
      lowest_[k] = value;
    }
    if (high) {
      stretches_.back().high[k] = kept;
      highest_[k] = value;
    }
  }
  ++count_;
}

void ExtremeRows::add(std::size_t count, std::span<const double* const> values,
                      const std::function<std::span<const double>(std::size_t k)>& row) {
  for (std::size_t k = 0; k < count;) {
    if (count_ % length_ == 0) {
      add(row(k++));
      continue;
    }
    // The other rows of this stretch: those in which nothing is new are counted only.
    const std::size_t end = std::min(count, k + static_cast<std::size_t>(length_ - count_ % length_));
    const auto is_new = [&](std::size_t at) {
      for (std::size_t c = 0; c < columns_.size(); ++c)
        if (values[c] != nullptr && (values[c][at] < lowest_[c] || values[c][at] > highest_[c])) return true;
      return false;
    };
    bool any_new = false;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      any_new = any_new || (values[c] != nullptr && leaves({values[c] + k, end - k}, lowest_[c], highest_[c]));
    for (; k < end; ++k) {
      if (any_new && is_new(k))
        add(row(k));
      else
        ++count_;
    }
  }
}

void ExtremeRows::read_extremes() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  lowest_.assign(columns_.size(), infinity);
  highest_.assign(columns_.size(), -infinity);
  for (std::size_t k = 0; k < columns_.size() && !stretches_.empty(); ++k) {
    const Stretch& now = stretches_.back();
    if (now.low[k] != nullptr) lowest_[k] = now.low[k]->row[columns_[k]];
    if (now.high[k] != nullptr) highest_[k] = now.high[k]->row[columns_[k]];
  }
}

void ExtremeRows::take(std::vector<Place>& places, const std::vector<Place>& others,
                       const std::vector<std::size_t>& columns, double sign) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (others[k] == nullptr) continue;
    const double other = sign * others[k]->row[columns[k]];
    if (places[k] == nullptr || other > sign * places[k]->row[columns[k]]) places[k] = others[k];
  }
}

void ExtremeRows::merge_pairs() {
  for (std::size_t k = 0; 2 * k < stretches_.size(); ++k) {
    if (k > 0) stretches_[k] = std::move(stretches_[2 * k]);
    take(stretches_[k].low, stretches_[2 * k + 1].low, columns_, -1);
    take(stretches_[k].high, stretches_[2 * k + 1].high, columns_, 1);
  }
  stretches_.resize(stretches_.size() / 2);
  length_ *= 2;
}

std::vector<ExtremeRows::Row> ExtremeRows::rows() const {
  std::map<long, const Row*> found;
  for (const Stretch& stretch : stretches_)
    for (const auto* places : {&stretch.low, &stretch.high})
      for (const Place& place : *places)
        if (place != nullptr) found[place->number] = &place->row;
  std::vector<Row> rows;
  for (const auto& [number, row] : found) rows.push_back(*row);
  return rows;
}

// Rows one after the other, each behind its number; then, by stretch and column, the numbers of the lowest and the
// highest.
void ExtremeRows::visit_memory(MemoryVisitor& visitor) {
  std::map<long, Place> kept;
  std::vector<double> rows, places;
  for (const Stretch& stretch : stretches_)
    for (const auto* list : {&stretch.low, &stretch.high})
      for (const Place& place : *list) {
        places.push_back(place != nullptr ? static_cast<double>(place->number) : -1);
        if (place != nullptr) kept[place->number] = place;
      }
  long width = kept.empty() ? 1 : 1 + static_cast<long>(kept.begin()->second->row.size());
  for (const auto& [number, place] : kept) {
    rows.push_back(static_cast<double>(number));
    rows.insert(rows.end(), place->row.begin(), place->row.end());
  }
  visitor.visit("extremes.count", count_);
  visitor.visit("extremes.length", length_);
  visitor.visit("extremes.width", width);
  visitor.visit("extremes.rows", rows);
  visitor.visit("extremes.places", places);

  kept.clear();
  kept[-1] = nullptr;
  for (auto at = rows.begin(); rows.end() - at >= width; at += width)
    kept[std::lround(*at)] = std::make_shared<const Kept>(Kept{std::lround(*at), Row(at + 1, at + width)});
  stretches_.clear();
  auto at = places.begin();
  while (!columns_.empty() && places.end() - at >= static_cast<long>(2 * columns_.size())) {
    Stretch& stretch = stretches_.emplace_back();
    for (auto* list : {&stretch.low, &stretch.high})
      for (std::size_t k = 0; k < columns_.size(); ++k) list->push_back(kept[std::lround(*at++)]);
  }
  read_extremes();
}

}  // namespace livens
