// Geometry of like elements in packs of four, cut into chunks that threads work on. Chunks of one colour share no node,
// and colours follow each other in order: sums have the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include <livens/solid_block.hpp>

#include "math/pack.hpp"
#include "math/parallel.hpp"

namespace livens {

// One number per chunk, in a buffer of the calling thread; taken and summed by one call, which calls nothing else that
// does. Not a scratch array: whatever is inlined into the kernels decides which products GCC fuses there.
std::vector<double>& chunk_sums(std::size_t chunks);

// Nodes, dimension and quadrature points of an element kind. One point for linear elements, degree 2 for quadratic.
template <ElementKind K>
struct Shape {
  static constexpr int nodes = nodes_of(K);
  static constexpr int dimension = dimension_of(K);
  static constexpr int points = K == ElementKind::tri6 ? 3 : K == ElementKind::tet10 ? 4 : 1;
};

// body(std::integral_constant of the kind), for templates over the kind.
template <class Body>
auto with_kind(ElementKind kind, const Body& body) {
  switch (kind) {
    case ElementKind::tri3: return body(std::integral_constant<ElementKind, ElementKind::tri3>());
    case ElementKind::tri6: return body(std::integral_constant<ElementKind, ElementKind::tri6>());
    case ElementKind::tet4: return body(std::integral_constant<ElementKind, ElementKind::tet4>());
    case ElementKind::tet10: break;
  }
  return body(std::integral_constant<ElementKind, ElementKind::tet10>());
}

struct ElementChunk {
  int first_pack = 0, packs = 0;
  int first_node = 0, nodes = 0;    // of chunk_nodes
  int first_block = 0, blocks = 0;  // of stencil
  int elements = 0;
};

// Everything about the elements that is independent of their kind at compile time. The nodes of an element come in the
// order of the mesh's numbers: so a pair of nodes that several elements share has the same direction in all of them.
struct ElementLayout {
  std::vector<ElementChunk> chunks;  // by colour and group
  std::vector<int> group_start;      // chunks of group g: [group_start[g], group_start[g + 1]); one thread has a group
  std::vector<int> colour_start;     // groups of colour c
  std::vector<int> chunk_nodes;      // first coordinate of the nodes of each chunk
  std::vector<std::uint16_t> local;  // pack, node, lane -> node of the chunk, times four
  std::vector<int> element;          // pack, lane -> position in part.elements; -1: padding
  std::vector<Pack> geometry;        // pack, point: weight, gradients of nodes 1 ... n-1
  // Of materials that vary with the place; pack, point: numbers that the material reads. Empty if there are none.
  std::vector<Pack> coefficients;
  int coefficients_each = 0;
  // Pairs a <= b of nodes of an element are blocks of the matrix; every chunk sums its own before it adds them.
  std::vector<std::uint16_t> block;  // pack, pair, lane -> block of the chunk
  std::vector<int> stencil;          // first coordinates of the two nodes of each block
  int largest_chunk = 0;             // nodes
};
ElementLayout make_layout(const SolidPart& part);
// The same without geometry, colours and pairs of nodes, for gradients of one chunk at a time; smaller chunks if there
// are few elements.
ElementLayout make_chunks(const SolidPart& part);
// The geometry of the same elements with their nodes elsewhere: only positions differ from what the layout was made
// for.
void fill_geometry(const SolidPart& part, ElementLayout& layout);

// Quadrature points in barycentric coordinates, all of equal weight: the centroid; degree 2 on triangles and
// tetrahedra.
std::vector<std::vector<double>> quadrature_points(ElementKind kind);
// N_a at barycentric L.
std::vector<double> shape_functions(ElementKind kind, const std::vector<double>& L);

// Weight and reference gradients of one element, point by point: of the nodes after the first, in the order given.
// Throws std::invalid_argument if the element is inverted.
void reference_gradients(const SolidPart& part, int element, const std::vector<std::size_t>& order,
                         std::vector<double>& out);

// Places of the quadrature points of an element in the reference shape: three numbers per point.
std::vector<double> reference_places(const SolidPart& part, int element);
// values(X, out) writes `each` numbers of the place X: fills the coefficients of a layout.
using PlaceValues = std::function<void(const double* X, double* out)>;
void fill_coefficients(const SolidPart& part, int each, const PlaceValues& values, ElementLayout& layout);
// The weights of a layout times the stiffness factor of the part, which becomes its one coefficient.
void scale_weights(const SolidPart& part, ElementLayout& layout);

// The part without the elements that touch no marked coordinate.
SolidPart touching(SolidPart part, const std::vector<bool>& marked);

// Up to this many chunks are processed faster by one thread than by waking others.
inline constexpr std::size_t chunks_for_one_thread = 12;

// body(chunk number) for all chunks.
template <class Body>
void for_each_chunk(const ElementLayout& layout, const Body& body) {
  if (layout.chunks.size() <= chunks_for_one_thread) {
    for (std::size_t k = 0; k < layout.chunks.size(); ++k) body(k);
    return;
  }
  for (std::size_t c = 0; c + 1 < layout.colour_start.size(); ++c) {
    const auto first = static_cast<std::size_t>(layout.colour_start[c]);
    for_each_index(static_cast<std::size_t>(layout.colour_start[c + 1]) - first, [&](std::size_t g) {
      const auto last = static_cast<std::size_t>(layout.group_start[first + g + 1]);
      for (auto k = static_cast<std::size_t>(layout.group_start[first + g]); k < last; ++k) body(k);
    });
  }
}

// Sum of body(chunk number) over all chunks, added in their order.
template <class Body>
double sum_over_chunks(const ElementLayout& layout, const Body& body) {
  if (layout.chunks.size() == 1) return body(std::size_t{0});
  std::vector<double>& parts = chunk_sums(layout.chunks.size());
  for_each_chunk(layout, [&](std::size_t k) { parts[k] = body(k); });
  double total = 0;
  for (const double part : parts) total += part;
  return total;
}

// Buffers of a thread for the nodes (four doubles each) or blocks of one chunk. A kernel gives each of those that it
// has at once a number of its own, and calls nothing else that uses them meanwhile: none is overwritten in use.
double* chunk_buffer(int which, int packs);

template <int D>
void gather_nodes(const ElementLayout& layout, const ElementChunk& chunk, ConstVector q, double* local) {
  const int* first = layout.chunk_nodes.data() + chunk.first_node;
  for (int a = 0; a < chunk.nodes; ++a) {
    const double* x = q.data() + first[a];
    double* y = local + 4 * a;
    y[0] = x[0];
    y[1] = x[1];
    y[2] = D == 3 ? x[2] : 0.0;
    y[3] = 0.0;
  }
}

// (x + y)/2 and y - x of the nodes of a chunk.
template <int D>
void gather_step(const ElementLayout& layout, const ElementChunk& chunk, ConstVector x, ConstVector y, double* middle,
                 double* change) {
  gather_nodes<D>(layout, chunk, x, middle);
  gather_nodes<D>(layout, chunk, y, change);
  for (int k = 0; k < 4 * chunk.nodes; ++k) {
    const double from = middle[k], to = change[k];
    middle[k] = 0.5 * (from + to);
    change[k] = to - from;
  }
}

// Fetches the nodes of the next chunk while one is worked on: their runs are too short for the hardware to predict.
class NodesAhead {
 public:
  NodesAhead() = default;
  NodesAhead(const ElementLayout& layout, std::size_t chunk, const double* q, const double* g) : q_(q), g_(g) {
    if (chunk + 1 >= layout.chunks.size()) return;
    first_ = layout.chunk_nodes.data() + layout.chunks[chunk + 1].first_node;
    nodes_ = layout.chunks[chunk + 1].nodes;
  }
  // Part k of n.
  void fetch(int k, int n) const {
    const int last = nodes_ * (k + 1) / n;
    for (int a = nodes_ * k / n; a < last; ++a) {
      __builtin_prefetch(q_ + first_[a]);
      if (g_ != nullptr) __builtin_prefetch(g_ + first_[a], 1);
    }
  }

