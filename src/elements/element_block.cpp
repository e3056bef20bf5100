#include "elements/element_block.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include <Eigen/LU>

#include "mesh/core/space_curve.hpp"

namespace livens {
namespace {

constexpr std::size_t elements_per_chunk = 256;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 10, 10>;

constexpr int edge_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

// dN_a / dL_i at barycentric L.
SmallMatrix shape_derivatives(ElementKind kind, const std::vector<double>& L) {
  const int v = vertices_of(kind), n = nodes_of(kind);
  SmallMatrix d = SmallMatrix::Zero(n, v);
  for (int i = 0; i < v; ++i) d(i, i) = quadratic(kind) ? 4 * L[i] - 1 : 1;
  for (int k = 0; v + k < n; ++k) {
    const int i = edge_ends[k][0], j = edge_ends[k][1];
    d(v + k, i) = 4 * L[j];
    d(v + k, j) = 4 * L[i];
  }
  return d;
}

// By their centres: elements that are close in space are close in order.
std::vector<int> order_in_space(const SolidPart& part) {
  const Mesh& mesh = *part.mesh;
  const int D = mesh.dimension(), V = vertices_of(mesh.kind);
  std::vector<double> centres;
  centres.reserve(part.elements.size() * static_cast<std::size_t>(D));
  for (const int e : part.elements)
    for (int c = 0; c < D; ++c) {
      double sum = 0;
      for (int a = 0; a < V; ++a) sum += mesh.X[mesh.element(e)[a] * D + c];
      centres.push_back(sum / V);
    }
  return order_along_curve(centres, D);
}

// Greedy colours: runs of `width` elements of `order` that share a node differ.
std::vector<int> colour_runs(const SolidPart& part, const std::vector<int>& order, std::size_t width) {
  const std::size_t runs = (order.size() + width - 1) / width;
  const Mesh& mesh = *part.mesh;
  const int N = nodes_of(mesh.kind);
  std::vector<std::vector<int>> seen(mesh.nodes());  // colours at a node
  std::vector<int> colour(runs);
  for (std::size_t c = 0; c < runs; ++c) {
    const std::size_t first = c * width, last = std::min(order.size(), first + width);
    std::vector<bool> taken;
    const auto each_node = [&](const auto& body) {
      for (std::size_t k = first; k < last; ++k) {
        const int* nodes = mesh.element(part.elements[order[k]]);
        for (int a = 0; a < N; ++a) body(seen[nodes[a]]);
      }
    };
    each_node([&](const std::vector<int>& colours) {
      for (const int other : colours) {
        if (taken.size() <= static_cast<std::size_t>(other)) taken.resize(static_cast<std::size_t>(other) + 1);
        taken[other] = true;
      }
    });
    const auto mine = static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    colour[c] = mine;
    each_node([&](std::vector<int>& colours) {
      if (std::find(colours.begin(), colours.end(), mine) == colours.end()) colours.push_back(mine);
    });
  }
  return colour;
}

}  // namespace

std::vector<std::vector<double>> quadrature_points(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3: return {{1.0 / 3, 1.0 / 3, 1.0 / 3}};
    case ElementKind::tri6:
      return {{2.0 / 3, 1.0 / 6, 1.0 / 6}, {1.0 / 6, 2.0 / 3, 1.0 / 6}, {1.0 / 6, 1.0 / 6, 2.0 / 3}};
    case ElementKind::tet4: return {{0.25, 0.25, 0.25, 0.25}};
    case ElementKind::tet10: break;
  }
  const double b = (5 - std::sqrt(5.0)) / 20, a = 1 - 3 * b;
  return {{a, b, b, b}, {b, a, b, b}, {b, b, a, b}, {b, b, b, a}};
}

std::vector<double> shape_functions(ElementKind kind, const std::vector<double>& L) {
  const auto v = static_cast<std::size_t>(vertices_of(kind)), n = static_cast<std::size_t>(nodes_of(kind));
  std::vector<double> shape(L.begin(), L.begin() + static_cast<std::ptrdiff_t>(v));
  for (std::size_t k = 0; v + k < n; ++k) shape.push_back(4 * L[edge_ends[k][0]] * L[edge_ends[k][1]]);
  for (std::size_t i = 0; i < v && quadratic(kind); ++i) shape[i] *= 2 * L[i] - 1;
  return shape;
}

