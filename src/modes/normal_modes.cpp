#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <livens/modes.hpp>

#include "math/block_lanczos.hpp"
#include "model/linearisation.hpp"
#include "modes/shifted_system.hpp"

namespace livens {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double two_pi = 6.283185307179586477;
constexpr Index block_width = 8;           // solves of MUMPS in one go; a free body has six zero modes
constexpr int more = 4;                    // modes beyond those asked for, among which a gap is looked for
constexpr double tolerance = 1e-10;        // residual of 1 / (w^2 - s) over its size
constexpr double zero_share = 1e-12;       // of the largest w^2: a zero mode
constexpr double shift_share = 1e-9;       // of the largest w^2: how far below 0 the lowest modes are looked for from
constexpr double gap_share = 1e-7;         // of the distance from the shift: modes closer than that are not told apart
constexpr double gyroscopic_share = 1e-9;  // of the largest entry of L_qv: a part that is not symmetric
constexpr double unmoved = 1e-8;           // displacement over the size of the scene
constexpr double allowed = 1e-6;           // violation of the constraints by a motion that they allow
constexpr int most_rounds = 6;             // searches for modes that were missed
constexpr Index most_vectors = 600;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

void refuse(const std::string& why) { throw std::invalid_argument(why); }

void require_modes(const Model& model, const State& state) {
  for (const auto& term : model.parts().terms) {
    if (const std::string reason = term->no_hessian(); !reason.empty()) refuse(reason + ".");
    if (term->barrier() != nullptr && term->energy(state.t, state.q) > 0)
      refuse("'" + term->name() + "': surfaces touch, and what small motions do to contacts is not in normal modes.");
  }
}

std::vector<double> with_supports(const Model& model, State state) {
  model.place_supports(state.t, state);
  return std::move(state.q);
}

class ModeSearch {
 public:
  ModeSearch(const Model& model, const State& state, const ModesOptions& options)
      : model_(model),
        q_(with_supports(model, state)),
        t_(state.t),
        options_(options),
        n_(model.size()),
        system_(model, state.t, q_) {
    rest_.assign(q_.size(), 0.0);
    free_ = n_ - model.supported_count();
  }

  Modes found();

 private:
  struct Pair {
    double eigenvalue, distance;  // from the shift
    VectorXd vector;              // coordinates, then multipliers
  };

  bool tell(const std::string& what) {
    if (options_.told && !options_.told(what)) result_.interrupted = true;
    return !result_.interrupted;
  }
  std::vector<double> empty() const {
    return std::vector<double>(static_cast<std::size_t>(linearisation(model_).pattern().nonzeros()), 0.0);
  }
  std::vector<double> times(const std::vector<double>& values, const double* x) const {
    std::vector<double> y(q_.size());
    linearisation(model_).pattern().multiply(values, ConstVector(x, q_.size()), y);
    return y;
  }
  void hold_supports(std::vector<double>& values, double diagonal) const;
  void assemble();
  void balance();
  void refuse_gyroscopic() const;
  void leave_out_forces();
  bool factorise(double shift);
  bool search(double shift, Index count, std::vector<Pair>& pairs);
  bool count(double shift, int below_shift, std::vector<Pair>& pairs, Index wanted, Index& missed);
  Mode mode_of(const Pair& pair) const;
  void rigid_motions();
  bool fail(std::string message) {
    result_.message = std::move(message);
    return false;
  }
  bool find_all();

  const Model& model_;
  std::vector<double> q_, rest_;
  double t_;
  const ModesOptions& options_;
  Index n_, free_ = 0;
  ShiftedSystem system_;
  std::vector<double> K_, M_, D_, lambda_;
  double largest_ = 0, stiffness_ = 0;  // bound of w^2; largest row of K
  double unbalanced_ = 0, forces_ = 0;  // N: largest force that is left, largest sum of forces
  std::vector<std::vector<double>> rigid_;
  Modes result_;
};

void ModeSearch::hold_supports(std::vector<double>& values, double diagonal) const {
  if (model_.supported_count() == 0) return;
  const SparsePattern& pattern = linearisation(model_).pattern();
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k)
      if (const int r = pattern.row[k]; model_.supported(r) || model_.supported(c)) values[k] = r == c ? diagonal : 0;
}

