#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include <livens/model.hpp>

#include "math/parallel.hpp"
#include "math/scratch.hpp"
#include "model/legendre.hpp"
#include "model/linearisation.hpp"
#include "solve/linear_solver.hpp"

namespace livens {

struct Model::Cache {
  std::once_flag linearisation_once, mass_once;
  std::unique_ptr<const Linearisation> linearisation;
  std::unique_ptr<LinearSolver> mass;
};

Model::Model(ModelParts parts) : parts_(std::move(parts)), cache_(std::make_shared<Cache>()) {
  bool one_space = true;
  for (const Body& b : parts_.bodies) {
    if (b.dimension == 0) continue;
    one_space = one_space && (dimension_ == 0 || dimension_ == b.dimension);
    dimension_ = b.dimension;
  }
  if (!one_space) dimension_ = 0;
  const auto& masses = parts_.mass.diagonal;
  const bool uniform =
      diagonal_mass() && std::all_of(masses.begin(), masses.end(), [&](double m) { return m == masses.front(); });
  if (uniform && !masses.empty()) uniform_mass_ = masses.front();
  for (const auto& term : parts_.terms) has_external_terms_ = has_external_terms_ || external(*term);
  for (const auto& term : parts_.terms) depends_on_time_ = depends_on_time_ || term->depends_on_time();
  for (const auto& term : parts_.lagrangians) depends_on_time_ = depends_on_time_ || term->depends_on_time();
  for (const auto& constraint : parts_.constraints) constraint_count_ += constraint->count();
  for (const Support& support : parts_.supports) {
    supported_.resize(masses.size(), false);
    for (const int i : support.coordinates) supported_[i] = true;
    moving_ = moving_ || support.motion;
  }
  depends_on_time_ = depends_on_time_ || moving_;
  for (std::size_t i = 0; i < supported_.size(); ++i)
    if (supported_[i]) support_list_.push_back(static_cast<int>(i));
  if (support_list_.empty()) return;
  std::erase_if(parts_.mass.off_diagonal, [&](const MassEntry& e) { return supported(e.row) || supported(e.column); });
  for (const auto& term : parts_.terms) {
    auto part = term->restricted(supported_);
    support_terms_.push_back(part ? part : term);
  }
  has_external_terms_ = true;  // the reactions
}

void EnergyTerm::add_discrete_hessian(double t, ConstVector x, ConstVector y, double scale, bool,
                                      MatrixSink& sink) const {
  ScratchVector middle(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) middle[i] = 0.5 * (x[i] + y[i]);
  add_hessian(t, middle, 0.5 * scale, sink);
}

void Model::release(Vector g) const {
  for (const int i : support_list_) g[i] = 0;
}

namespace {

// values with the positions (or velocities) of the supports that move, in scratch memory.
std::vector<double> substituted(const ModelParts& parts, double t, ConstVector values, bool velocity) {
  std::vector<double> copy = take_scratch(values.size());
  std::copy(values.begin(), values.end(), copy.begin());
  ScratchVector x, v;
  for (const Support& support : parts.supports) {
    if (!support.motion) continue;
    x.resize(support.coordinates.size());
    v.resize(support.coordinates.size());
    support.motion(t, x, v);
    for (std::size_t k = 0; k < x.size(); ++k) copy[support.coordinates[k]] = velocity ? v[k] : x[k];
  }
  return copy;
}

}  // namespace

Placed::~Placed() {
  if (owns_) return_scratch(std::move(own_));
}

Placed Model::placed(double t, ConstVector q) const {
  return moving_ ? Placed(substituted(parts_, t, q, false), q.size()) : Placed(q);
}

Placed Model::moving(double t, ConstVector v) const {
  return moving_ ? Placed(substituted(parts_, t, v, true), v.size()) : Placed(v);
}

void Model::place_supports(double t, State& state) const {
  ScratchVector x, v;
  for (const Support& support : parts_.supports) {
    x.resize(support.coordinates.size());
    v.assign(support.coordinates.size(), 0.0);
    if (support.motion) support.motion(t, x, v);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto i = static_cast<std::size_t>(support.coordinates[k]);
      if (support.motion) state.q[i] = x[k];
      state.v[i] = v[k];
      state.p[i] = 0;
    }
  }
}

