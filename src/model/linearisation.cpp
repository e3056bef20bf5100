#include "model/linearisation.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <livens/assembly.hpp>

#include "math/parallel.hpp"
#include "math/scratch.hpp"

namespace livens {

Linearisation::Linearisation(const Model& model) {
  const ModelParts& parts = model.parts();
  const int n = model.size();
  for (const auto& term : parts.terms)
    if (const std::string reason = term->no_hessian(); !reason.empty()) throw AssemblyError("kind", reason + ".");
  // The emitted blocks do not depend on where they are evaluated: any point serves for the pattern.
  const std::vector<double> anywhere(n, 0.0);
  PatternSink sink;
  std::vector<std::size_t> marks{0};
  for (const MassEntry& entry : parts.mass.off_diagonal) sink.add_entry(entry.row, entry.column);
  marks.push_back(sink.mark());
  for (const auto& term : parts.terms) {
    term->add_hessian(0, anywhere, 1, sink);
    marks.push_back(sink.mark());
  }
  for (const auto& term : parts.lagrangians) {
    term->add_hessian(0, anywhere, anywhere, {1, 1, 1, 1}, sink);
    marks.push_back(sink.mark());
  }
  for (const auto& force : parts.forces) {
    force->add_jacobian(0, anywhere, anywhere, 1, 1, sink);
    marks.push_back(sink.mark());
  }
  const std::vector<double> ones(model.constraint_count(), 1.0);
  for (const auto& constraint : parts.constraints) {
    constraint->add_curvature(0, anywhere, ones, 1, sink);
    marks.push_back(sink.mark());
  }
  pattern_ = sink.make_pattern(n, std::max(1, model.dimension()));
  for (const Body& body : parts.bodies)
    pattern_.reference.insert(pattern_.reference.end(), body.reference.begin(), body.reference.end());
  if (static_cast<int>(pattern_.reference.size()) != n) pattern_.reference.clear();  // there are other coordinates

  for (int i = 0; i < n; ++i) diagonal_slots_.push_back(pattern_.slot(i, i));
  std::size_t k = 0;
  const auto next = [&] {
    ++k;
    return sink.slots(pattern_, marks[k - 1], marks[k]);
  };
  mass_slots_ = next();
  for (std::size_t i = 0; i < parts.terms.size(); ++i) term_slots_.push_back(next());
  for (std::size_t i = 0; i < parts.lagrangians.size(); ++i) lagrangian_slots_.push_back(next());
  for (std::size_t i = 0; i < parts.forces.size(); ++i) force_slots_.push_back(next());
  for (std::size_t i = 0; i < parts.constraints.size(); ++i) constraint_slots_.push_back(next());

  static std::atomic<long> models{0};
  if (is_constant(model)) constant_number_ = ++models;

  for (int c = 0; c < n && model.supported_count() > 0; ++c)
    for (int slot = pattern_.column_start[c]; slot < pattern_.column_start[c + 1]; ++slot) {
      const int r = pattern_.row[slot];
      if (model.supported(r) || model.supported(c)) (r == c ? support_diagonal_ : support_slots_).push_back(slot);
    }
}

// Terms without blocks are loads. Solids whose energy is one of rotations, too, are linear where two shapes show it.
bool Linearisation::is_constant(const Model& model) const {
  const ModelParts& parts = model.parts();
  if (!parts.lagrangians.empty() || !parts.forces.empty() || pattern_.reference.empty()) return false;
  std::vector<double> bent = pattern_.reference, one, other;
  for (std::size_t i = 0; i < bent.size(); ++i) bent[i] += 0.1 * std::sin(static_cast<double>(i + 1));
  for (std::size_t k = 0; k < parts.terms.size(); ++k) {
    const EnergyTerm& term = *parts.terms[k];
    if (term_slots_[k].empty()) continue;
    if (term.elements() == nullptr || term.invariance().rotations) return false;
    one.assign(pattern_.nonzeros(), 0.0);
    other.assign(pattern_.nonzeros(), 0.0);
    SlotSink at_rest(term_slots_[k], one), elsewhere(term_slots_[k], other);
    term.add_hessian(0, pattern_.reference, 1, at_rest);
    term.add_hessian(0, bent, 1, elsewhere);
    if (one != other) return false;
  }
  return true;
}

template <class Add>
void Linearisation::without_supports(Vector values, const Add& add) const {
  if (support_diagonal_.empty()) return add();
  ScratchVector diagonal(support_diagonal_.size());
  for (std::size_t k = 0; k < diagonal.size(); ++k) diagonal[k] = values[support_diagonal_[k]];
  add();
  for (const int slot : support_slots_) values[slot] = 0;
  for (std::size_t k = 0; k < diagonal.size(); ++k) values[support_diagonal_[k]] = diagonal[k];
}

void Linearisation::add_mass(const Model& model, double scale, Vector values) const {
  const Mass& mass = model.parts().mass;
  for_chunks(mass.diagonal.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[diagonal_slots_[i]] += scale * mass.diagonal[i];
  });
  for (std::size_t k = 0; k < mass.off_diagonal.size(); ++k)
    values[mass_slots_[k]] += scale * mass.off_diagonal[k].value;
}

