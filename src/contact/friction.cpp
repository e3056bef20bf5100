#include "contact/friction.hpp"

namespace livens {
namespace {

Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 c{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}

Point3 product(const Matrix3& a, const Point3& b) {
  return {a[0] * b.x + a[1] * b.y + a[2] * b.z, a[3] * b.x + a[4] * b.y + a[5] * b.z,
          a[6] * b.x + a[7] * b.y + a[8] * b.z};
}

// a'b
Point3 transposed_product(const Matrix3& a, const Point3& b) {
  return {a[0] * b.x + a[3] * b.y + a[6] * b.z, a[1] * b.x + a[4] * b.y + a[7] * b.z,
          a[2] * b.x + a[5] * b.y + a[8] * b.z};
}

Matrix3 outer(const Point3& a, const Point3& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}

Matrix3 cross_matrix(const Point3& a) { return {0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}; }

// The inverse of sum (|y|^2 - y y'), in the plane of its last entry alone; zero for points on a line, which have no
// spin about it that a velocity could show.
Matrix3 inverse_inertia(const Point3* y, int count, int dimension) {
  Matrix3 I{};
  double size = 0;
  for (int i = 0; i < count; ++i) {
    const double yy = square(y[i]);
    const Matrix3 own = outer(y[i], y[i]);
    size += yy;
    for (int k = 0; k < 9; ++k) I[k] += (k % 4 == 0 ? yy : 0) - own[k];
  }
  if (dimension == 2) return size > 0 ? Matrix3{0, 0, 0, 0, 0, 0, 0, 0, 1 / I[8]} : Matrix3{};
  const Matrix3 adjugate = {I[4] * I[8] - I[5] * I[7], I[2] * I[7] - I[1] * I[8], I[1] * I[5] - I[2] * I[4],
                            I[5] * I[6] - I[3] * I[8], I[0] * I[8] - I[2] * I[6], I[2] * I[3] - I[0] * I[5],
                            I[3] * I[7] - I[4] * I[6], I[1] * I[6] - I[0] * I[7], I[0] * I[4] - I[1] * I[3]};
  const double det = I[0] * adjugate[0] + I[1] * adjugate[3] + I[2] * adjugate[6];
  if (!(det > 1e-12 * size * size * size)) return {};
  Matrix3 inverse = adjugate;
  for (double& value : inverse) value /= det;
  return inverse;
}

}  // namespace

bool Rubbing::begin(const Contact& contact, const FrictionLaw& law, const ContactSurface& surface,
                    const std::vector<Point3>& x0, const std::vector<Point3>& x1, const std::vector<Point3>& v1) {
  const double long_mean = length(contact.mean), N = -contact.force * long_mean;
  if (!(N > 0) || law.coefficient == 0) return false;
  normal_ = (1 / long_mean) * contact.mean;
  c_ = contact.c;
  c1_ = contact.c1;
  r1_ = contact.r1;
  push_ = law.coefficient * N;
  by_gap_ = -law.coefficient * contact.steep * long_mean;
  by_mean_ = -law.coefficient * contact.force;

  // The points: that of the contact and those of the facet, or of both edges; c their coefficients at q1.
  std::array<double, most_points> c{};
  const auto coefficient = [&](int point) {
    for (int i = 0; i < contact.count; ++i)
      if (contact.point[i] == point) return contact.c1[i];
    return 0.0;
  };
  count_ = 0;
  const int turning = contact.edges ? 0 : 1;  // the first point whose spin counts
  if (contact.edges) {
    for (; count_ < 4; ++count_) point_[count_] = contact.point[count_];
  } else {
    point_[count_++] = contact.point[0];
    for (int k = 0; contact.facet >= 0 && k < surface.dimension(); ++k)
      point_[count_++] = surface.facets()[contact.facet][k];
  }
  std::array<Point3, most_points> y{};
  Point3 r, mean;
  for (int i = 0; i < count_; ++i) {
    c[i] = coefficient(point_[i]);
    y[i] = 0.5 * (x0[point_[i]] + x1[point_[i]]);
    r += c[i] * y[i];
    if (i >= turning) mean += (1.0 / (count_ - turning)) * y[i];
  }
  for (int i = 0; i < count_; ++i) y[i] -= mean;
  Matrix3 spin{};  // [r]x I^-1
  if (count_ > 1)
    spin = product(cross_matrix(r), inverse_inertia(y.data() + turning, count_ - turning, surface.dimension()));
  Matrix3 along = outer(normal_, normal_);  // 1 - n n'
  for (int k = 0; k < 9; ++k) along[k] = (k % 4 == 0 ? 1 : 0) - along[k];
  V_ = {};
  for (int i = 0; i < count_; ++i) {
    Matrix3 G{};
    if (i >= turning && count_ > 1) G = product(spin, cross_matrix(y[i]));
    for (int k = 0; k < 9; k += 4) G[k] += c[i];
    G_[i] = product(along, G);
    V_ += product(G_[i], v1[point_[i]]);
  }
  speed_ = length(V_);
  const double part = speed_ / law.stick_speed;
  slip_ = part < 1 ? (2 - part) / law.stick_speed : 1 / speed_;
  slip_slope_ = part < 1 ? 2 * (1 - part) / law.stick_speed : 0;
  return true;
}

void Rubbing::add_forces(double scale, Point3* forces) const {
  for (int i = 0; i < count_; ++i) forces[point_[i]] -= (scale * push_ * slip_) * transposed_product(G_[i], V_);
}

Matrix3 Rubbing::resistance(int i, int j) const {
  // f/|V| + (f' - f/|V|) t t'
  Matrix3 middle{};
  if (speed_ > 0) middle = outer((1 / speed_) * V_, ((slip_slope_ - slip_) / speed_) * V_);
  for (int k = 0; k < 9; k += 4) middle[k] += slip_;
  const Matrix3 right = product(middle, G_[j]);
  Matrix3 result{};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int k = 0; k < 3; ++k) result[3 * a + b] += push_ * G_[i][3 * k + a] * right[3 * k + b];
  return result;
}

Matrix3 Rubbing::by_pressure(int i, int j) const {
  const Point3 pull = slip_ * transposed_product(G_[i], V_);
  return outer(pull, (by_gap_ * c1_[j]) * r1_ + (by_mean_ * c_[j]) * normal_);
}

}  // namespace livens
