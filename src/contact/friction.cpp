#include "contact/friction.hpp"

namespace livens {
namespace {

Point3 product(const Matrix3& a, const Point3& b) {
  return {a[0] * b.x + a[1] * b.y + a[2] * b.z, a[3] * b.x + a[4] * b.y + a[5] * b.z,
          a[6] * b.x + a[7] * b.y + a[8] * b.z};
}

Matrix3 outer(const Point3& a, const Point3& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}

// The inverse of I, in the plane of its last entry alone; zero for points on a line, whose spin no velocity shows.
Matrix3 inverse_of(const Matrix3& I, double size, int dimension) {
  if (dimension == 2) return size > 0 ? Matrix3{0, 0, 0, 0, 0, 0, 0, 0, 1 / I[8]} : Matrix3{};
  Matrix3 inverse = {I[4] * I[8] - I[5] * I[7], I[2] * I[7] - I[1] * I[8], I[1] * I[5] - I[2] * I[4],
                     I[5] * I[6] - I[3] * I[8], I[0] * I[8] - I[2] * I[6], I[2] * I[3] - I[0] * I[5],
                     I[3] * I[7] - I[4] * I[6], I[1] * I[6] - I[0] * I[7], I[0] * I[4] - I[1] * I[3]};
  const double det = I[0] * inverse[0] + I[1] * inverse[3] + I[2] * inverse[6];
  if (!(det > 1e-12 * size * size * size)) return {};
  for (double& value : inverse) value /= det;
  return inverse;
}

}  // namespace

void BodySpin::begin(std::span<const Point3> x, std::span<const Point3> v, int dimension) {
  mean_ = {};
  for (const Point3& p : x) mean_ += (1 / static_cast<double>(x.size())) * p;
  Matrix3 I{};
  Point3 moment;
  double size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Point3 y = x[i] - mean_;
    const double yy = square(y);
    const Matrix3 own = outer(y, y);
    size += yy;
    for (int k = 0; k < 9; ++k) I[k] += (k % 4 == 0 ? yy : 0) - own[k];
    moment += cross(y, v[i]);
  }
  inverse_ = inverse_of(I, size, dimension);
  rate_ = product(inverse_, moment);
}

Point3 BodySpin::rate_of(std::span<const Point3> x, std::span<const Point3> v) const {
  Point3 moment;
  for (std::size_t i = 0; i < x.size(); ++i) moment += cross(x[i] - mean_, v[i]);
  return product(inverse_, moment);
}

void BodySpin::take_moment(const Point3& moment, std::span<const Point3> x, std::span<Point3> forces) const {
  const Point3 turned = product(inverse_, moment);
  for (std::size_t i = 0; i < x.size(); ++i) forces[i] -= cross(turned, x[i] - mean_);
}

// -(I^-1 (y x dv)) x arm, column by column
Matrix3 BodySpin::lever(const Point3& x, const Point3& arm) const {
  const Point3 y = x - mean_;
  Matrix3 result{};
  const Point3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t c = 0; c < 3; ++c) {
    const Point3 column = cross(arm, product(inverse_, cross(y, units[c])));
    result[c] = column.x;
    result[3 + c] = column.y;
    result[6 + c] = column.z;
  }
  return result;
}

Point3 Rubbing::slide(const Point3* v, const Point3& rate, const Point3& own_rate, double& closing) const {
  Point3 relative;
  for (int i = 0; i < contact_->count; ++i) relative += contact_->c1[i] * v[contact_->point[i]];
  relative -= cross(own_rate, own_arm_) + cross(rate, arm_);
  closing = dot(relative, normal_);
  return relative - closing * normal_;
}

bool Rubbing::begin_at_end(const Contact& contact, const FrictionLaw& law, std::span<const BodySpin> spins,
                           const Point3* x0, const Point3* x1, const Point3* v1) {
  if (!(contact.normal > 0)) return false;
  const double long_mean = length(contact.mean);
  contact_ = &contact;
  places_ = contact.count;
  normal_ = contact.direction;
  push_ = law.coefficient * contact.normal;
  by_gap_ = -law.coefficient * contact.steep * long_mean;
  by_mean_ = -law.coefficient * contact.force;
  r_ = {};
  turning_ = {};
  for (int i = 0; i < contact.count; ++i) {
    const int point = contact.point[i];
    r_ += (0.5 * contact.c1[i]) * (x0[point] + x1[point]);
  }
  own_arm_ = contact.own < 0 ? Point3{} : std::isfinite(contact.own_arm) ? contact.own_arm * normal_ : r_;
  if (contact.alike) own_arm_ += 0.5 * (r_ - (contact.own_arm + contact.other_arm) * normal_);
  arm_ = contact.body < 0 ? Point3{} : r_ - own_arm_;
  const auto rate = [&](int body) { return body < 0 ? Point3{} : spins[body].rate(); };
  double closing = 0;
  V_ = slide(v1, rate(contact.body), rate(contact.own), closing);
  closing_ = std::abs(closing);
  const double speed = length(V_), part = speed / law.stick_speed;
  slip_ = part < 1 ? (2 - part) / law.stick_speed : 1 / speed;
  slip_slope_ = part < 1 ? 2 * (1 - part) / law.stick_speed : 0;
  return true;
}

