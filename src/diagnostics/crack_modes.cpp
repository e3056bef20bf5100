// Stress-intensity factors in linear elasticity: the interaction integral with Williams' fields of a straight crack.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "diagnostics/contours.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

// 2 mu (u + iv) = kappa f(z) - z conj(f'(z)) - conj(g(z)) with f = A z^(1/2), g = B z^(1/2); A = 1, B = 1/2 (mode I) or
// A = -i, B = 3i/2 (mode II), over sqrt(2 pi). The cut of the root is the crack.
void williams_coefficients(int mode, std::complex<double>& A, std::complex<double>& B) {
  const double unit = 1 / std::sqrt(2 * std::numbers::pi);
  A = mode == 1 ? std::complex<double>(unit, 0) : std::complex<double>(0, -unit);
  B = mode == 1 ? std::complex<double>(0.5 * unit, 0) : std::complex<double>(0, 1.5 * unit);
}

using Matrix = std::array<std::array<double, 2>, 2>;

struct HookesLaw {
  double lambda, mu;
  Matrix stress(const Matrix& H) const {
    const double trace = lambda * (H[0][0] + H[1][1]), shear = mu * (H[0][1] + H[1][0]);
    return {{{trace + 2 * mu * H[0][0], shear}, {shear, trace + 2 * mu * H[1][1]}}};
  }
};

// From the axes of a crack along e.
Matrix turned(const Matrix& local, const std::array<double, 2>& e) {
  const double R[2][2] = {{e[0], -e[1]}, {e[1], e[0]}};
  Matrix A{};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t l = 0; l < 2; ++l) A[i][j] += R[i][k] * local[k][l] * R[j][l];
  return A;
}

// -(w I - H' P(A) - A' P(H)) : e (x) slope with w = P(A):H
double mixed_growth(const HookesLaw& law, const Matrix& A, const Matrix& H, const std::array<double, 2>& e,
                    const double (&slope)[2]) {
  const Matrix P = law.stress(H), Q = law.stress(A);
  double w = 0, sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) w += Q[i][j] * H[i][j];
  for (std::size_t i = 0; i < 2; ++i) {
    sum -= w * e[i] * slope[i];
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 2; ++k) sum += (H[k][i] * Q[k][j] + A[k][i] * P[k][j]) * e[i] * slope[j];
  }
  return sum;
}

}  // namespace

std::array<std::array<double, 2>, 2> williams_gradient(int mode, std::complex<double> z, double mu, double kappa) {
  std::complex<double> A, B;
  williams_coefficients(mode, A, B);
  const std::complex<double> root = std::sqrt(z), slope = 0.5 * A / root, curvature = -0.25 * A / (root * z);
  const auto by_z = (kappa * slope - std::conj(slope)) / (2 * mu);
  const auto by_conjugate = (-z * std::conj(curvature) - std::conj(0.5 * B / root)) / (2 * mu);
  const auto by_x = by_z + by_conjugate, by_y = std::complex<double>(0, 1) * (by_z - by_conjugate);
  return {{{by_x.real(), by_y.real()}, {by_x.imag(), by_y.imag()}}};
}

// From the stress of a uniform strain e_xx = 1.
void Contour::elastic_constants(double& lambda, double& mu) const {
  const SolidBlock& block = *blocks_.front();
  std::vector<double> q(at(solid_.first), 0.0), stress(6 * block.part().elements.size()), density(stress.size() / 6);
  q.insert(q.end(), solid_.reference.begin(), solid_.reference.end());
  for (std::size_t i = at(solid_.first); i < q.size(); i += at(solid_.dimension)) q[i] *= 2;
  block.fields(q, stress, density);
  lambda = stress[1];
  mu = 0.5 * (stress[0] - stress[1]);
}

double Contour::plane_modulus() const {
  double lambda = 0, mu = 0;
  elastic_constants(lambda, mu);
  return 4 * mu * (lambda + mu) / (lambda + 2 * mu);
}

// The energy is quadratic: that of u + a, a the field of Williams for K = 1, has the mixed part w = P(a):grad u, and
// the energy that growth releases the mixed part 2 K/E'. Both fields are in equilibrium, but for inertia:
//
//   2 K/E' = -int (w I - grad u' P(a) - grad a' P(u)) : e (x) grad zeta + sum zeta M u'' . da/dX_e
//
// with the exact gradient of a, and only where zeta changes; the tip's elements do not matter. All of it is linear in
// grad u, so that one number for each of its components and points remains.
Contour::Interaction Contour::interaction(const std::array<double, 2>& tip, const std::array<double, 2>& e) const {
  double lambda = 0, mu = 0;
  elastic_constants(lambda, mu);
  const double kappa = (lambda + 3 * mu) / (lambda + mu);
  DefectMotion growth;
  growth.axis = {e[0], e[1], 0};
  const std::vector<double>& V = moved(growth);
  Interaction made{tip, e, 0.5 * plane_modulus() / thickness(), {}, {}};
  std::array<std::vector<double>, 2> H_a;
  for (std::size_t g = 0; g < points_.size(); ++g) {
    const Point& point = points_[g];
    double X[2] = {0, 0}, slope[2] = {0, 0};  // slope: grad zeta
    for (std::size_t n = 0; n < point.shape.size(); ++n) {
      const std::size_t node = 2 * at(point.nodes[n]);
      const double weight = V[node] * e[0] + V[node + 1] * e[1];
      for (std::size_t c = 0; c < 2; ++c) {
        slope[c] += point.gradient[2 * n + c] * weight;
        X[c] += point.shape[n] * solid_.reference[node + c];
      }
    }
    const double x = X[0] - tip[0], y = X[1] - tip[1];
    const std::complex<double> z(x * e[0] + y * e[1], y * e[0] - x * e[1]);
    for (std::size_t mode = 0; mode < 2; ++mode) {
      const Matrix A = turned(williams_gradient(static_cast<int>(mode) + 1, z, mu, kappa), e);
      for (std::size_t i = 0; i < 4; ++i) {
        Matrix unit{};
        unit[i / 2][i % 2] = 1;
        H_a[mode].push_back(A[i / 2][i % 2]);
        made.of_slopes[mode].push_back(point.volume * mixed_growth({lambda, mu}, A, unit, e, slope));
      }
    }
  }
  for (std::size_t mode = 0; mode < 2; ++mode) made.of_forces[mode] = virtual_displacement(H_a[mode], V);
  return made;
}

CrackModes Contour::modes(const Model& model, const State& state, const std::array<double, 2>& tip,
                          const std::array<double, 2>& e) const {
  auto found = std::find_if(interactions_.begin(), interactions_.end(),
                            [&](const Interaction& each) { return each.tip == tip && each.e == e; });
  if (found == interactions_.end()) found = interactions_.insert(found, interaction(tip, e));
  look(state);
  double sum[2] = {0, 0};
  for (std::size_t mode = 0; mode < 2; ++mode) {
    for (std::size_t i = 0; i < slopes_.size(); ++i) sum[mode] += found->of_slopes[mode][i] * slopes_[i];
    sum[mode] += work(inertial_forces_->at(model, state), found->of_forces[mode]);
  }
  return {found->factor * sum[0], found->factor * sum[1]};
}

}  // namespace livens
