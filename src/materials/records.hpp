// One function per material; the list in records.cpp is the registry.
#pragma once

#include "materials/material.hpp"

namespace livens {

MaterialRecord neo_hookean_record();
MaterialRecord isochoric_neo_hookean_record();
MaterialRecord mooney_rivlin_record();
MaterialRecord st_venant_kirchhoff_record();
MaterialRecord stable_neo_hookean_record();
MaterialRecord linear_record();
MaterialRecord expression_record();

}  // namespace livens
