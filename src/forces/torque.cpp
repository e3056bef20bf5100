#include "forces/torque.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace livens {
namespace {

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

}  // namespace

struct Torque::Turn {
  std::vector<Eigen::Vector3d> r;
  Eigen::Matrix3d compliance = Eigen::Matrix3d::Zero();  // I^-1; in the plane 1 / I_zz alone
  Eigen::Vector3d theta;
};

Torque::Torque(std::string name, std::vector<int> coordinates, std::vector<double> mass, int dimension,
               std::vector<std::shared_ptr<const LoadFunction>> tau)
    : Force(std::move(name)),
      coordinates_(std::move(coordinates)),
      mass_(std::move(mass)),
      dimension_(dimension),
      tau_(std::move(tau)) {
  for (const double m : mass_) total_ += m;
}

Torque::Turn Torque::turn(double t, ConstVector q) const {
  Turn turn;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero(), tau = Eigen::Vector3d::Zero();
  for (std::size_t a = 0; a < mass_.size(); ++a) {
    turn.r.emplace_back(Eigen::Vector3d::Zero());
    for (int c = 0; c < dimension_; ++c) turn.r[a][c] = q[coordinates_[a * dimension_ + c]];
    centre += mass_[a] / total_ * turn.r[a];
  }
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  for (std::size_t a = 0; a < mass_.size(); ++a) {
    Eigen::Vector3d& r = turn.r[a];
    r -= centre;
    inertia += mass_[a] * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose());
  }
  if (dimension_ == 3)
    turn.compliance = inertia.inverse();
  else
    turn.compliance(2, 2) = 1 / inertia(2, 2);
  for (std::size_t k = 0; k < tau_.size(); ++k) tau[dimension_ == 3 ? static_cast<int>(k) : 2] = tau_[k]->value({}, t);
  turn.theta = turn.compliance * tau;
  return turn;
}

void Torque::add_force(double t, ConstVector q, ConstVector, double scale, Vector force) const {
  const Turn now = turn(t, q);
  for (std::size_t a = 0; a < mass_.size(); ++a) {
    const Eigen::Vector3d f = scale * mass_[a] * now.theta.cross(now.r[a]);
    for (int c = 0; c < dimension_; ++c) force[coordinates_[a * dimension_ + c]] += f[c];
  }
}

// df_a = m_a (dtheta x r_a + theta x dr_a), dtheta = -I^-1 sum_b m_b [2 theta r_b' - (theta.r_b) 1 - r_b theta'] dx_b;
// the centre moves with the nodes, which dI does not feel.
void Torque::add_jacobian(double t, ConstVector q, ConstVector, double by_q, double, MatrixSink& sink) const {
  const Turn now = turn(t, q);
  const std::size_t n = coordinates_.size(), d = static_cast<std::size_t>(dimension_);
  const Eigen::Matrix3d spin = cross_matrix(now.theta);
  std::vector<double> block(n * n);
  for (std::size_t b = 0; b < mass_.size(); ++b) {
    const Eigen::Vector3d& r = now.r[b];
    const Eigen::Matrix3d by_arm =
        2 * now.theta * r.transpose() - now.theta.dot(r) * Eigen::Matrix3d::Identity() - r * now.theta.transpose();
    const Eigen::Matrix3d turned = mass_[b] * now.compliance * by_arm;
    for (std::size_t a = 0; a < mass_.size(); ++a) {
      const double share = (a == b ? 1 : 0) - mass_[b] / total_;
      const Eigen::Matrix3d part = mass_[a] * (cross_matrix(now.r[a]) * turned + share * spin);
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j)
          block[(a * d + i) * n + b * d + j] = by_q * part(static_cast<int>(i), static_cast<int>(j));
    }
  }
  sink.add_block(coordinates_, coordinates_, block.data());
}

}  // namespace livens