bool Rubbing::begin(const Contact& contact, const FrictionLaw& law, std::span<const BodySpin> spins, const Point3* x0,
                    const Point3* x1, const Point3* v1, const Point3* mean, std::span<const Point3> mean_rates) {
  if (!begin_at_end(contact, law, spins, x0, x1, v1)) return false;
  const auto rate = [&](int body) { return body < 0 ? Point3{} : mean_rates[body]; };
  double closing = 0;
  const Point3 twice = 2 * slide(mean, rate(contact.body), rate(contact.own), closing);
  const double speed = length(V_), along = dot(twice, V_);
  if (!(along < speed * std::min(speed, law.stick_speed))) return true;  // f(s) = f(|V|)
  const double s = speed > 0 ? std::max(0.0, along / speed) : 0, part = s / law.stick_speed;
  const double slope = along > 0 ? 2 * (1 - part) / law.stick_speed : 0;  // f'
  slip_ = speed > 0 ? (2 - part) * part / speed : 0;
  slip_slope_ = slope;
  if (slope > 0) turning_ = (slope / (speed * speed)) * (twice - (along / (speed * speed)) * V_);
  return true;
}

void Rubbing::add_forces(Point3* forces, std::span<Point3> moments) const {
  const Point3 pull = (-push_ * slip_) * V_;
  for (int i = 0; i < contact_->count; ++i) forces[contact_->point[i]] += contact_->c1[i] * pull;
  if (contact_->body >= 0) moments[contact_->body] += cross(arm_, pull);
  if (contact_->own >= 0) moments[contact_->own] += cross(own_arm_, pull);
}

void Rubbing::add_carriers(int body, int first, std::span<const Point3> x, std::span<const BodySpin> spins) {
  const Point3& arm = body == contact_->own ? own_arm_ : arm_;
  for (std::size_t k = 0; k < x.size() && places_ - contact_->count < most_carriers; ++k)
    carrier_[places_++ - contact_->count] = {first + static_cast<int>(k), spins[body].lever(x[k], arm)};
}

Point3 Rubbing::taken_back(int i, const Point3& force) const {
  if (i < contact_->count) return contact_->c1[i] * force;
  const Matrix3& G = carrier_[i - contact_->count].G;
  return {G[0] * force.x + G[3] * force.y + G[6] * force.z, G[1] * force.x + G[4] * force.y + G[7] * force.z,
          G[2] * force.x + G[5] * force.y + G[8] * force.z};
}

Matrix3 Rubbing::resistance(int i, int j) const {
  const double square_speed = square(V_);
  const Matrix3 across = outer(normal_, normal_), along = outer(V_, V_);
  const double turned = square_speed > 0 ? (slip_slope_ - slip_) / square_speed : 0;
  Matrix3 result{};
  const bool plain = i < contact_->count && j < contact_->count;
  const double factor = push_ * (plain ? contact_->c1[i] * contact_->c1[j] : 1);
  for (int k = 0; k < 9; ++k) result[k] = factor * (slip_ * ((k % 4 == 0 ? 1 : 0) - across[k]) + turned * along[k]);
  if (plain) return result;
  // G_i' H G_j, H symmetric: rows of H G_j are columns of G_j' H.
  for (int c = 0; c < 3; ++c) {
    const Point3 row = taken_back(j, {result[3 * c], result[3 * c + 1], result[3 * c + 2]});
    result[3 * c] = row.x, result[3 * c + 1] = row.y, result[3 * c + 2] = row.z;
  }
  for (int c = 0; c < 3; ++c) {
    const Point3 column = taken_back(i, {result[c], result[3 + c], result[6 + c]});
    result[c] = column.x, result[3 + c] = column.y, result[6 + c] = column.z;
  }
  return result;
}

// f' t (2 G z/h - V)'(1 - t t')/|V| between the forces on place i and the velocity of place j
Matrix3 Rubbing::by_turning(int i, int j) const {
  const Point3 pull = taken_back(i, push_ * V_);
  const Point3 across = taken_back(j, turning_);
  return outer(pull, across);
}

Matrix3 Rubbing::by_pressure(int i, int j) const {
  if (j >= contact_->count) return {};
  return outer(taken_back(i, slip_ * V_),
               (by_gap_ * contact_->c1[j]) * contact_->r1 + (by_mean_ * contact_->c[j]) * normal_);
}

}  // namespace livens
