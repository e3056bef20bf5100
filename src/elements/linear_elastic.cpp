// Linear elasticity: w = mu |e|^2 + lambda/2 tr^2 e with e = sym(F) - I. Forces are linear in the displacement and not
// frame-indifferent: a rotation costs energy.
#include <algorithm>
#include <cmath>
#include <limits>

#include "elements/current_gradients.hpp"
#include "elements/elastic.hpp"
#include "elements/element_chunks.hpp"
#include "elements/element_stencils.hpp"
#include "elements/eshelby.hpp"
#include "elements/linear_kernels.hpp"
#include "elements/step_elastic.hpp"

namespace livens {
namespace {

template <ElementKind K>
class LinearBlock final : public SolidBlock {
 public:
  static constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension, G = Shape<K>::points;
  static constexpr int each = 1 + (N - 1) * D;

  LinearBlock(const SolidPart& part, double lambda, double mu) : LinearBlock(part, lambda, mu, make_layout(part)) {
    scale_weights(part, layout_);
  }
  LinearBlock(const SolidPart& part, double lambda, double mu, ElementLayout layout)
      : SolidBlock(part), lambda_(lambda), mu_(mu), layout_(std::move(layout)) {}

  double energy(double, ConstVector q) const override { return sum(q, 0, {}, false); }
  void add_gradient(double, ConstVector q, double scale, Vector g) const override { sum(q, scale, g, true); }
  double add_gradient_and_energy(double, ConstVector q, double scale, Vector g) const override {
    return sum(q, scale, g, true);
  }
  void add_hessian(double, ConstVector, double scale, MatrixSink& sink) const override {
    const BlockAccess access = sink.blocks(layout_.stencil, 2, D);
    if (access.values == nullptr) return;
    for_each_chunk(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      ChunkBlocks<N, D> sums(layout_, chunk);
      for (int pack = chunk.first_pack; pack < chunk.first_pack + chunk.packs; ++pack) {
        PairBlocks<N, D> blocks;
        LIVENS_FOR (int g = 0; g < G; ++g) {
          const Pack* b = geometry(pack, g);
          linear_blocks<N, D>(b + 1, b[0] * scale, lambda_, mu_, g == 0, blocks);
        }
        sums.add(pack, blocks);
      }
      sums.finish(access);
    });
  }
  // W is quadratic: the gradient of the middle, and half its constant second derivative.
  bool add_discrete_gradient(double, ConstVector x, ConstVector y, double scale, Vector g) const override {
    // Not a scratch array: whatever is inlined here decides which products GCC fuses in the kernels of this file.
    thread_local std::vector<double> middle;
    middle.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) middle[i] = 0.5 * (x[i] + y[i]);
    sum(middle, scale, g, true);
    return true;
  }
  void add_discrete_hessian(double t, ConstVector x, ConstVector, double scale, bool, MatrixSink& sink) const override {
    add_hessian(t, x, 0.5 * scale, sink);
  }
  Invariance invariance() const override { return {true, false}; }
  // w = 1/2 s:H with H = grad u, and the derivative is that at fixed u: w I - H's, of second order in u, which is what
  // linear elasticity means by it. At fixed x it would be w I - F's: less the elastic force, of first order.
  void add_configurational(ConstVector q, double scale, Vector g) const override { sum<true>(q, scale, g, true); }
  bool at_fixed_displacement() const override { return true; }
  std::shared_ptr<const SolidBlock> on_mesh(std::shared_ptr<const Mesh> mesh) const override {
    const SolidPart moved = part_on(std::move(mesh));
    ElementLayout layout = layout_;
    fill_geometry(moved, layout);
    scale_weights(moved, layout);
    return std::make_shared<LinearBlock>(moved, lambda_, mu_, std::move(layout));
  }

  std::shared_ptr<const EnergyTerm> restricted(const std::vector<bool>& marked) const override {
    return std::make_shared<LinearBlock>(touching(part(), marked), lambda_, mu_);
  }

