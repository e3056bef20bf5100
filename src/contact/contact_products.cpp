#include "contact/contact_products.hpp"

#include "math/parallel.hpp"

namespace livens {

void ContactProducts::take(const ContactSet& set, bool symmetric) {
  const std::size_t count = set.contacts().size();
  tangents_.resize(count);
  for_each_index((count + contacts_each - 1) / contacts_each, [&](std::size_t task) {
    for (std::size_t k = task * contacts_each; k < std::min(count, (task + 1) * contacts_each); ++k)
      set.take_tangent(k, symmetric, tangents_[k]);
  });
  sort_shares(set.barrier().surface().points());
}

void ContactProducts::sort_shares(int points) {
  next_.assign(static_cast<std::size_t>(points), 0);
  first_.clear();
  int shares = 0;
  for (std::size_t k = 0; k < tangents_.size(); ++k) {
    if (k % contacts_each == 0) first_.push_back(static_cast<std::size_t>(shares));
    shares += tangents_[k].count();
    for (int i = 0; i < tangents_[k].count(); ++i) ++next_[tangents_[k].point(i)];
  }
  shares_.resize(static_cast<std::size_t>(shares));
  order_.resize(shares_.size());
  place_.resize(shares_.size());
  points_.clear();
  start_.assign(1, 0);
  for (int a = 0; a < points; ++a) {
    if (next_[a] == 0) continue;
    points_.push_back(a);
    start_.push_back(start_.back() + static_cast<std::size_t>(next_[a]));
    next_[a] = static_cast<int>(start_[start_.size() - 2]);
  }
  int share = 0;
  for (const ContactTangent& tangent : tangents_)
    for (int i = 0; i < tangent.count(); ++i) order_[next_[tangent.point(i)]++] = share++;
  for (std::size_t p = 0; p < points_.size(); ++p)
    for (std::size_t i = start_[p]; i < start_[p + 1]; ++i) place_[order_[i]] = static_cast<int>(p);
}

void ContactProducts::multiply(const ContactSurface& surface, ConstVector dx) const {
  moved_.resize(points_.size());
  const bool space = surface.dimension() == 3;
  for (std::size_t p = 0; p < points_.size(); ++p) {
    Point3 sum;
    for (const auto& part : surface.parts(points_[p])) {
      const double* at = dx.data() + part.first;
      sum += part.weight * Point3{at[0], at[1], space ? at[2] : 0};
    }
    moved_[p] = sum;
  }
  for_each_index(first_.size(), [&](std::size_t task) {
    std::size_t share = first_[task];
    Point3 own[most_contact_points];
    for (std::size_t k = task * contacts_each; k < std::min(tangents_.size(), (task + 1) * contacts_each); ++k) {
      const ContactTangent& tangent = tangents_[k];
      const auto count = static_cast<std::size_t>(tangent.count());
      if (count == 0) continue;
      for (std::size_t i = 0; i < count; ++i) own[i] = moved_[place_[share + i]];
      tangent.multiply(own, shares_.data() + share);
      share += count;
    }
  });
  images_.resize(points_.size());
  for_each_index((points_.size() + points_each - 1) / points_each, [&](std::size_t task) {
    for (std::size_t p = task * points_each; p < std::min(points_.size(), (task + 1) * points_each); ++p) {
      Point3 sum;
      for (std::size_t i = start_[p]; i < start_[p + 1]; ++i) sum += shares_[order_[i]];
      images_[p] = sum;
    }
  });
}

}  // namespace livens
