// Solids: elastic bodies of simplices, one block of elements per material.
#include "bodies/solid.hpp"

#include <algorithm>
#include <cmath>

#include "bodies/meshes.hpp"
#include "bodies/nodes.hpp"
#include "bodies/voronoi_mass.hpp"
#include "elements/volume_points.hpp"
#include "mesh/core/topology.hpp"
#include "records/read.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

using Materials = std::vector<std::shared_ptr<const BodyMaterial>>;  // one per region

std::vector<Parameter> initial_keys_of_solids() {
  return {
      function_of(key("position", ValueType::functions, "m", "", "positions as functions of the reference X, Y, Z"),
                  {"X", "Y", "Z"}),
      function_of(key("velocity", ValueType::functions, "m/s", "", "velocities as functions of X, Y, Z"),
                  {"X", "Y", "Z"}),
      second_position_key("the reference X, Y, Z"),
      of_length(key("angular_velocity", ValueType::vector, "rad/s", "", "about the centre of mass; in 2D one number"),
                {1, 3}),
      bounded(number_key("random_velocity", "m/s", "0", "standard deviation of each component; no net momentum"), 0),
      bounded(key("seed", ValueType::integer, "-", "0", "of the random velocities"), 0, 9e15),
  };
}

std::shared_ptr<const BodyMaterial> find_material(const std::string& name, const std::string& key,
                                                  const Assembly& assembly) {
  const auto found = assembly.materials.find(name);
  if (found != assembly.materials.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& material : assembly.materials) known.push_back(material.first);
  throw AssemblyError(
      key, "there is no material '" + name + "'." +
               (known.empty() ? " The scene has none: write [[material]]." : suggestion(name, known, "There are")));
}

// One material for all, or one for every region of the mesh.
Materials materials_of(const Solid& solid, const Assembly& assembly) {
  const std::vector<std::string>& regions = solid.mesh.regions;
  if (!solid.material.empty() && solid.materials.empty())
    return Materials(regions.size(), find_material(solid.material, "material", assembly));
  if (!solid.material.empty()) throw AssemblyError("material", "give one material, or one for each region, not both.");
  Materials materials(regions.size());
  for (const auto& [region, name] : solid.materials) {
    const auto found = std::find(regions.begin(), regions.end(), region);
    if (found == regions.end())
      throw AssemblyError("material." + region,
                          "the mesh has no region of that name." + suggestion(region, regions, "There are"));
    materials[found - regions.begin()] = find_material(name, "material." + region, assembly);
  }
  for (std::size_t r = 0; r < materials.size(); ++r)
    if (materials[r] == nullptr)
      throw AssemblyError("material", "region '" + regions[r] + "' of the mesh has no material.");
  return materials;
}

void add_mass(const SolidMass& mass, const Body& body, Assembly& assembly) {
  const int dim = body.dimension;
  for (const double m : mass.diagonal)
    for (int c = 0; c < dim; ++c) assembly.parts.mass.diagonal.push_back(m);
  for (const MassEntry& entry : mass.off_diagonal)
    for (int c = 0; c < dim; ++c)
      assembly.parts.mass.off_diagonal.push_back(
          {body.first + entry.row * dim + c, body.first + entry.column * dim + c, entry.value});
}

// Factors are functions that users write: refused where they are not above 0.
void check_factors(const SolidPart& part, const std::string& material) {
  for (const auto& [factor, key] :
       {std::pair{&part.stiffness_factor, "stiffness_factor"}, {&part.density_factor, "density_factor"}})
    for (std::size_t k = 0; *factor && k < part.elements.size(); ++k)
      for (const VolumePoint& point : volume_points(*part.mesh, part.elements[k]))
        if (const double value = (*factor)(point.X.data()); !(value > 0 && std::isfinite(value)))
          throw AssemblyError("material", "the " + std::string(key) + " of '" + material + "' is " + shown(value) +
                                              " at X = " + shown(point.X[0]) + ", Y = " + shown(point.X[1]) +
                                              ", Z = " + shown(point.X[2]) + " m; it has to be above 0.");
}

std::string name_of(const BodyMaterial* material, const Assembly& assembly) {
  for (const auto& [name, known] : assembly.materials)
    if (known.get() == material) return name;
  return "";
}

