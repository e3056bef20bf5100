#include "scene/kinds.hpp"

#include <livens/probe.hpp>
#include <livens/registry.hpp>

#include "bodies/layouts.hpp"
#include "bodies/meshes.hpp"
#include "bodies/shape_records.hpp"
#include "files/output.hpp"
#include "materials/material.hpp"
#include "model/selections.hpp"
#include "records/read.hpp"

namespace livens {

std::vector<const Record*> records_of(const std::string& section) {
  if (section == "integrator") return pointers(integrator_records());
  if (section == "system") return pointers(system_records());
  if (section == "body") return pointers(body_records());
  if (section == "layout") return pointers(layout_records());
  if (section == "mesh") return pointers(mesh_records());
  if (section == "shape") return pointers(shape_records());
  if (section == "material") return pointers(material_records());
  if (section == "selection") return pointers(selection_records());
  if (section == "constraint") return pointers(constraint_records());
  if (section == "contact") return pointers(contact_records());
  if (section == "force") return pointers(force_records());
  if (section == "output") return pointers(output_records());
  if (section == "probe") return pointers(probe_records());
  return {};
}

}  // namespace livens
