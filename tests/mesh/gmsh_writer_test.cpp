// What is written as a Gmsh file is read as the same mesh.
#include "mesh/files/gmsh_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <livens/meshes.hpp>

#include "support/scratch.hpp"

namespace livens {
namespace {

// Nodes may be numbered anew: elements as sets of the places of their nodes in order, with their region.
using Place = std::vector<double>;
Place place_of(const Mesh& mesh, int a) {
  const auto d = mesh.dimension();
  return {mesh.X.begin() + static_cast<std::ptrdiff_t>(a) * d, mesh.X.begin() + static_cast<std::ptrdiff_t>(a + 1) * d};
}
std::multiset<std::pair<std::string, std::vector<Place>>> elements_of(const Mesh& mesh) {
  std::multiset<std::pair<std::string, std::vector<Place>>> result;
  for (int e = 0; e < mesh.elements(); ++e) {
    std::vector<Place> nodes;
    for (int a = 0; a < nodes_of(mesh.kind); ++a) nodes.push_back(place_of(mesh, mesh.element(e)[a]));
    result.emplace(mesh.regions[mesh.region[e]], nodes);
  }
  return result;
}

TEST(GmshWriter, EveryKindComesBackAsItWas) {
  for (const ElementKind kind : {ElementKind::tri3, ElementKind::tri6, ElementKind::tet4, ElementKind::tet10}) {
    CrackedPlateSpec spec;
    spec.size = {1, 2};
    spec.crack = CrackKind::edge;
    spec.length = 0.5;
    spec.tip_size = 0.2;
    spec.edge_length = 0.4;
    spec.rings = 1;
    spec.kind = kind;
    if (dimension_of(kind) == 3) {
      spec.thickness = 0.3;
      spec.layers = 1;
    }
    Mesh mesh = cracked_plate_mesh(spec);
    mesh.regions = {"soft", "hard"};
    for (int e = 0; e < mesh.elements(); e += 2) mesh.region[e] = 1;
    const auto file = testing::scratch() / (to_string(kind) + ".msh");
    std::ofstream(file) << gmsh_text(mesh);
    MeshFileOptions options;
    options.plane = dimension_of(kind) == 2;
    options.repair.keep_double = true;
    MeshNotes notes;
    const Mesh read = read_mesh(file, options, notes);
    EXPECT_EQ(read.kind, kind);
    EXPECT_EQ(read.nodes(), mesh.nodes());
    EXPECT_EQ(elements_of(read), elements_of(mesh)) << to_string(kind);
    EXPECT_EQ(read.groups.size(), mesh.groups.size() + mesh.regions.size()) << "regions are groups of nodes as well";
    for (const auto& [name, nodes] : mesh.groups) {
      ASSERT_TRUE(read.groups.count(name) != 0) << name;
      std::multiset<Place> before, after;
      for (const int a : nodes) before.insert(place_of(mesh, a));
      for (const int a : read.groups.at(name)) after.insert(place_of(read, a));
      EXPECT_EQ(after, before) << name;
    }
  }
}

}  // namespace
}  // namespace livens
