// The last state of a run, as the start of another.
#pragma once

#include <filesystem>

#include <livens/model.hpp>

namespace livens {

// From the newest sound checkpoint, else from state.json. Throws RunError if there is none, or if it does not fit.
// Where the model gives other momenta to the same velocities, the velocities stay.
State last_state(const std::filesystem::path& run, const Model& model);

}  // namespace livens