void Model::reaction(const Support& support, double t, ConstVector q, ConstVector v, Vector force) const {
  std::vector<double> sum(q.size(), 0.0);
  for (const auto& term : support_terms_) term->add_gradient(t, q, 1, sum);
  for (const auto& f : parts_.forces) f->add_force(t, q, v, -1, sum);
  for (std::size_t k = 0; k < support.coordinates.size(); ++k) force[k] = sum[support.coordinates[k]];
}

bool Model::external(const EnergyTerm& term) const {
  const bool rotates =
      std::any_of(parts_.bodies.begin(), parts_.bodies.end(), [](const Body& b) { return !b.periodic; });
  const Invariance keeps = term.invariance();
  return !keeps.translations || (rotates && !keeps.rotations);
}

const Body& Model::body(const std::string& name) const {
  std::string known;
  for (const Body& b : parts_.bodies) {
    if (b.name == name) return b;
    known += (known.empty() ? "" : ", ") + b.name;
  }
  throw std::out_of_range("no body '" + name + "'; the model has: " + known);
}

ModelClass Model::model_class() const {
  ModelClass result;
  result.separable = separable();
  result.forced = !parts_.forces.empty();
  result.constrained = !parts_.constraints.empty();
  for (const auto& force : parts_.forces) {
    result.lagged = result.lagged || force->placement(true) != Placement::symmetric;
    result.first_order = result.first_order || force->placement(false) != Placement::symmetric;
    result.step_energy = result.step_energy || force->step_energy() != nullptr;
    result.barrier_losses =
        result.barrier_losses || force->friction_of() != nullptr || force->restitution_of() != nullptr;
  }
  const std::vector<double> anywhere(size());
  std::vector<double> unused(size());
  for (const auto& term : parts_.terms) {
    const Invariance keeps = term->invariance();
    if ((keeps.translations || keeps.rotations) && !term->add_discrete_gradient(0, anywhere, anywhere, 0, unused))
      result.discrete_gradients = false;
    result.barriers = result.barriers || term->barrier() != nullptr;
    result.impacts = result.impacts || term->impacts() != nullptr;
  }
  for (const auto& constraint : parts_.constraints)
    result.torque_free_constraints = result.torque_free_constraints && constraint->torque_free_between_steps();
  return result;
}

ConstVector Model::positions(const State& state, const std::string& name) const {
  const Body& b = body(name);
  return ConstVector(state.q).subspan(static_cast<std::size_t>(b.first), static_cast<std::size_t>(b.size()));
}

double Model::potential(double t, ConstVector q) const {
  double sum = 0;
  const Placed x = placed(t, q);
  for (const auto& term : parts_.terms) sum += term->energy(t, x);
  return sum;
}

void Model::gradient(double t, ConstVector q, Vector g) const {
  if (parts_.terms.empty()) return std::fill(g.begin(), g.end(), 0.0);
  const Placed x = placed(t, q);
  parts_.terms.front()->write_gradient(t, x, g);
  for (std::size_t k = 1; k < parts_.terms.size(); ++k) parts_.terms[k]->add_gradient(t, x, 1, g);
  release(g);
}

double Model::gradient_and_potential(double t, ConstVector q, Vector g) const {
  std::fill(g.begin(), g.end(), 0.0);
  double sum = 0;
  const Placed x = placed(t, q);
  for (const auto& term : parts_.terms) sum += term->add_gradient_and_energy(t, x, 1, g);
  release(g);
  return sum;
}

// A support takes what the invariant terms do to its coordinates: the rest of the body feels the opposite.
void Model::external_gradient(double t, ConstVector q, Vector g) const {
  std::fill(g.begin(), g.end(), 0.0);
  const Placed x = placed(t, q);
  for (const auto& term : parts_.terms)
    if (external(*term)) term->add_gradient(t, x, 1, g);
  if (support_list_.empty()) return;
  ScratchVector inner(g.size(), 0.0);
  for (std::size_t k = 0; k < parts_.terms.size(); ++k)
    if (!external(*parts_.terms[k])) support_terms_[k]->add_gradient(t, x, 1, inner);
  for (const int i : support_list_) g[i] = -inner[i];
}

double Model::lagrangian(double t, ConstVector q, ConstVector v, Vector by_q, Vector by_v) const {
  double value = -gradient_and_potential(t, q, by_q);
  for (double& g : by_q) g = -g;
  multiply_mass(v, by_v);
  for (std::size_t i = 0; i < v.size(); ++i) value += 0.5 * v[i] * by_v[i];
  for (const auto& term : parts_.lagrangians) value += term->add_gradient(t, q, v, by_q, by_v);
  return value;
}

