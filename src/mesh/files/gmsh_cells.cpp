#include "mesh/files/gmsh_cells.hpp"

#include <algorithm>
#include <array>

namespace livens {
namespace {

struct Row {
  long type;
  GmshCell cell;
};

constexpr auto none = std::nullopt;
// Gmsh reference manual, "MSH file format": the types, sorted.
constexpr std::array<Row, 37> rows{{
    {1, {2, "lines", 1, none}},
    {2, {3, "triangles", 2, ElementKind::tri3}},
    {3, {4, "quadrilaterals", 2, none}},
    {4, {4, "tetrahedra", 3, ElementKind::tet4}},
    {5, {8, "hexahedra", 3, none}},
    {6, {6, "prisms", 3, none}},
    {7, {5, "pyramids", 3, none}},
    {8, {3, "lines", 1, none}},
    {9, {6, "triangles", 2, ElementKind::tri6}},
    {10, {9, "quadrilaterals", 2, none}},
    {11, {10, "tetrahedra", 3, ElementKind::tet10}},
    {12, {27, "hexahedra", 3, none}},
    {13, {18, "prisms", 3, none}},
    {14, {14, "pyramids", 3, none}},
    {15, {1, "points", 0, none}},
    {16, {8, "quadrilaterals", 2, none}},
    {17, {20, "hexahedra", 3, none}},
    {18, {15, "prisms", 3, none}},
    {19, {13, "pyramids", 3, none}},
    {20, {9, "triangles of order 3", 2, none}},
    {21, {10, "triangles of order 3", 2, none}},
    {22, {12, "triangles of order 4", 2, none}},
    {23, {15, "triangles of order 4", 2, none}},
    {24, {15, "triangles of order 5", 2, none}},
    {25, {21, "triangles of order 5", 2, none}},
    {26, {4, "lines", 1, none}},
    {27, {5, "lines", 1, none}},
    {28, {6, "lines", 1, none}},
    {29, {20, "tetrahedra of order 3", 3, none}},
    {30, {35, "tetrahedra of order 4", 3, none}},
    {31, {56, "tetrahedra of order 5", 3, none}},
    {36, {16, "quadrilaterals", 2, none}},
    {37, {25, "quadrilaterals", 2, none}},
    {38, {36, "quadrilaterals", 2, none}},
    {39, {12, "quadrilaterals", 2, none}},
    {92, {64, "hexahedra", 3, none}},
    {93, {125, "hexahedra", 3, none}},
}};

}  // namespace

const GmshCell* gmsh_cell(long type) {
  const auto row = std::lower_bound(rows.begin(), rows.end(), type, [](const Row& r, long t) { return r.type < t; });
  return row != rows.end() && row->type == type ? &row->cell : nullptr;
}

}  // namespace livens
