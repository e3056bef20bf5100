#include "elements/step_elastic.hpp"

#include <algorithm>

#include "elements/current_gradients.hpp"
#include "elements/elastic_kernels.hpp"

namespace livens {
namespace {

template <ElementKind K>
class StepElastic final : public StepEnergy {
 public:
  static constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension, G = Shape<K>::points;
  static constexpr int each = 1 + (N - 1) * D;

  StepElastic(const ElementLayout& layout, std::shared_ptr<const StrainEnergy> energy, double time)
      : reference_(layout.geometry),
        layout_(layout),
        energy_(std::move(energy)),
        time_(time),
        kernels_(layout_, *energy_) {}

  void begin(ConstVector q0) override {
    for_each_chunk(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double* x_local = chunk_buffer(0, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q0, x_local);
      for (int pack = chunk.first_pack; pack < chunk.first_pack + chunk.packs; ++pack) {
        Pack x[N][D], b[(N - 1) * D];
        gather_pack<N, D>(layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N, x_local, x);
        LIVENS_FOR (int g = 0; g < G; ++g) {
          const auto at = static_cast<std::ptrdiff_t>(pack * G + g) * each;
          Pack* now = layout_.geometry.data() + at;
          now[0] = current_gradients<N, D>(x, reference_.data() + at, b);
          std::copy(b, b + (N - 1) * D, now + 1);
        }
      }
    });
  }

  double add_gradient(ConstVector q1, double scale, Vector gradient) const override {
    const auto chunk_sum = [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double *x = chunk_buffer(0, chunk.nodes), *f = chunk_buffer(1, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q1, x);
      std::fill(f, f + 4 * chunk.nodes, 0.0);
      const NodesAhead ahead(layout_, k, q1.data(), gradient.data());
      const double energy = kernels_.chunk(chunk, x, time_ * scale, f, ahead);
      scatter_nodes<D>(layout_, chunk, f, gradient);
      return energy;
    };
    return time_ * sum_over_chunks(layout_, chunk_sum);
  }

  void add_hessian(ConstVector q1, double scale, bool convex, MatrixSink& sink) const override {
    const BlockAccess access = sink.blocks(layout_.stencil, 2, D);
    if (access.values == nullptr) return;
    for_each_chunk(layout_, [&](std::size_t k) {
      const ElementChunk& chunk = layout_.chunks[k];
      double* x = chunk_buffer(0, chunk.nodes);
      gather_nodes<D>(layout_, chunk, q1, x);
      kernels_.chunk_hessian(chunk, x, time_ * scale, convex, access);
    });
  }

 private:
  std::vector<Pack> reference_;  // geometry of the reference shape
  ElementLayout layout_;         // with that of the start of the step
  std::shared_ptr<const StrainEnergy> energy_;
  double time_;
  ElasticKernels<K> kernels_;
};

class StepLinear final : public StepEnergy {
 public:
  StepLinear(std::shared_ptr<const SolidBlock> block, double time) : block_(std::move(block)), time_(time) {}

  void begin(ConstVector q0) override {
    offset_.assign(q0.size(), 0.0);
    moved_.resize(q0.size());
    const SolidPart& part = block_->part();
    for (std::size_t i = 0; i < part.mesh->X.size(); ++i)
      offset_[part.first + i] = part.mesh->X[i] - q0[part.first + i];
  }
  double add_gradient(ConstVector q1, double scale, Vector gradient) const override {
    place(q1);
    return time_ * block_->add_gradient_and_energy(0, moved_, time_ * scale, gradient);
  }
  void add_hessian(ConstVector q1, double scale, bool, MatrixSink& sink) const override {
    block_->add_hessian(0, q1, time_ * scale, sink);  // it is constant
  }

 private:
  void place(ConstVector q1) const {
    for (std::size_t i = 0; i < q1.size(); ++i) moved_[i] = offset_[i] + q1[i];
  }

  std::shared_ptr<const SolidBlock> block_;
  double time_;
  std::vector<double> offset_;         // X - q0
  mutable std::vector<double> moved_;  // room for X + q1 - q0
};

}  // namespace

std::unique_ptr<StepEnergy> make_step_elastic(ElementKind kind, const ElementLayout& layout,
                                              std::shared_ptr<const StrainEnergy> energy, double time) {
  return with_kind(kind, [&](auto k) -> std::unique_ptr<StepEnergy> {
    return std::make_unique<StepElastic<k.value>>(layout, std::move(energy), time);
  });
}

std::unique_ptr<StepEnergy> make_step_linear(std::shared_ptr<const SolidBlock> block, double time) {
  return std::make_unique<StepLinear>(std::move(block), time);
}

}  // namespace livens