  void fields(ConstVector q, Vector stress, Vector density) const override {
    std::fill(stress.begin(), stress.end(), 0.0);
    std::fill(density.begin(), density.end(), 0.0);
    std::vector<double> volume(density.size(), 0.0);
    each_point(q, [&](int lane, std::size_t k, double scaled, double factor, const Pack(&H)[D][D]) {
      Pack s[D][D];
      linear_stress<D>(H, broadcast(1), lambda_, mu_, s);
      const double weight = scaled / factor;  // the volume
      double trace = 0, w = 0;
      LIVENS_FOR (int i = 0; i < D; ++i) {
        trace += H[i][i][lane];
        LIVENS_FOR (int j = 0; j < D; ++j) w += 0.5 * s[i][j][lane] * H[i][j][lane];
      }
      const double zz = D == 3 ? s[D - 1][D - 1][lane] : lambda_ * trace;
      const double six[6] = {s[0][0][lane],
                             s[1][1][lane],
                             zz,
                             s[0][1][lane],
                             D == 3 ? s[1][D - 1][lane] : 0,
                             D == 3 ? s[D - 1][0][lane] : 0};
      for (std::size_t i = 0; i < 6; ++i) stress[6 * k + i] += scaled * six[i];
      density[k] += scaled * w;
      volume[k] += weight;
    });
    for (std::size_t k = 0; k < volume.size(); ++k) {
      density[k] /= volume[k];
      for (std::size_t i = 0; i < 6; ++i) stress[6 * k + i] /= volume[k];
    }
  }

  void volume_ratio(ConstVector q, Vector smallest_j) const override {
    std::fill(smallest_j.begin(), smallest_j.end(), std::numeric_limits<double>::infinity());
    each_point(q, [&](int lane, std::size_t k, double, double, const Pack(&H)[D][D]) {
      Pack F[D][D], c[D][D];
      LIVENS_FOR (int i = 0; i < D; ++i)
        LIVENS_FOR (int j = 0; j < D; ++j) F[i][j] = H[i][j] + (i == j ? 1.0 : 0.0);
      smallest_j[k] = std::min(smallest_j[k], cofactor(F, c)[lane]);
    });
  }

  double grad_u_squared(ConstVector q) const override {
    double total = 0;
    each_point(q, [&](int lane, std::size_t, double scaled, double factor, const Pack(&H)[D][D]) {
      const double weight = scaled / factor;
      LIVENS_FOR (int i = 0; i < D; ++i)
        LIVENS_FOR (int j = 0; j < D; ++j) total += weight * H[i][j][lane] * H[i][j][lane];
    });
    return total;
  }

  bool survives_inversion() const override { return true; }
  std::shared_ptr<const Stencils> stencils() const override { return make_linear_stencils(part(), lambda_, mu_); }
  std::shared_ptr<const ElementChunks> chunks_of(std::span<const int> places) const override {
    return make_linear_chunks(part(), places, lambda_, mu_);
  }
  std::shared_ptr<Force> make_damping(const std::string& name, double time, DampingForm form) const override {
    return make_strain_damping(part(), name, time, lambda_, mu_, form, [part = part(), l = lambda_, m = mu_, time] {
      return make_step_linear(make_linear_elastic(part, l, m), time);
    });
  }

 private:
  const Pack* geometry(int pack, int g) const {
    return layout_.geometry.data() + static_cast<std::ptrdiff_t>(pack * G + g) * each;
  }

  // H = F - I
  void displacement_gradient(const Pack (&x)[N][D], const Pack* b, Pack (&H)[D][D]) const {
    deformation<N, D>(x, b, H);
    LIVENS_FOR (int i = 0; i < D; ++i) H[i][i] -= 1.0;
  }

