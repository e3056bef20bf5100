// Surfaces of rigid bodies and obstacles as contact has them: what is drawn instead of the box of their inertia.
#pragma once

#include "draw/drawing.hpp"

namespace livens {

void draw_contact_shapes(const Model& model, Drawing& drawing);

}  // namespace livens