// Elements of equal material form one block.
void add_blocks(const Materials& materials, SolidBody& solid, Assembly& assembly) {
  const Body& body = assembly.parts.bodies.back();
  std::vector<const BodyMaterial*> done;
  for (const auto& material : materials) {
    if (std::find(done.begin(), done.end(), material.get()) != done.end()) continue;
    done.push_back(material.get());
    SolidPart part{body.name, solid.mesh, body.first, {}, solid.thickness, material->density()};
    for (int e = 0; e < solid.mesh->elements(); ++e)
      if (materials[at(solid.mesh->region[at(e)])] == material) part.elements.push_back(e);
    if (part.elements.empty()) continue;
    part.stiffness_factor = material_factor(material->constants.given, "stiffness_factor");
    part.density_factor = material_factor(material->constants.given, "density_factor");
    check_factors(part, name_of(material.get(), assembly));
    try {
      auto block = material->record->make(material->constants, part);
      solid.blocks.push_back(block);
      assembly.parts.terms.push_back(std::move(block));
    } catch (const std::invalid_argument& error) {
      throw AssemblyError("mesh", error.what() + std::string("."));
    }
  }
}

// v += omega x (x - c), c the centre of mass of the start.
void add_rotation(const Vec3& omega, const Body& body, Assembly& assembly) {
  if (omega == Vec3{}) return;
  const int dim = body.dimension;
  if (dim == 2 && (omega[0] != 0 || omega[1] != 0))
    throw AssemblyError("initial.angular_velocity", "a plane solid turns about z only.");
  const std::vector<double> mass = assembly.row_masses();
  double centre[3] = {0, 0, 0}, total = 0;
  for (int i = 0; i < body.size(); ++i) {
    const std::size_t k = at(body.first + i);
    centre[i % dim] += mass[k] * assembly.q[k];
    total += i % dim == 0 ? mass[k] : 0;
  }
  for (int a = 0; a < body.nodes; ++a) {
    double r[3] = {0, 0, 0};
    for (int c = 0; c < dim; ++c) r[c] = assembly.q[at(body.first + a * dim + c)] - centre[c] / total;
    const double turn[3] = {omega[1] * r[2] - omega[2] * r[1], omega[2] * r[0] - omega[0] * r[2],
                            omega[0] * r[1] - omega[1] * r[0]};
    for (int c = 0; c < dim; ++c) assembly.v[at(body.first + a * dim + c)] += turn[c];
  }
}

void start(const Solid::Start& initial, const Body& body, Assembly& assembly) {
  evaluate(initial.position, "initial.position", body, assembly.q);
  evaluate(initial.velocity, "initial.velocity", body, assembly.v);
  add_rotation(initial.angular_velocity, body, assembly);
  add_random_velocities(body, initial.random_velocity, initial.seed, assembly);
  take_second_positions(initial.second, body, assembly);
}

// Of each element, the mean over it.
std::vector<double> densities_of(const Mesh& mesh, const Materials& materials) {
  std::vector<std::function<double(const double*)>> factors;
  for (const auto& material : materials)
    factors.push_back(material_factor(material->constants.given, "density_factor"));
  std::vector<double> density;
  for (int e = 0; e < mesh.elements(); ++e) {
    const std::size_t region = at(mesh.region[at(e)]);
    density.push_back(materials[region]->density());
    if (factors[region]) density.back() *= mean_over_element(mesh, e, factors[region]);
  }
  return density;
}

void check_mesh_arrays(const Mesh& mesh) {
  const bool whole = mesh.elements() > 0 && mesh.nodes() > 0 && mesh.region.size() == at(mesh.elements()) &&
                     mesh.X.size() == at(mesh.nodes() * mesh.dimension()) &&
                     mesh.connectivity.size() == at(mesh.elements() * nodes_of(mesh.kind));
  const auto inside = [](const std::vector<int>& indices, int end) {
    return std::all_of(indices.begin(), indices.end(), [&](int i) { return i >= 0 && i < end; });
  };
  if (!whole || !inside(mesh.connectivity, mesh.nodes()) || !inside(mesh.region, static_cast<int>(mesh.regions.size())))
    throw AssemblyError("mesh", "its arrays do not fit each other; mesh_from_arrays makes meshes from arrays.");
}

// --- the record ------------------------------------------------------------------------------------------------------

// A name, or a table { region = name }.
void read_materials(const Settings& settings, Solid& solid) {
  const Node& node = settings.node("material");
  if (node.kind != Node::Kind::table) {
    solid.material = node.text;
    return;
  }
  for (const auto& [region, name] : node.entries) {
    const auto& regions = solid.mesh.regions;
    if (std::find(regions.begin(), regions.end(), region) == regions.end())  // at the place of the key
      throw SceneError({{name.key_place, settings.path + ".material." + region,
                         "the mesh has no region of that name." + suggestion(region, regions, "There are")}});
    solid.materials[region] = name.text;
  }
}

Vec3 read_angular_velocity(const Settings& initial, int dimension) {
  if (!initial.given("angular_velocity")) return {};
  const auto& given = initial.vector("angular_velocity");
  if (given.size() != (dimension == 3 ? 3 : 1))
    initial.refuse("angular_velocity", dimension == 3 ? "expected 3 numbers for a solid in space."
                                                      : "expected one number for a plane solid.");
  return dimension == 3 ? Vec3{given[0], given[1], given[2]} : Vec3{0, 0, given[0]};
}

