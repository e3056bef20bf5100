// The entries of a list, or the one value in place of a list, each refused at its own location.
#pragma once

#include <string>
#include <vector>

#include <livens/assembly.hpp>

namespace livens {

// read(item) throws AssemblyError for an item that is wrong; the faults of all are thrown together, as a SceneError.
template <class T, class Read>
std::vector<T> read_items(const Settings& settings, const std::string& key, const Read& read) {
  const Node& given = settings.node(key);
  std::vector<const Node*> items;
  if (given.kind != Node::Kind::array) items.push_back(&given);
  for (const Node& item : given.items) items.push_back(&item);
  std::vector<T> values;
  std::vector<SceneFault> faults;
  for (const Node* item : items) try {
      values.push_back(read(*item));
    } catch (const AssemblyError& error) {
      faults.push_back({item->place, settings.path + "." + key, error.what()});
    }
  if (!faults.empty()) throw SceneError(std::move(faults));
  return values;
}

}  // namespace livens
