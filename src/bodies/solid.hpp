// Solids of an assembly: what loads, contacts and checks need from them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <livens/bodies.hpp>
#include <livens/settings.hpp>

namespace livens {

// The text face of materials: reads the keys of the record and adds the material. Throws AssemblyError.
void add_material(const Settings& settings, const std::string& name, const MaterialRecord& record, Assembly& assembly);

const SolidBody* solid_of(const Assembly& assembly, int body);  // null if it is no solid

// A factor of a material by its key, stiffness_factor or density_factor: a function of X; null if it has none.
std::function<double(const double* X)> material_factor(const Material& material, const std::string& key);

// Share of a facet's area of each of its nodes: all positive, so that no node is left out.
// Edges 1/2, with a midside 1/6, 1/6, 2/3; triangles 1/3, with midsides 1/19 for vertices and 16/57 for midsides.
double facet_share(ElementKind kind, int local);

// Facets of a boundary by nodes of the mesh; those with midsides are cut into flat ones, triangles into four, edges
// into two. In the plane the third node is -1.
std::vector<std::array<int, 3>> flat_facets(const Mesh& mesh, const Facets& boundary);

// A point of a quadrature rule on a facet of the reference shape.
struct FacetPoint {
  double area = 0;            // that it represents, m^2
  std::array<double, 6> N{};  // shape functions of the facet's nodes
};
// Straight facets: midsides of triangles (degree 2), Simpson's rule on edges. Curved ones, X = sum N_a X_a: Gauss's
// rule of 5 points in each direction, dA = |dX/da x dX/db| da db.
std::vector<FacetPoint> facet_points(const SolidBody& solid, int facet);
bool straight_facet(const SolidBody& solid, int facet);

// Area of each node, summed over the facets all of whose nodes are marked.
std::vector<double> nodal_areas(const SolidBody& solid, const std::vector<bool>& marked);

// Mass matrix of a solid, node by node: lumped by scaling the diagonal (Hinton, Rock, Zienkiewicz 1976), or consistent.
struct SolidMass {
  std::vector<double> diagonal;         // one number per node
  std::vector<MassEntry> off_diagonal;  // rows and columns are nodes
  double total = 0;
};
SolidMass solid_mass(const Mesh& mesh, const std::vector<double>& density_of_element, double thickness,
                     bool consistent);

// Volume (in 2D: area) of an element with nodes at x, by a rule that is exact for curved ones, too.
double element_volume(const Mesh& mesh, int element, const double* x);

}  // namespace livens
