#include "elements/elastic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include "elements/discrete_elastic.hpp"
#include "elements/elastic_kernels.hpp"
#include "elements/element_chunks.hpp"
#include "elements/element_stencils.hpp"
#include "elements/step_elastic.hpp"
#include "elements/straight_kernels.hpp"

namespace livens {
namespace {

template <ElementKind K>
class ElasticBlock final : public SolidBlock {
 public:
  static constexpr int D = Shape<K>::dimension;

  ElasticBlock(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy, double lambda, double mu)
      : ElasticBlock(part, energy, lambda, mu, with_coefficients(part, *energy, make_layout(part))) {}
  ElasticBlock(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy, double lambda, double mu,
               ElementLayout layout)
      : SolidBlock(part),
        energy_(std::move(energy)),
        lambda_(lambda),
        mu_(mu),
        layout_(std::move(layout)),
        kernels_(layout_, *energy_),
        discrete_(make_discrete_elastic(K, layout_, *energy_)) {
    if constexpr (D == 3) {
      if (energy_->uses_i2()) return;
      if (auto shape = straight_shape(SolidBlock::part(), layout_))
        straight_.emplace(layout_, std::move(*shape), *energy_);
    }
  }

  double energy(double, ConstVector q) const override { return sum<Wanted::energy>(q, 0, {}); }
  void add_gradient(double, ConstVector q, double scale, Vector g) const override {
    sum<Wanted::gradient>(q, scale, g);
  }
  double add_gradient_and_energy(double, ConstVector q, double scale, Vector g) const override {
    return sum<Wanted::both>(q, scale, g);
  }
  void add_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    hessian(q, scale, false, sink);
  }
  void add_convex_hessian(double, ConstVector q, double scale, MatrixSink& sink) const override {
    hessian(q, scale, true, sink);
  }
  bool add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector g) const override {
    return discrete_->add_gradient(x, y, scale, g), true;
  }
  // Symmetric: its first part, half the Hessian of the middle. Newton's method takes as many steps with it as with the
  // symmetric part of all of it (linear convergence, by a fraction of the relative motion), and it costs a third.
  void add_discrete_hessian(double t, ConstVector x, ConstVector y, double scale, bool symmetric,
                            MatrixSink& sink) const override {
    if (symmetric) return EnergyTerm::add_discrete_hessian(t, x, y, scale, true, sink);
    discrete_->add_tangent(x, y, scale, sink);
  }
  Invariance invariance() const override { return {true, true}; }
  void add_configurational(ConstVector q, double scale, Vector G) const override {
    sum<Wanted::by_reference>(q, scale, G);
  }
  std::shared_ptr<const SolidBlock> on_mesh(std::shared_ptr<const Mesh> mesh) const override {
    const SolidPart moved = part_on(std::move(mesh));
    ElementLayout layout = layout_;
    fill_geometry(moved, layout);
    return std::make_shared<ElasticBlock>(moved, energy_, lambda_, mu_,
                                          with_coefficients(moved, *energy_, std::move(layout)));
  }

  std::shared_ptr<const EnergyTerm> restricted(const std::vector<bool>& marked) const override {
    return std::make_shared<ElasticBlock>(touching(part(), marked), energy_, lambda_, mu_);
  }

