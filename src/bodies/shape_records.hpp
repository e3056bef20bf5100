// The text faces of shapes; the list in shape_records.cpp is the registry.
#pragma once

#include <livens/bodies.hpp>

namespace livens {

struct ShapeRecord : Record {
  // dimension: of the body; 0: not known. Throws AssemblyError and MeshError.
  BodyShape (*make)(const Settings& settings, int dimension, MeshNotes& notes) = nullptr;
};

Registry<ShapeRecord>& shape_records();

// The shape of a table such as body.shape, turned and moved as it says. Throws SceneError.
BodyShape make_shape(const Settings& parent, const std::string& key, int dimension, Assembly& assembly);

}  // namespace livens
