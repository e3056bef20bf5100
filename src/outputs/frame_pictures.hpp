// Pictures of the first, middle and last frame of a recording, for the report.
#pragma once

#include <filesystem>
#include <optional>

#include <livens/model.hpp>

#include "outputs/report.hpp"

namespace livens {

// Nothing if the model has no solids or the file no frames. Colours: stress of von Mises, or the displacement where no
// material gives a stress.
std::optional<ReportSection> frame_pictures(const Model& model, const std::filesystem::path& frames,
                                            int width = 640);  // pixels of a picture

}  // namespace livens
