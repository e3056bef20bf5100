#include "contact/contact.hpp"

namespace livens {
namespace {

// matrix += (left_i u) (right_j w)' over points i, j
template <class Left, class Right>
void add_outer(int n, const Left& left, const Right& right, double* matrix) {
  for (int i = 0; i < n; ++i) {
    const Point3 l = left(i);
    const double rows[3] = {l.x, l.y, l.z};
    for (int j = 0; j < n; ++j) {
      const Point3 r = right(j);
      const double columns[3] = {r.x, r.y, r.z};
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) matrix[(3 * i + a) * 3 * n + 3 * j + b] += rows[a] * columns[b];
    }
  }
}

}  // namespace

bool contact_tangent(const Contact& contact, double scale, bool symmetric, double* matrix) {
  const int n = contact.count;
  std::fill(matrix, matrix + 9 * n * n, 0.0);
  if (contact.force == 0 && contact.steep == 0 && !contact.bent) return false;
  const Coefficients &c = contact.c, &c1 = contact.c1;
  const double long_mean = length(contact.mean), d1 = length(contact.r1);
  if (symmetric) {
    const double stiffness = contact.steep * long_mean * d1 + contact.force;
    if (!(stiffness > 0) || d1 == 0) return false;
    const Point3 n1 = (1 / d1) * contact.r1;
    add_outer(
        n, [&](int i) { return (scale * stiffness * c1[i]) * n1; }, [&](int j) { return c1[j] * n1; }, matrix);
    return true;
  }
  add_outer(
      n, [&](int i) { return (scale * contact.steep * c[i]) * contact.mean; },
      [&](int j) { return c1[j] * contact.r1; }, matrix);
  if (long_mean > 0) {
    const Point3 normal = (1 / long_mean) * contact.mean;
    add_outer(
        n, [&](int i) { return (scale * contact.force * c[i]) * normal; }, [&](int j) { return c[j] * normal; },
        matrix);
  }
  if (contact.bent) {
    add_outer(
        n, [&](int i) { return (scale * contact.plain_force * c[i]) * contact.mean; },
        [&](int j) { return contact.by_cross[j]; }, matrix);
    add_outer(
        n, [&](int i) { return scale * contact.more[i]; },
        [&](int j) { return (contact.end_force * c1[j]) * contact.r1; }, matrix);
  }
  return true;
}

}  // namespace livens