namespace {

// dN by the first D of L_1 ... L_D, L_0 = 1 - sum, at each quadrature point: N x D.
template <ElementKind K>
const std::vector<Eigen::Matrix<double, Shape<K>::nodes, Shape<K>::dimension>>& local_derivatives() {
  static const auto all = [] {
    std::vector<Eigen::Matrix<double, Shape<K>::nodes, Shape<K>::dimension>> points;
    for (const auto& L : quadrature_points(K)) {
      const SmallMatrix dL = shape_derivatives(K, L);
      points.emplace_back();
      for (int i = 0; i < Shape<K>::dimension; ++i) points.back().col(i) = dL.col(i + 1) - dL.col(0);
    }
    return points;
  }();
  return all;
}

}  // namespace

void reference_gradients(const SolidPart& part, int element, const std::vector<std::size_t>& order,
                         std::vector<double>& out) {
  const Mesh& mesh = *part.mesh;
  out.clear();
  with_kind(mesh.kind, [&](auto kind) {
    constexpr ElementKind K = decltype(kind)::value;
    constexpr int N = Shape<K>::nodes, D = Shape<K>::dimension;
    const double simplex = D == 2 ? 0.5 * part.thickness : 1.0 / 6;
    Eigen::Matrix<double, D, N> X;
    for (int a = 0; a < N; ++a)
      for (int c = 0; c < D; ++c) X(c, a) = mesh.X[mesh.element(element)[a] * D + c];
    const auto& points = local_derivatives<K>();
    for (const auto& dr : points) {
      const Eigen::Matrix<double, D, D> jacobian = X * dr;
      const double det = jacobian.determinant();
      if (!(det > 0))
        throw std::invalid_argument("element " + std::to_string(mesh.element_tag(element)) + " is inverted or flat");
      const Eigen::Matrix<double, N, D> b = dr * jacobian.inverse();
      out.push_back(det * simplex / static_cast<double>(points.size()));
      for (int a = 1; a < N; ++a)
        for (int c = 0; c < D; ++c) out.push_back(b(static_cast<Eigen::Index>(order[a]), c));
    }
  });
}

namespace {

// The pairs a <= b of the nodes of a chunk that share an element, in order: a bit for each pair.
class ChunkPairs {
 public:
  void clear(int nodes) {
    words_ = static_cast<std::size_t>(nodes + 63) / 64;
    bits_.assign(words_ * static_cast<std::size_t>(nodes), 0);
    before_.resize(bits_.size());
  }
  void add(std::size_t a, std::size_t b) { bits_[a * words_ + b / 64] |= std::uint64_t{1} << b % 64; }
  // After the last pair was added: body(a, b) for each, which makes their numbers known.
  template <class Body>
  int number(const Body& body) {
    int count = 0;
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      before_[w] = count;
      for (std::uint64_t rest = bits_[w]; rest != 0; rest &= rest - 1, ++count)
        body(w / words_, w % words_ * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
    return count;
  }
  std::uint16_t operator()(std::size_t a, std::size_t b) const {
    const std::size_t w = a * words_ + b / 64;
    const std::uint64_t lower = bits_[w] & ((std::uint64_t{1} << b % 64) - 1);
    return static_cast<std::uint16_t>(before_[w] + std::popcount(lower));
  }

 private:
  std::size_t words_ = 0;  // per node
  std::vector<std::uint64_t> bits_;
  std::vector<int> before_;  // bits of the words before
};

// Adds chunks to a layout.
class ChunkMaker {
 public:
  ChunkMaker(const SolidPart& part, bool pairs, ElementLayout& layout)
      : part_(part), layout_(layout), with_pairs_(pairs), place_(part.mesh->nodes()), seen_(part.mesh->nodes()) {
    const std::size_t lanes = part.elements.size() + part.elements.size() / 16,
                      N = static_cast<std::size_t>(nodes_of(part.mesh->kind));
    layout.element.reserve(lanes);
    layout.local.reserve(lanes * N);
    if (pairs) layout.block.reserve(lanes * N * (N + 1) / 2);
  }

  void add(std::span<const int> members) {
    ElementChunk chunk;
    chunk.first_pack = static_cast<int>(layout_.element.size()) / 4;
    chunk.packs = (static_cast<int>(members.size()) + 3) / 4;
    chunk.first_node = static_cast<int>(layout_.chunk_nodes.size());
    chunk.elements = static_cast<int>(members.size());
    chunk.nodes = add_nodes(members);
    chunk.first_block = static_cast<int>(layout_.stencil.size()) / 2;
    chunk.blocks = with_pairs_ ? add_pairs(members) : 0;
    for (int p = 0; p < chunk.packs; ++p) add_pack(chunk, p, members);
    layout_.largest_chunk = std::max(layout_.largest_chunk, chunk.nodes);
    layout_.chunks.push_back(chunk);
  }

 private:
  const int* element(int k) const { return part_.mesh->element(part_.elements[k]); }

