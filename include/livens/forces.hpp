// Forces and potentials that act on the bodies of an assembly. Each struct is what the [[force]] of the same name says;
// add() puts it into the assembly and throws AssemblyError, with the member that is at fault, if it does not fit.
//
//   add(assembly, Gravity{.acceleration = {0, 0, -9.81}}, "weight");
//   add(assembly, Load{.selection = "beam.x_max", .total_force = {0, 0, "-100*sin(3*t)"}}, "shaker");
//
// Bodies come before the forces on them, springs before the damping along them.
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <livens/assembly.hpp>

namespace livens {

// --- forces of one's own ---------------------------------------------------------------------------------------------

// A potential W(t, q) or a force f(t, q, v) of one's own: a class derived from those of <livens/energy.hpp>, whose name
// is that of the term. Coordinates of a body begin at Body::first, `dimension` to each node.
void add(Assembly& assembly, std::shared_ptr<const EnergyTerm> term);
void add(Assembly& assembly, std::shared_ptr<const Force> force);

// --- gravity ---------------------------------------------------------------------------------------------------------

// W = -sum m a.x
struct Gravity {
  std::string body = {};  // it acts on; "": all bodies
  Vec3 acceleration{};    // m/s^2, of free fall
};
void add(Assembly& assembly, const Gravity& gravity, const std::string& name);

// W = -sum G m_a m_b / sqrt(r^2 + softening^2) over all pairs of particles
struct PairwiseGravity {
  std::string body = {};         // it acts within; "": all particles
  double constant = 6.6743e-11;  // G, m^3/(kg s^2)
  double softening = 0;          // m
};
void add(Assembly& assembly, const PairwiseGravity& gravity, const std::string& name);

// --- potentials between particles ------------------------------------------------------------------------------------

// What V becomes towards the cut-off r_c.
enum class CutOffForm {
  switched,  // V S, S = 1 - 10 s^3 + 15 s^4 - 6 s^5, s = (r - r_on)/(r_c - r_on): two continuous derivatives
  shifted,   // V - V(r_c): energy continuous, force not
  plain,     // V: neither
};

// Which particles, and how far. Distances are those of the nearest images in a periodic box.
struct PairRange {
  std::string body = {};                   // acts within it; "": all particles
  std::array<std::string, 2> bodies = {};  // or between two bodies, and not within them
  double cutoff = 0;                       // r_c, m; a periodic box has to be at least twice as long
  CutOffForm cutoff_form = CutOffForm::switched;
  std::optional<double> switch_from = {};  // r_on, m; none: 0.9 r_c
  std::optional<double> skin = {};         // m, of the lists of neighbours: speed only; none: 0.12 r_c
};

// V = 4 epsilon ((sigma/r)^12 - (sigma/r)^6)
struct LennardJones {
  PairRange range;
  double epsilon = 0;  // J
  double sigma = 0;    // m
};
void add(Assembly& assembly, const LennardJones& potential, const std::string& name);

// V = depth (exp(-2 a (r - r0)) - 2 exp(-a (r - r0)))
struct Morse {
  PairRange range;
  double depth = 0;     // J
  double width = 0;     // a, 1/m
  double distance = 0;  // r0, m
};
void add(Assembly& assembly, const Morse& potential, const std::string& name);

// V(r) as a text of r, m, and the parameters.
struct PairPotential {
  PairRange range;
  std::string potential = {};  // J
  std::map<std::string, double, std::less<>> parameters = {};
};
void add(Assembly& assembly, const PairPotential& potential, const std::string& name);

// Pairs and triples of Stillinger and Weber (1985); the defaults are those of silicon. With s = sigma,
//   A epsilon (B (s/r)^p - (s/r)^q) exp(s/(r - a s)) of pairs, and of triples with the angle theta at the middle
//   lambda epsilon (cos theta - cosine)^2 exp(gamma s/(r1 - a s)) exp(gamma s/(r2 - a s)).
struct StillingerWeber {
  std::string body = {};        // it acts within; "": all particles
  double epsilon = 3.4740e-19;  // J
  double sigma = 2.0951e-10;    // m
  double a = 1.80;              // cut-off over sigma
  double A = 7.049556277, B = 0.6022245584;
  double p = 4, q = 0;
  double lambda = 21.0, gamma = 1.20;
  double cosine = -1.0 / 3;         // of the angle without energy
  std::optional<double> skin = {};  // m; none: 0.12 a sigma
};
void add(Assembly& assembly, const StillingerWeber& potential, const std::string& name);

// --- springs and dashpots --------------------------------------------------------------------------------------------

// Springs between nodes of a body, W = k/2 e^2 + c/3 e^3 + q/4 e^4 each, e the elongation.
struct Springs {
  std::string body = {};                 // "": each body
  double stiffness = 0;                  // k, N/m
  double cubic = 0;                      // c, N/m^2
  double quartic = 0;                    // q, N/m^3
  std::vector<double> rest_length = {};  // m; one for all, or one for each pair; none: the lengths at the start
  std::optional<std::vector<std::array<int, 2>>> pairs = {};  // of nodes; neighbours of the layout if not given
  bool linearised = false;                                    // elongations along the direction at the start
};
void add(Assembly& assembly, const Springs& springs, const std::string& name);

// One such spring between points of two bodies.
struct Spring {
  std::array<std::string, 2> bodies = {};  // "ground" is one
  std::array<Vec3, 2> ends{};              // m, at the start, one on each body
  double stiffness = 0;                    // k, N/m
  double cubic = 0;                        // c, N/m^2
  double quartic = 0;                      // q, N/m^3
  std::optional<double> rest_length = {};  // m; the length at the start if not given
};
void add(Assembly& assembly, const Spring& spring, const std::string& name);

// A dashpot between points of two bodies: -c times the rate of its length.
struct Damper {
  std::array<std::string, 2> bodies = {};  // "ground" is one
  std::array<Vec3, 2> ends{};              // m, at the start, one on each body
  double coefficient = 0;                  // c, kg/s
};
void add(Assembly& assembly, const Damper& damper, const std::string& name);

// --- damping ---------------------------------------------------------------------------------------------------------

// -c v on every node
struct Drag {
  std::string body = {};        // it acts on; "": all bodies
  double drag_coefficient = 0;  // c, kg/s, per node
};
void add(Assembly& assembly, const Drag& drag, const std::string& name);

// -rate M v: every mode decays as exp(-rate t / 2).
struct MassDamping {
  std::string body = {};    // it acts on; "": all bodies
  double damping_rate = 0;  // 1/s
};
void add(Assembly& assembly, const MassDamping& damping, const std::string& name);

// Damping in proportion to stiffness, of solids and along springs [K06 5.2]: a mode of omega rad/s decays as
// exp(-time omega^2 t / 2).
struct StrainDamping {
  std::string body = {};    // it acts on; "": all bodies
  double damping_time = 0;  // s
  DampingForm damping_form = DampingForm::exact;
};
void add(Assembly& assembly, const StrainDamping& damping, const std::string& name);

// Strain damping and mass damping together.
struct RayleighDamping {
  std::string body = {};    // it acts on; "": all bodies
  double damping_time = 0;  // s, of the part in proportion to stiffness
  DampingForm damping_form = DampingForm::exact;
  double damping_rate = 0;  // 1/s, of the part in proportion to mass
};
void add(Assembly& assembly, const RayleighDamping& damping, const std::string& name);

// --- dead loads ------------------------------------------------------------------------------------------------------

// One component f(X, t) of a load. X is the reference position, m.
class LoadFunction {
 public:
  using Parameters = std::map<std::string, double, std::less<>>;

