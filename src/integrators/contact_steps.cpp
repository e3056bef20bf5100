#include "integrators/contact_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "integrators/contact_entries.hpp"
#include "math/parallel.hpp"
#include "math/scratch.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr double of_free_way = 0.5;  // for the start: nearer to a barrier its forces are all that Newton's method sees
constexpr std::array<double, 3> softenings = {64, 8, 1};  // of the stick speed
constexpr double margin_of_range = 1e-3;                  // of the longest range: boxes are never without one

}  // namespace

ContactSteps::ContactSteps(const Model& model, const SaddleSystem* constraints, Forces forces)
    : forces_(forces), block_(std::max(1, model.dimension())) {
  for (const auto& term : model.parts().terms) {
    const ContactBarrier* barrier = term->barrier();
    set_of_term_.push_back(barrier == nullptr ? -1 : static_cast<int>(sets_.size()));
    if (barrier != nullptr) sets_.emplace_back(*barrier);
  }
  const auto set_of = [&](const ContactBarrier* barrier) {
    for (std::size_t k = 0; k < sets_.size() && barrier != nullptr; ++k)
      if (&sets_[k].barrier() == barrier) return static_cast<int>(k);
    return -1;
  };
  for (const auto& force : model.parts().forces) {
    set_of_force_.push_back(set_of(force->friction_of()));
    restitution_of_force_.push_back(set_of(force->restitution_of()));
  }
  if (!any()) return;
  for (auto* vector : {&q0_, &v0_, &v1_, &q_, &way_}) vector->resize(model.size());
  held_ = HeldEquations(model, constraints);
  base_values_.resize(held_.pattern().nonzeros());
  for (const Support& support : model.parts().supports) {
    if (!support.motion) continue;
    for (const int i : support.coordinates) moved_.push_back({i, 0});
    support_x_.resize(std::max(support_x_.size(), support.coordinates.size()));
  }
  support_v_.resize(support_x_.size());
}

// 1/2 max |h v0| + h^2 max |a0|: what a point may do besides h v0, by the fastest and by the forces other than contact;
// those at rest may be pushed by those that move. Steps longer than the periods of a body do not follow
// its accelerations: what they do besides is no more than what its fastest points do, or than an edge. Boxes grow where
// that is too little.
double ContactSteps::margin(const Model& model, double t0, double h, ConstVector z) {
  ScratchVector force(q0_.size(), 0.0), acceleration(q0_.size());
  for (std::size_t k = 0; k < set_of_term_.size(); ++k)
    if (!is_barrier(k)) model.parts().terms[k]->add_gradient(t0, q0_, 1, force);
  model.release(force);
  model.divide_mass(force, acceleration);
  double fastest = 0, steepest = 0;
  for (std::size_t i = 0; i < q0_.size(); ++i) {
    fastest = std::max(fastest, std::abs(z[i]));
    steepest = std::max(steepest, std::abs(acceleration[i]));
  }
  return 0.5 * fastest + std::min(h * h * steepest, std::max(fastest, shortest_edge())) +
         margin_of_range * longest_range();
}

double ContactSteps::shortest_edge() const {
  double edge = std::numeric_limits<double>::infinity();
  for (const ContactSet& set : sets_)
    for (const auto& body : set.barrier().surface().bodies())
      if (body.edge > 0 && !body.fixed) edge = std::min(edge, body.edge);
  return edge;
}

double ContactSteps::longest_range() const {
  double range = 0;
  for (const ContactSet& set : sets_) {
    range = std::max(range, set.barrier().largest_range());
    for (const BarrierPlane& plane : set.barrier().planes()) range = std::max(range, plane.range);
  }
  return range;
}

// Those that supports give.
void ContactSteps::find_end_velocities(const Model& model, double t1) {
  std::size_t next = 0;
  for (const Support& support : model.parts().supports) {
    if (!support.motion) continue;
    const std::size_t count = support.coordinates.size();
    support.motion(t1, Vector(support_x_).subspan(0, count), Vector(support_v_).subspan(0, count));
    for (std::size_t k = 0; k < count; ++k) moved_[next++].velocity = support_v_[k];
  }
}

void ContactSteps::begin(const Model& model, double t0, double h, ConstVector q0, ConstVector v0, Vector z) {
  model_ = &model;
  h_ = h;
  factor_ = forces_ == Forces::discrete ? h : 2 * h;
  slip_rate_ = 2 / h;  // v1 = 2 z/h - v0
  equilibrium_ = false;
  std::copy(q0.begin(), q0.end(), q0_.begin());
  std::copy(v0.begin(), v0.end(), v0_.begin());
  needed_.clear();
  z = z.subspan(0, q0_.size());
  const double around = margin(model, t0, h, z);
  held_.begin(model, t0, h, q0_, z);
  find_end_velocities(model, t0 + h);
  std::copy(z.begin(), z.end(), way_.begin());
  double free = 1;
  for (ContactSet& set : sets_) {
    set.begin(q0_, way_, around, forces_ == Forces::discrete ? h : 0);
    free = std::min(free, set.way(q0_, way_).free);
  }
  if (free < 1)
    for (double& value : z) value *= of_free_way * free;
}

