// Rigid bodies in natural coordinates, see RigidShape: four points of equal mass and six quadratic constraints, in the
// plane three and three.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "bodies/meshes.hpp"
#include "bodies/nodes.hpp"
#include "bodies/shape_records.hpp"
#include "bodies/solid.hpp"
#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"
#include "model/rigid_shape.hpp"
#include "records/read.hpp"

namespace livens {
namespace {

constexpr const char* impossible =
    "no body has these moments: each is at most the sum of the other two (a lamina has the sum).";
constexpr double least_share = 1e-8;  // the others are at least this fraction of the largest int x_i^2 dm

// A single moment, about z: a body in space has more than that.
bool is_planar(const Rigid& rigid) {
  const auto& J = rigid.inertia;
  return J[2][2] != 0 && J == diagonal_inertia({0, 0, J[2][2]});
}

Settings read_inertia_as(const Parameter& form, const Node& value, const Settings& settings) {
  Node table;
  table.place = value.place;
  table.entries = {{"inertia", value}};
  return read_settings(table, settings.path, std::span(&form, 1), settings);
}

Eigen::Vector3d read_three(const Settings& settings, const Node& list) {
  const Parameter numbers = of_length(key("inertia", ValueType::vector, "kg m^2", "", ""), {3});
  const std::vector<double> three = read_inertia_as(numbers, list, settings).vector("inertia");
  return {three[0], three[1], three[2]};
}

double read_polar(const Settings& settings) {
  const Node& node = settings.node("inertia");
  if (node.kind == Node::Kind::array)
    settings.refuse("inertia", "a body in the plane has one moment of inertia, about z: expected a number (kg m^2).");
  return read_inertia_as(number_key("inertia", "kg m^2", "", ""), node, settings).number("inertia");
}

Eigen::Matrix3d read_tensor(const Settings& settings) {
  const Node& node = settings.node("inertia");
  if (node.kind != Node::Kind::array)
    settings.refuse("inertia",
                    "a body in space has 3 moments of inertia, or 3 rows of 3. One number is for bodies in "
                    "the plane, whose center has 2 components.");
  const bool rows = !node.items.empty() && node.items.front().kind == Node::Kind::array;
  if (!rows) return read_three(settings, node).asDiagonal();
  if (node.items.size() != 3) settings.refuse("inertia", "expected 3 numbers, or 3 rows of 3.");
  Eigen::Matrix3d tensor;
  for (int r = 0; r < 3; ++r) tensor.row(r) = read_three(settings, node.items[r]);
  return tensor;
}

std::array<Vec3, 3> rows_of(const Eigen::Matrix3d& tensor) {
  std::array<Vec3, 3> rows;
  for (int r = 0; r < 3; ++r) rows[r] = {tensor(r, 0), tensor(r, 1), tensor(r, 2)};
  return rows;
}

Eigen::Matrix3d matrix_of(const std::array<Vec3, 3>& rows) {
  Eigen::Matrix3d tensor;
  for (int r = 0; r < 3; ++r) tensor.row(r) = Eigen::Vector3d(rows[r][0], rows[r][1], rows[r][2]);
  return tensor;
}

// Principal axes and the box of the four points; int x_i^2 dm = tr J / 2 - J_i.
RigidShape shape_of(const Rigid& rigid, const std::string& name, Assembly& assembly) {
  const Eigen::Matrix3d tensor = matrix_of(rigid.inertia);
  if ((tensor - tensor.transpose()).norm() > 1e-9 * tensor.norm()) throw AssemblyError("inertia", "is not symmetric.");
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(tensor);
  Eigen::Vector3d J = principal.eigenvalues(), E = (J.sum() / 2 - J.array()).matrix();
  Eigen::Matrix3d axes = principal.eigenvectors().transpose();
  if (tensor.isDiagonal(1e-14)) {  // as the user wrote it
    J = tensor.diagonal();
    E = (J.sum() / 2 - J.array()).matrix();
    axes.setIdentity();
  }
  const double largest = E.maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest))
    throw AssemblyError("inertia", "must be positive. A point mass is a body of kind \"particles\".");
  if (E.minCoeff() < -1e-9 * largest) throw AssemblyError("inertia", impossible);
  if (axes.determinant() < 0) axes.row(2) *= -1;
  RigidShape shape;
  shape.mass = rigid.mass;
  shape.center = rigid.center;
  for (int i = 0; i < 3; ++i) {
    if (E(i) < least_share * largest) {
      assembly.parts.notes.push_back("body." + name + ": it has no thickness along one of its principal axes; " +
                                     "1e-4 of its largest extent is used.");
      E(i) = least_share * largest;
    }
    shape.half[i] = std::sqrt(E(i) / rigid.mass);
    for (int c = 0; c < 3; ++c) {
      shape.axes[3 * i + c] = axes(i, c);
      shape.inertia[3 * i + c] = tensor(i, c);
    }
  }
  return shape;
}

