#include "bodies/meshes.hpp"

#include <algorithm>
#include <cmath>

#include <livens/meshes.hpp>

#include "mesh/core/topology.hpp"
#include "mesh/generate/refine.hpp"
#include "records/read.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

constexpr const char* region_names = "region names";  // of settings; the functions are under region

// --- keys ------------------------------------------------------------------------------------------------------------

Parameter element_key(std::string fallback, std::vector<std::string> choices) {
  return one_of(key("element", ValueType::name, "-", std::move(fallback), "linear or quadratic elements"),
                std::move(choices));
}

std::vector<Parameter> grid_keys(int dimension, const std::string& ones, const std::string& zeros) {
  const auto list = [&](Parameter parameter) { return of_length(std::move(parameter), {dimension}); };
  return {required(positive(list(key("size", ValueType::vector, "m", "", "lengths of the sides")))),
          required(bounded(list(key("cells", ValueType::vector, "-", "", "number of cells along each side")), 1)),
          list(key("corner", ValueType::vector, "m", zeros, "the corner with the least coordinates")),
          positive(list(key("grading", ValueType::vector, "-", ones, "last cell over first, along each side")))};
}

std::vector<std::string> axes(int dimension) {
  return dimension == 2 ? std::vector<std::string>{"X", "Y"} : std::vector<std::string>{"X", "Y", "Z"};
}

Parameter refine_key() {
  return bounded(key("refine", ValueType::integer, "-", "0",
                     "number of refinements, each of every triangle into 4, every tetrahedron into 8: nested meshes"),
                 0, 10);
}

std::vector<Parameter> reshape_keys(int dimension) {
  return {
      function_of(of_length(key("shape", ValueType::functions, "m", "",
                                "where a position of the grid goes; midsides stay in the middle of their edges"),
                            {dimension}),
                  axes(dimension)),
      bounded(number_key("jitter", "-", "0",
                         "nodes of the grid move at random by up to that part of their edges, on faces along them; a "
                         "move that would flatten an element is halved"),
              0, 0.5),
      bounded(key("jitter_seed", ValueType::integer, "-", "0", "of the moves"), 0, 9e15),
      key("region", ValueType::table, "-", "",
          "{ name = expression }: elements where it is positive, of X, Y, Z of the centroid; the first that fits, the "
          "others are the region all"),
      refine_key()};
}

std::vector<Parameter> mesh_placing_keys() {
  return {positive(number_key("scale", "-", "1", "factor of all positions: 0.001 for a file in millimetres")),
          positive(number_key("longest_side", "m", "", "scales so that the longest side has this length; or scale")),
          one_of(key("up_axis", ValueType::name, "-", "z", "axis of the file that becomes z"), {"x", "y", "z"}),
          of_length(key("base", ValueType::vector, "m", "as in the file", "where the middle of the underside goes"),
                    {2, 3})};
}

std::vector<Parameter> file_keys(std::vector<std::string> repairs) {
  return {required(key("file", ValueType::text, "-", "", "relative to the scene that names it")),
          one_of(key("repair", ValueType::names, "-", "none", "repairs that are allowed; each one is reported"),
                 std::move(repairs))};
}

// --- making ----------------------------------------------------------------------------------------------------------

template <std::size_t N>
std::array<double, N> numbers(const Settings& settings, const std::string& name) {
  std::array<double, N> result{};
  const auto& values = settings.vector(name);
  std::copy_n(values.begin(), N, result.begin());
  return result;
}

template <std::size_t N>
std::array<int, N> counts(const Settings& settings, const std::string& name) {
  std::array<int, N> result{};
  for (std::size_t k = 0; k < N; ++k) {
    const double value = settings.vector(name)[k];
    if (value != std::floor(value) || value > most_entries)
      throw MeshError(name + ": expected whole numbers from 1 up");
    result[k] = static_cast<int>(value);
  }
  return result;
}

MeshRepair repairs_of(const Settings& settings) {
  MeshRepair repair;
  if (!settings.has("repair")) return repair;
  for (const std::string& name : settings.names("repair")) {
    repair.flip = repair.flip || name == "flip";
    repair.weld = repair.weld || name == "weld";
    repair.drop_degenerate = repair.drop_degenerate || name == "drop_degenerate";
    repair.drop_unused = repair.drop_unused || name == "drop_unused";
    repair.keep_double = repair.keep_double || name == "keep_double";
    repair.close_holes = repair.close_holes || name == "close_holes";
  }
  return repair;
}

struct Extent {
  double min[3] = {0, 0, 0}, max[3] = {0, 0, 0};
  double longest() const { return std::max({max[0] - min[0], max[1] - min[1], max[2] - min[2]}); }
};

