// The kinds of output a scene may ask for.
#include <stdexcept>

#include "files/output.hpp"
#include "records/parameter.hpp"
#include "scene/build.hpp"

namespace livens {
namespace {

OutputRecord history_record() {
  OutputRecord record;
  record.name = "history";
  record.brief = "history.csv: energies, momenta, ledgers and probes over time";
  record.parameters = {positive(number_key("every", "s", "end/1000", "simulated time between rows"))};
  return record;
}

}  // namespace

const std::vector<OutputRecord>& output_kinds() {
  static const std::vector<OutputRecord> records = {history_record(), frames_record(), vtu_record(), obj_record(),
                                                    ply_record()};
  return records;
}

const OutputRecord& output_kind(const std::string& name) {
  for (const OutputRecord& record : output_kinds())
    if (record.name == name) return record;
  throw std::out_of_range("no output '" + name + "'");
}

const std::vector<Record>& output_records() {
  static const std::vector<Record> records(output_kinds().begin(), output_kinds().end());
  return records;
}

}  // namespace livens