double Model::lagrangian(double t, ConstVector q, ConstVector v) const {
  double value = kinetic(v) - potential(t, q);
  for (const auto& term : parts_.lagrangians) value += term->value(t, q, v);
  return value;
}

void Model::forces(double t, ConstVector q, ConstVector v, Vector f) const {
  std::fill(f.begin(), f.end(), 0.0);
  for (std::size_t k = 0; k < parts_.forces.size(); ++k) add_force(k, t, q, v, 1, f);
}

void Model::add_force(std::size_t k, double t, ConstVector q, ConstVector v, double scale, Vector f) const {
  const Placed x = placed(t, q), w = moving(t, v);
  parts_.forces[k]->add_force(t, x, w, scale, f);
  release(f);
}

double Model::rayleigh_function(std::size_t k, double t, ConstVector q, ConstVector v) const {
  const Placed x = placed(t, q), w = moving(t, v);
  return parts_.forces[k]->rayleigh_function(t, x, w);
}

void Model::constraint_values(double t, ConstVector q, Vector g) const {
  const Placed x = placed(t, q);
  std::size_t first = 0;
  for (const auto& constraint : parts_.constraints) {
    const auto count = static_cast<std::size_t>(constraint->count());
    constraint->value(t, x, g.subspan(first, count));
    first += count;
  }
}

void Model::constraint_rates(double t, ConstVector q, ConstVector v, Vector rate, Vector second) const {
  const Placed x = placed(t, q), w = moving(t, v);
  std::size_t first = 0;
  for (const auto& constraint : parts_.constraints) {
    const auto count = static_cast<std::size_t>(constraint->count());
    constraint->rates(t, x, w, rate.subspan(first, count), second.subspan(first, count));
    first += count;
  }
}

void Model::add_constraint_force(double t, ConstVector q, ConstVector lambda, double scale, Vector f) const {
  const Placed x = placed(t, q);
  std::size_t first = 0;
  for (const auto& constraint : parts_.constraints) {
    const auto count = static_cast<std::size_t>(constraint->count());
    constraint->add_force(t, x, lambda.subspan(first, count), scale, f);
    first += count;
  }
  release(f);
}

namespace {

// W(t1, q) - W(t0, q); its rate is asked first, since most terms have none.
double time_work(const EnergyTerm& term, double t0, double t1, ConstVector q) {
  for (const double t : {t0, 0.5 * (t0 + t1), t1})
    if (term.time_derivative(t, q) != 0) return term.energy(t1, q) - term.energy(t0, q);
  return 0;
}

}  // namespace

double Model::time_power(double t, ConstVector q, ConstVector v) const {
  if (!depends_on_time_) return 0;
  double power = 0;
  const Placed x = placed(t, q);
  for (const auto& term : parts_.terms) power += term->time_derivative(t, x);
  power += support_power(t, x);
  for (const auto& term : parts_.lagrangians) power -= term->time_derivative(t, x, v);
  return power;
}

double Model::time_work(double t0, double t1, double t, ConstVector q, ConstVector v) const {
  if (!depends_on_time_) return 0;
  double work = 0;
  const Placed x = placed(t, q);
  for (const auto& term : parts_.terms) work += livens::time_work(*term, t0, t1, x);
  work += (t1 - t0) * support_power(t, x);
  for (const auto& term : parts_.lagrangians) work -= (t1 - t0) * term->time_derivative(t, x, v);
  return work;
}

// dW/dq . dq/dt of the supports
double Model::support_power(double t, ConstVector x) const {
  if (!moving_) return 0;
  ScratchVector g(x.size(), 0.0);
  const ScratchVector rest(x.size(), 0.0);
  for (const auto& term : support_terms_) term->add_gradient(t, x, 1, g);
  const Placed moved = moving(t, rest);
  const ConstVector rate = moved;
  double power = 0;
  for (const int i : support_list_) power += g[i] * rate[i];
  return power;
}

void Model::multiply_mass(ConstVector v, Vector p) const {
  const auto& diagonal = parts_.mass.diagonal;
  for_chunks(v.size(), [&](std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) p[i] = diagonal[i] * v[i];
  });
  for (const MassEntry& e : parts_.mass.off_diagonal) p[e.row] += e.value * v[e.column];
}

