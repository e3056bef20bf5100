// Types of cells in Gmsh files.
#pragma once

#include <optional>

#include <livens/mesh.hpp>

namespace livens {

struct GmshCell {
  int nodes = 0;
  const char* plural = "";  // of what is skipped
  int dimension = 3;
  std::optional<ElementKind> kind;  // of what is read
};

// nullptr for a type that is not known.
const GmshCell* gmsh_cell(long type);

}  // namespace livens