// int x^2 dm = int y^2 dm = J / 2: all bodies of polar inertia J move alike in the plane.
RigidShape planar_shape(const Rigid& rigid) {
  const double J = rigid.inertia[2][2];
  if (!(J > 0) || !std::isfinite(J))
    throw AssemblyError("inertia", "must be positive. A point mass is a body of kind \"particles\".");
  RigidShape shape;
  shape.mass = rigid.mass;
  shape.inertia[8] = J;
  shape.center = {rigid.center[0], rigid.center[1], 0};
  shape.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  shape.half[0] = shape.half[1] = std::sqrt(J / (2 * rigid.mass));
  return shape;
}

// The nodes at the start.
std::vector<double> corners(const RigidShape& shape) {
  const std::size_t n = nodes_of(shape), d = n - 1;
  std::vector<double> x(n * d);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t c = 0; c < d; ++c) {
      x[d * a + c] = shape.center[c];
      for (std::size_t i = 0; i < d; ++i) x[d * a + c] += corner(shape, i, a) * shape.half[i] * shape.axes[3 * i + c];
    }
  return x;
}

// The axes stay orthonormal; times the size of the body, so that the equations are lengths.
void add_shape_constraints(const std::string& name, const Body& body, Assembly& assembly) {
  const RigidShape& shape = *body.rigid;
  const double size = std::hypot(shape.half[0], shape.half[1], shape.half[2]);
  const auto d = static_cast<std::size_t>(body.dimension);
  std::vector<AffinePoint> axis(d);
  for (std::size_t i = 0; i < d; ++i) {
    const auto weights = shape.vector({shape.axes[3 * i], shape.axes[3 * i + 1], shape.axes[3 * i + 2]});
    for (int c = 0; c < body.dimension; ++c) {
      AffineForm form;
      for (int a = 0; a < body.nodes; ++a) form.terms.push_back({body.first + body.dimension * a + c, weights[a]});
      axis[i].push_back(std::move(form));
    }
  }
  std::vector<BilinearEquation> equations;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i; j < d; ++j) {
      BilinearEquation equation = dot_equation(axis[i], axis[j], i == j ? 1 : 0);
      const double factor = i == j ? size / 2 : size;
      for (Product& product : equation.products) product.factor *= factor;
      equation.offset.constant *= factor;
      equations.push_back(std::move(equation));
    }
  assembly.parts.constraints.push_back(
      std::make_shared<BilinearConstraint>(name + ".shape", std::move(equations), Invariance{true, true}));
}

Rigid rigid_of_mesh(const Settings& settings, Assembly& assembly) {
  for (const char* other : {"mass", "inertia", "center", "shape", "density"})
    if (settings.given(other)) settings.refuse(other, "follows from mesh and material: give one or the other.");
  const Mesh mesh = make_mesh(settings, "mesh", assembly);
  if (mesh.dimension() == 3 && settings.given("thickness"))
    settings.refuse("thickness", "is that of a body in the plane; a mesh of tetrahedra has its own.");
  if (!settings.given("material"))
    settings.refuse("material", "is missing: the [[material]] whose density the mesh has.");
  const auto material = assembly.materials.find(settings.text("material"));
  if (material == assembly.materials.end())
    settings.refuse("material", "no material '" + settings.text("material") + "'.");
  if (material->second->constants.given.texts.count("density_factor") != 0)
    settings.refuse("material", "has a density_factor: a rigid body takes one density from its material.");
  const double density = material->second->density();
  Rigid rigid = rigid_from_mesh(mesh, mesh.dimension() == 2 ? density * settings.number("thickness") : density);
  rigid.shape = mesh_shape(mesh);
  return rigid;
}

// A shape about its centre, or where its own coordinates put it; all that is inside has the mass, or the density.
Rigid rigid_of_shape(const Settings& settings, Assembly& assembly) {
  const bool placed = settings.given("center");
  const int dimension = placed ? static_cast<int>(settings.vector("center").size()) : 0;
  BodyShape shape = make_shape(settings, "shape", dimension, assembly);
  if (settings.given("mass") == settings.given("density"))
    settings.refuse("mass", "give either the mass of the body, or the density of what is inside its shape.");
  Rigid rigid = rigid_from_shape(shape, settings.given("density") ? settings.number("density") : 1);
  if (settings.given("mass")) {
    const double factor = settings.number("mass") / rigid.mass;
    rigid.mass = settings.number("mass");
    for (Vec3& row : rigid.inertia)
      for (double& value : row) value *= factor;
  }
  if (!placed) return rigid;
  const Vec3 center = place_of(settings, "center");
  Vec3 by{};
  for (std::size_t c = 0; c < 3; ++c) by[c] = center[c] - rigid.center[c];
  rigid.shape = moved(std::move(shape), {}, by);
  rigid.center = center;
  return rigid;
}