  void fields(ConstVector q, Vector stress, Vector density) const override {
    std::fill(stress.begin(), stress.end(), 0.0);
    std::fill(density.begin(), density.end(), 0.0);
    std::vector<double> volume(density.size(), 0.0);
    each_point(q, [&](int lane, std::size_t k, Pack weight, const EnergyPoint& e, const Pack(&F)[D][D]) {
      // sigma = P F'/J; the third direction of plane strain has F = 1.
      Eigen::Matrix3d f = Eigen::Matrix3d::Identity();
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) f(i, j) = F[i][j][lane];
      const double i1 = e.i1[lane], j = e.j[lane], w = weight[lane];
      const double w2 = energy_->uses_i2() ? e.w2[lane] : 0;
      const Eigen::Matrix3d b = f * f.transpose();
      const Eigen::Matrix3d sigma =
          (2 * e.w1[lane] * b + 2 * w2 * (i1 * b - b * b)) / j + e.wj[lane] * Eigen::Matrix3d::Identity();
      double* s = stress.data() + 6 * k;
      const double six[6] = {sigma(0, 0), sigma(1, 1), sigma(2, 2), sigma(0, 1), sigma(1, 2), sigma(2, 0)};
      for (int i = 0; i < 6; ++i) s[i] += w * six[i];
      density[k] += w * e.w[lane];
      volume[k] += w;
    });
    for (std::size_t k = 0; k < volume.size(); ++k) {
      density[k] /= volume[k];
      for (std::size_t i = 0; i < 6; ++i) stress[6 * k + i] /= volume[k];
    }
  }

  void volume_ratio(ConstVector q, Vector smallest_j) const override {
    std::fill(smallest_j.begin(), smallest_j.end(), std::numeric_limits<double>::infinity());
    each_point(q, [&](int lane, std::size_t k, Pack, const EnergyPoint& e, const Pack(&)[D][D]) {
      smallest_j[k] = std::min(smallest_j[k], e.j[lane]);
    });
  }

  double grad_u_squared(ConstVector q) const override {
    double total = 0;
    each_point(q, [&](int lane, std::size_t, Pack weight, const EnergyPoint&, const Pack(&F)[D][D]) {
      double square = 0;
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) square += std::pow(F[i][j][lane] - (i == j ? 1 : 0), 2);
      total += weight[lane] * square;
    });
    return total;
  }

  bool survives_inversion() const override { return energy_->survives_inversion(); }
  std::shared_ptr<const Stencils> stencils() const override {
    return make_elastic_stencils(part(), energy_, lambda_, mu_);
  }
  std::shared_ptr<const ElementChunks> chunks_of(std::span<const int> places) const override {
    return make_elastic_chunks(part(), places, energy_);
  }
  std::shared_ptr<Force> make_damping(const std::string& name, double time, DampingForm form) const override {
    return make_strain_damping(part(), name, time, lambda_, mu_, form, [part = part(), energy = energy_, time] {
      return make_step_elastic(K, with_coefficients(part, *energy, make_layout(part)), energy, time);
    });
  }

 private:
  static ElementLayout with_coefficients(const SolidPart& part, const StrainEnergy& energy, ElementLayout layout) {
    fill_coefficients(
        part, energy.coefficients(), [&](const double* X, double* out) { energy.coefficients_at(X, out); }, layout);
    return layout;
  }

  enum class Wanted { energy, gradient, both, by_reference };

  template <Wanted wanted>
  double sum(ConstVector q, double scale, Vector g) const {
    const auto chunk_sum = [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double* x = chunk_buffer(0, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q, x);
      const NodesAhead ahead(layout_, k, q.data(), wanted == Wanted::energy ? nullptr : g.data());
      double* f = nullptr;
      if (wanted != Wanted::energy) {
        f = chunk_buffer(1, chunk.nodes);
        std::fill(f, f + 4 * chunk.nodes, 0.0);
      }
      const double energy = chunk_energy<wanted>(chunk, x, scale, f, ahead);
      if (wanted != Wanted::energy) scatter_nodes<D>(layout_, chunk, f, g);
      return energy;
    };
    return sum_over_chunks(layout_, chunk_sum);
  }

  template <Wanted wanted>
  double chunk_energy(const ElementChunk& chunk, const double* x, double scale, double* f,
                      const NodesAhead& ahead) const {
    if constexpr (D == 3 && wanted != Wanted::by_reference)
      if (straight_) return straight_->template chunk<wanted != Wanted::gradient>(chunk, x, scale, f, ahead);
    return kernels_.template chunk<wanted == Wanted::by_reference>(chunk, x, scale, f, ahead);
  }

  void hessian(ConstVector q, double scale, bool convex, MatrixSink& sink) const {
    const BlockAccess access = sink.blocks(layout_.stencil, 2, D);
    if (access.values == nullptr) return;
    for_each_chunk(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double* x = chunk_buffer(0, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q, x);
      kernels_.chunk_hessian(chunk, x, scale, convex, access);
    });
  }

  template <class Body>
  void each_point(ConstVector q, const Body& body) const {
    for (const ElementChunk& chunk : layout_.chunks) {
      double* x = chunk_buffer(0, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q, x);
      kernels_.each_point(chunk, x, [&](int pack, Pack weight, const EnergyPoint& e, const Pack(&F)[D][D]) {
        for (int lane = 0; lane < 4; ++lane) {
          const int k = layout_.element[4 * pack + lane];
          if (k >= 0) body(lane, k, weight, e, F);
        }
      });
    }
  }

  std::shared_ptr<const StrainEnergy> energy_;
  double lambda_, mu_;
  ElementLayout layout_;
  ElasticKernels<K> kernels_;
  std::optional<StraightKernels<D == 3 ? K : ElementKind::tet4>> straight_;
  std::unique_ptr<const DiscreteElastic> discrete_;
};