  LoadFunction(double constant);  // NOLINT(google-explicit-constructor)
  template <class Text>           // as in scenes: an expression of X, Y, Z, t, differentiated exactly
  requires std::convertible_to<const Text&, std::string_view> LoadFunction(
      const Text& expression)  // NOLINT(google-explicit-constructor)
      : LoadFunction(std::string(std::string_view(expression)), Parameters{}) {}
  // ... and of parameters. Throws AssemblyError if it cannot be read.
  LoadFunction(const std::string& expression, const Parameters& parameters);
  template <class Function>  // {f, df/dt} = function(X, t)
  requires std::is_invocable_r_v < std::array<double, 2>,
  const Function&, const Vec3&,
      double > LoadFunction(Function function)  // NOLINT(google-explicit-constructor)
      : with_rate_(std::move(function)) {}
  template <class Function>  // {f, df/dt} = function(t), the same everywhere
  requires std::is_invocable_r_v < std::array<double, 2>,
  const Function&,
      double > LoadFunction(Function function)  // NOLINT(google-explicit-constructor)
      : with_rate_([function](const Vec3&, double t) { return function(t); }),
  uniform_(true) {}

  double value(const Vec3& X, double t) const { return value_ ? value_(X, t) : with_rate_(X, t)[0]; }
  double rate(const Vec3& X, double t) const { return steady_ ? 0 : with_rate_(X, t)[1]; }  // df/dt
  bool uniform() const { return uniform_; }                                                 // no function of X
  bool steady() const { return steady_; }                                                   // no function of t

