// Rigid bodies in natural coordinates, see RigidShape: four points of equal mass, and six quadratic constraints.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "bodies/meshes.hpp"
#include "bodies/records.hpp"
#include "bodies/solid.hpp"
#include "constraints/joints.hpp"
#include "records/parameter.hpp"
#include "scene/schema.hpp"

namespace livens {
namespace {

constexpr double least_share = 1e-8;  // of the largest int x_i^2 dm that the others have at least

struct Inertia {
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  Eigen::Matrix3d tensor = Eigen::Matrix3d::Zero();  // about the centre
};

bool read_tensor(const Settings& settings, Build& build, Eigen::Matrix3d& tensor) {
  const Node& node = *settings.nodes.at("inertia");
  const bool rows = !node.items.empty() && node.items.front().kind == Node::Kind::array;
  Context context{build.parameters, build.faults};
  Parameter numbers = of_length(key("inertia", ValueType::vector, "kg m^2", "", ""), {3});
  const auto read = [&](const Node& list, Eigen::Vector3d& out) {
    Node table;
    table.kind = Node::Kind::table;
    table.place = list.place;
    table.entries = {{"inertia", list}};
    const std::size_t before = build.faults.size();
    const Settings one = read_settings(table, settings.path, std::span(&numbers, 1), context);
    if (build.faults.size() != before || !one.has("inertia")) return false;
    for (int c = 0; c < 3; ++c) out(c) = one.vector("inertia")[c];
    return true;
  };
  if (!rows) {
    Eigen::Vector3d diagonal;
    if (!read(node, diagonal)) return false;
    tensor = diagonal.asDiagonal();
    return true;
  }
  if (node.items.size() != 3) return build.fail(settings, "inertia", "expected 3 numbers, or 3 rows of 3."), false;
  for (int r = 0; r < 3; ++r) {
    Eigen::Vector3d row;
    if (!read(node.items[r], row)) return false;
    tensor.row(r) = row;
  }
  if ((tensor - tensor.transpose()).norm() > 1e-9 * tensor.norm())
    return build.fail(settings, "inertia", "is not symmetric."), false;
  return true;
}

// Mass, centre and inertia of a mesh of tetrahedra with one density; curved edges count as straight.
bool from_mesh(const Settings& settings, Build& build, Inertia& inertia) {
  const auto mesh = make_mesh(settings, "mesh", build);
  if (mesh == nullptr) return false;
  if (mesh->dimension() != 3)
    return build.fail(settings, "mesh", "rigid bodies are three-dimensional: use a mesh of tetrahedra."), false;
  if (!settings.given("material"))
    return build.fail(settings, "material", "is missing: the [[material]] whose density the mesh has."), false;
  const auto material = build.materials.find(settings.text("material"));
  if (material == build.materials.end())
    return build.fail(settings, "material", "no material '" + settings.text("material") + "'."), false;
  const double density = material->second->density;
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // int x x' dm about the origin
  for (int e = 0; e < mesh->elements(); ++e) {
    Eigen::Matrix<double, 3, 4> x;
    for (int a = 0; a < 4; ++a)
      for (int c = 0; c < 3; ++c) x(c, a) = mesh->X[mesh->element(e)[a] * 3 + c];
    const Eigen::Vector3d sum = x.rowwise().sum();
    const double mass = density * std::abs((x.rightCols(3).colwise() - x.col(0)).determinant()) / 6;
    inertia.mass += mass;
    inertia.center += mass / 4 * sum;
    second += mass / 20 * (sum * sum.transpose() + x * x.transpose());  // exact for a tetrahedron
  }
  inertia.center /= inertia.mass;
  second -= inertia.mass * inertia.center * inertia.center.transpose();
  inertia.tensor = second.trace() * Eigen::Matrix3d::Identity() - second;
  return true;
}

bool read_inertia(const Settings& settings, Build& build, Inertia& inertia) {
  if (settings.given("mesh")) {
    for (const char* other : {"mass", "inertia", "center"})
      if (settings.given(other))
        return build.fail(settings, other, "follows from mesh and material: give one or the other."), false;
    return from_mesh(settings, build, inertia);
  }
  for (const char* needed : {"mass", "inertia", "center"})
    if (!settings.given(needed))
      return build.fail(settings, needed, "is missing: give mass, inertia and center, or mesh and material."), false;
  inertia.mass = settings.number("mass");
  const Place3 center = place_of(settings, "center");
  inertia.center = Eigen::Vector3d(center[0], center[1], center[2]);
  return read_tensor(settings, build, inertia.tensor);
}

// Principal axes and the box of the four points; int x_i^2 dm = tr J / 2 - J_i.
bool shape_of(const Settings& settings, const Inertia& inertia, Build& build, RigidShape& shape) {
  const std::string key = settings.given("mesh") ? "mesh" : "inertia";
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(inertia.tensor);
  Eigen::Vector3d J = principal.eigenvalues(), E = (J.sum() / 2 - J.array()).matrix();
  Eigen::Matrix3d axes = principal.eigenvectors().transpose();
  if (inertia.tensor.isDiagonal(1e-14)) {  // as the user wrote it
    J = inertia.tensor.diagonal();
    E = (J.sum() / 2 - J.array()).matrix();
    axes.setIdentity();
  }
  const double largest = E.maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest))
    return build.fail(settings, key, "must be positive. A point mass is a body of kind \"particles\"."), false;
  if (E.minCoeff() < -1e-9 * largest)
    return build.fail(settings, key,
                      "no body has these moments: each is at most the sum of the other two (a lamina has the sum)."),
           false;
  if (axes.determinant() < 0) axes.row(2) *= -1;
  shape.mass = inertia.mass;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (E(i) < least_share * largest) {
      build.parts.notes.push_back(settings.path + ": it has no thickness along one of its principal axes; " +
                                  "1e-4 of its largest extent is used.");
      E(i) = least_share * largest;
    }
    shape.half[k] = std::sqrt(E(i) / inertia.mass);
    shape.center[k] = inertia.center(i);
    for (int c = 0; c < 3; ++c) {
      shape.axes[3 * k + static_cast<std::size_t>(c)] = axes(i, c);
      shape.inertia[3 * k + static_cast<std::size_t>(c)] = inertia.tensor(i, c);
    }
  }
  return true;
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
void add_shape_constraints(const std::string& name, const Body& body, Build& build) {
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
  build.parts.constraints.push_back(
      std::make_shared<BilinearConstraint>(name + ".shape", std::move(equations), Invariance{true, true}));
}

