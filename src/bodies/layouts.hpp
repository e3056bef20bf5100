// Where the particles of a body stand at rest, and who is whose neighbour.
#pragma once

#include <string>
#include <vector>

#include "model/assembly.hpp"
#include "records/values.hpp"

namespace livens {

struct Layout {
  int dimension = 1;
  bool periodic = false;
  std::vector<double> positions;  // nodes x dimension
  std::vector<Assembly::Pair> neighbours;
};

struct LayoutRecord : Record {
  // False, with a fault in the assembly, if it cannot be made.
  bool (*make)(const Settings& settings, Layout& layout) = nullptr;
};

Registry<LayoutRecord>& layout_records();

Layout triangular_lattice(int nx, int ny, double spacing, bool periodic);

}  // namespace livens
