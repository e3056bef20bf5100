// The keys that all materials share: density, and pairs of moduli for those that do without constants of their own.
#pragma once

#include <livens/materials.hpp>

namespace livens {

void add_common_keys(MaterialRecord& record);
bool takes_moduli(const MaterialRecord& record);  // of records with the common keys

}  // namespace livens
