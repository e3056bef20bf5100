// Rigid bodies in natural coordinates, see RigidShape: four points of equal mass, and six quadratic constraints.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "bodies/meshes.hpp"
#include "bodies/nodes.hpp"
#include "bodies/solid.hpp"
#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"
#include "records/read.hpp"

namespace livens {
namespace {

constexpr double least_share = 1e-8;  // of the largest int x_i^2 dm that the others have at least

Eigen::Vector3d read_three(const Settings& settings, const Node& list) {
  const Parameter numbers = of_length(key("inertia", ValueType::vector, "kg m^2", "", ""), {3});
  Node table;
  table.place = list.place;
  table.entries = {{"inertia", list}};
  const std::vector<double> three =
      read_settings(table, settings.path, std::span(&numbers, 1), settings).vector("inertia");
  return {three[0], three[1], three[2]};
}

Eigen::Matrix3d read_tensor(const Settings& settings) {
  const Node& node = settings.node("inertia");
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
  if (E.minCoeff() < -1e-9 * largest)
    throw AssemblyError("inertia",
                        "no body has these moments: each is at most the sum of the other two (a lamina has the sum).");
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

// Corners of the box at the start.
std::vector<double> corners(const RigidShape& shape) {
  std::vector<double> x(12);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t c = 0; c < 3; ++c) {
      x[3 * a + c] = shape.center[c];
      for (std::size_t i = 0; i < 3; ++i)
        x[3 * a + c] += (a == 0 || a == i + 1 ? 1 : -1) * shape.half[i] * shape.axes[3 * i + c];
    }
  return x;
}

// The axes stay orthonormal; times the size of the body, so that the equations are lengths.
void add_shape_constraints(const std::string& name, const Body& body, Assembly& assembly) {
  const RigidShape& shape = *body.rigid;
  const double size = std::hypot(shape.half[0], shape.half[1], shape.half[2]);
  std::array<AffinePoint, 3> axis;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto weights = shape.vector({shape.axes[3 * i], shape.axes[3 * i + 1], shape.axes[3 * i + 2]});
    for (int c = 0; c < 3; ++c) {
      AffineForm form;
      for (int a = 0; a < 4; ++a) form.terms.push_back({body.first + 3 * a + c, weights[a]});
      axis[i].push_back(std::move(form));
    }
  }
  std::vector<BilinearEquation> equations;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = i; j < 3; ++j) {
      BilinearEquation equation = dot_equation(axis[i], axis[j], i == j ? 1 : 0);
      const double factor = i == j ? size / 2 : size;
      for (Product& product : equation.products) product.factor *= factor;
      equation.offset.constant *= factor;
      equations.push_back(std::move(equation));
    }
  assembly.parts.constraints.push_back(
      std::make_shared<BilinearConstraint>(name + ".shape", std::move(equations), Invariance{true, true}));
}

Rigid read_inertia(const Settings& settings, Assembly& assembly) {
  if (settings.given("mesh")) {
    for (const char* other : {"mass", "inertia", "center"})
      if (settings.given(other)) settings.refuse(other, "follows from mesh and material: give one or the other.");
    const Mesh mesh = make_mesh(settings, "mesh", assembly);
    if (mesh.dimension() != 3) settings.refuse("mesh", "rigid bodies are three-dimensional: use a mesh of tetrahedra.");
    if (!settings.given("material"))
      settings.refuse("material", "is missing: the [[material]] whose density the mesh has.");
    const auto material = assembly.materials.find(settings.text("material"));
    if (material == assembly.materials.end())
      settings.refuse("material", "no material '" + settings.text("material") + "'.");
    if (material->second->constants.given.texts.count("density_factor") != 0)
      settings.refuse("material", "has a density_factor: a rigid body takes one density from its material.");
    return rigid_from_mesh(mesh, material->second->density());
  }
  for (const char* needed : {"mass", "inertia", "center"})
    if (!settings.given(needed))
      settings.refuse(needed, "is missing: give mass, inertia and center, or mesh and material.");
  return {settings.number("mass"), rows_of(read_tensor(settings)), place_of(settings, "center")};
}

