// The fastest oscillation against the eigenvalues of the dense matrices.
#include "diagnostics/stiffness.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "model/linearisation.hpp"

namespace livens {
namespace {

// sqrt of the largest |eigenvalue| of M^-1 K, by Eigen.
double dense_omega(const Model& model, const State& state) {
  const Linearisation& lin = linearisation(model);
  std::vector<double> values(lin.pattern().nonzeros(), 0.0), unit(state.q.size(), 0.0), column(state.q.size());
  lin.add_potential(model, state.t, state.q, 1, values);
  const auto n = static_cast<Eigen::Index>(state.q.size());
  Eigen::MatrixXd K(n, n), M(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    unit[j] = 1;
    lin.pattern().multiply(values, unit, column);
    K.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), n);
    model.multiply_mass(unit, column);
    M.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), n);
    unit[j] = 0;
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(0.5 * (K + K.transpose()), M);
  return std::sqrt(modes.eigenvalues().cwiseAbs().maxCoeff());
}

void expect_close_from_above(const std::string& text) {
  const Scene scene = parse_scene("time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 1e-4 }\n" + text);
  const Model model = make_model(scene);
  const State start = initial_state(scene, model);
  const auto omega = omega_max(model, start);
  ASSERT_TRUE(omega);
  const double exact = dense_omega(model, start);
  EXPECT_GE(*omega, exact * (1 - 1e-12)) << text;  // an explicit step up to 2 / omega is stable
  EXPECT_LE(*omega, exact * (1 + 2e-6)) << text;
}

const std::string material =
    "[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e5\npoisson = 0.4\ndensity = 1000\n";

TEST(OmegaMax, OfSolids) {
  for (const char* mesh :
       {"kind = 'box', size = [1, 0.2, 0.2], cells = [8, 2, 2]", "kind = 'box', size = [1, 1, 1], cells = [3, 3, 3]",
        "kind = 'box', size = [1, 0.5, 0.01], cells = [5, 4, 1]"})
    for (const char* shape : {"'X', 'Y', 'Z'", "'1.1*X', 'Y + 0.1*X^2', '0.9*Z'"})
      expect_close_from_above(material + "[[body]]\nname = 'b'\nkind = 'solid'\nmaterial = 'm'\nmesh = { " + mesh +
                              " }\ninitial.position = [" + shape + "]\n");
}

// Modes close to the fastest one make the power method creep: a long chain has 4 k/m sin^2(j pi / 2n).
TEST(OmegaMax, OfChainsWithCloseModes) {
  for (const int count : {2, 3, 50, 400})
    expect_close_from_above(
        "[[body]]\nname = 'c'\nkind = 'particles'\nmass = 0.3\nlayout = { kind = 'chain', count = " +
        std::to_string(count) +
        ", dimension = 1 }\n[[force]]\nkind = 'spring'\nbody = 'c'\npairs = 'neighbours'\nstiffness = 7\n");
}

}  // namespace
}  // namespace livens
