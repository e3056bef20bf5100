#include "elements/element_chunks.hpp"

#include "elements/elastic_kernels.hpp"
#include "elements/laid_out_chunks.hpp"
#include "elements/linear_kernels.hpp"
#include "elements/straight_kernels.hpp"

namespace livens {
namespace {

SolidPart part_of(SolidPart part, std::span<const int> places) {
  std::vector<int> elements;
  elements.reserve(places.size());
  for (const int place : places) elements.push_back(part.elements[place]);
  part.elements = std::move(elements);
  return part;
}

template <ElementKind K>
class ElasticChunks final : public LaidOutChunks {
 public:
  ElasticChunks(ElementLayout layout, std::span<const int> places, std::shared_ptr<const StrainEnergy> energy)
      : LaidOutChunks(std::move(layout), places), energy_(std::move(energy)), kernels_(layout_, *energy_) {}

  double add_gradient(int chunk, const double* x, double scale, double* g) const override {
    return kernels_.chunk(layout_.chunks[chunk], x, scale, g, NodesAhead());
  }

 private:
  std::shared_ptr<const StrainEnergy> energy_;
  ElasticKernels<K> kernels_;
};

template <ElementKind K>
class StraightChunks final : public LaidOutChunks {
 public:
  StraightChunks(ElementLayout layout, StraightShape shape, std::span<const int> places,
                 std::shared_ptr<const StrainEnergy> energy)
      : LaidOutChunks(std::move(layout), places),
        energy_(std::move(energy)),
        kernels_(layout_, std::move(shape), *energy_) {}

  double add_gradient(int chunk, const double* x, double scale, double* g) const override {
    return kernels_.template chunk<true>(layout_.chunks[chunk], x, scale, g, NodesAhead());
  }

 private:
  std::shared_ptr<const StrainEnergy> energy_;
  StraightKernels<K> kernels_;
};

template <ElementKind K>
class LinearChunks final : public LaidOutChunks {
 public:
  static constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension, G = Shape<K>::points;
  static constexpr int each = 1 + (N - 1) * D;

  LinearChunks(ElementLayout layout, std::span<const int> places, double lambda, double mu)
      : LaidOutChunks(std::move(layout), places), lambda_(lambda), mu_(mu) {}

  double add_gradient(int chunk, const double* positions, double scale, double* g) const override {
    const ElementChunk& c = layout_.chunks[chunk];
    Pack total{};
    for (int pack = c.first_pack; pack < c.first_pack + c.packs; ++pack) {
      const std::uint16_t* index = layout_.local.data() + static_cast<std::ptrdiff_t>(pack) * 4 * N;
      Pack x[N][D], f[N][D], H[D][D], s[D][D];
      gather_pack<N, D>(index, positions, x);
      LIVENS_FOR (int point = 0; point < G; ++point) {
        const Pack* b = layout_.geometry.data() + static_cast<std::ptrdiff_t>(pack * G + point) * each;
        deformation<N, D>(x, b + 1, H);
        LIVENS_FOR (int i = 0; i < D; ++i) H[i][i] -= 1.0;
        linear_stress<D>(H, b[0], lambda_, mu_, s);
        LIVENS_FOR (int i = 0; i < D; ++i)
          LIVENS_FOR (int j = 0; j < D; ++j) {
            total += 0.5 * s[i][j] * H[i][j];
            s[i][j] *= scale;
          }
        spread_stress<N, D>(s, b + 1, point == 0, f);
      }
      scatter_pack<N, D>(index, f, g);
    }
    return sum(total);
  }

 private:
  double lambda_, mu_;
};

}  // namespace

std::shared_ptr<const ElementChunks> make_elastic_chunks(const SolidPart& part, std::span<const int> places,
                                                         std::shared_ptr<const StrainEnergy> energy) {
  const SolidPart some = part_of(part, places);
  ElementLayout layout = make_chunks(some);
  fill_coefficients(
      some, energy->coefficients(), [&](const double* X, double* out) { energy->coefficients_at(X, out); }, layout);
  if (auto shape = energy->uses_i2() ? std::nullopt : straight_shape(some, layout)) {
    if (part.mesh->kind == ElementKind::tet4)
      return std::make_shared<StraightChunks<ElementKind::tet4>>(std::move(layout), std::move(*shape), places, energy);
    return std::make_shared<StraightChunks<ElementKind::tet10>>(std::move(layout), std::move(*shape), places, energy);
  }
  fill_geometry(some, layout);
  return with_kind(part.mesh->kind, [&](auto kind) -> std::shared_ptr<const ElementChunks> {
    return std::make_shared<ElasticChunks<kind.value>>(std::move(layout), places, std::move(energy));
  });
}

std::shared_ptr<const ElementChunks> make_linear_chunks(const SolidPart& part, std::span<const int> places,
                                                        double lambda, double mu) {
  const SolidPart some = part_of(part, places);
  ElementLayout layout = make_chunks(some);
  fill_geometry(some, layout);
  scale_weights(some, layout);
  return with_kind(part.mesh->kind, [&](auto kind) -> std::shared_ptr<const ElementChunks> {
    return std::make_shared<LinearChunks<kind.value>>(std::move(layout), places, lambda, mu);
  });
}

}  // namespace livens