// s(X) w: the energy of a material with a stiffness factor.
class GradedEnergy final : public StrainEnergy {
 public:
  GradedEnergy(std::shared_ptr<const StrainEnergy> energy, std::function<double(const double*)> factor)
      : energy_(std::move(energy)), factor_(std::move(factor)) {}

  void evaluate(EnergyPoint* points, int count, int order, const Pack* coefficients) const override {
    const int n = energy_->coefficients();
    for (int k = 0; k < count; ++k, coefficients += n + 1) {
      EnergyPoint& e = points[k];
      energy_->evaluate(&e, 1, order, n > 0 ? coefficients : nullptr);
      const Pack s = coefficients[n];
      e.w *= s;
      if (order > 0)
        for (Pack* d : {&e.w1, &e.wj}) *d *= s;
      if (order > 1)
        for (Pack* d : {&e.w11, &e.w1j, &e.wjj}) *d *= s;
      if (!energy_->uses_i2()) continue;
      if (order > 0) e.w2 *= s;
      if (order > 1)
        for (Pack* d : {&e.w12, &e.w22, &e.w2j}) *d *= s;
    }
  }
  int coefficients() const override { return energy_->coefficients() + 1; }
  void coefficients_at(const double* X, double* values) const override {
    energy_->coefficients_at(X, values);
    values[energy_->coefficients()] = factor_(X);
  }
  bool uses_i2() const override { return energy_->uses_i2(); }
  bool survives_inversion() const override { return energy_->survives_inversion(); }

 private:
  std::shared_ptr<const StrainEnergy> energy_;
  std::function<double(const double*)> factor_;
};

}  // namespace

std::shared_ptr<const StrainEnergy> make_graded(std::shared_ptr<const StrainEnergy> energy,
                                                std::function<double(const double* X)> factor) {
  return std::make_shared<GradedEnergy>(std::move(energy), std::move(factor));
}

std::shared_ptr<SolidBlock> make_elastic(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy,
                                         double lambda, double mu) {
  if (part.stiffness_factor) energy = make_graded(std::move(energy), part.stiffness_factor);
  return make_elastic_of_place(part, std::move(energy), lambda, mu);
}

std::shared_ptr<SolidBlock> make_elastic_of_place(const SolidPart& part, std::shared_ptr<const StrainEnergy> energy,
                                                  double lambda, double mu) {
  return with_kind(part.mesh->kind, [&](auto kind) -> std::shared_ptr<SolidBlock> {
    return std::make_shared<ElasticBlock<kind.value>>(part, energy, lambda, mu);
  });
}

}  // namespace livens
