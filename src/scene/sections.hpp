// The fixed part of the scene format: which sections there are, and the keys of those that have no kinds.
// The keys of kinds come from their records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <livens/registry.hpp>

namespace livens {

inline constexpr int scene_format = 1;

struct Section {
  enum class Shape { key, table, list };  // title = ..., [time], [[force]]
  enum class Use { scene, study, both };

  std::string name;
  Shape shape = Shape::table;
  Use use = Use::scene;
  bool kinds = false;      // entries have a kind out of records_of(name)
  bool names = false;      // entries may have name and enabled
  bool free_keys = false;  // any key is a name that the user gives
  bool required = false;
  std::string brief;
  std::vector<Parameter> parameters;  // without kind, name, enabled; of a key: its one parameter

  // As it is written: "title", "[time]", "[[force]]".
  std::string header() const;
};

// In the order in which they are read and documented.
const std::vector<Section>& sections();
const Section* find_section(std::string_view name);

// The keys that rule 2 gives to every entry, for listings.
const std::vector<Parameter>& common_parameters();

}  // namespace livens