  template <bool Reference = false>
  double chunk_sum(const ElementChunk& chunk, const double* x_local, double scale, double* f_local) const {
    Pack total{};
    for (int pack = chunk.first_pack; pack < chunk.first_pack + chunk.packs; ++pack) {
      const std::uint16_t* index = layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N;
      Pack x[N][D], f[N][D], H[D][D], s[D][D];
      gather_pack<N, D>(index, x_local, x);
      LIVENS_FOR (int g = 0; g < G; ++g) {
        const Pack* b = geometry(pack, g);
        displacement_gradient(x, b + 1, H);
        linear_stress<D>(H, b[0], lambda_, mu_, s);
        LIVENS_FOR (int i = 0; i < D; ++i)
          LIVENS_FOR (int j = 0; j < D; ++j) {
            total += 0.5 * s[i][j] * H[i][j];
            s[i][j] *= scale;
          }
        if constexpr (Reference) {
          Pack twice_w{};
          LIVENS_FOR (int i = 0; i < D; ++i)
            LIVENS_FOR (int j = 0; j < D; ++j) twice_w += s[i][j] * H[i][j];
          eshelby_stress(H, 0.5 * twice_w, s);
        }
        spread_stress<N, D>(s, b + 1, g == 0, f);
      }
      if (f_local != nullptr) scatter_pack<N, D>(index, f, f_local);
    }
    return livens::sum(total);
  }

  template <bool Reference = false>
  double sum(ConstVector q, double scale, Vector g, bool gradient) const {
    return sum_over_chunks(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double* x = chunk_buffer(0, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q, x);
      if (!gradient) return chunk_sum(chunk, x, 0, nullptr);
      double* f = chunk_buffer(1, chunk.nodes);
      std::fill(f, f + 4 * chunk.nodes, 0.0);
      const double energy = chunk_sum<Reference>(chunk, x, scale, f);
      scatter_nodes<D>(layout_, chunk, f, g);
      return energy;
    });
  }

  template <class Body>
  void each_point(ConstVector q, const Body& body) const {
    for (const ElementChunk& chunk : layout_.chunks) {
      double* x_local = chunk_buffer(0, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q, x_local);
      for (int pack = chunk.first_pack; pack < chunk.first_pack + chunk.packs; ++pack) {
        Pack x[N][D], H[D][D];
        gather_pack<N, D>(layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N, x_local, x);
        LIVENS_FOR (int g = 0; g < G; ++g) {
          const Pack* b = geometry(pack, g);
          displacement_gradient(x, b + 1, H);
          LIVENS_FOR (int lane = 0; lane < 4; ++lane) {
            const int k = layout_.element[4 * pack + lane];
            const double factor = layout_.coefficients.empty() ? 1 : layout_.coefficients[pack * G + g][lane];
            if (k >= 0) body(lane, k, b[0][lane], factor, H);
          }
        }
      }
    }
  }

  double lambda_, mu_;
  ElementLayout layout_;
};

// f = -time * K(q) v: linear-elastic stiffness of the deformed shape taken as stress-free. Torque-free, because the
// stress is symmetric, and never feeds energy in.
template <ElementKind K>
class StrainDamping final : public Force {
 public:
  static constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension, G = Shape<K>::points;
  static constexpr int each = 1 + (N - 1) * D;

  StrainDamping(const SolidPart& part, const std::string& name, double time, double lambda, double mu, DampingForm form,
                std::function<std::unique_ptr<StepEnergy>()> make_step)
      : Force(name),
        part_(part),
        time_(time),
        lambda_(lambda),
        mu_(mu),
        form_(form),
        make_step_(std::move(make_step)),
        layout_(make_layout(part)) {
    scale_weights(part, layout_);
  }

