// Bodies of an assembly: particles, solids and rigid bodies. All share one space, of 1, 2 or 3 dimensions.
//
//   Assembly assembly;
//   add(assembly, neo_hookean({.young = 1e6, .poisson = 0.4, .density = 1000}), "rubber");
//   add(assembly, Solid{.mesh = box_mesh({.size = {4, 1, 1}, .cells = {16, 4, 4}}), .material = "rubber"}, "beam");
//   const Model model = assembly.model();
//   State state = assembly.start(model);
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <livens/assembly.hpp>
#include <livens/materials.hpp>
#include <livens/mesh.hpp>
#include <livens/meshes.hpp>

namespace livens {

// Of a reference position X; coordinates beyond the dimension of the body are 0 and are not read.
using PositionFunction = std::function<Vec3(const Vec3& X)>;

// --- particles -------------------------------------------------------------------------------------------------------

// Where the particles of a body stand at rest, and who is whose neighbour.
struct Layout {
  int dimension = 1;              // of the space they move in
  bool periodic = false;          // neighbours across the ends
  std::vector<double> positions;  // m, particles x dimension
  std::vector<Assembly::Pair> neighbours = {};
  Vec3 box{};  // m, sides of the box that it repeats in; 0: not along this axis
};

// Counts are 2 or more; spacing is the distance between neighbours, m. All throw AssemblyError.
Layout chain(int count, double spacing = 1, bool periodic = false, int dimension = 1);                  // along x
Layout square_lattice(const std::array<int, 2>& count, double spacing = 1, bool periodic = false);      // 4 neighbours
Layout triangular_lattice(const std::array<int, 2>& count, double spacing = 1, bool periodic = false);  // 6 neighbours
Layout cubic_lattice(const std::array<int, 3>& count, double spacing = 1, bool periodic = false);       // 18, diagonals

// Crystals of count[0] x count[1] x count[2] cubic cells of side lattice_constant, m; counts are 1 or more.
Layout face_centred_cubic(const std::array<int, 3>& count, double lattice_constant, bool periodic = false);  // 12
Layout diamond(const std::array<int, 3>& count, double lattice_constant, bool periodic = false);  // 4 neighbours

// Point masses.
struct Particles {
  Layout layout;
  std::vector<double> mass;  // kg, one for all or one per particle
  struct Start {
    PositionFunction position = {};       // m; none: those of the layout
    PositionFunction velocity = {};       // m/s; none: at rest
    PositionFunction second = {};         // m, positions after the first step, instead of velocities
    std::vector<double> velocities = {};  // m/s, particles x dimension, instead
    double random_velocity = 0;           // m/s, standard deviation of each component, added; no net momentum
    unsigned long seed = 0;               // of the random velocities
  } initial = {};
};
void add(Assembly& assembly, const Particles& particles, const std::string& name);

// --- solids ----------------------------------------------------------------------------------------------------------

// lumped: the diagonal of the consistent one, scaled (Hinton, Rock, Zienkiewicz 1976). voronoi: diagonal, of the part
// of the body that is nearest to each node (triangles and tetrahedra with straight edges).
enum class MassMatrix { lumped, consistent, voronoi };

// An elastic body of triangles (plane strain) or tetrahedra.
struct Solid {
  Mesh mesh;
  std::string material = {};                          // of the assembly
  std::map<std::string, std::string> materials = {};  // or one for every region of the mesh
  MassMatrix mass_matrix = MassMatrix::lumped;
  std::optional<double> thickness = {};  // m, of a plane solid; none: 1
  struct Start {
    PositionFunction position = {};  // m; none: the reference shape
    PositionFunction velocity = {};  // m/s; none: at rest
    PositionFunction second = {};    // m, positions after the first step, instead of velocities
    Vec3 angular_velocity{};         // rad/s, added, about the centre of mass; of a plane solid about z
    double random_velocity = 0;      // m/s, standard deviation of each component, added; no net momentum
    unsigned long seed = 0;          // of the random velocities
  } initial = {};
};
void add(Assembly& assembly, Solid solid, const std::string& name);

// The boundary of a solid in its reference shape.
struct SolidSurface {
  Facets facets;
  std::vector<double> area;  // of each facet, m^2; in 2D length times thickness
  double edge = 0;           // mean length of its edges between vertices, m
};

// A solid of an assembly: what loads and contacts ask of it.
struct SolidBody {
  int body = 0;  // of ModelParts::bodies
  std::shared_ptr<const Mesh> mesh;
  double thickness = 1;  // m
  bool consistent_mass = false;
  std::vector<double> young;  // of each region, Pa
  std::vector<std::shared_ptr<const SolidBlock>> blocks;