 private:
  const double *q_ = nullptr, *g_ = nullptr;
  const int* first_ = nullptr;
  int nodes_ = 0;
};

template <int D>
void scatter_nodes(const ElementLayout& layout, const ElementChunk& chunk, const double* local, Vector g) {
  const int* first = layout.chunk_nodes.data() + chunk.first_node;
  for (int a = 0; a < chunk.nodes; ++a) {
    double* y = g.data() + first[a];
    LIVENS_FOR (int c = 0; c < D; ++c) y[c] += local[4 * a + c];
  }
}

// Two and two doubles.
inline Pack load_halves(const double* low, const double* high) {
  using Half = double __attribute__((vector_size(16)));
  return __builtin_shufflevector(*reinterpret_cast<const Half*>(low), *reinterpret_cast<const Half*>(high), 0, 1, 2, 3);
}

// The nodes of one pack: x[a][c].
template <int N, int D>
inline void gather_pack(const std::uint16_t* index, const double* local, Pack (&x)[N][D]) {
  LIVENS_FOR (int a = 0; a < N; ++a, index += 4) {
    const double *x0 = local + index[0], *x1 = local + index[1], *x2 = local + index[2], *x3 = local + index[3];
    const Pack even = load_halves(x0, x2), odd = load_halves(x1, x3);
    x[a][0] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    x[a][1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    if constexpr (D == 3)
      x[a][2] = __builtin_shufflevector(load_halves(x0 + 2, x2 + 2), load_halves(x1 + 2, x3 + 2), 0, 4, 2, 6);
  }
}

// Adds f of the nodes after the first; that of the first is minus their sum.
template <int N, int D>
inline void scatter_pack(const std::uint16_t* index, const Pack (&f)[N][D], double* local) {
  Pack first[4] = {};
  LIVENS_FOR (int a = 1; a < N; ++a) {
    Pack lane[4] = {f[a][0], f[a][1], D == 3 ? f[a][D - 1] : Pack{}, Pack{}};
    transpose(lane[0], lane[1], lane[2], lane[3]);
    LIVENS_FOR (int k = 0; k < 4; ++k) {
      *reinterpret_cast<Pack*>(local + index[4 * a + k]) += lane[k];
      first[k] += lane[k];
    }
  }
  LIVENS_FOR (int k = 0; k < 4; ++k) *reinterpret_cast<Pack*>(local + index[k]) -= first[k];
}

// F = sum_{a > 0} (x_a - x_0) (x) b_a; gradients of nodes 1 ... in b.
template <int N, int D>
inline void deformation(const Pack (&x)[N][D], const Pack* b, Pack (&F)[D][D]) {
  LIVENS_FOR (int i = 0; i < D; ++i)
    LIVENS_FOR (int j = 0; j < D; ++j) F[i][j] = (x[1][i] - x[0][i]) * b[j];
  LIVENS_FOR (int a = 2; a < N; ++a)
    LIVENS_FOR (int i = 0; i < D; ++i) {
      const Pack d = x[a][i] - x[0][i];
      LIVENS_FOR (int j = 0; j < D; ++j) F[i][j] += d * b[(a - 1) * D + j];
    }
}

// cof F = J F^-T; returns J.
inline Pack cofactor(const Pack (&F)[3][3], Pack (&c)[3][3]) {
  LIVENS_FOR (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    LIVENS_FOR (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c[i][j] = F[i1][j1] * F[i2][j2] - F[i1][j2] * F[i2][j1];
    }
  }
  return F[0][0] * c[0][0] + F[0][1] * c[0][1] + F[0][2] * c[0][2];
}
inline Pack cofactor(const Pack (&F)[2][2], Pack (&c)[2][2]) {
  c[0][0] = F[1][1];
  c[0][1] = -F[1][0];
  c[1][0] = -F[0][1];
  c[1][1] = F[0][0];
  return F[0][0] * F[1][1] - F[0][1] * F[1][0];
}

// Blocks of one pack of element matrices: those of nodes (a, b), 1 <= a <= b; those of node 0 follow from the sum over
// nodes, which is zero.
template <int N, int D>
struct PairBlocks {
  static constexpr int count = (N - 1) * N / 2;
  Pack block[count][D][D];
  static constexpr int index(int a, int b) { return (b - 1) * b / 2 + (a - 1); }  // 1 <= a <= b
};

// The matrix blocks of one chunk, summed in cache: every pair of nodes once, columns one after the other. Matrices that
// are not symmetric have a second one for their mirror, the blocks M_ab = K_ba' for a <= b.
template <int N, int D>
class ChunkBlocks {
 public:
  static constexpr int pairs = N * (N + 1) / 2;
  static constexpr int stride = D == 3 ? 12 : 4;                           // doubles a block
  static constexpr int pair(int a, int b) { return b * (b + 1) / 2 + a; }  // a <= b

  ChunkBlocks(const ElementLayout& layout, const ElementChunk& chunk, bool mirror = false)
      : layout_(layout), chunk_(chunk), sums_(chunk_buffer(mirror ? 3 : 2, chunk.blocks * stride / 4)) {
    std::fill(sums_, sums_ + static_cast<std::ptrdiff_t>(chunk.blocks) * stride, 0.0);
  }

  void add(int pack, const PairBlocks<N, D>& K) { add(pack, K, K, true); }
  void add(int pack, const PairBlocks<N, D>& K, const PairBlocks<N, D>& mirror) { add(pack, K, mirror, false); }

  // To the matrix: block (a, b), and its transpose at (b, a).
  void finish(const BlockAccess& access) const { finish(access, *this); }
  void finish(const BlockAccess& access, const ChunkBlocks& mirror) const {
    const int* slot =
        access.slot + 8 * static_cast<std::ptrdiff_t>(chunk_.first_block);  // of (a, a) (a, b) (b, a) (b, b)
    const int* nodes = layout_.stencil.data() + 2 * static_cast<std::ptrdiff_t>(chunk_.first_block);
    const double *block = sums_, *transposed = mirror.sums_;
    constexpr int far = 8;  // blocks between a fetch and its use
    for (int k = 0; k < chunk_.blocks; ++k, block += stride, transposed += stride, slot += 8, nodes += 2) {
      if (k + far < chunk_.blocks)
        LIVENS_FOR (int c = 0; c < D; ++c) {
          __builtin_prefetch(access.values + slot[8 * far + 2] + c * slot[8 * far + 3], 1);
          __builtin_prefetch(access.values + slot[8 * far + 4] + c * slot[8 * far + 5], 1);
        }
      double* to = access.values + slot[2];
      LIVENS_FOR (int c = 0; c < D; ++c, to += slot[3])
        LIVENS_FOR (int r = 0; r < D; ++r) to[r] += block[c * D + r];
      if (nodes[0] == nodes[1]) continue;
      to = access.values + slot[4];
      LIVENS_FOR (int c = 0; c < D; ++c, to += slot[5])
        LIVENS_FOR (int r = 0; r < D; ++r) to[r] += transposed[r * D + c];
    }
  }

 private:
  void add(int pack, const PairBlocks<N, D>& K, const PairBlocks<N, D>& mirror, bool symmetric) {
    const std::uint16_t* index = layout_.block.data() + static_cast<std::ptrdiff_t>(pack) * 4 * pairs;
    Pack border[N][D][D], corner[D][D];
    LIVENS_FOR (int b = 1; b < N; ++b)
      LIVENS_FOR (int i = 0; i < D; ++i)
        LIVENS_FOR (int j = 0; j < D; ++j) border[b][i][j] = Pack{};
    LIVENS_FOR (int b = 1; b < N; ++b)
      LIVENS_FOR (int a = 1; a <= b; ++a) {
        const auto &k = K.block[PairBlocks<N, D>::index(a, b)], &other = mirror.block[PairBlocks<N, D>::index(a, b)];
        add_lanes(index + 4 * pair(a, b), k);
        LIVENS_FOR (int i = 0; i < D; ++i)
          LIVENS_FOR (int j = 0; j < D; ++j) {
            border[b][i][j] -= k[i][j];
            if (a != b) border[a][i][j] -= other[j][i];
          }
      }
    LIVENS_FOR (int i = 0; i < D; ++i)
      LIVENS_FOR (int j = 0; j < D; ++j) corner[i][j] = Pack{};
    LIVENS_FOR (int b = 1; b < N; ++b) {
      add_lanes(index + 4 * pair(0, b), border[b]);
      LIVENS_FOR (int i = 0; i < D; ++i)
        LIVENS_FOR (int j = 0; j < D; ++j) corner[i][j] -= border[b][i][j];
    }
    // Rounding leaves the corner unsymmetric in the last digit.
    if (symmetric)
      LIVENS_FOR (int i = 0; i < D; ++i)
        LIVENS_FOR (int j = 0; j < i; ++j) corner[i][j] = corner[j][i] = 0.5 * (corner[i][j] + corner[j][i]);
    add_lanes(index + 4 * pair(0, 0), corner);
  }

  void add_lanes(const std::uint16_t* index, const Pack (&k)[D][D]) {
    LIVENS_FOR (int first = 0; first + 4 <= D * D; first += 4) {
      const auto entry = [&](int e) { return k[(first + e) % D][(first + e) / D]; };
      Pack p0 = entry(0), p1 = entry(1), p2 = entry(2), p3 = entry(3);
      transpose(p0, p1, p2, p3);
      *reinterpret_cast<Pack*>(sums_ + index[0] * stride + first) += p0;
      *reinterpret_cast<Pack*>(sums_ + index[1] * stride + first) += p1;
      *reinterpret_cast<Pack*>(sums_ + index[2] * stride + first) += p2;
      *reinterpret_cast<Pack*>(sums_ + index[3] * stride + first) += p3;
    }
    if constexpr (D == 3)
      LIVENS_FOR (int lane = 0; lane < 4; ++lane) sums_[index[lane] * stride + 8] += k[D - 1][D - 1][lane];
  }

  const ElementLayout& layout_;
  const ElementChunk& chunk_;
  double* sums_;
};

}  // namespace livens
