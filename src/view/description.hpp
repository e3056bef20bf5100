// The JSON texts of docs/view_protocol.md that finished runs and live sessions share.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <livens/energy.hpp>

#include "diagnostics/probes.hpp"
#include "files/fields.hpp"
#include "view/drawing.hpp"

namespace livens {

using ViewJson = nlohmann::ordered_json;

// A field that the page may ask for.
struct ViewField {
  std::string name;
  std::string source;  // the field it is read or computed from: stress for von_mises
  std::string unit;
  bool per_cell = false, arrows = false;
  FieldRange range = {};
};
ViewField view_field(const FieldRecord& record);

ViewJson drawables_json(const Drawing& drawing);
// Against the gravity of the scene, else away from a plane, else z; y in the plane.
ViewJson up_json(const Drawing& drawing, const Scene* scene, const std::vector<Obstacle>& obstacles);
ViewJson obstacles_json(const std::vector<Obstacle>& obstacles);
ViewJson view_fields_json(const std::vector<ViewField>& fields);
// Columns with their group; each has name, unit and meaning.
ViewJson columns_json(const std::vector<Column>& columns);
// Pairs that make phase portraits: coordinates with their velocities.
ViewJson phase_json(const std::vector<Column>& columns);
std::string text_of(const ViewJson& json);  // on one line; what is no UTF-8 is replaced

// { "rows": R, "columns": [...] } on a line, then float64[C][R].
std::string history_bytes(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                          long first);

}  // namespace livens