void ContactSteps::begin_at_rest(const Model& model, ConstVector q0, double dt) {
  model_ = &model;
  h_ = 1;
  factor_ = 2;
  slip_rate_ = 0.5 / dt;  // half of it: the factor is for derivatives by one end of a step that has none
  equilibrium_ = true;
  std::copy(q0.begin(), q0.end(), q0_.begin());
  std::fill(way_.begin(), way_.end(), 0.0);
  needed_.clear();
  held_.begin(model, 0, h_, q0_, way_);
  for (ContactSet& set : sets_) set.begin(q0_, way_, longest_range());
}

void ContactSteps::add_discrete_gradient(std::size_t term, ConstVector q1, Vector sum) {
  ContactSet& set = sets_[set_of_term_[term]];
  if (forces_ == Forces::discrete)
    set.end_at(q1);
  else
    set.stand_at(q1);
  set.add_gradient(1, sum);
}

void ContactSteps::add_friction(std::size_t force_number, ConstVector v, double scale, Vector force) {
  for (std::size_t i = 0; i < v1_.size(); ++i) v1_[i] = equilibrium_ ? v[i] : 2 * v[i] - v0_[i];
  for (const Moved& moved : moved_) v1_[moved.coordinate] = moved.velocity;
  sets_[set_of_force_[force_number]].add_friction(v1_, v, scale, force);
}

void ContactSteps::add_friction(ConstVector v, double scale, Vector force) {
  for (std::size_t k = 0; k < set_of_force_.size(); ++k)
    if (is_friction(k)) add_friction(k, v, scale, force);
}

const SolveResult& ContactSteps::solve(ContactEquation& equation, bool redundant, Vector z,
                                       const SolverOptions& options) {
  start_.assign(z.begin(), z.end());
  held_.hold(equation, redundant, z);
  const SolveResult* result = &newton_.solve(*this, z, options);
  if (!result->converged && has_friction()) result = &follow_friction(z, options);
  held_.release(z);
  return *result;
}

// What sticks is nearly a constraint, and Newton's method may not find which points do: friction sets in gradually,
// from a stick speed at which it is a mild resistance down to that of the scene, each solve from the solution of the
// one before.
const SolveResult& ContactSteps::follow_friction(Vector z, const SolverOptions& options) {
  std::copy(start_.begin(), start_.end(), z.begin());
  held_.scale(z);
  const SolveResult* result = nullptr;
  for (const double factor : softenings) {
    for (ContactSet& set : sets_) set.soften_friction(factor);
    result = &newton_.solve(*this, z, options);
    if (!result->converged) break;
  }
  for (ContactSet& set : sets_) set.soften_friction(1);
  return *result;
}

long ContactSteps::contacts() const {
  long count = 0;
  for (const ContactSet& set : sets_) count += static_cast<long>(set.contacts().size());
  return count;
}

bool ContactSteps::has_restitution() const {
  return std::any_of(sets_.begin(), sets_.end(),
                     [](const ContactSet& set) { return set.barrier().restitution().coefficient < 1; });
}

// Of the energy of an impact the square of the travel is not released within a step, of which (1 - e^2) should be lost
// and e^2 come back: travels are measured in units of e.
double ContactSteps::largest_travel(ConstVector v1) {
  constexpr double least_e = 0.1;
  double largest = 0;
  for (ContactSet& set : sets_) {
    const double e = set.barrier().restitution().coefficient;
    if (e < 1) largest = std::max(largest, set.largest_travel(v0_, v1) / std::max(e, least_e));
  }
  return largest;
}

double ContactSteps::left_out() const {
  double sum = 0;
  for (const ContactSet& set : sets_)
    set.visit_rubbing([&](const Contact&, const Rubbing& rubbing) { sum = std::max(sum, rubbing.left_out()); });
  return std::abs(h_) * sum;
}

// Boxes that a direction would leave grow once an iteration; what it goes beyond is left for the next one.
double ContactSteps::free_fraction(ConstVector z, ConstVector dz, bool& changed) {
  for_chunks(q_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      q_[i] = q0_[i] + z[i];
      way_[i] = dz[i];
    }
  });
  double free = 1;
  for (ContactSet& set : sets_) {
    ContactSet::Way way = set.way(q_, way_);
    if (way.inside < 1) {
      set.widen();
      ++widened_;
      changed = true;
      way = set.way(q_, way_);
    }
    free = std::min(free, way.free);
  }
  return free;
}

