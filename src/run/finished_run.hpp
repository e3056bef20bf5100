// The files of a finished run, for whoever shows, exports or compares it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <livens/mesh.hpp>
#include <livens/probe.hpp>
#include <livens/scene.hpp>

namespace livens {

struct FrameBody;
using SummaryJson = nlohmann::ordered_json;

// Throws RunError, with what to take instead, if the directory holds no run.
void require_run(const std::filesystem::path& directory, const std::string& what_to_take);
// The runs that a study has kept below its directory, in the order of its cases, or the swings of modes; nothing if the
// directory holds neither. Throws RunError if there are none.
std::optional<std::vector<std::string>> runs_of_study(const std::filesystem::path& directory);
std::string run_name(const std::filesystem::path& directory);  // the last part of its path

SummaryJson read_summary(const std::filesystem::path& directory);  // an empty object if it is damaged
std::optional<Scene> read_scene(const std::filesystem::path& directory);
// The columns of history.csv; without unit and meaning if the summary does not know them.
std::vector<Column> columns_of(const SummaryJson& summary, const std::filesystem::path& directory);
// The first recording of frames that the run has written.
std::optional<std::filesystem::path> frames_file(const SummaryJson& summary, const std::filesystem::path& directory);
// Null for bodies of points.
std::shared_ptr<const Mesh> recorded_mesh(const FrameBody& body);

// Parts of a summary; the fallback, nan and an empty object where there is none.
std::string text_in(const SummaryJson& object, const char* key, const std::string& fallback = "");
double number_in(const SummaryJson& object, const char* key);
const SummaryJson& part_of(const SummaryJson& object, const char* key);

}  // namespace livens
