// Potentials and single equations of constraints at a fixed time, as functions of all coordinates.
#pragma once

#include <algorithm>
#include <vector>

#include <livens/model.hpp>

#include "model/scalar_function.hpp"

namespace livens {

class PotentialFunction final : public ScalarFunction {
 public:
  PotentialFunction(const EnergyTerm& term, double t) : term_(term), t_(t) {}
  double value(ConstVector x) override { return term_.energy(t_, x); }
  void gradient(ConstVector x, Vector g) override { term_.write_gradient(t_, x, g); }

 private:
  const EnergyTerm& term_;
  double t_;
};

class EquationFunction final : public ScalarFunction {
 public:
  EquationFunction(const Constraint& constraint, std::size_t k, double t)
      : constraint_(constraint), k_(k), t_(t), g_(constraint.count()), unit_(g_.size(), 0.0) {
    unit_[k] = 1;
  }
  double value(ConstVector x) override {
    constraint_.value(t_, x, g_);
    return g_[k_];
  }
  void gradient(ConstVector x, Vector g) override {
    std::fill(g.begin(), g.end(), 0.0);
    constraint_.add_force(t_, x, unit_, 1, g);
  }

 private:
  const Constraint& constraint_;
  std::size_t k_;
  double t_;
  std::vector<double> g_, unit_;
};

}  // namespace livens
