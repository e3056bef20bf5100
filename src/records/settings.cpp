// Access to validated values. Asking for a key that is not there, or for another type, is a mistake of the program.
#include <algorithm>

#include <livens/settings.hpp>

namespace livens {
namespace {

template <class T>
const T& value_of(const Settings& settings, const std::string& key) {
  const auto found = settings.values.find(key);
  const T* value = found == settings.values.end() ? nullptr : std::get_if<T>(&found->second);
  if (value == nullptr) throw std::out_of_range(settings.path + "." + key + " has no value of this type");
  return *value;
}

}  // namespace

// A function that turned out constant is a number, too: steps may be either.
double Settings::number(const std::string& key) const {
  const auto function = functions.find(key);
  if (function != functions.end() && function->second.size() == 1 && function->second[0].constant())
    return function->second[0].value();
  return value_of<double>(*this, key);
}

long Settings::integer(const std::string& key) const { return value_of<long>(*this, key); }
bool Settings::flag(const std::string& key) const { return value_of<bool>(*this, key); }
const std::string& Settings::text(const std::string& key) const { return value_of<std::string>(*this, key); }
const std::vector<double>& Settings::vector(const std::string& key) const {
  return value_of<std::vector<double>>(*this, key);
}
const std::vector<std::string>& Settings::names(const std::string& key) const {
  return value_of<std::vector<std::string>>(*this, key);
}

const Function& Settings::function(const std::string& key, std::size_t index) const {
  const auto found = functions.find(key);
  if (found == functions.end() || index >= found->second.size())
    throw std::out_of_range(path + "." + key + " has no function of that index");
  return found->second[index];
}

SceneFault Settings::fault(const std::string& key, const std::string& message) const {
  Place where = place;
  const Node* node = nullptr;
  for (std::size_t begin = 0; begin < key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const std::string word = key.substr(begin, end - begin);
    const auto top = nodes.find(word);
    node = begin > 0            ? (node == nullptr ? nullptr : node->find(word))
           : top == nodes.end() ? nullptr
                                : top->second.get();
    if (node == nullptr) break;
    where = node->place;
    begin = end + 1;
  }
  return {where, key.empty() ? path : path + "." + key, message};
}

void Settings::refuse(const std::string& key, const std::string& message) const {
  throw SceneError({fault(key, message)});
}

}  // namespace livens
