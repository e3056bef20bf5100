// W = sum over pairs of particles within a cut-off of V(r).
//
// Every particle sums over all its neighbours, in their order: no two threads write to one place, and all sums have the
// same bits for any number of threads.
#pragma once

#include <algorithm>

#include "forces/neighbours.hpp"
#include "forces/pair_block.hpp"
#include "forces/pair_laws.hpp"
#include "math/parallel.hpp"
#include "math/scratch.hpp"

namespace livens {

// Which pairs are near changes, but the pattern of a matrix does not: second derivatives have a place for every pair.
inline constexpr std::size_t most_with_hessian = 400;

inline std::string no_pair_hessian(const std::string& name, std::size_t particles) {
  if (particles <= most_with_hessian) return "";
  return "its equations would need second derivatives of '" + name +
         "', whose pairs change as particles move: they are "
         "kept for every pair, for up to " +
         std::to_string(most_with_hessian) + " particles, and there are " + std::to_string(particles) +
         "; use an explicit method: stormer_verlet, symplectic_euler_b, composition";
}

inline constexpr std::size_t particles_of_chunk = 64;

// Sum over all particles of body(i), which returns its part, by chunks added in their order.
template <class Body>
double sum_over_particles(std::size_t n, const Body& body) {
  const std::size_t chunks = (n + particles_of_chunk - 1) / particles_of_chunk;
  ScratchVector parts(chunks);
  for_each_index(chunks, [&](std::size_t k) {
    double part = 0;
    for (std::size_t i = k * particles_of_chunk; i < std::min(n, (k + 1) * particles_of_chunk); ++i) part += body(i);
    parts[k] = part;
  });
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

template <class Law, int D>
class PairTerm final : public EnergyTerm {
 public:
  // near: lists of those that are near, which the near part of the law is summed over; null: it is not divided.
  PairTerm(std::string name, std::shared_ptr<const NeighbourLists> lists, std::shared_ptr<const NeighbourLists> near,
           CutLaw<Law> law, bool periodic)
      : EnergyTerm(std::move(name)),
        lists_(std::move(lists)),
        near_(std::move(near)),
        law_(std::move(law)),
        periodic_(periodic) {}

  double energy(double, ConstVector q) const override {
    const auto lease = lists_->at(q);
    return sum_over_particles(count(), [&](std::size_t i) { return around<false>(lease, q, i, nullptr); });
  }
  void add_gradient(double t, ConstVector q, double scale, Vector gradient) const override {
    add_gradient_and_energy(t, q, scale, gradient);
  }
  double add_gradient_and_energy(double, ConstVector q, double scale, Vector gradient) const override {
    const auto lease = lists_->at(q);
    return sum_over_particles(count(), [&](std::size_t i) {
      double g[D] = {};
      const double energy = around<true>(lease, q, i, g);
      for (std::size_t c = 0; c < D; ++c) gradient[first(i) + c] += scale * g[c];
      return energy;
    });
  }

  std::string no_hessian() const override { return no_pair_hessian(name(), count()); }
  // V'/r 1 + (V'' - V'/r) n n'
  void add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    each_pair([&](std::size_t i, std::size_t j) {
      double d[3] = {};
      const double r2 = difference(q, i, j, d);
      PairMatrix K{};
      if (law_.inside(r2)) {
        const Radial V = law_.template at<true>(r2);
        K = central_tangent(scale * V.slope, scale * (V.second - V.slope) / r2, d, d, D, false);
      }
      add_pair_block(static_cast<int>(first(i)), static_cast<int>(first(j)), D, K, sink);
    });
  }

  // In r^2 [E04 4]: (V1 - V0)/(r1^2 - r0^2) (d0 + d1); of hardly any change the derivative in the middle.
  bool add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector gradient) const override {
    constexpr double hardly = 5e-6;  // of r^2: there both have the same error, 1e-11 of the force
    each_pair([&](std::size_t i, std::size_t j) {
      double d0[3] = {}, d1[3] = {};
      const double a = difference(x, i, j, d0);
      // The same image at both ends.
      double b = 0;
      for (std::size_t c = 0; c < D; ++c) {
        const double moved = (y[first(j) + c] - x[first(j) + c]) - (y[first(i) + c] - x[first(i) + c]);
        d1[c] = d0[c] + moved;
        b += d1[c] * d1[c];
      }
      if (!law_.inside(a) && !law_.inside(b)) return;
      double f = 0;
      if (std::abs(b - a) <= hardly * a)
        f = 0.5 * value<true>(0.5 * (a + b));
      else
        f = (value<false>(b) - value<false>(a)) / (b - a);
      for (std::size_t c = 0; c < D; ++c) {
        gradient[first(i) + c] -= scale * f * (d0[c] + d1[c]);
        gradient[first(j) + c] += scale * f * (d0[c] + d1[c]);
      }
    });
    return true;
  }
  Invariance invariance() const override { return {true, !periodic_}; }
  bool depends_on_time() const override { return false; }
  std::vector<std::shared_ptr<const EnergyTerm>> by_rate() const override {
    if (near_ == nullptr) return {};
    return {std::make_shared<PairTerm>(name() + ", near", near_, nullptr, law_.part(RangePart::near), periodic_),
            std::make_shared<PairTerm>(name() + ", far", lists_, nullptr, law_.part(RangePart::far), periodic_)};
  }

 private:
  std::size_t count() const { return lists_->nodes().size(); }
  std::size_t first(std::size_t i) const { return static_cast<std::size_t>(lists_->nodes()[i]); }

  double difference(ConstVector q, std::size_t i, std::size_t j, double* d) const {
    double r2 = 0;
    for (std::size_t c = 0; c < D; ++c) {
      d[c] = lists_->box().nearest(q[first(j) + c] - q[first(i) + c], c);
      r2 += d[c] * d[c];
    }
    return r2;
  }
  // V, or V'/r.
  template <bool Slope>
  double value(double r2) const {
    if (!law_.inside(r2)) return 0;
    const Radial V = law_.template at<false>(r2);
    return Slope ? V.slope : V.v;
  }
  // Half the energy of a particle with its neighbours; g += dW/dx_i.
  template <bool Gradient>
  double around(const NeighbourLists::Lease& lease, ConstVector q, std::size_t i, double* g) const {
    double energy = 0;
    for (const int j : lease.of(i)) {
      double d[3];
      const double r2 = difference(q, i, static_cast<std::size_t>(j), d);
      if (!law_.inside(r2)) continue;
      const Radial V = law_.template at<false>(r2);
      energy += V.v;
      if constexpr (Gradient)
        for (std::size_t c = 0; c < D; ++c) g[c] -= V.slope * d[c];
    }
    return 0.5 * energy;
  }
  template <class Body>
  void each_pair(const Body& body) const {
    for (std::size_t i = 0; i < count(); ++i)
      for (std::size_t j = i + 1; j < count(); ++j)
        if (lists_->neighbours(i, j)) body(i, j);
  }

  std::shared_ptr<const NeighbourLists> lists_, near_;
  CutLaw<Law> law_;
  bool periodic_;
};

}  // namespace livens