template <class Entry>
void ContactSteps::for_entries(bool symmetric, const Entry& entry) const {
  for (const ContactSet& set : sets_) for_contact_entries(set, 0, set.contacts().size(), slip_rate_, symmetric, entry);
}

// Pairs of nodes that the pattern of the model does not have, those of earlier iterations of this solve included.
void ContactSteps::find_couplings(bool symmetric) {
  const SparsePattern& base = held_.pattern();
  const std::size_t before = needed_.size();
  for_entries(symmetric, [&](int row, int column, double, const double*, int) {
    if (row != column && base.slot(row, column) < 0) needed_.push_back({row / block_, column / block_});
  });
  if (needed_.size() == before) return;
  std::sort(needed_.begin(), needed_.end(), [](const NodeCoupling& a, const NodeCoupling& b) {
    return a.column != b.column ? a.column < b.column : a.row < b.row;
  });
  needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
}

// The rows of each node's columns: those of the model and the new ones, sorted.
void ContactSteps::make_pattern() {
  const SparsePattern& base = held_.pattern();
  pattern_.n = base.n;
  pattern_.block = base.block;
  pattern_.column_start.assign(1, 0);
  pattern_.row.clear();
  slot_of_base_.resize(base.row.size());
  std::size_t next = 0;
  for (int node = 0; node * block_ < base.n; ++node) {
    const std::size_t first = next;
    while (next < couplings_.size() && couplings_[next].column == node) ++next;
    for (int c = node * block_; c < std::min(base.n, (node + 1) * block_); ++c) {
      std::size_t extra = first;
      int slot = base.column_start[c];
      const int end = base.column_start[c + 1];
      while (slot < end || extra < next) {
        const int from_base = slot < end ? base.row[slot] : base.n;
        const int from_extra = extra < next ? couplings_[extra].row * block_ : base.n;
        if (from_base < from_extra) {
          slot_of_base_[slot++] = static_cast<int>(pattern_.row.size());
          pattern_.row.push_back(from_base);
        } else {
          for (int r = from_extra; r < std::min(base.n, from_extra + block_); ++r) pattern_.row.push_back(r);
          ++extra;
        }
      }
      pattern_.column_start.push_back(static_cast<int>(pattern_.row.size()));
    }
  }
}

const SparsePattern& ContactSteps::pattern(bool symmetric, long& number) {
  find_couplings(symmetric);
  number = 0;
  if (needed_.empty()) return held_.pattern();
  if (needed_ != couplings_) {
    couplings_ = needed_;
    make_pattern();
    ++pattern_number_;
  }
  number = pattern_number_;
  return pattern_;
}

// The block of the first coordinates row and column into a matrix whose columns are `stride` apart from `slot` on, but
// for rows of supports; what depends on where they are is left out where the matrix is to be symmetric.
void ContactSteps::add_block(int slot, int stride, int row, int column, double factor, const double* block, int width,
                             double* values, bool symmetric) const {
  const int d = model_->dimension();
  for (int b = 0; b < d; ++b) {
    if (symmetric && model_->supported(column + b)) continue;
    for (int a = 0; a < d; ++a)
      if (!model_->supported(row + a)) values[slot + b * stride + a] += factor * block[a * width + b];
  }
}

void ContactSteps::jacobian(ConstVector z, bool symmetric, Vector values) {
  std::fill(base_values_.begin(), base_values_.end(), 0.0);
  if (symmetric)
    held_.jacobian(z, base_values_);
  else
    held_.general_jacobian(z, base_values_);
  const SparsePattern& base = held_.pattern();
  const bool plain = needed_.empty();
  for (std::size_t k = 0; k < base_values_.size(); ++k)
    values[plain ? static_cast<int>(k) : slot_of_base_[k]] += base_values_[k];
  const SparsePattern& used = plain ? base : pattern_;
  const int d = model_->dimension();
  for_entries(symmetric, [&](int row, int column, double weight, const double* block, int width) {
    // Columns of one node may differ in length here: constraints have rows in those that they depend on.
    for (int b = 0; b < d; ++b) {
      if (symmetric && model_->supported(column + b)) continue;
      const int slot = used.slot(row, column + b);
      for (int a = 0; a < d; ++a)
        if (!model_->supported(row + a)) values[slot + a] += factor_ * weight * block[a * width + b];
    }
  });
}

const SparsePattern& ContactSteps::plain_pattern() const { return held_.pattern(); }

}  // namespace livens