void add_solid_record(const Settings& settings, const std::string& name, Assembly& assembly) {
  auto [mesh, initial] = read_both([&] { return make_mesh(settings, "mesh", assembly); },
                                   [&] { return read_nested(settings, "initial", initial_keys_of_solids()); });
  Solid solid{std::move(mesh)};
  read_materials(settings, solid);
  if (settings.text("mass_matrix") == "consistent") solid.mass_matrix = MassMatrix::consistent;
  if (settings.text("mass_matrix") == "voronoi") solid.mass_matrix = MassMatrix::voronoi;
  if (settings.given("thickness")) solid.thickness = settings.number("thickness");
  const int dimension = solid.mesh.dimension();
  solid.initial.position = position_function(initial, "position", dimension);
  solid.initial.velocity = position_function(initial, "velocity", dimension);
  solid.initial.second = position_function(initial, "second_position", dimension);
  solid.initial.angular_velocity = read_angular_velocity(initial, dimension);
  solid.initial.random_velocity = initial.number("random_velocity");
  solid.initial.seed = initial.integer("seed");
  add(assembly, std::move(solid), name);
}

}  // namespace

void add(Assembly& assembly, Solid given, const std::string& name) {
  check_mesh_arrays(given.mesh);
  const Materials materials = materials_of(given, assembly);
  if (given.mesh.dimension() == 3 && given.thickness)
    throw AssemblyError("thickness", "applies to plane solids; this mesh has 3 dimensions.");
  if (given.thickness && !(*given.thickness > 0)) throw AssemblyError("thickness", "must be greater than 0 m.");
  check_new_body(assembly, name, given.mesh.dimension(), "mesh");
  auto solid = std::make_shared<SolidBody>();
  solid->mesh = std::make_shared<const Mesh>(std::move(given.mesh));
  const Mesh& mesh = *solid->mesh;
  solid->body = static_cast<int>(assembly.parts.bodies.size());
  solid->thickness = given.thickness.value_or(1);
  solid->consistent_mass = given.mass_matrix == MassMatrix::consistent;

  for (const auto& material : materials) solid->young.push_back(material->constants.moduli.young());
  const std::vector<double> densities = densities_of(mesh, materials);
  const SolidMass mass = given.mass_matrix == MassMatrix::voronoi
                             ? voronoi_mass(mesh, densities, solid->thickness)
                             : solid_mass(mesh, densities, solid->thickness, solid->consistent_mass);
  Body body;
  body.name = name;
  body.first = static_cast<int>(assembly.q.size());
  body.nodes = mesh.nodes();
  body.dimension = mesh.dimension();
  body.reference = mesh.X;
  body.mesh = solid->mesh;
  body.mass = mass.total;
  assembly.parts.bodies.push_back(std::move(body));
  assembly.q.insert(assembly.q.end(), mesh.X.begin(), mesh.X.end());
  assembly.v.resize(assembly.q.size(), 0.0);
  add_mass(mass, assembly.parts.bodies.back(), assembly);
  add_blocks(materials, *solid, assembly);
  assembly.solids.push_back(solid);
  start(given.initial, assembly.parts.bodies.back(), assembly);
}

const SolidBody* solid_of(const Assembly& assembly, int body) {
  for (const auto& solid : assembly.solids)
    if (solid->body == body) return solid.get();
  return nullptr;
}

BodyRecord solid_record() {
  BodyRecord record;
  record.name = "solid";
  record.brief = "an elastic body of triangles (plane strain) or tetrahedra";
  Parameter material =
      required(key("material", ValueType::table, "-", "", "name of a [[material]], or a table { region = name }"));
  material.choices = {"text", "table"};
  record.parameters = {
      material, required(key("mesh", ValueType::table, "-", "", "its reference shape; see `livens list meshes`")),
      one_of(key("mass_matrix", ValueType::name, "-", "lumped",
                 "lumped: the diagonal of the consistent one, scaled (quadratic elements: vertices 1/19 and midsides "
                 "16/57 of a triangle's mass, 1/36 and 4/27 of a tetrahedron's); voronoi: of what is nearest to each "
                 "node, "
                 "for tri3 and tet4"),
             {"lumped", "consistent", "voronoi"}),
      positive(number_key("thickness", "m", "1", "of a plane solid")),
      key("initial", ValueType::table, "-", "",
          "how it starts: position, velocity, second_position, angular_velocity, random_velocity, seed")};
  record.add = add_solid_record;
  return record;
}

}  // namespace livens