void add(const Settings& settings, const std::string& name, Build& build) {
  Context context{build.parameters, build.faults};
  const Parameter keys[] = {
      of_length(key("velocity", ValueType::vector, "m/s", "[0, 0, 0]", "of the centre of mass"), {3}),
      of_length(key("angular_velocity", ValueType::vector, "rad/s", "[0, 0, 0]", "about it"), {3})};
  const Settings initial = read_nested(settings, "initial", keys, context);
  Inertia inertia;
  auto shape = std::make_shared<RigidShape>();
  if (!build.faults.empty() || !read_inertia(settings, build, inertia) || !shape_of(settings, inertia, build, *shape))
    return;
  Body body;
  body.name = name;
  body.first = static_cast<int>(build.q.size());
  body.nodes = 4;
  body.dimension = 3;
  body.mass = shape->mass;
  body.rigid = shape;
  body.reference = corners(*shape);
  build.q.insert(build.q.end(), body.reference.begin(), body.reference.end());
  build.v.resize(build.q.size(), 0.0);
  for (int k = 0; k < 12; ++k) build.parts.mass.diagonal.push_back(shape->mass / 4);
  const Place3 v = place_of(initial, "velocity"), w = place_of(initial, "angular_velocity");
  for (std::size_t a = 0; a < 4; ++a) {
    double r[3];
    for (std::size_t c = 0; c < 3; ++c) r[c] = body.reference[3 * a + c] - shape->center[c];
    double* out = &build.v[static_cast<std::size_t>(body.first) + 3 * a];
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
      out[c] = v[c] + w[i] * r[j] - w[j] * r[i];
    }
  }
  if (!build.start_only) add_shape_constraints(name, body, build);
  build.parts.bodies.push_back(std::move(body));
}

}  // namespace

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
  record.add = add;
  return record;
}

}  // namespace livens