Rigid read_inertia(const Settings& settings, Assembly& assembly) {
  if (settings.given("mesh")) return rigid_of_mesh(settings, assembly);
  if (settings.given("thickness"))
    settings.refuse("thickness", "is that of a mesh of triangles: give mesh and material.");
  if (settings.given("shape") && !settings.given("inertia")) return rigid_of_shape(settings, assembly);
  if (settings.given("density"))
    settings.refuse("density", "is that of what is inside a shape: give shape, and no inertia.");
  for (const char* needed : {"mass", "inertia", "center"})
    if (!settings.given(needed))
      settings.refuse(needed,
                      "is missing: give mass, inertia and center, or a shape and its mass, or mesh and material.");
  Rigid rigid{settings.number("mass"), {}, place_of(settings, "center")};
  const bool plane = settings.vector("center").size() == 2;
  // With an inertia of its own the centre of mass is the origin of the shape's coordinates.
  if (settings.given("shape"))
    rigid.shape = moved(make_shape(settings, "shape", plane ? 2 : 3, assembly), {}, rigid.center);
  if (plane) {
    rigid.inertia = diagonal_inertia({0, 0, read_polar(settings)});
    return rigid;
  }
  rigid.inertia = rows_of(read_tensor(settings));
  if (is_planar(rigid)) settings.refuse("inertia", impossible);  // a line along z that resists rotation about z only
  return rigid;
}

Rigid::Start read_start(const Settings& initial, bool plane) {
  Rigid::Start start;
  const auto read = [&](const std::string& key, int expected) {
    if (!initial.given(key)) return Vec3{};
    if (static_cast<int>(initial.vector(key).size()) != expected)
      initial.refuse(key, "expected " + std::to_string(expected) + (expected == 1 ? " number" : " numbers") +
                              " for a body in " + (plane ? "the plane." : "space."));
    return place_of(initial, key);
  };
  start.velocity = read("velocity", plane ? 2 : 3);
  start.angular_velocity = read("angular_velocity", plane ? 1 : 3);
  if (plane) start.angular_velocity = {0, 0, start.angular_velocity[0]};
  return start;
}

void add_rigid_record(const Settings& settings, const std::string& name, Assembly& assembly) {
  const Parameter keys[] = {
      of_length(key("velocity", ValueType::vector, "m/s", "", "of the centre of mass"), {2, 3}),
      of_length(key("angular_velocity", ValueType::vector, "rad/s", "", "about it; in the plane one number"), {1, 3})};
  auto [rigid, initial] = read_both([&] { return read_inertia(settings, assembly); },
                                    [&] { return read_nested(settings, "initial", keys); });
  rigid.initial = read_start(initial, is_planar(rigid));
  try {
    add(assembly, rigid, name);
  } catch (const AssemblyError& error) {  // what the mesh determines cannot be set by the scene
    const bool of_mesh = settings.given("mesh") && (error.key == "inertia" || error.key == "center");
    throw AssemblyError(of_mesh ? "mesh" : error.key, error.what());
  }
}

}  // namespace

std::array<Vec3, 3> diagonal_inertia(const Vec3& moments) {
  return {Vec3{moments[0], 0, 0}, Vec3{0, moments[1], 0}, Vec3{0, 0, moments[2]}};
}

namespace {

// Mass, centre and int x x' dm about the centre of simplices with straight edges: of one with n corners x_a, whose sum
// is s, the last is m/(n (n + 1)) (s s' + sum x_a x_a') about the origin.
template <int D>
struct Moments {
  using Vector = Eigen::Matrix<double, D, 1>;
  using Matrix = Eigen::Matrix<double, D, D>;
  double mass = 0;
  Vector center = Vector::Zero();
  Matrix second = Matrix::Zero();

  Moments(const Mesh& mesh, double density) {
    for (int e = 0; e < mesh.elements(); ++e) {
      Eigen::Matrix<double, D, D + 1> x;
      for (int a = 0; a <= D; ++a)
        for (int c = 0; c < D; ++c) x(c, a) = mesh.X[mesh.element(e)[a] * D + c];
      const Vector sum = x.rowwise().sum();
      const double part = density * std::abs((x.rightCols(D).colwise() - x.col(0)).determinant()) / (D == 3 ? 6 : 2);
      mass += part;
      center += part / (D + 1) * sum;
      second += part / ((D + 1) * (D + 2)) * (sum * sum.transpose() + x * x.transpose());
    }
    center /= mass;
    second -= mass * center * center.transpose();
  }
};

}  // namespace