Extent extent_of(const std::vector<double>& X, std::size_t dim) {
  Extent extent;
  for (std::size_t c = 0; c < dim && !X.empty(); ++c) {
    extent.min[c] = extent.max[c] = X[c];
    for (std::size_t i = c; i < X.size(); i += dim) {
      extent.min[c] = std::min(extent.min[c], X[i]);
      extent.max[c] = std::max(extent.max[c], X[i]);
    }
  }
  return extent;
}

// A quarter turn about x or y, which preserves handedness.
void turn_up(std::vector<double>& X, const std::string& axis) {
  for (std::size_t i = 0; i < X.size(); i += 3) {
    const double x = X[i], y = X[i + 1], z = X[i + 2];
    if (axis == "y") X[i + 1] = -z, X[i + 2] = y;
    if (axis == "x") X[i] = -z, X[i + 2] = x;
  }
}

// factor: by which positions are yet to be multiplied, unless the longest side is given.
void place_points(std::vector<double>& X, std::size_t dim, const Settings& s, double factor) {
  if (dim == 3) turn_up(X, s.text("up_axis"));
  if (dim == 2 && s.text("up_axis") != "z")
    throw MeshError("mesh.up_axis: a plane mesh has no axis that could become z");
  if (s.given("longest_side") && s.given("scale")) throw MeshError("mesh: give scale or longest_side, not both");
  if (s.given("longest_side")) {
    const double longest = extent_of(X, dim).longest();
    if (!(longest > 0)) throw MeshError("mesh.longest_side: all points of the file coincide");
    factor = s.number("longest_side") / longest;
  }
  for (double& x : X) x *= factor;
  if (!s.has("base")) return;
  const auto& base = s.vector("base");
  if (base.size() != dim) throw MeshError("mesh.base: the mesh is of " + std::to_string(dim) + " dimensions");
  const Extent extent = extent_of(X, dim);
  for (std::size_t c = 0; c < dim; ++c) {
    const double from = c + 1 == dim ? extent.min[c] : 0.5 * (extent.min[c] + extent.max[c]);
    for (std::size_t i = c; i < X.size(); i += dim) X[i] += base[c] - from;
  }
}

MeshFunction function(const Settings& s, const std::string& name, std::size_t index) {
  return [f = s.functions.at(name)[index]](std::span<const double> X) { return f(X); };
}

// Grids of up to so many nodes stay in the cache in any order, and keep the grid's.
constexpr int most_in_cache = 50'000;

// Jitter in the grid, where faces are flat, then its image; regions and smaller elements there, midsides last.
Mesh finished(Mesh mesh, const Settings& s) {
  if (const double part = s.number("jitter"); part > 0)
    jitter_nodes(mesh, part, static_cast<unsigned long>(s.integer("jitter_seed")));
  if (s.given("shape")) {
    std::vector<MeshFunction> shape;
    for (std::size_t c = 0; c < at(mesh.dimension()); ++c) shape.push_back(function(s, "shape", c));
    map_nodes(mesh, shape);
  }
  if (s.has(region_names)) {
    const auto& names = s.names(region_names);
    std::vector<MeshFunction> inside;
    for (std::size_t r = 0; r < names.size(); ++r) inside.push_back(function(s, "region", r));
    divide_into_regions(mesh, names, inside);
  }
  const long times = s.integer("refine");
  const ElementKind kind = kind_named(s.text("element"));
  mesh = refined_as(std::move(mesh), times, kind, "mesh");
  if (times > 0 || mesh.nodes() > most_in_cache) order_for_locality(mesh);
  return mesh;
}

Mesh make_box(const Settings& s, const std::filesystem::path&, MeshNotes&) {
  BoxSpec spec;
  spec.size = numbers<3>(s, "size");
  spec.corner = numbers<3>(s, "corner");
  spec.grading = numbers<3>(s, "grading");
  spec.cells = counts<3>(s, "cells");
  spec.tets_per_cell = static_cast<int>(s.integer("tets_per_cell"));
  return finished(box_mesh(spec), s);
}

Mesh make_rectangle(const Settings& s, const std::filesystem::path&, MeshNotes&) {
  RectangleSpec spec;
  spec.size = numbers<2>(s, "size");
  spec.corner = numbers<2>(s, "corner");
  spec.grading = numbers<2>(s, "grading");
  spec.cells = counts<2>(s, "cells");
  return finished(rectangle_mesh(spec), s);
}

