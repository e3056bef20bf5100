// Two ways to one model: the same bodies, start, energies, forces and constraint values, bit for bit.
#pragma once

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "math/sparse_pattern.hpp"
#include "model/linearisation.hpp"

namespace livens::testing {

// What a scene must have besides mechanics.
constexpr const char* run_text = "time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.01 }\n";

inline void expect_same_start(const State& a, const State& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.p, b.p);
}

inline void expect_same_bodies(const Model& a, const Model& b) {
  ASSERT_EQ(a.bodies().size(), b.bodies().size());
  for (std::size_t k = 0; k < a.bodies().size(); ++k) {
    EXPECT_EQ(a.bodies()[k].name, b.bodies()[k].name);
    EXPECT_EQ(a.bodies()[k].dimension, b.bodies()[k].dimension);
    EXPECT_EQ(a.bodies()[k].periodic, b.bodies()[k].periodic);
    EXPECT_EQ(a.bodies()[k].reference, b.bodies()[k].reference);
    EXPECT_EQ(a.bodies()[k].mass, b.bodies()[k].mass);
  }
  EXPECT_EQ(a.parts().coordinates, b.parts().coordinates);
  EXPECT_EQ(a.parts().notes, b.parts().notes);
  ASSERT_EQ(a.parts().symmetries.size(), b.parts().symmetries.size());
  for (std::size_t k = 0; k < a.parts().symmetries.size(); ++k)
    EXPECT_EQ(a.parts().symmetries[k].name, b.parts().symmetries[k].name);
}

// All that a step asks of a model, in one list.
inline std::vector<double> quantities(const Model& model, double t, ConstVector q, ConstVector v) {
  const std::size_t n = model.size(), m = model.constraint_count();
  std::vector<double> all = model.parts().mass.diagonal, one(n), other(n), g(m);
  const auto keep = [&](const std::vector<double>& values) { all.insert(all.end(), values.begin(), values.end()); };
  for (const MassEntry& entry : model.parts().mass.off_diagonal) all.push_back(entry.value);
  all.push_back(model.gradient_and_potential(t, q, one));
  keep(one);
  all.push_back(model.lagrangian(t, q, v, one, other));
  keep(one);
  keep(other);
  model.forces(t, q, v, one);
  keep(one);
  model.constraint_values(t, q, g);
  keep(g);
  for (const Symmetry& symmetry : model.parts().symmetries) {
    symmetry.generator(q, one);
    keep(one);
  }
  const Linearisation matrix(model);
  std::vector<double> values(matrix.pattern().row.size(), 0.0);
  matrix.add_lagrangian(model, t, q, v, {1, 0.5, 0.25, 2}, values);
  keep(values);
  return all;
}

// `size` is how far from the start the coordinates are tried, in the units of the model.
inline void expect_same_model(const Model& a, const State& start_a, const Model& b, const State& start_b, double size) {
  expect_same_bodies(a, b);
  expect_same_start(start_a, start_b);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.constraint_count(), b.constraint_count());
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<double> q = start_a.q, v = start_a.v;
  for (double& x : q) x += uniform(engine);
  for (double& x : v) x += uniform(engine);
  const std::vector<double> of_a = quantities(a, 0.3, q, v), of_b = quantities(b, 0.3, q, v);
  EXPECT_EQ(of_a, of_b);
  double sum = 0;  // a guard: something was compared
  for (const double x : of_a) sum += std::abs(x);
  EXPECT_GT(sum, 0);
}

// The key of the AssemblyError that a call throws; "nothing" if it throws none.
template <class Call>
std::string refused_key(const Call& call) {
  try {
    call();
  } catch (const AssemblyError& error) {
    return error.key;
  }
  return "nothing";
}

}  // namespace livens::testing
