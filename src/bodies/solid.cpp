// Solids: elastic bodies of simplices, one block of elements a material.
#include "bodies/solid.hpp"

#include <algorithm>
#include <map>

#include "bodies/meshes.hpp"
#include "bodies/nodes.hpp"
#include "mesh/core/topology.hpp"
#include "records/read.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

using Materials = std::vector<std::shared_ptr<const BodyMaterial>>;  // one a region

std::vector<Parameter> initial_keys() {
  return {
      function_of(key("position", ValueType::functions, "m", "", "positions as functions of the reference X, Y, Z"),
                  {"X", "Y", "Z"}),
      function_of(key("velocity", ValueType::functions, "m/s", "", "velocities as functions of X, Y, Z"),
                  {"X", "Y", "Z"}),
      of_length(key("angular_velocity", ValueType::vector, "rad/s", "", "about the centre of mass; in 2D one number"),
                {1, 3}),
      bounded(number_key("random_velocity", "m/s", "0", "standard deviation of each component; no net momentum"), 0),
      bounded(key("seed", ValueType::integer, "-", "0", "of the random velocities"), 0, 9e15),
  };
}

std::shared_ptr<const BodyMaterial> find_material(const Node& name, const std::string& path, Assembly& assembly) {
  const auto found = name.kind == Node::Kind::text ? assembly.materials.find(name.text) : assembly.materials.end();
  if (found != assembly.materials.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& material : assembly.materials) known.push_back(material.first);
  throw SceneError(
      {{name.place, path,
        "there is no material '" + name.text + "'." +
            (known.empty() ? " The scene has none: write [[material]]." : suggestion(name.text, known, "There are"))}});
}

// One material for all, or a table { region = material } that names every region of the mesh.
bool read_materials(const Settings& settings, const Mesh& mesh, Assembly& assembly, Materials& materials) {
  const Node& node = *settings.nodes.at("material");
  const std::string path = settings.path + ".material";
  materials.assign(mesh.regions.size(), nullptr);
  if (node.kind != Node::Kind::table) {
    const auto one = find_material(node, path, assembly);
    std::fill(materials.begin(), materials.end(), one);
    return one != nullptr;
  }
  for (const auto& [group, name] : node.entries) {
    const std::string group_path = settings.path + ".material." + group;
    const auto region = std::find(mesh.regions.begin(), mesh.regions.end(), group);
    if (region == mesh.regions.end()) {
      throw SceneError({{name.key_place, group_path,
                         "the mesh has no region of that name." + suggestion(group, mesh.regions, "There are")}});
    }
    auto& material = materials[region - mesh.regions.begin()];
    material = find_material(name, group_path, assembly);
    if (material == nullptr) return false;
  }
  for (std::size_t r = 0; r < materials.size(); ++r)
    if (materials[r] == nullptr)
      settings.refuse("material", "region '" + mesh.regions[r] + "' of the mesh has no material.");
  return true;
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

// Elements of equal material form one block.
void add_blocks(const Materials& materials, const Settings& settings, SolidBody& solid, Assembly& assembly) {
  const Body& body = assembly.parts.bodies.back();
  std::vector<const BodyMaterial*> done;
  for (const auto& material : materials) {
    if (std::find(done.begin(), done.end(), material.get()) != done.end()) continue;
    done.push_back(material.get());
    SolidPart part{body.name, solid.mesh, body.first, {}, solid.thickness, material->density};
    for (int e = 0; e < solid.mesh->elements(); ++e)
      if (materials[at(solid.mesh->region[at(e)])] == material) part.elements.push_back(e);
    if (part.elements.empty()) continue;
    try {
      auto block = material->record->make(material->constants, std::move(part));
      solid.blocks.push_back(block);
      assembly.parts.terms.push_back(std::move(block));
    } catch (const std::invalid_argument& error) {
      settings.refuse("mesh", error.what() + std::string("."));
    }
  }
}

// v += omega x (x - c), c the centre of mass of the start.
bool add_rotation(const Settings& initial, const Body& body, Assembly& assembly) {
  if (!initial.given("angular_velocity")) return true;
  const auto& given = initial.vector("angular_velocity");
  const int dim = body.dimension;
  if (static_cast<int>(given.size()) != (dim == 3 ? 3 : 1))
    initial.refuse("angular_velocity",
                   dim == 3 ? "expected 3 numbers for a solid in space." : "expected one number for a plane solid.");
  const double omega[3] = {dim == 3 ? given[0] : 0, dim == 3 ? given[1] : 0, given.back()};
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
  return true;
}

void start(const Settings& initial, const Body& body, Assembly& assembly) {
  if (!evaluate_functions(initial, "position", body, assembly.q)) return;
  if (!evaluate_functions(initial, "velocity", body, assembly.v)) return;
  if (!add_rotation(initial, body, assembly)) return;
  const double deviation = initial.number("random_velocity");
  if (deviation > 0)
    add_random_velocities(body, deviation, static_cast<unsigned long>(initial.integer("seed")), assembly);
}

void add(const Settings& settings, const std::string& name, Assembly& assembly) {
  const Settings initial = read_nested(settings, "initial", initial_keys());
  auto solid = std::make_shared<SolidBody>();
  solid->mesh = make_mesh(settings, "mesh", assembly);
  Materials materials;
  if (solid->mesh == nullptr || !read_materials(settings, *solid->mesh, assembly, materials)) return;
  const Mesh& mesh = *solid->mesh;
  if (mesh.dimension() == 3 && settings.given("thickness"))
    settings.refuse("thickness", "applies to plane solids; this mesh has 3 dimensions.");
  solid->body = static_cast<int>(assembly.parts.bodies.size());
  solid->thickness = settings.number("thickness");
  solid->consistent_mass = settings.text("mass_matrix") == "consistent";

  std::vector<double> density;
  for (const auto& material : materials) {
    density.push_back(material->density);
    solid->young.push_back(material->constants.moduli.young());
  }
  const SolidMass mass = solid_mass(mesh, density, solid->thickness, solid->consistent_mass);
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
  add_blocks(materials, settings, *solid, assembly);
  assembly.solids.push_back(solid);
  start(initial, assembly.parts.bodies.back(), assembly);
}

}  // namespace

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
                 "16/57 of a triangle's mass, 1/36 and 4/27 of a tetrahedron's)"),
             {"lumped", "consistent"}),
      positive(number_key("thickness", "m", "1", "of a plane solid")),
      key("initial", ValueType::table, "-", "",
          "how it starts: position, velocity, angular_velocity, random_velocity, seed")};
  record.add = add;
  return record;
}

}  // namespace livens
