#include "constraints/supports.hpp"

#include <map>

namespace livens {

void add_support(Support support, Assembly& assembly) {
  std::map<int, const Support*> held;
  for (const Support& other : assembly.parts.supports)
    for (const int i : other.coordinates) held[i] = &other;
  if (support.motion) {
    for (const int i : support.coordinates)
      if (held.count(i) != 0)
        throw AssemblyError("selection", "some of its nodes are held by constraint '" + held[i]->name +
                                             "' in the same direction. Select other nodes or components.");
  } else {
    for (const int i : support.coordinates)
      if (held.count(i) != 0 && held[i]->motion)
        throw AssemblyError("selection", "some of its nodes are moved by constraint '" + held[i]->name +
                                             "' in the same direction. Select other nodes or components.");
    std::erase_if(support.coordinates, [&](int i) { return held.count(i) != 0; });
  }
  assembly.parts.supports.push_back(std::move(support));
}

}  // namespace livens
