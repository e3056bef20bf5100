#include "model/part_records.hpp"

#include <algorithm>

#include "records/values.hpp"

namespace livens {

void check_range(const Record& record, const std::string& key, double value) {
  const auto parameter = std::find_if(record.parameters.begin(), record.parameters.end(),
                                      [&](const Parameter& p) { return p.key == key; });
  if (parameter == record.parameters.end()) throw std::out_of_range(record.name + " has no key " + key);
  const std::string fault = range_fault(*parameter, value);
  if (!fault.empty()) throw AssemblyError(key, fault);
}

std::string given_text(const Settings& settings, const std::string& key) {
  return settings.given(key) ? settings.text(key) : "";
}

std::optional<double> given_number(const Settings& settings, const std::string& key) {
  return settings.given(key) ? std::optional(settings.number(key)) : std::nullopt;
}

}  // namespace livens
