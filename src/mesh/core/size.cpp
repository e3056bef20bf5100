#include "mesh/core/size.hpp"

#include <fmt/format.h>

#include "math/memory_budget.hpp"
#include "mesh/core/topology.hpp"

namespace livens {
namespace {

// Bytes of a solid by its elements, from the mesh up to the first step of an explicit run; measured on 0.16 to 0.75
// million elements: 470, 1720, 370 and 2420. Implicit steps take a matrix and its factors in addition.
constexpr double bytes_of(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3: return 500;
    case ElementKind::tri6: return 1800;
    case ElementKind::tet4: return 450;
    case ElementKind::tet10: break;
  }
  return 2500;
}

std::string count_text(double count) {
  return count < 1e6 ? fmt::format("{:.0f}", count) : fmt::format("{:.4g} million", count / 1e6);
}

}  // namespace

void require_elements(double count, ElementKind kind, const std::string& what, const std::string& remedy) {
  const auto refuse = [&](const std::string& why, const std::string& otherwise) {
    throw MeshError(fmt::format("{}: a solid of {} {} elements {}. {}{}", what, count_text(count), to_string(kind), why,
                                remedy, otherwise));
  };
  if (!(count * nodes_of(kind) <= most_entries)) refuse("has more nodes than can be numbered", "");
  if (const std::string why = memory_refusal(count * bytes_of(kind)); !why.empty())
    refuse(why, ", or continue anyway with --force");
}

}  // namespace livens
