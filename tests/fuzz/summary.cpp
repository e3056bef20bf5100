// summary.json of a run that somebody sent: shown, compared, and its directory taken by another run.
#include "export/compare.hpp"
#include "files/files.hpp"
#include "fuzz/fuzz.hpp"
#include "run/finished_run.hpp"

using namespace livens;
namespace fs = std::filesystem;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const fs::path run = fuzz::scratch() / "run";
  fs::create_directories(run);
  std::ofstream(fuzz::scratch() / "precious.h5") << "x";
  std::ofstream(run / "history.csv") << "step,t,energy\n0,0,1\n1,1,1\n";
  std::ofstream(run / "summary.json", std::ios::binary | std::ios::trunc) << fuzz::text_of(bytes, size);
  try {
    const SummaryJson summary = read_summary(run);
    columns_of(summary, run);
    frames_file(summary, run);
    compare_runs({run.string(), run.string()});
    RunDirectory::create_at(run);
  } catch (const RunError&) {}
  fuzz::require(fs::exists(fuzz::scratch() / "precious.h5"));
  return 0;
}