Mesh make_cracked_plate(const Settings& s, const std::filesystem::path&, MeshNotes&) {
  CrackedPlateSpec spec;
  spec.size = numbers<2>(s, "size");
  spec.crack = s.text("crack") == "edge" ? CrackKind::edge : CrackKind::center;
  spec.length = s.number("length");
  spec.tip_size = s.number("tip_size");
  spec.edge_length = s.number("edge_length");
  spec.rings = static_cast<int>(s.integer("rings"));
  spec.refine = static_cast<int>(s.integer("refine"));
  spec.layers = static_cast<int>(s.integer("layers"));
  const bool solid = s.given("extrude");
  if (!solid && s.given("layers"))
    throw MeshError("cracked_plate: layers are those of an extruded plate: give extrude");
  if (solid) spec.thickness = s.number("extrude");
  spec.kind = solid ? ElementKind::tet10 : ElementKind::tri6;
  if (s.given("element")) spec.kind = kind_named(s.text("element"));
  return cracked_plate_mesh(spec);
}

Mesh make_holed_plate(const Settings& s, const std::filesystem::path&, MeshNotes&) {
  HoledPlateSpec spec;
  spec.size = numbers<2>(s, "size");
  spec.hole = numbers<2>(s, "hole");
  spec.angle = s.number("angle");
  spec.cells = static_cast<int>(s.integer("cells"));
  spec.refine = static_cast<int>(s.integer("refine"));
  spec.kind = s.text("element") == "tri3" ? ElementKind::tri3 : ElementKind::tri6;
  return holed_plate_mesh(spec);
}

Mesh quadratic_if_asked(Mesh mesh, const Settings& s) {
  if (!s.has("element")) return mesh;
  const std::string wanted = s.text("element");
  const bool asked = wanted == "tet10" || wanted == "tri6";
  if (!asked && quadratic(mesh.kind))
    throw MeshError("mesh.element: the file has " + to_string(mesh.kind) + ", which are not made linear");
  return asked && !quadratic(mesh.kind) ? to_quadratic(mesh) : mesh;
}

Mesh make_file(const Settings& s, const std::filesystem::path& file, MeshNotes& notes) {
  MeshFileOptions options;
  options.repair = repairs_of(s);
  options.plane = s.has("element") && s.text("element").rfind("tri", 0) == 0;
  options.scale = s.number("scale");
  Mesh mesh = quadratic_if_asked(read_mesh(file, options, notes), s);
  place_points(mesh.X, at(mesh.dimension()), s, 1);
  order_for_locality(mesh);
  return mesh;
}

Mesh make_surface(const Settings& s, const std::filesystem::path& file, MeshNotes& notes) {
  Surface surface = read_surface(file, notes);
  close_surface(surface, file.string(), repairs_of(s), notes);
  place_points(surface.X, 3, s, s.number("scale"));
  const double edge = s.has("edge_length") ? s.number("edge_length") : extent_of(surface.X, 3).longest() / 20;
  return quadratic_if_asked(fill_surface(surface, edge, notes, s.number("most_lost")), s);
}

// --- records ---------------------------------------------------------------------------------------------------------

MeshRecord record(std::string name, std::string brief, const std::vector<std::vector<Parameter>>& keys) {
  MeshRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief);
  for (const auto& some : keys) made.parameters.insert(made.parameters.end(), some.begin(), some.end());
  return made;
}

MeshRecord box_record() {
  MeshRecord made = record("box", "a box of tetrahedra; groups x_min, x_max, y_min, y_max, z_min, z_max",
                           {grid_keys(3, "[1, 1, 1]", "[0, 0, 0]"),
                            {bounded(key("tets_per_cell", ValueType::integer, "-", "6", "5 (alternating) or 6"), 5, 6),
                             element_key("tet4", {"tet4", "tet10"})},
                            reshape_keys(3)});
  made.make = make_box;
  return made;
}

MeshRecord rectangle_record() {
  MeshRecord made =
      record("rectangle", "a rectangle of triangles; groups x_min, x_max, y_min, y_max",
             {grid_keys(2, "[1, 1]", "[0, 0]"), {element_key("tri3", {"tri3", "tri6"})}, reshape_keys(2)});
  made.make = make_rectangle;
  return made;
}

MeshRecord cracked_plate_record() {
  MeshRecord made =
      record("cracked_plate",
             "[0, width] x [-height/2, height/2] of triangles, cracked on y = 0; groups x_min, x_max, y_min, y_max, "
             "crack_upper, crack_lower, crack_tip (center: crack_tip_left, crack_tip_right), extruded z_min, z_max",
             {{required(positive(of_length(key("size", ValueType::vector, "m", "", "width and height"), {2}))),
               required(one_of(key("crack", ValueType::name, "-", "", "from x = 0, or in the middle of the width"),
                               {"edge", "center"})),
               required(positive(number_key("length", "m", "", "of the crack, less than the width"))),
               required(positive(
                   number_key("tip_size", "m", "", "of the cells at a tip; actual: between half of it and about it"))),
               required(positive(number_key("edge_length", "m", "", "of the cells far away; sizes double in between"))),
               bounded(key("rings", ValueType::integer, "-", "4", "of cells of one size around a tip"), 1, 1000),
               positive(number_key("extrude", "m", "none: plane", "thickness in z, from z = 0")),
               bounded(key("layers", ValueType::integer, "-", "1", "of elements through the thickness"), 1, 1e6),
               element_key("tri6, extruded tet10", {"tri3", "tri6", "tet4", "tet10"}), refine_key()}});
  made.make = make_cracked_plate;
  return made;
}

