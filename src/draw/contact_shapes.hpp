// Surfaces of rigid bodies and obstacles as contact has them: what is drawn instead of the box of their inertia.
#pragma once

#include <optional>

#include "draw/drawing.hpp"

namespace livens {

// Vertices and triangles of one body; none if it touches nothing by its shape.
std::optional<Drawable> contact_shape(const Model& model, const Body& body);

void draw_contact_shapes(const Model& model, Drawing& drawing);

}  // namespace livens
