// Models from a Lagrangian in C++: a generic lambda, differentiated exactly by jets.
//
//   auto model = livens::lagrangian_model<2>({"a", "b"}, [=](auto t, const auto& q, const auto& v) {
//     using std::cos;
//     return ...;                               // L(t, q, v); q and v are arrays of 2
//   });
//   auto model = livens::mechanical_model<1>({"theta"}, {m * l * l}, [=](const auto& q) { return ...; });  // W(q)
//
// Leave t out where it does not enter: what depends on time costs a derivative by it in every step.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <type_traits>
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

// A function of time and arrays, or of the arrays alone if time does not enter; t may be a number or a jet.
template <class Function>
class OfTime {
 public:
  explicit OfTime(Function f) : f_(std::move(f)) {}

  template <class Time, class... X>
  auto operator()(const Time& t, const X&... x) const {
    if constexpr (std::is_invocable_v<const Function&, const X&...>)
      return f_(x...);
    else
      return f_(t, x...);
  }
  // count: of the arrays
  template <int N, int count>
  static constexpr bool enters() {
    using Array = std::array<double, N>;
    if constexpr (count == 1)
      return !std::is_invocable_v<const Function&, const Array&>;
    else
      return !std::is_invocable_v<const Function&, const Array&, const Array&>;
  }

 private:
  Function f_;
};

// x as variables first, first + 1, ... of jets.
template <class Jet, int N>
std::array<Jet, N> variables(ConstVector x, std::size_t first = 0) {
  std::array<Jet, N> jets;
  for (std::size_t i = 0; i < N; ++i) jets[i] = Jet::variable(x[i], first + i);
  return jets;
}

// x as constants.
template <class S, int N>
std::array<S, N> constants(ConstVector x) {
  std::array<S, N> values;
  for (std::size_t i = 0; i < N; ++i) values[i] = S(x[i]);
  return values;
}

template <int N, class Function>
class LambdaLagrangian final : public LagrangianTerm {
 public:
  explicit LambdaLagrangian(Function f) : LagrangianTerm("lagrangian"), f_(std::move(f)) {}

  double value(double t, ConstVector q, ConstVector v) const override {
    return f_(t, constants<double, N>(q), constants<double, N>(v));
  }
  double add_gradient(double t, ConstVector q, ConstVector v, Vector by_q, Vector by_v) const override {
    const auto L = jet<Jet1<2 * N>>(t, q, v);
    for (std::size_t i = 0; i < N; ++i) {
      by_q[i] += L.gradient[i];
      by_v[i] += L.gradient[N + i];
    }
    return L.value;
  }
  void add_hessian(double t, ConstVector q, ConstVector v, const LagrangianScales& k, MatrixSink& sink) const override {
    std::array<double, static_cast<std::size_t>(N) * N> block;
    constexpr auto rows = first_indices<N>();
    if (k.qq == 0 && k.qv == 0 && k.vq == 0) {  // of the Legendre transform
      const Jet2<N> L = f_(t, constants<Jet2<N>, N>(q), variables<Jet2<N>, N>(v));
      for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j) block[i * N + j] = k.vv * L.hessian(i, j);
      return sink.add_block(rows, rows, block.data());
    }
    const auto L = jet<Jet2<2 * N>>(t, q, v);
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j)
        block[i * N + j] = k.qq * L.hessian(i, j) + k.qv * L.hessian(i, N + j) + k.vq * L.hessian(N + i, j) +
                           k.vv * L.hessian(N + i, N + j);
    sink.add_block(rows, rows, block.data());
  }
  double time_derivative(double t, ConstVector q, ConstVector v) const override {
    if (!depends_on_time()) return 0;
    return Dual(f_(Dual::variable(t), constants<Dual, N>(q), constants<Dual, N>(v))).derivative;
  }
  bool depends_on_time() const override { return OfTime<Function>::template enters<N, 2>(); }

 private:
  template <class Jet>
  Jet jet(double t, ConstVector q, ConstVector v) const {
    return f_(t, variables<Jet, N>(q), variables<Jet, N>(v, N));
  }
  OfTime<Function> f_;
};

template <int N, class Function>
class LambdaPotential final : public EnergyTerm {
 public:
  explicit LambdaPotential(Function f) : EnergyTerm("potential"), f_(std::move(f)) {}

  double energy(double t, ConstVector q) const override { return f_(t, constants<double, N>(q)); }
  void energies(double t, ConstVector q, Vector W) const override {
    const std::size_t n = W.empty() ? 0 : q.size() / W.size();
    for (std::size_t k = 0; k < W.size(); ++k) W[k] = f_(t, constants<double, N>(q.subspan(k * n, N)));
  }
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override {
    const auto W = jet<Jet1<N>>(t, q);
    for (std::size_t i = 0; i < N; ++i) gradient[i] += scale * W.gradient[i];
  }
  void write_gradient(double t, ConstVector q, Vector gradient) const override {
    const auto W = jet<Jet1<N>>(t, q);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = i < N ? W.gradient[i] : 0;
  }
  bool advance(const ExplicitSteps& steps, Vector q, Vector p, Vector g) const override {
    if (q.size() != N || depends_on_time()) return false;
    steps.advance<N>(N, q.data(), p.data(), g.data(), [&](const double* at, double* gradient) {
      const auto W = jet<Jet1<N>>(0, ConstVector(at, N));
      for (std::size_t i = 0; i < N; ++i) gradient[i] = W.gradient[i];
    });
    return true;
  }
  double add_gradient_and_energy(double t, ConstVector q, double scale, Vector gradient) const override {
    const auto W = jet<Jet1<N>>(t, q);
    for (std::size_t i = 0; i < N; ++i) gradient[i] += scale * W.gradient[i];
    return W.value;
  }
  void add_hessian(double t, ConstVector q, double scale, MatrixSink& sink) const override {
    const auto W = jet<Jet2<N>>(t, q);
    std::array<double, static_cast<std::size_t>(N) * N> block;
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j) block[i * N + j] = scale * W.hessian(i, j);
    constexpr auto rows = first_indices<N>();
    sink.add_block(rows, rows, block.data());
  }
  double time_derivative(double t, ConstVector q) const override {
    if (!depends_on_time()) return 0;
    return Dual(f_(Dual::variable(t), constants<Dual, N>(q))).derivative;
  }
  bool depends_on_time() const override { return OfTime<Function>::template enters<N, 1>(); }

 private:
  template <class Jet>
  Jet jet(double t, ConstVector q) const {
    return f_(t, variables<Jet, N>(q));
  }
  OfTime<Function> f_;
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

// A general Lagrangian L(t, q, v), or L(q, v), of N coordinates.
template <int N, class Function>
Model lagrangian_model(std::vector<std::string> coordinates, Function L) {
  ModelParts parts = detail::generalised_parts<N>(std::move(coordinates));
  parts.lagrangians.push_back(std::make_shared<detail::LambdaLagrangian<N, Function>>(std::move(L)));
  return Model(std::move(parts));
}

// L = sum m_i v_i^2 / 2 - W, with W(t, q) or W(q): the separable case, which every integrator accepts and explicit ones
// advance directly.
template <int N, class Function>
Model mechanical_model(std::vector<std::string> coordinates, std::vector<double> masses, Function W) {
  ModelParts parts = detail::generalised_parts<N>(std::move(coordinates));
  parts.mass.diagonal = std::move(masses);
  parts.terms.push_back(std::make_shared<detail::LambdaPotential<N, Function>>(std::move(W)));
  return Model(std::move(parts));
}

}  // namespace livens