// Of L at rest: where L_qv is not symmetric, forces turn velocities aside, and w is no eigenvalue of a symmetric
// problem.
void ModeSearch::refuse_gyroscopic() const {
  if (model_.separable()) return;
  std::vector<double> mixed = empty();
  linearisation(model_).add_lagrangian(model_, t_, q_, rest_, {.qv = 1}, mixed);
  const SparsePattern& pattern = linearisation(model_).pattern();
  double largest = 0, turning = 0;
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) {
      const int r = pattern.row[k], across = pattern.slot(c, r);
      const double other = across < 0 ? 0 : mixed[across];
      largest = std::max(largest, std::abs(mixed[k]));
      turning = std::max(turning, std::abs(mixed[k] - other));
    }
  if (turning > gyroscopic_share * largest)
    refuse("the Lagrangian has gyroscopic terms (d2L/dq dv is not symmetric): its oscillations are no normal modes.");
}

void ModeSearch::leave_out_forces() {
  const auto& forces = model_.parts().forces;
  D_ = empty();
  for (std::size_t k = 0; k < forces.size(); ++k) {
    std::vector<double> by_q = empty();
    const Linearisation& lin = linearisation(model_);
    lin.add_force(model_, k, t_, q_, rest_, 1, 0, by_q);
    lin.add_force(model_, k, t_, q_, rest_, 0, -1, D_);
    if (std::any_of(by_q.begin(), by_q.end(), [](double value) { return value != 0; }))
      result_.notes.push_back("'" + forces[k]->name() + "' changes with the place, which is not in the modes");
  }
  hold_supports(D_, 0);
}

void ModeSearch::assemble() {
  const Linearisation& lin = linearisation(model_);
  M_ = empty();
  lin.add_lagrangian(model_, t_, q_, rest_, {.vv = 1}, M_);
  hold_supports(M_, 0);
  balance();
  K_ = empty();
  lin.add_lagrangian(model_, t_, q_, rest_, {.qq = -1}, K_);
  if (!lambda_.empty()) lin.add_curvature(model_, t_, q_, lambda_, 1, K_);
  hold_supports(K_, 1);
  const SparsePattern& pattern = lin.pattern();
  for (int c = 0; c < pattern.n; ++c) {
    if (model_.supported(c)) continue;
    double sum = 0;
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) sum += std::abs(K_[k]);
    const double mass = M_[pattern.slot(c, c)];
    if (!std::isfinite(sum) || !std::isfinite(mass)) refuse("second derivatives of the state are not finite.");
    if (!(mass > 0)) refuse("there is a coordinate without a mass.");
    stiffness_ = std::max(stiffness_, sum);
    largest_ = std::max(largest_, sum / mass);
  }
  // Forces that would move nothing by more than rounding are none.
  const auto [low, high] = std::minmax_element(q_.begin(), q_.end());
  const double scale = std::max(forces_, unmoved * stiffness_ * (*high - *low));
  result_.unbalanced = scale > 0 ? unbalanced_ / scale : 0;
}

// M a + C'lambda = forces at rest: what is not balanced accelerates.
void ModeSearch::balance() {
  std::vector<double> force(q_.size()), by_v(q_.size()), sizes(q_.size(), 0.0), part(q_.size());
  model_.lagrangian(t_, q_, rest_, force, by_v);
  for (const auto& term : model_.parts().terms) {
    term->write_gradient(t_, q_, part);
    for (std::size_t i = 0; i < part.size(); ++i) sizes[i] += std::abs(part[i]);
  }
  std::fill(part.begin(), part.end(), 0.0);
  model_.forces(t_, q_, rest_, part);
  for (std::size_t i = 0; i < part.size(); ++i) {
    force[i] += part[i];
    sizes[i] += std::abs(part[i]) + (model_.separable() ? 0 : std::abs(force[i]));
  }
  model_.release(force);
  if (model_.constraint_count() > 0) {
    std::vector<double> mass = M_, none = empty();
    hold_supports(mass, 1);
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(system_.size(), 1);
    for (Index i = 0; i < n_; ++i) b(i, 0) = force[i];
    ++result_.factorisations;
    if (!system_.factorise(mass, none, 0)) refuse("the equations of its constraints are singular at this state.");
    system_.solve(b);
    lambda_.assign(b.data() + n_, b.data() + b.size());
    std::fill(part.begin(), part.end(), 0.0);
    model_.add_constraint_force(t_, q_, lambda_, 1, part);
    model_.release(part);
    for (std::size_t i = 0; i < part.size(); ++i) {
      force[i] -= part[i];
      sizes[i] += std::abs(part[i]);
    }
  }
  for (std::size_t i = 0; i < force.size(); ++i) {
    unbalanced_ = std::max(unbalanced_, std::abs(force[i]));
    forces_ = std::max(forces_, sizes[i]);
  }
}

bool ModeSearch::factorise(double shift) {
  ++result_.factorisations;
  return system_.factorise(K_, M_, shift);
}