void add_record(const Settings& settings, const std::string& name, Assembly& assembly) {
  const Parameter keys[] = {
      of_length(key("velocity", ValueType::vector, "m/s", "[0, 0, 0]", "of the centre of mass"), {3}),
      of_length(key("angular_velocity", ValueType::vector, "rad/s", "[0, 0, 0]", "about it"), {3})};
  auto [rigid, initial] = read_both([&] { return read_inertia(settings, assembly); },
                                    [&] { return read_nested(settings, "initial", keys); });
  rigid.initial = {place_of(initial, "velocity"), place_of(initial, "angular_velocity")};
  try {
    add(assembly, rigid, name);
  } catch (const AssemblyError& error) {  // moments of a mesh are not the scene's to change
    throw AssemblyError(settings.given("mesh") && error.key == "inertia" ? "mesh" : error.key, error.what());
  }
}

}  // namespace

std::array<Vec3, 3> diagonal_inertia(const Vec3& moments) {
  return {Vec3{moments[0], 0, 0}, Vec3{0, moments[1], 0}, Vec3{0, 0, moments[2]}};
}

Rigid rigid_from_mesh(const Mesh& mesh, double density) {
  if (mesh.dimension() != 3)
    throw AssemblyError("mesh", "rigid bodies are three-dimensional: use a mesh of tetrahedra.");
  double total = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // int x x' dm about the origin
  for (int e = 0; e < mesh.elements(); ++e) {
    Eigen::Matrix<double, 3, 4> x;
    for (int a = 0; a < 4; ++a)
      for (int c = 0; c < 3; ++c) x(c, a) = mesh.X[mesh.element(e)[a] * 3 + c];
    const Eigen::Vector3d sum = x.rowwise().sum();
    const double mass = density * std::abs((x.rightCols(3).colwise() - x.col(0)).determinant()) / 6;
    total += mass;
    center += mass / 4 * sum;
    second += mass / 20 * (sum * sum.transpose() + x * x.transpose());  // exact for a tetrahedron
  }
  center /= total;
  second -= total * center * center.transpose();
  const Eigen::Matrix3d tensor = second.trace() * Eigen::Matrix3d::Identity() - second;
  return {total, rows_of(tensor), {center[0], center[1], center[2]}};
}

void add(Assembly& assembly, const Rigid& rigid, const std::string& name) {
  if (!(rigid.mass > 0)) throw AssemblyError("mass", "must be greater than 0 kg.");
  check_new_body(assembly, name, 3, "");
  const auto shape = std::make_shared<const RigidShape>(shape_of(rigid, name, assembly));
  Body body;
  body.name = name;
  body.first = static_cast<int>(assembly.q.size());
  body.nodes = 4;
  body.dimension = 3;
  body.mass = shape->mass;
  body.rigid = shape;
  body.reference = corners(*shape);
  assembly.q.insert(assembly.q.end(), body.reference.begin(), body.reference.end());
  assembly.v.resize(assembly.q.size(), 0.0);
  for (int k = 0; k < 12; ++k) assembly.parts.mass.diagonal.push_back(shape->mass / 4);
  const Vec3 &v = rigid.initial.velocity, &w = rigid.initial.angular_velocity;
  for (std::size_t a = 0; a < 4; ++a) {
    double r[3];
    for (std::size_t c = 0; c < 3; ++c) r[c] = body.reference[3 * a + c] - shape->center[c];
    double* out = &assembly.v[body.first + 3 * a];
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
      out[c] = v[c] + w[i] * r[j] - w[j] * r[i];
    }
  }
  add_shape_constraints(name, body, assembly);
  assembly.parts.bodies.push_back(std::move(body));
}

BodyRecord rigid_record() {
  BodyRecord record;
  record.name = "rigid";
  record.brief = "a rigid body: from mass, inertia and center, or from a mesh and the density of a material";
  Parameter inertia = key("inertia", ValueType::table, "kg m^2", "",
                          "about the centre of mass, axes of the world at the start: 3 moments, or 3 rows of 3");
  inertia.choices = {"list"};
  record.parameters = {positive(number_key("mass", "kg", "", "of the body")),
                       inertia,
                       of_length(key("center", ValueType::vector, "m", "", "centre of mass at the start"), {3}),
                       key("mesh", ValueType::table, "-", "", "tetrahedra of its shape; see `livens list meshes`"),
                       key("material", ValueType::name, "-", "", "whose density the mesh has"),
                       key("initial", ValueType::table, "-", "", "how it starts: velocity, angular_velocity")};
  record.add = add_record;
  return record;
}

}  // namespace livens
