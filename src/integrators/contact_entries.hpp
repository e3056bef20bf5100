// The blocks of d (DB - F)/dq1 of the contacts of a step, between first coordinates.
#pragma once

#include "contact/contact_set.hpp"

namespace livens {

// -dF/dz = dv1/dz (-dF/dv1) + (-dF/dN) dN/dq1; the second, and what turns round, have no symmetric form. slip_rate:
// dv1/dz.
template <class Entry>
void for_friction_entries(const ContactSet& set, std::size_t begin, std::size_t end, double slip_rate, bool symmetric,
                          const Entry& entry) {
  const ContactSurface& surface = set.barrier().surface();
  const auto emit = [&](int a, int b, const Matrix3& block) {
    for (const auto& row : surface.parts(a))
      for (const auto& column : surface.parts(b))
        entry(row.first, column.first, row.weight * column.weight, block.data(), 3);
  };
  set.visit_rubbing(begin, end, [&](const Contact&, const Rubbing& rubbing) {
    for (int i = 0; i < rubbing.places(); ++i)
      for (int j = 0; j < rubbing.places(); ++j) {
        Matrix3 block = rubbing.resistance(i, j);
        const Matrix3 by_turning = symmetric ? Matrix3{} : rubbing.by_turning(i, j),
                      by_pressure = symmetric ? Matrix3{} : rubbing.by_pressure(i, j);
        for (std::size_t k = 0; k < 9; ++k) block[k] = slip_rate * (block[k] + by_turning[k]) + by_pressure[k];
        emit(rubbing.point(i), rubbing.point(j), block);
      }
  });
}

// entry(row, column, weight, block, width): of contacts [begin, end), 3 x 3 in rows that are `width` apart.
template <class Entry>
void for_contact_entries(const ContactSet& set, std::size_t begin, std::size_t end, double slip_rate, bool symmetric,
                         const Entry& entry) {
  double matrix[9 * most_contact_points * most_contact_points];
  const ContactSurface& surface = set.barrier().surface();
  for (std::size_t k = begin; k < end; ++k) {
    const Contact& contact = set.contacts()[k];
    if (!set.tangent(contact, symmetric, matrix)) continue;
    const int width = 3 * contact.count;
    for (int i = 0; i < contact.count; ++i)
      for (int j = 0; j < contact.count; ++j) {
        // The symmetric form has the closest points at q1 alone.
        if (symmetric && (contact.c1[i] == 0 || contact.c1[j] == 0)) continue;
        for (const auto& row : surface.parts(contact.point[i]))
          for (const auto& column : surface.parts(contact.point[j]))
            entry(row.first, column.first, row.weight * column.weight, matrix + 3 * i * width + 3 * j, width);
      }
  }
  for_friction_entries(set, begin, end, slip_rate, symmetric, entry);
}

}  // namespace livens
