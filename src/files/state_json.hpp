// state.json: the last state, with 17 digits.
#pragma once

#include <filesystem>

#include <livens/model.hpp>

namespace livens {

void write_state(const std::filesystem::path& path, const Model& model, const State& state);
// Throws RunError.
State read_state(const std::filesystem::path& path);

}  // namespace livens
