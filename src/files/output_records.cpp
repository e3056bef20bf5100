// The kinds of output a scene may ask for.
#include "files/output.hpp"

namespace livens {
namespace {

OutputRecord history_record() {
  OutputRecord record;
  record.name = "history";
  record.brief = "history.csv: energies, momenta, ledgers and probes over time";
  record.parameters = {positive(number_key(
      "every", "s", "end/1000", "simulated time between rows; by default every step of a system of few coordinates"))};
  return record;
}

}  // namespace

Registry<OutputRecord>& output_records() {
  static Registry<OutputRecord> records("output",
                                        {history_record(), frames_record(), vtu_record(), obj_record(), ply_record()});
  return records;
}

}  // namespace livens
