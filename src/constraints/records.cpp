#include "constraints/records.hpp"

#include <map>

namespace livens {

const std::vector<ConstraintRecord>& constraint_records() {
  static const std::vector<ConstraintRecord> records = {
      fixed_record(),     prescribed_record(),       distance_record(),    spherical_record(),
      revolute_record(),  prismatic_record(),        cylindrical_record(), universal_record(),
      alignment_record(), point_on_surface_record(), attachment_record(),  expression_constraint_record(),
  };
  return records;
}

bool read_components(const Settings& settings, int dimension, Build& build, std::vector<bool>& components) {
  components.assign(dimension, false);
  if (!settings.given("components")) {
    components.assign(components.size(), true);
    return true;
  }
  const std::string& text = settings.text("components");
  for (const char c : text) {
    const int k = c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : -1;
    if (k < 0 || k >= dimension || components[k])
      return build.fail(settings, "components",
                        "expected some of the letters " + std::string("xyz").substr(0, components.size()) +
                            ", each once, found '" + text + "'."),
             false;
    components[k] = true;
  }
  if (text.empty()) return build.fail(settings, "components", "is empty: nothing would be held."), false;
  return true;
}

void add_support(const Settings& settings, Support support, Build& build) {
  std::map<int, const Support*> held;
  for (const Support& other : build.parts.supports)
    for (const int i : other.coordinates) held[i] = &other;
  if (support.motion) {
    for (const int i : support.coordinates)
      if (held.count(i) != 0)
        return build.fail(settings, "selection",
                          "some of its nodes are held by constraint '" + held[i]->name +
                              "' in the same direction. Select other nodes or components.");
  } else {
    for (const int i : support.coordinates)
      if (held.count(i) != 0 && held[i]->motion)
        return build.fail(settings, "selection",
                          "some of its nodes are moved by constraint '" + held[i]->name +
                              "' in the same direction. Select other nodes or components.");
    std::erase_if(support.coordinates, [&](int i) { return held.count(i) != 0; });
  }
  build.parts.supports.push_back(std::move(support));
}

}  // namespace livens
