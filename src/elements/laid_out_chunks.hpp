// Elements in chunks on a layout (make_chunks): what the kinds of ElementChunks share.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <livens/solid_block.hpp>

#include "elements/element_block.hpp"
#include "elements/strain_energy.hpp"

namespace livens {

class LaidOutChunks : public ElementChunks {
 public:
  LaidOutChunks(ElementLayout layout, std::span<const int> places)
      : layout_(std::move(layout)), places_(places.begin(), places.end()) {}

  int count() const override { return static_cast<int>(layout_.chunks.size()); }
  std::span<const int> nodes(int chunk) const override {
    const ElementChunk& c = layout_.chunks[chunk];
    return {layout_.chunk_nodes.data() + c.first_node, static_cast<std::size_t>(c.nodes)};
  }
  std::vector<int> elements(int chunk) const override {
    const ElementChunk& c = layout_.chunks[chunk];
    std::vector<int> places;
    for (int k = 4 * c.first_pack; k < 4 * (c.first_pack + c.packs); ++k)
      if (layout_.element[k] >= 0) places.push_back(places_[layout_.element[k]]);
    return places;
  }

 protected:
  ElementLayout layout_;

 private:
  std::vector<int> places_;
};

}  // namespace livens
