// Second derivatives of a model on one fixed sparse pattern: mass, potential, general Lagrangian and forces.
#pragma once

#include <functional>
#include <vector>

#include <livens/model.hpp>

#include "math/sparse_pattern.hpp"

namespace livens {

class Linearisation {
 public:
  // Throws AssemblyError if a term has no second derivatives to be asked for.
  explicit Linearisation(const Model& model);

  const SparsePattern& pattern() const { return pattern_; }
  // Of this model among all; 0 if its second derivatives vary: of terms, or with general Lagrangians or forces.
  long number_if_constant() const { return constant_number_; }

  // values += scale * M
  void add_mass(const Model& model, double scale, Vector values) const;
  // values += scale * d2W/dq2; convex: or of the positive semi-definite stand-ins that the terms have.
  void add_potential(const Model& model, double t, ConstVector q, double scale, Vector values,
                     bool convex = false) const;
  // values += qq L_qq + qv L_qv + vq L_vq + vv L_vv of the whole Lagrangian, mass and potential included.
  void add_lagrangian(const Model& model, double t, ConstVector q, ConstVector v, const LagrangianScales& scales,
                      Vector values) const;
  // values += by_q df/dq + by_v df/dv of force number k.
  void add_force(const Model& model, std::size_t k, double t, ConstVector q, ConstVector v, double by_q, double by_v,
                 Vector values) const;
  // values += scale * d2W/dq1^2 of the step energy of force number k.
  void add_step_energy(const Model& model, std::size_t k, const StepEnergy& energy, double t, ConstVector q1,
                       double scale, bool convex, Vector values) const;
  // values += scale * sum lambda_k d2g_k/dq2 of all constraints.
  void add_curvature(const Model& model, double t, ConstVector q, ConstVector lambda, double scale,
                     Vector values) const;
  // values += scale * d DW(x, y)/dy of the discrete derivative of potential number k.
  void add_discrete(const Model& model, std::size_t k, double t, ConstVector x, ConstVector y, double scale,
                    bool symmetric, Vector values) const;
  // values += scale * d2W/dq2 of potential number k.
  void add_potential(const Model& model, std::size_t k, double t, ConstVector q, double scale, Vector values) const;
  // values += scale * (shift I + u c') as far as the pattern has places for it.
  void add_rank_one(double scale, double shift, ConstVector u, ConstVector c, Vector values) const;
  // values += the blocks, row by row, that `emit` hands over, each between the coordinates named with it.
  using BlockUse = std::function<void(std::span<const int> coordinates, ConstVector block)>;
  void add_blocks(Vector values, const std::function<void(const BlockUse&)>& emit) const;

 private:
  bool is_constant(const Model& model) const;
  // Runs add() and keeps the rows and columns of supports as they were: eliminated, with the mass on the diagonal.
  template <class Add>
  void without_supports(Vector values, const Add& add) const;

  SparsePattern pattern_;
  long constant_number_ = 0;
  std::vector<int> support_diagonal_, support_slots_;  // the other entries of their rows and columns
  std::vector<int> diagonal_slots_, mass_slots_;
  std::vector<std::vector<int>> term_slots_, lagrangian_slots_, force_slots_, constraint_slots_;
};

// The one that all who step this model share; made at the first call.
const Linearisation& linearisation(const Model& model);

}  // namespace livens
