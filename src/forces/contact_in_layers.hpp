// Contact for explicit and asynchronous methods: the barriers of an assembly as sums of nested layers, each for a clock
// of its own (src/contact/layer_law.hpp). Other methods do not take them.
#pragma once

#include <livens/assembly.hpp>

namespace livens {

// After contact has been added, and before the model is made.
void put_contact_in_layers(Assembly& assembly);

}  // namespace livens