  void add_force(double, ConstVector q, ConstVector v, double scale, Vector force) const override {
    for_each_chunk(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double *x_local = chunk_buffer(0, chunk.nodes), *f_local = chunk_buffer(1, chunk.nodes),
             *v_local = chunk_buffer(2, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q, x_local);
      gather_nodes<D>(layout_, chunk, v, v_local);
      std::fill(f_local, f_local + 4 * chunk.nodes, 0.0);
      for (int pack = chunk.first_pack; pack < chunk.first_pack + chunk.packs; ++pack) {
        const std::uint16_t* index = layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N;
        Pack x[N][D], u[N][D], f[N][D], L[D][D], s[D][D], b[(N - 1) * D];
        gather_pack<N, D>(index, x_local, x);
        gather_pack<N, D>(index, v_local, u);
        LIVENS_FOR (int g = 0; g < G; ++g) {
          const Pack weight = current_gradients<N, D>(x, geometry(pack, g), b) * (-time_ * scale);
          deformation<N, D>(u, b, L);
          linear_stress<D>(L, weight, lambda_, mu_, s);
          spread_stress<N, D>(s, b, g == 0, f);
        }
        scatter_pack<N, D>(index, f, f_local);
      }
      scatter_nodes<D>(layout_, chunk, f_local, force);
    });
  }

  // Its dependence on q is left out: steps that would need it converge linearly instead of quadratically.
  void add_jacobian(double, ConstVector q, ConstVector, double, double by_v, MatrixSink& sink) const override {
    const BlockAccess access = sink.blocks(layout_.stencil, 2, D);
    if (access.values == nullptr || by_v == 0) return;
    for_each_chunk(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double* x_local = chunk_buffer(0, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q, x_local);
      ChunkBlocks<N, D> sums(layout_, chunk);
      for (int pack = chunk.first_pack; pack < chunk.first_pack + chunk.packs; ++pack) {
        Pack x[N][D], b[(N - 1) * D];
        gather_pack<N, D>(layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N, x_local, x);
        PairBlocks<N, D> blocks;
        LIVENS_FOR (int g = 0; g < G; ++g) {
          const Pack weight = current_gradients<N, D>(x, geometry(pack, g), b) * (-time_ * by_v);
          linear_blocks<N, D>(b, weight, lambda_, mu_, g == 0, blocks);
        }
        sums.add(pack, blocks);
      }
      sums.finish(access);
    });
  }

  LedgerSide ledger_side() const override { return LedgerSide::dissipated; }
  Invariance invariance() const override { return {true, true}; }
  bool linear_in_velocity() const override { return true; }
  std::shared_ptr<const DampingStencils> stencils() const override {
    return form_ == DampingForm::published ? nullptr : make_damping_stencils(part_, time_, lambda_, mu_);
  }
  Placement placement(bool explicit_step) const override {
    if (explicit_step) return Placement::lagged;
    if (form_ == DampingForm::published) return Placement::at_start;
    return form_ == DampingForm::second_order ? Placement::symmetric : Placement::implicit_end;
  }
  std::unique_ptr<StepEnergy> step_energy() const override {
    return form_ == DampingForm::published ? make_step_() : nullptr;
  }

 private:
  const Pack* geometry(int pack, int g) const {
    return layout_.geometry.data() + static_cast<std::ptrdiff_t>(pack * G + g) * each;
  }

  SolidPart part_;
  double time_, lambda_, mu_;
  DampingForm form_;
  std::function<std::unique_ptr<StepEnergy>()> make_step_;
  ElementLayout layout_;
};

}  // namespace

std::shared_ptr<SolidBlock> make_linear_elastic(const SolidPart& part, double lambda, double mu) {
  return with_kind(part.mesh->kind, [&](auto kind) -> std::shared_ptr<SolidBlock> {
    return std::make_shared<LinearBlock<kind.value>>(part, lambda, mu);
  });
}

std::shared_ptr<Force> make_strain_damping(const SolidPart& part, const std::string& name, double time, double lambda,
                                           double mu, DampingForm form,
                                           std::function<std::unique_ptr<StepEnergy>()> make_step) {
  return with_kind(part.mesh->kind, [&](auto kind) -> std::shared_ptr<Force> {
    return std::make_shared<StrainDamping<kind.value>>(part, name, time, lambda, mu, form, std::move(make_step));
  });
}

}  // namespace livens