// Adds the modes next to the shift that are not in `pairs` yet.
bool ModeSearch::search(double shift, Index wanted, std::vector<Pair>& pairs) {
  const auto multiply = [&](Eigen::MatrixXd& x) {
    for (Index k = 0; k < x.cols(); ++k) {
      const std::vector<double> y = times(M_, x.col(k).data());
      x.col(k).setZero();
      std::copy(y.begin(), y.end(), x.col(k).data());
    }
  };
  const auto solve = [&](Eigen::MatrixXd& x) {
    result_.solves += static_cast<int>(x.cols());
    system_.solve(x);
  };
  std::vector<VectorXd> known;
  for (const Pair& pair : pairs) known.push_back(pair.vector);
  const Index width = std::min(block_width, std::max<Index>(1, free_ - static_cast<Index>(known.size())));
  BlockLanczos lanczos(system_.size(), width, {solve, multiply}, std::move(known));
  const bool done = lanczos.run(wanted, tolerance, std::max(most_vectors, 8 * wanted), [&](Index settled) {
    return tell(fmt::format("{} of {} modes, {} solves", std::min(settled, wanted), wanted, result_.solves));
  });
  if (!done) return fail(result_.interrupted ? "stopped" : "the search for modes did not converge");
  for (BlockLanczos::Pair& found : lanczos.pairs()) {
    // Where constraints leave less room than there are vectors, the last ones are rounding.
    if (found.value == 0 || system_.violation(found.vector) > allowed) continue;
    const double apart = 1 / found.value;
    pairs.push_back({shift + apart, std::abs(apart), std::move(found.vector)});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
  return true;
}

// Whether as many modes lie within some distance of the shift, beyond those wanted, as were found there.
bool ModeSearch::count(double shift, int below_shift, std::vector<Pair>& pairs, Index wanted, Index& missed) {
  std::size_t inside = std::min(at(wanted), pairs.size());
  while (inside < pairs.size() &&
         pairs[inside].distance - pairs[inside - 1].distance <= gap_share * pairs[inside].distance)
    ++inside;
  const double last = pairs[inside - 1].distance,
               radius = inside < pairs.size() ? 0.5 * (last + pairs[inside].distance) : last * (1 + gap_share);
  if (!tell("counting the modes below the highest")) return fail("stopped");
  if (!factorise(shift + radius)) return fail("the matrix of the count is singular");
  int within = system_.below();
  if (below_shift > 0) {
    if (!factorise(shift - radius)) return fail("the matrix of the count is singular");
    within -= system_.below();
  }
  missed = within - static_cast<Index>(inside);
  return true;
}

bool ModeSearch::find_all() {
  const double w = two_pi * options_.near;
  const double shift = w > 0 ? w * w : largest_ > 0 ? -shift_share * largest_ : -1;
  const Index wanted = std::min<Index>(options_.count, free_), with_more = std::min<Index>(wanted + more, free_);
  if (!tell("factorising")) return fail("stopped");
  if (!factorise(shift)) return fail("the stiffness is singular next to the shift: try another modes.near");
  const int below_shift = system_.below();
  std::vector<Pair> pairs;
  if (!search(shift, with_more, pairs)) return false;
  if (pairs.empty()) return fail("constraints and supports leave nothing that could move");
  for (int round = 0; options_.counted && round < most_rounds; ++round) {
    Index missed = 0;
    if (!count(shift, below_shift, pairs, wanted, missed)) return false;
    result_.complete = missed == 0;
    if (missed <= 0) break;
    if (!factorise(shift)) return fail("the stiffness is singular next to the shift");
    if (!search(shift, std::min(missed + more, free_ - static_cast<Index>(pairs.size())), pairs)) return false;
  }
  if (static_cast<Index>(pairs.size()) > wanted) pairs.resize(at(wanted));
  for (const Pair& pair : pairs) result_.modes.push_back(mode_of(pair));
  std::stable_sort(result_.modes.begin(), result_.modes.end(),
                   [](const Mode& a, const Mode& b) { return a.eigenvalue < b.eigenvalue; });
  const auto unstable =
      std::count_if(result_.modes.begin(), result_.modes.end(), [](const Mode& m) { return m.growth > 0; });
  result_.unstable = w > 0 ? static_cast<int>(unstable) : std::max(below_shift, static_cast<int>(unstable));
  return true;
}

// Translations along the axes, then rotations about them through the centre of mass.
void ModeSearch::rigid_motions() {
  const int d = model_.dimension();
  if (d == 0) return;
  const int turns = d == 3 ? 3 : d == 2 ? 1 : 0;
  rigid_.assign(at(d + turns), std::vector<double>(q_.size(), 0.0));
  const auto each_node = [&](const auto& use) {
    for (const Body& body : model_.bodies())
      if (body.dimension == d)
        for (int a = 0; a < body.nodes; ++a) use(at(body.first + a * d));
  };
  each_node([&](std::size_t i) {
    for (int c = 0; c < d; ++c) rigid_[c][i + c] = 1;
  });
  result_.center.assign(at(d), 0.0);
  for (int c = 0; c < d; ++c) {
    const std::vector<double> Mr = times(M_, rigid_[c].data());
    double mass = 0;
    for (std::size_t i = 0; i < Mr.size(); ++i) {
      mass += Mr[i] * rigid_[c][i];
      result_.center[c] += Mr[i] * q_[i];
    }
    if (mass > 0) result_.center[c] /= mass;
  }
  for (int turn = 0; turn < turns; ++turn) {
    const int a = d == 2 ? 0 : (turn + 1) % 3, b = d == 2 ? 1 : (turn + 2) % 3;
    each_node([&](std::size_t i) {
      rigid_[d + turn][i + a] = -(q_[i + b] - result_.center[b]);
      rigid_[d + turn][i + b] = q_[i + a] - result_.center[a];
    });
  }
  for (const std::vector<double>& r : rigid_) {
    const std::vector<double> Mr = times(M_, r.data());
    result_.free_mass.push_back(std::inner_product(r.begin(), r.end(), Mr.begin(), 0.0));
  }
}

Mode ModeSearch::mode_of(const Pair& pair) const {
  Mode mode;
  mode.shape.assign(pair.vector.data(), pair.vector.data() + n_);
  std::vector<double> Mx = times(M_, mode.shape.data());
  const double norm = std::sqrt(std::inner_product(Mx.begin(), Mx.end(), mode.shape.begin(), 0.0));
  for (double& x : mode.shape) x /= norm;
  for (double& x : Mx) x /= norm;
  std::vector<double> r = times(K_, mode.shape.data());
  mode.eigenvalue = std::inner_product(r.begin(), r.end(), mode.shape.begin(), 0.0);
  if (!lambda_.empty()) {
    std::vector<double> reaction(pair.vector.data() + n_, pair.vector.data() + pair.vector.size());
    model_.add_constraint_force(t_, q_, reaction, 1 / norm, r);
    model_.release(r);
  }
  double left = 0, size = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    left += std::pow(r[i] - mode.eigenvalue * Mx[i], 2);
    size += mode.shape[i] * mode.shape[i];
  }
  mode.residual = stiffness_ > 0 ? std::sqrt(left / size) / stiffness_ : 0;
  mode.zero = std::abs(mode.eigenvalue) <= zero_share * largest_;
  if (!mode.zero && mode.eigenvalue > 0) {
    const double w = std::sqrt(mode.eigenvalue);
    mode.frequency = w / two_pi;
    const std::vector<double> Dx = times(D_, mode.shape.data());
    mode.damping = std::inner_product(Dx.begin(), Dx.end(), mode.shape.begin(), 0.0) / (2 * w);
  } else if (!mode.zero) {
    mode.growth = std::sqrt(-mode.eigenvalue);
  }
  for (const std::vector<double>& motion : rigid_) {
    const double part = std::inner_product(Mx.begin(), Mx.end(), motion.begin(), 0.0);
    mode.effective_mass.push_back(part * part);
  }
  // The sign is arbitrary: the largest component is positive.
  const auto largest = std::max_element(mode.shape.begin(), mode.shape.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (*largest < 0)
    for (double& x : mode.shape) x = -x;
  return mode;
}

Modes ModeSearch::found() {
  if (free_ == 0) {
    result_.message = "supports leave nothing that could move";
    return result_;
  }
  refuse_gyroscopic();
  if (!tell("assembling")) return result_;
  assemble();
  leave_out_forces();
  rigid_motions();
  result_.converged = find_all();
  result_.zero = static_cast<int>(
      std::count_if(result_.modes.begin(), result_.modes.end(), [](const Mode& mode) { return mode.zero; }));
  return std::move(result_);
}

}  // namespace

Modes normal_modes(const Model& model, const State& state, const ModesOptions& options) {
  if (options.count < 1) throw std::invalid_argument("modes are counted from 1.");
  if (!(options.near >= 0)) throw std::invalid_argument("the frequency to look near is not negative.");
  require_modes(model, state);
  return ModeSearch(model, state, options).found();
}

}  // namespace livens