  const SolidSurface& surface() const;  // made when first asked for

 private:
  mutable std::optional<SolidSurface> surface_;
};

// --- shapes ----------------------------------------------------------------------------------------------------------

// The surface of a rigid body or an obstacle: a closed one of facets, or a ball.
struct BodyShape {
  int dimension = 3;         // 2: in the plane
  std::vector<Vec3> points;  // m
  // By points: triangles, seen counterclockwise from outside; in the plane edges, the inside on their left, and -1.
  std::vector<std::array<int, 3>> facets = {};
  double radius = 0;  // m, of a ball about its only point; 0: it has facets
};

// About the origin, axes along z; all throw AssemblyError. In the plane the last size is 0, and length and segments are
// not used.
BodyShape box_shape(const Vec3& size);  // m; in the plane a rectangle
BodyShape ball_shape(double radius, int dimension = 3);
BodyShape cylinder_shape(double radius, double length, int segments = 24);
BodyShape capsule_shape(double radius, double length, int segments = 24);  // length: between the centres of its caps
BodyShape surface_shape(const Surface& surface);                           // closed
BodyShape polygon_shape(const std::vector<Vec3>& corners);                 // in the plane, counterclockwise
BodyShape mesh_shape(const Mesh& mesh);                                    // its boundary, facets with midsides cut up
// Turned about the origin by a rotation vector (rad; in the plane its last component), then moved (m).
BodyShape moved(BodyShape shape, const Vec3& rotation, const Vec3& by);

// --- rigid bodies ----------------------------------------------------------------------------------------------------

// With one moment of inertia alone, about z, it is a body in the plane, which no body in space has; what is not of the
// plane in its center and its start is not used then.
struct Rigid {
  double mass = 0;                // kg
  std::array<Vec3, 3> inertia{};  // kg m^2, about the centre of mass, axes of the world at the start; rows
  Vec3 center{};                  // m, of mass, at the start
  struct Start {
    Vec3 velocity{};          // m/s, of the centre of mass
    Vec3 angular_velocity{};  // rad/s
  } initial = {};
  std::optional<BodyShape> shape = {};  // at the start, in the axes of the world; contact needs one
};
void add(Assembly& assembly, const Rigid& rigid, const std::string& name);

// Inertia of three principal moments along the axes of the world; {0, 0, J} of a body in the plane.
std::array<Vec3, 3> diagonal_inertia(const Vec3& moments);
// Mass, centre and inertia of a mesh of tetrahedra with one density (kg/m^3), or of triangles in the plane with one per
// area (kg/m^2); curved edges count as straight.
Rigid rigid_from_mesh(const Mesh& mesh, double density);
// Of all that is inside a shape, which becomes that of the body; in the plane the density is per area.
Rigid rigid_from_shape(const BodyShape& shape, double density);

// --- obstacles -------------------------------------------------------------------------------------------------------

// Where a body is that moves as given: its shape turned by a rotation vector, then moved.
struct Pose {
  Vec3 position{}, velocity{};       // m, m/s
  Vec3 rotation{}, rotation_rate{};  // rad, rad/s: the vector and its derivative; in the plane the last component
};

// A rigid thing that moves as given, whatever touches it: three or four points whose motion is that of a support.
struct MovingObstacle {
  BodyShape shape;
  std::function<Pose(double t)> pose = {};  // none: it stays where the shape is
};
void add(Assembly& assembly, const MovingObstacle& obstacle, const std::string& name);

}  // namespace livens
