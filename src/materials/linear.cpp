// Linear elasticity, see elements/linear_elastic.cpp.
#include "elements/elastic.hpp"
#include "materials/material.hpp"

namespace livens {

MaterialRecord linear_record() {
  MaterialRecord record;
  record.name = "linear";
  record.brief = "Hooke's law for small displacements: mu |e|^2 + lambda/2 tr^2 e; not frame-indifferent";
  record.frame_indifferent = false;
  record.survives_inversion = true;
  record.make = [](const MaterialConstants& c, const SolidPart& part) {
    return make_linear_elastic(part, c.moduli.lambda, c.moduli.mu);
  };
  return record;
}

}  // namespace livens