  int add_nodes(std::span<const int> members) {
    const int N = nodes_of(part_.mesh->kind), D = part_.mesh->dimension();
    nodes_.clear();
    ++chunks_;
    for (const int k : members)
      for (int a = 0; a < N; ++a)
        if (int& seen = seen_[element(k)[a]]; seen != chunks_) {
          seen = chunks_;
          nodes_.push_back(element(k)[a]);
        }
    std::sort(nodes_.begin(), nodes_.end());
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      place_[nodes_[a]] = static_cast<std::uint16_t>(a);
      layout_.chunk_nodes.push_back(part_.first + nodes_[a] * D);
    }
    return static_cast<int>(nodes_.size());
  }

  int add_pairs(std::span<const int> members) {
    const int N = nodes_of(part_.mesh->kind), D = part_.mesh->dimension();
    pairs_.clear(static_cast<int>(nodes_.size()));
    for (const int k : members)
      for (int a = 0; a < N; ++a)
        for (int b = 0; b < N; ++b)
          if (element(k)[a] <= element(k)[b]) pairs_.add(place_[element(k)[a]], place_[element(k)[b]]);
    return pairs_.number([&](std::size_t a, std::size_t b) {
      layout_.stencil.push_back(part_.first + nodes_[a] * D);
      layout_.stencil.push_back(part_.first + nodes_[b] * D);
    });
  }

  void add_pack(const ElementChunk& chunk, int p, std::span<const int> members) {
    const int N = nodes_of(part_.mesh->kind);
    int nodes_of_lane[4][10];
    for (int lane = 0; lane < 4; ++lane) {
      // Lanes come from the four quarters of the chunk, so that the elements of a pack seldom share a node.
      const int place = lane * chunk.packs + p;
      const bool real = place < chunk.elements;
      const int k = members[real ? place : chunk.elements - 1];
      layout_.element.push_back(real ? k : -1);
      std::copy(element(k), element(k) + N, nodes_of_lane[lane]);
      std::sort(nodes_of_lane[lane], nodes_of_lane[lane] + N);
    }
    for (int a = 0; a < N; ++a)
      for (const auto& lane : nodes_of_lane) layout_.local.push_back(static_cast<std::uint16_t>(4 * place_[lane[a]]));
    for (int b = 0; b < N && with_pairs_; ++b)
      for (int a = 0; a <= b; ++a)
        for (const auto& lane : nodes_of_lane) layout_.block.push_back(pairs_(place_[lane[a]], place_[lane[b]]));
  }

  const SolidPart& part_;
  ElementLayout& layout_;
  const bool with_pairs_;
  std::vector<std::uint16_t> place_;  // of a node of the mesh in the chunk
  int chunks_ = 0;
  std::vector<int> seen_;   // of a node of the mesh: the last chunk that has it, from 1
  std::vector<int> nodes_;  // of the chunk, ascending
  ChunkPairs pairs_;
};

}  // namespace

void fill_geometry(const SolidPart& part, ElementLayout& layout) {
  const Mesh& mesh = *part.mesh;
  const auto N = static_cast<std::size_t>(nodes_of(mesh.kind)), D = static_cast<std::size_t>(mesh.dimension());
  const std::size_t each = 1 + (N - 1) * D;
  std::vector<double> lanes[4];
  std::vector<std::size_t> order(N);  // of the nodes of an element
  layout.geometry.clear();
  for (const ElementChunk& chunk : layout.chunks) {
    const int last = chunk.elements - 1;  // what padding is a copy of
    for (int p = 0; p < chunk.packs; ++p) {
      for (int lane = 0; lane < 4; ++lane) {
        const bool real = lane * chunk.packs + p < chunk.elements;
        const int pack = chunk.first_pack + (real ? p : last % chunk.packs);
        const int k = layout.element[4 * pack + (real ? lane : last / chunk.packs)];
        const int e = part.elements[k];
        const int* element = mesh.element(e);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return element[a] < element[b]; });
        reference_gradients(part, e, order, lanes[lane]);
        if (real) continue;
        for (std::size_t g = 0; g < lanes[lane].size(); g += each) lanes[lane][g] = 0;  // and weighs nothing
      }
      for (std::size_t i = 0; i < lanes[0].size(); ++i)
        layout.geometry.push_back(Pack{lanes[0][i], lanes[1][i], lanes[2][i], lanes[3][i]});
    }
  }
}

std::vector<double> reference_places(const SolidPart& part, int element) {
  const Mesh& mesh = *part.mesh;
  const auto D = static_cast<std::size_t>(mesh.dimension());
  std::vector<double> places;
  for (const auto& L : quadrature_points(mesh.kind)) {
    const std::vector<double> N = shape_functions(mesh.kind, L);
    double X[3] = {0, 0, 0};
    for (std::size_t a = 0; a < N.size(); ++a)
      for (std::size_t c = 0; c < D; ++c) X[c] += N[a] * mesh.X[mesh.element(element)[a] * D + c];
    places.insert(places.end(), X, X + 3);
  }
  return places;
}

