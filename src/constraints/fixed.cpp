// Nodes that stay where they start, in all or some directions.
#include "constraints/records.hpp"
#include "scene/parameter.hpp"
#include "scene/selections.hpp"

namespace livens {
namespace {

void add(const Settings& settings, const std::string& name, Build& build) {
  Support support;
  support.name = name;
  for (const NodeSet& set : selected_nodes(settings, build)) {
    const Body& body = build.parts.bodies[static_cast<std::size_t>(set.body)];
    std::vector<bool> components;
    if (!read_components(settings, body.dimension, build, components)) return;
    for (const int node : set.nodes)
      for (int c = 0; c < body.dimension; ++c)
        if (components[static_cast<std::size_t>(c)])
          support.coordinates.push_back(body.first + node * body.dimension + c);
  }
  if (!support.coordinates.empty()) add_support(settings, std::move(support), build);
}

}  // namespace

ConstraintRecord fixed_record() {
  ConstraintRecord record;
  record.name = "fixed";
  record.brief = "nodes that stay where they start";
  record.parameters = {
      required(key("selection", ValueType::name, "-", "", "a [[selection]], or body.group")),
      key("components", ValueType::text, "-", "xyz", "directions that are held: \"x\" makes a roller")};
  record.add = add;
  return record;
}

}  // namespace livens
