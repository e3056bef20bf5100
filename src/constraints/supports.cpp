#include "constraints/supports.hpp"

#include <map>

namespace livens {

bool read_components(const Settings& settings, int dimension, std::vector<bool>& components) {
  components.assign(dimension, false);
  if (!settings.given("components")) {
    components.assign(components.size(), true);
    return true;
  }
  const std::string& text = settings.text("components");
  for (const char c : text) {
    const int k = c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : -1;
    if (k < 0 || k >= dimension || components[k])
      settings.refuse("components", "expected some of the letters " + std::string("xyz").substr(0, components.size()) +
                                        ", each once, found '" + text + "'.");
    components[k] = true;
  }
  if (text.empty()) settings.refuse("components", "is empty: nothing would be held.");
  return true;
}

void add_support(const Settings& settings, Support support, Assembly& assembly) {
  std::map<int, const Support*> held;
  for (const Support& other : assembly.parts.supports)
    for (const int i : other.coordinates) held[i] = &other;
  if (support.motion) {
    for (const int i : support.coordinates)
      if (held.count(i) != 0)
        settings.refuse("selection", "some of its nodes are held by constraint '" + held[i]->name +
                                         "' in the same direction. Select other nodes or components.");
  } else {
    for (const int i : support.coordinates)
      if (held.count(i) != 0 && held[i]->motion)
        settings.refuse("selection", "some of its nodes are moved by constraint '" + held[i]->name +
                                         "' in the same direction. Select other nodes or components.");
    std::erase_if(support.coordinates, [&](int i) { return held.count(i) != 0; });
  }
  assembly.parts.supports.push_back(std::move(support));
}

}  // namespace livens
