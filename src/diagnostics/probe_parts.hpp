// What files of probes and quantities have in common.
#pragma once

#include <limits>
#include <string>
#include <utility>

#include <livens/probe.hpp>

namespace livens {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

inline ProbeRecord probe_record(ProbeRecord::Of of, std::string name, std::string unit, ProbeRecord::Shape shape,
                                std::string brief) {
  ProbeRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief) + " (" + unit + ")";
  made.unit = std::move(unit);
  made.shape = shape;
  made.of = of;
  return made;
}

}  // namespace livens