void Model::divide_mass(ConstVector p, Vector v) const {
  const auto& diagonal = parts_.mass.diagonal;
  if (diagonal_mass()) {
    for_chunks(v.size(), [&](std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) v[i] = p[i] / diagonal[i];
    });
    return;
  }
  std::call_once(cache_->mass_once, [&] {
    const Linearisation& lin = linearisation(*this);
    std::vector<double> values(lin.pattern().nonzeros(), 0.0);
    lin.add_mass(*this, 1, values);
    auto solver = make_cholesky(lin.pattern());
    if (!solver->factorise(values)) throw std::invalid_argument("the mass matrix is not positive definite");
    cache_->mass = std::move(solver);
  });
  std::copy(p.begin(), p.end(), v.begin());
  cache_->mass->solve(v);
}

double Model::kinetic(ConstVector v) const {
  const auto& diagonal = parts_.mass.diagonal;
  double sum = sum_chunks(v.size(), [&](std::size_t a, std::size_t b) {
    double part = 0;
    for (std::size_t i = a; i < b; ++i) part += diagonal[i] * v[i] * v[i];
    return part;
  });
  for (const MassEntry& e : parts_.mass.off_diagonal) sum += e.value * v[e.row] * v[e.column];
  if (moving_)
    for (const int i : support_list_) {
      const auto k = static_cast<std::size_t>(i);
      sum -= diagonal[k] * v[k] * v[k];
    }
  return 0.5 * sum;
}

void Model::momentum(double t, ConstVector q, ConstVector v, Vector p) const {
  multiply_mass(v, p);
  if (separable()) return;
  std::vector<double> by_q(v.size(), 0.0);
  for (const auto& term : parts_.lagrangians) term->add_gradient(t, q, v, by_q, p);
}

bool Model::velocity(double t, ConstVector q, ConstVector p, Vector v) const {
  Legendre legendre(*this);
  return legendre.velocity(*this, t, q, p, v);
}

const Linearisation& linearisation(const Model& model) {
  Model::Cache& cache = *model.cache_;
  std::call_once(cache.linearisation_once, [&] { cache.linearisation = std::make_unique<const Linearisation>(model); });
  return *cache.linearisation;
}

Energy energy(const Model& model, const State& state) {
  Energy result;
  if (model.separable()) {
    result.kinetic = model.kinetic(state.v);
    result.potential = model.potential(state.t, state.q);
  } else {
    // E = p.v - L. The part of L that stays at v = 0 counts as potential.
    const std::vector<double> rest(state.v.size(), 0.0);
    double pv = 0;
    for (std::size_t i = 0; i < state.v.size(); ++i) pv += state.p[i] * state.v[i];
    result.potential = -model.lagrangian(state.t, state.q, rest);
    result.kinetic = pv - model.lagrangian(state.t, state.q, state.v) - result.potential;
  }
  result.total = result.kinetic + result.potential;
  return result;
}

Momenta momenta(const Model& model, ConstVector q, ConstVector p) {
  Momenta result;
  for (const Body& body : model.bodies()) {
    const int d = body.dimension;
    for (int a = 0; a < (d == 0 ? 0 : body.nodes); ++a) {
      double x[3] = {0, 0, 0}, y[3] = {0, 0, 0};
      for (int k = 0; k < d; ++k) {
        x[k] = q[body.first + a * d + k];
        y[k] = p[body.first + a * d + k];
        result.linear[k] += y[k];
      }
      if (body.periodic) continue;
      result.angular[0] += x[1] * y[2] - x[2] * y[1];
      result.angular[1] += x[2] * y[0] - x[0] * y[2];
      result.angular[2] += x[0] * y[1] - x[1] * y[0];
    }
  }
  return result;
}

State make_state(const Model& model, double t, std::vector<double> q, std::vector<double> v) {
  const auto n = static_cast<std::size_t>(model.size());
  if (q.size() != n || v.size() != n)
    throw std::invalid_argument("q and v need one number for each coordinate of the model");
  State state;
  state.t = t;
  state.p.resize(n);
  model.momentum(t, q, v, state.p);
  state.q = std::move(q);
  state.v = std::move(v);
  model.place_supports(t, state);
  return state;
}

}  // namespace livens
