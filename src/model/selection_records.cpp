// The section [[selection]]: what its tables read.
#include <algorithm>

#include <livens/selections.hpp>

#include "records/read.hpp"

namespace livens {
namespace {

SelectionRecord record(std::string name, std::string brief, std::vector<Parameter> own,
                       decltype(SelectionRecord::add) add) {
  SelectionRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief);
  made.parameters = {key("body", ValueType::name, "-", "the only one", "whose nodes")};
  made.parameters.insert(made.parameters.end(), own.begin(), own.end());
  made.parameters.push_back(bounded(number_key("within", "m", "1e-6 of the body", "tolerance of the selection"), 0));
  made.add = add;
  return made;
}

Parameter point_key(const std::string& name, const std::string& brief) {
  return required(of_length(key(name, ValueType::vector, "m", "", brief), {1, 2, 3}));
}

Vec3 vec3(const Settings& settings, const std::string& key, double missing = 0) {
  Vec3 numbers{missing, missing, missing};
  const auto& values = settings.vector(key);
  std::copy(values.begin(), values.end(), numbers.begin());
  return numbers;
}

std::string body_of(const Settings& settings) { return settings.given("body") ? settings.text("body") : ""; }

std::optional<double> within_of(const Settings& settings) {
  if (!settings.given("within")) return std::nullopt;
  return settings.number("within");
}

SelectionRecord box_record() {
  return record(
      "box", "nodes in a box",
      {point_key("min", "corner with the least coordinates"), point_key("max", "corner with the greatest coordinates")},
      [](const Settings& s, const std::string& name, Assembly& assembly) {
        constexpr double infinite = BoxSelection::infinite;
        add(assembly, BoxSelection{body_of(s), vec3(s, "min", -infinite), vec3(s, "max", infinite), within_of(s)},
            name);
      });
}

SelectionRecord plane_record() {
  return record("plane", "nodes on a plane, in 2D on a line",
                {point_key("point", "of the plane"),
                 required(of_length(key("normal", ValueType::vector, "-", "", "of the plane"), {1, 2, 3}))},
                [](const Settings& s, const std::string& name, Assembly& assembly) {
                  add(assembly, PlaneSelection{body_of(s), vec3(s, "point"), vec3(s, "normal"), within_of(s)}, name);
                });
}

SelectionRecord sphere_record() {
  return record("sphere", "nodes in a ball, in 2D in a disk",
                {point_key("point", "its centre"), required(bounded(number_key("radius", "m", "", "of the ball"), 0))},
                [](const Settings& s, const std::string& name, Assembly& assembly) {
                  add(assembly, SphereSelection{body_of(s), vec3(s, "point"), s.number("radius"), within_of(s)}, name);
                });
}

SelectionRecord nearest_record() {
  return record("nearest", "the one node nearest to a point", {point_key("point", "where")},
                [](const Settings& s, const std::string& name, Assembly& assembly) {
                  add(assembly, NearestSelection{body_of(s), vec3(s, "point")}, name);
                });
}

SelectionRecord group_record() {
  return record("group", "nodes that the mesh names",
                {required(key("group", ValueType::text, "-", "", "all, boundary, or a group of the mesh"))},
                [](const Settings& s, const std::string& name, Assembly& assembly) {
                  add(assembly, GroupSelection{body_of(s), s.text("group")}, name);
                });
}

SelectionRecord boundary_record() {
  return record("boundary", "nodes on the surface of a solid", {},
                [](const Settings& s, const std::string& name, Assembly& assembly) {
                  add(assembly, BoundarySelection{body_of(s)}, name);
                });
}

}  // namespace

Registry<SelectionRecord>& selection_records() {
  static Registry<SelectionRecord> records("selection", {box_record(), plane_record(), sphere_record(),
                                                         nearest_record(), group_record(), boundary_record()});
  return records;
}

}  // namespace livens