void Linearisation::add_potential(const Model& model, double t, ConstVector q, double scale, Vector values,
                                  bool convex) const {
  const auto& terms = model.parts().terms;
  const Placed x = model.placed(t, q);
  without_supports(values, [&] {
    for (std::size_t k = 0; k < terms.size(); ++k) {
      SlotSink sink(term_slots_[k], values);
      convex ? terms[k]->add_convex_hessian(t, x, scale, sink) : terms[k]->add_hessian(t, x, scale, sink);
    }
  });
}

void Linearisation::add_lagrangian(const Model& model, double t, ConstVector q, ConstVector v,
                                   const LagrangianScales& scales, Vector values) const {
  if (scales.vv != 0) add_mass(model, scales.vv, values);
  if (scales.qq != 0) add_potential(model, t, q, -scales.qq, values);
  const auto& terms = model.parts().lagrangians;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    SlotSink sink(lagrangian_slots_[k], values);
    terms[k]->add_hessian(t, q, v, scales, sink);
  }
}

void Linearisation::add_force(const Model& model, std::size_t k, double t, ConstVector q, ConstVector v, double by_q,
                              double by_v, Vector values) const {
  const Placed x = model.placed(t, q), w = model.moving(t, v);
  without_supports(values, [&] {
    SlotSink sink(force_slots_[k], values);
    model.parts().forces[k]->add_jacobian(t, x, w, by_q, by_v, sink);
  });
}

void Linearisation::add_step_energy(const Model& model, std::size_t k, const StepEnergy& energy, double t,
                                    ConstVector q1, double scale, bool convex, Vector values) const {
  const Placed x = model.placed(t, q1);
  without_supports(values, [&] {
    SlotSink sink(force_slots_[k], values);
    energy.add_hessian(x, scale, convex, sink);
  });
}

void Linearisation::add_curvature(const Model& model, double t, ConstVector q, ConstVector lambda, double scale,
                                  Vector values) const {
  const auto& constraints = model.parts().constraints;
  const Placed x = model.placed(t, q);
  without_supports(values, [&] {
    std::size_t first = 0;
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      const auto count = static_cast<std::size_t>(constraints[k]->count());
      SlotSink sink(constraint_slots_[k], values);
      constraints[k]->add_curvature(t, x, lambda.subspan(first, count), scale, sink);
      first += count;
    }
  });
}

void Linearisation::add_discrete(const Model& model, std::size_t k, double t, ConstVector x, ConstVector y,
                                 double scale, bool symmetric, Vector values) const {
  without_supports(values, [&] {
    SlotSink sink(term_slots_[k], values);
    model.parts().terms[k]->add_discrete_hessian(t, x, y, scale, symmetric, sink);
  });
}

void Linearisation::add_potential(const Model& model, std::size_t k, double t, ConstVector q, double scale,
                                  Vector values) const {
  without_supports(values, [&] {
    SlotSink sink(term_slots_[k], values);
    model.parts().terms[k]->add_hessian(t, q, scale, sink);
  });
}

void Linearisation::add_rank_one(double scale, double shift, ConstVector u, ConstVector c, Vector values) const {
  without_supports(values, [&] {
    for (std::size_t j = 0; j < c.size(); ++j) {
      values[diagonal_slots_[j]] += scale * shift;
      for (auto slot = static_cast<std::size_t>(pattern_.column_start[j]);
           slot < static_cast<std::size_t>(pattern_.column_start[j + 1]); ++slot)
        values[slot] += scale * u[pattern_.row[slot]] * c[j];
    }
  });
}

void Linearisation::add_blocks(Vector values, const std::function<void(const BlockUse&)>& emit) const {
  without_supports(values, [&] {
    emit([&](std::span<const int> coordinates, ConstVector block) {
      for (std::size_t r = 0; r < coordinates.size(); ++r)
        for (std::size_t c = 0; c < coordinates.size(); ++c)
          values[pattern_.slot(coordinates[r], coordinates[c])] += block[r * coordinates.size() + c];
    });
  });
}

}  // namespace livens