 private:
  std::function<std::array<double, 2>(const Vec3&, double)> with_rate_;
  std::function<double(const Vec3&, double)> value_;  // if it is cheaper
  bool uniform_ = false, steady_ = false;
};

// Force per area of the reference surface, on the boundary facets inside a selection.
struct Traction {
  std::string selection = {};               // a selection of the assembly, or body.group; "": all of `body`
  std::string body = {};                    // "": all bodies
  std::vector<LoadFunction> traction = {};  // Pa, one per dimension
};
void add(Assembly& assembly, const Traction& traction, const std::string& name);

// Resultant and moment, shared over the selected nodes of each body by the area of the boundary facets inside the
// selection, or by mass if there are none. Dead forces, but for the torque on a rigid body.
struct Load {
  std::string selection = {};                  // a selection of the assembly, or body.group; "": all of `body`
  std::string body = {};                       // "": all bodies
  std::vector<LoadFunction> total_force = {};  // N, functions of t, one per dimension; empty: none
  // N m, functions of t; three, in 2D one; empty: none. On a rigid body it follows the body: always this moment, with
  // the power torque . omega. On other nodes a dead couple.
  std::vector<LoadFunction> torque = {};
  // The moment, N m, of forces about the centroid of the selection in the reference shape, where they stay as they are
  // while the nodes move: what is left of the moment depends on how far they have turned.
  std::vector<LoadFunction> dead_couple = {};
};
void add(Assembly& assembly, const Load& load, const std::string& name);

// --- forces that are written down ------------------------------------------------------------------------------------

enum class Per { node, mass, volume };

// F(x, v, X, t), or minus the gradient of U(x, X, t) by x, as texts of x, y, z (where a point of the body is), vx, vy,
// vz (its velocity), X, Y, Z (where it is in the reference shape), t and the parameters; derivatives are exact. Forces
// of X and t alone are dead loads.
struct ExpressionForce {
  using Parameters = std::map<std::string, double, std::less<>>;
  std::string selection = {};           // a selection of the assembly, or body.group; "": all of `body`
  std::string body = {};                // "": all bodies
  std::vector<std::string> force = {};  // N, N/kg or N/m^3, one per dimension
  std::string potential = {};           // or J, J/kg, J/m^3
  Per per = Per::node;                  // volume: of the reference shape of solids
  Parameters parameters = {};
};
void add(Assembly& assembly, const ExpressionForce& force, const std::string& name);

}  // namespace livens
