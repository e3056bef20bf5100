// A mesh from arrays, checked like one from a file.
#include "mesh/files/check.hpp"

namespace livens {

Mesh mesh_from_arrays(ElementKind kind, std::vector<double> X, std::vector<int> connectivity) {
  Mesh mesh;
  mesh.kind = kind;
  mesh.X = std::move(X);
  mesh.connectivity = std::move(connectivity);
  mesh.regions = {"all"};
  if (mesh.X.empty() || mesh.X.size() % mesh.dimension() != 0)
    throw MeshError("mesh: expected positions of " + std::to_string(mesh.dimension()) +
                    " coordinates per node, found " + std::to_string(mesh.X.size()) + " numbers");
  if (mesh.connectivity.empty() || mesh.connectivity.size() % nodes_of(kind) != 0)
    throw MeshError("mesh: expected " + std::to_string(nodes_of(kind)) + " nodes per " + to_string(kind) + ", found " +
                    std::to_string(mesh.connectivity.size()) + " numbers");
  mesh.region.assign(mesh.elements(), 0);
  MeshNotes notes;
  check_mesh(mesh, "mesh", {}, notes);
  return mesh;
}

}  // namespace livens