void fill_coefficients(const SolidPart& part, int each, const PlaceValues& values, ElementLayout& layout) {
  layout.coefficients_each = each;
  layout.coefficients.clear();
  if (each == 0) return;
  const std::size_t points = quadrature_points(part.mesh->kind).size(), n = static_cast<std::size_t>(each);
  std::vector<double> numbers(n);
  for (std::size_t pack = 0; pack < layout.element.size() / 4; ++pack) {
    std::vector<Pack> packs(points * n);
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const int k = layout.element[4 * pack + lane];
      // Padding has weight zero and the numbers of some element, so that they are finite.
      const std::vector<double> X = reference_places(part, part.elements[std::max(k, 0)]);
      for (std::size_t g = 0; g < points; ++g) {
        values(&X[3 * g], numbers.data());
        for (std::size_t i = 0; i < n; ++i) packs[g * n + i][lane] = numbers[i];
      }
    }
    layout.coefficients.insert(layout.coefficients.end(), packs.begin(), packs.end());
  }
}

void scale_weights(const SolidPart& part, ElementLayout& layout) {
  if (!part.stiffness_factor) return;
  fill_coefficients(
      part, 1, [&](const double* X, double* out) { *out = part.stiffness_factor(X); }, layout);
  const std::size_t each = layout.geometry.size() / layout.coefficients.size();
  for (std::size_t point = 0; point < layout.coefficients.size(); ++point)
    layout.geometry[point * each] *= layout.coefficients[point];
}

ElementLayout make_layout(const SolidPart& part) {
  ElementLayout layout;
  const std::vector<int> order = order_in_space(part);
  // A group is a run of chunks that one thread works through, so that nodes between them stay in its cache; enough
  // groups for many threads.
  const std::size_t chunks = (order.size() + elements_per_chunk - 1) / elements_per_chunk;
  const std::size_t width = elements_per_chunk * std::clamp<std::size_t>(chunks / 256, 1, 32);
  const std::vector<int> colour = colour_runs(part, order, width);
  const int colours = colour.empty() ? 0 : *std::max_element(colour.begin(), colour.end()) + 1;
  ChunkMaker maker(part, true, layout);
  layout.group_start.push_back(0);
  layout.colour_start.push_back(0);
  for (int c = 0; c < colours; ++c) {
    for (std::size_t run = 0; run < colour.size(); ++run) {
      if (colour[run] != c) continue;
      const std::size_t end = std::min(order.size(), (run + 1) * width);
      for (std::size_t first = run * width; first < end; first += elements_per_chunk)
        maker.add(std::span(order).subspan(first, std::min(elements_per_chunk, end - first)));
      layout.group_start.push_back(static_cast<int>(layout.chunks.size()));
    }
    layout.colour_start.push_back(static_cast<int>(layout.group_start.size()) - 1);
  }
  fill_geometry(part, layout);
  return layout;
}

ElementLayout make_chunks(const SolidPart& part) {
  ElementLayout layout;
  const std::vector<int> order = order_in_space(part);
  // Enough chunks for a few threads, but none so small that its nodes cost more than its elements.
  const std::size_t least = quadratic(part.mesh->kind) ? 32 : 64;
  const std::size_t width = std::clamp<std::size_t>(order.size() / 16 / 32 * 32, least, elements_per_chunk);
  ChunkMaker maker(part, false, layout);
  for (std::size_t first = 0; first < order.size(); first += width)
    maker.add(std::span(order).subspan(first, std::min(width, order.size() - first)));
  return layout;
}

SolidPart touching(SolidPart part, const std::vector<bool>& marked) {
  const int N = nodes_of(part.mesh->kind), D = part.mesh->dimension();
  std::erase_if(part.elements, [&](int e) {
    for (int a = 0; a < N; ++a)
      for (int c = 0; c < D; ++c)
        if (marked[part.first + part.mesh->element(e)[a] * D + c]) return false;
    return true;
  });
  return part;
}

std::vector<double>& chunk_sums(std::size_t chunks) {
  thread_local std::vector<double> sums;  // one sum at a time: see the header
  sums.resize(chunks);
  return sums;
}

double* chunk_buffer(int which, int packs) {
  thread_local std::vector<Pack> buffers[5];  // packs are aligned; one set per chunk, see the header
  auto& buffer = buffers[which];
  if (buffer.size() < static_cast<std::size_t>(packs)) buffer.resize(packs);
  return reinterpret_cast<double*>(buffer.data());
}

}  // namespace livens
