// The kinds of output a scene may ask for.
#include "scene/build.hpp"
#include "scene/parameter.hpp"

namespace livens {

const std::vector<Record>& output_records() {
  static const std::vector<Record> records = {
      {"history",
       "history.csv: energies, momenta, ledgers and probes over time",
       "",
       {positive(number_key("every", "s", "", "simulated time between rows; without it, a thousandth of the run"))}},
  };
  return records;
}

}  // namespace livens
