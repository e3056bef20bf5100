#include "files/state_json.hpp"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files/files.hpp"

namespace livens {
namespace {

// A million masses make hundreds of megabytes: written in pieces, not as one document.
constexpr std::size_t piece = 1 << 20;

void write_numbers(AtomicFile& file, const char* key, const std::vector<double>& values) {
  std::string text = fmt::format(",\n  \"{}\": [", key);
  for (std::size_t k = 0; k < values.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "{}{:.17g}", k == 0 ? "" : ", ", values[k]);
    if (text.size() < piece) continue;
    file.write(text);
    text.clear();
  }
  file.write(text + "]");
}

}  // namespace

void write_state(const std::filesystem::path& path, const Model& model, const State& state) {
  AtomicFile file(path);
  file.write(fmt::format("{{\n  \"schema\": \"livens.state/1\",\n  \"t\": {:.17g}", state.t));
  const auto& names = model.parts().coordinates;
  if (!names.empty()) file.write(",\n  \"coordinates\": " + nlohmann::json(names).dump());
  write_numbers(file, "q", state.q);
  write_numbers(file, "v", state.v);
  write_numbers(file, "p", state.p);
  if (!state.lambda.empty()) write_numbers(file, "lambda", state.lambda);
  file.write("\n}\n");
  file.commit();
}

State read_state(const std::filesystem::path& path) {
  try {
    const auto json = nlohmann::json::parse(file_content(path));
    State state;
    state.t = json.at("t").get<double>();
    state.q = json.at("q").get<std::vector<double>>();
    state.v = json.at("v").get<std::vector<double>>();
    state.p = json.at("p").get<std::vector<double>>();
    if (json.contains("lambda")) state.lambda = json.at("lambda").get<std::vector<double>>();
    return state;
  } catch (const nlohmann::json::exception&) {
    throw RunError("'" + path.string() + "' holds no state: it is damaged, or was not written by livens");
  }
}

}  // namespace livens