Rigid rigid_from_mesh(const Mesh& mesh, double density) {
  if (mesh.dimension() == 2) {
    const Moments<2> m(mesh, density);
    return {m.mass, diagonal_inertia({0, 0, m.second.trace()}), {m.center[0], m.center[1], 0}};
  }
  const Moments<3> m(mesh, density);
  const Eigen::Matrix3d tensor = m.second.trace() * Eigen::Matrix3d::Identity() - m.second;
  return {m.mass, rows_of(tensor), {m.center[0], m.center[1], m.center[2]}};
}

namespace {

// v + omega x r; in the plane omega is along z.
void add_start(const Rigid::Start& start, const Body& body, Assembly& assembly) {
  const Vec3 v = start.velocity;
  const Vec3 w = body.dimension == 3 ? start.angular_velocity : Vec3{0, 0, start.angular_velocity[2]};
  const auto d = static_cast<std::size_t>(body.dimension);
  for (std::size_t a = 0; a < nodes_of(*body.rigid); ++a) {
    double r[3] = {0, 0, 0};
    for (std::size_t c = 0; c < d; ++c) r[c] = body.reference[d * a + c] - body.rigid->center[c];
    double* out = &assembly.v[body.first + d * a];
    for (std::size_t c = 0; c < d; ++c) {
      const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
      out[c] = v[c] + w[i] * r[j] - w[j] * r[i];
    }
  }
}

}  // namespace

void add(Assembly& assembly, const Rigid& rigid, const std::string& name) {
  if (!(rigid.mass > 0)) throw AssemblyError("mass", "must be greater than 0 kg.");
  const bool plane = is_planar(rigid);
  check_new_body(assembly, name, plane ? 2 : 3, "center");
  const auto shape = std::make_shared<const RigidShape>(plane ? planar_shape(rigid) : shape_of(rigid, name, assembly));
  Body body;
  body.name = name;
  body.first = static_cast<int>(assembly.q.size());
  body.dimension = plane ? 2 : 3;
  body.nodes = body.dimension + 1;
  body.mass = shape->mass;
  body.rigid = shape;
  body.reference = corners(*shape);
  assembly.q.insert(assembly.q.end(), body.reference.begin(), body.reference.end());
  assembly.v.resize(assembly.q.size(), 0.0);
  assembly.parts.mass.diagonal.resize(assembly.q.size(), shape->mass / static_cast<double>(nodes_of(*shape)));
  add_start(rigid.initial, body, assembly);
  add_shape_constraints(name, body, assembly);
  assembly.parts.bodies.push_back(std::move(body));
  if (!rigid.shape) return;
  if (rigid.shape->dimension != (plane ? 2 : 3))
    throw AssemblyError("shape", plane ? "must be one in the plane." : "must be one in space.");
  assembly.shapes[name] = std::make_shared<const BodyShape>(*rigid.shape);
}

BodyRecord rigid_record() {
  BodyRecord record;
  record.name = "rigid";
  record.brief =
      "a rigid body, in the plane or in space: from mass, inertia and center, from a shape, or from a mesh and a "
      "material";
  Parameter inertia = key("inertia", ValueType::table, "kg m^2", "",
                          "about the centre of mass, axes of the world at the start: 3 moments, or 3 rows of 3; in the "
                          "plane one number");
  inertia.choices = {"number", "text", "list"};
  record.parameters = {positive(number_key("mass", "kg", "", "of the body")),
                       inertia,
                       of_length(key("center", ValueType::vector, "m", "",
                                     "centre of mass at the start; with 2 components the body is one in the plane"),
                                 {2, 3}),
                       key("mesh", ValueType::table, "-", "",
                           "tetrahedra of its shape, or triangles in the plane; see `livens list meshes`"),
                       key("material", ValueType::name, "-", "", "whose density the mesh has"),
                       positive(number_key("thickness", "m", "1", "of a mesh of triangles")),
                       key("shape", ValueType::table, "-", "",
                           "its surface, for contact, and without inertia what its mass fills: see `livens list "
                           "shapes`; of a mesh it is the boundary"),
                       positive(number_key("density", "kg/m^3", "",
                                           "of what is inside the shape, instead of the mass; in the plane kg/m^2")),
                       key("initial", ValueType::table, "-", "", "how it starts: velocity, angular_velocity")};
  record.add = add_rigid_record;
  return record;
}

}  // namespace livens
