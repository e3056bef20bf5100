#include "files/state_json.hpp"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "files/files.hpp"
#include "model/system.hpp"

namespace livens {
namespace {

// A million masses make hundreds of megabytes: written in pieces, not as one document.
constexpr std::size_t read_at_once = 1 << 20;

template <class Number>
void write_list(AtomicFile& file, std::string text, const std::vector<Number>& values, const char* format) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k > 0) text += ", ";
    fmt::format_to(std::back_inserter(text), fmt::runtime(format), values[k]);
    if (text.size() < read_at_once) continue;
    file.write(text);
    text.clear();
  }
  file.write(text + "]");
}

void write_numbers(AtomicFile& file, const char* key, const std::vector<double>& values) {
  write_list(file, fmt::format(",\n  \"{}\": [", key), values, "{:.17g}");
}

// Nodes of solids have an order of their own: the numbers that they have in the file of their mesh.
void write_node_ids(AtomicFile& file, const Model& model) {
  std::string before = ",\n  \"node_ids\": {";
  for (const Body& body : model.bodies()) {
    if (body.mesh == nullptr || body.mesh->node_tags.empty()) continue;
    write_list(file, before + nlohmann::json(body.name).dump() + ": [", body.mesh->node_tags, "{}");
    before = ", ";
  }
  if (before == ", ") file.write("}");
}

}  // namespace

void write_state(const std::filesystem::path& path, const Model& model, const State& state) {
  AtomicFile file(path);
  file.write(fmt::format("{{\n  \"schema\": \"livens.state/1\",\n  \"t\": {:.17g}", state.t));
  const auto& names = model.parts().coordinates;
  if (!names.empty()) file.write(",\n  \"coordinates\": " + nlohmann::json(names).dump());
  if (first_named(model) > 0) file.write(fmt::format(",\n  \"coordinates_begin\": {}", first_named(model)));
  write_node_ids(file, model);
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