MeshRecord holed_plate_record() {
  MeshRecord made = record(
      "holed_plate",
      "[-width/2, width/2] x [-height/2, height/2] of triangles, with an elliptic hole at the origin; groups hole, "
      "x_min, "
      "x_max, y_min, y_max",
      {{required(positive(of_length(key("size", ValueType::vector, "m", "", "width and height"), {2}))),
        required(positive(of_length(key("hole", ValueType::vector, "m", "", "semi-axes of the ellipse"), {2}))),
        number_key("angle", "rad", "0", "of the first semi-axis from the x axis, counter-clockwise"),
        bounded(key("cells", ValueType::integer, "-", "64", "around the hole; they grow with the distance from it"), 8,
                1e6),
        element_key("tri6", {"tri3", "tri6"}), refine_key()}});
  made.make = make_holed_plate;
  return made;
}

MeshRecord file_record() {
  MeshRecord made =
      record("file",
             "elements from a file: Gmsh (1, 2.2, 4.0, 4.1), VTU, legacy VTK, Abaqus or CalculiX (.inp), MEDIT "
             "(.mesh); with its groups",
             {file_keys({"flip", "weld", "keep_double", "drop_degenerate", "drop_unused"}), mesh_placing_keys()});
  made.parameters.push_back(
      one_of(key("element", ValueType::name, "-", "as in the file", "tri3 and tri6 use the triangles: a 2D solid"),
             {"tet4", "tet10", "tri3", "tri6"}));
  made.make = make_file;
  return made;
}

MeshRecord surface_record() {
  MeshRecord made = record("surface", "a closed surface from an OBJ, STL or PLY file, filled with tetrahedra",
                           {file_keys({"flip", "weld", "drop_degenerate", "drop_unused", "close_holes"}),
                            mesh_placing_keys(),
                            {positive(number_key("edge_length", "m", "longest side / 20", "of the tetrahedra")),
                             bounded(number_key("most_lost", "-", "0.2",
                                                "part of the volume that may be lost because walls and rods are "
                                                "thinner than the tetrahedra; more is refused"),
                                     0, 1),
                             element_key("tet4", {"tet4", "tet10"})}});
  made.make = make_surface;
  return made;
}

// The keys of the table region are names that the scene chooses.
void read_regions(const Record& record, Settings& settings) {
  if (!settings.given("region")) return;
  std::vector<SceneFault> faults;
  Context context{settings.environment, faults};
  const Node& table = settings.node("region");
  const std::string path = settings.path + ".region";
  std::vector<std::string> names, texts;
  std::vector<Function> functions;
  for (const auto& [name, node] : table.entries) {
    if (name == "all") context.fail(node.key_place, path + ".all", "is reserved for what the other regions leave.");
    const Parameter one = function_of(key(name, ValueType::function, "-", "", ""), axes(record.name == "box" ? 3 : 2));
    Settings read;
    read_value(node, one, path + "." + name, read, context);
    if (!read.has(name)) continue;
    names.push_back(name);
    texts.push_back(read.text(name));
    functions.push_back(read.functions.at(name)[0]);
  }
  settings.values[region_names] = std::move(names);
  settings.values["region"] = std::move(texts);
  settings.functions["region"] = std::move(functions);
  if (!faults.empty()) throw SceneError(std::move(faults));
}

}  // namespace

Registry<MeshRecord>& mesh_records() {
  static Registry<MeshRecord> records("mesh", {box_record(), rectangle_record(), cracked_plate_record(),
                                               holed_plate_record(), file_record(), surface_record()});
  return records;
}

Mesh make_mesh(const Settings& parent, const std::string& key, Assembly& assembly) {
  auto kind = read_nested_kind(parent, key, mesh_records());
  read_regions(kind.record, kind.settings);
  const auto file = kind.settings.given("file") ? file_of(kind.settings.node("file")) : std::filesystem::path();
  try {
    MeshNotes notes;
    Mesh mesh = kind.record.make(kind.settings, file, notes);
    for (const auto* texts : {&notes.warnings, &notes.repairs})
      assembly.parts.notes.insert(assembly.parts.notes.end(), texts->begin(), texts->end());
    return mesh;
  } catch (const MeshError& error) {
    kind.settings.refuse(file.empty() ? "" : "file", error.what());
  }
}

}  // namespace livens
