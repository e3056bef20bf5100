#include "bodies/shape_records.hpp"

#include "bodies/rotation.hpp"
#include "records/read.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

// What all of them have.
std::vector<Parameter> placing_keys() {
  return {of_length(key("rotation", ValueType::vector, "rad", "",
                        "turns it about its own origin: axis times angle; in the plane one number"),
                    {1, 3}),
          of_length(key("offset", ValueType::vector, "m", "", "moves it then, before the body places it"), {2, 3})};
}

ShapeRecord record(std::string name, std::string brief, std::vector<Parameter> keys,
                   BodyShape (*make)(const Settings&, int, MeshNotes&)) {
  ShapeRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief);
  made.parameters = std::move(keys);
  for (Parameter& parameter : placing_keys()) made.parameters.push_back(std::move(parameter));
  made.make = make;
  return made;
}

Parameter radius_key() { return required(positive(number_key("radius", "m", "", "of it"))); }
Parameter segments_key() {
  return bounded(key("segments", ValueType::integer, "-", "24", "flat sides around its axis"), 3, 1000);
}

BodyShape make_box(const Settings& s, int, MeshNotes&) {
  const auto& size = s.vector("size");
  return box_shape({size[0], size[1], size.size() == 3 ? size[2] : 0});
}
BodyShape make_sphere(const Settings& s, int dimension, MeshNotes&) {
  return ball_shape(s.number("radius"), dimension == 2 ? 2 : 3);
}
BodyShape make_cylinder(const Settings& s, int, MeshNotes&) {
  return cylinder_shape(s.number("radius"), s.number("length"), static_cast<int>(s.integer("segments")));
}
BodyShape make_capsule(const Settings& s, int, MeshNotes&) {
  return capsule_shape(s.number("radius"), s.number("length"), static_cast<int>(s.integer("segments")));
}
BodyShape make_polygon(const Settings& s, int, MeshNotes&) {
  std::vector<Vec3> corners;
  for (const auto& row : read_rows(s, "corners")) {
    if (row.size() != 2) s.refuse("corners", "expected 2 numbers a corner.");
    corners.push_back({row[0], row[1], 0});
  }
  return polygon_shape(corners);
}
BodyShape make_surface(const Settings& s, int, MeshNotes& notes) {
  const auto file = file_of(s.node("file"));
  Surface surface = read_surface(file, notes);
  close_surface(surface, file.string(), {}, notes);
  for (double& x : surface.X) x *= s.number("scale");
  return surface_shape(surface);
}

}  // namespace

Registry<ShapeRecord>& shape_records() {
  Parameter corners = required(key("corners", ValueType::table, "m", "", "list of places, counterclockwise"));
  corners.choices = {"list"};
  static Registry<ShapeRecord> records(
      "shape",
      {record("box", "a box about its centre, in the plane a rectangle",
              {required(positive(of_length(key("size", ValueType::vector, "m", "", "lengths of the sides"), {2, 3})))},
              make_box),
       record("sphere", "a ball, in the plane a disk: exactly round", {radius_key()}, make_sphere),
       record("capsule", "a cylinder with round caps, along z, of flat triangles",
              {radius_key(), required(positive(number_key("length", "m", "", "between the centres of its caps"))),
               segments_key()},
              make_capsule),
       record("cylinder", "a cylinder along z, of flat triangles",
              {radius_key(), required(positive(number_key("length", "m", "", "along its axis"))), segments_key()},
              make_cylinder),
       record("polygon", "a polygon in the plane", {corners}, make_polygon),
       record("surface", "a closed surface of triangles from a file",
              {required(key("file", ValueType::text, "-", "", "OBJ, STL or PLY")),
               positive(number_key("scale", "-", "1", "lengths of the file in metres"))},
              make_surface)});
  return records;
}

BodyShape make_shape(const Settings& parent, const std::string& key, int dimension, Assembly& assembly) {
  const auto kind = read_nested_kind(parent, key, shape_records());
  const Settings& s = kind.settings;
  try {
    MeshNotes notes;
    BodyShape shape = kind.record.make(s, dimension, notes);
    for (const auto* texts : {&notes.warnings, &notes.repairs})
      assembly.parts.notes.insert(assembly.parts.notes.end(), texts->begin(), texts->end());
    if (dimension != 0 && shape.dimension != dimension)
      s.refuse("kind", "is a shape in " + std::string(shape.dimension == 3 ? "space" : "the plane") +
                           ", and the body is one in " + (dimension == 3 ? "space." : "the plane."));
    Vec3 rotation{}, offset{};
    if (s.given("rotation")) {
      const auto& values = s.vector("rotation");
      if (values.size() != (shape.dimension == 3 ? 3u : 1u))
        s.refuse("rotation", shape.dimension == 3 ? "expected 3 numbers, axis times angle (rad)."
                                                  : "expected 1 number, the angle (rad).");
      if (values.size() == 3)
        std::copy(values.begin(), values.end(), rotation.begin());
      else
        rotation[2] = values[0];
    }
    if (s.given("offset")) {
      const auto& values = s.vector("offset");
      if (static_cast<int>(values.size()) != shape.dimension)
        s.refuse("offset", "expected " + std::to_string(shape.dimension) + " numbers.");
      std::copy(values.begin(), values.end(), offset.begin());
    }
    return moved(std::move(shape), rotation, offset);
  } catch (const MeshError& error) {
    s.refuse("file", error.what());
  } catch (const AssemblyError& error) {
    s.refuse(error.key, error.what());
  }
}

}  // namespace livens
