// Contours about crack tips and other defects, and the energy that is released when the defect moves through the
// reference shape [L04 5]. A contour is a weight zeta of every node, 1 inside and 0 outside; a motion is a field V(X):
//
//   -sum V_a . G_a + sum M x'' . (dx/dX V)_a,   V_a = zeta_a V(X_a)
//
// G the configurational force. It is positive where the motion releases energy. In linear elasticity G is the
// derivative at fixed displacement, du/dX takes the place of dx/dX, and a motion carries the displacement along, U_a =
// zeta_a U(u_a):
//
//   -sum V_a . G_a - sum U_a . r_a + sum M u'' . (du/dX V)_a
//
// r_a = dW/dx_a + M u'' are the loads and reactions of node a: nothing at free nodes.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include <livens/model.hpp>
#include <livens/solid_block.hpp>

namespace livens {

// Of a defect. Each one is a symmetry of the energy of elements, so that what is inside a contour does not count:
// translation by e: V = e, U = 0 (homogeneous materials); rotation: V = e x (X - c), U = e x u (isotropic);
// expansion: V = X - c, U = (1 - D/m) u (energies that are homogeneous of degree m: linear elasticity of degree 2 in
// du/dX; of degree m in dx/dX with x - c in place of u, so that U = 0 for m = D, the case of L04 (83)).
struct DefectMotion {
  enum class Kind { translation, rotation, expansion };
  Kind kind = Kind::translation;
  std::array<double, 3> axis{};    // e
  std::array<double, 3> center{};  // c
  double degree = 2;               // m, of expansions

  bool operator==(const DefectMotion&) const = default;
  std::array<double, 3> at(const double* X, int dimension) const;            // V
  std::array<double, 3> displacement(const double* u, int dimension) const;  // U
};

struct ContourDomain {
  std::vector<double> weights;  // zeta of the nodes of the body
  bool midsides_follow =
      true;  // a midside moves with the corners of its edge, by the mean; else as its own weight says
};

// Stress-intensity factors of the modes I and II, in Pa m^(1/2).
struct CrackModes {
  double one = 0, two = 0;
};

// M x'' from the equations of motion at a state; nodes that are held do not move. Contours ask for it one after the
// other, so the last one is kept.
class InertialForces {
 public:
  const std::vector<double>& at(const Model& model, const State& state);

 private:
  State state_;
  std::vector<double> force_, gradient_;
};

// Evaluations keep what does not depend on the state, and what those at one state have in common: one thread at a time.
class Contour {
 public:
  // Only elements with a weighted node are evaluated. Contours of one model may share the inertial forces.
  Contour(const Model& model, int body, ContourDomain domain,
          std::shared_ptr<InertialForces> inertial_forces = std::make_shared<InertialForces>());

  double released(const Model& model, const State& state, const DefectMotion& motion, bool kinetic = true) const;
  // The same by the nodes of the domain's elements outside, +sum (V - zeta V) G [L04 (106)]: the forces of an element
  // have no sum. Translations only.
  double released_outside(const Model& model, const State& state, const DefectMotion& motion) const;

  // --- linear elasticity in the plane (plane strain) ---
  // By the interaction integral with Williams' fields of a straight crack that ends in the tip and would grow along e.
  CrackModes modes(const Model& model, const State& state, const std::array<double, 2>& tip,
                   const std::array<double, 2>& e) const;
  double plane_modulus() const;  // E' = E/(1 - nu^2)
  double thickness() const { return blocks_.front()->part().thickness; }

  bool at_fixed_displacement() const;                                     // linear elasticity
  const std::vector<double>& weights() const { return domain_.weights; }  // of the nodes of the body
  // Whether W(X, x) does not change under rotations of X: the moment of the forces of an affine deformation is zero.
  bool isotropic() const;
  bool homogeneous() const;  // no material varies with the place
  // m of W(s F) = s^m W(F): the least and the largest of (P : F) / W over a few deformations; 2 for linear elasticity,
  // whose w is one of du/dX. Both agree to `same_degree` of their size where W is homogeneous.
  struct Degree {
    static constexpr double same = 1e-7;
    double least = 0, most = 0;
    bool one() const { return most != 0 && most - least <= same * (most < 0 ? -most : most); }
  };
  Degree degree() const;

 private:
  const std::vector<double>& moved(const DefectMotion& motion) const;
  std::vector<double> moved_by(const DefectMotion& motion) const;
  void look(const State& state) const;
  void measure_slopes(const State& state) const;
  void measure_shares();
  double work(const std::vector<double>& force, const std::vector<double>& virtual_displacement) const;
  const std::vector<double>& virtual_displacement(const std::vector<double>& H, const std::vector<double>& moved) const;
  double inertia(const Model& model, const State& state, const std::vector<double>& moved) const;
  void elastic_constants(double& lambda, double& mu) const;
  struct Interaction;
  Interaction interaction(const std::array<double, 2>& tip, const std::array<double, 2>& e) const;

  int body_;
  Body solid_;
  ContourDomain domain_;
  std::vector<std::shared_ptr<const EnergyTerm>> kept_;  // what the blocks below belong to
  std::vector<const SolidBlock*> blocks_;                // restricted to the domain
  // Quadrature points of the elements of the domain, one element after the other.
  struct Point {
    double volume;
    bool displacement;  // du/dX instead of dx/dX
    const int* nodes;
    std::vector<double> shape, gradient;  // a number, and `dimension` numbers, a node
  };
  std::vector<Point> points_;
  std::vector<std::size_t> coordinates_;  // of the nodes of these elements, in the body
  std::vector<double> shares_;  // of the points in each node of their element, by volume: number a node and point
  std::shared_ptr<InertialForces> inertial_forces_;

  // The interaction integrals of the two modes are linear: in du/dX of the points, and in the inertial forces.
  struct Interaction {
    std::array<double, 2> tip, e;
    double factor;
    std::array<std::vector<double>, 2> of_slopes, of_forces;
  };
  mutable std::vector<std::pair<DefectMotion, std::vector<double>>> moved_;  // by motion
  mutable std::vector<Interaction> interactions_;
  mutable std::vector<double> q_, slopes_, configurational_, virtual_;  // at the last q
};

// The displacement gradient (rows: components) of Williams' fields for unit K, at z = x + iy from the tip of a crack on
// y = 0, x < 0; mode 1 or 2, kappa = 3 - 4 nu in plane strain.
std::array<std::array<double, 2>, 2> williams_gradient(int mode, std::complex<double> z, double mu, double kappa);

}  // namespace livens
