// The derivatives of the contacts of a set as an operator on changes of the points: products without matrices. Contacts
// are worked on side by side, and what they do to a point is added in their order, so that sums are the same for any
// number of threads.
#pragma once

#include <vector>

#include "contact/contact_set.hpp"

namespace livens {

class ContactProducts {
 public:
  // Of the contacts as they are now, which may change later. symmetric: the symmetric forms.
  void take(const ContactSet& set, bool symmetric);

  // y += scale A dx, of coordinates; y has no contacts where without(coordinate).
  template <class Without>
  void add_product(const ContactSurface& surface, ConstVector dx, double scale, Vector y,
                   const Without& without) const {
    multiply(surface, dx);
    for (std::size_t p = 0; p < points_.size(); ++p) {
      const double image[3] = {scale * images_[p].x, scale * images_[p].y, scale * images_[p].z};
      for (const auto& part : surface.parts(points_[p]))
        for (int c = 0; c < surface.dimension(); ++c)
          if (!without(part.first + c)) y[part.first + c] += part.weight * image[c];
    }
  }

 private:
  static constexpr std::size_t contacts_each = 64, points_each = 512;  // of a task

  void sort_shares(int points);
  void multiply(const ContactSurface& surface, ConstVector dx) const;

  std::vector<ContactTangent> tangents_;
  std::vector<std::size_t> first_;              // share of every contacts_each-th contact
  std::vector<int> points_;                     // that have shares
  std::vector<std::size_t> start_;              // of each of them in order_
  std::vector<int> order_, next_;               // shares by points
  std::vector<int> place_;                      // of each share in points_
  mutable std::vector<Point3> shares_;          // of every contact for each point of its own
  mutable std::vector<Point3> moved_, images_;  // of points_
};

}  // namespace livens
