// Models from a Lagrangian in C++: a generic lambda, differentiated exactly by jets.
//
//   auto model = livens::lagrangian_model<2>({"a", "b"}, [=](auto t, const auto& q, const auto& v) {
//     using std::cos;
//     return ...;                               // L(t, q, v); q and v are arrays of 2
//   });
//   auto model = livens::mechanical_model<1>({"theta"}, {m * l * l}, [=](auto t, const auto& q) { return ...; });
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <livens/jet.hpp>
#include <livens/model.hpp>

namespace livens {
namespace detail {

// Rows and columns 0 ... N-1 of a dense block.
template <int N>
constexpr std::array<int, N> first_indices() {
  std::array<int, N> rows{};
  for (int i = 0; i < N; ++i) rows[i] = i;
  return rows;
}

template <int N, class Function>
class LambdaLagrangian final : public LagrangianTerm {
 public:
  explicit LambdaLagrangian(Function f) : LagrangianTerm("lagrangian"), f_(std::move(f)) {}

  double value(double t, ConstVector q, ConstVector v) const override {
    std::array<double, N> x, y;
    for (std::size_t i = 0; i < N; ++i) x[i] = q[i], y[i] = v[i];
    return f_(t, x, y);
  }
  double add_gradient(double t, ConstVector q, ConstVector v, Vector by_q, Vector by_v) const override {
    const Jet2<2 * N> L = jet(t, q, v);
    for (std::size_t i = 0; i < N; ++i) {
      by_q[i] += L.gradient[i];
      by_v[i] += L.gradient[N + i];
    }
    return L.value;
  }
  void add_hessian(double t, ConstVector q, ConstVector v, const LagrangianScales& k, MatrixSink& sink) const override {
    const Jet2<2 * N> L = jet(t, q, v);
    std::array<double, static_cast<std::size_t>(N) * N> block;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j)
        block[i * N + j] = k.qq * L.hessian(i, j) + k.qv * L.hessian(i, N + j) + k.vq * L.hessian(N + i, j) +
                           k.vv * L.hessian(N + i, N + j);
    constexpr auto rows = first_indices<N>();
    sink.add_block(rows, rows, block.data());
  }
  double time_derivative(double t, ConstVector q, ConstVector v) const override {
    std::array<Dual, N> x, y;
    for (std::size_t i = 0; i < N; ++i) x[i] = Dual{q[i], 0}, y[i] = Dual{v[i], 0};
    return Dual(f_(Dual::variable(t), x, y)).derivative;
  }

 private:
  Jet2<2 * N> jet(double t, ConstVector q, ConstVector v) const {
    std::array<Jet2<2 * N>, N> x, y;
    for (std::size_t i = 0; i < N; ++i) {
      x[i] = Jet2<2 * N>::variable(q[i], i);
      y[i] = Jet2<2 * N>::variable(v[i], N + i);
    }
    return f_(t, x, y);
  }
  Function f_;
};

template <int N, class Function>
class LambdaPotential final : public EnergyTerm {
 public:
  explicit LambdaPotential(Function f) : EnergyTerm("potential"), f_(std::move(f)) {}

  double energy(double t, ConstVector q) const override {
    std::array<double, N> x;
    for (std::size_t i = 0; i < N; ++i) x[i] = q[i];
    return f_(t, x);
  }
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override {
    const Jet2<N> W = jet(t, q);
    for (std::size_t i = 0; i < N; ++i) gradient[i] += scale * W.gradient[i];
  }
  double add_gradient_and_energy(double t, ConstVector q, double scale, Vector gradient) const override {
    const Jet2<N> W = jet(t, q);
    for (std::size_t i = 0; i < N; ++i) gradient[i] += scale * W.gradient[i];
    return W.value;
  }
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override {
    const Jet2<N> W = jet(t, q);
    std::array<double, static_cast<std::size_t>(N) * N> block;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j) block[i * N + j] = scale * W.hessian(i, j);
    constexpr auto rows = first_indices<N>();
    sink.add_block(rows, rows, block.data());
  }
  double time_derivative(double t, ConstVector q) const override {
    std::array<Dual, N> x;
    for (std::size_t i = 0; i < N; ++i) x[i] = Dual{q[i], 0};
    return Dual(f_(Dual::variable(t), x)).derivative;
  }

 private:
  Jet2<N> jet(double t, ConstVector q) const {
    std::array<Jet2<N>, N> x;
    for (std::size_t i = 0; i < N; ++i) x[i] = Jet2<N>::variable(q[i], i);
    return f_(t, x);
  }
  Function f_;
};

template <int N>
ModelParts generalised_parts(std::vector<std::string> names) {
  ModelParts parts;
  parts.coordinates = std::move(names);
  Body body;
  body.name = "system";
  body.nodes = N;
  parts.bodies.push_back(body);
  parts.mass.diagonal.assign(N, 0.0);
  return parts;
}

}  // namespace detail

// A general Lagrangian L(t, q, v) of N coordinates.
template <int N, class Function>
Model lagrangian_model(std::vector<std::string> coordinates, Function L) {
  ModelParts parts = detail::generalised_parts<N>(std::move(coordinates));
  parts.lagrangians.push_back(std::make_shared<detail::LambdaLagrangian<N, Function>>(std::move(L)));
  return Model(std::move(parts));
}

// L = sum m_i v_i^2 / 2 - W(t, q): the separable case, which every integrator accepts and explicit ones advance
// directly.
template <int N, class Function>
Model mechanical_model(std::vector<std::string> coordinates, std::vector<double> masses, Function W) {
  ModelParts parts = detail::generalised_parts<N>(std::move(coordinates));
  parts.mass.diagonal = std::move(masses);
  parts.terms.push_back(std::make_shared<detail::LambdaPotential<N, Function>>(std::move(W)));
  return Model(std::move(parts));
}

}  // namespace livens
